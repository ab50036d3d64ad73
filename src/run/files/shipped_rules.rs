//! The rule files that ship with lendwright, compiled in so that it can decide without a clone of the project.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The folder that they seem to lie in. No file on a disk is read under this name.
const FOLDER: &str = "lendwright:rules";

/// The path under which a shipped file is read, whatever files and folders there are.
pub(crate) fn shipped_rules_path(name: &str) -> PathBuf {
    Path::new(FOLDER).join(name)
}

macro_rules! texts_of_rules {
    ($($name:literal),* $(,)?) => { &[$(($name, include_str!(concat!("../../../rules/", $name)))),*] };
}

const FILES: &[(&str, &str)] = texts_of_rules!(
    "markets/ghana.toml",
    "markets/india.toml",
    "markets/kenya.toml",
    "markets/nigeria.toml",
    "markets/south-africa.toml",
    "markets/united-kingdom.toml",
    "markets/united-states.toml",
    "metrics.toml",
    "salary-advance.toml",
    "small-business.toml",
    "starter.toml",
    "words.toml",
    "words/ghana.toml",
    "words/india.toml",
    "words/kenya.toml",
    "words/south-africa.toml",
    "words/united-kingdom.toml",
    "words/united-states.toml",
);

/// The policies among them, by the names that people give.
const POLICIES: [&str; 3] = ["salary-advance", "small-business", "starter"];

/// The file of the policy that ships under this name; the path itself where it names none, or where there is such a
/// file or folder.
pub(super) fn resolve_shipped_policy(path: &Path) -> Cow<'_, Path> {
    let name = path.to_str().filter(|name| POLICIES.contains(name) && !path.exists());
    name.map_or(Cow::Borrowed(path), |name| Cow::Owned(shipped_rules_path(&format!("{name}.toml"))))
}

/// The text of a file in the folder of shipped files; `None` if the path lies elsewhere.
pub(super) fn read_shipped_rules(path: &Path) -> Option<std::io::Result<&'static str>> {
    let mut within = PathBuf::new();
    for part in path.strip_prefix(FOLDER).ok()?.components() {
        match part {
            // `markets/kenya.toml` uses `../metrics.toml`.
            Component::ParentDir => drop(within.pop()),
            part => within.push(part),
        }
    }
    let found = FILES.iter().find(|(name, _)| Path::new(name) == within);
    Some(found.map(|(_, text)| *text).ok_or_else(|| std::io::Error::other("no such file ships with lendwright")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::files::load_policy;

    #[test]
    fn every_rule_file_ships() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
        let mut names = Vec::new();
        for part in ["", "markets", "words"] {
            for entry in std::fs::read_dir(folder.join(part)).expect("the folder") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(&folder).expect("it lies within").to_str().expect("UTF-8").to_owned();
                if name.ends_with(".toml") && !name.ends_with(".cases.toml") {
                    names.push(name);
                }
            }
        }
        names.sort();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }

    #[test]
    fn each_policy_is_the_one_of_its_file() {
        for name in POLICIES {
            let shipped = load_policy(name, &[]).expect("it ships");
            let path = format!("{}/rules/{name}.toml", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(shipped.digest(), load_policy(path, &[]).expect("it lies there").digest());
        }
        assert!(load_policy("metrics", &[]).is_err());
    }
}
