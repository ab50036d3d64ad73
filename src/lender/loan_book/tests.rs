//! What the loan book must do on every database, idempotent acceptances among it. Each case runs in memory, on a file
//! and, in `postgres`, on PostgreSQL.

mod accounts;
mod doubts;
mod failed_orders;
mod lost;
mod referrals;
mod troubles;

use std::collections::HashSet;
use std::sync::{Arc, Barrier};
use std::thread;

use super::{
    Actor, BookError, ClaimAfter, Claimed, Facts, Filter, LoanBook, LoanRow, MIGRATIONS, MessageOutcome, NewAcceptance,
    NewDecision, NewRequest, OfferRow, PaymentStatus, Person, RecordedRequest, TimeSpan, Verified,
};
use crate::base::date::Zone;
use crate::base::time::{DAY, TimeOfDay, Timestamp};
use crate::lender::loan::{AfterNotFound, Backoff, Event, LoanDecision, LoanState, Plan, Retry, Terms};
use crate::lender::store::database::{Database, InstanceId, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::tests::Place;
use crate::provider::wire::Offer;
use crate::provider::wire::lender::Payment;

/// The cases as tests, each handed to `$run`, which finds it a place.
macro_rules! book_conformance {
    ($run:path) => {
        $crate::lender::loan_book::tests::book_conformance! { $run:
            a_request_is_one_loan, equal_acceptances_make_one_loan, a_refused_acceptance_leaves_nothing,
            an_account_is_refused_by_the_reply_or_by_message, whoever_verifies_an_account_holds_the_loan,
            a_life_from_the_request_to_the_end, an_old_claim_changes_nothing, a_loan_is_claimed_once,
            a_payment_is_posted_once, a_parked_payment_is_placed_by_a_person,
            a_debit_that_failed_and_was_made_after_all_stops_the_next, a_restored_book_asks_first,
            a_number_names_its_loan, a_person_decides_on_what_they_saw, a_loan_that_cannot_be_read_is_set_aside,
            what_is_final_stays, a_payout_that_failed_is_queried_before_the_next,
            a_payment_that_equals_a_debit_just_moved_is_parked, a_payment_like_a_failed_debit_waits_for_the_provider,
            a_payment_that_was_the_failed_debit_counts_once, a_clock_that_is_set_back_keeps_no_order_waiting,
            a_book_has_one_currency, a_payment_out_of_proportion_is_parked, what_was_taken_back_is_recorded,
            a_paid_bill_is_recorded_once, payments_wait_for_the_outcome_of_an_order,
            the_database_refuses_a_second_order, a_changed_audit_is_noticed, a_message_is_sent_once,
            the_book_is_read_as_a_whole, a_loan_is_erased_once,
            another_amount_has_another_id, a_lost_book_gives_the_same_loan_the_same_ids,
            loans_from_before_the_key_keep_their_ids,
            a_book_with_a_key_gives_no_ids_without_it, an_older_book_and_another_one_are_recognised,
            troubles_are_measured,
            an_offer_of_a_referral_waits_for_a_person
        }
    };
    ($run:path: $($case:ident),*) => {
        $(
            #[test]
            fn $case() {
                $run($crate::lender::loan_book::tests::$case)
            }
        )*
    };
}
pub(crate) use accounts::{
    an_account_is_refused_by_the_reply_or_by_message, whoever_verifies_an_account_holds_the_loan,
};
pub(crate) use book_conformance;
pub(crate) use doubts::{
    a_debit_that_failed_and_was_made_after_all_stops_the_next, a_loan_that_cannot_be_read_is_set_aside,
    a_number_names_its_loan, a_paid_bill_is_recorded_once, a_parked_payment_is_placed_by_a_person,
    a_person_decides_on_what_they_saw, a_restored_book_asks_first, what_is_final_stays,
};
pub(crate) use failed_orders::{
    a_book_has_one_currency, a_clock_that_is_set_back_keeps_no_order_waiting,
    a_payment_like_a_failed_debit_waits_for_the_provider, a_payment_out_of_proportion_is_parked,
    a_payment_that_equals_a_debit_just_moved_is_parked, a_payment_that_was_the_failed_debit_counts_once,
    a_payout_that_failed_is_queried_before_the_next, what_was_taken_back_is_recorded,
};
pub(crate) use lost::{
    a_book_with_a_key_gives_no_ids_without_it, a_lost_book_gives_the_same_loan_the_same_ids,
    an_older_book_and_another_one_are_recognised, another_amount_has_another_id,
    loans_from_before_the_key_keep_their_ids,
};
pub(crate) use referrals::an_offer_of_a_referral_waits_for_a_person;
pub(crate) use troubles::troubles_are_measured;

mod in_memory {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&crate::lender::store::sqlite::tests::Memory);
    }
    crate::lender::loan_book::tests::book_conformance!(run);
}

