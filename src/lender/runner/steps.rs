//! The two halves of a step, before a call and after it, each one transaction. If the process ends between them, the
//! book says all that may have been done. Knows nothing of threads, clocks or calls.

use super::call::{Call, Heard, Money};
use super::private::{Private, Vault};
use crate::base::time::Timestamp;
use crate::lender::loan::{Event, Kind, Plan, Work};
use crate::lender::loan_book::{BookError, Claimed, Facts, Hold, LoanBook, LoanRow};
use crate::lender::store::error::StoreError;

/// What a loan needs now.
#[derive(Debug)]
pub(crate) enum Begun {
    /// Nothing outside: the step is done, and the claim is given back.
    Done(Box<LoanRow>),
    /// A call, whose outcome [`finish`] records.
    Call(Box<Call>),
}

/// Does what a claimed loan asks for, up to its call. An order of money is stored as sent before its call is returned.
pub(crate) fn begin(
    book: &LoanBook,
    vault: &dyn Vault,
    claimed: &Claimed,
    at: (Timestamp, &Plan),
) -> Result<Begun, BookError> {
    let (claim, row) = (&claimed.claim, &claimed.row);
    let call = match row.loan.work() {
        None => {
            book.release(claim)?;
            return Ok(Begun::Done(Box::new(row.clone())));
        }
        Some(Work::Happened(event)) => {
            let row = book.advance(claim, &event, &Facts::default(), Hold::Release, at)?;
            return Ok(Begun::Done(Box::new(row)));
        }
        Some(Work::Send) => {
            // Whoever may be taken for dead must not send money: another may be asking about it already.
            book.database().check_lease()?;
            let order = money(book, row)?;
            book.advance(claim, &Event::Sending, &Facts::default(), Hold::Keep, at)?;
            order
        }
        Some(Work::Decide) => Call::decide(row),
        Some(Work::Answer) => Call::Answer {
            reference: row.reference.clone(),
            verdict: row.loan.verdict.ok_or_else(|| broken("a loan that is answered has a verdict"))?,
            offers: book.offers(row.id)?.into_iter().map(|row| row.offer).collect(),
        },
        Some(Work::Verify) => match private(book, vault, row) {
            Ok(private) => Call::Verify { customer_id: row.customer_id.clone(), private },
            // Perhaps a key is missing: it is tried again for as long as a call is, and then a person looks at it.
            Err(BookError::Store(StoreError::Damaged(problem))) => {
                let facts = Facts { note: Some(problem), ..Facts::default() };
                let row = book.advance(claim, &Event::NoAnswer, &facts, Hold::Release, at)?;
                return Ok(Begun::Done(Box::new(row)));
            }
            Err(error) => return Err(error),
        },
        Some(Work::Ask) => Call::Ask { transaction_id: order_id(book, row)?, loan_id: loan_id(row)? },
    };
    Ok(Begun::Call(Box::new(call)))
}

/// Records what was heard of a call.
pub(crate) fn finish(
    book: &LoanBook,
    claimed: &Claimed,
    heard: &Heard,
    at: (Timestamp, &Plan),
) -> Result<LoanRow, BookError> {
    book.advance(&claimed.claim, &heard.event, &heard.facts, Hold::Release, at)
}

/// The personal data of a loan.
pub(crate) fn private(book: &LoanBook, vault: &dyn Vault, row: &LoanRow) -> Result<Private, BookError> {
    let sealed = book.private(row.id)?.ok_or_else(|| broken("an accepted loan has an account"))?;
    let reference = row.loan_reference_id.as_deref().ok_or_else(|| broken("an accepted loan has a reference"))?;
    Private::open(vault, reference, &sealed).map_err(|problem| StoreError::Damaged(problem).into())
}

fn broken(invariant: &str) -> BookError {
    StoreError::Damaged(format!("{invariant}, and this one has none")).into()
}

fn order_id(book: &LoanBook, row: &LoanRow) -> Result<String, BookError> {
    book.order_id(row).ok_or_else(|| broken("a loan that waits for money has an order"))
}

fn loan_id(row: &LoanRow) -> Result<String, BookError> {
    row.loan_id.clone().ok_or_else(|| broken("an accepted loan has an id"))
}

fn money(book: &LoanBook, row: &LoanRow) -> Result<Call, BookError> {
    let order = row.loan.order.as_ref().ok_or_else(|| broken("a loan that moves money has an order"))?;
    let terms = row.loan.terms.as_ref().ok_or_else(|| broken("an accepted loan has terms"))?;
    let reference = row.loan_reference_id.clone().ok_or_else(|| broken("an accepted loan has a reference"))?;
    debug_assert!(order.kind != Kind::Fund || order.amount_minor == terms.paid_out_minor);
    Ok(Call::Move(Money {
        kind: order.kind,
        transaction_id: order_id(book, row)?,
        loan_id: loan_id(row)?,
        customer_id: row.customer_id.clone(),
        loan_reference_id: reference,
        amount_minor: order.amount_minor,
        currency: terms.currency.clone(),
    }))
}
