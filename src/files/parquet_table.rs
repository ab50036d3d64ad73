//! Tables of results as Parquet with a note about what they are, read column by column. Must not know what a column
//! means.

use std::fs::File;
use std::path::Path;

use polars::io::parquet::write::KeyValueMetadata;
use polars::prelude::{DataFrame, ParquetReader, ParquetWriter, SerReader};

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

/// The names of a Parquet file's columns, and how many rows it has; `None` if it is no Parquet.
pub(crate) fn parquet_shape(path: &Path) -> Result<Option<(Vec<String>, usize)>, Error> {
    let file = File::open(path).map_err(|source| Error::io(path, source))?;
    let mut reader = ParquetReader::new(file);
    let Ok(schema) = reader.schema() else { return Ok(None) };
    let names = schema.iter_names().map(ToString::to_string).collect();
    let rows = reader.get_metadata().map_or(0, |metadata| metadata.num_rows);
    Ok(Some((names, rows)))
}
