//! Reads statements from files. The extension says which format. Must not know formats beyond their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::partitions::partition_keys;
use super::table_log::log_table_around;
use crate::statement::{
    self, Asked, Columns, FirstLine, LaidRow, Next, Reading, Statements, TableBytes, TableFormat, Tables, each_row,
    first_line, read_csv, read_json, read_ndjson_table, read_parquet, read_parquet_parts, statements_of,
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
    /// A columns file was given for a file that is not a table.
    #[error(
        "{}: a columns file goes with a table (.csv, .parquet, .ndjson), not with the provider's JSON",
        path.display()
    )]
    NotATable {
        /// The file.
        path: PathBuf,
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

/// Reads the statements of one file: `.json` (the provider's envelope, a list, or records line by line), `.ndjson` or
/// `.jsonl`, `.csv`, `.parquet`. The path becomes the statements' label.
pub fn read_statements(
    path: impl AsRef<Path>,
    reading: &Reading,
    columns: Option<&Columns>,
) -> Result<Statements, Error> {
    let path = path.as_ref();
    let (extension, bytes) = read_statement_file(path, columns)?;
    let label = path.to_string_lossy();
    let default_columns = Columns::default();
    let keys = partition_keys(&label);
    if let Some(format) = partitioned_format(&extension, &keys, columns, Some(&bytes)) {
        return read_partitioned(format, &bytes, (&label, &keys), reading, columns.unwrap_or(&default_columns))
            .map_err(|source| Error::Statement { path: path.to_owned(), source });
    }
    let read = match (extension.as_str(), columns) {
        ("csv" | "tsv", columns) => read_csv(&bytes, &label, reading, columns.unwrap_or(&default_columns)),
        ("parquet", columns) => read_parquet(bytes, &label, reading, columns.unwrap_or(&default_columns)),
        ("json", _) | (_, None) => read_json(&bytes, &label, reading),
        (_, Some(columns)) => read_ndjson_table(&bytes, &label, reading, columns),
    };
    read.map_err(|source| Error::Statement { path: path.to_owned(), source })
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
    // A pipe, for instance, does not allow random access.
    let keys = partition_keys(&path.to_string_lossy());
    let is_partitioned = partitioned_format(&extension(path), &keys, columns, None).is_some();
    if extension(path) != "parquet" || !path.is_file() || is_partitioned {
        return read_statements(path, reading, columns).map(|statements| vec![work(statements)]);
    }
    refuse_log_table(path)?;
    let file = fs::File::open(path).map_err(|source| Error::io(path, source))?;
    let default_columns = Columns::default();
    read_parquet_parts(file, &path.to_string_lossy(), reading, columns.unwrap_or(&default_columns), work)
        .map_err(|source| Error::Statement { path: path.to_owned(), source })
}

/// What to do with a file that is not a statement by its extension.
fn kind_advice(path: &Path) -> &'static str {
    match extension(path).as_str() {
        "gz" | "zst" | "zip" | "tar" | "tgz" => {
            "it is packed; unpack it first, or let `lendwright batch` read it as it is"
        }
        "xlsb" | "numbers" => "it is a workbook in another format; save it as XLSX or CSV",
        "pdf" => "it is a document for people; ask for the statement as CSV or JSON",
        _ => "unknown kind of file; name it .json, .ndjson, .csv or .parquet",
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
    if extension != "json" && TableFormat::from_ending(&extension).is_none() {
        return Err(Error::Kind { path: path.to_owned() });
    }
    if extension == "json" && columns.is_some() {
        return Err(Error::NotATable { path: path.to_owned() });
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

/// The format of a partitioned table: its folders, such as `customer=17`, are columns of it. `None` if the folders add
/// no column, or if the lines of the file are the provider's envelope.
fn partitioned_format(
    extension: &str,
    keys: &[(String, String)],
    columns: Option<&Columns>,
    bytes: Option<&[u8]>,
) -> Option<TableFormat> {
    let default_columns = Columns::default();
    let asked = Asked {
        label: "",
        columns: columns.unwrap_or(&default_columns),
        given: keys,
        rows: &|_| true,
        memory: u64::MAX,
    };
    if let Some(format) = TableFormat::from_ending(extension).filter(|format| format.is_read_whole()) {
        return Some(format);
    }
    if keys.is_empty() || asked.added(&[]).is_empty() {
        return None;
    }
    let is_envelope = || {
        let bytes = bytes.unwrap_or_default();
        let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        matches!(first_line(line, false), Some(FirstLine::Envelope))
    };
    match extension {
        "csv" | "tsv" => Some(TableFormat::Csv),
        "parquet" => Some(TableFormat::Parquet),
        "ndjson" | "jsonl" if columns.is_some() || !is_envelope() => Some(TableFormat::Lines),
        _ => None,
    }
}

/// Reads a table row by row, as a batch does, so that its folders mean the same.
fn read_partitioned(
    format: TableFormat,
    bytes: &[u8],
    (label, keys): (&str, &[(String, String)]),
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, statement::Error> {
    let asked = Asked { label, columns, given: keys, rows: &|_| true, memory: u64::MAX };
    let mut rows: Vec<(String, u32, Vec<u8>)> = Vec::new();
    let mut content = io::Cursor::new(bytes);
    let table = each_row(format, TableBytes::Seekable(&mut content), &asked, |row| {
        rows.push((row.customer.to_owned(), row.ordinal, row.bytes.to_vec()));
        Next::Row
    })?;
    rows.sort_by(|left, right| left.0.cmp(&right.0));
    let tables = Tables { tables: &[table], columns, reading, name_tables: false };
    let laid = rows.iter().map(|(_, ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(laid, &tables, |_| label.to_owned())
}

/// Reads a columns file.
pub fn read_columns(path: impl AsRef<Path>) -> Result<Columns, Error> {
    let path = path.as_ref();
    let text = fs::read_to_string(path).map_err(|source| Error::io(path, source))?;
    Columns::parse(&text).map_err(|source| Error::Statement { path: path.to_owned(), source })
}
