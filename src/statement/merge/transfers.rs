//! Finds transfers between a customer's own accounts: a debit in one and a credit in another.

use super::accounts::Account;
use super::merged_row::MergedRow;
use super::named::{CustomerNames, Whom};
use super::other_side::OtherSide;
use crate::statement::base::column::Column;
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::rows::builder::known_at_row;

/// The least digits of a number that no two unrelated records share. Numbers of accounts and transfers are as long;
/// days are shorter.
const DIGITS: usize = 9;
/// How many credits of one amount and day a debit is compared with, which bounds the work. More would be alike.
const CANDIDATES_MAX: usize = 64;
/// Chance is judged over at least this many days.
const DAYS: i64 = 30;

/// The transfers found.
pub(super) struct Netting {
    /// The positions of debit and credit, in the debits' order.
    pub(super) pairs: Vec<(usize, usize)>,
    /// Pairs that chance alone would produce as often. They were kept as they are.
    pub(super) unclear: u64,
}

/// One side of a possible transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Leg {
    amount: i64,
    day: i32,
    /// Its position in the merged statement.
    pub(super) position: usize,
    account: u32,
    pub(super) row: u32,
}

/// Pairs debits with credits of the same amount in another account, on the same day or up to `days` bank days later.
///
/// Pairs that their texts tie come first, then the others. In both cases the nearest in time come first, and of those
/// the first in order.
pub(super) fn find_own_transfers(
    accounts: &[Account],
    timeline: &[MergedRow],
    columns: &RecordColumns,
    view: &View<'_>,
    days: u32,
    other_side: &OtherSide<'_>,
) -> Netting {
    let mut netting = Netting { pairs: Vec::new(), unclear: 0 };
    if accounts.len() < 2 {
        return netting;
    }
    let [debits, credits] = find_transfer_legs(timeline, columns);
    let span = match (timeline.first(), timeline.last()) {
        (Some(first), Some(last)) => i64::from(last.day) - i64::from(first.day) + 1,
        _ => 0,
    };
    let names = CustomerNames::collect(&debits, &credits, timeline.len(), view, other_side);
    let mut search = TransferSearch { accounts, view, days: i64::from(days), span: span.max(DAYS), names };
    let mut tied = Vec::new();
    by_amount(&debits, &credits, |debits, credits| {
        let mut taken = Taken::none(debits, credits);
        search.tied(debits, credits, &mut taken, &mut tied);
    });
    search.names.learn(&tied);
    by_amount(&debits, &credits, |debits, credits| search.pair(debits, credits, &mut netting));
    netting.pairs.sort_unstable();
    netting
}

/// The debits and the credits of each amount that has both.
fn by_amount(debits: &[Leg], credits: &[Leg], mut each: impl FnMut(&[Leg], &[Leg])) {
    let mut rest = credits;
    for debits in debits.chunk_by(|left, right| left.amount == right.amount) {
        let Some(amount) = debits.first().map(|leg| leg.amount) else { continue };
        let from = rest.partition_point(|leg| leg.amount < amount);
        let to = rest.partition_point(|leg| leg.amount <= amount);
        let same = rest.get(from..to).unwrap_or_default();
        rest = rest.get(to..).unwrap_or_default();
        if !same.is_empty() {
            each(debits, same);
        }
    }
}

/// Records with only one side, by amount and day.
fn find_transfer_legs(timeline: &[MergedRow], columns: &RecordColumns) -> [Vec<Leg>; 2] {
    let mut legs = [Vec::new(), Vec::new()];
    for (position, record) in timeline.iter().enumerate() {
        let debit = known_at_row(&columns.debits, record.row).unwrap_or(0);
        let credit = known_at_row(&columns.credits, record.row).unwrap_or(0);
        let leg = |amount| Leg { amount, day: record.day, position, account: record.account, row: record.row };
        let [debits, credits] = &mut legs;
        match (debit > 0, credit > 0) {
            (true, false) => debits.push(leg(debit)),
            (false, true) => credits.push(leg(credit)),
            _ => {}
        }
    }
    legs.iter_mut().for_each(|legs| legs.sort_unstable());
    legs
}

