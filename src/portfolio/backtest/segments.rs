//! Divides customers by a column: texts and truth values as they are, numbers in intervals, days by month.

use std::collections::{BTreeMap, HashMap};

use polars::prelude::{Column, DataType};

use super::count::Tally;
use super::decisions::Decisions;
use super::summary::{Concentration, SegmentRow, Segmentation};
use crate::base::date::{Day, format_month};
use crate::engine::metrics::Bits;
use crate::portfolio::outcomes::KnownRows;

/// How many values a column keeps by themselves; the others are one.
const VALUES_MAX: usize = 30;

/// How many different whole numbers are shown as they are.
const NUMBERS_MAX: usize = 12;

/// How many intervals numbers are cut into.
const INTERVALS: usize = 5;

/// The value of a row without one.
const UNKNOWN: &str = "unknown";

/// Customers divided by a column.
#[derive(Clone, Debug)]
pub struct Segments {
    /// The column.
    pub by: String,
    /// The role of the policy that gives the value, if it matters.
    pub value_of: Option<String>,
    /// The values in order, each with its customers.
    pub(crate) rows: Vec<(String, Bits)>,
}

impl Segments {
    /// By the month of `as_of`.
    pub fn by_month(days: &[Option<Day>]) -> Segments {
        let values = days.iter().map(|day| day.map(Day::month_index));
        let mut rows: BTreeMap<Option<i32>, Bits> = BTreeMap::new();
        for (row, value) in values.enumerate() {
            rows.entry(value).or_insert_with(|| Bits::all(days.len(), false)).set(row);
        }
        let name = |month: Option<i32>| month.map_or(UNKNOWN.to_owned(), format_month);
        let unknown = rows.remove(&None).map(|rows| (UNKNOWN.to_owned(), rows));
        let known = rows.into_iter().map(|(month, rows)| (name(month), rows));
        Segments { by: "month".to_owned(), value_of: None, rows: known.chain(unknown).collect() }
    }

    /// By a column; numbers are shown divided by `minor`.
    ///
    /// # Errors
    /// If the column holds nothing that divides.
    pub fn by_column(name: &str, column: &Column, minor: f64) -> Result<Segments, String> {
        let failed = |error: polars::error::PolarsError| error.to_string();
        let rows = match column.dtype() {
            DataType::String => {
                let texts = column.str().map_err(failed)?;
                by_value(texts.iter().map(|text| text.map(str::to_owned)), texts.len())
            }
            DataType::Boolean => {
                let truths = column.bool().map_err(failed)?;
                by_value(truths.iter().map(|truth| truth.map(|truth| truth.to_string())), truths.len())
            }
            DataType::Date => {
                let days = column.to_physical_repr();
                let days: Vec<Option<Day>> =
                    days.i32().map_err(failed)?.iter().map(|day| day.and_then(Day::checked_from_days)).collect();
                Segments::by_month(&days).rows
            }
            dtype if dtype.is_primitive_numeric() => {
                let whole = dtype.is_integer();
                let numbers = column.cast(&DataType::Float64).map_err(failed)?;
                let numbers = numbers.f64().map_err(failed)?.iter();
                let numbers: Vec<Option<f64>> = numbers.map(|number| Some(number? / minor)).collect();
                by_number(&numbers, whole)
            }
            _ => return Err(format!("the column `{name}` holds nothing that customers can be divided by")),
        };
        Ok(Segments { by: name.to_owned(), value_of: None, rows })
    }

    /// The segments with what each policy offers them.
    pub fn summary(&self, policies: &[&Decisions], known: &KnownRows) -> Segmentation {
        let row = |(value, rows): &(String, Bits)| {
            let customers = rows.count(0..rows.len()) as u64;
            let offered = |decisions: &&Decisions| {
                Tally::new(&rows.and(&decisions.outcomes[0]), decisions, known).numbers(customers)
            };
            SegmentRow { value: value.clone(), customers, offered: policies.iter().map(offered).collect() }
        };
        Segmentation { by: self.by.clone(), value_of: self.value_of.clone(), rows: self.rows.iter().map(row).collect() }
    }

