//! Backtests of tables: what is known of customers, and the results as tables.

use std::collections::HashSet;

use polars::prelude::{Column, DataFrame, NamedFrom, PolarsResult, Series};

use super::error::Error;
use super::requests::Requests;
use super::results::Results;
use crate::base::date::Day;
use crate::portfolio::backtest::count::count_offer_changes;
use crate::portfolio::outcomes::read_rows;
use crate::portfolio::summary::GroupNumbers;
use crate::portfolio::{
    self, DecidedRow, Decisions, KnownRows, OUTCOMES, OutcomesError, known_rows, outcome_rows, reason_rows, swap_cells,
};
use crate::run::batch::FailedStatement;
use crate::statement::GivenColumn;
use crate::statement::arrow_tables::plain_values;

/// What became of customers, from a table with `customer`, `bad` (0 or 1, or a boolean) and perhaps `loan_date`. Other
/// columns are ignored.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    known: portfolio::Outcomes,
}

const COLUMNS_READ: [&str; 3] = ["customer", "bad", "loan_date"];

impl Outcomes {
    /// Adds the rows of a table. Where it has a `loan_date`, `requests` gets the day before: only records before the
    /// loan count.
    ///
    /// # Errors
    /// If a column is missing, a value is another, or a customer comes twice.
    pub fn add_table(&mut self, columns: Vec<GivenColumn>, rows: usize, requests: &mut Requests) -> Result<(), Error> {
        let columns = columns.into_iter().filter(|(name, _)| COLUMNS_READ.contains(&name.as_str())).collect();
        let table = plain_values(columns, rows).map_err(|error| Error::Outcomes(error.to_string()))?;
        let wrong = |error: OutcomesError| Error::Outcomes(error.to_string());
        for (row, customer, outcome) in read_rows(&table, None).map_err(wrong)? {
            if let Some(date) = outcome.loan_date {
                let before = Day::checked_from_days(date.days() - 1).ok_or_else(|| {
                    Error::Outcomes(format!("row {}: `loan_date` lies outside of all years", row + 1))
                })?;
                requests.add_day(customer.clone(), before);
            }
            self.known.insert(row, (customer, outcome)).map_err(wrong)?;
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

/// The decisions of a policy, with whom they are of.
#[derive(Default)]
struct Decided {
    customers: Vec<String>,
    rows: Vec<DecidedRow>,
}

impl Decided {
    /// Drops customers whom another list does not have.
    fn keep(&mut self, names: &HashSet<String>) {
        let kept = self.customers.iter().map(|customer| names.contains(customer)).collect::<Vec<_>>();
        let mut at = kept.iter();
        self.rows.retain(|_| at.next().copied().unwrap_or(false));
        self.customers.retain(|customer| names.contains(customer));
    }

    /// The first customer whom another list does not have at the same place.
    fn first_other<'d>(&'d self, other: &'d Decided) -> Option<&'d str> {
        let (one, other) = (&self.customers, &other.customers);
        let pairs = one.iter().zip(other).find(|(one, other)| one != other).map(|(one, _)| one);
        let longer = if one.len() > other.len() { one } else { other };
        let surplus = longer.get(one.len().min(other.len()));
        pairs.or(surplus).map(String::as_str)
    }

    fn names(&self) -> HashSet<String> {
        self.customers.iter().cloned().collect()
    }
}

/// Backtests decisions of a policy, beside those of a champion if there is one.
///
/// # Errors
/// If the two were not made of the same customers.
pub fn backtest_tables(
    policy: &[Results],
    champion: Option<&[Results]>,
    outcomes: &Outcomes,
) -> Result<Backtested, Error> {
    let (mut own, mut before) = (collect_decided_rows(policy)?, champion.map(collect_decided_rows).transpose()?);
    if let Some(before) = &mut before {
        // Who failed under one of them is listed, and counts under neither.
        let (of_own, of_before) = (own.names(), before.names());
        own.keep(&of_before);
        before.keep(&of_own);
        if let Some(customer) = own.first_other(before) {
            return Err(Error::Outcomes(format!(
                "the two policies were not asked about the same customers: `{customer}` is only in one list, or in \
                 another place"
            )));
        }
    }
    let known = known_rows(&outcomes.known.for_customers(&own.customers));
    let after = Decisions::from_rows(&own.rows);
    let champion = before.as_ref().map(|before| Decisions::from_rows(&before.rows));
    let mut policies = Vec::new();
    if let Some(champion) = &champion {
        policies.push(("champion", champion));
    }
    policies.push((if champion.is_some() { "challenger" } else { "policy" }, &after));
    let flips = |before: &Decided, champion: &Decisions| flips_table((before, &own), (champion, &after), &known);
    let is_known = outcomes.known.count() > 0;
    Ok(Backtested {
        outcomes: outcomes_table(&policies, &known, is_known)?,
        reasons: reasons_table(&policies)?,
        swap_set: champion.as_ref().map(|champion| swap_table(champion, &after, &known, is_known)).transpose()?,
        flips: before.as_ref().zip(champion.as_ref()).map(|(before, champion)| flips(before, champion)).transpose()?,
        unmet: outcomes_without_decision(&own, outcomes),
    })
}

/// The customers with an outcome who were not decided, in order.
fn outcomes_without_decision(decided: &Decided, outcomes: &Outcomes) -> Vec<FailedStatement> {
    let met = decided.names();
    let mut unmet: Vec<&String> =
        outcomes.known.by_customer.keys().filter(|customer| !met.contains(*customer)).collect();
    unmet.sort();
    let failed = |customer: &String| FailedStatement {
        source: "outcomes".to_owned(),
        customer: Some(customer.clone()),
        place: None,
        what: "an outcome without a decision: it counts nowhere".to_owned(),
    };
    unmet.into_iter().map(failed).collect()
}

fn collect_decided_rows(results: &[Results]) -> Result<Decided, Error> {
    let mut all = Decided::default();
    for table in results.iter().filter_map(|results| results.tables.first()) {
        let (customers, outcomes) = (table.column("customer")?.str()?, table.column("outcome")?.str()?);
        let (amounts, reasons) = (table.column("amount_max")?.i64()?, table.column("reasons")?.str()?);
        for row in 0..table.height() {
            let outcome = OUTCOMES.into_iter().find(|outcome| Some(outcome.word()) == outcomes.get(row));
            let ids = reasons.get(row).unwrap_or_default().split(';').filter(|id| !id.is_empty());
            let customer = customers.get(row).unwrap_or_default();
            // Statements come in the order of their customers.
            if all.customers.last().is_some_and(|last| last == customer) {
                return Err(Error::Outcomes(format!(
                    "customer `{customer}` has several statements, and a backtest counts customers; merge the accounts \
                     of a customer"
                )));
            }
            all.customers.push(customer.to_owned());
            all.rows.push(DecidedRow {
                outcome: outcome.ok_or(Error::Internal("a decision without an outcome"))?,
                amount: amounts.get(row),
                reasons: ids.map(str::to_owned).collect(),
            });
        }
    }
    Ok(all)
}

fn text_values_column<'t>(name: &str, values: impl Iterator<Item = &'t str>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

fn count_values_column(name: &str, values: impl Iterator<Item = u64>) -> Column {
    Series::new(name.into(), values.map(|count| count as i64).collect::<Vec<_>>()).into()
}

fn rate_values_column(name: &str, values: impl Iterator<Item = Option<f64>>) -> Column {
    Series::new(name.into(), values.collect::<Vec<_>>()).into()
}

/// The columns that every table of groups ends with; those of outcomes only where some are known.
fn group_columns(groups: &[GroupNumbers], is_known: bool) -> Vec<Column> {
    let amount = |group: &GroupNumbers| i64::try_from(group.amount).ok();
    let each = || groups.iter();
    let mut columns = vec![
        count_values_column("customers", each().map(|group| group.customers)),
        rate_values_column("share", each().map(|group| group.share)),
        Series::new("amount".into(), each().map(amount).collect::<Vec<_>>()).into(),
    ];
    if is_known {
        columns.extend([
            count_values_column("known", each().map(|group| group.known)),
            count_values_column("bad", each().map(|group| group.bad)),
            rate_values_column("bad_rate", each().map(|group| group.bad_rate)),
            rate_values_column("bad_rate_min", each().map(|group| group.bad_rate_bounds.map(|(least, _)| least))),
            rate_values_column("bad_rate_max", each().map(|group| group.bad_rate_bounds.map(|(_, most)| most))),
        ]);
    }
    columns
}

fn outcomes_table(policies: &[(&str, &Decisions)], known: &KnownRows, is_known: bool) -> PolarsResult<DataFrame> {
    let rows: Vec<_> = policies
        .iter()
        .flat_map(|(name, decisions)| outcome_rows(decisions, known).into_iter().map(move |row| (*name, row)))
        .collect();
    let groups: Vec<GroupNumbers> = rows.iter().map(|(_, row)| row.group).collect();
    let mut columns = vec![
        text_values_column("policy", rows.iter().map(|(name, _)| *name)),
        text_values_column("outcome", rows.iter().map(|(_, row)| row.outcome.as_str())),
    ];
    columns.extend(group_columns(&groups, is_known));
    DataFrame::new(rows.len(), columns)
}

fn reasons_table(policies: &[(&str, &Decisions)]) -> PolarsResult<DataFrame> {
    let rows: Vec<_> = policies
        .iter()
        .flat_map(|(name, decisions)| reason_rows(decisions).into_iter().map(move |row| (*name, row)))
        .collect();
    let columns = vec![
        text_values_column("policy", rows.iter().map(|(name, _)| *name)),
        text_values_column("reason", rows.iter().map(|(_, row)| row.id.as_str())),
        count_values_column("any", rows.iter().map(|(_, row)| row.any)),
        count_values_column("first", rows.iter().map(|(_, row)| row.first)),
        count_values_column("only", rows.iter().map(|(_, row)| row.only)),
    ];
    DataFrame::new(rows.len(), columns)
}

fn swap_table(
    champion: &Decisions,
    challenger: &Decisions,
    known: &KnownRows,
    is_known: bool,
) -> PolarsResult<DataFrame> {
    let cells = swap_cells(champion, challenger, known);
    let mut columns = vec![
        text_values_column("champion", cells.iter().map(|cell| cell.champion.as_str())),
        text_values_column("challenger", cells.iter().map(|cell| cell.challenger.as_str())),
    ];
    let groups: Vec<GroupNumbers> = cells.iter().map(|cell| cell.group).collect();
    columns.extend(group_columns(&groups, is_known));
    DataFrame::new(cells.len(), columns)
}

/// Customers with another decision. Reasons are in the order of each decision.
fn flips_table(
    (before, after): (&Decided, &Decided),
    (champion, challenger): (&Decisions, &Decisions),
    known: &KnownRows,
) -> PolarsResult<DataFrame> {
    let (_, _, changed) = count_offer_changes(champion, challenger);
    let rows: Vec<usize> = changed.ones(0..changed.len()).collect();
    let each = || rows.iter().copied();
    let amounts = |name: &str, of: &Decisions| -> Column {
        Series::new(name.into(), each().map(|row| of.amount(row)).collect::<Vec<_>>()).into()
    };
    let reasons = |name: &str, of: &Decided| -> Column {
        Series::new(name.into(), each().map(|row| of.rows[row].reasons.join(";")).collect::<Vec<_>>()).into()
    };
    let columns = vec![
        text_values_column("customer", each().map(|row| after.customers[row].as_str())),
        text_values_column("champion", each().map(|row| champion.outcome(row).word())),
        text_values_column("challenger", each().map(|row| challenger.outcome(row).word())),
        amounts("champion_amount", champion),
        amounts("challenger_amount", challenger),
        reasons("champion_reasons", before),
        reasons("challenger_reasons", after),
        Series::new("bad".into(), each().map(|row| known.bad(row)).collect::<Vec<_>>()).into(),
    ];
    DataFrame::new(rows.len(), columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::decision::Outcome;

    fn decided(customers: &[(&str, &[&str])]) -> Decided {
        let row = |reasons: &[&str]| DecidedRow {
            outcome: Outcome::Decline,
            amount: None,
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
        };
        Decided {
            customers: customers.iter().map(|(name, _)| (*name).to_owned()).collect(),
            rows: customers.iter().map(|(_, reasons)| row(reasons)).collect(),
        }
    }

    #[test]
    fn reasons_of_a_flip_are_in_the_order_of_its_decision() {
        let before = decided(&[("a", &["R2"]), ("b", &["R1", "R2"])]);
        let mut after = decided(&[("a", &["R2"]), ("b", &[])]);
        after.rows[1].outcome = Outcome::Refer;
        let (champion, challenger) = (Decisions::from_rows(&before.rows), Decisions::from_rows(&after.rows));
        let none = known_rows(&[None, None]);
        let table = flips_table((&before, &after), (&champion, &challenger), &none).expect("a table");
        let reasons = table.column("champion_reasons").and_then(|column| column.str().cloned()).expect("texts");
        assert_eq!(reasons.iter().collect::<Vec<_>>(), [Some("R1;R2")]);
    }

    #[test]
    fn the_first_customer_that_differs_is_named() {
        let one = decided(&[("a", &[]), ("b", &[])]);
        assert_eq!(one.first_other(&decided(&[("a", &[]), ("b", &[])])), None);
        assert_eq!(one.first_other(&decided(&[("a", &[]), ("x", &[])])), Some("b"));
        assert_eq!(one.first_other(&decided(&[("a", &[])])), Some("b"));
        assert_eq!(decided(&[("a", &[])]).first_other(&one), Some("b"));
    }
}
