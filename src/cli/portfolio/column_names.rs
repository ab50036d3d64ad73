//! What the lender calls the columns of tables: those of the customer, the loan and the outcome. Counts nothing.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use serde_json::Value;

use super::super::column_table::read_column_table;
use super::super::output::print_stderr_remark;
use crate::base::diagnostic::nearest_candidate;
use crate::base::text::escape_terminal;
use crate::portfolio::{ColumnTable, is_unknown_cell, read_outcome_truth};
use crate::statement::customer_of;

/// What columns are called in the tables of a command.
#[derive(Clone, Copy)]
pub(super) struct ColumnNames<'a> {
    pub customer: &'a str,
    /// The column of outcomes, or with `=` the column and the value that means bad.
    pub bad: &'a str,
    /// The column that names the loan of each row, if rows are loans.
    pub loan: Option<&'a str>,
    /// The tables of the command.
    pub tables: [Option<&'a Path>; 4],
}

/// A table of outcomes with the names that are read.
pub(super) struct NamedOutcomes {
    pub table: ColumnTable,
    /// What a reader must know.
    pub remark: Option<String>,
}

impl ColumnNames<'_> {
    /// Renames the column that names the customer of each row to `customer`; the loan, if rows are loans. A table
    /// without the column of the customer may have `customer` in its place, if the column is in another table.
    pub(super) fn name_customer(&self, mut table: ColumnTable, path: &Path) -> Result<ColumnTable, String> {
        if let Some(loan) = self.loan {
            table.retain(|(known, _)| known != self.customer);
            return rename_column(table, loan, "customer", "--loan-column");
        }
        if !has_column(&table, self.customer) && has_column(&table, "customer") && self.is_in_another_table(path) {
            let (shown, named) = (path.display(), escape_terminal(self.customer));
            print_stderr_remark(format!(
                "note: {shown}: it lacks the column `{named}`, so `customer` names the customer\n"
            ));
            return Ok(table);
        }
        rename_column(table, self.customer, "customer", "--customer-column")
    }

    fn is_in_another_table(&self, path: &Path) -> bool {
        let mut others = self.tables.into_iter().flatten().filter(|other| *other != path);
        others.any(|other| read_column_table(other, &|name| name == self.customer).is_ok_and(|found| !found.is_empty()))
    }

    /// The customer of each loan. `None` if rows are customers.
    ///
    /// # Errors
    /// If a loan has no name or no customer.
    pub(super) fn name_borrowers(&self, table: &ColumnTable) -> Result<Option<HashMap<String, String>>, String> {
        let Some(loan) = self.loan else { return Ok(None) };
        if loan == self.customer {
            return Err("--loan-column and --customer-column name one column; a loan and its customer are two".into());
        }
        let column = |name: &str, option: &str| {
            let found = table.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice());
            found.ok_or_else(|| format!("it lacks the column `{}`; name it with {option}", escape_terminal(name)))
        };
        let (loans, customers) = (column(loan, "--loan-column")?, column(self.customer, "--customer-column")?);
        let one = |(row, (loan, customer)): (usize, (&Value, &Value))| -> Result<(String, String), String> {
            let name = |value: &Value| customer_of(value).map_err(|what| format!("row {}: {what}", row + 1));
            Ok((name(loan)?, name(customer)?))
        };
        loans.iter().zip(customers).enumerate().map(one).collect::<Result<_, _>>().map(Some)
    }

    /// Whether a column may say what became of a loan.
    pub(super) fn may_be_outcome(&self, name: &str) -> bool {
        name == self.bad || self.outcome_value().is_some_and(|(column, _)| column == name)
    }

    /// The column, and the value in it that means bad.
    fn outcome_value(&self) -> Option<(&str, &str)> {
        self.bad.split_once('=').map(|(column, value)| (column.trim(), value.trim()))
    }

    /// Renames the columns of outcomes to `customer` and `bad`, and makes truth values of the latter.
    pub(super) fn name_outcome(&self, table: ColumnTable, path: &Path) -> Result<NamedOutcomes, String> {
        let named = self.name_customer(table, path)?;
        let (column, value) = match self.outcome_value().filter(|_| !has_column(&named, self.bad)) {
            Some((column, value)) => (column, Some(value)),
            None => (self.bad, None),
        };
        if column == "bad" && !has_column(&named, "bad") {
            return Err(format!(
                "it lacks the column `bad`; name the column that says whether a loan went bad, as in `--bad-column \
                 defaulted`, or `--bad-column {EXAMPLE}` where it has other values than 0 and 1"
            ));
        }
        let mut table = rename_column(named, column, "bad", "--bad-column")?;
        let mut remark = None;
        for (_, cells) in table.iter_mut().filter(|(known, _)| known == "bad") {
            match value {
                Some(value) => remark = read_bad_value(cells, column, value)?,
                None => read_truths(cells, column)?,
            }
        }
        Ok(NamedOutcomes { table, remark })
    }
}

