//! The pages in a real browser: headless Chromium, if there is one. `.ci/run` installs it and sets `CHROMIUM=required`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::desk::Desk;

fn chromium() -> Option<PathBuf> {
    let folders = std::env::split_paths(&std::env::var_os("PATH")?).collect::<Vec<_>>();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|path| path.is_file())
}

/// The page in the browser after it has loaded and run its script; `None` without a browser.
async fn dump(url: String, more: &'static [&'static str]) -> Option<String> {
    let Some(program) = chromium() else {
        assert!(std::env::var("CHROMIUM").is_err(), "CHROMIUM is set and there is none");
        eprintln!("SKIPPED: no Chromium in the PATH");
        return None;
    };
    let said = tokio::task::spawn_blocking(move || {
        let folder = tempfile::tempdir().unwrap();
        let fixed = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
        let quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];
        let said = Command::new(program)
            .args(fixed)
            .args(quiet)
            .args(["--disable-dev-shm-usage", "--no-proxy-server"])
            .args(more)
            .arg(format!("--user-data-dir={}", folder.path().display()))
            .args(["--dump-dom", &url])
            .stderr(Stdio::null())
            .output();
        String::from_utf8_lossy(&said.unwrap().stdout).into_owned()
    });
    said.await.ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_loan_made_by_calls_is_on_the_page() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    let Some(page) = dump(format!("{}/sandbox", desk.sandbox.base_url()), &[]).await else { return };
    for words in [loan.as_str(), "NGN 52,000.00", "Customer pays", "fund_loan"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}

/// The number after a text.
fn number_after(page: &str, text: &str) -> u64 {
    let rest = page.split_once(text).unwrap_or_else(|| panic!("{text}: {page}")).1;
    rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_follows_what_happens() {
    let desk = Desk::new().await;
    let loan = desk.funded().await;
    // The browser's clock runs fast: twenty seconds of polling, while there are always changes.
    let mut page = Box::pin(dump(format!("{}/sandbox", desk.sandbox.base_url()), &["--virtual-time-budget=20000"]));
    let page = loop {
        tokio::select! {
            page = &mut page => break page,
            _ = desk.debit(&loan, "AGAIN", 1) => tokio::time::sleep(std::time::Duration::from_millis(20)).await,
        }
    };
    let Some(page) = page else { return };
    let (loaded, shown) = (number_after(&page, "data-version=\""), number_after(&page, "data-live=\""));
    assert!(shown > loaded, "loaded with {loaded}, shows {shown}");
}
