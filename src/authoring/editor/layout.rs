//! Lays out a TOML text: line breaks and alignment. The text must be well-formed. Changes no value, key or comment.

use std::collections::HashSet;

use toml_parser::parser::{Event, EventKind};

/// Indentation within brackets.
const INDENT: &str = "  ";

/// Returns the text with a new layout.
pub(super) fn lay_out(text: &str, events: &[Event]) -> String {
    let mut reader = EventReader { text, events, at: 0 };
    let lines = reader.lines();
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    if text.starts_with('\u{feff}') {
        out.push('\u{feff}');
    }
    let columns = comment_columns(&lines);
    let blanks = blank_lines(&lines);
    for ((line, column), blank) in lines.iter().zip(columns).zip(blanks) {
        if blank {
            out.push_str(newline);
        }
        let mut shown = match &line.kind {
            LineKind::Comment => String::new(),
            LineKind::Header(path, is_array) if *is_array => format!("[[{}]]", path.join(".")),
            LineKind::Header(path, _) => format!("[{}]", path.join(".")),
            LineKind::Entry(key, value) => format!("{key} = {}", value.shown(0, newline)),
        };
        if let Some(comment) = line.comment {
            let padding = column.saturating_sub(width(&shown));
            shown.extend(std::iter::repeat_n(' ', padding));
            shown.push_str(comment);
        }
        out.push_str(&shown);
        out.push_str(newline);
    }
    out
}

/// A line of the document, or an entry that takes several.
struct LayoutLine<'a> {
    kind: LineKind<'a>,
    comment: Option<&'a str>,
    /// A blank line came before it.
    apart: bool,
}

enum LineKind<'a> {
    Comment,
    /// Its path, and whether it is one of several.
    Header(Vec<&'a str>, bool),
    Entry(String, LayoutNode<'a>),
}

enum LayoutNode<'a> {
    Scalar(&'a str),
    Group(Group<'a>),
}

/// An array or an inline table.
struct Group<'a> {
    brackets: (&'static str, &'static str),
    parts: Vec<BracketPart<'a>>,
}

enum BracketPart<'a> {
    /// With its key, in an inline table.
    Value(Option<String>, LayoutNode<'a>),
    Comment(&'a str),
    Newline,
}

struct EventReader<'a, 'e> {
    text: &'a str,
    events: &'e [Event],
    at: usize,
}

impl<'a> EventReader<'a, '_> {
    /// The next event that is not white space.
    fn next(&mut self) -> Option<(EventKind, &'a str)> {
        loop {
            let event = self.events.get(self.at)?;
            self.at += 1;
            if event.kind() != EventKind::Whitespace {
                let shown = self.text.get(event.span().start()..event.span().end()).unwrap_or("");
                return Some((event.kind(), shown));
            }
        }
    }

    fn lines(&mut self) -> Vec<LayoutLine<'a>> {
        let mut lines: Vec<LayoutLine<'a>> = Vec::new();
        let (mut fresh, mut apart) = (true, false);
        while let Some((kind, shown)) = self.next() {
            let kind = match kind {
                EventKind::Newline => {
                    apart |= fresh;
                    fresh = true;
                    continue;
                }
                EventKind::Comment if !fresh => {
                    if let Some(line) = lines.last_mut() {
                        line.comment = Some(shown.trim_end());
                    }
                    continue;
                }
                EventKind::Comment => {
                    lines.push(LayoutLine { kind: LineKind::Comment, comment: Some(shown.trim_end()), apart });
                    (fresh, apart) = (false, false);
                    continue;
                }
                EventKind::StdTableOpen => LineKind::Header(self.path(), false),
                EventKind::ArrayTableOpen => LineKind::Header(self.path(), true),
                EventKind::SimpleKey => {
                    let key = self.key(shown);
                    let value = self.value();
                    LineKind::Entry(key, value)
                }
                _ => continue,
            };
            lines.push(LayoutLine { kind, comment: None, apart });
            (fresh, apart) = (false, false);
        }
        lines
    }

    fn path(&mut self) -> Vec<&'a str> {
        let mut path = Vec::new();
        while let Some((kind, shown)) = self.next() {
            match kind {
                EventKind::SimpleKey => path.push(shown),
                EventKind::KeySep => {}
                _ => break,
            }
        }
        path
    }

    /// A key from its first part to the `=`.
    fn key(&mut self, first: &'a str) -> String {
        let mut key = first.to_owned();
        while let Some((kind, shown)) = self.next() {
            match kind {
                EventKind::SimpleKey => {
                    key.push('.');
                    key.push_str(shown);
                }
                EventKind::KeySep => {}
                _ => break,
            }
        }
        key
    }

    fn value(&mut self) -> LayoutNode<'a> {
        match self.next() {
            Some((EventKind::ArrayOpen, _)) => LayoutNode::Group(self.group(("[", "]"))),
            Some((EventKind::InlineTableOpen, _)) => LayoutNode::Group(self.group(("{", "}"))),
            Some((_, shown)) => LayoutNode::Scalar(shown),
            None => LayoutNode::Scalar(""),
        }
    }

    fn group(&mut self, brackets: (&'static str, &'static str)) -> Group<'a> {
        let mut parts = Vec::new();
        while let Some((kind, shown)) = self.next() {
            parts.push(match kind {
                EventKind::ArrayClose | EventKind::InlineTableClose => break,
                EventKind::Newline => BracketPart::Newline,
                EventKind::Comment => BracketPart::Comment(shown.trim_end()),
                EventKind::ArrayOpen => BracketPart::Value(None, LayoutNode::Group(self.group(("[", "]")))),
                EventKind::InlineTableOpen => BracketPart::Value(None, LayoutNode::Group(self.group(("{", "}")))),
                EventKind::Scalar => BracketPart::Value(None, LayoutNode::Scalar(shown)),
                EventKind::SimpleKey => {
                    let key = self.key(shown);
                    BracketPart::Value(Some(key), self.value())
                }
                _ => continue,
            });
        }
        Group { brackets, parts }
    }
}

