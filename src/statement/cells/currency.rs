//! Whether a record is in the statement's currency.

use std::borrow::Cow;

use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::statement::cells::cell::Cell;

/// Why a record must not be counted as being in the currency `here`. `None` if it names that currency by its code, in
/// letters or digits, or by one of `words`, or if it is blank.
pub(crate) fn find_currency_fault(here: Currency, text: &str, words: &[String]) -> Option<String> {
    let text = text.trim();
    if text.is_empty() || text.eq_ignore_ascii_case(here.alphabetic()) || text == here.numeric() {
        return None;
    }
    if words.iter().any(|word| word == text) || is_silent(text) {
        return None;
    }
    // A code may have lost its leading zeros, or gained decimals.
    let number = parse_amount(text.as_bytes(), AmountUnit::Minor, 0).ok();
    let other = Currency::from_alphabetic(text)
        .or_else(|| number.and_then(|code| Currency::from_numeric(&format!("{code:03}"))));
    let alphabetic = here.alphabetic();
    match other {
        Some(other) if other == here => None,
        Some(other) => Some(format!("the record is in {}, the statement is read as {alphabetic}", other.alphabetic())),
        None => Some(format!(
            "the currency is neither {alphabetic} nor {}, in which the statement is read; if the word means \
             {alphabetic}, list it under [currency] `words` of a columns file",
            here.numeric()
        )),
    }
}

/// Whether the text is a placeholder for a missing value.
fn is_silent(text: &str) -> bool {
    Cell::Text(text).missing().is_some()
}

/// Like [`find_currency_fault`], for a cell.
pub(crate) fn cell_fault(here: Currency, cell: &Cell<'_>, words: &[String]) -> Option<String> {
    let text = match cell {
        Cell::Null => return None,
        Cell::Text(text) => Cow::Borrowed(*text),
        Cell::Whole(_) | Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_) => Cow::Owned(cell.display()),
        Cell::Day(_) | Cell::Moment { .. } => {
            return Some(format!("`{}` is not a currency: expected a currency code", cell.display()));
        }
    };
    find_currency_fault(here, &text, words)
}
