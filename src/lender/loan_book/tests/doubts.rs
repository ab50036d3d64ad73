//! Cases of what people have to look at: payments that fit nothing, contradictions, restored books, damaged rows.

use super::super::orders::record_outcome;
use super::super::{
    Actor, BookError, ClaimAfter, Facts, MessageOutcome, NewAcceptance, PaymentRow, PaymentStatus, Person, Placing,
    Verified,
};
use super::{acceptance, at, bench, payment};
use crate::base::time::DAY;
use crate::lender::loan::{Cause, Event, LoanState, OrderOutcome};
use crate::lender::store::database::write_transaction;
use crate::lender::store::error::StoreError;
use crate::lender::store::tests::Place;
use crate::provider::wire::lender::Payment;

fn ada() -> Actor {
    Actor::Person(Person { name: "Ada".to_owned(), note: "the loan was misspelt".to_owned() })
}

pub(crate) fn a_parked_payment_is_placed_by_a_person(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let loan_id = row.loan_id.clone().expect("an id");
    let notify = |payment: &Payment| bench.book.record_payment(payment, bench.plan.at(at(5)));
    let stray = payment("PAY-1", "LN-unknown", "C-1", 1_000);
    let parked = notify(&stray).expect("it is kept").payment;
    let place =
        |payment: &PaymentRow, placing| bench.book.place_payment(payment, placing, &ada(), bench.plan.at(at(6)));
    let other = bench.offered("OR-2", "C-2");
    let refused = place(&parked, Placing::Post(other.id));
    assert!(matches!(refused, Err(BookError::Refused(_))), "{refused:?}");
    assert_eq!(
        bench.book.list_parked("PAY-1").expect("a read"),
        std::slice::from_ref(&parked),
        "a refusal changes nothing"
    );
    place(&parked, Placing::Post(row.id)).expect("it is posted");
    let twice = place(&parked, Placing::Post(row.id));
    assert!(matches!(twice, Err(BookError::Conflict(_))), "{twice:?}");
    assert_eq!(notify(&stray).expect("it is known").loan.expect("its loan").id, row.id);
    assert_eq!(bench.book.load_loan(row.id).expect("a read").expect("a loan").loan.paid_minor(), 1_000);
    // One reference counts once, whoever decides.
    let changed = payment("PAY-1", &loan_id, "C-1", 2_000);
    assert!(matches!(notify(&changed), Err(BookError::Conflict(_))));
    let changed_row = bench.book.list_parked("PAY-1").expect("a read").remove(0);
    let counts = place(&changed_row, Placing::Post(row.id));
    assert!(matches!(counts, Err(BookError::Conflict(_))), "{counts:?}");
    place(&changed_row, Placing::Dismiss).expect("it is dismissed");
    assert!(matches!(notify(&changed), Err(BookError::Conflict(_))), "it stays refused");
    assert_eq!(bench.book.list_payments(None).expect("a read"), []);
    // While the outcome of a debit is awaited, nothing is posted. The other offer has expired by then.
    bench.next(&Event::Due, at(7 * DAY));
    let due = row.loan.wake.expect("a due date");
    bench.next(&Event::Due, due);
    let claimed = bench.claim(due);
    let stray = notify(&payment("PAY-2", "LN-unknown", "C-1", 500)).expect("it is kept").payment;
    assert!(matches!(place(&stray, Placing::Post(row.id)), Err(BookError::Conflict(_))), "it is being worked on");
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Released, due);
    assert!(matches!(place(&stray, Placing::Post(row.id)), Err(BookError::Refused(_))), "the debit is under way");
    // A notification of our own debit that names another loan is not the customer's money.
    let moved = Facts { transaction_ref: Some("REF|debit".to_owned()), ..Facts::default() };
    let claimed = bench.claim(bench.book.next_wake().expect("a look").expect("it is asked about"));
    bench.advance(&claimed, &Event::Moved, &moved, ClaimAfter::Released, due);
    let own = notify(&payment("REF|debit", "LN-unknown", "C-1", 4_500)).expect("it is kept").payment;
    let refused = place(&own, Placing::Post(row.id));
    assert!(matches!(refused, Err(BookError::Conflict(_))), "{refused:?}");
    // Each is looked at again when it comes again, and leaves no further trace.
    let rows = || bench.book.count_rows().expect("counts");
    let before = rows();
    (0..3).for_each(|_| drop(notify(&payment("REF|debit", "LN-unknown", "C-1", 4_500))));
    assert_eq!(rows(), before);
    let story = bench.book.list_audit(row.id).expect("a story");
    assert!(story.iter().any(|entry| entry.actor == "Ada" && entry.detail.contains("the loan was misspelt")));
    assert!(matches!(bench.book.verify_audit().expect("a check"), Verified::Whole { .. }));
}

