//! What became of customers' loans, from a table: `customer`, `bad`, and if known the loan's date, when it went bad,
//! until when it was watched, and its amount.

use std::collections::HashMap;

use serde_json::Value;

use crate::base::date::Day;
use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::engine::metrics::Bits;
use crate::portfolio::customer_table::is_unknown_cell;
use crate::statement::customer_of;

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
    /// The outcome of each customer.
    pub(crate) by_customer: HashMap<String, LoanOutcome>,
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

/// A table of texts, numbers and truth values, column by column. No two columns have one name.
pub type ColumnTable = Vec<(String, Vec<Value>)>;

impl Outcomes {
    /// Reads a table without amounts.
    ///
    /// # Errors
    /// As [`Outcomes::from_table`].
    #[allow(dead_code, reason = "only commands use it")]
    pub(crate) fn without_amounts(table: &ColumnTable) -> Result<Outcomes, OutcomesError> {
        let mut outcomes = Outcomes::default();
        for (row, customer, outcome) in read_rows(table, None)? {
            outcomes.insert(row, (customer, outcome))?;
        }
        Ok(outcomes)
    }

    /// Reads a table. Amounts that are texts, as in a CSV file, are in major units; `numbers` is the unit of those that
    /// are numbers.
    ///
    /// # Errors
    /// If a column is missing, a value cannot be read, or a customer comes twice.
    pub fn from_table(
        table: &ColumnTable,
        currency: &Currency,
        numbers: AmountUnit,
    ) -> Result<Outcomes, OutcomesError> {
        let mut outcomes = Outcomes::default();
        for (row, customer, outcome) in read_rows(table, Some((currency, numbers)))? {
            outcomes.insert(row, (customer, outcome))?;
        }
        Ok(outcomes)
    }

    /// Adds the outcome of a row, counted from 0.
    ///
    /// # Errors
    /// If its customer has one.
    pub(crate) fn insert(
        &mut self,
        row: usize,
        (customer, outcome): (String, LoanOutcome),
    ) -> Result<(), OutcomesError> {
        match self.by_customer.insert(customer, outcome) {
            None => Ok(()),
            Some(_) => Err(outcome_row_error(row, "its customer has an outcome in an earlier row")),
        }
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

/// Reads each row of a table that has an outcome: its number from 0, its customer and the outcome. Without a currency,
/// amounts are not read.
///
/// # Errors
/// If a column is missing, or a value cannot be read.
pub(crate) fn read_rows(
    table: &ColumnTable,
    money: Option<(&Currency, AmountUnit)>,
) -> Result<Vec<(usize, String, LoanOutcome)>, OutcomesError> {
    let column = |name: &str| table.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice());
    let needed = |name| column(name).ok_or(OutcomesError::NoColumn(name));
    let (customers, bads) = (needed("customer")?, needed("bad")?);
    let [loans, bad_dates, until] = ["loan_date", "bad_date", "observed_until"].map(column);
    let amounts = money.zip(column("amount"));
    let read = |(row, (customer, bad)): (usize, (&Value, &Value))| {
        let customer = customer_of(customer).map_err(|what| outcome_row_error(row, what))?;
        let day =
            |column: Option<&[Value]>, what| parse_outcome_day(column.and_then(|column| column.get(row)), row, what);
        let bad = read_outcome_truth(bad).ok_or_else(|| outcome_row_error(row, NO_TRUTH))?;
        let outcome = LoanOutcome {
            bad,
            loan_date: day(loans, "`loan_date` is no day; write it as 2026-10-31")?,
            bad_date: day(bad_dates, "`bad_date` is no day; write it as 2026-10-31")?,
            observed_until: day(until, "`observed_until` is no day; write it as 2026-10-31")?,
            amount: match amounts.and_then(|(money, amounts)| Some((money, given_table_value(amounts.get(row))?))) {
                None => None,
                Some((money, value)) => {
                    Some(parse_outcome_amount(value, money).map_err(|what| outcome_row_error(row, what))?)
                }
            },
        };
        if outcome.bad_date.is_some() && !bad {
            return Err(outcome_row_error(row, "it has a `bad_date` but is not bad"));
        }
        if outcome.bad_date.zip(outcome.observed_until).is_some_and(|(bad, until)| bad > until) {
            return Err(outcome_row_error(row, "its `bad_date` is after `observed_until`"));
        }
        Ok((row, customer, outcome))
    };
    // Tables of applications have an empty cell for those who got no loan.
    let has_outcome = |(_, (_, bad)): &(usize, (&Value, &Value))| given_table_value(Some(*bad)).is_some();
    customers.iter().zip(bads).enumerate().filter(has_outcome).map(read).collect()
}

/// Which customers have an outcome, and which of those are bad.
#[derive(Clone, Debug)]
pub struct KnownRows {
    /// Customers with an outcome.
    pub(crate) known: Bits,
    /// Of those, the bad ones.
    pub(crate) bad: Bits,
}

impl KnownRows {
    /// Nobody has an outcome.
    pub fn none(rows: usize) -> KnownRows {
        KnownRows { known: Bits::all(rows, false), bad: Bits::all(rows, false) }
    }

