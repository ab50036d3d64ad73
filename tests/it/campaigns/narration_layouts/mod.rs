//! How often counterparties are right in the layouts of banks and wallets of seven markets. The table of layouts
//! (`../shared/data/narration_layouts.csv`) is filled with invented names, and a policy that uses `metrics.toml` and
//! the market's word lists is asked for each record's counterparty, and for its kind in `kinds`. The tables of
//! docs/explanation/narration.md are printed by `cargo test --test it campaigns::narration_layouts -- --nocapture`.

mod filling;
mod kinds;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use filling::{Filled, Filling, Layout, Statement};
use lendwright::compile;
use lendwright::decision::{Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::{Columns, read_csv};
use serde_json::Value;

/// The least share of layouts whose counterparties are right.
const FLOORS: [(&str, f64); 7] = [
    ("Ghana", 0.9),
    ("India", 0.93),
    ("Kenya", 0.95),
    ("Nigeria", 0.95),
    ("South Africa", 0.9),
    ("United Kingdom", 0.93),
    ("United States", 0.96),
];

/// Statements per institution.
const STATEMENTS: u64 = 4;

/// Fewest records of a statement, and fewest per layout.
const RECORDS: usize = 30;
const RECORDS_OF_LAYOUT: usize = 3;

/// The days of a month, and those of them before pay.
const DAYS: usize = 28;
const DAYS_BEFORE_PAY: usize = 24;

/// Payments of an employer, one a month.
const PAYMENTS: usize = 6;

fn table() -> Option<PathBuf> {
    let data = match std::env::var_os("LENDWRIGHT_DATA") {
        Some(data) => PathBuf::from(data),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"),
    };
    let table = data.join("narration_layouts.csv");
    if table.is_file() {
        return Some(table);
    }
    println!("SKIPPED: no layouts at {} (set LENDWRIGHT_DATA)", table.display());
    None
}

/// A policy of a market with one metric per day, which asks for `what`. Each record has a day of its own.
fn policy(market: &str, days: usize, what: &str) -> Policy {
    let used = match market {
        "Nigeria" => String::new(),
        market => format!(", \"words/{}.toml\"", market.to_lowercase().replace(' ', "-")),
    };
    let mut rules = format!(
        "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\
         use = [\"metrics.toml\"{used}]\n[metric]\n"
    );
    for place in 0..days {
        let day = day(place);
        writeln!(rules, "of_{place} = \"{what} FILTER (WHERE trans_date = DATE '{day}')\"").unwrap();
    }
    compile("x.toml", &rules, &mut crate::base::narration::shipped, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn day(place: usize) -> String {
    format!("2026-{:02}-{:02}", 1 + place / DAYS, 1 + place % DAYS)
}

/// The value of the metric of each record of each statement.
fn asked<T>(policy: &Policy, statements: &[Vec<Filled>], read_value: impl Fn(&Value) -> T) -> Vec<Vec<T>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["customer", "trans_date", "credit", "debit", "desc"]).unwrap();
    for (customer, records) in statements.iter().enumerate() {
        for filled in records {
            let amount = if filled.day % DAYS < DAYS_BEFORE_PAY { "100" } else { "5000" };
            let (credit, debit) = if filled.is_credit { (amount, "") } else { ("", amount) };
            let customer = format!("c{customer:04}");
            table.write_record([&customer, &day(filled.day), credit, debit, &filled.text]).unwrap();
        }
        // Without a debit and a credit, what only one of them tells would be unknown.
        let (customer, day) = (format!("c{customer:04}"), day(days(records)));
        table.write_record([&customer, &day, "100", "", "OPENING"]).unwrap();
        table.write_record([&customer, &day, "", "100", "OPENING"]).unwrap();
    }
    let table = table.into_inner().unwrap();
    let read = read_csv(&table, "t", &reading(policy), &Columns::default()).unwrap();
    let decisions = decide(policy, &read, &Request::default()).unwrap();
    let of = |(decision, records): (&lendwright::decision::Decision, &Vec<Filled>)| {
        records.iter().map(|filled| read_value(&decision.metrics[format!("of_{}", filled.day).as_str()])).collect()
    };
    decisions.iter().zip(statements).map(of).collect()
}

/// The statements of each market, with their institutions, in the order of names. If remarks speak, each layout of pay
/// comes once a month from one employer, with one amount.
fn markets(layouts: &[Layout], filling: Filling) -> BTreeMap<&str, Vec<Vec<Filled>>> {
    let mut institutions: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, layout) in layouts.iter().enumerate() {
        institutions.entry((&layout.market, &layout.institution)).or_default().push(at);
    }
    let mut markets: BTreeMap<&str, Vec<Vec<Filled>>> = BTreeMap::new();
    for (number, ((market, _), own)) in institutions.into_iter().enumerate() {
        for seed in 0..STATEMENTS {
            let mut statement = Statement::new(1000 * seed + number as u64 + 1, filling);
            let is_pay = |at: &&usize| filling == Filling::Speaking && layouts[**at].kind == "salary";
            let rounds = RECORDS.div_ceil(own.len()).max(RECORDS_OF_LAYOUT);
            let others = (0..rounds).flat_map(|_| own.iter().filter(|at| !is_pay(at))).enumerate();
            let days = others.map(|(place, at)| (place / DAYS_BEFORE_PAY * DAYS + place % DAYS_BEFORE_PAY, at));
            let pay = own.iter().filter(is_pay).enumerate();
            let pay = pay
                .flat_map(|(place, at)| (0..PAYMENTS).map(move |month| (month * DAYS + DAYS_BEFORE_PAY + place, at)));
            let records = days.chain(pay).map(|(day, at)| statement.fill(*at, &layouts[*at], day)).collect();
            markets.entry(market).or_default().push(records);
        }
    }
    markets
}

