//! Inputs out of inputs: cut, doubled, spliced, and with words of the language in the place of others. Knows no target.

use lendwright::rules::{AGGREGATES, FUNCTIONS};

use crate::random::Source;

/// No input grows beyond this: larger ones have their own tests.
const BYTES_MAX: usize = 16 << 10;

/// Words and signs of the rule language, of TOML and of JSON.
const WORDS: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "IS NULL",
    "IS NOT NULL",
    "BETWEEN",
    "IN (",
    "LIKE",
    "ILIKE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "FILTER (WHERE",
    "DISTINCT",
    "DATE '2026-02-29'",
    "TRUE",
    "FALSE",
    "NULL",
    "credit",
    "debit",
    "balance",
    "trans_date",
    "as_of",
    "score",
    "request.amount",
    "request.until",
    "income",
    "records",
    "steady",
    "$p",
    "$",
    "*",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "'''",
    "\"\"\"",
    ",",
    "=",
    "<",
    "<=",
    ">",
    ">=",
    "<>",
    "!=",
    "..",
    "...",
    "-",
    "not(",
    "unknown",
    "%",
    "0",
    "-1",
    "1e308",
    "1e-400",
    "9223372036854775807",
    "-9223372036854775808",
    "9223372036854775808",
    "0.1",
    "99999999999999999999.99",
    "NaN",
    "2026-02-30",
    "2200-12-31",
    "1900-01-01",
    "0001-01-01",
    "[[require]]",
    "[score]",
    "[[score.item]]",
    "[table.t]",
    "[[offer]]",
    "[metric]",
    "[month]",
    "[transaction]",
    "[parameters]",
    "[words]",
    "[request]",
    "[exposure]",
    "[ask]",
    "[policy]",
    "hit",
    "first",
    "unique",
    "any",
    "priority",
    "collect",
    "collect_sum",
    "rule_order",
    "output_order",
    "otherwise",
    "inputs",
    "outputs",
    "rows",
    "values",
    "points",
    "on",
    "base",
    "weight",
    "scale",
    "id",
    "when",
    "all",
    "at_least",
    "of",
    "else",
    "reason",
    "tenure",
    "amount",
    "interest",
    "cap",
    "step",
    "floor",
    "use",
    "unit",
    "money",
    "count",
    "days",
    "number",
    "ratio",
    "date",
    "text",
    "boolean",
    "\n",
    "\r\n",
    "\t",
    "#",
    "\u{0}",
    "\u{202e}",
    "é",
    "₦",
    "\u{1f600}",
    "null",
    "true",
    "{\"",
    "\":",
    "\\u0000",
    "\\ud800",
    "id\":\"1\"",
    "2026-01-31T25:00:00Z",
    "31-02-2026",
    "1,000.00",
    "-0",
    "1e400",
];

/// A mutation of `seed` in a few steps; `other` is material to splice in.
pub fn mutated(seed: &[u8], other: &[u8], source: &mut Source) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..1 + source.below(4) {
        step(&mut bytes, other, source);
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

fn step(bytes: &mut Vec<u8>, other: &[u8], source: &mut Source) {
    let from = source.below(bytes.len() + 1);
    let to = (from + source.below(12)).min(bytes.len());
    match source.below(11) {
        0 => drop(bytes.drain(from..to)),
        1 => {
            let part = bytes[from..to].to_vec();
            let times = source.one(&[1, 1, 2, 8, 300]);
            bytes.splice(from..from, part.repeat(times));
        }
        2 => {
            let start = source.below(other.len() + 1);
            let end = (start + source.below(80)).min(other.len());
            bytes.splice(from..to, other[start..end].iter().copied());
        }
        3 => {
            let byte = source.draw() as u8;
            bytes.splice(from..to.min(from + 1), [byte]);
        }
        4 => {
            // A line is dropped or doubled.
            let (start, end) = line(bytes, from);
            let part = bytes[start..end].to_vec();
            let again = source.below(2) == 0;
            bytes.splice(start..end, if again { part.repeat(2) } else { Vec::new() });
        }
        5 => bytes.truncate(from),
        6 => {
            bytes.splice(from..from, word(source).bytes());
        }
        _ => {
            let (start, end) = token(bytes, from);
            bytes.splice(start..end, word(source).bytes());
        }
    }
}

fn word(source: &mut Source) -> String {
    match source.below(4) {
        0 => format!("{}(", source.one(FUNCTIONS)),
        1 => format!("{}(", source.one(AGGREGATES).to_uppercase()),
        _ => source.one(WORDS).to_owned(),
    }
}

fn line(bytes: &[u8], at: usize) -> (usize, usize) {
    let start = bytes[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let end = bytes[at..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |newline| at + newline + 1);
    (start, end)
}

/// The word or number at a byte, or the byte alone.
fn token(bytes: &[u8], at: usize) -> (usize, usize) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'.';
    let start = bytes[..at].iter().rposition(|byte| !is_word(byte)).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(|byte| !is_word(byte)).map_or(bytes.len(), |after| at + after);
    if start == end { (at, (at + 1).min(bytes.len())) } else { (start, end) }
}
