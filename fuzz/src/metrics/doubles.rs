//! Which expressions are approximate by their type, as the reference page defines it: all others are exact. Computes no
//! values.

use super::expression::{Expression, Level};
use Expression as E;

/// Whether an expression is approximate; `defined` answers for the definitions of the rule file.
pub(super) fn is_double(expression: &Expression, defined: &dyn Fn(Level, usize) -> bool) -> bool {
    let of = |part: &Expression| is_double(part, defined);
    match expression {
        E::Defined(level, number) => defined(*level, *number),
        E::Negate(inner) | E::NeedsMonths(_, inner) => of(inner),
        E::Arithmetic(_, left, right) => of(left) || of(right),
        E::Case(arms, otherwise) => arms.iter().any(|(_, value)| of(value)) || otherwise.as_deref().is_some_and(of),
        E::Call("coalesce" | "least" | "greatest", arguments) => arguments.iter().any(of),
        E::Call("nullif" | "abs", arguments) => of(&arguments[0]),
        E::Call("sqrt" | "ln" | "exp", _) => true,
        E::Among(name, inner) => *name != "rank" && of(inner),
        E::Aggregate(aggregate) => match aggregate.name {
            "stddev" | "benford" => true,
            "count" | "max_gap" | "avg_gap" => false,
            "regr_slope" => aggregate.arguments.iter().any(of),
            _ => of(&aggregate.arguments[0]),
        },
        _ => false,
    }
}
