//! Reads labels: a CSV file with the columns `id` and `label`, and `customer` if there are several. `labels.csv` of
//! `lendwright generate` is one.

use std::collections::HashMap;

use crate::base::csv_line::unguarded_text;

/// Why labels cannot be read. Names lines, but nothing that is in them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabelsError {
    /// The file is no CSV.
    #[error("line {line}: {what}")]
    Csv {
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// A column is missing.
    #[error("there is no column `{0}`; labels have the columns `id` and `label`, and `customer` if there are several")]
    NoColumn(&'static str),
    /// One record has two labels.
    #[error("line {line}: this record has another label on line {first}; give each record one label")]
    Twice {
        /// The line of the second label.
        line: u64,
        /// The line of the first one.
        first: u64,
    },
}

/// The labels of records, by customer and identifier.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    by_record: HashMap<(Option<String>, String), (String, u64)>,
    names_customers: bool,
}

impl Labels {
    /// Reads a CSV file. Other columns are ignored. An empty label is none: nobody looked at the record.
    ///
    /// # Errors
    /// If it is no such file.
    pub fn from_csv(bytes: &[u8]) -> Result<Labels, LabelsError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
        let wrong = |error: csv::Error| LabelsError::Csv {
            line: error.position().map_or(1, csv::Position::line),
            what: match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    format!("there are {len} fields, but {expected_len} columns")
                }
                csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
                _ => "it is no row of CSV".to_owned(),
            },
        };
        let header = reader.headers().map_err(wrong)?.clone();
        let column = |name: &str| header.iter().position(|column| column.trim_start_matches('\u{feff}') == name);
        let id = column("id").ok_or(LabelsError::NoColumn("id"))?;
        let label = column("label").ok_or(LabelsError::NoColumn("label"))?;
        let customer = column("customer");
        let mut labels = Labels { names_customers: customer.is_some(), ..Labels::default() };
        for row in reader.records() {
            let row = row.map_err(wrong)?;
            let line = row.position().map_or(0, csv::Position::line);
            let text = |column: usize| unguarded_text(row.get(column).unwrap_or_default()).to_owned();
            let (key, label) = ((customer.map(text).filter(|name| !name.is_empty()), text(id)), text(label));
            if label.is_empty() || key.1.is_empty() {
                continue;
            }
            match labels.by_record.get(&key) {
                Some((known, first)) if *known != label => return Err(LabelsError::Twice { line, first: *first }),
                Some(_) => {}
                None => drop(labels.by_record.insert(key, (label, line))),
            }
        }
        Ok(labels)
    }

    /// The label of a record.
    pub fn label(&self, customer: Option<&str>, id: Option<&str>) -> Option<&str> {
        let customer = customer.filter(|_| self.names_customers).map(str::to_owned);
        self.by_record.get(&(customer, id?.to_owned())).map(|(label, _)| label.as_str())
    }

    /// Every label that occurs, in any order, with repeats.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        self.by_record.values().map(|(label, _)| label.as_str())
    }
}
