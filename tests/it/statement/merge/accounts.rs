//! Several accounts of one customer, and overlapping exports, as one statement. `generated_accounts` measures generated
//! ones.

use std::collections::BTreeMap;

use lendwright::base::date::Day;
use lendwright::statement::{Columns, Merging, RecordParties, read_csv};
use proptest::prelude::*;

use crate::fixtures::campaign;
use crate::statement::*;

const HEADER: &str = "customer,account,id,trans_date,credit,debit,balance,desc\n";

const DECLARED: &str = r#"
[columns]
customer = "customer"
account = "account"
id = "id"
trans_date = "trans_date"
credit = "credit"
debit = "debit"
balance = "balance"
desc = "desc"
[amount]
unit = "minor"
"#;

/// A table whose columns file declares debits, so that a missing debit means none.
fn table(rows: &str) -> Statements {
    let columns = Columns::parse(DECLARED).expect("columns");
    read_csv(format!("{HEADER}{rows}").as_bytes(), "table", &lagos(), &columns).expect("statements")
}

/// A table with the product's own column names: amounts in naira, and only a debit shows that debits are listed.
fn plain(label: &str, header: &str, rows: &str) -> Statements {
    read_csv(format!("{header}\n{rows}").as_bytes(), label, &lagos(), &Columns::default()).expect("statements")
}

fn merge(parts: &[Statements]) -> Statements {
    Statements::merge(parts, &Merging::default()).expect("one statement a customer")
}

/// Day, credit, debit, balance.
type Left = (String, Option<i64>, Option<i64>, Option<i64>);

/// Movements, the index of their account, whether ids are listed, whether amounts of both sides may match.
type Part = (Vec<(i32, i64, bool, usize)>, usize, bool, bool);

/// The compared parts of each record.
fn left(statements: &Statements) -> Vec<Left> {
    let days = days(statements, "trans_date").into_iter().flatten();
    let amounts = numbers(statements, "credit").into_iter().zip(numbers(statements, "debit"));
    let rows = days.zip(amounts).zip(numbers(statements, "balance"));
    rows.map(|((day, (credit, debit)), balance)| (day, credit, debit, balance)).collect()
}

fn merged(statements: &Statements) -> lendwright::statement::Merged {
    *statements.heads()[0].quality.merged.clone().expect("counts of the merge")
}

#[test]
fn a_customers_accounts_are_statements_of_their_own_until_they_are_merged() {
    let read = table("c1,b,1,2026-10-02,5,,,x\nc1,a,1,2026-10-01,7,,,x\nc2,a,1,2026-10-01,9,,,x\n");
    let names = |read: &Statements| -> Vec<_> {
        read.heads().iter().map(|head| (head.customer.clone(), head.account.clone(), head.label.clone())).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        names(&read),
        [
            (some("c1"), some("a"), "table#a".into()),
            (some("c1"), some("b"), "table#b".into()),
            (some("c2"), some("a"), "table#a".into())
        ]
    );
    let one = merge(&[read]);
    assert_eq!(names(&one), [(some("c1"), None, "table".into()), (some("c2"), some("a"), "table#a".into())]);
    assert_eq!(numbers(&one, "credit"), [Some(7), Some(5), Some(9)]);
    assert_eq!(one.heads()[1].quality.merged, None);
    let columns = Columns::parse(DECLARED).expect("columns");
    let rows = "c1,a,1,2026-10-01,7,,,x\nc1,,2,2026-10-01,7,,,x\n";
    assert_eq!(
        read_csv(format!("{HEADER}{rows}").as_bytes(), "t", &lagos(), &columns).expect_err("half named").to_string(),
        "row 2, column `customer` (record `2`): some of the customer's records name an account and some do not: \
         nobody can tell whose the others are"
    );
}

