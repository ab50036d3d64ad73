//! The shapes in which records and envelopes occur.

use crate::statement::*;
use lendwright::statement::read_json;

/// All of the interface's fields, and others seen elsewhere.
const FULL: &str = r#"{"id":"65f0a1","_id":"65f0a1",
 "notes":{"topics":["salary","transfer"],"places":["Lagos"],"people":["ADA"],"actions":["paid"],"subjects":[],
 "preopositions":["from","to"],"desc":"SALARY JUNE","ner":null},"ner":{"beneficiaries":"x","account":["1"]},
 "fetched":[],"owner":["o1","o2"],"record":[{"_id":"r1","name":"n"}],"branch":"058","code":"TRF","credit":1250.50,
 "debit":null,"balance":"2000.00","customer":{"_id":"c1","name":"n"},"env":"production",
 "bank":{"name":"b","_id":"b1"},"cleared_date":"2024-03-05T23:00:00.000Z","unformatted_cleared_date":"06-03-2024",
 "trans_date":"2024-03-04T23:00:00.000Z","unformatted_trans_date":"05-03-2024",
 "created_at":"2024-03-07T10:00:00.123Z","last_updated":"2024-03-07T11:00:00Z","ref":"R/1","benefactor":null,
 "currency":"566","location":null,"manual":false,"reconciled":true,"__v":0,"projects":[],"account":"a1"}"#;

fn one(statements: &Statements, column: &str) -> Option<String> {
    texts(statements, column).remove(0)
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    let record = r#"{"id": "1", "customer": "c", "trans_date": "2024-03-05", "credit": 5}"#;
    for body in [format!("\u{feff}[{record}]"), format!("\u{feff}{record}\n")] {
        let read = read_json(body.as_bytes(), "marked", &lagos()).expect("a statement");
        assert_eq!(numbers(&read, "credit"), [Some(500)]);
    }
    let wrong = read_json("\u{feff}[{]".as_bytes(), "marked", &lagos()).expect_err("no record").to_string();
    assert!(wrong.contains("byte 5"), "{wrong}");
}

#[test]
fn every_field_is_read() {
    let read = read(FULL).expect("a statement");
    let wanted = [
        ("id", "65f0a1"),
        ("code", "TRF"),
        ("branch", "058"),
        ("bank", "b1"),
        ("env", "production"),
        ("reference", "R/1"),
        ("desc", "SALARY JUNE"),
        ("topics", "salary\u{1f}transfer"),
        ("people", "ADA"),
        ("places", "Lagos"),
        ("actions", "paid"),
        ("prepositions", "from\u{1f}to"),
        ("owner", "o1\u{1f}o2"),
        ("record", "r1"),
    ];
    for (column, value) in wanted {
        assert_eq!(one(&read, column).as_deref(), Some(value), "{column}");
    }
    assert_eq!((one(&read, "subjects"), one(&read, "fetched")), (None, None));
    assert_eq!(
        (days(&read, "trans_date"), days(&read, "cleared_date")),
        (vec![Some("2024-03-05".into())], vec![Some("2024-03-06".into())])
    );
    assert_eq!(
        (numbers(&read, "credit"), numbers(&read, "debit"), numbers(&read, "balance")),
        (vec![Some(125_050)], vec![None], vec![Some(200_000)])
    );
    assert_eq!(numbers(&read, "created_at"), [Some(1_709_805_600_123)]);
    let head = &read.heads()[0];
    assert_eq!(head.customer.as_deref(), Some("c1"));
    assert_eq!((head.quality.unknown_fields, head.quality.date_repaired, head.quality.cleared_repaired), (0, 1, 1));
    assert_eq!(read.frame().get_column_names().len(), 27);
}

#[test]
fn keys_may_come_in_any_order_and_the_list_has_three_names() {
    for body in [
        format!(r#"{{"data":{{"transaction":[{FULL}]}},"message":null,"status":"Success"}}"#),
        format!(
            r#"{{"_id":"x","data":{{"pagination":{{"page":1,"totalPages":1,"nextPage":null,"totalDocs":1}},
                "trans":[{FULL}]}}}}"#
        ),
        format!("[{FULL}]"),
        FULL.replace('\n', " "),
    ] {
        let read = read_body(&lagos(), body.as_bytes()).expect("a statement");
        assert_eq!(digests(&read), digests(&crate::statement::read(FULL).expect("a statement")));
    }
}

