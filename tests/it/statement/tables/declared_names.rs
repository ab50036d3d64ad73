//! Names in tables: declared columns, customers, currencies. A wrong one is refused in every format.

use super::parquet;
use crate::statement::*;
use lendwright::statement::{Columns, read_csv, read_ndjson_table, read_parquet};
use polars::prelude::{NamedFrom, Series};

const DECLARED: &str = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\ncredit = \"in\"\ndebit = \"out\"\n";
const LINES: &str = "{\"acct\":\"K1\",\"date\":\"2026-03-02\",\"in\":337,\"sub\":{\"a\":1}}\n\
    {\"acct\":\"K1\",\"date\":\"2026-03-05\",\"out\":300}\n";

fn columns(text: &str) -> Columns {
    Columns::parse(text).expect("a columns file")
}

fn lines_with(declared: &str, text: &str) -> Result<Statements, String> {
    read_ndjson_table(text.as_bytes(), "t", &lagos(), &columns(declared)).map_err(|wrong| wrong.to_string())
}

fn csv(text: &str) -> Result<Statements, String> {
    read_csv(text.as_bytes(), "t", &lagos(), &Columns::default()).map_err(|wrong| wrong.to_string())
}

fn customers(read: &Statements) -> Vec<&str> {
    read.heads().iter().filter_map(|head| head.customer.as_deref()).collect()
}

#[test]
fn a_declared_name_that_no_line_has_is_refused_for_every_meaning() {
    assert_eq!(lines_with(DECLARED, LINES).expect("a statement").len(), 1);
    let slip = lines_with(&DECLARED.replace("\"out\"", "\"outt\""), LINES).expect_err("a slip");
    assert_eq!(slip, "columns: no line has `outt`, which the columns file calls `debit`; did you mean `out`?");
    let meanings =
        ["account", "id", "cleared_date", "balance", "seq", "created_at", "currency", "desc", "topics", "bank"];
    for meaning in meanings {
        let wrong = lines_with(&format!("{DECLARED}{meaning} = \"zzz\"\n"), LINES).expect_err(meaning);
        let said = format!("columns: no line has `zzz`, which the columns file calls `{meaning}`; correct the name");
        assert!(wrong.starts_with(&said), "{wrong}");
    }
    // One of several columns of a text, and a path that no line has.
    let wrong = lines_with(&format!("{DECLARED}desc = [\"sub.a\", \"sub.b\"]\n"), LINES).expect_err("no such path");
    assert!(wrong.contains("no line has `sub.b`, which the columns file calls `desc`; "), "{wrong}");
    // A line may lack it, and null is a value.
    assert!(
        lines_with(
            &format!("{DECLARED}desc = \"n\"\n"),
            &format!("{LINES}{{\"n\":null,\"acct\":\"K1\",\"date\":\"2026-03-06\",\"in\":1}}")
        )
        .is_ok()
    );
    assert_eq!(lines_with(DECLARED, "\n").map(|read| read.len()).unwrap_or_default(), 0);
}

#[test]
fn a_declared_name_with_dots_leads_into_objects() {
    let declared = "[columns]\ncustomer = \"who.id\"\ntrans_date = \"date\"\namount = \"sum.value\"\n\
        currency = \"sum.currency\"\ndesc = \"a.b\"\n[amount]\npositive = \"credit\"\n";
    let line = |currency: &str| {
        format!(
            "{{\"who\":{{\"id\":7,\"x\":{{}}}},\"date\":\"2026-03-02\",\
             \"sum\":{{\"value\":\"-3.50\",\"currency\":\"{currency}\"}},\"a.b\":\"PAY\"}}"
        )
    };
    let read = lines_with(declared, &line("NGN")).expect("a statement");
    assert_eq!((customers(&read), numbers(&read, "debit")), (vec!["7"], vec![Some(350)]));
    assert_eq!(texts(&read, "desc"), [Some("PAY".to_owned())]);
    assert_eq!(read.heads()[0].quality.warnings, ["nothing is read from `who.x`"]);
    let wrong = lines_with(declared, &line("XAU")).expect_err("gold");
    assert!(wrong.starts_with("line 1, sum.currency: the currency is neither NGN"), "{wrong}");
    let twice = line("NGN").replace("\"a.b\"", "\"a\":{\"b\":\"x\"},\"a.b\"");
    let wrong = lines_with(declared, &twice).expect_err("twice");
    assert_eq!(wrong, "the table cannot be read: line 1, a.b: the line has it twice, as one key and as nested keys");
}

