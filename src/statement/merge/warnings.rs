//! The warnings about a merged statement. Must not change its numbers.

use super::accounts::Account;
use crate::statement::base::column::Column;
use crate::statement::base::quality::Merged;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::NO_VALUE;

/// Days by which accounts may begin or end apart before there is a warning.
const APART: i32 = 7;

/// Counts of what the accounts lack.
pub(super) struct AccountsSummary {
    pub(super) accounts: u64,
    pub(super) without_debits: u64,
    without_balances: u64,
    pub(super) without_narrations: u64,
    /// Accounts that begin after the first, or end before the last, by more than a few days.
    late: u64,
    early: u64,
}

impl AccountsSummary {
    pub(super) fn new(accounts: &[Account], columns: &RecordColumns) -> AccountsSummary {
        let day = |row: Option<&u32>| row.and_then(|row| columns.days.get(*row as usize)).copied();
        let begins: Vec<i32> = accounts.iter().filter_map(|account| day(account.rows.first())).collect();
        let ends: Vec<i32> = accounts.iter().filter_map(|account| day(account.rows.last())).collect();
        let (first, last) = (begins.iter().min(), ends.iter().max());
        let count = |of: &dyn Fn(&Account) -> bool| accounts.iter().filter(|account| of(account)).count() as u64;
        let balance = |row: &u32| columns.balances.get(*row as usize).is_some_and(|balance| *balance != NO_VALUE);
        let view = columns.view();
        let narration = |row: &u32| view.text(Column::Desc, *row as usize).is_some();
        AccountsSummary {
            without_narrations: count(&|account| !account.rows.is_empty() && !account.rows.iter().any(narration)),
            accounts: accounts.len() as u64,
            without_debits: count(&|account| !account.lists_debits),
            without_balances: count(&|account| !account.rows.iter().any(balance)),
            late: begins.iter().filter(|day| first.is_some_and(|first| **day - first > APART)).count() as u64,
            early: ends.iter().filter(|day| last.is_some_and(|last| last - **day > APART)).count() as u64,
        }
    }
}

/// The warnings, in a fixed order.
pub(super) fn list_merge_warnings(
    summary: &AccountsSummary,
    merged: &Merged,
    undecided: u64,
    unclear: u64,
) -> Vec<String> {
    let all = summary.accounts;
    let some = |count: u64| if count < all { count } else { 0 };
    let counts = [
        (summary.late, "accounts begin more than a week after the first; what is before lacks them"),
        (summary.early, "accounts end more than a week before the last; what is after lacks them"),
        (some(summary.without_debits), "accounts list no debits; debits of all accounts are not known"),
        (
            some(summary.without_narrations),
            "accounts have no narrations; what narrations of all accounts say is not known",
        ),
        (some(summary.without_balances), "accounts have no balances; the balance of all accounts is not known"),
    ];
    let mut warnings: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} of {all} {what}")).collect();
    let others = [
        (
            undecided,
            "statements that name no account share no day with others; nobody can tell whether they are of one account",
        ),
        (merged.id_conflicts, "ids stand for different records in two exports; those were compared by what they say"),
        (unclear, "debits may have gone to another account of the customer; their amounts are too frequent to tell"),
    ];
    warnings.extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    warnings
}
