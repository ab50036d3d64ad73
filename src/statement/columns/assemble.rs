//! Builds the frame from the ordered columns, and each statement's head.

use std::ops::Range;
use std::sync::Arc;

use polars::prelude::{
    Column, DataFrame, IdxCa, Int32Chunked, Int64Chunked, IntoColumn, PlSmallStr, PolarsResult, UInt32Chunked,
};
use polars_arrow::bitmap::Bitmap;
use rayon::prelude::*;

use crate::base::money::Currency;
use crate::statement::base::column::TEXT_NAMES;
use crate::statement::base::error::Error;
use crate::statement::base::quality::{Quality, flag};
use crate::statement::base::reading::{Declared, Reading};
use crate::statement::columns::balance_breaks::{self, Rule};
use crate::statement::columns::balance_verdict::Finding;
use crate::statement::columns::covered_period;
use crate::statement::columns::frame::{Head, Origin, PRINTED, Statements};
use crate::statement::columns::record_columns::{RecordColumns, SHARED};
use crate::statement::rows::builder::{Group, NO_DAY, NO_VALUE};
use crate::statement::rows::texts::Texts;

/// Separates a table's label from the account, in an account's label.
pub(crate) const ACCOUNT_MARK: char = '#';

/// Where the records came from.
pub(crate) struct RecordsSource<'s> {
    pub(crate) label: &'s str,
    pub(crate) reading: Arc<Reading>,
    pub(crate) declared: Declared,
    pub(crate) ordered: bool,
    /// Whether rows have the order within a day that the source gives or declares.
    pub(crate) keeps_days: bool,
    /// Whether rows that stand against a declared order are marked.
    pub(crate) marks_order: bool,
    pub(crate) shows_debits: bool,
}

/// Puts the columns into order and builds the frame. `order` lists the rows to keep; `None` means all of them as they
/// are.
pub(crate) fn assemble_statements(
    columns: RecordColumns,
    order: Option<Vec<u32>>,
    groups: Vec<(Group, u64)>,
    source: &RecordsSource<'_>,
) -> Result<Statements, Error> {
    let ordered = reorder_columns(columns, order).map_err(Error::table)?;
    let ranges = ranges_of_statements(&ordered.groups, groups.len());
    let head = |((group, duplicates), rows): ((Group, u64), Range<usize>)| {
        let counts =
            Counts { group: &group, duplicates, is_ordered: source.keeps_days, marks_order: source.marks_order };
        let quality = measure_quality(&ordered, &rows, &counts, Some(source.reading.currency));
        let label = match &group.account {
            None => source.label.to_owned(),
            Some(account) => format!("{}{ACCOUNT_MARK}{account}", source.label),
        };
        let parts = group.parts;
        let lacks_debits = parts.lacks_some_debits() && (parts.shows_debits || moves_out(&ordered, &rows));
        Head {
            unread: group.unread,
            stated: group.stated,
            report_days: group.report_days,
            customer: group.customer,
            account: group.account,
            label,
            reference: None,
            shows_debits: if parts.are_known { parts.shows_debits } else { source.shows_debits },
            lacks_debits,
            lacks_narrations: parts.lacks_some_narrations() && quality.missing_desc < rows.len() as u64,
            rows,
            quality,
            transfers: Vec::new(),
            origin: Some(Origin {
                reading: Arc::clone(&source.reading),
                declared: source.declared,
                ordered: source.ordered,
            }),
        }
    };
    let heads = match ordered.len() < SHARED {
        true => groups.into_iter().zip(ranges).map(head).collect(),
        false => groups.into_par_iter().zip(ranges).map(head).collect(),
    };
    let frame = build_records_frame(ordered).map_err(Error::table)?;
    Ok(Statements::new(frame, heads))
}

fn gather_by_order<T: Copy + Send + Sync>(mut column: Vec<T>, order: Option<&[u32]>, reversed: bool) -> Vec<T> {
    if reversed {
        column.reverse();
        return column;
    }
    // Orders list rows of these columns. A default would be an amount of 0.
    let value = |row: &u32| *column.get(*row as usize).expect("INVARIANT: an order lists rows of its columns");
    match order {
        None => column,
        Some(order) if order.len() < SHARED => order.iter().map(value).collect(),
        Some(order) => order.par_iter().with_min_len(SHARED / 4).map(value).collect(),
    }
}

