//! What is learned from: outcomes, and metrics as columns. Knows nothing of rules or of files.

use std::collections::HashSet;

use serde::Serialize;

use super::counting::Count;
use super::mistake::LearnError;

/// Which part of a statement a metric cannot do without. It is only carried through, so that a proposal says what it
/// uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// Credits are enough.
    Credits,
    /// It needs debits.
    Debits,
    /// It needs balances.
    Balances,
    /// It needs what a lender gives or a request says, and no debits or balances.
    Given,
}

impl Needs {
    /// In words, for reports.
    pub fn words(self) -> &'static str {
        match self {
            Needs::Credits => "credits alone",
            Needs::Debits => "needs debits",
            Needs::Balances => "needs balances",
            Needs::Given => "needs what is given",
        }
    }
}

/// The values of a metric, one for each row. `None` is unknown.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers, as rule files write them: money in major units. A value that is not finite counts as unknown.
    Number(Vec<Option<f64>>),
    /// True or false.
    Boolean(Vec<Option<bool>>),
    /// Texts as codes: places in `words`. A code without a word counts as unknown.
    Text {
        /// The code of each row.
        codes: Vec<Option<u32>>,
        /// What each code stands for.
        words: Vec<String>,
    },
}

impl Values {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Values::Number(values) => values.len(),
            Values::Boolean(values) => values.len(),
            Values::Text { codes, .. } => codes.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The finite number of a row.
    pub(super) fn number(&self, row: u32) -> Option<f64> {
        match self {
            Values::Number(values) => values.get(row as usize).copied().flatten().filter(|value| value.is_finite()),
            _ => None,
        }
    }

    /// The category of a row: 0 and 1 for false and true, the code of a text.
    pub(super) fn code(&self, row: u32) -> Option<u32> {
        match self {
            Values::Number(_) => None,
            Values::Boolean(values) => values.get(row as usize).copied().flatten().map(u32::from),
            Values::Text { codes, words } => {
                codes.get(row as usize).copied().flatten().filter(|code| (*code as usize) < words.len())
            }
        }
    }

    /// Whether the value of a row is known.
    pub(super) fn is_known(&self, row: u32) -> bool {
        self.number(row).is_some() || self.code(row).is_some()
    }
}

/// A metric of all rows.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricColumn {
    /// Its name in the rule file.
    pub name: String,
    /// Its unit in a word, only shown: `money`, `ratio`, `count`.
    pub unit: String,
    /// What it looks at.
    pub needs: Needs,
    /// Its values, as many as there are outcomes.
    pub values: Values,
}

/// Who is learned from: one row for each decision with a known outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Whether it went bad.
    pub bad: Vec<bool>,
    /// The month of the loan or the decision: 12 times the year, plus the month from 0 to 11. For stability over time.
    pub month: Option<Vec<Option<i32>>>,
    /// A hash of the customer. Rows of one customer are never in two folds; the order of rows does not matter as long
    /// as keys differ. Empty: each row is a customer of its own, by its place.
    pub key: Vec<u64>,
    /// Rows that nothing is learned from: the proposal is tested on them. Empty: there are none.
    pub later: Vec<bool>,
    /// What the score in force gives each row, to be compared with the proposal. Empty: there is none.
    pub present: Vec<Option<f64>>,
    /// What each row weighs, 1 on average: [`Sample::weigh_rows`] sees to that. Empty: every row weighs 1.
    pub weights: Vec<f64>,
}

