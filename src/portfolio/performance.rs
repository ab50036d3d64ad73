//! Tables with a row per loan and month: which loans went bad and when, and how loans move between bands of days past
//! due.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::outcomes::ColumnTable;
use super::statistics::transitions::{LoanMonth, Transitions, count_transitions};
use crate::base::date::Day;

/// The least days past due of each band; the first is 0.
pub const BANDS: [i64; 5] = [0, 1, 30, 60, 90];

/// The columns that are read.
pub const COLUMNS: [&str; 5] = ["customer", "loan", "month", "days_past_due", "loan_date"];

/// What went wrong with a row. Names rows and columns, but no values of customers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PerformanceError {
    /// A column is missing.
    #[error("the column `{0}` is missing; the table has customer, month and days_past_due, perhaps loan and loan_date")]
    Column(&'static str),
    /// A value of a row.
    #[error("row {row}: {what}")]
    Row {
        /// The row, from 1.
        row: usize,
        /// What is wrong, and what to write.
        what: &'static str,
    },
    /// A loan has two rows of a month.
    #[error("row {0}: its loan has an earlier row of the same month; which of the two counts is not clear")]
    Twice(usize),
}

/// The months of a book.
#[derive(Clone, Debug, Default)]
pub struct Performance {
    /// The loans, in the order of their first rows.
    loans: Vec<PerformingLoan>,
}

/// One loan.
#[derive(Clone, Debug)]
struct PerformingLoan {
    customer: String,
    loan: String,
    loan_date: Option<Day>,
    /// The days past due on each day that has a row.
    rows: BTreeMap<Day, i64>,
}

/// What became of a loan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerformedLoan {
    /// The customer.
    pub customer: String,
    /// The loan; empty if the table has no column of loans.
    pub loan: String,
    /// Whether it went bad within the time of the definition.
    pub bad: bool,
    /// The day it was paid out, or that of its first row.
    pub loan_date: Day,
    /// The first day on which it was bad.
    pub bad_date: Option<Day>,
    /// The day of its last row.
    pub observed_until: Day,
}

/// When a loan is bad.
#[derive(Clone, Copy, Debug)]
pub struct BadDefinition {
    /// The days past due.
    pub days: i64,
    /// Within so many months after that of the loan. Loans that are not bad and lack a row in one of these months have
    /// no outcome.
    pub months: Option<u32>,
}

/// What a book's months say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PerformanceSummary {
    /// Loans.
    pub loans: usize,
    /// The first and the last day of a row.
    pub days: Option<(String, String)>,
    /// The bands of days past due: `0`, `1-29`, `30-59`, `60-89`, `90+`.
    pub bands: Vec<String>,
    /// Moves between bands.
    pub transitions: Transitions,
    /// Loans with an outcome under the definition, and how many of them are bad.
    pub known: usize,
    /// See `known`.
    pub bad: usize,
    /// Customers of whom several loans have an outcome.
    pub several: usize,
}

impl Performance {
    /// Reads a table.
    ///
    /// # Errors
    /// If a column is missing, or a value is none.
    pub fn from_table(table: &ColumnTable) -> Result<Performance, PerformanceError> {
        let column = |name: &str| table.iter().find(|(known, _)| known == name).map(|(_, values)| values);
        let needed = |name: &'static str| column(name).ok_or(PerformanceError::Column(name));
        let (customers, months, late) = (needed("customer")?, needed("month")?, needed("days_past_due")?);
        let (ids, dates) = (column("loan"), column("loan_date"));
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        let mut loans: Vec<PerformingLoan> = Vec::new();
        for row in 0..customers.len() {
            let wrong = |what| PerformanceError::Row { row: row + 1, what };
            let customer = text_of(&customers[row]).ok_or(wrong("`customer` is empty"))?;
            let day = text_of(&months[row]).and_then(|text| parse_month(&text));
            let day = day.ok_or(wrong("`month` is not a day or month; write 2026-03-31 or 2026-03"))?;
            let late = number_of(&late[row]).ok_or(wrong("`days_past_due` is not a whole number from 0"))?;
            let loan_date = match dates.map(|dates| text_of(&dates[row])) {
                Some(Some(text)) => {
                    Some(Day::parse_iso(&text).ok_or(wrong("`loan_date` is not a day; write 2026-03-31"))?)
                }
                _ => None,
            };
            let id = match ids {
                Some(ids) => text_of(&ids[row]).ok_or(wrong("`loan` is empty"))?,
                None => String::new(),
            };
            let place = *places.entry(format!("{customer}\n{id}")).or_insert_with(|| {
                let (customer, loan) = (customer.clone(), id.clone());
                loans.push(PerformingLoan { customer, loan, loan_date, rows: BTreeMap::new() });
                loans.len() - 1
            });
            let loan = &mut loans[place];
            if loan.loan_date != loan_date {
                return Err(wrong("its `loan_date` is another than in an earlier row of the loan"));
            }
            let month = day.month_index();
            if loan.rows.range(day.month_start()..).next().is_some_and(|(other, _)| other.month_index() == month) {
                return Err(PerformanceError::Twice(row + 1));
            }
            loan.rows.insert(day, late);
        }
        Ok(Performance { loans })
    }

