//! `demo` says the same every time, but for the port.

use super::Desk;

#[test]
fn the_demo_shows_the_whole_path() {
    let desk = Desk::new();
    let said = desk.run(&["demo"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    insta::assert_snapshot!(without_port(&said.out));
}

#[test]
fn no_token_is_shown() {
    let said = Desk::new().run(&["demo", "--seed", "7"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.out.contains("Bearer [secret]") && !said.out.contains("sandbox-token"), "{}", said.out);
}

fn without_port(text: &str) -> String {
    let mut parts = text.split("http://127.0.0.1:");
    let mut shown = parts.next().unwrap().to_owned();
    for part in parts {
        shown.push_str("http://127.0.0.1:PORT");
        shown.push_str(part.trim_start_matches(|letter: char| letter.is_ascii_digit()));
    }
    shown
}
