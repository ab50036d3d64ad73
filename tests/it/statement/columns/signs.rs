//! A minus before an amount: the effect of each declared rule, and when the statement shows that the rule is wrong.

use lendwright::base::date::Zone;
use lendwright::base::money::Currency;
use lendwright::statement::{Columns, Error, NegativeRule, Reading, Statements, read_csv, read_ndjson_table};

const SPLIT: &str =
    "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\ncredit = \"in\"\ndebit = \"out\"\nbalance = \"bal\"\n";
const TYPED: &str = "[columns]\ncustomer = \"acct\"\ntrans_date = \"date\"\namount = \"sum\"\ntype = \"dc\"\n\
    balance = \"bal\"\n\
    [type]\ncredit = [\"CR\"]\ndebit = [\"DR\"]\n";
const SPLIT_HEAD: &str = "acct,date,in,out,bal\n";
const TYPED_HEAD: &str = "acct,date,sum,dc,bal\n";

fn read(columns: &str, text: &str, negative: NegativeRule) -> Result<Statements, Error> {
    let zone = Zone::parse("Africa/Lagos").expect("Lagos");
    let reading = Reading { negative, ..Reading::new(Currency::from_numeric("566").expect("the naira"), zone) };
    read_csv(text.as_bytes(), "table", &reading, &Columns::parse(columns).expect("a columns file"))
}

fn sums(statements: &Statements) -> [i64; 2] {
    ["credit", "debit"]
        .map(|name| statements.frame().column(name).expect(name).i64().expect(name).iter().flatten().sum())
}

/// The result: money in and out in minor units, or words of the error.
type Wanted = Result<[i64; 2], &'static str>;

