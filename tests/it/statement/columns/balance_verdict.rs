//! What the balances of a statement say: verified, a discrepancy with its place, unverifiable, or failed. A statement
//! whose balances cannot prove its records never passes as verified.

use lendwright::statement::{BalanceVerdict, Columns, Head, Merging, read_csv};
use proptest::prelude::*;

use crate::statement::*;

const HEADER: &str = "customer,id,trans_date,credit,debit,balance,desc,stated_balance\n";

/// Columns that have this crate's own names.
fn declared(more: &str, header: &str) -> Columns {
    let names: String = header.trim().split(',').map(|name| format!("{name} = \"{name}\"\n")).collect();
    Columns::parse(&format!("{more}\n[columns]\n{names}")).expect("columns")
}

fn try_table(header: &str, rows: &str) -> Result<Statements, lendwright::statement::Error> {
    read_csv(format!("{header}{rows}").as_bytes(), "table", &lagos(), &declared("", header))
}

fn table(rows: &str) -> Statements {
    try_table(HEADER, rows).expect("statements")
}

/// The verdict in one line: the word, and the first discrepancy as day, record, expected, found, difference.
fn shown(head: &Head) -> String {
    let word = head.quality.balance_verdict.word();
    match &head.quality.balance_discrepancy {
        None => word.to_owned(),
        Some(first) => format!(
            "{word} {} {} {} {} {}",
            first.day,
            first.record.as_deref().unwrap_or("-"),
            first.expected,
            first.found,
            first.difference
        ),
    }
}

fn verdict(rows: &str) -> String {
    shown(&table(rows).heads()[0])
}

const JUNE: &str = "K1,1,2026-06-01,1000,,1500,PAY,\n\
    K1,2,2026-06-03,,200,1300,SHOP,\n\
    K1,3,2026-06-03,,50,1250,SHOP,\n\
    K1,4,2026-06-09,300.50,,1550.50,GIFT,\n";

#[test]
fn balances_that_follow_each_other_verify_a_statement() {
    assert_eq!(verdict(JUNE), "verified");
    // In any order of the rows.
    let mut reversed: Vec<&str> = JUNE.split_inclusive('\n').collect();
    reversed.reverse();
    assert_eq!(verdict(&reversed.concat()), "verified");
    // A rounded balance is no discrepancy, and neither is a record that came twice.
    assert_eq!(verdict(&JUNE.replace("1550.50", "1550.99")), "verified");
    assert_eq!(verdict(&format!("{JUNE}K1,4,2026-06-09,300.50,,1550.50,GIFT,\n")), "verified");
    // Records without a balance are covered by the next one, on another day or at the end of their own.
    assert_eq!(verdict(&JUNE.replace(",1300,", ",,")), "verified");
    assert_eq!(verdict(&JUNE.replace(",1300,", ",,").replace(",1250,", ",,")), "verified");
    let middle = "K1,1,2026-06-01,1000,,1500,PAY,\nK1,a,2026-06-03,,200,1250,SHOP,\nK1,b,2026-06-03,,50,,SHOP,\n";
    assert_eq!(verdict(middle), "verified", "the order within a day is not known");
}

#[test]
fn a_discrepancy_says_where_it_is_first_and_how_large() {
    // A tampered amount, a tampered balance, a record that was taken out.
    let cases = [
        ("1000,,1500", "9000,,1500", "verified"),
        (",200,1300", ",20,1300", "discrepancy 2026-06-03 2 148000 130000 -18000"),
        ("300.50,,", "400.50,,", "discrepancy 2026-06-09 4 165050 155050 -10000"),
        (",1250,", ",1251,", "discrepancy 2026-06-03 3 125000 125100 100"),
        ("K1,2,2026-06-03,,200,1300,SHOP,\n", "", "discrepancy 2026-06-03 3 145000 125000 -20000"),
    ];
    for (from, to, wanted) in cases {
        assert!(JUNE.contains(from), "{from}");
        assert_eq!(verdict(&JUNE.replace(from, to)), wanted, "{from} -> {to}");
    }
    // Where balances are missing, too.
    let gaps = JUNE.replace(",1300,", ",,").replace(",1250,", ",,").replace(",200,", ",100,");
    assert_eq!(verdict(&gaps), "discrepancy 2026-06-09 4 165050 155050 -10000");
    let end_of_day = JUNE.replace(",1300,", ",,").replace(",50,1250", ",40,1250");
    assert_eq!(verdict(&end_of_day), "discrepancy 2026-06-03 3 126000 125000 -1000");
    // The verdict and the warning say the same.
    let read = table(&JUNE.replace(",200,1300", ",20,1300"));
    let warning = "the balance of 1 record does not follow from the one before, first on 2026-06-03";
    assert_eq!(read.heads()[0].quality.warnings, [warning]);
    let quality = serde_json::to_value(&read.heads()[0].quality).expect("JSON");
    assert_eq!(quality["balance_verdict"], "discrepancy");
    assert_eq!(
        quality["balance_discrepancy"],
        serde_json::json!({
            "day": "2026-06-03", "record": "2", "expected": 148_000, "found": 130_000, "difference": -18_000
        })
    );
}