#[test]
fn the_only_statement_of_a_customer_stays_as_it_is() {
    let read = table("c1,a,1,2026-10-01,7,,7,x\nc1,a,2,2026-10-01,,2,5,x\nc2,a,1,2026-10-01,9,,,x\n");
    let before = digests(&read);
    let one = merge(std::slice::from_ref(&read));
    assert_eq!(before, digests(&one));
    assert_eq!((one.heads(), digests(&one)), (read.heads(), digests(&read)));
    assert!(one.frame().equals_missing(read.frame()));
    assert!(merge(&[]).is_empty());
}

/// Earlier requests carry over, each to its own statement.
#[test]
fn digests_that_are_known_stay_with_their_statements() {
    let rows = |customer: &str, id: u32| format!("{customer},a,{id},2026-10-01,{id},,{id},x\n");
    let parts = || [table(&(rows("c3", 1) + &rows("c1", 2))), table(&(rows("c2", 3) + &rows("c1", 4)))];
    let (asked, unasked) = (parts(), parts());
    asked.iter().for_each(|part| assert_eq!(digests(part).len(), 2));
    let (asked, unasked) = (merge(&asked), merge(&unasked));
    assert_eq!(asked.len(), 3);
    assert_eq!(digests(&asked), digests(&unasked));
}

#[test]
fn a_record_in_two_exports_is_one_and_a_real_repeat_stays() {
    let header = "customer,trans_date,credit,desc";
    // The 2nd has two equal records in both exports; the 3rd one in the first export, two in the second.
    let january =
        "c1,2026-10-01,1,salt\nc1,2026-10-02,5,AIRTIME  refund\nc1,2026-10-02,5,airtime refund\nc1,2026-10-03,9,x\n";
    let february = "c1,2026-10-02,5,Airtime Refund\nc1,2026-10-02,5,Airtime Refund\nc1,2026-10-03,9,x\n\
        c1,2026-10-03,9,x\nc1,2026-10-04,2,y\n";
    let one = merge(&[plain("jan", header, january), plain("feb", header, february)]);
    let credits: Vec<_> = numbers(&one, "credit").into_iter().flatten().collect();
    assert_eq!(credits, [100, 500, 500, 900, 900, 200]);
    let counts = merged(&one);
    assert_eq!((counts.inputs, counts.accounts, counts.overlapping), (2, 1, 3));
    assert_eq!(one.heads()[0].label, "feb + jan");
}

#[test]
fn an_id_that_both_exports_have_is_one_record_or_a_mistake() {
    let header = "customer,id,trans_date,credit,desc";
    let first = plain("a.csv", header, "c1,1,2026-10-01,5,x\nc1,2,2026-10-02,5,x\nc1,3,2026-10-02,6,x\n");
    // Another record with the content of 2: its id makes it a different one.
    let second = plain("b.csv", header, "c1,2,2026-10-02,5, X \nc1,3,2026-10-02,6,x\nc1,4,2026-10-02,5,x\n");
    let one = merge(&[first.clone(), second]);
    assert_eq!(texts(&one, "id").into_iter().flatten().collect::<Vec<_>>(), ["1", "2", "3", "4"]);
    let wrong = plain("c.csv", header, "c1,1,2026-10-01,5,x\nc1,2,2026-10-02,5,x\nc1,3,2026-10-02,60,x\n");
    let said = Statements::merge(&[wrong, first.clone()], &Merging::default()).expect_err("one id, two records");
    assert_eq!(
        said.to_string(),
        "a.csv and c.csv have the same id `3` and differ in `credit`: one of them must be wrong, so neither is taken"
    );
    // Ids that count the lines of a file mean nothing: the records themselves are compared.
    let counted = plain("d.csv", header, "c1,1,2026-10-02,5,x\nc1,2,2026-10-02,6,x\nc1,3,2026-10-05,8,x\n");
    let one = merge(&[first, counted]);
    assert_eq!(numbers(&one, "credit"), [Some(500), Some(500), Some(600), Some(800)]);
    assert_eq!((merged(&one).accounts, merged(&one).id_conflicts), (1, 3));
}

