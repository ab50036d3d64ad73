//! Lists the rule files below the folders of a workspace. Reads no file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::mapping::uri_to_path;

/// More rule files than a workspace has. Each is searched when a name is changed.
const FILES_MAX: usize = 2_000;

/// How deep folders are searched.
const DEPTH_MAX: usize = 8;

/// Limits the search if the workspace is a whole disk.
const ENTRIES_MAX: usize = 100_000;

/// The folders in the editor's `initialize` request.
pub(super) fn workspace_folders(initialize: &Value) -> Vec<PathBuf> {
    let folders = initialize["workspaceFolders"].as_array().into_iter().flatten().map(|folder| &folder["uri"]);
    let uris = folders.chain([&initialize["rootUri"]]).filter_map(Value::as_str);
    let mut roots: Vec<PathBuf> = uris.filter_map(|uri| Some(uri_to_path(&uri.parse().ok()?).into())).collect();
    roots.sort();
    roots.dedup();
    roots
}

/// The TOML files below the roots, and the TOML files directly in `folder`.
///
/// # Errors
/// If there are more files than are searched, so that a use could be missed.
pub(super) fn rule_files(roots: &[PathBuf], folder: &Path) -> Result<Vec<String>, String> {
    let mut found = BTreeSet::new();
    let mut entries = 0;
    let below = roots.iter().map(|root| (root.clone(), 0));
    let mut folders: Vec<(PathBuf, usize)> = below.chain([(folder.to_owned(), DEPTH_MAX)]).collect();
    while let Some((folder, depth)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            entries += 1;
            let path = entry.path();
            // Links to folders are not followed: they may lead back.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if depth < DEPTH_MAX && !is_skipped(&path) {
                    folders.push((path, depth + 1));
                }
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                found.insert(path.to_string_lossy().into_owned());
            }
            if found.len() > FILES_MAX || entries > ENTRIES_MAX {
                return Err(format!(
                    "the workspace has more than {FILES_MAX} TOML files, or {ENTRIES_MAX} files in all, so a use could \
                     be missed; open a smaller folder"
                ));
            }
        }
    }
    Ok(found.into_iter().collect())
}

/// Whether this is a hidden folder, or one that tools create.
fn is_skipped(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') || name == "target" || name == "node_modules"
}
