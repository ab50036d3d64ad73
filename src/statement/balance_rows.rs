//! Rows that move no money: balances brought forward and totals, which some banks write among the records, in the credit
//! or debit column. Must not know formats, nor the order within a day.

use std::collections::HashMap;

use crate::statement::field::Field;
use crate::statement::rows::NO_VALUE;
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
    Filler,
}

/// The rows that are balances or totals, in ascending order.
pub(crate) fn find(columns: &Settled) -> Vec<u32> {
    let view = columns.view();
    let named = (0..view.len()).filter_map(|row| Some((row, line(view.text(Field::Desc, row)?)?)));
    let named: Vec<(usize, Line)> = named.collect();
    if named.is_empty() {
        return Vec::new();
    }
    let others = Others::of(columns, &view, &named);
    let moves_nothing = |(row, line): &(usize, Line)| {
        let amounts = Amounts::of(columns, *row);
        let by_numbers = match line {
            Line::Forward => true,
            Line::Balance => amounts.before() == Some(0),
            Line::Total => amounts.credit > 0 && amounts.debit > 0 || others.make(view.group(*row), &amounts),
        };
        // A record that moves nothing tells a balance and does no harm.
        let has_amount = amounts.credit > 0 || amounts.debit > 0;
        // Of all debits since some day the balance before them is that day's, and the one after them stands already.
        let repeats = *line == Line::Total && others.have_balance_of(view.group(*row), &amounts);
        let follows = || !repeats && others.lead_to(view.group(*row), columns.days.get(*row), &amounts);
        has_amount && by_numbers && !follows()
    };
    named.iter().filter(|named| moves_nothing(named)).map(|(row, _)| *row as u32).collect()
}

/// What the other records of each statement say.
struct Others {
    /// The first day on which an account had a balance, and how many records have it.
    balances: HashMap<(u32, i64), (i32, usize)>,
    /// How many credits there are and their sum, and the same of debits.
    sums: HashMap<u32, [(usize, i128); 2]>,
}

impl Others {
    fn of(columns: &Settled, view: &View<'_>, named: &[(usize, Line)]) -> Others {
        let mut others = Others { balances: HashMap::new(), sums: HashMap::new() };
        let mut named = named.iter().map(|(row, _)| *row).peekable();
        for row in 0..view.len() {
            let (amounts, group) = (Amounts::of(columns, row), view.group(row));
            let day = columns.days.get(row).copied().unwrap_or_default();
            if let Some(balance) = amounts.balance {
                let (first, records) = others.balances.entry((group, balance)).or_insert((day, 0));
                *first = day.min(*first);
                *records += 1;
            }
            if named.next_if_eq(&row).is_some() {
                continue;
            }
            let sums = others.sums.entry(group).or_default();
            for ((count, sum), amount) in sums.iter_mut().zip([amounts.credit, amounts.debit]) {
                *count += usize::from(amount > 0);
                *sum += i128::from(amount);
            }
        }
        others
    }

    /// Whether the balances show that a record did move money: the one before it is another record's. Every balance brought
    /// forward starts from 0, and so does nothing but an account's first record.
    fn lead_to(&self, group: u32, day: Option<&i32>, amounts: &Amounts) -> bool {
        let before = amounts.before().filter(|before| *before != 0);
        before.and_then(|before| self.balances.get(&(group, before))).is_some_and(|(first, _)| Some(first) <= day)
    }

    /// Whether another record has the balance of this one.
    fn have_balance_of(&self, group: u32, amounts: &Amounts) -> bool {
        let balance = amounts.balance.and_then(|balance| self.balances.get(&(group, balance)));
        balance.is_some_and(|(_, records)| *records > 1)
    }

    /// Whether amounts are the sums of all others, several, on their sides.
    fn make(&self, group: u32, amounts: &Amounts) -> bool {
        let sums = self.sums.get(&group).copied().unwrap_or_default();
        let mut sides = sums.into_iter().zip([amounts.credit, amounts.debit]);
        sides.all(|((count, sum), amount)| amount == 0 || count > 1 && i128::from(amount) == sum)
    }
}

struct Amounts {
    credit: i64,
    debit: i64,
    balance: Option<i64>,
}

impl Amounts {
    fn of(columns: &Settled, row: usize) -> Amounts {
        let value = |column: &[i64]| column.get(row).copied().filter(|value| *value != NO_VALUE);
        let balance = value(&columns.balances);
        Amounts { credit: value(&columns.credits).unwrap_or(0), debit: value(&columns.debits).unwrap_or(0), balance }
    }

    /// The balance before the record, if it is one.
    fn before(&self) -> Option<i64> {
        self.balance?.checked_sub(self.credit)?.checked_add(self.debit)
    }
}

/// What a narration names, if each of its words belongs to such a name; numbers and signs say nothing.
fn line(desc: &str) -> Option<Line> {
    if desc.len() > LONGEST {
        return None;
    }
    let (mut balance, mut which, mut forward, mut total, mut before) = (false, false, false, false, Word::Filler);
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
            (Word::Letter(_) | Word::Filler, _) => {}
        }
        before = found;
    }
    match (balance, which, forward, total) {
        (_, _, true, false) | (true, true, false, false) => Some(Line::Forward),
        (true, ..) => Some(Line::Balance),
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
        b"a" | b"account" | b"ac" | b"as" | b"at" | b"on" | b"of" | b"the" | b"for" | b"from" | b"to" | b"in"
        | b"date" | b"day" | b"month" | b"period" | b"statement" | b"ledger" | b"book" | b"available" | b"current"
        | b"last" | b"next" | b"page" | b"amount" | b"cr" | b"dr" | b"credit" | b"debit" | b"credits" | b"debits"
        | b"de" | b"du" | b"do" | b"au" | b"le" | b"al" | b"sub" | b"grand" | b"jan" | b"feb" | b"mar" | b"apr"
        | b"may" | b"jun" | b"jul" | b"aug" | b"sep" | b"sept" | b"oct" | b"nov" | b"dec" | b"january"
        | b"february" | b"march" | b"april" | b"june" | b"july" | b"august" | b"september" | b"october"
        | b"november" | b"december" | b"st" | b"nd" | b"rd" | b"th" => Word::Filler,
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
            ("Total debits:", Some(Line::Total)),
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
