//! How right the shipped rules are on whole statements: money with a known kind, what errors cost and whom, income by
//! size and by kind of earner, outcomes from week to week, and what a longer statement buys. The tables of
//! docs/explanation/accuracy.md are measured here, on people of a seed that had no part in writing the rules.

mod friends;
mod income;
mod money;
mod time;

use std::collections::HashMap;

use lendwright::generate::{Options, Plan, Profile, csv_header, labels_header};
use lendwright::statement::{Columns, Statements, read_csv};
use lendwright::{Policy, decision, load_policy};

use super::root;
use crate::fixtures::campaign;

/// These people were not looked at while rules were written. Take another seed if they ever are.
const SEED: u64 = 731_990;
/// The last day of all statements.
const END: &str = "2026-10-31";

/// What the generator says of a record.
struct Truth {
    label: String,
    /// The day, written `2026-10-31`.
    day: String,
    credit: i64,
    debit: i64,
}

impl Truth {
    fn is_income(&self) -> bool {
        let others = ["loan_proceeds", "betting_win", "reversal", "refund", "own_transfer"];
        self.credit > 0 && !others.contains(&&*self.label)
    }
}

struct Person {
    customer: String,
    profile: Profile,
    /// By identifier.
    truth: HashMap<String, Truth>,
}

impl Person {
    fn income(&self) -> i64 {
        self.truth.values().filter(|truth| truth.is_income()).map(|truth| truth.credit).sum()
    }
}

/// People, and their statements of a year with debits as one table. Its rows begin with the customer.
struct People {
    people: Vec<Person>,
    header: String,
    rows: Vec<(String, String)>,
}

impl People {
    fn generate(count: u64) -> People {
        let options = Options { records: 700, debits: true, months: Some(12), ..Options::default() };
        let mut made = People { people: Vec::new(), header: csv_header(&options), rows: Vec::new() };
        for index in 0..count {
            let plan = Plan::new(SEED, index, &options).expect("options");
            let (mut table, mut labels) = (csv_header(&options).into_bytes(), labels_header().into_bytes());
            plan.write_csv(&mut table).expect("memory");
            plan.write_labels("one", &mut labels).expect("memory");
            let text = String::from_utf8(table.clone()).expect("text");
            made.rows.extend(text.lines().skip(1).zip(rows(&table)).map(|(line, row)| (line.into(), row[2].into())));
            made.people.push(person(&plan, &table, &labels));
        }
        made
    }

    /// The statements of everybody, from a day on.
    fn statements(&self, policy: &Policy, since: &str) -> Statements {
        let kept = self.rows.iter().filter(|(_, day)| day.as_str() >= since).map(|(line, _)| line.as_str());
        let table = self.header.clone() + &kept.collect::<Vec<_>>().join("\n");
        read_csv(table.as_bytes(), "people", &decision::reading(policy), &Columns::default()).expect("a table")
    }
}

fn rows(bytes: &[u8]) -> Vec<csv::StringRecord> {
    csv::Reader::from_reader(bytes).into_records().map(|row| row.expect("csv")).collect()
}

fn person(plan: &Plan, table: &[u8], labels: &[u8]) -> Person {
    let labels = rows(labels);
    let label: HashMap<&str, &str> = labels.iter().map(|row| (&row[2], &row[3])).collect();
    let kobo = |text: &str| text.replace('.', "").parse::<i64>().unwrap_or(0);
    let truth = rows(table).into_iter().map(|row| {
        let truth = Truth {
            label: label[&row[1]].to_owned(),
            day: row[2].to_owned(),
            credit: kobo(&row[4]),
            debit: kobo(&row[5]),
        };
        (row[1].to_owned(), truth)
    });
    Person { customer: plan.person().customer.clone(), profile: plan.person().profile, truth: truth.collect() }
}

fn policy(name: &str) -> Policy {
    load_policy(root().join(format!("rules/{name}.toml")), &[]).expect("it ships")
}

fn percent(part: usize, of: usize) -> String {
    if of == 0 { "-".into() } else { format!("{:.0}%", 100.0 * part as f64 / of as f64) }
}

#[test]
fn the_page_shows_how_right_whole_statements_are() {
    let people = People::generate(campaign::size(30, 300));
    let tables = [
        money::tables(&people),
        income::tables(&people),
        time::weeks(&people),
        time::months(&people),
        friends::table(campaign::size(2, 20)),
    ];
    let page = std::fs::read_to_string(root().join("docs/explanation/accuracy.md")).expect("the page");
    println!("{}", tables.join("\n"));
    if campaign::is_sample() {
        return;
    }
    for table in tables.iter().flat_map(|tables| tables.split("\n\n")) {
        assert!(page.contains(table.trim()), "docs/explanation/accuracy.md must have:\n\n{table}");
    }
}
