//! Sources that are tables: a CSV file with a row for each key, read again when it changes. A broken file leaves the
//! last good one in force.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Map, Value as Json};

use super::asker::SourceFault;
use super::question::{Question, plain_text};

/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The largest file.
const FILE_BYTES_MAX: u64 = 512 << 20;

/// A table. Clones share what was read.
#[derive(Clone)]
pub(super) struct TableAsker {
    path: PathBuf,
    key: String,
    columns: Vec<String>,
    state: Arc<Mutex<TableState>>,
}

struct TableState {
    rows: Arc<Rows>,
    /// Size and time of the file that was read, or was refused.
    seen: (u64, Option<SystemTime>),
    looked: Instant,
}

/// The wanted cells of each key.
type Rows = HashMap<String, Vec<String>>;

impl TableAsker {
    /// Reads the file.
    pub(super) fn new(path: &Path, key: &str, columns: Vec<String>) -> Result<TableAsker, String> {
        let seen = look_at(path)?;
        let rows = Arc::new(read_rows(path, key, &columns)?);
        let state = Arc::new(Mutex::new(TableState { rows, seen, looked: Instant::now() }));
        Ok(TableAsker { path: path.to_owned(), key: key.to_owned(), columns, state })
    }

    pub(super) async fn ask(&self, question: &Question) -> Result<Json, SourceFault> {
        let own = self.clone();
        let rows = tokio::task::spawn_blocking(move || own.current_rows()).await;
        let rows = rows.map_err(|_| SourceFault::transient("cannot be read"))?;
        let key = question.send.get(&self.key).map(plain_text).unwrap_or_default();
        let row = rows.get(key.trim()).ok_or_else(SourceFault::not_found)?;
        let cells = self.columns.iter().zip(row).map(|(column, cell)| (column.clone(), Json::from(cell.as_str())));
        Ok(Json::Object(cells.collect::<Map<_, _>>()))
    }

    fn current_rows(&self) -> Arc<Rows> {
        // A poisoned lock is usable: rows are replaced as a whole.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() < LOOK_EVERY {
            return Arc::clone(&state.rows);
        }
        state.looked = Instant::now();
        let path = self.path.display();
        match look_at(&self.path) {
            Ok(seen) if seen == state.seen => {}
            Ok(seen) => {
                state.seen = seen;
                match read_rows(&self.path, &self.key, &self.columns) {
                    Ok(rows) => state.rows = Arc::new(rows),
                    Err(problem) => tracing::error!("the last good `{path}` stays in use, because the file {problem}"),
                }
            }
            Err(problem) => tracing::error!("the last good `{path}` stays in use, because the file {problem}"),
        }
        Arc::clone(&state.rows)
    }
}

fn look_at(path: &Path) -> Result<(u64, Option<SystemTime>), String> {
    let found = std::fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    match found.len() > FILE_BYTES_MAX {
        true => Err("is larger than 512 MB".to_owned()),
        false => Ok((found.len(), found.modified().ok())),
    }
}

fn read_rows(path: &Path, key: &str, columns: &[String]) -> Result<Rows, String> {
    let file = std::fs::File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut text = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut text).map_err(|error| format!("cannot be read: {error}"))?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let header = reader.headers().map_err(|error| csv_problem(&error))?.clone();
    let place = |name: &str| {
        let mut found = header.iter().enumerate().filter(|(_, column)| *column == name);
        match (found.next(), found.next()) {
            (Some((place, _)), None) => Ok(place),
            (None, _) => Err(format!("has no column `{name}`")),
            (Some(_), Some(_)) => Err(format!("has the column `{name}` twice")),
        }
    };
    let key = place(key)?;
    let wanted = columns.iter().map(|column| place(column)).collect::<Result<Vec<_>, _>>()?;
    // A file that is still being written may end within a cell.
    if !text.ends_with(b"\n") {
        return Err("does not end with the end of a line".to_owned());
    }
    let mut rows = Rows::new();
    for record in reader.records() {
        let record = record.map_err(|error| csv_problem(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let cell = |place: &usize| record.get(*place).unwrap_or_default().to_owned();
        let name = cell(&key);
        if name.is_empty() {
            return Err(format!("has no key in line {line}"));
        }
        // Either row could be the right one.
        if rows.insert(name, wanted.iter().map(cell).collect()).is_some() {
            return Err(format!("has the key of line {line} twice"));
        }
    }
    Ok(rows)
}

/// The place of a mistake; the message of the reader may repeat cells.
fn csv_problem(error: &csv::Error) -> String {
    let line = error.position().map(csv::Position::line);
    line.map_or("is not CSV".to_owned(), |line| format!("is not CSV as of line {line}: rows differ in length"))
}
