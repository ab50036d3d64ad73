//! The acceptance of an offer, which makes the loan: once, whatever is repeated and however many come at once. Must not
//! know HTTP.

use super::advance::{Actor, Change, Facts};
use super::claims::lock_any;
use super::rows::LoanRow;
use super::{BookError, LoanBook, OfferRow, Outcome};
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, Event, Plan, State, step};
use crate::lender::store::database::{Transaction, write};
use crate::lender::store::error::StoreError;

/// An acceptance to be stored.
#[derive(Clone, Debug)]
pub(crate) struct Acceptance {
    /// The offer.
    pub(crate) offer_id: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// The provider's reference.
    pub(crate) loan_reference_id: String,
    /// The loan's id, if the provider gives it.
    pub(crate) loan_id: Option<String>,
    /// Of everything in it.
    pub(crate) fingerprint: String,
    /// The account and whatever else is personal, sealed.
    pub(crate) private: Option<Vec<u8>>,
    /// How many loans a customer may have at a time.
    pub(crate) loans_max: i64,
}

/// What an acceptance led to.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    /// The loan's id at the provider.
    pub(crate) loan_id: String,
    /// Whether this call made the loan.
    pub(crate) is_new: bool,
}

const USED_REFERENCE: &str = "`loanReferenceId` came before with another content";

impl LoanBook {
    /// Accepts an offer. The same acceptance again gets the same answer; one that is refused leaves nothing behind, so
    /// that a corrected one is not held up by it.
    ///
    /// # Errors
    /// [`BookError::NotFound`] for an offer that is not this customer's, [`BookError::Conflict`] with the reason.
    pub(crate) fn accept(&self, asked: &Acceptance, (now, plan): (Timestamp, &Plan)) -> Result<Accepted, BookError> {
        let digest = self.derived(&["acceptance", &asked.loan_reference_id, &asked.fingerprint]);
        let run = || write(&*self.database, |tx| self.accept_in(tx, asked, &digest, now, plan));
        match run() {
            // Somebody else accepted under the same reference or id at the same moment: now it can be found.
            Err(StoreError::Duplicate { .. }) => match run() {
                Err(error) if error.is_duplicate_of("loans", "loan_id") => {
                    Err(BookError::Conflict("`loanId` is another loan's"))
                }
                again => again?,
            },
            accepted => accepted?,
        }
    }

    fn accept_in(
        &self,
        tx: &mut dyn Transaction,
        asked: &Acceptance,
        digest: &str,
        now: Timestamp,
        plan: &Plan,
    ) -> Outcome<Accepted> {
        if let Some(known) = earlier(tx, asked, digest)? {
            return Ok(known);
        }
        let found = match find_offer(tx, asked)? {
            Some(found) => found,
            None => return Ok(Err(BookError::NotFound("offer"))),
        };
        // Two acceptances of one customer take turns: each counts the loans that the other may make.
        let sql = "UPDATE loans SET version = version + 1 WHERE customer_id = $1";
        tx.execute(sql, &[asked.customer_id.as_str().into()])?;
        let row = match lock_any(tx, found.0)? {
            Ok(row) => row,
            Err(error) => return Ok(Err(error)),
        };
        // Under the lock: the same acceptance may just have been made.
        if let Some(known) = earlier(tx, asked, digest)? {
            return Ok(known);
        }
        if let Err(reason) = self.check(tx, asked, &row, &found.1, now)? {
            return Ok(Err(BookError::Conflict(reason)));
        }
        let loan_id = match (&asked.loan_id, &row.loan_id) {
            (Some(given), Some(known)) if given != known => {
                return Ok(Err(BookError::Conflict("`loanId` differs from that of an earlier acceptance")));
            }
            (Some(known), _) | (None, Some(known)) => known.clone(),
            (None, None) => self.own_loan_id(&row),
        };
        let event = Event::Accepted { terms: found.1.terms };
        if step(&row.loan, &event, now, plan).is_err() {
            return Ok(Err(BookError::Conflict("the offer cannot be accepted")));
        }
        let sql = "INSERT INTO acceptances (loan_reference_id, digest, loan, at) VALUES ($1, $2, $3, $4)";
        let values = [asked.loan_reference_id.as_str().into(), digest.into(), row.id.into(), now.milliseconds().into()];
        tx.execute(sql, &values)?;
        let sql = "UPDATE loans SET offer_id = $1, loan_id = $2, loan_reference_id = $3, private = $4 WHERE id = $5";
        let values = [
            asked.offer_id.as_str().into(),
            loan_id.as_str().into(),
            asked.loan_reference_id.as_str().into(),
            asked.private.clone().into(),
            row.id.into(),
        ];
        tx.execute(sql, &values)?;
        let facts = Facts { note: Some(format!("offer {}", asked.offer_id)), ..Facts::default() };
        let change = Change { event: &event, facts: &facts, actor: &Actor::Provider, now, plan };
        Ok(match self.carry_out(tx, row, &change, None)? {
            Ok(_) => Ok(Accepted { loan_id, is_new: true }),
            Err(error) => return rolled_back(error),
        })
    }

