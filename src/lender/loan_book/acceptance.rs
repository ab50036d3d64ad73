//! The acceptance of an offer, which makes the loan. It is idempotent: the same acceptance again, also at the same
//! moment, makes no second loan and gets the same answer.

use super::actor::Actor;
use super::advance::{Facts, StepContext};
use super::claims::lock_loan;
use super::rows::LoanRow;
use super::step_log::{BeforeStep, TakenStep};
use super::{BookError, BookResult, LoanBook, OfferRow};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Cause, Event, LoanState};
use crate::lender::store::database::{Transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// An acceptance to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewAcceptance {
    /// The offer.
    pub(crate) offer_id: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// The provider's reference.
    pub(crate) loan_reference_id: String,
    /// The loan's id, if the provider gives it.
    pub(crate) loan_id: Option<String>,
    /// A digest of everything in it: another content under the same reference is refused.
    pub(crate) fingerprint: String,
    /// The account and whatever else is personal, sealed.
    pub(crate) private: Option<Vec<u8>>,
    /// How many loans a customer may have at a time.
    pub(crate) loans_max: i64,
}

/// What an acceptance led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AcceptedLoan {
    /// The loan's id at the provider.
    pub(crate) loan_id: String,
    /// Whether this call made the loan.
    pub(crate) is_new: bool,
}

const USED_REFERENCE: &str = "`loanReferenceId` came before with another content";

impl LoanBook {
    /// Accepts an offer. The same acceptance again gets the same answer; one that is refused leaves nothing behind, so
    /// that a corrected one may follow.
    ///
    /// # Errors
    /// [`BookError::NotFound`] for an offer that is not this customer's, [`BookError::Conflict`] with the reason.
    pub(crate) fn accept_offer(&self, new: &NewAcceptance, at: At<'_>) -> Result<AcceptedLoan, BookError> {
        let digest = self.derive_digest(&["acceptance", &new.loan_reference_id, &new.fingerprint]);
        let mut taken = None;
        let mut run = || {
            write_transaction(&*self.database, |tx| {
                taken = None;
                self.accept_in(tx, new, &digest, at, &mut taken)
            })
        };
        let accepted = match run() {
            // Another call accepted under the same reference or id at the same moment: now it can be found.
            Err(StoreError::Duplicate { .. }) => match run() {
                Err(error) if error.is_duplicate_of("loans", "loan_id") => {
                    Err(BookError::Conflict("`loanId` is another loan's"))
                }
                again => again?,
            },
            accepted => accepted?,
        };
        if let Some(taken) = taken.filter(|_| accepted.is_ok()) {
            taken.log();
        }
        accepted
    }

    fn accept_in(
        &self,
        tx: &mut dyn Transaction,
        new: &NewAcceptance,
        digest: &str,
        at: At<'_>,
        taken: &mut Option<TakenStep>,
    ) -> BookResult<AcceptedLoan> {
        if let Some(known) = find_earlier(tx, new, digest)? {
            return Ok(known);
        }
        let Some((loan, offer)) = find_offer(tx, new)? else { return Ok(Err(BookError::NotFound("offer"))) };
        // Two acceptances of one customer take turns: each counts the loans that the other may make.
        let sql = "UPDATE loans SET version = version + 1 WHERE customer_id = $1";
        tx.execute(sql, &[new.customer_id.as_str().into()])?;
        let locked = match lock_loan(tx, loan)? {
            Ok(locked) => locked,
            Err(error) => return Ok(Err(error)),
        };
        // Under the lock: the same acceptance may just have been made.
        if let Some(known) = find_earlier(tx, new, digest)? {
            return Ok(known);
        }
        if let Err(reason) = check(tx, new, locked.row(), &offer, at.now)? {
            return Ok(Err(BookError::Conflict(reason)));
        }
        let loan_id = match (&new.loan_id, &locked.row().loan_id) {
            (Some(given), Some(known)) if given != known => {
                return Ok(Err(BookError::Conflict("`loanId` differs from that of an earlier acceptance")));
            }
            (Some(known), _) | (None, Some(known)) => known.clone(),
            (None, None) => {
                self.require_order_key(loan)?;
                self.derive_loan_id(locked.row())
            }
        };
        let before = BeforeStep::note(&locked);
        let event = Event::Accepted { terms: offer.terms };
        let facts = Facts { note: Some(format!("offer {}", new.offer_id)), ..Facts::default() };
        let change = StepContext { event: &event, facts: &facts, actor: &Actor::Provider, at };
        // Nothing of a refused acceptance may stay, so the table comes before the first change.
        let Ok(step) = locked.step(&change) else {
            return Ok(Err(BookError::Conflict("the offer cannot be accepted")));
        };
        store_acceptance(tx, new, digest, loan, &loan_id, at.now)?;
        let row = self.write_step(tx, step, &change, None)?;
        *taken = Some(TakenStep { before, event, row });
        Ok(Ok(AcceptedLoan { loan_id, is_new: true }))
    }
}

