//! `cargo +nightly fuzz run request`: see [`lendwright_fuzz::targets::request`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::request(bytes));
