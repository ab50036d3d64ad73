//! The rows of a table as numbers, and whether the balances follow from the movements. Must not decide anything.

use std::collections::{BTreeMap, BTreeSet};

use super::amounts::{self, Notation};
use super::roles::{CandidateColumn, Roles};
use super::words;

/// Where a row stands: the index of its file, and its line there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RowPlace {
    pub(crate) file: usize,
    pub(crate) line: usize,
}

/// What a row says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fact {
    /// Rows of one group form a chain of balances: of one file, one customer, one account.
    pub(crate) group: String,
    pub(crate) credit: Option<i64>,
    pub(crate) debit: Option<i64>,
    pub(crate) amount: Option<i64>,
    /// The side of the amount by a type or a suffix: true for a credit.
    pub(crate) side: Option<bool>,
    /// The side by a suffix alone.
    pub(crate) suffix_side: Option<bool>,
    pub(crate) fee: Option<i64>,
    pub(crate) balance: Option<i64>,
    /// Whether the status says that the money moved.
    pub(crate) is_done: Option<bool>,
    /// The status as written.
    pub(crate) state: String,
    /// Whether the narration only names a balance.
    pub(crate) is_balance: bool,
    pub(crate) narration: String,
    pub(crate) place: RowPlace,
}

/// How a row becomes a movement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sense {
    /// A column for credits and one for debits; a minus in them stands for nothing.
    Columns,
    /// Likewise, but a minus puts an amount on the other side.
    Swapping,
    /// A positive amount is a credit.
    PositiveCredit,
    /// A positive amount is a debit.
    PositiveDebit,
    /// A type or a suffix says the side; a minus stands for nothing.
    Stated,
}

/// A way to read the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowReading {
    pub(crate) sense: Sense,
    /// Whether the fee is a debit beside the amount.
    pub(crate) has_fee: bool,
    /// Whether rows whose status says that no money moved are left out.
    pub(crate) skips: bool,
}

/// In how many rows the balance follows from the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Follow {
    pub(crate) followed: usize,
    pub(crate) checked: usize,
    /// The line of the first balance that does not follow.
    pub(crate) broken_at: Option<usize>,
}

impl Follow {
    /// Enough to be certain of a reading.
    pub(crate) fn proves(self) -> bool {
        self.checked >= 2 && self.holds()
    }

    /// Whether nothing speaks against the balances: they follow, or none was checked.
    pub(crate) fn holds(self) -> bool {
        self.followed * 10 >= self.checked * 9
    }

    fn ratio(self) -> usize {
        (self.followed * 10_000).checked_div(self.checked).unwrap_or(0)
    }

    /// Whether it fits better than another.
    pub(crate) fn beats(self, other: Follow) -> bool {
        self.ratio() > other.ratio()
    }

    /// How many balances do not follow.
    pub(crate) fn broken(self) -> usize {
        self.checked - self.followed
    }
}

