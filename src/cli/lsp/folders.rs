//! The rule files of a workspace: those below its folders. Reads names of files, and none of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::mapping::path_of;

/// More rule files than anyone keeps; each is looked at when a name changes.
const FILES_MAX: usize = 2_000;

/// So deep are folders looked into.
const DEPTH_MAX: usize = 8;

/// A workspace that is a whole disk would be walked for minutes.
const ENTRIES_MAX: usize = 100_000;

/// The folders that the editor's greeting names.
pub(super) fn roots(greeting: &Value) -> Vec<PathBuf> {
    let folders = greeting["workspaceFolders"].as_array().into_iter().flatten().map(|folder| &folder["uri"]);
    let named = folders.chain([&greeting["rootUri"]]).filter_map(Value::as_str);
    let mut roots: Vec<PathBuf> = named.filter_map(|uri| Some(path_of(&uri.parse().ok()?).into())).collect();
    roots.sort();
    roots.dedup();
    roots
}

/// The TOML files below the roots, and those right in `home`, the folder of the file that is spoken of.
///
/// # Errors
/// Where there are more than are looked through: one of them could be missed.
pub(super) fn rule_files(roots: &[PathBuf], home: &Path) -> Result<Vec<String>, String> {
    let mut found = BTreeSet::new();
    let mut entries = 0;
    let below = roots.iter().map(|root| (root.clone(), 0));
    let mut folders: Vec<(PathBuf, usize)> = below.chain([(home.to_owned(), DEPTH_MAX)]).collect();
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            let path = entry.path();
            // A link to a folder is none: it may lead back.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth < DEPTH_MAX && !is_passed_over(&path) {
                    folders.push((path, depth + 1));
                }
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                found.insert(path.to_string_lossy().into_owned());
            }
            if found.len() > FILES_MAX || entries > ENTRIES_MAX {
                return Err(format!(
                    "the workspace has more than {FILES_MAX} TOML files, or {ENTRIES_MAX} files in all, so a use could be \
                     missed; open a smaller folder"
                ));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Hidden folders, and what tools put there.
fn is_passed_over(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "target" || name == "node_modules"
}
