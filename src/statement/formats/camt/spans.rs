//! The spans of a statement: entries with the balance before them and the one after. Most statements are one span; some
//! banks state the balances of each day.

use super::entry::CamtEntry;
use super::rows::{as_written, entry_booking_day};
use super::statement::{Balance, Statement};
use crate::statement::formats::entry::is_newest_first;

/// Entries between two balances.
pub(super) struct BalanceSpan<'s> {
    pub(super) opening: Option<&'s Balance>,
    pub(super) closing: Option<&'s Balance>,
    /// Whether the closing balance is that of a booked day. An interim one is no proof that the entries are whole.
    pub(super) is_stated: bool,
    pub(super) entries: &'s [CamtEntry],
}

/// The spans in the order of the entries.
pub(super) fn split_into_spans(statement: &Statement) -> Vec<BalanceSpan<'_>> {
    let stated = stated_booked_balances(statement);
    split_into_daily_spans(&stated, &statement.entries).unwrap_or_else(|| vec![single_whole_span(statement, &stated)])
}

/// The balances of booked days in the currency of the first one, in the order of their days: `OPBD`, or `PRCD` where
/// there is none, and `CLBD`.
fn stated_booked_balances(statement: &Statement) -> Vec<&Balance> {
    let has_opening = statement.balances.iter().any(|balance| balance.kind == "OPBD");
    let opening = if has_opening { "OPBD" } else { "PRCD" };
    let mut found: Vec<&Balance> =
        statement.balances.iter().filter(|balance| balance.kind == opening || balance.kind == "CLBD").collect();
    found.sort_by(|one, other| {
        (as_written(&one.day), is_closing(one)).cmp(&(as_written(&other.day), is_closing(other)))
    });
    if let Some(currency) = found.first().map(|first| first.currency.clone()) {
        found.retain(|balance| balance.currency == currency);
    }
    found
}

fn is_closing(balance: &Balance) -> bool {
    balance.kind == "CLBD"
}

/// One span for all entries, from the first opening balance to the last closing one.
fn single_whole_span<'s>(statement: &'s Statement, stated: &[&'s Balance]) -> BalanceSpan<'s> {
    let opening = stated.iter().copied().find(|balance| !is_closing(balance));
    let closing = stated.iter().copied().rev().find(|balance| is_closing(balance));
    // Pages of a longer statement begin and end with interim balances.
    let mut interim = statement.balances.iter().filter(|balance| balance.kind == "ITBD");
    BalanceSpan {
        opening,
        closing: closing.or_else(|| interim.next_back().filter(|_| opening.is_some())),
        is_stated: closing.is_some(),
        entries: &statement.entries,
    }
}

/// A span for each opening balance, if there are several and the entries run from day to day. Where the next opening
/// balance follows without a closing one, it closes the span, too. `None` if a single span is all that can be said.
fn split_into_daily_spans<'s>(stated: &[&'s Balance], entries: &'s [CamtEntry]) -> Option<Vec<BalanceSpan<'s>>> {
    let mut pairs: Vec<(&Balance, Option<&Balance>)> = Vec::new();
    for balance in stated {
        match pairs.last_mut() {
            Some((_, closing @ None)) => {
                *closing = Some(balance);
                if !is_closing(balance) {
                    pairs.push((balance, None));
                }
            }
            _ if is_closing(balance) => return None,
            _ => pairs.push((balance, None)),
        }
    }
    if pairs.len() < 2 {
        return None;
    }
    let is_newest_first = is_newest_first(entries.iter().filter(|entry| entry.is_booked()).map(entry_booking_day))?;
    if is_newest_first {
        pairs.reverse();
    }
    let mut rest = entries;
    let mut found = Vec::with_capacity(pairs.len());
    for (at, (opening, closing)) in pairs.iter().enumerate() {
        // Entries that are not booked stay with those around them.
        let is_in = |entry: &&CamtEntry| match pairs.get(at + 1) {
            None => true,
            Some(_) if is_newest_first => !entry.is_booked() || entry_booking_day(entry) >= as_written(&opening.day),
            Some((next, _)) => !entry.is_booked() || entry_booking_day(entry) < as_written(&next.day),
        };
        let count = rest.iter().take_while(is_in).count();
        let (of_span, after) = rest.split_at_checked(count)?;
        found.push(BalanceSpan { opening: Some(opening), closing: *closing, is_stated: true, entries: of_span });
        rest = after;
    }
    Some(found)
}

impl BalanceSpan<'_> {
    /// The balance after each booked entry, if opening balance, entries and closing balance agree. Banks list the
    /// oldest entry first or the newest first.
    pub(super) fn running(&self) -> Option<Vec<Option<i64>>> {
        let (opening, closing) = (self.opening?, self.closing?);
        let is_own = |entry: &CamtEntry| entry.own.currency == closing.currency;
        if opening.currency != closing.currency || !self.entries.iter().all(is_own) {
            return None;
        }
        let (opening, closing) = (opening.value()?, closing.value()?);
        let movement = |entry: &CamtEntry| if entry.is_booked() { entry.movement() } else { Some(0) };
        let sum = self.entries.iter().try_fold(opening, |sum, entry| sum.checked_add(movement(entry)?));
        if sum != Some(closing) {
            return None;
        }
        // In no order, only the days' sums are known.
        let is_newest_first = is_newest_first(self.entries.iter().map(entry_booking_day))?;
        let mut balances = Vec::with_capacity(self.entries.len());
        let mut balance = if is_newest_first { closing } else { opening };
        for entry in self.entries {
            let moved = movement(entry)?;
            if is_newest_first {
                balances.push(entry.is_booked().then_some(balance));
                balance = balance.checked_sub(moved)?;
            } else {
                balance = balance.checked_add(moved)?;
                balances.push(entry.is_booked().then_some(balance));
            }
        }
        Some(balances)
    }
}