/// Whether the offer can be accepted now, or why not.
fn check(
    tx: &mut dyn Transaction,
    new: &NewAcceptance,
    row: &LoanRow,
    offer: &OfferRow,
    now: Timestamp,
) -> Result<Result<(), &'static str>, StoreError> {
    // The answer may have arrived although its receipt was lost, or a copy of it was refused.
    let is_unanswered = row.loan.state == LoanState::Review
        && matches!(row.loan.cause, Some(Cause::AnswerRefused | Cause::NotAnswered));
    let may_accept =
        matches!(row.loan.state, LoanState::Offered | LoanState::Answering | LoanState::AccountWrong) || is_unanswered;
    if !may_accept && row.offer_id.is_some() {
        return Ok(Err("an offer of this request has become a loan"));
    }
    if row.loan.state == LoanState::AccountWrong && row.offer_id.as_deref() != Some(&new.offer_id) {
        return Ok(Err("another offer of this request was accepted; accept that one with another account"));
    }
    if now >= offer.expires_at || row.loan.state == LoanState::Expired {
        return Ok(Err("the offer has expired"));
    }
    if !may_accept {
        return Ok(Err("the offer cannot be accepted"));
    }
    let sql = "SELECT COUNT(*) AS loans FROM loans WHERE customer_id = $1 AND id <> $2 AND loan_id IS NOT NULL AND \
               state NOT IN ('expired', 'cancelled', 'closed', 'overpaid', 'account_wrong')";
    let rows = tx.query(sql, &[new.customer_id.as_str().into(), row.id.into()])?;
    match rows.first().map_or(Ok(0), |row| row.integer("loans"))? < new.loans_max {
        true => Ok(Ok(())),
        false => Ok(Err("the customer has a loan already")),
    }
}

/// Stores the acceptance, and what the loan has of it.
fn store_acceptance(
    tx: &mut dyn Transaction,
    new: &NewAcceptance,
    digest: &str,
    loan: i64,
    loan_id: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO acceptances (loan_reference_id, digest, loan, at) VALUES ($1, $2, $3, $4)";
    let values = [new.loan_reference_id.as_str().into(), digest.into(), loan.into(), now.milliseconds().into()];
    tx.execute(sql, &values)?;
    let sql = "UPDATE loans SET offer_id = $1, loan_id = $2, loan_reference_id = $3, private = $4 WHERE id = $5";
    let values = [
        new.offer_id.as_str().into(),
        loan_id.into(),
        new.loan_reference_id.as_str().into(),
        new.private.clone().into(),
        loan.into(),
    ];
    tx.execute(sql, &values).map(drop)
}

/// What the same reference led to before.
fn find_earlier(
    tx: &mut dyn Transaction,
    new: &NewAcceptance,
    digest: &str,
) -> Result<Option<Result<AcceptedLoan, BookError>>, StoreError> {
    let sql = "SELECT loans.loan_id, acceptances.digest FROM acceptances JOIN loans ON loans.id = acceptances.loan \
               WHERE acceptances.loan_reference_id = $1";
    let rows = tx.query(sql, &[new.loan_reference_id.as_str().into()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(match row.text("digest")? == digest {
        true => Ok(AcceptedLoan { loan_id: row.text("loan_id")?.to_owned(), is_new: false }),
        false => Err(BookError::Conflict(USED_REFERENCE)),
    }))
}

/// The customer's newest loan with this offer, first among those that wait for an acceptance: two requests with the
/// same statement and day have the same offers.
fn find_offer(tx: &mut dyn Transaction, new: &NewAcceptance) -> Result<Option<(i64, OfferRow)>, StoreError> {
    let sql = "SELECT offers.loan, offers.offer, offers.terms, offers.expires_at FROM offers JOIN loans ON \
               loans.id = offers.loan WHERE offers.offer_id = $1 AND loans.customer_id = $2 ORDER BY CASE WHEN \
               loans.state IN ('offered', 'answering', 'account_wrong') THEN 0 ELSE 1 END, loans.id DESC LIMIT 1";
    let rows = tx.query(sql, &[new.offer_id.as_str().into(), new.customer_id.as_str().into()])?;
    rows.first().map(|row| Ok((row.integer("loan")?, OfferRow::read(row)?))).transpose()
}
