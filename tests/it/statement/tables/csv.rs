//! CSV tables: the product's own columns, and texts in quotes.

use super::csv;
use crate::statement::*;

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
    let wanted = ["two lines, and \"more\"", "12\" PIPE", "2026-01-05,a,b,c,d,e,f"];
    assert_eq!(texts(&read, "desc").into_iter().flatten().collect::<Vec<_>>(), wanted);
    let printed = ["two\r\nlines, and \"more\"", "\n2026-01-05,a,b,c,d,e,f\n"];
    assert_eq!(texts(&read, "printed_desc").into_iter().flatten().collect::<Vec<_>>(), printed);
    assert_eq!(numbers(&read, "credit"), [Some(500), Some(600), Some(700), Some(800)]);
}
