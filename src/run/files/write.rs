//! Writes frames and texts to files, whole or not at all.

use std::io::Write;
use std::path::Path;

use polars::prelude::{AnyValue, Column, DataFrame, ParquetWriter};
use serde_json::Value;

use crate::base::csv_line::CsvLine;
use crate::base::date::Day;
use crate::run::files::read::Error;
use crate::run::whole_file::{self, Access, WholeFile};

/// Writes a frame as Parquet.
pub fn write_parquet(frame: &DataFrame, path: &Path) -> Result<(), Error> {
    write_atomically(path, |out| {
        let mut frame = frame.clone();
        ParquetWriter::new(out).finish(&mut frame).map(|_| ()).map_err(|wrong| Failure::Format(wrong.to_string()))
    })
}

/// Writes a frame of numbers, texts, booleans and days as CSV. Null is an empty field, an empty text is `""`.
pub fn write_csv(frame: &DataFrame, path: &Path) -> Result<(), Error> {
    write_atomically(path, |out| {
        let mut line = CsvLine::default();
        frame.columns().iter().for_each(|column| line.push_text(column.name()));
        out.write_all(line.take_line().as_bytes())?;
        each_row(frame, |cells| {
            for cell in cells {
                line.push_json(&json_value(cell)?);
            }
            Ok(out.write_all(line.take_line().as_bytes())?)
        })
    })
}

/// Writes a frame of numbers, texts, booleans and days as JSON: one object per row, keys in the order of the columns.
pub fn write_ndjson(frame: &DataFrame, path: &Path) -> Result<(), Error> {
    write_atomically(path, |out| json_rows(frame, out))
}

/// Replaces the content of a file with `text`. Follows links.
pub fn write_text(text: &str, path: &Path) -> Result<(), Error> {
    write_bytes(text.as_bytes(), path)
}

/// Replaces the content of a file with `bytes`. Follows links.
pub fn write_bytes(bytes: &[u8], path: &Path) -> Result<(), Error> {
    whole_file::write_whole(path, Access::Usual, bytes).map_err(|source| Error::io(path, source))
}

/// As [`write_ndjson`], but into memory.
pub fn frame_as_ndjson(frame: &DataFrame) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let describe = |failure: Failure| match failure {
        Failure::Io(source) => source.to_string(),
        Failure::Format(what) => what,
    };
    json_rows(frame, &mut bytes).map_err(|failure| Error::Write { path: "-".into(), what: describe(failure) })?;
    Ok(bytes)
}

fn json_rows(frame: &DataFrame, out: &mut impl Write) -> Result<(), Failure> {
    let names: Vec<String> =
        frame.columns().iter().map(|column| Value::from(column.name().as_str()).to_string()).collect();
    each_row(frame, |cells| {
        let pairs = names.iter().zip(cells).map(|(name, cell)| Ok(format!("{name}:{}", json_value(cell)?)));
        let pairs: Vec<String> = pairs.collect::<Result<_, Failure>>()?;
        Ok(writeln!(out, "{{{}}}", pairs.join(","))?)
    })
}

pub(super) enum Failure {
    Io(std::io::Error),
    Format(String),
}

impl From<std::io::Error> for Failure {
    fn from(wrong: std::io::Error) -> Failure {
        Failure::Io(wrong)
    }
}

/// Writes a file whole, or says why not.
pub(super) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut WholeFile) -> Result<(), Failure>,
) -> Result<(), Error> {
    let written = WholeFile::begin(path, Access::Usual).map_err(Failure::Io).and_then(|mut file| {
        write(&mut file)?;
        Ok(file.finish()?)
    });
    written.map_err(|failure| match failure {
        Failure::Io(source) => Error::io(path, source),
        Failure::Format(what) => Error::Write { path: path.to_owned(), what },
    })
}

fn each_row(frame: &DataFrame, mut write: impl FnMut(&[AnyValue<'_>]) -> Result<(), Failure>) -> Result<(), Failure> {
    let columns: Vec<&Column> = frame.columns().iter().collect();
    for row in 0..frame.height() {
        let cells: Result<Vec<AnyValue<'_>>, _> = columns.iter().map(|column| column.get(row)).collect();
        write(&cells.map_err(|wrong| Failure::Format(wrong.to_string()))?)?;
    }
    Ok(())
}

fn json_value(cell: &AnyValue<'_>) -> Result<Value, Failure> {
    Ok(match cell {
        AnyValue::Null => Value::Null,
        AnyValue::Boolean(truth) => Value::from(*truth),
        AnyValue::String(text) => Value::from(*text),
        AnyValue::StringOwned(text) => Value::from(text.as_str()),
        AnyValue::Int32(number) => Value::from(*number),
        AnyValue::Int64(number) => Value::from(*number),
        AnyValue::UInt32(number) => Value::from(*number),
        AnyValue::UInt64(number) => Value::from(*number),
        // JSON has no NaN or infinity: both become null.
        AnyValue::Float64(number) => Value::from(*number),
        AnyValue::Date(days) => Value::from(Day::from_days(*days).to_string()),
        other => return Err(Failure::Format(format!("columns of {} cannot be written as text", other.dtype()))),
    })
}
