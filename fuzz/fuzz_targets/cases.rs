//! `cargo +nightly fuzz run cases`: see [`lendwright_fuzz::targets::cases`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::cases(bytes));
