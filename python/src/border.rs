//! Arrow tables across the border to Python, by the C interface and without a copy. All that is unsafe in the package
//! is here: the other side must keep to the interface, as every reader of it relies on. Types are looked at before
//! anything is read, and texts are bytes until the engine has checked them.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use lendwright::arrow::{ArrowTable, GivenColumn};
use polars_arrow::array::{Array, StructArray, Utf8ViewArray, new_empty_array};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::column_types::{Readable, readable};
use crate::errors;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A part of a table: its columns by name, and how many rows it has.
#[derive(Clone)]
pub(crate) struct Part {
    pub(crate) columns: Vec<GivenColumn>,
    pub(crate) rows: usize,
}

/// The memory of a schema, as the C interface lays it out. `polars_arrow` keeps its fields to itself.
#[repr(C)]
struct SchemaLayout {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut ffi::ArrowSchema,
    dictionary: *mut ffi::ArrowSchema,
    release: Option<unsafe extern "C" fn(*mut ffi::ArrowSchema)>,
    private_data: *mut c_void,
}

/// The memory of an array.
#[repr(C)]
struct ArrayLayout {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut ffi::ArrowArray,
    dictionary: *mut ffi::ArrowArray,
    release: Option<unsafe extern "C" fn(*mut ffi::ArrowArray)>,
    private_data: *mut c_void,
}

/// The memory of a stream.
#[repr(C)]
struct StreamLayout {
    get_schema: Option<unsafe extern "C" fn(*mut ffi::ArrowArrayStream, *mut ffi::ArrowSchema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut ffi::ArrowArrayStream, *mut ffi::ArrowArray) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut ffi::ArrowArrayStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut ffi::ArrowArrayStream)>,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<SchemaLayout>() == size_of::<ffi::ArrowSchema>());
const _: () = assert!(size_of::<ArrayLayout>() == size_of::<ffi::ArrowArray>());
const _: () = assert!(size_of::<StreamLayout>() == size_of::<ffi::ArrowArrayStream>());

fn schema_layout(schema: &ffi::ArrowSchema) -> &SchemaLayout {
    // SAFETY: both are laid out as the C interface defines a schema.
    unsafe { &*std::ptr::from_ref(schema).cast() }
}

fn array_layout(array: &ffi::ArrowArray) -> &ArrayLayout {
    // SAFETY: both are laid out as the C interface defines an array.
    unsafe { &*std::ptr::from_ref(array).cast() }
}

fn stream_layout(stream: &ffi::ArrowArrayStream) -> &StreamLayout {
    // SAFETY: both are laid out as the C interface defines a stream.
    unsafe { &*std::ptr::from_ref(stream).cast() }
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
        "DataFrame" => "its library cannot hand over Arrow tables: use pandas 2.2 or later, with pyarrow",
        _ => {
            "give a polars or pandas DataFrame, a pyarrow Table, a duckdb relation, or anything else with \
             `__arrow_c_stream__`"
        }
    };
    Err(PyTypeError::new_err(format!("`{name}` is not an Arrow table; {advice}")))
}

fn import_stream(capsule: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let py = capsule.py();
    let mut stream = take::<ffi::ArrowArrayStream>(capsule, STREAM, ffi::ArrowArrayStream::empty())?;
    let layout = stream_layout(&stream);
    let (Some(get_schema), Some(get_next), Some(_)) = (layout.get_schema, layout.get_next, layout.release) else {
        return Err(wrong(py, "the stream was used before; ask its owner for another one"));
    };
    let mut schema = ffi::ArrowSchema::empty();
    // Without Python's lock: a producer may wait for threads that need it.
    // SAFETY: the capsule's name says that this is a stream of the C interface, and it is not released.
    if py.detach(|| unsafe { get_schema(&raw mut stream, &raw mut schema) }) != 0 {
        return Err(producer(py, &mut stream));
    }
    let table = TableSchema::new(py, &schema)?;
    let mut parts = Vec::new();
    loop {
        let mut array = ffi::ArrowArray::empty();
        // SAFETY: as above; the producer fills the array, or leaves it released at the end.
        if py.detach(|| unsafe { get_next(&raw mut stream, &raw mut array) }) != 0 {
            return Err(producer(py, &mut stream));
        }
        if array_layout(&array).release.is_none() {
            break;
        }
        parts.push(table.part(py, array)?);
    }
    if parts.is_empty() {
        parts.push(table.empty());
    }
    Ok(parts)
}

