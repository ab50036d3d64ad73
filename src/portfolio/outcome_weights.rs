//! What the loans of a table of outcomes weigh, such as one over the chance that a loan of its kind is in the table.

use std::collections::HashMap;

use serde_json::Value;

use super::outcomes::{ColumnTable, given_table_value};
use crate::statement::customer_of;

/// So many rows are named in a refusal.
const MOST_NAMED: usize = 5;

/// Reads the weight of each row that has an outcome, by customer.
///
/// # Errors
/// If a column is missing, or a weight is not a finite number above 0, with the rows.
pub(crate) fn read_outcome_weights(table: &ColumnTable, column: &str) -> Result<HashMap<String, f64>, String> {
    let values = |name: &str| {
        let found = table.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice());
        found.ok_or_else(|| format!("it lacks the column `{name}`"))
    };
    let (customers, bads, weights) = (values("customer")?, values("bad")?, values(column)?);
    let (mut found, mut wrong) = (HashMap::with_capacity(weights.len()), Vec::new());
    for (row, weight) in weights.iter().enumerate().filter(|(row, _)| given_table_value(bads.get(*row)).is_some()) {
        let customer = customer_of(&customers[row]).map_err(|what| format!("row {}: {what}", row + 1))?;
        match read_weight(weight) {
            Some(weight) => drop(found.insert(customer, weight)),
            None => wrong.push((row + 1).to_string()),
        }
    }
    if wrong.is_empty() {
        return Ok(found);
    }
    let more = wrong.len().saturating_sub(MOST_NAMED);
    wrong.truncate(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let rows = if wrong.len() == 1 { "row" } else { "rows" };
    Err(format!("a weight must be a finite number above 0, and is not in {rows} {}{more}", wrong.join(", ")))
}

fn read_weight(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    (number.is_finite() && number > 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn table(weights: Value) -> ColumnTable {
        let list = |value: Value| value.as_array().expect("a list").clone();
        [("customer", json!(["a", "b", "c"])), ("bad", json!(["1", "0", ""])), ("w", weights)]
            .map(|(name, values)| (name.to_owned(), list(values)))
            .to_vec()
    }

    #[test]
    fn weights_are_read_and_others_are_refused_by_row() {
        let found = read_outcome_weights(&table(json!(["2.5", 1, "x"])), "w").expect("the third has no outcome");
        assert_eq!((found["a"], found["b"], found.len()), (2.5, 1.0, 2));
        for wrong in
            [json!(["0", 1, 1]), json!(["-1", 1, 1]), json!(["", 1, 1]), json!(["inf", 1, 1]), json!([true, 1, 1])]
        {
            let error = read_outcome_weights(&table(wrong), "w").expect_err("no weight");
            assert!(error.ends_with("and is not in row 1"), "{error}");
        }
        let error = read_outcome_weights(&table(json!(["0", "NaN", 1])), "w").expect_err("no weights");
        assert!(error.ends_with("and is not in rows 1, 2"), "{error}");
        let error = read_outcome_weights(&table(json!([1, 1, 1])), "v").expect_err("no column");
        assert_eq!(error, "it lacks the column `v`");
    }
}
