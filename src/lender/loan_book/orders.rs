//! Transactions of money as the book keeps them: disbursements and debits. Each is recorded before anything is sent, at
//! most once for each loan, kind, instalment and attempt, under an id that never changes, by which the provider carries
//! it out at most once.

use super::LoanBook;
use super::rows::{LoanRow, damaged_row, read_kind, read_outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{Order, OrderKind, OrderOutcome, Progress};
use crate::lender::store::database::Transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::SqlValue;

impl LoanBook {
    /// Records a transaction that is planned, under the id that it keeps.
    pub(super) fn record_plan(
        &self,
        tx: &mut dyn Transaction,
        row: &LoanRow,
        order: &Order,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        self.require_order_key(row.id)?;
        let sql = "INSERT INTO orders (loan, kind, instalment, attempt, transaction_id, amount_minor, outcome, \
                   planned_at) VALUES ($1, $2, $3, $4, $5, $6, 'planned', $7)";
        let [loan_value, kind, instalment, attempt] = order_key(row.id, order);
        let values = [
            loan_value,
            kind,
            instalment,
            attempt,
            self.derive_transaction_id(row, order).into(),
            order.amount_minor.into(),
            now.milliseconds().into(),
        ];
        tx.execute(sql, &values).map(drop)
    }
}

pub(super) fn order_key(loan: i64, order: &Order) -> [SqlValue; 4] {
    let [instalment, attempt] = [order.instalment, order.attempt].map(|number| SqlValue::Integer(number.into()));
    [loan.into(), order.kind.word().into(), instalment, attempt]
}

/// The last transaction of a kind that had an outcome, if it failed.
pub(super) fn find_last_failed(
    tx: &mut dyn Transaction,
    loan: i64,
    kind: OrderKind,
) -> Result<Option<Order>, StoreError> {
    let sql = "SELECT kind, instalment, attempt, amount_minor, outcome, sent_at, reversed_at FROM orders WHERE loan = \
               $1 AND kind = $2 AND outcome IN ('moved', 'not_moved') ORDER BY settled_at DESC, attempt DESC LIMIT 1";
    let rows = tx.query(sql, &[loan.into(), kind.word().into()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    if row.integer_if_any("reversed_at")?.is_some() {
        return Ok(None);
    }
    let number = |column: &str| u32::try_from(row.integer(column)?).map_err(|_| damaged_row("an order"));
    let sent = row.integer_if_any("sent_at")?.and_then(Timestamp::from_milliseconds);
    let Some(at) = sent.filter(|_| matches!(read_outcome(row), Ok(OrderOutcome::NotMoved))) else { return Ok(None) };
    Ok(Some(Order {
        kind: read_kind(row)?,
        instalment: number("instalment")?,
        attempt: number("attempt")?,
        amount_minor: row.integer("amount_minor")?,
        progress: Progress::Sent { at },
        first_sent: Some(at),
        ask_first: false,
    }))
}

/// A transaction that failed has an open outcome again: the provider, or a person, says that it moved.
pub(super) fn reopen_order(
    tx: &mut dyn Transaction,
    loan: i64,
    order: &Order,
    reference: Option<&str>,
) -> Result<(), StoreError> {
    let sql = "UPDATE orders SET outcome = 'sent', settled_at = NULL, transaction_ref = COALESCE($5, transaction_ref) \
               WHERE loan = $1 AND kind = $2 AND instalment = $3 AND attempt = $4 AND outcome = 'not_moved'";
    let [loan, kind, instalment, attempt] = order_key(loan, order);
    match tx.execute(sql, &[loan, kind, instalment, attempt, reference.into()])? {
        1 => Ok(()),
        _ => Err(StoreError::Programming("a transaction that has not failed was opened again".to_owned())),
    }
}

/// Records the outcome of a transaction. One that is final changes only by [`reopen_order`].
pub(super) fn record_outcome(
    tx: &mut dyn Transaction,
    loan: i64,
    order: &Order,
    recorded: OrderOutcome,
    reference: Option<&str>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (from, set) = match recorded {
        OrderOutcome::Sent => ("planned", "sent_at = $1"),
        OrderOutcome::Planned => ("sent", "sent_at = NULL, planned_at = COALESCE(planned_at, $1)"),
        OrderOutcome::Moved | OrderOutcome::NotMoved => ("sent", "settled_at = $1"),
        OrderOutcome::Withdrawn => ("planned", "settled_at = $1"),
    };
    let sql = format!(
        "UPDATE orders SET {set}, outcome = $2, transaction_ref = COALESCE($3, transaction_ref) WHERE loan = $4 AND \
         kind = $5 AND instalment = $6 AND attempt = $7 AND outcome = $8"
    );
    let [loan, kind, instalment, attempt] = order_key(loan, order);
    let values = [
        now.milliseconds().into(),
        recorded.word().into(),
        reference.into(),
        loan,
        kind,
        instalment,
        attempt,
        from.into(),
    ];
    match tx.execute(&sql, &values)? {
        1 => Ok(()),
        _ => Err(StoreError::Programming(format!("a transaction that is not `{from}` became `{}`", recorded.word()))),
    }
}
