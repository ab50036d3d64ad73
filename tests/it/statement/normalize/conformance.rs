//! One meaning of a record: the same records in every input format give the same frame and the same quality, or are
//! refused in the same words, each with the format's own place.

use std::collections::BTreeMap;
use std::io::Cursor;

use lendwright::statement::{
    Columns, DateConflict, EmptyAmount, Error, LaidRow, NegativeRule, Next, RowsRequest, Table, TableBytes,
    TableFormat, Tables, each_row, read_csv, read_frame, read_ndjson_table, read_parquet, statements_of,
};
use polars::prelude::{Column, DataFrame, ParquetWriter};
use serde_json::{Value, json};

use crate::statement::*;

/// A record: values by the product's own column names; nothing is null.
type Record = BTreeMap<&'static str, Option<&'static str>>;

const LISTS: [&str; 9] =
    ["topics", "people", "places", "actions", "subjects", "prepositions", "owner", "record", "fetched"];
const NOTES: [&str; 7] = ["desc", "topics", "people", "places", "actions", "subjects", "prepositions"];
const AMOUNTS: [&str; 3] = ["credit", "debit", "balance"];

/// Every column that all formats have.
const COLUMNS: [&str; 27] = [
    "customer",
    "id",
    "trans_date",
    "unformatted_trans_date",
    "cleared_date",
    "unformatted_cleared_date",
    "credit",
    "debit",
    "balance",
    "code",
    "branch",
    "bank",
    "env",
    "reference",
    "desc",
    "topics",
    "people",
    "places",
    "actions",
    "subjects",
    "prepositions",
    "owner",
    "record",
    "fetched",
    "created_at",
    "last_updated",
    "currency",
];

/// The input formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// The provider's answer.
    Envelope,
    /// A list of the provider's records, nothing around it.
    List,
    /// One of the provider's records per line.
    Lines,
    /// One flat object per line, under the product's own names.
    FlatLines,
    /// One flat object per line, under names that a columns file declares.
    DeclaredLines,
    Csv,
    DeclaredCsv,
    Parquet,
    DeclaredParquet,
    /// A Polars frame.
    Frame,
    DeclaredFrame,
    /// Row by row, as `batch` reads them.
    LinesByRow,
    DeclaredLinesByRow,
    CsvByRow,
    ParquetByRow,
}

use Format::*;

const FORMATS: [Format; 15] = [
    Envelope,
    List,
    Lines,
    FlatLines,
    DeclaredLines,
    Csv,
    DeclaredCsv,
    Parquet,
    DeclaredParquet,
    Frame,
    DeclaredFrame,
    LinesByRow,
    DeclaredLinesByRow,
    CsvByRow,
    ParquetByRow,
];

impl Format {
    fn is_declared(self) -> bool {
        matches!(self, DeclaredLines | DeclaredCsv | DeclaredParquet | DeclaredFrame | DeclaredLinesByRow)
    }

    fn table(self) -> Option<TableFormat> {
        match self {
            LinesByRow | DeclaredLinesByRow => Some(TableFormat::Lines),
            CsvByRow => Some(TableFormat::Csv),
            ParquetByRow => Some(TableFormat::Parquet),
            _ => None,
        }
    }

    /// The format's name for a column.
    fn name(self, column: &str) -> String {
        if self.is_declared() { format!("x {column}") } else { column.to_owned() }
    }

    fn columns(self) -> Columns {
        if !self.is_declared() {
            return Columns::default();
        }
        let lines: Vec<String> = COLUMNS.iter().map(|column| format!("{column} = \"x {column}\"\n")).collect();
        Columns::parse(&format!("[columns]\n{}", lines.concat())).expect("a columns file")
    }

