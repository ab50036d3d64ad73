//! Values of Parquet tables: columns of each kind, columns of nulls, and damaged files.

use lendwright::statement::{Columns, read_parquet};
use polars::prelude::{NamedFrom, Series};

use super::{claims_too_much, of_300_rows, parquet, table};
use crate::statement::*;

#[test]
fn a_column_of_nulls_without_a_type_is_null() {
    let nothing = |name: &str| Series::full_null(name.into(), 2, &polars::prelude::DataType::Null);
    let columns = || table(Series::new("credit".into(), [10_i64, 20]));
    let bare = read_parquet(parquet(columns()), "t", &lagos(), &Columns::default()).expect("a statement");
    let all: Vec<Series> =
        columns().into_iter().chain(["debit", "balance", "desc", "topics", "id"].map(nothing)).collect();
    let read = read_parquet(parquet(all), "t", &lagos(), &Columns::default()).expect("a statement");
    assert_eq!(read.digest(0).expect("a digest"), bare.digest(0).expect("a digest"));
    let nobody = vec![columns().remove(1), columns().remove(2), nothing("customer")];
    let wrong = read_parquet(parquet(nobody), "t", &lagos(), &Columns::default()).expect_err("whose").to_string();
    assert!(wrong.contains("the customer is missing"), "{wrong}");
}

#[test]
fn parquet_columns_of_each_kind_are_read_exactly() {
    let read = |credit: Series| {
        let read =
            read_parquet(parquet(table(credit.with_name("credit".into()))), "table", &lagos(), &Columns::default());
        read.map(|read| numbers(&read, "credit")).map_err(|wrong| wrong.to_string())
    };
    assert_eq!(
        read(Series::new("".into(), [10.1, 0.29, 1234567.89])),
        Ok(vec![Some(29), Some(1_010), Some(123_456_789)])
    );
    let single = "row 1, column `credit`: a 32-bit float holds only seven digits, so it has lost decimals of the \
        amount that was put into it; write amounts as DECIMAL, 64-bit float or text";
    assert_eq!(read(Series::new("".into(), [10.1_f32])).expect_err("a single"), single);
    assert_eq!(read(Series::new("".into(), [10_f32])).expect_err("a single"), single);
    assert_eq!(read(Series::new("".into(), [12_i64])), Ok(vec![Some(1_200)]));
    assert_eq!(read(Series::new("".into(), ["100000000000000.01"])), Ok(vec![Some(10_000_000_000_000_001)]));
    assert_eq!(
        read(Series::new("".into(), [10.125])).expect_err("three decimals"),
        "row 1, column `credit`: `10.125` has more decimals than the 2 that the amount may have (amounts are in NGN)"
    );
    assert_eq!(
        read(Series::new("".into(), [f64::NAN])).expect_err("NaN"),
        "row 1, column `credit`: `NaN` is not a plain decimal number (amounts are in NGN)"
    );
    let wrong = read(Series::new("".into(), [true])).expect_err("truths");
    assert!(wrong.starts_with("row 1, column `credit`: `true` is not a plain decimal number"), "{wrong}");
}

/// Memory is allocated for what a file claims to hold: 256 TiB would end the program.
#[test]
fn a_parquet_file_that_claims_too_much_is_an_error() {
    for (rows_too, what) in
        [(false, "says that it has 35184372088832 values for 300 rows"), (true, "which do not fit into memory")]
    {
        let bytes = claims_too_much(&of_300_rows(), rows_too);
        let wrong = read_parquet(bytes, "table", &lagos(), &Columns::default()).expect_err(what).to_string();
        assert!(wrong.contains(what), "{wrong}");
    }
}

#[test]
fn a_damaged_parquet_file_is_an_error() {
    let whole = of_300_rows();
    for cut in [0, 3, 8, whole.len() / 2, whole.len() - 1] {
        assert!(read_parquet(whole[..cut].to_vec(), "table", &lagos(), &Columns::default()).is_err());
    }
    for at in (4..whole.len()).step_by(7) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        // Any answer except a panic: a flipped bit may also make a different table.
        let _ = read_parquet(damaged, "table", &lagos(), &Columns::default());
    }
}
