//! Days with records of several files. The order of one file's rows says nothing about the rows of another, and neither
//! do numbers that begin anew in each file, so balances decide there.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::statement::columns::record_columns::RecordColumns;

/// A day of a statement.
pub(crate) type StatementDay = (u32, i32);

/// The days of statements with rows of several parts of the source. `part_starts` are the first rows of the parts; rows
/// in `dropped`, which is sorted, do not count. Where rows are `numbered`, only days on which a number occurs in two
/// parts: other numbers hold for all parts.
pub(crate) fn find_shared_days(
    columns: &RecordColumns,
    part_starts: &[usize],
    dropped: &[u32],
    numbered: bool,
) -> HashSet<StatementDay> {
    if part_starts.len() < 2 {
        return HashSet::new();
    }
    let is_kept = |row: &usize| dropped.binary_search(&(*row as u32)).is_err();
    let part = |row: usize| part_starts.partition_point(|start| *start <= row);
    let rows = (0..columns.len()).filter(is_kept);
    match numbered {
        true => list_days_of_several(rows.map(|row| (numbered_day(columns, row), part(row)))),
        false => list_days_of_several(rows.map(|row| (((columns.group(row), columns.day(row)), 0), part(row)))),
    }
}

/// The day of a row, and its number within the day.
pub(crate) fn numbered_day(columns: &RecordColumns, row: usize) -> (StatementDay, i64) {
    let number = columns.orders.get(row).copied().unwrap_or_default();
    ((columns.group(row), columns.day(row)), number)
}

/// The days of which something occurs with several owners.
pub(crate) fn list_days_of_several<K: Eq + Hash>(
    days: impl Iterator<Item = ((StatementDay, K), usize)>,
) -> HashSet<StatementDay> {
    let mut owners: HashMap<(StatementDay, K), usize> = HashMap::new();
    let mut shared = HashSet::new();
    for (key, owner) in days {
        let day = key.0;
        if *owners.entry(key).or_insert(owner) != owner {
            shared.insert(day);
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_of_two_owners_is_shared() {
        let days = [((0, 1), 0), ((0, 2), 0), ((0, 2), 1), ((1, 2), 1), ((0, 2), 0), ((1, 3), 0)];
        let alike = days.iter().map(|(day, owner)| ((*day, 0), *owner));
        assert_eq!(list_days_of_several(alike), HashSet::from([(0, 2)]));
        // Numbers of their own on each row.
        let numbered = days.iter().enumerate().map(|(number, (day, owner))| ((*day, number), *owner));
        assert_eq!(list_days_of_several(numbered), HashSet::new());
    }
}
