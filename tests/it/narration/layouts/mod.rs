//! How often counterparties are right in the layouts of banks and wallets of seven markets. The table of layouts
//! (`../shared/data/narration_layouts.csv`) is filled with invented names, and a policy that uses `metrics.toml` is
//! asked for each record's counterparty. `cargo test --test it narration::layouts -- --nocapture` prints the tables of
//! docs/explanation/narration.md.

mod filling;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use filling::{Filled, Layout, Statement};
use lendwright::compile;
use lendwright::decision::{Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::{Columns, read_csv};

/// The least share of layouts whose counterparties are right.
const FLOORS: [(&str, f64); 7] = [
    ("Ghana", 0.28),
    ("India", 0.40),
    ("Kenya", 0.59),
    ("Nigeria", 0.95),
    ("South Africa", 0.40),
    ("United Kingdom", 0.36),
    ("United States", 0.53),
];

/// Statements per institution.
const STATEMENTS: u64 = 4;

/// Fewest records of a statement, and fewest per layout.
const RECORDS: usize = 30;
const RECORDS_OF_LAYOUT: usize = 3;

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

/// A policy with one metric per record: its counterparty. Each record has a day of its own.
fn policy(market: &str, records: usize) -> Policy {
    let used = match market {
        "Nigeria" => String::new(),
        market => format!(", \"words/{}.toml\"", market.to_lowercase().replace(' ', "-")),
    };
    let mut rules = format!(
        "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\
         use = [\"metrics.toml\"{used}]\n[metric]\n"
    );
    for record in 0..records {
        let day = day(record);
        writeln!(rules, "who_{record} = \"FIRST(counterparty) FILTER (WHERE trans_date = DATE '{day}')\"").unwrap();
    }
    let mut shipped =
        |name: &str| std::fs::read_to_string(super::root().join("rules").join(name)).map_err(|error| error.to_string());
    compile("x.toml", &rules, &mut shipped, &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn day(record: usize) -> String {
    format!("2026-{:02}-{:02}", 1 + record / 28, 1 + record % 28)
}

/// The counterparty of each record of each statement.
fn counterparties(policy: &Policy, statements: &[&[Filled]]) -> Vec<Vec<Option<String>>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record(["customer", "trans_date", "credit", "debit", "desc"]).unwrap();
    for (customer, records) in statements.iter().enumerate() {
        for (record, filled) in records.iter().enumerate() {
            let (credit, debit) = if filled.is_credit { ("100", "") } else { ("", "100") };
            let customer = format!("c{customer:04}");
            table.write_record([&customer, &day(record), credit, debit, &filled.text]).unwrap();
        }
    }
    let table = table.into_inner().unwrap();
    let read = read_csv(&table, "t", &reading(policy), &Columns::default()).unwrap();
    let decisions = decide(policy, &read, &Request::default()).unwrap();
    let of = |(decision, records): (&lendwright::decision::Decision, &&[Filled])| {
        let who = |record: usize| decision.metrics[format!("who_{record}").as_str()].as_str().map(str::to_owned);
        (0..records.len()).map(who).collect()
    };
    decisions.iter().zip(statements).map(of).collect()
}

/// The statements of each institution, in the order of the table's markets and institutions.
fn statements(layouts: &[Layout]) -> Vec<((&str, &str), Vec<Filled>)> {
    let mut institutions: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, layout) in layouts.iter().enumerate() {
        institutions.entry((&layout.market, &layout.institution)).or_default().push(at);
    }
    let mut statements = Vec::new();
    for (number, (institution, own)) in institutions.into_iter().enumerate() {
        for seed in 0..STATEMENTS {
            let mut statement = Statement::new(1000 * seed + number as u64 + 1);
            let rounds = RECORDS.div_ceil(own.len()).max(RECORDS_OF_LAYOUT);
            let each = (0..rounds).flat_map(|_| own.iter());
            statements.push((institution, each.map(|at| statement.fill(*at, &layouts[*at])).collect()));
        }
    }
    statements
}

#[test]
fn counterparties_are_right_in_the_layouts_of_banks() {
    let Some(table) = table() else { return };
    let layouts = filling::read(&table);
    let (institutions, statements): (Vec<_>, Vec<_>) = statements(&layouts).into_iter().unzip();
    let most = statements.iter().map(Vec::len).max().unwrap();
    let mut found = Vec::new();
    for of_market in
        institutions.iter().zip(&statements).collect::<Vec<_>>().chunk_by(|(one, _), (next, _)| one.0 == next.0)
    {
        let records: Vec<&[Filled]> = of_market.iter().map(|(_, records)| records.as_slice()).collect();
        found.extend(counterparties(&policy(of_market[0].0.0, most), &records));
    }
    // Each layout counts once, however many records it has.
    let mut of_layouts: BTreeMap<usize, (f64, f64, String)> = BTreeMap::new();
    for (filled, key) in statements.iter().flatten().zip(found.iter().flatten()) {
        let (right, all, wrong) = of_layouts.entry(filled.layout).or_default();
        *all += 1.0;
        match filled.is_right(key.as_deref()) {
            true => *right += 1.0,
            false => *wrong = format!("{} -> {}", filled.text, key.as_deref().unwrap_or_default()),
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
    assert_eq!(institutions.len(), found.len());
}
