//! Records as they come, straight into columns.

use std::collections::{BTreeSet, TryReserveError};

use crate::base::clean_text::{ITEM_SEPARATOR, clean_list, clean_text};
use crate::statement::base::column::{self, Column};
use crate::statement::base::period::PeriodParts;
use crate::statement::base::unread::Unread;
use crate::statement::cells::identity::is_missing;
use crate::statement::rows::stated::{Ends, Stated, StatedBalance};
use crate::statement::rows::texts::TextColumn;

/// Null in a column of amounts or moments: no exact amount and no moment has this value.
pub(crate) const NO_VALUE: i64 = i64::MIN;

/// The amount or moment of a row, if it has one.
#[inline]
pub(crate) fn known_at_row(column: &[i64], row: u32) -> Option<i64> {
    // A row beyond the end must not pass for one without an amount.
    let value = *column.get(row as usize).expect("INVARIANT: columns have a value for each of their rows");
    Some(value).filter(|value| *value != NO_VALUE)
}

/// The flag of an entry of an interim report, until the columns are arranged: no record of a frame has it.
pub(crate) const INTERIM: u32 = 1 << 31;

/// Null in a column of days.
pub(crate) const NO_DAY: i32 = i32::MIN;
/// Separates the items of a list in one text.
pub(crate) const SEPARATOR: char = ITEM_SEPARATOR;

/// One normalized record.
#[derive(Debug)]
pub(crate) struct RecordRow<'r> {
    pub(crate) group: u32,
    /// Its position in the source, from 0: index, line or row.
    pub(crate) ordinal: u32,
    pub(crate) id: Option<&'r str>,
    pub(crate) day: i32,
    pub(crate) order: i64,
    pub(crate) cleared: i32,
    pub(crate) credit: i64,
    pub(crate) debit: i64,
    pub(crate) balance: i64,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) flags: u32,
}

/// The names and counts of one statement, kept beside the columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) customer: Option<String>,
    pub(crate) account: Option<String>,
    /// The account that its records name, if the source has no statement per account.
    pub(crate) seen_account: Option<String>,
    pub(crate) unknown_fields: u64,
    /// The names of unread columns and fields.
    pub(crate) unread: Unread,
    pub(crate) text_repaired: u64,
    pub(crate) placeholder_text: u64,
    pub(crate) dropped_empty: u64,
    pub(crate) balance_rows: u64,
    /// Rows that are no records by the columns file.
    pub(crate) skipped_rows: u64,
    /// Records that are called a total or a balance, but were kept.
    pub(crate) doubtful_rows: u64,
    /// Records that lack the declared date, and count by the day of the transaction.
    pub(crate) without_record_day: u64,
    /// Records with a list in which an item holds a character that may be a separator.
    pub(crate) unsplit_lists: u64,
    /// The opening and closing balances that the source states, in its order, until [`Stated`] is made of them.
    pub(crate) stated_rows: Vec<StatedBalance>,
    pub(crate) stated: Stated,
    /// The days with entries of interim reports that no statement lists yet.
    pub(crate) report_days: BTreeSet<i32>,
    /// The balances of rows that were dropped because they only carry a balance forward.
    pub(crate) ends: Ends,
    /// What the tables with its records show, if there may be several.
    pub(crate) parts: TableParts,
    /// The days that the source says it covers.
    pub(crate) period: PeriodParts,
}

/// What the tables with the records of one statement show of debits and narrations. A table without such a column says
/// nothing about them, and not that there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TableParts {
    /// Whether its tables are known here at all.
    pub(crate) are_known: bool,
    /// Whether a columns file says that some of them list debits.
    pub(crate) shows_debits: bool,
    debits: InTables,
    narrations: InTables,
}

/// Whether some tables have a column, and whether some lack it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct InTables {
    some_have: bool,
    some_lack: bool,
}

impl InTables {
    fn add(&mut self, has: bool) {
        self.some_have |= has;
        self.some_lack |= !has;
    }

    fn is_lacking(self) -> bool {
        self.some_have && self.some_lack
    }
}

/// Which columns one table has, or may have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableShows {
    pub(crate) has_debits: bool,
    pub(crate) has_narrations: bool,
    /// Whether a columns file says that it lists debits.
    pub(crate) shows_debits: bool,
}

impl TableParts {
    /// Adds a table.
    pub(crate) fn add(&mut self, table: TableShows) {
        self.are_known = true;
        self.shows_debits |= table.shows_debits;
        self.debits.add(table.has_debits);
        self.narrations.add(table.has_narrations);
    }

    /// Whether debits are missing although some table lists them.
    pub(crate) fn lacks_some_debits(self) -> bool {
        self.debits.is_lacking()
    }

