//! `cargo +nightly fuzz run table`: see [`lendwright_fuzz::targets::table`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::table(bytes));
