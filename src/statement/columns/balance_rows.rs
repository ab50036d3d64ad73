//! Finds rows that move no money: balances brought forward and totals, which some banks write among the records, in
//! the credit or debit column. Must not know formats, nor the order within a day.

use std::collections::{BTreeMap, HashMap};

use crate::statement::base::column::Column;
use crate::statement::columns::builder::{Group, known};
use crate::statement::columns::record_columns::{RecordColumns, View};
use crate::statement::columns::stated::{Ends, Stand};

/// A longer narration names no balance and no total.
const DESC_BYTES_MAX: usize = 64;

/// What a narration names, if it is only the name of a balance or a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// An opening or closing balance: `OPENING BALANCE`, `BALANCE B/F`, `BROUGHT FORWARD`.
    Forward,
    /// A balance, or a payment of one: `BALANCE`, `AVAILABLE BALANCE`.
    Balance,
    /// A total of one side: `TOTAL DEBITS`.
    Totals,
    /// A total, or a payment to someone with that name.
    Total,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Balance,
    /// Says which balance it is.
    Which,
    /// Says on its own that a balance is carried over.
    Forward,
    /// Says so together with [`Word::Ahead`]: `BROUGHT FORWARD`, `CARRIED DOWN`.
    Carried,
    Ahead,
    /// The first letter of `B/F`, `C/F`, `B/D`, `C/D`, `O/B`, `C/B`.
    FirstLetter,
    /// The second.
    SecondLetter,
    Total,
    /// The side that a total is for.
    Side,
    Filler,
    /// Joins other words. No name begins with it.
    Joint,
}

/// The rows that are called balances or totals, in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Rows that moved no money.
    pub(crate) no_movement: Vec<u32>,
    /// Rows for which only the name says so.
    pub(crate) doubtful: Vec<u32>,
}

/// Finds such rows among those that are not in `dropped`, which is sorted.
pub(crate) fn find(columns: &RecordColumns, dropped: &[u32]) -> Lines {
    let view = columns.view();
    let is_kept = |row: &usize| dropped.binary_search(&(*row as u32)).is_err();
    let rows = (0..view.len()).filter(|row| may_begin_with(view.desc_head(*row)));
    let named = rows.filter_map(|row| Some((row, line(view.text(Column::Desc, row)?)?)));
    let named: Vec<(usize, Line)> = named.filter(|(row, _)| is_kept(row)).collect();
    let mut lines = Lines::default();
    if named.is_empty() {
        return lines;
    }
    let others = Others::collect(columns, &view, &named, is_kept);
    for (row, line) in named {
        let amounts = Amounts::for_row(columns, row);
        // A record without an amount only shows a balance and does no harm.
        if amounts.credit == 0 && amounts.debit == 0 {
            continue;
        }
        let place = (view.group(row), columns.day(row));
        let list =
            if others.show_no_movement(line, place, &amounts) { &mut lines.no_movement } else { &mut lines.doubtful };
        list.push(row as u32);
    }
    lines
}

/// A dropped row that carries a balance forward: its statement, its day, and its balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Forward {
    group: u32,
    stand: Stand,
}

/// The rows without a movement whose name and balance say which balance a statement begins or ends with.
pub(crate) fn carried_forward(columns: &RecordColumns, no_movement: &[u32]) -> Vec<Forward> {
    let view = columns.view();
    let is_balance =
        |row: &usize| matches!(view.text(Column::Desc, *row).and_then(line), Some(Line::Forward | Line::Balance));
    let rows = no_movement.iter().map(|row| *row as usize).filter(is_balance);
    let forward = rows.filter_map(|row| {
        let minor = known(&columns.balances, row as u32)?;
        Some(Forward { group: view.group(row), stand: Stand { day: columns.day(row), minor } })
    });
    forward.collect()
}

