//! A portfolio small enough to count by hand.

use Outcome::{Decline, Offer, Refer};
use proptest::prelude::*;

use super::count::{SortedAmounts, count_by_outcome, count_by_reason, count_offer_changes, swap_cells};
use super::decisions::{DecidedRow, Decisions};
use crate::engine::decision::Outcome;
use crate::engine::metrics::Bits;
use crate::portfolio::outcomes::KnownRows;

fn decided(outcome: Outcome, amount: Option<i64>, reasons: &[&str]) -> DecidedRow {
    DecidedRow { outcome, amount, reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect() }
}

fn known(outcomes: &[Option<bool>]) -> KnownRows {
    KnownRows {
        known: Bits::from_fn(outcomes.len(), |row| outcomes[row].is_some()),
        bad: Bits::from_fn(outcomes.len(), |row| outcomes[row] == Some(true)),
    }
}

#[test]
fn reasons_are_counted_as_any_first_and_only() {
    let decisions = Decisions::from_rows(&[
        decided(Decline, None, &["R1", "R2"]),
        decided(Decline, None, &["R2"]),
        decided(Refer, None, &["R3", "R2"]),
        decided(Offer, Some(500), &[]),
    ]);
    let counts: Vec<_> =
        count_by_reason(&decisions).into_iter().map(|row| (row.id, row.any, row.first, row.only)).collect();
    let wanted = [("R1", 1, 1, 0), ("R2", 3, 1, 1), ("R3", 1, 1, 0)];
    assert_eq!(counts, wanted.map(|(id, any, first, only)| (id.to_owned(), any, first, only)));
    let found = count_by_outcome(&decisions, &known(&[Some(false), None, None, Some(true)]));
    let groups: Vec<_> =
        found.iter().map(|row| (row.group.customers, row.group.amount, row.group.known, row.group.bad)).collect();
    assert_eq!(groups, [(1, 500, 1, 1), (1, 0, 0, 0), (2, 0, 1, 0)]);
}

#[test]
fn every_customer_is_in_one_cell_of_the_swap_set() {
    let champion = Decisions::from_rows(&[
        decided(Offer, Some(100), &[]),
        decided(Offer, Some(100), &[]),
        decided(Decline, None, &["R1"]),
        decided(Refer, None, &["R2"]),
        decided(Offer, Some(100), &[]),
    ]);
    let challenger = Decisions::from_rows(&[
        decided(Offer, Some(150), &[]),
        decided(Decline, None, &["R9"]),
        decided(Offer, Some(70), &[]),
        decided(Refer, None, &["R2"]),
        decided(Offer, Some(90), &[]),
    ]);
    let cells = swap_cells(&champion, &challenger, &known(&[Some(false), Some(true), None, None, None]));
    assert_eq!(cells.len(), 9);
    assert_eq!(cells.iter().map(|cell| cell.group.customers).sum::<u64>(), 5);
    let cell = |before: &str, after: &str| {
        cells.iter().find(|cell| cell.champion == before && cell.challenger == after).expect("a cell")
    };
    let lost = cell("offer", "decline");
    assert_eq!((lost.group.customers, lost.group.known, lost.group.bad, lost.champion_amount), (1, 1, 1, 100));
    // Whom only the challenger takes has no outcome: nobody knows whether they would have paid.
    let gained = &cell("decline", "offer").group;
    assert_eq!((gained.bad_rate, gained.bad_rate_bounds), (None, Some((0.0, 1.0))));
    let (raised, lowered, changed) = count_offer_changes(&champion, &challenger);
    assert_eq!((raised.customers, raised.amount, lowered.customers, lowered.amount), (1, 50, 1, 10));
    assert_eq!(changed.ones(0..5).collect::<Vec<_>>(), [0, 1, 2, 4]);
}

#[test]
fn amounts_that_change_are_counted_as_if_all_were_new() {
    let of = |amounts: &[i64]| {
        let rows: Vec<DecidedRow> = amounts.iter().map(|amount| decided(Offer, Some(*amount), &[])).collect();
        SortedAmounts::new(&Decisions::from_rows(&rows))
    };
    let amounts = proptest::collection::vec(1_i64..12, 0..24);
    let amounts = (amounts.clone(), amounts.clone(), amounts);
    proptest!(|((kept, mut without, mut with) in amounts)| {
        without.sort_unstable();
        with.sort_unstable();
        let wanted = of(&[&kept[..], &with].concat()).distribution();
        prop_assert_eq!(of(&[&kept[..], &without].concat()).changed(&without, &with, wanted.sum), wanted.clone());
        // By definition: the value at a rank of the sorted list.
        let mut all = [kept, with].concat();
        all.sort_unstable();
        let rank = |quarters: usize| all[(all.len() * quarters).div_ceil(4).max(1) - 1];
        prop_assert_eq!(wanted.quartiles, (!all.is_empty()).then(|| [1, 2, 3].map(rank)));
        prop_assert_eq!((wanted.least, wanted.greatest), (all.first().copied(), all.last().copied()));
        prop_assert_eq!((wanted.count, wanted.sum), (all.len() as u64, all.iter().copied().map(i128::from).sum()));
    });
}
