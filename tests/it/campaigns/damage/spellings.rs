//! Ways to write the name of one customer, and the result in each format. Must not know which of them are the same.

use std::fmt::Write;
use std::fs;

use lendwright::batch::{self, Job};
use lendwright::load_policies;
use lendwright::statement::{
    Columns, Next, RowsRequest, Statements, TableBytes, TableFormat, each_row, read_csv, read_json, read_ndjson_table,
    read_parquet,
};
use polars::prelude::{NamedFrom, Series};

use crate::fixtures::parquet_file::{self, Column, Kind};
use crate::statement::{lagos, tables::parquet};

/// A name as some program writes it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spelling {
    Text(&'static str),
    /// A number, by its digits in JSON and CSV.
    Number(&'static str),
}

/// One customer, or nobody: each spelling gives the same name, or is refused.
pub(crate) const SAME: &[&[Spelling]] = &[
    &[
        Spelling::Text("17"),
        Spelling::Text(" 17"),
        Spelling::Text("17 "),
        Spelling::Text("\t17"),
        Spelling::Text("17\u{a0}"),
        Spelling::Text("\u{2009}17"),
        Spelling::Text("\u{3000}17"),
        Spelling::Text("\u{200b}17"),
        Spelling::Text("17\u{200d}"),
        Spelling::Text("\u{200e}17"),
        Spelling::Text("\u{2060}17"),
        Spelling::Text("\u{feff}17"),
        Spelling::Text("17\u{0}"),
        Spelling::Text("1\u{200b}7"),
        Spelling::Text("1\u{ad}7"),
        Spelling::Text("１７"),
        Spelling::Text("۱۷"),
        Spelling::Text("17.0"),
        Spelling::Text("17.00"),
        Spelling::Text("17."),
        Spelling::Text("17,0"),
        Spelling::Text("1.7E+1"),
        Spelling::Text("1.7e1"),
        Spelling::Text("'17"),
        Spelling::Text("'17'"),
        Spelling::Text("\"17\""),
        Spelling::Text("=\"17\""),
        Spelling::Text("“17”"),
        Spelling::Text("`17`"),
        Spelling::Number("17"),
        Spelling::Number("17.0"),
        Spelling::Number("1.7E1"),
        Spelling::Number("1.7e+1"),
        Spelling::Number("170e-1"),
    ],
    &[
        Spelling::Text("1001"),
        Spelling::Text("1001.0"),
        Spelling::Text("1,001"),
        Spelling::Text("1,001.00"),
        Spelling::Text("1\u{a0}001"),
        Spelling::Text("1\u{202f}001"),
        Spelling::Text("1001 \u{a0}\t"),
        Spelling::Number("1001"),
        Spelling::Number("1001.0"),
    ],
    &[
        Spelling::Text("2300000000000"),
        Spelling::Text("2.3E+12"),
        Spelling::Text("2.3e12"),
        Spelling::Text("2,3E+12"),
        Spelling::Number("2300000000000"),
        Spelling::Number("2.3E+12"),
    ],
    &[
        Spelling::Text("K-1"),
        Spelling::Text("K-1\r"),
        Spelling::Text("K\u{2010}1"),
        Spelling::Text("K\u{2011}1"),
        Spelling::Text("Ｋ-1"),
        Spelling::Text("'K-1'"),
        Spelling::Text("\u{202a}K-1\u{202c}"),
    ],
    &[
        Spelling::Text("Ada Obi"),
        Spelling::Text("Ada\u{a0}Obi"),
        Spelling::Text("Ada\u{2003}Obi"),
        Spelling::Text("Ada\tObi"),
        Spelling::Text("\"Ada Obi\""),
    ],
    &[Spelling::Text("NULL"), Spelling::Text("null"), Spelling::Text("N/A"), Spelling::Text("NaN"), Spelling::Text("")],
    &[
        Spelling::Text(" "),
        Spelling::Text("\u{a0}"),
        Spelling::Text("\u{200b}"),
        Spelling::Text("None"),
        Spelling::Text("\\N"),
    ],
];

/// The customer that a format reads from a spelling; `None` if the format cannot express it.
pub(super) type Format = fn(Spelling) -> Option<Result<String, String>>;

pub(crate) const FORMATS: [(&str, Format); 9] = [
    ("CSV", |spelling| Some(csv(spelling))),
    ("CSV in a batch", |spelling| Some(row(TableFormat::Csv, &csv_text(spelling), &Columns::default()))),
    ("lines", |spelling| {
        Some(read_json(line(spelling, "customer").as_bytes(), "t", &lagos()).map_err(text).and_then(one))
    }),
    ("lines in a batch", |spelling| Some(row(TableFormat::Lines, &line(spelling, "customer"), &Columns::default()))),
    ("lines by a columns file", |spelling| {
        let read = read_ndjson_table(line(spelling, "who").as_bytes(), "t", &lagos(), &declared());
        Some(read.map_err(text).and_then(one))
    }),
    ("lines by a columns file in a batch", |spelling| {
        Some(row(TableFormat::Lines, &line(spelling, "who"), &declared()))
    }),
    ("Parquet", of_parquet),
    ("Parquet in a batch", |spelling| Some(parquet_row(&table(spelling)?))),
    ("DECIMAL of Parquet", decimal),
];

fn text(wrong: lendwright::statement::Error) -> String {
    wrong.to_string()
}

fn one(read: Statements) -> Result<String, String> {
    let customers: Vec<&str> = read.heads().iter().filter_map(|head| head.customer.as_deref()).collect();
    match customers.as_slice() {
        [customer] => Ok((*customer).to_owned()),
        _ => Err(format!("{} customers", customers.len())),
    }
}

fn declared() -> Columns {
    Columns::parse("[columns]\ncustomer = \"who\"\ntrans_date = \"trans_date\"\ncredit = \"credit\"\n").unwrap()
}

fn csv_text(spelling: Spelling) -> String {
    let cell = match spelling {
        Spelling::Text(text) if text.contains(['"', ',', '\r', '\n']) => format!("\"{}\"", text.replace('"', "\"\"")),
        Spelling::Text(text) | Spelling::Number(text) => text.to_owned(),
    };
    format!("trans_date,customer,credit\n2026-03-02,{cell},5\n")
}

fn csv(spelling: Spelling) -> Result<String, String> {
    read_csv(csv_text(spelling).as_bytes(), "t", &lagos(), &Columns::default()).map_err(text).and_then(one)
}

fn line(spelling: Spelling, key: &str) -> String {
    let value = match spelling {
        Spelling::Text(text) => serde_json::Value::from(text).to_string(),
        Spelling::Number(digits) => digits.to_owned(),
    };
    format!("{{\"id\":\"a\",\"{key}\":{value},\"trans_date\":\"2026-03-02\",\"credit\":5}}\n")
}

fn seen(format: TableFormat, bytes: TableBytes<'_>, columns: &Columns) -> Result<String, String> {
    let mut customers = Vec::new();
    let asked = RowsRequest { label: "t", columns, given: &[], rows: &|_| true, memory: 1 << 20 };
    each_row(format, bytes, &asked, |row| {
        customers.push(row.customer.to_owned());
        Next::Row
    })
    .map_err(text)?;
    Ok(customers.join("+"))
}

fn row(format: TableFormat, table: &str, columns: &Columns) -> Result<String, String> {
    seen(format, TableBytes::Stream(&mut table.as_bytes()), columns)
}

fn parquet_row(table: &[u8]) -> Result<String, String> {
    seen(TableFormat::Parquet, TableBytes::Seekable(&mut std::io::Cursor::new(table)), &Columns::default())
}

/// A number is a float here, if it is one.
fn table(spelling: Spelling) -> Option<Vec<u8>> {
    let customer = match spelling {
        Spelling::Text(text) => Series::new("customer".into(), [text]),
        Spelling::Number(digits) => match digits.parse::<i64>() {
            Ok(whole) => Series::new("customer".into(), [whole]),
            Err(_) => Series::new("customer".into(), [digits.parse::<f64>().ok()?]),
        },
    };
    let day = Series::new("trans_date".into(), ["2026-03-02"]);
    Some(parquet(vec![customer, day, Series::new("credit".into(), [5_i64])]))
}

fn of_parquet(spelling: Spelling) -> Option<Result<String, String>> {
    Some(read_parquet(table(spelling)?, "t", &lagos(), &Columns::default()).map_err(text).and_then(one))
}

/// The number with two decimals.
fn decimal(spelling: Spelling) -> Option<Result<String, String>> {
    let Spelling::Number(digits) = spelling else { return None };
    let cents = (digits.parse::<f64>().ok()? * 100.0) as i64;
    let table = [
        Column::integers(&["customer"], Kind::decimal(18, 2), &[Some(cents)]),
        Column::texts(&["trans_date"], &["2026-03-02"]),
        Column::texts(&["credit"], &["5"]),
    ];
    Some(parquet_row(&parquet_file::write(&table, 1, false)))
}

/// The customers of a batch over folders named after the customer, and tables that name them; or the failures.
pub(crate) fn batched(files: &[(String, Vec<u8>)]) -> Result<Vec<String>, String> {
    let desk = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = desk.path().join("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let policy = desk.path().join("policy.toml");
    fs::write(&policy, super::POLICY).unwrap();
    let policies = load_policies(&policy, &[]).unwrap();
    let mut job = Job::new(policies, vec![desk.path().join("in")], desk.path().join("out"));
    job.threads = Some(1);
    batch::run(&job, &mut ()).map_err(|wrong| wrong.to_string())?;
    let rows = |name: &str| fs::read_to_string(desk.path().join("out").join(name)).unwrap();
    let failures = rows("failures.ndjson");
    if !failures.is_empty() {
        return Err(failures);
    }
    let customer = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["customer"].to_string();
    Ok(rows("decisions.ndjson").lines().map(customer).collect())
}

/// Another record of the same customer.
pub(crate) fn later(format: usize, spelling: Spelling) -> Option<(String, Vec<u8>)> {
    let (name, bytes) = file(format, spelling)?;
    // The day has the same bytes in each format.
    let at = bytes.windows(10).position(|window| window == b"2026-03-02").unwrap();
    Some((name, [&bytes[..at], b"2026-04-02", &bytes[at + 10..]].concat()))
}

/// A file of a batch that names its customer in this way.
pub(crate) fn file(format: usize, spelling: Spelling) -> Option<(String, Vec<u8>)> {
    Some(match (format, spelling) {
        (0, _) => ("a.csv".to_owned(), csv_text(spelling).into_bytes()),
        (1, _) => ("b.ndjson".to_owned(), line(spelling, "customer").into_bytes()),
        (2, _) => ("c.parquet".to_owned(), table(spelling)?),
        (_, Spelling::Text(text)) if !text.is_empty() => {
            let name = text.bytes().fold(String::new(), |mut name, byte| {
                let _ = write!(name, "%{byte:02X}");
                name
            });
            (format!("customer={name}/d.csv"), b"trans_date,credit\n2026-03-02,5\n".to_vec())
        }
        (_, _) => return None,
    })
}
