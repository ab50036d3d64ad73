//! Tables of numbers: aligned, sortable, and readable where a cell stands on a line of its own.

use maud::{Markup, html};

use crate::report::page::visible_text;
use crate::report::portfolio::numbers::{format_count, format_percent};

/// A cell, with the value that it is sorted by.
pub(super) struct PageCell {
    shown: Markup,
    sorted_by: Option<f64>,
    is_number: bool,
    /// Whether it may take several lines.
    wraps: bool,
}

impl PageCell {
    /// Text from outside.
    pub(super) fn text(text: &str) -> PageCell {
        PageCell { shown: html! { (visible_text(text)) }, sorted_by: None, is_number: false, wraps: true }
    }

    /// A name out of a rule, as code.
    pub(super) fn code(text: &str) -> PageCell {
        PageCell::markup(html! { code { (visible_text(text)) } })
    }

    pub(super) fn markup(shown: Markup) -> PageCell {
        PageCell { shown, sorted_by: None, is_number: false, wraps: true }
    }

    /// A number: the text to show, and the value to sort by.
    pub(super) fn number(shown: &str, sorted_by: f64) -> PageCell {
        PageCell { shown: html! { (visible_text(shown)) }, sorted_by: Some(sorted_by), is_number: true, wraps: false }
    }

    /// A number with words around it, which may take several lines.
    pub(super) fn words(shown: &str, sorted_by: f64) -> PageCell {
        PageCell { wraps: true, ..PageCell::number(shown, sorted_by) }
    }

    pub(super) fn count(number: u64) -> PageCell {
        PageCell::number(&format_count(number), number as f64)
    }

    pub(super) fn percent(share: Option<f64>) -> PageCell {
        share.map_or_else(PageCell::none, |share| PageCell::number(&format_percent(share), share))
    }

    /// No number, where there could be one.
    pub(super) fn none() -> PageCell {
        PageCell { shown: html! { "none" }, sorted_by: None, is_number: true, wraps: false }
    }

    /// The same cell, sorted by this value.
    pub(super) fn sorted(self, value: f64) -> PageCell {
        PageCell { sorted_by: Some(value), ..self }
    }
}

/// A table. The first cell of each row names the row.
pub(super) struct PageTable {
    /// What screen readers announce.
    name: String,
    columns: Vec<String>,
    rows: Vec<PageTableRow>,
    class: &'static str,
}

struct PageTableRow {
    cells: Vec<PageCell>,
    /// What a filter may choose it by.
    group: Option<String>,
}

impl PageTable {
    pub(super) fn new<T: Into<String>>(name: &str, columns: impl IntoIterator<Item = T>) -> PageTable {
        let columns = columns.into_iter().map(Into::into).collect();
        PageTable { name: name.to_owned(), columns, rows: Vec::new(), class: "" }
    }

    /// Lets readers sort it by any column, where scripts run.
    pub(super) fn sortable(self) -> PageTable {
        PageTable { class: "sortable", ..self }
    }

    pub(super) fn row(&mut self, cells: Vec<PageCell>) {
        self.rows.push(PageTableRow { cells, group: None });
    }

    pub(super) fn row_of(&mut self, group: &str, cells: Vec<PageCell>) {
        self.rows.push(PageTableRow { cells, group: Some(group.to_owned()) });
    }

    /// Whether the column at this place holds numbers.
    fn is_number(&self, at: usize) -> bool {
        self.rows.first().and_then(|row| row.cells.get(at)).is_some_and(|cell| cell.is_number)
    }

    pub(super) fn draw(&self) -> Markup {
        // A wide table scrolls by itself where it does not fit, also by keyboard.
        let is_wide = self.columns.len() > 3;
        html! {
            div.scroll tabindex=[is_wide.then_some("0")] role=[is_wide.then_some("group")]
                aria-label=[is_wide.then(|| visible_text(&self.name))] { (self.table()) }
        }
    }

    fn table(&self) -> Markup {
        html! {
            table class=[(!self.class.is_empty()).then_some(self.class)] {
                caption.away { (visible_text(&self.name)) }
                thead {
                    tr {
                        @for (at, title) in self.columns.iter().enumerate() {
                            th.r[self.is_number(at)] scope="col" { (visible_text(title)) }
                        }
                    }
                }
                tbody { @for row in &self.rows { (self.line(row)) } }
            }
        }
    }

    fn line(&self, row: &PageTableRow) -> Markup {
        html! {
            tr data-group=[row.group.as_deref().map(visible_text)] {
                @for (at, cell) in row.cells.iter().enumerate() {
                    @if at == 0 {
                        th scope="row" data-value=[cell.sorted_by] { (cell.shown) }
                    } @else {
                        @let title = self.columns.get(at).map(|title| visible_text(title));
                        @let wraps = cell.is_number && cell.wraps;
                        td.r[cell.is_number].wraps[wraps] data-is=[title] data-value=[cell.sorted_by] { (cell.shown) }
                    }
                }
            }
        }
    }
}
