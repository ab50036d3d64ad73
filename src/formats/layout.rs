//! How a table is laid out in a text or a sheet, as `[file]` of a columns file declares it. Must not know columns.

use serde::Deserialize;

/// Where the table is within a file, and how its text is written. By default: UTF-8, commas, the header first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Layout {
    /// What separates the fields of a CSV: one character, or `tab`. A line `sep=;` of the file counts too.
    pub(crate) delimiter: Option<String>,
    /// `utf-8`, `utf-16` or `windows-1252`.
    pub(crate) encoding: Option<String>,
    /// How many lines stand before the header.
    pub(crate) skip_lines: Option<u32>,
    /// Instead: the header is the first line that has all of these names.
    pub(crate) header: Vec<String>,
    /// Lines that begin with this mark are no rows.
    pub(crate) comment: Option<String>,
    /// A row whose first filled cell begins with one of these ends the table.
    pub(crate) footer: Vec<String>,
    /// The sheet of a workbook; by default its only one.
    pub(crate) sheet: Option<String>,
}

impl Layout {
    /// A file that declares nothing.
    pub(crate) const DEFAULT: Layout = Layout {
        delimiter: None,
        encoding: None,
        skip_lines: None,
        header: Vec::new(),
        comment: None,
        footer: Vec::new(),
        sheet: None,
    };
}
