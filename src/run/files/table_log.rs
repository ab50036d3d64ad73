//! Detects tables whose log lists the files that count (Delta, Iceberg, Hudi, Paimon, Spark's streaming sink), or that
//! have folders of changes (Hive ACID). Reading their files one by one would count rows that were removed or replaced,
//! so such tables are refused.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

const SPARK_SINK: &str = "a Spark streaming";
const HIVE_ACID: &str = "a Hive ACID";

/// A table with a log, and its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogTable {
    pub(crate) folder: PathBuf,
    format: &'static str,
}

impl LogTable {
    /// The kind of table, and what to do with it.
    pub(crate) fn advice(&self) -> String {
        let format = self.format;
        if format == HIVE_ACID {
            return format!(
                "{format} table: its folders `delta_` and `delete_delta_` change rows of the others, which is not \
                 supported; export the table as Parquet, CSV or NDJSON into a folder of its own, or read it by Hive"
            );
        }
        format!(
            "{format} table: its log says which of its files count, and the log is not read; export the table as \
             Parquet, CSV or NDJSON into a folder of its own, or read it by Spark"
        )
    }

    /// Why files in it are refused.
    pub(crate) fn refusal(&self) -> String {
        format!("{} is {}", self.folder.display(), self.advice())
    }
}

/// The table in this folder, recognized by what the folder contains.
pub(crate) fn log_table(folder: &Path) -> Option<LogTable> {
    let is_iceberg = || {
        fs::read_dir(folder.join("metadata")).is_ok_and(|mut entries| {
            entries.any(|entry| entry.is_ok_and(|entry| is_iceberg_metadata(&entry.file_name().to_string_lossy())))
        })
    };
    let format = if folder.join("_delta_log").is_dir() {
        "a Delta"
    } else if folder.join(".hoodie").is_dir() {
        "a Hudi"
    } else if folder.join("_spark_metadata").is_dir() {
        SPARK_SINK
    } else if folder.file_name().is_some_and(|name| is_acid(&name.to_string_lossy())) {
        let folder = folder.parent().unwrap_or(folder);
        return Some(LogTable { folder: folder.to_owned(), format: HIVE_ACID });
    } else if folder.join("snapshot").is_dir() && folder.join("schema").join("schema-0").is_file() {
        "a Paimon"
    } else if is_iceberg() {
        "an Iceberg"
    } else {
        return None;
    };
    Some(LogTable { folder: folder.to_owned(), format })
}

/// The Hive ACID table in this folder, recognized by the names of its subfolders.
pub(crate) fn acid_table(folder: &Path, names: &[OsString]) -> Option<LogTable> {
    let is_part = |name: &OsString| is_acid(&name.to_string_lossy()) && folder.join(name).is_dir();
    names.iter().any(is_part).then(|| LogTable { folder: folder.to_owned(), format: HIVE_ACID })
}

/// The table that a file or folder belongs to. Resolves links first.
pub(crate) fn log_table_around(path: &Path) -> Option<LogTable> {
    let path = path.canonicalize().ok()?;
    path.ancestors().filter(|folder| folder.is_dir()).find_map(log_table)
}

/// The table whose log contains this member of an archive, recognized by the member's name.
pub(crate) fn log_table_of_member(name: &str) -> Option<LogTable> {
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    let (last, folders) = parts.split_last()?;
    let at = |wanted: &dyn Fn(usize, &str) -> Option<&'static str>| {
        folders.iter().enumerate().find_map(|(at, folder)| Some((at, wanted(at, folder)?)))
    };
    let (depth, format) = at(&|at, folder| match folder {
        "_delta_log" => Some("a Delta"),
        ".hoodie" => Some("a Hudi"),
        "_spark_metadata" => Some(SPARK_SINK),
        name if is_acid(name) => Some(HIVE_ACID),
        "schema" if *last == "schema-0" && at + 1 == folders.len() => Some("a Paimon"),
        "metadata" if is_iceberg_metadata(last) && at + 1 == folders.len() => Some("an Iceberg"),
        _ => None,
    })?;
    Some(LogTable { folder: folders.iter().take(depth).collect(), format })
}

/// Whether this is the name of a folder in a Hive ACID table: `base_0000001`, `delta_0000002_0000002_0000` or
/// `delete_delta_0000003_0000003_0000`.
fn is_acid(name: &str) -> bool {
    let is_number = |part: Option<&str>| {
        part.is_some_and(|part| part.len() >= 7 && part.bytes().all(|digit| digit.is_ascii_digit()))
    };
    let delta = name.strip_prefix("delete_").unwrap_or(name).strip_prefix("delta_");
    match (delta, name.strip_prefix("base_")) {
        (Some(numbers), _) => {
            let mut numbers = numbers.split('_');
            is_number(numbers.next()) && is_number(numbers.next())
        }
        (None, Some(number)) => is_number(number.split('_').next()),
        (None, None) => false,
    }
}

fn is_iceberg_metadata(name: &str) -> bool {
    name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_recognized_by_their_names() {
        for (name, expected) in [
            ("tb/_delta_log/00000000000000000000.json", "a Delta tb"),
            ("./_delta_log/_last_checkpoint", "a Delta "),
            ("lake/tb/.hoodie/hoodie.properties", "a Hudi lake/tb"),
            ("tb/metadata/00001-a.metadata.json", "an Iceberg tb"),
            ("tb\\metadata\\v2.metadata.json.gz", "an Iceberg tb"),
            ("tb/schema/schema-0", "a Paimon tb"),
            ("tb/_spark_metadata/0", "a Spark streaming tb"),
            ("tb/day=1/delta_0000002_0000002_0000/bucket_00000", "a Hive ACID tb/day=1"),
            ("tb/delete_delta_0000003_0000003_0000/bucket_00000", "a Hive ACID tb"),
            ("tb/base_0000001/x.csv", "a Hive ACID tb"),
            ("tb/base_0000001_v0000012/x.csv", "a Hive ACID tb"),
            ("tb/base_2024/delta_1/x.csv", ""),
            ("tb/metadata/deep/v2.metadata.json", ""),
            ("tb/data/part.parquet", ""),
            ("_delta_log", ""),
        ] {
            let table = log_table_of_member(name);
            let found = table.map(|table| format!("{} {}", table.format, table.folder.display())).unwrap_or_default();
            assert_eq!(found, expected, "{name}");
        }
    }
}
