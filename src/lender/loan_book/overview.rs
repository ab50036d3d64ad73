//! The book as a whole, for people: decisions and messages, money in flight, what failed, days and pages of rows.
//! Changes nothing.

use super::LoanBook;
use super::audit::{AuditRow, read_audit_row};
use super::payment_rows::{PAYMENT_COLUMNS, PaymentRow};
use super::queries::ORDER_COLUMNS;
use super::rows::{LOAN_COLUMNS, LoanRow, OrderRow, quote_states, read_kind, read_moment, read_outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{LoanState, OrderKind, OrderOutcome};
use crate::lender::store::database::read_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::value::{QueryRow, SqlValue};

/// A decision of the book, without its record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecisionRow {
    /// When.
    pub(crate) at: Timestamp,
    /// `offer`, `refer` or `decline`.
    pub(crate) outcome: String,
    /// The policy's name, version and digest.
    pub(crate) policy: [String; 3],
    /// Whether the record is kept.
    pub(crate) has_record: bool,
}

/// A message of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MessageRow {
    /// Its number in the book.
    pub(crate) id: i64,
    /// The loan's number in the book.
    pub(crate) loan: i64,
    /// What it tells.
    pub(crate) message: String,
    /// What became of it.
    pub(crate) standing: String,
    /// Why, if it was not sent.
    pub(crate) reason: Option<String>,
    /// How often it was tried.
    pub(crate) tries: i64,
    /// When it was planned.
    pub(crate) planned_at: Timestamp,
    /// When it was settled.
    pub(crate) settled_at: Option<Timestamp>,
}

impl MessageRow {
    fn read(row: &QueryRow) -> Result<MessageRow, StoreError> {
        Ok(MessageRow {
            id: row.integer("id")?,
            loan: row.integer("loan")?,
            message: row.text("message")?.to_owned(),
            standing: row.text("standing")?.to_owned(),
            reason: row.text_if_any("reason")?.map(str::to_owned),
            tries: row.integer("tries")?,
            planned_at: read_moment(row, "planned_at")?,
            settled_at: row.integer_if_any("settled_at")?.and_then(Timestamp::from_milliseconds),
        })
    }
}

const MESSAGE_COLUMNS: &str = "id, loan, message, standing, reason, tries, planned_at, settled_at";

/// How many transactions of money there are of a kind, an outcome and a currency, and their sum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    /// What they do.
    pub(crate) kind: OrderKind,
    /// What became of them.
    pub(crate) outcome: OrderOutcome,
    /// ISO 4217, numeric.
    pub(crate) currency: String,
    /// How many.
    pub(crate) count: i64,
    /// In minor units.
    pub(crate) amount_minor: i64,
}

/// What went wrong, and may need a person.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Troubles {
    /// Transactions of money that did not move.
    pub(crate) orders_not_moved: i64,
    /// Messages that were not sent, or perhaps not.
    pub(crate) messages_failed: i64,
    /// Payments that fit nothing.
    pub(crate) payments_parked: i64,
}

/// How many rows the tables of the book have.
pub(crate) const TABLES: [&str; 7] = ["loans", "offers", "decisions", "orders", "payments", "messages", "audit"];

impl LoanBook {
    /// The decisions of a loan, in order.
    pub(crate) fn list_decisions(&self, loan: i64) -> Result<Vec<DecisionRow>, StoreError> {
        let sql = "SELECT at, outcome, policy_name, policy_version, policy_digest, CAST(CASE WHEN record IS NULL \
                   THEN 0 ELSE 1 END AS BIGINT) AS has_record FROM decisions WHERE loan = $1 ORDER BY number";
        let read_one = |row: &QueryRow| {
            let policy = ["policy_name", "policy_version", "policy_digest"].map(|column| row.text(column));
            let [name, version, digest] = policy;
            Ok(DecisionRow {
                at: read_moment(row, "at")?,
                outcome: row.text("outcome")?.to_owned(),
                policy: [name?.to_owned(), version?.to_owned(), digest?.to_owned()],
                has_record: row.integer("has_record")? == 1,
            })
        };
        read_transaction(&*self.database, |tx| tx.query(sql, &[loan.into()])?.iter().map(read_one).collect())
    }

    /// The messages of a loan, in order.
    pub(crate) fn list_messages(&self, loan: i64) -> Result<Vec<MessageRow>, StoreError> {
        let sql = format!("SELECT {MESSAGE_COLUMNS} FROM messages WHERE loan = $1 ORDER BY id");
        read_transaction(&*self.database, |tx| tx.query(&sql, &[loan.into()])?.iter().map(MessageRow::read).collect())
    }

    /// The transactions of money with an open outcome, by kind, outcome and currency.
    pub(crate) fn sum_money_in_flight(&self) -> Result<Vec<Flow>, StoreError> {
        let sql = "SELECT orders.kind, orders.outcome, COALESCE(loans.currency, '') AS currency, COUNT(*) AS count, \
                   CAST(SUM(orders.amount_minor) AS BIGINT) AS amount FROM orders JOIN loans ON loans.id = orders.loan \
                   WHERE orders.outcome IN ('planned', 'sent') GROUP BY orders.kind, orders.outcome, loans.currency \
                   ORDER BY orders.kind, orders.outcome, loans.currency";
        let read_one = |row: &QueryRow| {
            Ok(Flow {
                kind: read_kind(row)?,
                outcome: read_outcome(row)?,
                currency: row.text("currency")?.to_owned(),
                count: row.integer("count")?,
                amount_minor: row.integer("amount")?,
            })
        };
        read_transaction(&*self.database, |tx| tx.query(sql, &[])?.iter().map(read_one).collect())
    }

