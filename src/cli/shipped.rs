//! The columns files that are compiled into the program, and the starter policy that demonstrations decide by.

use crate::rules::Policy;
use crate::run::files::{PolicyError, load_policy, read_rules, shipped_rules_path};

/// The columns files for the answers of aggregators and banks, by name.
const COLUMNS: [(&str, &str); 9] = [
    ("account-aggregator-in", include_str!("../../rules/columns/account-aggregator-in.toml")),
    ("belvo", include_str!("../../rules/columns/belvo.toml")),
    ("berlin-group", include_str!("../../rules/columns/berlin-group.toml")),
    ("mono", include_str!("../../rules/columns/mono.toml")),
    ("open-banking-uk", include_str!("../../rules/columns/open-banking-uk.toml")),
    ("plaid", include_str!("../../rules/columns/plaid.toml")),
    ("stitch", include_str!("../../rules/columns/stitch.toml")),
    ("truelayer", include_str!("../../rules/columns/truelayer.toml")),
    ("yodlee", include_str!("../../rules/columns/yodlee.toml")),
];

/// The columns file with this name, if one ships.
pub(crate) fn shipped_columns_file(name: &str) -> Option<&'static str> {
    COLUMNS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// The names of the columns files that ship.
pub(crate) fn columns_names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().map(|(name, _)| *name)
}

/// The files of the starter policy, by name.
pub(crate) fn starter_files() -> std::io::Result<Vec<(&'static str, String)>> {
    let named = |name| Ok((name, read_rules(&shipped_rules_path(name))?));
    ["starter.toml", "metrics.toml", "words.toml"].into_iter().map(named).collect()
}

/// The starter policy, also where there is a file or folder of this name.
pub(crate) fn compile_starter_policy() -> Result<Policy, PolicyError> {
    load_policy(shipped_rules_path("starter.toml"), &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::Columns;

    #[test]
    fn each_columns_file_is_found_by_its_name() {
        for name in columns_names() {
            let text = shipped_columns_file(name).expect("a columns file");
            assert_eq!(Columns::parse(text).map(|_| ()), Ok(()), "{name}");
        }
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/columns")).expect("the folder");
        assert_eq!(folder.count(), columns_names().count(), "a columns file is not compiled in");
        assert!(columns_names().is_sorted());
        assert_eq!(shipped_columns_file("plaid.toml"), None);
    }
}