impl LayoutNode<'_> {
    fn shown(&self, depth: usize, newline: &str) -> String {
        match self {
            LayoutNode::Scalar(shown) => (*shown).to_owned(),
            LayoutNode::Group(group) if group.is_broken() => group.over_lines(depth, newline),
            LayoutNode::Group(group) => group.on_a_line(depth, newline),
        }
    }

    /// Whether it is a number, which is aligned right.
    fn is_number(&self) -> bool {
        let LayoutNode::Scalar(shown) = self else { return false };
        shown.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') && !shown.contains(':')
    }

    /// The cells of a table's row, if this is a list of values that fit on one line.
    fn as_row(&self) -> Option<Vec<&LayoutNode<'_>>> {
        let LayoutNode::Group(Group { brackets: ("[", _), parts }) = self else { return None };
        let cells = parts.iter().filter(|part| !matches!(part, BracketPart::Newline)).map(|part| match part {
            BracketPart::Value(None, node @ LayoutNode::Scalar(shown)) if !shown.contains('\n') => Some(node),
            BracketPart::Value(None, node @ LayoutNode::Group(group)) if !group.is_long() => Some(node),
            _ => None,
        });
        cells.collect()
    }
}

/// A line within brackets.
#[derive(Default)]
struct BracketLine {
    shown: String,
    comment: Option<String>,
    apart: bool,
}

