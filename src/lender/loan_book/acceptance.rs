//! The acceptance of an offer, which makes the loan. It is idempotent: the same acceptance again, also at the same
//! moment, makes no second loan and gets the same answer. Where the reply waits for the account's verification, the
//! book says which comes first, the outcome or the reply: a refused account is told once, by the reply or by message.

use super::actor::Actor;
use super::advance::{Facts, StepContext};
use super::claims::{Claimed, lock_loan, read_loan};
use super::rows::{LoanRow, damaged_row, read_body};
use super::step_log::{BeforeStep, TakenStep};
use super::{BookError, BookResult, LoanBook, OfferRow};
use crate::base::time::Timestamp;
use crate::lender::loan::{At, Cause, Event, LoanState};
use crate::lender::store::database::{InstanceId, Transaction, read_transaction, write_transaction};
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
    /// The process that verifies the account before it replies; `None` if the reply does not wait.
    pub(crate) verified_by: Option<InstanceId>,
}

/// What an acceptance led to.
#[derive(Clone, Debug)]
pub(crate) struct AcceptedLoan {
    /// The loan's id at the provider.
    pub(crate) loan_id: String,
    /// Whether the reply is to wait for the account's verification.
    pub(crate) is_reply_awaited: bool,
    /// The loan that this call made, if its account is to be verified by this process.
    pub(crate) claimed: Option<Claimed>,
    /// Whether this call made the loan.
    pub(crate) is_new: bool,
}

/// An acceptance that the book has, and its loan.
struct KnownAcceptance {
    loan: i64,
    accepted: AcceptedLoan,
}

/// An account that was refused is answered with this.
const WRONG_ACCOUNT: &str = "the account could not be verified; accept the offer with another account";
const USED_REFERENCE: &str = "`loanReferenceId` came before with another content";

