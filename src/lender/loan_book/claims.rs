//! Which process works on which loan. A process keeps a claim as long as it lives. Each claim raises the loan's epoch,
//! and every later change under an older claim is refused. Time plays no part, so a clock that jumps
//! cannot make two processes work on one loan.

use super::audit::{self, AuditEntry};
use super::orders::find_last_failed;
use super::rows::{LOAN_COLUMNS, LoanRow, quote_states};
use super::{BookError, BookResult, LoanBook};
use crate::base::time::Timestamp;
use crate::lender::loan::{FailedOrder, LoanState, OrderKind};
use crate::lender::store::database::{InstanceId, Transaction, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// How far the clocks of several processes may be apart, in milliseconds.
const CLOCKS_APART_MS: i64 = 300_000;

/// The right to change a loan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    /// The loan's number in the book.
    pub(crate) loan: i64,
    /// The process.
    pub(crate) instance: InstanceId,
    /// Of the loan, when it was claimed.
    pub(crate) epoch: i64,
}

/// What a process has claimed: loans, with their epochs, and messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Numbers and epochs of loans.
    pub(crate) loans: std::collections::HashSet<(i64, i64)>,
    /// Numbers of messages.
    pub(crate) messages: std::collections::HashSet<i64>,
}

/// A loan that is this process's to work on.
#[derive(Clone, Debug)]
pub(crate) struct Claimed {
    /// The right.
    pub(crate) claim: Claim,
    /// The loan as it was then.
    pub(crate) row: LoanRow,
}

impl LoanBook {
    /// Claims loans that are due, at most so many.
    pub(crate) fn claim_loans(
        &self,
        instance: InstanceId,
        now: Timestamp,
        most: i64,
    ) -> Result<Vec<Claimed>, StoreError> {
        let sql = format!(
            "UPDATE loans SET instance = $1, epoch = epoch + 1 WHERE id IN (SELECT id FROM loans WHERE wake_at <= $2 \
             AND instance IS NULL ORDER BY wake_at LIMIT $3) AND instance IS NULL AND wake_at <= $2 RETURNING \
             {LOAN_COLUMNS}"
        );
        let values = [instance.0.into(), now.milliseconds().into(), most.into()];
        write_transaction(&*self.database, |tx| {
            let mut claims = Vec::new();
            for row in tx.query(&sql, &values)? {
                match LoanRow::read(&row) {
                    Ok(row) => claims.push(Claimed::new(row, instance)),
                    Err(StoreError::Damaged(problem)) => set_aside(tx, row.integer("id")?, &problem, now)?,
                    Err(error) => return Err(error),
                }
            }
            Ok(claims)
        })
    }

    /// Wakes loans with an order that may have left, where the clock was set back since they changed: they would wait
    /// until it has caught up. Returns how many.
    pub(crate) fn wake_after_clock_set_back(&self, now: Timestamp) -> Result<u64, StoreError> {
        let states = quote_states(LoanState::ALL.into_iter().filter(|state| state.has_order_under_way()));
        let sql = format!(
            "UPDATE loans SET wake_at = $1 WHERE state IN ({states}) AND changed_at > $2 AND wake_at > $1 AND instance \
             IS NULL"
        );
        let later = now.milliseconds().saturating_add(CLOCKS_APART_MS);
        write_transaction(&*self.database, |tx| tx.execute(&sql, &[now.milliseconds().into(), later.into()]))
    }

    /// When the next loan wakes that is not claimed.
    pub(crate) fn next_wake(&self) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT MIN(wake_at) AS wake_at FROM loans WHERE instance IS NULL AND wake_at IS NOT NULL";
        let wake = read_transaction(&*self.database, |tx| match tx.query(sql, &[])?.first() {
            Some(row) => row.integer_if_any("wake_at"),
            None => Ok(None),
        })?;
        Ok(wake.and_then(Timestamp::from_milliseconds))
    }

    /// Gives a claim back without a change.
    pub(crate) fn release_claim(&self, claim: &Claim) -> Result<(), StoreError> {
        let sql = "UPDATE loans SET instance = NULL WHERE id = $1 AND instance = $2 AND epoch = $3";
        let values = [claim.loan.into(), claim.instance.0.into(), claim.epoch.into()];
        write_transaction(&*self.database, |tx| tx.execute(sql, &values).map(drop))
    }

    /// Frees the loans and messages of processes that have ended. Returns how many loans. A process that lives keeps
    /// its claims, however long it takes.
    pub(crate) fn free_ended_claims(&self, now: Timestamp) -> Result<u64, StoreError> {
        let sql = "SELECT DISTINCT instance FROM loans WHERE instance IS NOT NULL UNION \
                   SELECT DISTINCT instance FROM messages WHERE instance IS NOT NULL";
        let known: Vec<InstanceId> = read_transaction(&*self.database, |tx| {
            tx.query(sql, &[])?.iter().map(|row| row.integer("instance").map(InstanceId)).collect()
        })?;
        let dead = self.database.dead_among(&known)?;
        dead.into_iter().try_fold(0, |sum, instance| Ok(sum + self.free_instance(instance, now)?))
    }

    /// What this process has claimed.
    pub(crate) fn list_claims(&self, instance: InstanceId) -> Result<Claims, StoreError> {
        read_transaction(&*self.database, |tx| {
            let loans = tx.query("SELECT id, epoch FROM loans WHERE instance = $1", &[instance.0.into()])?;
            let messages = tx.query("SELECT id FROM messages WHERE instance = $1", &[instance.0.into()])?;
            Ok(Claims {
                loans: loans
                    .iter()
                    .map(|row| Ok((row.integer("id")?, row.integer("epoch")?)))
                    .collect::<Result<_, StoreError>>()?,
                messages: messages.iter().map(|row| row.integer("id")).collect::<Result<_, StoreError>>()?,
            })
        })
    }

    /// Frees what this process has claimed and does not work on. A task that still has such a claim has lost it.
    pub(crate) fn free_claims(&self, instance: InstanceId, claims: &Claims, now: Timestamp) -> Result<(), StoreError> {
        write_transaction(&*self.database, |tx| {
            for (loan, epoch) in &claims.loans {
                let sql =
                    "UPDATE loans SET instance = NULL, wake_at = $1 WHERE id = $2 AND instance = $3 AND epoch = $4";
                tx.execute(sql, &[now.milliseconds().into(), (*loan).into(), instance.0.into(), (*epoch).into()])?;
            }
            for message in &claims.messages {
                let sql = "UPDATE messages SET instance = NULL, standing = 'unknown', settled_at = $1, \
                           reason = 'it may have been sent; its outcome was not recorded' WHERE id = $2 AND \
                           instance = $3";
                tx.execute(sql, &[now.milliseconds().into(), (*message).into(), instance.0.into()])?;
            }
            Ok(())
        })
    }

    fn free_instance(&self, instance: InstanceId, now: Timestamp) -> Result<u64, StoreError> {
        write_transaction(&*self.database, |tx| {
            let values = [now.milliseconds().into(), instance.0.into()];
            // A loan that was being worked on is looked at once: its state says what may have been done.
            let sql = "UPDATE loans SET instance = NULL, wake_at = $1 WHERE instance = $2";
            let freed = tx.execute(sql, &values)?;
            // A message that may have left is not sent again.
            let sql = "UPDATE messages SET instance = NULL, standing = 'unknown', settled_at = $1, \
                       reason = 'the service ended while it was sent' WHERE instance = $2";
            tx.execute(sql, &values)?;
            Ok(freed)
        })
    }
}