impl Group<'_> {
    /// Whether something in it needs several lines, or was written on several.
    fn is_long(&self) -> bool {
        self.parts.iter().any(|part| match part {
            BracketPart::Newline | BracketPart::Comment(_) => true,
            BracketPart::Value(_, LayoutNode::Group(group)) => group.is_long(),
            BracketPart::Value(_, LayoutNode::Scalar(_)) => false,
        })
    }

    /// Whether its own parts are on several lines. Inline tables may be so only since TOML 1.1. So one that is on one
    /// line stays there, even if an array in it is broken.
    fn is_broken(&self) -> bool {
        match self.brackets.0 {
            "{" => self.parts.iter().any(|part| matches!(part, BracketPart::Newline | BracketPart::Comment(_))),
            _ => self.is_long(),
        }
    }

    fn on_a_line(&self, depth: usize, newline: &str) -> String {
        let values: Vec<String> = self.parts.iter().filter_map(|part| part.shown(depth, newline)).collect();
        match (values.is_empty(), self.brackets) {
            (true, (open, close)) => format!("{open}{close}"),
            (false, ("{", close)) => format!("{{ {} {close}", values.join(", ")),
            (false, (open, close)) => format!("{open}{}{close}", values.join(", ")),
        }
    }

    fn over_lines(&self, depth: usize, newline: &str) -> String {
        let (open, close) = self.brackets;
        let inner = self.inner(depth + 1, newline);
        let widest = inner.iter().filter(|line| line.comment.is_some()).map(|line| width(&line.shown)).max();
        let mut out = format!("{open}{newline}");
        for (index, line) in inner.iter().enumerate() {
            if line.apart && index > 0 {
                out.push_str(newline);
            }
            out.push_str(&INDENT.repeat(depth + 1));
            out.push_str(&line.shown);
            if let Some(comment) = &line.comment {
                let padding = match line.shown.is_empty() {
                    true => 0,
                    false => (widest.unwrap_or(0) + 2).saturating_sub(width(&line.shown)),
                };
                out.extend(std::iter::repeat_n(' ', padding));
                out.push_str(comment);
            }
            out.push_str(newline);
        }
        out.push_str(&INDENT.repeat(depth));
        out.push_str(close);
        out
    }

    /// Its lines. Rows of a table get one line each with aligned cells; anything else is broken where it was.
    fn inner(&self, depth: usize, newline: &str) -> Vec<BracketLine> {
        let widths = self.cell_widths(depth, newline);
        let mut lines: Vec<BracketLine> = Vec::new();
        let (mut fresh, mut apart) = (true, false);
        for part in &self.parts {
            match part {
                BracketPart::Newline => {
                    apart |= fresh && !lines.is_empty();
                    fresh = true;
                }
                BracketPart::Comment(comment) => {
                    if fresh || lines.is_empty() {
                        lines.push(BracketLine { apart, ..BracketLine::default() });
                    }
                    if let Some(line) = lines.last_mut() {
                        line.comment = Some((*comment).to_owned());
                    }
                    (fresh, apart) = (false, false);
                }
                BracketPart::Value(_, node) => {
                    let shown = match (&widths, node.as_row()) {
                        (Some(widths), Some(cells)) => row(&cells, widths, depth, newline),
                        _ => part.shown(depth, newline).unwrap_or_default(),
                    };
                    match lines.last_mut().filter(|line| !fresh && widths.is_none() && line.comment.is_none()) {
                        Some(line) => line.shown += &format!(" {shown},"),
                        None => lines.push(BracketLine { shown: format!("{shown},"), comment: None, apart }),
                    }
                    (fresh, apart) = (false, false);
                }
            }
        }
        lines
    }

    /// The width of each column and whether it has only numbers, if this is a list of rows.
    fn cell_widths(&self, depth: usize, newline: &str) -> Option<Vec<(usize, bool)>> {
        let mut widths: Vec<(usize, bool)> = Vec::new();
        let mut rows = 0;
        for part in &self.parts {
            let BracketPart::Value(key, node) = part else { continue };
            // A list with a key is not a row.
            let (None, LayoutNode::Group(Group { brackets: ("[", _), .. })) = (key, node) else { return None };
            rows += 1;
            for (column, cell) in node.as_row().into_iter().flatten().enumerate() {
                let (wide, is_number) = (width(&cell.shown(depth, newline)), cell.is_number());
                match widths.get_mut(column) {
                    Some(known) => *known = (known.0.max(wide), known.1 && is_number),
                    None => widths.push((wide, is_number)),
                }
            }
        }
        (rows > 0).then_some(widths)
    }
}

