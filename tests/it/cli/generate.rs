//! The `generate` command's files: their names, their tables, and that they hold what the library gives.

use std::path::Path;

use lendwright::cli::generate::{Args, Format, Hardship, run};
use lendwright::generate::{COLUMNS, Hard, Market, Options, ParquetTable, Plan, csv_header, statement_json};
use lendwright::statement::{Columns, Statements, read_csv, read_json, read_parquet};
use polars::prelude::{DataFrame, DataType, ParquetReader, SerReader};

fn args(out: &Path, format: Format) -> Args {
    Args {
        statements: 5,
        records: 40,
        seed: 3,
        out: out.to_path_buf(),
        format,
        labels: true,
        debits: true,
        noise: 0.1,
        hard: Vec::new(),
        accounts: 1,
        overlap: false,
        market: Market::Nigeria,
        start: None,
        end: None,
        months: None,
    }
}

fn generated(format: Format) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    run(&args(folder.path(), format)).expect("generated");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn table(folder: &Path) -> DataFrame {
    let file = std::fs::File::open(folder.join("statements.parquet")).expect("a table");
    ParquetReader::new(file).finish().expect("parquet")
}

#[test]
fn json_is_one_file_a_statement_whatever_their_number() {
    let folder = generated(Format::Json);
    let expected: Vec<String> = std::iter::once("labels.csv".into())
        .chain((1..=5).map(|number| format!("statement-{number:06}.json")))
        .collect();
    assert_eq!(names(folder.path()), expected);
    let options = Options { records: 40, debits: true, ..Options::default() };
    for index in 0..5 {
        let bytes = std::fs::read(folder.path().join(format!("statement-{:06}.json", index + 1))).expect("a statement");
        assert_eq!(bytes, statement_json(3, index, &options).expect("options"));
    }
}

#[test]
fn tables_have_the_contract_columns_and_every_record() {
    let (csv, parquet) = (generated(Format::Csv), generated(Format::Parquet));
    assert_eq!(names(csv.path()), ["labels.csv", "statements.csv"]);
    assert_eq!(names(parquet.path()), ["labels.csv", "statements.parquet"]);
    let frame = table(parquet.path());
    assert_eq!(frame.get_column_names(), COLUMNS);
    assert_eq!(frame.height(), 200);
    assert_eq!(frame.column("trans_date").expect("a column").dtype(), &DataType::Date);
    assert_eq!(frame.column("credit").expect("a column").dtype(), &DataType::Float64);
    let mut reader = csv::Reader::from_path(csv.path().join("statements.csv")).expect("a table");
    assert_eq!(reader.headers().expect("a header").iter().collect::<Vec<_>>(), COLUMNS);
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("csv")).collect();
    assert_eq!(rows.len(), 200);
    for (name, place) in [("credit", 4), ("debit", 5), ("balance", 6)] {
        let column = frame.column(name).expect("a column").f64().expect("floats");
        for (row, value) in rows.iter().zip(column.iter()) {
            assert_eq!(row[place], value.map(|value| format!("{value:.2}")).unwrap_or_default());
        }
    }
}

#[test]
fn hardships_are_those_asked_for() {
    use Hardship::{All, Irregular, Misleading, Split};
    let plain = Hard::default();
    let cases = [
        (vec![Irregular], Hard { irregular: true, ..plain }),
        (vec![Split, Misleading], Hard { split: true, misleading: true, ..plain }),
        (vec![All, Split], Hard::ALL),
    ];
    for (asked, hard) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        run(&Args { hard: asked, statements: 1, ..args(folder.path(), Format::Json) }).expect("generated");
        let bytes = std::fs::read(folder.path().join("statement-000001.json")).expect("a statement");
        let options = Options { records: 40, debits: true, hard, ..Options::default() };
        assert_eq!(bytes, statement_json(3, 0, &options).expect("options"));
    }
}

