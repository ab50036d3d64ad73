//! Opening and closing balances and totals among the records: never income, and never a movement lost.

use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{Columns, Reading, Statements, read_csv, read_json, read_ndjson_table};

fn reading() -> Reading {
    Reading::new(Currency::from_numeric("566").expect("the naira"), Zone::parse("Africa/Lagos").expect("Lagos"))
}

fn csv(rows: &str) -> Statements {
    let text = format!("customer,trans_date,credit,debit,balance,desc\n{rows}");
    read_csv(text.as_bytes(), "table", &reading(), &Columns::default()).expect("a statement")
}

/// Money in and out in minor units, and how many rows were dropped as balances.
fn sums(statements: &Statements) -> (i64, i64, u64) {
    let sum =
        |name: &str| statements.frame().column(name).expect(name).i64().expect(name).iter().flatten().sum::<i64>();
    (sum("credit"), sum("debit"), statements.heads().iter().map(|head| head.quality.balance_rows).sum())
}

#[test]
fn a_balance_brought_forward_is_no_income() {
    for named in ["OPENING BALANCE", "BALANCE B/F", "BROUGHT FORWARD", "Bal b/f 01-03-2026", "SALDO INICIAL"] {
        let gift = "K1,2026-03-02,100.00,,50100.00,GIFT\n";
        let read = csv(&format!("K1,2026-03-01,50000.00,,50000.00,{named}\n{gift}"));
        assert_eq!(sums(&read), (10_000, 0, 1), "{named}");
        let warning = "1 records are an opening or closing balance or a total, and were left out";
        assert_eq!(read.heads()[0].quality.warnings, [warning]);
        // Without balances the name alone decides.
        assert_eq!(sums(&csv(&format!("K1,2026-03-01,50000.00,,,{named}\n{gift}"))), (10_000, 0, 1), "{named}");
        // Overdrawn.
        assert_eq!(sums(&csv(&format!("K1,2026-03-01,,50.00,-50.00,{named}\n{gift}"))), (10_000, 0, 1), "{named}");
    }
}

#[test]
fn a_row_with_only_its_balance_proves_the_first_amount_and_the_end() {
    let rows = |first: &str, last: &str| {
        let rows = format!(
            "K1,2026-03-01,,,50000.00,OPENING BALANCE\nK1,2026-03-01,{first},,50100.00,GIFT\n\
             K1,2026-03-02,,20.00,50080.00,SHOP\nK1,2026-03-31,,,{last},CLOSING BALANCE\n"
        );
        csv(&rows).heads()[0].quality.balance_verdict.word().to_owned()
    };
    assert_eq!(rows("100.00", "50080.00"), "verified");
    assert_eq!(rows("900.00", "50080.00"), "discrepancy");
    assert_eq!(rows("100.00", "50050.00"), "discrepancy", "the last records were taken out");
    // One column of amounts, whose side a type says.
    let declared = "[columns]\ncustomer = \"customer\"\ntrans_date = \"trans_date\"\namount = \"sum\"\n\
        type = \"side\"\nbalance = \"balance\"\ndesc = \"desc\"\n[type]\ncredit = [\"C\"]\ndebit = [\"D\"]\n";
    let table = |opening: &str| {
        let text = format!(
            "customer,trans_date,sum,side,balance,desc\nK1,2026-03-01,,,{opening},Opening balance\n\
             K1,2026-03-01,100.00,C,50100.00,GIFT\nK1,2026-03-02,20.00,D,50080.00,SHOP\n"
        );
        read_csv(text.as_bytes(), "table", &reading(), &Columns::parse(declared).expect("columns"))
    };
    let read = table("50000.00").expect("a statement");
    assert_eq!((sums(&read), read.heads()[0].quality.balance_verdict.word()), ((10_000, 2_000, 0), "verified"));
    // Without its balance, or under another name, such a row is refused.
    let wrong = table("").expect_err("no balance").to_string();
    assert!(wrong.contains("neither credit nor debit is filled"), "{wrong}");
    let text = "customer,trans_date,credit,debit,balance,desc\nK1,2026-03-01,,,50000.00,FEE\n";
    let wrong = read_csv(text.as_bytes(), "table", &reading(), &Columns::default()).expect_err("a fee").to_string();
    assert!(wrong.contains("neither credit nor debit is filled"), "{wrong}");
}

