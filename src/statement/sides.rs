//! Which side an amount is on: credit and debit as they are written become one record's movement, by the declared rules.
//! Must not know where the amounts came from.

use crate::statement::quality::flag;
use crate::statement::reading::NegativeRule;

/// The two sides of a record, in minor units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) credit: Option<i64>,
    pub(crate) debit: Option<i64>,
    pub(crate) flags: u32,
}

/// Why the sides have no meaning under the declared rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SidesFault {
    /// Both are null.
    Empty,
    /// The credit is negative and no rule says what that means, or the debit is filled too.
    NegativeCredit,
    /// Likewise the debit.
    NegativeDebit,
}

pub(crate) fn resolve(credit: Option<i64>, debit: Option<i64>, rule: NegativeRule) -> Result<Sides, SidesFault> {
    let negative = |amount: Option<i64>| amount.is_some_and(|minor| minor < 0);
    let free = |amount: Option<i64>| amount.unwrap_or(0) == 0;
    let swap = rule == NegativeRule::SwapSides;
    let (credit, debit, mut flags) = match (credit, debit) {
        (None, None) => return Err(SidesFault::Empty),
        (Some(minor), other) if minor < 0 => {
            if !swap || !free(other) {
                return Err(SidesFault::NegativeCredit);
            }
            (None, Some(-minor), flag::SIDES_SWAPPED)
        }
        (other, Some(minor)) if minor < 0 => {
            if !swap || !free(other) {
                return Err(SidesFault::NegativeDebit);
            }
            (Some(-minor), None, flag::SIDES_SWAPPED)
        }
        sides => (sides.0, sides.1, 0),
    };
    debug_assert!(!negative(credit) && !negative(debit));
    match (credit.unwrap_or(0), debit.unwrap_or(0)) {
        (0, 0) => flags |= flag::ZERO_AMOUNT,
        (0, _) | (_, 0) => {}
        _ => flags |= flag::BOTH_AMOUNTS,
    }
    Ok(Sides { credit, debit, flags })
}
