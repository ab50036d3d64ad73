//! The audit: one row per change, each with a hash over itself and the row before. Rows are only ever added. They name
//! loans by number and hold nothing personal, so that personal data can be erased while the chain stays whole.

use serde_json::Value as Json;

use super::LoanBook;
use super::rows::read_moment;
use crate::base::digest::Hasher;
use crate::base::time::Timestamp;
use crate::lender::store::database::{Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::seen_file::SeenMark;
use crate::lender::store::value::QueryRow;

/// One row of the audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AuditRow {
    /// Counted from 1 without gaps.
    pub(crate) seq: i64,
    /// When.
    pub(crate) at: Timestamp,
    /// The loan's number in the book.
    pub(crate) loan: Option<i64>,
    /// Who: `service`, `provider`, or the name of a person.
    pub(crate) actor: String,
    /// What.
    pub(crate) event: String,
    /// Further facts, as JSON.
    pub(crate) detail: String,
    /// Over this row and the hash of the one before.
    pub(crate) hash: String,
}

/// What is to be recorded.
pub(super) struct AuditEntry<'e> {
    pub(super) at: Timestamp,
    pub(super) loan: Option<i64>,
    pub(super) actor: &'e str,
    pub(super) event: &'e str,
    pub(super) detail: Json,
}

/// The result of checking the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verified {
    /// The chain is whole.
    Whole {
        /// How many rows it has.
        rows: i64,
        /// The hash of the last row. Kept elsewhere, it also proves later that no rows were cut off.
        hash: String,
    },
    /// It is broken.
    Broken {
        /// The first row that does not fit.
        seq: i64,
        /// How.
        how: &'static str,
    },
}

fn hash_audit_row(before: &str, row: &AuditRow) -> String {
    let mut hasher = Hasher::new();
    let (seq, at) = (row.seq.to_string(), row.at.milliseconds().to_string());
    let loan = row.loan.map_or_else(String::new, |loan| loan.to_string());
    for part in [before, &seq, &at, &loan, &row.actor, &row.event, &row.detail] {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
    }
    hasher.finish().to_string()
}

fn audit_head_is_missing() -> StoreError {
    StoreError::Damaged("the table `audit_head` is empty".to_owned())
}

/// Adds a row at the end of the chain. Others who add rows wait from here to the end of the transaction, so this comes
/// last in it.
pub(super) fn add_entry(tx: &mut dyn Transaction, entry: &AuditEntry<'_>) -> Result<(), StoreError> {
    let heads = tx.query("UPDATE audit_head SET seq = seq + 1 WHERE id = 1 RETURNING seq, hash", &[])?;
    let head = heads.first().ok_or_else(audit_head_is_missing)?;
    let mut row = AuditRow {
        seq: head.integer("seq")?,
        at: entry.at,
        loan: entry.loan,
        actor: entry.actor.to_owned(),
        event: entry.event.to_owned(),
        detail: entry.detail.to_string(),
        hash: String::new(),
    };
    row.hash = hash_audit_row(head.text("hash")?, &row);
    tx.execute("UPDATE audit_head SET hash = $1 WHERE id = 1", &[row.hash.as_str().into()])?;
    let sql = "INSERT INTO audit (seq, at, loan, actor, event, detail, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let values = [
        row.seq.into(),
        row.at.milliseconds().into(),
        row.loan.into(),
        row.actor.into(),
        row.event.into(),
        row.detail.into(),
        row.hash.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

const COLUMNS: &str = "seq, at, loan, actor, event, detail, hash";

pub(super) fn read_audit_row(row: &QueryRow) -> Result<AuditRow, StoreError> {
    Ok(AuditRow {
        seq: row.integer("seq")?,
        at: read_moment(row, "at")?,
        loan: row.integer_if_any("loan")?,
        actor: row.text("actor")?.to_owned(),
        event: row.text("event")?.to_owned(),
        detail: row.text("detail")?.to_owned(),
        hash: row.text("hash")?.to_owned(),
    })
}

/// How many rows are checked at a time.
const PAGE: i64 = 5_000;

impl LoanBook {
    /// Records something that concerns no loan, such as another policy.
    pub(crate) fn record_event(
        &self,
        at: Timestamp,
        actor: &str,
        event: &str,
        detail: &Json,
    ) -> Result<(), StoreError> {
        write_transaction(&*self.database, |tx| {
            add_entry(tx, &AuditEntry { at, loan: None, actor, event, detail: detail.clone() })
        })
    }

    /// Records a bill that has been paid, once. Returns whether it was not recorded before.
    pub(crate) fn record_paid_bill(&self, reference: &str, at: Timestamp, detail: &Json) -> Result<bool, StoreError> {
        let sql = "INSERT INTO bills_paid (reference, at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
        write_transaction(&*self.database, |tx| {
            let is_new = tx.execute(sql, &[reference.into(), at.milliseconds().into()])? == 1;
            if is_new {
                let detail = detail.clone();
                add_entry(tx, &AuditEntry { at, loan: None, actor: "provider", event: "bill_paid", detail })?;
            }
            Ok(is_new)
        })
    }

    /// The last entry.
    pub(super) fn find_audit_end(&self) -> Result<SeenMark, StoreError> {
        read_transaction(&*self.database, |tx| {
            let heads = tx.query("SELECT seq, hash FROM audit_head WHERE id = 1", &[])?;
            let head = heads.first().ok_or_else(audit_head_is_missing)?;
            Ok(SeenMark { sequence: head.integer("seq")?, hash: head.text("hash")?.to_owned() })
        })
    }

    /// Everything that happened to a loan, in order.
    pub(crate) fn list_audit(&self, loan: i64) -> Result<Vec<AuditRow>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE loan = $1 ORDER BY seq");
        read_transaction(&*self.database, |tx| tx.query(&sql, &[loan.into()])?.iter().map(read_audit_row).collect())
    }

    /// Checks the whole chain.
    pub(crate) fn verify_audit(&self) -> Result<Verified, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2");
        let (mut last, mut before) = (0, String::new());
        let end = self.find_audit_end()?;
        loop {
            let rows: Vec<AuditRow> = read_transaction(&*self.database, |tx| {
                tx.query(&sql, &[last.into(), PAGE.into()])?.iter().map(read_audit_row).collect()
            })?;
            for row in &rows {
                if row.seq != last + 1 {
                    return Ok(Verified::Broken { seq: last + 1, how: "is missing" });
                }
                if row.hash != hash_audit_row(&before, row) {
                    return Ok(Verified::Broken { seq: row.seq, how: "is not what was recorded" });
                }
                (last, before) = (row.seq, row.hash.clone());
                // Rows that were added meanwhile are not checked.
                if last == end.sequence {
                    return Ok(match before == end.hash {
                        true => Verified::Whole { rows: last, hash: before },
                        false => Verified::Broken { seq: last, how: "is not the last one recorded" },
                    });
                }
            }
            if rows.is_empty() {
                return Ok(match end.sequence == last {
                    true => Verified::Whole { rows: last, hash: before },
                    false => Verified::Broken { seq: last + 1, how: "is missing" },
                });
            }
        }
    }
}
