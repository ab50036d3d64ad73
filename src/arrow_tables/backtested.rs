//! Backtests of tables: what is known of customers, and the results as tables. Must not know how results are compared.

use std::collections::HashSet;

use polars::prelude::{Column, DataFrame, NamedFrom, PolarsResult, Series};
use serde_json::Value;

use super::error::Error;
use super::requests::{Requests, customer_text};
use super::results::Results;
use crate::batch::FailedStatement;
use crate::decision::Outcome;
use crate::portfolio::{Comparison, Decided, Group, KnownOutcomes, PolicyResult, compare, result};
use crate::statement::{GivenColumn, plain_values};
use crate::words::date::Day;

/// The order of outcomes in tables.
const OUTCOMES: [Outcome; 3] = [Outcome::Offer, Outcome::Refer, Outcome::Decline];

/// What became of customers, from a table with `customer`, `bad` (0 or 1, or a boolean) and perhaps `loan_date`.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    known: KnownOutcomes,
}

impl Outcomes {
    /// Adds the rows of a table. Where it has a `loan_date`, `requests` gets the day before: only records before the
    /// loan count.
    ///
    /// # Errors
    /// If a column is missing, a value is another, or a customer comes twice.
    pub fn add_table(&mut self, columns: Vec<GivenColumn>, rows: usize, requests: &mut Requests) -> Result<(), Error> {
        let columns = plain_values(columns, rows).map_err(|error| Error::Outcomes(error.to_string()))?;
        let column = |name: &str| columns.iter().find(|(known, _)| known == name).map(|(_, values)| values);
        let missing = |name: &str| Error::Outcomes(format!("the table has no column `{name}`"));
        let customers = column("customer").ok_or_else(|| missing("customer"))?;
        let bads = column("bad").ok_or_else(|| missing("bad"))?;
        let dates = column("loan_date");
        for row in 0..rows {
            let wrong = |what: String| Error::Outcomes(format!("row {}: {what}", row + 1));
            let customer = match customers.get(row) {
                None | Some(Value::Null) => return Err(wrong("it names no `customer`".to_owned())),
                Some(value) => customer_text(value, row)?,
            };
            let bad = match bads.get(row) {
                Some(Value::Bool(bad)) => *bad,
                Some(value) if value.as_f64() == Some(0.0) => false,
                Some(value) if value.as_f64() == Some(1.0) => true,
                _ => return Err(wrong("`bad` is neither 0 nor 1; leave out who has no outcome".to_owned())),
            };
            if let Some(date) = dates.and_then(|dates| dates.get(row)).filter(|date| !date.is_null()) {
                let day = date.as_str().and_then(Day::parse_iso);
                let day = day.ok_or_else(|| wrong("`loan_date` is no day; write it as 2026-10-31".to_owned()))?;
                let before = Day::checked_from_days(day.days() - 1);
                let before = before.ok_or_else(|| wrong("`loan_date` lies outside of all years".to_owned()))?;
                requests.add_day(customer.clone(), before);
            }
            if self.known.insert(customer, bad).is_some() {
                return Err(wrong("its customer has an outcome in an earlier row".to_owned()));
            }
        }
        Ok(())
    }
}

/// What policies did, as tables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Backtested {
    /// By policy and outcome: customers, share, amount; with outcomes also known, bad, and the bad rate with its
    /// bounds.
    pub outcomes: DataFrame,
    /// By policy and reason: customers with it, whose first it is, and who have no other.
    pub reasons: DataFrame,
    /// By the outcomes of both policies, if there are two.
    pub swap_set: Option<DataFrame>,
    /// Customers whose outcome or greatest offer differs, if there are two policies.
    pub flips: Option<DataFrame>,
    /// Customers with an outcome on whom nothing was decided.
    pub unmet: Vec<FailedStatement>,
}

