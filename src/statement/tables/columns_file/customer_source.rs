//! Where a file of one customer names that customer, if no column does. Must not read a file.

use serde::Deserialize;

use crate::statement::base::error::{Error, show};
use crate::statement::tables::columns_file::Columns;

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

/// The customer that is named above the header, with the name of its column, if the file declares one and the table has
/// no such column. `cell_after` gives the cell after a label.
pub(crate) fn customer_above(
    columns: &Columns,
    names: &[&str],
    cell_after: impl FnOnce(&str) -> Option<String>,
) -> Result<Option<(String, String)>, Error> {
    let Some(CustomerSource::After(label)) = &columns.customer else { return Ok(None) };
    let Some(name) = columns.customer_names().into_iter().find(|name| !names.contains(name)) else { return Ok(None) };
    match cell_after(label) {
        Some(customer) => Ok(Some((name.to_owned(), customer))),
        None => Err(Error::columns(format!(
            "[customer] after = \"{}\": above the header, no cell has this text and a text after it",
            show(label)
        ))),
    }
}
