//! `cargo +nightly fuzz run statement`: see [`lendwright_fuzz::targets::statement`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::statement(bytes));
