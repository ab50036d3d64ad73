//! Rows that move no money: balances brought forward and totals, which some banks write among the records, in the
//! credit or debit column. Must not know formats, nor the order within a day.

use std::collections::{BTreeMap, HashMap};

use crate::statement::field::Field;
use crate::statement::rows::known;
use crate::statement::settled::{Settled, View};

/// A longer narration is none of these.
const LONGEST: usize = 64;

/// What a narration says that is nothing but the name of a balance or a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// An opening or closing balance: `OPENING BALANCE`, `BALANCE B/F`, `BROUGHT FORWARD`.
    Forward,
    /// A balance, or a payment of one: `BALANCE`, `AVAILABLE BALANCE`.
    Balance,
    /// A total of one side: `TOTAL DEBITS`.
    Totals,
    /// A total, or a payment to somebody of that name.
    Total,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Balance,
    /// Says which balance it is.
    Which,
    /// Says by itself that a balance is carried over.
    Forward,
    /// Does so together: `BROUGHT FORWARD`, `CARRIED DOWN`.
    Carried,
    Ahead,
    /// One letter of `B/F`, `C/F`, `B/D`, `C/D`.
    Letter(u8),
    Total,
    /// What a total is of.
    Side,
    Filler,
}

/// The rows that are called balances or totals, in ascending order.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    /// Those that moved nothing.
    pub(crate) no_movement: Vec<u32>,
    /// Those of which only the name says so.
    pub(crate) doubtful: Vec<u32>,
}

/// Finds them among the rows that are not `dropped`, which ascend.
pub(crate) fn find(columns: &Settled, dropped: &[u32]) -> Lines {
    let view = columns.view();
    let is_kept = |row: &usize| dropped.binary_search(&(*row as u32)).is_err();
    let named = (0..view.len()).filter_map(|row| Some((row, line(view.text(Field::Desc, row)?)?)));
    let named: Vec<(usize, Line)> = named.filter(|(row, _)| is_kept(row)).collect();
    let mut lines = Lines::default();
    if named.is_empty() {
        return lines;
    }
    let others = Others::of(columns, &view, &named, is_kept);
    for (row, line) in named {
        let amounts = Amounts::of(columns, row);
        // A record that moves nothing tells a balance and does no harm.
        if amounts.credit == 0 && amounts.debit == 0 {
            continue;
        }
        let place = (view.group(row), columns.days.get(row).copied().unwrap_or_default());
        let list =
            if others.show_no_movement(line, place, &amounts) { &mut lines.no_movement } else { &mut lines.doubtful };
        list.push(row as u32);
    }
    lines
}

/// What the records of a statement say.
#[derive(Default)]
struct OfGroup {
    /// The first day on which the account had a balance.
    balances: HashMap<i64, i32>,
    /// The balances of each day, with how many records have them.
    of_days: BTreeMap<i32, HashMap<i64, usize>>,
    /// How many credits there are and their sum, and the same of debits, of records that are called otherwise.
    sums: [(usize, i128); 2],
    /// The credits and debits of balances carried over.
    forward: Vec<[i64; 2]>,
}

struct Others(HashMap<u32, OfGroup>);