/// The days up to the last record's.
fn days(records: &[Filled]) -> usize {
    1 + records.iter().map(|filled| filled.day).max().unwrap()
}

fn most(statements: &[Vec<Filled>]) -> usize {
    statements.iter().map(|records| days(records)).max().unwrap()
}

#[test]
fn counterparties_are_right_in_the_layouts_of_banks() {
    let Some(table) = table() else { return };
    let layouts = filling::read(&table);
    // Each layout counts once, however many records it has.
    let mut of_layouts: BTreeMap<usize, (f64, f64, String)> = BTreeMap::new();
    for (market, statements) in markets(&layouts, Filling::Unknown) {
        let policy = policy(market, most(&statements), "FIRST(counterparty)");
        let found = asked(&policy, &statements, |value| value.as_str().map(str::to_owned));
        for (filled, key) in statements.iter().flatten().zip(found.iter().flatten()) {
            let (right, all, wrong) = of_layouts.entry(filled.layout).or_default();
            *all += 1.0;
            match filled.is_right(key.as_deref()) {
                true => *right += 1.0,
                false => *wrong = format!("{} -> {}", filled.text, key.as_deref().unwrap_or_default()),
            }
        }
    }
    let mut shares: BTreeMap<(&str, &str), (f64, f64)> = BTreeMap::new();
    for (at, (right, all, wrong)) in &of_layouts {
        let Layout { market, institution, text, .. } = &layouts[*at];
        for key in [(market.as_str(), institution.as_str()), (market.as_str(), "")] {
            let (sum, count) = shares.entry(key).or_default();
            (*sum, *count) = (*sum + right / all, *count + 1.0);
        }
        if !wrong.is_empty() {
            println!("{market}, {institution}: {:.2} of {text}\n    {wrong}", right / all);
        }
    }
    println!("| market | institution | layouts | right |\n|---|---|---|---|");
    for ((market, institution), (sum, count)) in &shares {
        let institution = if institution.is_empty() { "all" } else { institution };
        println!("| {market} | {institution} | {count} | {:.3} |", sum / count);
    }
    for (market, floor) in FLOORS {
        let (sum, count) = shares[&(market, "")];
        assert!(sum / count >= floor, "{market}: {:.3} of {count}", sum / count);
    }
}