fn import_array(pair: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let py = pair.py();
    let pair = pair.cast::<PyTuple>()?;
    if pair.len() != 2 {
        return Err(PyTypeError::new_err("`__arrow_c_array__` gave no pair of a schema and an array"));
    }
    let schema = take::<ffi::ArrowSchema>(&pair.get_item(0)?, SCHEMA, ffi::ArrowSchema::empty())?;
    let array = take::<ffi::ArrowArray>(&pair.get_item(1)?, ARRAY, ffi::ArrowArray::empty())?;
    if schema_layout(&schema).release.is_none() || array_layout(&array).release.is_none() {
        return Err(wrong(py, "the batch was used before; ask its owner for another one"));
    }
    Ok(vec![TableSchema::new(py, &schema)?.part(py, array)?])
}

/// Moves a value out of its capsule, which keeps an empty one.
fn take<T>(capsule: &Bound<'_, PyAny>, name: &CStr, empty: T) -> PyResult<T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(name))?.cast::<T>();
    // SAFETY: the interface defines what a capsule of this name points to, and that a consumer moves it out.
    Ok(unsafe { std::ptr::replace(pointer.as_ptr(), empty) })
}

fn wrong(py: Python<'_>, what: &str) -> PyErr {
    errors::statement(py, "arrow", None, what)
}

fn damaged(py: Python<'_>, column: &str, what: &str) -> PyErr {
    wrong(py, &format!("the Arrow table is damaged: column `{column}` is not what its schema says: {what}"))
}

