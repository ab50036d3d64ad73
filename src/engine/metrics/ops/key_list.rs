//! Whether values are on a list of keys, row by row. Knows neither grains nor statements, and shows no key.

use crate::engine::metrics::column::{Data, Reason, ValueColumn, from_values};
use crate::rules::Repr;
use crate::rules::key_list::{KeySet, Listed};
use crate::rules::program::Value;

/// Whether the first input is on the list. The second is the day of the decision, if entries have a last day; it
/// matters only for a key that has one.
pub(crate) fn find_listed_rows<'a>(keys: &KeySet, inputs: &[&ValueColumn], rows: usize) -> ValueColumn<'a> {
    let (asked, day) = (inputs[0], inputs.get(1).copied());
    let texts = asked.texts();
    let listed = |row: usize| match (&asked.data, texts) {
        (_, Some(texts)) => keys.find_text(texts.get(asked.at(row))),
        (Data::Int(numbers), None) => keys.find_whole(numbers[asked.at(row)]),
        _ => Listed::No,
    };
    let is_listed = |row: usize| -> Result<bool, Reason> {
        if !asked.is_known(row) {
            return Err(asked.reason(row));
        }
        match (listed(row), day) {
            (Listed::No, _) => Ok(false),
            (Listed::Always, _) | (Listed::Until(_), None) => Ok(true),
            (Listed::Until(_), Some(day)) if !day.is_known(row) => Err(day.reason(row)),
            (Listed::Until(until), Some(day)) => Ok(day.ints()[day.at(row)] <= i64::from(until)),
        }
    };
    from_values((0..rows).map(|row| is_listed(row).map(Value::Boolean)), Repr::Boolean)
}
