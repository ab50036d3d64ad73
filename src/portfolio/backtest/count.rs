//! Counts decisions: outcomes, amounts, tenures, reasons, the swap set. Whole numbers only, so that the order of
//! counting means nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::decisions::{Decisions, OUTCOMES, rows_with_new_outcome};
use super::summary::{AmountChange, Amounts, GroupNumbers, OutcomeRow, ReasonRow, SwapCell, TenureRow};
use crate::engine::decision::{CACHE_ROWS, Outcome};
use crate::engine::metrics::Bits;
use crate::portfolio::outcomes::KnownRows;

/// Some customers, counted: how many, what they are offered, how many of them are known, and bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub customers: u64,
    pub amount: i128,
    pub known: u64,
    pub bad: u64,
}

impl Tally {
    /// The customers of these rows.
    pub fn new(rows: &Bits, decisions: &Decisions, known: &KnownRows) -> Tally {
        let count = |rows: &Bits| rows.count(0..rows.len()) as u64;
        Tally {
            customers: count(rows),
            amount: sum_offer_amounts(rows, decisions),
            known: count(&rows.and(&known.known)),
            bad: count(&rows.and(&known.bad)),
        }
    }

    /// With rates; `all` is what the share is of.
    pub fn numbers(&self, all: u64) -> GroupNumbers {
        let share = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let unknown = self.customers - self.known;
        let bounds = share(self.bad, self.customers).zip(share(self.bad + unknown, self.customers));
        GroupNumbers {
            customers: self.customers,
            share: share(self.customers, all),
            amount: self.amount,
            known: self.known,
            bad: self.bad,
            bad_rate: share(self.bad, self.known),
            bad_rate_bounds: bounds,
        }
    }
}

/// The sum of the greatest offers of these rows, in minor units.
pub fn sum_offer_amounts(rows: &Bits, decisions: &Decisions) -> i128 {
    let offered = rows.and(&decisions.outcomes[0]);
    let all = offered.len();
    let of_chunk = |chunk: usize| -> i128 {
        let rows = offered.ones(chunk * CACHE_ROWS..all.min((chunk + 1) * CACHE_ROWS));
        rows.filter_map(|row| decisions.amount(row)).map(i128::from).sum()
    };
    (0..all.div_ceil(CACHE_ROWS)).into_par_iter().map(of_chunk).sum()
}

/// The customers by outcome.
pub fn count_by_outcome(decisions: &Decisions, known: &KnownRows) -> Vec<OutcomeRow> {
    let all = decisions.rows() as u64;
    let row = |(outcome, rows): (&Outcome, &Bits)| OutcomeRow {
        outcome: outcome.word().to_owned(),
        group: Tally::new(rows, decisions, known).numbers(all),
    };
    OUTCOMES.iter().zip(&decisions.outcomes).map(row).collect()
}

/// The greatest offers, sorted.
#[derive(Clone, Debug)]
pub struct SortedAmounts(Arc<Vec<i64>>);

impl SortedAmounts {
    pub fn new(decisions: &Decisions) -> SortedAmounts {
        let mut amounts: Vec<i64> = decisions.amounts.iter().flatten().map(|amount| amount.get()).collect();
        amounts.par_sort_unstable();
        SortedAmounts(Arc::new(amounts))
    }

    /// Their distribution.
    pub fn distribution(&self) -> Amounts {
        self.changed(&[], &[], self.0.iter().map(|amount| i128::from(*amount)).sum())
    }

    /// The distribution without some of them and with others, both sorted; `sum` is that of the result.
    pub fn changed(&self, without: &[i64], with: &[i64], sum: i128) -> Amounts {
        let count = self.0.len() + with.len() - without.len();
        if count == 0 {
            return Amounts::default();
        }
        let up_to = |amounts: &[i64], amount: i64| amounts.partition_point(|one| *one <= amount);
        // The least amount that at least so many amounts do not exceed: it is one of these or one of those.
        let rank = |rank: usize| -> i64 {
            let is_below =
                |amount: &i64| up_to(&self.0, *amount) + up_to(with, *amount) < rank + up_to(without, *amount);
            let least = |amounts: &[i64]| amounts.get(amounts.partition_point(is_below)).copied();
            let found = [least(&self.0), least(with)].into_iter().flatten().min();
            found.expect("INVARIANT: a rank is at most the count")
        };
        Amounts {
            count: count as u64,
            sum,
            mean: i64::try_from(sum / count as i128).ok(),
            least: Some(rank(1)),
            quartiles: Some([1, 2, 3].map(|quarters| rank((count * quarters).div_ceil(4).max(1)))),
            greatest: Some(rank(count)),
        }
    }
}

