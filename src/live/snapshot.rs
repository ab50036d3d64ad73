//! What was read of which files for a policy, so that a later look can tell whether they say the same. Must not know what rule files mean.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Error;
use crate::files::{policies_by, read_rules, rule_files};
use crate::rules::Policies;
use crate::words::digest::Digest;

/// How often a load begins anew because the files changed under it.
const TRIES: usize = 3;

/// Files by their content; nothing for one that cannot be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// The rule files of a folder: one that comes later was not read.
    listed: Option<Vec<PathBuf>>,
    files: BTreeMap<PathBuf, Option<Digest>>,
}

impl Seen {
    /// The same files as they are now, and those that are new in the folder.
    pub(super) fn again(&self, path: &Path) -> Seen {
        let listed = rule_files(path).ok();
        let now = |file: &PathBuf| (file.clone(), read_rules(file).ok().map(|text| Digest::compute(text.as_bytes())));
        let files = self.files.keys().chain(listed.iter().flatten()).map(now).collect();
        Seen { listed, files }
    }

    /// Whether it has looked at every file that the other has.
    pub(super) fn knows(&self, other: &Seen) -> bool {
        other.files.keys().all(|file| self.files.contains_key(file))
    }

    /// Whether a file that both know says something else, or the folder holds others.
    pub(super) fn differs(&self, other: &Seen) -> bool {
        let differs = |(file, said): (_, _)| other.files.get(file).is_some_and(|also| also != said);
        self.listed != other.listed || self.files.iter().any(differs)
    }
}

/// Loads what stands at `path`, from files that said the same before and after it; and what was seen of them, whether or not a policy came of it.
pub(super) fn load(path: &Path, overrides: &[(String, String)]) -> (Result<Policies, Error>, Seen) {
    let mut seen = Seen::default();
    for _ in 0..TRIES {
        seen = Seen { listed: rule_files(path).ok(), files: BTreeMap::new() };
        let loaded = policies_by(path, overrides, &mut |file| {
            let text = read_rules(file);
            seen.files.insert(file.to_owned(), text.as_ref().ok().map(|text| Digest::compute(text.as_bytes())));
            text
        });
        if !seen.again(path).differs(&seen) {
            return (loaded.map_err(Error::Policy), seen);
        }
    }
    (Err(Error::Changing(path.to_owned())), seen)
}
