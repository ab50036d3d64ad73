//! The declared order of a table's rows, which gives the order within a day.

use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::quality::flag;
use crate::statement::base::reading::RowOrder;
use crate::statement::columns::balance_breaks;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::Group;

/// How often the days of a statement rise and fall from row to row.
#[derive(Clone, Default)]
struct DayDirections {
    /// The part and the day of its last row.
    last: Option<(usize, i32)>,
    rises: usize,
    falls: usize,
}

impl RowOrder {
    /// Orders the rows of a day as they came, or in reverse. Refused where the days show that the rows run the other
    /// way.
    pub(crate) fn apply(
        self,
        columns: &mut RecordColumns,
        groups: &[Group],
        part_starts: &[usize],
    ) -> Result<(), Error> {
        self.check(columns, groups, part_starts)?;
        for (row, order) in columns.orders.iter_mut().enumerate() {
            *order = match self {
                RowOrder::OldestFirst => row as i64,
                RowOrder::NewestFirst => -(row as i64),
            };
        }
        Ok(())
    }

    /// A single row out of place is a quirk of the export. If most are, the declaration is wrong. It says nothing about
    /// the order of several files.
    fn check(self, columns: &RecordColumns, groups: &[Group], part_starts: &[usize]) -> Result<(), Error> {
        let mut seen = vec![DayDirections::default(); groups.len()];
        let mut part = 0;
        for (row, (group, day)) in columns.groups.iter().zip(&columns.days).enumerate() {
            part += usize::from(part_starts.get(part + 1).is_some_and(|next| *next <= row));
            // Statements are numbered by their place in `groups`.
            let statement = seen.get_mut(*group as usize).expect("INVARIANT: each statement is listed");
            let before = statement.last.replace((part, *day)).filter(|(of, _)| *of == part).map(|(_, day)| day);
            statement.rises += usize::from(before.is_some_and(|before| before < *day));
            statement.falls += usize::from(before.is_some_and(|before| before > *day));
        }
        for (group, DayDirections { rises, falls, .. }) in groups.iter().zip(seen) {
            let contradicts = match self {
                RowOrder::OldestFirst => falls > rises,
                RowOrder::NewestFirst => rises > falls,
            };
            if contradicts {
                return Err(self.contradicted(group, "days"));
            }
        }
        Ok(())
    }

    /// Marks the fewest rows without which the days run as declared, in each part of the source and for each statement
    /// by itself. `part_starts` are the first rows of the parts; rows in `dropped`, which is sorted, do not count.
    pub(crate) fn mark_out_of_order(self, columns: &mut RecordColumns, part_starts: &[usize], dropped: &[u32]) {
        let ends = part_starts.iter().copied().skip(1).chain([columns.len()]);
        let parts: Vec<_> = part_starts.iter().copied().zip(ends).collect();
        let mut dropped = dropped.iter().copied().peekable();
        let mut marked: Vec<u32> = Vec::new();
        for (from, to) in parts {
            let mut rows: Vec<u32> = (from as u32..to as u32).collect();
            rows.retain(|row| {
                while dropped.next_if(|dropped| dropped < row).is_some() {}
                dropped.next_if_eq(row).is_none()
            });
            // Keeps the order of each statement's rows.
            rows.sort_by_key(|row| columns.group(*row as usize));
            let group = |row: &u32| columns.group(*row as usize);
            for of_one in rows.chunk_by(|left, right| group(left) == group(right)) {
                let day = |row: &u32| i64::from(columns.day(*row as usize));
                let days: Vec<i64> = match self {
                    RowOrder::OldestFirst => of_one.iter().map(day).collect(),
                    RowOrder::NewestFirst => of_one.iter().map(|row| -day(row)).collect(),
                };
                marked.extend(out_of_order(&days).into_iter().filter_map(|at| of_one.get(at).copied()));
            }
        }
        for row in marked {
            // The rows are those of the columns.
            *columns.flags.get_mut(row as usize).expect("INVARIANT: each row has flags") |= flag::OUT_OF_ORDER;
        }
    }