/// For each tenure its customers and the sum of their amounts.
pub type Tenures = BTreeMap<u32, (u64, i128)>;

/// The tenures of the greatest offers.
pub fn count_by_tenure(decisions: &Decisions) -> Tenures {
    let mut by_tenure = Tenures::new();
    let mut last = (0, (0_u64, 0_i128));
    let mut close = |(tenure, (customers, amount)): (u32, (u64, i128))| {
        let sum = by_tenure.entry(tenure).or_default();
        (sum.0, sum.1) = (sum.0 + customers, sum.1 + amount);
    };
    // Most customers have the tenure of the one before.
    for (amount, tenure) in decisions.amounts.iter().zip(decisions.tenures.iter()) {
        let Some(amount) = amount else { continue };
        if *tenure != last.0 {
            close(std::mem::replace(&mut last, (*tenure, (0, 0))));
        }
        last.1 = (last.1.0 + 1, last.1.1 + i128::from(amount.get()));
    }
    close(last);
    by_tenure
}

/// The tenures that somebody has.
pub fn tenure_rows(tenures: Tenures) -> Vec<TenureRow> {
    let row = |(tenure, (customers, amount))| TenureRow { tenure, customers, amount };
    tenures.into_iter().filter(|(_, (customers, _))| *customers > 0).map(row).collect()
}

/// Reasons as any, first and only.
pub fn count_by_reason(decisions: &Decisions) -> Vec<ReasonRow> {
    let rows = decisions.rows();
    let (mut once, mut more) = (Bits::all(rows, false), Bits::all(rows, false));
    let mut first = Vec::new();
    for (at, reason) in decisions.reasons.iter().enumerate() {
        let firsts = match &decisions.firsts {
            Some(firsts) => firsts[at].count(0..rows),
            None => reason.rows.without(&once).count(0..rows),
        };
        first.push(firsts as u64);
        more = more.or(&once.and(&reason.rows));
        once = once.or(&reason.rows);
    }
    let alone = once.without(&more);
    let row = |(reason, first): (&crate::engine::decision::ReasonBits, u64)| ReasonRow {
        id: reason.id.clone(),
        title: reason.title.clone(),
        any: reason.rows.count(0..rows) as u64,
        first,
        only: reason.rows.and(&alone).count(0..rows) as u64,
        unknown: reason.unknown.count(0..rows) as u64,
    };
    decisions.reasons.iter().zip(first).map(row).filter(|row| row.any > 0).collect()
}

/// All nine cells of the swap set.
pub fn swap_cells(champion: &Decisions, challenger: &Decisions, known: &KnownRows) -> Vec<SwapCell> {
    let all = champion.rows() as u64;
    let mut cells = Vec::new();
    for (before, of_before) in OUTCOMES.iter().zip(&champion.outcomes) {
        for (after, of_after) in OUTCOMES.iter().zip(&challenger.outcomes) {
            let rows = of_before.and(of_after);
            cells.push(SwapCell {
                champion: before.word().to_owned(),
                challenger: after.word().to_owned(),
                group: Tally::new(&rows, challenger, known).numbers(all),
                champion_amount: sum_offer_amounts(&rows, champion),
            });
        }
    }
    cells
}

/// The rows with another outcome or another greatest offer.
fn rows_with_changed_result(champion: &Decisions, challenger: &Decisions) -> Bits {
    let repriced = Bits::from_pairs(&champion.amounts, &challenger.amounts, |before, after| before != after);
    repriced.or(&rows_with_new_outcome(champion, challenger))
}

/// The rows with another outcome, another greatest offer, or another tenure of it.
pub fn rows_that_differ(champion: &Decisions, challenger: &Decisions) -> Bits {
    let postponed = Bits::from_pairs(&champion.tenures, &challenger.tenures, |before, after| before != after);
    rows_with_changed_result(champion, challenger).or(&postponed)
}

/// Offers to both that are raised, and lowered; and the rows with another outcome or another greatest offer.
pub(crate) fn count_offer_changes(champion: &Decisions, challenger: &Decisions) -> (AmountChange, AmountChange, Bits) {
    let changed = rows_with_changed_result(champion, challenger);
    let (mut raised, mut lowered) = (AmountChange::default(), AmountChange::default());
    for row in changed.ones(0..changed.len()) {
        let (Some(before), Some(after)) = (champion.amount(row), challenger.amount(row)) else { continue };
        let change = if after > before { &mut raised } else { &mut lowered };
        change.customers += 1;
        change.amount += (i128::from(after) - i128::from(before)).abs();
    }
    (raised, lowered, changed)
}
