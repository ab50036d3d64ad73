//! `cargo +nightly fuzz run expression`: see [`lendwright_fuzz::targets::expression`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::expression(bytes));
