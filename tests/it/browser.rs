//! Headless Chromium for pages, if there is one. `.ci/run` installs it and sets `CHROMIUM=required`.

use std::path::PathBuf;
use std::process::Command;

/// A page after it has loaded and run its scripts.
pub(crate) struct Loaded {
    pub document: String,
    /// What the console shows: errors, and requests that were refused.
    pub console: Vec<String>,
}

fn chromium() -> Option<PathBuf> {
    let folders = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// Loads a page; `None` without a browser.
pub(crate) fn load(url: &str, more: &[&str]) -> Option<Loaded> {
    let Some(program) = chromium() else {
        assert!(std::env::var("CHROMIUM").is_err(), "CHROMIUM is set and there is none");
        eprintln!("SKIPPED: no Chromium in the PATH");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
    let quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
    let output = Command::new(program)
        .args(fixed)
        .args(quiet)
        .args(["--disable-dev-shm-usage", "--no-proxy-server", "--enable-logging=stderr"])
        .args(more)
        .arg(format!("--user-data-dir={}", folder.path().display()))
        .args(["--dump-dom", url])
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let console = log.lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
    Some(Loaded { document: String::from_utf8_lossy(&output.stdout).into_owned(), console })
}
