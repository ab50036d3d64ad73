//! How keys and word lists do on generated statements, whose labels are the truth. The limits are those in
//! docs/explanation/narration.md, with room for other draws. `cargo test --test it narration::figures -- --nocapture`
//! prints the tables of that page.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lendwright::generate::{Options, Plan};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=20;

/// Statements per seed.
const STATEMENTS: u64 = 4;

/// One generated record with its truth.
struct Record {
    statement: u64,
    is_credit: bool,
    desc: String,
    topics: String,
    people: String,
    label: String,
    /// The true counterparty, if labelled: the employer, else the stream.
    payer: String,
}

fn records(noise: f64) -> Vec<Record> {
    let mut records = Vec::new();
    for (number, seed) in SEEDS.flat_map(|seed| (0..STATEMENTS).map(move |index| (index, seed))).enumerate() {
        let options = Options { records: 240, debits: true, noise, months: Some(12), ..Options::default() };
        let plan = Plan::new(seed.1, seed.0, &options).unwrap();
        let (mut json, mut labels) = (Vec::new(), Vec::new());
        plan.write_json(&mut json).unwrap();
        plan.write_labels("s", &mut labels).unwrap();
        let mut truth: HashMap<String, (String, String)> = HashMap::new();
        for row in csv::ReaderBuilder::new().has_headers(false).from_reader(&labels[..]).records() {
            let row = row.unwrap();
            // Two loans of one lender are two streams of one payee.
            let stream = if row[4].starts_with("loan-") { "" } else { &row[4] };
            let payer = if row[5].is_empty() { stream } else { &row[5] };
            truth.insert(row[2].to_owned(), (row[3].to_owned(), payer.to_owned()));
        }
        let statement: serde_json::Value = serde_json::from_slice(&json).unwrap();
        for record in statement["data"]["transactions"].as_array().unwrap() {
            // A duplicate counts once.
            let Some((label, payer)) = truth.remove(record["id"].as_str().unwrap()) else { continue };
            let list = |name: &str| {
                let items = record["notes"][name].as_array().unwrap().iter();
                items.map(|item| item.as_str().unwrap()).collect::<Vec<_>>().join("\u{1f}")
            };
            records.push(Record {
                statement: number as u64,
                is_credit: !record["credit"].is_null(),
                desc: record["notes"]["desc"]
                    .as_str()
                    .filter(|desc| !["N/A", " "].contains(desc))
                    .unwrap_or_default()
                    .into(),
                topics: list("topics"),
                people: list("people"),
                label,
                payer,
            });
        }
    }
    records
}

fn key(normaliser: &lendwright::base::narration::Normaliser, record: &Record) -> Option<String> {
    let given = |text: &'_ str| (!text.is_empty()).then(|| text.to_owned());
    normaliser.key(given(&record.desc).as_deref(), given(&record.people).as_deref(), record.is_credit)
}

/// Three shares: records in the largest key of their payer; keys that mix two payers; cut narrations whose key is a
/// prefix of the whole one's, or extends it.
fn keys(records: &[Record], is_credit: bool) -> [f64; 3] {
    let normaliser = super::normaliser();
    let mut by_payer: BTreeMap<(u64, &str), BTreeMap<String, usize>> = BTreeMap::new();
    let mut by_key: BTreeMap<(u64, String), BTreeSet<&str>> = BTreeMap::new();
    for record in records.iter().filter(|record| record.is_credit == is_credit && !record.payer.is_empty()) {
        // Without a narration there is no evidence.
        let Some(key) = key(&normaliser, record) else { continue };
        *by_payer.entry((record.statement, &record.payer)).or_default().entry(key.clone()).or_default() += 1;
        by_key.entry((record.statement, key)).or_default().insert(&record.payer);
    }
    let greatest: usize = by_payer.values().filter_map(|keys| keys.values().max()).sum();
    let all: usize = by_payer.values().flat_map(|keys| keys.values()).sum();
    let mixed = by_key.values().filter(|payers| payers.len() > 1).count();
    let (mut fits, mut cut) = (0, 0);
    for (place, record) in records.iter().enumerate().filter(|(_, record)| record.is_credit == is_credit) {
        let (whole, part) = (record.desc.as_str(), record.desc.get(..30 + place % 21));
        let Some(part) = part.filter(|part| part.len() < whole.len()) else { continue };
        let of = |desc: &str| normaliser.key(Some(desc), None, is_credit).unwrap_or_default();
        let (whole, part) = (of(whole), of(part));
        cut += 1;
        fits += usize::from(whole.starts_with(&part) || part.starts_with(&whole));
    }
    [greatest as f64 / all as f64, mixed as f64 / by_key.len() as f64, f64::from(fits as u32) / f64::from(cut)]
}