    /// Refused where the balances follow only in the other direction. For rows of one day there is no other evidence.
    /// `order` lists the rows as declared.
    pub(crate) fn check_balances(
        self,
        columns: &RecordColumns,
        order: Option<&[u32]>,
        groups: &[Group],
    ) -> Result<(), Error> {
        let rows = columns.rows(order);
        let group = |row: &u32| columns.group(*row as usize);
        for rows in rows.chunk_by(|left, right| group(left) == group(right)) {
            let declared = balance_breaks::count_broken_balances(columns, rows);
            let reversed = || rows.iter().rev().copied().collect::<Vec<u32>>();
            if declared > 0 && balance_breaks::count_broken_balances(columns, &reversed()) == 0 {
                // A chunk has at least one row, and statements are numbered by their place in `groups`.
                let group = rows.first().and_then(|row| groups.get(group(row) as usize));
                return Err(self.contradicted(group.expect("INVARIANT: each statement is listed"), "balances"));
            }
        }
        Ok(())
    }

    fn contradicted(self, group: &Group, by: &str) -> Error {
        let (declared, other) = match self {
            RowOrder::OldestFirst => ("oldest_first", "newest_first"),
            RowOrder::NewestFirst => ("newest_first", "oldest_first"),
        };
        let whose = group.customer.as_deref().map(|customer| format!(" of customer `{}`", show_source_text(customer)));
        Error::columns(format!(
            "`order = \"{declared}\"`, but the {by} of the rows{} run the other way; declare `order = \"{other}\"`, \
             or omit `order` if the rows have no order",
            whose.unwrap_or_default()
        ))
    }
}

/// The places of the fewest values without which no value is less than one before it: all that are not in the longest
/// such sequence. Of several longest ones, the one that ends with the least value.
fn out_of_order(values: &[i64]) -> Vec<usize> {
    if values.is_sorted() {
        return Vec::new();
    }
    // For each length, the place of the least value that ends a sequence of that length, and for each value the place
    // of the one before it in its sequence.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(values.len());
    for (at, value) in values.iter().enumerate() {
        let length = ends.partition_point(|end| values.get(*end).is_some_and(|other| other <= value));
        before.push(length.checked_sub(1).and_then(|shorter| ends.get(shorter).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut is_kept = vec![false; values.len()];
    let longest = std::iter::successors(ends.last().copied(), |at| before.get(*at).copied().flatten());
    for at in longest {
        if let Some(kept) = is_kept.get_mut(at) {
            *kept = true;
        }
    }
    is_kept.iter().enumerate().filter(|(_, kept)| !**kept).map(|(at, _)| at).collect()
}

/// Numbers the rows of each day from 0, so that a statement is the same wherever its rows are in a table. `order` lists
/// the rows by statement and day; `None` means as they are.
pub(crate) fn number_days(columns: &mut RecordColumns, order: Option<&[u32]>) {
    let (mut last, mut rank) = (None, 0);
    for row in columns.rows(order).iter() {
        let row = *row as usize;
        let place = (columns.group(row), columns.day(row));
        rank = if last == Some(place) { rank + 1 } else { 0 };
        last = Some(place);
        columns.orders[row] = rank;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_rows_are_out_of_order() {
        let cases: [(&[i64], &[usize]); 7] = [
            (&[], &[]),
            (&[1, 1, 2, 9], &[]),
            (&[1, 9, 2, 3], &[1]),
            (&[5, 1, 2, 3], &[0]),
            (&[1, 2, 3, 1], &[3]),
            (&[3, 2, 1], &[0, 1]),
            (&[1, 2, 8, 9, 3, 4, 5], &[2, 3]),
        ];
        for (values, wanted) in cases {
            assert_eq!(out_of_order(values), wanted, "{values:?}");
        }
    }
}
