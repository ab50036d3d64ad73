//! The tables of a backtest as files. Counts nothing.

use std::path::Path;

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::super::output::Failure;
use super::super::table_file;
use crate::base::money::Currency;
use crate::portfolio::summary::{FlipRow, GroupNumbers, Summary};
use crate::run::files;

/// Writes every customer whose decision changes.
pub(super) fn write_flips(
    flips: impl Iterator<Item = FlipRow>,
    currency: Currency,
    path: &Path,
) -> Result<(), Failure> {
    let flips: Vec<FlipRow> = flips.collect();
    let text =
        |name: &str, of: &dyn Fn(&FlipRow) -> String| column_of_values(name, flips.iter().map(of).collect::<Vec<_>>());
    let columns = vec![
        text("customer", &|flip| flip.customer.clone()),
        text("champion", &|flip| flip.champion.clone()),
        text("challenger", &|flip| flip.challenger.clone()),
        column_of_values("champion_amount", flips.iter().map(|flip| flip.champion_amount).collect::<Vec<_>>()),
        column_of_values("challenger_amount", flips.iter().map(|flip| flip.challenger_amount).collect::<Vec<_>>()),
        text("champion_reasons", &|flip| flip.champion_reasons.join(";")),
        text("challenger_reasons", &|flip| flip.challenger_reasons.join(";")),
        text("causes", &|flip| flip.causes.join(";")),
        column_of_values("bad", flips.iter().map(|flip| flip.bad).collect::<Vec<_>>()),
    ];
    let table = DataFrame::new(flips.len(), columns).map_err(Failure::message)?;
    let amounts = ["champion_amount", "challenger_amount"].map(str::to_owned);
    table_file::write_table_with_money(table, &amounts, Some(currency), path)
}

