//! The balance of all accounts after each record: never a partial sum. Must not know transfers.

use super::accounts::Account;
use super::customer::Place;
use crate::statement::rows::NO_VALUE;
use crate::statement::settled::Settled;

/// The days on which an account's balance stands, and its balance after the latest record.
struct Standing {
    from: i64,
    until: i64,
    now: Option<i64>,
}

/// A balance a place; [`NO_VALUE`] wherever that of one account is not known. One account's own balances are left as they are.
///
/// An account stands at its opening balance for `quiet_days` before its first record, and at its last for as long after it.
pub(super) fn of_all(
    accounts: &[Account],
    places: &[Place],
    columns: &Settled,
    quiet_days: u32,
    untold: bool,
) -> Vec<i64> {
    let balance = |row: u32| value(&columns.balances, row);
    if accounts.len() < 2 {
        return places.iter().map(|place| balance(place.row).unwrap_or(NO_VALUE)).collect();
    }
    let has_none = |account: &Account| account.rows.iter().all(|row| balance(*row).is_none());
    if untold || accounts.iter().any(has_none) {
        return vec![NO_VALUE; places.len()];
    }
    let mut standing: Vec<Standing> = accounts.iter().map(|account| standing(account, columns, quiet_days)).collect();
    let after = |place: &Place| {
        if let Some(account) = standing.get_mut(place.account as usize) {
            account.now = balance(place.row);
        }
        let day = i64::from(place.day);
        let mut all =
            standing.iter().map(|account| account.now.filter(|_| (account.from..=account.until).contains(&day)));
        all.try_fold(0_i64, |sum, balance| sum.checked_add(balance?)).filter(|sum| *sum != NO_VALUE).unwrap_or(NO_VALUE)
    };
    places.iter().map(after).collect()
}

fn standing(account: &Account, columns: &Settled, quiet_days: u32) -> Standing {
    let day = |row: Option<&u32>| row.and_then(|row| columns.days.get(*row as usize)).map_or(0, |day| i64::from(*day));
    let (first, last) = (account.rows.first(), account.rows.last());
    let opening = first.and_then(|row| {
        let moved = |column: &[i64]| value(column, *row).unwrap_or(0);
        value(&columns.balances, *row)?.checked_sub(moved(&columns.credits))?.checked_add(moved(&columns.debits))
    });
    Standing { from: day(first) - i64::from(quiet_days), until: day(last) + i64::from(quiet_days), now: opening }
}

fn value(column: &[i64], row: u32) -> Option<i64> {
    column.get(row as usize).copied().filter(|value| *value != NO_VALUE)
}
