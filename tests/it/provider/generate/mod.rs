//! The generator's promises beyond the shape of a statement: stable bytes, labels that connect records, hard
//! statements, several accounts and overlapping exports.

mod accounts;
mod hard_statements;
mod labels;
mod markets;
mod overlapping_exports;
mod stable_bytes;
mod statements;

use std::collections::HashMap;

use lendwright::base::date::Day;
use lendwright::generate::{Customer, Options, Plan, labels_header};

/// A record as listed in the table.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    id: String,
    day: i32,
    /// Minor units; below 0 for a debit.
    amount: i64,
    balance: Option<i64>,
    desc: String,
}

/// The records of a statement in the order of its table.
fn rows(plan: &Plan) -> Vec<Row> {
    let mut bytes = Vec::new();
    plan.write_csv(&mut bytes).expect("memory");
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
    let kobo = |text: &str| text.replace('.', "").parse::<i64>().ok();
    reader
        .records()
        .map(|row| row.expect("csv"))
        .map(|row| Row {
            id: row[1].to_owned(),
            day: Day::parse_iso(&row[2]).expect("a day").days(),
            amount: kobo(&row[4]).unwrap_or_default() - kobo(&row[5]).unwrap_or_default(),
            balance: kobo(&row[6]),
            desc: row[10].to_owned(),
        })
        .collect()
}

/// The labels of a customer, by statement and identifier, each by its columns.
fn truth(customer: &Customer) -> HashMap<(String, String), HashMap<String, String>> {
    let mut bytes = labels_header().into_bytes();
    customer.write_labels("s", &mut bytes).expect("memory");
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    reader
        .deserialize::<HashMap<String, String>>()
        .map(|row| row.expect("csv"))
        .map(|row| ((row["statement"].clone(), row["id"].clone()), row))
        .collect()
}

/// The records of a statement, once each, by time.
fn listed(plan: &Plan) -> Vec<Row> {
    let mut rows = rows(plan);
    rows.sort_by(|one, other| one.id.cmp(&other.id));
    rows.dedup_by(|one, other| one.id == other.id);
    rows
}

/// A record and its labels, by column.
type Labelled = (Row, HashMap<String, String>);

/// The records of a statement with their labels.
fn with_labels(plan: &Plan, truth: &HashMap<(String, String), HashMap<String, String>>) -> Vec<Labelled> {
    let name = format!("s{}", plan.suffix());
    listed(plan).into_iter().map(|row| (row.clone(), truth[&(name.clone(), row.id)].clone())).collect()
}

/// Those of a customer's first statement.
fn labelled(seed: u64, index: u64, options: &Options) -> Vec<Labelled> {
    let customer = Customer::new(seed, index, options).expect("options");
    with_labels(&customer.statements()[0], &truth(&customer))
}
