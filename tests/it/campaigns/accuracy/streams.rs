//! How well streams are found, by the detector alone: no words, no rules.

use std::collections::{BTreeMap, HashMap, HashSet};

use lendwright::base::date::Day;
use lendwright::base::narration::Normaliser;
use lendwright::generate::{Options, Plan, csv_header, labels_header};
use lendwright::recurring::{StreamEntry, TOLERANCE, find_recurring_streams};

use super::{Score, kinds_of_statements, page_has, root, seeds};

/// A record with its truth.
struct Record {
    entry: StreamEntry,
    /// The stream that it belongs to; empty if none.
    stream: String,
}

fn normaliser() -> Normaliser {
    let text = std::fs::read_to_string(root().join("rules/words.toml")).expect("rules/words.toml");
    let table: toml::Table = text.parse().expect("TOML");
    let words = |list: &toml::Value| -> Vec<String> {
        let items = list.as_array().into_iter().flatten();
        items.filter_map(|word| word.as_str().map(str::to_owned)).collect()
    };
    let lists: BTreeMap<String, Vec<String>> =
        table["words"].as_table().expect("[words]").iter().map(|(name, list)| (name.clone(), words(list))).collect();
    Normaliser::new(|name| lists.get(name).map_or(&[][..], Vec::as_slice))
}

fn minor(text: &str) -> i64 {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<2}").parse().expect("an amount")
}

/// A statement's records in the order of days, with the texts of their keys.
fn statement(plan: &Plan, options: &Options, normaliser: &Normaliser) -> (Vec<Record>, Vec<String>) {
    let mut labels = labels_header().into_bytes();
    plan.write_labels("one", &mut labels).expect("memory");
    let labels = csv::Reader::from_reader(&labels[..]).into_records().map(|row| row.expect("csv"));
    let truth: HashMap<String, String> = labels.map(|row| (row[2].to_owned(), row[4].to_owned())).collect();

    let mut table = csv_header(options).into_bytes();
    plan.write_csv(&mut table).expect("memory");
    let mut seen = HashSet::new();
    let mut keys: Vec<String> = Vec::new();
    let mut places: HashMap<String, u32> = HashMap::new();
    let mut records = Vec::new();
    for row in csv::Reader::from_reader(&table[..]).into_records() {
        let row = row.expect("csv");
        let (id, day, credit, debit, desc) = (&row[1], &row[2], &row[4], &row[5], &row[10]);
        if !seen.insert(id.to_owned()) {
            continue;
        }
        let is_credit = !credit.is_empty();
        let said = Some(desc).filter(|desc| !["", "N/A", "null"].contains(&desc.trim()));
        let text = normaliser.key(said, None, is_credit).unwrap_or_default();
        let key = *places.entry(text.clone()).or_insert_with(|| {
            keys.push(text);
            keys.len() as u32 - 1
        });
        let entry = StreamEntry {
            day: Day::parse_iso(&day[..10]).expect("a day").days(),
            amount: minor(if is_credit { credit } else { debit }),
            is_credit,
            key,
        };
        records.push(Record { entry, stream: truth[id].clone() });
    }
    records.sort_by_key(|record| record.entry.day);
    (records, keys)
}

/// The scores by kind of stream. A record counts as found if most of its found stream is of its true one. True streams
/// have three records or more.
fn scores(records: &[Record], keys: &[String]) -> BTreeMap<String, Score> {
    let entries: Vec<StreamEntry> = records.iter().map(|record| record.entry).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let as_of = entries.last().map_or(0, |entry| entry.day);
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    let kind = |stream: &str| stream.rsplit_once('-').map_or("none", |(kind, _)| kind).to_owned();
    let mut sizes: HashMap<&str, usize> = HashMap::new();
    for record in records.iter().filter(|record| !record.stream.is_empty()) {
        *sizes.entry(&record.stream).or_default() += 1;
    }
    for (stream, size) in sizes.iter().filter(|(_, size)| **size >= 3) {
        scores.entry(kind(stream)).or_default().truth += size;
    }
    for stream in find_recurring_streams(&entries, &keys, as_of, TOLERANCE) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &stream.rows {
            *counts.entry(&records[*row].stream).or_default() += 1;
        }
        let own = counts.iter().find(|(name, count)| !name.is_empty() && **count * 2 > stream.rows.len());
        let score = scores.entry(own.map_or("none".into(), |(name, _)| kind(name))).or_default();
        score.told += stream.rows.len();
        score.found += own.filter(|(name, _)| sizes[**name] >= 3).map_or(0, |(_, count)| *count);
    }
    scores
}

fn measured(options: &Options, normaliser: &Normaliser) -> BTreeMap<String, Score> {
    let mut all: BTreeMap<String, Score> = BTreeMap::new();
    for seed in seeds() {
        let plan = Plan::new(seed, 0, options).expect("options");
        let (records, keys) = statement(&plan, options, normaliser);
        for (kind, score) in scores(&records, &keys) {
            all.entry(kind).or_default().add(score);
        }
    }
    all
}

fn total(scores: &BTreeMap<String, Score>) -> Score {
    scores.values().fold(Score::default(), |mut sum, score| {
        sum.add(*score);
        sum
    })
}

fn table() -> String {
    let normaliser = normaliser();
    let mut table = String::from("| statements | precision | recall | of pay |\n|---|---|---|---|\n");
    let mut kinds = String::from("| stream | precision | recall |\n|---|---|---|\n");
    for (name, options) in kinds_of_statements() {
        let scores = measured(&options, &normaliser);
        let pay = scores.get("salary").copied().unwrap_or_default().shares().join(", ");
        table += &format!("| {name} | {} | {} |\n", total(&scores).shares().join(" | "), pay);
        if name == "with debits, noise 0.1" {
            for (kind, score) in scores.iter().filter(|(kind, _)| *kind != "none") {
                kinds += &format!("| {kind} | {} |\n", score.shares().join(" | "));
            }
        }
    }
    format!("{table}\n{kinds}")
}

#[test]
fn the_page_shows_what_is_measured() {
    page_has(&table());
}