/// How a value that means bad is named.
const EXAMPLE: &str = "status=default";

/// Makes truth values of 0 and 1 and their kin.
fn read_truths(cells: &mut [Value], column: &str) -> Result<(), String> {
    for (row, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| !is_unknown_cell(cell)) {
        let bad = read_outcome_truth(cell).ok_or_else(|| {
            let column = escape_terminal(column);
            format!(
                "row {}: the column `{column}` is neither 0 nor 1, true nor false, yes nor no; name its value that \
                 means bad, as in `--bad-column {EXAMPLE}`, and leave it empty without an outcome",
                row + 1
            )
        })?;
        *cell = Value::Bool(bad);
    }
    Ok(())
}

/// Makes truth values by the value that means bad. Says how many others count as good, if they are of several kinds.
fn read_bad_value(cells: &mut [Value], column: &str, value: &str) -> Result<Option<String>, String> {
    let known = || cells.iter().filter(|cell| !is_unknown_cell(cell));
    let (column, shown) = (escape_terminal(column), escape_terminal(value));
    let wrong = |what: &str| Err(format!("--bad-column {column}={shown}: {what}"));
    if !known().any(|cell| means_bad(cell, value)) {
        return wrong(&format!("no row of the column `{column}` has this value"));
    }
    let goods = || known().filter(|cell| !means_bad(cell, value));
    let is_near = |cell: &Value| cell.as_str().is_some_and(|text| text.trim().to_lowercase() == value.to_lowercase());
    if goods().any(is_near) {
        return wrong("the column has this value also with other capitals; write it one way");
    }
    let others: BTreeSet<String> = goods().map(Value::to_string).collect();
    let remark = (others.len() > 1).then(|| {
        format!(
            "{} rows with {} other values of `{column}` than `{shown}` count as good; leave it empty where the outcome \
             is not known",
            goods().count(),
            others.len()
        )
    });
    for cell in cells.iter_mut() {
        *cell = if is_unknown_cell(cell) { Value::Null } else { Value::Bool(means_bad(cell, value)) };
    }
    Ok(remark)
}

fn means_bad(cell: &Value, value: &str) -> bool {
    match cell {
        Value::String(text) => text.trim() == value,
        Value::Number(number) => {
            number.as_f64().zip(value.parse::<f64>().ok()).is_some_and(|(cell, value)| cell == value)
        }
        Value::Bool(truth) => read_outcome_truth(&Value::from(value)) == Some(*truth),
        _ => false,
    }
}

fn has_column(table: &ColumnTable, name: &str) -> bool {
    table.iter().any(|(known, _)| known == name)
}

/// Renames a column. Another column with the new name is not read: the option says which one counts.
fn rename_column(mut table: ColumnTable, own: &str, name: &str, option: &str) -> Result<ColumnTable, String> {
    if own == name {
        return Ok(table);
    }
    if !has_column(&table, own) {
        let near = nearest_candidate(own, table.iter().map(|(known, _)| known.as_str()));
        let near = near.map_or(String::new(), |near| format!("; did you mean `{}`?", escape_terminal(near)));
        return Err(format!(
            "{option} names the column `{}`, which the table does not have{near}",
            escape_terminal(own)
        ));
    }
    table.retain(|(known, _)| known != name);
    for (known, _) in table.iter_mut().filter(|(known, _)| known == own) {
        *known = name.to_owned();
    }
    Ok(table)
}
