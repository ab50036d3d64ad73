//! Records as they come, straight into columns. Must not know formats, order or duplicates.

use polars::prelude::{PlSmallStr, StringChunked};
use polars_arrow::array::MutablePlString;

/// Stands for null in a column of amounts or moments: no exact amount and no moment has this value.
pub(crate) const NO_VALUE: i64 = i64::MIN;
/// Stands for null in a column of days.
pub(crate) const NO_DAY: i32 = i32::MIN;
/// Between the items of a list in one text.
pub(crate) const SEPARATOR: char = '\u{1f}';

/// The columns of text, in the frame's order, the id aside; [`Field`](crate::statement::field::Field) begins with the same.
pub(crate) const TEXT_NAMES: [&str; 15] = [
    "code",
    "branch",
    "bank",
    "env",
    "reference",
    "desc",
    "topics",
    "people",
    "places",
    "actions",
    "subjects",
    "prepositions",
    "owner",
    "record",
    "fetched",
];

/// One record with its meaning settled.
#[derive(Debug)]
pub(crate) struct Entry<'r> {
    pub(crate) group: u32,
    /// Its place in the source, from 0: index, line or row.
    pub(crate) ordinal: u32,
    pub(crate) id: Option<&'r str>,
    pub(crate) day: i32,
    pub(crate) order: i64,
    pub(crate) cleared: i32,
    pub(crate) credit: i64,
    pub(crate) debit: i64,
    pub(crate) balance: i64,
    pub(crate) texts: [Option<&'r str>; TEXT_NAMES.len()],
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) flags: u32,
}

/// What is counted beside the columns, one a statement.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub(crate) customer: Option<String>,
    pub(crate) account: Option<String>,
    pub(crate) unknown_fields: u64,
    pub(crate) text_repaired: u64,
    pub(crate) placeholder_text: u64,
    pub(crate) dropped_empty: u64,
}

/// A column of text. A value that follows itself is stored once, as most of a statement's columns hold one value throughout.
#[derive(Default)]
pub(crate) struct TextColumn {
    values: MutablePlString,
    /// The value that came last, how often it came, and is not in `values` yet.
    last: String,
    last_is_null: bool,
    run: usize,
    /// Runs that ended, and the values in them: where hardly a value repeats, looking for runs is given up.
    runs: usize,
    values_in_runs: usize,
    any: bool,
}

impl TextColumn {
    /// Values after which a column with hardly a repetition is taken value by value.
    const TRIAL: usize = 128;

    #[inline]
    fn push(&mut self, value: Option<&str>) {
        if self.run > 0 && self.repeats(value) {
            self.run += 1;
            return;
        }
        self.any |= value.is_some();
        self.end_run();
        if self.values_in_runs > Self::TRIAL && self.runs * 4 > self.values_in_runs * 3 {
            self.values.push(value);
            return;
        }
        self.run = 1;
        self.last_is_null = value.is_none();
        self.last.clear();
        self.last.push_str(value.unwrap_or_default());
    }

    #[inline]
    fn repeats(&self, value: Option<&str>) -> bool {
        match value {
            None => self.last_is_null,
            Some(value) => !self.last_is_null && self.last == value,
        }
    }

    #[inline]
    fn end_run(&mut self) {
        if self.run == 0 {
            return;
        }
        // `extend_constant` marks nulls and makes no room for them: they go in by `extend_null`.
        match (self.last_is_null, self.run) {
            (true, run) => self.values.extend_null(run),
            (false, 1) => self.values.push_value(&self.last),
            (false, run) => self.values.extend_constant(run, Some(&self.last)),
        }
        self.runs += 1;
        self.values_in_runs += self.run;
        self.run = 0;
    }

    /// `None` for a column without a value.
    pub(crate) fn finish(mut self) -> Option<StringChunked> {
        self.end_run();
        self.any.then(|| StringChunked::with_chunk(PlSmallStr::EMPTY, self.values.freeze()))
    }
}

/// The columns as they grow.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) groups: Vec<u32>,
    pub(crate) ordinals: Vec<u32>,
    pub(crate) ids: TextColumn,
    pub(crate) days: Vec<i32>,
    pub(crate) orders: Vec<i64>,
    pub(crate) cleared: Vec<i32>,
    pub(crate) credits: Vec<i64>,
    pub(crate) debits: Vec<i64>,
    pub(crate) balances: Vec<i64>,
    pub(crate) texts: [TextColumn; TEXT_NAMES.len()],
    pub(crate) created: Vec<i64>,
    pub(crate) updated: Vec<i64>,
    pub(crate) flags: Vec<u32>,
}

impl Rows {
    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.days.len()
    }

    /// Makes room for more records, so that the columns do not grow piecemeal.
    pub(crate) fn reserve(&mut self, records: usize) {
        self.groups.reserve(records);
        self.ordinals.reserve(records);
        self.days.reserve(records);
        self.orders.reserve(records);
        self.cleared.reserve(records);
        self.flags.reserve(records);
        for column in [&mut self.credits, &mut self.debits, &mut self.balances, &mut self.created, &mut self.updated] {
            column.reserve(records);
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, entry: &Entry<'_>) {
        self.groups.push(entry.group);
        self.ordinals.push(entry.ordinal);
        self.ids.push(entry.id);
        self.days.push(entry.day);
        self.orders.push(entry.order);
        self.cleared.push(entry.cleared);
        self.credits.push(entry.credit);
        self.debits.push(entry.debit);
        self.balances.push(entry.balance);
        for (column, value) in self.texts.iter_mut().zip(entry.texts) {
            column.push(value);
        }
        self.created.push(entry.created);
        self.updated.push(entry.updated);
        self.flags.push(entry.flags);
    }
}
