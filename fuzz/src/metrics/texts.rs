//! Functions of texts, letter by letter. Knows no expression.

use super::evaluator::{Value, int_of, text_of};
use crate::exact;

/// A call of a function of texts.
pub(super) fn call(name: &str, values: &[Value]) -> Option<Value> {
    match name {
        "upper" => Some(Value::Text(text_of(values[0].clone()).chars().flat_map(char::to_uppercase).collect())),
        "trim" => {
            let text = text_of(values[0].clone());
            let letters: Vec<char> = text.chars().collect();
            let is_blank = |letter: &&char| letter.is_whitespace();
            let before = letters.iter().take_while(is_blank).count();
            let after = letters.iter().skip(before).rev().take_while(is_blank).count();
            Some(Value::Text(letters[before..letters.len() - after].iter().collect()))
        }
        "substring" => {
            let letters: Vec<char> = text_of(values[0].clone()).chars().collect();
            let (start, length) = (int_of(&values[1]), if values.len() > 2 { int_of(&values[2]) } else { i64::MAX });
            let is_there = start >= 1 && length >= 0;
            let within = |place: &usize| {
                let place = *place as i64 + 1;
                place >= start && i128::from(place) < i128::from(start) + i128::from(length)
            };
            let part = (0..letters.len()).filter(within).map(|place| letters[place]).collect();
            is_there.then_some(Value::Text(part))
        }
        "replace" => {
            let [text, from, to] = [0, 1, 2].map(|at| text_of(values[at].clone()));
            Some(Value::Text(replaced(&text, &from, &to)))
        }
        "starts_with" | "ends_with" | "contains" => {
            let [text, part] = [0, 1].map(|at| text_of(values[at].clone()).chars().collect::<Vec<char>>());
            let mut places = (0..=text.len()).filter(|at| text[*at..].iter().take(part.len()).eq(part.iter()));
            Some(Value::Truth(match name {
                "starts_with" => places.next() == Some(0),
                "ends_with" => places.any(|at| at + part.len() == text.len()),
                _ => places.next().is_some(),
            }))
        }
        "to_number" => number_in(&text_of(values[0].clone())).map(Value::Exact),
        other => panic!("no function {other}"),
    }
}

/// The list that rules ask: each text with its last day, in days since 1970-01-01.
const LISTED: [(&str, Option<i64>); 6] = [
    ("POS", None),
    ("ada obi", Some(19_768)),
    ("Salary June", Some(19_790)),
    ("verified", Some(19_850)),
    ("ECOLE", None),
    ("pos purchase", Some(19_800)),
];

/// The list as a file.
pub(super) fn list_file(day_text: impl Fn(i64) -> String) -> String {
    let rows = LISTED.iter().map(|(text, until)| format!("{text},{}\n", until.map(&day_text).unwrap_or_default()));
    format!("text,until\n{}", rows.collect::<String>())
}

/// Whether a text is on the list on a day. Without a day only texts with a last day are unknown.
pub(super) fn is_listed(text: &str, as_of: Option<i64>) -> Option<bool> {
    match LISTED.iter().find(|(listed, _)| *listed == text.trim()) {
        None => Some(false),
        Some((_, None)) => Some(true),
        Some((_, Some(until))) => as_of.map(|as_of| as_of <= *until),
    }
}

/// From left to right, one place after another.
fn replaced(text: &str, from: &str, to: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(letter) = rest.chars().next() {
        match rest.strip_prefix(from).filter(|_| !from.is_empty()) {
            Some(after) => {
                out.push_str(to);
                rest = after;
            }
            None => {
                out.push(letter);
                rest = &rest[letter.len_utf8()..];
            }
        }
    }
    out
}

/// A minus, digits, a point, digits.
fn number_in(text: &str) -> Option<exact::Exact> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut parts = digits.split('.');
    let is_whole = |part: &str| !part.is_empty() && part.chars().all(|letter| letter.is_ascii_digit());
    let fits = parts.clone().count() <= 2 && parts.all(is_whole) && digits.len() <= 40;
    fits.then(|| if digits == text { exact::decimal(digits) } else { -exact::decimal(digits) })
}