/// Gives each statement the balance before its first record and after its last, where a row carries one forward on or
/// beyond that day. `order` lists the kept rows by statement and day; `None` means as they are.
pub(crate) fn set_ends(columns: &RecordColumns, order: Option<&[u32]>, forward: &[Forward], groups: &mut [Group]) {
    if forward.is_empty() {
        return;
    }
    let rows = columns.rows(order);
    let group = |row: &u32| columns.group(*row as usize);
    for of_one in rows.chunk_by(|left, right| group(left) == group(right)) {
        let (Some(first), Some(last)) = (of_one.first(), of_one.last()) else { continue };
        let days = (columns.day(*first as usize), columns.day(*last as usize));
        let number = group(first);
        let stands = || forward.iter().filter(|of_group| of_group.group == number).map(|of_group| of_group.stand);
        // On the only day of a statement, a balance may be either.
        let is_opening = |stand: &Stand| stand.day < days.0 || stand.day == days.0 && days.0 < days.1;
        let is_closing = |stand: &Stand| stand.day > days.1 || stand.day == days.1 && days.0 < days.1;
        let openings = only(stands().filter(is_opening));
        let closings = only(stands().filter(is_closing));
        // Statements are numbered by their place in `groups`.
        let ends = &mut groups.get_mut(number as usize).expect("INVARIANT: each statement is listed").ends;
        *ends = Ends { opening: openings.map(|stand| stand.minor), closing: closings };
    }
}

/// The first, if all have the same balance.
fn only(mut stands: impl Iterator<Item = Stand>) -> Option<Stand> {
    let first = stands.next()?;
    stands.all(|other| other.minor == first.minor).then_some(first)
}

/// What the records of a statement show.
#[derive(Default)]
struct OfGroup {
    /// For each balance, the first day on which the account had it.
    balances: HashMap<i64, i32>,
    /// For each day, its balances and how many records have each.
    of_days: BTreeMap<i32, HashMap<i64, usize>>,
    /// The number and the sum of credits, and the same for debits, of the ordinary records.
    sums: [(usize, i128); 2],
    /// The credit and debit of each record that is called a balance carried over.
    forward: Vec<[i64; 2]>,
}

struct Others(HashMap<u32, OfGroup>);

impl Others {
    fn collect(
        columns: &RecordColumns,
        view: &View<'_>,
        named: &[(usize, Line)],
        is_kept: impl Fn(&usize) -> bool,
    ) -> Others {
        let mut groups: HashMap<u32, OfGroup> = HashMap::new();
        let mut named = named.iter().peekable();
        for row in (0..view.len()).filter(is_kept) {
            let amounts = Amounts::for_row(columns, row);
            let day = columns.day(row);
            let group = groups.entry(view.group(row)).or_default();
            let of_day = group.of_days.entry(day).or_default();
            if let Some(balance) = amounts.balance {
                *of_day.entry(balance).or_default() += 1;
                let first = group.balances.entry(balance).or_insert(day);
                *first = day.min(*first);
            }
            match named.next_if(|(named, _)| *named == row) {
                Some((_, Line::Forward)) => group.forward.push([amounts.credit, amounts.debit]),
                Some(_) => {}
                None => {
                    for ((count, sum), amount) in group.sums.iter_mut().zip([amounts.credit, amounts.debit]) {
                        *count += usize::from(amount > 0);
                        *sum += i128::from(amount);
                    }
                }
            }
        }
        Others(groups)
    }

    /// Whether a record with such a name is no movement, judged by the other records.
    fn show_no_movement(&self, line: Line, (group, day): (u32, i32), amounts: &Amounts) -> bool {
        let Some(group) = self.0.get(&group) else { return false };
        let leads = |before: i64| group.balances.get(&before).is_some_and(|first| *first <= day);
        // A balance brought forward starts from 0. Otherwise only an empty account does.
        let follows = amounts.before().is_some_and(|before| before != 0 && leads(before));
        match line {
            Line::Forward => !follows || group.restores(amounts),
            Line::Balance => {
                let is_first = group.of_days.keys().next() == Some(&day);
                amounts.before() == Some(0) && !leads(0) && (is_first || group.repeats(day, amounts))
            }
            // The balance before a sum of movements may well be one of the days before them.
            Line::Totals => !follows || group.repeats(day, amounts),
            Line::Total => {
                let is_total = amounts.credit > 0 && amounts.debit > 0 || group.makes(amounts);
                is_total && (!follows || group.repeats(day, amounts))
            }
        }
    }
}

impl OfGroup {
    /// Whether another record of the day, or of the last day before, has the same balance.
    fn repeats(&self, day: i32, amounts: &Amounts) -> bool {
        let Some(balance) = amounts.balance else { return false };
        let of_day = self.of_days.get(&day).and_then(|balances| balances.get(&balance)).copied().unwrap_or_default();
        let before =
            self.of_days.range(..day).rev().map(|(_, balances)| balances).find(|balances| !balances.is_empty());
        of_day > 1 || before.is_some_and(|balances| balances.contains_key(&balance))
    }