    /// What went wrong.
    pub(crate) fn count_troubles(&self) -> Result<Troubles, StoreError> {
        let sql = "SELECT (SELECT COUNT(*) FROM orders WHERE outcome = 'not_moved') AS orders, (SELECT COUNT(*) FROM \
                   messages WHERE standing IN ('failed', 'unknown')) AS messages, (SELECT COUNT(*) FROM payments WHERE \
                   standing = 'parked') AS payments";
        read_transaction(&*self.database, |tx| {
            let rows = tx.query(sql, &[])?;
            let Some(row) = rows.first() else { return Ok(Troubles::default()) };
            Ok(Troubles {
                orders_not_moved: row.integer("orders")?,
                messages_failed: row.integer("messages")?,
                payments_parked: row.integer("payments")?,
            })
        })
    }

    /// The loans that wait for a person, those that wait longest first.
    pub(crate) fn list_waiting_for_people(&self, most: i64) -> Result<Vec<LoanRow>, StoreError> {
        let waiting = quote_states(LoanState::ALL.into_iter().filter(|state| state.needs_person()));
        let sql =
            format!("SELECT {LOAN_COLUMNS} FROM loans WHERE state IN ({waiting}) ORDER BY changed_at, id LIMIT $1");
        read_transaction(&*self.database, |tx| tx.query(&sql, &[most.into()])?.iter().map(LoanRow::read).collect())
    }

    /// How many rows each table has, in the order of [`TABLES`].
    pub(crate) fn count_rows(&self) -> Result<Vec<i64>, StoreError> {
        read_transaction(&*self.database, |tx| {
            TABLES
                .iter()
                .map(|table| {
                    let rows = tx.query(&format!("SELECT COUNT(*) AS rows_counted FROM {table}"), &[])?;
                    rows.first().map_or(Ok(0), |row| row.integer("rows_counted"))
                })
                .collect()
        })
    }

    /// The number of the audit's row with this hash.
    pub(crate) fn find_audit_row(&self, hash: &str) -> Result<Option<i64>, StoreError> {
        read_transaction(&*self.database, |tx| {
            tx.query("SELECT seq FROM audit WHERE hash = $1", &[hash.into()])?
                .first()
                .map(|row| row.integer("seq"))
                .transpose()
        })
    }

    /// The payments that came in a span of time.
    pub(crate) fn list_payments_between(&self, from: Timestamp, to: Timestamp) -> Result<Vec<PaymentRow>, StoreError> {
        let sql = format!(
            "SELECT {PAYMENT_COLUMNS} FROM payments WHERE received_at >= $1 AND received_at < $2 ORDER BY received_at, \
             payment_ref, digest"
        );
        let values = [from.milliseconds().into(), to.milliseconds().into()];
        read_transaction(&*self.database, |tx| tx.query(&sql, &values)?.iter().map(PaymentRow::read).collect())
    }

    /// The loans that were requested in a span of time, after this number: at most so many.
    pub(crate) fn page_loans(&self, span: TimeSpan, after: i64, most: i64) -> Result<Vec<LoanRow>, StoreError> {
        let sql = format!(
            "SELECT {LOAN_COLUMNS} FROM loans WHERE id > $1 AND created_at >= $2 AND created_at < $3 ORDER BY id \
             LIMIT $4"
        );
        self.page(&sql, &span.page(after, most), LoanRow::read)
    }

    /// The transactions of money that were planned in a span of time, after this place of a loan: at most so many.
    pub(crate) fn page_orders(&self, span: TimeSpan, after: i64, most: i64) -> Result<Vec<OrderRow>, StoreError> {
        // A page never splits one loan's rows.
        let sql = format!(
            "SELECT {ORDER_COLUMNS} FROM orders WHERE loan IN (SELECT DISTINCT loan FROM orders WHERE loan > $1 AND \
             planned_at >= $2 AND planned_at < $3 ORDER BY loan LIMIT $4) AND planned_at >= $2 AND planned_at < $3 \
             ORDER BY loan, planned_at, kind DESC, instalment, attempt"
        );
        self.page(&sql, &span.page(after, most), OrderRow::read)
    }

    /// The messages that were planned in a span of time, after this number: at most so many.
    pub(crate) fn page_messages(&self, span: TimeSpan, after: i64, most: i64) -> Result<Vec<MessageRow>, StoreError> {
        let sql = format!(
            "SELECT {MESSAGE_COLUMNS} FROM messages WHERE id > $1 AND planned_at >= $2 AND planned_at < $3 ORDER BY id \
             LIMIT $4"
        );
        self.page(&sql, &span.page(after, most), MessageRow::read)
    }

    /// The rows of the audit in a span of time, after this number: at most so many.
    pub(crate) fn page_audit(&self, span: TimeSpan, after: i64, most: i64) -> Result<Vec<AuditRow>, StoreError> {
        let sql = "SELECT seq, at, loan, actor, event, detail, hash FROM audit WHERE seq > $1 AND at >= $2 AND at < $3 \
                   ORDER BY seq LIMIT $4";
        self.page(sql, &span.page(after, most), read_audit_row)
    }

    fn page<T>(
        &self,
        sql: &str,
        values: &[SqlValue],
        read_one: impl Fn(&QueryRow) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        read_transaction(&*self.database, |tx| tx.query(sql, values)?.iter().map(&read_one).collect())
    }
}

/// A span of time, without its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeSpan {
    /// Its begin.
    pub(crate) from: Timestamp,
    /// Its end.
    pub(crate) to: Timestamp,
}

impl TimeSpan {
    fn page(self, after: i64, most: i64) -> [SqlValue; 4] {
        [after.into(), self.from.milliseconds().into(), self.to.milliseconds().into(), most.into()]
    }
}