    /// The place of a value of the second record in an error.
    fn place(self, column: &str) -> String {
        let column = self.name(column);
        match self {
            Envelope => format!("data.transactions[1].{column}"),
            List => format!("[1].{column}"),
            Lines | FlatLines | DeclaredLines | LinesByRow | DeclaredLinesByRow => format!("line 2, {column}"),
            Csv | DeclaredCsv | Parquet | DeclaredParquet | Frame | DeclaredFrame | CsvByRow | ParquetByRow => {
                format!("row 2, column `{column}`")
            }
        }
    }

    fn write(self, records: &[Record]) -> Vec<u8> {
        match self {
            Envelope => {
                let records: Vec<String> = records.iter().map(nested).collect();
                envelope(&records.join(",\n")).into_bytes()
            }
            List => format!("[{}]", records.iter().map(nested).collect::<Vec<_>>().join(",")).into_bytes(),
            Lines | LinesByRow => records.iter().map(|record| nested(record) + "\n").collect::<String>().into_bytes(),
            FlatLines | DeclaredLines | DeclaredLinesByRow => {
                records.iter().map(|record| flat(record, self) + "\n").collect::<String>().into_bytes()
            }
            Csv | DeclaredCsv | CsvByRow => {
                let mut writer = csv::Writer::from_writer(Vec::new());
                writer.write_record(COLUMNS.map(|column| self.name(column))).expect("memory");
                for record in records {
                    let cells = COLUMNS.map(|column| record.get(column).copied().flatten().unwrap_or_default());
                    writer.write_record(cells).expect("memory");
                }
                writer.into_inner().expect("memory")
            }
            Parquet | DeclaredParquet | ParquetByRow => {
                let mut bytes = Vec::new();
                ParquetWriter::new(&mut bytes).finish(&mut self.frame(records)).expect("memory");
                bytes
            }
            Frame | DeclaredFrame => Vec::new(),
        }
    }

    fn frame(self, records: &[Record]) -> DataFrame {
        let column = |column: &&str| {
            let cells: Vec<Option<&str>> = records.iter().map(|record| record.get(column).copied().flatten()).collect();
            Column::new(self.name(column).into(), cells)
        };
        DataFrame::new(records.len(), COLUMNS.iter().map(column).collect()).expect("a frame")
    }

    fn read(self, records: &[Record], reading: &Reading) -> Result<Statements, Error> {
        let (bytes, columns) = (self.write(records), self.columns());
        match self {
            Envelope | List | Lines | FlatLines => read_json(&bytes, "test", reading),
            DeclaredLines => read_ndjson_table(&bytes, "test", reading, &columns),
            Csv | DeclaredCsv => read_csv(&bytes, "test", reading, &columns),
            Parquet | DeclaredParquet => read_parquet(bytes, "test", reading, &columns),
            Frame | DeclaredFrame => read_frame(&self.frame(records), "test", reading, &columns),
            LinesByRow | DeclaredLinesByRow | CsvByRow | ParquetByRow => {
                by_row(self.table().expect("a table"), &bytes, reading, &columns)
            }
        }
    }
}

