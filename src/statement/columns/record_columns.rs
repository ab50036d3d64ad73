//! The complete columns: read by row and compared. Must not change what it holds.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use polars::prelude::PolarsResult;
use rayon::prelude::*;

use crate::statement::base::column::{Column, TEXT_NAMES, TEXTS};
use crate::statement::columns::id_order::IdOrder;
use crate::statement::rows::builder::ColumnBuilder;
use crate::statement::rows::texts::{TextRows, Texts};

/// All columns, in the order in which the records came.
pub(crate) struct RecordColumns {
    pub(crate) groups: Vec<u32>,
    pub(crate) ids: Texts,
    pub(crate) days: Vec<i32>,
    pub(crate) orders: Vec<i64>,
    pub(crate) cleared: Vec<i32>,
    pub(crate) credits: Vec<i64>,
    pub(crate) debits: Vec<i64>,
    pub(crate) balances: Vec<i64>,
    pub(crate) texts: [Texts; TEXTS],
    /// The narrations as they were printed, where the clean ones are others.
    pub(crate) printed: Texts,
    pub(crate) created: Vec<i64>,
    pub(crate) updated: Vec<i64>,
    pub(crate) flags: Vec<u32>,
}

impl From<ColumnBuilder> for RecordColumns {
    fn from(rows: ColumnBuilder) -> RecordColumns {
        let count = rows.len();
        RecordColumns {
            groups: rows.groups,
            ids: rows.ids.finish(count),
            days: rows.days,
            orders: rows.orders,
            cleared: rows.cleared,
            credits: rows.credits,
            debits: rows.debits,
            balances: rows.balances,
            texts: rows.texts.map(|column| column.finish(count)),
            printed: rows.printed.finish(count),
            created: rows.created,
            updated: rows.updated,
            flags: rows.flags,
        }
    }
}

impl RecordColumns {
    /// Concatenates consecutive chunks of rows.
    pub(crate) fn from_chunks(mut chunks: Vec<ColumnBuilder>) -> PolarsResult<RecordColumns> {
        if chunks.len() < 2 {
            return Ok(RecordColumns::from(chunks.pop().unwrap_or_default()));
        }
        let is_shared = chunks.iter().map(ColumnBuilder::len).sum::<usize>() >= SHARED;
        let mut all: Vec<RecordColumns> = match is_shared {
            true => chunks.into_par_iter().map(RecordColumns::from).collect(),
            false => chunks.into_iter().map(RecordColumns::from).collect(),
        };
        let lengths: Vec<usize> = all.iter().map(RecordColumns::len).collect();
        let mut columns: Vec<Vec<Texts>> = (0..TEXTS + 2).map(|_| Vec::with_capacity(all.len())).collect();
        for one in &mut all {
            let texts = [&mut one.ids, &mut one.printed].into_iter().chain(&mut one.texts).map(std::mem::take);
            columns.iter_mut().zip(texts).for_each(|(column, part)| column.push(part));
        }
        let whole = |parts| Texts::joined(parts, &lengths);
        let joined: Vec<Texts> = match is_shared {
            true => columns.into_par_iter().map(whole).collect::<PolarsResult<_>>()?,
            false => columns.into_iter().map(whole).collect::<PolarsResult<_>>()?,
        };
        let mut joined = joined.into_iter();
        // There is one list of parts for the ids and for each column of text.
        let mut next = || joined.next().expect("INVARIANT: each column was joined");
        let (ids, printed) = (next(), next());
        let texts = std::array::from_fn(|_| next());
        let each =
            |columns: [fn(&RecordColumns) -> &Vec<i64>; 3]| columns.map(|column| join_chunk_columns(&all, column));
        let moments = || each([|one| &one.orders, |one| &one.created, |one| &one.updated]);
        let amounts = || each([|one| &one.credits, |one| &one.debits, |one| &one.balances]);
        let ([orders, created, updated], [credits, debits, balances]) = match is_shared {
            true => rayon::join(moments, amounts),
            false => (moments(), amounts()),
        };
        Ok(RecordColumns {
            groups: join_chunk_columns(&all, |one| &one.groups),
            ids,
            days: join_chunk_columns(&all, |one| &one.days),
            orders,
            cleared: join_chunk_columns(&all, |one| &one.cleared),
            credits,
            debits,
            balances,
            texts,
            printed,
            created,
            updated,
            flags: join_chunk_columns(&all, |one| &one.flags),
        })
    }
}

fn join_chunk_columns<T: Copy>(all: &[RecordColumns], column: impl Fn(&RecordColumns) -> &Vec<T>) -> Vec<T> {
    let mut joined = Vec::with_capacity(all.iter().map(RecordColumns::len).sum());
    all.iter().for_each(|one| joined.extend_from_slice(column(one)));
    joined
}

/// Access to the columns by row. Rows must be within the columns.
pub(crate) struct View<'c> {
    columns: &'c RecordColumns,
    ids: TextRows<'c>,
    texts: [TextRows<'c>; TEXTS],
    printed: TextRows<'c>,
}

impl RecordColumns {
    pub(crate) fn len(&self) -> usize {
        self.days.len()
    }

    /// The statement of a row.
    #[inline]
    pub(crate) fn group(&self, row: usize) -> u32 {
        // Rows come from the columns' own length or from an order of them.
        *self.groups.get(row).expect("INVARIANT: each row has a statement")
    }

