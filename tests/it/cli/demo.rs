//! `demo` says the same every time, but for the port and the ids of offers.

use crate::fixtures::desk::Desk;

#[test]
fn the_demo_shows_the_whole_path() {
    let desk = Desk::new();
    let said = desk.run(&["demo"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    insta::assert_snapshot!(steady(&said.out));
}

#[test]
fn the_whole_demo_shows_one_loan_from_the_request_to_the_end() {
    let said = Desk::new().run(&["demo", "--whole"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    // How often the provider is asked, and whether its notification comes before its answer, is a matter of time.
    let steps = [
        "Get Offers: the provider asks",
        "the reply has the offers",
        "Accept Offers: the customer accepts",
        "the account is verified (E5); planned: fund, attempt 1, NGN 113,500.00",
        "stored as sent, then sent: fund, attempt 1, NGN 113,500.00",
        "no answer came: nothing is sent again",
        "it was carried out: fund, attempt 1, NGN 113,500.00",
        "planned: debit of payment 1, attempt 1, NGN 119,742.50",
        "stored as sent, then sent: debit of payment 1, attempt 1, NGN 119,742.50",
        "it was carried out: debit of payment 1, attempt 1, NGN 119,742.50",
        "NGN 113,500.00 paid out once, NGN 119,742.50 collected, NGN 0.00 left",
        "messages            2 to the customer",
        "the chain of hashes is whole",
    ];
    let mut rest = said.out.as_str();
    for step in steps {
        let at = rest.find(step).unwrap_or_else(|| panic!("`{step}` is missing or out of order: {}", said.out));
        rest = &rest[at + step.len()..];
    }
    assert!(said.out.contains("of our own debit: not posted again"), "{}", said.out);
}

#[test]
fn no_token_is_shown() {
    let said = Desk::new().run(&["demo", "--seed", "7"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("Bearer [secret]") && !said.out.contains("sandbox-token"), "{}", said.out);
}

/// The output without what differs between runs, the port, and between rule files, the offers' ids.
fn steady(text: &str) -> String {
    let text = masked(text, "http://127.0.0.1:", "PORT", |letter| letter.is_ascii_digit());
    masked(&text, "&offerId=", "ID", |letter| letter.is_ascii_hexdigit())
}

fn masked(text: &str, before: &str, mask: &str, of: impl Fn(char) -> bool) -> String {
    let mut parts = text.split(before);
    let mut shown = parts.next().unwrap().to_owned();
    for part in parts {
        shown.push_str(before);
        shown.push_str(mask);
        shown.push_str(part.trim_start_matches(&of));
    }
    shown
}
