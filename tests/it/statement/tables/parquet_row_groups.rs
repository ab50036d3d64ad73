//! Parquet tables of several row groups, which all threads read: the same statements and the same faults as row by row.

use lendwright::statement::{Columns, read_parquet};
use polars::prelude::{DataFrame, ParquetWriter, df};

use crate::statement::*;

const ROWS: usize = 400;

pub(crate) fn parquet(mut frame: DataFrame, rows_a_group: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).with_row_group_size(Some(rows_a_group)).finish(&mut frame).expect("a file");
    bytes
}

/// Customers whose rows are in several groups; each account has a name or none.
fn table(account: impl Fn(usize) -> Option<&'static str>, credit: impl Fn(usize) -> f64) -> DataFrame {
    let of = |value: &dyn Fn(usize) -> String| (0..ROWS).map(value).collect::<Vec<String>>();
    df!(
        "customer" => of(&|row| format!("c{}", row * 7 % 13)),
        "account" => (0..ROWS).map(account).collect::<Vec<_>>(),
        "trans_date" => of(&|row| format!("2026-{:02}-{:02}", row % 6 + 1, row % 28 + 1)),
        "credit" => (0..ROWS).map(&credit).collect::<Vec<_>>(),
        "desc" => of(&|row| if row % 9 == 0 { "N/A".to_owned() } else { format!("NIP {}", row % 5) }),
        "mood" => of(&|_| "good".to_owned()),
    )
    .expect("a frame")
}

fn read(bytes: &[u8], threads: usize) -> Result<Statements, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    pool.install(|| read_parquet(bytes, "table", &lagos(), &Columns::default())).map_err(|wrong| wrong.to_string())
}

/// Compares a single group on one thread with many groups on several.
fn held(frame: &DataFrame) -> Result<Statements, String> {
    let whole = read(&parquet(frame.clone(), ROWS), 1);
    for rows_a_group in [1, 7, 64, 399] {
        let bytes = parquet(frame.clone(), rows_a_group);
        for threads in [1, 3] {
            match (&whole, read(&bytes, threads)) {
                (Ok(whole), Ok(read)) => {
                    assert_eq!((read.heads(), digests(&read)), (whole.heads(), digests(whole)));
                    assert!(read.frame().equals_missing(whole.frame()));
                }
                (Err(whole), Err(wrong)) => assert_eq!(wrong, *whole),
                (whole, read) => panic!("{whole:?} and {read:?}"),
            }
        }
    }
    whole
}

#[test]
fn groups_of_rows_are_read_as_one_table() {
    let credit = |row: usize| (row * 37 % 1_000 + 1) as f64 / 100.0;
    assert_eq!(held(&table(|_| None, credit)).expect("statements").len(), 13);
    let accounts = |row: usize| Some(if row.is_multiple_of(3) { "a" } else { "b" });
    assert_eq!(held(&table(accounts, credit)).expect("statements").len(), 26);
}

#[test]
fn a_fault_is_that_of_the_first_row_at_fault() {
    let fine = |row: usize| row as f64 + 0.5;
    let wrong = held(&table(|_| None, |row| if row == 250 || row == 251 { 0.001 } else { fine(row) }));
    assert!(wrong.expect_err("a fraction of a kobo").contains("row 251, column `credit`"));
    // Half of a customer's records name an account, in another group.
    let wrong = held(&table(|row| (row < 300).then_some("a"), fine));
    assert!(wrong.expect_err("half named").contains("some of the customer's records name an account"));
}
