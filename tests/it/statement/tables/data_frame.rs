//! A Polars frame gives the statements that a Parquet file of it gives, or is refused in the same words.

use lendwright::statement::{Columns, read_frame, read_parquet};
use polars::prelude::{Column, DataFrame, DataType, NamedFrom, ParquetWriter, Series};

use crate::statement::*;

/// Days since 1970-01-01.
fn dates(name: &str, days: &[Option<i32>]) -> Column {
    Column::new(name.into(), days).cast(&DataType::Date).expect("dates")
}

fn frame(columns: Vec<Column>) -> DataFrame {
    let height = columns.first().map_or(0, Column::len);
    DataFrame::new(height, columns).expect("a frame")
}

/// Rows of two customers, with every type that Polars has here.
fn typed() -> DataFrame {
    frame(vec![
        Column::new("customer".into(), [17_i64, 18, 17, 17]),
        Column::new("id".into(), [Some(1_u32), Some(2), None, Some(4)]),
        dates("trans_date", &[Some(19_787), Some(19_788), Some(19_789), Some(19_789)]),
        Column::new("credit".into(), [Some(1_250.5), Some(0.1), None, Some(3.0)]),
        Column::new("debit".into(), [None, None, Some(7_i32), None]),
        Column::new("desc".into(), [Some("SALARY"), None, Some("n/a"), Some("ẹ̀gbá")]),
        Column::full_null("nothing".into(), 4, &DataType::Null),
    ])
}

/// What the frame gives, and what a Parquet file of it gives.
fn both(frame: &DataFrame, columns: &Columns) -> (Result<Statements, String>, Result<Statements, String>) {
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).finish(&mut frame.clone()).expect("memory");
    let written = read_parquet(bytes, "test", &lagos(), columns).map_err(|wrong| wrong.to_string());
    (read_frame(frame, "test", &lagos(), columns).map_err(|wrong| wrong.to_string()), written)
}

fn assert_alike(frame: &DataFrame, columns: &Columns) {
    let (read, written) = both(frame, columns);
    let (read, written) = (read.expect("statements"), written.expect("statements"));
    assert!(read.frame().equals_missing(written.frame()), "{:?}\n{:?}", read.frame(), written.frame());
    assert_eq!(read.heads(), written.heads());
    assert_eq!(digests(&read), digests(&written));
}

#[test]
fn values_of_every_type_are_read_as_from_parquet() {
    assert_alike(&typed(), &Columns::default());
    let (read, _) = both(&typed(), &Columns::default());
    let read = read.expect("statements");
    assert_eq!(read.heads().iter().map(|head| head.customer.as_deref()).collect::<Vec<_>>(), [Some("17"), Some("18")]);
    assert_eq!(numbers(&read, "credit"), [Some(125_050), None, Some(300), Some(10)]);
}

#[test]
fn a_frame_in_pieces_is_read_as_one() {
    let mut pieces = typed().slice(0, 1);
    for row in 1..4 {
        pieces.vstack_mut(&typed().slice(row, 1)).expect("the same columns");
    }
    assert!(pieces.columns()[0].n_chunks() > 1);
    assert_alike(&pieces, &Columns::default());
    let (read, whole) = (both(&pieces, &Columns::default()).0, both(&typed(), &Columns::default()).0);
    assert_eq!(digests(&read.expect("statements")), digests(&whole.expect("statements")));
}

#[test]
fn an_empty_frame_has_no_statement() {
    assert_alike(&typed().clear(), &Columns::default());
}

#[test]
fn a_columns_file_declares_names_and_units() {
    let columns = Columns::parse(
        "[columns]\ncustomer = \"who\"\ntrans_date = \"day\"\ncredit = \"in\"\n\n[amount]\nunit = \"minor\"\n",
    )
    .expect("a columns file");
    let frame = frame(vec![
        Column::new("who".into(), ["a", "a"]),
        dates("day", &[Some(19_787), Some(19_788)]),
        Column::new("in".into(), [125_050_i64, 7]),
    ]);
    assert_alike(&frame, &columns);
    assert_eq!(numbers(&both(&frame, &columns).0.expect("statements"), "credit"), [Some(125_050), Some(7)]);
}

#[test]
fn a_fault_has_its_row_in_the_words_of_parquet() {
    let faulty = |name: &str, values: Column| {
        let mut frame = typed();
        frame.with_column(values.with_name(name.into())).expect("as many rows");
        both(&frame, &Columns::default())
    };
    let cases = [
        ("trans_date", dates("", &[Some(19_787), None, Some(19_789), Some(19_789)])),
        ("credit", Column::new("".into(), [Some(1.0), Some(f64::NAN), None, Some(3.0)])),
        ("credit", Column::new("".into(), [Some(1.0_f32), Some(2.0), None, Some(3.0)])),
        ("customer", Column::new("".into(), ["a", "1.5", "b", "c"])),
        ("customer", Column::new("".into(), [Some("a"), None, Some("b"), Some("c")])),
    ];
    for (name, values) in cases {
        let (read, written) = faulty(name, values);
        let (read, written) = (read.expect_err("a fault"), written.expect_err("a fault"));
        assert_eq!(read, written);
    }
}