    /// What became of each loan that was observed long enough.
    pub fn outcomes(&self, definition: BadDefinition) -> Vec<PerformedLoan> {
        self.loans.iter().filter_map(|loan| loan.outcome(definition)).collect()
    }

    /// Sums the months up.
    pub fn summarize(&self, definition: BadDefinition) -> PerformanceSummary {
        let outcomes = self.outcomes(definition);
        let rows = self.loans.iter().enumerate().flat_map(|(loan, one)| {
            let row =
                move |(day, late): (&Day, &i64)| LoanMonth { loan, month: day.month_index(), band: band_of(*late) };
            one.rows.iter().map(row)
        });
        let rows: Vec<LoanMonth> = rows.collect();
        let days = || self.loans.iter().flat_map(|loan| loan.rows.keys());
        let mut of_customer: BTreeMap<&str, usize> = BTreeMap::new();
        outcomes.iter().for_each(|one| *of_customer.entry(&one.customer).or_default() += 1);
        PerformanceSummary {
            loans: self.loans.len(),
            days: days().min().zip(days().max()).map(|(first, last)| (first.to_string(), last.to_string())),
            bands: (0..BANDS.len()).map(band_name).collect(),
            transitions: count_transitions(&rows, BANDS.len()),
            known: outcomes.len(),
            bad: outcomes.iter().filter(|one| one.bad).count(),
            several: of_customer.values().filter(|loans| **loans > 1).count(),
        }
    }
}

impl PerformingLoan {
    /// Months are compared, not days: a row is that of its month.
    fn outcome(&self, definition: BadDefinition) -> Option<PerformedLoan> {
        let (first, last) = (*self.rows.keys().next()?, *self.rows.keys().next_back()?);
        let loan_date = self.loan_date.unwrap_or(first);
        let begun = loan_date.month_index();
        let until = definition.months.and_then(|months| i32::try_from(months).ok()).map(|months| begun + months);
        let is_within = |day: &Day| {
            let month = day.month_index();
            month >= begun && until.is_none_or(|until| month <= until)
        };
        let mut late = self.rows.iter().filter(|(_, late)| **late >= definition.days).map(|(day, _)| *day);
        let bad_date = late.find(is_within);
        // What happened in a month without a row is unknown.
        let months = self.rows.keys().filter(|day| is_within(day) && day.month_index() > begun).count();
        let was_observed = until.is_none_or(|until| usize::try_from(until - begun) == Ok(months));
        (bad_date.is_some() || was_observed).then(|| PerformedLoan {
            customer: self.customer.clone(),
            loan: self.loan.clone(),
            bad: bad_date.is_some(),
            loan_date,
            // A row without a day is its month's last, and the loan may be of a later day of the same month.
            bad_date: bad_date.map(|day| day.max(loan_date)),
            observed_until: last.max(loan_date),
        })
    }
}

/// The band of so many days past due.
fn band_of(late: i64) -> usize {
    BANDS.iter().rposition(|least| late >= *least).unwrap_or(0)
}

fn band_name(band: usize) -> String {
    match (BANDS[band], BANDS.get(band + 1)) {
        (0, _) => "0".to_owned(),
        (least, Some(next)) => format!("{least}-{}", next - 1),
        (least, None) => format!("{least}+"),
    }
}

/// A day, or the last day of a month.
fn parse_month(text: &str) -> Option<Day> {
    if let Some(day) = Day::parse_iso(text) {
        return Some(day);
    }
    let first = Day::parse_iso(&format!("{text}-01"))?;
    Day::checked_from_days(first.plus_months(1)?.days() - 1)
}

