//! Where a file of one customer names that customer, if no column does. Must not read a file.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text, tell_names_apart};
use crate::statement::cells::identity::spell_name;
use crate::statement::columns_file::Columns;

/// `[customer]` of a columns file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum CustomerSource {
    /// `from = "file_name"`, `"folder"`, `"file_name_in_any_folder"` or `"folder_in_any_folder"`.
    From(FromFile),
    /// `after = "Account:"`: the cell after this label, above the header.
    After(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FromFile {
    /// The file's name without its ending. Two folders that share one may hold the files of two people.
    FileName,
    /// The same, where one name is one customer in whatever folder: a folder for each month.
    FileNameInAnyFolder,
    /// The name of the folder: a folder for each customer. Two folders of one name may be of two people.
    Folder,
    /// The same, where one name is one customer wherever the folder is.
    FolderInAnyFolder,
}

impl FromFile {
    /// The customer of a file.
    fn name(self, label: &str) -> Option<&str> {
        match self {
            FromFile::FileName | FromFile::FileNameInAnyFolder => Some(file_stem(label)),
            FromFile::Folder | FromFile::FolderInAnyFolder => folder_name(label),
        }
    }
}

/// The customer that is named above the header, with the name of its column, if the file declares one and no other
/// column has it. `added` are the columns that are known from elsewhere; a customer among them must be the same.
/// `cells_after` gives the cells after a label, once for each place of it.
pub(crate) fn customer_above(
    columns: &Columns,
    names: &[&str],
    added: &[(String, String)],
    cells_after: impl FnOnce(&str) -> Vec<String>,
) -> Result<Option<(String, String)>, Error> {
    let Some(CustomerSource::After(label)) = &columns.customer else { return Ok(None) };
    let Some(name) = columns.customer_names().into_iter().find(|name| !names.contains(name)) else { return Ok(None) };
    let given = added.iter().find(|(known, _)| known == name).map(|(_, customer)| customer);
    let cells = cells_after(label);
    // One of several texts is the customer's if the caller says so.
    if given.is_some_and(|given| cells.iter().any(|cell| spell_name(cell) == spell_name(given))) {
        return Ok(None);
    }
    let mut others = cells.iter().skip(1);
    if let Some((one, other)) =
        cells.first().and_then(|one| Some((one, others.find(|other| spell_name(other) != spell_name(one))?)))
    {
        return Err(Error::columns(format!(
            "[customer] after = \"{}\": above the header, `{}` and `{}` follow this label, and only one of them can \
             name the customer; declare a label that occurs once, or say --customer NAME",
            show_source_text(label),
            show_source_text(one),
            show_source_text(other)
        )));
    }
    match (cells.into_iter().next(), given) {
        (Some(customer), Some(given)) if spell_name(&customer) != spell_name(given) => Err(Error::columns(format!(
            "the file names customer `{}` after `{}`, but it is said to be of `{}`{}",
            show_source_text(&customer),
            show_source_text(label),
            show_source_text(given),
            tell_names_apart(&customer, given)
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
            Some(CustomerSource::From(from)) => from.name(label),
            Some(CustomerSource::After(_)) | None => None,
        };
        let by_name = by_name.filter(|stem| !matches!(*stem, "" | "-")).map(spell_name);
        let customer = match (&self.given_customer, &self.customer) {
            (Some(customer), _) => Some(customer.clone()),
            (None, Some(CustomerSource::From(FromFile::Folder | FromFile::FolderInAnyFolder))) if by_name.is_none() => {
                return Err(Error::columns(
                    "[customer] from = \"folder\": the path names no folder around the file; name it with its folder, \
                     or say --customer NAME",
                ));
            }
            (None, Some(CustomerSource::From(_))) if by_name.is_none() => {
                return Err(Error::columns(
                    "[customer] from = \"file_name\": standard input has no file name; say --customer NAME",
                ));
            }
            (None, _) => by_name,
        };
        match (customer, by_folder) {
            (Some(customer), Some(folder)) if customer != spell_name(&folder) => Err(Error::columns(format!(
                "the folder names customer `{}`, but the file is said to be of `{}`{}",
                show_source_text(&folder),
                show_source_text(&customer),
                tell_names_apart(&folder, &customer)
            ))),
            (Some(customer), None) => {
                given.push((name, customer));
                Ok(given)
            }
            _ => Ok(given),
        }
    }

    /// Refuses files or folders of one name in different folders, where that name is the customer's: they may be of two
    /// people.
    pub(crate) fn refuse_shared_file_names<'l>(&self, labels: impl IntoIterator<Item = &'l str>) -> Result<(), Error> {
        let (from, shared) = match self.customer {
            Some(CustomerSource::From(from @ FromFile::FileName)) => (
                from,
                [
                    "file_name",
                    "have one name in two folders",
                    "say from = \"folder\" if each folder is a customer, or from = \"file_name_in_any_folder\" if a \
                     name is the same customer in every folder",
                ],
            ),
            Some(CustomerSource::From(from @ FromFile::Folder)) => (
                from,
                [
                    "folder",
                    "are in two folders of one name",
                    "say from = \"folder_in_any_folder\" if a folder's name is the same customer wherever it is",
                ],
            ),
            _ => return Ok(()),
        };
        if self.given_customer.is_some() {
            return Ok(());
        }
        let mut seen: BTreeMap<String, &str> = BTreeMap::new();
        for label in labels {
            let Some(name) = from.name(label) else { continue };
            let first = *seen.entry(spell_name(name)).or_insert(label);
            if folder_path(first) != folder_path(label) {
                let [kind, what, way] = shared;
                return Err(Error::columns(format!(
                    "[customer] from = \"{kind}\": `{}` and `{}` {what}, and may be of two people; {way}",
                    show_source_text(first),
                    show_source_text(label)
                )));
            }
        }
        Ok(())
    }

    /// The customer whose every row of a file must be, as its folder or its name says. What the caller says is checked
    /// by [`Columns::check_customer`].
    pub(crate) fn known_customer(&self, given: &[(String, String)]) -> Option<String> {
        let names = self.customer_names();
        let is_customer = |name: &str| names.contains(&name) || name == Column::Customer.name();
        let (_, customer) = given.iter().find(|(name, _)| is_customer(name))?;
        let customer = spell_name(customer);
        (self.given_customer.as_ref() != Some(&customer)).then_some(customer)
    }

    /// Refuses a row of another customer than the one whose every file is.
    pub(crate) fn check_customer(&self, customer: &str) -> Result<(), String> {
        match &self.given_customer {
            Some(given) if given != customer => Err(format!(
                "customer `{}` in a file that is said to be of customer `{}`{}",
                show_source_text(customer),
                show_source_text(given),
                tell_names_apart(customer, given)
            )),
            _ => Ok(()),
        }
    }
}

/// The folders around a file; of a member of an archive, with the archive.
fn folder_path(label: &str) -> &str {
    let label = label.trim_start_matches("./");
    label.rfind(['/', '\\', '!']).map_or("", |end| label.get(..end).unwrap_or_default())
}

/// The name of the folder around a file; of a member of an archive, of the member's folder.
fn folder_name(label: &str) -> Option<&str> {
    let within = label.rsplit('!').next().unwrap_or(label);
    let folder = within.rsplit(['/', '\\']).nth(1)?;
    Some(folder).filter(|folder| !matches!(*folder, "" | "." | ".."))
}

/// The name of a file without its folders and endings; of a member of an archive, the member's.
fn file_stem(label: &str) -> &str {
    let name = label.rsplit(['/', '\\', '!']).next().unwrap_or(label);
    let packed = [".gz", ".zst", ".zstd"].into_iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    packed.rsplit_once('.').map_or(packed, |(stem, _)| stem)
}
