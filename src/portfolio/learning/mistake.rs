//! Why nothing was learned.

/// Why nothing was learned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LearnError {
    /// No rows, or more than can be counted.
    #[error("{0} rows: from 1 to 4,294,967,295 can be learned from")]
    Rows(usize),
    /// Two lists that belong together have different lengths.
    #[error("{what}: {found} values for {rows} rows")]
    Length {
        /// Which list.
        what: String,
        /// Its length.
        found: usize,
        /// The length it should have.
        rows: usize,
    },
    /// All rows are bad, or none.
    #[error("{bads} of {rows} rows are bad: both outcomes are needed")]
    OneOutcome {
        /// How many rows.
        rows: usize,
        /// How many of them are bad.
        bads: usize,
    },
    /// A setting is out of its range.
    #[error("the setting {name} is {value}: it must be {wanted}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range, in words.
        wanted: &'static str,
    },
    /// A declared order of texts does not fit.
    #[error("the order of `{metric}`: {what}")]
    Order {
        /// The metric.
        metric: String,
        /// What does not fit.
        what: String,
    },
    /// What was chosen for a metric does not fit it.
    #[error("the choices for `{metric}`: {what}")]
    Choice {
        /// The metric.
        metric: String,
        /// What does not fit, and what to do.
        what: String,
    },
    /// A weight is not a number above 0.
    #[error("row {row}: a weight must be a finite number above 0")]
    Weight {
        /// The row, from 1.
        row: usize,
    },
    /// The likelihood has no maximum: the columns tell the outcomes apart, or say the same twice.
    #[error("the regression has no single answer: columns separate the outcomes, or repeat each other; use a penalty")]
    NoAnswer,
    /// No metric was kept.
    #[error("none of {} metrics was kept{}", .0.len(), list_refusals(.0))]
    NothingKept(
        /// Each metric, and why.
        Vec<(String, String)>,
    ),
}

/// So many refusals stand in a message.
const MOST_LISTED: usize = 5;

fn list_refusals(refused: &[(String, String)]) -> String {
    let mut text: String = refused.iter().take(MOST_LISTED).map(|(name, why)| format!("; `{name}`: {why}")).collect();
    if let Some(more @ 1..) = refused.len().checked_sub(MOST_LISTED) {
        text += &format!("; and {more} more");
    }
    text
}
