//! The metrics table: one row a statement, one column a metric.

use std::collections::{BTreeMap, HashMap};

use polars::prelude::*;
use rayon::prelude::*;

use super::Error;
use super::evaluate::evaluate;
use super::groups::Groups;
use super::reason::Reason;
use super::view::View;
use crate::rules::program::Value;
use crate::rules::{Policy, PolicySet, Repr, Type, Unit};
use crate::statement::{Head, Statements};
use crate::words::date::Day;

/// Metrics of every statement as of a day, or as of the last record of each: `customer`, `statement`, `as_of`, then the
/// metrics in the order of the rule files. Money is in minor units, a time
/// or a duration is text; an unknown is null.
///
/// # Errors
/// Only where the frame was not made by [`crate::statement`].
pub fn table(policies: &dyn PolicySet, statements: &Statements, as_of: Option<Day>) -> Result<DataFrame, Error> {
    let names = names(policies)?;
    let rows: Vec<Vec<Row>> = morsels(statements)
        .into_par_iter()
        .map(|range| {
            let view = View::new(statements, range, as_of)?;
            of_each(policies, &view, &names)
        })
        .collect::<Result<_, Error>>()?;
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let heads = statements.heads();
    let customers: Vec<Option<&str>> = heads.iter().map(|head| head.customer.as_deref()).collect();
    let labels: Vec<&str> = heads.iter().map(|head| head.label.as_str()).collect();
    let days: Vec<Option<i32>> = rows.iter().map(|(day, _)| day.map(|day| day.days())).collect();
    let mut columns = vec![
        Column::new("customer".into(), customers),
        Column::new("statement".into(), labels),
        Column::new("as_of".into(), days).cast(&DataType::Date)?,
    ];
    for (index, (name, ty)) in names.iter().enumerate() {
        let values = rows.iter().map(|(_, metrics)| metrics[index].as_ref().ok());
        columns.push(column(name, *ty, values)?);
    }
    Ok(DataFrame::new(heads.len(), columns)?)
}

/// Tables of parts of the same source, by the same policies, as one table sorted by customer: what [`table`] makes of the whole.
///
/// # Errors
/// Where they are tables of different policies.
pub fn stack(tables: Vec<DataFrame>) -> Result<DataFrame, Error> {
    let mut tables = tables.into_iter();
    let mut whole = tables.next().unwrap_or_default();
    if tables.len() == 0 {
        return Ok(whole);
    }
    for table in tables {
        whole.vstack_mut_owned(table)?;
    }
    whole.rechunk_mut();
    Ok(whole.sort(["customer"], SortMultipleOptions::default().with_maintain_order(true))?)
}

/// The metrics of all versions, by the first that has them.
fn names(policies: &dyn PolicySet) -> Result<Vec<(String, Type)>, Error> {
    let mut names: Vec<(String, Type)> = Vec::new();
    let mut known: HashMap<&str, Type> = HashMap::new();
    for (name, ty) in policies.versions().iter().flat_map(Policy::metrics) {
        match known.insert(name, ty) {
            None => names.push((name.to_owned(), ty)),
            Some(before) if before == ty => {}
            Some(_) => return Err(Error::Types(name.to_owned())),
        }
    }
    Ok(names)
}

/// The metrics of every statement by the version of its day; what that version has not is unknown.
fn of_each(policies: &dyn PolicySet, view: &View, names: &[(String, Type)]) -> Result<Vec<Row>, Error> {
    let mut rows: Vec<Row> = view.as_of.iter().map(|day| (*day, vec![Err(Reason::NoValue); names.len()])).collect();
    let columns: HashMap<&str, usize> = names.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at)).collect();
    for version in policies.versions() {
        let of_version = |day: &Option<Day>| std::ptr::eq(policies.on(*day), version);
        if !view.as_of.iter().any(of_version) {
            continue;
        }
        let groups = Groups::new(&version.program, view);
        let evaluated = evaluate(&groups, &BTreeMap::new(), &|| ())?;
        for metric in &version.program.metrics {
            let Some(column) = columns.get(metric.name.as_str()).copied() else { continue };
            for (statement, (day, values)) in rows.iter_mut().enumerate() {
                if of_version(day) {
                    values[column] = evaluated.value(metric.node, statement);
                }
            }
        }
    }
    Ok(rows)
}

