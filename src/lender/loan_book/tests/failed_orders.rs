//! Cases of orders that failed by the provider's word, of payments that may be our own debits, and of clocks and
//! currencies that change.

use super::super::{Actor, BookError, ClaimAfter, Facts, LoanRow, PaymentStatus, Person, Reversal};
use super::{Bench, acceptance, bench, payment};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{Cause, Event, LoanState, OrderOutcome, Work};
use crate::lender::store::database::write_transaction;
use crate::lender::store::tests::Place;

const MINUTE: i64 = 60_000;

fn after(moment: Timestamp, milliseconds: i64) -> Timestamp {
    Timestamp::from_milliseconds(moment.milliseconds() + milliseconds).expect("a moment")
}

fn decide(bench: &Bench, loan: i64, event: &Event, now: Timestamp) -> LoanRow {
    let actor = Actor::Person(Person { name: "Ada".to_owned(), note: "by letter".to_owned() });
    bench.book.decide_loan(loan, event, &Facts::default(), &actor, bench.plan.at(now)).expect("a decision")
}

fn outcomes(bench: &Bench, row: &LoanRow) -> Vec<OrderOutcome> {
    bench.book.list_orders(row.id).expect("orders").iter().map(|order| order.outcome).collect()
}

/// A loan with a payout that failed, as a query said.
fn funding_failed(bench: &Bench) -> LoanRow {
    bench.offered("OR-1", "C-1");
    bench.accept(&acceptance("O-OR-1", "C-1", "L-OR-1", "1")).expect("a loan");
    bench.next(&Event::AccountVerified, super::at(3));
    let claimed = bench.claim(super::at(4));
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, super::at(4));
    bench.advance(&claimed, &Event::Unknown, &Facts::default(), ClaimAfter::Released, super::at(5));
    bench.next(&Event::ReportedFailed, super::at(2 * MINUTE))
}

/// A loan with a first debit that failed, and when.
fn collection_failed(bench: &Bench) -> (LoanRow, Timestamp) {
    let due = bench.open("OR-1", "C-1").loan.wake.expect("a due date");
    bench.next(&Event::Due, due);
    let claimed = bench.claim(due);
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, due);
    (bench.advance(&claimed, &Event::NotMoved, &Facts::default(), ClaimAfter::Released, due), due)
}

pub(crate) fn a_payout_that_failed_is_queried_before_the_next(place: &dyn Place) {
    let bench = bench(place);
    let failed = funding_failed(&bench);
    assert_eq!(failed.loan.state, LoanState::FundingFailed);
    let now = super::at(DAY);
    // A loan of an earlier version, which did not keep the order that failed.
    let mut body = serde_json::to_value(&failed.loan).expect("a loan");
    body.as_object_mut().expect("an object").remove("failed");
    let sql = "UPDATE loans SET body = $1 WHERE id = $2";
    write_transaction(&*bench.database, |tx| tx.execute(sql, &[body.to_string().into(), failed.id.into()]))
        .expect("a write");
    let planned = decide(&bench, failed.id, &Event::Retry, now);
    assert_eq!(planned.loan.next_work(now), Some(Work::QueryFailed));
    let questioned = bench.questioned_id(&planned);
    assert_eq!(questioned, Some(bench.book.list_orders(planned.id).expect("orders").remove(0).transaction_id));
    let facts = Facts { transaction_ref: Some("REF|late".to_owned()), ..Facts::default() };
    let row = bench.advance(&bench.claim(now), &Event::FailedMoved, &facts, ClaimAfter::Released, now);
    assert_eq!((row.loan.state, row.loan.cause), (LoanState::Review, Some(Cause::Contradicted)));
    assert_eq!(outcomes(&bench, &row), [OrderOutcome::Sent, OrderOutcome::Withdrawn]);
    let row = decide(&bench, row.id, &Event::Moved, now);
    assert_eq!(row.loan.state, LoanState::Open);
    assert_eq!(outcomes(&bench, &row), [OrderOutcome::Moved, OrderOutcome::Withdrawn]);
    let reference = bench.book.list_orders(row.id).expect("orders").remove(0).transaction_ref;
    assert_eq!(reference.as_deref(), Some("REF|late"));
}

