//! What needs a person or is late, for metrics that are read every few seconds: only rows that an index finds. Changes
//! nothing.

use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;

use super::LoanBook;
use super::payment_match::REPORTS_FAILED;
use super::rows::quote_states;
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, LoanState};
use crate::lender::store::database::{Transaction, read_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

/// What needs a person or is late at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenTroubles {
    /// When the oldest transaction of money was sent that has no outcome yet.
    pub(crate) unknown_since: Option<Timestamp>,
    /// Loans that are due and that no process works on.
    pub(crate) loans_due: i64,
    /// Payments that fit nothing.
    pub(crate) payments_parked: i64,
    /// Loans that wait for a person: by the cause of a review, and by the state otherwise.
    pub(crate) waiting: BTreeMap<String, i64>,
    /// Loans of which the provider said that money did not move, and later that it did.
    pub(crate) contradicted: i64,
}

/// The part of a loan's body that says why it waits.
#[derive(Deserialize)]
struct WaitingBody {
    #[serde(default)]
    cause: Option<Cause>,
}

impl LoanBook {
    /// What needs a person or is late now.
    pub(crate) fn measure_troubles(&self, now: Timestamp) -> Result<OpenTroubles, StoreError> {
        read_transaction(&*self.database, |tx| {
            // In the words of the index, which has few rows.
            let sql =
                "SELECT MIN(sent_at) AS found FROM orders WHERE outcome IN ('planned', 'sent') AND outcome = 'sent'";
            let unknown_since = tx.query(sql, &[])?.first().map_or(Ok(None), |row| row.integer_if_any("found"))?;
            let sql = "SELECT COUNT(*) AS found FROM loans WHERE instance IS NULL AND wake_at IS NOT NULL AND \
                       wake_at <= $1";
            let loans_due = count_found(tx, sql, &[now.milliseconds().into()])?;
            let sql = "SELECT COUNT(*) AS found FROM payments WHERE standing = 'parked'";
            let payments_parked = count_found(tx, sql, &[])?;
            let (waiting, mut contradicted) = count_waiting(tx)?;
            let sql = "SELECT loan FROM payments WHERE standing = 'parked' AND reason = $1 AND loan IS NOT NULL";
            for row in tx.query(sql, &[REPORTS_FAILED.into()])? {
                contradicted.insert(row.integer("loan")?);
            }
            Ok(OpenTroubles {
                unknown_since: unknown_since.and_then(Timestamp::from_milliseconds),
                loans_due,
                payments_parked,
                waiting,
                contradicted: i64::try_from(contradicted.len()).unwrap_or(i64::MAX),
            })
        })
    }
}

fn count_found(tx: &mut dyn Transaction, sql: &str, values: &[SqlValue]) -> Result<i64, StoreError> {
    tx.query(sql, values)?.first().map_or(Ok(0), |row| row.integer("found"))
}

/// The loans that wait for a person, by why, and those among them that the provider contradicted itself about.
fn count_waiting(tx: &mut dyn Transaction) -> Result<(BTreeMap<String, i64>, HashSet<i64>), StoreError> {
    let (mut waiting, mut contradicted) = (BTreeMap::new(), HashSet::new());
    let states = quote_states(LoanState::ALL.into_iter().filter(|state| state.needs_person()));
    for row in tx.query(&format!("SELECT id, state, body FROM loans WHERE state IN ({states})"), &[])? {
        let state = row.text("state")?;
        // One that cannot be read is reported by whoever works on it, and waits as well.
        let cause = serde_json::from_str::<WaitingBody>(row.text("body")?).ok().and_then(|body| body.cause);
        let cause = cause.filter(|_| state == LoanState::Review.word());
        if cause == Some(Cause::Contradicted) {
            contradicted.insert(row.integer("id")?);
        }
        let word = match cause.map(serde_json::to_value) {
            Some(Ok(serde_json::Value::String(word))) => word,
            _ => state.to_owned(),
        };
        *waiting.entry(word).or_default() += 1;
    }
    Ok((waiting, contradicted))
}
