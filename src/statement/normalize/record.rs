//! The meaning of a record's values: a raw record of any format becomes a row, or a fault that says what is wrong. Only
//! this file decides it; tests compare the reader of whole columns, `tables/columnar`, with it.

use std::borrow::Cow;

use crate::statement::base::column::Column;
use crate::statement::base::error::show_source_text;
use crate::statement::base::period::{PeriodParts, PeriodSource, StatementPeriod};
use crate::statement::base::quality::flag;
use crate::statement::cells::cell::Cell;
use crate::statement::cells::currency;
use crate::statement::cells::date_resolution::{DateFault, ResolvedDate, reconcile_written};
use crate::statement::cells::identity::{cell_id, cell_identity, trim_invisible};
use crate::statement::cells::period_text::find_period;
use crate::statement::cells::timestamp_cache::TimestampCache;
use crate::statement::columns_file::Columns;
use crate::statement::formats::entry;
use crate::statement::normalize::raw_record::{Fault, RawRecord, fail_at_column};
use crate::statement::normalize::record_amounts::{read_amount_sides, read_record_balance};
use crate::statement::rows::builder::{INTERIM, NO_DAY, NO_VALUE, RecordRow};
use crate::statement::rows::collector::Collector;

pub(crate) type Normalized<T> = Result<T, Box<Fault>>;

/// What is wrong with a row of a table that names no customer.
pub(crate) const NO_CUSTOMER: &str = "the customer is missing";

/// Adds one record to the collector, by the rules of its reading and of the columns file. Returns whether it was kept.
///
/// Values are checked in a fixed order, so that every format reports the same one of several faults.
#[inline]
pub(crate) fn normalize_record(
    record: &mut impl RawRecord,
    columns: &Columns,
    collector: &mut Collector<'_>,
    ordinal: u32,
) -> Normalized<bool> {
    collector.records += 1;
    if record.has(Column::StatedBalance)
        && let Some(is_opening) = states_balance(record)?
    {
        return take_stated(record, columns, collector, (is_opening, ordinal));
    }
    let id_cell = record.cell(Column::Id);
    if id_cell == Cell::Null && record.requires(Column::Id) {
        return fail_missing_column(record, "a record needs an id, `id` or `_id`", Column::Id, &[Column::Id]);
    }
    cell_id(&id_cell).or_else(|what| fail_at_column(Column::Id, what))?;
    if record.is_fresh(Column::Currency) {
        check_currency(record, columns, collector)?;
    }
    let Some(trans) = resolve_record_date(record, columns, collector, TRANS)? else {
        let wanted = "a record needs `trans_date` or `unformatted_trans_date`";
        let both = [Column::TransDate, Column::UnformattedTransDate];
        return fail_missing_column(record, wanted, Column::TransDate, &both);
    };
    let cleared = resolve_record_date(record, columns, collector, CLEARED)?;
    collector.last_dates = [Some(trans), cleared];
    let order = order_within_day(record, &trans)?;
    let group = group_of_record(record, collector)?;
    let sides = read_amount_sides(record, columns, collector)?;
    record.read_texts()?;
    let counters = collector.counters(group);
    record.count(counters);
    counters.dropped_empty += u64::from(sides.is_none());
    let Some(sides) = sides else { return Ok(false) };
    let balance = read_record_balance(record, columns, collector)?.unwrap_or(NO_VALUE);
    let created =
        read_record_moment(record, Column::CreatedAt, &collector.rows.created, &mut collector.timestamp_caches[0])?;
    let updated =
        read_record_moment(record, Column::LastUpdated, &collector.rows.updated, &mut collector.timestamp_caches[1])?;
    let id = checked_id(record.cell(Column::Id));
    let entry = RecordRow {
        group,
        ordinal,
        id: id.as_deref(),
        day: trans.day.days(),
        order,
        cleared: cleared.map_or(NO_DAY, |when| when.day.days()),
        credit: sides.credit.unwrap_or(NO_VALUE),
        debit: sides.debit.unwrap_or(NO_VALUE),
        balance,
        created,
        updated,
        flags: sides.flags
            | interim_flag(record)
            | trans.agreement.flag(flag::DATE_REPAIRED, flag::DATE_CONFLICT)
            | cleared.map_or(0, |when| when.agreement.flag(flag::CLEARED_REPAIRED, flag::CLEARED_CONFLICT)),
    };
    collector.rows.push(&entry, record.texts());
    take_period(record, columns, collector, group)?;
    Ok(true)
}

