//! A Parquet table delivered in parts of whole statements: the statements, faults and metrics equal those of the whole
//! table, however it is cut.

use std::cell::Cell;
use std::io::Cursor;

use lendwright::metrics;
use lendwright::statement::{Columns, Head, read_parquet, read_parquet_parts};
use lendwright::{Policy, compile, files};
use polars::prelude::{DataFrame, df};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::columnar::{Row, frame, kinds, row};
use super::parquet_row_groups::parquet;
use crate::fixtures::campaign;
use crate::statement::*;

/// Reads the parts on this many threads.
fn parts(bytes: &[u8], threads: usize) -> Result<Vec<Statements>, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let read = || read_parquet_parts(Cursor::new(bytes), "table", &lagos(), &Columns::default(), |part| part);
    pool.install(read).map_err(|wrong| wrong.to_string())
}

fn whole(bytes: &[u8]) -> Result<Statements, String> {
    read_parquet(bytes, "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

/// The content of the frame, without the number of the statement.
fn records(statements: &Statements, head: &Head) -> String {
    let records = statements.frame().slice(head.rows.start as i64, head.rows.len());
    files::frame_as_ndjson(&records.drop("statement").expect("a frame"))
        .map(|bytes| String::from_utf8(bytes).expect("text"))
        .expect("records")
}

/// Compares the parts of a table with the whole; returns how many there are, or why it is refused.
fn held(bytes: &[u8], threads: usize) -> Result<usize, String> {
    let (whole, parts) = match (whole(bytes), parts(bytes, threads)) {
        (Ok(whole), Ok(parts)) => (whole, parts),
        (Err(whole), Err(wrong)) => {
            assert_eq!(wrong, whole);
            return Err(whole);
        }
        (whole, parts) => panic!("{whole:?} and {parts:?}"),
    };
    let mut seen = 0;
    for part in &parts {
        for (index, of_part) in part.heads().iter().enumerate() {
            let head = whole.heads().iter().position(|head| head.customer == of_part.customer).expect("a statement");
            let (mut here, there) = (of_part.clone(), &whole.heads()[head]);
            assert_eq!(records(part, &here), records(&whole, there));
            assert_eq!(part.digest(index).expect("a digest"), whole.digest(head).expect("a digest"));
            here.rows = there.rows.clone();
            assert_eq!(here, *there);
            seen += 1;
        }
    }
    assert_eq!(seen, whole.len());
    Ok(parts.len())
}

/// An ordinary row that is not refused, because most tables should be accepted.
fn fine() -> impl Strategy<Value = Row> {
    let settled = |mut row: Row| {
        (row.id, row.credit) = (None, row.credit.or(Some(12.5)));
        row
    };
    row(false).prop_map(settled)
}

#[test]
fn parts_are_what_the_whole_is() {
    let tables = (
        (prop::collection::vec(fine(), 30..60), prop::collection::vec((row(true), 0_usize..2_400), 0..2)),
        (prop::bool::weighted(0.8), kinds()),
        (prop::sample::select(vec![100_usize, 512, 600, 700, 800, 1_000]), 1_usize..4),
    );
    let cases = campaign::size(64, 256);
    let mut runner = TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() });
    let several = Cell::new(0);
    let outcome = runner.run(&tables, |((mut rows, odd), (sorted, kind), (rows_a_group, threads))| {
        if sorted {
            rows.sort_by_key(|row: &Row| row.customer);
        }
        // Enough of each for several row groups.
        let mut rows: Vec<Row> = rows.into_iter().flat_map(|row| std::iter::repeat_n(row, 40)).collect();
        for (row, at) in odd {
            let at = at % rows.len();
            rows[at] = row;
        }
        let parts = held(&parquet(frame(&rows, kind), rows_a_group), threads);
        several.set(several.get() + usize::from(parts.is_ok_and(|parts| parts > 1)));
        Ok(())
    });
    outcome.unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(several.get() > cases as usize / 13, "only {} tables were read in parts", several.get());
}

