//! The verdict on the balances of a statement, as the reference finds it: what the balance must be is added up record
//! by record and compared wherever a record has one.

use super::statement::Record;

/// One major unit of the currency of all random statements. Less than this is rounding.
const MAJOR: u128 = 100;

/// What is known after some of the records.
#[derive(Clone, Copy, Default)]
struct Known {
    /// What the balance must be.
    must_be: Option<i128>,
    balances: usize,
    is_broken: bool,
    /// Whether something moved that no balance before it and none after it cover.
    is_uncovered: bool,
    moved_since: bool,
}

/// The verdict on all records, in the order of the frame.
pub(super) fn verdict(records: &[&Record]) -> &'static str {
    let mut known = Known::default();
    for day in records.chunk_by(|one, next| one.date == next.date) {
        known = after_day(known, day);
    }
    match known {
        Known { is_broken: true, .. } => "discrepancy",
        Known { balances: 2.., is_uncovered: false, moved_since: false, .. } => "verified",
        _ => "unverifiable",
    }
}

fn moved(record: &Record) -> i128 {
    i128::from(record.credit.unwrap_or(0)) - i128::from(record.debit.unwrap_or(0))
}

fn after_day(before: Known, day: &[&Record]) -> Known {
    let placed = day.iter().fold(before, |known, record| after_balance(after_move(known, record), record));
    let shown: Vec<&&Record> = day.iter().filter(|record| record.balance.is_some()).collect();
    let is_mixed = !shown.is_empty() && day.iter().any(|record| record.balance.is_none() && moved(record) != 0);
    // A break that was there before is no break of this day.
    let fresh = Known { is_broken: false, ..before };
    let follows = !day.iter().fold(fresh, |known, record| after_balance(after_move(known, record), record)).is_broken;
    if !is_mixed || (before.must_be.is_some() && follows) {
        return placed;
    }
    // Where the only balance of such a day stands is not known: it may be that at the day's end.
    let moves = day.iter().fold(before, |known, record| Known {
        must_be: known.must_be.map(|balance| balance + moved(record)),
        moved_since: known.moved_since || moved(record) != 0,
        ..known
    });
    match shown.as_slice() {
        [only] if before.must_be.is_some() => after_balance(moves, only),
        _ => moves,
    }
}

/// The first balance says nothing about its own record.
fn after_move(known: Known, record: &Record) -> Known {
    if known.must_be.is_none() && record.balance.is_some() {
        return known;
    }
    Known {
        must_be: known.must_be.map(|balance| balance + moved(record)),
        moved_since: known.moved_since || moved(record) != 0,
        ..known
    }
}

fn after_balance(known: Known, record: &Record) -> Known {
    let Some(balance) = record.balance.map(i128::from) else { return known };
    Known {
        must_be: Some(balance),
        balances: known.balances + 1,
        is_broken: known.is_broken || known.must_be.is_some_and(|must_be| must_be.abs_diff(balance) >= MAJOR),
        is_uncovered: known.is_uncovered || (known.must_be.is_none() && known.moved_since),
        moved_since: false,
    }
}
