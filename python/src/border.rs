//! Arrow tables across the border to Python, by the C interface and without a copy. All that is unsafe in the package
//! is here: the other side must keep to the interface, as every reader of it relies on. Texts are checked to be UTF-8
//! before they are read as such.

use std::panic::{AssertUnwindSafe, catch_unwind};

use lendwright::arrow_tables::ArrowTable;
use polars_arrow::array::{Array, StructArray, Utf8ViewArray};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::errors;

const STREAM: &std::ffi::CStr = c"arrow_array_stream";
const SCHEMA: &std::ffi::CStr = c"arrow_schema";
const ARRAY: &std::ffi::CStr = c"arrow_array";

/// A part of a table: its columns by name, and how many rows it has.
pub(crate) struct Part {
    pub(crate) columns: Vec<(String, Box<dyn Array>)>,
    pub(crate) rows: usize,
}

/// The parts of a table that Python gave; at least one, which may be empty.
pub(crate) fn import(table: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    if table.hasattr("__arrow_c_stream__")? {
        return import_stream(&table.call_method0("__arrow_c_stream__")?);
    }
    if table.hasattr("__arrow_c_array__")? {
        return import_array(&table.call_method0("__arrow_c_array__")?);
    }
    let name = table.get_type().qualname()?;
    let advice = match name.to_str()? {
        "LazyFrame" => "collect it first: `frame.collect()`",
        "Series" | "dict" | "list" => "make a DataFrame of it first, such as `polars.DataFrame(...)`",
        "DataFrame" => {
            "this version of its library cannot hand over Arrow tables: use pandas 2.2 or later, with pyarrow"
        }
        _ => {
            "give a polars or pandas DataFrame, a pyarrow Table, a duckdb relation, or anything else with \
              `__arrow_c_stream__`"
        }
    };
    Err(PyTypeError::new_err(format!("`{name}` is not an Arrow table; {advice}")))
}

fn import_stream(capsule: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let stream = Box::new(take::<ffi::ArrowArrayStream>(capsule, STREAM, ffi::ArrowArrayStream::empty())?);
    // SAFETY: the capsule's name says that it holds a stream of the C interface, and it was moved out of it.
    let mut reader = guarded(|| unsafe { ffi::ArrowArrayStreamReader::try_new(stream) })?;
    let field = reader.field().clone();
    let mut parts = Vec::new();
    // SAFETY: as above; the producer's arrays are of its own schema.
    while let Some(array) = guarded(|| unsafe { reader.next() }.transpose())? {
        parts.push(part(array)?);
    }
    if parts.is_empty() {
        let fields = fields(&field)?;
        let columns = fields.iter().map(|field| {
            let empty = polars_arrow::array::new_empty_array(field.dtype.clone());
            (field.name.to_string(), distrust(empty))
        });
        parts.push(Part { columns: columns.collect(), rows: 0 });
    }
    Ok(parts)
}

fn import_array(pair: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let pair = pair.cast::<PyTuple>()?;
    let schema = take::<ffi::ArrowSchema>(&pair.get_item(0)?, SCHEMA, ffi::ArrowSchema::empty())?;
    let array = take::<ffi::ArrowArray>(&pair.get_item(1)?, ARRAY, ffi::ArrowArray::empty())?;
    // SAFETY: the names of the capsules say that they hold a schema and an array of it, and both were moved out.
    let array = guarded(|| {
        let field = unsafe { ffi::import_field_from_c(&schema) }?;
        unsafe { ffi::import_array_from_c(array, field.dtype) }
    })?;
    Ok(vec![part(array)?])
}

/// Moves a value out of its capsule, which keeps an empty one.
fn take<T>(capsule: &Bound<'_, PyAny>, name: &std::ffi::CStr, empty: T) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: the interface defines what a capsule of this name points to, and that a consumer moves it out.
    Ok(unsafe { std::ptr::replace(pointer.as_ptr(), empty) })
}

/// The result, with a panic of the library as an error: a type that it does not know, or a broken array.
fn guarded<T, E: std::fmt::Display>(read: impl FnOnce() -> Result<T, E>) -> PyResult<T> {
    let wrong = |what: &str| Python::attach(|py| errors::statement(py, "arrow", None, what));
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(wrong(&format!("the Arrow table cannot be read: {error}"))),
        Err(_) => Err(wrong("the Arrow table has a column of a type that is not known here; leave that column out")),
    }
}

fn fields(field: &Field) -> PyResult<&[Field]> {
    match &field.dtype {
        ArrowDataType::Struct(fields) => Ok(fields),
        other => Err(PyTypeError::new_err(format!("it is a column of {other:?} and not a table; make a table of it"))),
    }
}

fn part(array: Box<dyn Array>) -> PyResult<Part> {
    let Some(rows) = array.as_any().downcast_ref::<StructArray>() else {
        let what = format!("it is a column of {:?} and not a table; make a table of it", array.dtype());
        return Err(PyTypeError::new_err(what));
    };
    if rows.null_count() > 0 {
        return Err(PyTypeError::new_err("it has rows that are null as a whole, which no table has"));
    }
    let columns = rows.fields().iter().zip(rows.values());
    let columns = columns.map(|(field, array)| (field.name.to_string(), distrust(array.clone())));
    Ok(Part { columns: columns.collect(), rows: rows.len() })
}

/// The array, with texts that nobody has checked yet as bytes. The engine checks bytes before it reads them as text.
/// Texts in other layouts are bytes to it anyway.
fn distrust(array: Box<dyn Array>) -> Box<dyn Array> {
    if let Some(texts) = array.as_any().downcast_ref::<Utf8ViewArray>() {
        return texts.to_binview().boxed();
    }
    let Some(outer) = array.as_any().downcast_ref::<StructArray>() else { return array };
    let values: Vec<Box<dyn Array>> = outer.values().iter().map(|values| distrust(values.clone())).collect();
    let fields = outer
        .fields()
        .iter()
        .zip(&values)
        .map(|(field, values)| Field::new(field.name.clone(), values.dtype().clone(), field.is_nullable));
    let data_type = ArrowDataType::Struct(fields.collect());
    StructArray::new(data_type, outer.len(), values, outer.validity().cloned()).boxed()
}

/// A capsule with the stream of a table.
pub(crate) fn export<'py>(py: Python<'py>, table: &ArrowTable) -> PyResult<Bound<'py, PyCapsule>> {
    let parts = table.parts.clone().into_iter().map(Ok);
    PyCapsule::new_with_value(py, ffi::export_iterator(Box::new(parts), table.field.clone()), STREAM)
}

/// A capsule with the schema of a table.
pub(crate) fn export_schema<'py>(py: Python<'py>, table: &ArrowTable) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, ffi::export_field_to_c(&table.field), SCHEMA)
}