#[test]
fn a_type_that_cannot_be_read_is_an_error_where_it_is_needed() {
    let lists = Series::new("".into(), vec![Series::new("".into(), ["a"]); 4]);
    let mut extra = typed();
    extra.with_column(Column::from(lists.clone()).with_name("tags".into())).expect("as many rows");
    assert_alike(&extra, &Columns::default());

    let mut needed = typed();
    needed.with_column(Column::new("credit".into(), [true, false, true, true])).expect("as many rows");
    let wrong = read_frame(&needed, "test", &lagos(), &Columns::default()).expect_err("booleans are no amounts");
    assert!(wrong.to_string().starts_with("row 1, column `credit` (record `1`): `true` is not a"), "{wrong}");
    let mut needed = typed();
    needed.with_column(Column::from(lists).with_name("desc".into())).expect("as many rows");
    let wrong = read_frame(&needed, "test", &lagos(), &Columns::default()).expect_err("lists are no text");
    assert_eq!(
        wrong.to_string(),
        "the table cannot be read: column `desc` holds a list, which is not read; cast it to \
         String, an integer, Decimal, Float64, Date or Datetime"
    );
}

#[test]
fn a_name_that_is_missing_or_there_twice_is_refused() {
    let without = typed().drop("trans_date").expect("it is there");
    let (read, written) = both(&without, &Columns::default());
    assert_eq!(read.expect_err("no dates"), written.expect_err("no dates"));
}

/// Booleans say a side, and bytes are text, as in a Parquet table.
#[test]
fn booleans_and_bytes_are_text() {
    let columns = Columns::parse(
        "[columns]\ncustomer = \"who\"\ntrans_date = \"day\"\namount = \"sum\"\ntype = \"is_credit\"\n\
         [type]\ncredit = [\"true\"]\ndebit = [\"false\"]\n",
    );
    let columns = columns.expect("a columns file");
    let mut frame = polars::df!(
        "who" => [&b"K1"[..], b"K1"],
        "day" => ["2026-03-02", "2026-03-05"],
        "sum" => [337.0, 13.37],
        "is_credit" => [true, false],
    )
    .expect("a frame");
    assert_alike(&frame, &columns);
    let read = read_frame(&frame, "test", &lagos(), &columns).expect("a statement");
    assert_eq!(read.heads()[0].customer.as_deref(), Some("K1"));
    assert_eq!(read.frame().column("credit").expect("credits").i64().expect("numbers").get(0), Some(33_700));
    assert_eq!(read.frame().column("debit").expect("debits").i64().expect("numbers").get(1), Some(1_337));
    frame.with_column(Column::new("who".into(), [&b"K1"[..], b"K\xff"])).expect("as many rows");
    let wrong = read_frame(&frame, "test", &lagos(), &columns).expect_err("no text");
    assert!(wrong.to_string().contains("column `who` holds bytes that are no UTF-8 text in row 2"), "{wrong}");
    let stored = super::parquet_row_groups::parquet(frame, 10);
    let wrong = read_parquet(stored, "test", &lagos(), &columns).expect_err("no text");
    assert!(wrong.to_string().contains("no UTF-8 text in row 2 of its row group"), "{wrong}");
}

#[test]
fn a_frame_of_one_customer_need_not_name_it() {
    let frame = polars::df!("trans_date" => ["2026-03-02"], "credit" => [337.0]).expect("a frame");
    let columns = Columns::default().with_customer("K1");
    let read = read_frame(&frame, "test", &lagos(), &columns).expect("a statement");
    assert_eq!(read.heads()[0].customer.as_deref(), Some("K1"));
    let stored = super::parquet_row_groups::parquet(frame.clone(), 10);
    let read = read_parquet(stored, "test", &lagos(), &columns).expect("a statement");
    assert_eq!(read.heads()[0].customer.as_deref(), Some("K1"));
    let other = polars::df!("customer" => ["K2"], "trans_date" => ["2026-03-02"], "credit" => [337.0]);
    let other = other.expect("a frame");
    assert!(read_frame(&other, "test", &lagos(), &columns).is_err());
    assert!(read_parquet(super::parquet_row_groups::parquet(other, 10), "test", &lagos(), &columns).is_err());
}
