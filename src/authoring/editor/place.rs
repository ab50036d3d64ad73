//! Where in a TOML text the cursor is: under which section and keys, and in what. Works in incomplete text too.
//! Knows no key of a rule file.

use std::ops::Range;

use toml_parser::parser::{Event, EventKind};

/// The place of a byte in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CursorPlace {
    /// The section's path, then the keys down to the value.
    pub path: Vec<String>,
    pub spot: Spot,
}

/// What is around the byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Spot {
    /// In a key, or where one may begin. The path ends before it.
    Key(Range<usize>),
    /// In a value, or where one may begin.
    Value(Range<usize>),
    /// In the brackets of a section.
    Header,
    Comment,
}

/// An open bracket.
enum OpenBracket {
    Array,
    /// An inline table, with the length of the path outside it.
    Inline(usize),
}

/// The place of byte `at`.
pub(super) fn find_cursor_place(text: &str, at: usize) -> CursorPlace {
    let events = super::format::parse_toml_events(text);
    let mut walk = BracketWalk { text, section: Vec::new(), keys: Vec::new(), open: Vec::new(), after_sign: false };
    let mut header: Option<Vec<String>> = None;
    for event in &events {
        let (start, end) = (event.span().start(), event.span().end());
        let kind = event.kind();
        if start >= at && !(start == at && matches!(kind, EventKind::Scalar | EventKind::SimpleKey)) {
            break;
        }
        if at <= end && kind == EventKind::Comment {
            return walk.at(Spot::Comment);
        }
        match kind {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => header = Some(Vec::new()),
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                if at < end {
                    return walk.at(Spot::Header);
                }
                walk.enter(header.take().unwrap_or_default());
            }
            EventKind::SimpleKey => match &mut header {
                Some(path) => path.push(bare(&text[start..end])),
                None if at <= end => return walk.at(Spot::Key(start..end)),
                None => walk.keys.push(bare(&text[start..end])),
            },
            EventKind::Scalar if at <= end => return walk.at(Spot::Value(start..end)),
            _ if header.is_none() => walk.step(event),
            EventKind::Newline => header = None,
            _ => {}
        }
    }
    if header.is_some() {
        return walk.at(Spot::Header);
    }
    let spot = if walk.after_sign || matches!(walk.open.last(), Some(OpenBracket::Array)) {
        Spot::Value(at..at)
    } else {
        Spot::Key(at..at)
    };
    walk.at(spot)
}

struct BracketWalk<'a> {
    text: &'a str,
    section: Vec<String>,
    keys: Vec<String>,
    open: Vec<OpenBracket>,
    /// A `=` comes directly before.
    after_sign: bool,
}

impl BracketWalk<'_> {
    fn at(mut self, spot: Spot) -> CursorPlace {
        self.section.append(&mut self.keys);
        CursorPlace { path: self.section, spot }
    }

    fn enter(&mut self, section: Vec<String>) {
        *self = BracketWalk { text: self.text, section, keys: Vec::new(), open: Vec::new(), after_sign: false };
    }

    /// The number of keys outside the innermost inline table.
    fn base(&self) -> usize {
        let outside = self.open.iter().rev().find_map(|open| match open {
            OpenBracket::Inline(length) => Some(*length),
            OpenBracket::Array => None,
        });
        outside.unwrap_or(0)
    }

    fn step(&mut self, event: &Event) {
        match event.kind() {
            EventKind::KeyValSep => self.after_sign = true,
            EventKind::ArrayOpen => {
                self.open.push(OpenBracket::Array);
                self.after_sign = false;
            }
            EventKind::InlineTableOpen => {
                self.open.push(OpenBracket::Inline(self.keys.len()));
                self.after_sign = false;
            }
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.open.pop();
                self.after_sign = false;
            }
            EventKind::Scalar => self.after_sign = false,
            EventKind::ValueSep if matches!(self.open.last(), Some(OpenBracket::Inline(_))) => {
                let base = self.base();
                self.keys.truncate(base);
                self.after_sign = false;
            }
            EventKind::Newline if self.open.is_empty() => {
                self.keys.clear();
                self.after_sign = false;
            }
            _ => {}
        }
    }
}

/// A key without its quotes.
fn bare(key: &str) -> String {
    key.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place of the `|` in a text.
    fn place_in(text: &str) -> (String, String) {
        let at = text.find('|').expect("a cursor");
        let text = text.replacen('|', "", 1);
        let place = find_cursor_place(&text, at);
        let spot = match place.spot {
            Spot::Key(range) => format!("key {}", &text[range]),
            Spot::Value(range) => format!("value {}", &text[range]),
            Spot::Header => "header".to_owned(),
            Spot::Comment => "comment".to_owned(),
        };
        (place.path.join("."), spot)
    }

    #[test]
    fn places_are_found_in_whole_and_in_half_written_texts() {
        let cases = [
            ("[metric]\na = \"SUM(|\"", "metric.a", "value \"SUM(\""),
            ("[metric]\na = \"SUM(|\nb = 3\n", "metric.a", "value \"SUM("),
            ("[metric]\na = |\nb = 3\n", "metric.a", "value "),
            ("[metric]\na = 1\nb|", "metric", "key b"),
            ("[metric]\na = 1\n|\nb = 1", "metric", "key "),
            ("[parameters]\na = { value = 3, u|", "parameters.a", "key u"),
            ("[parameters]\na = { value = 3, unit = \"m|", "parameters.a.unit", "value \"m"),
            ("[parameters]\na = { value = 3 }\n|", "parameters", "key "),
            ("[table.t]\nrows = [\n  [\"< 3\", \"|\"],\n]", "table.t.rows", "value \"\""),
            ("[table.t]\nrows = [\n  [\"< 3\"],\n]\nh|", "table.t", "key h"),
            ("[[require]]\nall = [\"a\", { when = \"x|\" }]", "require.all.when", "value \"x\""),
            ("[[require]]\nall = [\"a\", { when = \"x\", |", "require.all", "key "),
            ("# a |comment\n", "", "comment"),
            ("[met|ric]\n", "", "header"),
            ("a.b.c = \"|\"", "a.b.c", "value \"\""),
            ("|", "", "key "),
            ("[metric]\n|ab = 1", "metric", "key ab"),
        ];
        for (text, path, spot) in cases {
            assert_eq!(place_in(text), (path.to_owned(), spot.to_owned()), "{text}");
        }
    }
}
