//! Where a file of one customer names that customer, if no column does. Must not read a file.

use serde::Deserialize;

use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::columns_file::Columns;

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

/// The customer that is named above the header, with the name of its column, if the file declares one and no other
/// column has it. `added` are the columns that are known from elsewhere; a customer among them must be the same.
/// `cell_after` gives the cell after a label.
pub(crate) fn customer_above(
    columns: &Columns,
    names: &[&str],
    added: &[(String, String)],
    cell_after: impl FnOnce(&str) -> Option<String>,
) -> Result<Option<(String, String)>, Error> {
    let Some(CustomerSource::After(label)) = &columns.customer else { return Ok(None) };
    let Some(name) = columns.customer_names().into_iter().find(|name| !names.contains(name)) else { return Ok(None) };
    let given = added.iter().find(|(known, _)| known == name).map(|(_, customer)| customer);
    match (cell_after(label), given) {
        (Some(customer), Some(given)) if customer.trim() != given.trim() => Err(Error::columns(format!(
            "the file names customer `{}` after `{}`, but it is said to be of `{}`",
            show_source_text(&customer),
            show_source_text(label),
            show_source_text(given)
        ))),
        (_, Some(_)) => Ok(None),
        (Some(customer), None) => Ok(Some((name.to_owned(), customer))),
        (None, None) => Err(Error::columns(format!(
            "[customer] after = \"{}\": above the header, no cell has this text and a text after it",
            show_source_text(label)
        ))),
    }
}

impl Columns {
    /// The values that are known of every row of a file from elsewhere: `keys` of its folders, and its customer, as the
    /// caller or the file's name says.
    pub(crate) fn given(&self, label: &str, keys: Vec<(String, String)>) -> Result<Vec<(String, String)>, Error> {
        let mut given = keys;
        let name = self.customer_names().first().map_or(Column::Customer.name(), |name| name).to_owned();
        let by_folder = given.iter().find(|(key, _)| *key == name).map(|(_, customer)| customer.clone());
        let by_name = match self.customer {
            Some(CustomerSource::From(FromFile::FileName)) => Some(file_stem(label)),
            Some(CustomerSource::After(_)) | None => None,
        };
        let by_name = by_name.filter(|stem| !matches!(*stem, "" | "-"));
        let customer = match (&self.given_customer, &self.customer) {
            // What a file says of itself goes first where the command only takes one customer out of many.
            (Some(_), Some(CustomerSource::After(_))) if self.allows_others => None,
            (Some(customer), _) if self.allows_others => Some(by_name.unwrap_or(customer).to_owned()),
            (Some(customer), _) => Some(customer.clone()),
            (None, Some(CustomerSource::From(FromFile::FileName))) if by_name.is_none() => {
                return Err(Error::columns(
                    "[customer] from = \"file_name\": standard input has no file name; say --customer NAME",
                ));
            }
            (None, _) => by_name.map(str::to_owned),
        };
        match (customer, by_folder) {
            (Some(customer), Some(folder)) if customer != folder && !self.allows_others => {
                Err(Error::columns(format!(
                    "the folder names customer `{}`, but the file is said to be of `{}`",
                    show_source_text(&folder),
                    show_source_text(&customer)
                )))
            }
            (Some(customer), None) => {
                given.push((name, customer));
                Ok(given)
            }
            _ => Ok(given),
        }
    }

    /// The customer whose every row of a file must be, as its folder or its name says. What the caller says is checked
    /// by [`Columns::check_customer`].
    pub(crate) fn known_customer<'g>(&self, given: &'g [(String, String)]) -> Option<&'g str> {
        let names = self.customer_names();
        let is_customer = |name: &str| names.contains(&name) || name == Column::Customer.name();
        let (_, customer) = given.iter().find(|(name, _)| is_customer(name))?;
        (self.given_customer.as_ref() != Some(customer)).then_some(customer.trim())
    }

    /// Refuses a row of another customer than the one whose every file is.
    pub(crate) fn check_customer(&self, customer: &str) -> Result<(), String> {
        match &self.given_customer {
            Some(given) if given != customer && !self.allows_others => Err(format!(
                "customer `{}` in a file that is said to be of customer `{}`",
                show_source_text(customer),
                show_source_text(given)
            )),
            _ => Ok(()),
        }
    }
}

/// The name of a file without its folders and endings; of a member of an archive, the member's.
fn file_stem(label: &str) -> &str {
    let name = label.rsplit(['/', '\\', '!']).next().unwrap_or(label);
    let packed = [".gz", ".zst", ".zstd"].into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    packed.rsplit_once('.').map_or(packed, |(stem, _)| stem)
}
