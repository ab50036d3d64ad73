//! A reply to an acceptance that waits for the account's verification: a refused account is told once, by the reply or
//! by message, whichever comes first.

use super::super::{BookError, ClaimAfter, Claimed, Facts, LoanRow, NewAcceptance};
use super::{Bench, acceptance, at, bench, offering};
use crate::base::time::DAY;
use crate::lender::loan::{Event, LoanDecision, LoanState};
use crate::lender::store::tests::Place;

fn awaited(bench: &Bench, offer: &str, reference: &str, account: &str) -> NewAcceptance {
    NewAcceptance { verified_by: Some(bench.instance), ..acceptance(offer, "C-1", reference, account) }
}

/// Accepts, with a reply that waits.
fn accept(bench: &Bench, new: &NewAcceptance) -> Claimed {
    let accepted = bench.book.accept_offer(new, bench.plan.at(at(2))).expect("an acceptance");
    assert!(accepted.is_reply_awaited && accepted.is_new);
    accepted.claimed.expect("the account is this process's to verify")
}

impl Bench {
    /// A loan that this process is sending the answer for.
    fn answering(&self, reference: &str, customer: &str) -> Claimed {
        let claimed = self.new_loan(reference, customer);

        let facts = Facts { decision: Some(offering(reference)), ..Facts::default() };
        let event = Event::Decided { decision: LoanDecision::Offer { until: at(7 * DAY) }, is_answered: false };
        self.advance(&claimed, &event, &facts, ClaimAfter::Kept, at(1));
        claimed
    }
}

fn finish(bench: &Bench, claimed: &Claimed, event: &Event) -> LoanRow {
    bench.advance(claimed, event, &Facts::default(), ClaimAfter::Released, at(3))
}

fn answer(bench: &Bench, new: &NewAcceptance) -> Result<String, BookError> {
    bench.book.answer_acceptance(new, bench.plan.at(at(4))).map(|accepted| accepted.loan_id)
}

fn is_wrong_account<T: std::fmt::Debug>(answer: Result<T, BookError>) -> bool {
    matches!(&answer, Err(BookError::Conflict(why)) if why.starts_with("the account could not be verified"))
}

fn messages(bench: &Bench) -> usize {
    bench.book.claim_messages(bench.instance, at(9), 10).expect("messages").len()
}

pub(crate) fn an_account_is_refused_by_the_reply_or_by_message(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    // The outcome comes before the reply: the reply tells it, and nothing of the acceptance is kept.
    let first = awaited(&bench, "O-OR-1", "L-1", "1");
    let claimed = accept(&bench, &first);
    assert!(bench.book.find_acceptance(&first).expect("it is there").is_reply_awaited);
    assert_eq!(finish(&bench, &claimed, &Event::AccountRefused).loan.state, LoanState::AccountWrong);
    assert!(is_wrong_account(bench.book.find_acceptance(&first)));
    assert!(is_wrong_account(answer(&bench, &first)));
    assert_eq!(messages(&bench), 0, "the reply has told it");
    let row = bench.book.find_loan("OR-1").expect("a read").expect("a loan");
    assert_eq!((row.loan_id, row.loan_reference_id, row.offer_id), (None, None, None));
    assert!(bench.book.load_private(row.id).expect("a read").is_none(), "the refused account is gone");

    // The corrected one may have the same reference.
    let second = awaited(&bench, "O-OR-1", "L-1", "2");
    let claimed = accept(&bench, &second);
    let stale = answer(&bench, &first);
    assert!(matches!(stale, Err(BookError::Conflict(_))), "the reference is another acceptance's: {stale:?}");
    // The reply is given first: the outcome is told by message.
    let loan_id = answer(&bench, &second).expect("an answer");
    assert!(!bench.book.find_acceptance(&second).expect("it is there").is_reply_awaited);
    assert_eq!(finish(&bench, &claimed, &Event::AccountRefused).loan.state, LoanState::AccountWrong);
    assert_eq!(messages(&bench), 1);
    assert_eq!(answer(&bench, &second).expect("the same answer"), loan_id);

    // What was answered stays, also if the next acceptance is refused by its reply.
    let third = awaited(&bench, "O-OR-1", "L-3", "3");
    let claimed = accept(&bench, &third);
    finish(&bench, &claimed, &Event::AccountRefused);
    assert!(is_wrong_account(answer(&bench, &third)));
    assert_eq!(answer(&bench, &second).expect("the same answer"), loan_id);
    let row = bench.book.find_loan("OR-1").expect("a read").expect("a loan");
    assert_eq!((row.loan_id.as_deref(), row.loan_reference_id.as_deref()), (Some(&*loan_id), Some("L-1")));
    assert!(bench.book.load_private(row.id).expect("a read").is_none() && row.loan.terms.is_none());
    // Its reference is free for another loan.
    bench.offered("OR-2", "C-2");
    let other = NewAcceptance { verified_by: None, ..acceptance("O-OR-2", "C-2", "L-3", "3") };
    bench.book.accept_offer(&other, bench.plan.at(at(4))).expect("another loan");
    let fourth = awaited(&bench, "O-OR-1", "L-4", "4");
    let claimed = accept(&bench, &fourth);
    // What was answered long ago is no answer to the one that waits.
    assert_eq!(answer(&bench, &second).expect("the same answer"), loan_id);
    assert!(bench.book.find_acceptance(&fourth).expect("it is there").is_reply_awaited);
    assert_eq!(finish(&bench, &claimed, &Event::AccountVerified).loan.state, LoanState::Funding);
    assert_eq!(answer(&bench, &fourth).expect("an answer"), loan_id);
}

pub(crate) fn whoever_verifies_an_account_holds_the_loan(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    let new = awaited(&bench, "O-OR-1", "L-1", "1");
    let claimed = accept(&bench, &new);
    assert!(bench.book.claim_loans(bench.instance, at(3), 10).expect("claims").is_empty(), "it is claimed");
    // The same acceptance waits with it, and an answer does not take the loan away.
    let again = bench.book.accept_offer(&new, bench.plan.at(at(3))).expect("the same acceptance");
    assert!(again.is_reply_awaited && !again.is_new && again.claimed.is_none());
    answer(&bench, &new).expect("an answer");
    assert_eq!(finish(&bench, &claimed, &Event::AccountVerified).loan.state, LoanState::Funding);
    // Whoever sends the answer to the request when the offer is accepted has lost the loan.
    let sending = bench.answering("OR-2", "C-2");
    let new = NewAcceptance { verified_by: Some(bench.instance), ..acceptance("O-OR-2", "C-2", "L-2", "1") };
    let claimed = accept(&bench, &new);
    let late = bench.book.advance_loan(
        &sending.claim,
        &Event::AnswerTaken,
        &Facts::default(),
        ClaimAfter::Released,
        bench.plan.at(at(3)),
    );
    assert!(matches!(late, Err(BookError::Lost)), "{late:?}");
    assert_eq!(finish(&bench, &claimed, &Event::AccountVerified).loan.state, LoanState::Funding);
}
