//! Makes statements from stored rows of one table or several.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::base::text::escape_terminal;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::reading::Reading;
use crate::statement::columns::assemble::ACCOUNT_MARK;
use crate::statement::columns::dedup_sort::arrange_statements;
use crate::statement::columns::frame::Statements;
use crate::statement::columns_file::Columns;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::provider::envelope::open_body_scanner;
use crate::statement::provider::json_record::JsonRecord;
use crate::statement::provider::record::{add_given, read_record};
use crate::statement::provider::take::{locate_record_fault, take_json_record};
use crate::statement::rows::collector::{Collector, Places};
use crate::statement::tables::row_codec::{CELLS, LOST, RECORD, decode_row_cells};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::Table;
use crate::statement::tables::table_start::{apply_declarations, collect_many};

/// One stored row.
#[derive(Clone, Copy, Debug)]
pub struct LaidRow<'b> {
    /// The index of its table in [`Tables::tables`].
    pub table: u32,
    /// Its position in the table, from 0.
    pub ordinal: u32,
    /// The bytes from [`each_row`](crate::statement::each_row).
    pub bytes: &'b [u8],
}

/// The tables from which rows come, and how to read them.
pub struct Tables<'a> {
    /// What [`each_row`](crate::statement::each_row) returned for each.
    pub tables: &'a [Table],
    /// The meaning of the columns.
    pub columns: &'a Columns,
    /// How the policy reads statements.
    pub reading: &'a Reading,
    /// Whether places name their table, as they must if a statement's records are in several.
    pub name_tables: bool,
}

/// Makes the statements of all customers whose rows are given. All rows of each customer must be there, in their order.
/// `label` names a customer's source, in the caller's words.
///
/// # Errors
/// If a row is wrong, nothing is made. To find out whose fault it is, pass the rows of one customer.
pub fn statements_of<'b>(
    rows: impl IntoIterator<Item = LaidRow<'b>>,
    tables: &Tables<'_>,
    label: impl Fn(Option<&str>) -> String,
) -> Result<Statements, Error> {
    let reading = apply_declarations(tables.reading, tables.columns);
    let mut collector = collect_many(&reading, tables.columns);
    let by_format = tables.columns_by_format();
    let mut mappers: HashMap<u32, (RowMapper<'_>, Places)> = HashMap::new();
    let mut record = JsonRecord::new();
    let mut cells = Vec::new();
    let (mut last, mut named) = (None, None);
    for row in rows {
        let table = tables.tables.get(row.table as usize).ok_or_else(|| damaged_storage_error("no such table"))?;
        if let Some((&LOST, bytes)) = row.bytes.split_first() {
            let what = String::from_utf8_lossy(bytes);
            // The fault of a whole table names it only where the customer has rows in others.
            let place = match (row.ordinal < u32::MAX, tables.name_tables) {
                (true, _) => format!("{}: ", tables.places(table).name(row.ordinal)),
                (false, true) => format!("{}: ", show_source_text(&table.label)),
                (false, false) => String::new(),
            };
            return Err(Error::table(format!("{place}{}", escape_terminal(&what))));
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = mappers.entry(row.table) {
            let columns = by_format.iter().find(|(format, _)| *format == table.format);
            let (_, columns) = columns.expect("INVARIANT: the columns of each table's format were made");
            entry.insert(tables.mapper(table, columns)?);
        }
        let (mapper, places) = mappers.get_mut(&row.table).ok_or_else(|| damaged_storage_error("no such table"))?;
        if last != Some(row.table) {
            last = Some(row.table);
            collector.ordered |= mapper.is_ordered();
            collector.row_order = collector.row_order.or(mapper.columns.order);
            collector.shows_debits |= mapper.shows_debits();
            collector.start_places(places.clone());
        }
        match row.bytes.split_first() {
            Some((&CELLS, bytes)) => {
                decode_row_cells(bytes, &mut cells).ok_or_else(|| damaged_storage_error("cells"))?;
                if !mapper.take(&cells, row.ordinal, places, &mut collector)? {
                    continue;
                }
            }
            Some((&RECORD, bytes)) => {
                take_record(bytes, &table.given, row.ordinal, places, &mut record, &mut collector)?;
            }
            _ => return Err(damaged_storage_error("a row")),
        }
        // Other customers may have no rows in this table.
        let group = collector.last_group();
        if named != Some((row.table, group)) {
            named = Some((row.table, group));
            let counters = collector.counters(group);
            counters.unread.add_all(&mapper.unread);
            counters.unread.add_all(&table.unread);
            mapper.note_table(!table.names.is_empty(), &mut counters.parts);
        }
    }
    drop(cells);
    let mut statements = arrange_statements(collector, "")?;
    for head in &mut statements.heads {
        let label = label(head.customer.as_deref());
        head.label = match &head.account {
            None => label,
            Some(account) => format!("{label}{ACCOUNT_MARK}{account}"),
        };
    }
    Ok(statements)
}

impl Tables<'_> {
    /// The meaning of the columns in each format of the tables. Thousands of tables have few formats.
    fn columns_by_format(&self) -> Vec<(TableFormat, Cow<'_, Columns>)> {
        let mut columns: Vec<(TableFormat, Cow<'_, Columns>)> = Vec::new();
        for table in self.tables {
            if !columns.iter().any(|(format, _)| *format == table.format) {
                columns.push((table.format, self.columns.for_format(table.format)));
            }
        }
        columns
    }

    fn mapper<'c>(&self, table: &Table, columns: &'c Columns) -> Result<(RowMapper<'c>, Places), Error> {
        let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
        // Records with the product's own names have no header.
        let mapper = match table.names.is_empty() {
            true => RowMapper::new(columns, &["customer", "trans_date", "credit"])?,
            false => RowMapper::new(columns, &names)?,
        };
        Ok((mapper, self.places(table)))
    }

    fn places(&self, table: &Table) -> Places {
        match self.name_tables {
            true => Places::Of(show_source_text(&table.label), Box::new(table.places.clone())),
            false => table.places.clone(),
        }
    }
}

fn take_record<'b>(
    bytes: &'b [u8],
    given: &[(String, String)],
    ordinal: u32,
    places: &Places,
    record: &mut JsonRecord<'b>,
    collector: &mut Collector<'_>,
) -> Result<(), Error> {
    let (start, line) = bytes.split_first_chunk::<8>().ok_or_else(|| damaged_storage_error("a record"))?;
    let mut scanner = open_body_scanner(line)?;
    scanner.peek()?;
    let at = scanner.at();
    let read = read_record(&mut scanner, record).and_then(|()| {
        for (name, value) in given {
            add_given(record, name, value, at);
        }
        take_json_record(record, collector, ordinal, at)
    });
    read.map_err(|fault| locate_record_fault(fault, record, places, ordinal).moved(u64::from_le_bytes(*start)))?;
    Ok(())
}

/// Stored bytes differ from what was stored: the disk is at fault, not the input.
fn damaged_storage_error(what: &str) -> Error {
    Error::table(format!("{what} that was stored came back damaged"))
}
