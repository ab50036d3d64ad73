//! Verdicts as a table.

use polars::prelude::{Column, DataFrame, DataType, PolarsResult};

use super::{Verdict, Verdicts};
use crate::base::date::Day;
use crate::engine::metrics::polars_convert::values_column;

/// The place of the column of parts, behind `why`, if that names a flag.
const PARTS_AT: usize = 16;

/// One row per record: where it is, what was read, what was found, and why, then every flag.
pub(super) fn build_flags_table(verdicts: &Verdicts) -> PolarsResult<DataFrame> {
    let records = &verdicts.records;
    let stream = |record: &Verdict| record.stream.as_ref().map(|stream| stream.number as i64);
    let payer = |record: &Verdict| record.stream.as_ref().and_then(|stream| stream.payer.clone());
    let period = |record: &Verdict| record.stream.as_ref().map(|stream| stream.period.clone());
    let known = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let days: Vec<Option<i32>> = records.iter().map(|record| record.day.map(Day::days)).collect();
    let mut columns = vec![
        texts(records, "customer", |record| record.customer.clone()),
        texts(records, "statement", |record| Some(record.statement.clone())),
        texts(records, "account", |record| record.account.clone()),
        ints(records, "record", |record| Some(record.record as i64)),
        texts(records, "id", |record| record.id.clone()),
        Column::new("trans_date".into(), days).cast(&DataType::Date)?,
        ints(records, "credit", |record| record.credit),
        ints(records, "debit", |record| record.debit),
        ints(records, "balance", |record| record.balance),
        texts(records, "desc", |record| record.narration.clone()),
        texts(records, "counterparty", |record| record.counterparty.clone()),
        ints(records, "stream", stream),
        texts(records, "stream_payer", payer),
        texts(records, "stream_period", period),
        texts(records, "kind", |record| record.kind.clone()),
        texts(records, "why", |record| known(&record.why)),
        texts(records, "unknown", |record| known(&record.unknown)),
    ];
    if records.iter().any(|record| !record.parts.is_empty()) {
        columns.insert(PARTS_AT, texts(records, "parts", |record| known(&record.parts)));
    }
    for (at, flag) in verdicts.flags.iter().enumerate() {
        columns.push(values_column(&flag.name, flag.ty, records.iter().map(|record| record.values[at].as_ref()))?);
    }
    DataFrame::new(records.len(), columns)
}

fn texts(records: &[Verdict], name: &str, text: impl Fn(&Verdict) -> Option<String>) -> Column {
    Column::new(name.into(), records.iter().map(text).collect::<Vec<_>>())
}

fn ints(records: &[Verdict], name: &str, int: impl Fn(&Verdict) -> Option<i64>) -> Column {
    Column::new(name.into(), records.iter().map(int).collect::<Vec<_>>())
}
