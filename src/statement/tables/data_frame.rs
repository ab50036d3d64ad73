//! A Polars frame of many statements, read as a Parquet table is. Must not know what a column means.

use polars::prelude::{CompatLevel, DataFrame};
use polars_arrow::array::{Array, StructArray, Utf8ViewArray};
use polars_arrow::compute::utils::combine_validities_and;
use polars_arrow::datatypes::ArrowDataType;

use crate::statement::base::error::{Error, show};
use crate::statement::base::reading::Reading;
use crate::statement::columns::collector::Places;
use crate::statement::columns::dedup_sort::arrange;
use crate::statement::columns::frame::Statements;
use crate::statement::tables::columnar::take_columns;
use crate::statement::tables::columns_file::Columns;
use crate::statement::tables::parquet::take_rows;
use crate::statement::tables::parquet_cells::{Chunks, texts_of_bytes, texts_of_categories};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_start::{declared, start};

/// Reads the statements of a Polars frame: one row per record, under this crate's names of columns or those that
/// `columns` declares.
///
/// Columns may be integers, `Decimal`, `Float64` (by the digits of its shortest form), `String`, `Categorical` and
/// `Enum` (their texts), `Binary` (UTF-8), `Date`, `Datetime`, `Boolean` (the texts `true` and `false`) and `Null`.
/// Their rows are read and checked as those of a Parquet table: [`read_parquet`](crate::statement::read_parquet)
/// gives the same statements if such a frame is written to a file first. The fields of a `Struct` are columns of
/// their own, named by their path, such as `notes.desc`. A column of another type is an error where it is needed and
/// is skipped elsewhere: cast it.
///
/// ```
/// use lendwright::statement::{Columns, Reading, read_frame};
/// use lendwright::words::{date::Zone, money::Currency};
/// use polars::df;
///
/// let frame = df!(
///     "customer" => ["C-17", "C-17"],
///     "trans_date" => ["2026-06-01", "2026-06-30"],
///     "credit" => [Some(250_000.50), None],
///     "debit" => [None, Some(1_200.0)],
///     "desc" => ["SALARY JUNE", "AIRTIME"],
/// )?;
/// let reading = Reading::new(Currency::from_numeric("566").unwrap(), Zone::parse("Africa/Lagos").unwrap());
/// let statements = read_frame(&frame, "ledger", &reading, &Columns::default())?;
/// assert_eq!(statements.heads()[0].customer.as_deref(), Some("C-17"));
/// assert_eq!(statements.frame().column("credit")?.i64()?.get(0), Some(25_000_050));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`read_parquet`](crate::statement::read_parquet): a column that is missing or has a type that cannot be read, or
/// a row that is at fault, with its number.
pub fn read_frame(frame: &DataFrame, label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    columns.name_customer(read_rows(frame, label, reading, columns)?)
}

fn read_rows(frame: &DataFrame, label: &str, reading: &Reading, columns: &Columns) -> Result<Statements, Error> {
    let reading = declared(reading, columns);
    let mut leaves = leaves(frame);
    for (name, value) in columns.given(label, Vec::new())? {
        if !leaves.iter().any(|leaf| leaf.path == name) {
            leaves.push(Leaf::constant(name, &value, frame.height()));
        }
    }
    let names: Vec<&str> = leaves.iter().map(|leaf| leaf.name(columns)).collect();
    let mapper = RowMapper::new(columns, &names)?;
    mapper.refuse_repeated_names(&names)?;
    let mut collector = start(&reading, &mapper, Places::Rows);
    let values = leaves.iter().enumerate().map(|(at, leaf)| mapper.uses(at).then(|| leaf.values()).transpose());
    let values: Vec<Option<Chunks>> = values.collect::<Result<_, Error>>()?;
    if take_columns(&mapper, &values, 0..frame.height(), 0, &mut collector).is_none() {
        take_rows(mapper, &values, frame.height(), 0, &mut collector)?;
    }
    arrange(collector, label)
}

