//! The integration tests, one binary: linking Polars once is cheaper than once a file.

mod pricing;
mod tidy;
