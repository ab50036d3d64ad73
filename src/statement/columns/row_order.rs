//! The declared order of a table's rows, which gives the order within a day. Must not know formats.

use serde::Deserialize;

use crate::statement::base::error::{Error, show};
use crate::statement::columns::balance_breaks;
use crate::statement::columns::builder::Group;
use crate::statement::columns::record_columns::RecordColumns;

/// How the rows of each customer follow each other in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RowOrder {
    OldestFirst,
    NewestFirst,
}

impl RowOrder {
    /// Orders the rows of a day as they came, or in reverse. Refused where the days show that the rows run the other
    /// way.
    pub(crate) fn apply(self, columns: &mut RecordColumns, groups: &[Group]) -> Result<(), Error> {
        self.check(columns, groups)?;
        for (row, order) in columns.orders.iter_mut().enumerate() {
            *order = match self {
                RowOrder::OldestFirst => row as i64,
                RowOrder::NewestFirst => -(row as i64),
            };
        }
        Ok(())
    }

    /// A single row out of place is a quirk of the export. If most are, the declaration is wrong.
    fn check(self, columns: &RecordColumns, groups: &[Group]) -> Result<(), Error> {
        // Per statement: the day of its last row, and how often days rise and fall.
        let mut seen: Vec<(Option<i32>, usize, usize)> = vec![(None, 0, 0); groups.len()];
        for (group, day) in columns.groups.iter().zip(&columns.days) {
            // Statements are numbered by their place in `groups`.
            let (last, rises, falls) = seen.get_mut(*group as usize).expect("INVARIANT: each statement is listed");
            let before = last.replace(*day);
            *rises += usize::from(before.is_some_and(|before| before < *day));
            *falls += usize::from(before.is_some_and(|before| before > *day));
        }
        for (group, (_, rises, falls)) in groups.iter().zip(seen) {
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
            let declared = balance_breaks::count(columns, rows.iter().copied());
            if declared > 0 && balance_breaks::count(columns, rows.iter().rev().copied()) == 0 {
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
        let whose = group.customer.as_deref().map(|customer| format!(" of customer `{}`", show(customer)));
        Error::columns(format!(
            "`order = \"{declared}\"`, but the {by} of the rows{} run the other way; declare `order = \"{other}\"`, \
             or omit `order` if the rows have no order",
            whose.unwrap_or_default()
        ))
    }
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
