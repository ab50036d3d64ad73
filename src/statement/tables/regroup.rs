//! Statements out of rows that were laid aside, of one table or of several. Must not know where they lay.

use std::collections::HashMap;

use crate::statement::base::error::{Error, show};
use crate::statement::base::reading::Reading;
use crate::statement::columns::assemble::ACCOUNT_MARK;
use crate::statement::columns::collector::{Collector, Grouping, Places};
use crate::statement::columns::dedup_sort::arrange;
use crate::statement::columns::frame::Statements;
use crate::statement::provider::envelope::open;
use crate::statement::provider::json_record::JsonRecord;
use crate::statement::provider::record::{add_given, read_record};
use crate::statement::provider::take::{located, take};
use crate::statement::tables::column_map::Columns;
use crate::statement::tables::read::declared;
use crate::statement::tables::row_codec::{CELLS, LOST, RECORD, unpack};
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::Table;
use crate::words::text::escape_terminal;

/// One row that was laid aside.
#[derive(Clone, Copy, Debug)]
pub struct LaidRow<'b> {
    /// The place of its table among those that are given.
    pub table: u32,
    /// Its place in the table, from 0.
    pub ordinal: u32,
    /// As [`each_row`](crate::statement::each_row) gave it.
    pub bytes: &'b [u8],
}

/// The tables that rows come from, and how they are read.
pub struct Tables<'a> {
    /// What [`each_row`](crate::statement::each_row) returned for each.
    pub tables: &'a [Table],
    /// What the columns mean.
    pub columns: &'a Columns,
    /// How the policy wants statements read.
    pub reading: &'a Reading,
    /// Whether places are to name their table, as they must where a statement's records stand in several.
    pub name_tables: bool,
}

/// Makes the statements of all customers whose rows are given: of each customer all rows, in the order in which they stand.
/// `label` tells a customer's source in the caller's words.
///
/// # Errors
/// Where a row is at fault; nothing is made then. Rows of one customer alone tell whose fault it is.
pub fn statements_of<'b>(
    rows: impl IntoIterator<Item = LaidRow<'b>>,
    tables: &Tables<'_>,
    label: impl Fn(Option<&str>) -> String,
) -> Result<Statements, Error> {
    let reading = declared(tables.reading, tables.columns);
    let mut collector = Collector::new(&reading, Grouping::Many);
    let mut mappers: HashMap<u32, (RowMapper<'_>, Places)> = HashMap::new();
    let mut record = JsonRecord::new();
    let mut cells = Vec::new();
    let (mut last, mut named) = (None, None);
    for row in rows {
        let table = tables.tables.get(row.table as usize).ok_or_else(|| damaged("no such table"))?;
        if let Some((&LOST, bytes)) = row.bytes.split_first() {
            let what = String::from_utf8_lossy(bytes);
            let place =
                if row.ordinal < u32::MAX { tables.places(table).name(row.ordinal) } else { show(&table.label) };
            return Err(Error::table(format!("{place}: {}", escape_terminal(&what))));
        }
        if let std::collections::hash_map::Entry::Vacant(entry) = mappers.entry(row.table) {
            entry.insert(tables.mapper(table)?);
        }
        let (mapper, places) = mappers.get_mut(&row.table).ok_or_else(|| damaged("no such table"))?;
        if last != Some(row.table) {
            last = Some(row.table);
            collector.ordered |= mapper.is_ordered();
            collector.row_order = collector.row_order.or(mapper.columns.order);
            collector.shows_debits |= mapper.shows_debits();
            collector.start_places(places.clone());
        }
        match row.bytes.split_first() {
            Some((&CELLS, bytes)) => {
                unpack(bytes, &mut cells).ok_or_else(|| damaged("cells"))?;
                mapper.take(&cells, row.ordinal, places, &mut collector)?;
            }
            Some((&RECORD, bytes)) => {
                take_record(bytes, &table.given, row.ordinal, places, &mut record, &mut collector)?;
            }
            _ => return Err(damaged("a row")),
        }
        // Others whose rows are read along may have none in this table.
        let group = collector.last_group();
        if named != Some((row.table, group)) {
            named = Some((row.table, group));
            if let Some(counters) = collector.counters(group) {
                counters.unread.add_all(&mapper.unread);
                counters.unread.add_all(&table.unread);
            }
        }
    }
    drop(cells);
    let mut statements = arrange(collector, "")?;
    for head in &mut statements.heads {
        let label = label(head.customer.as_deref());
        head.label = match &head.account {
            None => label,
            Some(account) => format!("{label}{ACCOUNT_MARK}{account}"),
        };
    }
    Ok(statements)
}

impl<'a> Tables<'a> {
    fn mapper(&self, table: &'a Table) -> Result<(RowMapper<'a>, Places), Error> {
        let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
        // Records of the product's own names have no columns to be found.
        let mapper = match table.names.is_empty() {
            true => RowMapper::new(self.columns, &["customer", "trans_date", "credit"])?,
            false => RowMapper::new(self.columns, &names)?,
        };
        Ok((mapper, self.places(table)))
    }

    fn places(&self, table: &Table) -> Places {
        match self.name_tables {
            true => Places::Of(show(&table.label), Box::new(table.places.clone())),
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
    let (start, line) = bytes.split_first_chunk::<8>().ok_or_else(|| damaged("a record"))?;
    let mut scanner = open(line)?;
    scanner.peek()?;
    let at = scanner.at();
    let read = read_record(&mut scanner, record).and_then(|()| {
        for (name, value) in given {
            add_given(record, name, value, at);
        }
        take(record, collector, ordinal, at)
    });
    read.map_err(|fault| located(fault, record, places, ordinal).moved(u64::from_le_bytes(*start)))?;
    Ok(())
}

/// What was laid aside is not what was read: the disk, not the input.
fn damaged(what: &str) -> Error {
    Error::table(format!("{what} that had been laid aside came back damaged"))
}
