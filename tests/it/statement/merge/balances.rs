//! The total balance of a customer's accounts, where money moves between them.

use std::collections::BTreeMap;

use lendwright::base::date::Day;
use lendwright::generate::{Customer, Options};
use lendwright::statement::{Columns, Merging, read_csv, read_json};
use lendwright::{decision, load_policy};
use proptest::prelude::*;

use crate::statement::*;

const HEADER: &str = "customer,account,id,trans_date,credit,debit,balance,desc\n";

/// The accounts of a table as one statement; amounts are in naira there.
fn merged(rows: &str) -> Statements {
    let read = read_csv(format!("{HEADER}{rows}").as_bytes(), "table", &lagos(), &Columns::default());
    read.and_then(|read| read.merged(&Merging::default())).expect("one statement")
}

/// The records that stay, each with the total balance in naira.
fn balances(merged: &Statements) -> Vec<(String, i64)> {
    let ids = texts(merged, "id").into_iter().map(|id| id.expect("an id"));
    ids.zip(numbers(merged, "balance")).map(|(id, balance)| (id, balance.expect("a balance") / 100)).collect()
}

/// How many balances do not follow from the one before.
fn breaks(merged: &Statements) -> usize {
    let [credits, debits, balances] = ["credit", "debit", "balance"].map(|column| numbers(merged, column));
    let follows = |at: usize| match (balances[at - 1], balances[at]) {
        (Some(before), Some(after)) => after == before + credits[at].unwrap_or(0) - debits[at].unwrap_or(0),
        _ => false,
    };
    (1..balances.len()).filter(|at| !follows(*at)).count()
}

#[test]
fn money_between_two_accounts_is_counted_once_whatever_stands_between_its_two_sides() {
    let cases = [
        (
            "a purchase after the money has left",
            "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,B,b1,2026-01-01,10,,10,GIFT\nC1,A,a2,2026-01-05,,900,100,\n\
             C1,A,a3,2026-01-05,,7,93,POS\n\
             C1,B,b2,2026-01-05,900,,910,\nC1,A,a4,2026-01-20,5,,98,GIFT\nC1,B,b4,2026-01-20,5,,915,GIFT\n",
            &[("a1", 1_000), ("b1", 1_010), ("a3", 1_003), ("a4", 1_008), ("b4", 1_013)][..],
        ),
        (
            "money that comes before it leaves",
            "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,A,a0,2026-01-02,,1,999,POS\nC1,B,b1,2026-01-01,950,,950,GIFT\n\
             C1,B,b0,2026-01-02,,1,949,POS\n\
             C1,A,a2,2026-01-05,900,,1899,\nC1,B,b2,2026-01-05,5,,954,GIFT\nC1,B,b3,2026-01-05,,900,54,\n",
            &[("a1", 1_000), ("b1", 1_950), ("a0", 1_949), ("b0", 1_948), ("b2", 1_953)],
        ),
        (
            "money on its way over the day's end",
            "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,B,b1,2026-01-01,10,,10,GIFT\nC1,A,a2,2026-01-05,,900,100,\n\
             C1,A,a3,2026-01-05,,7,93,POS\n\
             C1,B,b2,2026-01-06,900,,910,\nC1,A,a4,2026-01-20,5,,98,GIFT\n",
            &[("a1", 1_000), ("b1", 1_010), ("a3", 1_003), ("a4", 1_008)],
        ),
        (
            "an overdraft that only one account sees",
            "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,A,a2,2026-01-05,,1000,0,\nC1,A,a3,2026-01-05,,1,-1,FEE\n\
             C1,A,a4,2026-01-08,50,,49,GIFT\n\
             C1,B,b1,2026-01-01,10,,10,GIFT\nC1,B,b0,2026-01-01,,5,5,POS\nC1,B,b2,2026-01-05,1000,,1005,\n",
            &[("a1", 1_000), ("b1", 1_010), ("b0", 1_005), ("a3", 1_004), ("a4", 1_054)],
        ),
    ];
    for (case, rows, wanted) in cases {
        let one = merged(rows);
        let mut got = balances(&one);
        // The order of two accounts within a day is arbitrary; the day's end is not.
        let by_day = |rows: &[(String, i64)]| -> BTreeMap<Option<String>, i64> {
            days(&one, "trans_date").into_iter().zip(rows.iter().map(|row| row.1)).collect()
        };
        assert_eq!(breaks(&one), 0, "{case}: {got:?}");
        let wanted: Vec<(String, i64)> = wanted.iter().map(|(id, balance)| ((*id).to_owned(), *balance)).collect();
        assert_eq!(by_day(&got), by_day(&wanted), "{case}");
        got.sort_unstable();
        let ids =
            |rows: &[(String, i64)]| rows.iter().map(|row| row.0.clone()).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(ids(&got), ids(&wanted), "{case}");
    }
}

#[test]
fn the_last_record_of_a_day_has_what_the_accounts_hold_at_its_end() {
    // A charge of 3 that no record shows appears in the balance after the transfer, which is dropped.
    let one = merged(
        "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,B,b1,2026-01-01,10,,10,GIFT\nC1,B,b2,2026-01-05,,2,8,POS\n\
         C1,A,a2,2026-01-05,,900,97,NIP 0123456789\nC1,B,b3,2026-01-05,900,,908,NIP 0123456789\n",
    );
    assert_eq!(balances(&one).last().map(|(id, balance)| (id.as_str(), *balance)), Some(("b2", 97 + 908)));
}

