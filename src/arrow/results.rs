//! What was found, as Arrow tables.

use polars::prelude::{AnyValue, Column, CompatLevel, DataFrame, DataType, Scalar};
use polars_arrow::array::{Array, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field};

use super::error::Error;
use super::request::{TableRequest, Wanted};
use crate::base::digest::Digest;
use crate::engine::decision::decide_each::decide_each;
use crate::engine::decision::{Decision, Verdicts, verdicts};
use crate::engine::metrics;
use crate::rules::{Policies, Policy, PolicySet};
use crate::run::batch::output::result_frame::frame_of_result_rows;
use crate::run::batch::output::result_rows::{
    ColumnType, ResultColumn, RowFormat, list_result_columns, result_rows_of_decision,
};
use crate::run::batch::{FailedStatement, OutputTable};
use crate::statement::{Statements, Tables, statements_of};

/// What was found about some customers.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Results {
    /// The tables, in the order in which they are wanted.
    pub tables: Vec<DataFrame>,
    /// The customers that could not be decided, unless they are rows of the first table.
    pub failures: Vec<FailedStatement>,
    /// The customers of a decided unit, in order.
    pub(crate) customers: Vec<String>,
    /// How many rows of input it was made of.
    pub rows: u64,
}

/// The column with the line of JSON of a decision, and the two last columns where failures are rows.
const DECISION: &str = "decision";
const POLICY_DIGEST: &str = "policy_digest";
const FAILURE: &str = "failure";

/// An Arrow table: what its rows are, and the rows in parts.
#[derive(Clone, Debug)]
pub struct ArrowTable {
    /// A struct with a field for each column.
    pub field: Field,
    /// Arrays of such structs.
    pub parts: Vec<Box<dyn Array>>,
}

/// The table as Arrow, with text in the form that every reader knows.
///
/// # Errors
/// Only if Polars refuses its own columns.
pub fn arrow_table(tables: &[DataFrame]) -> Result<ArrowTable, Error> {
    let first = tables.first().ok_or(Error::Internal("a table without even an empty part"))?;
    let fields: Vec<Field> = first
        .schema()
        .iter()
        .map(|(name, data_type)| data_type.to_arrow_field(name.clone(), CompatLevel::oldest()))
        .collect();
    let data_type = ArrowDataType::Struct(fields);
    let mut parts = Vec::new();
    for table in tables.iter().filter(|table| table.height() > 0) {
        let arrays: Vec<Box<dyn Array>> = table
            .columns()
            .iter()
            .map(|column| column.as_materialized_series().rechunk().to_arrow(0, CompatLevel::oldest()))
            .collect();
        parts.push(StructArray::try_new(data_type.clone(), table.height(), arrays, None)?.boxed());
    }
    Ok(ArrowTable { field: Field::new("".into(), data_type, false), parts })
}

/// The names and types of the columns of the first table.
///
/// # Errors
/// If an asked flag is unknown, or versions of the policy give one metric different types.
pub fn result_columns(asked: &TableRequest) -> Result<Vec<(String, DataType)>, Error> {
    let table = Results::empty(asked)?.tables.into_iter().next().unwrap_or_default();
    Ok(table.schema().iter().map(|(name, data_type)| (name.to_string(), data_type.clone())).collect())
}

/// The digest of a policy, or of all its versions and challengers if there are several.
pub fn policies_digest(policies: &Policies) -> Digest {
    let digests: Vec<Digest> = policies.policies().into_iter().map(Policy::digest).collect();
    match digests.as_slice() {
        [only] => *only,
        several => Digest::compute(&several.iter().flat_map(|digest| *digest.as_bytes()).collect::<Vec<u8>>()),
    }
}

/// The columns of a table of decisions.
fn decision_columns(asked: &TableRequest, table: OutputTable, json: bool) -> Result<Vec<ResultColumn>, Error> {
    let mut columns = list_result_columns(table, &asked.policies, RowFormat::Lists)?;
    if json && table == OutputTable::Decisions {
        columns.push(ResultColumn::own(DECISION, ColumnType::Text));
    }
    Ok(columns)
}

impl Results {
    /// Tables without rows.
    ///
    /// # Errors
    /// As [`result_columns`].
    pub fn empty(asked: &TableRequest) -> Result<Results, Error> {
        Results { tables: Results::empty_tables(asked)?, ..Results::default() }.with_failures(asked)
    }

