//! What others want to see of the book: one loan by any of its names, lists, counts. Changes nothing.

use super::orders::order_key;
use super::payment_rows::{PAYMENT_COLUMNS, PaymentRow};
use super::rows::{LOAN_COLUMNS, LoanRow, OrderRow, quote_states};
use super::{BookError, LoanBook};
use crate::base::date::Day;
use crate::base::time::Timestamp;
use crate::lender::loan::{LoanState, Order};
use crate::lender::store::database::read_transaction;
use crate::lender::store::error::StoreError;

/// What Get Loan Status needs, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StatusRow {
    /// Where the loan is.
    pub(crate) state: LoanState,
    /// The customer.
    pub(crate) customer_id: String,
    /// The currency, by number.
    pub(crate) currency: String,
    /// What is still to be paid, in minor units.
    pub(crate) owed_minor: i64,
    /// The day of the next payment, or of the last one if all are paid.
    pub(crate) due: Option<Day>,
}

/// Which loans are listed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    /// Only those in one of these states; all if empty.
    pub(crate) states: Vec<LoanState>,
    /// Only this customer's.
    pub(crate) customer_id: Option<String>,
    /// Only those after this number in the book.
    pub(crate) after: i64,
    /// At most so many.
    pub(crate) most: i64,
}

pub(super) const ORDER_COLUMNS: &str = "loan, kind, instalment, attempt, transaction_id, amount_minor, outcome, \
    transaction_ref, planned_at, sent_at, settled_at, reversed_at";

impl LoanBook {
    /// The status of a loan.
    pub(crate) fn find_status(&self, loan_id: &str) -> Result<Option<StatusRow>, StoreError> {
        let sql = "SELECT state, customer_id, currency, owed_minor, due_at FROM loans WHERE loan_id = $1";
        read_transaction(&*self.database, |tx| {
            let rows = tx.query(sql, &[loan_id.into()])?;
            let Some(row) = rows.first() else { return Ok(None) };
            let due = row.integer_if_any("due_at")?.and_then(|days| i32::try_from(days).ok());
            Ok(Some(StatusRow {
                state: LoanState::from_word(row.text("state")?).ok_or_else(|| super::rows::damaged_row("a state"))?,
                customer_id: row.text("customer_id")?.to_owned(),
                currency: row.text_if_any("currency")?.unwrap_or_default().to_owned(),
                owed_minor: row.integer("owed_minor")?,
                due: due.and_then(Day::checked_from_days),
            }))
        })
    }

    /// A loan by its number, or else by its id or a reference: digits are the number of a loan, if there is one.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the name is that of several loans.
    pub(crate) fn find_loan(&self, name: &str) -> Result<Option<LoanRow>, BookError> {
        match self.load_numbered_loan(name)? {
            Some(row) => Ok(Some(row)),
            None => self.find_referenced_loan(name),
        }
    }

    /// The loan with a number, written as the program writes it: `007` is not a number, but may be a reference.
    pub(crate) fn load_numbered_loan(&self, number: &str) -> Result<Option<LoanRow>, StoreError> {
        let id = number.parse().ok().filter(|id: &i64| id.to_string() == number);
        id.map_or(Ok(None), |id| self.load_loan(id))
    }

    /// The loan that has a text as its id, the reference of its request or of its acceptance.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if several loans have it.
    pub(crate) fn find_referenced_loan(&self, name: &str) -> Result<Option<LoanRow>, BookError> {
        // No database takes it as text.
        if name.contains('\0') {
            return Ok(None);
        }
        let sql = format!(
            "SELECT {LOAN_COLUMNS} FROM loans WHERE loan_id = $1 OR reference = $1 OR loan_reference_id = $1 \
             ORDER BY id LIMIT 2"
        );
        let mut found: Vec<LoanRow> = read_transaction(&*self.database, |tx| {
            tx.query(&sql, &[name.into()])?.iter().map(LoanRow::read).collect()
        })?;
        match found.len() {
            0 | 1 => Ok(found.pop()),
            _ => Err(BookError::Conflict("several loans have this id or reference; use the number of one")),
        }
    }