    /// Whether amounts are the sums of several others on their sides, with or without the balance brought forward.
    fn makes(&self, amounts: &Amounts) -> bool {
        let mut sides = [amounts.credit, amounts.debit].into_iter().zip(self.sums).enumerate();
        sides.all(|(side, (amount, (count, sum)))| {
            let forward: i128 = self.forward.iter().filter_map(|of| of.get(side)).map(|of| i128::from(*of)).sum();
            let amount = i128::from(amount);
            amount == 0 || count > 1 && amount == sum || forward > 0 && amount == sum + forward
        })
    }

    /// Whether a balance carried over takes the account to 0 and another one restores it, as ledgers do at the end of a
    /// page.
    fn restores(&self, amounts: &Amounts) -> bool {
        amounts.balance == Some(0) && self.forward.contains(&[amounts.debit, amounts.credit])
    }
}

struct Amounts {
    credit: i64,
    debit: i64,
    balance: Option<i64>,
}

impl Amounts {
    fn for_row(columns: &RecordColumns, row: usize) -> Amounts {
        let value = |column: &[i64]| known(column, row as u32);
        let balance = value(&columns.balances);
        Amounts { credit: value(&columns.credits).unwrap_or(0), debit: value(&columns.debits).unwrap_or(0), balance }
    }

    /// The balance before the record, if the record has a balance.
    fn before(&self) -> Option<i64> {
        self.balance?.checked_sub(self.credit)?.checked_add(self.debit)
    }
}

/// Whether a narration is only the name of a balance.
pub(crate) fn names_balance(desc: &str) -> bool {
    matches!(line(desc), Some(Line::Forward | Line::Balance))
}

/// What a narration names, if each of its words belongs to such a name. Numbers and punctuation are ignored.
fn line(desc: &str) -> Option<Line> {
    if desc.len() > DESC_BYTES_MAX || !may_begin(desc.as_bytes()) {
        return None;
    }
    let (mut balance, mut which, mut forward, mut total, mut side) = (false, false, false, false, false);
    let mut before = Word::Filler;
    let words = desc.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    for text in words {
        let found = word(text)?;
        match (found, before) {
            // `O/B`, `C/B`
            (Word::FirstLetter, Word::FirstLetter) if text.eq_ignore_ascii_case("b") => forward = true,
            (Word::Forward, _) | (Word::Ahead, Word::Carried) | (Word::SecondLetter, Word::FirstLetter) => {
                forward = true
            }
            (Word::Balance, _) => balance = true,
            (Word::Which | Word::Carried | Word::Ahead, _) => which = true,
            (Word::Total, _) => total = true,
            (Word::Side, _) => side = true,
            (Word::FirstLetter | Word::SecondLetter | Word::Filler | Word::Joint, _) => {}
        }
        before = found;
    }
    match (balance, which, forward, total) {
        (_, _, true, false) | (true, true, false, false) => Some(Line::Forward),
        (true, ..) => Some(Line::Balance),
        (false, _, _, true) if side => Some(Line::Totals),
        (false, _, _, true) => Some(Line::Total),
        _ => None,
    }
}

/// The words in names of balances and totals.
const WORDS: [(Word, &[&str]); 14] = [
    (Word::Balance, &["balance", "balances", "bal", "saldo", "solde", "kontostand"]),
    (
        Word::Which,
        &[
            "opening", "closing", "previous", "starting", "ending", "initial", "inicial", "final", "anterior",
            "ancien", "nouveau", "start", "end", "beg", "openning", "op", "cl",
        ],
    ),
    (Word::Which, &["beginning", "ouverture", "precedent"]),
    (Word::Carried, &["brought", "carried", "carry", "bring"]),
    (Word::Ahead, &["forward", "fwd", "down"]),
    (
        Word::Forward,
        &["bf", "cf", "bfwd", "cfwd", "broughtforward", "carriedforward", "anfangssaldo", "endsaldo", "anfangsbestand"],
    ),
    (Word::FirstLetter, &["b", "c", "o"]),
    (Word::SecondLetter, &["f", "d"]),
    (Word::Total, &["total", "totals", "subtotal"]),
    (Word::Side, &["credit", "debit", "credits", "debits", "withdrawals", "deposits"]),
    (
        Word::Filler,
        &[
            "a", "account", "ac", "the", "date", "day", "month", "period", "ledger", "book", "current", "last", "next",
            "page", "amount", "cr", "dr", "sub", "grand", "st", "nd", "rd", "th",
        ],
    ),
    (
        Word::Filler,
        &[
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "january",
            "february", "march", "april", "june", "july", "august", "october", "november", "december",
        ],
    ),
    (Word::Filler, &["statement", "available", "september", "ngn", "naira", "ghs", "kes", "usd", "eur", "gbp"]),
    (Word::Joint, &["as", "at", "on", "of", "for", "from", "to", "in", "de", "du", "do", "au", "le", "al"]),
];

