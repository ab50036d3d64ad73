//! Reads statements from files. The extension says which format. Must not know formats beyond their names.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::partitions::partition_keys;
use super::table_log::log_table_around;
use crate::statement::{
    self, Asked, Columns, FirstLine, Reading, Statements, TableFormat, first_line, read_by_rows, read_csv, read_json,
    read_ndjson_table, read_parquet, read_parquet_parts,
};

/// What is wrong with a file: which file, the problem, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The extension is not one of a statement.
    #[error("{}: {}", path.display(), kind_advice(path))]
    Kind {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to a table whose log says which files count.
    #[error("{}: {what}", path.display())]
    LogTable {
        /// The file.
        path: PathBuf,
        /// Which table, and what to do.
        what: String,
    },
    /// The content is invalid.
    #[error("{}: {source}", path.display())]
    Statement {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        source: statement::Error,
    },
    /// A frame cannot be written in this format.
    #[error("{}: {what}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
}

impl Error {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Error {
        Error::Io { path: path.to_owned(), source }
    }
}

/// Reads the statements of one file. The ending says in which format: `.json` (the provider's envelope, a list, or
/// records line by line; under a columns file JSON of any shape), `.ndjson`, `.csv`, `.tsv`, `.parquet`, `.xlsx`,
/// `.xls`, `.ods`, `.xml` (camt), `.sta` and `.mt940` (MT940), `.ofx`, `.qif`. Folders such as `customer=17` are columns
/// of a table. The path becomes the statements' label.
pub fn read_statements(
    path: impl AsRef<Path>,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, Error> {
    let path = path.as_ref();
    let (extension, bytes) = read_statement_file(path, columns)?;
    let label = path.to_string_lossy();
    read_bytes(&extension, bytes, &label, reading, columns)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })
}

/// Reads the bytes of a file with this ending.
fn read_bytes(
    extension: &str,
    bytes: Vec<u8>,
    label: &str,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, statement::Error> {
    let default_columns = Columns::default();
    let used = columns.unwrap_or(&default_columns);
    let given = used.given(label, partition_keys(label))?;
    let format = match extension {
        "json" if used.is_declared() && !is_envelope(bytes.as_slice()) => Some(TableFormat::Json),
        "txt" if is_mt940(&bytes) => Some(TableFormat::Mt940),
        "txt" => Some(TableFormat::Csv),
        ending => TableFormat::from_ending(ending),
    };
    let asked = Asked { label, columns: used, given: &given, rows: &|_| true, memory: u64::MAX };
    let is_document = || {
        let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        match first_line(line, false) {
            Some(FirstLine::Envelope) => true,
            Some(FirstLine::Nameless) => used.given_customer().is_some() && asked.given.len() == 1,
            _ => false,
        }
    };
    match format {
        Some(TableFormat::Lines) if !used.declared && is_document() => {}
        Some(TableFormat::Csv) if asked.added(&[]).is_empty() => return read_csv(&bytes, label, reading, used),
        Some(TableFormat::Parquet) if asked.added(&[]).is_empty() => {
            return read_parquet(bytes, label, reading, used);
        }
        Some(TableFormat::Lines) if asked.added(&[]).is_empty() && used.declared => {
            return read_ndjson_table(&bytes, label, reading, used);
        }
        Some(TableFormat::Lines) if asked.added(&[]).is_empty() => {}
        Some(format) => return read_by_rows(format, &bytes, (label, &given), reading, used),
        None => {}
    }
    let statements = read_json(&bytes, label, reading)?;
    used.name_customer(statements)
}

/// Whether a JSON document is the provider's envelope, which its beginning shows.
pub(crate) fn is_envelope(mut bytes: impl Read) -> bool {
    const BEGINNING: u64 = 1 << 16;
    let mut beginning = Vec::new();
    let read = Read::take(&mut bytes, BEGINNING).read_to_end(&mut beginning);
    read.is_ok_and(|read| matches!(first_line(&beginning, read as u64 == BEGINNING), Some(FirstLine::Envelope)))
}

/// Whether a text begins as MT940 does.
fn is_mt940(bytes: &[u8]) -> bool {
    let text = bytes.trim_ascii_start();
    text.starts_with(b":20:") || text.starts_with(b"{1:")
}

/// Reads a file like [`read_statements`], in parts of whole statements. Calls `work` on each part and returns the
/// results in the order of the file.
///
/// A Parquet table with contiguous rows per customer comes in many parts, read by several threads
/// ([`read_parquet_parts`]). It is never in memory as a whole, and must not be written to meanwhile. Any other file is
/// one part.
///
/// ```no_run
/// use lendwright::{files, load_policy, metrics, reading};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let policy = load_policy("policy.toml", &[])?;
/// let tables = files::read_parts("statements.parquet", &reading(&policy), None, |part| {
///     metrics::table(&policy, &part, None)
/// })?;
/// let table = metrics::stack(tables.into_iter().collect::<Result<_, _>>()?)?;
/// # Ok(())
/// # }
/// ```
pub fn read_parts<T: Send>(
    path: impl AsRef<Path>,
    reading: &Reading,
    columns: Option<&Columns>,
    work: impl Fn(Statements) -> T + Sync,
) -> Result<Vec<T>, Error> {
    let path = path.as_ref();
    let default_columns = Columns::default();
    let used = columns.unwrap_or(&default_columns);
    let label = path.to_string_lossy();
    let given = used.given(&label, partition_keys(&label)).unwrap_or_default();
    let asked = Asked { label: "", columns: used, given: &given, rows: &|_| true, memory: u64::MAX };
    // A pipe, for instance, does not allow random access.
    if extension(path) != "parquet" || !path.is_file() || !asked.added(&[]).is_empty() {
        return read_statements(path, reading, columns).map(|statements| vec![work(statements)]);
    }
    refuse_log_table(path)?;
    let file = fs::File::open(path).map_err(|source| Error::io(path, source))?;
    read_parquet_parts(file, &label, reading, used, work)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })
}

