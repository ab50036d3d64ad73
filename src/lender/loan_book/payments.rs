//! Payments that the provider notified (E11). Each is stored first, and posted once: by its reference. One that does
//! not match a loan is kept for a person. Must not know HTTP.

use serde_json::json;

use super::advance::{Actor, Change, Facts};
use super::audit::{self, Entry};
use super::claims::lock_any;
use super::rows::{LOAN_COLUMNS, LoanRow, moment};
use super::{BookError, LoanBook, Outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, Event, Plan, Refused, State};
use crate::lender::store::database::{Transaction, read, write};
use crate::lender::store::error::StoreError;
use crate::lender::store::value::Row;
use crate::provider::wire::lender::Payment;

/// What became of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Standing {
    /// Stored, and not looked at yet.
    Received,
    /// It waits for the outcome of a transaction of money.
    Waiting,
    /// It is in the loan's account.
    Posted,
    /// It reports a debit of ours, which is in the account already.
    Echo,
    /// It fits nothing. A person decides.
    Parked,
    /// A person decided that it counts for no loan.
    Dismissed,
}

impl Standing {
    pub(crate) const ALL: [Standing; 6] = [
        Standing::Received,
        Standing::Waiting,
        Standing::Posted,
        Standing::Echo,
        Standing::Parked,
        Standing::Dismissed,
    ];

    /// The word for it, in the store and on screens.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Standing::Received => "received",
            Standing::Waiting => "waiting",
            Standing::Posted => "posted",
            Standing::Echo => "echo",
            Standing::Parked => "parked",
            Standing::Dismissed => "dismissed",
        }
    }
}

/// A payment of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PaymentRow {
    /// The provider's reference.
    pub(crate) payment_ref: String,
    /// Of the notification.
    pub(crate) digest: String,
    /// The loan as the notification names it.
    pub(crate) loan_id: String,
    /// The customer as the notification names them.
    pub(crate) customer_id: String,
    /// In minor units.
    pub(crate) amount_minor: i64,
    /// What became of it.
    pub(crate) standing: Standing,
    /// Why it is parked.
    pub(crate) reason: Option<String>,
    /// The loan's number in the book.
    pub(crate) loan: Option<i64>,
    /// When it came.
    pub(crate) received_at: Timestamp,
}

/// The columns of a [`PaymentRow`].
pub(super) const PAYMENT_COLUMNS: &str =
    "payment_ref, digest, loan_id, customer_id, amount_minor, standing, reason, loan, received_at";

impl PaymentRow {
    pub(super) fn read(row: &Row) -> Result<PaymentRow, StoreError> {
        let word = row.text("standing")?;
        let standing = Standing::ALL.into_iter().find(|standing| standing.word() == word);
        Ok(PaymentRow {
            payment_ref: row.text("payment_ref")?.to_owned(),
            digest: row.text("digest")?.to_owned(),
            loan_id: row.text("loan_id")?.to_owned(),
            customer_id: row.text("customer_id")?.to_owned(),
            amount_minor: row.integer("amount_minor")?,
            standing: standing.ok_or_else(|| super::rows::damaged("a payment"))?,
            reason: row.text_if_any("reason")?.map(str::to_owned),
            loan: row.integer_if_any("loan")?,
            received_at: moment(row, "received_at")?,
        })
    }
}

/// What a notification led to.
#[derive(Clone, Debug)]
pub(crate) struct Notified {
    /// The payment.
    pub(crate) payment: PaymentRow,
    /// The loan, if the notification fits one.
    pub(crate) loan: Option<LoanRow>,
}

