//! The header of a table: alternative names of columns, and why a name is missing. Must not read rows.

use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, show};
use crate::statement::tables::columns_file::Columns;
use crate::text_search::suggest::nearest;

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

/// The error for a table that has no column with this name.
pub(crate) fn absent(columns: &Columns, header: &[&str], column: Column, name: &str) -> Error {
    let meaning = column.name();
    let means = if meaning == name { String::new() } else { format!(", which the columns file calls `{meaning}`") };
    let help = match nearest(name, header.iter().copied()) {
        Some(near) => format!("; did you mean `{}`?", show(near)),
        None => odd_header(columns, header).map(|what| format!("; {what}")).unwrap_or_default(),
    };
    Error::columns(format!("the table has no column `{}`{means}{help}", show(name)))
}

/// The error for a table that lacks a column that `skip` reads.
pub(crate) fn absent_from_skip(header: &[&str], name: &str) -> Error {
    let help = match nearest(name, header.iter().copied()) {
        Some(near) => format!("; did you mean `{}`?", show(near)),
        None => String::new(),
    };
    Error::columns(format!("the table has no column `{}`, which `skip` of the columns file reads{help}", show(name)))
}

/// Why this is no header, or that of another kind of table. The message does not quote its names, because they may be a
/// row with personal data.
fn odd_header(columns: &Columns, header: &[&str]) -> Option<String> {
    let first = header.first().copied().unwrap_or_default();
    if first.trim_start().to_ascii_lowercase().starts_with("sep=") {
        return Some(
            "its first line is a note on separators for spreadsheets: remove it, so that the header comes first".into(),
        );
    }
    let separators = [(';', "semicolons"), ('\t', "tabs"), ('|', "bars")];
    let mut apart = separators.iter().filter(|(separator, _)| first.contains(*separator));
    if let ([_], Some((_, separators))) = (header, apart.next()) {
        return Some(format!(
            "its header is one column with {separators} in it: columns must be separated by commas; export it that way"
        ));
    }
    let needed = [Column::Customer, Column::TransDate, Column::Credit, Column::Amount];
    let mut wanted = needed.iter().flat_map(|column| columns.names_of(*column));
    let none = !wanted.any(|name| header.contains(&name));
    none.then(|| "it also has none of the other required columns: the first line must be its header".into())
}