mod in_a_file {
    fn run(case: fn(&dyn crate::lender::store::tests::Place)) {
        case(&crate::lender::store::sqlite::tests::Folder::new());
    }
    crate::lender::loan_book::tests::book_conformance!(run);
}

fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_milliseconds(1_767_225_600_000 + milliseconds).expect("a moment")
}

fn plan() -> Plan {
    Plan {
        zone: Zone::parse("Africa/Lagos").expect("a zone"),
        collect_at: TimeOfDay::parse_iso("09:00").expect("a time"),
        backoff: Backoff { first_ms: 1_000, longest_ms: 10_000 },
        give_up_after_ms: DAY,
        requery: Backoff { first_ms: 1_000, longest_ms: 10_000 },
        settling_ms: 60_000,
        fund_after_ms: 1_000,
        own_debit_ms: 3 * 86_400_000,
        unknown_ms: DAY,
        after_not_found: AfterNotFound::Review,
        retries: vec![Retry { after_ms: DAY, percent: 100 }],
    }
}

/// A book, and the process that works on it.
struct Bench {
    book: LoanBook,
    database: Arc<dyn Database>,
    plan: Plan,
    instance: InstanceId,
}

fn bench(place: &dyn Place) -> Bench {
    let database = place.open(MIGRATIONS).expect("a database");
    let book = LoanBook::open(Arc::clone(&database), "chance", at(0)).expect("a book");
    let instance = database.enlist(0).expect("an instance");
    Bench { book, database, plan: plan(), instance }
}

fn request(reference: &str, customer: &str) -> NewRequest {
    NewRequest {
        reference: reference.to_owned(),
        customer_id: customer.to_owned(),
        request: serde_json::json!({ "amount": 10_000 }),
        fingerprint: customer.to_owned(),
    }
}

fn acceptance(offer: &str, customer: &str, reference: &str, account: &str) -> NewAcceptance {
    NewAcceptance {
        offer_id: offer.to_owned(),
        customer_id: customer.to_owned(),
        loan_reference_id: reference.to_owned(),
        loan_id: None,
        fingerprint: account.to_owned(),
        private: Some(account.as_bytes().to_vec()),
        loans_max: 1,
        verified_by: None,
    }
}

fn payment(reference: &str, loan_id: &str, customer: &str, amount_minor: i64) -> Payment {
    Payment {
        loan_id: loan_id.to_owned(),
        payment_ref: reference.to_owned(),
        amount_minor,
        customer_id: customer.to_owned(),
    }
}

fn offer(id: &str) -> OfferRow {
    let expires_at = at(7 * DAY);
    OfferRow {
        offer: Offer {
            offer_id: id.to_owned(),
            amount_offered: 10_000,
            interest: 1.0,
            amount_payable: 11_000,
            fee: 0,
            tenure: 60,
            terms: "none".to_owned(),
            expiry_date: expires_at.to_string(),
            currency: "566".to_owned(),
            is_part_payment_allowed: false,
        },
        terms: Terms {
            paid_out_minor: 10_000,
            payments_minor: vec![5_500, 5_500],
            length: 60,
            unit: "days".to_owned(),
            currency: "566".to_owned(),
            is_part_payment_allowed: false,
        },
        expires_at,
    }
}