impl LoanBook {
    /// Stores a notification, and then posts it. The same one again has no further effect.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the reference came before with another content; both are kept.
    pub(crate) fn notified(&self, payment: &Payment, (now, plan): (Timestamp, &Plan)) -> Result<Notified, BookError> {
        let digest = self.derived(&[
            "payment",
            &payment.payment_ref,
            &payment.loan_id,
            &payment.customer_id,
            &payment.amount_minor.to_string(),
        ]);
        let stored = write(&*self.database, |tx| store(tx, payment, &digest, now))?;
        if matches!(stored.standing, Standing::Parked | Standing::Dismissed)
            && stored.reason.as_deref() == Some(CONTRADICTS)
        {
            return Err(BookError::Conflict(CONTRADICTS));
        }
        let settled = match stored.standing {
            // The loan may be known by now.
            Standing::Parked if stored.reason.as_deref() == Some(NO_LOAN) => {
                match write(&*self.database, |tx| look_again(tx, &stored))? {
                    Some(again) => write(&*self.database, |tx| self.look_at(tx, &again, now, plan))??,
                    None => stored,
                }
            }
            Standing::Received => write(&*self.database, |tx| self.look_at(tx, &stored, now, plan))??,
            _ => stored,
        };
        let loan = match settled.loan {
            Some(loan) => self.loan(loan)?,
            None => None,
        };
        Ok(Notified { payment: settled, loan })
    }

    /// Looks at the payments that were stored when an earlier process ended. Returns how many.
    pub(crate) fn look_at_received(&self, now: Timestamp, plan: &Plan) -> Result<usize, BookError> {
        let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE standing = 'received' ORDER BY received_at");
        let rows: Vec<PaymentRow> =
            read(&*self.database, |tx| tx.query(&sql, &[])?.iter().map(PaymentRow::read).collect())?;
        // One that cannot be posted must not hold up the others; the next look meets it again.
        let mut failure = None;
        for row in &rows {
            let looked = write(&*self.database, |tx| self.look_at(tx, row, now, plan));
            failure = looked.map_err(BookError::from).and_then(|looked| looked).err().or(failure);
        }
        failure.map_or(Ok(rows.len()), Err)
    }

