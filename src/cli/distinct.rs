//! Finds files that are named more than once, by any path.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::base::digest::Digest;
use crate::run::files::{FileId, digest_file, partition_keys};
use crate::statement::Columns;

/// Columns and values from folder names.
type Keys = Vec<(String, String)>;

/// A path to a file that was named before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) path: PathBuf,
    pub(super) first: PathBuf,
    /// Whether it is another file with the same bytes.
    pub(super) is_copy: bool,
}

/// The distinct files in their order, and the repeats. For paths that `by_content` accepts, a file with equal bytes is
/// a repeat too. Files with different keys in their folder names are distinct, and so are those whose names give
/// different customers.
pub(super) fn distinct_input_files<'p>(
    paths: &'p [PathBuf],
    columns: Option<&Columns>,
    by_content: impl Fn(&Path) -> bool,
) -> (Vec<&'p Path>, Vec<Repeat>) {
    let keys = |path: &Path| {
        let label = path.to_string_lossy();
        let keys = partition_keys(&label);
        // The reader reports what is wrong with them.
        columns.and_then(|columns| columns.given(&label, keys.clone()).ok()).unwrap_or(keys)
    };
    let (mut distinct, mut repeats) = (Vec::new(), Vec::new());
    let mut files: HashMap<(FileId, Keys), &Path> = HashMap::new();
    let mut sizes: HashMap<u64, Vec<Content<'_>>> = HashMap::new();
    for path in paths.iter().map(PathBuf::as_path) {
        // The reader reports what is wrong with this one.
        let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
            distinct.push(path);
            continue;
        };
        let id = (FileId::from_parts(path, &metadata), keys(path));
        if let Some(first) = files.get(&id) {
            repeats.push(Repeat { path: path.to_owned(), first: first.to_path_buf(), is_copy: false });
            continue;
        }
        if by_content(path) && metadata.len() > 0 {
            let others = sizes.entry(metadata.len()).or_default();
            let mut own = Content { path, digest: None };
            let mut same_keys = others.iter_mut().filter(|other| keys(other.path) == id.1);
            if let Some(first) = same_keys.find_map(|other| other.is_same(&mut own).then_some(other.path)) {
                repeats.push(Repeat { path: path.to_owned(), first: first.to_owned(), is_copy: true });
                continue;
            }
            others.push(own);
        }
        files.insert(id, path);
        distinct.push(path);
    }
    (distinct, repeats)
}

/// The content of a file. Its digest is computed at most once, and only if another file has the same size.
struct Content<'p> {
    path: &'p Path,
    /// `None` until computed, `Some(None)` if the file cannot be read.
    digest: Option<Option<Digest>>,
}

impl Content<'_> {
    fn digest(&mut self) -> Option<Digest> {
        *self.digest.get_or_insert_with(|| digest_file(self.path).ok())
    }

    fn is_same(&mut self, other: &mut Content<'_>) -> bool {
        self.digest().is_some_and(|own| other.digest() == Some(own))
    }
}
