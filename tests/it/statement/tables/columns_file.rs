//! The columns file: names, types, patterns, order, and what is wrong with one.

use std::path::Path;

use lendwright::statement::{Columns, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{NamedFrom, Series};

use super::{TYPED, parquet};
use crate::statement::*;

fn csv_with(columns: &str, text: &str) -> Result<Statements, String> {
    let columns = Columns::parse(columns).map_err(|wrong| wrong.to_string())?;
    read_csv(text.as_bytes(), "table", &lagos(), &columns).map_err(|wrong| wrong.to_string())
}

#[test]
fn a_columns_file_maps_names_types_patterns_and_order() {
    let read = csv_with(
        TYPED,
        "account,day,sum,kind,no,other\n7,000102,10.5,in,2,x\n7,000102,4,cash,1,x\n7,991231,3,out,9,x\n",
    )
    .expect("a statement");
    assert_eq!(
        days(&read, "trans_date"),
        [Some("1999-12-31".into()), Some("2000-01-02".into()), Some("2000-01-02".into())]
    );
    assert_eq!(
        (numbers(&read, "credit"), numbers(&read, "debit")),
        (vec![None, None, Some(1_050)], vec![Some(300), Some(400), None])
    );
    assert_eq!(numbers(&read, "order"), [Some(9), Some(1), Some(2)]);
    assert_eq!(read.heads()[0].quality.unknown_fields, 0);
    let cases = [
        ("7,000102,1,lent,1,x\n", "row 1, column `kind`: `lent` is listed neither as credit nor as debit under [type]"),
        ("7,000102,1,,1,x\n", "row 1, column `kind`: the type is missing, so the side of the amount is unknown"),
        (
            "7,000230,1,in,1,x\n",
            "row 1, column `day`: `000230` is not a day from 1900 to 2200 in the pattern `YYMMDD`, \
             which [dates] declares",
        ),
        ("7,000102,1,in,b,x\n", "row 1, column `no`: `b` is not a whole number"),
    ];
    for (rows, wanted) in cases {
        assert_eq!(csv_with(TYPED, &format!("account,day,sum,kind,no,other\n{rows}")).expect_err(rows), wanted);
    }
    assert_eq!(
        csv_with(TYPED, "acount,day,sum,kind,no\n").expect_err("no account"),
        "columns: the table has no column `account`, which the columns file calls `customer`; did you mean `acount`?"
    );
}

#[test]
fn a_sign_may_tell_the_side_and_a_unit_may_be_declared() {
    let columns = "[columns]\ncustomer = \"c\"\ntrans_date = \"d\"\namount = \"a\"\n[amount]\npositive = \"credit\"\n\
        unit = \"minor\"\n";
    let read = csv_with(columns, "c,d,a\n1,2024-03-05,250\n1,2024-03-06,-70\n").expect("a statement");
    assert_eq!((numbers(&read, "credit"), numbers(&read, "debit")), (vec![Some(250), None], vec![None, Some(70)]));
}

#[test]
fn a_columns_file_at_fault_is_explained() {
    let base = "[columns]\ncustomer = \"c\"\ntrans_date = \"d\"\n";
    let cases = [
        (
            "credit = \"c\"",
            "columns: line 1: unknown field `credit`, expected one of `order`, `skip`, `empty`, `columns`, `file`, \
             `customer`, `amount`, `type`, `dates`, `lists`, `currency`, `pages`, `period`",
        ),
        (
            "[columns]\ncustomer = \"c\"\ncredit = \"x\"\n",
            "columns: [columns] does not say which column is `trans_date`",
        ),
        (
            &format!("{base}crdit = \"x\"\n"),
            "columns: [columns] has `crdit`, which is not a column here; did you mean `credit`?",
        ),
        (
            &format!("{base}credit = [\"x\", \"y\"]\n"),
            "columns: [columns] credit must be one column; only text may be combined from several columns",
        ),
        (base, "columns: [columns] names no `credit`, and no `amount` either"),
        (
            &format!("{base}amount = \"a\"\n"),
            "columns: [columns] names `amount`; say by `type`, by [amount] positive = \"credit\" or by [amount] \
             credit_suffix which side it is on",
        ),
        (
            &format!("{base}amount = \"a\"\ntype = \"t\"\n"),
            "columns: [type] must list the values of `credit` and of `debit`",
        ),
        (
            &format!("{base}amount = \"a\"\ntype = \"t\"\n[type]\ncredit = [\"x\"]\ndebit = [\"x\"]"),
            "columns: [type] lists `x` as credit and as debit",
        ),
        (
            &format!("{base}credit = \"a\"\n[dates]\ntrans_date = \"YYMMDD\"\n"),
            "columns: [dates] trans_date: date pattern `YYMMDD` has years of two digits; \
             declare `century = 1900` or `pivot = 70` beside it",
        ),
    ];
    for (file, wanted) in cases {
        assert_eq!(Columns::parse(file).expect_err(file).to_string(), wanted);
    }
}

#[test]
fn rows_of_json_follow_the_columns_file_too() {
    let columns = Columns::parse(TYPED).expect("a columns file");
    let rows = "{\"account\": 7, \"day\": \"000102\", \"sum\": 10.5, \"kind\": \"in\", \"no\": 2, \"other\": [1]}\n\
        {\"kind\":\"out\",\"account\":7,\"day\":991231,\"sum\":\"3\"}\n";
    let read = read_ndjson_table(rows.as_bytes(), "rows", &lagos(), &columns).expect("a statement");
    assert_eq!((numbers(&read, "credit"), numbers(&read, "debit")), (vec![None, Some(1_050)], vec![Some(300), None]));
}

#[test]
fn a_column_of_two_meanings_is_read_for_both_in_every_format() {
    let file = "[columns]\ncustomer = \"who\"\ntrans_date = \"day\"\ncredit = \"sum\"\ncode = \"kind\"\n\
        reference = \"who\"\n\
        desc = [\"what\", \"kind\"]\n";
    let columns = Columns::parse(file).expect("a columns file");
    let csv = "who,day,sum,kind,what\nA7,2024-03-05,10,UROK,VKLAD\nA7,2024-03-06,20,,VYBER\n";
    let rows = "{\"who\": \"A7\", \"day\": \"2024-03-05\", \"sum\": 10, \"kind\": \"UROK\", \"what\": \"VKLAD\"}\n\
        {\"what\": \"VYBER\", \"kind\": null, \"sum\": 20, \"day\": \"2024-03-06\", \"who\": \"A7\"}\n";
    let of = |name: &str, values: [Option<&str>; 2]| Series::new(name.into(), values);
    let columnar = parquet(vec![
        of("who", [Some("A7"); 2]),
        of("day", [Some("2024-03-05"), Some("2024-03-06")]),
        Series::new("sum".into(), [10_i64, 20]),
        of("kind", [Some("UROK"), None]),
        of("what", [Some("VKLAD"), Some("VYBER")]),
    ]);
    let read = [
        read_csv(csv.as_bytes(), "t", &lagos(), &columns),
        read_ndjson_table(rows.as_bytes(), "t", &lagos(), &columns),
        read_parquet(columnar, "t", &lagos(), &columns),
    ];
    let read = read.map(|read| read.expect("a statement"));
    for one in &read {
        let told = ["code", "reference", "desc"].map(|column| texts(one, column));
        let said = |values: [Option<&str>; 2]| values.map(|value| value.map(str::to_owned)).to_vec();
        let wanted = [[Some("UROK"), None], [Some("A7"); 2], [Some("VKLAD UROK"), Some("VYBER")]].map(said);
        assert_eq!(told, wanted);
    }
    let digests = read.map(|read| read.digest(0).expect("a digest"));
    assert!(digests.iter().all(|digest| *digest == digests[0]));
}

#[test]
fn the_example_in_the_documentation_is_the_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/guides/columns.md")).expect("the page");
    let example = page.split("```toml\n").last().and_then(|rest| rest.split("```").next()).expect("an example");
    let file = std::fs::read_to_string(root.join("testdata/statement/berka.columns.toml")).expect("the file");
    assert_eq!(Columns::parse(example).expect("the example"), Columns::parse(&file).expect("the file"));
}