    /// The day of a row.
    #[inline]
    pub(crate) fn day(&self, row: usize) -> i32 {
        // As for the statement.
        *self.days.get(row).expect("INVARIANT: each row has a day")
    }

    /// All rows in an order; `None` means as they are.
    pub(crate) fn rows<'o>(&self, order: Option<&'o [u32]>) -> Cow<'o, [u32]> {
        order.map_or_else(|| Cow::Owned((0..self.len() as u32).collect()), Cow::Borrowed)
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            columns: self,
            ids: self.ids.rows(),
            texts: self.texts.each_ref().map(Texts::rows),
            printed: self.printed.rows(),
        }
    }
}

/// From this number of rows on, all threads work on the columns.
pub(crate) const SHARED: usize = 1 << 15;

/// Compares two rows by one column.
fn by_row<T: Ord>(column: &[T], left: usize, right: usize) -> Ordering {
    column.get(left).cmp(&column.get(right))
}

impl<'c> View<'c> {
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn group(&self, row: usize) -> u32 {
        self.columns.group(row)
    }

    pub(crate) fn has_ids(&self) -> bool {
        !matches!(self.ids, TextRows::Same(None))
    }

    #[inline]
    pub(crate) fn id(&self, row: usize) -> Option<&'c str> {
        self.ids.get(row)
    }

    /// Whether all ids have the same length.
    pub(crate) fn ids_have_one_length(&self) -> bool {
        self.ids.has_one_length()
    }

    /// The first bytes of a description, padded with 0 after its end, or all 0 for null.
    #[inline]
    pub(crate) fn desc_head(&self, row: usize) -> [u8; 4] {
        self.texts[Column::Desc.index()].head(row)
    }

    /// How many of these rows have no description.
    pub(crate) fn missing_descs(&self, rows: &Range<usize>) -> usize {
        self.texts[Column::Desc.index()].missing(rows)
    }

    /// A text of the record. `column` must hold texts.
    pub(crate) fn text(&self, column: Column, row: usize) -> Option<&'c str> {
        debug_assert!(column.is_text(), "{column:?} holds no texts");
        self.texts[column.index()].get(row)
    }

    /// Compares by statement, day and order within the day.
    #[inline]
    pub(crate) fn by_place(&self, left: usize, right: usize) -> Ordering {
        by_row(&self.columns.groups, left, right)
            .then_with(|| by_row(&self.columns.days, left, right))
            .then_with(|| by_row(&self.columns.orders, left, right))
    }

    /// The order of the ids of a statement's rows.
    pub(crate) fn id_order(&self, rows: impl IntoIterator<Item = usize>) -> IdOrder {
        if !self.has_ids() {
            return IdOrder::Written;
        }
        IdOrder::from_ids(rows.into_iter().map(|row| self.id(row)))
    }

    /// Compares by id, then by every other column: the order of records that [`View::by_place`] cannot tell apart.
    pub(crate) fn by_content(&self, ids: IdOrder, left: usize, right: usize) -> Ordering {
        ids.compare(self.id(left), self.id(right))
            .then_with(|| self.difference(left, right).map_or(Ordering::Equal, |(_, order)| order))
            .then_with(|| self.printed(left).cmp(&self.printed(right)))
    }

    /// The narration as it was printed, if the clean one is another. Records that differ in it alone are equal.
    pub(crate) fn printed(&self, row: usize) -> Option<&'c str> {
        self.printed.get(row)
    }

    /// The column in which two exports of a record disagree. Only the bank's data count, not when and how it was
    /// fetched.
    pub(crate) fn differing_column(&self, left: usize, right: usize) -> &'static str {
        let columns = self.columns;
        let numbers = [
            ("trans_date", by_row(&columns.days, left, right)),
            ("credit", by_row(&columns.credits, left, right)),
            ("debit", by_row(&columns.debits, left, right)),
            ("code", self.text(Column::Code, left).cmp(&self.text(Column::Code, right))),
            ("reference", self.text(Column::Reference, left).cmp(&self.text(Column::Reference, right))),
            ("desc", self.text(Column::Desc, left).cmp(&self.text(Column::Desc, right))),
        ];
        numbers.into_iter().find(|(_, order)| order.is_ne()).map_or("balance", |(column, _)| column)
    }

    /// The first column, except the id, in which two records differ, and how.
    pub(crate) fn difference(&self, left: usize, right: usize) -> Option<(&'static str, Ordering)> {
        let columns = self.columns;
        let found = |name, order: Ordering| order.is_ne().then_some((name, order));
        // Compared lazily: most of the time the first column differs.
        found("trans_date", by_row(&columns.days, left, right))
            .or_else(|| found("order", by_row(&columns.orders, left, right)))
            .or_else(|| found("cleared_date", by_row(&columns.cleared, left, right)))
            .or_else(|| found("credit", by_row(&columns.credits, left, right)))
            .or_else(|| found("debit", by_row(&columns.debits, left, right)))
            .or_else(|| found("balance", by_row(&columns.balances, left, right)))
            .or_else(|| {
                let mut texts = TEXT_NAMES.iter().zip(&self.texts);
                texts.find_map(|(name, column)| found(name, column.get(left).cmp(&column.get(right))))
            })
            .or_else(|| found("created_at", by_row(&columns.created, left, right)))
            .or_else(|| found("last_updated", by_row(&columns.updated, left, right)))
            .or_else(|| found("flags", by_row(&columns.flags, left, right)))
    }
}