pub(crate) fn a_payment_that_equals_a_debit_just_moved_is_parked(place: &dyn Place) {
    let mut bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let (loan_id, due) = (row.loan_id.clone().expect("an id"), row.loan.wake.expect("a due date"));
    bench.next(&Event::Due, due);
    bench.moved(Some("REF|debit"), due);
    let notify = |bench: &Bench, reference: &str, amount: i64, now: Timestamp| {
        let notified = payment(reference, &loan_id, "C-1", amount);
        bench.book.record_payment(&notified, bench.plan.at(now)).expect("it is kept").payment
    };
    assert_eq!(notify(&bench, "REF|debit", 5_500, due).status, PaymentStatus::Echo);
    let parked = notify(&bench, "OTHER-1", 5_500, after(due, DAY));
    assert_eq!(parked.status, PaymentStatus::Parked);
    assert!(parked.reason.expect("a reason").contains("a debit of ours"));
    assert_eq!(notify(&bench, "PAY-1", 1_500, after(due, DAY)).status, PaymentStatus::Posted);
    assert_eq!(notify(&bench, "PAY-2", 5_500, after(due, 4 * DAY)).status, PaymentStatus::Posted);
    bench.plan.own_debit_ms = 0;
    assert_eq!(notify(&bench, "PAY-3", 5_500, after(due, DAY)).status, PaymentStatus::Posted);
}

pub(crate) fn a_payment_like_a_failed_debit_waits_for_the_provider(place: &dyn Place) {
    let bench = bench(place);
    let (row, due) = collection_failed(&bench);
    let loan_id = row.loan_id.clone().expect("an id");
    let status = || bench.book.list_payments(Some(row.id)).expect("payments").remove(0).status;
    let paid = after(due, 60 * MINUTE);
    bench.book.record_payment(&payment("PAY-1", &loan_id, "C-1", 5_500), bench.plan.at(paid)).expect("it is kept");
    assert_eq!(status(), PaymentStatus::Waiting);
    // The word of the provider may be late: it counts after the settling time.
    let row = bench.next(&Event::StillFailed, paid);
    assert_eq!((status(), row.loan.wake > Some(paid)), (PaymentStatus::Waiting, true), "it is not queried at once");
    let settled = after(paid, 2 * MINUTE);
    let claimed = bench.claim(settled);
    assert_eq!(claimed.row.loan.next_work(settled), Some(Work::QueryFailed));
    let row = bench.advance(&claimed, &Event::StillFailed, &Facts::default(), ClaimAfter::Released, settled);
    assert_eq!((status(), row.loan.state, row.loan.paid_minor()), (PaymentStatus::Posted, LoanState::Open, 5_500));
}

pub(crate) fn a_payment_that_was_the_failed_debit_counts_once(place: &dyn Place) {
    let bench = bench(place);
    let (row, due) = collection_failed(&bench);
    let loan_id = row.loan_id.clone().expect("an id");
    bench.book.record_payment(&payment("OTHER-1", &loan_id, "C-1", 5_500), bench.plan.at(due)).expect("it is kept");
    let row = bench.next(&Event::FailedMoved, due);
    assert_eq!((row.loan.state, row.loan.cause), (LoanState::Review, Some(Cause::Contradicted)));
    let row = decide(&bench, row.id, &Event::Moved, due);
    assert_eq!((row.loan.state, row.loan.paid_minor()), (LoanState::Open, 5_500));
    let payment = bench.book.list_payments(Some(row.id)).expect("payments").remove(0);
    assert_eq!(payment.status, PaymentStatus::Parked, "{:?}", payment.reason);
}

pub(crate) fn a_clock_that_is_set_back_keeps_no_order_waiting(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    bench.accept(&acceptance("O-OR-1", "C-1", "L-OR-1", "1")).expect("a loan");
    let late = super::at(5 * DAY);
    bench.next(&Event::AccountVerified, late);
    let claimed = bench.claim(late);
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, late);
    bench.advance(&claimed, &Event::Unknown, &Facts::default(), ClaimAfter::Released, late);
    let wake = |now: Timestamp| bench.book.wake_after_clock_set_back(now).expect("a look");
    assert_eq!(wake(after(late, -MINUTE)), 0, "clocks of several processes differ by so much");
    let early = after(late, -31 * DAY);
    assert_eq!(wake(early), 1);
    let row = bench.next(&Event::Pending, early);
    assert!(row.loan.wake.expect("a wake") < after(early, MINUTE));
    assert_eq!(wake(early), 0);
}