#[test]
fn a_customer_is_one_however_blanks_and_types_write_him() {
    let header = "customer,trans_date,credit,account\n";
    let one = csv(&format!("{header} K1,2026-03-02,1, A\nK1  ,2026-03-03,2,A\n\u{a0}K1,2026-03-04,3,\"A\t\"\n"))
        .expect("one");
    assert_eq!((customers(&one), one.heads()[0].account.as_deref()), (vec!["K1"], Some("A")));
    let as_number = "a number with a decimal point or an exponent is not an identifier";
    let as_nothing = "the text stands for a missing value";
    let cases = [
        ("1001.0", as_number),
        ("2.34801E+12", as_number),
        ("1e-7", as_number),
        ("NULL", as_nothing),
        (" nan", as_nothing),
    ];
    for (name, what) in cases {
        let wrong = csv(&format!("{header}{name},2026-03-02,1,A\n")).expect_err(name);
        assert!(wrong.starts_with(&format!("row 1, column `customer`: {what}")), "{wrong}");
        assert!(!wrong.contains("2.34801"), "{wrong}");
        let wrong = csv(&format!("{header}K1,2026-03-02,1,{name}\n")).expect_err(name);
        assert!(wrong.starts_with(&format!("row 1, column `account`: {what}")), "{wrong}");
        let line = format!("{{\"id\":\"a\",\"customer\":\"{name}\",\"trans_date\":\"2026-03-02\",\"credit\":1}}");
        let wrong = read_body(&lagos(), line.as_bytes()).expect_err(name);
        assert!(wrong.starts_with("line 1, customer") && wrong.contains(what), "{wrong}");
        let line = format!("{{\"acct\":\"{name}\",\"date\":\"2026-03-02\",\"in\":1,\"out\":null}}");
        let wrong = lines_with(DECLARED, &line).expect_err(name);
        assert!(wrong.starts_with(&format!("line 1, acct: {what}")), "{wrong}");
    }
    let wrong = read(&record("a", "\"credit\":1").replace("\"c1\"", "17.0")).expect_err("a number with a point");
    assert!(wrong.contains(as_number), "{wrong}");
    let read = read(&record("a", "\"credit\":1").replace("\"c1\"", "\" 17 \"")).expect("a statement");
    assert_eq!(customers(&read), ["17"]);
}

#[test]
fn a_customer_is_one_whatever_a_parquet_column_holds() {
    let whose = |customer: Series| {
        let credit = Series::new("credit".into(), vec![1_i64; customer.len()]);
        let days = Series::new("trans_date".into(), vec!["2026-03-02"; customer.len()]);
        let table = parquet(vec![customer.with_name("customer".into()), days, credit]);
        read_parquet(table, "t", &lagos(), &Columns::default())
            .map(|read| customers(&read).join(" "))
            .map_err(|wrong| wrong.to_string())
    };
    let name = || "".into();
    for column in [
        Series::new(name(), [17_i64, 17]),
        Series::new(name(), [17_u32, 17]),
        Series::new(name(), [17.0, 17.0]),
        Series::new(name(), [17_f32, 17.0]),
        Series::new(name(), ["17", "17"]),
        Series::new(name(), [" 17", "17 "]),
    ] {
        assert_eq!(whose(column.clone()).as_deref(), Ok("17"), "{column:?}");
    }
    for column in [
        Series::new(name(), [17.5]),
        Series::new(name(), [9_007_199_254_740_992.0]),
        Series::new(name(), [f64::NAN]),
        Series::new(name(), [16_777_216_f32]),
        Series::new(name(), ["17.0"]),
        Series::new(name(), ["None"]),
        Series::new(name(), [None, Some("17")]),
    ] {
        let wrong = whose(column.clone()).expect_err("no customer");
        assert!(wrong.starts_with("row 1, column `customer`: "), "{wrong}");
    }
}

#[test]
fn words_that_mean_the_currency_are_declared() {
    let declared = format!("{DECLARED}currency = \"ccy\"\n[currency]\nwords = [\"Naira\", \"₦\"]\n");
    let rows = |word: &str| {
        let text = format!("acct,date,in,out,ccy\nK1,2026-03-02,1,,{word}\n");
        read_csv(text.as_bytes(), "t", &lagos(), &columns(&declared)).map_err(|wrong| wrong.to_string())
    };
    for word in ["Naira", " ₦", "NGN", "566", ""] {
        assert!(rows(word).is_ok(), "{word}");
    }
    for word in ["naira notes", "$", "XAU"] {
        assert!(rows(word).is_err(), "{word}");
    }
    let wrong = |text: &str| Columns::parse(text).expect_err(text).to_string();
    let code = wrong(&declared.replace("Naira", "USD"));
    assert_eq!(
        code,
        "columns: [currency] words lists `USD`, which is the code of a currency; codes need not be listed"
    );
    let none = wrong(&declared.replace("currency = \"ccy\"\n", ""));
    assert_eq!(none, "columns: [currency] lists words; [columns] does not say which column is `currency`");
}
