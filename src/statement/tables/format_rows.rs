//! Reads rows of the formats in [`formats`](crate::formats): whose they are, and each row to be stored until its
//! statement is made. Must not know a format.

use std::ops::ControlFlow;

use crate::formats::entry::at;
use crate::formats::{self, Fault, RowNoun, RowReader, Value};
use crate::statement::base::error::Error;
use crate::statement::columns::collector::Places;
use crate::statement::normalize::cell::Cell;
use crate::statement::tables::columns_file::Columns;
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_source::{Asked, Next, SeenRow, Table, TableFormat, Take};

pub(crate) fn each(format: TableFormat, bytes: &[u8], asked: &Asked<'_>, take: &mut Take<'_>) -> Result<Table, Error> {
    let columns = asked.columns.for_format(format);
    let mut reader = open(format, bytes, &columns).map_err(refused)?;
    let own: Vec<String> = reader.names().to_vec();
    let mut names: Vec<&str> = own.iter().map(String::as_str).collect();
    let added = asked.added(&names);
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    // A bank's file names accounts. Where nothing names the customer, the account is the customer.
    let is_by_account = format.is_bank_format() && !columns.customer_names().iter().any(|name| names.contains(name));
    if is_by_account {
        names.push("customer");
    }
    let mapper = RowMapper::new(&columns, &names)?;
    mapper.refuse_repeated_names(&names)?;
    let places = match reader.noun() {
        RowNoun::Row => Places::Rows,
        RowNoun::Entry => Places::Entries,
        RowNoun::Line => Places::Lines,
    };
    let (mut packed, mut wrong) = (Vec::new(), None);
    let mut each = |ordinal: u32, values: &[Value<'_>]| {
        let mut cells: Vec<Cell<'_>> = values.iter().map(|value| cell(*value)).collect();
        cells.extend(added.iter().map(|(_, value)| Cell::Text(value)));
        if is_by_account {
            cells.push(cells.get(at::ACCOUNT).copied().unwrap_or(Cell::Null));
        }
        let customer = match mapper.customer(&cells, &places, ordinal) {
            Ok(customer) => customer,
            Err(error) => {
                wrong = Some(error);
                return ControlFlow::Break(());
            }
        };
        packed.clear();
        if (asked.rows)(&customer) {
            pack_row(&cells, |at| mapper.uses(at), &mut packed);
        }
        match take(SeenRow { customer: &customer, ordinal, bytes: &packed, of_rows: None }) {
            Next::Row => ControlFlow::Continue(()),
            Next::Stop => ControlFlow::Break(()),
        }
    };
    let read = reader.read(&mut each);
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    read.map_err(refused)?;
    Ok(Table { places, ..Table::of_rows(asked.label, format, &names) })
}

fn open<'b>(format: TableFormat, bytes: &'b [u8], columns: &Columns) -> Result<Box<dyn RowReader + 'b>, Fault> {
    match format {
        TableFormat::Camt => formats::camt::open(bytes),
        TableFormat::Mt940 => formats::mt940::open(bytes),
        TableFormat::Ofx => formats::ofx::open(bytes),
        TableFormat::Qif => formats::qif::open(bytes),
        TableFormat::Workbook => formats::workbook::open(bytes, &columns.layout),
        TableFormat::Json => {
            formats::json_paths::open(bytes, &columns.source_names())
        }
        TableFormat::Csv | TableFormat::Lines | TableFormat::Parquet => {
            unreachable!("INVARIANT: these formats have readers of their own")
        }
    }
}

fn cell(value: Value<'_>) -> Cell<'_> {
    match value {
        Value::Empty => Cell::Null,
        Value::Text(text) => Cell::Text(text),
        Value::Digits(digits) => Cell::from_digits(digits),
        Value::Number(number) => Cell::Float(number),
        Value::Day(days) => Cell::Day(days),
        Value::Moment(seconds) => Cell::Moment { seconds, milliseconds: 0, utc: false },
    }
}

fn refused(fault: Fault) -> Error {
    match fault.place {
        Some(place) => Error::table(format!("{place}: {}", fault.what)),
        None => Error::table(fault.what),
    }
}
