//! Streams the rows of a CSV table.

use std::io::Read;

use crate::base::date::Zone;
use crate::statement::base::error::Error;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::columns_file::customer_source::customer_above;
use crate::statement::formats::layout::normal_name;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::rows::collector::Places;
use crate::statement::tables::csv_table::CsvTable;
use crate::statement::tables::csv_text::CHUNK;
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::table_source::{Next, RowsRequest, SeenRow, Table, Take};

/// Whether the header has one of these columns. Where it cannot be read, the beginning is searched as raw bytes.
pub(crate) fn names_column(bytes: &mut dyn Read, columns: &Columns, names: &[&str]) -> bool {
    let mut head = Vec::new();
    // What cannot be read any further is searched as far as it goes.
    let _ = Read::take(&mut *bytes, CHUNK as u64).read_to_end(&mut head);
    let columns = columns.for_format(TableFormat::Csv);
    let is_odd = |name: &String| name.contains(['\0', '"']);
    let mut whole = head.chain(bytes);
    if let Ok(table) = CsvTable::open(&mut whole, &columns.layout, "")
        && table.names.len() > 1
        && !table.names.iter().any(is_odd)
    {
        return table.names.iter().any(|column| names.iter().any(|name| normal_name(name) == *column));
    }
    // Other separators, unclosed quotes, or UTF-16.
    head.contains(&0) || names.iter().any(|name| memchr::memmem::find(&head, name.as_bytes()).is_some())
}

/// The customer of the row before.
#[derive(Default)]
struct Last {
    cell: String,
    customer: String,
    /// Whether this customer's rows are not requested.
    is_passed_over: bool,
}

impl Last {
    fn set(&mut self, cell: &str, customer: &str, is_passed_over: bool) {
        for (slot, text) in [(&mut self.cell, cell), (&mut self.customer, customer)] {
            slot.clear();
            slot.push_str(text);
        }
        self.is_passed_over = is_passed_over;
    }
}

pub(crate) fn each_csv_row(bytes: &mut dyn Read, asked: &RowsRequest<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let columns = &*asked.columns.for_format(TableFormat::Csv);
    let asked = &RowsRequest { columns, ..*asked };
    let mut table = CsvTable::open(bytes, &columns.layout, asked.label)?;
    let own = table.names.clone();
    let mut names: Vec<&str> = own.iter().map(String::as_str).collect();
    let mut added: Vec<(String, String)> = asked.added(&names).into_iter().cloned().collect();
    let above = customer_above(columns, &names, &added, |label| table.cells_after(label))?;
    added.extend(above);
    added.extend(table.period_above(columns)?.into_iter().flatten());
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    let mapper = table.mapper(columns, &names)?;
    // The place of a moment on earth does not matter to whether it is a date.
    let zone = Zone::parse("UTC").ok_or_else(|| Error::table("no time zones"))?;
    let mut packed = Vec::new();
    // The customer may be a given column, which comes after those of the table.
    let customer_at = Some(mapper.customer_at()).filter(|at| *at < own.len());
    let mut last = Last::default();
    while let Some((ordinal, record)) = table.next_record(&mapper, &zone)? {
        let cell = customer_at.and_then(|at| record.get(at)).unwrap_or_default();
        packed.clear();
        // In most tables a customer's rows are contiguous.
        if !last.is_passed_over || last.cell != cell {
            let given = added.iter().map(|(_, value)| Cell::Text(value));
            let cells: Vec<Cell<'_>> = record.iter().map(Cell::Text).chain(given).collect();
            let Some(customer) = mapper.customer_unless_skipped(&cells, &Places::Rows, ordinal)? else {
                continue;
            };
            let is_wanted = (asked.rows)(&customer);
            if is_wanted {
                pack_row(&cells, |at| mapper.uses(at), &mut packed);
            }
            last.set(cell, &customer, !is_wanted);
        }
        if take(SeenRow { customer: &last.customer, ordinal, bytes: &packed, of_rows: None }) == Next::Stop {
            break;
        }
    }
    let mut read = Table::of_rows(asked.label, TableFormat::Csv, &names);
    read.unread.add_lacks(table.unfound_end());
    Ok(read)
}