impl BracketPart<'_> {
    fn shown(&self, depth: usize, newline: &str) -> Option<String> {
        match self {
            BracketPart::Value(Some(key), node) => Some(format!("{key} = {}", node.shown(depth, newline))),
            BracketPart::Value(None, node) => Some(node.shown(depth, newline)),
            BracketPart::Comment(_) | BracketPart::Newline => None,
        }
    }
}

/// A row, aligned with the others.
fn row(cells: &[&LayoutNode], widths: &[(usize, bool)], depth: usize, newline: &str) -> String {
    let mut out = String::from("[");
    for (column, (cell, (wide, is_number))) in cells.iter().zip(widths).enumerate() {
        let shown = cell.shown(depth, newline);
        let padding: String = std::iter::repeat_n(' ', wide - width(&shown).min(*wide)).collect();
        let last = column + 1 == cells.len();
        match (is_number, last) {
            (true, true) => out += &format!("{padding}{shown}"),
            (true, false) => out += &format!("{padding}{shown}, "),
            (false, true) => out += &shown,
            (false, false) => out += &format!("{shown}, {padding}"),
        }
    }
    out.push(']');
    out
}

fn width(text: &str) -> usize {
    text.rsplit('\n').next().unwrap_or(text).chars().count()
}

/// The column at which each line's comment begins, aligned with those of neighbouring entries.
fn comment_columns(lines: &[LayoutLine]) -> Vec<usize> {
    let mut columns = vec![0; lines.len()];
    let measure = |line: &LayoutLine| match (&line.kind, line.comment) {
        (LineKind::Entry(key, value), _) => {
            let shown = value.shown(0, "\n");
            Some((
                shown.contains('\n'),
                if shown.contains('\n') { width(&shown) } else { width(key) + 3 + width(&shown) },
            ))
        }
        (LineKind::Header(path, is_array), Some(_)) => {
            Some((true, width(&path.join(".")) + if *is_array { 4 } else { 2 }))
        }
        _ => None,
    };
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        if let Some((alone, wide)) = measure(&lines[start]) {
            let mut widest = if lines[start].comment.is_some() { wide } else { 0 };
            while !alone && end < lines.len() && !lines[end].apart {
                let Some((false, wide)) = measure(&lines[end]) else { break };
                if lines[end].comment.is_some() {
                    widest = widest.max(wide);
                }
                end += 1;
            }
            columns[start..end].fill(widest + 2);
        }
        start = end;
    }
    columns
}

/// Which lines get a blank line before them: each section, and each line that had one within a section or before a
/// part of one of several.
fn blank_lines(lines: &[LayoutLine]) -> Vec<bool> {
    let mut blanks: Vec<bool> = lines.iter().map(|line| line.apart).collect();
    // Sections such as `[[case]]`, whose parts, such as `[case.expect]`, may follow without a blank line.
    let mut sections: HashSet<&[&str]> = HashSet::new();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 && matches!(lines[index - 1].kind, LineKind::Header(..)) {
            blanks[index] = false;
        }
        let LineKind::Header(path, is_array) = &line.kind else { continue };
        // The comment right above a section belongs to it.
        let mut first = index;
        while first > 0 && !lines[first].apart && matches!(lines[first - 1].kind, LineKind::Comment) {
            first -= 1;
        }
        let within = (1..path.len()).any(|length| sections.contains(&path[..length]));
        blanks[first] = lines[first].apart || !within;
        if *is_array {
            sections.insert(path);
        }
    }
    if let Some(first) = blanks.first_mut() {
        *first = false;
    }
    blanks
}