/// A decision that makes one offer.
fn offering(reference: &str) -> NewDecision {
    NewDecision {
        outcome: "offer".to_owned(),
        policy: ["p", "1", "d"].map(str::to_owned),
        record: Some(b"record".to_vec()),
        offers: vec![offer(&format!("O-{reference}"))],
    }
}

impl Bench {
    fn new_loan(&self, reference: &str, customer: &str) -> Claimed {
        match self.book.record_request(&request(reference, customer), self.instance, at(0)).expect("a request") {
            RecordedRequest::New(claimed) => claimed,
            RecordedRequest::Known(_) => panic!("{reference} is known"),
        }
    }

    fn advance(&self, claimed: &Claimed, event: &Event, facts: &Facts, after: ClaimAfter, now: Timestamp) -> LoanRow {
        self.book.advance_loan(&claimed.claim, event, facts, after, self.plan.at(now)).expect("a step")
    }

    /// A loan with an offer of its own.
    fn offered(&self, reference: &str, customer: &str) -> LoanRow {
        let claimed = self.new_loan(reference, customer);
        let facts = Facts { decision: Some(offering(reference)), ..Facts::default() };
        let event = Event::Decided { decision: LoanDecision::Offer { until: at(7 * DAY) }, is_answered: true };
        self.advance(&claimed, &event, &facts, ClaimAfter::Released, at(1))
    }

    fn accept(&self, acceptance: &NewAcceptance) -> Result<String, BookError> {
        self.book.accept_offer(acceptance, self.plan.at(at(2))).map(|accepted| accepted.loan_id)
    }

    fn claim(&self, now: Timestamp) -> Claimed {
        let mut claimed = self.book.claim_loans(self.instance, now, 10).expect("claims");
        assert_eq!(claimed.len(), 1, "one loan has something to do");
        claimed.remove(0)
    }

    /// A step without facts, of the one loan that has something to do.
    fn next(&self, event: &Event, now: Timestamp) -> LoanRow {
        let claimed = self.claim(now);
        self.advance(&claimed, event, &Facts::default(), ClaimAfter::Released, now)
    }

    /// Moves money, with the provider's reference if it came.
    fn moved(&self, reference: Option<&str>, now: Timestamp) -> LoanRow {
        let claimed = self.claim(now);
        self.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, now);
        let facts = Facts { transaction_ref: reference.map(str::to_owned), ..Facts::default() };
        self.advance(&claimed, &Event::Moved, &facts, ClaimAfter::Released, now)
    }

    /// The id of the transaction of money that a person asks about.
    fn questioned_id(&self, row: &LoanRow) -> Option<String> {
        let order = row.loan.order_in_question()?;
        self.book.find_transaction_id(row.id, order).expect("a read")
    }

    /// A loan that has been paid out.
    fn open(&self, reference: &str, customer: &str) -> LoanRow {
        self.offered(reference, customer);
        self.accept(&acceptance(&format!("O-{reference}"), customer, &format!("L-{reference}"), "1")).expect("a loan");
        self.next(&Event::AccountVerified, at(3));
        self.moved(Some("REF|fund"), at(4))
    }
}

