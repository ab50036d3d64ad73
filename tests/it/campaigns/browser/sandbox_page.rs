//! The pages in a real browser, if there is one.

use crate::fixtures::browser::load;
use crate::fixtures::sandbox::Desk;

/// The page in the browser after it has loaded and run its script; `None` without a browser.
async fn dump(url: String, more: &'static [&'static str]) -> Option<String> {
    tokio::task::spawn_blocking(move || load(&url, more)).await.unwrap().map(|loaded| loaded.document)
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
