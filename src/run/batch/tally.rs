//! The counts of a run: statements, outcomes, reasons, failures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::decision::Decision;

/// The number of failures in a summary; the table of failures has all.
const SHOWN_FAILURES: usize = 5;

/// The counts of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Tally {
    /// Sources that were read, including those that failed.
    pub sources: u64,
    /// Statements that were decided.
    pub statements: u64,
    /// Their records.
    pub records: u64,
    /// Statements by outcome.
    pub outcomes: BTreeMap<String, u64>,
    /// Statements by what their balances say: `verified`, `discrepancy`, `unverifiable`, `failed`.
    #[serde(default)]
    pub balance_verdicts: BTreeMap<String, u64>,
    /// Statements by reason; a statement may have several.
    pub reasons: BTreeMap<String, u64>,
    /// Statements, and sources, that could not be decided.
    pub failures: u64,
    /// Tables that cannot be read, so that it is unknown whose records are missing.
    pub unread_tables: u64,
    /// The first of the failures.
    pub first_failures: Vec<FailedStatement>,
    /// Tables that were read and passed over: those with the same content as another one, byte for byte, and those
    /// without rows.
    #[serde(default)]
    pub passed_over_tables: Vec<PassedOver>,
}

/// A file, folder or member of an archive that was passed over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PassedOver {
    /// Its name.
    pub source: String,
    /// Why.
    pub why: String,
}

/// A statement, or a source, that could not be decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedStatement {
    /// The file.
    pub source: String,
    /// The customer, if known.
    pub customer: Option<String>,
    /// The place in the file, if known.
    pub place: Option<String>,
    /// What is wrong.
    pub what: String,
}

impl Tally {
    pub(crate) fn decided(&mut self, decision: &Decision) {
        self.statements += 1;
        self.records += decision.quality.records;
        *self.outcomes.entry(decision.outcome.word().to_owned()).or_default() += 1;
        *self.balance_verdicts.entry(decision.quality.balance_verdict.word().to_owned()).or_default() += 1;
        for reason in &decision.reasons {
            *self.reasons.entry(reason.id.clone()).or_default() += 1;
        }
    }

    pub(crate) fn failed(&mut self, failure: FailedStatement) {
        self.failures += 1;
        if self.first_failures.len() < SHOWN_FAILURES {
            self.first_failures.push(failure);
        }
    }

    /// Adds the counts of the next part.
    pub(crate) fn add(&mut self, next: Tally) {
        self.sources += next.sources;
        self.statements += next.statements;
        self.records += next.records;
        self.failures += next.failures;
        self.unread_tables += next.unread_tables;
        let counts = [
            (&mut self.outcomes, next.outcomes),
            (&mut self.balance_verdicts, next.balance_verdicts),
            (&mut self.reasons, next.reasons),
        ];
        for (all, next) in counts {
            next.into_iter().for_each(|(name, count)| *all.entry(name).or_default() += count);
        }
        self.passed_over_tables.extend(next.passed_over_tables);
        let left = SHOWN_FAILURES.saturating_sub(self.first_failures.len());
        self.first_failures.extend(next.first_failures.into_iter().take(left));
    }
}
