//! Where a portfolio's metrics come from: a file, or a frame in memory. Knows no formula, only its key.

use std::collections::BTreeMap;

use polars::prelude::DataFrame;

use super::Book;
use crate::engine::decision::MetricSource;
use crate::rules::node_keys::NodeKey;

/// Columns of a table on disk, read when they are needed.
pub struct FileSource {
    keys: BTreeMap<NodeKey, String>,
    book: Book,
}

impl FileSource {
    pub(crate) fn new(book: Book) -> FileSource {
        FileSource { keys: book.keys(), book }
    }
}

impl MetricSource for FileSource {
    fn has(&self, key: NodeKey) -> bool {
        self.keys.contains_key(&key)
    }

    fn load(&self, keys: &[NodeKey]) -> Result<DataFrame, String> {
        self.book.columns(&column_names_of_keys(&self.keys, keys)?).map_err(|error| error.to_string())
    }
}

/// Columns in memory.
pub struct MemorySource {
    pub frame: DataFrame,
    pub keys: BTreeMap<NodeKey, String>,
}

impl MetricSource for MemorySource {
    fn has(&self, key: NodeKey) -> bool {
        self.keys.contains_key(&key)
    }

    fn load(&self, keys: &[NodeKey]) -> Result<DataFrame, String> {
        self.frame.select(column_names_of_keys(&self.keys, keys)?).map_err(|error| error.to_string())
    }
}

fn column_names_of_keys<'k>(known: &'k BTreeMap<NodeKey, String>, keys: &[NodeKey]) -> Result<Vec<&'k str>, String> {
    let name = |key: &NodeKey| known.get(key).map(String::as_str).ok_or_else(|| format!("no column has the key {key}"));
    keys.iter().map(name).collect()
}
