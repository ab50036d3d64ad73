//! Where a file of one customer names that customer, if no column does. Must not read a file.

use serde::Deserialize;

/// `[customer]` of a columns file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum CustomerSource {
    /// `from = "file_name"`: the file's name without its ending.
    From(FromFile),
    /// `after = "Account:"`: the cell after this label, above the header.
    After(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromFile {
    FileName,
}
