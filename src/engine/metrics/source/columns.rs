//! The columns that expressions start from: groups, counterparties, facts, and values given beside the statement.

use std::borrow::Cow;

use super::counterparties::Counterparties;
use super::grouping::{CalendarSpan, Grouping};
use super::period::CoveredPeriod;
use super::statement_slice::StatementSlice;
use crate::base::date::Day;
use crate::base::narration::Standing;
use crate::engine::metrics::column::{
    Bits, Data, Few, NAMELESS, Reason, Texts, ValueColumn, collect_few, from_values, some_unknown,
};
use crate::engine::recurring::Stream;
use crate::rules::graph::{Fact, GroupColumn, Op, StreamColumn};
use crate::rules::program::Value;
use crate::rules::{Parameter, Repr, Type};

/// Whether an operation reads the statement, the request or the rule file only, and no other node.
pub(crate) fn is_source(op: &Op) -> bool {
    let is_literal = matches!(op, Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Text(_) | Op::Unknown);
    let is_given = matches!(op, Op::Fact(_) | Op::Input(_) | Op::Entry(..) | Op::Dated(_));
    let is_of_words = matches!(op, Op::Mentions(_) | Op::Mentioned(_) | Op::Named(_) | Op::Corrected(_));
    is_literal || is_given || is_of_words || matches!(op, Op::Column(_) | Op::GroupColumn(_))
}

/// A column of groups.
pub(crate) fn read_group_column<'a>(grouping: &Grouping, source: GroupColumn) -> ValueColumn<'a> {
    let spans = |value: &dyn Fn(&CalendarSpan) -> i64| {
        ValueColumn::known(Data::Int(grouping.calendar.iter().map(value).collect()))
    };
    match source {
        GroupColumn::Start => spans(&|span| i64::from(span.start.days())),
        GroupColumn::Number => spans(&|span| span.number),
        GroupColumn::Records => {
            ValueColumn::known(Data::Int(grouping.rows.iter().map(|rows| rows.len() as i64).collect()))
        }
        GroupColumn::Full => ValueColumn::known(Data::Boolean(bits(&grouping.calendar, |span| span.full))),
        GroupColumn::FullAgo => {
            let valid = some_unknown(bits(&grouping.calendar, |span| span.full_ago.is_some()));
            ValueColumn { valid, ..spans(&|span| span.full_ago.unwrap_or(0)) }
        }
        GroupColumn::Stream(StreamColumn::MonthAmount) => month_amounts(grouping),
        GroupColumn::Stream(source) => ValueColumn::known(stream(&grouping.streams, source)),
    }
}

fn bits<T>(groups: &[T], truth: impl Fn(&T) -> bool) -> Bits {
    Bits::from_fn(groups.len(), |group| truth(&groups[group]))
}

/// An overflow makes values derived from it unknown, with that reason.
fn month_amounts<'a>(grouping: &Grouping) -> ValueColumn<'a> {
    let amounts = || grouping.streams.iter().map(|stream| stream.month_amount);
    let too_large = amounts().enumerate().filter(|(_, amount)| amount.is_none());
    // Groups are in the order of their statements.
    let mut failed: Vec<u32> = too_large.map(|(group, _)| grouping.statement_of(group)).collect();
    failed.dedup();
    let data = Data::Int(amounts().map(Option::unwrap_or_default).collect());
    let valid = some_unknown(bits(&grouping.streams, |stream| stream.month_amount.is_some()));
    ValueColumn { valid, failed, ..ValueColumn::known(data) }
}

fn stream<'a>(streams: &[Stream], source: StreamColumn) -> Data<'a> {
    let ints = |value: &dyn Fn(&Stream) -> i64| Data::Int(streams.iter().map(value).collect());
    match source {
        StreamColumn::IsCredit => Data::Boolean(bits(streams, |stream| stream.is_credit)),
        StreamColumn::IsLive => Data::Boolean(bits(streams, |stream| stream.is_live)),
        StreamColumn::Period => {
            Data::Text(Texts::Owned(streams.iter().map(|stream| stream.period.name().into()).collect()))
        }
        StreamColumn::Regularity => Data::Rational(collect_few(streams.iter().map(|stream| stream.regularity.clone()))),
        StreamColumn::Amount => ints(&|stream| stream.amount),
        StreamColumn::MonthAmount => ints(&|stream| stream.month_amount.unwrap_or_default()),
        StreamColumn::First => ints(&|stream| i64::from(stream.first)),
        StreamColumn::Last => ints(&|stream| i64::from(stream.last)),
        StreamColumn::Next => ints(&|stream| i64::from(stream.next)),
        StreamColumn::Missed => ints(&|stream| stream.missed),
    }
}

/// The counterparty of each record.
pub(crate) fn counterparty_column(counterparties: &Counterparties) -> ValueColumn<'_> {
    let names: Vec<Cow<str>> = counterparties.names.iter().map(|name| Cow::Borrowed(name.as_ref())).collect();
    let valid = Bits::from_values(&counterparties.name_of_rows, |name| name != NAMELESS);
    ValueColumn::partly(Data::Text(Texts::Named(Cow::Borrowed(&counterparties.name_of_rows), names.into())), valid)
}