/// This many records of each customer, one after the other.
fn table(customers: &[(&str, usize)]) -> DataFrame {
    let all: Vec<(&str, usize)> =
        customers.iter().flat_map(|(customer, rows)| (0..*rows).map(move |row| (*customer, row))).collect();
    df!(
        "customer" => all.iter().map(|(customer, _)| *customer).collect::<Vec<_>>(),
        "trans_date" => {
            let day = |row: usize| format!("2026-{:02}-{:02}", row % 6 + 1, row % 28 + 1);
            all.iter().map(|(_, row)| day(*row)).collect::<Vec<_>>()
        },
        "credit" => all.iter().map(|(_, row)| (row % 997 + 1) as f64).collect::<Vec<_>>(),
        "desc" => all.iter().map(|(_, row)| format!("SALARY {}", row % 11)).collect::<Vec<_>>(),
    )
    .expect("a frame")
}

/// How many parts a table has, for these hundreds of records per customer and row group.
fn counted(customers: &[(&str, usize)], hundreds_a_group: usize) -> usize {
    let customers: Vec<(&str, usize)> =
        customers.iter().map(|(customer, hundreds)| (*customer, 100 * hundreds)).collect();
    held(&parquet(table(&customers), 100 * hundreds_a_group), 2).expect("statements")
}

#[test]
fn customers_whose_rows_stand_together_come_in_parts() {
    // A part for the whole customers of each group, and one for each customer in two groups.
    assert_eq!(counted(&[("a", 10), ("b", 10), ("c", 10)], 15), 3);
    assert_eq!(counted(&[("b", 10), ("c", 10), ("a", 10)], 15), 3);
    assert_eq!(counted(&[("a", 10), ("b", 10)], 10), 2);
    // The first group has a single customer, and so has the last.
    assert_eq!(counted(&[("a", 15), ("b", 15)], 10), 2);
}

#[test]
fn a_customer_in_two_places_makes_a_table_one_part() {
    assert_eq!(counted(&[("a", 5), ("b", 5), ("a", 5), ("c", 25)], 20), 1);
    assert_eq!(counted(&[("b", 5), ("c", 5), ("a", 5), ("b", 5)], 10), 1);
    // One customer fills a group, and has rows on both sides of it.
    assert_eq!(counted(&[("a", 5), ("b", 20), ("c", 5)], 10), 1);
    assert_eq!(counted(&[("a", 10), ("b", 10)], 100), 1, "one group of rows");
    assert_eq!(counted(&[("a", 10), ("b", 10)], 4), 1, "small groups of rows");
    assert_eq!(counted(&[], 100), 1, "no rows");
}

fn policy() -> Policy {
    let text = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\n\
                time_zone = \"Africa/Lagos\"\n[metric]\ncredits = \"SUM(credit)\"\n\
                narrations = \"COUNT(DISTINCT desc)\"\n";
    compile("p.toml", text, &mut |_| Err("nothing is used".to_owned()), &[]).expect("a policy")
}

#[test]
fn a_large_group_is_cut_between_customers_and_metrics_stay_what_they_are() {
    let names: Vec<String> = (0..101).map(|customer| format!("c{:03}", customer * 37 % 101)).collect();
    let customers: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 700)).collect();
    let bytes = parquet(table(&customers), 35_350);
    // Of 35,350 rows 35,000 belong to whole statements: 16,800, as many again, the rest. So it is after the statement
    // in both.
    assert_eq!(held(&bytes, 2), Ok(7));
    let policy = policy();
    let work = |part| metrics::table(&policy, &part, None).expect("metrics");
    let parts =
        read_parquet_parts(Cursor::new(&bytes), "table", &lagos(), &Columns::default(), work).expect("statements");
    let stacked = metrics::stack(parts).expect("tables of one policy");
    let whole = metrics::table(&policy, &whole(&bytes).expect("statements"), None).expect("metrics");
    assert_eq!((stacked.shape(), stacked.should_rechunk()), ((101, 5), false));
    assert!(stacked.equals_missing(&whole));
}

#[test]
fn a_fault_is_that_of_the_whole_table() {
    let customers = [("a", 1_000), ("b", 1_000), ("c", 1_000)];
    let mut rows = table(&customers);
    let mut credits: Vec<f64> = (0..3_000).map(f64::from).collect();
    credits[2_999] = 0.001;
    rows.with_column(polars::prelude::Column::new("credit".into(), credits)).expect("a column");
    let wrong = held(&parquet(rows, 1_500), 2).expect_err("a fraction of a kobo");
    assert!(wrong.contains("row 3000, column `credit`"), "{wrong}");
    let bytes = parquet(table(&customers), 1_500);
    let cut = held(&bytes[..bytes.len() / 2], 2);
    assert!(cut.is_err());
}
