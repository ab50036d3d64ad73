//! The service's configuration file.

mod check_command;
pub(crate) mod file;
