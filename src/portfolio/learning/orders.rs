//! Declared orders of texts: whether they fit the columns.

use super::input::{MetricColumn, Values};
use super::mistake::LearnError;
use super::settings::BinSettings;

/// # Errors
/// If an order is of no text metric, names a text twice, or leaves out one that occurs: its place is not known.
pub(super) fn check_declared_orders(columns: &[MetricColumn], settings: &BinSettings) -> Result<(), LearnError> {
    for (metric, order) in &settings.orders {
        let wrong = |what: String| Err(LearnError::Order { metric: metric.clone(), what });
        let Some(column) = columns.iter().find(|column| column.name == *metric) else {
            return wrong("no metric of this name is looked at".into());
        };
        let Values::Text { words, .. } = &column.values else {
            return wrong("its values are not texts, and have an order already".into());
        };
        if let Some(twice) = order.iter().enumerate().find(|(at, text)| order[..*at].contains(text)) {
            return wrong(format!("`{}` is named twice", twice.1));
        }
        let missing: Vec<&String> = words.iter().filter(|word| !order.contains(word)).collect();
        if let Some(first) = missing.first() {
            let count = missing.len();
            return wrong(format!("{count} texts occur that it does not name, as `{first}`; name all of them"));
        }
    }
    Ok(())
}