type Row = (Option<Day>, Vec<Result<Value, Reason>>);

pub(super) fn column<'v>(
    name: &str,
    ty: Type,
    values: impl Iterator<Item = Option<&'v Value>>,
) -> PolarsResult<Column> {
    let name = name.into();
    Ok(match ty.repr {
        // ISO 8601 is said alike by every writer and read by every reader; columns of times are not.
        Repr::Int | Repr::Rational | Repr::Float if ty.unit.is_iso() && ty.unit != Unit::Date => {
            let texts = values.map(|value| value.and_then(|value| ty.unit.iso(value)));
            Column::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Int => {
            let ints: Vec<Option<i64>> = values.map(|value| value.and_then(Value::int)).collect();
            let column = Column::new(name, ints);
            if ty.unit == Unit::Date { column.cast(&DataType::Int32)?.cast(&DataType::Date)? } else { column }
        }
        Repr::Rational | Repr::Float => {
            Column::new(name, values.map(|value| value.and_then(Value::float)).collect::<Vec<_>>())
        }
        Repr::Boolean => {
            let booleans = values.map(|value| match value {
                Some(Value::Boolean(value)) => Some(*value),
                _ => None,
            });
            Column::new(name, booleans.collect::<Vec<_>>())
        }
        // A column of text that says the list as JSON.
        Repr::List => {
            let texts = values.map(|value| value.map(|value| crate::rules::program::json(ty, value).to_string()));
            Column::new(name, texts.collect::<Vec<_>>())
        }
        Repr::Text => {
            let texts = values.map(|value| match value {
                Some(Value::Text(text)) => Some(text.as_str()),
                _ => None,
            });
            Column::new(name, texts.collect::<Vec<_>>())
        }
    })
}

/// Ranges of statements that are worth a thread's while; where they are cut changes no result. Each day from a statement's first record to
/// its last may be a group of its own, so that few records may make many groups: the days of a range have a bound too.
pub(crate) fn morsels(statements: &Statements) -> Vec<std::ops::Range<usize>> {
    const ROWS: usize = 16_384;
    const DAYS: usize = 4 * ROWS;
    const STATEMENTS: usize = 256;
    let dates = statements.frame().column("trans_date").map(|column| column.to_physical_repr());
    let dates = dates.as_ref().ok().and_then(|column| column.i32().ok());
    let days = |head: &Head| {
        let day = |row: usize| dates.and_then(|dates| dates.get(row)).unwrap_or_default();
        if head.rows.is_empty() { 0 } else { day(head.rows.start).abs_diff(day(head.rows.end - 1)) as usize + 1 }
    };
    let mut ranges = Vec::new();
    let (mut start, mut sums) = (0, (0, 0));
    for (index, head) in statements.heads().iter().enumerate() {
        sums = (sums.0 + head.rows.len(), sums.1 + days(head));
        if sums.0 >= ROWS || sums.1 >= DAYS || index + 1 - start >= STATEMENTS {
            ranges.push(start..index + 1);
            (start, sums) = (index + 1, (0, 0));
        }
    }
    if start < statements.len() {
        ranges.push(start..statements.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::morsels;
    use crate::statement::{Columns, Reading, Statements, read_csv};
    use crate::words::date::Zone;
    use crate::words::money::Currency;

    /// So many customers with one record on each of these days.
    fn statements(customers: usize, days: &[&str]) -> Statements {
        let row = |customer: usize| days.iter().map(move |day| format!("c{customer:04},{day},100\n"));
        let rows: String = (0..customers).flat_map(row).collect();
        let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("UTC").unwrap());
        let table = format!("customer,trans_date,credit\n{rows}");
        read_csv(table.as_bytes(), "table", &reading, &Columns::default()).unwrap()
    }

    #[test]
    fn a_range_holds_few_statements_of_many_days() {
        let lengths = |statements: &Statements| morsels(statements).iter().map(|range| range.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&statements(600, &["2026-01-01", "2026-01-05"])), [256, 256, 88]);
        assert_eq!(lengths(&statements(300, &["2025-01-01", "2026-01-05"])), [178, 122]);
        // 126 years each.
        assert_eq!(lengths(&statements(5, &["1900-01-01", "2026-01-05"])), [2, 2, 1]);
    }
}
