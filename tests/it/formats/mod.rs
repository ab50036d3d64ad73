//! The formats of banks, on public samples that other projects test with. The samples are kept beside the project; each
//! test is skipped if they are missing.

mod swift;
