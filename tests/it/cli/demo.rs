//! `demo` says the same every time, but for the port and the ids of offers.

use super::Desk;

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
    // The loan's id is made from chance.
    insta::assert_snapshot!(masked(&steady(&said.out), "loan LN-", "ID", |letter| letter.is_ascii_hexdigit()));
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
