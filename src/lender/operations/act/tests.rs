//! A retry that a person decided on sends nothing where the process may be taken for dead.

use super::{Act, Person, carry_out_act};
use crate::lender::loan::{Event, OrderOutcome};
use crate::lender::loan_book::{BookError, ClaimAfter, Facts, MIGRATIONS};
use crate::lender::operations::tests::{BEGIN, Fixture, PlainVault};
use crate::lender::runner::steps::begin_step;
use crate::lender::store::error::StoreError;
use crate::lender::store::sqlite;

#[test]
fn a_process_that_may_be_taken_for_dead_sends_no_money() {
    let mut fixture = Fixture::new(sqlite::open_memory_database(MIGRATIONS, BEGIN).unwrap());
    fixture.life("OR-1", "C-1", Some("offer"), |_| Event::NotMoved);
    let (book, at) = (&fixture.book, fixture.at());
    let person = Person::new("Ada Obi", "called the bank").unwrap();
    let row = carry_out_act(book, &fixture.row("OR-1"), Act::Retry, &person, at).unwrap();
    let claim = || book.claim_loans(fixture.instance, fixture.now(), 1).unwrap().remove(0);
    let (failed, facts) = (Event::StillFailed, Facts::default());
    book.advance_loan(&claim().claim, &failed, &facts, ClaimAfter::Released, at).unwrap();
    let claimed = claim();
    book.database().withdraw().unwrap();
    let begun = begin_step(book, &PlainVault(1), &claimed, at);
    assert!(matches!(begun, Err(BookError::Store(StoreError::LeaseLost(_)))), "{begun:?}");
    assert_eq!(book.list_orders(row.id).unwrap().last().unwrap().outcome, OrderOutcome::Planned);
}
