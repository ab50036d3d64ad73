//! The cases of the third hunt: exports that were read wrong without a word, or refused for another reason than their
//! own.

use crate::campaigns::collected_cases::{Run, as_they_are, hold, refused, right};

#[test]
fn formulas_that_no_program_has_calculated() {
    hold(
        "51-formulas-never-calculated",
        as_they_are,
        &[
            refused(
                "metrics --policy policy.toml --columns columns.toml xlsxwriter.xlsx",
                &["row 3", "`Out`", "the formula was never calculated"],
            ),
            refused(
                "metrics --policy policy.toml --columns columns.toml openpyxl.xlsx",
                &["row 3", "`In`", "the formula was never calculated"],
            ),
            refused(
                "metrics --policy policy.toml --columns columns.toml odf.ods",
                &["row 3", "`Out`", "the formula was never calculated"],
            ),
            refused("columns --unit major xlsxwriter.xlsx", &["row 3, column `Out`: the formula was never calculated"]),
            refused("columns --unit major odf.ods", &["row 3, column `Out`: the formula was never calculated"]),
        ],
    );
}

#[test]
fn columns_that_are_not_the_side() {
    hold(
        "52-columns-takes-any-column-for-the-side",
        as_they_are,
        &[
            refused("columns --as-of 2026-11-30 country.csv", &["no column says the side", "--positive"]),
            refused("columns --as-of 2026-11-30 branch.csv", &["no column says the side", "--positive"]),
            refused(
                "columns --as-of 2026-11-30 card.csv",
                &["`Card Type` has `Credit`, `Debit`", "line 3 is money in"],
            ),
            right(
                "columns --as-of 2026-11-30 signed.csv",
                &["positive = \"credit\"", "narrations of 3 rows", "!type ="],
            ),
            right("columns --as-of 2026-11-30 signed.csv --out signed.toml", &[]),
            right(
                "metrics --policy policy.toml --columns signed.toml signed.csv",
                &["\"inflow\":205000,\"outflow\":57020,"],
            ),
        ],
    );
}

#[test]
fn names_with_the_word_amount_before_the_side() {
    hold(
        "53-amount-before-the-side-in-a-name",
        as_they_are,
        &[
            right("columns a.csv --out a.toml", &["!left out"]),
            right("metrics --policy policy.toml --columns a.toml a.csv", &["\"inflow\":10050,\"outflow\":2535,"]),
            right("columns de.csv --out de.toml", &["!left out"]),
            right("metrics --policy policy.toml --columns de.toml de.csv", &["\"inflow\":110050,\"outflow\":2535,"]),
        ],
    );
}

#[test]
fn columns_of_long_parquet_files() {
    hold(
        "65-columns-of-parquet-over-10000-rows",
        as_they_are,
        &[
            right("columns --as-of 2026-11-30 10000.parquet", &["credit = [\"CREDIT\"]"]),
            right("columns --as-of 2026-11-30 10001.parquet", &["credit = [\"CREDIT\"]"]),
        ],
    );
}

#[test]
fn days_of_a_spreadsheet_beside_texts() {
    hold(
        "63-days-that-excel-turned-round",
        as_they_are,
        &[
            right(
                "metrics --policy policy.toml --columns columns.toml a.xlsx",
                &["`Date` has 3 days of the spreadsheet and 3 texts in the pattern `DD/MM/YYYY`"],
            ),
            refused("columns a.xlsx", &["with day and month exchanged"]),
        ],
    );
}

#[test]
fn days_of_many_records() {
    hold(
        "57-more-than-256-records-a-day",
        |desk| desk.write("euro.toml", &desk.read("policy.toml").replace("566", "978")),
        &[
            right("metrics --policy policy.toml 256.csv", &["\"last_balance\":271339,", "\"balances\":\"verified\""]),
            right(
                "metrics --policy policy.toml 300.csv",
                &["\"n\":300,", "\"last_balance\":318919,", "\"balances\":\"verified\"", "!warning"],
            ),
            right(
                "metrics --policy euro.toml mt940.sta",
                &["\"n\":400,", "\"last_balance\":192334,", "\"balances\":\"verified\"", "!warning"],
            ),
        ],
    );
}

#[test]
fn mt940_in_no_order_of_days() {
    hold(
        "58-mt940-in-no-order-of-days",
        |desk| desk.write("policy.toml", &desk.read("policy.toml").replace("566", "978")),
        &[
            right(
                "metrics --policy policy.toml value-dates.sta",
                &["\"last_balance\":340000,", "\"balances\":\"verified\"", "!warning"],
            ),
            right(
                "metrics --policy policy.toml newest-first.sta",
                &["\"last_balance\":97500,", "\"balances\":\"verified\"", "!warning"],
            ),
            right(
                "metrics --policy policy.toml camt-the-same.xml",
                &["\"last_balance\":95000,", "\"balances\":\"verified\""],
            ),
        ],
    );
}

#[test]
fn opening_balances_under_other_names() {
    hold(
        "59-opening-balance-under-another-name",
        as_they_are,
        &[
            right("metrics --policy policy.toml a.csv", &["\"n\":2,\"inflow\":200000,", "!\"inflow\":5200000"]),
            right("decide --policy policy.toml a.csv", &["opening or closing balance"]),
        ],
    );
}

#[test]
fn skip_compares_days_as_days() {
    let wrong = |desk: &crate::fixtures::desk::Desk| {
        desk.write("wrong.toml", &desk.read("less.toml").replace("01/02/2026", "Feb"));
    };
    hold(
        "69-skip-compares-days-as-letters",
        wrong,
        &[
            right("metrics --policy policy.toml --columns between.toml a.csv", &["\"n\":2,\"inflow\":100700,"]),
            right(
                "metrics --policy policy.toml --columns less.toml a.csv",
                &["\"n\":3,\"inflow\":700,\"outflow\":35000,"],
            ),
            refused(
                "metrics --policy policy.toml --columns wrong.toml a.csv",
                &["`Feb` is not a day", "in the pattern `DD/MM/YYYY`"],
            ),
        ],
    );
}

#[test]
fn smaller_ones() {
    hold(
        "70-smaller-ones",
        |desk| desk.write("euro.toml", &desk.read("policy.toml").replace("566", "978")),
        &[
            Run {
                status: 3,
                command: "batch --policy policy.toml --write metrics --out out lzma.zip",
                prints: &["compressed by LZMA, which is not read"],
            },
            right("metrics --policy policy.toml --columns iso.toml late.xlsx", &["\"last_day\":\"2026-03-31\""]),
            right("metrics --policy policy.toml --columns excel.toml late.csv", &["\"last_day\":\"2026-03-31\""]),
            refused("metrics --policy policy.toml power.csv", &["`1.23457e+06`", "dropped digits"]),
            right("metrics --policy policy.toml blank.csv", &["\"first_day\":\"2026-03-01\""]),
            refused("metrics --policy policy.toml --columns int96.toml int96.parquet", &["column `date`", "INT96"]),
            refused("columns opay.csv", &["--positive", "!only a column of credits"]),
            refused("columns epoch.json", &["`[].posted`", "moment in seconds"]),
        ],
    );
}
