//! `cargo +nightly fuzz run rules`: see [`lendwright_fuzz::targets::rules`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::rules(bytes));