    fn check(
        &self,
        tx: &mut dyn Transaction,
        asked: &Acceptance,
        row: &LoanRow,
        offer: &OfferRow,
        now: Timestamp,
    ) -> Result<Result<(), &'static str>, StoreError> {
        // The answer may have arrived although its receipt was lost, or a copy of it was refused.
        let is_unanswered = row.loan.state == State::Review
            && matches!(row.loan.cause, Some(Cause::AnswerRefused | Cause::NotAnswered));
        let may_accept =
            matches!(row.loan.state, State::Offered | State::Answering | State::AccountWrong) || is_unanswered;
        if !may_accept && row.offer_id.is_some() {
            return Ok(Err("an offer of this request has become a loan"));
        }
        if row.loan.state == State::AccountWrong && row.offer_id.as_deref() != Some(&asked.offer_id) {
            return Ok(Err("another offer of this request was accepted; accept that one with another account"));
        }
        if now >= offer.expires_at || row.loan.state == State::Expired {
            return Ok(Err("the offer has expired"));
        }
        if !may_accept {
            return Ok(Err("the offer cannot be accepted"));
        }
        let sql = "SELECT COUNT(*) AS loans FROM loans WHERE customer_id = $1 AND id <> $2 AND loan_id IS NOT NULL AND \
                   state NOT IN ('expired', 'cancelled', 'closed', 'overpaid', 'account_wrong')";
        let rows = tx.query(sql, &[asked.customer_id.as_str().into(), row.id.into()])?;
        match rows.first().map_or(Ok(0), |row| row.integer("loans"))? < asked.loans_max {
            true => Ok(Ok(())),
            false => Ok(Err("the customer has a loan already")),
        }
    }
}

/// Nothing of a refused acceptance may stay, so its transaction ends with an error; the caller sees the refusal.
fn rolled_back(error: BookError) -> Outcome<Accepted> {
    match error {
        BookError::Store(error) => Err(error),
        // The table has been asked before.
        other => Err(StoreError::Programming(other.to_string())),
    }
}

/// What the same reference led to before.
fn earlier(
    tx: &mut dyn Transaction,
    asked: &Acceptance,
    digest: &str,
) -> Result<Option<Result<Accepted, BookError>>, StoreError> {
    let sql = "SELECT loans.loan_id, acceptances.digest FROM acceptances JOIN loans ON loans.id = acceptances.loan \
               WHERE acceptances.loan_reference_id = $1";
    let rows = tx.query(sql, &[asked.loan_reference_id.as_str().into()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(match row.text("digest")? == digest {
        true => Ok(Accepted { loan_id: row.text("loan_id")?.to_owned(), is_new: false }),
        false => Err(BookError::Conflict(USED_REFERENCE)),
    }))
}

/// The customer's newest loan with this offer, first among those that wait for an acceptance: two requests with the
/// same statement and day have the same offers.
fn find_offer(tx: &mut dyn Transaction, asked: &Acceptance) -> Result<Option<(i64, OfferRow)>, StoreError> {
    let sql = "SELECT offers.loan, offers.offer, offers.terms, offers.expires_at FROM offers JOIN loans ON \
               loans.id = offers.loan WHERE offers.offer_id = $1 AND loans.customer_id = $2 ORDER BY CASE WHEN \
               loans.state IN ('offered', 'answering', 'account_wrong') THEN 0 ELSE 1 END, loans.id DESC LIMIT 1";
    let rows = tx.query(sql, &[asked.offer_id.as_str().into(), asked.customer_id.as_str().into()])?;
    rows.first().map(|row| Ok((row.integer("loan")?, OfferRow::read(row)?))).transpose()
}
