//! The formats of banks, on public samples that other projects test with. The samples are kept beside the project; each
//! test is skipped if they are missing.

mod camt;
pub(crate) mod every_format;
mod json;
mod json_paths;
mod mt940_and_ofx;

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{
    Columns, EmptyAmount, Error, LaidRow, Next, Reading, RowsRequest, Statements, TableBytes, TableFormat, Tables,
    each_row, statements_of,
};

/// The folder of a format's samples, if it is there.
fn folder(format: &str) -> Option<PathBuf> {
    let data = match std::env::var_os("LENDWRIGHT_DATA") {
        Some(data) => PathBuf::from(data),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    };
    let samples = data.join("formats").join(format);
    if samples.is_dir() {
        return Some(samples);
    }
    println!("skipped: no samples at {} (set LENDWRIGHT_DATA to the folder that has formats/)", samples.display());
    None
}

const COLUMNS: &str = r#"
[columns]
customer = "account"
id = "id"
trans_date = "trans_date"
cleared_date = "cleared_date"
credit = "credit"
debit = "debit"
balance = "balance"
code = "code"
reference = "reference"
bank = "bank"
desc = "desc"
people = "people"
"#;

fn read(format: TableFormat, bytes: &[u8]) -> Result<Statements, Error> {
    let columns = Columns::parse(COLUMNS).expect("a columns file");
    // A row of a stated balance has no amount.
    let reading = Reading {
        empty_amount: EmptyAmount::Drop,
        ..Reading::new(Currency::from_alphabetic("EUR").expect("the euro"), Zone::parse("UTC").expect("UTC"))
    };
    let mut laid: Vec<(u32, Vec<u8>)> = Vec::new();
    let asked = RowsRequest { label: "sample", columns: &columns, given: &[], rows: &|_| true, memory: 1 << 30 };
    let table = each_row(format, TableBytes::Seekable(&mut Cursor::new(bytes)), &asked, |row| {
        laid.push((row.ordinal, row.bytes.to_vec()));
        Next::Row
    })?;
    let tables = Tables { tables: &[table], columns: &columns, reading: &reading, name_tables: false };
    let rows = laid.iter().map(|(ordinal, bytes)| LaidRow { table: 0, ordinal: *ordinal, bytes });
    statements_of(rows, &tables, |_| "sample".to_owned())
}

/// What a sample holds: entries, the sums of their credits and debits in hundredths, how many entries have a running
/// balance, and the last of these balances.
type Whole = (usize, i64, i64, usize, Option<i64>);

fn summary(statements: &Statements) -> Whole {
    let frame = statements.frame();
    let values = |name: &str| -> Vec<Option<i64>> {
        frame.column(name).and_then(|column| column.i64()).map(|column| column.iter().collect()).unwrap_or_default()
    };
    let sum = |name: &str| values(name).into_iter().flatten().sum();
    let balances: Vec<i64> = values("balance").into_iter().flatten().collect();
    (frame.height(), sum("credit"), sum("debit"), balances.len(), balances.last().copied())
}

fn is_as_expected(found: &Result<Whole, String>, expected: &Result<Whole, &str>) -> bool {
    match (found, expected) {
        (Ok(found), Ok(expected)) => found == expected,
        (Err(message), Err(start)) => message.starts_with(start),
        _ => false,
    }
}

/// Checks that each file of the folder is in the list and comes out as it says.
fn hold(folder: &str, format: TableFormat, samples: &[Outcome]) {
    let Some(folder) = self::folder(folder) else { return };
    let mut wrong = Vec::new();
    for file in fs::read_dir(folder).expect("samples") {
        let path = file.expect("a file").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name.starts_with("LICENSE") {
            continue;
        }
        let found = read(format, &fs::read(&path).expect("a sample")).map(|statements| summary(&statements));
        let found = found.map_err(|error| error.to_string().replace("the table cannot be read: ", ""));
        match samples.iter().find(|(sample, _)| *sample == name) {
            Some((_, expected)) if is_as_expected(&found, expected) => {}
            Some((_, expected)) => wrong.push(format!("{name}: expected {expected:?}\n    found {found:?}")),
            None => wrong.push(format!("{name} is not listed: {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What comes of a sample: what it holds, or how the message begins that refuses it.
type Outcome = (&'static str, Result<Whole, &'static str>);