#[test]
fn balances_tell_repeats_from_copies() {
    let first = table("c1,a,,2026-10-01,5,,5,x\nc1,a,,2026-10-01,5,,10,x\n");
    let second = table("c1,a,,2026-10-01,5,,10,x\nc1,a,,2026-10-01,5,,15,x\n");
    let one = merge(&[first.clone(), second]);
    assert_eq!(numbers(&one, "balance"), [Some(5), Some(10), Some(15)]);
    // If one of them lacks a balance, only their number remains as evidence; the record with a balance is kept.
    let without = table("c1,a,,2026-10-01,5,,,x\n");
    assert_eq!(numbers(&merge(&[without, first]), "balance"), [Some(5), Some(10)]);
}

/// Balances count as equal if they differ by less than a major unit: a hundred minor units of naira, one of yen.
#[test]
fn the_order_of_a_day_is_as_it_would_be_without_the_others() {
    let header = "customer,account,id,trans_date,credit,debit,balance";
    let yen = Reading::new(Currency::from_alphabetic("JPY").expect("yen"), lagos().zone);
    let export = |reading: &Reading, customer: &str, row: &str| {
        let rows = format!("{header}\n{customer},main,{row}\n");
        read_csv(rows.as_bytes(), row, reading, &Columns::default()).expect("a statement")
    };
    let of = |reading: &Reading, customer: &str| {
        ["1,2026-10-01,1000,,5050", "2,2026-10-01,2000,,4000"].map(|row| export(reading, customer, row))
    };
    let told = |parts: &[Statements], customer: &str| {
        let all = merge(parts);
        let head = all.heads().iter().position(|head| head.customer.as_deref() == Some(customer)).expect("a customer");
        (all.digest(head).expect("a digest"), texts(&all.of_customer(customer).expect("one"), "id"))
    };
    for (reading, customer, others) in [(&yen, "a", of(&lagos(), "b")), (&lagos(), "b", of(&yen, "a"))] {
        let alone = of(reading, customer);
        let beside = [&alone[..], &others[..]].concat();
        assert_eq!(told(&alone, customer), told(&beside, customer), "{customer}");
    }
}

#[test]
fn accounts_without_a_name_are_told_apart_by_what_they_share() {
    let header = "customer,trans_date,credit,debit,balance,desc";
    let current =
        plain("1", header, "c1,2026-10-01,100,,100,pay\nc1,2026-10-05,,4,96,fee\nc1,2026-10-20,7,,103,gift\n");
    let savings =
        plain("2", header, "c1,2026-10-01,50,,950,pay\nc1,2026-10-05,,4,946,fee\nc1,2026-10-21,7,,953,gift\n");
    assert_eq!(merged(&merge(&[current.clone(), savings])).accounts, 2);
    // The next month begins with the balance that this one ended with.
    let next = plain("3", header, "c1,2026-11-02,,3,100,fee\n");
    let one = merge(&[next, current.clone()]);
    assert_eq!((merged(&one).accounts, numbers(&one, "balance").len()), (1, 4));
    // Nothing shows whose this is: no total balance is invented.
    let other = plain("4", header, "c1,2026-11-02,,3,70,fee\n");
    let one = merge(&[other, current]);
    assert_eq!((merged(&one).accounts, numbers(&one, "balance")), (2, vec![None; 4]));
    assert_eq!(
        one.heads()[0].quality.warnings.last().map(String::as_str),
        Some(
            "2 statements that name no account share no day with others; nobody can tell whether they are of one \
             account"
        )
    );
}