    /// Finds the loan of a payment, and posts it there or says why not.
    fn look_at(
        &self,
        tx: &mut dyn Transaction,
        payment: &PaymentRow,
        now: Timestamp,
        plan: &Plan,
    ) -> Outcome<PaymentRow> {
        let sql = format!("SELECT {LOAN_COLUMNS} FROM loans WHERE loan_id = $1");
        let found = tx.query(&sql, &[payment.loan_id.as_str().into()])?.first().map(LoanRow::read).transpose()?;
        let park = |tx: &mut dyn Transaction, reason: &'static str| {
            let sql = "UPDATE payments SET standing = 'parked', reason = $1, settled_at = $2 WHERE payment_ref = $3 \
                       AND digest = $4 AND standing = 'received'";
            let values = [
                reason.into(),
                now.milliseconds().into(),
                payment.payment_ref.as_str().into(),
                payment.digest.as_str().into(),
            ];
            if tx.execute(sql, &values)? == 0 {
                return Ok(Ok(payment.clone()));
            }
            let detail =
                json!({ "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor, "reason": reason });
            audit::add(tx, &Entry { at: now, loan: None, actor: "provider", event: "payment_parked", detail })?;
            Ok(Ok(PaymentRow { standing: Standing::Parked, reason: Some(reason.to_owned()), ..payment.clone() }))
        };
        let Some(found) = found else { return park(tx, NO_LOAN) };
        if found.customer_id != payment.customer_id {
            return park(tx, "the loan is another customer's");
        }
        let row = match lock_any(tx, found.id)? {
            Ok(row) => row,
            Err(error) => return Ok(Err(error)),
        };
        // Somebody else may have looked at it meanwhile.
        let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND digest = $2");
        let again = tx.query(&sql, &[payment.payment_ref.as_str().into(), payment.digest.as_str().into()])?;
        let again =
            again.first().map(PaymentRow::read).transpose()?.ok_or_else(|| super::rows::damaged("a payment"))?;
        if again.standing != Standing::Received {
            return Ok(Ok(again));
        }
        self.post(tx, row, again, now, plan)
    }

    /// Keeps a debit from being tried again that the provider says failed and was made.
    fn contradict(&self, tx: &mut dyn Transaction, loan: i64, now: Timestamp, plan: &Plan) -> Result<(), StoreError> {
        let event = Event::Impossible(Cause::Contradicted);
        let facts = Facts::default();
        let change = Change { event: &event, facts: &facts, actor: &Actor::Provider, now, plan };
        if let Ok(row) = lock_any(tx, loan)? {
            // Where nothing is to be collected, nothing needs to be stopped.
            let _ = self.carry_out(tx, row, &change, None)?;
        }
        Ok(())
    }

    fn post(
        &self,
        tx: &mut dyn Transaction,
        row: LoanRow,
        payment: PaymentRow,
        now: Timestamp,
        plan: &Plan,
    ) -> Outcome<PaymentRow> {
        let (loan, state) = (row.id, row.loan.state);
        let matched = matched(tx, loan, &payment)?;
        let (standing, reason) = match matched {
            Some(matched) => matched,
            None => {
                let event = Event::Paid { amount_minor: payment.amount_minor };
                let facts = Facts { note: Some(format!("payment {}", payment.payment_ref)), ..Facts::default() };
                let change = Change { event: &event, facts: &facts, actor: &Actor::Provider, now, plan };
                match self.carry_out(tx, row, &change, None)? {
                    Ok(_) => (Standing::Posted, None),
                    Err(BookError::Refused(Refused::Busy { .. })) => (Standing::Waiting, None),
                    Err(BookError::Refused(Refused::Impossible { .. })) if may_come(state) => (Standing::Waiting, None),
                    Err(BookError::Refused(_)) => (Standing::Parked, Some("the loan takes no payments")),
                    Err(error) => return Ok(Err(error)),
                }
            }
        };
        settle(tx, &payment, standing, reason, loan, now)?;
        if reason == Some(REPORTS_FAILED) {
            self.contradict(tx, loan, now, plan)?;
        }
        if standing != Standing::Posted {
            let detail = json!({
                "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor,
                "standing": standing.word(), "reason": reason,
            });
            audit::add(tx, &Entry { at: now, loan: Some(loan), actor: "provider", event: "payment", detail })?;
        }
        Ok(Ok(PaymentRow { standing, reason: reason.map(str::to_owned), loan: Some(loan), ..payment }))
    }
}

pub(super) const REPORTS_FAILED: &str = "it reports a debit that failed";
pub(super) const OTHER_AMOUNT: &str = "it reports a debit of another amount";
const NO_LOAN: &str = "there is no loan with this id";
const CONTRADICTS: &str = "a payment with this reference came before with another content";

/// Stores a notification, or finds it.
fn store(tx: &mut dyn Transaction, payment: &Payment, digest: &str, now: Timestamp) -> Result<PaymentRow, StoreError> {
    let values = |standing: &str, reason: Option<&str>| {
        [
            payment.payment_ref.as_str().into(),
            digest.into(),
            payment.loan_id.as_str().into(),
            payment.customer_id.as_str().into(),
            payment.amount_minor.into(),
            standing.into(),
            reason.into(),
            now.milliseconds().into(),
        ]
    };
    let sql = "INSERT INTO payments (payment_ref, digest, loan_id, customer_id, amount_minor, standing, reason, \
               received_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    if tx.execute(sql, &values("received", None))? == 0 {
        // Either this very notification, or another one of the same reference.
        tx.execute(sql, &values("parked", Some(CONTRADICTS)))?;
    }
    let sql = format!("SELECT {PAYMENT_COLUMNS} FROM payments WHERE payment_ref = $1 AND digest = $2");
    let rows = tx.query(&sql, &[payment.payment_ref.as_str().into(), digest.into()])?;
    rows.first().map(PaymentRow::read).transpose()?.ok_or_else(|| super::rows::damaged("a payment"))
}

/// Lets a payment be looked at again whose loan is known by now; `None` if it is not.
fn look_again(tx: &mut dyn Transaction, payment: &PaymentRow) -> Result<Option<PaymentRow>, StoreError> {
    if tx.query("SELECT id FROM loans WHERE loan_id = $1", &[payment.loan_id.as_str().into()])?.is_empty() {
        return Ok(None);
    }
    let sql = "UPDATE payments SET standing = 'received', reason = NULL WHERE payment_ref = $1 AND digest = $2 AND \
               standing = 'parked' AND NOT EXISTS (SELECT 1 FROM payments AS other WHERE other.payment_ref = $1 AND \
               other.standing NOT IN ('parked', 'dismissed'))";
    let values = [payment.payment_ref.as_str().into(), payment.digest.as_str().into()];
    match tx.execute(sql, &values)? {
        0 => Ok(None),
        _ => Ok(Some(PaymentRow { standing: Standing::Received, reason: None, ..payment.clone() })),
    }
}

