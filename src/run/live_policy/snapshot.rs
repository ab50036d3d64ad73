//! Snapshots of the files of a policy, by digest, to detect changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Error;
use crate::base::digest::Digest;
use crate::rules::Policies;
use crate::run::files::{digest_rules, load_policies_with, read_rules, rule_files};

/// How many times a load is attempted if the files change meanwhile.
const ATTEMPTS: usize = 3;

/// Digests of files. `None` if a file cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// The rule files of a folder, to notice files that are added or removed.
    listed: Option<Vec<PathBuf>>,
    files: BTreeMap<PathBuf, Option<Digest>>,
}

impl Snapshot {
    /// The same files as they are now, and files that are new in the folder.
    pub(super) fn retake(&self, path: &Path) -> Snapshot {
        let listed = rule_files(path).ok();
        let now = |file: &PathBuf| (file.clone(), digest_rules(file).ok());
        let files = self.files.keys().chain(listed.iter().flatten()).map(now).collect();
        Snapshot { listed, files }
    }

    /// Whether this snapshot has every file of the other one.
    pub(super) fn covers(&self, other: &Snapshot) -> bool {
        other.files.keys().all(|file| self.files.contains_key(file))
    }

    /// Whether a file in both snapshots has other content, or the folder has other files.
    pub(super) fn differs(&self, other: &Snapshot) -> bool {
        let differs = |(file, digest): (_, _)| other.files.get(file).is_some_and(|other| other != digest);
        self.listed != other.listed || self.files.iter().any(differs)
    }
}

/// Loads the policies at `path`, from files that did not change during the load. The snapshot is returned even if the
/// load fails.
pub(super) fn load_with_snapshot(path: &Path, overrides: &[(String, String)]) -> (Result<Policies, Error>, Snapshot) {
    let mut snapshot = Snapshot::default();
    for _ in 0..ATTEMPTS {
        snapshot = Snapshot { listed: rule_files(path).ok(), files: BTreeMap::new() };
        let loaded = load_policies_with(path, overrides, &mut |file| {
            // First, so that a file that changes in between is noticed by the next look.
            snapshot.files.insert(file.to_owned(), digest_rules(file).ok());
            read_rules(file)
        });
        if !snapshot.retake(path).differs(&snapshot) {
            return (loaded.map_err(Error::Policy), snapshot);
        }
    }
    (Err(Error::Changing(path.to_owned())), snapshot)
}