#[test]
fn a_transfer_between_own_accounts_leaves_the_statement() {
    // 2026-10-30 is a Friday: two bank days later is Tuesday.
    let cases = [
        ("the same day", "a,,2026-10-30,,50", "b,,2026-10-30,50,", 1),
        ("over the weekend", "a,,2026-10-30,,50", "b,,2026-11-03,50,", 1),
        ("three bank days later", "a,,2026-10-30,,50", "b,,2026-11-04,50,", 0),
        ("before it was sent", "a,,2026-10-30,,50", "b,,2026-10-29,50,", 0),
        ("another amount", "a,,2026-10-30,,50", "b,,2026-10-30,51,", 0),
        ("the same account", "a,,2026-10-30,,50", "a,,2026-10-30,50,", 0),
        ("a record with both sides", "a,,2026-10-30,,50", "b,,2026-10-30,50,50", 0),
        ("two credits", "a,,2026-10-30,,50", "b,,2026-10-30,50,", 1),
    ];
    for (case, debit, credit, wanted) in cases {
        let twice = if case == "two credits" { format!("c1,{credit},,x\n") } else { String::new() };
        let one = merge(&[table(&format!(
            "c1,{debit},,x\nc1,{credit},,x\n{twice}c1,b,,2026-10-30,9,,,x\nc1,a,,2026-10-30,8,,,x\n"
        ))]);
        let records = 4 + usize::from(!twice.is_empty()) - 2 * wanted;
        assert_eq!((one.frame().height(), merged(&one).transfers_netted), (records, wanted as u64), "{case}");
    }
    let one = merge(&[table("c1,a,d7,2026-10-30,,50,,x\nc1,b,c7,2026-11-02,50,,,x\n")]);
    let transfer = &one.heads()[0].transfers[0];
    let told = [&transfer.from, &transfer.to, &transfer.debit_id, &transfer.credit_id]
        .map(|text| text.as_deref().unwrap_or("none"));
    assert_eq!(
        (told, transfer.amount, transfer.day.to_string(), transfer.arrived.to_string()),
        (["a", "b", "d7", "c7"], 50, "2026-10-30".into(), "2026-11-02".into())
    );
    assert_eq!((merged(&one).netted_amount, one.frame().height()), (50, 0));
    let none = table("c1,a,d7,2026-10-30,,50,,x\nc1,b,c7,2026-11-02,50,,,x\n")
        .merged(&Merging { transfer_days: 0, ..Merging::default() })
        .expect("a statement");
    assert_eq!(none.frame().height(), 2);
}

#[test]
fn of_several_the_nearest_is_the_transfer_unless_a_number_ties_another() {
    let rows = "c1,a,d1,2026-10-05,,50,,x\nc1,a,d2,2026-10-06,,50,,x\nc1,b,c1,2026-10-06,50,,,x\n";
    assert_eq!(merge(&[table(rows)]).heads()[0].transfers[0].debit_id.as_deref(), Some("d2"));
    let rows = "c1,a,d1,2026-10-05,,50,,NIP/0123456789\nc1,a,d2,2026-10-06,,50,,x\n\
        c1,b,c1,2026-10-06,50,,,from 0123456789 x\n";
    assert_eq!(merge(&[table(rows)]).heads()[0].transfers[0].debit_id.as_deref(), Some("d1"));
}

#[test]
fn amounts_that_meet_by_chance_are_no_transfers() {
    let mut rows = String::new();
    for day in 1..=28 {
        rows.push_str(&format!("c1,a,,2026-10-{day:02},,500,,POS\n"));
        if day % 3 == 0 {
            rows.push_str(&format!("c1,b,,2026-10-{day:02},500,,,gift\n"));
        }
    }
    let one = merge(&[table(&rows)]);
    let counts = merged(&one);
    assert_eq!((counts.transfers_netted, counts.transfers_unclear > 0, one.frame().height()), (0, true, 37));
    assert!(one.heads()[0].quality.warnings.iter().any(|warning| warning.contains("too frequent to tell")));
    // On the same days, with a number in both narrations, they are transfers.
    let tied: String = rows
        .lines()
        .map(|row| format!("{} 0000000{}\n", row, &row.replace('-', "")[7..14].trim_matches(',')))
        .collect();
    assert_eq!(merged(&merge(&[table(&tied)])).transfers_netted, 9);
}