pub(crate) fn a_book_has_one_currency(place: &dyn Place) {
    let bench = bench(place);
    let check = |currency: &str| bench.book.check_currency(currency).map_err(|error| error.to_string());
    assert_eq!(check("392"), Ok(()));
    bench.offered("OR-1", "C-1");
    let other = check("392").expect_err("an offer is open");
    assert!(other.contains("currency 566") && other.contains("a database of its own"), "{other}");
    assert_eq!(check("566"), Ok(()));
    bench.accept(&acceptance("O-OR-1", "C-1", "L-OR-1", "1")).expect("a loan");
    assert!(check("392").is_err());
}

pub(crate) fn a_payment_out_of_proportion_is_parked(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let loan_id = row.loan_id.clone().expect("an id");
    let notify = |reference: &str, amount: i64| {
        let notified = payment(reference, &loan_id, "C-1", amount);
        bench.book.record_payment(&notified, bench.plan.at(super::at(9))).expect("it is kept").payment
    };
    let parked = notify("PAY-1", 10_000_000_000_000);
    assert_eq!(parked.status, PaymentStatus::Parked);
    assert!(parked.reason.expect("a reason").contains("ten times"));
    assert_eq!(notify("PAY-2", 110_000).status, PaymentStatus::Posted);
}

pub(crate) fn what_was_taken_back_is_recorded(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let (loan_id, due) = (row.loan_id.clone().expect("an id"), row.loan.wake.expect("a due date"));
    let load = || bench.book.load_loan(row.id).expect("a read").expect("a loan");
    let ada = Actor::Person(Person { name: "Ada".to_owned(), note: "by letter".to_owned() });
    let reverse = |reversal: Reversal| bench.book.record_reversal(&load(), &reversal, &ada, bench.plan.at(due));
    let paid = payment("PAY-1", &loan_id, "C-1", 700);
    bench.book.record_payment(&paid, bench.plan.at(super::at(9))).expect("it is kept");
    bench.next(&Event::Due, due);
    let refused = reverse(Reversal::Debit("REF|debit".to_owned()));
    assert!(matches!(refused, Err(BookError::Conflict(_))), "it has not moved: {refused:?}");
    bench.moved(Some("REF|debit"), due);
    assert_eq!(load().loan.paid_minor(), 5_500);
    // The debit, by the provider's reference: once.
    let after = reverse(Reversal::Debit("REF|debit".to_owned())).expect("it is recorded");
    assert_eq!((after.loan.state, after.loan.cause), (LoanState::Review, Some(Cause::Reversed)));
    assert_eq!(after.loan.paid_minor(), 700);
    assert!(matches!(reverse(Reversal::Debit("REF|debit".to_owned())), Err(BookError::Conflict(_))));
    let debit = bench.book.list_orders(row.id).expect("orders").pop().expect("a debit");
    assert_eq!((debit.outcome, debit.reversed_at), (OrderOutcome::NotMoved, Some(due)));
    // A payment, which is parked again and may be posted elsewhere.
    assert!(matches!(reverse(Reversal::Payment("PAY-2".to_owned())), Err(BookError::Conflict(_))));
    reverse(Reversal::Payment("PAY-1".to_owned())).expect("it is recorded");
    assert_eq!(load().loan.paid_minor(), 0);
    assert_eq!(bench.book.list_parked("PAY-1").expect("a read").len(), 1);
    // The payout, after which another one may be planned. The provider is not queried about one that was taken back.
    assert_eq!(reverse(Reversal::Payout).expect("it is recorded").loan.state, LoanState::FundingFailed);
    let planned = decide(&bench, row.id, &Event::Retry, due);
    assert_eq!(planned.loan.next_work(due), Some(Work::Send));
    // What is notified of the debit that was taken back is not the customer's, and the next debit has a new number.
    let late = payment("OTHER-1", &loan_id, "C-1", 4_800);
    bench.book.record_payment(&late, bench.plan.at(due)).expect("it is kept");
    let funded = bench.moved(Some("REF|again"), due);
    let late =
        bench.book.list_payments(Some(row.id)).expect("payments").into_iter().find(|one| one.amount_minor == 4_800);
    assert_eq!(late.expect("it is there").status, PaymentStatus::Parked);
    let next = bench.next(&Event::Due, funded.loan.wake.expect("a due date"));
    assert_eq!(next.loan.order.expect("a debit").attempt, 2);
    let story = bench.book.list_audit(row.id).expect("a story");
    for (event, name) in
        [("debit_reversed", "LW-DEBIT-"), ("payment_reversed", "PAY-1"), ("payout_reversed", "LW-FUND-")]
    {
        let entry = story.iter().find(|entry| entry.event == event).expect(event);
        assert!(entry.actor == "Ada" && entry.detail.contains(name), "{}", entry.detail);
    }
}