/// Writes each table of the backtest as Parquet.
pub(super) fn write_all(summary: &Summary, folder: &Path) -> Result<(), Failure> {
    let wrong = |error: std::io::Error| Failure::Message(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(wrong)?;
    let write = |name: &str, frame: Result<DataFrame, polars::error::PolarsError>| -> Result<(), Failure> {
        let frame = frame.map_err(Failure::message)?;
        files::write_parquet(&frame, &folder.join(name)).map_err(Failure::message)
    };
    write("outcomes.parquet", outcomes_as_table(summary))?;
    write("reasons.parquet", reasons_as_table(summary))?;
    write("segments.parquet", segments_as_table(summary))?;
    write("table_rows.parquet", table_rows(summary))?;
    if summary.swap_set.is_some() {
        write("swap_set.parquet", swap_set(summary))?;
        write("causes.parquet", causes_as_table(summary))?;
    }
    Ok(())
}

fn column_of_values<T, P: ?Sized>(name: &str, values: T) -> Column
where
    T: AsRef<P>,
    Series: NamedFrom<T, P>,
{
    Series::new(name.into(), values).into()
}

/// The columns that every table of groups ends with.
fn group_columns(groups: &[GroupNumbers]) -> Vec<Column> {
    let counts = |name: &str, of: &dyn Fn(&GroupNumbers) -> u64| {
        column_of_values(name, groups.iter().map(|group| of(group) as i64).collect::<Vec<_>>())
    };
    let rates = |name: &str, of: &dyn Fn(&GroupNumbers) -> Option<f64>| {
        column_of_values(name, groups.iter().map(of).collect::<Vec<_>>())
    };
    vec![
        counts("customers", &|group| group.customers),
        rates("share", &|group| group.share),
        column_of_values("amount", groups.iter().map(|group| i64::try_from(group.amount).ok()).collect::<Vec<_>>()),
        counts("known", &|group| group.known),
        counts("bad", &|group| group.bad),
        rates("bad_rate", &|group| group.bad_rate),
        rates("bad_rate_min", &|group| group.bad_rate_bounds.map(|(low, _)| low)),
        rates("bad_rate_max", &|group| group.bad_rate_bounds.map(|(_, high)| high)),
    ]
}

/// A table with some columns of text before those of groups.
fn table_of_group_numbers(
    names: &[&str],
    rows: Vec<(Vec<String>, GroupNumbers)>,
) -> Result<DataFrame, polars::error::PolarsError> {
    let (texts, groups): (Vec<Vec<String>>, Vec<GroupNumbers>) = rows.into_iter().unzip();
    let text = |(at, name): (usize, &&str)| {
        column_of_values(name, texts.iter().map(|row| row[at].clone()).collect::<Vec<_>>())
    };
    let mut columns: Vec<Column> = names.iter().enumerate().map(text).collect();
    columns.extend(group_columns(&groups));
    DataFrame::new(groups.len(), columns)
}

fn outcomes_as_table(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let rows = summary.policies.iter().flat_map(|policy| {
        policy.outcomes.iter().map(|row| (vec![policy.role.clone(), row.outcome.clone()], row.group))
    });
    table_of_group_numbers(&["policy", "outcome"], rows.collect())
}

fn table_rows(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let mut rows = Vec::new();
    for policy in &summary.policies {
        for table in &policy.tables {
            rows.extend(table.rows.iter().map(|row| {
                let conditions = row.conditions.join(" | ");
                (vec![policy.role.clone(), table.table.clone(), row.row.to_string(), conditions], row.group)
            }));
        }
    }
    table_of_group_numbers(&["policy", "table", "row", "conditions"], rows)
}

fn segments_as_table(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let mut rows = Vec::new();
    for segment in &summary.segments {
        for row in &segment.rows {
            rows.extend(
                summary
                    .policies
                    .iter()
                    .zip(&row.offered)
                    .map(|(policy, group)| (vec![policy.role.clone(), segment.by.clone(), row.value.clone()], *group)),
            );
        }
    }
    table_of_group_numbers(&["policy", "by", "value"], rows)
}

fn swap_set(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let cells = summary.swap_set.iter().flat_map(|swap| &swap.cells);
    let rows = cells.map(|cell| (vec![cell.champion.clone(), cell.challenger.clone()], cell.group));
    table_of_group_numbers(&["champion", "challenger"], rows.collect())
}

fn reasons_as_table(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let rows: Vec<_> =
        summary.policies.iter().flat_map(|policy| policy.reasons.iter().map(move |row| (&policy.role, row))).collect();
    let counts = |name: &str, of: &dyn Fn(&crate::portfolio::summary::ReasonRow) -> u64| {
        column_of_values(name, rows.iter().map(|(_, row)| of(row) as i64).collect::<Vec<_>>())
    };
    let columns = vec![
        column_of_values("policy", rows.iter().map(|(role, _)| role.as_str()).collect::<Vec<_>>()),
        column_of_values("reason", rows.iter().map(|(_, row)| row.id.as_str()).collect::<Vec<_>>()),
        counts("any", &|row| row.any),
        counts("first", &|row| row.first),
        counts("only", &|row| row.only),
        counts("unknown", &|row| row.unknown),
    ];
    DataFrame::new(rows.len(), columns)
}

fn causes_as_table(summary: &Summary) -> Result<DataFrame, polars::error::PolarsError> {
    let rows: Vec<_> = summary.swap_set.iter().flat_map(|swap| &swap.causes).collect();
    let counts = |name: &str, of: &dyn Fn(&crate::portfolio::summary::Cause) -> u64| {
        column_of_values(name, rows.iter().map(|row| of(row) as i64).collect::<Vec<_>>())
    };
    let columns = vec![
        column_of_values("part", rows.iter().map(|row| row.part.as_str()).collect::<Vec<_>>()),
        counts("gained", &|row| row.gained),
        counts("lost", &|row| row.lost),
        counts("other", &|row| row.other),
    ];
    DataFrame::new(rows.len(), columns)
}
