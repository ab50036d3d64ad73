//! `cargo +nightly fuzz run cell`: see [`lendwright_fuzz::targets::cell`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::cell(bytes));