#[test]
fn stated_balances_are_those_of_the_records_beside_them() {
    let opening = |day: &str, minor: &str| format!("K1,,{day},,,{minor},,opening\n");
    let closing = |day: &str, minor: &str| format!("K1,,{day},,,{minor},,closing\n");
    let wrong_end = "discrepancy 2026-06-30 - 155050 99999900 99844850";
    let wrong_start = "discrepancy 2026-06-01 - 50000 7777700 7727700";
    let reversed = |rows: &str| rows.split_inclusive('\n').rev().collect::<String>();
    for (case, rows, wanted) in [
        ("both", opening("2026-06-01", "500") + JUNE + &closing("2026-06-30", "1550.50"), "verified"),
        ("an opening one alone", opening("2026-06-01", "500") + JUNE, "verified"),
        ("a closing one alone", JUNE.to_owned() + &closing("2026-06-30", "1550.50"), "verified"),
        ("the newest first", opening("2026-06-01", "500") + &reversed(JUNE), "verified"),
        ("rounded", JUNE.to_owned() + &closing("2026-06-30", "1551"), "verified"),
        ("another end", JUNE.to_owned() + &closing("2026-06-30", "999999"), wrong_end),
        ("another end, the newest first", reversed(JUNE) + &closing("2026-06-30", "999999"), wrong_end),
        ("another start", opening("2026-06-01", "77777") + JUNE, wrong_start),
        (
            "both shifted alike",
            opening("2026-06-01", "77777") + JUNE + &closing("2026-06-30", "78827.50"),
            "discrepancy 2026-06-01 - 50000 7777700 7727700",
        ),
    ] {
        assert_eq!(verdict(&rows), wanted, "{case}");
    }
    let read = table(&(JUNE.to_owned() + &closing("2026-06-30", "999999")));
    assert_eq!(
        read.heads()[0].quality.warnings,
        ["1 stated balance is not as the balances of the records beside say, first on 2026-06-30"]
    );
}

#[test]
fn the_next_opening_balance_closes_what_came_before() {
    let rows = |second: &str| {
        format!(
            "K1,,2026-06-01,,,500,,opening\nK1,1,2026-06-01,1000,,,PAY,\nK1,,2026-06-02,,,{second},,opening\n\
             K1,2,2026-06-02,,200,,SHOP,\nK1,,2026-06-02,,,1300,,closing\n"
        )
    };
    assert_eq!(verdict(&rows("1500")), "verified");
    // The first day gains what the second loses, so that the last balance is right again.
    let compensated = rows("1500").replace("1000,,", "1050,,").replace(",200,", ",250,");
    assert_eq!(verdict(&compensated), "discrepancy 2026-06-02 - 155000 150000 -5000");
}

#[test]
fn rounding_does_not_add_up() {
    let rows: String = (1..=28)
        .map(|day| format!("K1,{day},2026-06-{day:02},1,,{:.2},PAY,\n", 100.0 + f64::from(day) * 1.99))
        .collect();
    assert_eq!(verdict(&rows), "discrepancy 2026-06-03 3 10498 10597 99");
    // Each balance may be rounded by itself.
    let rounded = (1..=28).map(|day| {
        let balance = 100 + day + i32::from(day % 2 == 0);
        format!("K1,{day},2026-06-{day:02},1,,{balance}.{},PAY,\n", if day % 2 == 0 { "00" } else { "40" })
    });
    assert_eq!(verdict(&rounded.collect::<String>()), "verified");
}