pub(crate) fn a_debit_that_failed_and_was_made_after_all_stops_the_next(place: &dyn Place) {
    let bench = bench(place);
    for (is_notified_first, customer) in [(true, "C-1"), (false, "C-2")] {
        let row = bench.open(&format!("OR-{customer}"), customer);
        let (loan_id, due) = (row.loan_id.clone().expect("an id"), row.loan.wake.expect("a due date"));
        let planned = bench.next(&Event::Due, due);
        let id = bench.questioned_id(&planned).expect("an order");
        let notify = || {
            let reported = payment(&id, &loan_id, customer, 5_500);
            bench.book.record_payment(&reported, bench.plan.at(due)).expect("it is kept").payment.status
        };
        let claimed = bench.claim(due);
        bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, due);
        if is_notified_first {
            assert_eq!(notify(), PaymentStatus::Waiting);
        }
        let failed = bench.advance(&claimed, &Event::NotMoved, &Facts::default(), ClaimAfter::Released, due);
        assert_eq!(failed.loan.state == LoanState::Review, is_notified_first);
        if !is_notified_first {
            assert_eq!(notify(), PaymentStatus::Waiting);
        }
        let row = bench.book.load_loan(row.id).expect("a read").expect("a loan");
        assert_eq!((row.loan.state, row.loan.cause), (LoanState::Review, Some(Cause::Contradicted)));
        // The person finds that it was made: it counts once, and the next payment is collected when it is due.
        let row = bench
            .book
            .decide_loan(row.id, &Event::Moved, &Facts::default(), &ada(), bench.plan.at(due))
            .expect("a decision");
        assert_eq!((row.loan.state, row.loan.paid_minor()), (LoanState::Open, 5_500));
        let notified = bench.book.list_payments(Some(row.id)).expect("payments").remove(0);
        assert_eq!(notified.status, PaymentStatus::Echo);
    }
}

pub(crate) fn a_number_names_its_loan(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    bench.offered("1", "C-2");
    bench.offered("002", "C-3");
    let number = |name: &str| bench.book.find_loan(name).expect("a read").map(|row| row.id);
    assert_eq!([number("1"), number("2"), number("OR-1"), number("002")], [Some(1), Some(2), Some(1), Some(3)]);
    assert_eq!([number("4"), number("+1"), number("01"), number("1 "), number(""), number("1\0")], [None; 6]);
    assert_eq!(bench.book.find_referenced_loan("1").expect("a read").map(|row| row.id), Some(2));
    let named = NewAcceptance { loan_id: Some("OR-1".to_owned()), ..acceptance("O-1", "C-2", "LR-2", "account") };
    bench.accept(&named).expect("it is accepted");
    let refused = bench.book.find_loan("OR-1");
    assert!(matches!(refused, Err(BookError::Conflict(why)) if why.contains("several loans")), "{refused:?}");
    assert_eq!([number("1"), number("2")], [Some(1), Some(2)]);
}

pub(crate) fn a_restored_book_asks_first(place: &dyn Place) {
    let bench = bench(place);
    let open = bench.open("OR-1", "C-1");
    let due = open.loan.wake.expect("a due date");
    bench.offered("OR-2", "C-2");
    bench.book.mark_as_copy(at(9)).expect("a mark");
    assert_eq!(bench.book.copied_at().expect("a read"), Some(at(9)));
    let mark = || bench.book.mark_restored(&ada(), bench.plan.at(due));
    assert!(matches!(mark(), Err(BookError::Conflict(_))), "a process serves from it");
    bench.database.withdraw().expect("it ends");
    assert_eq!(mark().expect("it is marked"), 2);
    assert_eq!(mark().expect("it may be marked again"), 2);
    assert_eq!(bench.book.copied_at().expect("a read"), None);
    let instance = bench.database.enlist(0).expect("another process");
    let claims = bench.book.claim_loans(instance, due, 10).expect("claims");
    let claimed = claims.into_iter().find(|claimed| claimed.row.id == open.id).expect("it is due");
    let row = bench.advance(&claimed, &Event::Due, &Facts::default(), ClaimAfter::Kept, due);
    assert!(row.loan.order.is_some_and(|order| order.ask_first));
    let sent = bench.book.advance_loan(
        &claimed.claim,
        &Event::Sending,
        &Facts::default(),
        ClaimAfter::Kept,
        bench.plan.at(due),
    );
    assert!(matches!(sent, Err(BookError::Refused(_))), "{sent:?}");
    let asked = bench.advance(&claimed, &Event::AskFirst, &Facts::default(), ClaimAfter::Released, due);
    assert_eq!(asked.loan.state, LoanState::CollectionUnknown);
    assert!(matches!(bench.book.verify_audit().expect("a check"), Verified::Whole { .. }));
}

