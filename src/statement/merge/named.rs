//! The names in a customer's records, and which of them are the customer's own. A name is a set of words; must not know
//! what they mean.

use std::collections::BTreeMap;

use super::other_side::{OtherSide, RecordParties};
use super::transfers::Leg;
use crate::statement::base::column::Column;
use crate::statement::columns::record_columns::View;

/// How many records must name a holder before the name counts as the customer's own: fewer may be chance. A name
/// without a holder must tie twice as many pairs.
const VOTES_MIN: usize = 3;
/// A name that was cut off after fewer letters could be anyone's.
const CUT_LETTERS_MIN: usize = 2;

/// The person that a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whom {
    Nobody,
    /// The customer.
    Own,
    /// Part of the customer's name.
    Part,
    /// The number of another name. As long as the customer's name is unknown, it may be the customer's.
    Other(u32),
}

/// The names of a customer's records.
pub(super) struct CustomerNames {
    /// The number of the counterparty's name, by the record's position.
    counterparties: Vec<Option<u32>>,
    /// The words of each name, sorted.
    names: Vec<Vec<String>>,
    /// For each name, how many records call it their account's holder.
    votes: Vec<usize>,
    /// Whose name each is.
    whom: Vec<Whom>,
    knows_own: bool,
}

impl CustomerNames {
    /// Collects the names of these records. Whose they are is not known yet. `positions` is the number of positions.
    pub(super) fn collect(
        debits: &[Leg],
        credits: &[Leg],
        positions: usize,
        view: &View<'_>,
        other_side: &OtherSide<'_>,
    ) -> Self {
        let mut numbers: BTreeMap<Vec<String>, u32> = BTreeMap::new();
        let mut number = |name: Option<String>| {
            // Banks print the parts of a name in any order.
            let mut words: Vec<String> = name?.split_whitespace().map(str::to_owned).collect();
            words.sort_unstable();
            words.dedup();
            let next = numbers.len() as u32;
            (!words.is_empty()).then(|| *numbers.entry(words).or_insert(next))
        };
        let mut counterparties = vec![None; positions];
        let mut owns = Vec::new();
        for (leg, is_credit) in debits.iter().map(|leg| (leg, false)).chain(credits.iter().map(|leg| (leg, true))) {
            let text = |column| view.text(column, leg.row as usize);
            let RecordParties { other, own } = other_side(text(Column::Desc), text(Column::People), is_credit);
            let other = number(other);
            counterparties[leg.position] = other;
            owns.extend(number(own));
        }
        let mut names = vec![Vec::new(); numbers.len()];
        for (words, number) in numbers {
            names[number as usize] = words;
        }
        let mut votes = vec![0; names.len()];
        count_name_uses(&mut votes, owns);
        let whom = (0..names.len() as u32).map(Whom::Other).collect();
        Self { counterparties, names, votes, whom, knows_own: false }
    }

    /// Learns whose the names are, from the account holders that records name and from the pairs that their texts tie.
    pub(super) fn learn(&mut self, pairs: &[(usize, usize)]) {
        let mut named = vec![0; self.names.len()];
        count_name_uses(&mut named, self.counterparties.iter().copied().flatten());
        let mut paired = vec![0; self.names.len()];
        count_name_uses(
            &mut paired,
            pairs.iter().flat_map(|(debit, credit)| [self.side(*debit), self.side(*credit)]).flatten(),
        );
        let all: usize = self.votes.iter().sum();
        let voted = || self.names.iter().zip(&self.votes).filter(|(_, votes)| **votes > 0);
        let is_own = |name: usize| {
            // Each list has one count per name.
            let at = |counts: &[usize]| counts[name];
            // Two banks may list more or fewer of a customer's names.
            let of_same = |own: &Vec<String>| -> usize {
                voted().filter(|(name, _)| are_same(name, own)).map(|(_, votes)| *votes).sum()
            };
            let votes = if at(&self.votes) > 0 { of_same(&self.names[name]) } else { 0 };
            let is_holder = votes >= VOTES_MIN && 2 * votes > all;
            // Now and then, money to a friend comes back to another account. Between a customer's own accounts, most of
            // it arrives.
            is_holder || at(&paired) >= 2 * VOTES_MIN && 2 * at(&paired) > at(&named)
        };
        let own: Vec<&Vec<String>> =
            (0..self.names.len()).filter(|name| is_own(*name)).map(|name| &self.names[name]).collect();
        self.knows_own = !own.is_empty();
        let whom = |(name, number): (&Vec<String>, u32)| {
            let likeness = own.iter().map(|own| likeness_to_own_name(name, own)).max().unwrap_or(Likeness::None);
            match likeness {
                Likeness::Same => Whom::Own,
                Likeness::Part => Whom::Part,
                Likeness::None => Whom::Other(number),
            }
        };
        self.whom = self.names.iter().zip(0..).map(whom).collect();
    }

    /// The person that a record names.
    pub(super) fn whom(&self, leg: &Leg) -> Whom {
        self.side(leg.position).map_or(Whom::Nobody, |name| self.whom[name as usize])
    }

    /// Whether two names belong to one person.
    pub(super) fn are_same(&self, one: u32, other: u32) -> bool {
        are_same(&self.names[one as usize], &self.names[other as usize])
    }

    /// Whether the customer's name is known.
    pub(super) fn knows_own(&self) -> bool {
        self.knows_own
    }

    fn side(&self, position: usize) -> Option<u32> {
        self.counterparties[position]
    }
}

fn count_name_uses(counts: &mut [usize], names: impl IntoIterator<Item = u32>) {
    for name in names {
        counts[name as usize] += 1;
    }
}

/// Whether all words of one name are in the other. A single common word is too little, because families share it.
fn are_same(one: &[String], other: &[String]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let within = few.iter().all(|word| many.contains(word));
    within && (few.len() > 1 || few.len() == many.len())
}

/// How much a name resembles another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    None,
    Part,
    Same,
}

/// How much a name resembles the customer's own. A narration may cut a name off, or lack a word of it.
fn likeness_to_own_name(name: &[String], own: &[String]) -> Likeness {
    if are_same(name, own) {
        return Likeness::Same;
    }
    let mut others = name.iter().filter(|word| !own.contains(word));
    let (other, more) = (others.next(), others.next());
    let begins = |cut: &str| own.iter().any(|word| !name.contains(word) && word.starts_with(cut));
    match (other, more) {
        (None, _) => Likeness::Part,
        (Some(cut), None) if begins(cut) => match (name.len() > 1, cut.chars().count() >= CUT_LETTERS_MIN) {
            (true, true) => Likeness::Same,
            (false, false) => Likeness::None,
            _ => Likeness::Part,
        },
        _ => Likeness::None,
    }
}