/// The first letters of all words that may begin a name. The first two letters are the index, and each third letter has
/// a bit. Letter 0 is the end of a word.
static BEGINNINGS: [u32; 1 << 10] = {
    let mut found = [0; _];
    let mut kind = 0;
    while kind < WORDS.len() {
        let (word, words) = WORDS[kind];
        let mut at = 0;
        while at < words.len() && !matches!(word, Word::Joint) {
            let (pair, third) = beginning(words[at].as_bytes(), 0);
            found[pair] |= third;
            at += 1;
        }
        kind += 1;
    }
    found
};

/// The index into [`BEGINNINGS`] for the letters from a place on, and the bit of the third letter.
const fn beginning(text: &[u8], from: usize) -> (usize, u32) {
    const fn letter(text: &[u8], at: usize) -> usize {
        if at < text.len() && text[at].is_ascii_alphabetic() { (text[at] & 31) as usize } else { 0 }
    }
    let (first, second) = (letter(text, from), letter(text, from + 1));
    let third = if second == 0 { 0 } else { letter(text, from + 2) };
    (first << 5 | second, 1 << third)
}

/// Whether the first word may be one of [`WORDS`], by the first bytes. This rejects nearly all narrations.
#[inline]
fn may_begin_with(head: [u8; 4]) -> bool {
    if head[0].is_ascii_alphabetic() { is_beginning(&head, 0) } else { head[0] != 0 }
}

fn may_begin(desc: &[u8]) -> bool {
    desc.iter().position(u8::is_ascii_alphabetic).is_some_and(|first| is_beginning(desc, first))
}

fn is_beginning(text: &[u8], from: usize) -> bool {
    let (pair, third) = beginning(text, from);
    BEGINNINGS.get(pair).is_some_and(|thirds| thirds & third != 0)
}

fn word(word: &str) -> Option<Word> {
    let is_known = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    WORDS.iter().find_map(|(kind, words)| is_known(words).then_some(*kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_bare_name_of_a_balance_or_a_total_is_one() {
        let cases = [
            ("OPENING BALANCE", Some(Line::Forward)),
            ("Opening Balance 01-03-2026", Some(Line::Forward)),
            ("BALANCE B/F", Some(Line::Forward)),
            ("Bal. c/f", Some(Line::Forward)),
            ("B/F", Some(Line::Forward)),
            ("B / D", Some(Line::Forward)),
            ("BROUGHT FORWARD", Some(Line::Forward)),
            ("carried forward to next page", Some(Line::Forward)),
            ("BALANCE AS AT 31 MARCH 2026", Some(Line::Balance)),
            ("CLOSING LEDGER BALANCE AS AT 31ST MARCH, 2026", Some(Line::Forward)),
            ("SALDO INICIAL", Some(Line::Forward)),
            ("Solde au 01/03/2026", Some(Line::Balance)),
            ("Balance", Some(Line::Balance)),
            ("Carried down", Some(Line::Forward)),
            ("TOTAL", Some(Line::Total)),
            ("Total debits:", Some(Line::Totals)),
            ("CREDIT BALANCE", Some(Line::Balance)),
            ("Credit", None),
            ("", None),
            ("01/03/2026", None),
            ("FORWARD BALANCE", Some(Line::Forward)),
            ("Fwd bal", Some(Line::Forward)),
            ("31ST MARCH 2026 CLOSING BALANCE", Some(Line::Forward)),
            ("A/C BALANCE", Some(Line::Balance)),
            ("DOWN", None),
            ("FORWARD", None),
            ("F", None),
            ("ACCOUNT OPENING", None),
            ("RENT BALANCE", None),
            ("BALANCE OF SCHOOL FEES", None),
            ("TOTAL ENERGIES LAGOS", None),
            ("TRF FROM CLOSING BALANCE LTD", None),
            ("FINAL PAYMENT", None),
        ];
        for (desc, wanted) in cases {
            assert_eq!(line(desc), wanted, "{desc}");
        }
    }
}
