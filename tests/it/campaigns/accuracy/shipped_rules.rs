//! How well the shipped rules classify records: pay, loans, winnings, reversals, refunds, own transfers, binding
//! streams.

use std::collections::{BTreeMap, HashMap, HashSet};

use lendwright::generate::{Options, Plan, csv_header, labels_header};
use lendwright::{Policy, load_policy};

use super::{Score, counted, kinds_of_statements, page_has, root, seeds, told};

/// What the generator says of a record.
struct Truth {
    label: String,
    came_in: bool,
    /// Whether it belongs to a binding stream.
    binds: bool,
}

/// Whether a record is of a kind.
type Is = fn(&Truth) -> bool;

/// Each kind, by the metric of testdata/rules/detected.toml that selects it, with the truth it is compared with.
const KINDS: [(&str, &str, Is); 12] = [
    ("pay", "told_salary", |truth| truth.label == "salary"),
    ("bonuses", "told_bonus", |truth| truth.label == "bonus"),
    ("income", "told_income", is_income),
    ("loan proceeds", "told_loan_proceeds", |truth| truth.label == "loan_proceeds"),
    ("winnings", "told_winnings", |truth| truth.label == "betting_win"),
    ("reversals", "told_reversal", |truth| truth.label == "reversal"),
    ("refunds", "told_refund", |truth| truth.label == "refund"),
    ("own transfers in", "told_own_transfer", |truth| truth.came_in && truth.label == "own_transfer"),
    ("own transfers out", "told_own_transfer_out", |truth| !truth.came_in && truth.label == "own_transfer"),
    ("repayments", "told_repayment", |truth| truth.label == "loan_repayment"),
    ("stakes", "told_stake", |truth| truth.label == "betting_stake"),
    ("streams that bind", "told_stream", |truth| truth.binds),
];

fn is_income(truth: &Truth) -> bool {
    truth.came_in && !["loan_proceeds", "betting_win", "reversal", "refund", "own_transfer"].contains(&&*truth.label)
}

/// Statements and their truth, by customer and identifier.
struct Statements {
    table: Vec<u8>,
    truth: HashMap<(String, String), Truth>,
}

fn generated(options: &Options) -> Statements {
    let mut labels = labels_header().into_bytes();
    let mut table = csv_header(options).into_bytes();
    for seed in seeds() {
        let plan = Plan::new(seed, 0, options).expect("options");
        plan.write_labels("one", &mut labels).expect("memory");
        plan.write_csv(&mut table).expect("memory");
    }
    let rows = |bytes: &[u8]| -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(bytes).into_records().map(|row| row.expect("csv")).collect()
    };
    let key = |row: &csv::StringRecord, at: usize| (row[at].to_owned(), row[at + 1].to_owned());
    let labels = rows(&labels);
    let mut sizes: HashMap<(&str, &str), usize> = HashMap::new();
    for row in &labels {
        *sizes.entry((&row[1], &row[4])).or_default() += 1;
    }
    // Three payments are the least that recur, and a bank's quarterly charge binds nobody.
    let binds = |row: &csv::StringRecord| {
        !row[4].is_empty() && !row[4].starts_with("card-fee") && sizes[&(&row[1], &row[4])] >= 3
    };
    let credits: HashSet<_> = rows(&table).iter().filter(|row| !row[4].is_empty()).map(|row| key(row, 0)).collect();
    // A relative may have the customer's very name. As far as anybody can see, that money goes to the customer.
    let own: HashSet<_> = labels.iter().filter(|row| &row[3] == "own_transfer").map(|row| (&row[1], &row[6])).collect();
    let label = |row: &csv::StringRecord| {
        let is_own = ["gift", "transfer_out"].contains(&&row[3]) && own.contains(&(&row[1], &row[6]));
        if is_own { "own_transfer".to_owned() } else { row[3].to_owned() }
    };
    let truth = labels.iter().map(|row| {
        let key = key(row, 1);
        let truth = Truth { label: label(row), came_in: credits.contains(&key), binds: binds(row) };
        (key, truth)
    });
    let truth = truth.collect();
    Statements { table, truth }
}

/// The scores by kind.
fn scores(policy: &Policy, options: &Options) -> BTreeMap<&'static str, Score> {
    let made = generated(options);
    let told = told(policy, &made.table);
    assert_eq!(told.len(), seeds().count(), "a statement a seed");
    let mut scores: BTreeMap<&'static str, Score> = BTreeMap::new();
    for (kind, _, is) in KINDS {
        scores.entry(kind).or_default().truth = made.truth.values().filter(|truth| is(truth)).count();
    }
    for one in &told {
        let customer = one.customer.clone().expect("a customer");
        for (kind, metric, is) in KINDS {
            let score = scores.entry(kind).or_default();
            for id in counted(one, metric) {
                score.told += 1;
                score.found += usize::from(is(&made.truth[&(customer.clone(), id.to_owned())]));
            }
        }
    }
    scores
}

/// The page's tables, each with some of the kinds.
const TABLES: [&[&str]; 2] = [
    &["pay", "bonuses", "income", "streams that bind"],
    &[
        "loan proceeds",
        "winnings",
        "reversals",
        "refunds",
        "own transfers in",
        "own transfers out",
        "repayments",
        "stakes",
    ],
];

#[test]
fn the_page_shows_what_the_rules_tell() {
    let policy = load_policy(root().join("testdata/rules/detected.toml"), &[]).expect("the policy");
    let mut tables =
        TABLES.map(|kinds| format!("| statements | {} |\n|{}\n", kinds.join(" | "), "---|".repeat(kinds.len() + 1)));
    for (name, options) in kinds_of_statements() {
        let scores = scores(&policy, &options);
        for (table, kinds) in tables.iter_mut().zip(TABLES) {
            let cells: Vec<String> = kinds.iter().map(|kind| scores[kind].shares().join(", ")).collect();
            *table += &format!("| {name} | {} |\n", cells.join(" | "));
        }
    }
    page_has(&tables.join("\n"));
}
