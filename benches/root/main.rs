//! `cargo bench` at the root: runs the Criterion benches. They are a package of their own, for their dependencies would
//! have every other build compile Polars a second time.

use std::path::Path;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    // Cargo passes this to benches alone; `cargo test --benches` only asks whether they can be built.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
    // What Cargo passes to every bench is for libtest.
    let arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let mut benches = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What Cargo tells this program of its own package would have build scripts run again.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            benches.env_remove(&name);
        }
    }
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