    /// Whether narrations are missing although some table has them.
    pub(crate) fn lacks_some_narrations(self) -> bool {
        self.narrations.is_lacking()
    }
}

impl Group {
    /// Adds the counts of another part of the same statement. `rows_before` is the number of rows before that part.
    pub(crate) fn add(&mut self, other: &Group, rows_before: usize) {
        self.unknown_fields += other.unknown_fields;
        self.unread.add_all(&other.unread);
        self.text_repaired += other.text_repaired;
        self.placeholder_text += other.placeholder_text;
        self.dropped_empty += other.dropped_empty;
        self.balance_rows += other.balance_rows;
        self.skipped_rows += other.skipped_rows;
        self.doubtful_rows += other.doubtful_rows;
        self.without_record_day += other.without_record_day;
        self.period.add(other.period);
        self.unsplit_lists += other.unsplit_lists;
        let moved = |row: &StatedBalance| StatedBalance { rows_before: row.rows_before + rows_before, ..*row };
        self.stated_rows.extend(other.stated_rows.iter().map(moved));
        self.stated.unreadable.extend(other.stated.unreadable.iter().cloned());
    }
}

/// Whether the texts at this index of [`Column::TEXTS`] are lists.
#[inline]
pub(crate) fn is_list_at(at: usize) -> bool {
    at >= Column::Topics.index()
}

/// The columns as they grow.
#[derive(Default)]
pub(crate) struct ColumnBuilder {
    pub(crate) groups: Vec<u32>,
    pub(crate) ordinals: Vec<u32>,
    pub(crate) ids: TextColumn,
    pub(crate) days: Vec<i32>,
    pub(crate) orders: Vec<i64>,
    pub(crate) cleared: Vec<i32>,
    pub(crate) credits: Vec<i64>,
    pub(crate) debits: Vec<i64>,
    pub(crate) balances: Vec<i64>,
    pub(crate) texts: [TextColumn; column::TEXTS],
    /// The narrations as they were printed, where the clean ones are others.
    pub(crate) printed: TextColumn,
    pub(crate) created: Vec<i64>,
    pub(crate) updated: Vec<i64>,
    pub(crate) flags: Vec<u32>,
}

impl ColumnBuilder {
    /// The number of records.
    pub(crate) fn len(&self) -> usize {
        self.days.len()
    }

    /// Reserves room for more records, so that the columns do not grow piecemeal. Without enough memory, they do.
    pub(crate) fn reserve(&mut self, records: usize) {
        let _ = self.try_reserve(records);
    }

    fn try_reserve(&mut self, records: usize) -> Result<(), TryReserveError> {
        self.groups.try_reserve(records)?;
        self.ordinals.try_reserve(records)?;
        self.days.try_reserve(records)?;
        self.orders.try_reserve(records)?;
        self.cleared.try_reserve(records)?;
        self.flags.try_reserve(records)?;
        for column in [&mut self.credits, &mut self.debits, &mut self.balances, &mut self.created, &mut self.updated] {
            column.try_reserve(records)?;
        }
        Ok(())
    }

    /// Adds a record. `texts` are those that may differ from the record before, by their columns.
    #[inline]
    pub(crate) fn push<'t>(&mut self, entry: &RecordRow<'_>, texts: impl Iterator<Item = (usize, Option<&'t str>)>) {
        let row = self.len();
        self.groups.push(entry.group);
        self.ordinals.push(entry.ordinal);
        self.ids.push(row, entry.id);
        self.days.push(entry.day);
        self.orders.push(entry.order);
        self.cleared.push(entry.cleared);
        self.credits.push(entry.credit);
        self.debits.push(entry.debit);
        self.balances.push(entry.balance);
        for (column, text) in texts {
            self.push_text(row, column, text);
        }
        self.created.push(entry.created);
        self.updated.push(entry.updated);
        self.flags.push(entry.flags);
    }

    /// Adds a text as it is compared. A narration is also kept as it was printed: people are shown that.
    #[inline]
    fn push_text(&mut self, row: usize, at: usize, text: Option<&str>) {
        let Some(column) = self.texts.get_mut(at) else { return };
        let is_narration = at == Column::Desc.index();
        if column.repeats(text) && !(is_narration && self.printed.has_rows()) {
            return;
        }
        match text.and_then(|text| if is_list_at(at) { clean_list(text) } else { clean_text(text) }) {
            None => {
                column.push(row, text);
                if is_narration && self.printed.has_rows() {
                    self.printed.push(row, None);
                }
            }
            Some(clean) => {
                column.push(row, Some(clean.as_str()).filter(|clean| !is_missing(clean)));
                if is_narration {
                    self.printed.push(row, text);
                }
            }
        }
    }
}
