//! Maps a table's columns to the product's, and each row to a raw record.

use std::borrow::Cow;

use crate::base::date::Zone;
use crate::statement::base::column::{self, Column};
use crate::statement::base::error::{Error, Place, show_source_text};
use crate::statement::base::unread::Unread;
use crate::statement::cells::cell::Cell;
use crate::statement::cells::identity::cell_identity;
use crate::statement::columns_file::Columns;
use crate::statement::columns_file::period_source::added_name;
use crate::statement::normalize::raw_record::{Fault, RawRecord, fail_at_column};
use crate::statement::normalize::record::{NO_CUSTOMER, normalize_record};
use crate::statement::rows::builder::{Group, SEPARATOR, TableParts, TableShows};
use crate::statement::rows::collector::{Collector, Places};
use crate::statement::tables::header;

/// A column of the table: its index and its name.
#[derive(Clone, Debug)]
pub(crate) struct SourceColumn {
    pub(crate) at: usize,
    name: String,
}

/// The meaning of a table's columns.
pub(crate) struct RowMapper<'c> {
    pub(crate) columns: &'c Columns,
    pub(crate) values: [Option<SourceColumn>; column::VALUES],
    pub(crate) texts: [Vec<SourceColumn>; column::TEXTS],
    /// For each column, whether it is read.
    used: Vec<bool>,
    /// The number of unread columns that no columns file omits on purpose.
    pub(crate) unknown: u64,
    /// The names of unread columns.
    pub(crate) unread: Unread,
    /// The last row's texts that are not the text of a single cell.
    scratch: [String; column::TEXTS],
    /// How many of the last row's cells are placeholders.
    placeholders: u64,
    /// Whether the last row has a list that may want another separator.
    is_unsplit: bool,
    /// The places of the columns that `skip` reads.
    skip_places: Vec<usize>,
}

