//! `cargo bench` at the root: runs the Criterion benches. They are a package of their own, for their dependencies would
//! have every other build compile Polars a second time.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    // What Cargo passes to every bench is for libtest.
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut benches = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    benches.args(["bench", "--locked", "--benches", "--manifest-path"]).arg(manifest).arg("--").args(arguments);
    match benches.status() {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(wrong) => {
            eprintln!("cargo cannot be started: {wrong}");
            ExitCode::FAILURE
        }
    }
}
