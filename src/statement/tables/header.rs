//! The header of a table: alternative names of columns, and why a name is missing. Must not read rows.

use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::columns_file::Columns;

/// The product's own columns, and the paths under which programs export them from the provider's records.
pub(crate) const NESTED: [(Column, &str); 8] = [
    (Column::Desc, "notes.desc"),
    (Column::Topics, "notes.topics"),
    (Column::People, "notes.people"),
    (Column::Places, "notes.places"),
    (Column::Actions, "notes.actions"),
    (Column::Subjects, "notes.subjects"),
    (Column::Prepositions, "notes.preopositions"),
    (Column::Prepositions, "notes.prepositions"),
];

/// At most this many names are listed.
const LISTED: usize = 12;

/// The error for a table that has no column with this name.
pub(crate) fn missing_column_error(columns: &Columns, header: &[&str], column: Column, name: &str) -> Error {
    let meaning = column.name();
    if columns.declared && column == Column::Customer && !columns.names.contains_key(meaning) {
        return Error::columns(CUSTOMER_UNKNOWN);
    }
    let means = if meaning == name { String::new() } else { format!(", which the columns file calls `{meaning}`") };
    let help = match suggest_near_name(name, header.iter().copied()) {
        Some(near) => format!("; did you mean `{}`?", show_source_text(near)),
        // A line without any of the wanted names may be a row with personal data, which is not quoted.
        None if wanted_names(columns).iter().any(|name| header.contains(name)) => {
            format!("; its columns are {}", list_column_names(header))
        }
        None => "; it also has none of the other required columns".to_owned(),
    };
    let whose = match columns.declared || column != Column::Customer {
        true => "",
        false => "; if all records are of one customer, say --customer NAME",
    };
    Error::columns(format!("the table has no column `{}`{means}{help}{whose}", show_source_text(name)))
}

/// What to do if a columns file names no customer.
const CUSTOMER_UNKNOWN: &str = "nothing says whose records these are: name the column under [columns] as `customer`, \
    or say --customer NAME, keep the file in a folder such as customer=K1, or declare under [customer] \
    from = \"file_name\" or after = \"Account:\", a label above the header";

/// The names of the columns that a table must have.
pub(crate) fn wanted_names(columns: &Columns) -> Vec<&str> {
    let is_wanted =
        |column: &Column| columns.declared || matches!(column, Column::Customer | Column::TransDate | Column::Credit);
    Column::all().filter(is_wanted).flat_map(|column| columns.names_of(column)).collect()
}

/// Names of columns for a message.
pub(crate) fn list_column_names(names: &[&str]) -> String {
    let filled: Vec<&&str> = names.iter().filter(|name| !name.trim().is_empty()).collect();
    let shown: Vec<String> = filled.iter().take(LISTED).map(|name| format!("`{}`", show_source_text(name))).collect();
    match filled.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        others => format!("{} and {others} others", shown.join(", ")),
    }
}

/// The error for a table that lacks a column that `skip` reads.
pub(crate) fn absent_from_skip(header: &[&str], name: &str) -> Error {
    let help = match suggest_near_name(name, header.iter().copied()) {
        Some(near) => format!("; did you mean `{}`?", show_source_text(near)),
        None => String::new(),
    };
    Error::columns(format!(
        "the table has no column `{}`, which `skip` of the columns file reads{help}",
        show_source_text(name)
    ))
}
