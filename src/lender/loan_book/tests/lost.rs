//! Books that were lost, are older than they were, or are from before there were keys.

use std::sync::Arc;

use super::{Bench, acceptance, at, bench, payment, plan};
use crate::lender::loan::Event;
use crate::lender::loan_book::{Actor, LoanBook, MIGRATIONS, Person};
use crate::lender::store::database::{Database, write_transaction};
use crate::lender::store::error::StoreError;
use crate::lender::store::seen_file::SeenFile;
use crate::lender::store::sqlite::open_memory_database;
use crate::lender::store::tests::Place;

const KEY: [u8; 32] = [7; 32];

/// An empty book in memory, with another salt.
fn other_bench() -> Bench {
    let database: Arc<dyn Database> = Arc::new(open_memory_database(MIGRATIONS, 0).expect("a database"));
    let book = LoanBook::open(Arc::clone(&database), "another chance", at(0)).expect("a book");
    let instance = database.enlist(0).expect("an instance");
    Bench { book, database, plan: plan(), instance }
}

fn with_key(mut bench: Bench, key: [u8; 32]) -> Bench {
    bench.book = bench.book.with_order_key(Some(key)).expect("a key");
    bench
}

/// The ids of a loan and of its payout.
fn ids(bench: &Bench, reference: &str) -> (String, String) {
    let row = bench.book.find_loan(reference).expect("a read").expect("a loan");
    let payout = bench.book.list_orders(row.id).expect("orders").remove(0).transaction_id;
    (row.loan_id.expect("an id"), payout)
}

pub(crate) fn a_lost_book_gives_the_same_loan_the_same_ids(place: &dyn Place) {
    let first = with_key(bench(place), KEY);
    first.open("OR-1", "C-1");
    first.open("OR-2", "C-2");
    // In the next book the loan has another number.
    let second = with_key(other_bench(), KEY);
    second.open("OR-9", "C-9");
    second.open("OR-2", "C-2");
    assert_eq!(ids(&second, "OR-2"), ids(&first, "OR-2"));
    assert_ne!(ids(&second, "OR-9"), ids(&first, "OR-1"));
    let third = with_key(other_bench(), [8; 32]);
    third.open("OR-2", "C-2");
    assert_ne!(ids(&third, "OR-2"), ids(&first, "OR-2"), "another lender's keys");
    let without = other_bench();
    without.open("OR-2", "C-2");
    assert_ne!(ids(&without, "OR-2"), ids(&first, "OR-2"));
}

pub(crate) fn another_amount_has_another_id(place: &dyn Place) {
    let (first, second) = (with_key(bench(place), KEY), with_key(other_bench(), KEY));
    let debit = |bench: &Bench, paid_before: i64| {
        let row = bench.open("OR-1", "C-1");
        let paid = payment("PAY-1", row.loan_id.as_deref().expect("an id"), "C-1", paid_before);
        bench.book.record_payment(&paid, bench.plan.at(at(9))).expect("it is kept");
        let planned = bench.next(&Event::Due, row.loan.wake.expect("a due date"));
        bench.book.list_orders(planned.id).expect("orders").pop().expect("a debit").transaction_id
    };
    // The second book lacks a part of what the customer paid.
    assert_ne!(debit(&first, 1_000), debit(&second, 1));
}

pub(crate) fn loans_from_before_the_key_keep_their_ids(place: &dyn Place) {
    let mut old = bench(place);
    old.offered("OR-1", "C-1");
    old.book = old.book.clone().with_order_key(Some(KEY)).expect("a key");
    // What the program did that knew no keys.
    let before = other_bench();
    write_transaction(&*before.database, |tx| tx.execute("UPDATE house SET salt = 'chance'", &[])).expect("a salt");
    let before = Bench { book: LoanBook::open(Arc::clone(&before.database), "", at(0)).expect("a book"), ..before };
    for bench in [&old, &before] {
        if std::ptr::eq(bench, &before) {
            bench.offered("OR-1", "C-1");
        }
        bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect("a loan");
        bench.next(&Event::AccountVerified, at(3));
        bench.moved(Some("REF|fund"), at(4));
    }
    assert_eq!(ids(&old, "OR-1"), ids(&before, "OR-1"));
    // The next one is by the key, also after another start.
    old.book =
        LoanBook::open(Arc::clone(&old.database), "", at(0)).expect("a book").with_order_key(Some(KEY)).expect("it");
    old.open("OR-2", "C-2");
    let keyed = with_key(other_bench(), KEY);
    keyed.open("OR-2", "C-2");
    assert_eq!(ids(&old, "OR-2"), ids(&keyed, "OR-2"));
}

pub(crate) fn a_book_with_a_key_gives_no_ids_without_it(place: &dyn Place) {
    let mut bench = with_key(bench(place), KEY);
    bench.offered("OR-1", "C-1");
    bench.book = LoanBook::open(Arc::clone(&bench.database), "", at(0)).expect("a book");
    assert!(matches!(bench.book.clone().with_order_key(None), Err(StoreError::WrongKeys(_))));
    let refused = bench.accept(&acceptance("O-OR-1", "C-1", "L-1", "1")).expect_err("no key");
    assert!(refused.to_string().contains("has its ids by a key, which was not given"), "{refused}");
}

pub(crate) fn an_older_book_and_another_one_are_recognised(place: &dyn Place) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = || Some(SeenFile::new(folder.path().join("book.seen")));
    let mut bench = bench(place);
    bench.book = bench.book.with_seen_file(file());
    bench.book.check_seen().expect("nothing is known");
    bench.offered("OR-1", "C-1");
    bench.book.note_seen().expect("it is noted");
    // It went on before it could be noted: the file is behind, and the book is good.
    bench.offered("OR-2", "C-2");
    bench.book.check_seen().expect("it is newer");
    bench.book.note_seen().expect("it is noted");

    let older = other_bench();
    let older = Bench { book: older.book.with_seen_file(file()), ..older };
    let refused = older.book.check_seen().expect_err("it is empty").to_string();
    assert!(refused.contains("ends at entry 0 of its audit, and it had come to entry 4"), "{refused}");
    for reference in ["OR-7", "OR-8", "OR-9"] {
        older.offered(reference, "C-1");
    }
    let refused = older.book.check_seen().expect_err("it is another").to_string();
    assert!(refused.contains("has another entry 4 in its audit"), "{refused}");
    assert!(refused.contains("run `lendwright service loans restored` first"), "{refused}");
    older.database.withdraw().expect("it ends");
    let ada = Actor::Person(Person { name: "Ada".to_owned(), note: "restored".to_owned() });
    older.book.mark_restored(&ada, older.plan.at(at(9))).expect("a person says so");
    older.book.check_seen().expect("it is known now");
    let refused = bench.book.check_seen().expect_err("now this one is another").to_string();
    assert!(refused.contains("audit"), "{refused}");
}
