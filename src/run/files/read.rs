//! Reads statements from files. The extension says which format.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::kinds::{BEGINNING, Ending, FileContent, KNOWN, by_ending, by_ending_and_content, stream_kind};
use super::partitions::partition_keys;
use super::shapes::advise_on_json_shape;
use super::table_log::log_table_around;
use crate::statement::{
    self, Columns, FirstLine, Reading, RowsRequest, Statements, TableFormat, first_line, read_by_rows, read_csv,
    read_json, read_ndjson_table, read_parquet, read_parquet_parts,
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
/// `.xls`, `.ods`, `.camt`, `.sta` and `.mt940` (MT940), `.ofx`, `.qif`. Of `.xml`, `.txt` and names without an ending,
/// the first bytes say it. Folders such as `customer=17` are columns of a table. The path becomes the statements'
/// label.
pub fn read_statements(
    path: impl AsRef<Path>,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, Error> {
    let path = path.as_ref();
    let (kind, bytes) = read_statement_file(path, columns)?;
    read_kind(kind, bytes, &path.to_string_lossy(), reading, columns)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })
}

/// Reads the statements of standard input, whose first bytes say in which format they are.
pub fn read_stream(
    bytes: Vec<u8>,
    label: &str,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, statement::Error> {
    let beginning = bytes.get(..bytes.len().min(BEGINNING as usize)).unwrap_or_default();
    let kind = stream_kind(beginning, columns).map_err(statement::Error::table)?;
    read_kind(kind, bytes, label, reading, columns)
}

/// Reads the statements of bytes that came without a file, as [`read_statements`] reads a file with this ending. Empty
/// for one whose ending is not known: then the first bytes say the format.
#[allow(dead_code, reason = "answers over HTTP use it, which the feature `engine` lacks")]
pub(crate) fn read_statement_bytes(
    bytes: Vec<u8>,
    ending: &str,
    label: &str,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, statement::Error> {
    let kind = kind_of_bytes(ending, &bytes, columns)?;
    read_kind(kind, bytes, label, reading, columns)
}

fn kind_of_bytes(ending: &str, bytes: &[u8], columns: Option<&Columns>) -> Result<FileContent, statement::Error> {
    if bytes.is_empty() {
        return Err(statement::Error::empty_file());
    }
    let beginning = bytes.get(..bytes.len().min(BEGINNING as usize)).unwrap_or_default();
    by_ending_and_content(ending, beginning, columns).map_err(statement::Error::not_a_statement)
}

/// Reads bytes of this kind.
fn read_kind(
    kind: FileContent,
    bytes: Vec<u8>,
    label: &str,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, statement::Error> {
    let default_columns = Columns::default();
    let used = columns.unwrap_or(&default_columns);
    let FileContent::Table(format) = kind else { return read_document(&bytes, label, reading, used) };
    let given = used.given(label, partition_keys(label))?;
    let asked = RowsRequest { label, columns: used, given: &given, rows: &|_| true, memory: u64::MAX };
    let is_plain = is_plain(&asked);
    match format {
        TableFormat::Lines if !used.declared && is_document(&bytes, used, &given) => {
            read_document(&bytes, label, reading, used)
        }
        TableFormat::Csv if is_plain => read_csv(&bytes, label, reading, used),
        TableFormat::Parquet if is_plain => read_parquet(bytes, label, reading, used),
        TableFormat::Lines if is_plain && used.declared => read_ndjson_table(&bytes, label, reading, used),
        TableFormat::Lines if is_plain => read_document(&bytes, label, reading, used),
        format => read_by_rows(format, &bytes, (label, &given), reading, used),
    }
}

/// Whether only the file says what is in it. Columns that are known from elsewhere are added row by row, and whose
/// file it is by its folder or its name is checked so.
fn is_plain(asked: &RowsRequest<'_>) -> bool {
    asked.added(&[]).is_empty() && asked.columns.known_customer(asked.given).is_none()
}

/// Whether lines of JSON are one statement: an envelope, or records of the customer that the caller gives.
fn is_document(bytes: &[u8], columns: &Columns, given: &[(String, String)]) -> bool {
    let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    match first_line(line, false) {
        Some(FirstLine::Envelope) => true,
        Some(FirstLine::Nameless) => columns.given_customer().is_some() && given.len() == 1,
        _ => false,
    }
}

fn read_document(
    bytes: &[u8],
    label: &str,
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, statement::Error> {
    columns.name_customer(read_json(bytes, label, reading).map_err(|wrong| advise_on_json_shape(wrong, bytes))?)
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
    let given = used
        .given(&label, partition_keys(&label))
        .map_err(|source| Error::Statement { path: path.to_owned(), source })?;
    let asked = RowsRequest { label: "", columns: used, given: &given, rows: &|_| true, memory: u64::MAX };
    // A pipe, for instance, does not allow random access.
    if file_extension_of(path) != "parquet" || !path.is_file() || !is_plain(&asked) {
        return read_statements(path, reading, columns).map(|statements| vec![work(statements)]);
    }
    refuse_log_table(path)?;
    let file = fs::File::open(path).map_err(|source| Error::io(path, source))?;
    read_parquet_parts(file, &label, reading, used, work)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })
}

/// What to do with a file that is not a statement by its extension.
fn kind_advice(path: &Path) -> String {
    let extension = file_extension_of(path);
    match by_ending(&extension) {
        Ending::Unread(what) | Ending::Aside(what) => what,
        _ if matches!(extension.as_str(), "gz" | "zst" | "zip" | "tar" | "tgz") => {
            "it is packed; unpack it first, or let `lendwright batch` read it as it is".to_owned()
        }
        _ => format!("unknown kind of file; {KNOWN}"),
    }
}

fn file_extension_of(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// What a file is, and its bytes. Refuses files that are not statements by their names or first bytes.
fn read_statement_file(path: &Path, columns: Option<&Columns>) -> Result<(FileContent, Vec<u8>), Error> {
    if path.is_dir() {
        return Err(Error::io(path, std::io::Error::other("it is a folder; name the files in it")));
    }
    let extension = file_extension_of(path);
    if !matches!(by_ending(&extension), Ending::Is(_) | Ending::Open) {
        return Err(Error::Kind { path: path.to_owned() });
    }
    refuse_log_table(path)?;
    let bytes = fs::read(path).map_err(|source| Error::io(path, source))?;
    let kind = kind_of_bytes(&extension, &bytes, columns)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })?;
    Ok((kind, bytes))
}

/// Whether a file is a table, so that a copy of it has the same rows of the same customers. Lines of JSON may be a
/// statement that names no customer.
pub fn is_table(path: &Path, columns: Option<&Columns>) -> bool {
    let extension = file_extension_of(path);
    let ending = by_ending(&extension);
    if let Ending::Is(FileContent::Table(format)) = ending
        && format != TableFormat::Lines
    {
        return true;
    }
    if !matches!(ending, Ending::Is(_) | Ending::Open) {
        return false;
    }
    let mut beginning = Vec::new();
    let read = fs::File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut beginning));
    if read.is_err() {
        return false;
    }
    let line = beginning.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    match by_ending_and_content(&extension, &beginning, columns) {
        Ok(FileContent::Table(TableFormat::Lines)) => matches!(first_line(line, false), Some(FirstLine::Named)),
        Ok(FileContent::Table(_)) => true,
        _ => false,
    }
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