/// Whether each record's counterparty has a standing.
pub(crate) fn standing_column<'a>(counterparties: &Counterparties, wanted: Standing) -> ValueColumn<'a> {
    let bits = Bits::from_values(&counterparties.standing_of_rows, |standing| standing.has(wanted));
    ValueColumn::known(Data::Boolean(bits))
}

/// A fact about each statement.
pub(crate) fn read_fact_column<'a>(slice: &StatementSlice, fact: Fact) -> ValueColumn<'a> {
    let count = |value: &dyn Fn(&crate::statement::Quality) -> u64| {
        ValueColumn::known(Data::Int(slice.heads.iter().map(|head| value(&head.quality) as i64).collect()))
    };
    match fact {
        Fact::AsOf => {
            let given = |day: &Option<Day>| day.filter(|_| !slice.is_last_day);
            from_values(slice.as_of.iter().map(|found| day(given(found), Reason::NeedsAsOf)), Repr::Int)
        }
        Fact::WindowEnd => from_values(slice.as_of.iter().map(|found| day(*found, Reason::NoRecords)), Repr::Int),
        Fact::Duplicates => count(&|quality| quality.duplicates),
        Fact::DateConflicts => count(&|quality| quality.date_conflicts),
        Fact::DateRepaired => count(&|quality| quality.date_repaired),
        Fact::HasDebit => ValueColumn::known(Data::Boolean(Bits::from_values(&slice.has_debit, |has| has))),
        Fact::HasBalance => ValueColumn::known(Data::Boolean(Bits::from_values(&slice.has_balance, |has| has))),
        Fact::HasRowOrder => {
            ValueColumn::known(Data::Boolean(bits(slice.heads, |head| head.quality.out_of_order.is_some())))
        }
        Fact::PeriodStart => of_period(slice, |period| period.from),
        Fact::PeriodEnd => of_period(slice, |period| period.to),
        Fact::BalanceVerdict => {
            let verdicts = slice.heads.iter().map(|head| head.quality.balance_verdict.word().into());
            ValueColumn::known(Data::Text(Texts::Owned(verdicts.collect())))
        }
    }
}

fn of_period<'a>(slice: &StatementSlice, day: impl Fn(CoveredPeriod) -> i32) -> ValueColumn<'a> {
    let value =
        |found: &Option<CoveredPeriod>| found.map(|found| Value::Int(day(found).into())).ok_or(Reason::NoRecords);
    from_values(slice.periods.iter().map(value), Repr::Int)
}

fn day(day: Option<Day>, why_not: Reason) -> Result<Value, Reason> {
    day.map(|day| Value::Int(i64::from(day.days()))).ok_or(why_not)
}

/// A parameter whose value depends on each statement's day.
pub(crate) fn dated_parameter_column<'a>(
    parameter: &Parameter,
    index: usize,
    as_of: &ValueColumn,
    rows: usize,
) -> ValueColumn<'a> {
    let values = (0..rows).map(|row| {
        let day = as_of.value(row)?.int().and_then(|days| i32::try_from(days).ok()).and_then(Day::checked_from_days);
        parameter.on(day).map(|found| found.value.clone()).ok_or(Reason::NotYet(index as u16))
    });
    from_values(values, parameter.ty.repr)
}

/// A value given beside the statement, the same for every statement.
pub(crate) fn given_input_column<'a>(value: Result<&Value, Reason>, ty: Type, statements: usize) -> ValueColumn<'a> {
    from_values(vec![value.cloned(); statements], ty.repr)
}

/// The entries of a list given beside the statement.
pub(crate) fn entries_of_list(list: Option<&Value>) -> &[Value] {
    match list {
        Some(Value::List(entries)) => entries,
        _ => &[],
    }
}

/// A field of the entries, or their numbers from 1, once for every statement.
pub(crate) fn entry_field_column<'a>(
    entries: &[Value],
    field: Option<usize>,
    repr: Repr,
    statements: usize,
) -> ValueColumn<'a> {
    let value = |(number, entry): (usize, &Value)| match (field, entry) {
        (None, _) => Ok(Value::Int(number as i64 + 1)),
        (Some(field), Value::Entry(fields)) => fields.get(field).cloned().flatten().ok_or(Reason::NoValue),
        _ => Err(Reason::NoValue),
    };
    let once: Vec<Result<Value, Reason>> = entries.iter().enumerate().map(value).collect();
    let column = from_values(std::iter::repeat_n(once, statements).flatten().collect::<Vec<_>>(), repr);
    // Only values of statements have reasons.
    ValueColumn { reasons: Few::new(), ..column }
}

#[cfg(test)]
mod tests {
    use crate::rules::graph::BALANCE_VERDICTS;
    use crate::statement::BalanceVerdict;

    /// Rules do not know statements, and so have a list of their own.
    #[test]
    fn rules_know_every_verdict() {
        assert_eq!(BALANCE_VERDICTS, BalanceVerdict::ALL.map(BalanceVerdict::word));
    }
}