/// A loan that cannot be read must not delay the others. It is not claimed again before it has been repaired.
fn set_aside(tx: &mut dyn Transaction, loan: i64, problem: &str, now: Timestamp) -> Result<(), StoreError> {
    tracing::error!(loan, problem, "a loan cannot be read and is set aside; restore a backup or repair it");
    tx.execute("UPDATE loans SET wake_at = NULL, instance = NULL WHERE id = $1", &[loan.into()])?;
    let detail = serde_json::json!({ "problem": problem });
    audit::add_entry(tx, &AuditEntry { at: now, loan: Some(loan), actor: "service", event: "set_aside", detail })
}

impl Claimed {
    /// A loan that was just claimed by this process.
    pub(super) fn new(row: LoanRow, instance: InstanceId) -> Claimed {
        Claimed { claim: Claim { loan: row.id, instance, epoch: row.epoch }, row }
    }
}

/// A loan that is locked until the end of the transaction, as it was read under the lock. Only such a loan makes a
/// step, so a transaction never writes a state that follows from one that it has not read.
pub(super) struct LockedLoan(LoanRow);

impl LockedLoan {
    /// The loan.
    pub(super) fn row(&self) -> &LoanRow {
        &self.0
    }

    /// The loan with the last order that failed: earlier versions did not keep it with the loan.
    pub(super) fn with_failed_order(mut self, tx: &mut dyn Transaction) -> Result<LockedLoan, StoreError> {
        let loan = &mut self.0.loan;
        let may_lack = matches!(loan.state, LoanState::FundingFailed | LoanState::CollectionFailed | LoanState::Review);
        if may_lack && loan.failed.is_none() && loan.order.is_none() {
            let kind = if loan.is_funded() { OrderKind::Debit } else { OrderKind::Fund };
            loan.failed = find_last_failed(tx, self.0.id, kind)?.map(FailedOrder::new);
        }
        Ok(self)
    }

    /// The loan, to be changed.
    pub(super) fn into_row(self) -> LoanRow {
        self.0
    }
}

/// Locks a claimed loan until the end of the transaction, and checks that the claim holds.
pub(super) fn lock_claimed(tx: &mut dyn Transaction, claim: &Claim) -> BookResult<LockedLoan> {
    let sql = format!(
        "UPDATE loans SET version = version + 1 WHERE id = $1 AND instance = $2 AND epoch = $3 RETURNING {LOAN_COLUMNS}"
    );
    let rows = tx.query(&sql, &[claim.loan.into(), claim.instance.0.into(), claim.epoch.into()])?;
    match rows.first() {
        Some(row) => LoanRow::read(row).map(|row| Ok(LockedLoan(row))),
        None => Ok(Err(BookError::Lost)),
    }
}

/// A loan by its number, without a lock.
pub(super) fn read_loan(tx: &mut dyn Transaction, loan: i64) -> Result<Option<LoanRow>, StoreError> {
    let sql = format!("SELECT {LOAN_COLUMNS} FROM loans WHERE id = $1");
    tx.query(&sql, &[loan.into()])?.first().map(LoanRow::read).transpose()
}

/// Locks any loan until the end of the transaction.
pub(super) fn lock_loan(tx: &mut dyn Transaction, loan: i64) -> BookResult<LockedLoan> {
    let sql = format!("UPDATE loans SET version = version + 1 WHERE id = $1 RETURNING {LOAN_COLUMNS}");
    match tx.query(&sql, &[loan.into()])?.first() {
        Some(row) => LoanRow::read(row).map(|row| Ok(LockedLoan(row))),
        None => Ok(Err(BookError::NotFound("loan"))),
    }
}
