//! A policy typed letter by letter, through every half-written state: the server keeps answering, and knows the text in
//! the end.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, position_of};

use crate::fixtures::campaign;

const POLICY: &str = include_str!("../../../../rules/starter.toml");

#[test]
fn a_policy_typed_letter_by_letter() {
    let mut client = Client::new();
    // Letters of two, three and four bytes are on the way.
    let policy = POLICY.replace("# What analysts turn", "# Était: ₦ 😀. What analysts turn");
    client.open_as("starter.toml", "");
    let mut typed = String::new();
    let questions =
        ["hover", "completion", "definition", "documentSymbol", "references", "prepareRename", "formatting"];
    for (count, letter) in policy.chars().enumerate() {
        let at = position_of(&typed, typed.len());
        typed.push(letter);
        client.change("starter.toml", json!({"range": {"start": at, "end": at}, "text": letter.to_string()}));
        if count % 5 == 0 && (count / 5) % campaign::size(24, 1) == 0 {
            let question = questions[(count / 5) % questions.len()];
            let back = typed.char_indices().nth_back((count * 7) % 60).map_or(0, |(at, _)| at);
            let params = json!({"textDocument": {"uri": client.uri("starter.toml")},
                "position": position_of(&typed, back),
                "context": {"includeDeclaration": true}, "options": {"tabSize": 2, "insertSpaces": true}});
            // An answer or a reason for none, never silence.
            let _ = client.try_ask(&format!("textDocument/{question}"), params);
        }
    }
    let version = client.replace("starter.toml", &typed);
    assert_eq!(client.mistakes_of("starter.toml", version), json!([]));
    // Deleted again from the front, line by line.
    while let Some(end) = typed.find('\n') {
        typed.replace_range(..=end, "");
        let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}});
        client.change("starter.toml", json!({"range": range, "text": ""}));
    }
    let params =
        json!({"textDocument": {"uri": client.uri("starter.toml")}, "options": {"tabSize": 2, "insertSpaces": true}});
    assert_eq!(typed, "");
    assert_eq!(client.ask("textDocument/formatting", params), json!([]));
    assert_eq!(client.goodbye(), 0);
}

/// A policy of two thousand lines.
pub(super) fn long_policy() -> String {
    let mut text = POLICY.to_owned();
    text += "\n[metric.m0]\nis = \"full_months + 1\"\n";
    for number in 1..900 {
        text +=
            &format!("\n[metric.m{number}]\nis = \"m{} + COUNT(*) FILTER (WHERE credit > {number})\"\n", number / 2);
    }
    let lines = text.lines().count();
    let comments = "# A line that says something.\n".repeat(2_000usize.saturating_sub(lines));
    text + &comments
}

/// Measured in the tests' build, which is slower than the program: it shows an order of magnitude, and that no letter
/// costs seconds.
#[test]
fn mistakes_of_a_long_policy_are_told_soon() {
    let mut client = Client::new();
    let text = long_policy();
    assert!(text.lines().count() >= 2_000);
    client.open_as("long.toml", &text);
    assert_eq!(client.mistakes("long.toml")["diagnostics"], json!([]));
    let mut times: Vec<Duration> = Vec::new();
    for round in 0..9 {
        let changed = text.replace("full_months + 1", &format!("full_monhts + {round}"));
        let start = Instant::now();
        let version = client.replace("long.toml", &changed);
        let told = client.mistakes_of("long.toml", version);
        times.push(start.elapsed());
        assert_eq!(told[0]["code"], Value::from("unknown-name"));
    }
    times.sort();
    println!("from a change to its mistakes, 2,000 lines: {:?} in the median", times[4]);
    assert!(times[4] < Duration::from_secs(2), "{times:?}");
    assert_eq!(client.goodbye(), 0);
}
