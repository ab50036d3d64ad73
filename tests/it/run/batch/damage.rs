//! Damaged input is listed with its place, and the rest is decided. Nobody is decided on a part of their records.

use std::fs;

use polars::prelude::{Column, DataFrame, ParquetWriter};
use polars_parquet::read::read_metadata;

use super::*;

#[test]
fn one_damaged_file_among_many_is_listed_and_the_rest_is_decided() {
    let desk = Desk::new();
    let whole = desk.read("in/statement-000002.json");
    desk.write("in/cut.json", &whole[..whole.len() / 2]);
    desk.write("in/empty.json", "");
    desk.write("in/page.json", "<html></html>");
    let said = batch(&desk, &["in"]);
    assert_eq!((said.status, said.err.as_str()), (3, ""));
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3);
    insta::assert_snapshot!("batch_failures", steady(&said.out) + "\n" + &desk.read("out/failures.ndjson"));
}

#[test]
fn a_row_at_fault_takes_its_customer_alone() {
    let desk = Desk::new();
    let all = rows(50, 4);
    for (name, mut rows) in [("sorted", all.clone()), ("shuffled", shuffled(&all, 3))] {
        let at = rows.iter().position(|row| row.starts_with("c000017,")).unwrap();
        rows[at] = "c000017,x,2026-02-30,5,,".to_owned();
        let at = rows.iter().position(|row| row.starts_with("c000031,")).unwrap();
        rows[at] = "c000031,x,2026-02-20,1e400,,".to_owned();
        desk.write("t.csv", &csv(&rows));
        let said = batch(&desk, &["--restart", "t.csv"]);
        assert_eq!((said.status, said.err.as_str()), (3, ""), "{name}");
        assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 48, "{name}");
        let failures = lines(&desk.read("out/failures.ndjson"));
        let told: Vec<&str> = failures.iter().map(|failure| failure["customer"].as_str().unwrap()).collect();
        assert_eq!(told, ["c000017", "c000031"], "{name}");
        let row = rows.iter().position(|row| row.starts_with("c000017,x")).unwrap() + 1;
        assert_eq!(failures[0]["place"], format!("row {row}, column `trans_date` (record `x`)"), "{name}");
    }
}

#[test]
fn one_id_for_two_records_in_two_files_names_both_places() {
    let desk = Desk::new();
    desk.write("a.csv", "customer,id,trans_date,credit\nx,1,2026-01-01,5\ny,1,2026-01-01,5\n");
    desk.write("b.csv", "customer,id,trans_date,credit\ny,2,2026-01-01,5\nx,1,2026-01-01,6\n");
    assert_eq!(batch(&desk, &["a.csv", "b.csv"]).status, 3);
    insta::assert_snapshot!("batch_duplicate", desk.read("out/failures.ndjson"));
}

/// Tables that cannot be read to the end, so that nobody knows whose records are missing.
const BROKEN: [(&str, &str); 5] = [
    ("b.csv", "customer,id,trans_date,credit,debit,desc\nc000001,1,2026-01-01,5,,\nc000002,2,2026-01-01,5\n"),
    ("b.csv", "customer,id,trans_date,credit,debit,desc\nc000001,1,2026-01-01,5,,\n,2,2026-01-01,5,,\n"),
    ("b.csv", "customer,id,trans_date,credit,debit,desc\nc000001,1,2026-01-01,5,,\"open\nc2,2,2026-01-01,5,,\n"),
    (
        "b.ndjson",
        "{\"customer\": \"c000001\", \"trans_date\": \"2026-01-01\", \"credit\": 5}\n{\"customer\": \"c000002\", \"cre",
    ),
    ("b.parquet", "PAR1 this is no table PAR1"),
];

#[test]
fn a_table_that_cannot_be_read_lets_nobody_be_decided_on_a_part() {
    let desk = Desk::new();
    let all = rows(10, 3);
    let mut told = String::new();
    for (name, text) in BROKEN {
        desk.write("tables/a.csv", &csv(&all));
        desk.write(&format!("tables/{name}"), text);
        desk.write("in/a.json", &desk.read("in/statement-000001.json"));
        let said = batch(&desk, &["--restart", "tables", "in"]);
        assert_eq!(said.status, 3, "{name}");
        // Files of one statement each are not affected.
        assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 4, "{name}");
        told.push_str(&desk.read("out/failures.ndjson"));
        let said = batch(&desk, &["--restart", "--apart", "tables"]);
        assert_eq!(said.status, 3, "{name}");
        assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 10, "{name}");
        assert_eq!(lines(&desk.read("out/failures.ndjson")).len(), 1, "{name}");
        fs::remove_file(desk.path().join("tables").join(name)).unwrap();
    }
    insta::assert_snapshot!("batch_broken_tables", told);
}

