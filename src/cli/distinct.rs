//! Files that were named more than once, under whatever name. Must not know what is in them.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::files::{FileId, partition_keys as keys};
use crate::words::digest::{Digest, Hasher};

/// What folders say: columns and their values.
type Keys = Vec<(String, String)>;

/// A file that was named before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Again {
    pub(super) path: PathBuf,
    pub(super) first: PathBuf,
    /// Whether it is a file of its own with the same bytes.
    pub(super) is_copy: bool,
}

/// The files in their order, each once; and what was named again. Of those that `by_content` picks, equal bytes are the same too. Where the
/// folders say different things, the rows are not the same.
pub(super) fn distinct(paths: &[PathBuf], by_content: impl Fn(&Path) -> bool) -> (Vec<&Path>, Vec<Again>) {
    let (mut once, mut again) = (Vec::new(), Vec::new());
    let mut files: HashMap<(FileId, Keys), &Path> = HashMap::new();
    let mut sizes: HashMap<u64, Vec<&Path>> = HashMap::new();
    for path in paths.iter().map(PathBuf::as_path) {
        // What cannot be looked at is told by whoever reads it.
        let Ok(metadata) =
            fs::metadata(path).map_err(drop).and_then(|found| found.is_file().then_some(found).ok_or(()))
        else {
            once.push(path);
            continue;
        };
        let said = keys(&path.to_string_lossy());
        let id = (FileId::from_parts(path, &metadata), said);
        if let Some(first) = files.get(&id) {
            again.push(Again { path: path.to_owned(), first: first.to_path_buf(), is_copy: false });
            continue;
        }
        if by_content(path) && metadata.len() > 0 {
            let others = sizes.entry(metadata.len()).or_default();
            if let Some(first) = others.iter().find(|other| is_copy(other, path, &id.1)) {
                again.push(Again { path: path.to_owned(), first: first.to_path_buf(), is_copy: true });
                continue;
            }
            others.push(path);
        }
        files.insert(id, path);
        once.push(path);
    }
    (once, again)
}

fn is_copy(other: &Path, path: &Path, said: &[(String, String)]) -> bool {
    let same = || Ok::<_, io::Error>(digest(other)? == digest(path)?);
    keys(&other.to_string_lossy()) == said && same().unwrap_or(false)
}

fn digest(path: &Path) -> io::Result<Digest> {
    let (mut file, mut hasher, mut buffer) = (File::open(path)?, Hasher::new(), vec![0; 1 << 16]);
    loop {
        let read = io::Read::read(&mut file, &mut buffer)?;
        if read == 0 {
            return Ok(hasher.finish());
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
    }
}
