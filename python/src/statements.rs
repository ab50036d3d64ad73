//! Statements from files of any format. Must not know what is decided on them.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use lendwright::arrow;
use lendwright::base::date::Zone;
use lendwright::base::money::{AmountUnit, Currency};
use lendwright::files::read_columns;
use lendwright::statement::{self, Columns, Reading};
use pyo3::prelude::*;

use crate::errors;
use crate::policy::Policy;
use crate::source::read_file;
use crate::table::Table;

/// Statements, as a policy of the same reading decides them.
#[pyclass(frozen, module = "lendwright._engine")]
pub(crate) struct Statements {
    pub(crate) statements: Arc<statement::Statements>,
    pub(crate) reading: Reading,
}

#[pymethods]
impl Statements {
    /// The records as a table.
    fn records(&self, py: Python<'_>) -> PyResult<Table> {
        let records = arrow::records_as_table(&self.statements, &self.reading);
        Ok(Table(records.map_err(|error| errors::work(py, &error))?))
    }

    /// How many statements there are.
    fn count(&self) -> usize {
        self.statements.len()
    }

    /// The customers, in order; `None` for a statement that names none.
    fn customers(&self) -> Vec<Option<String>> {
        self.statements.heads().iter().map(|head| head.customer.clone()).collect()
    }

    /// What is odd about the statements, with their customers.
    fn warnings(&self) -> Vec<(Option<String>, String)> {
        let heads = self.statements.heads().iter();
        heads.flat_map(|head| head.quality.warnings.iter().map(|what| (head.customer.clone(), what.clone()))).collect()
    }
}

/// Reads a file.
#[pyfunction]
#[pyo3(signature = (path, *, columns, customer, policy, currency, time_zone, unit))]
#[allow(clippy::too_many_arguments, reason = "Python calls it by names")]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    columns: Option<PathBuf>,
    customer: Option<&str>,
    policy: Option<&Bound<'_, Policy>>,
    currency: &str,
    time_zone: &str,
    unit: &str,
) -> PyResult<Statements> {
    let reading = match policy {
        Some(policy) => policy.get().reading(),
        None => reading(py, currency, time_zone, unit)?,
    };
    let columns = match (columns_file(py, columns)?, customer.map(|name| known_customer(py, name)).transpose()?) {
        (columns, Some(customer)) => Some(columns.unwrap_or_default().with_customer(customer)),
        (columns, None) => columns,
    };
    let statements = read_file(py, path, reading.clone(), columns)?;
    Ok(Statements { statements: Arc::new(statements), reading })
}

/// The letters that are cut from both ends of a customer's name, so that two spellings are one customer.
#[pyfunction]
pub(crate) fn letters_cut_from_names() -> String {
    statement::letters_cut_from_names()
}

/// The name of a customer.
fn known_customer<'n>(py: Python<'_>, name: &'n str) -> PyResult<Cow<'n, str>> {
    let what = "customer: it is blank, what programs write for a missing value, or a number that one rewrote";
    statement::customer_name(name).ok_or_else(|| errors::statement(py, "customer", None, what))
}

/// The text of a columns file, or of the one that ships under this name.
#[pyfunction]
pub(crate) fn columns_text(py: Python<'_>, path: PathBuf) -> PyResult<String> {
    let name = path.to_str().filter(|_| !path.exists());
    if let Some(text) = name.and_then(lendwright::cli::shipped_columns) {
        return Ok(text.to_owned());
    }
    // Checked here: a mistake in it has the name of the file.
    read_columns(&path).map_err(|error| errors::file(py, &error))?;
    std::fs::read_to_string(&path).map_err(|error| errors::statement(py, "io", None, &error.to_string()))
}

/// Reads a columns file, or the one that ships under this name.
pub(crate) fn columns_file(py: Python<'_>, path: Option<PathBuf>) -> PyResult<Option<Columns>> {
    path.map(|path| columns_of_text(py, &columns_text(py, path)?)).transpose()
}

/// Reads the text of a columns file.
pub(crate) fn columns_of_text(py: Python<'_>, text: &str) -> PyResult<Columns> {
    Columns::parse(text).map_err(|error| errors::statement(py, "columns", None, &error.to_string()))
}

fn reading(py: Python<'_>, currency: &str, time_zone: &str, unit: &str) -> PyResult<Reading> {
    let wrong = |what: String| errors::statement(py, "reading", None, &what);
    let known = Currency::from_numeric(currency).or_else(|| Currency::from_alphabetic(currency));
    let known =
        known.ok_or_else(|| wrong(format!("`{currency}` is no currency; write an ISO 4217 code such as NGN")))?;
    let zone = Zone::parse(time_zone);
    let zone = zone.ok_or_else(|| wrong(format!("`{time_zone}` is no time zone; write one such as Africa/Lagos")))?;
    let unit = match unit {
        "major" => AmountUnit::Major,
        "minor" => AmountUnit::Minor,
        other => return Err(wrong(format!("`{other}` is no unit of amounts; write `major` or `minor`"))),
    };
    Ok(Reading { unit, ..Reading::new(known, zone) })
}
