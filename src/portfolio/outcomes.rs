//! What became of customers' loans, from a table: `customer`, `bad`, and if known the loan's date, when it went bad,
//! until when it was watched, and its amount. Must not know what was decided.

use std::collections::HashMap;

use serde_json::Value;

use crate::portfolio::backtest::KnownRows;
use crate::words::date::Day;
use crate::words::money::{AmountUnit, Currency, parse_amount};

/// What became of one loan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoanOutcome {
    /// Whether it went bad.
    pub bad: bool,
    /// The day it was paid out.
    pub loan_date: Option<Day>,
    /// The day it went bad.
    pub bad_date: Option<Day>,
    /// The last day on which somebody looked.
    pub observed_until: Option<Day>,
    /// What was lent, in minor units.
    pub amount: Option<i64>,
}

/// The outcomes by customer.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    by_customer: HashMap<String, LoanOutcome>,
}

/// Why outcomes cannot be read. Names rows and columns, but nothing that is in them.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutcomesError {
    /// A column is missing.
    #[error(
        "there is no column `{0}`; outcomes have the columns `customer` and `bad`, and perhaps `loan_date`, \
             `bad_date`, `observed_until` and `amount`"
    )]
    NoColumn(&'static str),
    /// A row is wrong.
    #[error("row {row}: {what}")]
    Row {
        /// Its number, from 1, without the header.
        row: usize,
        /// What is wrong.
        what: &'static str,
    },
}

/// A table of texts, numbers and truth values, column by column.
pub type Table = Vec<(String, Vec<Value>)>;

impl Outcomes {
    /// Reads a table. Amounts are in minor units if they are whole numbers, and in major units if they are texts, as in
    /// a CSV file.
    ///
    /// # Errors
    /// If a column is missing, a value cannot be read, or a customer comes twice.
    pub fn from_table(table: &Table, currency: &Currency) -> Result<Outcomes, OutcomesError> {
        let column = |name: &str| table.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice());
        let customers = column("customer").ok_or(OutcomesError::NoColumn("customer"))?;
        let bads = column("bad").ok_or(OutcomesError::NoColumn("bad"))?;
        let (loans, bad_dates, until, amounts) =
            (column("loan_date"), column("bad_date"), column("observed_until"), column("amount"));
        let mut outcomes = Outcomes { by_customer: HashMap::with_capacity(customers.len()) };
        for (row, (customer, bad)) in customers.iter().zip(bads).enumerate() {
            let wrong = |what| OutcomesError::Row { row: row + 1, what };
            let customer = match customer {
                Value::String(name) if !name.trim().is_empty() => name.trim().to_owned(),
                Value::Number(number) => number.to_string(),
                _ => return Err(wrong("it names no `customer`")),
            };
            let day = |column: Option<&[Value]>, what| match column.and_then(|column| column.get(row)) {
                None | Some(Value::Null) => Ok(None),
                Some(Value::String(text)) if text.trim().is_empty() => Ok(None),
                Some(Value::String(text)) => Day::parse_iso(text.trim()).map(Some).ok_or_else(|| wrong(what)),
                Some(_) => Err(wrong(what)),
            };
            let outcome = LoanOutcome {
                bad: truth(bad).ok_or_else(|| wrong("`bad` is neither 0 nor 1; leave out who has no outcome"))?,
                loan_date: day(loans, "`loan_date` is no day; write it as 2026-10-31")?,
                bad_date: day(bad_dates, "`bad_date` is no day; write it as 2026-10-31")?,
                observed_until: day(until, "`observed_until` is no day; write it as 2026-10-31")?,
                amount: match amounts.and_then(|amounts| amounts.get(row)) {
                    None | Some(Value::Null) => None,
                    Some(Value::String(text)) if text.trim().is_empty() => None,
                    Some(value) => {
                        Some(amount(value, currency).ok_or_else(|| wrong("`amount` is no amount of money"))?)
                    }
                },
            };
            if outcome.bad_date.is_some() && !outcome.bad {
                return Err(wrong("it has a `bad_date` but is not bad"));
            }
            if outcomes.by_customer.insert(customer, outcome).is_some() {
                return Err(wrong("its customer has an outcome in an earlier row"));
            }
        }
        Ok(outcomes)
    }

    /// How many customers have an outcome.
    pub fn count(&self) -> usize {
        self.by_customer.len()
    }

    /// The outcome of each of these customers.
    pub fn for_customers(&self, customers: &[String]) -> Vec<Option<LoanOutcome>> {
        customers.iter().map(|customer| self.by_customer.get(customer).cloned()).collect()
    }
}

/// Which rows have an outcome, and which are bad.
pub fn known_rows(outcomes: &[Option<LoanOutcome>]) -> KnownRows {
    let known = crate::metrics::Bits::from_fn(outcomes.len(), |row| outcomes[row].is_some());
    let bad =
        crate::metrics::Bits::from_fn(outcomes.len(), |row| outcomes[row].as_ref().is_some_and(|outcome| outcome.bad));
    KnownRows { known, bad }
}

fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::String(text) => match text.trim() {
            "0" | "false" => Some(false),
            "1" | "true" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn amount(value: &Value, currency: &Currency) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => parse_amount(text.trim().as_bytes(), AmountUnit::Major, currency.exponent()).ok(),
        _ => None,
    }
    .filter(|amount| *amount >= 0)
}