fn text_of(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

fn number_of(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => {
            number.as_i64().or_else(|| number.as_f64().filter(|n| n.fract() == 0.0).map(|n| n as i64))
        }
        // Programs write 30.0 for 30 where some cells of a column are empty.
        Value::String(text) => text.trim().trim_end_matches('0').strip_suffix('.').unwrap_or(text.trim()).parse().ok(),
        _ => None,
    }
    .filter(|late| *late >= 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(&str, &str, i64)]) -> ColumnTable {
        let column = |value: &dyn Fn(&(&str, &str, i64)) -> Value| rows.iter().map(value).collect::<Vec<_>>();
        vec![
            ("customer".to_owned(), column(&|row| row.0.into())),
            ("month".to_owned(), column(&|row| row.1.into())),
            ("days_past_due".to_owned(), column(&|row| row.2.into())),
        ]
    }

    fn outcome(rows: &[(&str, &str, i64)], months: Option<u32>) -> Vec<(String, bool, Option<String>)> {
        let performance = Performance::from_table(&table(rows)).expect("a table");
        let found = performance.outcomes(BadDefinition { days: 90, months });
        found.into_iter().map(|one| (one.customer, one.bad, one.bad_date.map(|day| day.to_string()))).collect()
    }

    #[test]
    fn a_loan_is_bad_from_its_first_month_that_late() {
        let rows = [
            ("a", "2026-01", 0),
            ("a", "2026-02", 95),
            ("a", "2026-03", 120),
            ("b", "2026-01-15", 0),
            ("b", "2026-02", 89),
        ];
        let wanted = [("a".to_owned(), true, Some("2026-02-28".to_owned())), ("b".to_owned(), false, None)];
        assert_eq!(outcome(&rows, None), wanted);
        // `b` was not seen for three months, so its outcome is unknown.
        assert_eq!(outcome(&rows, Some(3)), wanted[..1]);
        // What happens after that time does not count.
        let late = ["2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06"];
        let late = late.map(|month| ("a", month, if month == "2026-06" { 95 } else { 0 }));
        assert_eq!(outcome(&late, Some(3)), [("a".to_owned(), false, None)]);
        assert!(outcome(&late, Some(5))[0].1);
        // It was not seen in March.
        assert_eq!(outcome(&[late[0], late[1], late[3]], Some(3)), []);
        // The last month counts whole, whatever the day of the loan and the length of the month.
        for month in ["2026-01", "2026-02", "2026-04"] {
            let day = |later: u32| {
                let first = Day::parse_iso(&format!("{month}-01")).expect("a day").plus_months(later).expect("a day");
                first.to_string()[..7].to_owned()
            };
            let months = [day(0), day(1), day(2), day(3)];
            let rows: Vec<(&str, &str, i64)> = months
                .iter()
                .enumerate()
                .map(|(at, month)| ("a", month.as_str(), if at == 3 { 95 } else { 0 }))
                .collect();
            assert!(outcome(&rows, Some(3))[0].1, "{month}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_by_row() {
        let error =
            |rows: &[(&str, &str, i64)]| Performance::from_table(&table(rows)).expect_err("refused").to_string();
        assert!(error(&[("a", "March", 0)]).starts_with("row 1: `month` is not a day or month"));
        assert!(error(&[("a", "2026-01", -1)]).contains("`days_past_due` is not a whole number"));
        assert!(error(&[("", "2026-01", 1)]).contains("`customer` is empty"));
        assert!(
            error(&[("a", "2026-01-02", 1), ("a", "2026-01-31", 1)]).starts_with("row 2: its loan has an earlier row")
        );
        assert!(
            error(&[("a", "2026-01-31", 1), ("a", "2026-01-02", 1)]).starts_with("row 2: its loan has an earlier row")
        );
        let missing = vec![("customer".to_owned(), vec![]), ("month".to_owned(), vec![])];
        assert!(Performance::from_table(&missing).expect_err("refused").to_string().contains("`days_past_due`"));
    }

    #[test]
    fn loans_of_a_customer_are_apart() {
        let mut two = table(&[("a", "2026-01", 0), ("a", "2026-01", 95), ("a", "2026-02", 0)]);
        two.push(("loan".to_owned(), ["1", "2", "1"].map(Value::from).to_vec()));
        let performance = Performance::from_table(&two).expect("a table");
        let summary = performance.summarize(BadDefinition { days: 90, months: None });
        assert_eq!((summary.loans, summary.known, summary.bad, summary.several), (2, 2, 1, 1));
        assert_eq!(summary.bands, ["0", "1-29", "30-59", "60-89", "90+"]);
        assert_eq!(summary.transitions.all()[0][0], 1);
        assert_eq!(summary.transitions.gone, [0, 0, 0, 0, 1]);
    }
}