impl LoanBook {
    /// Accepts an offer. The same acceptance again gets the same answer; one that is refused leaves nothing behind, so
    /// that a corrected one may follow.
    ///
    /// # Errors
    /// [`BookError::NotFound`] for an offer that is not this customer's, [`BookError::Conflict`] with the reason.
    pub(crate) fn accept_offer(&self, new: &NewAcceptance, at: At<'_>) -> Result<AcceptedLoan, BookError> {
        let digest = self.digest_of_acceptance(new);
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
            return Ok(known.map(|known| known.accepted));
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
            return Ok(known.map(|known| known.accepted));
        }
        if let Err(reason) = check(tx, new, locked.row(), &offer, at.now)? {
            return Ok(Err(BookError::Conflict(reason)));
        }
        let loan_id = match (&new.loan_id, &locked.row().loan_id) {
            (Some(given), Some(known)) if given != known => {
                return Ok(Err(BookError::Conflict("`loanId` differs from that of an earlier acceptance")));
            }
            (Some(given), _) => given.clone(),
            (None, Some(known)) => known.clone(),
            (None, None) => {
                self.require_order_key(loan)?;
                self.derive_loan_id(locked.row())
            }
        };
        let before = BeforeStep::note(&locked);
        let event = Event::Accepted { terms: offer.terms, is_reply_awaited: new.verified_by.is_some() };
        let facts = Facts { note: Some(format!("offer {}", new.offer_id)), ..Facts::default() };
        let change = StepContext { event: &event, facts: &facts, actor: &Actor::Provider, at };
        // Nothing of a refused acceptance may stay, so the table comes before the first change.
        let Ok(step) = locked.step(&change) else {
            return Ok(Err(BookError::Conflict("the offer cannot be accepted")));
        };
        store_acceptance(tx, new, digest, loan, &loan_id, at.now)?;
        self.write_step(tx, step, &change, new.verified_by.map(|instance| instance.0))?;
        let row = read_loan(tx, loan)?.ok_or_else(|| damaged_row("an accepted loan"))?;
        *taken = Some(TakenStep { before, event, row: row.clone() });
        let claimed = new.verified_by.map(|instance| Claimed::new(row, instance));
        Ok(Ok(AcceptedLoan { loan_id, is_reply_awaited: claimed.is_some(), claimed, is_new: true }))
    }

    /// What became of an acceptance, while its reply waits for the account to be verified.
    ///
    /// # Errors
    /// [`BookError::Conflict`] once the account is refused.
    pub(crate) fn find_acceptance(&self, new: &NewAcceptance) -> Result<AcceptedLoan, BookError> {
        let digest = self.digest_of_acceptance(new);
        let found = read_transaction(&*self.database, |tx| find_earlier(tx, new, &digest))?;
        found.unwrap_or(Err(BookError::Conflict(WRONG_ACCOUNT))).map(|known| known.accepted)
    }

    /// Notes that an acceptance is answered, although its account may not be verified yet.
    ///
    /// # Errors
    /// [`BookError::Conflict`] if the account was refused before.
    pub(crate) fn answer_acceptance(&self, new: &NewAcceptance, at: At<'_>) -> Result<AcceptedLoan, BookError> {
        let digest = self.digest_of_acceptance(new);
        write_transaction(&*self.database, |tx| {
            let known = match find_earlier(tx, new, &digest)? {
                Some(Ok(known)) => known,
                Some(Err(error)) => return Ok(Err(error)),
                None => return Ok(Err(BookError::Conflict(WRONG_ACCOUNT))),
            };
            if !known.accepted.is_reply_awaited {
                return Ok(Ok(known.accepted));
            }
            let locked = match lock_loan(tx, known.loan)? {
                Ok(locked) => locked,
                Err(error) => return Ok(Err(error)),
            };
            // Before the loan was locked, the account may have been refused, and another acceptance may have come.
            match find_earlier(tx, new, &digest)? {
                Some(Ok(now)) if now.loan != known.loan => return Ok(Err(BookError::Lost)),
                Some(Ok(now)) if !now.accepted.is_reply_awaited => return Ok(Ok(now.accepted)),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Ok(Err(error)),
                None => return Ok(Err(BookError::Conflict(WRONG_ACCOUNT))),
            }
            let facts = Facts::default();
            let change = StepContext { event: &Event::AcceptanceAnswered, facts: &facts, actor: &Actor::Service, at };
            // Whoever verifies the account keeps the loan.
            let keep = locked.row().instance;
            Ok(self.make_step(tx, locked, &change, keep)?.map(|_| known.accepted))
        })?
    }

    fn digest_of_acceptance(&self, new: &NewAcceptance) -> String {
        self.derive_digest(&["acceptance", &new.loan_reference_id, &new.fingerprint])
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
    let is_other = row.offer_id.as_deref().is_some_and(|accepted| accepted != new.offer_id);
    if row.loan.state == LoanState::AccountWrong && is_other {
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

/// Stores the acceptance, and what the loan has of it. Whoever worked on the loan has lost it.
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
    let sql = "UPDATE loans SET offer_id = $1, loan_id = $2, loan_reference_id = $3, private = $4, epoch = epoch + 1 \
               WHERE id = $5";
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
) -> Result<Option<Result<KnownAcceptance, BookError>>, StoreError> {
    let sql = "SELECT loans.id, loans.loan_id, loans.loan_reference_id, loans.body, acceptances.digest \
               FROM acceptances JOIN loans ON loans.id = acceptances.loan WHERE acceptances.loan_reference_id = $1";
    let rows = tx.query(sql, &[new.loan_reference_id.as_str().into()])?;
    let Some(row) = rows.first() else { return Ok(None) };
    let is_newest = row.text_if_any("loan_reference_id")? == Some(new.loan_reference_id.as_str());
    Ok(Some(match row.text("digest")? == digest {
        true => Ok(KnownAcceptance {
            loan: row.integer("id")?,
            accepted: AcceptedLoan {
                loan_id: row.text("loan_id")?.to_owned(),
                is_reply_awaited: is_newest && read_body(row)?.is_reply_awaited,
                claimed: None,
                is_new: false,
            },
        }),
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
