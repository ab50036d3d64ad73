//! What is asked about every customer of a table.

use std::sync::Arc;

use super::requests::Requests;
use crate::engine::decision::{VerdictsAsked, reading};
use crate::rules::Policies;
use crate::run::batch::OutputTable;
use crate::statement::{Columns, Merging, Reading};

/// The tables to make.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Decisions, and tables of what is in them.
    Decisions {
        /// Those of a batch but the failures, which are always kept.
        tables: Vec<OutputTable>,
        /// Whether the table of decisions ends with `decision`, the line of JSON that `lendwright decide` prints.
        json: bool,
    },
    /// One row per statement, one column per metric.
    Metrics,
    /// One row per record, with what the policy finds in it.
    Records(VerdictsAsked),
}

/// What is asked, and how tables are read.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TableRequest {
    /// The policy, or its versions.
    pub policies: Arc<Policies>,
    /// The tables to make.
    pub wanted: Wanted,
    /// The day, and what customers ask for.
    pub requests: Requests,
    /// The meaning of the columns.
    pub columns: Arc<Columns>,
    /// The name of the table, which decisions and failures state.
    pub label: String,
    /// How to merge a customer's accounts; `None` keeps them apart.
    pub merging: Option<Merging>,
    /// Whether a customer that cannot be decided is a row of the first table, which then ends with `policy_digest` and
    /// `failure`, instead of being listed apart.
    pub failures_are_rows: bool,
    /// How the policy reads statements.
    pub(crate) reading: Reading,
}

impl TableRequest {
    /// What is asked of tables with the standard names of columns.
    pub fn new(policies: Arc<Policies>, wanted: Wanted) -> TableRequest {
        TableRequest {
            reading: reading(policies.as_ref()),
            policies,
            wanted,
            requests: Requests::default(),
            columns: Arc::new(Columns::default()),
            label: "table".to_owned(),
            merging: None,
            failures_are_rows: false,
        }
    }
}