impl<'c> RowMapper<'c> {
    /// Finds the columns in a table's header.
    pub(crate) fn new(columns: &'c Columns, header: &[&str]) -> Result<RowMapper<'c>, Error> {
        RowMapper::with_added(columns, header, header.len())
    }

    /// As [`RowMapper::new`], where only the first `own` columns are in the file. Messages name no others.
    pub(crate) fn with_added(columns: &'c Columns, header: &[&str], own: usize) -> Result<RowMapper<'c>, Error> {
        let own = header.get(..own).unwrap_or(header);
        let find = |name: &str| {
            header.iter().position(|column| *column == name).map(|at| SourceColumn { at, name: name.to_owned() })
        };
        // Without a columns file, `notes.desc` and the like are found too, as in the provider's records.
        let find_text = |column: Column, name: &str| {
            let nested =
                || header::NESTED.iter().filter(|(known, _)| *known == column).find_map(|(_, path)| find(path));
            find(name).or_else(|| if columns.declared { None } else { nested() })
        };
        let required = |column: Column| {
            columns.declared || matches!(column, Column::Customer | Column::TransDate | Column::Credit)
        };
        let mut values = [const { None }; column::VALUES];
        for (slot, column) in values.iter_mut().zip(Column::VALUES) {
            for name in columns.names_of(column) {
                *slot = find(name);
                if slot.is_none() && required(column) {
                    return Err(header::missing_column_error(columns, own, column, name));
                }
            }
        }
        for (slot, column) in values.iter_mut().zip(Column::VALUES) {
            *slot = slot.take().or_else(|| added_name(column).and_then(find));
        }
        if !columns.declared {
            refuse_structs(header, &values)?;
        }
        let mut texts = [const { Vec::new() }; column::TEXTS];
        for (slot, column) in texts.iter_mut().zip(Column::TEXTS) {
            for name in columns.names_of(column) {
                match find_text(column, name) {
                    Some(source) => slot.push(source),
                    None if columns.declared => return Err(header::missing_column_error(columns, own, column, name)),
                    None => {}
                }
            }
        }
        let skip_places = match columns.skip.as_ref().map(|skip| skip.places(header)) {
            None => Vec::new(),
            Some(Ok(places)) => places,
            Some(Err(name)) => return Err(header::absent_from_skip(own, name)),
        };
        let is_used = |at: usize| {
            let mut sources = values.iter().flatten().chain(texts.iter().flatten());
            sources.any(|source| source.at == at) || skip_places.contains(&at)
        };
        let used: Vec<bool> = (0..header.len()).map(is_used).collect();
        let unknown = if columns.declared { 0 } else { used.iter().filter(|used| !**used).count() as u64 };
        let mut unread = Unread::default();
        // The keys of lines are listed for each of their meanings, and the first is read.
        let is_read = |name: &str| header.iter().zip(&used).any(|(known, used)| *used && *known == name);
        header.iter().filter(|name| !name.trim().is_empty() && !is_read(name)).for_each(|name| unread.add(name));
        Ok(RowMapper {
            columns,
            values,
            texts,
            used,
            unknown,
            unread,
            scratch: [const { String::new() }; column::TEXTS],
            placeholders: 0,
            is_unsplit: false,
            skip_places,
        })
    }

    /// Whether a line within a text of this column looks like a row of the table: it has enough fields, and a date in
    /// the date's column.
    pub(crate) fn reads_as_row(&self, column: usize, line: &str, delimiter: char, zone: &Zone) -> bool {
        let date = self.source(Column::TransDate).and_then(|source| line.split(delimiter).nth(source.at));
        let day = date.map(|text| Cell::Text(text.trim_matches('"')));
        day.is_some_and(|day| day.date(self.columns.patterns.get(Column::TransDate.name()), zone).is_some())
            && line.split(delimiter).count() > column
    }

    /// Whether a row has a date that can be read.
    pub(crate) fn is_dated(&self, cells: &[Cell<'_>], zone: &Zone) -> bool {
        let pattern = self.columns.patterns.get(Column::TransDate.name());
        let cell = match self.cell(cells, Column::TransDate) {
            Cell::Text(text) => Cell::Text(text.trim()),
            cell => cell,
        };
        cell.date(pattern, zone).is_some()
    }

    /// Whether a row has anything in a column of amounts.
    pub(crate) fn moves_money(&self, cells: &[Cell<'_>]) -> bool {
        [Column::Amount, Column::Credit, Column::Debit].iter().any(|column| self.cell(cells, *column) != Cell::Null)
    }

    /// Whether the column at this index is read.
    pub(crate) fn uses(&self, at: usize) -> bool {
        self.used.get(at) == Some(&true)
    }

    /// Whether `skip` reads the column at this index.
    pub(crate) fn is_read_by_skip(&self, at: usize) -> bool {
        self.skip_places.contains(&at)
    }

    /// The table's name of the column at this index, if it is read.
    pub(crate) fn name_at(&self, at: usize) -> &str {
        let sources = self.values.iter().flatten().chain(self.texts.iter().flatten());
        sources.filter(|source| source.at == at).map(|source| source.name.as_str()).next().unwrap_or("skip")
    }

    /// Refuses a column that is read and whose name occurs twice. Columns that are not read may repeat.
    pub(crate) fn refuse_repeated_names(&self, names: &[&str]) -> Result<(), Error> {
        let is_repeated =
            |(at, name): &(usize, &&str)| self.uses(*at) && names.iter().filter(|other| other == name).count() > 1;
        match names.iter().enumerate().find(is_repeated) {
            None => Ok(()),
            Some((_, name)) => Err(Error::columns(format!("the table has two columns `{}`", show_source_text(name)))),
        }
    }

    /// Whether the table has the order within a day.
    pub(crate) fn is_ordered(&self) -> bool {
        self.source(Column::Seq).is_some() || self.columns.order.is_some()
    }

    /// Whether the debits' column was declared, so that the absence of debits means that there were none.
    pub(crate) fn shows_debits(&self) -> bool {
        self.columns.declared && (self.source(Column::Amount).is_some() || self.source(Column::Debit).is_some())
    }

    /// Notes what this table adds to a statement. A table without a header may have any column.
    pub(crate) fn note_table(&self, has_header: bool, parts: &mut TableParts) {
        let has_debits = self.source(Column::Amount).is_some() || self.source(Column::Debit).is_some();
        let has_narrations = self.texts.get(Column::Desc.index()).is_some_and(|sources| !sources.is_empty());
        parts.add(TableShows {
            has_debits: has_debits || !has_header,
            has_narrations: has_narrations || !has_header,
            shows_debits: self.shows_debits(),
        });
    }

    pub(crate) fn source(&self, column: Column) -> Option<&SourceColumn> {
        if column.is_text() { None } else { self.values[column.index()].as_ref() }
    }

    /// The table's name for the column.
    fn name(&self, column: Column) -> &str {
        let text = || self.texts.get(column.index())?.first();
        let source = if column.is_text() { text() } else { self.source(column) };
        source.map_or(column.name(), |source| source.name.as_str())
    }

    /// The cell of a column. Null if it is a placeholder.
    fn cell<'t>(&self, cells: &[Cell<'t>], column: Column) -> Cell<'t> {
        let Some(source) = self.source(column) else { return Cell::Null };
        let cell = cells.get(source.at).copied().unwrap_or(Cell::Null);
        if is_value_missing(column, &cell).is_some() || self.is_empty_mark(&cell) { Cell::Null } else { cell }
    }

    /// Whether the columns file says that the cell means nothing.
    fn is_empty_mark(&self, cell: &Cell<'_>) -> bool {
        matches!(cell, Cell::Text(text) if self.columns.is_empty_mark(text))
    }

    /// Whether the columns file says that the row is no record.
    pub(crate) fn skips(&self, cells: &[Cell<'_>]) -> bool {
        let Some(skip) = &self.columns.skip else { return false };
        let cell = |at: usize| self.skip_places.get(at).and_then(|at| cells.get(*at)).copied().unwrap_or(Cell::Null);
        let cell = |at: usize| Some(cell(at)).filter(|cell| !self.is_empty_mark(cell)).unwrap_or(Cell::Null);
        skip.holds(cell, &self.columns.notation)
    }

    /// The customer of a row. `None` if it cannot be read, but the columns file says that the row is no record.
    pub(crate) fn customer_unless_skipped<'t>(
        &self,
        cells: &[Cell<'t>],
        places: &Places,
        ordinal: u32,
    ) -> Result<Option<Cow<'t, str>>, Error> {
        match self.customer(cells, places, ordinal) {
            Err(_) if self.skips(cells) => Ok(None),
            customer => customer.map(Some),
        }
    }

    /// The customer of a row.
    pub(crate) fn customer<'t>(
        &self,
        cells: &[Cell<'t>],
        places: &Places,
        ordinal: u32,
    ) -> Result<Cow<'t, str>, Error> {
        let what = match cell_identity(&self.cell(cells, Column::Customer)) {
            Ok(customer) if !customer.is_empty() => match self.columns.check_customer(&customer) {
                Ok(()) => return Ok(customer),
                Err(what) => what,
            },
            Ok(_) => NO_CUSTOMER.to_owned(),
            Err(what) => what.to_owned(),
        };
        let path = places.field(ordinal, &show_source_text(self.name(Column::Customer)));
        Err(Error::Value { place: Box::new(Place { path, byte: None, record: None }), what })
    }

