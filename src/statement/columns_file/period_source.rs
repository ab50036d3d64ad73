//! Where a table states its period: in columns, above the header, or in the columns file itself.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::base::date::Day;
use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::period::{PeriodSource, StatementPeriod};
use crate::statement::cells::period_text::{find_period, period_above};
use crate::statement::columns_file::Columns;

/// The name under `[columns]` for the column with a period, or for the two with its first and its last day.
pub(crate) const PERIOD: &str = "period";

/// The columns that are added to a table with a period above its header. A file has no columns of these names.
const ADDED: [&str; 2] = ["period_from, above the header", "period_to, above the header"];

/// `[period]` of a columns file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PeriodSourceTable {
    from: Option<toml::Value>,
    to: Option<toml::Value>,
    after: Option<String>,
}

/// What `[period]` says.
#[derive(Default)]
pub(crate) struct DeclaredPeriod {
    pub(crate) fixed: Option<StatementPeriod>,
    pub(crate) after: Option<String>,
}

impl PeriodSourceTable {
    pub(crate) fn read(self) -> Result<DeclaredPeriod, Error> {
        let day = |name: &str, value: &toml::Value| {
            let text = match value {
                toml::Value::String(text) => text.clone(),
                toml::Value::Datetime(day) => day.to_string(),
                _ => String::new(),
            };
            Day::parse_iso(&text).ok_or_else(|| {
                Error::columns(format!(
                    "[period] {name}: `{}` is not a day such as 2026-08-01",
                    show_source_text(&text)
                ))
            })
        };
        match (&self.from, &self.to, self.after) {
            (Some(from), Some(to), None) => {
                let (from, to) = (day("from", from)?, day("to", to)?);
                if to < from {
                    return Err(Error::columns(format!("[period] {from} to {to} ends before it begins")));
                }
                Ok(DeclaredPeriod { fixed: Some(StatementPeriod::new(from, to, PeriodSource::File)), after: None })
            }
            (None, None, Some(after)) if after.trim().is_empty() => {
                Err(Error::columns("[period] after is empty; write the label before the period"))
            }
            (None, None, after) => Ok(DeclaredPeriod { fixed: None, after }),
            _ => Err(Error::columns("[period] needs `from` and `to`, or `after` alone: a label above the header")),
        }
    }
}

/// Names the columns that `period` lists.
pub(crate) fn name_columns(listed: &[String], names: &mut BTreeMap<String, Vec<String>>) -> Result<(), Error> {
    let mut name = |column: Column, own: &String| drop(names.insert(column.name().to_owned(), vec![own.clone()]));
    match listed {
        [both] => name(Column::PeriodFrom, both),
        [from, to] => {
            name(Column::PeriodFrom, from);
            name(Column::PeriodTo, to);
        }
        _ => {
            return Err(Error::columns(
                "[columns] period names one column with both days, or two: those of the first day and of the last",
            ));
        }
    }
    Ok(())
}

/// The period that the lines above a header state, as columns of each row. `lines` has the cells of each line. None if
/// the table has a column for it, or if the columns file says what it is.
pub(crate) fn period_columns_above(
    columns: &Columns,
    lines: &[Vec<String>],
) -> Result<Option<[(String, String); 2]>, Error> {
    if columns.fixed_period.is_some() || columns.names.contains_key(Column::PeriodFrom.name()) {
        return Ok(None);
    }
    let pattern = columns.patterns.get(Column::TransDate.name());
    let found = match &columns.period_label {
        None => period_above(lines, pattern),
        Some(label) => {
            Some(period_after(label, lines).and_then(|text| find_period(&text, pattern)).ok_or_else(|| {
                Error::columns(format!(
                    "[period] after = \"{}\": above the header, no two days follow this label",
                    show_source_text(label)
                ))
            })?)
        }
    };
    let [from, to] = ADDED.map(str::to_owned);
    Ok(found.map(|period| [(from, period.from.to_string()), (to, period.to.to_string())]))
}

/// The text after a label: the rest of its line.
fn period_after(label: &str, lines: &[Vec<String>]) -> Option<String> {
    let lines = lines.iter().map(|cells| cells.join(" "));
    lines.filter_map(|line| line.split_once(label.trim()).map(|(_, rest)| rest.to_owned())).next()
}

/// The name of an added column.
pub(crate) fn added_name(column: Column) -> Option<&'static str> {
    match column {
        Column::PeriodFrom => Some(ADDED[0]),
        Column::PeriodTo => Some(ADDED[1]),
        _ => None,
    }
}
