//! Reads rows of the formats in [`formats`](crate::statement::formats): the customer of each row, and the row to be
//! stored until its statement is made.

use std::ops::ControlFlow;

use crate::base::date::Zone;
use crate::statement::base::column::Column;
use crate::statement::base::error::{Error, Place, show_source_text};
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::columns_file::customer_source::customer_above;
use crate::statement::columns_file::period_source::period_columns_above;
use crate::statement::formats::entry::at;
use crate::statement::formats::json_paths::RequestedPath;
use crate::statement::formats::table_format::TableFormat;
use crate::statement::formats::workbook::sheet::UNCALCULATED;
use crate::statement::formats::{self, Fault, RowNoun, RowReader, RowValue};
use crate::statement::rows::collector::Places;
use crate::statement::tables::csv_misfit::{COMMAND, explain_sheet};
use crate::statement::tables::header::wanted_names;
use crate::statement::tables::mixed_days::MixedDays;
use crate::statement::tables::row_codec::pack_row;
use crate::statement::tables::row_mapper::RowMapper;
use crate::statement::tables::table_end::TableEnd;
use crate::statement::tables::table_source::{Next, RowsRequest, SeenRow, Table, Take};

/// The columns that belong to one movement of money. Read from around the rows, they would count for each row.
const AMOUNTS: [Column; 5] = [Column::Credit, Column::Debit, Column::Amount, Column::Fee, Column::Balance];

