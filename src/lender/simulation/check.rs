//! What must hold, whatever happens. Compares the book with the provider's truth.

use super::outside::Outside;
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, LoanState, OrderKind, OrderOutcome};
use crate::lender::loan_book::{BookError, LoanBook, LoanRow, PaymentStatus};
use crate::lender::store::database::read_transaction;
use crate::lender::store::error::StoreError;

impl LoanBook {
    /// The id of the transaction of money that a person asks about: the one that is open, or the last one that failed.
    pub(crate) fn questioned_transaction_id(&self, row: &LoanRow) -> Result<Option<String>, StoreError> {
        match row.loan.order_in_question() {
            Some(order) => self.find_transaction_id(row.id, order),
            None => Ok(None),
        }
    }

    /// How often a payment of this reference is in the book, whatever became of it.
    pub(crate) fn count_payments(&self, payment_ref: &str) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) AS payments FROM payments WHERE payment_ref = $1";
        read_transaction(&*self.database, |tx| {
            tx.query(sql, &[payment_ref.into()])?.first().map_or(Ok(0), |row| row.integer("payments"))
        })
    }
}

/// Checks one loan at any moment.
pub(super) fn check_any_moment(book: &LoanBook, row: &LoanRow, outside: &Outside) -> Result<Vec<String>, BookError> {
    let orders = book.list_orders(row.id)?;
    let mut wrong = Vec::new();
    let moving = |kind: OrderKind| {
        orders.iter().filter(move |order| order.kind == kind && keeps(outside, &order.transaction_id))
    };
    let funded: Vec<i64> = moving(OrderKind::Fund).map(|order| order.amount_minor).collect();
    if funded.len() > 1 {
        wrong.push("funded twice".to_owned());
    }
    let accepted = row.loan.terms.as_ref().map(|terms| terms.paid_out_minor);
    if funded.iter().any(|amount| Some(*amount) != accepted) {
        wrong.push("another amount was paid out than was accepted".to_owned());
    }
    // What was collected before a payout was taken back and made again was for other payments.
    let collected = |instalment: Option<i64>| -> i64 {
        moving(OrderKind::Debit)
            .filter(|order| order.attempt > i64::from(row.loan.debits_before))
            .filter(|order| instalment.is_none_or(|number| order.instalment == number))
            .map(|order| order.amount_minor)
            .sum()
    };
    let payable: i64 = row.loan.instalments.iter().map(|instalment| instalment.amount_minor).sum();
    if row.loan.is_funded() && collected(None) > payable {
        wrong.push(format!("{} was collected of {payable}", collected(None)));
    }
    // What was taken back is owed by the newest payment, whichever it had been collected for.
    let has_reversals = orders.iter().any(|order| order.reversed_at.is_some());
    for instalment in row.loan.instalments.iter().filter(|_| !has_reversals) {
        let collected = collected(Some(instalment.number.into()));
        if collected > instalment.amount_minor {
            wrong.push(format!("{collected} was collected of payment {}", instalment.number));
        }
    }
    for order in &orders {
        let is_right = match order.outcome {
            OrderOutcome::Moved => outside.moves(&order.transaction_id),
            // Until another order leaves, the book may believe what the provider said.
            OrderOutcome::NotMoved if outside.says_failed_until(&order.transaction_id).is_some() => true,
            OrderOutcome::NotMoved | OrderOutcome::Withdrawn => !keeps(outside, &order.transaction_id),
            OrderOutcome::Planned | OrderOutcome::Sent => true,
        };
        if !is_right {
            wrong.push(format!("{} is recorded as {}", order.transaction_id, order.outcome.word()));
        }
    }
    Ok(wrong)
}

/// Whether an order has moved money, or will, and it was not taken back.
fn keeps(outside: &Outside, id: &str) -> bool {
    outside.moves(id) && !outside.is_reversed(id)
}

/// Checks one loan when nothing more happens by itself.
pub(super) fn check_the_end(book: &LoanBook, row: &LoanRow, outside: &Outside) -> Result<Vec<String>, BookError> {
    let mut wrong = check_any_moment(book, row, outside)?;
    let state = row.loan.state;
    if row.instance.is_some() {
        wrong.push("a process still works on it".to_owned());
    }
    if !(state.is_final() || state.needs_person() || state == LoanState::WrittenOff) {
        wrong.push(format!("it neither ends nor is in review: {}", state.word()));
    }
    let orders = book.list_orders(row.id)?;
    let collected: i64 = orders
        .iter()
        .filter(|order| order.kind == OrderKind::Debit && order.outcome == OrderOutcome::Moved)
        .map(|order| order.amount_minor)
        .sum();
    for order in
        orders.iter().filter(|order| order.outcome != OrderOutcome::Moved && keeps(outside, &order.transaction_id))
    {
        let is_waited_for =
            state == LoanState::Review && book.questioned_transaction_id(row)?.as_ref() == Some(&order.transaction_id);
        let is_believed = outside.says_failed_until(&order.transaction_id).is_some();
        let has_next = |sent: Timestamp| orders.iter().any(|next| next.sent_at.is_some_and(|at| at > sent));
        if is_believed && order.sent_at.is_some_and(has_next) {
            wrong.push(format!("an order left although {} had moved", order.transaction_id));
        } else if !is_waited_for && !is_believed {
            wrong.push(format!("{} has moved and is {}", order.transaction_id, order.outcome.word()));
        }
    }
    let payments = book.list_payments(Some(row.id))?;
    let posted: i64 = payments
        .iter()
        .filter(|payment| payment.status == PaymentStatus::Posted)
        .map(|payment| payment.amount_minor)
        .sum();
    let kept = row.loan.paid_minor() + row.loan.overpaid_minor + sum_audited_refunds(book, row)?;
    if collected + posted != kept {
        wrong.push(format!("money is lost or made: {collected} collected, {posted} paid, {kept} in the account"));
    }
    for payment in &payments {
        let is_own = outside.payments.contains_key(&payment.payment_ref);
        let is_right = match payment.status {
            PaymentStatus::Posted => is_own,
            PaymentStatus::Echo => !is_own,
            PaymentStatus::Received => false,
            PaymentStatus::Waiting => {
                row.loan.order.is_some() || !row.loan.is_funded() || row.loan.cause == Some(Cause::Unknown)
            }
            PaymentStatus::Parked | PaymentStatus::Dismissed => true,
        };
        if !is_right {
            wrong.push(format!("payment {} is {}", payment.payment_ref, payment.status.word()));
        }
    }
    Ok(wrong)
}

/// What persons paid back, by the audit.
fn sum_audited_refunds(book: &LoanBook, row: &LoanRow) -> Result<i64, BookError> {
    let story = book.list_audit(row.id)?;
    let amount = |detail: &str| serde_json::from_str::<serde_json::Value>(detail).ok()?["amount_minor"].as_i64();
    Ok(story.iter().filter(|entry| entry.event == "refunded").filter_map(|entry| amount(&entry.detail)).sum())
}