/// Transfers found if a narration is the counterparty's name, and after `@` that of the account's holder.
fn netted(rows: &str) -> u64 {
    let named = |narration: Option<&str>, _: Option<&str>, _: bool| {
        let (other, own) = narration.map_or(("", ""), |text| text.split_once('@').unwrap_or((text, "")));
        let [other, own] = [other, own].map(|name| Some(name.trim().to_owned()).filter(|name| !name.is_empty()));
        RecordParties { other, own }
    };
    merged(&Statements::merge_knowing(&[table(rows)], &Merging::default(), &named).expect("a statement"))
        .transfers_netted
}

#[test]
fn names_on_both_sides_tie_when_they_are_the_customers_own() {
    // Three records name the account's holder; their amounts match no other.
    let said: String = [(1, "ada obi"), (2, "ngozi ada obi"), (3, "ada obi ngozi")]
        .map(|(at, holder)| format!("c1,a,s{at},2026-10-0{at},,9{at},,a shop @ {holder}\n"))
        .concat();
    let cases = [
        ("obi ada", "ada obi ngozi", 1, 1),
        // A friend is paid from one account and pays into another.
        ("emeka eze", "emeka eze", 0, 1),
        ("emeka obi", "emeka obi", 0, 1),
        // Cut within the name, or with words missing.
        ("ada ob", "ada obi", 1, 0),
        ("ada o", "ada obi", 1, 0),
        ("obi", "ada obi ngozi", 1, 0),
        ("obi", "obi", 1, 1),
        // A name-free narration may be the customer, and is nobody else.
        ("", "ada obi", 1, 1),
        ("", "", 1, 1),
        ("", "emeka eze", 0, 1),
        ("a shop", "", 0, 1),
        ("emeka eze", "ada obi", 0, 0),
    ];
    for (debit, credit, knowing, not_knowing) in cases {
        let rows = format!("c1,a,d,2026-10-05,,50,,{debit}\nc1,b,c,2026-10-06,50,,,{credit}\n");
        assert_eq!(netted(&format!("{said}{rows}")), knowing, "{debit} and {credit}, the holder's name known");
        assert_eq!(netted(&rows), not_knowing, "{debit} and {credit}, the holder's name not known");
    }
}

#[test]
fn a_name_that_mostly_goes_from_account_to_account_is_the_customers_own() {
    let pair = |at: usize, debit: &str, credit: &str| {
        let amount = 50 + at;
        format!("c1,a,d{at},2026-10-{at:02},,{amount},,{debit}\nc1,b,c{at},2026-10-{at:02},{amount},,,{credit}\n")
    };
    let own: String = (1..=3).map(|at| pair(at, "ada obi", "obi ada")).collect();
    let friend = pair(9, "emeka eze", "emeka eze");
    assert_eq!(netted(&format!("{own}{friend}")), 3);
    // If most payments to a name do not arrive, its owner is unknown, and each pair is judged alone.
    let more: String = (1..=8).map(|at| format!("c1,a,m{at},2026-10-{at:02},,9{at},,ada obi\n")).collect();
    assert_eq!(netted(&format!("{own}{more}{friend}")), 4);
}

#[test]
fn a_balance_is_that_of_all_accounts_or_of_none() {
    let rows = "c1,a,,2026-10-01,10,,110,x\nc1,b,,2026-10-02,,5,45,x\nc1,a,,2026-10-03,,20,90,t\n\
        c1,b,,2026-10-03,20,,65,t\nc1,a,,2026-10-04,1,,91,x\n";
    // 100 + 50 at first; the transfer is dropped, and its records with it.
    assert_eq!(numbers(&merge(&[table(rows)]), "balance"), [Some(160), Some(155), Some(156)]);
    let without = rows.replace(",45,x", ",,x").replace(",65,t", ",,t");
    let one = merge(&[table(&without)]);
    assert_eq!(numbers(&one, "balance"), [None; 3]);
    assert_eq!(
        one.heads()[0].quality.warnings,
        ["1 of 2 accounts have no balances; the balance of all accounts is not known"]
    );
    // An account that begins months later was not seen before, and one that ends is not known for ever.
    let late =
        "c1,a,,2026-01-01,10,,110,x\nc1,b,,2026-06-02,,5,45,x\nc1,a,,2026-06-03,1,,111,x\nc1,a,,2026-10-04,1,,112,x\n";
    let one = merge(&[table(late)]);
    assert_eq!(numbers(&one, "balance"), [None, Some(155), Some(156), None]);
    assert_eq!(one.heads()[0].quality.warnings.len(), 2);
}