/// The mark of an entry that a later statement lists again.
#[inline(always)]
fn interim_flag(record: &impl RawRecord) -> u32 {
    if record.cell(Column::Interim) == Cell::Null { 0 } else { INTERIM }
}

/// Whether the row is no record but states a balance: the opening one, or else the closing one.
fn states_balance(record: &impl RawRecord) -> Normalized<Option<bool>> {
    match record.cell(Column::StatedBalance) {
        Cell::Null => Ok(None),
        Cell::Text(entry::OPENING) => Ok(Some(true)),
        Cell::Text(entry::CLOSING) => Ok(Some(false)),
        cell => fail_at_column(
            Column::StatedBalance,
            format!("`{}` is neither `{}` nor `{}`", cell.display(), entry::OPENING, entry::CLOSING),
        ),
    }
}

/// Adds a stated balance to its statement. One that cannot be read is no fault of the records, and so only makes the
/// verdict on the balances fail.
fn take_stated(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &mut Collector<'_>,
    (is_opening, ordinal): (bool, u32),
) -> Normalized<bool> {
    if record.is_fresh(Column::Currency) {
        check_currency(record, columns, collector)?;
    }
    let day = resolve_record_date(record, columns, collector, TRANS)?;
    let group = group_of_record(record, collector)?;
    let minor = match read_record_balance(record, columns, collector) {
        Ok(Some(minor)) if day.is_some() => Ok(minor),
        Ok(Some(_)) => Err("it has no day".to_owned()),
        Ok(None) => Err("it has no amount".to_owned()),
        Err(fault) => Err(fault.what),
    };
    let minor = minor.map_err(|what| format!("at {}: {what}", collector.places().name(ordinal)));
    take_period(record, columns, collector, group)?;
    collector.add_stated(group, is_opening, day.map_or(NO_DAY, |day| day.day.days()), minor);
    Ok(false)
}

/// Adds the period that the columns file or the record states to those of the statement.
#[inline(always)]
fn take_period(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &mut Collector<'_>,
    group: u32,
) -> Normalized<()> {
    let period = match columns.fixed_period {
        Some(period) => Some(period),
        None if record.has(Column::PeriodFrom) => read_period(record, columns, collector)?,
        None => return Ok(()),
    };
    if let Some(period) = period {
        collector.counters(group).period.add(PeriodParts::of_records(period, 1));
    }
    Ok(())
}

/// The period that a record states. The first of two columns may hold both days.
fn read_period(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
) -> Normalized<Option<StatementPeriod>> {
    let pattern = columns.patterns.get(Column::TransDate.name());
    let cell = record.cell(Column::PeriodFrom);
    if cell == Cell::Null {
        return Ok(None);
    }
    if !record.has(Column::PeriodTo) {
        let found = match cell {
            Cell::Text(text) => find_period(text, pattern),
            _ => None,
        };
        return found.map(Some).ok_or_else(|| {
            let what = format!("`{}` does not state two days, such as 2026-08-01 to 2026-10-31", cell.display());
            Box::new(Fault { column: Column::PeriodFrom, what })
        });
    }
    let day = |column: Column| {
        let cell = record.cell(column);
        let date = cell.date(pattern, &collector.reading.zone).or_else(|| cell.date(None, &collector.reading.zone));
        match (date, cell) {
            (Some(date), _) => Ok(Some(date.local)),
            (None, Cell::Null) => Ok(None),
            (None, cell) => fail_at_column(column, format!("`{}` {}", cell.display(), Cell::wanted_date(pattern))),
        }
    };
    match (day(Column::PeriodFrom)?, day(Column::PeriodTo)?) {
        (Some(from), Some(to)) if from <= to => Ok(Some(StatementPeriod::new(from, to, PeriodSource::File))),
        (Some(from), Some(to)) => {
            fail_at_column(Column::PeriodTo, format!("`{to}` is before the period's first day, `{from}`"))
        }
        _ => Ok(None),
    }
}

