//! Cases of what metrics say about a book: what is late, and what needs a person.

use std::collections::BTreeMap;

use super::super::{ClaimAfter, Facts};
use super::{at, bench, payment};
use crate::base::time::DAY;
use crate::lender::loan::{Cause, Event};
use crate::lender::store::database::write_transaction;
use crate::lender::store::tests::Place;

pub(crate) fn troubles_are_measured(place: &dyn Place) {
    let bench = bench(place);
    let measure = |now| bench.book.measure_troubles(now).expect("a measure");
    let waiting = |pairs: &[(&str, i64)]| -> BTreeMap<String, i64> {
        pairs.iter().map(|(cause, count)| ((*cause).to_owned(), *count)).collect()
    };
    assert_eq!(measure(at(0)), super::super::OpenTroubles::default());
    // One is referred, the statement of another cannot be decided on.
    for (reference, event) in [("OR-1", Event::Refer), ("OR-2", Event::Impossible(Cause::Undecidable))] {
        let claimed = bench.new_loan(reference, reference);
        bench.advance(&claimed, &event, &Facts::default(), ClaimAfter::Released, at(1));
    }
    assert_eq!(measure(at(2)).waiting, waiting(&[("referred", 1), ("undecidable", 1)]));
    // A debit is sent, and has no outcome. Another loan's payment fits nothing.
    let row = bench.open("OR-3", "C-3");
    let due = row.loan.wake.expect("a due date");
    assert_eq!((measure(at(3)).loans_due, measure(due).loans_due), (0, 1));
    let planned = bench.next(&Event::Due, due);
    let id = bench.questioned_id(&planned).expect("an order");
    let claimed = bench.claim(due);
    assert_eq!((measure(due).unknown_since, measure(due).loans_due), (None, 0));
    bench.advance(&claimed, &Event::Sending, &Facts::default(), ClaimAfter::Kept, due);
    assert_eq!(measure(due).unknown_since, Some(due));
    let notify = |reference: &str, loan_id: &str| {
        let reported = payment(reference, loan_id, "C-3", 5_500);
        bench.book.record_payment(&reported, bench.plan.at(due)).expect("it is kept");
    };
    notify("PAY-1", "LN-unknown");
    assert_eq!((measure(due).payments_parked, measure(due).contradicted), (1, 0));
    // The provider says that the debit failed, and then that it was made.
    bench.advance(&claimed, &Event::NotMoved, &Facts::default(), ClaimAfter::Released, due);
    notify(&id, &row.loan_id.clone().expect("an id"));
    let now = measure(due);
    assert_eq!((now.unknown_since, now.payments_parked, now.contradicted), (Some(due), 1, 1));
    assert_eq!(now.waiting, waiting(&[("referred", 1), ("undecidable", 1), ("contradicted", 1)]));
    // One that cannot be read waits, too, and does not keep the others from being counted.
    let sql = "UPDATE loans SET body = 'damaged' WHERE reference = 'OR-2'";
    write_transaction(&*bench.database, |tx| tx.execute(sql, &[]).map(drop)).expect("a change");
    assert_eq!(measure(at(DAY)).waiting, waiting(&[("referred", 1), ("review", 1), ("contradicted", 1)]));
}
