//! Months in the JSON of a document: `2024-01`, and not the number that they are inside.

use serde_json::Value;

use crate::base::date::format_month;

/// Names every month, wherever the figures have one.
pub(super) fn name_all_months(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| {
            name_months_of_field(name, value);
            name_all_months(value);
        }),
        Value::Array(values) => values.iter_mut().for_each(name_all_months),
        _ => {}
    }
}

fn name_months_of_field(name: &str, value: &mut Value) {
    match (name, value) {
        ("month", month) => name_one_month(month),
        // The first and the last one. Rows by month are objects, and stay as they are.
        ("months", Value::Array(months)) => months.iter_mut().for_each(name_one_month),
        ("psi_by_month", Value::Array(pairs)) => {
            pairs.iter_mut().filter_map(|pair| pair.get_mut(0_usize)).for_each(name_one_month);
        }
        _ => {}
    }
}

fn name_one_month(value: &mut Value) {
    if let Some(month) = value.as_i64().and_then(|month| i32::try_from(month).ok()) {
        *value = Value::String(format_month(month));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::name_all_months;

    #[test]
    fn months_are_named_and_other_numbers_stay() {
        let mut found = json!({
            "months": [24_288, 24_289], "rows": 24_288,
            "by": { "months": [{ "month": 24_299, "rows": 3 }], "psi_by_month": [[24_300, 0.5]] },
            "month": null,
        });
        name_all_months(&mut found);
        let wanted = json!({
            "months": ["2024-01", "2024-02"], "rows": 24_288,
            "by": { "months": [{ "month": "2024-12", "rows": 3 }], "psi_by_month": [["2025-01", 0.5]] },
            "month": null,
        });
        assert_eq!(found, wanted);
    }
}