    /// Loans in the order of the book.
    pub(crate) fn list_loans(&self, filter: &Filter) -> Result<Vec<LoanRow>, StoreError> {
        let among = match filter.states.as_slice() {
            [] => String::new(),
            states => format!(" AND state IN ({})", quote_states(states.iter().copied())),
        };
        let mut values = vec![filter.after.into(), filter.most.into()];
        let customer = filter.customer_id.as_deref().map_or("", |customer| {
            values.push(customer.into());
            " AND customer_id = $3"
        });
        let sql = format!("SELECT {LOAN_COLUMNS} FROM loans WHERE id > $1{among}{customer} ORDER BY id LIMIT $2");
        read_transaction(&*self.database, |tx| tx.query(&sql, &values)?.iter().map(LoanRow::read).collect())
    }

    /// How many loans are in each state.
    pub(crate) fn count_loans(&self) -> Result<Vec<(LoanState, i64)>, StoreError> {
        let sql = "SELECT state, COUNT(*) AS loans FROM loans GROUP BY state";
        let mut counts: Vec<(LoanState, i64)> = read_transaction(&*self.database, |tx| {
            let read = |row: &crate::lender::store::value::QueryRow| {
                let state =
                    LoanState::from_word(row.text("state")?).ok_or_else(|| super::rows::damaged_row("a state"))?;
                Ok((state, row.integer("loans")?))
            };
            tx.query(sql, &[])?.iter().map(read).collect()
        })?;
        counts.sort_unstable();
        Ok(counts)
    }

    /// The transactions of money of a loan.
    pub(crate) fn list_orders(&self, loan: i64) -> Result<Vec<OrderRow>, StoreError> {
        let sql = format!(
            "SELECT {ORDER_COLUMNS} FROM orders WHERE loan = $1 ORDER BY planned_at, kind DESC, instalment, attempt"
        );
        read_transaction(&*self.database, |tx| tx.query(&sql, &[loan.into()])?.iter().map(OrderRow::read).collect())
    }

    /// The id under which an order of a loan was recorded.
    pub(crate) fn find_transaction_id(&self, loan: i64, order: &Order) -> Result<Option<String>, StoreError> {
        let sql =
            "SELECT transaction_id FROM orders WHERE loan = $1 AND kind = $2 AND instalment = $3 AND attempt = $4";
        read_transaction(&*self.database, |tx| {
            let rows = tx.query(sql, &order_key(loan, order))?;
            rows.first().map(|row| row.text("transaction_id").map(str::to_owned)).transpose()
        })
    }

    /// The transactions of money that were sent in a span of time.
    pub(crate) fn list_orders_between(&self, from: Timestamp, to: Timestamp) -> Result<Vec<OrderRow>, StoreError> {
        let sql = format!(
            "SELECT {ORDER_COLUMNS} FROM orders WHERE sent_at >= $1 AND sent_at < $2 ORDER BY sent_at, loan, attempt"
        );
        let values = [from.milliseconds().into(), to.milliseconds().into()];
        read_transaction(&*self.database, |tx| tx.query(&sql, &values)?.iter().map(OrderRow::read).collect())
    }

    /// The payments of a loan, or with `None` those that fit no loan.
    pub(crate) fn list_payments(&self, loan: Option<i64>) -> Result<Vec<PaymentRow>, StoreError> {
        let (condition, values) = match loan {
            Some(loan) => ("loan = $1", vec![loan.into()]),
            None => ("standing = 'parked'", vec![]),
        };
        let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE {condition} ORDER BY received_at, payment_ref");
        read_transaction(&*self.database, |tx| tx.query(&sql, &values)?.iter().map(PaymentRow::read).collect())
    }

    /// The personal part of a loan, sealed.
    pub(crate) fn load_private(&self, loan: i64) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT private FROM loans WHERE id = $1";
        read_transaction(&*self.database, |tx| match tx.query(sql, &[loan.into()])?.first() {
            Some(row) => Ok(row.bytes_if_any("private")?.map(<[u8]>::to_vec)),
            None => Ok(None),
        })
    }
}
