//! A portfolio small enough to count by hand.

use super::*;
use crate::decision::Outcome;

fn decided(customer: &str, outcome: Outcome, amount: Option<i64>, reasons: &[&str]) -> Decided {
    let reasons = reasons.iter().map(|reason| (*reason).to_owned()).collect();
    Decided { customer: customer.to_owned(), outcome, amount, reasons }
}

fn known(outcomes: &[(&str, bool)]) -> KnownOutcomes {
    outcomes.iter().map(|(customer, bad)| ((*customer).to_owned(), *bad)).collect()
}

use Outcome::{Decline, Offer, Refer};

#[test]
fn reasons_are_counted_as_any_first_and_only() {
    let list = [
        decided("a", Decline, None, &["R1", "R2"]),
        decided("b", Decline, None, &["R2"]),
        decided("c", Refer, None, &["R3", "R2"]),
        decided("d", Offer, Some(500), &[]),
    ];
    let found = result(&list, &known(&[("d", true), ("a", false)]));
    let counts: Vec<_> =
        found.reasons.iter().map(|(id, count)| (id.as_str(), count.any, count.first, count.only)).collect();
    assert_eq!(counts, [("R1", 1, 1, 0), ("R2", 3, 1, 1), ("R3", 1, 1, 0)]);
    assert_eq!(found.outcomes[&Offer], Group { customers: 1, amount: 500, known: 1, bad: 1 });
    assert_eq!(found.outcomes[&Decline], Group { customers: 2, amount: 0, known: 1, bad: 0 });
}

#[test]
fn every_customer_is_in_one_cell_of_the_swap_set() {
    let champion = [
        decided("a", Offer, Some(100), &[]),
        decided("b", Offer, Some(100), &[]),
        decided("c", Decline, None, &["R1"]),
        decided("d", Refer, None, &["R2"]),
        decided("e", Offer, Some(100), &[]),
    ];
    let challenger = [
        decided("a", Offer, Some(150), &[]),
        decided("b", Decline, None, &["R9"]),
        decided("c", Offer, Some(70), &[]),
        decided("d", Refer, None, &["R2"]),
        decided("e", Offer, Some(90), &[]),
    ];
    let found = compare(&champion, &challenger, &known(&[("a", false), ("b", true)])).expect("the same customers");
    assert_eq!(found.swap_set.len(), 9);
    assert_eq!(found.swap_set.values().map(|group| group.customers).sum::<u64>(), 5);
    assert_eq!(found.swap_set[&(Offer, Decline)], Group { customers: 1, amount: 0, known: 1, bad: 1 });
    // Whom only the challenger takes has no outcome: nobody knows whether they would have paid.
    let swapped_in = found.swap_set[&(Decline, Offer)];
    assert_eq!((swapped_in.bad_rate(), swapped_in.bad_rate_bounds()), (None, Some((0.0, 1.0))));
    assert_eq!((found.raised, found.lowered), (1, 1));
    let flips: Vec<_> = found.flips.iter().map(|flip| flip.champion.customer.as_str()).collect();
    assert_eq!(flips, ["a", "b", "c", "e"]);
}

#[test]
fn lists_of_other_customers_are_refused() {
    let one = [decided("a", Offer, None, &[]), decided("b", Offer, None, &[])];
    let other = [decided("a", Offer, None, &[]), decided("x", Offer, None, &[])];
    assert_eq!(compare(&one, &other, &known(&[])), Err(NotTheSame("x".to_owned())));
    assert_eq!(compare(&one, &one[..1], &known(&[])), Err(NotTheSame("b".to_owned())));
}
