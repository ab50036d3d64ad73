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

/// The files in their order, each once; and what was named again. Of those that `by_content` picks, equal bytes are the
/// same too. Where the folders say different things, the rows are not the same.
pub(super) fn distinct(paths: &[PathBuf], by_content: impl Fn(&Path) -> bool) -> (Vec<&Path>, Vec<Again>) {
    let (mut once, mut again) = (Vec::new(), Vec::new());
    let mut files: HashMap<(FileId, Keys), &Path> = HashMap::new();
    let mut sizes: HashMap<u64, Vec<Other<'_>>> = HashMap::new();
    for path in paths.iter().map(PathBuf::as_path) {
        // Its reader reports what is wrong with it.
        let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
            once.push(path);
            continue;
        };
        let id = (FileId::from_parts(path, &metadata), keys(&path.to_string_lossy()));
        if let Some(first) = files.get(&id) {
            again.push(Again { path: path.to_owned(), first: first.to_path_buf(), is_copy: false });
            continue;
        }
        if by_content(path) && metadata.len() > 0 {
            let others = sizes.entry(metadata.len()).or_default();
            let mut own = Other { path, digest: None };
            let mut alike = others.iter_mut().filter(|other| keys(&other.path.to_string_lossy()) == id.1);
            if let Some(first) = alike.find_map(|other| other.is_same(&mut own).then_some(other.path)) {
                again.push(Again { path: path.to_owned(), first: first.to_owned(), is_copy: true });
                continue;
            }
            others.push(own);
        }
        files.insert(id, path);
        once.push(path);
    }
    (once, again)
}

/// A file whose content is looked at where another has its size, once.
struct Other<'p> {
    path: &'p Path,
    /// Nothing until it was asked for; nothing within where the file cannot be read.
    digest: Option<Option<Digest>>,
}

impl Other<'_> {
    fn digest(&mut self) -> Option<Digest> {
        *self.digest.get_or_insert_with(|| digest(self.path).ok())
    }

    fn is_same(&mut self, other: &mut Other<'_>) -> bool {
        self.digest().is_some_and(|own| other.digest() == Some(own))
    }
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