    /// Where changed outcomes are concentrated.
    pub(crate) fn concentration(&self, moved: &Bits) -> Vec<Concentration> {
        let all = moved.len() as f64;
        let share_of_all = moved.count(0..moved.len()) as f64 / all;
        let row = |(value, rows): &(String, Bits)| {
            let customers = rows.count(0..rows.len()) as u64;
            let changed = rows.and(moved).count(0..rows.len()) as u64;
            let is_known = customers > 0 && share_of_all > 0.0;
            Concentration {
                by: self.by.clone(),
                value: value.clone(),
                customers,
                changed,
                lift: is_known.then(|| changed as f64 / customers as f64 / share_of_all),
            }
        };
        self.rows.iter().map(row).collect()
    }
}

fn by_value(values: impl Iterator<Item = Option<String>>, rows: usize) -> Vec<(String, Bits)> {
    let mut found: HashMap<Option<String>, Bits> = HashMap::new();
    for (row, value) in values.enumerate() {
        found.entry(value).or_insert_with(|| Bits::all(rows, false)).set(row);
    }
    let unknown = found.remove(&None);
    let mut found: Vec<(String, Bits)> =
        found.into_iter().filter_map(|(value, rows)| value.map(|value| (value, rows))).collect();
    if found.len() > VALUES_MAX {
        // The most frequent stay.
        let count = |rows: &Bits| rows.count(0..rows.len());
        found.sort_by(|one, other| count(&other.1).cmp(&count(&one.1)).then_with(|| one.0.cmp(&other.0)));
        let rest = found.split_off(VALUES_MAX);
        let all = rest.iter().fold(Bits::all(rows, false), |all, (_, rows)| all.or(rows));
        found.sort_by(|one, other| one.0.cmp(&other.0));
        found.push((format!("{} other values", rest.len()), all));
    } else {
        found.sort_by(|one, other| one.0.cmp(&other.0));
    }
    found.extend(unknown.map(|rows| (UNKNOWN.to_owned(), rows)));
    found
}

fn by_number(numbers: &[Option<f64>], whole: bool) -> Vec<(String, Bits)> {
    let mut known: Vec<f64> = numbers.iter().flatten().copied().filter(|number| number.is_finite()).collect();
    known.sort_by(f64::total_cmp);
    let mut distinct = known.clone();
    distinct.dedup();
    let as_they_are = whole && distinct.len() <= NUMBERS_MAX;
    let starts: Vec<f64> = match as_they_are {
        true => distinct.clone(),
        false => {
            let mut starts: Vec<f64> =
                (0..INTERVALS).filter_map(|part| known.get(part * known.len() / INTERVALS).copied()).collect();
            starts.dedup();
            starts
        }
    };
    let name = |at: usize| match (as_they_are, starts.get(at + 1)) {
        (true, _) => starts[at].to_string(),
        (false, Some(next)) => format!("{}..{next}", starts[at]),
        (false, None) => format!(">= {}", starts[at]),
    };
    let interval = |row: usize| {
        let number = numbers[row].filter(|number| number.is_finite())?;
        Some(starts.partition_point(|start| *start <= number).saturating_sub(1))
    };
    let mut found: Vec<(String, Bits)> =
        (0..starts.len()).map(|at| (name(at), Bits::all(numbers.len(), false))).collect();
    let mut unknown = Bits::all(numbers.len(), false);
    for row in 0..numbers.len() {
        match interval(row) {
            Some(at) => found[at].1.set(row),
            None => unknown.set(row),
        }
    }
    if unknown.count(0..numbers.len()) > 0 {
        found.push((UNKNOWN.to_owned(), unknown));
    }
    found
}
