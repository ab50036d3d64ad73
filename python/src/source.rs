//! What Python gives to be decided: an Arrow table, statements that were read, or the path of a file. Must not know
//! what is decided.

use std::path::PathBuf;
use std::sync::Arc;

use lendwright::arrow::{CustomerStream, Error, Results, TableRequest, decide_statements, read_tables};
use lendwright::files::read_statements;
use lendwright::statement::{self, Columns, Reading};
use pyo3::prelude::*;

use crate::border::{self, Part};
use crate::errors;
use crate::statements::Statements;
use crate::work::{self, How};

/// Where records come from.
#[derive(Clone)]
pub(crate) enum Source {
    Tables(Vec<Part>),
    Statements(Arc<statement::Statements>),
}

impl Source {
    /// What `given` is. A file is read as the policy reads statements.
    pub(crate) fn from_python(
        given: &Bound<'_, PyAny>,
        reading: &Reading,
        columns: Option<&Columns>,
    ) -> PyResult<Source> {
        let py = given.py();
        if let Ok(statements) = given.cast::<Statements>() {
            return Ok(Source::Statements(Arc::clone(&statements.get().statements)));
        }
        if let Ok(inner) = given.getattr("_statements") {
            return Source::from_python(&inner, reading, columns);
        }
        if given.is_instance_of::<pyo3::types::PyString>() || given.hasattr("__fspath__")? {
            let path: PathBuf = given.extract()?;
            let statements = read_file(py, path, reading.clone(), columns.cloned())?;
            return Ok(Source::Statements(Arc::new(statements)));
        }
        border::import(given).map(Source::Tables)
    }

    /// The statements themselves, or those of a customer.
    pub(crate) fn statements(
        self,
        reading: &Reading,
        columns: Columns,
        customer: Option<&str>,
    ) -> Result<Arc<statement::Statements>, Error> {
        let statements = match self {
            Source::Statements(statements) => {
                statements.check_reading(reading)?;
                statements
            }
            Source::Tables(parts) => {
                let tables = parts.into_iter().map(|part| (part.columns, part.rows)).collect();
                Arc::new(read_tables(tables, columns, customer, reading)?)
            }
        };
        let Some(customer) = customer else { return Ok(statements) };
        let own = statements.of_customer(customer)?;
        match own.is_empty() {
            true => Err(Error::NoCustomer(customer.to_owned())),
            false => Ok(Arc::new(own)),
        }
    }

    fn rows(&self) -> u64 {
        match self {
            Source::Tables(parts) => parts.iter().map(|part| part.rows as u64).sum(),
            Source::Statements(statements) => statements.frame().height() as u64,
        }
    }

    /// Finds what is asked, in parts that come in the order of customers.
    pub(crate) fn find(
        self,
        py: Python<'_>,
        asked: TableRequest,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Results>> {
        let how = How { threads, progress, rows: self.rows() };
        work::run(py, &how, move |watcher| match self {
            Source::Statements(statements) => Ok(vec![decide_statements(&asked, &statements)?]),
            Source::Tables(parts) => {
                let mut found = vec![Results::empty(&asked)?];
                // The table is in memory already: it is looked at as a whole before anything is decided.
                let mut stream = CustomerStream::new(asked, u64::MAX, None)?;
                for Part { columns, rows } in parts {
                    found.extend(stream.push(columns, rows, &mut |rows| watcher.count(rows))?);
                }
                let mut take = |results| -> Result<(), Error> {
                    found.push(results);
                    Ok(())
                };
                stream.finish(&mut |rows| watcher.count(rows), &mut take)?;
                Ok(found)
            }
        })
    }
}

/// Reads the statements of a file.
pub(crate) fn read_file(
    py: Python<'_>,
    path: PathBuf,
    reading: Reading,
    columns: Option<Columns>,
) -> PyResult<statement::Statements> {
    let read = work::run(py, &How::default(), move |_| Ok(read_statements(&path, &reading, columns.as_ref())))?;
    read.map_err(|error| errors::file(py, &error))
}