/// The side of amounts without a suffix, where the others of the column have one and the same: `5.00` beside `5.00 DR`.
pub(crate) fn implied_side(columns: &[CandidateColumn<'_>], roles: &Roles) -> Option<bool> {
    let column = columns.get(roles.amount?)?;
    let forms: Vec<_> = column.cells.iter().filter_map(|cell| amounts::parse_amount_form(cell)).collect();
    let sides: BTreeSet<bool> =
        forms.iter().filter_map(|form| form.suffix).map(|suffix| amounts::CREDIT_SUFFIXES.contains(&suffix)).collect();
    let has_bare = forms.iter().any(|form| form.suffix.is_none());
    match sides.into_iter().collect::<Vec<bool>>().as_slice() {
        [one] if has_bare => Some(!one),
        _ => None,
    }
}

/// The facts of all rows.
pub(crate) fn read_row_facts(
    columns: &[CandidateColumn<'_>],
    roles: &Roles,
    notation: &Notation,
    places: &[RowPlace],
) -> Vec<Fact> {
    let cell = |column: Option<usize>, row: usize| {
        column.and_then(|column| columns.get(column)).and_then(|column| column.cells.get(row)).copied()
    };
    let read = |column: Option<usize>, row: usize| cell(column, row).and_then(|cell| notation.read(cell));
    let text = |column: Option<usize>, row: usize| cell(column, row).map(|cell| cell.trimmed()).unwrap_or_default();
    let implied = implied_side(columns, roles);
    let fact = |(row, place): (usize, &RowPlace)| {
        let amount = read(roles.amount, row);
        let stated = words::side_of_type_word(text(roles.side, row)).filter(|_| roles.side.is_some());
        let narration: Vec<&str> =
            roles.desc.iter().map(|column| text(Some(*column), row)).filter(|text| !text.is_empty()).collect();
        let balance = read(roles.balance, row);
        let suffix_side = amount.and_then(|amount| amount.is_credit.or(implied));
        Fact {
            group: format!("{} {} {}", place.file, text(roles.customer, row), text(roles.account, row)),
            credit: read(roles.credit, row).map(|read| read.value),
            debit: read(roles.debit, row).map(|read| read.value),
            amount: amount.map(|amount| amount.value),
            side: stated.or(suffix_side),
            suffix_side,
            fee: read(roles.fee, row).map(|read| read.value),
            balance: balance
                .map(|balance| if balance.is_credit == Some(false) { -balance.value.abs() } else { balance.value }),
            is_done: cell(roles.status, row).and_then(|cell| words::is_done(cell.trimmed())),
            state: text(roles.status, row).to_owned(),
            is_balance: words::names_balance(&narration.join(" ")),
            narration: narration.join(" "),
            place: *place,
        }
    };
    places.iter().enumerate().map(fact).collect()
}

impl Fact {
    /// Credit and debit under a sense. `None` for a row without an amount.
    pub(crate) fn sides(&self, sense: Sense) -> Option<(i64, i64)> {
        let one = |amount: i64, is_credit: bool| if is_credit { (amount.abs(), 0) } else { (0, amount.abs()) };
        match sense {
            Sense::Columns | Sense::Swapping if self.credit.is_none() && self.debit.is_none() => None,
            Sense::Columns => Some((self.credit.unwrap_or(0).abs(), self.debit.unwrap_or(0).abs())),
            Sense::Swapping => {
                let (credit, debit) = (self.credit.unwrap_or(0), self.debit.unwrap_or(0));
                Some((credit.max(0) - debit.min(0), debit.max(0) - credit.min(0)))
            }
            Sense::PositiveCredit => self.amount.map(|amount| one(amount, amount >= 0)),
            Sense::PositiveDebit => self.amount.map(|amount| one(amount, amount < 0)),
            Sense::Stated => Some(one(self.amount?, self.side?)),
        }
    }

    /// Whether a reading leaves the row out.
    pub(crate) fn is_left_out(&self, reading: &RowReading) -> bool {
        reading.skips && self.is_done == Some(false)
    }

    /// What the row adds to the balance.
    fn movement(&self, reading: &RowReading) -> i64 {
        let (credit, debit) = self.sides(reading.sense).unwrap_or_default();
        let fee = if reading.has_fee { self.fee.unwrap_or(0).abs() } else { 0 };
        credit - debit - fee
    }
}

/// How many narrations agree with a reading's sides, and how many contradict.
pub(crate) fn agreeing_narrations(facts: &[Fact], reading: &RowReading) -> (usize, usize) {
    let mut count = (0, 0);
    for fact in facts {
        let Some((credit, debit)) = fact.sides(reading.sense) else { continue };
        let (Some(named), true) = (words::narration_side(&fact.narration), credit != debit) else { continue };
        if named == (credit > debit) { count.0 += 1 } else { count.1 += 1 }
    }
    count
}

/// Whether some amounts are positive and some negative.
pub(crate) fn has_both_signs(facts: &[Fact]) -> bool {
    let amounts = || facts.iter().filter_map(|fact| fact.amount);
    amounts().any(|amount| amount < 0) && amounts().any(|amount| amount > 0)
}

/// The steps of the balances in the direction in which they follow more often.
pub(crate) fn best_chain(facts: &[Fact], reading: &RowReading) -> Chain {
    let (forwards, backwards) =
        (follow_balance_chain(facts, reading, false), follow_balance_chain(facts, reading, true));
    if backwards.follow().beats(forwards.follow()) { backwards } else { forwards }
}

/// Follows the balances in the direction in which they follow more often.
pub(crate) fn best_follow(facts: &[Fact], reading: &RowReading) -> Follow {
    best_chain(facts, reading).follow()
}

/// From one balance to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChainStep {
    /// Of the row with the later balance.
    pub(crate) place: RowPlace,
    pub(crate) follows: bool,
    /// Whether the row has no amount.
    pub(crate) is_silent: bool,
    /// What the rows add to the balance.
    pub(crate) moved: i64,
    /// What the balance rose by beyond that.
    pub(crate) gap: i64,
}

/// All steps of the balances, and the rows whose money no later balance confirms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) steps: Vec<ChainStep>,
    pub(crate) unconfirmed: Vec<RowPlace>,
    pub(crate) newest_first: bool,
}

impl Chain {
    /// How often the balances follow.
    pub(crate) fn follow(&self) -> Follow {
        Follow {
            followed: self.steps.iter().filter(|step| step.follows).count(),
            checked: self.steps.len(),
            broken_at: self.steps.iter().find(|step| !step.follows).map(|step| step.place.line),
        }
    }
}

/// Goes through the balances, from the first row or from the last.
pub(crate) fn follow_balance_chain(facts: &[Fact], reading: &RowReading, newest_first: bool) -> Chain {
    let mut groups: BTreeMap<&str, Vec<&Fact>> = BTreeMap::new();
    for fact in facts {
        groups.entry(&fact.group).or_default().push(fact);
    }
    let mut chain = Chain { newest_first, ..Chain::default() };
    for mut rows in groups.into_values() {
        if newest_first {
            rows.reverse();
        }
        let (mut last, mut since) = (None, 0_i64);
        let mut unconfirmed = Vec::new();
        for row in rows.into_iter().filter(|row| !row.is_left_out(reading)) {
            if row.is_balance {
                (last, since) = (row.balance.or(last), 0);
                unconfirmed.clear();
                continue;
            }
            // A sum beyond 64 bits is of no account; it then follows from nothing.
            since = row.movement(reading).saturating_add(since);
            let Some(balance) = row.balance else {
                unconfirmed.extend((row.movement(reading) != 0).then_some(row.place));
                continue;
            };
            if let Some(before) = last {
                let gap = balance.saturating_sub(before).saturating_sub(since);
                let is_silent = row.sides(reading.sense).is_none();
                chain.steps.push(ChainStep { place: row.place, follows: gap == 0, is_silent, moved: since, gap });
            }
            (last, since) = (Some(balance), 0);
            unconfirmed.clear();
        }
        if last.is_some() {
            chain.unconfirmed.extend(unconfirmed);
        }
    }
    chain
}
