//! A table of results: Arrow to any library, and a few rows to look at. Must not know what is in it.

use lendwright::arrow::{self, ArrowTable};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::border;
use crate::errors;

/// An Arrow table.
#[pyclass(frozen, module = "lendwright._engine")]
pub(crate) struct Table(pub(crate) ArrowTable);

#[pymethods]
impl Table {
    /// The table as a stream of the Arrow C interface. A requested schema is not a promise, and is left to the reader.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        border::export(py, &self.0)
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        border::export_schema(py, &self.0)
    }

    fn __len__(&self) -> usize {
        self.0.rows()
    }

    /// The names of the columns.
    fn column_names(&self) -> Vec<String> {
        match &self.0.field.dtype {
            polars_arrow::datatypes::ArrowDataType::Struct(fields) => {
                fields.iter().map(|field| field.name.to_string()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The first rows, as the JSON of a list of objects.
    fn rows_json(&self, py: Python<'_>, most: usize) -> PyResult<String> {
        let rows = self.0.first_rows(most).map_err(|error| errors::work(py, &error))?;
        serde_json::to_string(&rows).map_err(|error| errors::other(py, "internal", &error.to_string()))
    }
}

/// Where the values of a table's columns are in memory once it has crossed the border: for tests that show that nothing
/// was copied.
#[pyfunction]
pub(crate) fn buffer_addresses(table: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Vec<usize>)>> {
    let parts = border::import(table)?;
    Ok(parts.into_iter().flat_map(|part| arrow::buffer_addresses(part.columns)).collect())
}
