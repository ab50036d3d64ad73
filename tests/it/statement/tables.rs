//! Tables of many statements: CSV, Parquet, NDJSON, and the columns file.

use std::path::Path;

use super::*;
use lendwright::files::{read_statements, write_csv, write_ndjson, write_parquet};
use lendwright::statement::{Columns, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{Column, DataFrame, NamedFrom, Series};

fn csv(text: &str) -> Result<Statements, String> {
    read_csv(text.as_bytes(), "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

fn csv_with(columns: &str, text: &str) -> Result<Statements, String> {
    let columns = Columns::parse(columns).map_err(|wrong| wrong.to_string())?;
    read_csv(text.as_bytes(), "table", &lagos(), &columns).map_err(|wrong| wrong.to_string())
}

#[test]
fn the_products_own_columns_are_read() {
    let read = csv("customer,id,trans_date,cleared_date,credit,debit,balance,code,branch,bank,desc,topics\n\
         c2,1,2024-03-05,,10.50,,10.50,TRF,058,b1,\"a, \"\"b\"\"\",x|y\n\
         c1,1,2024-03-04T23:00:00.000Z,2024-03-06,,3,N/A,,,,,\n")
    .expect("statements");
    let heads: Vec<_> = read.heads().iter().map(|head| head.customer.clone().expect("a customer")).collect();
    assert_eq!(heads, ["c1", "c2"]);
    assert_eq!(days(&read, "trans_date"), [Some("2024-03-05".into()), Some("2024-03-05".into())]);
    assert_eq!((numbers(&read, "credit"), numbers(&read, "debit")), (vec![None, Some(1_050)], vec![Some(300), None]));
    assert_eq!(texts(&read, "desc"), [None, Some("a, \"b\"".into())]);
    assert_eq!(texts(&read, "topics"), [None, Some("x\u{1f}y".into())]);
    assert_eq!(read.heads()[0].quality.placeholder_text, 1);
}

#[test]
fn only_three_columns_are_needed_and_others_are_counted() {
    let read = csv("customer,trans_date,credit,mood\nc,2024-03-05,1,good\nc,2024-03-05,1,good\n").expect("a statement");
    let quality = &read.heads()[0].quality;
    assert_eq!((quality.records, quality.duplicates, quality.unknown_fields), (2, 0, 2));
    assert_eq!(
        csv("customer,trans_date,cerdit\n").expect_err("no credit"),
        "columns: the table has no column `credit`; did you mean `cerdit`?"
    );
    assert_eq!(csv("").expect_err("nothing"), "not a statement: the table is empty: it has no header");
    assert_eq!(csv("customer,trans_date,credit\n").expect("no rows").len(), 0);
}

#[test]
fn a_quote_that_is_not_closed_is_an_error_in_the_row_where_it_opens() {
    let header = "customer,id,trans_date,credit,debit,desc\n";
    let said = |rows: &str| csv(&format!("{header}{rows}")).expect_err(rows);
    let how = "close it where the text ends, and write a quote inside a text as two quotes, \
        with quotes around the whole text";
    let never = "a quote opened in this row is never closed, so the rest of the file would be lost";
    let late = "a quote opened in this row is not closed before the next rows begin";
    let rest = "c,b,2026-01-02,6,,y\nc,d,2026-01-03,,600,LOAN\n";
    let cases = [
        (format!("c,a,2026-01-01,5,,\"UNCLOSED\n{rest}"), 1, never),
        (format!("{rest}c,a,2026-01-01,5,,\"ABC"), 3, never),
        (format!("{rest}c,a,2026-01-01,5,,\""), 3, never),
        // In an earlier column, and before there are as many columns as in the header.
        (format!("c,\"a,2026-01-01,5,,x\r\n{rest}"), 1, never),
        (format!("\n\nc,e,2026-01-01,5,,\"of two\nlines\"\nc,a,2026-01-01,5,,\"UNCLOSED\n{rest}"), 2, never),
        // Other quotes further down close it by chance.
        ("c,a,2026-01-01,5,,\"UNCLOSED\nc,b,2026-01-02,6,,y\nc,d,2026-01-03,,600,\"LOAN\"\n".into(), 1, late),
        ("c,a,2026-01-01,5,,\"UNCLOSED\nc,b,2026-01-02,,600,PIPE 12\"\n".into(), 1, late),
        ("c,a,2026-01-01,5,,\"UNCLOSED\nc,b,2026-01-02,,600,PIPE 12\"".into(), 1, late),
    ];
    for (rows, row, what) in cases {
        assert_eq!(said(&rows), format!("the table cannot be read: row {row}: {what}; {how}"), "{rows}");
    }
    let wrong = csv("customer,id,trans_date,credit,\"desc\nc,a,2026-01-01,5,x\n").expect_err("the header");
    assert_eq!(wrong, format!("the table cannot be read: the header: {never}; {how}"));
}

#[test]
fn a_text_in_quotes_may_hold_lines_commas_and_quotes() {
    let rows = "\u{feff}customer,id,trans_date,credit,debit,desc\r\nc,a,2026-01-01,5,,\"two\r\n\
         lines, and \"\"more\"\"\"\r\n\r\n\
         c,b,2026-01-02,6,,\"\"\r\nc,d,2026-01-03,7,,12\" PIPE\r\n\"c\",e,2026-01-04,8,,\"\n2026-01-05,a,b,c,d,e,f\n\"";
    let read = csv(rows).expect("a statement");
    let wanted = ["two\r\nlines, and \"more\"", "12\" PIPE", "\n2026-01-05,a,b,c,d,e,f\n"];
    assert_eq!(texts(&read, "desc").into_iter().flatten().collect::<Vec<_>>(), wanted);
    assert_eq!(numbers(&read, "credit"), [Some(500), Some(600), Some(700), Some(800)]);
}

#[test]
fn a_cell_at_fault_is_named_by_row_and_column() {
    let cases = [
        (
            "c,1,2024-03-05,\"1,000.00\",\n",
            "row 1, column `credit` (record `1`): `1,000.00` is not a plain decimal number (amounts are in NGN); if it \
             is an amount, declare thousands = [\",\"] under [amount] of a columns file",
        ),
        (
            "c,1,2024-03-05,5,\nc,2,2024-03-05,1e400,\n",
            "row 2, column `credit` (record `2`): `1e400` is too large for an exact amount (amounts are in NGN)",
        ),
        (
            "c,1,05-03-2024,5,\n",
            "row 1, column `trans_date` (record `1`): `05-03-2024` is not an ISO 8601 date from 1900 to 2200, \
             such as 2026-06-30 or 2026-06-30T00:00:00.000Z; a table in another pattern declares it \
             under [dates] of a columns file",
        ),
        (
            "c,1,2024-03-05,,\n",
            "row 1, column `credit` (record `1`): neither credit nor debit is filled, and null is not 0; \
             leave such records out by `empty_amount` in the policy, or in a table by `skip`",
        ),
        (
            "c,1,2024-03-05,-5,\n",
            "row 1, column `credit` (record `1`): `-5` is negative; declare `negative_amount = \"swap_sides\"` \
             if a negative credit is a debit (its balance is then lower than the one before)",
        ),
        (",1,2024-03-05,5,\n", "row 1, column `customer` (record `1`): the customer is missing"),
        ("c,1,2024-03-05\n", "the table cannot be read: row 1: 3 fields where the header has 5"),
        (
            "c,1,2024-03-05,5,\nc,1,2024-03-05,6,\n",
            "row 1 and row 2 have the same id `1` and differ in `credit`: one of them must be wrong, \
             so neither is taken",
        ),
    ];
    for (rows, wanted) in cases {
        assert_eq!(csv(&format!("customer,id,trans_date,credit,debit\n{rows}")).expect_err(rows), wanted);
    }
}

const TYPED: &str = r#"
[columns]
customer = "account"
trans_date = "day"
amount = "sum"
type = "kind"
seq = "no"
[type]
credit = ["in"]
debit = ["out", "cash"]
[dates]
trans_date = "YYMMDD"
pivot = 70
"#;

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
             `customer`, `amount`, `type`, `dates`, `lists`, `currency`",
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
fn an_amount_beyond_all_bounds_is_refused() {
    let columns = Columns::parse("[columns]\ncustomer = \"who\"\ntrans_date = \"day\"\ncredit = \"sum\"\n");
    let columns = columns.expect("a columns file");
    for sum in [i128::MIN, i128::MAX] {
        let row = format!("{{\"who\": \"a\", \"day\": \"2024-03-05\", \"sum\": {sum}}}\n");
        let wrong = read_ndjson_table(row.as_bytes(), "rows", &lagos(), &columns).expect_err("too large").to_string();
        assert!(wrong.starts_with(&format!("line 1, sum: `{sum}` is ")), "{wrong}");
    }
}

#[test]
fn items_of_lists_that_say_nothing_are_left_out_in_every_format() {
    let header = "customer,trans_date,credit,topics";
    let rows = format!("{header}\nA7,2024-03-05,10,pay|N/A|fee\nA7,2024-03-06,20,n/a| |\nA7,2024-03-07,30,a\n");
    let line = |day: u32, topics: &str| {
        format!(r#"{{"customer":"A7","trans_date":"2024-03-0{day}","credit":{day}0,"topics":{topics}}}"#)
            .replace(&format!(":{day}0"), &format!(":{}", 10 * (day - 4)))
    };
    let lists = [line(5, r#"["pay","N/A","fee"]"#), line(6, r#"["n/a"," ",""]"#), line(7, r#"["a"]"#)].join("\n");
    let texts_of = [line(5, r#""pay|N/A|fee""#), line(6, r#""n/a| |""#), line(7, r#""a""#)].join("\n");
    let columnar = parquet(vec![
        Series::new("customer".into(), ["A7"; 3]),
        Series::new("trans_date".into(), ["2024-03-05", "2024-03-06", "2024-03-07"]),
        Series::new("credit".into(), [10_i64, 20, 30]),
        Series::new("topics".into(), ["pay|N/A|fee", "n/a| |", "a"]),
    ]);
    // Columns of valid days are read column by column.
    let days = Series::new("trans_date".into(), [19_787_i32, 19_788, 19_789]);
    let quick = parquet(vec![
        Series::new("customer".into(), ["A7"; 3]),
        days.cast(&polars::prelude::DataType::Date).expect("days"),
        Series::new("credit".into(), [10_i64, 20, 30]),
        Series::new("topics".into(), ["pay|N/A|fee", "n/a| |", "a"]),
    ]);
    for (case, read) in [
        ("csv", csv(&rows)),
        ("lists", read_body(&lagos(), lists.as_bytes())),
        ("texts", read_body(&lagos(), texts_of.as_bytes())),
        ("parquet", read_parquet(columnar, "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())),
        ("columns", read_parquet(quick, "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())),
    ] {
        let read = read.expect(case);
        assert_eq!(texts(&read, "topics"), [Some("pay\u{1f}fee".into()), None, Some("a".into())], "{case}");
        assert_eq!(read.heads()[0].quality.placeholder_text, 3, "{case}");
    }
}

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

pub(crate) fn parquet(columns: Vec<Series>) -> Vec<u8> {
    let height = columns[0].len();
    let mut frame = DataFrame::new(height, columns.into_iter().map(Column::from).collect()).expect("a frame");
    let mut bytes = Vec::new();
    polars::prelude::ParquetWriter::new(&mut bytes)
        .with_compression(polars::prelude::ParquetCompression::Uncompressed)
        .finish(&mut frame)
        .expect("a file");
    bytes
}

fn table(credit: Series) -> Vec<Series> {
    let days = Series::new("trans_date".into(), vec![19_787_i32; credit.len()])
        .cast(&polars::prelude::DataType::Date)
        .expect("days");
    vec![Series::new("customer".into(), vec![7_i64; credit.len()]), days, credit]
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

/// Whatever the column holds.
#[test]
fn a_row_in_another_currency_is_refused() {
    let read = |currency: Series| {
        let mut columns = table(Series::new("credit".into(), vec![10.5; currency.len()]));
        columns.push(currency.with_name("currency".into()));
        read_parquet(parquet(columns), "table", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
    };
    let other = |code: &str| format!("row 2, column `currency`: the record is in {code}, the statement is read as NGN");
    let name = || "".into();
    assert_eq!(read(Series::new(name(), [566_i64, 840])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), [566_i32, 36])).expect_err("dollars"), other("AUD"));
    // A column with gaps is often one of floats.
    assert_eq!(read(Series::new(name(), [Some(566.0), Some(840.0), None])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), ["NGN ", "USD "])).expect_err("dollars"), other("USD"));
    assert_eq!(read(Series::new(name(), ["566", "036"])).expect_err("dollars"), other("AUD"));
    assert!(read(Series::new(name(), [566_i32, 566])).is_ok());
    assert!(read(Series::new(name(), [Some(" ngn"), Some(" "), None])).is_ok());
    for word in ["XAU", "GHC", "BTC", "₦", "naira notes"] {
        let wrong = read(Series::new(name(), ["NGN", word])).expect_err(word);
        assert!(wrong.starts_with("row 2, column `currency`: the currency is neither NGN nor 566"), "{wrong}");
    }
    let day = Series::new(name(), [840_i32]).cast(&polars::prelude::DataType::Date).expect("days");
    assert_eq!(
        read(day).expect_err("a day"),
        "row 1, column `currency`: `1972-04-20` is not a currency: expected a currency code"
    );
    let columns = Columns::parse(&format!("{TYPED}\n").replace("[columns]\n", "[columns]\ncurrency = \"ccy\"\n"));
    let row = r#"{"account": 7, "day": "000102", "sum": 10.5, "kind": "in", "no": 2, "ccy": 840}"#;
    let wrong = read_ndjson_table(row.as_bytes(), "rows", &lagos(), &columns.expect("a columns file"));
    let wrong = wrong.expect_err("dollars").to_string();
    assert!(wrong.ends_with("ccy: the record is in USD, the statement is read as NGN"), "{wrong}");
    let wrong = csv("customer,trans_date,credit,currency\nc,2024-03-05,1,\nc,2024-03-05,1, 840\n");
    assert_eq!(wrong.expect_err("dollars"), other("USD"));
}

/// A sound Parquet file of 300 rows.
pub(crate) fn of_300_rows() -> Vec<u8> {
    parquet(table(Series::new("credit".into(), vec![10.5; 300])))
}

/// The file with 2 to the power of 45 in place of 300: in the number of values of its columns, or of all its rows too.
pub(crate) fn claims_too_much(whole: &[u8], rows_too: bool) -> Vec<u8> {
    let (rest, end) = whole.split_at(whole.len() - 8);
    let length = u32::from_le_bytes(end[..4].try_into().expect("a length")) as usize;
    let (data, footer) = rest.split_at(rest.len() - length);
    // A 64-bit field after the field before it, zigzag in groups of seven bits; after `codec` comes the number of
    // values.
    let (before, rows, many) = ([0x15, 0x00], [0x16, 0xd8, 0x04], [0x16, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
    let (mut claims, mut at, mut claimed) = (Vec::new(), 0, 0);
    while at < footer.len() {
        if footer[at..].starts_with(&rows) && (rows_too || footer[..at].ends_with(&before)) {
            claims.extend_from_slice(&many);
            at += rows.len();
            claimed += 1;
        } else {
            claims.push(footer[at]);
            at += 1;
        }
    }
    assert_eq!(claimed, if rows_too { 5 } else { 3 });
    [data, &claims, &(claims.len() as u32).to_le_bytes(), b"PAR1"].concat()
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

#[test]
fn every_format_of_one_table_is_the_same_statement() {
    let folder = tempfile::tempdir().expect("a folder");
    let frame = DataFrame::new(
        3,
        vec![
            Column::from(Series::new("customer".into(), ["c1", "c1", "c2"])),
            Column::from(Series::new("id".into(), ["1", "2", "3"])),
            Column::from(
                Series::new("trans_date".into(), [19_787_i32, 19_788, 19_789])
                    .cast(&polars::prelude::DataType::Date)
                    .expect("days"),
            ),
            Column::from(Series::new("credit".into(), [Some(10.5), None, Some(3.0)])),
            Column::from(Series::new("debit".into(), [None, Some(4_i64), None])),
            Column::from(Series::new("desc".into(), [Some("a, \"b\"\nc"), None, Some("d\u{202e}")])),
        ],
    )
    .expect("a frame");
    let paths = ["table.csv", "table.parquet", "table.ndjson"].map(|name| folder.path().join(name));
    write_csv(&frame, &paths[0]).expect("written");
    write_parquet(&frame, &paths[1]).expect("written");
    write_ndjson(&frame, &paths[2]).expect("written");
    let read = |path: &Path| read_statements(path, &lagos(), None).expect("statements");
    let first = read(&paths[0]);
    for path in &paths[1..] {
        assert!(read(path).frame().equals_missing(first.frame()), "{}", path.display());
    }
    assert_eq!(first.heads()[0].label, paths[0].to_string_lossy());
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 3, "nothing is left beside the files");
}

#[test]
fn the_same_records_are_the_same_statement_nested_flat_and_in_a_table() {
    let nested = envelope(
        r#"{"id":"a","customer":"c1","trans_date":"2026-01-01","credit":5,"ref":"R/1",
            "notes":{"desc":"one","topics":["t","u"],"people":["ANN XU","BOB YO"],"places":["Lagos"],"actions":["pay"],
            "subjects":["s"],"prepositions":["to"]}},
           {"id":"b","customer":"c1","trans_date":"2026-01-02","debit":6,
            "notes":{"desc":"a | b","topics":[],"people":["ANN XU"]}}"#,
    );
    let flat = concat!(
        r#"{"customer":"c1","id":"a","trans_date":"2026-01-01","credit":"5","reference":"R/1","desc":"one","#,
        r#""topics":"t|u","people":"ANN XU|BOB YO","places":"Lagos","actions":"pay","subjects":"|s","#,
        r#""prepositions":"to"}"#,
        "\n",
        r#"{"customer":"c1","id":"b","trans_date":"2026-01-02","debit":"6","desc":"a | b","people":"ANN XU","#,
        r#""places":"","actions":null}"#,
        "\n"
    );
    let lists = flat.replace("\"t|u\"", "[\"t\",\"u\"]").replace("\"ANN XU|BOB YO\"", "[\"ANN XU\",\"BOB YO\"]");
    let escaped = flat.replace("t|u", "t\\u007cu");
    let rows = "customer,id,trans_date,credit,debit,reference,desc,topics,people,places,actions,subjects,prepositions\n\
         c1,a,2026-01-01,5,,R/1,one,t|u,ANN XU|BOB YO,Lagos,pay,|s,to\nc1,b,2026-01-02,,6,,a | b,,ANN XU,,,,\n";
    let wanted = read_body(&lagos(), nested.as_bytes()).expect("a statement");
    let people = [Some("ANN XU\u{1f}BOB YO".to_owned()), Some("ANN XU".to_owned())];
    assert_eq!(texts(&wanted, "people"), people);
    for (case, read) in [
        ("table", csv(rows)),
        ("lines", read_body(&lagos(), flat.as_bytes())),
        ("lists", read_body(&lagos(), lists.as_bytes())),
        ("escaped", read_body(&lagos(), escaped.as_bytes())),
        ("list", read_body(&lagos(), format!("[{}]", flat.trim().replace('\n', ",")).as_bytes())),
    ] {
        let read = read.expect(case);
        assert!(read.frame().equals_missing(wanted.frame()), "{case}: {:?}", read.frame());
        assert_eq!(read.heads()[0].quality.unknown_fields, 0, "{case}");
        assert_eq!(digests(&read), digests(&wanted), "{case}");
    }
}

#[test]
fn what_stands_beside_the_notes_is_counted_and_not_read() {
    let record = record(
        "a",
        r#""credit":10,"people":{"a":1},"places":[1,true],"reference":["x"],"desc":"twice",
            "notes":{"people":["ANN XU"]}"#,
    );
    let one = read(&record).expect("a statement");
    assert_eq!((texts(&one, "people"), texts(&one, "places")), (vec![Some("ANN XU".into())], vec![None]));
    assert_eq!(one.heads()[0].quality.unknown_fields, 4);
    let named = ["nothing is read from `desc`, `people`, `places`, `reference`"];
    assert_eq!(one.heads()[0].quality.warnings, named);
    // In a flat record too, what has no shape that is read is counted; of two references the first name is read.
    let flat = concat!(
        r#"{"customer":"c1","trans_date":"2026-01-01","credit":"5","people":{"a":1},"places":[7,true],"#,
        r#""ref":"R1","reference":"R2"}"#
    );
    let one = read_body(&lagos(), flat.as_bytes()).expect("a statement");
    assert_eq!((texts(&one, "reference"), texts(&one, "places")), (vec![Some("R1".into())], vec![Some("7".into())]));
    assert_eq!(one.heads()[0].quality.unknown_fields, 3);
    assert_eq!(one.heads()[0].quality.warnings, ["nothing is read from `people`, `places`, `reference`"]);
    let twice = r#"{"customer":"c1","trans_date":"2026-01-01","credit":"5","people":"a","people":"b"}"#;
    assert!(read_body(&lagos(), twice.as_bytes()).expect_err("twice").contains("occurs twice"));
}

#[test]
fn a_file_at_fault_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("one.json");
    std::fs::write(&path, "[").expect("written");
    let wrong = read_statements(&path, &lagos(), None).expect_err("malformed").to_string();
    assert_eq!(wrong, format!("{}: malformed JSON at byte 1: the text ends inside an array", path.display()));
    for (name, what) in [
        (
            "one.txt",
            "not a statement: a text that does not begin as MT940 does; if it is a table, declare under [file]",
        ),
        ("one.odd", "unknown kind of file; name it .csv, .tsv, .json, .ndjson, .parquet, .xlsx"),
        ("one.xlsb", "a workbook of the kind .xlsb is not read; save it as .xlsx, or each of its sheets as .csv"),
        ("one.csv.gz", "it is packed; unpack it first, or let `lendwright batch` read it as it is"),
        ("one.pdf", "a PDF is for people; ask the bank for CSV, camt.053 or MT940"),
    ] {
        let other = folder.path().join(name);
        std::fs::write(&other, "x").expect("written");
        let wrong = read_statements(&other, &lagos(), None).expect_err("no such kind").to_string();
        assert!(wrong.starts_with(&format!("{}: {what}", other.display())), "{wrong}");
    }
}

#[test]
fn the_example_in_the_documentation_is_the_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/guides/columns.md")).expect("the page");
    let example = page.split("```toml\n").last().and_then(|rest| rest.split("```").next()).expect("an example");
    let file = std::fs::read_to_string(root.join("testdata/statement/berka.columns.toml")).expect("the file");
    assert_eq!(Columns::parse(example).expect("the example"), Columns::parse(&file).expect("the file"));
}
