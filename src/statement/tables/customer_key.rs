//! The customer of a line of a table, and the kind of file that its first line shows.

use std::borrow::Cow;
use std::fmt;
use std::io::{BufRead, BufReader, Read, SeekFrom};

use polars_parquet::read::read_metadata;
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::statement::base::error::Error;
use crate::statement::cells::identity::check_identity_name;
use crate::statement::columns_file::Columns;
use crate::statement::formats::entry::ENTRY_COLUMNS;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::formats::layout::{Layout, normal_name};
use crate::statement::formats::table_format::TableFormat;
use crate::statement::formats::workbook;
use crate::statement::provider::envelope::open_body_scanner;
use crate::statement::provider::read::{ObjectKind, object_kind};
use crate::statement::provider::record::{Identifier, NO_IDENTIFIER, kind_of, read_identifier};
use crate::statement::tables::csv_rows;
use crate::statement::tables::parquet::catch_parquet_panic;
use crate::statement::tables::table_source::{ROW_BYTES_MAX, ReadSeek};

/// A larger workbook that cannot be read is not searched for its customers.
const WORKBOOK_BYTES_MAX: u64 = 256 << 20;

/// The kind of file that its first line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FirstLine {
    /// A whole statement.
    Envelope,
    /// A record that names its customer, as in a file with many customers.
    Named,
    /// A record that names no customer.
    Nameless,
}

/// `None` if the line is neither a record nor an envelope, or if the envelope continues in other lines. The beginning
/// of a long line is enough to recognize an envelope: `is_cut` means that the rest of the line is missing.
pub(crate) fn first_line(line: &[u8], is_cut: bool) -> Option<FirstLine> {
    let whole_letters = match std::str::from_utf8(line) {
        Err(cut) if cut.error_len().is_none() => cut.valid_up_to(),
        _ => line.len(),
    };
    let shows = open_body_scanner(line.get(..whole_letters)?)
        .map(|mut scanner| if scanner.peek().is_ok() { object_kind(scanner) } else { ObjectKind::Neither });
    if shows.is_ok_and(|shows| shows == ObjectKind::Envelope) {
        return Some(FirstLine::Envelope).filter(|_| is_cut || values_of(line, "").1);
    }
    // The empty name is given, so that a refused line without a customer still counts as a record.
    let customer = customer_of_record(line, Some("")).ok()?;
    Some(if customer.is_some() { FirstLine::Named } else { FirstLine::Nameless })
}

/// Whether a line after the first names a customer, so that the file is not one customer's statement. If the line is
/// not JSON, whether it may.
pub(crate) fn may_name_customer(line: &[u8]) -> bool {
    match customer_of_record(line, None) {
        Ok(customer) => customer.is_some(),
        Err(_) => memchr::memmem::find(line, b"\"customer\"").is_some(),
    }
}

/// The customer of a record with the product's own names, or `given` if it has no such key. The rest is only checked to
/// be JSON. If the rest is refused, the record still names its customer, and no other customer is affected.
pub(crate) fn customer_of_record(line: &[u8], given: Option<&str>) -> Result<Option<String>, Error> {
    let named = scanned_customer(line).or_else(|wrong| match only_value(line, "customer") {
        Some(Some(value)) => scanned_customer(&with_nothing_but("customer", value)),
        Some(None) if given.is_some() => Ok(None),
        _ => Err(wrong),
    })?;
    let customer = named.or_else(|| given.map(str::to_owned)).unwrap_or_default();
    let name = check_identity_name(&customer).map_err(|what| Error::table(format!("customer: {what}")))?;
    Ok(Some(name.into_owned()).filter(|name| !name.is_empty()))
}

/// The text as a customer's name, if it is one.
pub fn customer_name(text: &str) -> Option<Cow<'_, str>> {
    check_identity_name(text).ok().filter(|name| !name.is_empty())
}

/// The value of `customer`, empty for null. `None` if there is no such key.
fn scanned_customer(line: &[u8]) -> Result<Option<String>, Error> {
    let mut scanner = open_body_scanner(line)?;
    if scanner.peek()? != b'{' {
        return Err(Error::not_a_statement("a line is not a record"));
    }
    let mut object = scanner.open_object()?;
    let mut customer = None;
    while let Some(key) = scanner.next_key(&mut object)? {
        let is_customer = key.decode(&mut 0) == "customer";
        if !is_customer {
            scanner.skip_value()?;
            continue;
        }
        if customer.is_some() {
            return Ok(scanner.twice(key)?);
        }
        customer = Some(match scanner.peek()? {
            b'"' => scanner.string()?.decode(&mut 0).into_owned(),
            b'-' | b'0'..=b'9' => scanner.number()?.to_owned(),
            b'{' => within_object(&mut scanner)?,
            b'n' => {
                scanner.literal()?;
                String::new()
            }
            other => {
                scanner.skip_value()?;
                return Err(Error::table(format!("the customer is {}, not an id", kind_of(other))));
            }
        });
    }
    scanner.end()?;
    Ok(customer)
}

/// The identifier of an object that is in place of an id.
fn within_object(scanner: &mut Scanner<'_>) -> Result<String, Error> {
    match read_identifier(scanner)? {
        Some((_, Identifier::Text(text))) => Ok(text.decode(&mut 0).into_owned()),
        Some((_, Identifier::Number(digits))) => Ok(digits.to_owned()),
        None => Err(Error::table(format!("customer: {NO_IDENTIFIER}"))),
    }
}

