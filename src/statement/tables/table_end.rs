//! Where a table ends, as `footer` of a columns file declares: what comes after must not be records.

use crate::base::date::Zone;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::cells::cell::Cell;
use crate::statement::formats::layout::is_blank;
use crate::statement::rows::collector::Places;
use crate::statement::tables::row_mapper::RowMapper;

/// Follows the rows of a table to its end.
pub(crate) struct TableEnd {
    footer: Vec<String>,
    /// The mark that ended the table, and its row.
    ended: Option<(String, u32)>,
}

impl TableEnd {
    pub(crate) fn new(footer: &[String]) -> TableEnd {
        TableEnd { footer: footer.to_vec(), ended: None }
    }

    /// Whether a footer is declared. Otherwise every row is part of the table.
    pub(crate) fn is_declared(&self) -> bool {
        !self.footer.is_empty()
    }

    /// What is to be said of a table in which the declared end was not found.
    pub(crate) fn unfound(&self) -> Option<String> {
        let is_unfound = self.is_declared() && self.ended.is_none();
        let marks: Vec<String> = self.footer.iter().map(|mark| format!("`{}`", show_source_text(mark))).collect();
        is_unfound.then(|| {
            format!(
                "no row begins with {}, which [file] footer declares as the end: the file may be cut off",
                marks.join(" or ")
            )
        })
    }

    /// Whether the row belongs to the table. Refuses a record at its end and after it.
    pub(crate) fn includes(
        &mut self,
        cells: &[Cell<'_>],
        (places, ordinal): (&Places, u32),
        mapper: &RowMapper<'_>,
        zone: &Zone,
    ) -> Result<bool, Error> {
        if !self.is_declared() {
            return Ok(true);
        }
        if let Some((mark, row)) = &self.ended {
            return match mapper.is_dated(cells, zone) {
                false => Ok(false),
                true => Err(Error::table(format!(
                    "{}: it has a date, but `{}` in {} ended the table, as [file] footer declares; declare a longer \
                     text that only the last line has, or leave such rows out with `skip`",
                    places.name(ordinal),
                    show_source_text(mark),
                    places.name(*row)
                ))),
            };
        }
        let first = cells.iter().find(|cell| !matches!(cell, Cell::Null | Cell::Text("")) && !is_blank_text(cell));
        let Some(Cell::Text(first)) = first else { return Ok(true) };
        let mut marks = self.footer.iter().map(|mark| mark.trim());
        let Some(mark) = marks.find(|mark| first.trim().starts_with(mark)) else { return Ok(true) };
        if mapper.is_dated(cells, zone) && mapper.moves_money(cells) {
            return Err(Error::table(format!(
                "{}: it begins with `{}`, which [file] footer declares as the table's end, but it has a date and an \
                 amount as a record has; declare a longer text, or leave such rows out with `skip`",
                places.name(ordinal),
                show_source_text(mark)
            )));
        }
        self.ended = Some((mark.to_owned(), ordinal));
        Ok(false)
    }
}

fn is_blank_text(cell: &Cell<'_>) -> bool {
    matches!(cell, Cell::Text(text) if is_blank(text))
}
