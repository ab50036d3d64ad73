//! The compiled part of the Python package `lendwright`: tables in and out by the Arrow C interface, and the engine
//! without Python's lock. What people see is in `python/lendwright`.

mod border;
mod column_types;
mod command_line;
mod errors;
mod generated;
mod partition;
mod policy;
mod source;
mod statements;
mod table;
mod work;

use pyo3::prelude::*;

/// The compiled part of lendwright.
#[pymodule]
mod _engine {
    #[pymodule_export]
    use super::command_line::run_command_line;
    #[pymodule_export]
    use super::generated::generate;
    #[pymodule_export]
    use super::partition::Partition;
    #[pymodule_export]
    use super::policy::Policy;
    #[pymodule_export]
    use super::statements::{Statements, columns_text, letters_cut_from_names, read};
    #[pymodule_export]
    use super::table::{Table, buffer_addresses};

    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
