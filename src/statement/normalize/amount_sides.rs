//! Which side an amount is on: credit and debit as written become one record's movement, by the declared rules.

use crate::statement::base::quality::flag;
use crate::statement::base::reading::NegativeRule;

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
    /// The credit is negative, and either no rule says what that means or the debit is filled too.
    NegativeCredit,
    /// The same for the debit.
    NegativeDebit,
}

/// The advice for a negative credit where no rule says what its minus means.
pub(crate) const NEGATIVE_CREDIT: &str = "declare `negative_amount = \"swap_sides\"` if a negative credit is a debit \
    (its balance is then lower than the one before)";

/// The advice for a negative debit. Two kinds of exports have them, and the wrong rule turns purchases into income.
pub(crate) const NEGATIVE_DEBIT: &str = "declare `negative_amount`: \"same_side\" if this bank writes its debits with \
    a minus (the balance is then lower than the one before), \"swap_sides\" if a negative debit is a credit (the \
    balance is higher)";

impl SidesFault {
    /// The end of the message about a negative amount, after the amount itself. `other` is the other side.
    pub(crate) fn describe_negative(self, other: Option<i64>) -> String {
        let advice = match self {
            SidesFault::NegativeDebit => NEGATIVE_DEBIT,
            SidesFault::NegativeCredit | SidesFault::Empty => NEGATIVE_CREDIT,
        };
        match other.unwrap_or(0) {
            0 => format!("is negative; {advice}"),
            _ => "is negative and the other side is filled too".to_owned(),
        }
    }
}

/// The sides of a record by the declared rule.
pub(crate) fn resolve_amount_sides(
    credit: Option<i64>,
    debit: Option<i64>,
    rule: NegativeRule,
) -> Result<Sides, SidesFault> {
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
        (other, Some(minor)) if minor < 0 => match rule {
            _ if !free(other) => return Err(SidesFault::NegativeDebit),
            NegativeRule::SwapSides => (Some(-minor), None, flag::SIDES_SWAPPED),
            NegativeRule::SameSide => (other, Some(-minor), flag::MINUS_REPEATED),
            NegativeRule::Error => return Err(SidesFault::NegativeDebit),
        },
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