impl Sample {
    /// Gives rows weights, such as one over the chance that a row of its kind is in the sample. They are divided by
    /// their mean, so that only their proportions count.
    ///
    /// # Errors
    /// If a weight is not a finite number above 0.
    pub fn weigh_rows(&mut self, weights: Vec<f64>) -> Result<(), LearnError> {
        if weights.len() != self.bad.len() {
            return Err(LearnError::Length { what: "the weights".into(), found: weights.len(), rows: self.bad.len() });
        }
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
            return Err(LearnError::Weight { row: row + 1 });
        }
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        self.weights = weights.into_iter().map(|weight| weight / mean).collect();
        Ok(())
    }

    /// Whether rows have weights.
    pub fn is_weighted(&self) -> bool {
        !self.weights.is_empty()
    }

    /// What a row weighs; the mean over all rows is 1.
    pub fn weight(&self, row: u32) -> f64 {
        self.weights.get(row as usize).copied().unwrap_or(1.0)
    }

    /// What some rows weigh; empty if every row weighs 1.
    pub(super) fn weights_of(&self, rows: &[u32]) -> Vec<f64> {
        if self.is_weighted() { rows.iter().map(|row| self.weight(*row)).collect() } else { Vec::new() }
    }

    /// The customer of each of some rows, as a number; empty if no customer has two of them.
    pub(super) fn customers_of(&self, rows: &[u32]) -> Vec<u64> {
        let mut keys: Vec<u64> = rows.iter().map(|row| self.key(*row)).collect();
        keys.sort_unstable();
        match keys.windows(2).any(|pair| pair[0] == pair[1]) {
            true => rows.iter().map(|row| self.key(*row)).collect(),
            false => Vec::new(),
        }
    }

    /// How many customers some rows are of.
    pub(super) fn count_customers(&self, rows: &[u32]) -> u64 {
        rows.iter().map(|row| self.key(*row)).collect::<HashSet<u64>>().len() as u64
    }

    /// Rows counted by outcome.
    pub(super) fn count_rows(&self, rows: &[u32]) -> Count {
        let mut count = Count::default();
        rows.iter().for_each(|row| count.add(self.is_bad(*row), self.weight(*row)));
        count
    }

    /// The key of a row.
    pub(super) fn key(&self, row: u32) -> u64 {
        self.key.get(row as usize).copied().unwrap_or(u64::from(row))
    }

    /// Whether a row went bad.
    pub(super) fn is_bad(&self, row: u32) -> bool {
        self.bad.get(row as usize).copied().unwrap_or(false)
    }

    /// The month of a row.
    pub(super) fn month(&self, row: u32) -> Option<i32> {
        self.month.as_ref()?.get(row as usize).copied().flatten()
    }

    /// Whether a row is kept for the test.
    fn is_later(&self, row: u32) -> bool {
        self.later.get(row as usize).copied().unwrap_or(false)
    }

    /// What the score in force gives a row.
    pub(super) fn present(&self, row: u32) -> Option<f64> {
        self.present.get(row as usize).copied().flatten().filter(|score| score.is_finite())
    }

    /// The rows to learn from, in the order of their keys, so that sums do not depend on the order they came in.
    pub(super) fn rows(&self) -> Vec<u32> {
        self.rows_of_time(false)
    }

    /// The rows to learn from, or those for the test.
    pub(super) fn rows_of_time(&self, is_later: bool) -> Vec<u32> {
        let all = 0..u32::try_from(self.bad.len()).unwrap_or(u32::MAX);
        let mut rows: Vec<u32> = all.filter(|row| self.is_later(*row) == is_later).collect();
        rows.sort_by_key(|row| (self.key(*row), self.month(*row), self.is_bad(*row), *row));
        rows
    }

    /// # Errors
    /// If nothing can be learned: no rows, one outcome only, or columns of another length.
    pub(super) fn check(&self, columns: &[MetricColumn]) -> Result<(), LearnError> {
        let rows = self.bad.len();
        if rows == 0 || u32::try_from(rows).is_err() {
            return Err(LearnError::Rows(rows));
        }
        let differs = |what: &str, found: usize| LearnError::Length { what: what.into(), found, rows };
        if !self.key.is_empty() && self.key.len() != rows {
            return Err(differs("the keys", self.key.len()));
        }
        if let Some(month) = self.month.as_ref().filter(|month| month.len() != rows) {
            return Err(differs("the months", month.len()));
        }
        if let Some(column) = columns.iter().find(|column| column.values.len() != rows) {
            return Err(differs(&column.name, column.values.len()));
        }
        if !self.later.is_empty() && self.later.len() != rows {
            return Err(differs("the rows of the test", self.later.len()));
        }
        if !self.present.is_empty() && self.present.len() != rows {
            return Err(differs("the present scores", self.present.len()));
        }
        if !self.weights.is_empty() && self.weights.len() != rows {
            return Err(differs("the weights", self.weights.len()));
        }
        let learned = self.rows();
        match learned.iter().filter(|row| self.is_bad(**row)).count() {
            bads if bads == 0 || bads == learned.len() => Err(LearnError::OneOutcome { rows: learned.len(), bads }),
            _ => Ok(()),
        }
    }
}
