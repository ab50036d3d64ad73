//! What a document is made of, whatever it is rendered as.

use crate::report::portfolio::numbers::format_percent;

/// A section.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub title: &'static str,
    /// What guidelines on models call it.
    pub topic: &'static str,
    pub parts: Vec<Part>,
}

/// A part of a section.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Paragraph(String),
    List(Vec<String>),
    Heading(String),
    Table(DocumentTable),
    Curve(ReliabilityCurve),
    Line(SharePicture),
}

/// A table. The last column is a bar if there are `bars`, from -1 to 1.
#[derive(Clone, Debug, Default)]
pub(super) struct DocumentTable {
    /// The titles; those of columns of numbers begin with `>`.
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub bars: Vec<f64>,
}

/// A line of shares over shares, both from 0 to 1, with the line of chance.
#[derive(Clone, Debug)]
pub(super) struct SharePicture {
    pub title: &'static str,
    pub along: &'static str,
    pub up: &'static str,
    pub points: Vec<[f64; 2]>,
    /// Where its numbers are, for formats without pictures.
    pub elsewhere: &'static str,
}

/// What was said and what came, by tenth: chances from 0 to 1.
#[derive(Clone, Debug)]
pub(super) struct ReliabilityCurve {
    pub points: Vec<ReliabilityPoint>,
}

/// A point with its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReliabilityPoint {
    pub said: f64,
    pub came: f64,
    pub low: f64,
    pub high: f64,
}

pub(super) fn table(head: &[&str], rows: Vec<Vec<String>>) -> Part {
    Part::Table(DocumentTable { head: head.iter().map(|title| (*title).to_owned()).collect(), rows, bars: Vec::new() })
}

/// A table with a bar for each row.
pub(super) fn table_with_bars(head: &[&str], rows: Vec<Vec<String>>, bars: Vec<f64>) -> Part {
    Part::Table(DocumentTable { head: head.iter().map(|title| (*title).to_owned()).collect(), rows, bars })
}

/// A number of things: `1 item`, `2 items`.
pub(super) fn count_words(count: u64, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// A share of counts in percent.
pub(super) fn percent_of(part: u64, all: u64) -> String {
    if all == 0 { "-".to_owned() } else { format_percent(part as f64 / all as f64) }
}
