//! Narrations written by hand, and the verdicts of the shipped rules on each record: cases that the generator does not
//! write.

use std::collections::BTreeMap;

use chrono::{Datelike, Days, Months, NaiveDate};
use lendwright::{Policy, compile, load_policy};
use serde::Deserialize;

use super::{counted, root, told};

#[derive(Deserialize)]
struct File {
    statement: Vec<Written>,
}

/// A statement with the verdict of each record, of a market whose word lists the policy uses besides.
#[derive(Deserialize)]
struct Written {
    is: String,
    market: Option<String>,
    records: Vec<(String, i64, String, String)>,
}

/// The verdicts, by the metrics of testdata/rules/detected.toml; pay and bonuses are income too.
const VERDICTS: [(&str, &str); 9] = [
    ("told_salary", "pay"),
    ("told_bonus", "bonus"),
    ("told_loan_proceeds", "loan"),
    ("told_winnings", "winnings"),
    ("told_reversal", "reversal"),
    ("told_refund", "refund"),
    ("told_own_transfer", "own"),
    ("told_repayment", "repayment"),
    ("told_stake", "stake"),
];

/// What a verdict may add behind a colon, as in `income: gift`, by metric.
const FINER: [(&str, &str); 3] = [("told_gift", "gift"), ("told_sale", "sale"), ("told_returned", "returned")];

/// The days of `2026-01-28 x9` and `2026-01-05 x6/11`.
fn days(when: &str) -> Vec<NaiveDate> {
    let (first, rest) = when.split_once(" x").unwrap_or((when, "1"));
    let (times, every) = rest.split_once('/').unwrap_or((rest, ""));
    let first: NaiveDate = first.parse().expect("a day");
    let times: u32 = times.parse().expect("how often");
    let day = |time: u32| match every.parse::<u64>() {
        Ok(every) => first + Days::new(every * u64::from(time)),
        Err(_) => first + Months::new(time),
    };
    (0..times).map(day).collect()
}

/// The statement as a table, with the expected verdict of each record.
fn table(written: &Written) -> (Vec<u8>, BTreeMap<String, (String, String)>) {
    let mut rows = Vec::new();
    for (when, naira, narration, verdict) in &written.records {
        for (time, day) in days(when).into_iter().enumerate() {
            let month = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
                [day.month0() as usize];
            let number = 771_023 + 977 * time;
            let text = narration
                .replace("{M}", month)
                .replace("{Y}", &day.year().to_string())
                .replace("{n}", &number.to_string());
            rows.push((day, *naira, text, verdict.clone()));
        }
    }
    rows.sort_by_key(|row| row.0);
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["customer", "id", "trans_date", "credit", "debit", "desc"]).expect("memory");
    let mut wanted = BTreeMap::new();
    for (place, (day, naira, text, verdict)) in rows.into_iter().enumerate() {
        let (credit, debit) =
            if naira > 0 { (naira.to_string(), String::new()) } else { (String::new(), (-naira).to_string()) };
        let id = format!("r{place:03}");
        table.write_record(["c", &id, &day.to_string(), &credit, &debit, &text]).expect("memory");
        wanted.insert(id, (text, verdict));
    }
    (table.into_inner().expect("memory"), wanted)
}

/// testdata/rules/detected.toml, with the word lists of a market.
fn policy_of(market: &str) -> Policy {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).map_err(|error| error.to_string());
    let used = format!("\"metrics.toml\", \"words/{market}.toml\"");
    let rules = read("testdata/rules/detected.toml").expect("the file").replace("\"../../rules/metrics.toml\"", &used);
    let mut shipped = |name: &str| read(&format!("rules/{name}"));
    compile("detected.toml", &rules, &mut shipped, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn statements(file: &str) -> Vec<Written> {
    let text = std::fs::read_to_string(root().join("testdata/rules").join(file)).expect("the file");
    toml::from_str::<File>(&text).expect("TOML").statement
}

#[test]
fn records_written_by_hand_are_told_right() {
    let policy = load_policy(root().join("testdata/rules/detected.toml"), &[]).expect("the policy");
    let wrong: String = statements("verdicts.toml").iter().map(|written| mistakes(&policy, written)).collect();
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn records_of_other_markets_are_told_right() {
    let mut policies: BTreeMap<String, Policy> = BTreeMap::new();
    let mut wrong = String::new();
    for written in statements("verdicts-markets.toml") {
        let market = written.market.clone().expect("a market");
        let policy = policies.entry(market).or_insert_with_key(|market| policy_of(market));
        wrong += &mistakes(policy, &written);
    }
    assert_eq!(policies.len(), 6, "a policy a market");
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Where a policy says something else of a statement's records than what is written, one line each.
fn mistakes(policy: &Policy, written: &Written) -> String {
    let mut wrong = String::new();
    let (table, wanted) = table(written);
    let told = told(policy, &table).remove(0);
    let mut said: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (metric, verdict) in VERDICTS {
        counted(&told, metric).into_iter().for_each(|id| said.entry(id).or_default().push(verdict));
    }
    for id in counted(&told, "told_income") {
        let said = said.entry(id).or_default();
        if !matches!(said[..], ["pay"] | ["bonus"]) {
            said.push("income");
        }
    }
    let finer = FINER.map(|(metric, word)| (counted(&told, metric), word));
    let mut seen = Vec::new();
    for (id, (narration, verdict)) in &wanted {
        let mut said = said.get(&**id).map_or_else(|| "-".to_owned(), |said| said.join(" and "));
        if verdict.contains(':') {
            let finer = finer.iter().filter(|(ids, _)| ids.contains(&&**id)).map(|(_, word)| *word);
            said += &format!(": {}", finer.collect::<Vec<_>>().join(" and "));
        }
        if said != *verdict && !seen.contains(&(narration, said.clone())) {
            wrong += &format!("{}: {narration}: {said}, not {verdict}\n", written.is);
            seen.push((narration, said));
        }
    }
    wrong
}
