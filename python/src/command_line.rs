//! The command line, inside Python's process. Must not know its commands.

use pyo3::prelude::*;

/// Runs the program `lendwright` with the arguments of the process, and returns its exit status.
#[pyfunction]
pub(crate) fn run_command_line(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| lendwright::cli::run_with(arguments))
}
