//! The integration tests, one binary: linking Polars once is cheaper than once a file.

mod generate;
mod generate_files;
