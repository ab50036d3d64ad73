//! The balance of all accounts after each record: never a partial sum, and as if dropped transfers had never happened.

use super::accounts::Account;
use super::merged_row::MergedRow;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::{NO_VALUE, known_at_row};

/// The days on which an account's balance is known, and its balance after the latest record.
struct Standing {
    from: i64,
    until: i64,
    now: Option<i64>,
}

/// A balance per row of the timeline, or [`NO_VALUE`] if that of any account is not known. The balances of a single
/// account stay as they are.
///
/// An account has its opening balance for `quiet_days` before its first record, and its last balance for as long after
/// its last record. The sides of own transfers are `left_out`. Money that has left one account and not yet reached the
/// other still counts, and money that arrives before it leaves does not count yet. So each balance follows from the one
/// before, whatever records are between the two sides.
pub(super) fn combine_balances(
    accounts: &[Account],
    timeline: &[MergedRow],
    left_out: &[bool],
    columns: &RecordColumns,
    quiet_days: u32,
    undecided: bool,
) -> Vec<i64> {
    let balance = |row: u32| known_at_row(&columns.balances, row);
    if accounts.len() < 2 {
        return timeline.iter().map(|record| balance(record.row).unwrap_or(NO_VALUE)).collect();
    }
    let has_none = |account: &Account| account.rows.iter().all(|row| balance(*row).is_none());
    if undecided || accounts.iter().any(has_none) {
        return vec![NO_VALUE; timeline.len()];
    }
    let mut standing: Vec<Standing> =
        accounts.iter().map(|account| standing_of_account(account, columns, quiet_days)).collect();
    let mut on_the_way = 0_i128;
    let after = |(record, left_out): (&MergedRow, &bool)| {
        // Rows of the timeline name an account by its index.
        standing[record.account as usize].now = balance(record.row);
        if *left_out {
            let moved = |column: &[i64]| i128::from(known_at_row(column, record.row).unwrap_or(0));
            on_the_way += moved(&columns.debits) - moved(&columns.credits);
        }
        let day = i64::from(record.day);
        let mut all =
            standing.iter().map(|account| account.now.filter(|_| (account.from..=account.until).contains(&day)));
        let sum = all.try_fold(on_the_way, |sum, balance| Some(sum + i128::from(balance?)));
        sum.and_then(|sum| i64::try_from(sum).ok()).unwrap_or(NO_VALUE)
    };
    let mut balances: Vec<i64> = timeline.iter().zip(left_out).map(after).collect();
    close_days(&mut balances, timeline, left_out);
    balances
}

/// Gives the last kept record of a day the balance at the day's end, even if dropped records follow it.
fn close_days(balances: &mut [i64], timeline: &[MergedRow], left_out: &[bool]) {
    let mut from = 0;
    for day in timeline.chunk_by(|one, next| one.day == next.day) {
        let end = from + day.len();
        let last = (from..end).rev().find(|at| left_out.get(*at) == Some(&false));
        let closing = balances.get(end - 1).copied();
        if let (Some(slot), Some(closing)) = (last.and_then(|at| balances.get_mut(at)), closing) {
            *slot = closing;
        }
        from = end;
    }
}

fn standing_of_account(account: &Account, columns: &RecordColumns, quiet_days: u32) -> Standing {
    // Accounts without a balance, and so those without rows, were handled before.
    let ends = account.rows.first().zip(account.rows.last());
    let (&first, &last) = ends.expect("INVARIANT: the account has rows");
    let day = |row: u32| i64::from(columns.day(row as usize));
    let moved = |column: &[i64]| known_at_row(column, first).unwrap_or(0);
    let opening = known_at_row(&columns.balances, first)
        .and_then(|balance| balance.checked_sub(moved(&columns.credits))?.checked_add(moved(&columns.debits)));
    Standing { from: day(first) - i64::from(quiet_days), until: day(last) + i64::from(quiet_days), now: opening }
}
