//! The tables, before anything is decided: one complete scan, and their rows by customer, sorted on disk where needed.

pub(crate) mod customers;
pub(crate) mod disk;
pub(crate) mod first_pass;
pub(crate) mod sort;
pub(crate) mod table_scan;
