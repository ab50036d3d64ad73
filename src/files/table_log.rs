//! Tables that keep a log of which of their files count (Delta, Iceberg, Hudi, Paimon). Read as loose files they would
//! count rows that were removed or replaced long ago, so they are refused by name. Must not know what the logs say.

use std::fs;
use std::path::{Path, PathBuf};

/// A table with a log, and the folder it is in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogTable {
    pub(crate) folder: PathBuf,
    format: &'static str,
}

impl LogTable {
    /// What it is, and what to do.
    pub(crate) fn advice(&self) -> String {
        let format = self.format;
        format!(
            "{format} table: its log says which of its files count, and the log is not read; export the table as Parquet, CSV or NDJSON \
             into a folder of its own, or read it by Spark"
        )
    }

    /// Why what lies in it is refused.
    pub(crate) fn refusal(&self) -> String {
        format!("{} is {}", self.folder.display(), self.advice())
    }
}

/// The table whose folder this is.
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
    } else if folder.join("snapshot").is_dir() && folder.join("schema").join("schema-0").is_file() {
        "a Paimon"
    } else if is_iceberg() {
        "an Iceberg"
    } else {
        return None;
    };
    Some(LogTable { folder: folder.to_owned(), format })
}

/// The table that a file or folder lies in, however its path is written.
pub(crate) fn log_table_around(path: &Path) -> Option<LogTable> {
    let path = path.canonicalize().ok()?;
    path.ancestors().filter(|folder| folder.is_dir()).find_map(log_table)
}

/// The table whose log an archive's member belongs to, by the member's name.
pub(crate) fn log_table_of_member(name: &str) -> Option<LogTable> {
    let parts: Vec<&str> = name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").collect();
    let (last, folders) = parts.split_last()?;
    let at = |wanted: &dyn Fn(usize, &str) -> Option<&'static str>| {
        folders.iter().enumerate().find_map(|(at, folder)| Some((at, wanted(at, folder)?)))
    };
    let (depth, format) = at(&|at, folder| match folder {
        "_delta_log" => Some("a Delta"),
        ".hoodie" => Some("a Hudi"),
        "schema" if *last == "schema-0" && at + 1 == folders.len() => Some("a Paimon"),
        "metadata" if is_iceberg_metadata(last) && at + 1 == folders.len() => Some("an Iceberg"),
        _ => None,
    })?;
    Some(LogTable { folder: folders.iter().take(depth).collect(), format })
}

fn is_iceberg_metadata(name: &str) -> bool {
    name.ends_with(".metadata.json") || name.ends_with(".metadata.json.gz")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_known_by_their_names() {
        for (name, found) in [
            ("tb/_delta_log/00000000000000000000.json", "a Delta tb"),
            ("./_delta_log/_last_checkpoint", "a Delta "),
            ("lake/tb/.hoodie/hoodie.properties", "a Hudi lake/tb"),
            ("tb/metadata/00001-a.metadata.json", "an Iceberg tb"),
            ("tb\\metadata\\v2.metadata.json.gz", "an Iceberg tb"),
            ("tb/schema/schema-0", "a Paimon tb"),
            ("tb/metadata/deep/v2.metadata.json", ""),
            ("tb/data/part.parquet", ""),
            ("_delta_log", ""),
        ] {
            let table = log_table_of_member(name);
            let told = table.map(|table| format!("{} {}", table.format, table.folder.display())).unwrap_or_default();
            assert_eq!(told, found, "{name}");
        }
    }
}