/// What the producer of a stream says is wrong.
fn producer(py: Python<'_>, stream: &mut ffi::ArrowArrayStream) -> PyErr {
    let said = stream_layout(stream).get_last_error.and_then(|get_last_error| {
        // SAFETY: the stream is not released, and its text lives until the next call.
        let text = unsafe { get_last_error(std::ptr::from_mut(stream)) };
        // SAFETY: a text that is not null ends with a zero.
        (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    });
    wrong(py, &format!("the Arrow table cannot be read: {}", said.unwrap_or_else(|| "its owner says no more".into())))
}

/// The columns of a table, as its schema says.
struct TableSchema {
    columns: Vec<(String, Result<Readable, String>)>,
}

impl TableSchema {
    fn new(py: Python<'_>, schema: &ffi::ArrowSchema) -> PyResult<TableSchema> {
        let layout = schema_layout(schema);
        if text(layout.format) != "+s" || !layout.dictionary.is_null() {
            return Err(PyTypeError::new_err("it is a column and not a table; make a table of it"));
        }
        let mut columns = Vec::new();
        for at in 0..usize::try_from(layout.n_children).unwrap_or(0) {
            // SAFETY: a schema that is not released has this many children.
            let child = unsafe { &**layout.children.add(at) };
            columns.push((text(schema_layout(child).name), column_type(py, child)?));
        }
        Ok(TableSchema { columns })
    }

    /// A part without rows.
    fn empty(&self) -> Part {
        let column = |(name, known): &(String, Result<Readable, String>)| {
            let array = known.as_ref().map(|known| known.as_read(distrust(new_empty_array(known.data_type.clone()))));
            (name.clone(), array.map_err(Clone::clone))
        };
        Part { columns: self.columns.iter().map(column).collect(), rows: 0 }
    }

    /// The columns of a batch. Each is moved out of it, which the interface allows.
    fn part(&self, py: Python<'_>, batch: ffi::ArrowArray) -> PyResult<Part> {
        let layout = array_layout(&batch);
        let number = |number: i64| usize::try_from(number).ok();
        let (Some(rows), Some(offset), Some(children)) =
            (number(layout.length), number(layout.offset), number(layout.n_children))
        else {
            return Err(wrong(py, "the Arrow table is damaged: it has a negative length"));
        };
        if has_nulls(layout, offset, rows) {
            return Err(PyTypeError::new_err("it has rows that are null as a whole, which no table has"));
        }
        if children != self.columns.len() {
            return Err(wrong(py, "the Arrow table is damaged: a batch has other columns than its schema"));
        }
        let mut columns = Vec::with_capacity(children);
        for (at, (name, known)) in self.columns.iter().enumerate() {
            // SAFETY: an array that is not released has this many children, and a child may be moved out of it if the
            // parent is released afterwards: `batch` is dropped at the end.
            let child = unsafe { std::ptr::replace(*layout.children.add(at), ffi::ArrowArray::empty()) };
            let array = match known {
                Err(held) => Err(held.clone()),
                Ok(known) => {
                    // SAFETY: the array is of the producer's own schema, whose type is one that is known here.
                    let import = || unsafe { ffi::import_array_from_c(child, known.data_type.clone()) };
                    // An array that is not what its schema says may lead to a panic.
                    let array = catch_unwind(AssertUnwindSafe(import)).map_err(|_| damaged(py, name, "broken"))?;
                    let array = array.map_err(|error| damaged(py, name, &error.to_string()))?;
                    if offset + rows > array.len() {
                        return Err(damaged(py, name, "too short"));
                    }
                    Ok(known.as_read(distrust(array.sliced(offset, rows))))
                }
            };
            columns.push((name.clone(), array));
        }
        Ok(Part { columns, rows })
    }
}

/// Whether rows of an array are null. Its count is -1 where nobody counted.
fn has_nulls(layout: &ArrayLayout, offset: usize, rows: usize) -> bool {
    if layout.null_count >= 0 || layout.n_buffers < 1 {
        return layout.null_count > 0;
    }
    // SAFETY: an array that is not released has this many buffers, and the first of a struct is its validity.
    let validity: *const u8 = unsafe { *layout.buffers }.cast();
    if validity.is_null() {
        return false;
    }
    // SAFETY: the validity has a bit for each row from the array's offset on.
    (offset..offset + rows).any(|row| unsafe { *validity.add(row / 8) } >> (row % 8) & 1 == 0)
}

/// The type of a column, or what it is where it cannot be read.
fn column_type(py: Python<'_>, schema: &ffi::ArrowSchema) -> PyResult<Result<Readable, String>> {
    if let Err(held) = known_format(schema) {
        return Ok(Err(held));
    }
    // SAFETY: the schema is the producer's, is not released, and all its formats are known.
    let field = unsafe { ffi::import_field_from_c(schema) };
    let field = field.map_err(|error| wrong(py, &format!("the Arrow table cannot be read: {error}")))?;
    Ok(Ok(readable(field.dtype)))
}

/// Whether the library beneath knows the format of a column, and those within it.
fn known_format(schema: &ffi::ArrowSchema) -> Result<(), String> {
    let layout = schema_layout(schema);
    let format = text(layout.format);
    if !layout.dictionary.is_null() {
        // SAFETY: a dictionary that is not null is a schema of the same producer.
        return known_format(unsafe { &*layout.dictionary });
    }
    let decimals = |format: &str| {
        let mut parts = format.split(',');
        let digits = parts.next().and_then(|digits| digits.parse::<u32>().ok());
        let scale = parts.next().and_then(|scale| scale.parse::<u32>().ok());
        let bits = parts.next().map_or(Some(128), |bits| bits.parse::<u32>().ok());
        digits.is_some() && scale.is_some() && matches!(bits, Some(32 | 64 | 128))
    };
    match format.as_str() {
        "n" | "b" | "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" | "e" | "f" | "g" => Ok(()),
        "z" | "Z" | "u" | "U" | "vu" | "vz" | "tdD" | "tdm" => Ok(()),
        "tts" | "ttm" | "ttu" | "ttn" | "tDs" | "tDm" | "tDu" | "tDn" => Ok(()),
        "+s" => {
            for at in 0..usize::try_from(layout.n_children).unwrap_or(0) {
                // SAFETY: a schema that is not released has this many children.
                known_format(unsafe { &**layout.children.add(at) })?;
            }
            Ok(())
        }
        other => match other.split_once(':') {
            Some(("tss" | "tsm" | "tsu" | "tsn", _)) => Ok(()),
            Some(("w", size)) if size.parse::<u32>().is_ok() => Ok(()),
            Some(("d", parts)) if decimals(parts) => Ok(()),
            Some(("d", _)) => Err("decimals of a kind that is not known here".to_owned()),
            _ if other.starts_with("+l") || other.starts_with("+L") || other.starts_with("+v") => Err("a list".into()),
            _ if other.starts_with("+w") => Err("a list".to_owned()),
            _ if other.starts_with("+m") => Err("a map".to_owned()),
            _ if other.starts_with("+u") => Err("a union".to_owned()),
            _ if other.starts_with("ti") => Err("intervals".to_owned()),
            _ => Err("values of a type that is not known here".to_owned()),
        },
    }
}

/// A text of the C interface.
fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: a text that is not null ends with a zero.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// The array, with texts that nobody has checked yet as bytes. The engine checks bytes before it reads them as text.
/// Texts in other layouts are bytes to it anyway.
fn distrust(array: Box<dyn Array>) -> Box<dyn Array> {
    if let Some(texts) = array.as_any().downcast_ref::<Utf8ViewArray>() {
        return texts.to_binview().boxed();
    }
    let Some(outer) = array.as_any().downcast_ref::<StructArray>() else { return array };
    let values: Vec<Box<dyn Array>> = outer.values().iter().map(|values| distrust(values.clone())).collect();
    let fields = outer.fields().iter().zip(&values);
    let fields =
        fields.map(|(field, values)| Field::new(field.name.clone(), values.dtype().clone(), field.is_nullable));
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
