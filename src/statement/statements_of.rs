//! Statements out of rows that were laid aside, of one table or of several. Must not know where they lay.

use std::collections::HashMap;

use crate::statement::arrange::arrange;
use crate::statement::assemble::ACCOUNT_MARK;
use crate::statement::columns::Columns;
use crate::statement::draft::Draft;
use crate::statement::envelope::open;
use crate::statement::error::{Error, show};
use crate::statement::frame::Statements;
use crate::statement::intake::{Grouping, Intake, Places};
use crate::statement::json_record::{located, take};
use crate::statement::packed::unpack;
use crate::statement::reading::Reading;
use crate::statement::record::{add_given, read_record};
use crate::statement::rows_read::{CELLS, LOST, RECORD, Table};
use crate::statement::sheet::Sheet;
use crate::statement::table::declared;
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
    /// What [`each_row`](crate::statement::each_row) told of each.
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
    let mut intake = Intake::new(&reading, Grouping::Many);
    let mut sheets: HashMap<u32, (Sheet<'_>, Places)> = HashMap::new();
    let mut draft = Draft::new();
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
        if let std::collections::hash_map::Entry::Vacant(entry) = sheets.entry(row.table) {
            entry.insert(tables.sheet(table)?);
        }
        let (sheet, places) = sheets.get_mut(&row.table).ok_or_else(|| damaged("no such table"))?;
        if last != Some(row.table) {
            last = Some(row.table);
            intake.ordered |= sheet.is_ordered();
            intake.row_order = intake.row_order.or(sheet.columns.order);
            intake.shows_debits |= sheet.shows_debits();
            intake.start_places(places.clone());
        }
        match row.bytes.split_first() {
            Some((&CELLS, bytes)) => {
                unpack(bytes, &mut cells).ok_or_else(|| damaged("cells"))?;
                sheet.take(&cells, row.ordinal, places, &mut intake)?;
            }
            Some((&RECORD, bytes)) => {
                take_record(bytes, &table.given, row.ordinal, places, &mut draft, &mut intake)?;
            }
            _ => return Err(damaged("a row")),
        }
        // Others whose rows are read along may have none in this table.
        let group = intake.last_group();
        if named != Some((row.table, group)) {
            named = Some((row.table, group));
            if let Some(counters) = intake.counters(group) {
                counters.unread.add_all(&sheet.unread);
                counters.unread.add_all(&table.unread);
            }
        }
    }
    drop(cells);
    let mut statements = arrange(intake, "")?;
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
    fn sheet(&self, table: &'a Table) -> Result<(Sheet<'a>, Places), Error> {
        let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
        // Records of the product's own names have no columns to be found.
        let sheet = match table.names.is_empty() {
            true => Sheet::new(self.columns, &["customer", "trans_date", "credit"])?,
            false => Sheet::new(self.columns, &names)?,
        };
        Ok((sheet, self.places(table)))
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
    draft: &mut Draft<'b>,
    intake: &mut Intake<'_>,
) -> Result<(), Error> {
    let (start, line) = bytes.split_first_chunk::<8>().ok_or_else(|| damaged("a record"))?;
    let mut scanner = open(line)?;
    scanner.peek()?;
    let at = scanner.at();
    let read = read_record(&mut scanner, draft).and_then(|()| {
        for (name, value) in given {
            add_given(draft, name, value, at);
        }
        take(draft, intake, ordinal, at)
    });
    read.map_err(|fault| located(fault, draft, places, ordinal).moved(u64::from_le_bytes(*start)))?;
    Ok(())
}

/// What was laid aside is not what was read: the disk, not the input.
fn damaged(what: &str) -> Error {
    Error::table(format!("{what} that had been laid aside came back damaged"))
}