pub(crate) fn a_request_is_one_loan(place: &dyn Place) {
    let bench = bench(place);
    let barrier = Barrier::new(8);
    let news: usize = thread::scope(|scope| {
        let run = || {
            barrier.wait();
            let stored = bench.book.record_request(&request("OR-1", "C-1"), bench.instance, at(0)).expect("a request");
            usize::from(matches!(stored, RecordedRequest::New(_)))
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(news, 1);
    let other = bench.book.record_request(&request("OR-1", "C-2"), bench.instance, at(0));
    assert!(matches!(other, Err(BookError::Conflict(_))), "{other:?}");
    assert_eq!(bench.book.list_loans(&Filter { most: 10, ..Filter::default() }).expect("a list").len(), 1);
}

pub(crate) fn equal_acceptances_make_one_loan(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    let accepted = acceptance("O-OR-1", "C-1", "L-1", "1");
    let barrier = Barrier::new(50);
    let accepted: Vec<super::acceptance::AcceptedLoan> = thread::scope(|scope| {
        let run = || {
            barrier.wait();
            bench.book.accept_offer(&accepted, bench.plan.at(at(2))).expect("an acceptance")
        };
        let threads: Vec<_> = (0..50).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(accepted.iter().filter(|accepted| accepted.is_new).count(), 1);
    assert_eq!(accepted.iter().map(|accepted| &accepted.loan_id).collect::<HashSet<_>>().len(), 1);
    // The same reference with another content, and the same offer under another reference.
    for changed in [acceptance("O-OR-1", "C-1", "L-1", "2"), acceptance("O-OR-1", "C-1", "L-2", "1")] {
        assert!(matches!(bench.accept(&changed), Err(BookError::Conflict(_))));
    }
    let stranger = bench.accept(&acceptance("O-OR-1", "C-2", "L-3", "1"));
    assert!(matches!(stranger, Err(BookError::NotFound("offer"))), "{stranger:?}");
}

pub(crate) fn a_refused_acceptance_leaves_nothing(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    bench.offered("OR-2", "C-1");
    let late = bench.book.accept_offer(&acceptance("O-OR-1", "C-1", "L-1", "1"), bench.plan.at(at(7 * DAY)));
    assert!(matches!(late, Err(BookError::Conflict("the offer has expired"))), "{late:?}");
    // The corrected one comes under the same reference.
    let first = bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect("an acceptance");
    let second = bench.accept(&acceptance("O-OR-2", "C-1", "L-2", "1"));
    assert!(matches!(second, Err(BookError::Conflict("the customer has a loan already"))), "{second:?}");
    // A wrong account, then the right one: the same loan.
    bench.next(&Event::AccountRefused, at(3));
    assert_eq!(bench.accept(&acceptance("O-OR-1", "C-1", "L-1b", "2")).expect("an acceptance"), first);
    assert_eq!(bench.book.find_loan(&first).expect("a read").expect("a loan").loan.state, LoanState::Verifying);
    // An id that the provider gives is one loan's.
    bench.offered("OR-3", "C-3");
    let given = NewAcceptance { loan_id: Some(first), ..acceptance("O-OR-3", "C-3", "L-3", "1") };
    let taken = bench.accept(&given);
    assert!(matches!(taken, Err(BookError::Conflict("`loanId` is another loan's"))), "{taken:?}");
}

pub(crate) fn a_life_from_the_request_to_the_end(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    assert_eq!((row.loan.state, row.loan.owed_minor()), (LoanState::Open, 11_000));
    for number in 1..=2 {
        let due = row.loan.wake.expect("a due date").milliseconds() + (number - 1) * 30 * DAY;
        let now = Timestamp::from_milliseconds(due).expect("a moment");
        bench.next(&Event::Due, now);
        bench.moved(Some(&format!("REF|{number}")), now);
    }
    let row = bench.book.load_loan(row.id).expect("a read").expect("a loan");
    assert_eq!((row.loan.state, row.loan.owed_minor()), (LoanState::Closed, 0));
    let status = bench.book.find_status(row.loan_id.as_deref().expect("an id")).expect("a read").expect("a status");
    assert_eq!((status.state, status.owed_minor, status.currency.as_str()), (LoanState::Closed, 0, "566"));
    let orders = bench.book.list_orders(row.id).expect("orders");
    let shown: Vec<_> =
        orders.iter().map(|order| (order.kind.word(), order.instalment, order.outcome.word())).collect();
    assert_eq!(shown, [("fund", 0, "moved"), ("debit", 1, "moved"), ("debit", 2, "moved")]);
    let ids: HashSet<&str> = orders.iter().map(|order| order.transaction_id.as_str()).collect();
    assert_eq!(ids.len(), 3);
    let story = bench.book.list_audit(row.id).expect("a story");
    let events: Vec<&str> = story.iter().map(|row| row.event.as_str()).collect();
    assert_eq!(events[..5], ["requested", "decided_offer", "accepted", "account_verified", "sending"]);
    assert!(matches!(bench.book.verify_audit().expect("a check"), Verified::Whole { rows, .. } if rows > 10));
}

pub(crate) fn the_book_is_read_as_a_whole(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    bench.next(&Event::Due, row.loan.wake.expect("a due date"));
    let (book, span) = (&bench.book, TimeSpan { from: at(-DAY), to: at(60 * DAY) });
    let stray = payment("PAY-1", "L-none", "C-9", 5);
    book.record_payment(&stray, bench.plan.at(at(5))).expect("a notification");
    let flow = book.sum_money_in_flight().expect("flows");
    let shown: Vec<_> =
        flow.iter().map(|flow| (flow.kind.word(), flow.outcome.word(), flow.count, flow.amount_minor)).collect();
    assert_eq!(shown, [("debit", "planned", 1, 5_500)]);
    let troubles = book.count_troubles().expect("troubles");
    assert_eq!((troubles.orders_not_moved, troubles.messages_failed, troubles.payments_parked), (0, 0, 1));
    assert_eq!(book.list_waiting_for_people(10).expect("a queue").len(), 0);
    let decisions = book.list_decisions(row.id).expect("decisions");
    assert_eq!((decisions.len(), decisions[0].has_record, &*decisions[0].outcome), (1, true, "offer"));
    let audit = book.page_audit(span, 0, 1_000).expect("an audit");
    let counts = [
        book.page_loans(span, 0, 10).expect("loans").len(),
        book.page_orders(span, 0, 10).expect("orders").len(),
        book.list_payments_between(span.from, span.to).expect("payments").len(),
        book.page_messages(span, 0, 10).expect("messages").len(),
    ];
    assert_eq!((counts, book.list_messages(row.id).expect("messages").len()), ([1, 2, 1, 1], 1));
    assert_eq!(book.count_rows().expect("counts"), [1, 1, 1, 2, 1, 1, audit.len() as i64]);
    let last = audit.last().expect("a row");
    assert_eq!(book.find_audit_row(&last.hash).expect("a read"), Some(last.seq));
    assert_eq!(book.find_audit_row("").expect("a read"), None);
    assert_eq!(book.page_audit(span, last.seq, 10).expect("a page").len(), 0);
}

pub(crate) fn a_loan_is_erased_once(place: &dyn Place) {
    let bench = bench(place);
    let (open, declined) = (bench.open("OR-1", "C-1"), bench.new_loan("OR-2", "C-2"));
    let event = Event::Decided { decision: LoanDecision::Decline, is_answered: true };
    bench.advance(&declined, &event, &Facts::default(), ClaimAfter::Released, at(5));
    let ada = Actor::Person(Person { name: "Ada".to_owned(), note: "asked for".to_owned() });
    let book = &bench.book;
    let refused = book.erase_loan(open.id, "erased-1", &ada, at(6));
    assert!(matches!(refused, Err(BookError::Conflict(_))), "{refused:?}");
    let (values, last) = book.list_sealed_values(0, 10).expect("values");
    assert_eq!((values.len(), last), (2, Some(declined.row.id)));
    let again = values.into_iter().map(|value| (value, b"again".to_vec())).collect::<Vec<_>>();
    assert_eq!(book.replace_sealed(&again).expect("a change"), 2);
    assert_eq!(book.replace_sealed(&again).expect("no change"), 0);
    assert_eq!(book.load_private(open.id).expect("a read"), Some(b"again".to_vec()));
    assert_eq!(book.list_erasable(at(DAY), 0, 10).expect("a list"), [declined.row.id]);
    assert!(book.erase_loan(declined.row.id, "erased-2", &ada, at(6)).expect("an erasure"));
    assert!(!book.erase_loan(declined.row.id, "erased-2", &ada, at(6)).expect("no erasure"));
    assert_eq!(book.list_erasable(at(DAY), 0, 10).expect("a list"), [0_i64; 0]);
    let row = book.load_loan(declined.row.id).expect("a read").expect("a loan");
    assert_eq!((row.customer_id.as_str(), row.request), ("erased-2", serde_json::json!({})));
    assert!(matches!(book.verify_audit().expect("a check"), Verified::Whole { .. }));
    let story = book.list_audit(row.id).expect("a story");
    let last = story.last().expect("a row");
    assert_eq!((last.actor.as_str(), last.event.as_str()), ("Ada", "erased"));
}

pub(crate) fn an_old_claim_changes_nothing(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect("a loan");
    bench.next(&Event::AccountVerified, at(3));
    let old = bench.claim(at(4));
    assert_eq!(bench.book.free_ended_claims(at(4)).expect("adoption"), 0, "a process that lives keeps its claims");
    bench.database.withdraw().expect("the process ends");
    let instance = bench.database.enlist(0).expect("another process");
    assert_eq!(bench.book.free_ended_claims(at(4)).expect("adoption"), 1);
    let new = bench.book.claim_loans(instance, at(4), 10).expect("claims").remove(0);
    for event in [Event::Sending, Event::Moved, Event::NotMoved] {
        let done =
            bench.book.advance_loan(&old.claim, &event, &Facts::default(), ClaimAfter::Kept, bench.plan.at(at(5)));
        assert!(matches!(done, Err(BookError::Lost)), "{done:?}");
    }
    bench.book.release_claim(&old.claim).expect("a release");
    // This process, too, may take a loan again that it had given up, while an earlier task still works on it.
    let claims = bench.book.list_claims(instance).expect("claims");
    assert!(claims.loans.contains(&(new.claim.loan, new.claim.epoch)), "{claims:?}");
    bench.book.free_claims(instance, &claims, at(5)).expect("it is given up");
    let newest = bench.book.claim_loans(instance, at(5), 10).expect("claims").remove(0);
    let late =
        bench.book.advance_loan(&new.claim, &Event::Sending, &Facts::default(), ClaimAfter::Kept, bench.plan.at(at(5)));
    assert!(matches!(late, Err(BookError::Lost)), "{late:?}");
    bench.book.release_claim(&new.claim).expect("a release of what is lost");
    let sent = bench.book.advance_loan(
        &newest.claim,
        &Event::Sending,
        &Facts::default(),
        ClaimAfter::Kept,
        bench.plan.at(at(5)),
    );
    assert!(sent.is_ok(), "{sent:?}");
}

pub(crate) fn a_loan_is_claimed_once(place: &dyn Place) {
    let bench = bench(place);
    for number in 0..40 {
        let claimed = bench.new_loan(&format!("OR-{number}"), &format!("C-{number}"));
        bench.book.release_claim(&claimed.claim).expect("a release");
    }
    let claimed: Vec<i64> = thread::scope(|scope| {
        let run = || {
            let mut mine = Vec::new();
            for _ in 0..200 {
                let claims = bench.book.claim_loans(bench.instance, at(1), 3).expect("claims");
                mine.extend(claims.iter().map(|claimed| claimed.claim.loan));
                if mine.len() >= 40 || bench.book.next_wake().expect("a look").is_none() {
                    break;
                }
            }
            mine
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(claimed.len(), 40);
    assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), 40);
}

pub(crate) fn a_payment_is_posted_once(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let loan_id = row.loan_id.clone().expect("an id");
    let paid = payment("PAY-1", &loan_id, "C-1", 1_000);
    thread::scope(|scope| {
        let run =
            || (0..25).for_each(|_| drop(bench.book.record_payment(&paid, bench.plan.at(at(5))).expect("a payment")));
        (0..4).for_each(|_| drop(scope.spawn(run)));
    });
    let parked = |payment: &Payment| bench.book.record_payment(payment, bench.plan.at(at(6)));
    let changed = parked(&payment("PAY-1", &loan_id, "C-1", 2_000));
    assert!(matches!(changed, Err(BookError::Conflict(_))), "{changed:?}");
    for stranger in [payment("PAY-2", &loan_id, "C-2", 1_000), payment("PAY-3", "LN-unknown", "C-1", 1_000)] {
        let notified = parked(&stranger).expect("it is kept");
        assert_eq!((notified.payment.status, notified.loan.is_none()), (PaymentStatus::Parked, true));
    }
    let row = bench.book.load_loan(row.id).expect("a read").expect("a loan");
    assert_eq!((row.loan.paid_minor(), row.loan.owed_minor()), (1_000, 10_000));
    assert_eq!(bench.book.list_payments(None).expect("those parked").len(), 3);
    assert!(matches!(bench.book.verify_audit().expect("a check"), Verified::Whole { .. }));
}

pub(crate) fn payments_wait_for_the_outcome_of_an_order(place: &dyn Place) {
    let bench = bench(place);
    bench.offered("OR-1", "C-1");
    let loan_id = bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect("a loan");
    let pay = |reference: &str, amount| {
        let paid = payment(reference, &loan_id, "C-1", amount);
        bench.book.record_payment(&paid, bench.plan.at(at(5))).expect("a payment").payment.status
    };
    assert_eq!(pay("PAY-early", 500), PaymentStatus::Waiting);
    bench.next(&Event::AccountVerified, at(6));
    let row = bench.moved(Some("REF|fund"), at(7));
    assert_eq!(row.loan.paid_minor(), 500, "it is posted when the loan opens");
    let due = row.loan.wake.expect("a due date");
    bench.next(&Event::Due, due);
    let claimed = bench.claim(due);
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, due);
    // The customer pays, and the provider notifies the debit too, before its answer is here.
    assert_eq!(pay("PAY-race", 700), PaymentStatus::Waiting);
    assert_eq!(pay("REF|debit", 5_000), PaymentStatus::Waiting);
    let facts = Facts { transaction_ref: Some("REF|debit".to_owned()), ..Facts::default() };
    let row = bench.advance(&claimed, &Event::Moved, &facts, ClaimAfter::Released, due);
    assert_eq!((row.loan.paid_minor(), row.loan.overpaid_minor), (500 + 5_000 + 700, 0));
    let standings: Vec<_> =
        bench.book.list_payments(Some(row.id)).expect("payments").into_iter().map(|paid| paid.status).collect();
    assert_eq!(standings, [PaymentStatus::Posted, PaymentStatus::Posted, PaymentStatus::Echo]);
    assert_eq!(pay("REF|debit", 5_000), PaymentStatus::Echo);
}

pub(crate) fn the_database_refuses_a_second_order(place: &dyn Place) {
    let bench = bench(place);
    let row = bench.open("OR-1", "C-1");
    let insert = |kind: &str, attempt: i64, id: &str| {
        let sql = "INSERT INTO orders (loan, kind, instalment, attempt, transaction_id, amount_minor, outcome, \
                   planned_at) VALUES ($1, $2, 0, $3, $4, 1, 'planned', 0)";
        let values = [row.id.into(), kind.into(), attempt.into(), id.into()];
        write_transaction(&*bench.database, |tx| tx.execute(sql, &values))
    };
    // The loan is funded: whatever the attempt and the id.
    for error in [insert("fund", 1, "X-1"), insert("fund", 2, "X-2")] {
        assert!(matches!(error, Err(StoreError::Duplicate { .. })), "{error:?}");
    }
    insert("debit", 7, "X-3").expect("a first debit");
    for error in [insert("debit", 8, "X-4"), insert("debit", 7, "X-5"), insert("debit", 9, "X-3")] {
        assert!(matches!(error, Err(StoreError::Duplicate { .. })), "{error:?}");
    }
}

pub(crate) fn a_changed_audit_is_noticed(place: &dyn Place) {
    let bench = bench(place);
    bench.open("OR-1", "C-1");
    let run = |sql: &str| write_transaction(&*bench.database, |tx| tx.execute(sql, &[]));
    for sql in ["UPDATE audit SET actor = 'x' WHERE seq = 2", "DELETE FROM audit WHERE seq = 2"] {
        assert!(matches!(run(sql), Err(StoreError::AppendOnly(_))), "{sql}");
    }
    for trigger in ["audit_is_kept", "audit_is_unchanged"] {
        // SQLite has both, PostgreSQL the first alone, for both kinds of change.
        if run(&format!("DROP TRIGGER {trigger}")).is_err() {
            let _ = run(&format!("DROP TRIGGER IF EXISTS {trigger} ON audit"));
        }
    }
    let verified = || bench.book.verify_audit().expect("a check");
    run("UPDATE audit SET actor = 'x' WHERE seq = 3").expect("a change by the owner of the database");
    assert!(matches!(verified(), Verified::Broken { seq: 3, .. }));
    run("DELETE FROM audit WHERE seq = 2").expect("a change");
    assert!(matches!(verified(), Verified::Broken { seq: 2, how: "is missing" }));
    run("DELETE FROM audit WHERE seq > 1").expect("a change");
    assert!(matches!(verified(), Verified::Broken { seq: 2, .. }));
}

pub(crate) fn a_message_is_sent_once(place: &dyn Place) {
    let bench = bench(place);
    bench.open("OR-1", "C-1");
    let claim = || bench.book.claim_messages(bench.instance, at(10), 10).expect("claims");
    let claims = claim();
    assert_eq!(claims.len(), 1);
    assert!(claim().is_empty());
    let settle = |outcome| bench.book.settle_message(&claims[0], &outcome, at(11)).expect("it is recorded");
    settle(MessageOutcome::Again(at(12)));
    assert!(claim().is_empty());
    let again = bench.book.claim_messages(bench.instance, at(12), 10).expect("claims");
    assert_eq!((again.len(), again[0].tries), (1, 1));
    // The process ends while it sends: the message may have left.
    bench.database.withdraw().expect("the process ends");
    let instance = bench.database.enlist(0).expect("another process");
    bench.book.free_ended_claims(at(13)).expect("adoption");
    assert!(bench.book.claim_messages(instance, at(99), 10).expect("claims").is_empty());
}

/// What a person does is in the audit, with their name.
#[test]
fn a_person_is_named() {
    let database: Arc<dyn Database> =
        Arc::new(crate::lender::store::sqlite::open_memory_database(MIGRATIONS, 0).expect("a database"));
    let instance = database.enlist(0).expect("an instance");
    let book = LoanBook::open(Arc::clone(&database), "chance", at(0)).expect("a book");
    let bench = Bench { book, database, plan: plan(), instance };
    let claimed = bench.new_loan("OR-1", "C-1");
    let row = bench.advance(&claimed, &Event::Refer, &Facts::default(), ClaimAfter::Released, at(1));
    let ada = Actor::Person(Person { name: "Ada".to_owned(), note: "pay slips seen".to_owned() });
    let event = Event::Disapproved;
    let decided =
        bench.book.decide_loan(row.id, &event, &Facts::default(), &ada, bench.plan.at(at(2))).expect("a decision");
    assert_eq!(decided.loan.state, LoanState::Answering);
    let last = bench.book.list_audit(row.id).expect("a story").pop().expect("a row");
    assert_eq!((last.actor.as_str(), last.event.as_str()), ("Ada", "disapproved"));
    assert!(last.detail.contains("pay slips seen"));
}
