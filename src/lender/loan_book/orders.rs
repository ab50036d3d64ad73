//! Transactions of money as the book keeps them: disbursements and debits. Each is recorded before anything is sent, at
//! most once for each loan, kind, instalment and attempt, under an id that never changes, by which the provider carries
//! it out at most once.

use super::LoanBook;
use super::rows::LoanRow;
use crate::base::time::Timestamp;
use crate::lender::loan::{Order, OrderOutcome};
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

fn order_key(loan: i64, order: &Order) -> [SqlValue; 4] {
    let [instalment, attempt] = [order.instalment, order.attempt].map(|number| SqlValue::Integer(number.into()));
    [loan.into(), order.kind.word().into(), instalment, attempt]
}

/// Records the outcome of a transaction. One that is final never changes again.
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
