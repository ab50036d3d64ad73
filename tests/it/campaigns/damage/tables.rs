//! Tables for the campaign of columns files: each column has a name that is not close to another, and every format has
//! the same rows.

use lendwright::statement::{Columns, Statements, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{NamedFrom, Series};
use serde_json::{Map, Value};

use crate::statement::{lagos, tables::parquet};

/// A columns file, and the columns of its table: each with its name and its cells.
pub(crate) struct Base {
    pub(super) file: &'static str,
    columns: Vec<(&'static str, Vec<String>)>,
}

impl Base {
    /// Whether a message begins with a cell of the table, or with two rows that contradict each other.
    pub(super) fn names_a_cell(&self, said: &str) -> bool {
        if said.split_once(" have the same id `").is_some_and(|(rows, _)| rows.contains(" and ")) {
            return true;
        }
        let rest = said.strip_prefix("row ").or_else(|| said.strip_prefix("line "));
        let Some((row, rest)) = rest.and_then(|rest| rest.split_once(", ")) else { return false };
        let name = rest.strip_prefix("column `").unwrap_or(rest);
        row.parse::<u32>().is_ok() && self.columns.iter().any(|(column, _)| name.starts_with(column))
    }
}

const SIDES: &str = r#"[columns]
customer = "owner_no"
account = "acct"
id = "entry"
trans_date = "booked"
unformatted_trans_date = "printed"
cleared_date = "valued"
credit = "paid_in"
debit = "paid_out"
balance = "standing"
seq = "line_no"
created_at = "made_at"
last_updated = "changed_at"
currency = "money"
code = "kind"
branch = "office"
bank = "house"
env = "stage"
reference = "ticket"
desc = ["remark", "details"]
topics = "subject_list"
people = "names"

[amount]
unit = "major"
negative = "swap_sides"

[dates]
trans_date = "DD/MM/YYYY"
cleared_date = "YYMMDD"
century = 2000

[lists]
separator = ";"

[currency]
words = ["Naira"]
"#;

const TYPED: &str = r#"order = "oldest_first"

[columns]
customer = "owner_no"
id = "entry"
trans_date = "booked"
amount = "sum"
type = "way"
balance = "standing"
desc = "remark"

[type]
credit = ["CRED"]
debit = ["DEB", "FEE"]
"#;

const SIGNED: &str = r#"[columns]
customer = "owner_no"
id = "entry"
trans_date = "booked"
amount = "sum"
balance = "standing"
desc = "remark"

[amount]
positive = "credit"

[dates]
trans_date = "YYYY.MM.DD"
"#;

const ROWS: i64 = 24;

/// A row of the table: who, which, when, how much, and what stands then.
struct Row {
    number: i64,
    customer: i64,
    day: i64,
    minor: i64,
    standing: i64,
}

fn rows() -> Vec<Row> {
    let mut standing = [100_000, 250_000];
    let mut rows = Vec::new();
    for number in 0..ROWS {
        let customer = number % 2;
        let minor = if number % 3 == 2 { -(number * 701 + 1_150) } else { number * 1_337 + 5_025 };
        standing[customer as usize] += minor;
        rows.push(Row { number, customer, day: 1 + number, minor, standing: standing[customer as usize] });
    }
    rows
}

fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", minor.abs() / 100, minor.abs() % 100)
}

fn column(name: &'static str, cell: impl Fn(&Row) -> String) -> (&'static str, Vec<String>) {
    (name, rows().iter().map(cell).collect())
}

fn if_text(is_it: bool, text: String) -> String {
    if is_it { text } else { String::new() }
}

pub(crate) fn bases() -> Vec<Base> {
    let own = || {
        vec![
            column("owner_no", |row| format!("K{}", 17 + row.customer)),
            column("entry", |row| format!("E{:04}", row.number)),
            column("standing", |row| major(row.standing)),
            column("remark", |row| format!("TRANSFER {}", row.number % 5)),
        ]
    };
    let with = |mut more: Vec<(&'static str, Vec<String>)>| {
        more.extend(own());
        more
    };
    let sides = vec![
        column("acct", |row| format!("A{}", row.customer)),
        column("booked", |row| format!("{:02}/03/2026", row.day)),
        column("printed", |row| format!("{:02}-03-2026", row.day)),
        column("valued", |row| format!("2603{:02}", row.day + 2)),
        column("paid_in", |row| if_text(row.minor > 0, major(row.minor))),
        column("paid_out", |row| if_text(row.minor < 0, major(-row.minor))),
        column("line_no", |row| row.number.to_string()),
        column("made_at", |row| format!("2026-04-{:02}T10:00:00Z", row.day)),
        column("changed_at", |row| format!("2026-05-{:02}T11:00:00Z", row.day)),
        column("money", |row| if row.number % 2 == 0 { "Naira" } else { "NGN" }.to_owned()),
        column("kind", |row| format!("T{}", row.number % 4)),
        column("office", |row| format!("B{}", row.number % 3)),
        column("house", |row| format!("H{}", row.number % 2)),
        column("stage", |_| "live".to_owned()),
        column("ticket", |row| format!("R{}", row.number * 31)),
        column("details", |row| format!("RENT {}", row.number % 7)),
        column("subject_list", |row| format!("rent;part {}", row.number % 3)),
        column("names", |row| format!("ADA {0};OBI {0}", row.number % 4)),
        column("nobody", |row| row.number.to_string()),
    ];
    let sum = || column("sum", |row| major(row.minor.abs()));
    let way = |row: &Row| if row.minor > 0 { "CRED" } else { ["DEB", "FEE"][row.number as usize / 3 % 2] };
    let typed = vec![
        column("booked", |row| format!("2026-03-{:02}", row.day)),
        sum(),
        column("way", move |row| way(row).to_owned()),
    ];
    let signed = vec![column("booked", |row| format!("2026.03.{:02}", row.day)), column("sum", |row| major(row.minor))];
    vec![
        Base { file: SIDES, columns: with(sides) },
        Base { file: TYPED, columns: with(typed) },
        Base { file: SIGNED, columns: with(signed) },
    ]
}

/// Reads the table in one of its formats.
pub(crate) type Format = fn(&Base, &Columns) -> Result<Statements, String>;

pub(crate) const FORMATS: [(&str, Format); 3] = [("CSV", csv), ("NDJSON", lines), ("Parquet", of_parquet)];

fn csv(base: &Base, columns: &Columns) -> Result<Statements, String> {
    let row = |cells: Vec<&str>| cells.join(",") + "\n";
    let mut text = row(base.columns.iter().map(|(name, _)| *name).collect());
    for at in 0..ROWS as usize {
        text += &row(base.columns.iter().map(|(_, cells)| cells[at].as_str()).collect());
    }
    read_csv(text.as_bytes(), "t", &lagos(), columns).map_err(|wrong| wrong.to_string())
}

fn lines(base: &Base, columns: &Columns) -> Result<Statements, String> {
    let object = |at: usize| -> Map<String, Value> {
        let cells = base.columns.iter().map(|(name, cells)| ((*name).to_owned(), cells[at].clone()));
        cells.map(|(name, cell)| (name, if cell.is_empty() { Value::Null } else { cell.into() })).collect()
    };
    let text: String = (0..ROWS as usize).map(|at| format!("{}\n", Value::Object(object(at)))).collect();
    read_ndjson_table(text.as_bytes(), "t", &lagos(), columns).map_err(|wrong| wrong.to_string())
}

fn of_parquet(base: &Base, columns: &Columns) -> Result<Statements, String> {
    let series = |(name, cells): &(&str, Vec<String>)| {
        let cells = cells.iter().map(|cell| Some(cell.as_str()).filter(|cell| !cell.is_empty()));
        Series::new((*name).into(), cells.collect::<Vec<_>>())
    };
    let table = parquet(base.columns.iter().map(series).collect());
    read_parquet(table, "t", &lagos(), columns).map_err(|wrong| wrong.to_string())
}