    /// The index of the column with the customer.
    pub(crate) fn customer_at(&self) -> usize {
        // `new` refuses a table without it, and a columns file must name it.
        self.source(Column::Customer).expect("INVARIANT: each table has a column with the customer").at
    }

    /// Adds one row to the collector. False if the columns file says that it is no record.
    pub(crate) fn take(
        &mut self,
        cells: &[Cell<'_>],
        ordinal: u32,
        places: &Places,
        collector: &mut Collector<'_>,
    ) -> Result<bool, Error> {
        if self.skips(cells) {
            let [customer, account] =
                [Column::Customer, Column::Account].map(|column| cell_identity(&self.cell(cells, column)));
            collector.leave_out(&customer.unwrap_or_default(), &account.unwrap_or_default());
            return Ok(false);
        }
        let columns = self.columns;
        let mut row = MappedRow { mapper: self, cells };
        match normalize_record(&mut row, columns, collector, ordinal) {
            Ok(_) => Ok(true),
            Err(fault) => Err(row.located(*fault, places, ordinal)),
        }
    }

    /// The text of a column, if it is the text of a single cell.
    fn plain_text<'t>(columns: &Columns, sources: &[SourceColumn], cells: &[Cell<'t>]) -> Option<&'t str> {
        let [source] = sources else { return None };
        match cells.get(source.at) {
            Some(Cell::Text(text)) if columns.is_empty_mark(text) => None,
            Some(Cell::Text(text)) if Cell::Text(text).missing_text().is_none() => Some(text),
            _ => None,
        }
    }

    /// Fills the scratch texts. Returns how many cells are placeholders.
    fn write_texts(&mut self, cells: &[Cell<'_>]) -> Result<u64, Box<Fault>> {
        let mut placeholders = 0;
        self.is_unsplit = false;
        let separator = self.columns.separator();
        let texts = Column::TEXTS.into_iter().zip(&self.texts).zip(&mut self.scratch);
        for ((column, sources), scratch) in texts {
            if !column.is_list() && Self::plain_text(self.columns, sources, cells).is_some() {
                continue;
            }
            scratch.clear();
            for source in sources {
                let cell = cells.get(source.at).copied().unwrap_or(Cell::Null);
                if matches!(cell, Cell::Text(text) if self.columns.is_empty_mark(text)) {
                    continue;
                }
                if let Some(placeholder) = cell.missing_text() {
                    placeholders += u64::from(placeholder);
                    continue;
                }
                if !scratch.is_empty() {
                    scratch.push(if column.is_list() { SEPARATOR } else { ' ' });
                }
                let from = scratch.len();
                if !cell.write_text(scratch) {
                    return fail_at_column(column, format!("`{}` is not text", cell.display()));
                }
                if column.is_list() {
                    let (joined, silent) = join_list_items(scratch.get(from..).unwrap_or_default(), separator);
                    scratch.truncate(from);
                    scratch.push_str(&joined);
                    placeholders += silent;
                    self.is_unsplit |= is_unsplit(&joined);
                }
            }
        }
        Ok(placeholders)
    }
}