#[test]
fn too_few_balances_verify_nothing() {
    let none = "K1,1,2026-06-01,1000,,,PAY,\nK1,2,2026-06-03,,200,,SHOP,\n";
    let cases = [
        ("", none),
        ("one balance", "K1,1,2026-06-01,1000,,1500,PAY,\nK1,2,2026-06-03,,200,,SHOP,\n"),
        ("one record", "K1,1,2026-06-01,1000,,1500,PAY,\n"),
        ("a record before the first balance", &format!("K1,0,2026-05-30,5,,,GIFT,\n{JUNE}")),
        ("a record after the last balance", &format!("{JUNE}K1,9,2026-06-30,5,,,GIFT,\n")),
        // The order within the day is not known, and the day has no balance before it.
        ("a first day with several", "K1,1,2026-06-01,1,,,A,\nK1,2,2026-06-01,2,,9,B,\nK1,3,2026-06-02,1,,10,C,\n"),
    ];
    for (case, rows) in cases {
        assert_eq!(verdict(rows), "unverifiable", "{case}");
    }
    let empty = envelope("");
    let read = read_json(empty.as_bytes(), "body", &lagos()).expect("a statement");
    assert_eq!(read.heads()[0].quality.balance_verdict, BalanceVerdict::Unverifiable);
    let quality = serde_json::to_value(&read.heads()[0].quality).expect("JSON");
    assert_eq!((&quality["balance_verdict"], quality.get("balance_discrepancy")), (&"unverifiable".into(), None));
    // A record that moves nothing needs no cover.
    assert_eq!(verdict(&format!("{JUNE}K1,9,2026-06-30,0,,,NOTE,\n")), "verified");
}

/// Opening and closing balances beside the records, as bank formats have them.
const STATED: &str = "K1,,2026-05-31,,,500,,opening\n\
    K1,1,2026-06-01,1000,,,PAY,\n\
    K1,2,2026-06-03,,200,,SHOP,\n\
    K1,,2026-06-30,,,1300,,closing\n";

const JULY: &str = "K1,,2026-06-30,,,1300,,opening\n\
    K1,3,2026-07-03,,300,,SHOP,\n\
    K1,,2026-07-31,,,1000,,closing\n";

#[test]
fn stated_balances_are_no_records_and_verify_what_is_between_them() {
    let read = table(STATED);
    assert_eq!(shown(&read.heads()[0]), "verified");
    assert_eq!((read.frame().height(), read.heads()[0].quality.records), (2, 2));
    assert!(read.heads()[0].quality.warnings.is_empty());
    assert_eq!(verdict(&format!("{STATED}{JULY}")), "verified");
    assert_eq!(verdict(&format!("{JULY}{STATED}")), "verified", "in any order");
    assert_eq!(verdict(&format!("{STATED}{STATED}")), "verified", "sent twice");
    // Customers one by one, also where their rows are mixed.
    let other = STATED.replace("K1", "K2").replace(",1300,,closing", ",1301,,closing");
    let mixed: String = STATED.lines().zip(other.lines()).map(|(one, other)| format!("{one}\n{other}\n")).collect();
    let read = table(&mixed);
    let words: Vec<String> = read.heads().iter().map(shown).collect();
    assert_eq!(words, ["verified", "discrepancy 2026-06-30 - 130000 130100 100"]);
    // The account did nothing.
    assert_eq!(verdict("K1,,2026-05-31,,,5,,opening\nK1,,2026-06-30,,,5,,closing\n"), "verified");
    assert_eq!(
        verdict("K1,,2026-05-31,,,-5,,opening\nK1,,2026-06-30,,,5,,closing\n"),
        "discrepancy 2026-06-30 - -500 500 1000"
    );
}