/// The payments that wait for the outcome of a transaction of money of a loan, oldest first.
pub(super) fn waiting(tx: &mut dyn Transaction, loan: i64) -> Result<Vec<PaymentRow>, StoreError> {
    let sql = format!(
        "SELECT {PAYMENT_COLUMNS} FROM payments WHERE loan = $1 AND standing = 'waiting' ORDER BY received_at, \
         payment_ref"
    );
    tx.query(&sql, &[loan.into()])?.iter().map(PaymentRow::read).collect()
}

/// Whether a payment is one of our own debits, which the provider notifies too. `None` if it is the customer's.
pub(super) fn matched(
    tx: &mut dyn Transaction,
    loan: i64,
    payment: &PaymentRow,
) -> Result<Option<(Standing, Option<&'static str>)>, StoreError> {
    let sql = "SELECT outcome, amount_minor FROM orders WHERE loan = $1 AND kind = 'debit' AND (transaction_ref = $2 \
               OR transaction_id = $2)";
    let ours = tx.query(sql, &[loan.into(), payment.payment_ref.as_str().into()])?;
    let differs = ours
        .first()
        .map(|row| row.integer("amount_minor"))
        .transpose()?
        .is_some_and(|amount| amount != payment.amount_minor);
    match ours.first().map(|row| row.text("outcome")).transpose()? {
        Some("moved") if differs => return Ok(Some((Standing::Parked, Some(OTHER_AMOUNT)))),
        Some("moved") => return Ok(Some((Standing::Echo, None))),
        // Its outcome decides.
        Some("planned" | "sent") => return Ok(Some((Standing::Waiting, None))),
        Some(_) => return Ok(Some((Standing::Parked, Some(REPORTS_FAILED)))),
        None => {}
    }
    // The provider's reference of a debit whose answer was lost may never have come.
    let sql = "SELECT COUNT(*) AS nameless FROM orders WHERE loan = $1 AND kind = 'debit' AND outcome = 'moved' AND \
               transaction_ref IS NULL AND amount_minor = $2";
    let nameless = tx.query(sql, &[loan.into(), payment.amount_minor.into()])?;
    match nameless.first().map_or(Ok(0), |row| row.integer("nameless"))? {
        0 => Ok(None),
        _ => Ok(Some((Standing::Parked, Some("it may report a debit of ours whose reference is not known")))),
    }
}

/// Whether a loan in this state may still take payments later.
pub(super) fn may_come(state: State) -> bool {
    matches!(
        state,
        State::Verifying
            | State::AccountWrong
            | State::Funding
            | State::FundingUnknown
            | State::FundingFailed
            | State::Review
    )
}

pub(super) fn settle(
    tx: &mut dyn Transaction,
    payment: &PaymentRow,
    standing: Standing,
    reason: Option<&str>,
    loan: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "UPDATE payments SET standing = $1, reason = $2, loan = $3, settled_at = $4 WHERE payment_ref = $5 AND \
               digest = $6 AND standing IN ('received', 'waiting')";
    let values = [
        standing.word().into(),
        reason.into(),
        loan.into(),
        now.milliseconds().into(),
        payment.payment_ref.as_str().into(),
        payment.digest.as_str().into(),
    ];
    match tx.execute(sql, &values)? {
        1 => Ok(()),
        _ => Err(StoreError::Programming("a payment was settled twice".to_owned())),
    }
}

/// The audit's row of a payment that had waited.
pub(super) fn entry<'e>(
    payment: &PaymentRow,
    standing: Standing,
    reason: Option<&str>,
    row: &LoanRow,
    now: Timestamp,
) -> Entry<'e> {
    let detail = json!({
        "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor, "standing": standing.word(),
        "reason": reason, "to": row.loan.state.word(),
    });
    Entry { at: now, loan: Some(row.id), actor: "provider", event: "payment", detail }
}
