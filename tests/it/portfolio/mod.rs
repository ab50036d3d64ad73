//! Many customers under one policy or two: `metrics` as a table, `backtest`, `sweep`, `learn`, `nearest`, as people
//! run them.

mod arms;
mod backtest;
mod labels;
mod learning;
mod learning_choices;
mod loans;
mod metrics_table;
mod nearest;
mod outcome_columns;
mod own_tables;
mod parquet_columns;
mod performance;
mod proposed_words;
mod statistics;
mod sweep;

use serde_json::Value;

use crate::fixtures::desk::{Desk, Said};

/// A policy with a score, a table and parameters that declare their ranges.
const POLICY: &str = r#"
[policy]
name = "shop"
version = "1"
currency = "566"
statement_unit = "major"
time_zone = "Africa/Lagos"
tenure_unit = "days"

[parameters]
least_income = { value = 300_000, min = 100_000, max = 900_000, unit = "money" }
least_score = { value = 20, min = 0, max = 60 }
share = { value = 0.1, min = 0.05, max = 0.5 }
step = { value = 500, unit = "money" }

[metric]
income = "SUM(credit)"
payments = "COUNT(*)"
largest = "MAX(credit)"
largest_share = "largest / income"
constant = "0 * COUNT(*)"
chance = "1 / (1 + EXP(score / 20))"

[[require]]
id = "INCOME"
title = "enough income"
when = "income >= $least_income"
unknown = "refer"
reason = "{income} is too little"

[[require]]
id = "SCORE"
when = "score >= $least_score"
else = "refer"
unknown = "refer"
reason = "{score} points"

[score]
base = 5
[[score.item]]
on = "payments"
points = [["< 20", 0], ["20..35", 10], [">= 35", 30]]
[[score.item]]
on = "largest_share"
points = [["< 0.2", 20], [">= 0.2", 0], ["unknown", 0]]

[table.grade]
hit = "first"
inputs = ["score"]
outputs = { grade = "text", cap = "money" }
rows = [[">= 50", "A", 90_000], [">= 25", "B", 50_000], ["-", "C", 20_000]]

[[offer]]
id = "o"
tenure = [30, 60]
amount = "round_down(LEAST(cap, income * $share), $step)"
interest = 5
"#;

/// Forty people with one statement each, and the table of their metrics.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("old.toml", POLICY);
    desk.write("new.toml", &POLICY.replace("[\">= 35\", 30]", "[\">= 35\", 25]").replace("300_000", "350_000"));
    for (records, seed, folder) in [("15", "1", "a"), ("30", "2", "b"), ("40", "3", "c"), ("60", "4", "d")] {
        let more = ["--records", records, "--seed", seed, "--format", "parquet", "--out", folder];
        done(&desk, &[&["generate", "--statements", "10"][..], &more].concat());
    }
    done(&desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "book.parquet"]);
    desk
}

const A: &str = "a/statements.parquet";
const B: &str = "b/statements.parquet";
const C: &str = "c/statements.parquet";
const D: &str = "d/statements.parquet";

fn done(desk: &Desk, arguments: &[&str]) -> Said {
    let said = desk.run(arguments);
    assert_eq!(said.status, 0, "{arguments:?}: {}", said.err);
    said
}

fn failed(desk: &Desk, arguments: &[&str]) -> String {
    let said = desk.run(arguments);
    assert_ne!(said.status, 0, "{arguments:?}: {}", said.out);
    said.err
}

fn json(said: &Said) -> Value {
    serde_json::from_str(&said.out).unwrap_or_else(|error| panic!("{error}: {}", said.out))
}

/// Outcomes and attributes; every third customer has no outcome.
fn outcomes(desk: &Desk) {
    done(desk, &["metrics", "--policy", "old.toml", "--as-of", "2026-10-31", A, B, C, D, "--out", "all.csv"]);
    let all = desk.read("all.csv");
    let (header, rows) = all.split_once('\n').expect("a header");
    let payments = header.split(',').position(|name| name == "payments").expect("a column");
    let people: Vec<(String, u32)> = rows
        .lines()
        .map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            (cells[0].to_owned(), cells[payments].parse().expect("a count"))
        })
        .collect();
    let mut table = "customer,bad,loan_date,bad_date,observed_until,amount\n".to_owned();
    for (at, (name, payments)) in people.iter().enumerate().filter(|(at, _)| at % 3 != 2) {
        // Few payments go with bad loans, but not always.
        let bad = u8::from((*payments < 32) != (at % 5 == 0));
        let bad_date = if bad == 1 { "2026-03-15" } else { "" };
        table += &format!("{name},{bad},2026-0{}-10,{bad_date},2026-09-30,{}\n", 1 + at % 2, 10_000 + at * 100);
    }
    desk.write("loans.csv", &table);
    let attributes =
        people.iter().enumerate().map(|(at, (name, _))| format!("{name},{}\n", ["north", "south"][at % 2]));
    desk.write("people.csv", &format!("customer,region\n{}", attributes.collect::<String>()));
}