pub(crate) fn reorder_columns(columns: RecordColumns, order: Option<Vec<u32>>) -> PolarsResult<RecordColumns> {
    let places = order.map(|order| IdxCa::from_vec(PlSmallStr::EMPTY, order));
    let order = places.as_ref().and_then(|places| places.cont_slice().ok());
    // Many sources list the newest records first.
    let is_reversed = |order: &[u32]| {
        order.len() == columns.len() && order.iter().rev().enumerate().all(|(at, row)| at == *row as usize)
    };
    let reversed = order.is_some_and(is_reversed);
    let reordered = |column: Texts| column.reordered(places.as_ref());
    let texts: Vec<Texts> = match order.is_some_and(|order| order.len() >= SHARED) {
        true => columns.texts.into_par_iter().map(reordered).collect::<PolarsResult<_>>()?,
        false => columns.texts.into_iter().map(reordered).collect::<PolarsResult<_>>()?,
    };
    let mut texts = texts.into_iter();
    Ok(RecordColumns {
        groups: gather_by_order(columns.groups, order, reversed),
        ids: columns.ids.reordered(places.as_ref())?,
        days: gather_by_order(columns.days, order, reversed),
        orders: gather_by_order(columns.orders, order, reversed),
        cleared: gather_by_order(columns.cleared, order, reversed),
        credits: gather_by_order(columns.credits, order, reversed),
        debits: gather_by_order(columns.debits, order, reversed),
        balances: gather_by_order(columns.balances, order, reversed),
        // As many as there were columns of text.
        texts: std::array::from_fn(|_| texts.next().expect("INVARIANT: each column of text was reordered")),
        printed: columns.printed.reordered(places.as_ref())?,
        created: gather_by_order(columns.created, order, reversed),
        updated: gather_by_order(columns.updated, order, reversed),
        flags: gather_by_order(columns.flags, order, reversed),
    })
}

/// The rows of each statement, including those without rows.
fn ranges_of_statements(groups: &[u32], count: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::with_capacity(count);
    let mut from = 0;
    for group in 0..count as u32 {
        let rest = groups.get(from..).unwrap_or_default();
        let length = rest.partition_point(|other| *other <= group);
        ranges.push(from..from + length);
        from += length;
    }
    ranges
}

/// What is known about a statement's records beside the columns.
pub(crate) struct Counts<'g> {
    pub(crate) group: &'g Group,
    pub(crate) duplicates: u64,
    /// Whether the order of the rows within a day is that of the source.
    pub(crate) is_ordered: bool,
    /// Whether rows that stand against a declared order are marked.
    pub(crate) marks_order: bool,
}

