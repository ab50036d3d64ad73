//! Damaged and bad input: the exact error or result, fault by fault.

use lendwright::statement::{EmptyAmount, Error, read_pages};
use lendwright::wire::lending::{merge_pages, split_pages};

use crate::statement::*;

#[test]
fn truncated_json_is_malformed_at_its_end_wherever_it_is_cut() {
    let whole = envelope(&record("a", r#""credit":10.5,"notes":{"desc":"a \"b\" \u00e9","topics":["x"]}"#));
    let end = whole.len();
    for cut in 1..end {
        let wrong = read_json(&whole.as_bytes()[..cut], "cut", &lagos()).expect_err("a cut body");
        assert!(matches!(wrong, Error::Malformed { at, .. } if at <= cut), "cut at {cut}: {wrong}");
    }
    let wrong = read_body(&lagos(), &whole.as_bytes()[..100]).expect_err("a cut body");
    assert_eq!(wrong, "malformed JSON at byte 100: the text ends inside a string");
}

#[test]
fn the_same_record_twice_is_dropped_once_and_counted() {
    let twice = format!(
        "{},{},{}",
        record("a", r#""credit":10"#),
        record("b", r#""credit":10"#),
        record("a", r#""credit":"10.00""#)
    );
    let read = read(&twice).expect("a statement");
    assert_eq!(texts(&read, "id"), [Some("a".into()), Some("b".into())]);
    assert_eq!((read.heads()[0].quality.records, read.heads()[0].quality.duplicates), (2, 1));
}

#[test]
fn one_id_with_two_contents_is_refused_naming_both() {
    let clash = format!(
        "{},{},{}",
        record("a", r#""credit":10"#),
        record("b", r#""credit":10"#),
        record("a", r#""credit":11"#)
    );
    assert_eq!(
        error(&clash),
        "data.transactions[0] and data.transactions[2] have the same id `a` and differ in `credit`: \
         one of them must be wrong, so neither is taken"
    );
}

#[test]
fn equal_looking_records_with_different_ids_are_both_kept() {
    let read =
        read(&format!("{},{}", record("a", r#""credit":10"#), record("b", r#""credit":10"#))).expect("a statement");
    assert_eq!((read.heads()[0].quality.records, read.heads()[0].quality.duplicates), (2, 0));
}

#[test]
fn unknown_fields_are_taken_and_counted() {
    let fields =
        r#""credit":1,"mood":"good","deep":{"a":[1,{"b":null}]},"notes":{"desc":"x","tone":1},"__v":0,"ner":null"#;
    let read = read(&record("a", fields)).expect("a statement");
    assert_eq!(read.heads()[0].quality.unknown_fields, 3);
    let around = envelope(&record("a", r#""credit":1"#)).replace(r#""data":{"#, r#""trace":7,"data":{"summary":{},"#);
    let read = read_body(&lagos(), around.as_bytes()).expect("a statement");
    assert_eq!(read.heads()[0].quality.unknown_fields, 2);
    assert_eq!(read.heads()[0].quality.warnings, ["nothing is read from `data.summary`, `trace`"]);
}

#[test]
fn a_required_field_that_is_missing_or_misspelt_is_named() {
    let dropping = Reading { empty_amount: EmptyAmount::Drop, ..lagos() };
    let cases = [
        (
            r#"{"_idd":"a","credit":1,"trans_date":"2024-03-05"}"#,
            "data.transactions[0].id (byte <{\"_idd\":\"a\">): a record needs an id, `id` or `_id`; there is `_idd`, \
             which may be meant for `_id`",
        ),
        (
            r#"{"credit":1,"notes":{},"trans_date":"2024-03-05"}"#,
            "data.transactions[0].id (byte <{\"credit\":1>): a record needs an id, `id` or `_id`",
        ),
        (
            r#"{"id":"a","credit":1,"tran_date":"2024-03-05"}"#,
            "data.transactions[0].trans_date (byte <{\"id\":\"a\">, record `a`): \
             a record needs `trans_date` or `unformatted_trans_date`; there is `tran_date`, \
             which may be meant for `trans_date`",
        ),
        (
            r#"{"id":"a","Credit":1,"trans_date":"2024-03-05"}"#,
            "data.transactions[0].credit (byte <{\"id\":\"a\">, record `a`): a record needs `credit` or `debit`; \
             there is `Credit`, which may be meant for `credit`",
        ),
        (
            r#"{"id":"a","cerdit":1,"debit":null,"trans_date":"2024-03-05"}"#,
            "data.transactions[0].credit (byte <{\"id\":\"a\">, record `a`): a record needs `credit` or `debit`; \
             there is `cerdit`, which may be meant for `credit`",
        ),
        (
            r#"{"id":"a","trans_date":"2024-03-05"}"#,
            "data.transactions[0].credit (byte <{\"id\":\"a\">, record `a`): a record needs `credit` or `debit`",
        ),
    ];
    for (records, wanted) in cases {
        assert_eq!(error_with(&dropping, records), wanted);
    }
}

#[test]
fn json_without_a_single_meaning_or_a_bound_is_refused() {
    assert_eq!(
        error(&record("a", r#""credit":1,"credit":2"#)),
        "refused JSON at byte <\"credit\":2>: the key `credit` occurs twice in one object"
    );
    assert_eq!(
        error(&record("a", r#""credit":1,"cr\u0065dit":2"#)),
        "refused JSON at byte <\"cr\\u0065dit>: the key `credit` occurs twice in one object"
    );
    assert_eq!(
        error(&record("a", r#""credit":1,"notes":{"desc":"a","desc":"b"}"#)),
        "refused JSON at byte <\"desc\":\"b\">: the key `desc` occurs twice in one object"
    );
    assert_eq!(
        error(&record("a", r#""credit":1,"other":{"a":1,"b":2,"a":3}"#)),
        "refused JSON at byte <\"a\":3>: the key `a` occurs twice in one object"
    );
    assert_eq!(
        error(&record("a", r#""credit":1,"notes":["x"]"#)),
        "data.transactions[0].notes (byte <[\"x\">, record `a`): expected an object, found a list"
    );
    assert_eq!(error("[1]"), "data.transactions[0] (byte <[1>): a record is an object, not a list");
    // Invalid JSON is not a record of the wrong kind.
    for records in ["[foo]", ",,", "nul"] {
        let told = error(records);
        assert!(told.starts_with("malformed JSON at byte <"), "{records}: {told}");
    }
    assert_eq!(
        read_body(&lagos(), br#"{"status":"success","data":[{"id":"a"}]}"#).expect_err("a list in place of an object"),
        "not a statement: `data` must be an object that holds `transactions`, found a list"
    );
    let nested =
        |depth: usize| record("a", &format!(r#""credit":1,"other":{}{}"#, "[".repeat(depth), "]".repeat(depth)));
    // The envelope, its data, the list and the record are the first four levels.
    assert!(read(&nested(60)).is_ok());
    assert_eq!(error(&nested(61)), "refused JSON at byte <[>: values nest deeper than 64");
    assert_eq!(error(&nested(100_000)), "refused JSON at byte <[[[[[[[[[[[[>: values nest deeper than 64");
}

#[test]
fn what_is_no_statement_is_never_an_empty_one() {
    let cases: [(&[u8], &str); 14] = [
        (b"", "not a statement: the body is empty"),
        (b" \n", "not a statement: the body is empty"),
        (
            b"<!doctype html><html></html>",
            "not a statement: the body begins with `<`, as a web page does; expected JSON",
        ),
        (b"upstream error", "malformed JSON at byte 0: expected a value"),
        (b"null", "not a statement: expected an envelope, a list of records or records line by line"),
        (b"{}", "not a statement: the envelope has no `data`"),
        (br#"{"status":"success"}"#, "not a statement: the envelope has no `data`"),
        (
            br#"{"status":"success","data":null}"#,
            "not a statement: `data` must be an object that holds `transactions`, found null",
        ),
        (
            br#"{"data":{"transactions":null}}"#,
            "not a statement: `data` holds no list of records: expected `transactions`, `transaction` or `trans`",
        ),
        (
            br#"{"data":{"transactons":[]}}"#,
            "not a statement: `data` holds no list of records: expected `transactions`, `transaction` or `trans`; \
             there is `transactons`, which may be meant",
        ),
        (br#"{"data":{"trans":{}}}"#, "not a statement: `data.trans` must be a list of records, found an object"),
        (
            br#"{"data":{"trans":[]},"status":"failed","message":"no such reference"}"#,
            "the provider answered with status `failed`: no such reference",
        ),
        (br#"{"status":"error","data":null}"#, "the provider answered with status `error`"),
        (b"{\"data\":{\"trans\":[]}} x", "malformed JSON at byte 22: nothing may follow the value"),
    ];
    for (body, wanted) in cases {
        assert_eq!(read_body(&lagos(), body).expect_err("no statement"), wanted);
    }
    assert!(read_json(br#"{"status":"failed"}"#, "x", &lagos()).expect_err("failed").is_status());
}

#[test]
fn an_empty_list_is_an_empty_statement() {
    for body in [
        &b"[]"[..],
        br#"{"status":"SUCCESS","data":{"transactions":[]}}"#,
        br#"{"data":{"trans":[],"pagination":null}}"#,
    ] {
        let read = read_body(&lagos(), body).expect("an empty statement");
        assert_eq!((read.len(), read.frame().height(), read.heads()[0].quality.records), (1, 0, 0));
        assert_eq!(read.frame().width(), 27);
    }
}

#[test]
fn a_page_that_is_announced_and_not_given_is_an_error() {
    let page = |number: u32, next: &str, records: &str| {
        format!(
            r#"{{"data":{{"trans":[{records}],
                "pagination":{{"totalDocs":2,"page":{number},"totalPages":2,"nextPage":{next}}}}}}}"#
        )
    };
    let (first, second) = (page(1, "2", &record("a", r#""credit":1"#)), page(2, "null", &record("b", r#""credit":2"#)));
    assert_eq!(
        read_body(&lagos(), first.as_bytes()).expect_err("half a statement"),
        "the statement is not complete: page 2 of 2 is announced but not given; read all pages together"
    );
    assert_eq!(
        read_body(&lagos(), second.as_bytes()).expect_err("half a statement"),
        "the statement is not complete: 2 records are announced, 1 are given; read all pages together"
    );
    let whole = read_pages([first.as_bytes(), second.as_bytes()], "pages", &lagos()).expect("a statement");
    let turned = read_pages([second.as_bytes(), first.as_bytes()], "pages", &lagos()).expect("a statement");
    assert_eq!(texts(&whole, "id"), [Some("a".into()), Some("b".into())]);
    assert_eq!((whole.heads(), digests(&whole)), (turned.heads(), digests(&turned)));
    let wrong = page(2, "null", &record("b", r#""credit":"x""#));
    assert_eq!(
        read_pages([first.as_bytes(), wrong.as_bytes()], "pages", &lagos()).expect_err("a wrong amount").to_string(),
        "page 2: data.trans[0].credit (byte 93, record `b`): `x` is not a plain decimal number (amounts are in NGN)"
    );
}

/// An envelope with a record of this id and these words of its pagination.
fn paged(id: &str, pagination: &str) -> String {
    let record = if id.is_empty() { String::new() } else { record(id, r#""credit":1"#) };
    format!(r#"{{"data":{{"trans":[{record}],"pagination":{{{pagination}}}}}}}"#)
}

/// Some of a statement's pages must not pass for all of it.
#[test]
fn each_page_is_there_once() {
    let numbered = |id: &str, page: u32, total: u32| paged(id, &format!(r#""page":{page},"totalPages":{total}"#));
    let lacking: [(&[String], &str); 11] = [
        (&[paged("a", r#""page":1,"totalPages":" 2 ","nextPage":0"#)], "page 2 of 2 is not given"),
        (
            &[paged("a", r#""page":0,"totalPages":3"#), paged("b", r#""page":50,"totalPages":3"#)],
            "3 pages are announced, 2 are given",
        ),
        // Page 2 names no next page.
        (&[numbered("b", 2, 2)], "page 1 of 2 is not given"),
        (&[numbered("c", 3, 3), numbered("a", 1, 3), paged("z", r#""page":4"#)], "page 2 of 3 is not given"),
        (&[numbered("a", 0, 2)], "page 1 of 2 is not given"),
        (&[numbered("a", 2, 2), numbered("b", 2, 2)], "page 2 of 2 is given twice"),
        (&[numbered("a", 1, 2), numbered("b", 2, 2), numbered("c", 2, 2)], "page 2 of 2 is given twice"),
        (&[numbered("a", 1, 1), numbered("b", 1, 1)], "page 1 of 1 is given twice"),
        (&[numbered("", 3, 2)], "page 1 of 2 is not given"),
        (&[paged("a", r#""totalPages":2"#)], "2 pages are announced, 1 are given"),
        (&[paged("b", r#""page":2,"nextPage":null"#)], "page 2 is given, and none before it"),
    ];
    for (pages, what) in lacking {
        let wrong = read_pages(pages.iter().map(String::as_bytes), "pages", &lagos()).expect_err(what).to_string();
        assert_eq!(wrong, format!("the statement is not complete: {what}; read all pages together"));
    }
    let sound: [&[String]; 13] = [
        &[paged("a", r#""page":1,"totalPages":1,"nextPage":0"#)],
        &[
            paged("a", r#""page":0,"nextPage":50,"totalPages":2"#),
            paged("b", r#""page":50,"nextPage":null,"totalPages":2"#),
        ],
        &[numbered("b", 2, 2), numbered("a", 1, 2)],
        &[numbered("a", 0, 2), numbered("b", 1, 2)],
        &[numbered("a", 1, 1)],
        &[numbered("a", 0, 1)],
        // Nothing to show, however it is counted.
        &[numbered("", 1, 0)],
        &[numbered("", 0, 0)],
        &[numbered("", 1, 1)],
        &[numbered("", 2, 1)],
        &[numbered("a", 1, 2), numbered("b", 2, 2), numbered("", 3, 2)],
        // Pages that have no numbers, or no number of pages.
        &[paged("a", r#""totalPages":2"#), paged("b", r#""totalPages":2"#)],
        &[paged("a", r#""page":0,"nextPage":50"#), paged("b", r#""page":50,"nextPage":null"#)],
    ];
    for pages in sound {
        read_pages(pages.iter().map(String::as_bytes), "pages", &lagos())
            .unwrap_or_else(|wrong| panic!("{wrong}: {pages:?}"));
    }
}

fn paged_records(records: &str, pagination: &str) -> String {
    format!(r#"{{"status":"success","data":{{"transactions":[{records}],"pagination":{{{pagination}}}}}}}"#)
}

/// Combined pages have the envelope of the first, and the records of all.
#[test]
fn pages_put_together_are_a_whole_statement() {
    let records: Vec<String> = ["a", "b", "c"].iter().map(|id| record(id, r#""credit":1"#)).collect();
    let pages = split_pages(envelope(&records.join(",")).as_bytes(), 2).expect("pages");
    assert_eq!(pages.len(), 2);
    let whole = read_body(&lagos(), &merge_pages(&pages).expect("a body")).expect("a statement");
    assert_eq!(whole.heads()[0].quality.records, 3);
    for page in &pages {
        read_body(&lagos(), page).expect_err("a part of a statement");
    }
    // If one is missing, nothing shows that all are there.
    let page = |ids: &[&str], number: usize, next: &str| {
        let records: Vec<String> = ids.iter().map(|id| record(id, r#""credit":1"#)).collect();
        paged_records(&records.join(","), &format!(r#""page":{number},"totalPages":3,"nextPage":{next}"#))
    };
    let some = [page(&["a"], 1, "2"), page(&["b"], 2, "null")];
    let wrong = merge_pages(&some).expect_err("two of three").to_string();
    assert!(wrong.contains("announces 3 pages, and names no next after 2"), "{wrong}");
    let later = [page(&["a"], 1, "2").replace(r#""totalPages":3,"#, ""), page(&["b"], 2, "null")];
    merge_pages(&later).expect_err("a later page may be the one that says it");
    merge_pages(&some.clone().map(|page| page.replace(":3,", ":\"3.0 \","))).expect_err("a count as a text");
    let more = [page(&["a"], 1, "2"), page(&["b"], 2, "3"), page(&["c"], 3, "null")];
    let more = more.map(|page| page.replace(r#""page":1,"#, r#""page":1,"totalDocs":3,"#));
    let grown = [more[0].clone(), more[1].clone(), more[2].replace(r#""page":3,"#, r#""page":3,"totalDocs":4,"#)];
    read_body(&lagos(), &merge_pages(&more).expect("a body")).expect("three records");
    read_body(&lagos(), &merge_pages(&grown).expect("a body")).expect_err("three of four records");
    let all = [page(&["a"], 1, "2"), page(&["b"], 2, "3"), page(&["c"], 3, "null")];
    read_body(&lagos(), &merge_pages(&all).expect("a body")).expect("three of three");
    // A provider may count the records of each page.
    let alone = paged_records(&records[0], r#""page":1,"totalPages":3,"totalDocs":1"#);
    read_body(&lagos(), alone.as_bytes()).expect_err("one of three");
    // Without a total number of records, only the pages tell.
    let untold: Vec<String> =
        pages.iter().map(|page| String::from_utf8_lossy(page).replace(r#""totalDocs":3,"#, "")).collect();
    let whole = merge_pages(&untold).expect("a body");
    assert!(!String::from_utf8_lossy(&whole).contains("totalDocs"));
    assert_eq!(read_body(&lagos(), &whole).expect("a statement").heads()[0].quality.records, 3);
}

#[test]
fn odd_characters_are_kept_and_what_stands_for_nothing_is_replaced() {
    let desc =
        |text: &str| read(&record("a", &format!(r#""credit":1,"notes":{{"desc":"{text}"}}"#))).expect("a statement");
    let odd = desc(r"a\u0000b\u202ec");
    assert_eq!(texts(&odd, "desc"), [Some("a bc".into())]);
    assert_eq!(texts(&odd, "printed_desc"), [Some("a\0b\u{202e}c".into())]);
    assert_eq!(odd.heads()[0].quality.text_repaired, 0);
    let half = desc(r"a\ud83d b\udE00 \ud83d\ude00 \ud83d\ud83d\ude00");
    assert_eq!(texts(&half, "desc"), [Some("a\u{fffd} b\u{fffd} \u{1f600} \u{fffd}\u{1f600}".into())]);
    assert_eq!(half.heads()[0].quality.text_repaired, 3);
    let long = "narration ".repeat(100_000);
    assert_eq!(texts(&desc(&long), "desc"), [Some(long.trim_end().to_owned())]);
    assert_eq!(texts(&desc(&long), "printed_desc"), [Some(long.clone())]);
    let joined = read(&record("a", r#""credit":1,"notes":{"topics":["x\u001fy","z"]}"#)).expect("a statement");
    assert_eq!(texts(&joined, "topics"), [Some("x\u{fffd}y\u{1f}z".into())]);
    assert_eq!(joined.heads()[0].quality.text_repaired, 1);
    let bytes = [b"{\"data\":{\"trans\":[\"", &[0xff][..], b"\"]}}"].concat();
    assert_eq!(
        read_body(&lagos(), &bytes).expect_err("not UTF-8"),
        "malformed JSON at byte 19: these bytes are not UTF-8"
    );
}

#[test]
fn records_of_two_customers_are_not_one_statement() {
    let two = format!(
        "{},{}",
        record("a", r#""credit":1"#),
        r#"{"id":"b","customer":"c2","credit":1,"trans_date":"2024-03-05"}"#
    );
    assert_eq!(
        error(&two),
        "data.transactions[1].customer (byte <\"c2\">, record `b`): customer `c2` in the statement of customer `c1`: \
         one statement has one customer; \
         many go in NDJSON or a table"
    );
}
