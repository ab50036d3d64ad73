//! Tables about customers: outcomes, and attributes that no rule can read. Counts nothing.

use std::collections::HashMap;
use std::path::Path;

use polars::prelude::{Column, DataFrame};
use serde_json::Value;

use super::super::column_table::read_column_table;
use super::super::output::{Failure, print_stderr_remark};
use super::column_names::ColumnNames;
use crate::base::diagnostic::nearest_candidate;
use crate::base::money::AmountUnit;
use crate::base::text::escape_terminal;
use crate::portfolio::outcome_weights::read_outcome_weights;
use crate::portfolio::{ColumnTable, LoanOutcome, Outcomes};
use crate::rules::Policy;
use crate::statement::customer_of;

/// Outcomes beside the customers of a portfolio.
pub(super) struct OutcomesFound {
    /// The outcome of each customer.
    pub rows: Vec<Option<LoanOutcome>>,
    /// How many outcomes belong to nobody in the portfolio.
    unmet: usize,
    all: usize,
}

impl OutcomesFound {
    /// What a reader must know.
    pub(super) fn warning(&self) -> Option<String> {
        (self.unmet > 0).then(|| {
            format!("{} of {} outcomes belong to customers that the portfolio does not have", self.unmet, self.all)
        })
    }
}

/// Reads outcomes.
pub(super) fn read_outcome_table(
    path: Option<&Path>,
    names: ColumnNames,
    policy: &Policy,
    customers: &[String],
    numbers: AmountUnit,
) -> Result<Option<OutcomesFound>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let table = read_named_outcomes(path, names)?;
    let currency = &policy.header().currency;
    let outcomes = Outcomes::from_table(&table, currency, numbers).map_err(|error| wrong(error.to_string()))?;
    let rows = outcomes.for_customers(customers);
    let met = rows.iter().flatten().count();
    refuse_of_nobody(outcomes.count(), met).map_err(wrong)?;
    Ok(Some(OutcomesFound { rows, unmet: outcomes.count() - met, all: outcomes.count() }))
}

/// Reads outcomes without their amounts, whoever the customers are.
pub(in crate::cli) fn read_outcomes_without_amounts(
    path: &Path,
    customer: &str,
    bad: &str,
) -> Result<Outcomes, Failure> {
    let table = read_named_outcomes(path, ColumnNames { customer, bad, loan: None, tables: [None; 4] })?;
    Outcomes::without_amounts(&table).map_err(|error| Failure::Message(format!("{}: {error}", path.display())))
}

/// The table with the names that are read; says what a reader must know.
fn read_named_outcomes(path: &Path, names: ColumnNames) -> Result<ColumnTable, Failure> {
    let is_wanted = |name: &str| {
        COLUMNS.contains(&name) || name == names.customer || names.may_be_outcome(name) || Some(name) == names.loan
    };
    let named = names.name_outcome(read_column_table(path, &is_wanted)?, path);
    let named = named.map_err(|what| Failure::Message(format!("{}: {what}", path.display())))?;
    if let Some(remark) = named.remark {
        print_stderr_remark(format!("note: {}: {remark}\n", path.display()));
    }
    Ok(named.table)
}

/// Reads the weights of outcomes: of each of these customers, `None` without an outcome.
pub(super) fn read_weights(
    path: &Path,
    names: ColumnNames,
    column: &str,
    customers: &[String],
) -> Result<Vec<Option<f64>>, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let table = read_column_table(path, &|_| true)?;
    if !table.iter().any(|(name, _)| name == column) {
        let near = nearest_candidate(column, table.iter().map(|(known, _)| known.as_str()));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{}`?", escape_terminal(near)));
        return Err(wrong(format!("--weight-column: it lacks the column `{}`{near}", escape_terminal(column))));
    }
    let weights = read_outcome_weights(&names.name_outcome(table, path).map_err(wrong)?.table, column);
    let weights = weights.map_err(|what| wrong(format!("--weight-column: {what}")))?;
    Ok(customers.iter().map(|customer| weights.get(customer).copied()).collect())
}

/// Reads attributes: a column of text for each, with the value of each of these customers.
pub(super) fn read_attribute_table(
    path: &Path,
    names: ColumnNames,
    customers: &[String],
) -> Result<DataFrame, Failure> {
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let table = names.name_customer(read_column_table(path, &|_| true)?, path).map_err(wrong)?;
    let names = table.iter().find(|(name, _)| name == "customer").map(|(_, values)| values);
    let names = names.ok_or_else(|| wrong("there is no column `customer`".to_owned()))?;
    let text = |value: &Value| match value {
        Value::Null => None,
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.trim().to_owned()),
        other => Some(other.to_string()),
    };
    let mut rows: HashMap<String, usize> = HashMap::with_capacity(names.len());
    for (row, name) in names.iter().enumerate() {
        let name = customer_of(name).map_err(|what| wrong(format!("row {}: {what}", row + 1)))?;
        if rows.insert(name, row).is_some() {
            return Err(wrong(format!("row {}: its customer is in an earlier row too", row + 1)));
        }
    }
    let of_customers: Vec<Option<usize>> = customers.iter().map(|customer| rows.get(customer).copied()).collect();
    refuse_of_nobody(rows.len(), of_customers.iter().flatten().count()).map_err(wrong)?;
    let columns = table.iter().filter(|(name, _)| name != "customer").map(|(name, values)| {
        let value = |row: &Option<usize>| row.and_then(|row| text(&values[row]));
        Column::new(name.as_str().into(), of_customers.iter().map(value).collect::<Vec<_>>())
    });
    DataFrame::new(customers.len(), columns.collect()).map_err(Failure::message)
}

/// A table with nobody of the portfolio is the wrong table, or names customers in another way.
pub(super) fn refuse_of_nobody(rows: usize, met: usize) -> Result<(), String> {
    match (rows, met) {
        (0, _) => Err("it has no rows".to_owned()),
        (_, 0) => Err("none of its customers is in the portfolio; are they named the same way?".to_owned()),
        _ => Ok(()),
    }
}

/// The columns that outcomes may have.
const COLUMNS: [&str; 6] = ["customer", "bad", "loan_date", "bad_date", "observed_until", "amount"];