#[test]
fn text_that_says_nothing_is_missing_and_counted() {
    let fields = r#""credit":1,"debit":"N/A","code":" ","branch":"","owner":"o1",
        "notes":{"desc":"N/A","topics":[" ","x"],"people":null}"#;
    let read = read(&record("a", fields)).expect("a statement");
    assert_eq!(
        (one(&read, "desc"), one(&read, "code"), one(&read, "branch"), one(&read, "people")),
        (None, None, None, None)
    );
    assert_eq!((one(&read, "owner").as_deref(), one(&read, "topics").as_deref()), (Some("o1"), Some("x")));
    let quality = &read.heads()[0].quality;
    assert_eq!((quality.placeholder_text, quality.missing_desc), (4, 1));
}

#[test]
fn both_spellings_of_prepositions_are_one_list() {
    let list = |notes: &str| {
        one(&read(&record("a", &format!(r#""credit":1,"notes":{{{notes}}}"#))).expect("a statement"), "prepositions")
    };
    assert_eq!(list(r#""prepositions":["by"]"#).as_deref(), Some("by"));
    assert_eq!(list(r#""prepositions":["by"],"preopositions":["by"]"#).as_deref(), Some("by"));
    assert_eq!(list(r#""prepositions":["by"],"preopositions":["to"]"#).as_deref(), Some("to\u{1f}by"));
}

#[test]
fn dates_come_with_and_without_fraction_offset_and_time() {
    let day = |iso: &str| {
        days(&read(&format!(r#"{{"id":"a","credit":1,"trans_date":"{iso}"}}"#)).expect(iso), "trans_date")
            .remove(0)
            .expect("a day")
    };
    for iso in [
        "2024-03-05",
        "2024-03-05T00:00:00",
        "2024-03-05 10:15",
        "2024-03-04T23:00:00Z",
        "2024-03-04T23:00:00.000000Z",
        "2024-03-05T00:00:00+01:00",
        "2024-03-04T18:00:00-0500",
        "2024-03-05T00:59:59.9+01",
    ] {
        assert_eq!(day(iso), "2024-03-05", "{iso}");
    }
    let bank_only =
        read(r#"{"id":"a","credit":1,"unformatted_trans_date":"05-03-2024","trans_date":null}"#).expect("a statement");
    assert_eq!(days(&bank_only, "trans_date"), [Some("2024-03-05".into())]);
}

#[test]
fn lines_are_grouped_by_customer() {
    let line = |id: &str, customer: &str, credit: u32| {
        let notes = format!(r#""desc":"flat {id}","topics":["t"]"#);
        format!(r#"{{"id":"{id}","customer":"{customer}","trans_date":"2024-03-05","credit":{credit},{notes}}}"#)
    };
    let body = format!("\n{}\n\n{}\r\n{}\n", line("a", "c2", 1), line("a", "c1", 2), line("b", "c2", 3));
    let read = read_json(body.as_bytes(), "lines", &lagos()).expect("statements");
    let heads: Vec<_> = read
        .heads()
        .iter()
        .map(|head| (head.customer.clone().expect("a customer"), head.rows.clone(), head.label.clone()))
        .collect();
    assert_eq!(heads, [("c1".into(), 0..1, "lines".into()), ("c2".into(), 1..3, "lines".into())]);
    assert_eq!(texts(&read, "desc"), [Some("flat a".into()), Some("flat a".into()), Some("flat b".into())]);
    assert_eq!(numbers(&read, "credit"), [Some(200), Some(100), Some(300)]);
    let wrong = format!("{}\n{}", line("a", "c1", 1), r#"{"id":"b","trans_date":"2024-03-05","credit":1}"#);
    assert_eq!(
        point(&wrong, read_body(&lagos(), wrong.as_bytes()).expect_err("whose is it")),
        "line 2, customer (byte <{\"id\":\"b\">, record `b`): some records name a customer and some do not: \
         nobody can tell whose the others are"
    );
    // A record may take several lines; those after it are numbered on.
    let long = format!("{}\n\n{}", line("a", "c1", 1).replacen(',', ",\n", 2), "{\"id\":\"b\"}");
    let told = read_body(&lagos(), long.as_bytes()).expect_err("no date").to_string();
    assert!(told.starts_with("line 5, "), "{told}");
    let one_line = format!("{}{}", line("a", "c1", 1), line("b", "c1", 1));
    assert_eq!(
        point(&one_line, read_body(&lagos(), one_line.as_bytes()).expect_err("one line")),
        "malformed JSON at byte <{\"id\":\"b\">: expected a new line before the next record"
    );
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let record = concat!(
        r#"{"id":"a","customer":"c1","trans_date":"2024-03-05T00:00:00Z","#,
        r#""unformatted_trans_date":"05-03-2024","credit":1}"#
    );
    for before in ["", r#""code":"00","#, r#""customer":{"_id":"c1"},"env":"live","#, r#""bank":"b","data2":{},"#] {
        let body =
            format!(r#"{{{before}"status":"success","message":"ok","data":{{"x":1,"transactions":[{record}]}}}}"#);
        assert_eq!(numbers(&read_body(&lagos(), body.as_bytes()).expect(before), "credit"), [Some(100)], "{before}");
        let refused = format!(r#"{{{before}"status":"failed","message":"no"}}"#);
        let told = read_body(&lagos(), refused.as_bytes()).expect_err(before).to_string();
        assert!(told.contains("failed"), "{told}");
    }
    for beside in [
        r#""status":"done","#,
        r#""message":"hi","status":"x","#,
        r#""data":{},"#,
        r#""data":[1],"#,
        r#""data":{"transaction":"T1"},"#,
    ] {
        let line = record.replacen('{', &format!("{{{beside}"), 1);
        assert_eq!(numbers(&read_body(&lagos(), line.as_bytes()).expect(beside), "credit"), [Some(100)], "{beside}");
    }
}

#[test]
fn escaped_keys_are_keys() {
    let record =
        r#"{"id":{"\u005fid":"a"},"bank":{"\u005fid":"b"},"n\u0065r":null,"trans_date":"2024-03-05","credit":1}"#;
    let read = read_body(&lagos(), format!("[{record}]").as_bytes()).expect("a statement");
    assert_eq!((texts(&read, "id"), texts(&read, "bank")), (vec![Some("a".into())], vec![Some("b".into())]));
    assert_eq!(read.heads()[0].quality.unknown_fields, 0);
    let page = format!(
        r#"{{"status":"success","data":{{"transactions":[{record}],
            "pagination":{{"p\u0061ge":1,"next\u0050age":2,"total\u0050ages":2}}}}}}"#
    );
    let told = read_body(&lagos(), page.as_bytes()).expect_err("a page is missing").to_string();
    assert!(told.contains("page 2 of 2 is announced but not given"), "{told}");
}

#[test]
fn flat_records_need_no_id_and_are_never_duplicates() {
    // A day as the bank wrote it is a column of tables too; without other flat columns it is the provider's record.
    let bank = r#"{"customer":"c","unformatted_trans_date":"05-03-2024","credit":1}"#;
    assert!(read_body(&lagos(), bank.as_bytes()).expect_err("no id").contains("a record needs an id"));
    let flat = bank.replacen('{', r#"{"desc":"PAY","#, 1);
    assert_eq!(texts(&read_body(&lagos(), flat.as_bytes()).expect("flat"), "desc"), [Some("PAY".into())]);
    let line = r#"{"customer":"c","trans_date":"2024-03-05","credit":1}"#;
    let read = read_body(&lagos(), format!("{line}\n{line}\n").as_bytes()).expect("a statement");
    assert_eq!((read.heads()[0].quality.records, read.heads()[0].quality.duplicates), (2, 0));
}
