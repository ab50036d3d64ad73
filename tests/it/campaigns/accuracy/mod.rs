//! How well the crate classifies records, on generated statements whose truth is known. The tables of
//! docs/explanation/detection.md are what is measured here.

mod collected_cases;
mod hand_written_records;
mod lending;
mod markets;
mod shipped_rules;
mod streams;
mod whole_statements;

use std::collections::HashMap;
use std::path::Path;

use lendwright::Policy;
use lendwright::decision::{Counted, Evidence, Request, evidence, reading};
use lendwright::generate::{Hard, Options};
use lendwright::statement::{Columns, read_csv};

use crate::fixtures::campaign;

/// Seeds that were not used while the detectors and the rules were built.
fn seeds() -> std::ops::RangeInclusive<u64> {
    9501..=campaign::size(9505, 9600)
}

/// A score: of the records of a kind how many were found, and of the records reported how many are right.
#[derive(Clone, Copy, Default)]
struct Score {
    truth: usize,
    found: usize,
    told: usize,
}

impl Score {
    fn add(&mut self, other: Score) {
        self.truth += other.truth;
        self.found += other.found;
        self.told += other.told;
    }

    /// Precision and recall.
    fn shares(self) -> [String; 2] {
        [self.told, self.truth]
            .map(|of| if of == 0 { "-".into() } else { format!("{:.3}", self.found as f64 / of as f64) })
    }
}

/// The measured statements, by name.
fn kinds_of_statements() -> [(&'static str, Options); 10] {
    let credits = |noise| Options { records: 200, noise, ..Options::default() };
    let debits = |noise| Options { records: 400, debits: true, ..credits(noise) };
    let hard = |hard| Options { hard, ..credits(0.1) };
    [
        ("credits, noise 0", credits(0.0)),
        ("credits, noise 0.1", credits(0.1)),
        ("credits, noise 0.3", credits(0.3)),
        ("irregular dates", hard(Hard { irregular: true, ..Hard::default() })),
        ("split pay", hard(Hard { split: true, ..Hard::default() })),
        ("misleading narrations", hard(Hard { misleading: true, ..Hard::default() })),
        ("all three", hard(Hard::ALL)),
        ("with debits, noise 0", debits(0.0)),
        ("with debits, noise 0.1", debits(0.1)),
        ("with debits, noise 0.3", debits(0.3)),
    ]
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Asserts that docs/explanation/detection.md has a table, to the letter. In a sample: that the shares of the table are
/// about as large as on the page.
fn page_has(table: &str) {
    let file = root().join("docs/explanation/detection.md");
    let page = std::fs::read_to_string(file).expect("docs/explanation/detection.md");
    if campaign::is_sample() {
        return is_about_the_page(table, &page);
    }
    assert!(page.contains(table), "docs/explanation/detection.md must have these tables:\n\n{table}");
}

/// How far the mean share of a few statements may be below that of a hundred.
const SAMPLE_MARGIN: f64 = 0.1;

/// Compares the first column of shares, which is of the most records.
fn is_about_the_page(table: &str, page: &str) {
    let share = |row: &str| {
        let cell = row.split('|').nth(2)?;
        cell.split(',').next()?.trim().parse::<f64>().ok()
    };
    let name = |row: &str| row.split('|').nth(1).unwrap_or_default().to_owned();
    let (mut found, mut shown) = (Vec::new(), Vec::new());
    for row in table.lines() {
        let Some(share_of_row) = share(row) else { continue };
        found.push(share_of_row);
        shown.extend(page.lines().filter(|line| name(line) == name(row)).filter_map(share).take(1));
    }
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    assert!(found.len() >= 10 && shown.len() == found.len(), "the rows are those of the page:\n{table}");
    let least = mean(&shown) - SAMPLE_MARGIN;
    assert!(mean(&found) >= least, "{:.3}, less than {least:.3}, which the page allows:\n{table}", mean(&found));
}

/// What testdata/rules/detected.toml reports for the statements of a table.
fn told(policy: &Policy, table: &[u8]) -> Vec<Evidence> {
    let statements = read_csv(table, "table", &reading(policy), &Columns::default()).expect("a table");
    evidence(policy, &statements, &Request::default(), "told").expect("evidence").expect("the metric")
}

/// The identifiers of the records that a metric counted.
fn counted<'e>(told: &'e Evidence, metric: &str) -> Vec<&'e str> {
    let number = told.numbers.iter().find(|number| number.name == metric).expect("asked for");
    let ids: HashMap<usize, &str> =
        told.records.iter().filter_map(|record| Some((record.row, record.id.as_deref()?))).collect();
    let rows = number.counted.iter().flat_map(|counted| -> Vec<usize> {
        match counted {
            Counted::Records(records) => records.iter().map(|record| record.row).collect(),
            Counted::Groups(groups) => groups.groups.iter().flat_map(|group| group.rows.clone()).collect(),
        }
    });
    rows.map(|row| ids[&row]).collect()
}
