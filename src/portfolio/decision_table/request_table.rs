//! What applications brought besides their statements, as a table that `--requests` reads. Money is in major units.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::policy_columns::{InputKind, PolicyColumns};
use crate::base::csv_line::CsvLine;
use crate::base::money::{AmountUnit, Currency, amount_digits};

/// The fields of one application by their paths, such as `request.amount`.
type Fields = BTreeMap<String, String>;

/// The rows of the table.
#[derive(Debug, Default)]
pub struct RequestTable {
    rows: Vec<(String, Fields)>,
    columns: BTreeSet<String>,
    /// Fields that a table has no column for.
    left_out: BTreeSet<String>,
}

impl RequestTable {
    /// Takes the request of a decision, as the decision has it: money in minor units.
    pub fn push(&mut self, id: &str, request: &BTreeMap<String, Value>, policy: &PolicyColumns) {
        let mut fields = Fields::new();
        for (path, kind) in &policy.inputs {
            // An object says why the field is unknown.
            let is_known = |value: &&Value| !value.is_null() && !value.is_object();
            let Some(value) = find_value(request, path).filter(is_known) else { continue };
            match text_of_value(value, *kind, &policy.currency) {
                Some(text) => {
                    self.columns.insert(path.clone());
                    fields.insert(path.clone(), text);
                }
                None => drop(self.left_out.insert(path.clone())),
            }
        }
        self.rows.push((id.to_owned(), fields));
    }

    /// Whether no application brought a field.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The paths of lists, which the table lacks.
    pub fn left_out(&self) -> impl Iterator<Item = &str> {
        self.left_out.iter().map(String::as_str)
    }

    /// The table as CSV.
    pub fn to_csv(&self) -> String {
        let mut line = CsvLine::default();
        line.push_text("customer");
        self.columns.iter().for_each(|path| line.push_text(path));
        let mut text = line.take_line();
        for (id, fields) in &self.rows {
            line.push_text(id);
            for path in &self.columns {
                line.push_text(fields.get(path).map_or("", String::as_str));
            }
            text.push_str(&line.take_line());
        }
        text
    }
}

/// `request.amount` is the field `amount`; `bureau.score` is the field `score` of the object `bureau`.
fn find_value<'r>(request: &'r BTreeMap<String, Value>, path: &str) -> Option<&'r Value> {
    let (source, name) = path.split_once('.')?;
    match source {
        "request" => request.get(name),
        nested => request.get(nested).and_then(Value::as_object).and_then(|fields: &Map<_, _>| fields.get(name)),
    }
}

fn text_of_value(value: &Value, kind: InputKind, currency: &str) -> Option<String> {
    match (kind, value) {
        (InputKind::Entries, _) | (_, Value::Array(_) | Value::Object(_) | Value::Null) => None,
        (InputKind::Money, Value::Number(number)) => {
            let exponent = Currency::from_numeric(currency)?.exponent();
            Some(amount_digits(number.as_i64()?, AmountUnit::Major, exponent))
        }
        (_, Value::String(text)) => Some(text.clone()),
        (_, value) => Some(value.to_string()),
    }
}