pub(crate) fn a_person_decides_on_what_they_saw(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let loan_id = row.loan_id.clone().expect("an id");
    let seen = bench.book.load_loan(row.id).expect("a read").expect("a loan").version;
    let decide = |seen| {
        let facts = Facts { seen_version: Some(seen), ..Facts::default() };
        bench.book.decide_loan(row.id, &Event::WriteOff, &facts, &ada(), bench.plan.at(at(8)))
    };
    bench.book.record_payment(&payment("PAY-1", &loan_id, "C-1", 500), bench.plan.at(at(7))).expect("a payment");
    let late = decide(seen);
    assert!(matches!(late, Err(BookError::Conflict(_))), "{late:?}");
    let version = || bench.book.load_loan(row.id).expect("a read").expect("a loan").version;
    let due = row.loan.wake.expect("a due date");
    let claimed = bench.claim(due);
    let busy = decide(version());
    assert!(matches!(busy, Err(BookError::Conflict(_))), "the service works on it: {busy:?}");
    bench.book.release_claim(&claimed.claim).expect("a release");
    assert_eq!(decide(version()).expect("it is as it was seen").loan.state, LoanState::WrittenOff);
    // That is an end, too, after which personal data may be erased.
    for claim in bench.book.claim_messages(bench.instance, due, 10).expect("messages") {
        bench.book.settle_message(&claim, &MessageOutcome::Sent, due).expect("it is sent");
    }
    assert!(bench.book.erase_loan(row.id, "nobody", &ada(), due).expect("it is erased"));
}

pub(crate) fn a_paid_bill_is_recorded_once(place: &dyn Place) {
    let bench = bench(place);
    let detail = serde_json::json!({ "reference": "B-1" });
    let rows = || *bench.book.count_rows().expect("counts").last().expect("the audit");
    let record = |reference| bench.book.record_paid_bill(reference, at(1), &detail).expect("a record");
    let before = rows();
    assert_eq!([record("B-1"), record("B-1"), record("B-2")], [true, false, true]);
    assert_eq!(rows() - before, 2);
}

pub(crate) fn a_loan_that_cannot_be_read_is_set_aside(place: &dyn Place) {
    let bench = bench(place);
    for (reference, customer) in [("OR-1", "C-1"), ("OR-2", "C-2")] {
        bench.offered(reference, customer);
        bench.accept(&acceptance(&format!("O-{reference}"), customer, reference, "1")).expect("a loan");
    }
    let sql = "UPDATE loans SET body = '{}' WHERE reference = 'OR-1'";
    write_transaction(&*bench.database, |tx| tx.execute(sql, &[])).expect("damage");
    assert_eq!(bench.claim(at(3)).row.reference, "OR-2", "the others go on");
    assert_eq!(bench.book.next_wake().expect("a look"), None);
    let story = bench.book.list_audit(1).expect("a story");
    assert_eq!(story.last().map(|entry| entry.event.as_str()), Some("set_aside"));
}

/// Also if the table of states did not see to it.
pub(crate) fn what_is_final_stays(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect("a loan");
    let row = bench.next(&Event::AccountVerified, at(3));
    let order = row.loan.order.clone().expect("an order");
    bench.moved(Some("REF|fund"), at(4));
    for recorded in [OrderOutcome::NotMoved, OrderOutcome::Planned, OrderOutcome::Withdrawn, OrderOutcome::Sent] {
        let changed =
            write_transaction(&*bench.database, |tx| record_outcome(tx, row.id, &order, recorded, None, at(5)));
        assert!(matches!(changed, Err(StoreError::Programming(_))), "{changed:?}");
    }
}
