//! Why a value is unknown, and the code of it in a decision. Computes no values.

use super::model::{INPUTS, Policy};
use super::names::Sort;
use super::sql::Writer;

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
            format!("missing_{}_{}", if policy.bureau[*at] { "bureau" } else { "request" }, INPUTS[*at].0)
        }
        Why::NotYet(parameter) => format!("no_value_yet_for_{}", policy.whole_name(Sort::Parameter, *parameter)),
        Why::NoRow(table) => format!("no_row_in_{}", policy.whole_name(Sort::Table, *table)),
        Why::ManyRows(table) => format!("many_rows_in_{}", policy.whole_name(Sort::Table, *table)),
        Why::NoBin(item) => {
            let item = policy.score.as_ref().and_then(|score| score.items.get(*item));
            let on = item.map(|item| Writer { policy, file: policy.homes.score }.sql(&item.on));
            format!("no_bin_for_{}", on.unwrap_or_default())
        }
    }
}