#[test]
fn debits_are_known_where_every_account_lists_them() {
    let header = "customer,account,trans_date,credit,debit";
    let both = plain("both", header, "c1,a,2026-10-01,,5\nc1,b,2026-10-01,,6\n");
    let one = merge(&[both]);
    assert_eq!((one.heads()[0].shows_debits, one.heads()[0].lacks_debits), (true, false));
    let half = plain("half", header, "c1,a,2026-10-01,,5\nc1,b,2026-10-01,6,\n");
    let one = merge(&[half]);
    assert_eq!((one.heads()[0].shows_debits, one.heads()[0].lacks_debits), (false, true));
    assert_eq!(
        one.heads()[0].quality.warnings,
        ["1 of 2 accounts list no debits; debits of all accounts are not known"]
    );
    // A debit of 0 is no debit.
    let zero = merge(&[plain("zero", header, "c1,a,2026-10-01,,5\nc1,b,2026-10-01,6,0\n")]);
    assert_eq!((zero.heads()[0].shows_debits, zero.heads()[0].lacks_debits), (false, true));
    let none = merge(&[plain("none", header, "c1,a,2026-10-01,5,\nc1,b,2026-10-01,6,\n")]);
    assert_eq!((none.heads()[0].shows_debits, none.heads()[0].lacks_debits), (false, false));
}

#[test]
fn many_equal_records_are_no_more_work_than_others() {
    let row = |account: &str, at: usize, sides: &str| {
        format!("c1,{account},{account}{at},2026-10-{:02},{sides},,x\n", at % 28 + 1)
    };
    let count = campaign::size(4_000, 20_000);
    let rows: String =
        (0..count).flat_map(|at| [row("a", at, ",5"), row("b", at, "5,"), row("b", at + count, ",5")]).collect();
    let one = merge(&[table(&rows)]);
    assert_eq!(one.frame().height() + 2 * merged(&one).transfers_netted as usize, 3 * count);
    let parts = [table(&rows.replace("c1,b,", "c1,a,")), table(&rows.replace("c1,b,", "c1,a,"))];
    assert_eq!(merge(&parts).frame().height(), 3 * count);
}

/// Records of one account: day, minor units, whether a credit, a word. Amounts of the two sides never match, so that
/// nothing is a transfer.
fn movements() -> impl Strategy<Value = Vec<(i32, i64, bool, usize)>> {
    proptest::collection::vec((0_i32..12, 1_i64..6, any::<bool>(), 0_usize..2), 1..40).prop_map(|mut movements| {
        movements.sort_by_key(|movement| movement.0);
        movements
            .iter()
            .map(|(day, amount, credit, word)| (*day, amount * 2 + i64::from(*credit), *credit, *word))
            .collect()
    })
}

/// Rows of a table with running balances from 1,000 on.
fn rows(account: &str, fresh: Option<&str>, movements: &[(i32, i64, bool, usize)], balances: bool) -> Vec<String> {
    let mut balance = 1_000;
    let of_one = |(at, (day, amount, credit, word)): (usize, &(i32, i64, bool, usize))| {
        balance += if *credit { *amount } else { -amount };
        let day = Day::from_days(20_700 + day);
        let sides = if *credit { format!("{amount},") } else { format!(",{amount}") };
        let shown = if balances { balance.to_string() } else { String::new() };
        let id = fresh.map(|mark| format!("{mark}{at:03}")).unwrap_or_default();
        format!("c1,{account},{id},{day},{sides},{shown},{}\n", ["rent", "food"][*word])
    };
    movements.iter().enumerate().map(of_one).collect()
}