/// Backtests decisions of a policy, beside those of a champion if there is one.
///
/// # Errors
/// If the two were not made of the same customers.
pub fn backtest(policy: &[Results], champion: Option<&[Results]>, outcomes: &Outcomes) -> Result<Backtested, Error> {
    let (mut own, mut before) = (decided(policy)?, champion.map(decided).transpose()?);
    if let Some(before) = &mut before {
        // Who failed under one of them is listed, and counts under neither.
        let names = |all: &[Decided]| -> HashSet<String> { all.iter().map(|one| one.customer.clone()).collect() };
        let (of_own, of_before) = (names(&own), names(before));
        own.retain(|one| of_before.contains(&one.customer));
        before.retain(|one| of_own.contains(&one.customer));
    }
    let mut results = Vec::new();
    if let Some(before) = &before {
        results.push(("champion", result(before, &outcomes.known)));
    }
    let name = if before.is_some() { "challenger" } else { "policy" };
    results.push((name, result(&own, &outcomes.known)));
    let comparison = match &before {
        Some(before) => {
            let compared = compare(before, &own, &outcomes.known);
            Some(compared.map_err(|error| Error::Outcomes(error.to_string()))?)
        }
        None => None,
    };
    let is_known = !outcomes.known.is_empty();
    Ok(Backtested {
        outcomes: outcomes_table(&results, is_known)?,
        reasons: reasons_table(&results)?,
        swap_set: comparison.as_ref().map(|found| swap_table(found, is_known)).transpose()?,
        flips: comparison.as_ref().map(flips_table).transpose()?,
        unmet: unmet(&own, outcomes),
    })
}

/// The customers with an outcome who were not decided, in order.
fn unmet(decided: &[Decided], outcomes: &Outcomes) -> Vec<FailedStatement> {
    let met: HashSet<&str> = decided.iter().map(|one| one.customer.as_str()).collect();
    let mut unmet: Vec<&String> = outcomes.known.keys().filter(|customer| !met.contains(customer.as_str())).collect();
    unmet.sort();
    let failed = |customer: &String| FailedStatement {
        source: "outcomes".to_owned(),
        customer: Some(customer.clone()),
        place: None,
        what: "an outcome without a decision: it counts nowhere".to_owned(),
    };
    unmet.into_iter().map(failed).collect()
}

fn decided(results: &[Results]) -> Result<Vec<Decided>, Error> {
    let mut all: Vec<Decided> = Vec::new();
    for table in results.iter().filter_map(|results| results.tables.first()) {
        let (customers, outcomes) = (table.column("customer")?.str()?, table.column("outcome")?.str()?);
        let (amounts, reasons) = (table.column("amount_max")?.i64()?, table.column("reasons")?.str()?);
        for row in 0..table.height() {
            let outcome = OUTCOMES.into_iter().find(|outcome| Some(outcome.word()) == outcomes.get(row));
            let ids = reasons.get(row).unwrap_or_default().split(';').filter(|id| !id.is_empty());
            let customer = customers.get(row).unwrap_or_default();
            // Statements come in the order of their customers.
            if all.last().is_some_and(|last| last.customer == customer) {
                return Err(Error::Outcomes(format!(
                    "customer `{customer}` has several statements, and a backtest counts customers; merge the accounts \
                     of a customer"
                )));
            }
            all.push(Decided {
                customer: customer.to_owned(),
                outcome: outcome.ok_or(Error::Internal("a decision without an outcome"))?,
                amount: amounts.get(row),
                reasons: ids.map(str::to_owned).collect(),
            });
        }
    }
    Ok(all)
}

fn texts<'t>(name: &str, values: impl Iterator<Item = &'t str>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

fn counts(name: &str, values: impl Iterator<Item = u64>) -> Column {
    Series::new(name.into(), values.map(|count| count as i64).collect::<Vec<_>>()).into()
}