#[test]
fn a_minus_means_what_is_declared_and_what_the_balances_allow() {
    use NegativeRule::{Error, SameSide, SwapSides};
    let split = |rows: &str| (SPLIT, format!("{SPLIT_HEAD}{rows}"));
    let typed = |rows: &str| (TYPED, format!("{TYPED_HEAD}{rows}"));
    let purchases = split("K1,2026-03-07,500.00,,739.64\nK1,2026-03-08,,-5.00,734.64\nK1,2026-03-09,50.00,,784.64\n");
    let bare = split("K1,2026-03-07,500.00,,\nK1,2026-03-08,,-5.00,\nK1,2026-03-09,,-7.00,\n");
    let marked = typed("K1,2026-03-02,337.00,CR,\nK1,2026-03-05,-13.37,DR,\n");
    let reversal = split("K1,2026-03-07,500.00,,739.64\nK1,2026-03-08,,-5.00,744.64\nK1,2026-03-09,50.00,,794.64\n");
    let mixed = split("K1,2026-03-07,,5.00,\nK1,2026-03-08,,-5.00,\n");
    // The same day, with the newest row first: no row is after the one it follows from.
    let one_day = split("K1,2026-03-07,,-5.00,90.00\nK1,2026-03-07,,-5.00,95.00\nK1,2026-03-06,100.00,,100.00\n");
    let credit = split("K1,2026-03-07,-5.00,,95.00\nK1,2026-03-06,100.00,,100.00\n");
    let returned = typed("K1,2026-03-02,100.00,CR,100.00\nK1,2026-03-05,-13.37,CR,86.63\n");
    // The plain debit is a reversal, by its balance.
    let plain_reversal = split(
        "K1,2026-03-07,500.00,,500.00\nK1,2026-03-08,,-5.00,495.00\nK1,2026-03-09,,-200.00,295.00\n\
         K1,2026-03-10,,200.00,495.00\n",
    );
    let rounded = split(
        "K1,2026-03-01,500.00,,500.01\nK1,2026-03-02,,-5.00,495.00\nK1,2026-03-03,,-50.00,445.01\n\
         K1,2026-03-04,,30.00,415.01\n",
    );
    let both_ways = split(
        "K1,2026-03-01,500.00,,500.00\nK1,2026-03-02,,-5.00,495.00\nK1,2026-03-03,,-7.00,502.00\n\
         K1,2026-03-04,,30.00,472.00\n",
    );
    let credit_rises = split("K1,2026-03-06,100.00,,100.00\nK1,2026-03-07,-5.00,,105.00\n");
    let cases: [(&(&str, String), NegativeRule, Wanted); 23] = [
        (&plain_reversal, SameSide, Err("some debits have a minus and some have none")),
        (&rounded, SwapSides, Err("`swap_sides` contradicts the balances at 2")),
        (&both_ways, SwapSides, Err("others agree, so the minus means two things")),
        (&credit_rises, SwapSides, Err("no rule reads")),
        (&purchases, Error, Err("\"same_side\" if this bank writes its debits with a minus")),
        (&purchases, SameSide, Ok([55_000, 500])),
        (
            &purchases,
            SwapSides,
            Err("`swap_sides` contradicts the balances at 1 of the negative amounts, first on 2026-03-08"),
        ),
        (&bare, SameSide, Ok([50_000, 1_200])),
        (&bare, SwapSides, Err("every debit has a minus")),
        (&marked, Error, Err("column `sum`: `-13.37` is negative; declare `negative_amount`: \"same_side\"")),
        (&marked, SameSide, Ok([33_700, 1_337])),
        (&marked, SwapSides, Err("every debit has a minus")),
        (&reversal, SwapSides, Ok([55_500, 0])),
        (&reversal, SameSide, Err("`same_side` contradicts the balances")),
        (&mixed, SameSide, Err("some debits have a minus and some have none")),
        (&mixed, SwapSides, Ok([500, 500])),
        (&one_day, SameSide, Ok([10_000, 1_000])),
        (&one_day, SwapSides, Err("contradicts the balances at 1")),
        (&credit, Error, Err("\"swap_sides\"` if a negative credit is a debit")),
        (&credit, SwapSides, Ok([10_000, 500])),
        (&credit, SameSide, Err("is negative; declare")),
        (&returned, SwapSides, Ok([10_000, 1_337])),
        (&returned, SameSide, Err("is negative; declare")),
    ];
    for ((columns, text), rule, wanted) in cases {
        let found = read(columns, text, rule).map(|read| sums(&read)).map_err(|wrong| wrong.to_string());
        match (&found, wanted) {
            (Ok(found), Ok(wanted)) => assert_eq!(*found, wanted, "{text}{rule:?}"),
            (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{text}{rule:?}: {found}"),
            _ => panic!("{text}{rule:?}: {found:?}"),
        }
    }
}

#[test]
fn one_of_several_customers_is_named() {
    let rows = "K1,2026-03-07,100.00,,100.00\nK2,2026-03-07,50.00,,50.00\nK2,2026-03-08,,-5.00,45.00\n";
    let wrong =
        read(SPLIT, &format!("{SPLIT_HEAD}{rows}"), NegativeRule::SwapSides).expect_err("the balances say otherwise");
    assert!(wrong.to_string().starts_with("negative amounts: customer `K2`: `swap_sides` contradicts"), "{wrong}");
}

#[test]
fn a_columns_file_says_it_for_its_table() {
    let columns = format!("{SPLIT}[amount]\nnegative = \"same_side\"\n");
    let rows = format!("{SPLIT_HEAD}K1,2026-03-08,,-5.00,\n");
    let found = read(&columns, &rows, NegativeRule::SwapSides).map(|read| sums(&read));
    assert_eq!(found.expect("a statement"), [0, 500]);
    let zone = Zone::parse("Africa/Lagos").expect("Lagos");
    let reading = Reading::new(Currency::from_numeric("566").expect("the naira"), zone);
    let lines = br#"{"acct":"K1","date":"2026-03-08","in":null,"out":"-5.00","bal":null}"#;
    let columns = Columns::parse(&columns).expect("a columns file");
    assert_eq!(sums(&read_ndjson_table(lines, "lines", &reading, &columns).expect("a statement")), [0, 500]);
    let both = "[columns]\ncustomer = \"a\"\ntrans_date = \"d\"\namount = \"s\"\n[amount]\npositive = \"credit\"\n\
        negative = \"same_side\"\n";
    let wrong = Columns::parse(both).expect_err("two words for one thing");
    assert!(wrong.to_string().contains("both say what a minus means"), "{wrong}");
}