pub(crate) fn measure_quality(
    columns: &RecordColumns,
    rows: &Range<usize>,
    counts: &Counts<'_>,
    currency: Option<Currency>,
) -> Quality {
    let group = counts.group;
    let flags = columns.flags.get(rows.clone()).expect("INVARIANT: a statement's rows are rows of the columns");
    // Few statements have more than one or two of the flags.
    let all = flags.iter().fold(0, |all, flags| all | flags);
    let flagged = |bit: u32| match all & bit {
        0 => 0,
        _ => flags.iter().filter(|flags| **flags & bit != 0).count() as u64,
    };
    let rule =
        Rule { major: 10_u128.pow(currency.map_or(0, |currency| currency.exponent())), is_ordered: counts.is_ordered };
    let chain = balance_breaks::chain_balances(columns, rows, group.ends, rule);
    let balances = Finding::new(&chain, &group.stated, columns, rule.major);
    let days = columns.days.get(rows.clone()).expect("INVARIANT: a statement's rows are rows of the columns");
    let period = covered_period::judge_stated_period(days, group, counts.duplicates);
    let mut quality = Quality {
        records: rows.len() as u64,
        duplicates: counts.duplicates,
        date_repaired: flagged(flag::DATE_REPAIRED),
        date_conflicts: flagged(flag::DATE_CONFLICT),
        unknown_fields: group.unknown_fields,
        missing_desc: columns.view().missing_descs(rows) as u64,
        text_repaired: group.text_repaired,
        both_amounts: flagged(flag::BOTH_AMOUNTS),
        dropped_empty: group.dropped_empty,
        balance_rows: group.balance_rows,
        skipped_rows: group.skipped_rows,
        negative_swapped: flagged(flag::SIDES_SWAPPED),
        placeholder_text: group.placeholder_text,
        zero_amounts: flagged(flag::ZERO_AMOUNT),
        cleared_repaired: flagged(flag::CLEARED_REPAIRED),
        cleared_conflicts: flagged(flag::CLEARED_CONFLICT),
        out_of_order: counts.marks_order.then(|| flagged(flag::OUT_OF_ORDER)),
        period: period.used,
        balance_verdict: balances.verdict,
        balance_discrepancy: balances.first,
        warnings: Vec::new(),
        merged: None,
    };
    let conflicts = quality.date_conflicts + quality.cleared_conflicts;
    let warnings = [
        (conflicts, "dates disagree beyond the time zone; the declared rule chose one"),
        (quality.both_amounts, "records have a credit and a debit"),
        (quality.dropped_empty, "records without an amount were left out"),
        (quality.balance_rows, "records are an opening or closing balance or a total, and were left out"),
        (quality.skipped_rows, "rows were left out by the columns file's `skip`"),
        (group.without_record_day, "records have no `cleared_date`, and count by `trans_date`"),
        (group.doubtful_rows, "records are called a balance or a total, and count as movements"),
        (
            group.unsplit_lists,
            "records have `;` or `|` within an item of a list; if it stands between items, declare it: \
             [lists] separator of a columns file",
        ),
        (quality.text_repaired, "characters stood for nothing and were replaced"),
    ];
    quality.warnings =
        warnings.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    quality.warnings.extend(balance_breaks::warn_of_broken_chain(&chain, columns, rows, rule));
    quality.warnings.extend(balances.warnings);
    quality.warnings.extend(period.warning);
    quality.warnings.extend(group.unread.warnings());
    quality
}

/// Whether some of these rows have a debit.
fn moves_out(columns: &RecordColumns, rows: &Range<usize>) -> bool {
    columns.debits.get(rows.clone()).unwrap_or_default().iter().any(|debit| *debit > 0)
}

pub(crate) fn build_records_frame(columns: RecordColumns) -> PolarsResult<DataFrame> {
    let height = columns.len();
    let days = |name: &str, days: Vec<i32>| {
        let (days, validity) = without_marks(days, NO_DAY);
        Int32Chunked::from_vec_validity(name.into(), days, validity).into_date().into_column()
    };
    let RecordColumns { groups, ids, days: trans, orders, cleared, credits, debits, balances, .. } = columns;
    let (texts, created, updated, flags) = (columns.texts, columns.created, columns.updated, columns.flags);
    let printed = columns.printed;
    let first = || -> Vec<Column> {
        vec![
            UInt32Chunked::from_vec("statement".into(), groups).into_column(),
            ids.into_column("id", height),
            days("trans_date", trans),
            Int64Chunked::from_vec("order".into(), orders).into_column(),
            days("cleared_date", cleared),
            nullable_number_column("credit", credits),
        ]
    };
    let others = || -> Vec<Column> {
        let mut others = vec![nullable_number_column("debit", debits), nullable_number_column("balance", balances)];
        others.extend(TEXT_NAMES.iter().zip(texts).map(|(name, column)| column.into_column(name, height)));
        others.push(nullable_number_column("created_at", created));
        others.push(nullable_number_column("last_updated", updated));
        others.push(UInt32Chunked::from_vec("flags".into(), flags).into_column());
        others.push(printed.into_column(PRINTED, height));
        others
    };
    let (mut all, others) = match height < SHARED {
        true => (first(), others()),
        false => rayon::join(first, others),
    };
    all.extend(others);
    DataFrame::new(height, all)
}

fn nullable_number_column(name: &str, values: Vec<i64>) -> Column {
    let (values, validity) = without_marks(values, NO_VALUE);
    Int64Chunked::from_vec_validity(name.into(), values, validity).into_column()
}

/// The values with 0 in place of the null mark, and which of them are valid.
fn without_marks<T: Copy + Default + PartialEq>(mut values: Vec<T>, mark: T) -> (Vec<T>, Option<Bitmap>) {
    if !values.contains(&mark) {
        return (values, None);
    }
    let validity = values.iter().map(|value| *value != mark).collect();
    for value in values.iter_mut().filter(|value| **value == mark) {
        *value = T::default();
    }
    (values, Some(validity))
}
