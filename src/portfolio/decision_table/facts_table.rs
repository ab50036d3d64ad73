//! What is counted of decisions, and what became of their loans, as CSV.

use serde_json::{Value, json};

use super::facts::DecisionFacts;
use crate::base::csv_line::CsvLine;
use crate::base::money::{AmountUnit, Currency, amount_digits};

/// The columns of the table of decisions. The id takes the place of the customer, as in the other tables.
pub const DECISION_COLUMNS: [&str; 19] = [
    "customer",
    "at",
    "as_of",
    "shadow",
    "answer",
    "caller",
    "policy",
    "version",
    "policy_digest",
    "arm",
    "outcome",
    "reasons",
    "amount_minor",
    "currency",
    "took_us",
    "engine",
    "bad",
    "loan_date",
    "bad_date",
];

/// The row of a decision.
pub fn decision_row(facts: &DecisionFacts) -> Vec<Value> {
    let day = |day: Option<crate::base::date::Day>| json!(day.map(|day| day.to_string()));
    let [policy, version, digest] = &facts.policy;
    let loan = facts.loan.as_ref();
    vec![
        json!(facts.id),
        json!(facts.at.to_string()),
        day(facts.as_of),
        json!(facts.shadow),
        json!(facts.answer),
        json!(facts.caller),
        json!(policy),
        json!(version),
        json!(digest),
        json!(facts.arm),
        json!(facts.outcome),
        json!(facts.reasons.join(";")),
        json!(facts.amount_minor),
        json!(facts.currency),
        json!(facts.took_us),
        json!(facts.engine),
        json!(loan.map(|loan| loan.bad)),
        day(loan.and_then(|loan| loan.loan_date)),
        day(loan.and_then(|loan| loan.bad_date)),
    ]
}

/// What became of loans as a table that `--outcomes` reads: the decision takes the place of the customer, and amounts
/// are in major units. Decisions without a report have no row.
pub fn outcome_table<'f>(
    decisions: impl Iterator<Item = &'f DecisionFacts>,
    currency_of: &dyn Fn(&DecisionFacts) -> Option<Currency>,
) -> String {
    let mut line = CsvLine::default();
    line.push_given(["customer", "bad", "loan_date", "bad_date", "observed_until", "amount"]);
    let mut text = line.take_line();
    for (facts, loan) in decisions.filter_map(|facts| Some((facts, facts.loan.as_ref()?))) {
        line.push_text(&facts.id);
        line.push_plain(if loan.bad { "1" } else { "0" });
        for day in [loan.loan_date, loan.bad_date, loan.observed_until] {
            line.push_plain(&day.map_or_else(String::new, |day| day.to_string()));
        }
        let digits = |(minor, currency): (i64, Currency)| amount_digits(minor, AmountUnit::Major, currency.exponent());
        let amount = loan.amount.zip(currency_of(facts)).map(digits);
        line.push_plain(&amount.unwrap_or_default());
        text.push_str(&line.take_line());
    }
    text
}
