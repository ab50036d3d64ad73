//! The features behind an editor: layout, schema, and the language server.

mod client;
mod fixes;
mod format;
mod protocol;
mod rename;
mod schema;
mod server;
mod typing;
mod values;

use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every TOML file below a folder of the project, sorted; columns files are not rule files.
fn toml_files(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.ends_with("columns") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml")
                && !path.to_string_lossy().ends_with(".columns.toml")
            {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
