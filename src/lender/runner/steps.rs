//! The two halves of a step, before a call and after it, each one transaction. Money leaves at most once: an order is
//! stored as sent before its call is made, and an order that may have left is only queried. If the process ends between
//! the halves, the book has all that may have been done. Knows nothing of threads, clocks or calls.

use super::call::{Call, CallOutcome, TransactionQuery, Transfer};
use super::private::{Private, Vault};
use crate::lender::loan::{At, Event, LoanDecision, Order, OrderKind, Terms, Work};
use crate::lender::loan_book::{BookError, ClaimAfter, Claimed, Facts, LoanBook, LoanRow};
use crate::lender::store::error::StoreError;
use crate::provider::wire::SendOffers;
use crate::provider::wire::lending::VerifyAccount;

/// A step that has begun.
#[derive(Debug)]
pub(crate) enum BegunStep {
    /// It needed no call: the step is done, and the claim is given back.
    Done(Box<LoanRow>),
    /// It needs a call: [`finish_step`] records its outcome.
    Call(Box<Call>),
}

/// Begins the step that a claimed loan needs, up to its call. An order of money is stored as sent before its call is
/// returned.
pub(crate) fn begin_step(
    book: &LoanBook,
    vault: &dyn Vault,
    claimed: &Claimed,
    at: At<'_>,
) -> Result<BegunStep, BookError> {
    let (claim, row) = (&claimed.claim, &claimed.row);
    let call = match row.loan.next_work(at.now) {
        None => {
            book.release_claim(claim)?;
            return Ok(BegunStep::Done(Box::new(row.clone())));
        }
        Some(Work::Happened(event)) => {
            let row = book.advance_loan(claim, &event, &Facts::default(), ClaimAfter::Released, at)?;
            return Ok(BegunStep::Done(Box::new(row)));
        }
        Some(Work::Send) => {
            // A process that may count as ended must not send money: another may be querying it already.
            book.database().check_lease()?;
            let transfer = prepare_transfer(book, row)?;
            book.advance_loan(claim, &Event::Sending, &Facts::default(), ClaimAfter::Kept, at)?;
            Call::Move(transfer)
        }
        Some(Work::Decide) => Call::decide(row),
        Some(Work::Answer) => Call::Answer(match row.loan.decision {
            Some(LoanDecision::Offer { .. }) => {
                SendOffers::new(&row.reference, book.list_offers(row.id)?.into_iter().map(|row| row.offer))
            }
            Some(LoanDecision::Decline) => SendOffers::decline(&row.reference),
            None => return Err(damaged(row, "loan", "decision")),
        }),
        Some(Work::Verify) => match load_private(book, vault, row) {
            Ok(private) => Call::Verify(VerifyAccount {
                customer_id: row.customer_id.clone(),
                account_number: private.account_number,
                bank_code: private.bank_code,
            }),
            // Perhaps a key is missing: it is tried again for as long as a call is, and then a person looks at it.
            Err(BookError::Store(StoreError::Damaged(problem))) => {
                let facts = Facts { note: Some(problem), ..Facts::default() };
                let row = book.advance_loan(claim, &Event::NoAnswer, &facts, ClaimAfter::Released, at)?;
                return Ok(BegunStep::Done(Box::new(row)));
            }
            Err(error) => return Err(error),
        },
        Some(Work::QueryFailed) => {
            let failed = row.loan.failed.as_ref().map(|failed| &failed.order);
            let failed = failed.ok_or_else(|| damaged(row, "loan", "order that failed"))?;
            Call::QueryFailed(prepare_query(book, row, failed)?)
        }
        Some(Work::Query) => Call::Query(prepare_query(book, row, open_order(row)?)?),
    };
    Ok(BegunStep::Call(Box::new(call)))
}

/// Records what came of a call.
pub(crate) fn finish_step(
    book: &LoanBook,
    claimed: &Claimed,
    outcome: &CallOutcome,
    at: At<'_>,
) -> Result<LoanRow, BookError> {
    book.advance_loan(&claimed.claim, &outcome.event, &outcome.facts, ClaimAfter::Released, at)
}

/// The personal data of a loan.
pub(crate) fn load_private(book: &LoanBook, vault: &dyn Vault, row: &LoanRow) -> Result<Private, BookError> {
    let sealed = book.load_private(row.id)?.ok_or_else(|| damaged(row, "accepted loan", "account"))?;
    Private::open(vault, reference(row)?, &sealed).map_err(|problem| StoreError::Damaged(problem).into())
}

/// A book in which a loan lacks what its state needs.
fn damaged(row: &LoanRow, loan: &str, missing: &str) -> BookError {
    StoreError::Damaged(format!("{loan} {} has no {missing}", row.id)).into()
}

fn open_order(row: &LoanRow) -> Result<&Order, BookError> {
    row.loan.order.as_ref().ok_or_else(|| damaged(row, "loan", "order of money"))
}

/// The question about an order (E9).
pub(crate) fn prepare_query(book: &LoanBook, row: &LoanRow, order: &Order) -> Result<TransactionQuery, BookError> {
    Ok(TransactionQuery {
        transaction_id: find_transaction_id(book, row, order)?,
        loan_id: loan_id(row)?,
        amount_minor: order.amount_minor,
        currency: accepted_terms(row)?.currency.clone(),
    })
}

fn accepted_terms(row: &LoanRow) -> Result<&Terms, BookError> {
    row.loan.terms.as_ref().ok_or_else(|| damaged(row, "accepted loan", "terms"))
}

fn find_transaction_id(book: &LoanBook, row: &LoanRow, order: &Order) -> Result<String, BookError> {
    book.find_transaction_id(row.id, order)?.ok_or_else(|| damaged(row, "loan", "record of its order of money"))
}

fn loan_id(row: &LoanRow) -> Result<String, BookError> {
    row.loan_id.clone().ok_or_else(|| damaged(row, "accepted loan", "id at the provider"))
}

fn reference(row: &LoanRow) -> Result<&str, BookError> {
    row.loan_reference_id.as_deref().ok_or_else(|| damaged(row, "accepted loan", "reference"))
}

fn prepare_transfer(book: &LoanBook, row: &LoanRow) -> Result<Transfer, BookError> {
    let (order, terms) = (open_order(row)?, accepted_terms(row)?);
    debug_assert!(order.kind != OrderKind::Fund || order.amount_minor == terms.paid_out_minor);
    Ok(Transfer {
        kind: order.kind,
        transaction_id: find_transaction_id(book, row, order)?,
        loan_id: loan_id(row)?,
        customer_id: row.customer_id.clone(),
        loan_reference_id: reference(row)?.to_owned(),
        amount_minor: order.amount_minor,
        currency: terms.currency.clone(),
    })
}