#[test]
fn stated_balances_show_what_is_missing() {
    let cases = [
        (STATED.replace("1000,,,PAY", "9000,,,PAY"), "discrepancy 2026-06-30 - 930000 130000 -800000"),
        (STATED.replace("K1,2,2026-06-03,,200,,SHOP,\n", ""), "discrepancy 2026-06-30 - 150000 130000 -20000"),
        // A statement is missing between the two, or one of them was changed as a whole.
        (
            format!("{STATED}{}", JULY.replace(",1300,", ",1700,").replace(",1000,,closing", ",1400,,closing")),
            "discrepancy 2026-06-30 - 130000 170000 40000",
        ),
        // Records that are outside of the stated balances are covered by nothing.
        (format!("{STATED}K1,9,2026-08-01,5,,,GIFT,\n"), "unverifiable"),
        (STATED.replace("K1,,2026-05-31,,,500,,opening\n", ""), "unverifiable"),
        (STATED.replace("K1,,2026-06-30,,,1300,,closing\n", ""), "unverifiable"),
    ];
    for (rows, wanted) in cases {
        assert_eq!(verdict(&rows), wanted, "{rows}");
    }
    let read = table(&STATED.replace("1000,,,PAY", "9000,,,PAY"));
    let warning = "1 closing balance does not follow from the opening balance and the records, first on 2026-06-30";
    assert_eq!(read.heads()[0].quality.warnings, [warning]);
}

#[test]
fn a_stated_balance_that_cannot_be_read_fails_the_verdict_and_nothing_else() {
    for unread in ["", "1.3.00", "about 1300"] {
        let read = table(&STATED.replace(",1300,,closing", &format!(",{unread},,closing")));
        assert_eq!((shown(&read.heads()[0]).as_str(), read.frame().height()), ("failed", 2), "{unread}");
        let says = "1 opening or closing balance cannot be read: the closing balance at row 4: ";
        let warnings = &read.heads()[0].quality.warnings;
        assert!(warnings.len() == 1 && warnings[0].starts_with(says) && warnings[0].contains(unread), "{warnings:?}");
    }
    let refused = try_table(HEADER, &STATED.replace("opening", "interim")).expect_err("no such balance");
    assert_eq!(refused.to_string(), "row 1, column `stated_balance`: `interim` is neither `opening` nor `closing`");
}

#[test]
fn rows_that_carry_a_balance_forward_count_as_stated() {
    let bare = |rows: &str| verdict(&rows.replace(";", ",\n"));
    let forward = "K1,,2026-05-31,500,,500,BALANCE B/F;K1,1,2026-06-01,1000,,1500,PAY;K1,2,2026-06-03,,200,1300,SHOP;";
    assert_eq!(bare(forward), "verified");
    assert_eq!(bare(&forward.replace("1000,,1500", "900,,1500")), "discrepancy 2026-06-01 1 140000 150000 10000");
    let closing = format!("{forward}K1,,2026-06-30,1250,,1250,CLOSING BALANCE;");
    assert_eq!(bare(&closing), "discrepancy 2026-06-30 - 130000 125000 -5000");
}

#[test]
fn the_verdict_on_merged_accounts_is_that_on_the_worst() {
    let header = "customer,account,id,trans_date,credit,debit,balance,desc,stated_balance\n";
    let merged = |rows: &[String]| {
        let read = |rows: &String| try_table(header, rows).expect("statements");
        let parts: Vec<Statements> = rows.iter().map(read).collect();
        shown(&Statements::merge(&parts, &Merging::default()).expect("one statement").heads()[0])
    };
    let account = |name: &str, rows: &str| rows.replace("K1,", &format!("K1,{name},"));
    // A transfer between the two is dropped, and breaks nothing.
    let current = account(
        "current",
        "K1,1,2026-06-01,1000,,1500,PAY,\nK1,2,2026-06-05,,400,1100,TRANSFER TO SAVINGS,\n\
         K1,3,2026-06-09,,100,1000,SHOP,\n",
    );
    let savings = account(
        "savings",
        "K1,7,2026-06-02,5,,105,INTEREST,\nK1,8,2026-06-05,400,,505,TRANSFER FROM CURRENT,\n\
         K1,9,2026-06-30,1,,506,INTEREST,\n",
    );
    assert_eq!(merged(&[current.clone(), savings.clone()]), "verified");
    assert_eq!(
        merged(&[current.replace(",100,1000,", ",90,1000,"), savings.clone()]),
        "discrepancy 2026-06-09 3 101000 100000 -1000"
    );
    assert_eq!(merged(&[current.clone(), account("savings", "K1,7,2026-06-02,5,,,INTEREST,\n")]), "unverifiable");
    let failed = account("savings", &STATED.replace(",1300,,closing", ",x,,closing"));
    assert_eq!(merged(&[current.clone(), failed]), "failed");
    // Exports of one account continue each other, or a statement is missing between them.
    let [june, july] = [STATED, JULY].map(|rows| account("current", rows));
    assert_eq!(merged(&[june.clone(), july.clone()]), "verified");
    let after_gap = july.replace(",1300,", ",1700,").replace(",1000,,closing", ",1400,,closing");
    assert_eq!(merged(&[june.clone(), after_gap]), "discrepancy 2026-06-30 - 130000 170000 40000");
    // Some exports have balances at each record, some have opening and closing ones: what is between, nobody knows.
    let august = account("current", "K1,4,2026-08-01,,10,990,SHOP,\nK1,5,2026-08-02,,10,980,SHOP,\n");
    assert_eq!(merged(&[june, july, august]), "unverifiable");
}

