//! The file that a command writes its table to: its name, its format. Knows nothing of the table.

use std::path::{Path, PathBuf};

use polars::prelude::DataFrame;

use super::output::Failure;
use crate::run::files;

/// Results must not overwrite an input.
pub(super) fn refuse_overwriting_input(inputs: &[PathBuf], out: &Path) -> Result<(), Failure> {
    let Ok(file) = out.canonicalize() else { return Ok(()) };
    match inputs.iter().find(|input| input.canonicalize().is_ok_and(|input| input == file)) {
        Some(input) => Err(Failure::Message(format!(
            "`--out {}` would overwrite the input `{}`; nothing was done: name another file",
            out.display(),
            input.display()
        ))),
        None => Ok(()),
    }
}

/// Writes a table in the format that the file's name says.
pub(super) fn write_table_file(mut table: DataFrame, path: &Path) -> Result<(), Failure> {
    table.rechunk_mut();
    match lowercase_extension(path).as_str() {
        "parquet" => files::write_parquet(&table, path),
        "csv" => files::write_csv(&table, path),
        _ => files::write_ndjson(&table, path),
    }
    .map_err(Failure::message)
}

/// Parses the name of a file for a table.
pub(super) fn parse_table_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match lowercase_extension(&path).as_str() {
        "parquet" | "csv" | "ndjson" | "jsonl" => Ok(path),
        _ => Err("unknown kind of file; name it .parquet, .csv or .ndjson".to_owned()),
    }
}

/// The ending of a file's name, in lower case.
pub(super) fn lowercase_extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}