#[test]
fn money_that_moves_never_makes_a_sum_that_is_not_known() {
    let one = merged(
        "C1,A,a1,2026-01-01,1000,,1000,SALARY\nC1,B,b1,2026-01-01,10,,10,GIFT\n\
         C1,A,a2,2026-01-05,,900,,NIP 0123456789\n\
         C1,A,a3,2026-01-06,,7,93,POS\nC1,B,b2,2026-01-05,900,,910,NIP 0123456789\nC1,B,b3,2026-01-05,,1,909,POS\n",
    );
    let unknown: Vec<bool> = numbers(&one, "balance").iter().map(Option::is_none).collect();
    assert_eq!(unknown, [false, false, true, false], "A's balance after the transfer is not told until the 6th");
    assert_eq!(numbers(&one, "balance").last(), Some(&Some(100_200)));
}

#[test]
fn generated_customers_have_balances_that_follow_and_close_with_all_that_they_have() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml");
    let policy = load_policy(path, &[]).expect("a policy");
    let mut netted = 0;
    for seed in 0..40 {
        let options = Options {
            accounts: 2 + (seed % 3) as u32,
            records: 60 + 10 * seed,
            overlap: seed % 4 == 3,
            debits: true,
            noise: 0.0,
            ..Options::default()
        };
        let customer = Customer::new(seed, seed, &options).expect("a customer");
        let mut parts = Vec::new();
        for plan in customer.statements() {
            let mut body = Vec::new();
            plan.write_json(&mut body).expect("a statement");
            parts.push(read_json(&body, &plan.suffix(), &lagos()).expect("a statement"));
        }
        let one = decision::merge(&policy, &parts, &Merging::default()).expect("one statement");
        let counts = one.heads()[0].quality.merged.clone().expect("counts of the merge");
        assert_eq!(counts.accounts, u64::from(options.accounts), "seed {seed}");
        netted += counts.transfers_netted;
        assert_eq!(breaks(&one), 0, "seed {seed}");
        if !options.overlap {
            let closing = |part: &Statements| numbers(part, "balance").last().copied().flatten();
            let all: Option<i64> = parts.iter().map(closing).sum();
            assert_eq!(closing(&one), all, "seed {seed}");
        }
    }
    assert!(netted > 400, "{netted} transfers");
}

/// The event of a day: money in or out of one of two accounts, or from one to the other with a delay in days.
#[derive(Clone, Copy, Debug)]
enum Moves {
    In(usize, i64),
    Out(usize, i64),
    Over { from: usize, amount: i64, days: i32, late: bool },
}

fn moves() -> impl Strategy<Value = Vec<(i32, Moves)>> {
    let one =
        prop_oneof![
            (0_usize..2, 1_i64..500).prop_map(|(account, amount)| Moves::In(account, 2 * amount)),
            (0_usize..2, 1_i64..500).prop_map(|(account, amount)| Moves::Out(account, 2 * amount + 1)),
            (0_usize..2, 5_000_i64..9_000, 0_i32..2, any::<bool>())
                .prop_map(|(from, amount, days, late)| Moves::Over { from, amount, days, late }),
        ];
    proptest::collection::vec((1_i32..15, one), 1..40)
}

/// A side: when, whether late in the day, its amount, its narration.
type Side = (i32, usize, i64, String);

/// The rows of both accounts, each from 1,000,000 on.
fn rows(moves: &[(i32, Moves)]) -> String {
    let mut sides: [Vec<Side>; 2] = [const { Vec::new() }; 2];
    for (account, sides) in sides.iter_mut().enumerate() {
        sides.push((0, 0, 1 + account as i64, "open".to_owned()));
    }
    for (at, (day, moves)) in moves.iter().enumerate() {
        match *moves {
            Moves::In(account, amount) => sides[account].push((*day, at, amount, "gift".to_owned())),
            Moves::Out(account, amount) => sides[account].push((*day, at, -amount, "rent".to_owned())),
            Moves::Over { from, amount, days, late } => {
                let text = format!("NIP {:010}", 1_000_000_000 + at);
                sides[from].push((*day, at + if late { 100 } else { 0 }, -amount, text.clone()));
                sides[1 - from].push((day + days, at, amount, text));
            }
        }
    }
    let mut rows = String::new();
    for (name, mut sides) in ["first", "second"].into_iter().zip(sides) {
        sides.sort();
        let mut balance = 1_000_000;
        for (at, (day, _, amount, text)) in sides.into_iter().enumerate() {
            balance += amount;
            let day = Day::from_days(20_700 + day);
            let sides = if amount > 0 { format!("{amount},") } else { format!(",{}", -amount) };
            rows.push_str(&format!("c1,{name},{name}{at:03},{day},{sides},{balance},{text}\n"));
        }
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn own_transfers_never_show_in_the_balances(moves in moves()) {
        let one = merged(&rows(&moves));
        let over = moves.iter().filter(|(_, moves)| matches!(moves, Moves::Over { .. })).count();
        prop_assert_eq!(one.heads()[0].transfers.len(), over);
        prop_assert_eq!(breaks(&one), 0);
        let closing: BTreeMap<Option<String>, i64> =
            days(&one, "trans_date").into_iter().zip(balances(&one).into_iter().map(|(_, balance)| balance)).collect();
        for (day, balance) in closing {
            let so_far = moves.iter().filter(|(at, _)| Some(Day::from_days(20_700 + at).to_string()) <= day);
            let change: i64 = so_far.map(|(_, moves)| match moves {
                Moves::In(_, amount) => *amount,
                Moves::Out(_, amount) => -amount,
                Moves::Over { .. } => 0,
            }).sum();
            prop_assert_eq!(balance, 2_000_003 + change, "{:?}", day);
        }
    }
}