/// Whether a text holds a word of a list, looked for one by one.
pub(super) fn mentions(words: &[String], text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    words.iter().map(|word| word.to_lowercase()).any(|word| {
        text.match_indices(&word).any(|(at, _)| {
            let before = is_letter(word.chars().next()) && is_letter(text[..at].chars().next_back());
            let after = is_letter(word.chars().next_back()) && is_letter(text[at + word.len()..].chars().next());
            !before && !after
        })
    })
}

/// A question that lists answer.
struct Question {
    name: &'static str,
    lists: &'static [&'static str],
    except: &'static [&'static str],
    is_credit: bool,
    /// The records for which yes is right.
    label: &'static str,
    /// The least precision and recall at a noise of 0.1.
    least: [f64; 2],
}

const fn question(
    name: &'static str,
    lists: &'static [&'static str],
    is_credit: bool,
    label: &'static str,
    least: [f64; 2],
) -> Question {
    Question { name, lists, except: &[], is_credit, label, least }
}

const QUESTIONS: &[Question] = &[
    Question { except: &["loan"], ..question("salary", &["salary"], true, "salary", [0.85, 0.6]) },
    question("loan", &["loan", "lenders"], true, "loan_proceeds", [0.6, 0.8]),
    question("repayment", &["loan", "lenders"], false, "loan_repayment", [0.85, 0.85]),
    question("betting, won", &["betting"], true, "betting_win", [0.95, 0.8]),
    question("betting, staked", &["betting"], false, "betting_stake", [0.95, 0.8]),
    question("reversal", &["reversal"], true, "reversal", [0.4, 0.8]),
    question("refund", &["refund"], true, "refund", [0.9, 0.7]),
    question("own transfer", &["own_transfer"], true, "own_transfer", [0.95, 0.3]),
    question("cash deposit", &["cash_deposit"], true, "cash_deposit", [0.95, 0.9]),
    question("pension", &["pension"], true, "pension", [0.9, 0.85]),
    question("dividend", &["dividend"], true, "dividend", [0.9, 0.8]),
    question("airtime", &["airtime"], false, "airtime", [0.95, 0.8]),
    question("bank charges", &["bank_charges"], false, "charge", [0.95, 0.9]),
    question("utilities", &["utilities"], false, "utilities", [0.95, 0.85]),
];

/// Precision and recall of a question, with how many there are.
fn answered(question: &Question, records: &[Record], lists: &BTreeMap<String, Vec<String>>) -> (f64, f64, usize) {
    let of = |names: &[&str]| names.iter().flat_map(|name| lists[*name].clone()).collect::<Vec<_>>();
    let (asked, except) = (of(question.lists), of(question.except));
    let (mut right, mut said, mut true_ones) = (0, 0, 0);
    for record in records.iter().filter(|record| record.is_credit == question.is_credit) {
        let has = |words: &[String]| mentions(words, &record.desc) || mentions(words, &record.topics);
        let yes = has(&asked) && !has(&except);
        let truth = record.label == question.label;
        said += usize::from(yes);
        true_ones += usize::from(truth);
        right += usize::from(yes && truth);
    }
    (right as f64 / said as f64, right as f64 / true_ones as f64, true_ones)
}

#[test]
fn keys_keep_payers_together_and_apart() {
    for (noise, whole, mixed, cut) in [(0.1, 0.92, 0.03, 0.90), (0.3, 0.85, 0.04, 0.90)] {
        let records = records(noise);
        for is_credit in [true, false] {
            let found = keys(&records, is_credit);
            println!(
                "| {noise} | {} | {:.3} | {:.3} | {:.3} |",
                if is_credit { "credits" } else { "debits" },
                found[0],
                found[1],
                found[2]
            );
            assert!(found[0] >= whole && found[1] <= mixed && found[2] >= cut, "{found:?}");
        }
    }
}

#[test]
fn word_lists_are_right_as_often_as_the_page_says() {
    let lists = super::lists();
    let drawn = [records(0.1), records(0.3)];
    for question in QUESTIONS {
        let [(precision, recall, count), (noisy_precision, noisy_recall, _)] =
            [0, 1].map(|noise: usize| answered(question, &drawn[noise], &lists));
        println!(
            "| {} | {count} | {precision:.3} | {recall:.3} | {noisy_precision:.3} | {noisy_recall:.3} |",
            question.name
        );
        let [precise, complete] = question.least;
        assert!(precision >= precise && recall >= complete, "{}: {precision} {recall}", question.name);
    }
}