#[test]
fn accounts_and_exports_have_files_or_columns_of_their_own() {
    let of = |format, accounts, overlap| {
        let folder = tempfile::tempdir().expect("a folder");
        run(&Args { statements: 2, accounts, overlap, ..args(folder.path(), format) }).expect("generated");
        folder
    };
    let files = |folder: tempfile::TempDir| names(folder.path()).join(" ");
    assert_eq!(
        files(of(Format::Json, 2, false)),
        "labels.csv statement-000001-a1.json statement-000001-a2.json statement-000002-a1.json statement-000002-a2.json"
    );
    assert_eq!(
        files(of(Format::Json, 1, true)),
        "labels.csv statement-000001-e1.json statement-000001-e2.json statement-000002-e1.json statement-000002-e2.json"
    );
    for (accounts, overlap, further) in
        [(3, false, &["account"][..]), (1, true, &["export"]), (2, true, &["account", "export"])]
    {
        let expected = [&COLUMNS, further].concat();
        let (csv, parquet) = (of(Format::Csv, accounts, overlap), of(Format::Parquet, accounts, overlap));
        let frame = table(parquet.path());
        assert_eq!(frame.get_column_names(), expected);
        let mut reader = csv::Reader::from_path(csv.path().join("statements.csv")).expect("a table");
        assert_eq!(reader.headers().expect("a header").iter().collect::<Vec<_>>(), expected);
        let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("csv")).collect();
        assert_eq!(rows.len(), frame.height());
        for (place, name) in expected.iter().enumerate().skip(COLUMNS.len()) {
            let column = frame.column(name).expect("a column").str().expect("texts");
            assert!(rows.iter().zip(column.iter()).all(|(row, value)| Some(&row[place]) == value), "{name}");
        }
        // The labels find the account's rows.
        let mut labels = csv::Reader::from_path(csv.path().join("labels.csv")).expect("labels");
        let place = labels.headers().expect("a header").iter().position(|name| name == "account").expect("a column");
        let labelled: std::collections::BTreeSet<String> =
            labels.records().map(|row| row.expect("csv")[place].to_owned()).collect();
        let listed: std::collections::BTreeSet<String> = match expected.iter().position(|name| *name == "account") {
            Some(place) => rows.iter().map(|row| row[place].to_owned()).collect(),
            None => labelled.clone(),
        };
        assert_eq!((labelled.len() as u32, &labelled), (2 * accounts, &listed));
    }
}

#[test]
fn the_same_options_write_the_same_bytes() {
    for format in [Format::Json, Format::Csv, Format::Parquet] {
        let (one, other) = (generated(format), generated(format));
        for name in names(one.path()) {
            let read = |folder: &tempfile::TempDir| std::fs::read(folder.path().join(&name)).expect("a file");
            assert!(read(&one) == read(&other), "`{name}` differs");
        }
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("taken");
    std::fs::write(&file, b"").expect("a file");
    let said = run(&args(&file, Format::Json)).expect_err("refused");
    assert!(said.starts_with("cannot create the folder `"), "{said}");
}

#[test]
fn help_says_what_there_is_to_ask_for() {
    let command = <Args as clap::Args>::augment_args(clap::Command::new("lendwright generate"));
    insta::assert_snapshot!(command.term_width(120).render_long_help().to_string());
}

/// The columns of a statement, as read from each format.
#[test]
fn every_format_says_the_same() {
    let reading = crate::statement::lagos();
    let options = Options { records: 120, debits: true, noise: 0.4, ..Options::default() };
    for seed in 0..6 {
        let plan = Plan::new(seed, 0, &options).expect("options");
        let mut text = csv_header(&options).into_bytes();
        plan.write_csv(&mut text).expect("memory");
        let mut bytes = Vec::new();
        let mut table = ParquetTable::new(&mut bytes, &options).expect("a table");
        table.add(&plan).expect("rows");
        let json =
            read_json(&statement_json(seed, 0, &options).expect("options"), "json", &reading).expect("a statement");
        let csv = read_csv(&text, "csv", &reading, &Columns::default()).expect("a statement");
        table.finish().expect("a table");
        let parquet = read_parquet(bytes, "parquet", &reading, &Columns::default()).expect("a statement");
        for name in COLUMNS.iter().filter(|name| **name != "customer") {
            let of = |read: &Statements| read.frame().column(name).expect("a column").clone();
            assert!(of(&json).equals_missing(&of(&csv)), "{name} of seed {seed}: {:?} {:?}", of(&json), of(&csv));
            assert!(of(&csv).equals_missing(&of(&parquet)), "{name} of seed {seed}");
        }
    }
}
