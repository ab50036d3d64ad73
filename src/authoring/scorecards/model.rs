//! A scorecard, whatever it was read from.

/// A scorecard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scorecard {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The score without any points.
    pub base: f64,
    /// How many reasons a decision lists.
    pub reasons: usize,
    /// The items.
    pub items: Vec<ScorecardItem>,
    /// What was not carried over, and why.
    pub left_out: Vec<String>,
    /// What was carried over, and may still differ from the other program.
    pub warnings: Vec<String>,
}

/// An item: a metric, and points by its value.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorecardItem {
    /// The metric.
    pub metric: String,
    /// The reason code, if there is one.
    pub code: Option<String>,
    /// What its values are.
    pub kind: ScorecardKind,
    /// The rows; the first that matches counts.
    pub rows: Vec<ScorecardRow>,
}

/// What the values of an item are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScorecardKind {
    /// Numbers.
    Number,
    /// True or false.
    Boolean,
    /// Texts.
    Text,
}

/// A row of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ScorecardRow {
    /// What it matches.
    pub cell: ScorecardCell,
    /// Its points.
    pub points: f64,
}

/// What a row matches.
#[derive(Clone, Debug, PartialEq)]
pub enum ScorecardCell {
    /// Numbers in a range; without ends, every known value.
    Range(ScorecardRange),
    /// True, or false.
    Truth(bool),
    /// One of these texts.
    Texts(Vec<String>),
    /// An unknown value.
    Unknown,
    /// Every value that no earlier row matches, and an unknown one if a row matches these before.
    Other,
}

/// A range of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScorecardRange {
    /// The lower end, and whether it belongs to the range.
    pub low: Option<(f64, bool)>,
    /// The upper end, and whether it belongs to the range.
    pub high: Option<(f64, bool)>,
}

impl ScorecardRange {
    /// The values of both ranges.
    pub(super) fn narrowed_by(self, other: ScorecardRange) -> ScorecardRange {
        let low = |a: (f64, bool), b: (f64, bool)| match a.0.total_cmp(&b.0) {
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Equal => (a.0, a.1 && b.1),
        };
        let high = |a: (f64, bool), b: (f64, bool)| match a.0.total_cmp(&b.0) {
            std::cmp::Ordering::Less => a,
            std::cmp::Ordering::Greater => b,
            std::cmp::Ordering::Equal => (a.0, a.1 && b.1),
        };
        ScorecardRange {
            low: self.low.zip(other.low).map(|(a, b)| low(a, b)).or(self.low).or(other.low),
            high: self.high.zip(other.high).map(|(a, b)| high(a, b)).or(self.high).or(other.high),
        }
    }
}
