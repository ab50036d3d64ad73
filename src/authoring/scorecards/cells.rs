//! Cells of rule files, as far as other programs have the like: ranges, lists of texts, true, false, unknown, all.

use super::model::{ScorecardCell, ScorecardKind, ScorecardRange};
use crate::base::rational::write_shortest_decimal;

/// Reads a cell of a rule file. `None` if a scorecard of another program cannot say it.
pub(super) fn read_rule_cell(text: &str, kind: ScorecardKind) -> Option<ScorecardCell> {
    let text = text.trim();
    match (text, kind) {
        ("-", _) => return Some(ScorecardCell::Other),
        ("unknown", _) => return Some(ScorecardCell::Unknown),
        ("not(unknown)", _) => return Some(ScorecardCell::Range(ScorecardRange::default())),
        ("true", ScorecardKind::Boolean) => return Some(ScorecardCell::Truth(true)),
        ("false", ScorecardKind::Boolean) => return Some(ScorecardCell::Truth(false)),
        _ => {}
    }
    match kind {
        ScorecardKind::Number => read_number_cell(text).map(ScorecardCell::Range),
        ScorecardKind::Text => read_text_list(text).map(ScorecardCell::Texts),
        ScorecardKind::Boolean => None,
    }
}

fn read_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let is_plain = text.chars().all(|sign| sign.is_ascii_digit() || "+-._".contains(sign));
    text.replace('_', "").parse().ok().filter(|_| is_plain)
}

fn read_number_cell(text: &str) -> Option<ScorecardRange> {
    let one_sided = [("<=", false, true), (">=", true, true), ("<", false, false), (">", true, false)];
    for (sign, is_low, belongs) in one_sided {
        if let Some(rest) = text.strip_prefix(sign) {
            let end = Some((read_number(rest)?, belongs));
            let range = ScorecardRange::default();
            return Some(if is_low {
                ScorecardRange { low: end, ..range }
            } else {
                ScorecardRange { high: end, ..range }
            });
        }
    }
    if let Some((low, high)) = text.split_once("..") {
        let (low, with_low) = match low.strip_prefix('[') {
            Some(low) => (low, true),
            None => low.strip_prefix('(').map_or((low, true), |low| (low, false)),
        };
        let (high, with_high) = match high.strip_suffix(']') {
            Some(high) => (high, true),
            None => (high.strip_suffix(')').unwrap_or(high), false),
        };
        let (low, high) = (read_number(low)?, read_number(high)?);
        return Some(ScorecardRange { low: Some((low, with_low)), high: Some((high, with_high)) });
    }
    let value = read_number(text.strip_prefix('=').unwrap_or(text))?;
    Some(ScorecardRange { low: Some((value, true)), high: Some((value, true)) })
}

/// Texts between commas, with or without quotes.
fn read_text_list(text: &str) -> Option<Vec<String>> {
    let text = text.strip_prefix('=').unwrap_or(text);
    let (mut texts, mut rest) = (Vec::new(), text.trim());
    loop {
        let (one, after) = match rest.strip_prefix('\'') {
            Some(quoted) => read_quoted_text(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                let one = rest[..end].trim();
                let is_sign = |sign: char| "<>=!()$'".contains(sign);
                (Some(one).filter(|one| !one.is_empty() && !one.contains(is_sign))?.to_owned(), &rest[end..])
            }
        };
        texts.push(one);
        rest = after.trim_start();
        if rest.is_empty() {
            return Some(texts);
        }
        rest = rest.strip_prefix(',')?.trim_start();
    }
}

/// A text up to its closing quote, where two quotes are one, and what follows.
fn read_quoted_text(quoted: &str) -> Option<(String, &str)> {
    let (mut text, mut rest) = (String::new(), quoted);
    loop {
        let end = rest.find('\'')?;
        text.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                text.push('\'');
                rest = after;
            }
            None => return Some((text, rest)),
        }
    }
}

/// A cell as rule files write it.
pub(super) fn write_rule_cell(cell: &ScorecardCell) -> String {
    let number = write_shortest_decimal;
    match cell {
        ScorecardCell::Range(ScorecardRange { low: None, high: None }) => "not(unknown)".to_owned(),
        ScorecardCell::Range(ScorecardRange { low: None, high: Some((high, belongs)) }) => {
            format!("{} {}", if *belongs { "<=" } else { "<" }, number(*high))
        }
        ScorecardCell::Range(ScorecardRange { low: Some((low, belongs)), high: None }) => {
            format!("{} {}", if *belongs { ">=" } else { ">" }, number(*low))
        }
        ScorecardCell::Range(ScorecardRange { low: Some((low, with_low)), high: Some((high, with_high)) }) => {
            let (from, to) = (number(*low), number(*high));
            match (with_low, with_high) {
                (true, true) if low == high => format!("= {from}"),
                (true, false) => format!("{from}..{to}"),
                _ => {
                    format!("{}{from}..{to}{}", if *with_low { '[' } else { '(' }, if *with_high { ']' } else { ')' })
                }
            }
        }
        ScorecardCell::Truth(truth) => truth.to_string(),
        ScorecardCell::Texts(texts) => {
            let quoted = texts.iter().map(|text| format!("'{}'", text.replace('\'', "''")));
            quoted.collect::<Vec<_>>().join(", ")
        }
        ScorecardCell::Unknown => "unknown".to_owned(),
        ScorecardCell::Other => "-".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_as_they_are_written() {
        let numbers = ["< 5", "<= 5", "> -1.5", ">= 300000", "0.1..15000", "[2..5]", "(2..5)", "(2..5]", "= 7"];
        for text in numbers.into_iter().chain(["not(unknown)", "unknown", "-"]) {
            let cell = read_rule_cell(text, ScorecardKind::Number).expect(text);
            assert_eq!(write_rule_cell(&cell), text);
        }
        for text in ["'it''s', 'a, b'", "'A'", "unknown"] {
            let cell = read_rule_cell(text, ScorecardKind::Text).expect(text);
            assert_eq!(write_rule_cell(&cell), text);
        }
        let plain = read_rule_cell("A, B C", ScorecardKind::Text);
        assert_eq!(plain, Some(ScorecardCell::Texts(["A", "B C"].map(String::from).to_vec())));
        assert_eq!(read_rule_cell("300_000", ScorecardKind::Number), read_rule_cell("= 300000", ScorecardKind::Number));
        for (text, kind) in [
            ("starts_with(A)", ScorecardKind::Text),
            ("!= A", ScorecardKind::Text),
            ("<= request.limit", ScorecardKind::Number),
            ("$least", ScorecardKind::Number),
            ("1, 2", ScorecardKind::Number),
            ("'open", ScorecardKind::Text),
            ("A", ScorecardKind::Boolean),
        ] {
            assert_eq!(read_rule_cell(text, kind), None, "{text}");
        }
    }
}