/// Refuses a struct with the name of a column. Its values are not that column, and ignoring them would ignore a
/// currency or an account.
fn refuse_structs(header: &[&str], values: &[Option<SourceColumn>; column::VALUES]) -> Result<(), Error> {
    for (column, _) in Column::VALUES.into_iter().zip(values).filter(|(_, source)| source.is_none()) {
        let is_within = |name: &&&str| name.strip_prefix(column.name()).is_some_and(|rest| rest.starts_with('.'));
        let Some(inner) = header.iter().find(is_within) else { continue };
        return Err(Error::columns(format!(
            "the table has `{}` within `{}`, and no column `{}`; say in a columns file which column that is",
            show_source_text(inner),
            column.name(),
            column.name()
        )));
    }
    Ok(())
}

/// One row of a table as a raw record.
struct MappedRow<'s, 'c, 't> {
    mapper: &'s mut RowMapper<'c>,
    cells: &'t [Cell<'t>],
}

impl MappedRow<'_, '_, '_> {
    /// The fault with the row's place and id.
    #[cold]
    fn located(&self, fault: Fault, places: &Places, ordinal: u32) -> Error {
        let path = places.field(ordinal, &show_source_text(self.mapper.name(fault.column)));
        let mut id = String::new();
        self.cell(Column::Id).write_text(&mut id);
        let record = Some(show_source_text(&id)).filter(|id| !id.is_empty());
        Error::Value { place: Box::new(Place { path, byte: None, record }), what: fault.what }
    }
}

impl RawRecord for MappedRow<'_, '_, '_> {
    fn cell(&self, column: Column) -> Cell<'_> {
        self.mapper.cell(self.cells, column)
    }

    fn has(&self, column: Column) -> bool {
        self.mapper.source(column).is_some()
    }

    fn name(&self, column: Column) -> &str {
        self.mapper.name(column)
    }

    fn requires(&self, column: Column) -> bool {
        column == Column::Customer
    }

    fn splits_accounts(&self) -> bool {
        true
    }

    fn read_texts(&mut self) -> Result<(), Box<Fault>> {
        let texts = self.mapper.write_texts(self.cells)?;
        let is_placeholder = |(column, source): &(Column, &Option<SourceColumn>)| {
            let cell = source.as_ref().and_then(|source| self.cells.get(source.at));
            cell.filter(|cell| !self.mapper.is_empty_mark(cell)).and_then(|cell| is_value_missing(*column, cell))
                == Some(true)
        };
        let values = Column::VALUES.into_iter().zip(&self.mapper.values).filter(is_placeholder).count() as u64;
        self.mapper.placeholders = texts + values;
        Ok(())
    }

    fn texts(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        // Includes columns that this table does not have: the row before may come from another table.
        let columns = self.mapper.columns;
        let texts = Column::TEXTS.into_iter().zip(&self.mapper.texts).zip(&self.mapper.scratch);
        texts.map(move |((column, sources), scratch)| {
            let plain = || if column.is_list() { None } else { RowMapper::plain_text(columns, sources, self.cells) };
            let written = || Some(scratch.as_str()).filter(|text| !text.is_empty());
            (column.index(), if sources.is_empty() { None } else { plain().or_else(written) })
        })
    }

    fn count(&self, counters: &mut Group) {
        counters.unknown_fields += self.mapper.unknown;
        counters.placeholder_text += self.mapper.placeholders;
        counters.unsplit_lists += u64::from(self.mapper.is_unsplit);
    }
}

/// Whether a value is null, and whether it is a placeholder. An id counts as text. In customers and amounts, other
/// words for a missing value are refused later.
fn is_value_missing(column: Column, cell: &Cell<'_>) -> Option<bool> {
    if column == Column::Id { cell.missing_text() } else { cell.missing() }
}

/// The items of a list in the frame's form, and how many others are placeholders.
pub(crate) fn join_list_items(list: &str, separator: &str) -> (String, u64) {
    let (silent, items): (Vec<&str>, Vec<&str>) = list
        .split(separator)
        .filter(|item| !item.is_empty())
        .partition(|item| Cell::Text(item).missing_text().is_some());
    (items.join(SEPARATOR.encode_utf8(&mut [0; 4])), silent.len() as u64)
}

/// Whether an item holds a character that separates items in other programs, and occurs in no name or word.
pub(crate) fn is_unsplit(items: &str) -> bool {
    memchr::memchr2(b';', b'|', items.as_bytes()).is_some()
}
