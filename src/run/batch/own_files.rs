//! The files that batches create. A batch removes no others, and writes into no folder that holds others.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::job::{OutputFormat, OutputTable};
use crate::run::whole_file::is_draft;

/// The checkpoint, below the folder of the work.
pub(crate) const CHECKPOINT: &str = "checkpoint.json";

/// The manifest, below the folder of the results.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Locked by the run that is in progress, below the folder of the work.
pub(crate) const LOCK: &str = "lock";

/// The list of the inputs, which is one of the results.
pub(crate) const INPUTS: &str = "inputs.ndjson";

/// The folder of sorted runs.
pub(crate) const RUNS: &str = "runs";

/// Every file of results that some run may have created.
pub(crate) fn all_results() -> Vec<String> {
    let formats = OutputFormat::ALL.map(OutputFormat::name);
    let tables = OutputTable::ALL.into_iter().flat_map(|table| formats.map(|format| result_file(table.name(), format)));
    [MANIFEST, INPUTS].map(str::to_owned).into_iter().chain(tables).collect()
}

/// The file of a table of results.
pub(crate) fn result_file(table: &str, format: &str) -> String {
    format!("{table}.{format}")
}

/// Whether runs create a file of this name below `work/`.
fn is_work(name: &str) -> bool {
    let rows =
        || name.strip_suffix(".rows").is_some_and(|name| OutputTable::ALL.iter().any(|table| table.name() == name));
    [LOCK, CHECKPOINT, "inputs.txt", "tables.json", "standard-input", RUNS].contains(&name)
        || rows()
        || is_member(name)
        || is_draft(name)
}

/// Whether the name is that of an extracted member of an archive: `member-`, 16 digits, `-`, a number.
fn is_member(name: &str) -> bool {
    let parts = name.strip_prefix("member-").and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(digest, index)| {
        digest.len() == 16
            && digest.bytes().all(|digit| digit.is_ascii_hexdigit())
            && !index.is_empty()
            && index.bytes().all(|digit| digit.is_ascii_digit())
    })
}

fn is_run(name: &str) -> bool {
    name.strip_prefix("run-")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Refuses a link, which may lead to somebody else's folder.
pub(crate) fn refuse_link(path: &Path) -> Result<(), Error> {
    // With a separator at the end, the link would be followed.
    let plain: PathBuf = path.components().collect();
    match fs::symlink_metadata(&plain).is_ok_and(|metadata| metadata.is_symlink()) {
        true => Err(Error::occupied(path, "it is a link: name the folder that it leads to, or choose another")),
        false => Ok(()),
    }
}

/// Refuses a folder `work` that no run created.
pub(crate) fn refuse_foreign_work(work: &Path) -> Result<(), Error> {
    refuse_link(work)?;
    let Ok(entries) = fs::read_dir(work) else { return Ok(()) };
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(Error::io(work))?;
    if names.is_empty() || names.iter().any(|name| name == LOCK) && names.iter().all(|name| is_work(name)) {
        return Ok(());
    }
    let other = names.iter().find(|name| !is_work(name)).or(names.first()).map(String::as_str).unwrap_or_default();
    Err(Error::occupied(
        work,
        &format!("it holds `{other}`, which no batch made: move it away, or choose another folder"),
    ))
}

/// Refuses a folder that holds anything but shards, `work` and hidden files: results need a folder of their own.
pub(crate) fn refuse_foreign_results(path: &Path) -> Result<(), Error> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(wrong) if wrong.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(wrong) => return Err(Error::io(path)(wrong)),
    };
    let mut others = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(path))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_shard = name.starts_with("shard-") && name.contains("-of-") && entry.path().is_dir();
        if name != "work" && !name.starts_with('.') && !is_shard {
            others.push(name);
        }
    }
    others.sort();
    match others.first() {
        None => Ok(()),
        Some(other) => Err(Error::occupied(
            path,
            &format!("it holds `{other}`, which no checkpoint mentions: move it away, or choose a new folder"),
        )),
    }
}

/// Creates a folder for sorted runs below `temp`, which others may use too: only its owner can open it, and its name is
/// drawn, so that no one can put something in its place.
pub(crate) fn make_temp_folder(temp: &Path) -> Result<PathBuf, Error> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("lendwright-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir_in(temp).map(tempfile::TempDir::keep).map_err(Error::io(temp))
}

/// Whether this is still the folder that an earlier run made: no link, closed to others, and of the one to whom `lock`
/// belongs.
#[cfg(unix)]
pub(crate) fn is_own_temp_folder(folder: &Path, lock: &fs::File) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (fs::symlink_metadata(folder), lock.metadata()) {
        (Ok(folder), Ok(lock)) => folder.is_dir() && folder.mode() & 0o077 == 0 && folder.uid() == lock.uid(),
        _ => false,
    }
}

/// Whether this is still a folder.
#[cfg(not(unix))]
pub(crate) fn is_own_temp_folder(folder: &Path, _: &fs::File) -> bool {
    fs::symlink_metadata(folder).is_ok_and(|folder| folder.is_dir())
}

/// Removes what a killed run did not write to its end.
pub(crate) fn remove_drafts(folder: &Path) -> Result<(), Error> {
    for entry in fs::read_dir(folder).map_err(Error::io(folder))? {
        let entry = entry.map_err(Error::io(folder))?;
        if is_draft(&entry.file_name().to_string_lossy()) {
            remove_if_present(&entry.path())?;
        }
    }
    Ok(())
}

/// Removes a file, if it exists.
pub(crate) fn remove_if_present(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(wrong) if wrong.kind() != io::ErrorKind::NotFound => Err(Error::io(path)(wrong)),
        _ => Ok(()),
    }
}

/// Removes the files of runs from a folder of work, except those in `kept`.
pub(crate) fn remove_work_files(work: &Path, kept: &[&str]) -> Result<(), Error> {
    for entry in fs::read_dir(work).map_err(Error::io(work))? {
        let entry = entry.map_err(Error::io(work))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if kept.contains(&name.as_str()) || !is_work(&name) {
            continue;
        }
        let path = entry.path();
        match name == RUNS && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => remove_runs(&path).map_err(Error::io(&path))?,
            false => remove_if_present(&path)?,
        }
    }
    Ok(())
}

/// Removes sorted runs, and their folder if nothing else is in it.
pub(crate) fn remove_runs(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_run(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_dir(folder) {
        Err(wrong) if wrong.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        other => other,
    }
}