/// What to do with a file that is not a statement by its extension.
fn kind_advice(path: &Path) -> &'static str {
    match extension(path).as_str() {
        "gz" | "zst" | "zip" | "tar" | "tgz" => {
            "it is packed; unpack it first, or let `lendwright batch` read it as it is"
        }
        "xlsb" | "numbers" => "it is a workbook of a kind that is not read; save it as .xlsx",
        "pdf" => {
            "a PDF is a document for people; ask the bank for CSV, camt.053 or MT940, or turn its tables into CSV \
             (`pdftotext -layout`, Tabula, Camelot) and check the balances"
        }
        _ => {
            "unknown kind of file; name it .csv, .tsv, .json, .ndjson, .parquet, .xlsx, .xls, .ods, .xml (camt), .sta \
             (MT940), .ofx or .qif"
        }
    }
}

fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// The extension and the bytes of a file. Refuses files that are not statements by their names.
fn read_statement_file(path: &Path, columns: Option<&Columns>) -> Result<(String, Vec<u8>), Error> {
    if path.is_dir() {
        return Err(Error::io(path, std::io::Error::other("it is a folder; name the files in it")));
    }
    let extension = extension(path);
    let is_text = extension == "txt" && columns.is_some_and(Columns::is_declared);
    if extension == "txt" && !is_text {
        // Without a columns file, a text is read only if it is MT940.
        let bytes = fs::read(path).map_err(|source| Error::io(path, source))?;
        return if is_mt940(&bytes) { Ok((extension, bytes)) } else { Err(Error::Kind { path: path.to_owned() }) };
    }
    if extension != "json" && !is_text && TableFormat::from_ending(&extension).is_none() {
        return Err(Error::Kind { path: path.to_owned() });
    }
    refuse_log_table(path)?;
    fs::read(path).map(|bytes| (extension, bytes)).map_err(|source| Error::io(path, source))
}

fn refuse_log_table(path: &Path) -> Result<(), Error> {
    match log_table_around(path) {
        Some(table) => Err(Error::LogTable { path: path.to_owned(), what: table.refusal() }),
        None => Ok(()),
    }
}

/// Reads a columns file.
pub fn read_columns(path: impl AsRef<Path>) -> Result<Columns, Error> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    Columns::parse(&text).map_err(|source| Error::Statement { path: path.to_owned(), source })
}