pub(crate) fn each_format_row(
    format: TableFormat,
    bytes: &[u8],
    asked: &RowsRequest<'_>,
    take: &mut Take<'_>,
) -> Result<Table, Error> {
    if bytes.trim_ascii().is_empty() {
        return Err(Error::empty_file());
    }
    let is_for_tables = asked.columns.names_columns();
    let columns = asked.columns.for_format(format);
    let asked = &RowsRequest { columns: &columns, ..*asked };
    let mut reader = open_format_rows(format, bytes, &columns).map_err(error_of_format_fault)?;
    let own: Vec<String> = reader.names().to_vec();
    let mut names: Vec<&str> = own.iter().map(String::as_str).collect();
    let mut added: Vec<(String, String)> = asked.added(&names).into_iter().cloned().collect();
    added.extend(customer_above(&columns, &names, &added, |label| reader.cells_after(label))?);
    added.extend(period_columns_above(&columns, reader.lines_above())?.into_iter().flatten());
    names.extend(added.iter().map(|(name, _)| name.as_str()));
    // A bank's file names accounts. Where nothing names the customer, the account is the customer.
    let is_by_account = format.is_bank_format() && !columns.customer_names().iter().any(|name| names.contains(name));
    names.extend(is_by_account.then_some("customer"));
    let is_sheet = format == TableFormat::Workbook;
    let header = (names.get(..own.len()).unwrap_or_default(), is_sheet);
    let mapper = RowMapper::with_added(&columns, &names, own.len()).map_err(|wrong| match format.is_bank_format() {
        true if is_for_tables => needs_no_columns(wrong),
        true => wrong,
        false => with_header_row(wrong, &columns, header, &mut *reader),
    })?;
    mapper.refuse_repeated_names(&names)?;
    let places = places_of(reader.noun());
    let (mut packed, mut wrong, mut mixed) = (Vec::new(), None, MixedDays::new(&mapper));
    let mut end = TableEnd::new(if is_sheet { &columns.layout.footer } else { &[] });
    let zone = any_zone()?;
    let mut each = |ordinal: u32, values: &[RowValue<'_>]| {
        let mut cells: Vec<Cell<'_>> = values.iter().map(|value| cell_of_format_value(*value)).collect();
        cells.extend(added.iter().map(|(_, value)| Cell::Text(value)));
        if is_by_account {
            cells.push(cells.get(at::ACCOUNT).copied().unwrap_or(Cell::Null));
        }
        mixed.look_at(values);
        let customer = end.includes(&cells, (&places, ordinal), &mapper, &zone).and_then(|is_row| match is_row {
            true => refuse_unknown_cell(values, &cells, &mapper, &places, ordinal)
                .and_then(|()| mapper.customer_unless_skipped(&cells, &places, ordinal)),
            false => Ok(None),
        });
        let customer = match customer {
            Ok(Some(customer)) => customer,
            Ok(None) => return ControlFlow::Continue(()),
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
    wrong.map_or(Ok(()), Err)?;
    read.map_err(error_of_format_fault)?;
    let mut read = Table { places, ..Table::of_rows(asked.label, format, &names) };
    read.unread.add_lacks(end.unfound().into_iter().chain(mixed.warnings()));
    Ok(read)
}

/// Refuses a formula without a value in a cell that is read.
fn refuse_unknown_cell(
    values: &[RowValue<'_>],
    cells: &[Cell<'_>],
    mapper: &RowMapper<'_>,
    places: &Places,
    ordinal: u32,
) -> Result<(), Error> {
    let is_unknown = |at: &usize| values.get(*at) == Some(&RowValue::Uncalculated);
    let mut unknown = (0..values.len()).filter(|at| mapper.uses(*at)).filter(is_unknown).peekable();
    let Some(first) = unknown.peek().copied() else { return Ok(()) };
    // A row that is left out needs no values but those that say so.
    if !unknown.any(|at| mapper.is_read_by_skip(at)) && mapper.skips(cells) {
        return Ok(());
    }
    let path = places.field(ordinal, &show_source_text(mapper.name_at(first)));
    Err(Error::Value { place: Box::new(Place { path, byte: None, record: None }), what: UNCALCULATED.to_owned() })
}

/// A zone: whether a moment is a date does not depend on it.
fn any_zone() -> Result<Zone, Error> {
    Zone::parse("UTC").ok_or_else(|| Error::table("no time zones"))
}

fn places_of(noun: RowNoun) -> Places {
    match noun {
        RowNoun::Row => Places::Rows,
        RowNoun::Entry => Places::Entries,
        RowNoun::Line => Places::Lines,
    }
}

fn open_format_rows<'b>(
    format: TableFormat,
    bytes: &'b [u8],
    columns: &Columns,
) -> Result<Box<dyn RowReader + 'b>, Fault> {
    match format {
        TableFormat::Camt => formats::camt::open_camt_file(bytes),
        TableFormat::Mt940 => formats::mt940::open_mt940_file(bytes),
        TableFormat::Ofx => formats::ofx::open_ofx_file(bytes),
        TableFormat::Qif => formats::qif::open_qif_file(bytes),
        TableFormat::Workbook => formats::workbook::open_workbook_sheet(bytes, &columns.layout),
        TableFormat::Json => {
            formats::json_paths::open_json_documents(bytes, &list_declared_paths(columns), &columns.pages)
        }
        TableFormat::Csv | TableFormat::Lines | TableFormat::Parquet => {
            Err(Fault::new("this format has a reader of its own"))
        }
    }
}

/// The error for a missing column, with the row that looks like the header.
fn with_header_row(
    wrong: Error,
    columns: &Columns,
    (own, is_sheet): (&[&str], bool),
    reader: &mut dyn RowReader,
) -> Error {
    match (wrong, reader.row_with(&wanted_names(columns))) {
        (Error::Columns { what }, Some(row)) => Error::columns(format!(
            "{what}; row {} looks like the header: declare skip_lines = {row} under [file], or the names by which it \
             is found as `header`; {COMMAND}",
            u64::from(row) + 1
        )),
        (wrong, None) if is_sheet => explain_sheet(wrong, columns, own),
        (wrong, _) => wrong,
    }
}

/// The error for a bank's own file under a columns file that names the columns of other files.
fn needs_no_columns(wrong: Error) -> Error {
    match wrong {
        Error::Columns { what } => Error::columns(format!(
            "{what}; the columns file is made for other files: one in a bank's own format (camt, MT940, OFX, QIF) \
             needs none, so read it without --columns, or with a columns file that has only `skip`, [customer] and, \
             for QIF, [dates]; in a batch, give files of each make a run of their own"
        )),
        wrong => wrong,
    }
}

/// The paths that a columns file names, each once. The items of a list within a row make one text, as several columns
/// do: with blanks between them, or item after item if the column is a list.
fn list_declared_paths(columns: &Columns) -> Vec<RequestedPath<'_>> {
    let mut paths: Vec<RequestedPath<'_>> = Vec::new();
    for path in columns.source_names() {
        if paths.iter().any(|known| known.path == path) {
            continue;
        }
        let is_named = |column: Column| columns.names_of(column).contains(&path);
        let is_list = Column::all().any(|column| column.is_list() && is_named(column));
        let joiner = if is_list { columns.separator() } else { " " };
        let is_account = is_named(Column::Account);
        paths.push(RequestedPath { path, joiner, is_account, is_of_row: AMOUNTS.into_iter().any(is_named) });
    }
    paths
}

fn cell_of_format_value(value: RowValue<'_>) -> Cell<'_> {
    match value {
        RowValue::Empty | RowValue::Uncalculated => Cell::Null,
        RowValue::Text(text) => Cell::Text(text),
        RowValue::Digits(digits) => Cell::from_digits(digits),
        RowValue::Number(number) => Cell::Float(number),
        RowValue::Day(days) => Cell::Day(days),
        RowValue::Moment(seconds) => Cell::Moment { seconds, milliseconds: 0, utc: false },
    }
}

fn error_of_format_fault(fault: Fault) -> Error {
    match fault.place {
        Some(place) => Error::table(format!("{place}: {}", fault.what)),
        None => Error::table(fault.what),
    }
}