#[test]
fn rows_out_of_order_are_known_where_an_order_is_declared() {
    let days = ["2026-06-01", "2026-06-20", "2026-06-02", "2026-06-03", "2026-06-03", "2026-06-09"];
    let rows = |customer: &str| {
        let row = |(at, day): (usize, &&str)| format!("{customer},{customer}{at},{day},{at},\n");
        days.iter().enumerate().map(row).collect::<String>()
    };
    let text = format!("customer,id,trans_date,credit,balance\n{}{}", rows("K1"), rows("K2"));
    let header = text.lines().next().expect("a header");
    let read =
        |order: &str| read_csv(text.as_bytes(), "table", &lagos(), &declared(order, header)).expect("statements");
    let counts = |read: &Statements| read.heads().iter().map(|head| head.quality.out_of_order).collect::<Vec<_>>();
    let declared = read("order = \"oldest_first\"");
    assert_eq!(counts(&declared), [Some(1), Some(1)]);
    let flags = declared.frame().column("flags").expect("flags").u32().expect("numbers");
    let marked: Vec<usize> = (0..flags.len())
        .filter(|row| flags.get(*row).is_some_and(|flags| flags & lendwright::statement::flag::OUT_OF_ORDER > 0))
        .collect();
    let ids = texts(&declared, "id");
    assert_eq!(marked.iter().map(|row| ids[*row].clone().expect("an id")).collect::<Vec<_>>(), ["K11", "K21"]);
    // A source without a declared order may list its records in any order.
    assert_eq!(counts(&read("")), [None, None]);
}

/// A statement with a balance after each record: per record the days since the last one, and the amount in minor units.
fn written(opening: i64, records: &[(i32, i64)]) -> Vec<(String, i64, i64)> {
    let (mut day, mut balance) = (20_600, opening);
    let row = |(days, amount): &(i32, i64)| {
        day += days;
        balance += amount;
        (lendwright::base::date::Day::from_days(day).to_string(), *amount, balance)
    };
    records.iter().map(row).collect()
}

fn csv(records: &[(String, i64, i64)]) -> String {
    let major =
        |minor: i64| format!("{}{}.{:02}", if minor < 0 { "-" } else { "" }, minor.abs() / 100, minor.abs() % 100);
    let row = |(at, (day, amount, balance)): (usize, &(String, i64, i64))| {
        let (credit, debit) =
            if *amount < 0 { (String::new(), major(-amount)) } else { (major(*amount), String::new()) };
        format!("K1,{at:03},{day},{credit},{debit},{},RECORD,\n", major(*balance))
    };
    records.iter().enumerate().map(row).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Any change by a major unit or more is found, except one that nothing can show: the amount of the first record,
    /// and the first record itself.
    #[test]
    fn a_statement_is_verified_and_any_change_of_it_is_found(
        opening in -1_000_000_i64..100_000_000,
        records in proptest::collection::vec((1_i32..9, prop_oneof![-9_000_000_i64..-99, 100_i64..9_000_000]), 3..40),
        at in any::<proptest::sample::Index>(),
        by in prop_oneof![-5_000_000_i64..=-100, 100_i64..5_000_000],
        change in 0_usize..3,
    ) {
        let records = written(opening, &records);
        prop_assert_eq!(verdict(&csv(&records)), "verified");
        let mut changed = records.clone();
        // The first record has no balance before it, and the last is needed by no other.
        let at = 1 + at.index(records.len() - 2);
        match change {
            0 => changed[at].1 += by,
            1 => changed[at].2 += by,
            _ => { changed.remove(at); }
        }
        let found = verdict(&csv(&changed));
        prop_assert!(found.starts_with("discrepancy"), "{} of {:?}: {}", change, records, found);
    }
}