/// The fault of a record that has none of `columns`, reported at the column `at`.
pub(crate) fn fail_missing_column<T>(
    record: &impl RawRecord,
    wanted: &str,
    at: Column,
    columns: &[Column],
) -> Normalized<T> {
    let help = record
        .misspelt(columns)
        .map(|(found, meant)| format!("; there is `{}`, which may be meant for `{meant}`", show_source_text(&found)));
    fail_at_column(at, format!("{wanted}{}", help.unwrap_or_default()))
}

// Functions of one column are always inlined: where the column is a constant, so is the format's own field. This saves
// 10% of the instructions of reading JSON.

/// The id of a cell that [`cell_id`] has accepted.
#[inline(always)]
fn checked_id(cell: Cell<'_>) -> Option<Cow<'_, str>> {
    match cell {
        Cell::Text(text) => Some(Cow::Borrowed(trim_invisible(text))).filter(|id| !id.is_empty()),
        cell => cell.whole().map(|number| Cow::Owned(number.to_string())),
    }
}

fn check_currency(record: &impl RawRecord, columns: &Columns, collector: &Collector<'_>) -> Normalized<()> {
    let cell = record.cell(Column::Currency);
    match currency::cell_fault(collector.reading.currency, &cell, &columns.currency_words) {
        Some(what) => fail_at_column(Column::Currency, what),
        None => Ok(()),
    }
}

/// The statement that the record belongs to.
#[inline(always)]
fn group_of_record(record: &impl RawRecord, collector: &mut Collector<'_>) -> Normalized<u32> {
    if !record.is_fresh(Column::Customer) && !record.is_fresh(Column::Account) {
        return Ok(collector.last_group());
    }
    let cell = record.cell(Column::Customer);
    let customer = cell_identity(&cell).or_else(|what| fail_at_column(Column::Customer, what))?;
    let customer = Some(&*customer).filter(|customer| !customer.is_empty());
    if customer.is_none() && record.requires(Column::Customer) {
        return fail_at_column(Column::Customer, NO_CUSTOMER);
    }
    let account_cell = record.cell(Column::Account);
    let account = cell_identity(&account_cell).or_else(|what| fail_at_column(Column::Account, what))?;
    match customer {
        Some(customer) if !account.is_empty() && record.splits_accounts() => {
            collector.account(customer, &account).or_else(|what| fail_at_column(Column::Account, what))
        }
        _ => {
            let group = collector.group(customer).or_else(|what| fail_at_column(Column::Customer, what))?;
            match collector.one_account(group, &account) {
                Ok(()) => Ok(group),
                Err(what) => fail_at_column(Column::Account, what),
            }
        }
    }
}

/// One of a record's two dates, each of which has two forms.
#[derive(Clone, Copy)]
struct DateColumns {
    iso: Column,
    unformatted: Column,
    /// The index in [`Collector::last_dates`].
    place: usize,
}

const TRANS: DateColumns = DateColumns { iso: Column::TransDate, unformatted: Column::UnformattedTransDate, place: 0 };
const CLEARED: DateColumns =
    DateColumns { iso: Column::ClearedDate, unformatted: Column::UnformattedClearedDate, place: 1 };

#[inline(always)]
fn resolve_record_date(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &mut Collector<'_>,
    date: DateColumns,
) -> Normalized<Option<ResolvedDate>> {
    if !record.is_fresh(date.iso) && !record.is_fresh(date.unformatted) {
        return Ok(collector.last_dates[date.place]);
    }
    let reading = collector.reading;
    let (iso, unformatted) = (record.cell(date.iso), record.cell(date.unformatted));
    let bank = match unformatted {
        Cell::Null => None,
        Cell::Text(text) => Some(text),
        Cell::Whole(_)
        | Cell::Decimal { .. }
        | Cell::Float(_)
        | Cell::Single(_)
        | Cell::Day(_)
        | Cell::Moment { .. } => return date_fault(record, columns, collector, date, DateFault::Unformatted),
    };
    let pattern = columns.patterns.get(date.iso.name());
    let when = match (iso, pattern) {
        (Cell::Null, _) => collector.date_cache.reconcile(None, bank, &reading.zone, reading.date_conflict),
        (Cell::Text(text), None) => {
            // In a table, blanks around a day do not count, as under a pattern.
            let text = if record.splits_accounts() { text.trim() } else { text };
            collector.date_cache.reconcile(Some(text), bank, &reading.zone, reading.date_conflict)
        }
        (cell, pattern) => match cell.date(pattern, &reading.zone) {
            Some(written) => reconcile_written(Some(written), bank, reading.date_conflict),
            None => Err(DateFault::Iso),
        },
    };
    match when {
        Ok(when) => Ok(when),
        Err(wrong) => date_fault(record, columns, collector, date, wrong),
    }
}

#[cold]
fn date_fault<T>(
    record: &impl RawRecord,
    columns: &Columns,
    collector: &Collector<'_>,
    date: DateColumns,
    wrong: DateFault,
) -> Normalized<T> {
    let (iso, unformatted) = (record.cell(date.iso).display(), record.cell(date.unformatted).display());
    match wrong {
        DateFault::Iso => {
            let pattern = columns.patterns.get(date.iso.name());
            fail_at_column(date.iso, format!("`{iso}` {}", Cell::wanted_date(pattern)))
        }
        DateFault::Unformatted => fail_at_column(
            date.unformatted,
            format!("`{unformatted}` is not a day from 1900 to 2200 written DD-MM-YYYY, such as 30-06-2026"),
        ),
        DateFault::Conflict(local) => fail_at_column(
            date.iso,
            format!(
                "`{iso}` is {local} in {}, but `{}` is `{unformatted}`; declare `prefer_iso` or `prefer_unformatted` \
                 to choose one",
                collector.reading.zone.name(),
                show_source_text(record.name(date.unformatted)),
            ),
        ),
    }
}

/// The record's order within its day: the declared one, or else the second of the day.
#[inline(always)]
fn order_within_day(record: &impl RawRecord, trans: &ResolvedDate) -> Normalized<i64> {
    let cell = record.cell(Column::Seq);
    let number = match cell {
        Cell::Null => return Ok(trans.second),
        Cell::Text(text) => text.parse().ok(),
        Cell::Whole(_)
        | Cell::Decimal { .. }
        | Cell::Float(_)
        | Cell::Single(_)
        | Cell::Day(_)
        | Cell::Moment { .. } => cell.whole().and_then(|number| i64::try_from(number).ok()),
    };
    number.map_or_else(|| fail_at_column(Column::Seq, format!("`{}` is not a whole number", cell.display())), Ok)
}

/// Milliseconds since 1970, UTC. `before` holds those of the earlier records.
#[inline(always)]
fn read_record_moment(
    record: &impl RawRecord,
    column: Column,
    before: &[i64],
    cache: &mut TimestampCache,
) -> Normalized<i64> {
    // A value that is not fresh is the same as in the record before, which is the last row. After a dropped record,
    // every value of the next one is fresh.
    if let Some(as_before) = before.last().filter(|_| !record.is_fresh(column)) {
        return Ok(*as_before);
    }
    let cell = record.cell(column);
    let milliseconds = match cell {
        Cell::Null => Some(NO_VALUE),
        Cell::Text(text) => cache.milliseconds(text),
        Cell::Day(day) => Some(i64::from(day) * 86_400_000),
        Cell::Moment { seconds, milliseconds, .. } => {
            Some(seconds.saturating_mul(1_000).saturating_add(i64::from(milliseconds)))
        }
        Cell::Whole(_) | Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_) => None,
    };
    let wanted = "is not an ISO 8601 moment, such as 2026-06-30T12:00:00.000Z";
    milliseconds.map_or_else(|| fail_at_column(column, format!("`{}` {wanted}", cell.display())), Ok)
}
