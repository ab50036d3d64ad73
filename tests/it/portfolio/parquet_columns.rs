//! Tables of a lender in Parquet, with types that other programs write: timestamps, decimals, small whole numbers.

use polars_parquet_format::{ConvertedType, LogicalType, MicroSeconds, TimeUnit, TimestampType, Type};
use serde_json::Value;

use super::{done, failed, json as read_json};
use crate::fixtures::desk::Desk;
use crate::fixtures::parquet_file::{Column, Kind, write};

const POLICY: &str = r#"
[policy]
name = "own"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[metric]
since = { given = "date" }
income = { given = "money" }
children = { given = "count" }

[[require]]
id = "SINCE"
when = "since < date '2026-01-01' AND children < 3"
unknown = "refer"
reason = "{since}"

[[offer]]
id = "o"
tenure = 30
amount = "LEAST(income, 5000)"
interest = 5
"#;

const DAY: i64 = 86_400_000_000;
const DAYS: [i64; 4] = [20_000, 20_300, 20_500, 20_700];

fn moments(name: &'static str, in_utc: bool, micros: &[Option<i64>]) -> Column {
    let unit = TimeUnit::MICROS(MicroSeconds {});
    let logical = Some(LogicalType::TIMESTAMP(TimestampType { is_adjusted_to_u_t_c: in_utc, unit }));
    let converted = in_utc.then_some(ConvertedType::TIMESTAMP_MICROS);
    Column::integers(&[name], Kind { converted, logical, ..Kind::plain(Type::INT64) }, micros)
}

/// The table of the same days and amounts in Parquet, with the timestamps shifted by some microseconds.
fn parquet(in_utc: bool, shift: i64) -> Vec<u8> {
    let since: Vec<Option<i64>> = DAYS.iter().map(|day| Some(day * DAY + shift)).chain([None]).collect();
    let columns = [
        Column::texts(&["customer"], &["A", "B", "C", "D", "E"]),
        moments("since", in_utc, &since),
        Column::integers(&["income"], Kind::decimal(12, 2), &[Some(100_050), Some(7), None, Some(900_000), Some(1)]),
        Column::integers(&["children"], Kind::plain(Type::INT64), &[Some(0), Some(1), Some(2), Some(3), Some(0)]),
        Column::integers(&["bad"], Kind::plain(Type::INT64), &[Some(0), Some(1), Some(0), Some(1), None]),
        moments("loan_date", in_utc, &[1, 2, 3, 4, 5].map(|day| Some((20_100 + day) * DAY + shift))),
    ];
    write(&columns, 2, true)
}

const CSV: &str = "customer,since,income,children,bad,loan_date\n\
    A,2024-10-04,1000.50,0,0,2025-01-13\nB,2025-07-31,0.07,1,1,2025-01-14\nC,2026-02-16,,2,0,2025-01-15\n\
    D,2026-09-04,9000.00,3,1,2025-01-16\nE,,0.01,0,,2025-01-17\n";

fn arguments(name: &str) -> Vec<&str> {
    ["backtest", "--policy", "own.toml", "--as-of", "2026-10-31", "--metrics", name, "--outcomes", name].to_vec()
}

/// What a backtest found, by month of the loan.
fn backtest(desk: &Desk, name: &str) -> Value {
    let mut found = read_json(&done(desk, &[&arguments(name)[..], &["--by", "month", "--format", "json"]].concat()));
    found.as_object_mut().expect("an object").remove("inputs");
    found
}

#[test]
fn timestamps_at_midnight_are_days_and_decimals_are_exact() {
    let desk = Desk::new();
    desk.write("own.toml", POLICY);
    desk.write("table.csv", CSV);
    let wanted = backtest(&desk, "table.csv");
    for in_utc in [false, true] {
        std::fs::write(desk.path().join("table.parquet"), parquet(in_utc, 0)).expect("a file");
        assert_eq!(backtest(&desk, "table.parquet"), wanted, "{in_utc}");
        // Half past ten in the evening is a day only to those who know the zone.
        std::fs::write(desk.path().join("late.parquet"), parquet(in_utc, DAY - 5_400_000_000)).expect("a file");
        let error = failed(&desk, &arguments("late.parquet"));
        assert!(error.contains("row 1: the column `since` holds a day with a time of day"), "{error}");
        // Where only the outcomes have one.
        let error = failed(&desk, &[&arguments("table.csv")[..7], &["--outcomes", "late.parquet"]].concat());
        assert!(error.contains("write it as 2026-10-31"), "{error}");
    }
}
