//! Values that were silently misread: what programs write for a missing text, ids and accounts in several spellings,
//! customers as objects, values in structs.

use lendwright::statement::{Columns, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{Column, DataFrame, ParquetWriter};

use crate::statement::*;

fn csv(text: &str) -> Result<Statements, String> {
    read_csv(text.as_bytes(), "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

fn lines(text: &str) -> Result<Statements, String> {
    read_ndjson_table(text.as_bytes(), "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

/// One row of a Parquet table with these texts.
fn parquet(id: &str, desc: &str) -> Result<Statements, String> {
    let column = |name: &str, text: &str| Column::new(name.into(), [text]);
    let columns = vec![
        column("customer", "c1"),
        column("id", id),
        column("trans_date", "2026-03-02"),
        Column::new("credit".into(), [5.0]),
        column("desc", desc),
    ];
    let mut frame = DataFrame::new(1, columns).expect("a frame");
    let mut bytes = Vec::new();
    ParquetWriter::new(&mut bytes).finish(&mut frame).expect("memory");
    read_parquet(bytes, "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

fn nested(id: &str, desc: &str) -> String {
    format!(
        r#"{{"id":{id},"customer":"c1","trans_date":"2026-03-02","credit":5,"notes":{{"desc":{}}}}}"#,
        serde_json::Value::from(desc)
    )
}

#[test]
fn what_programs_write_for_a_missing_narration_is_none() {
    let words = [
        "NULL",
        "null",
        "None",
        "nan",
        "NaN",
        "\\N",
        "NA",
        "#N/A",
        "<NA>",
        "undefined",
        "nil",
        "-",
        "\u{a0}",
        "\u{200b}",
    ];
    for word in words {
        let read = [
            csv(&format!("customer,id,trans_date,credit,desc\nc1,a,2026-03-02,5,{word}\n")),
            parquet("a", word),
            read_with(&lagos(), &nested("\"a\"", word)),
            lines(&nested("\"a\"", word)),
            lines(&format!("{}\n", nested("\"a\"", word).replace("\"notes\":{", "").replacen("}}", "}", 1))),
        ];
        for (way, read) in read.into_iter().enumerate() {
            let read = read.unwrap_or_else(|wrong| panic!("{word:?}, {way}: {wrong}"));
            assert_eq!(texts(&read, "desc"), [None], "{word:?}, {way}");
            let quality = &read.heads()[0].quality;
            assert_eq!((quality.missing_desc, quality.placeholder_text), (1, 1), "{word:?}, {way}");
        }
    }
    for word in ["NONE OF IT", "NANNY", "NULLA", "NATION", "- ADA", "UNDEFINED PLC", "(null) x"] {
        assert_eq!(texts(&read_with(&lagos(), &nested("\"a\"", word)).expect(word), "desc"), [Some(word.into())]);
        assert_eq!(texts(&parquet("a", word).expect(word), "desc"), [Some(word.into())]);
    }
    // If a missing amount is written like this, its side is unknown.
    let wrong = csv("customer,trans_date,credit,debit\nc1,2026-03-02,NULL,5\n").expect_err("an amount");
    assert!(wrong.contains("`NULL` is not a plain decimal number"), "{wrong}");
}

#[test]
fn an_id_has_one_spelling_or_is_refused() {
    for id in [" 7", "7 ", "\t7", "\u{feff}7"] {
        let read = [
            csv(&format!("customer,id,trans_date,credit\nc1,{id},2026-03-02,5\nc1,7,2026-03-02,5\n")),
            lines(&format!("{}\n{}\n", nested(&serde_json::Value::from(id).to_string(), "x"), nested("7", "x"))),
        ];
        for read in read {
            let read = read.unwrap_or_else(|wrong| panic!("{id:?}: {wrong}"));
            assert_eq!((texts(&read, "id"), read.heads()[0].quality.duplicates), (vec![Some("7".into())], 1), "{id:?}");
        }
        assert_eq!(texts(&parquet(id, "x").expect(id), "id"), [Some("7".into())]);
    }
    for (id, words) in [("7.0", "decimal point"), ("2.3E+12", "exponent"), ("-7.00 ", "decimal point")] {
        let read = [
            csv(&format!("customer,id,trans_date,credit\nc1,{id},2026-03-02,5\n")),
            lines(&nested(&serde_json::Value::from(id).to_string(), "x")),
            read_with(&lagos(), &nested(&serde_json::Value::from(id).to_string(), "x")),
            parquet(id, "x"),
        ];
        for read in read {
            let wrong = read.map(|_| "it was read").expect_err(id);
            assert!(wrong.contains(words), "{id}: {wrong}");
        }
    }
    let wrong = lines(&nested("7.0", "x")).expect_err("a decimal");
    assert!(wrong.contains("decimal point"), "{wrong}");
    // Rows without an id are not repeats of each other.
    let row = "c1,NULL,2026-03-02,5\n";
    let read = csv(&format!("customer,id,trans_date,credit\n{row}{row}")).expect("rows");
    assert_eq!(read.heads()[0].quality.records, 2);
}

#[test]
fn a_customer_as_an_object_is_known_by_its_id_or_refused() {
    let record = |customer: &str| {
        format!(r#"{{"id":"a{}","customer":{customer},"trans_date":"2026-03-02","credit":5}}"#, customer.len())
    };
    for customer in [r#"{"_id":"17"}"#, r#"{"_id":17}"#, r#"{"id":17}"#, r#"{"name":"x","_id":17,"id":18}"#] {
        for read in [read_with(&lagos(), &record(customer)), lines(&record(customer))] {
            let read = read.unwrap_or_else(|wrong| panic!("{customer}: {wrong}"));
            assert_eq!(read.heads()[0].customer.as_deref(), Some("17"), "{customer}");
        }
    }
    for customer in [r#"{"customerId":"17"}"#, r#"{"$oid":"a"}"#, r#"{"_id":{"$oid":"a"}}"#, r#"{"_id":null}"#, "{}"] {
        for read in [read_with(&lagos(), &record(customer)), lines(&record(customer))] {
            let wrong = read.map(|_| "it was read").expect_err(customer);
            assert!(wrong.contains("customer") && wrong.contains("neither `_id` nor `id`"), "{customer}: {wrong}");
        }
    }
    let two = format!("{}\n{}\n", record(r#"{"_id":2}"#), record(r#"{"_id":13}"#));
    let heads: Vec<_> = lines(&two).expect("two").heads().iter().map(|head| head.customer.clone()).collect();
    assert_eq!(heads, [Some("13".to_owned()), Some("2".to_owned())]);
}

#[test]
fn accounts_that_records_name_are_never_joined() {
    let record = |id: &str, account: &str| {
        format!(r#"{{"id":"{id}","customer":"c1","account":{account},"trans_date":"2026-03-02","credit":5}}"#)
    };
    let two = [record("a", "\"A\""), record("b", "\"B\"")];
    let wrong = read_with(&lagos(), &two.join(",")).expect_err("one statement");
    assert!(wrong.contains("account `B` in the statement of account `A`"), "{wrong}");
    let wrong = lines(&two.join("\n")).expect_err("lines");
    assert!(wrong.contains("line 2, account") && wrong.contains("a columns file that names `account`"), "{wrong}");
    let other = two[1].replace("c1", "c2");
    assert_eq!(lines(&format!("{}\n{other}\n", two[0])).expect("two customers").len(), 2);
    let one = read_with(&lagos(), &[record("a", "\"A\""), record("b", "\"A\"")].join(",")).expect("one account");
    assert_eq!((one.len(), one.heads()[0].account.clone()), (1, None));
    // A value that is not an account's name is ignored.
    assert_eq!(read_with(&lagos(), &record("a", "{\"number\":1}")).expect("an object").len(), 1);
    let many: Vec<String> =
        (0..3_000).map(|at| record(&format!("r{at}"), if at == 2_900 { "\"B\"" } else { "\"A\"" })).collect();
    let wrong = read_with(&lagos(), &many.join(",")).expect_err("a large statement");
    assert!(wrong.contains("transactions[2900].account"), "{wrong}");
}

#[test]
fn a_value_within_a_struct_is_not_left_out() {
    let wrong = csv("customer,trans_date,credit,currency.code\nc1,2026-03-02,5,USD\n").expect_err("a currency");
    assert!(wrong.contains("`currency.code` within `currency`") && wrong.contains("columns file"), "{wrong}");
    let wrong = csv("customer,trans_date,credit,account.number\nc1,2026-03-02,5,1\n").expect_err("an account");
    assert!(wrong.contains("`account.number` within `account`"), "{wrong}");
    assert_eq!(csv("customer,trans_date,credit,meta.code\nc1,2026-03-02,5,1\n").expect("others").len(), 1);
}

#[test]
fn further_names_of_balances_are_no_income() {
    for words in [
        "OPENING BALANCE NGN 1,000.00",
        "O/B",
        "Beg Bal",
        "OPENNING BALANCE",
        "Carry forward",
        "Anfangssaldo",
        "Op. Bal.",
    ] {
        let rows = format!(
            "customer,trans_date,credit,debit,balance,desc\nc1,2026-03-01,1000.00,,1000.00,\"{words}\"\n\
             c1,2026-03-02,337,,1337.00,GIFT\n"
        );
        let read = csv(&rows).expect(words);
        assert_eq!(
            (numbers(&read, "credit"), read.heads()[0].quality.balance_rows),
            (vec![Some(33_700)], 1),
            "{words}"
        );
    }
}
