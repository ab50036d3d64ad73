//! Turns a frame back into the columns that it was built from. Must not change a value.

use polars::prelude::{DataFrame, PolarsResult};

use crate::statement::base::column::TEXT_NAMES;
use crate::statement::columns::frame::PRINTED;
use crate::statement::columns::record_columns::RecordColumns;
use crate::statement::rows::builder::{NO_DAY, NO_VALUE};
use crate::statement::rows::texts::Texts;

pub(super) fn from_frame(frame: &DataFrame) -> PolarsResult<RecordColumns> {
    if frame.width() == 0 {
        return Ok(RecordColumns::from(crate::statement::rows::builder::ColumnBuilder::default()));
    }
    let days = |name: &str| -> PolarsResult<Vec<i32>> {
        let column = frame.column(name)?.to_physical_repr();
        Ok(column.i32()?.iter().map(|day| day.unwrap_or(NO_DAY)).collect())
    };
    let numbers = |name: &str| -> PolarsResult<Vec<i64>> {
        Ok(frame.column(name)?.i64()?.iter().map(|value| value.unwrap_or(NO_VALUE)).collect())
    };
    let marks = |name: &str| -> PolarsResult<Vec<u32>> {
        Ok(frame.column(name)?.u32()?.iter().map(Option::unwrap_or_default).collect())
    };
    let text = |name: &str| Texts::from_column(frame.column(name)?);
    let texts: Vec<Texts> = TEXT_NAMES.iter().map(|name| text(name)).collect::<PolarsResult<_>>()?;
    let mut texts = texts.into_iter();
    Ok(RecordColumns {
        groups: marks("statement")?,
        ids: text("id")?,
        days: days("trans_date")?,
        orders: numbers("order")?,
        cleared: days("cleared_date")?,
        credits: numbers("credit")?,
        debits: numbers("debit")?,
        balances: numbers("balance")?,
        // `TEXT_NAMES` lists every column of text.
        texts: std::array::from_fn(|_| texts.next().expect("INVARIANT: each column of text was read")),
        printed: text(PRINTED)?,
        created: numbers("created_at")?,
        updated: numbers("last_updated")?,
        flags: marks("flags")?,
    })
}