#[test]
fn balances_and_totals_anywhere_in_a_statement_are_left_out_and_movements_stay() {
    let gift =
        "K1,2026-03-02,100.00,,50100.00,GIFT\nK1,2026-03-03,,20.00,50080.00,SHOP\nK1,2026-03-03,,5.00,50075.00,SHOP\n";
    let plain = (10_000, 2_500);
    let cases = [
        ("K1,2026-03-31,50075.00,,50075.00,CLOSING BALANCE\n", 1),
        ("K1,2026-03-31,50075.00,,50075.00,Available balance as at 31 March 2026\n", 1),
        ("K1,2026-04-01,50075.00,,50075.00,B/F\n", 1),
        ("K1,2026-03-31,100.00,25.00,50075.00,TOTAL\n", 1),
        ("K1,2026-03-31,,25.00,50075.00,TOTAL DEBITS\n", 1),
        ("K1,2026-03-31,,25.00,,Totals\n", 1),
        ("K1,2026-03-31,100.00,,,TOTAL CREDITS\n", 1),
        ("K1,2026-03-31,99.00,,50075.00,TOTAL CREDITS\n", 1),
        // A total that counts the balance brought forward too.
        ("K1,2026-03-01,50000.00,,50000.00,B/F\nK1,2026-03-31,50100.00,25.00,50075.00,TOTAL\n", 2),
        // The end of a ledger page and the beginning of the next.
        ("K1,2026-03-04,,50075.00,0.00,BALANCE C/F\nK1,2026-03-04,50075.00,,50075.00,BALANCE B/F\n", 2),
        // It moves nothing.
        ("K1,2026-03-01,0.00,,50000.00,OPENING BALANCE\n", 0),
        ("K1,2026-03-01,,,50000.00,OPENING BALANCE\n", 0),
        ("K1,2026-03-31,,,50075.00,Closing balance\n", 0),
    ];
    for (row, left_out) in cases {
        let found = sums(&csv(&format!("{gift}{row}")));
        assert_eq!((found.0, found.1), plain, "{row}");
        assert_eq!(found.2, left_out, "{row}");
    }
    // A duplicate counts once in a total, too.
    let twice = "customer,id,trans_date,credit,desc\nK1,1,2026-03-01,100,A\nK1,2,2026-03-02,200,B\n\
        K1,2,2026-03-02,200,B\nK1,3,2026-03-31,300,TOTAL\n";
    let read = read_csv(twice.as_bytes(), "table", &reading(), &Columns::default()).expect("a statement");
    assert_eq!(sums(&read).0, 30_000);
    let movements = [
        // A friend pays the rest of a debt, with balances and without.
        ("K1,2026-03-04,25.00,,50100.00,Balance\n", (12_500, 2_500, 0)),
        ("K1,2026-03-04,25.00,,,Balance\n", (12_500, 2_500, 0)),
        // A petrol station.
        ("K1,2026-03-04,,75.00,50000.00,TOTAL\n", (10_000, 10_000, 0)),
        ("K1,2026-03-04,,75.00,,TOTAL\n", (10_000, 10_000, 0)),
        // The balances show that money moved, whatever the name.
        ("K1,2026-03-04,25.00,,50100.00,CLOSING BALANCE\n", (12_500, 2_500, 0)),
        ("K1,2026-03-04,25.00,,,TRANSFER OF CLOSING BALANCE FROM GTB\n", (12_500, 2_500, 0)),
    ];
    for (row, wanted) in movements {
        let read = csv(&format!("{gift}{row}"));
        assert_eq!(sums(&read), wanted, "{row}");
        // A row that only has the name is reported.
        let warned = read.heads()[0].quality.warnings.iter().any(|warning| warning.contains("are called a balance"));
        assert_eq!(warned, !row.contains("TRANSFER"), "{row}");
    }
    // Into an account with a balance of 0.
    let empty = "K1,2026-03-01,,10.00,0.00,SHOP\nK1,2026-03-02,500.00,,500.00,Balance for March\n\
        K1,2026-03-03,,50.00,450.00,SHOP\n";
    assert_eq!(sums(&csv(empty)), (50_000, 6_000, 0));
}

#[test]
fn every_format_and_every_customer_by_itself() {
    let lines = r#"{"customer":"a","trans_date":"2026-03-01","credit":500,"desc":"OPENING BALANCE"}
{"customer":"a","trans_date":"2026-03-02","credit":1,"desc":"GIFT"}
{"customer":"b","trans_date":"2026-03-02","credit":2,"desc":"GIFT"}"#;
    let read = read_ndjson_table(lines.as_bytes(), "lines", &reading(), &Columns::default()).expect("statements");
    assert_eq!(sums(&read), (300, 0, 1));
    assert_eq!(read.heads().iter().map(|head| head.quality.balance_rows).collect::<Vec<_>>(), [1, 0]);
    let body = r#"{"status":"success","data":{"transactions":[
        {"id":"1","trans_date":"2026-03-01","credit":500,"notes":{"desc":"Balance B/F"}},
        {"id":"1","trans_date":"2026-03-01","credit":500,"notes":{"desc":"Balance B/F"}},
        {"id":"2","trans_date":"2026-03-02","credit":1,"notes":{"desc":"GIFT"}}]}}"#;
    let read = read_json(body.as_bytes(), "body", &reading()).expect("a statement");
    assert_eq!(sums(&read), (100, 0, 1));
    assert_eq!(read.heads()[0].quality.duplicates, 1);
}
