//! Whether amounts may be in minor units, or have three decimals.

use super::amounts::{self, Notation};
use super::answers::{Answers, Doubt};
use super::grid::FileCell;

/// Whole amounts may be in minor units, or have three decimals where they seem to have thousands.
pub(crate) fn doubt_minor_units(
    cells: &[&FileCell],
    notation: &Notation,
    digits: Option<u32>,
    answers: &Answers,
) -> Option<Doubt> {
    if digits == Some(3) && notation.decimal.is_none() && notation.thousands.iter().any(|mark| ".,".contains(*mark)) {
        return Some(Doubt::open(
            "the amounts have three digits after a mark and their currency has three decimals; write `decimal` or \
             `thousands` under [amount] by hand",
        ));
    }
    let values: Vec<i64> = cells.iter().filter_map(|cell| notation.read(cell)).map(|read| read.value).collect();
    let moved = || values.iter().filter(|value| **value != 0);
    let has_decimals = notation.decimal.is_some() || moved().any(|value| value % amounts::SCALE != 0);
    if has_decimals || digits == Some(0) || answers.is_minor.is_some() || moved().count() < 3 {
        return None;
    }
    // Whoever separates thousands writes for people, who do not count in minor units.
    notation.thousands.is_empty().then(|| {
        Doubt::asked(
            "no amount has decimals, so they may be in minor units, such as kobo or cents; say --unit major, or \
             --unit minor",
        )
    })
}