impl Others {
    fn of(columns: &Settled, view: &View<'_>, named: &[(usize, Line)], is_kept: impl Fn(&usize) -> bool) -> Others {
        let mut groups: HashMap<u32, OfGroup> = HashMap::new();
        let mut named = named.iter().peekable();
        for row in (0..view.len()).filter(is_kept) {
            let amounts = Amounts::of(columns, row);
            let day = columns.days.get(row).copied().unwrap_or_default();
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

    /// Whether a record that is called so is no movement, by its name and by the others.
    fn show_no_movement(&self, line: Line, (group, day): (u32, i32), amounts: &Amounts) -> bool {
        let Some(group) = self.0.get(&group) else { return false };
        let leads = |before: i64| group.balances.get(&before).is_some_and(|first| *first <= day);
        // Every balance brought forward starts from 0, and so does nothing but an account that was empty.
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
    /// Whether the record that stands before has the same balance: another of its day, or of the last day before.
    fn repeats(&self, day: i32, amounts: &Amounts) -> bool {
        let Some(balance) = amounts.balance else { return false };
        let of_day = self.of_days.get(&day).and_then(|balances| balances.get(&balance)).copied().unwrap_or_default();
        let before =
            self.of_days.range(..day).rev().map(|(_, balances)| balances).find(|balances| !balances.is_empty());
        of_day > 1 || before.is_some_and(|balances| balances.contains_key(&balance))
    }

    /// Whether amounts are the sums of all others on their sides, several, with or without what was brought forward.
    fn makes(&self, amounts: &Amounts) -> bool {
        let mut sides = [amounts.credit, amounts.debit].into_iter().zip(self.sums).enumerate();
        sides.all(|(side, (amount, (count, sum)))| {
            let forward: i128 = self.forward.iter().filter_map(|of| of.get(side)).map(|of| i128::from(*of)).sum();
            let amount = i128::from(amount);
            amount == 0 || count > 1 && amount == sum || forward > 0 && amount == sum + forward
        })
    }

    /// Whether a balance carried over takes the account to 0 and another one brings it back, as ledgers write it at
    /// the end of a page.
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
    fn of(columns: &Settled, row: usize) -> Amounts {
        let value = |column: &[i64]| known(column, row as u32);
        let balance = value(&columns.balances);
        Amounts { credit: value(&columns.credits).unwrap_or(0), debit: value(&columns.debits).unwrap_or(0), balance }
    }

    /// The balance before the record, if it is one.
    fn before(&self) -> Option<i64> {
        self.balance?.checked_sub(self.credit)?.checked_add(self.debit)
    }
}

/// Whether the first word may be one of those below, by its first three letters: nearly all narrations end here.
#[inline]
fn may_be(desc: &[u8]) -> bool {
    let Some(first) = desc.iter().position(u8::is_ascii_alphabetic) else { return false };
    let letter =
        |at: usize| desc.get(first + at).filter(|byte| byte.is_ascii_alphabetic()).map_or(b' ', |byte| byte | 0x20);
    let letters = [letter(0), letter(1), letter(2)];
    let is_short = letters[1] == b' ' && matches!(letters[0], b'a'..=b'd');
    is_short
        || matches!(
            &letters,
            b"bal"
                | b"sal"
                | b"sol"
                | b"ope"
                | b"clo"
                | b"pre"
                | b"sta"
                | b"beg"
                | b"end"
                | b"ini"
                | b"fin"
                | b"ant"
                | b"ouv"
                | b"anc"
                | b"nou"
                | b"bro"
                | b"car"
                | b"bfw"
                | b"cfw"
                | b"bf "
                | b"cf "
                | b"tot"
                | b"sub"
                | b"cre"
                | b"deb"
                | b"acc"
                | b"ava"
                | b"led"
                | b"boo"
                | b"cur"
                | b"las"
                | b"nex"
                | b"pag"
                | b"gra"
                | b"amo"
                | b"the"
                | b"mon"
                | b"per"
                | b"dat"
                | b"day"
                | b"jan"
                | b"feb"
                | b"mar"
                | b"apr"
                | b"may"
                | b"jun"
                | b"jul"
                | b"aug"
                | b"sep"
                | b"oct"
                | b"nov"
                | b"dec"
                | b"ac "
                | b"cr "
                | b"dr "
        )
}

/// What a narration names, if each of its words belongs to such a name; numbers and signs say nothing.
fn line(desc: &str) -> Option<Line> {
    if desc.len() > LONGEST || !may_be(desc.as_bytes()) {
        return None;
    }
    let (mut balance, mut which, mut forward, mut total, mut side) = (false, false, false, false, false);
    let mut before = Word::Filler;
    let words = desc.split(|letter: char| !letter.is_alphabetic()).filter(|word| !word.is_empty());
    for found in words {
        let found = word(found)?;
        match (found, before) {
            (Word::Forward, _)
            | (Word::Ahead, Word::Carried)
            | (Word::Letter(b'f' | b'd'), Word::Letter(b'b' | b'c')) => forward = true,
            (Word::Balance, _) => balance = true,
            (Word::Which | Word::Carried | Word::Ahead, _) => which = true,
            (Word::Total, _) => total = true,
            (Word::Side, _) => side = true,
            (Word::Letter(_) | Word::Filler, _) => {}
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

/// The longest of the words below, in bytes.
const LONGEST_WORD: usize = 14;

fn word(word: &str) -> Option<Word> {
    let mut lower = [0; LONGEST_WORD];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"balance" | b"balances" | b"bal" | b"saldo" | b"solde" => Word::Balance,
        b"opening" | b"closing" | b"previous" | b"starting" | b"beginning" | b"ending" | b"initial" | b"inicial"
        | b"final" | b"anterior" | b"ouverture" | b"precedent" | b"ancien" | b"nouveau" | b"start" | b"end" => {
            Word::Which
        }
        b"brought" | b"carried" => Word::Carried,
        b"forward" | b"fwd" | b"down" => Word::Ahead,
        b"bf" | b"cf" | b"bfwd" | b"cfwd" | b"broughtforward" | b"carriedforward" => Word::Forward,
        b"b" | b"c" | b"f" | b"d" => Word::Letter(lower[0]),
        b"total" | b"totals" | b"subtotal" => Word::Total,
        b"credit" | b"debit" | b"credits" | b"debits" | b"withdrawals" | b"deposits" => Word::Side,
        b"a" | b"account" | b"ac" | b"as" | b"at" | b"on" | b"of" | b"the" | b"for" | b"from" | b"to" | b"in"
        | b"date" | b"day" | b"month" | b"period" | b"statement" | b"ledger" | b"book" | b"available" | b"current"
        | b"last" | b"next" | b"page" | b"amount" | b"cr" | b"dr" | b"de" | b"du" | b"do" | b"au" | b"le" | b"al"
        | b"sub" | b"grand" | b"jan" | b"feb" | b"mar" | b"apr" | b"may" | b"jun" | b"jul" | b"aug" | b"sep"
        | b"sept" | b"oct" | b"nov" | b"dec" | b"january" | b"february" | b"march" | b"april" | b"june" | b"july"
        | b"august" | b"september" | b"october" | b"november" | b"december" | b"st" | b"nd" | b"rd" | b"th" => {
            Word::Filler
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_nothing_but_the_name_of_a_balance_or_a_total_is_one() {
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
