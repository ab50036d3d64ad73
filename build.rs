//! The version that `--version` prints: with the commit in release builds, if it is known. Debug builds omit it, so
//! that a commit does not recompile everything.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = env_or_empty("CARGO_PKG_VERSION");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LENDWRIGHT_COMMIT");
    let commit = match (env_or_empty("LENDWRIGHT_COMMIT"), env_or_empty("PROFILE").as_str()) {
        (given, _) if !given.is_empty() => Some(given),
        (_, "release") => of_package().or_else(of_repository),
        _ => None,
    };
    let shown = match commit {
        Some(commit) => format!("{version} ({})", commit.chars().take(12).collect::<String>()),
        None => version,
    };
    println!("cargo::rustc-env=LENDWRIGHT_VERSION={shown}");
}

fn env_or_empty(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// What `cargo package` wrote beside the sources.
fn of_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let hash = text.split("\"sha1\"").nth(1)?.split('"').nth(1)?;
    Some(hash.to_owned())
}

/// The commit of the repository that this is the root of; one further up is another project's.
fn of_repository() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    for file in ["HEAD", "logs/HEAD"] {
        if let Some(path) = git(&["rev-parse", "--git-path", file]).filter(|path| Path::new(path).exists()) {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "HEAD"])
}