    pub(crate) fn empty_tables(asked: &TableRequest) -> Result<Vec<DataFrame>, Error> {
        Ok(match &asked.wanted {
            Wanted::Decisions { tables, json } => decision_tables(asked, tables, *json, &[])?,
            Wanted::Metrics => vec![metrics::table(asked.policies.as_ref(), &no_statements(asked)?, None)?],
            Wanted::Records(wanted) => vec![Verdicts::of_no_records(asked.policies.as_ref(), wanted)?.table()?],
        })
    }

    /// What is found in these statements.
    pub(crate) fn from_statements(asked: &TableRequest, statements: &Statements) -> Result<Results, Error> {
        let policies = asked.policies.as_ref();
        let tables = match &asked.wanted {
            Wanted::Decisions { tables, json } => {
                let request = |head: &crate::statement::Head| asked.requests.for_customer(head.customer.as_deref());
                let decisions = decide_each(policies, statements, &request)?;
                decision_tables(asked, tables, *json, &decisions)?
            }
            Wanted::Metrics => vec![metrics::table(policies, statements, asked.requests.as_of())?],
            Wanted::Records(wanted) => vec![verdicts(policies, statements, wanted)?.table()?],
        };
        Ok(Results { tables, ..Results::default() })
    }

    /// The same, with the failures as rows if that is asked.
    pub(crate) fn with_failures(mut self, asked: &TableRequest) -> Result<Results, Error> {
        if !asked.failures_are_rows {
            return Ok(self);
        }
        let Some(table) = self.tables.first_mut() else { return Ok(self) };
        let digest = policies_digest(&asked.policies).to_string();
        let failures = std::mem::take(&mut self.failures);
        let mut failed = failed_rows(table, &failures)?;
        if table.column(POLICY_DIGEST).is_err() {
            table.with_column(same_text(POLICY_DIGEST, Some(&digest), table.height()))?;
        }
        table.with_column(same_text(FAILURE, None, table.height()))?;
        failed.with_column(same_text(POLICY_DIGEST, Some(&digest), failures.len()))?;
        let what = |failure: &FailedStatement| match &failure.place {
            Some(place) => format!("{place}: {}", failure.what),
            None => failure.what.clone(),
        };
        failed.with_column(Column::new(FAILURE.into(), failures.iter().map(what).collect::<Vec<_>>()))?;
        table.vstack_mut(&failed)?;
        Ok(self)
    }
}

/// Rows that name customers and are otherwise null.
fn failed_rows(like: &DataFrame, failures: &[FailedStatement]) -> Result<DataFrame, Error> {
    let columns = like.columns().iter().map(|column| match column.name().as_str() {
        "customer" => {
            let customers: Vec<Option<&str>> = failures.iter().map(|failure| failure.customer.as_deref()).collect();
            Column::new("customer".into(), customers)
        }
        "statement" => {
            let sources: Vec<&str> = failures.iter().map(|failure| failure.source.as_str()).collect();
            Column::new("statement".into(), sources)
        }
        _ => Column::full_null(column.name().clone(), failures.len(), column.dtype()),
    });
    Ok(DataFrame::new(failures.len(), columns.collect())?)
}

fn no_statements(asked: &TableRequest) -> Result<Statements, Error> {
    let tables = Tables { tables: &[], columns: &asked.columns, reading: &asked.reading, name_tables: false };
    Ok(statements_of([], &tables, |_| String::new())?)
}

fn same_text(name: &str, text: Option<&str>, rows: usize) -> Column {
    let value = text.map_or(AnyValue::Null, |text| AnyValue::StringOwned(text.into()));
    Column::new_scalar(name.into(), Scalar::new(DataType::String, value), rows)
}

fn decision_tables(
    asked: &TableRequest,
    tables: &[OutputTable],
    json: bool,
    decisions: &[Decision],
) -> Result<Vec<DataFrame>, Error> {
    let mut found = Vec::with_capacity(tables.len());
    for table in tables {
        let columns = decision_columns(asked, *table, json)?;
        let mut cells = Vec::new();
        for decision in decisions {
            let mut of_decision = result_rows_of_decision(*table, &columns, decision);
            if json && *table == OutputTable::Decisions {
                of_decision.iter_mut().for_each(|row| row.push(decision.to_line().into()));
            }
            cells.append(&mut of_decision);
        }
        found.push(frame_of_result_rows(&columns, &cells)?);
    }
    Ok(found)
}