fn rates(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

/// The columns that every table of groups ends with; those of outcomes only where some are known.
fn group_columns(groups: &[Group], all: &[u64], is_known: bool) -> Vec<Column> {
    let share = |(group, all): (&Group, &u64)| (*all > 0).then(|| group.customers as f64 / *all as f64);
    let amount = |group: &Group| i64::try_from(group.amount).ok();
    let each = || groups.iter();
    let mut columns = vec![
        counts("customers", each().map(|group| group.customers)),
        rates("share", groups.iter().zip(all).map(share)),
        Series::new("amount".into(), each().map(amount).collect::<Vec<_>>()).into(),
    ];
    if is_known {
        columns.extend([
            counts("known", each().map(|group| group.known)),
            counts("bad", each().map(|group| group.bad)),
            rates("bad_rate", each().map(Group::bad_rate)),
            rates("bad_rate_min", each().map(|group| group.bad_rate_bounds().map(|(least, _)| least))),
            rates("bad_rate_max", each().map(|group| group.bad_rate_bounds().map(|(_, most)| most))),
        ]);
    }
    columns
}

fn outcomes_table(results: &[(&str, PolicyResult)], is_known: bool) -> PolarsResult<DataFrame> {
    let rows: Vec<(&str, Outcome, Group, u64)> = results
        .iter()
        .flat_map(|(name, result)| {
            let all = result.outcomes.values().map(|group| group.customers).sum();
            result.outcomes.iter().map(move |(outcome, group)| (*name, *outcome, *group, all))
        })
        .collect();
    let mut columns =
        vec![texts("policy", rows.iter().map(|row| row.0)), texts("outcome", rows.iter().map(|row| row.1.word()))];
    let (groups, all): (Vec<Group>, Vec<u64>) = rows.iter().map(|row| (row.2, row.3)).unzip();
    columns.extend(group_columns(&groups, &all, is_known));
    DataFrame::new(rows.len(), columns)
}

fn reasons_table(results: &[(&str, PolicyResult)]) -> PolarsResult<DataFrame> {
    let rows: Vec<_> = results
        .iter()
        .flat_map(|(name, result)| result.reasons.iter().map(move |(reason, count)| (*name, reason.as_str(), *count)))
        .collect();
    let columns = vec![
        texts("policy", rows.iter().map(|row| row.0)),
        texts("reason", rows.iter().map(|row| row.1)),
        counts("any", rows.iter().map(|row| row.2.any)),
        counts("first", rows.iter().map(|row| row.2.first)),
        counts("only", rows.iter().map(|row| row.2.only)),
    ];
    DataFrame::new(rows.len(), columns)
}

fn swap_table(comparison: &Comparison, is_known: bool) -> PolarsResult<DataFrame> {
    let cells: Vec<_> = comparison.swap_set.iter().map(|((before, after), group)| (*before, *after, *group)).collect();
    let all = cells.iter().map(|cell| cell.2.customers).sum();
    let mut columns = vec![
        texts("champion", cells.iter().map(|cell| cell.0.word())),
        texts("challenger", cells.iter().map(|cell| cell.1.word())),
    ];
    let groups: Vec<Group> = cells.iter().map(|cell| cell.2).collect();
    columns.extend(group_columns(&groups, &vec![all; groups.len()], is_known));
    DataFrame::new(cells.len(), columns)
}

fn flips_table(comparison: &Comparison) -> PolarsResult<DataFrame> {
    let flips = &comparison.flips;
    let reasons = |decided: &Decided| decided.reasons.join(";");
    let amounts = |name: &str, of: &dyn Fn(usize) -> Option<i64>| -> Column {
        Series::new(name.into(), (0..flips.len()).map(of).collect::<Vec<_>>()).into()
    };
    let (before, after): (Vec<String>, Vec<String>) =
        flips.iter().map(|flip| (reasons(&flip.champion), reasons(&flip.challenger))).unzip();
    let columns = vec![
        texts("customer", flips.iter().map(|flip| flip.champion.customer.as_str())),
        texts("champion", flips.iter().map(|flip| flip.champion.outcome.word())),
        texts("challenger", flips.iter().map(|flip| flip.challenger.outcome.word())),
        amounts("champion_amount", &|row| flips[row].champion.amount),
        amounts("challenger_amount", &|row| flips[row].challenger.amount),
        texts("champion_reasons", before.iter().map(String::as_str)),
        texts("challenger_reasons", after.iter().map(String::as_str)),
        Series::new("bad".into(), flips.iter().map(|flip| flip.bad).collect::<Vec<_>>()).into(),
    ];
    DataFrame::new(flips.len(), columns)
}
