//! `cargo +nightly fuzz run metrics`: see [`lendwright_fuzz::targets::metrics`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::metrics(bytes));