fn sums(statements: &Statements) -> (usize, i64, i64) {
    let sum = |column: &str| numbers(statements, column).into_iter().flatten().sum();
    (statements.frame().height(), sum("credit"), sum("debit"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn exports_that_overlap_make_the_statement_that_they_are_of(
        movements in movements(), cuts in (0_usize..40, 0_usize..40),
        fresh in any::<bool>(), balances in any::<bool>(), swap in any::<bool>(),
    ) {
        let (low, high) = (cuts.0.min(cuts.1).min(movements.len()), cuts.0.max(cuts.1).min(movements.len()));
        let whole = rows("a", Some("x"), &movements, balances);
        let renamed = rows("a", Some("y"), &movements, balances);
        let second = if fresh { &renamed } else { &whole };
        // Without common ids, only whole days can be distinguished from parts of days.
        let day = |at: usize| movements.get(at).map(|movement| movement.0);
        let whole_days = |at: usize| (0..=at).rev().find(|at| *at == 0 || day(*at) != day(at - 1)).unwrap_or(0);
        let (low, high) = if fresh || low == high { (whole_days(low), whole_days(high)) } else { (low, high) };
        let mut parts = vec![table(&whole[..high].concat()), table(&second[low..].concat())];
        if swap {
            parts.reverse();
        }
        let (one, alone) = (merge(&parts), table(&whole.concat()));
        prop_assert_eq!(sums(&one), sums(&alone));
        if balances {
            let sorted = |statements: &Statements| { let mut all = left(statements); all.sort(); all };
            prop_assert_eq!(sorted(&one), sorted(&alone));
        }
    }

    #[test]
    fn accounts_together_hold_what_they_hold_apart(
        movements in movements(), mask in proptest::collection::vec(any::<bool>(), 40),
    ) {
        let on_side = |side: bool| -> Vec<_> {
            movements.iter().zip(&mask).filter(|(_, mask)| **mask == side).map(|(one, _)| *one).collect()
        };
        let (first, second) = (on_side(true), on_side(false));
        let first_table = table(&rows("a", Some("x"), &first, true).concat());
        let second_table = table(&rows("b", Some("y"), &second, true).concat());
        let one = merge(&[first_table, second_table]);
        let alone = table(&rows("a", Some("x"), &movements, true).concat());
        prop_assert_eq!(sums(&one), sums(&alone));
        // At the end of each day the accounts have 1,000 each and what came since.
        if !first.is_empty() && !second.is_empty() {
            let closing = |statements: &Statements| -> BTreeMap<String, Option<i64>> {
                left(statements).into_iter().map(|(day, .., balance)| (day, balance)).collect()
            };
            let mut more = closing(&alone);
            more.values_mut().for_each(|balance| *balance = balance.map(|balance| balance + 1_000));
            prop_assert_eq!(closing(&one), more);
        }
    }

    #[test]
    fn the_order_of_the_inputs_does_not_matter(
        parts in proptest::collection::vec((movements(), 0_usize..3, any::<bool>(), any::<bool>()), 1..5)
            .prop_flat_map(|parts| (Just(parts.clone()), Just(parts).prop_shuffle()))
    ) {
        let read = |parts: &[Part]| {
            let parts: Vec<Statements> = parts.iter().map(|(movements, account, ids, transfers)| {
                let account = ["a", "b", ""][*account];
                let halved = |amount: i64| if *transfers { amount / 2 } else { amount };
                let movements: Vec<_> = movements
                    .iter()
                    .map(|(day, amount, credit, word)| (*day, halved(*amount), *credit, *word))
                    .collect();
                table(&rows(account, ids.then_some("x"), &movements, *ids).concat())
            }).collect();
            Statements::merge(&parts, &Merging::default())
        };
        match (read(&parts.0), read(&parts.1)) {
            (Ok(one), Ok(other)) => {
                prop_assert_eq!((one.heads(), digests(&one)), (other.heads(), digests(&other)));
                prop_assert!(one.frame().equals_missing(other.frame()));
            }
            (one, other) => prop_assert_eq!(one.map(|_| ()), other.map(|_| ())),
        }
    }
}
