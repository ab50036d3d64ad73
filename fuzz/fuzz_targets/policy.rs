//! `cargo +nightly fuzz run policy`: see [`lendwright_fuzz::targets::policy`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::policy(bytes));
