//! Explains TOML syntax errors by their likely causes. The parser knows its grammar, but not what people meant. Knows
//! only lines and letters.

use std::ops::Range;

use crate::base::diagnostic::{Diagnostic, Span};

/// The mistake at `range` of `text`, which is source number `source`.
pub(in crate::rules) fn explain_toml_mistake(
    source: u32,
    text: &str,
    message: &str,
    range: Range<usize>,
) -> Diagnostic {
    let span = Span::new(source, range.start, range.end);
    if message.contains("duplicate key")
        && let Some(mistake) = explain_duplicate_key(source, text, &range)
    {
        return mistake;
    }
    let diagnostic = Diagnostic::error("toml", span, message.trim().to_lowercase());
    match advise_on_toml_place(text, range.start) {
        Some(advice) => diagnostic.help(advice),
        None => diagnostic,
    }
}

/// A duplicate section or key.
fn explain_duplicate_key(source: u32, text: &str, range: &Range<usize>) -> Option<Diagnostic> {
    let name = text.get(range.clone())?;
    let span = Span::new(source, range.start, range.end);
    let start = line_start(text, range.start);
    let header = text[start..].lines().next()?.trim();
    if !header.starts_with('[') {
        // The same key above, in the same section. Keys within brackets have no line of their own.
        let section = lines_with_starts(text).take_while(|(at, _)| *at < start);
        let section: Vec<(usize, &str)> = section.collect();
        let from = section.iter().rposition(|(_, line)| line.trim_start().starts_with('[')).map_or(0, |at| at + 1);
        let same = |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == name);
        let first = section[from..].iter().find(|(_, line)| same(line)).map(|(at, _)| *at);
        let message = format!("`{name}` is already defined");
        let diagnostic = Diagnostic::error("toml", span, message).help("keep one of them, or give it another name");
        return Some(match first {
            Some(at) => diagnostic.elsewhere(Span::new(source, at, at + name.len())),
            None => diagnostic,
        });
    }
    let inner = |line: &str| line.trim().trim_matches(|c| matches!(c, '[' | ']')).trim().to_owned();
    let is_list = |line: &str| line.trim().starts_with("[[");
    let is_header = |line: &str| line.trim().starts_with('[') && inner(line) == inner(header);
    let (at, first) = lines_with_starts(text).take_while(|(at, _)| *at < start).find(|(_, line)| is_header(line))?;
    let name = inner(header);
    let (message, help) = match (is_list(first), is_list(header)) {
        (one, other) if one != other => (
            format!("`{name}` appears both as [{name}] and as [[{name}]]"),
            "a section that may repeat has double brackets, even if there is only one".to_owned(),
        ),
        _ => (
            format!("the section [{name}] is already defined"),
            format!(
                "a section may appear once in a file: move these lines under the first [{name}], or into another file \
                 that is listed under `use`"
            ),
        ),
    };
    Some(Diagnostic::error("toml", span, message).elsewhere(Span::new(source, at, at + first.len())).help(help))
}

fn line_start(text: &str, at: usize) -> usize {
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1)
}

/// Every line and its start.
fn lines_with_starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split('\n').map(move |line| {
        let start = at;
        at += line.len() + 1;
        (start, line.trim_end_matches('\r'))
    })
}

/// The likely cause of a mistake at this byte.
fn advise_on_toml_place(text: &str, at: usize) -> Option<&'static str> {
    let start = line_start(text, at);
    let line = text[start..].lines().next()?;
    let (before, after) = (text.get(start..at)?, text.get(at..)?);
    if after.starts_with(['\u{201c}', '\u{201d}', '\u{2018}', '\u{2019}']) {
        return Some("these are curly quotes; write text in straight ones: \"B\"");
    }
    let digit = |c: char| c.is_ascii_digit();
    // At the first comma, or at the one after the number.
    let groups = before
        .rsplit_once(',')
        .filter(|(whole, group)| whole.ends_with(digit) && group.len() == 3 && group.chars().all(digit));
    let at_first = before.ends_with(digit) && after.strip_prefix(',').is_some_and(|rest| rest.starts_with(digit));
    let group = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
    let is_fraction = |rest: &str| (1..=2).contains(&group(rest));
    if before.ends_with(digit) && after.strip_prefix(',').is_some_and(is_fraction) {
        return Some("use a decimal point: 4.5");
    }
    let in_list = before.strip_suffix(',').is_some_and(|whole| whole.ends_with(digit)) && group(after) == 3;
    if at_first || groups.is_some() || in_list {
        return Some("write a number without commas: 60_000 or 60000");
    }
    let value = line.split_once('=').map(|(_, value)| value.trim())?;
    let bound = |sign: &str| before.trim_end().ends_with(['[', ',', '>', '<']) && after.starts_with(sign);
    if ["<", ">", "="].into_iter().any(bound) {
        return Some("put a cell that compares in quotes: \">= 400\"");
    }
    if value.starts_with('"') && value.matches('"').count() > 2 {
        return Some("write text within an expression in single quotes: desc = 'TRF'");
    }
    let bare = value.starts_with(|c: char| c.is_alphabetic() || c == '$' || c == '(');
    bare.then_some("put an expression in double quotes: total = \"SUM(credit)\"")
}
