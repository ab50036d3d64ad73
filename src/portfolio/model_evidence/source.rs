//! What a model document is made from: the policy, the data with their digests, and what was chosen by hand.

use serde::Serialize;

/// Which policy the metrics are of, which data were read, and what made the document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentSource {
    /// The policy's name.
    pub policy: String,
    /// Its version.
    pub version: String,
    /// Its digest.
    pub digest: String,
    /// What computed everything.
    pub engine: String,
    /// How many customers the portfolio has, with an outcome or without.
    pub customers: usize,
    /// What was read.
    pub inputs: Vec<DocumentInput>,
    /// The column of the outcomes that says what is bad.
    pub bad_column: String,
    /// The first and the last day on which a loan with an outcome was paid out. `None` if no day is known.
    pub loan_dates: Option<[String; 2]>,
    /// The first and the last day up to which such loans were observed. `None` if no day is known.
    pub observed_until: Option<[String; 2]>,
    /// The column of the outcomes with the weights of rows.
    pub weight_column: Option<String>,
    /// Loans after this day were kept for the test.
    pub test_after: Option<String>,
    /// Which metrics were chosen by hand.
    pub chosen: MetricsChosen,
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentInput {
    /// What it is: `portfolio`, `outcomes`, `attributes`.
    pub role: String,
    /// Its name, as on the command line.
    pub name: String,
    /// The digest of its content; empty if it has none, as a folder of statements.
    pub digest: String,
}

/// Metrics that were named by hand.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MetricsChosen {
    /// Only these were looked at; all if it is empty.
    pub only: Vec<String>,
    /// These were not looked at.
    pub without: Vec<String>,
    /// These were kept though the screening refuses them.
    pub keep: Vec<String>,
    /// Whether only metrics that need neither debits nor balances were looked at.
    pub credits_alone: bool,
    /// How many metrics of the policy `only` and `without` left out.
    pub left_out: u64,
}

impl MetricsChosen {
    /// Whether anything was chosen.
    pub fn is_by_hand(&self) -> bool {
        self.credits_alone || [&self.only, &self.without, &self.keep].iter().any(|names| !names.is_empty())
    }
}
