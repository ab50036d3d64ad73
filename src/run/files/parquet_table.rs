//! Tables of results as Parquet with a note about what they are, read column by column.

use std::fs::File;
use std::path::Path;

use polars::io::parquet::write::KeyValueMetadata;
use polars::prelude::{DataFrame, ParquetReader, ParquetWriter, PlSmallStr, SerReader};
use polars_arrow::datatypes::{ArrowDataType, Field};

use super::read::Error;
use super::write::{Failure, write_atomically};

/// Writes a frame as Parquet with a note under a key.
pub(crate) fn write_parquet_noted(frame: &DataFrame, path: &Path, key: &str, note: String) -> Result<(), Error> {
    write_atomically(path, |out| {
        let metadata = KeyValueMetadata::from_static(vec![(key.to_owned(), note)]);
        let writer = ParquetWriter::new(out).with_key_value_metadata(Some(metadata));
        writer.finish(&mut frame.clone()).map(|_| ()).map_err(|wrong| Failure::Format(wrong.to_string()))
    })
}

/// The note under a key; `None` if there is none, or if the file is no Parquet.
pub(crate) fn parquet_note(path: &Path, key: &str) -> Result<Option<String>, Error> {
    let file = File::open(path).map_err(|source| Error::io(path, source))?;
    let mut reader = ParquetReader::new(file);
    let Ok(metadata) = reader.get_metadata() else { return Ok(None) };
    let pairs = metadata.key_value_metadata().iter().flatten();
    Ok(pairs.into_iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone()))
}

/// Some columns of a Parquet file, in this order.
pub(crate) fn parquet_columns(path: &Path, names: &[&str]) -> Result<DataFrame, Error> {
    let file = File::open(path).map_err(|source| Error::io(path, source))?;
    let wrong = |what: String| Error::Write { path: path.to_owned(), what };
    let columns = names.iter().map(|name| (*name).to_owned()).collect();
    let frame = ParquetReader::new(file).with_columns(Some(columns)).finish();
    let mut frame =
        frame.and_then(|frame| frame.select(names.iter().copied())).map_err(|error| wrong(error.to_string()))?;
    frame.rechunk_mut();
    Ok(frame)
}

/// The columns of a Parquet file.
pub(crate) struct ParquetShape {
    /// Their names.
    pub names: Vec<String>,
    /// Columns of moments, decimals, categories and small whole numbers, which are read as they are stored, with their
    /// types.
    pub stored: Vec<(String, String)>,
    /// Columns of other types, with their types.
    pub others: Vec<(String, String)>,
}

/// The columns of a Parquet file; `None` if it is no Parquet.
pub(crate) fn parquet_shape(path: &Path) -> Result<Option<ParquetShape>, Error> {
    let file = File::open(path).map_err(|source| Error::io(path, source))?;
    let Ok(schema) = ParquetReader::new(file).schema() else { return Ok(None) };
    let typed = |(name, field): (&PlSmallStr, &Field)| (name.to_string(), format!("{:?}", field.dtype()));
    let of = |is: &dyn Fn(&ArrowDataType) -> bool| {
        schema.iter().filter(|(_, field)| is(field.dtype())).map(typed).collect::<Vec<(String, String)>>()
    };
    Ok(Some(ParquetShape {
        names: schema.iter_names().map(ToString::to_string).collect(),
        stored: of(&is_stored),
        others: of(&|dtype| !is_plain(dtype) && !is_stored(dtype)),
    }))
}

/// Types that Polars was built without, and that the readers of statements read.
fn is_stored(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as Type;
    let is_text = |dtype: &ArrowDataType| matches!(dtype, Type::Utf8 | Type::LargeUtf8 | Type::Utf8View);
    matches!(dtype, Type::Timestamp(..) | Type::Decimal(..) | Type::Int8 | Type::Int16 | Type::UInt8 | Type::UInt16)
        // As pandas writes categories.
        || matches!(dtype, Type::Dictionary(_, values, _) if is_text(values))
}

/// Types that are read whatever else Polars was built with.
fn is_plain(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as Type;
    matches!(dtype, Type::Utf8 | Type::LargeUtf8 | Type::Utf8View | Type::Boolean | Type::Date32 | Type::Null)
        || matches!(dtype, Type::Float32 | Type::Float64 | Type::Int32 | Type::Int64 | Type::UInt32 | Type::UInt64)
}
