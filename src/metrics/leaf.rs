//! The values that expressions start from: columns of the frame, months, facts, values given beside the statement, literals.

use std::borrow::Cow;

use super::Error;
use super::column::{Column, Data, from_values};
use super::reason::Reason;
use super::view::View;
use crate::rules::ir::{Column as Source, Fact, MonthColumn};
use crate::rules::program::Value;
use crate::rules::{Parameter, Repr, Type};
use crate::statement::flag;
use crate::words::date::Day;

fn name(source: Source) -> &'static str {
    match source {
        Source::Id => "id",
        Source::TransDate => "trans_date",
        Source::ClearedDate => "cleared_date",
        Source::Credit => "credit",
        Source::Debit => "debit",
        Source::Balance => "balance",
        Source::Code => "code",
        Source::Branch => "branch",
        Source::Bank => "bank",
        Source::Description => "desc",
        Source::Topics => "topics",
        Source::People => "people",
        Source::Places => "places",
        Source::Actions => "actions",
        Source::Reference => "reference",
        Source::DateRepaired | Source::DateConflict => "flags",
    }
}

/// A column of transactions.
pub(crate) fn transaction<'a>(view: &'a View, source: Source) -> Result<Column<'a>, Error> {
    let column = view.frame.column(name(source))?;
    match source {
        Source::Credit | Source::Debit | Source::Balance => {
            let values = column.i64()?;
            let mut out = Vec::with_capacity(values.len());
            let mut valid = Vec::new();
            for chunk in values.downcast_iter() {
                out.extend_from_slice(chunk.values());
                push_validity(&mut valid, chunk.validity().map(|bitmap| bitmap.iter()), chunk.len());
            }
            Ok(Column { valid: some_unknown(valid), ..Column::known(Data::Int(Cow::Owned(out))) })
        }
        Source::TransDate | Source::ClearedDate => {
            let physical = column.to_physical_repr();
            let (mut out, mut valid) = (Vec::with_capacity(column.len()), Vec::new());
            for chunk in physical.i32()?.downcast_iter() {
                out.extend(chunk.values().iter().map(|day| i64::from(*day)));
                push_validity(&mut valid, chunk.validity().map(|bitmap| bitmap.iter()), chunk.len());
            }
            Ok(Column { valid: some_unknown(valid), ..Column::known(Data::Int(Cow::Owned(out))) })
        }
        Source::DateRepaired | Source::DateConflict => {
            let bit = if source == Source::DateRepaired { flag::DATE_REPAIRED } else { flag::DATE_CONFLICT };
            let flags = column.u32()?.into_no_null_iter().map(|flags| flags & bit != 0).collect();
            Ok(Column::known(Data::Boolean(flags)))
        }
        _ => {
            let (mut out, mut valid) = (Vec::with_capacity(column.len()), Vec::new());
            for text in column.str()?.iter() {
                out.push(Cow::Borrowed(text.unwrap_or("")));
                valid.push(text.is_some());
            }
            Ok(Column { valid: some_unknown(valid), ..Column::known(Data::Text(out)) })
        }
    }
}

fn push_validity(valid: &mut Vec<bool>, bitmap: Option<impl IntoIterator<Item = bool>>, length: usize) {
    match bitmap {
        Some(bitmap) => valid.extend(bitmap),
        None => valid.extend(std::iter::repeat_n(true, length)),
    }
}

fn some_unknown(valid: Vec<bool>) -> Option<Vec<bool>> {
    valid.contains(&false).then_some(valid)
}

/// A column of months.
pub(crate) fn month<'a>(view: &View, source: MonthColumn) -> Column<'a> {
    let ints = |value: &dyn Fn(&super::view::Month) -> i64| Data::Int(view.months.iter().map(value).collect());
    match source {
        MonthColumn::Start => Column::known(ints(&|month| i64::from(month.start.days()))),
        MonthColumn::Number => Column::known(ints(&|month| month.number)),
        MonthColumn::Records => Column::known(ints(&|month| month.rows.len() as i64)),
        MonthColumn::Full => Column::known(Data::Boolean(view.months.iter().map(|month| month.full).collect())),
        MonthColumn::FullMonthsAgo => {
            let data = ints(&|month| month.full_months_ago.unwrap_or(0));
            let valid = view.months.iter().map(|month| month.full_months_ago.is_some()).collect();
            Column { valid: some_unknown(valid), ..Column::known(data) }
        }
    }
}

/// What is known of each statement.
pub(crate) fn fact<'a>(view: &View, fact: Fact) -> Column<'a> {
    let count = |value: &dyn Fn(&crate::statement::Quality) -> u64| {
        Column::known(Data::Int(view.heads.iter().map(|head| value(&head.quality) as i64).collect()))
    };
    match fact {
        Fact::AsOf => {
            let day = |day: &Option<Day>| day.map(|day| Value::Int(i64::from(day.days()))).ok_or(Reason::NoRecords);
            from_values(view.as_of.iter().map(day).collect(), Repr::Int)
        }
        Fact::Duplicates => count(&|quality| quality.duplicates),
        Fact::DateConflicts => count(&|quality| quality.date_conflicts),
        Fact::DateRepaired => count(&|quality| quality.date_repaired),
        Fact::HasDebit => Column::known(Data::Boolean(view.has_debit.clone())),
        Fact::HasBalance => Column::known(Data::Boolean(view.has_balance.clone())),
    }
}

/// A parameter whose value depends on the day of each statement.
pub(crate) fn dated<'a>(parameter: &Parameter, index: usize, as_of: &Column, rows: usize) -> Column<'a> {
    let values = (0..rows).map(|row| {
        let day = as_of.value(row)?.int().and_then(|days| i32::try_from(days).ok()).and_then(Day::checked_from_days);
        parameter.on(day).map(|found| found.value.clone()).ok_or(Reason::NotYet(index as u16))
    });
    from_values(values.collect(), parameter.ty.repr)
}

/// A value given beside the statement, the same for every statement.
pub(crate) fn input<'a>(value: Option<&Value>, index: usize, ty: Type, statements: usize) -> Column<'a> {
    let value = value.cloned().ok_or(Reason::MissingInput(index as u16));
    from_values(vec![value; statements], ty.repr)
}