#[test]
fn who_is_in_two_tables_that_are_said_to_be_apart_is_not_decided() {
    let desk = Desk::new();
    desk.write("a.csv", "customer,trans_date,credit\nx,2026-01-01,5\ny,2026-01-01,5\n");
    desk.write("b.csv", "customer,trans_date,credit\ny,2026-01-01,5\nz,2026-01-01,6\n");
    assert_eq!(batch(&desk, &["--apart", "a.csv", "b.csv"]).status, 3);
    let failures = lines(&desk.read("out/failures.ndjson"));
    assert_eq!((failures.len(), failures[0]["customer"].as_str()), (1, Some("y")));
    assert_eq!(failures[0]["source"], "a.csv + b.csv");
}

#[test]
fn a_damaged_page_of_parquet_takes_the_customers_of_its_row_group_along() {
    let desk = Desk::new();
    let all = rows(40, 5);
    let field = |at: usize| all.iter().map(move |row| row.split(',').nth(at).unwrap()).collect::<Vec<_>>();
    let number = |at: usize| field(at).into_iter().map(|text| text.parse::<i64>().ok()).collect::<Vec<_>>();
    let mut frame = DataFrame::new(
        all.len(),
        vec![
            Column::new("customer".into(), field(0)),
            Column::new("id".into(), field(1)),
            Column::new("trans_date".into(), field(2)),
            Column::new("credit".into(), number(3)),
            Column::new("debit".into(), number(4)),
        ],
    )
    .unwrap();
    let path = desk.path().join("t.parquet");
    ParquetWriter::new(fs::File::create(&path).unwrap()).with_row_group_size(Some(50)).finish(&mut frame).unwrap();
    assert_eq!(batch(&desk, &["t.parquet"]).status, 0);
    let whole = lines(&desk.read("out/decisions.ndjson"));
    assert_eq!(whole.len(), 40);
    let mut bytes = fs::read(&path).unwrap();
    let metadata = read_metadata(&mut std::io::Cursor::new(&bytes)).unwrap();
    assert_eq!(metadata.row_groups.len(), 4);
    let credit = metadata.row_groups[1].columns_under_root_iter("credit").unwrap().next().unwrap().byte_range();
    bytes[credit.start as usize..credit.start as usize + 24].fill(0xff);
    fs::write(&path, &bytes).unwrap();
    let said = batch(&desk, &["--restart", "t.parquet"]);
    assert_eq!((said.status, said.err.as_str()), (3, ""), "{}", said.out);
    let decided = lines(&desk.read("out/decisions.ndjson"));
    assert_eq!(decided, [&whole[..10], &whole[20..]].concat());
    let failed: Vec<String> = lines(&desk.read("out/failures.ndjson"))
        .iter()
        .map(|row| row["customer"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(failed, (10..20).map(|number| format!("c{number:06}")).collect::<Vec<_>>());
}

/// See `claims_too_much`: without a check, such a file ends the program.
#[test]
fn a_table_that_claims_more_than_memory_holds_is_a_failure_beside_the_others() {
    use crate::statement::tables::{claims_too_much, of_300_rows};
    let desk = Desk::new();
    for rows_too in [false, true] {
        fs::write(desk.path().join("in/t.parquet"), claims_too_much(&of_300_rows(), rows_too)).unwrap();
        let said = batch(&desk, &["--restart", "in"]);
        assert_eq!((said.status, said.err.as_str()), (3, ""), "{}", said.out);
        assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 3);
        let failures = lines(&desk.read("out/failures.ndjson"));
        assert_eq!((failures.len(), failures[0]["source"].as_str()), (1, Some("in/t.parquet")));
    }
}

#[test]
fn what_is_too_large_is_a_failure_and_not_a_full_machine() {
    let desk = Desk::new();
    // 300 MB of blanks in 300 KB.
    let bomb = super::tables::gzip(&vec![b' '; 300 << 20]);
    assert!(bomb.len() < 3 << 20);
    fs::write(desk.path().join("in/bomb.json.gz"), bomb).unwrap();
    let mut table = rows(3, 2);
    table.extend((0..3_000).map(|row| format!("c000003,x{row},2026-01-01,5,,{}", "long ".repeat(100))));
    desk.write("t.csv", &csv(&table));
    let said = batch(&desk, &["--statement-max", "1MiB", "in", "t.csv"]);
    assert_eq!(said.status, 3, "{}{}", said.out, said.err);
    assert_eq!(lines(&desk.read("out/decisions.ndjson")).len(), 6);
    insta::assert_snapshot!("batch_too_large", desk.read("out/failures.ndjson"));
}
