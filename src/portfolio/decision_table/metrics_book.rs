//! The metrics of decisions that were made as a table of metrics, from which other policies are judged without the
//! statements. A column has one formula: what policies computed in different ways is left out, and said.

use std::collections::BTreeMap;
use std::path::Path;

use polars::prelude::{Column, DataFrame, DataType};
use serde_json::Value;

use super::policy_columns::{ColumnKind, MetricColumn, PolicyColumns};
use crate::base::date::Day;
use crate::portfolio::metrics_table::{Book, BookError, BookNote, BookPlan, PlannedColumn};
use crate::rules::node_keys::NodeKey;

/// A row of the table: one decision.
#[derive(Clone, Debug)]
pub struct MetricsRow {
    /// What the table calls it; no two rows have the same.
    pub id: String,
    pub as_of: Day,
    /// The metrics as the decision has them.
    pub metrics: BTreeMap<String, Value>,
}

/// Rows by the policies that made them.
#[derive(Debug, Default)]
pub struct MetricsRows {
    rows: Vec<MetricsRow>,
    /// The metrics of every policy so far that all of them compute alike.
    columns: BTreeMap<String, MetricColumn>,
    /// Metrics that some policy lacks, or computes in another way.
    left_out: Vec<String>,
    has_policy: bool,
}

impl MetricsRows {
    /// Takes a policy by which rows were decided.
    pub fn add_policy(&mut self, policy: &PolicyColumns) {
        if !std::mem::replace(&mut self.has_policy, true) {
            self.columns.clone_from(&policy.metrics);
            return;
        }
        let is_alike = |name: &String, column: &MetricColumn| policy.metrics.get(name) == Some(column);
        let (kept, left): (BTreeMap<_, _>, BTreeMap<_, _>) =
            std::mem::take(&mut self.columns).into_iter().partition(|(name, column)| is_alike(name, column));
        self.columns = kept;
        let others = policy.metrics.keys().filter(|name| !self.columns.contains_key(*name));
        self.left_out.extend(left.into_keys().chain(others.cloned()));
        self.left_out.sort();
        self.left_out.dedup();
    }

    /// Takes a row.
    pub fn push(&mut self, row: MetricsRow) {
        self.rows.push(row);
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The metrics that are left out.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Writes the table.
    ///
    /// # Errors
    /// If the file cannot be written, or a decision's metric is not what its policy says.
    pub fn write(&self, source: &str, path: &Path) -> Result<(), BookError> {
        let wrong = |what: String| BookError::Content { path: path.to_owned(), what };
        let texts = |text: fn(&MetricsRow) -> &str| self.rows.iter().map(text).collect::<Vec<_>>();
        let days: Vec<i32> = self.rows.iter().map(|row| row.as_of.days()).collect();
        let days = Column::new("as_of".into(), days).cast(&DataType::Date);
        let mut columns = vec![
            Column::new("customer".into(), texts(|row| &row.id)),
            Column::new("statement".into(), texts(|row| &row.id)),
            days.map_err(|error| wrong(error.to_string()))?,
        ];
        let mut planned = Vec::new();
        for (name, column) in &self.columns {
            let key = NodeKey::from_text(&column.key);
            let key = key.ok_or_else(|| wrong(format!("the key of the metric `{name}` cannot be read")))?;
            columns.push(self.column(name, column.kind).map_err(wrong)?);
            planned.push(PlannedColumn { name: name.clone(), key, before: None, is_metric: true });
        }
        let frame = DataFrame::new(self.rows.len(), columns).map_err(|error| wrong(error.to_string()))?;
        let inputs = vec![(source.to_owned(), String::new())];
        let note = BookNote { days_are_given: true, ..BookNote::new(None, inputs) };
        Book::write(&frame, &BookPlan::of_columns(planned), &note, path)
    }

    fn column(&self, name: &str, kind: ColumnKind) -> Result<Column, String> {
        let wrong = || format!("a decision's metric `{name}` is not what its policy says");
        fn each<'r, T>(
            rows: &'r [MetricsRow],
            name: &str,
            read: impl Fn(&'r Value) -> Option<T>,
        ) -> Option<Vec<Option<T>>> {
            let value = |row: &'r MetricsRow| match row.metrics.get(name) {
                None | Some(Value::Null) => Some(None),
                Some(value) => read(value).map(Some),
            };
            rows.iter().map(value).collect()
        }
        let (rows, label) = (&self.rows[..], name.into());
        Ok(match kind {
            ColumnKind::Integer => Column::new(label, each(rows, name, Value::as_i64).ok_or_else(wrong)?),
            ColumnKind::Float => Column::new(label, each(rows, name, Value::as_f64).ok_or_else(wrong)?),
            ColumnKind::Boolean => Column::new(label, each(rows, name, Value::as_bool).ok_or_else(wrong)?),
            ColumnKind::Date => {
                let day = |value: &Value| value.as_str().and_then(Day::parse_iso).map(|day| day.days());
                let days = Column::new(label, each(rows, name, day).ok_or_else(wrong)?);
                days.cast(&DataType::Date).map_err(|error| error.to_string())?
            }
            ColumnKind::Text => {
                let text = |value: &Value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Array(_) => Some(value.to_string()),
                    _ => None,
                };
                Column::new(label, each(rows, name, text).ok_or_else(wrong)?)
            }
        })
    }
}