/// Reads a table's rows, lays them aside, and makes statements of them.
pub(crate) fn by_row(
    format: TableFormat,
    bytes: &[u8],
    reading: &Reading,
    columns: &Columns,
) -> Result<Statements, Error> {
    let mut laid: Vec<(u32, Vec<u8>)> = Vec::new();
    let asked = RowsRequest { label: "test", columns, given: &[], rows: &|_| true, memory: 1 << 30 };
    let table: Table = each_row(format, TableBytes::Seekable(&mut Cursor::new(bytes)), &asked, |row| {
        laid.push((row.ordinal, row.bytes.to_vec()));
        Next::Row
    })?;
    let tables = Tables { tables: &[table], columns, reading, name_tables: false };
    let rows = laid.iter().map(|(ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(rows, &tables, |_| "test".to_owned())
}

/// A value as JSON: amounts that are numbers of JSON as such, digit by digit.
fn value(column: &str, text: Option<&str>) -> String {
    let is_number = |text: &str| serde_json::from_str::<Value>(text).is_ok_and(|value| value.is_number());
    match text {
        None => "null".to_owned(),
        Some(text) if AMOUNTS.contains(&column) && is_number(text) => text.to_owned(),
        Some(text) => Value::from(text).to_string(),
    }
}

fn object(fields: &[(String, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{value}", Value::from(key.as_str()))).collect();
    format!("{{{}}}", fields.join(","))
}

/// The record as the provider writes it.
fn nested(record: &Record) -> String {
    let (mut outer, mut notes) = (Vec::new(), Vec::new());
    for (column, text) in record {
        let value = match text.filter(|_| LISTS.contains(column)) {
            Some(list) => json!(list.split('|').filter(|item| !item.is_empty()).collect::<Vec<_>>()).to_string(),
            None => value(column, *text),
        };
        match *column {
            "prepositions" => notes.push(("preopositions".to_owned(), value)),
            "reference" => outer.push(("ref".to_owned(), value)),
            column if NOTES.contains(&column) => notes.push((column.to_owned(), value)),
            column => outer.push((column.to_owned(), value)),
        }
    }
    outer.push(("notes".to_owned(), object(&notes)));
    object(&outer)
}

/// The record as one flat object.
fn flat(record: &Record, format: Format) -> String {
    let fields: Vec<_> = record.iter().map(|(column, text)| (format.name(column), value(column, *text))).collect();
    object(&fields)
}

/// Three ordinary records of one customer that say something in every column.
fn ordinary() -> Vec<Record> {
    let common = [
        ("customer", "c1"),
        ("code", "TRF"),
        ("branch", "058"),
        ("bank", "b1"),
        ("env", "live"),
        ("currency", "NGN"),
        ("owner", "o1|o2"),
        ("record", "r1"),
        ("fetched", "f1"),
        ("places", "LAGOS"),
        ("actions", "paid"),
        ("subjects", "rent"),
        ("prepositions", "of|to"),
        ("created_at", "2024-03-09T10:11:12.345Z"),
        ("last_updated", "2024-03-09T11:00:00Z"),
    ];
    let own = [
        [
            ("id", "a1"),
            ("trans_date", "2024-03-04T08:30:00.000Z"),
            ("unformatted_trans_date", "04-03-2024"),
            ("cleared_date", "2024-03-05"),
            ("unformatted_cleared_date", "05-03-2024"),
            ("credit", "1250.50"),
            ("debit", ""),
            ("balance", "2250.50"),
            ("desc", "NIP/ADA OBI/RENT"),
            ("topics", "salary|rent"),
            ("people", "ADA OBI"),
            ("reference", "T-1"),
        ],
        [
            ("id", "a2"),
            ("trans_date", "2024-03-04T23:00:00.000Z"),
            ("unformatted_trans_date", "05-03-2024"),
            ("cleared_date", ""),
            ("unformatted_cleared_date", ""),
            ("credit", ""),
            ("debit", "300"),
            ("balance", "1950.5"),
            ("desc", "POS \"SHOP\", Lagos ẹ̀gbá"),
            ("topics", ""),
            ("people", ""),
            ("reference", ""),
        ],
        [
            ("id", "a3"),
            ("trans_date", "2024-03-06"),
            ("unformatted_trans_date", ""),
            ("cleared_date", ""),
            ("unformatted_cleared_date", "07-03-2024"),
            ("credit", "7e2"),
            ("debit", ""),
            ("balance", "2650.50"),
            ("desc", ""),
            ("topics", "gift"),
            ("people", "MUSA BELLO|ADA OBI"),
            ("reference", "T-3"),
        ],
    ];
    let filled = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    let record = |own: [(&'static str, &'static str); 12]| -> Record {
        common.into_iter().chain(own).map(|(column, text)| (column, filled(text))).collect()
    };
    own.into_iter().map(record).collect()
}

/// The records with these values in the second one.
fn changed(changes: &[(&'static str, &'static str)]) -> Vec<Record> {
    let mut records = ordinary();
    for (column, text) in changes {
        records[1].insert(column, Some(*text).filter(|text| !text.is_empty()));
    }
    records
}

/// What is known of the statements beside their frame. A declared debit column also means that there are no others,
/// which is not about records.
fn heads(statements: &Statements) -> String {
    let heads = statements.heads().iter().map(|head| format!("{:?} {:?} {:?}", head.customer, head.rows, head.quality));
    heads.collect::<Vec<_>>().join("\n").replace("x ", "")
}

#[test]
fn the_same_records_are_the_same_statement_in_every_format() {
    let strict = lagos();
    let lenient = Reading {
        date_conflict: DateConflict::PreferUnformatted,
        negative: NegativeRule::SwapSides,
        empty_amount: EmptyAmount::Drop,
        ..lagos()
    };
    let cases: [(&str, &Reading, Vec<Record>); 14] = [
        ("ordinary", &strict, ordinary()),
        ("the newest first", &strict, ordinary().into_iter().rev().collect()),
        (
            "placeholders",
            &strict,
            changed(&[("code", "N/A"), ("topics", "n/a|rent"), ("balance", "n/a"), ("bank", "  ")]),
        ),
        ("an amount of 0", &strict, changed(&[("debit", "0.00")])),
        ("both sides", &strict, changed(&[("credit", "12")])),
        ("a record twice", &strict, [ordinary(), ordinary()].concat()),
        (
            "a time without a zone",
            &strict,
            changed(&[("trans_date", "2024-03-05T24:00:00"), ("unformatted_trans_date", "")]),
        ),
        ("a currency by its number", &strict, changed(&[("currency", "566")])),
        ("customers with blanks", &strict, changed(&[("customer", " c1 ")])),
        ("dates that disagree", &lenient, changed(&[("unformatted_trans_date", "09-03-2024")])),
        (
            "cleared dates that disagree",
            &lenient,
            changed(&[("cleared_date", "2024-03-01"), ("unformatted_cleared_date", "09-03-2024")]),
        ),
        ("a negative debit", &lenient, changed(&[("debit", "-300"), ("balance", "2550.50")])),
        ("an empty amount", &lenient, changed(&[("debit", "")])),
        ("a balance carried over", &strict, changed(&[("desc", "BALANCE B/F"), ("credit", "1950.50"), ("debit", "")])),
    ];
    for (name, reading, records) in cases {
        let wanted = Envelope.read(&records, reading).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        for format in FORMATS {
            let read = format.read(&records, reading).unwrap_or_else(|wrong| panic!("{name}, {format:?}: {wrong}"));
            assert_eq!(heads(&read), heads(&wanted), "{name}, {format:?}");
            for column in wanted.frame().columns() {
                let other = read.frame().column(column.name()).expect("the same columns");
                assert!(column.equals_missing(other), "{name}, {format:?}: {column:?} {other:?}");
            }
            assert_eq!(read.frame().width(), wanted.frame().width());
        }
    }
}

/// Columns and their replacement values.
type Changes = &'static [(&'static str, &'static str)];

/// Values of the second record that every format refuses, the column at fault, and words of the reason.
const FAULTS: &[(Changes, &str, &str)] = &[
    (&[("debit", "1,000.00")], "debit", "is not a plain decimal number"),
    (&[("debit", "1 000")], "debit", "is not a plain decimal number"),
    (&[("debit", "12.5.0")], "debit", "is not a plain decimal number"),
    (&[("debit", "NGN 5")], "debit", "is not a plain decimal number"),
    (&[("debit", "(5.00)")], "debit", "is not a plain decimal number"),
    (&[("debit", "0x10")], "debit", "is not a plain decimal number"),
    (&[("debit", "٣")], "debit", "is not a plain decimal number"),
    (&[("debit", "5-")], "debit", "is not a plain decimal number"),
    (&[("debit", "0.001")], "debit", "decimal"),
    (&[("debit", "1e400")], "debit", "too large"),
    (&[("debit", "99999999999999999999")], "debit", "too large"),
    (&[("debit", "-300")], "debit", "`-300` is negative; declare `negative_amount`"),
    (&[("debit", "-300.00"), ("credit", "5")], "debit", "`-300.00` is negative and the other side is filled too"),
    (&[("debit", ""), ("credit", "-5")], "credit", "`-5` is negative; declare"),
    (&[("credit", "5 NGN")], "credit", "is not a plain decimal number"),
    (&[("credit", "1.2345")], "credit", "decimal"),
    (&[("debit", "")], "credit", "neither credit nor debit is filled"),
    (&[("debit", "N/A")], "credit", "neither credit nor debit is filled"),
    (&[("balance", "12,50")], "balance", "is not a plain decimal number"),
    (&[("balance", "0.005")], "balance", "decimal"),
    (&[("balance", "1e30")], "balance", "too large"),
    (&[("trans_date", "05-03-2024")], "trans_date", "is not an ISO 8601 date from 1900 to 2200"),
    (&[("trans_date", "2024-02-30")], "trans_date", "is not an ISO 8601 date from 1900 to 2200"),
    (&[("trans_date", "1899-12-31")], "trans_date", "is not an ISO 8601 date from 1900 to 2200"),
    (&[("trans_date", "2024-03-05T25:00:00Z")], "trans_date", "is not an ISO 8601 date"),
    (&[("trans_date", "20240305")], "trans_date", "is not an ISO 8601 date"),
    (&[("trans_date", "yesterday")], "trans_date", "is not an ISO 8601 date"),
    (&[("unformatted_trans_date", "03/05/2024")], "unformatted_trans_date", "written DD-MM-YYYY"),
    (&[("unformatted_trans_date", "31-02-2024")], "unformatted_trans_date", "written DD-MM-YYYY"),
    (&[("unformatted_trans_date", "2024-03-05")], "unformatted_trans_date", "written DD-MM-YYYY"),
    (&[("unformatted_trans_date", "09-03-2024")], "trans_date", "is `09-03-2024`; declare `prefer_iso`"),
    (&[("trans_date", ""), ("unformatted_trans_date", "")], "trans_date", "a record needs `trans_date`"),
    (&[("trans_date", "n/a"), ("unformatted_trans_date", " ")], "trans_date", "a record needs `trans_date`"),
    (&[("cleared_date", "soon")], "cleared_date", "is not an ISO 8601 date"),
    (&[("cleared_date", "2024-13-01")], "cleared_date", "is not an ISO 8601 date"),
    (&[("unformatted_cleared_date", "1-3-24")], "unformatted_cleared_date", "written DD-MM-YYYY"),
    (
        &[("cleared_date", "2024-03-01"), ("unformatted_cleared_date", "09-03-2024")],
        "cleared_date",
        "is `09-03-2024`; declare `prefer_iso`",
    ),
    (&[("created_at", "09/03/2024 10:00")], "created_at", "is not an ISO 8601 moment"),
    (&[("created_at", "2024-03-09T99:00:00Z")], "created_at", "is not an ISO 8601 moment"),
    (&[("last_updated", "1709978400")], "last_updated", "is not an ISO 8601 moment"),
    (&[("currency", "USD")], "currency", "the record is in USD"),
    (&[("currency", "840")], "currency", "the record is in USD"),
    (&[("currency", "naira")], "currency", "the currency is neither NGN nor 566"),
    (&[("currency", "BTC")], "currency", "the currency is neither NGN nor 566"),
    // With several faults every format reports the same one.
    (&[("currency", "USD"), ("trans_date", "soon"), ("debit", "x")], "currency", "the record is in USD"),
    (&[("cleared_date", "soon"), ("debit", "x")], "cleared_date", "is not an ISO 8601 date"),
    (&[("debit", "x"), ("balance", "y"), ("created_at", "z")], "debit", "`x` is not a plain decimal number"),
    (&[("balance", "y"), ("created_at", "z")], "balance", "`y` is not a plain decimal number"),
    (&[("last_updated", "y"), ("created_at", "z")], "created_at", "`z` is not an ISO 8601 moment"),
];

#[test]
fn the_same_fault_is_refused_in_the_same_words_at_the_formats_own_place() {
    assert!(FAULTS.len() >= 40);
    for (changes, column, words) in FAULTS {
        let records = changed(changes);
        for format in FORMATS {
            let context = format!("{changes:?}, {format:?}");
            let wrong = format.read(&records, &lagos()).map(|_| "it was read").expect_err(&context);
            let Error::Value { place, what } = &wrong else { panic!("{context}: {wrong:?}") };
            assert_eq!(place.path, format.place(column), "{context}");
            assert_eq!(place.record.as_deref(), Some("a2"), "{context}");
            // The columns of a columns file go by their own names, and only tables can declare how amounts are written.
            let what = what.replace("`x ", "`");
            let what = what.split("; if it ").next().unwrap_or_default();
            let Err(Error::Value { what: wanted, .. }) = Envelope.read(&records, &lagos()) else { panic!("{context}") };
            assert_eq!(what, wanted, "{context}");
            assert!(what.contains(words), "{context}: {what}");
        }
    }
}

/// Names of customers that every format refuses. The owner of a row is determined first, so `batch` reports it in other
/// words.
#[test]
fn a_customer_without_a_name_is_refused_in_the_same_words() {
    let names = [
        ("17.0", "a number with a decimal point"),
        ("2.34801E+12", "a number with a decimal point or an exponent"),
        ("NULL", "the text stands for a missing value"),
        ("nan", "the text stands for a missing value"),
        ("c\u{200b}1", "an invisible character"),
        ("c\u{a0}1", "an invisible character"),
        ("１７", "look like others"),
        ("'c1'", "a quotation mark"),
        ("1,001", "a number with commas"),
    ];
    for (name, words) in names {
        let records = changed(&[("customer", name)]);
        for format in FORMATS {
            let wrong = format.read(&records, &lagos()).map(|_| "it was read").expect_err(name);
            match &wrong {
                Error::Value { place, what } => {
                    assert_eq!(place.path, format.place("customer"), "{name}, {format:?}");
                    assert!(what.contains(words), "{name}, {format:?}: {what}");
                }
                wrong if format.table().is_some() => assert!(wrong.to_string().contains(words), "{format:?}: {wrong}"),
                wrong => panic!("{name}, {format:?}: {wrong:?}"),
            }
        }
    }
}

/// What only all records together show.
#[test]
fn records_that_contradict_each_other_are_refused_in_the_same_words() {
    let mut other_amount = ordinary();
    other_amount.push(other_amount[1].clone());
    other_amount[3].insert("debit", Some("301"));
    let swapped = Reading { negative: NegativeRule::SwapSides, ..lagos() };
    let cases = [
        (lagos(), other_amount, "have the same id `a2` and differ in `debit`"),
        (swapped, changed(&[("debit", "-300")]), "swap_sides"),
    ];
    for (reading, records, words) in cases {
        // Without the places, which are the format's own.
        let said = |format: Format| {
            let wrong = format.read(&records, &reading).map(|_| "it was read").expect_err(words).to_string();
            let places = |at: usize| {
                let item = format.place("");
                [item.replace("[1]", &format!("[{at}]")).replace(" 2", &format!(" {}", at + 1))]
            };
            (0..records.len()).flat_map(places).fold(wrong, |text, place| {
                let place = place.split([',']).next().unwrap_or_default().trim_end_matches("x ").trim_end_matches('.');
                text.replace(place, "@")
            })
        };
        let wanted = said(Envelope);
        assert!(wanted.contains(words), "{wanted}");
        for format in FORMATS {
            assert_eq!(said(format), wanted, "{format:?}");
        }
    }
}