struct TransferSearch<'s> {
    accounts: &'s [Account],
    view: &'s View<'s>,
    /// The most bank days that a transfer takes.
    days: i64,
    span: i64,
    names: CustomerNames,
}

/// Whether the texts of two records show that they are one transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    /// Both refer to the same transfer.
    One,
    /// At least one names nobody.
    Unknown,
    /// They name different people.
    None,
}

/// Which legs of one amount are already paired.
struct Taken {
    debits: Vec<bool>,
    credits: Vec<bool>,
}

impl Taken {
    fn none(debits: &[Leg], credits: &[Leg]) -> Self {
        Self { debits: vec![false; debits.len()], credits: vec![false; credits.len()] }
    }
}

impl TransferSearch<'_> {
    /// The most calendar days that a transfer takes: weekends are no bank days.
    fn last(&self) -> i64 {
        self.days + 2 * (self.days / 5) + 2
    }

    /// Pairs the legs of one amount that their texts tie.
    fn tied(&self, debits: &[Leg], credits: &[Leg], taken: &mut Taken, pairs: &mut Vec<(usize, usize)>) {
        for apart in 0..=self.last() {
            let tied = self.at_distance(debits, credits, apart, Tie::One, taken);
            pairs.extend(positions_of_pairs(debits, credits, &tied));
        }
    }

    /// Pairs the debits and credits of one amount.
    fn pair(&self, debits: &[Leg], credits: &[Leg], netting: &mut Netting) {
        let mut taken = Taken::none(debits, credits);
        let last = self.last();
        self.tied(debits, credits, &mut taken, &mut netting.pairs);
        let mut unclear = vec![false; debits.len()];
        for (apart, window) in [(0..=0, 1), (1..=last, self.days)] {
            let chances = self.chances(debits, credits, &taken) * window;
            let mut found = Vec::new();
            for apart in apart {
                found.extend(self.at_distance(debits, credits, apart, Tie::Unknown, &mut taken));
            }
            if 2 * chances <= found.len() as i64 * self.span {
                netting.pairs.extend(positions_of_pairs(debits, credits, &found));
                continue;
            }
            for (debit, credit) in found {
                taken.debits[debit] = false;
                taken.credits[credit] = false;
                unclear[debit] = true;
            }
        }
        netting.unclear +=
            unclear.iter().zip(&taken.debits).filter(|(unclear, taken)| **unclear && !**taken).count() as u64;
    }

    /// The number of pairs of a debit and a credit in another account, on any days. Divided by the days of the
    /// statement, this is how often chance puts both on one day.
    fn chances(&self, debits: &[Leg], credits: &[Leg], taken: &Taken) -> i64 {
        let mut per_account = vec![(0_i64, 0_i64); self.accounts.len()];
        let open = |(leg, taken): &(&Leg, &bool)| !**taken && self.may_be_own(leg);
        for (leg, _) in debits.iter().zip(&taken.debits).filter(open) {
            per_account[leg.account as usize].0 += 1;
        }
        for (leg, _) in credits.iter().zip(&taken.credits).filter(open) {
            per_account[leg.account as usize].1 += 1;
        }
        let (out, into) = per_account.iter().fold((0, 0), |(out, into), count| (out + count.0, into + count.1));
        let within: i64 = per_account.iter().map(|count| count.0.saturating_mul(count.1)).sum();
        i64::saturating_mul(out, into) - within
    }

    /// Pairs that are `apart` calendar days from each other.
    fn at_distance(
        &self,
        debits: &[Leg],
        credits: &[Leg],
        apart: i64,
        tie: Tie,
        taken: &mut Taken,
    ) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let (mut day, mut open) = (None, 0..0);
        for (index, debit) in debits.iter().enumerate() {
            if taken.debits.get(index) != Some(&false) {
                continue;
            }
            let arrives = i64::from(debit.day) + apart;
            if bank_day(arrives) - bank_day(i64::from(debit.day)) > self.days {
                continue;
            }
            if day != Some(arrives) {
                day = Some(arrives);
                open = credits.partition_point(|credit| i64::from(credit.day) < arrives)
                    ..credits.partition_point(|credit| i64::from(credit.day) <= arrives);
            }
            while open.start < open.end && taken.credits.get(open.start) == Some(&true) {
                open.start += 1;
            }
            let fits = |at: &usize| {
                taken.credits.get(*at) == Some(&false)
                    && credits
                        .get(*at)
                        .is_some_and(|credit| credit.account != debit.account && self.tie(debit, credit) == tie)
            };
            let found = open.clone().take(CANDIDATES_MAX).find(fits);
            if let Some(credit) = found {
                taken.debits[index] = true;
                taken.credits[credit] = true;
                pairs.push((index, credit));
            }
        }
        pairs
    }

    /// Whether the texts tie two records: by a long number in both, the same reference, the other account's name, or
    /// the same counterparty.
    fn tie(&self, debit: &Leg, credit: &Leg) -> Tie {
        if self.names_the_same(debit, credit) {
            return Tie::One;
        }
        match (self.names.whom(debit), self.names.whom(credit)) {
            (Whom::Own, Whom::Own | Whom::Part) | (Whom::Part, Whom::Own) => Tie::One,
            // A friend who is paid from one account and pays into another is on both search. So is a shop that refunds.
            (Whom::Other(_), _) | (_, Whom::Other(_)) if self.names.knows_own() => Tie::None,
            (Whom::Other(one), Whom::Other(other)) if self.names.are_same(one, other) => Tie::One,
            (Whom::Other(_), Whom::Other(_)) => Tie::None,
            (
                Whom::Nobody | Whom::Own | Whom::Part | Whom::Other(_),
                Whom::Nobody | Whom::Own | Whom::Part | Whom::Other(_),
            ) => Tie::Unknown,
        }
    }

    /// Whether a record may be one side of a transfer, as far as is known.
    fn may_be_own(&self, leg: &Leg) -> bool {
        !self.names.knows_own() || !matches!(self.names.whom(leg), Whom::Other(_))
    }

    fn names_the_same(&self, debit: &Leg, credit: &Leg) -> bool {
        let texts = |leg: &Leg| {
            let row = leg.row as usize;
            [Column::Desc, Column::Reference].map(|column| self.view.text(column, row).unwrap_or_default())
        };
        let (of_debit, of_credit) = (texts(debit), texts(credit));
        let ([_, reference], [_, other]) = (of_debit, of_credit);
        let telling = reference.len() >= 6 && reference.bytes().any(|byte| byte.is_ascii_digit());
        if telling && reference.eq_ignore_ascii_case(other) {
            return true;
        }
        let names = |texts: &[&str], other: &Leg| {
            let account = self.accounts.get(other.account as usize).and_then(|account| account.name.as_deref());
            account.filter(|name| name.len() >= 6).is_some_and(|name| texts.iter().any(|text| text.contains(name)))
        };
        if names(&of_debit, credit) || names(&of_credit, debit) {
            return true;
        }
        let mut numbers = of_debit.iter().flat_map(|text| long_numbers(text));
        numbers.any(|number| of_credit.iter().any(|text| long_numbers(text).any(|other| other == number)))
    }
}

fn positions_of_pairs<'l>(
    debits: &'l [Leg],
    credits: &'l [Leg],
    pairs: &'l [(usize, usize)],
) -> impl Iterator<Item = (usize, usize)> + 'l {
    pairs.iter().map(|(debit, credit)| (debits[*debit].position, credits[*credit].position))
}

fn long_numbers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter(|digits| digits.len() >= DIGITS)
}

/// Bank days up to a day: Saturday and Sunday count as the Friday before.
fn bank_day(day: i64) -> i64 {
    // 1970-01-01 was a Thursday.
    let since_monday = day + 3;
    5 * since_monday.div_euclid(7) + since_monday.rem_euclid(7).min(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weekend_is_no_bank_day() {
        // 2026-10-30 is a Friday.
        let friday = i64::from(crate::base::date::Day::from_ymd(2026, 10, 30).expect("a day").days());
        let after = |days: i64| bank_day(friday + days) - bank_day(friday);
        assert_eq!([0, 1, 2, 3, 4, 5].map(after), [0, 0, 0, 1, 2, 3]);
        assert_eq!(bank_day(friday) - bank_day(friday - 4), 4);
    }
}