    /// Whether a customer is bad; `None` if nobody knows.
    pub fn bad(&self, row: usize) -> Option<bool> {
        self.known.get(row).then(|| self.bad.get(row))
    }
}

/// Which rows have an outcome, and which are bad.
pub fn known_rows(outcomes: &[Option<LoanOutcome>]) -> KnownRows {
    let known = Bits::from_fn(outcomes.len(), |row| outcomes[row].is_some());
    let bad = Bits::from_fn(outcomes.len(), |row| outcomes[row].as_ref().is_some_and(|outcome| outcome.bad));
    KnownRows { known, bad }
}

const NO_TRUTH: &str = "`bad` is neither 0 nor 1, true nor false, yes nor no; leave it empty without an outcome";
const NO_AMOUNT: &str = "`amount` is no amount of money; write whole minor units, or major units as text";

fn outcome_row_error(row: usize, what: &'static str) -> OutcomesError {
    OutcomesError::Row { row: row + 1, what }
}

/// What is there. An empty field of a CSV file is not, nor one that says so, such as `NA`.
pub(super) fn given_table_value(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !is_unknown_cell(value))
}

fn parse_outcome_day(value: Option<&Value>, row: usize, what: &'static str) -> Result<Option<Day>, OutcomesError> {
    let Some(value) = given_table_value(value) else { return Ok(None) };
    value.as_str().and_then(|text| Day::parse_iso(text.trim())).map(Some).ok_or_else(|| outcome_row_error(row, what))
}

/// Whether a value says that a loan went bad: 1, true or yes; `None` if it says neither that nor the contrary.
pub(crate) fn read_outcome_truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Number(number) if number.as_f64() == Some(0.0) => Some(false),
        Value::Number(number) if number.as_f64() == Some(1.0) => Some(true),
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "0" | "0.0" | "false" | "no" => Some(false),
            "1" | "1.0" | "true" | "yes" => Some(true),
            _ => None,
        },
        _ => None,
    }
}

fn parse_outcome_amount(value: &Value, (currency, numbers): (&Currency, AmountUnit)) -> Result<i64, &'static str> {
    let major = |text: &str| parse_amount(text.as_bytes(), AmountUnit::Major, currency.exponent()).ok();
    let amount = match (value, numbers) {
        (Value::Number(number), AmountUnit::Minor) => number.as_i64(),
        (Value::Number(number), AmountUnit::Major) => major(&number.to_string()),
        (Value::String(text), _) => major(text.trim()),
        _ => None,
    };
    match (amount, numbers) {
        (Some(amount), _) if amount >= 0 => Ok(amount),
        (Some(_), _) => Err("`amount` is below 0"),
        (None, AmountUnit::Minor) => Err(NO_AMOUNT),
        (None, AmountUnit::Major) => Err("`amount` cannot be read as an amount in major units"),
    }
}