/// The value of a key, whatever else the object holds. `Some(None)` if it has no such key. `None` if the line is not a
/// JSON object, or has the key twice.
pub(crate) fn only_value<'l>(line: &'l [u8], key: &str) -> Option<Option<&'l RawValue>> {
    let (values, is_whole) = values_of(line, key);
    match values.as_slice() {
        _ if !is_whole => None,
        [] => Some(None),
        [value] => Some(Some(value)),
        _ => None,
    }
}

/// A line with only this key and its value.
pub(crate) fn with_nothing_but(key: &str, value: &RawValue) -> Vec<u8> {
    format!("{{{}:{value}}}", serde_json::Value::from(key)).into_bytes()
}

/// The values of a key, as far as the line is a JSON object, and whether all of it is one.
fn values_of<'l>(line: &'l [u8], key: &str) -> (Vec<&'l RawValue>, bool) {
    let mut values = Vec::new();
    let mut source = serde_json::Deserializer::from_slice(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line));
    let is_whole = source.deserialize_map(Values { key, values: &mut values }).and_then(|()| source.end()).is_ok();
    (values, is_whole)
}

struct Values<'k, 'l> {
    key: &'k str,
    values: &'k mut Vec<&'l RawValue>,
}

impl<'l> Visitor<'l> for Values<'_, 'l> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'l>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'_, str>>()? {
            if key == self.key {
                self.values.push(map.next_value()?);
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Whether a text table, as far as it can be read, names its customers itself: in a column, or in a line with another
/// customer than `customer`.
pub(crate) fn text_names_others(format: TableFormat, bytes: &mut dyn Read, columns: &Columns, customer: &str) -> bool {
    let names = columns.customer_names();
    match format {
        // The customer of a row may be around it.
        TableFormat::Lines if names.iter().any(|name| name.contains(['.', '['])) => true,
        TableFormat::Lines => lines_name_others(bytes, &names, customer),
        TableFormat::Csv | TableFormat::Parquet => csv_rows::names_column(bytes, columns, &names),
        // Their columns do not include the customer.
        TableFormat::Camt | TableFormat::Mt940 | TableFormat::Ofx | TableFormat::Qif => {
            ENTRY_COLUMNS.iter().any(|column| names.contains(column))
        }
        TableFormat::Workbook => workbook_names_column(bytes, columns, &names),
        // Whatever else such a file holds that cannot be read, it may name anybody.
        TableFormat::Json => true,
    }
}

/// Whether a sheet has one of these columns, also where its header is another row than declared. True if the workbook
/// cannot be read, because it may then name anybody.
fn workbook_names_column(bytes: &mut dyn Read, columns: &Columns, names: &[&str]) -> bool {
    let mut whole = Vec::new();
    let read = bytes.take(WORKBOOK_BYTES_MAX).read_to_end(&mut whole);
    if read.is_err() || whole.len() as u64 >= WORKBOOK_BYTES_MAX {
        return true;
    }
    let first_row = Layout { sheet: columns.layout.sheet.clone(), ..Layout::DEFAULT };
    let sheet = workbook::open_workbook_sheet(&whole, &columns.layout)
        .or_else(|_| workbook::open_workbook_sheet(&whole, &first_row));
    let Ok(mut sheet) = sheet else { return true };
    let names: Vec<Cow<'_, str>> = names.iter().map(|name| normal_name(name)).collect();
    let names: Vec<&str> = names.iter().map(|name| &**name).collect();
    sheet.names().iter().any(|name| names.contains(&name.as_str())) || sheet.row_with(&names).is_some()
}

/// Whether a Parquet table, as far as it can be read, has a column with customers.
pub(crate) fn parquet_names_customers(file: &mut dyn ReadSeek, columns: &Columns) -> bool {
    let metadata = catch_parquet_panic(|| {
        let mut file = file;
        file.seek(SeekFrom::Start(0))?;
        read_metadata(&mut file)
    });
    let names = columns.customer_names();
    metadata.is_ok_and(|metadata| metadata.schema_descr.fields().iter().any(|field| names.contains(&field.name())))
}

fn lines_name_others(bytes: &mut dyn Read, names: &[&str], customer: &str) -> bool {
    let mut lines = BufReader::with_capacity(1 << 16, bytes);
    let mut line = Vec::new();
    let is_other = |value: &&RawValue| {
        let name = scanned_customer(&with_nothing_but("customer", value)).ok().flatten();
        customer_name(name.as_deref().unwrap_or_default()).as_deref() != Some(customer)
    };
    loop {
        line.clear();
        let read = (&mut lines).take(ROW_BYTES_MAX as u64).read_until(b'\n', &mut line);
        let names_another = |name: &&str| {
            let (values, is_whole) = values_of(&line, name);
            // If the line is not JSON, the name may be in the part that cannot be read.
            let unread = || memchr::memmem::find_iter(&line, name.as_bytes()).count() > values.len();
            values.iter().any(is_other) || !is_whole && (line.contains(&0) || unread())
        };
        if names.iter().any(names_another) {
            return true;
        }
        if !read.is_ok_and(|read| read > 0) {
            return false;
        }
    }
}
