//! The columns once all records are in: read by row, compared, and nothing more. Must not change what it holds.

use std::cmp::Ordering;

use polars::prelude::{PolarsDataType, StringChunked, StringType};

use crate::statement::field::Field;
use crate::statement::rows::{Rows, TEXT_NAMES};

type TextArray = <StringType as PolarsDataType>::Array;

/// All columns, in the order in which the records came.
pub(crate) struct Settled {
    pub(crate) groups: Vec<u32>,
    pub(crate) ids: Option<StringChunked>,
    pub(crate) days: Vec<i32>,
    pub(crate) orders: Vec<i64>,
    pub(crate) cleared: Vec<i32>,
    pub(crate) credits: Vec<i64>,
    pub(crate) debits: Vec<i64>,
    pub(crate) balances: Vec<i64>,
    pub(crate) texts: [Option<StringChunked>; TEXT_NAMES.len()],
    pub(crate) created: Vec<i64>,
    pub(crate) updated: Vec<i64>,
    pub(crate) flags: Vec<u32>,
}

impl From<Rows> for Settled {
    fn from(rows: Rows) -> Settled {
        Settled {
            groups: rows.groups,
            ids: rows.ids.finish(),
            days: rows.days,
            orders: rows.orders,
            cleared: rows.cleared,
            credits: rows.credits,
            debits: rows.debits,
            balances: rows.balances,
            texts: rows.texts.map(|column| column.finish()),
            created: rows.created,
            updated: rows.updated,
            flags: rows.flags,
        }
    }
}

/// A look at the columns by row. A row beyond the end has no value anywhere.
pub(crate) struct View<'c> {
    columns: &'c Settled,
    ids: Option<&'c TextArray>,
    texts: [Option<&'c TextArray>; TEXT_NAMES.len()],
}

impl Settled {
    pub(crate) fn len(&self) -> usize {
        self.days.len()
    }

    pub(crate) fn view(&self) -> View<'_> {
        let mut texts = [None; TEXT_NAMES.len()];
        for (text, column) in texts.iter_mut().zip(&self.texts) {
            *text = array(column);
        }
        View { columns: self, ids: array(&self.ids), texts }
    }
}

fn array(column: &Option<StringChunked>) -> Option<&TextArray> {
    column.as_ref().and_then(|column| column.downcast_get(0))
}

/// One value of each kind of column, compared by row.
fn by_row<T: Ord>(column: &[T], left: usize, right: usize) -> Ordering {
    column.get(left).cmp(&column.get(right))
}

impl<'c> View<'c> {
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn group(&self, row: usize) -> u32 {
        self.columns.groups.get(row).copied().unwrap_or_default()
    }

    pub(crate) fn has_ids(&self) -> bool {
        self.ids.is_some()
    }

    #[inline]
    pub(crate) fn id(&self, row: usize) -> Option<&'c str> {
        self.ids.and_then(|ids| ids.get(row))
    }

    pub(crate) fn desc(&self, row: usize) -> Option<&'c str> {
        self.text(Field::Desc, row)
    }

    /// A text of the record; `field` is one of the columns of text.
    pub(crate) fn text(&self, field: Field, row: usize) -> Option<&'c str> {
        self.texts.get(field as usize).copied().flatten().and_then(|texts| texts.get(row))
    }

    /// By statement, day and order within the day.
    #[inline]
    pub(crate) fn by_place(&self, left: usize, right: usize) -> Ordering {
        by_row(&self.columns.groups, left, right)
            .then_with(|| by_row(&self.columns.days, left, right))
            .then_with(|| by_row(&self.columns.orders, left, right))
    }

    /// By id, then by every other column: the order of records whose place is the same.
    pub(crate) fn by_content(&self, left: usize, right: usize) -> Ordering {
        self.id(left)
            .cmp(&self.id(right))
            .then_with(|| self.difference(left, right).map_or(Ordering::Equal, |(_, order)| order))
    }

    /// The column in which two exports of a record disagree: of what a bank says of it, not of when and how it was fetched.
    pub(crate) fn told_apart_by(&self, left: usize, right: usize) -> &'static str {
        let columns = self.columns;
        let numbers = [
            ("trans_date", by_row(&columns.days, left, right)),
            ("credit", by_row(&columns.credits, left, right)),
            ("debit", by_row(&columns.debits, left, right)),
            ("code", self.text(Field::Code, left).cmp(&self.text(Field::Code, right))),
            ("reference", self.text(Field::Reference, left).cmp(&self.text(Field::Reference, right))),
            ("desc", self.text(Field::Desc, left).cmp(&self.text(Field::Desc, right))),
        ];
        numbers.into_iter().find(|(_, order)| order.is_ne()).map_or("balance", |(column, _)| column)
    }

    /// The first column, the id aside, in which two records differ, and how.
    pub(crate) fn difference(&self, left: usize, right: usize) -> Option<(&'static str, Ordering)> {
        let columns = self.columns;
        let numbers = [
            ("trans_date", by_row(&columns.days, left, right)),
            ("order", by_row(&columns.orders, left, right)),
            ("cleared_date", by_row(&columns.cleared, left, right)),
            ("credit", by_row(&columns.credits, left, right)),
            ("debit", by_row(&columns.debits, left, right)),
            ("balance", by_row(&columns.balances, left, right)),
        ];
        let texts = TEXT_NAMES.iter().zip(&self.texts).map(|(name, column)| match column {
            Some(column) => (*name, column.get(left).cmp(&column.get(right))),
            None => (*name, Ordering::Equal),
        });
        let moments = [
            ("created_at", by_row(&columns.created, left, right)),
            ("last_updated", by_row(&columns.updated, left, right)),
            ("flags", by_row(&columns.flags, left, right)),
        ];
        numbers.into_iter().chain(texts).chain(moments).find(|(_, order)| order.is_ne())
    }
}