/// A column of the frame, or a field within a column of structs.
struct Leaf {
    /// Its name, after those of the structs around it, with dots between.
    path: String,
    /// The name that it has without a columns file: a field that cannot be read must not pass for a column of this
    /// crate.
    known_as: String,
    /// Its values, or its type where they cannot be read.
    values: Result<Box<dyn Array>, String>,
}

impl Leaf {
    /// A column that has this text in every row.
    fn constant(name: String, text: &str, rows: usize) -> Leaf {
        let texts = Utf8ViewArray::from_slice_values(std::iter::repeat_n(text, rows).collect::<Vec<_>>());
        Leaf { path: name.clone(), known_as: name, values: Ok(texts.boxed()) }
    }

    fn name(&self, columns: &Columns) -> &str {
        if columns.declared { &self.path } else { &self.known_as }
    }

    fn values(&self) -> Result<Chunks, Error> {
        let array = self.values.as_ref().map_err(|held| {
            let instead = "cast it to String, an integer, Decimal, Float64, Date or Datetime";
            Error::table(format!("column `{}` holds {held}, which is not read; {instead}", show(&self.path)))
        })?;
        if *array.dtype() == ArrowDataType::Null {
            return Ok(Chunks::nothing(array.len()));
        }
        if *array.dtype() == ArrowDataType::BinaryView {
            let texts = texts_of_bytes(std::slice::from_ref(array), 0).map_err(|row| {
                let row = row.map_or_else(String::new, |row| format!(" in row {}", row + 1));
                Error::table(format!(
                    "column `{}` holds bytes that are no UTF-8 text{row}; cast it to String",
                    show(&self.path)
                ))
            })?;
            return Chunks::from_arrays(&texts).ok_or_else(|| Error::table("a column of bytes is no text"));
        }
        let unread = || Error::table(format!("column `{}` is not stored as its type declares", show(&self.path)));
        Chunks::from_arrays(std::slice::from_ref(array)).ok_or_else(unread)
    }
}

/// The columns in the order of the frame.
fn leaves(frame: &DataFrame) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for column in frame.columns() {
        let series = column.as_materialized_series().rechunk();
        add_leaves(column.name().to_string(), false, series.to_arrow(0, CompatLevel::newest()), &mut leaves);
    }
    leaves
}

/// Adds a column, or the fields of a column of structs. A field is null where a struct around it is.
fn add_leaves(path: String, is_field: bool, array: Box<dyn Array>, leaves: &mut Vec<Leaf>) {
    if let Some(outer) = array.as_any().downcast_ref::<StructArray>() {
        for (field, values) in outer.fields().iter().zip(outer.values()) {
            let validity = combine_validities_and(values.validity(), outer.validity());
            add_leaves(format!("{path}.{}", field.name), true, values.with_validity(validity), leaves);
        }
        return;
    }
    let values = readable(array);
    let known_as = match &values {
        Err(held) if is_field => format!("{path} ({held})"),
        _ => path.clone(),
    };
    leaves.push(Leaf { path, known_as, values });
}

/// The values, if they are of a type that a statement may have; else that type.
fn readable(array: Box<dyn Array>) -> Result<Box<dyn Array>, String> {
    use ArrowDataType as Type;
    let held = match array.dtype() {
        Type::Null | Type::Utf8View | Type::BinaryView | Type::Boolean => return Ok(array),
        Type::Int8 | Type::Int16 | Type::Int32 | Type::Int64 => return Ok(array),
        Type::UInt8 | Type::UInt16 | Type::UInt32 | Type::UInt64 => return Ok(array),
        Type::Float32 | Type::Float64 | Type::Date32 | Type::Timestamp(..) => return Ok(array),
        Type::Decimal(precision, _) if *precision <= 38 => return Ok(array),
        Type::List(_) | Type::LargeList(_) | Type::FixedSizeList(..) => "a list".to_owned(),
        Type::Dictionary(..) => return texts_of_categories(array.as_ref()).ok_or_else(|| "categories".to_owned()),
        Type::Binary | Type::LargeBinary => "bytes".to_owned(),
        Type::Time32(_) | Type::Time64(_) => "times of day".to_owned(),
        Type::Duration(_) => "durations".to_owned(),
        other => format!("{other:?}"),
    };
    Err(held)
}
