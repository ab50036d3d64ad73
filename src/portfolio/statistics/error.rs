//! Why a statistic refuses its input: one error type, whose messages name the argument, the row and the remedy.

/// Input that no statistic can be made of. Data that merely say too little give `None` instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatisticsError {
    /// Two lists that must have one entry per row differ in length.
    #[error("`{left}` has {left_len} entries and `{right}` has {right_len}; give both one entry per row")]
    Lengths {
        /// The first list.
        left: &'static str,
        /// Its length.
        left_len: usize,
        /// The second list.
        right: &'static str,
        /// Its length.
        right_len: usize,
    },
    /// A value is NaN.
    #[error("`{what}` of row {row} is not a number; drop the row or pass it as unknown")]
    NotANumber {
        /// The argument.
        what: &'static str,
        /// The row, from 0.
        row: usize,
    },
    /// A value of a row is outside the range that has a meaning.
    #[error("`{what}` of row {row} is {value}; it must be within {range}")]
    RowOutOfRange {
        /// The argument.
        what: &'static str,
        /// The row, from 0.
        row: usize,
        /// The value, as text.
        value: String,
        /// The range, for people.
        range: &'static str,
    },
    /// A setting is outside the range that has a meaning.
    #[error("`{what}` is {value}; it must be within {range}")]
    OutOfRange {
        /// The setting.
        what: &'static str,
        /// The value, as text.
        value: String,
        /// The range, for people.
        range: &'static str,
    },
    /// A part is larger than its whole.
    #[error("{hits} hits of {n} trials: hits must not exceed trials")]
    MoreHitsThanTrials {
        /// The part.
        hits: u64,
        /// The whole.
        n: u64,
    },
    /// A group is listed twice.
    #[error("group `{0}` is listed twice; add its counts first")]
    DuplicateGroup(String),
    /// The named reference group is not among the groups.
    #[error("reference group `{0}` is not among the groups; name one of them")]
    UnknownReference(String),
}

impl StatisticsError {
    /// Refuses lists of different lengths.
    pub(crate) fn same_length(
        (left, left_len): (&'static str, usize),
        (right, right_len): (&'static str, usize),
    ) -> Result<(), StatisticsError> {
        if left_len == right_len {
            return Ok(());
        }
        Err(StatisticsError::Lengths { left, left_len, right, right_len })
    }

    /// Refuses a setting outside `least..=most`; NaN is outside.
    pub(crate) fn within(
        what: &'static str,
        value: f64,
        (least, most): (f64, f64),
        range: &'static str,
    ) -> Result<(), StatisticsError> {
        if (least..=most).contains(&value) {
            return Ok(());
        }
        Err(StatisticsError::OutOfRange { what, value: value.to_string(), range })
    }

    /// Refuses a count of bands, bins or points below `least`.
    pub(crate) fn at_least(
        what: &'static str,
        value: usize,
        least: usize,
        range: &'static str,
    ) -> Result<(), StatisticsError> {
        if value >= least {
            return Ok(());
        }
        Err(StatisticsError::OutOfRange { what, value: value.to_string(), range })
    }
}
