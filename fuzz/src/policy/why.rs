//! Why a value is unknown, with its code and its meaning in a decision. Computes no values.

use super::model::{INPUTS, Policy};
use super::names::Sort;
use super::sql::Writer;
use super::values::source;

/// Why a value is unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    Said(&'static str),
    Missing(usize),
    /// The day is before the parameter's first value.
    NotYet(usize),
    NoRow(usize),
    ManyRows(usize),
    NoBin(usize),
}

/// The code in a decision.
pub fn code(policy: &Policy, why: &Why) -> String {
    match why {
        Why::Said(code) => (*code).to_owned(),
        Why::Missing(at) => {
            format!("missing_{}_{}", source(policy.bureau[*at]), INPUTS[*at].0)
        }
        Why::NotYet(parameter) => format!("no_value_yet_for_{}", policy.whole_name(Sort::Parameter, *parameter)),
        Why::NoRow(table) => format!("no_row_in_{}", policy.whole_name(Sort::Table, *table)),
        Why::ManyRows(table) => format!("many_rows_in_{}", policy.whole_name(Sort::Table, *table)),
        Why::NoBin(item) => format!("no_bin_for_{}", input_of_item(policy, *item)),
    }
}

/// The expression that an item of the score judges, as written.
fn input_of_item(policy: &Policy, item: usize) -> String {
    let item = policy.score.as_ref().and_then(|score| score.items.get(item));
    item.map(|item| Writer { policy, file: policy.homes.score }.sql(&item.on)).unwrap_or_default()
}

/// What it means, as the texts of reasons say it.
pub fn meaning(policy: &Policy, why: &Why) -> String {
    match why {
        Why::Said("no_value") => "the formula gives no value in this case".to_owned(),
        Why::Said("needs_as_of") => "`as_of`, the day of the decision, was not given".to_owned(),
        Why::Said("no_records") => "there is no record to compute it from".to_owned(),
        Why::Said("zero_denominator") => "the divisor is 0".to_owned(),
        Why::Said("overflow") => "it is too large to hold".to_owned(),
        Why::Said("not_given") => "it has no value among those given".to_owned(),
        Why::Said("missing_bureau_debts") => "`bureau.debts` is not given".to_owned(),
        Why::Said("no_price") => "these numbers give no price".to_owned(),
        Why::Said(code) => (*code).to_owned(),
        Why::Missing(at) => {
            format!("`{}.{}` is not given", source(policy.bureau[*at]), INPUTS[*at].0)
        }
        Why::NotYet(parameter) => {
            format!("the day is before the first value of `${}`", policy.whole_name(Sort::Parameter, *parameter))
        }
        Why::NoRow(table) => format!("no row of the table `{}` matches", policy.whole_name(Sort::Table, *table)),
        Why::ManyRows(table) => {
            format!("more than one row of the table `{}` matches", policy.whole_name(Sort::Table, *table))
        }
        Why::NoBin(item) => format!("no bin of the score's `{}` matches", input_of_item(policy, *item)),
    }
}
