//! `cargo +nightly fuzz run ties`: see [`lendwright_fuzz::targets::ties`].
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lendwright_fuzz::targets::ties(bytes));
