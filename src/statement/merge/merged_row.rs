//! The records of all of a customer's accounts in the order of the merged statement.

use super::accounts::Account;
use crate::statement::columns::record_columns::RecordColumns;

/// One row of the merged statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MergedRow {
    pub(super) day: i32,
    pub(super) order: i64,
    /// Index of the account.
    pub(super) account: u32,
    /// Its index among the account's rows.
    at: u32,
    pub(super) row: u32,
}

/// The rows of all accounts by day, and within a day by their order in their own accounts.
pub(super) fn build_timeline(accounts: &[Account], columns: &RecordColumns) -> Vec<MergedRow> {
    let of_account = |(index, account): (usize, &Account)| {
        let merged = move |(at, row): (usize, &u32)| {
            let (day, order) = by_day(columns, *row as usize);
            MergedRow { day, order, account: index as u32, at: at as u32, row: *row }
        };
        account.rows.iter().enumerate().map(merged).collect::<Vec<_>>()
    };
    let mut rows: Vec<MergedRow> = accounts.iter().enumerate().flat_map(of_account).collect();
    rows.sort_unstable();
    rows
}

/// The key by which rows are sorted: the day, and the order within it.
pub(super) fn by_day(columns: &RecordColumns, row: usize) -> (i32, i64) {
    (columns.day(row), columns.orders[row])
}
