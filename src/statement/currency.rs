//! Whether what a record says of its currency is the statement's. Must not know where it was said.

use std::borrow::Cow;

use crate::statement::cell::Cell;
use crate::words::money::{AmountUnit, Currency, parse_amount};

/// What is wrong where a record says that it is in another currency than `here`: it must not be counted as this one. A word that is no
/// code, such as `naira notes`, says nothing.
pub(crate) fn fault(here: Currency, said: &str) -> Option<String> {
    let said = said.trim();
    if said == here.alphabetic() || said == here.numeric() {
        return None;
    }
    // Where zeros in front are lost, or decimals were added, it is still a code.
    let number = parse_amount(said.as_bytes(), AmountUnit::Minor, 0).ok();
    let other = Currency::from_alphabetic(said)
        .or_else(|| number.and_then(|code| Currency::from_numeric(&format!("{code:03}"))));
    other
        .filter(|other| *other != here)
        .map(|other| format!("the record is in {}, the statement is read as {}", other.alphabetic(), here.alphabetic()))
}

/// As [`fault`], of a table's cell.
pub(crate) fn cell_fault(here: Currency, cell: &Cell<'_>) -> Option<String> {
    let said = match cell {
        Cell::Null => return None,
        Cell::Text(text) => Cow::Borrowed(*text),
        Cell::Whole(_) | Cell::Decimal { .. } | Cell::Float(_) | Cell::Single(_) => Cow::Owned(cell.shown()),
        Cell::Day(_) | Cell::Moment { .. } => {
            return Some(format!("`{}` is no currency: expected its code", cell.shown()));
        }
    };
    fault(here, &said)
}
