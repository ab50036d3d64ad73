//! Notices a requested amount that is off by the size of a minor unit, because somebody took one unit for the other.
//! It is a warning beside the decision and never changes it.

use super::case::StatementCase;
use super::format;
use super::offers::round_to_minor_units;
use crate::base::date::Day;
use crate::base::rational::Rounding;
use crate::rules::{Type, Value};

/// An amount is too large from this many usual months' inflow on, and too small from this part of one down. With two
/// decimals these are the bounds of what is plausible in the other unit.
const TOO_LARGE: i128 = 10;
const TOO_SMALL: i128 = 33;

/// The amount meant is plausible from a tenth of a usual month's inflow to three months'.
const PLAUSIBLE_PART: i128 = 10;
const PLAUSIBLE_MONTHS: i128 = 3;

/// The warning, if the requested amount is far from what the account sees in a usual month, and plausible in the other
/// unit of money.
pub(super) fn warn_of_request_scale(case: &StatementCase) -> Option<String> {
    let asked = i128::from(requested_amount(case)?);
    let month = usual_month(case)?;
    let minor_units = 10_i128.pow(case.policy.header.currency.exponent());
    let is_plausible =
        |meant: i128| meant * PLAUSIBLE_PART >= month && meant <= month * PLAUSIBLE_MONTHS && minor_units > 1;
    let how = if asked >= month * TOO_LARGE && is_plausible(asked / minor_units) {
        format!("{} times", asked / month)
    } else if asked * TOO_SMALL <= month && is_plausible(asked * minor_units) {
        format!("less than 1/{TOO_SMALL} of")
    } else {
        return None;
    };
    let shown = |minor: i128| {
        let minor = i64::try_from(minor).unwrap_or(i64::MAX);
        format::for_people(case.policy, Type::MONEY, &Ok(Value::Int(minor)))
    };
    Some(format!(
        "the requested {} is {how} what comes in in a usual month ({}): JSON requests are in minor units, TOML ones in \
         major units",
        shown(asked),
        shown(month)
    ))
}

/// The requested amount: what the policy takes for it, else the request's field `amount`.
fn requested_amount(case: &StatementCase) -> Option<i64> {
    let policy = case.policy;
    let asked = match policy.program.asking.amount {
        Some(node) => round_to_minor_units(&case.value(node).ok()?, Rounding::Down),
        None => {
            let declared =
                policy.inputs().iter().any(|input| input.path() == "request.amount" && input.ty == Type::MONEY);
            case.inputs
                .values
                .get("request.amount")
                .filter(|_| declared)
                .and_then(|value| round_to_minor_units(value, Rounding::Down))
        }
    };
    asked.filter(|asked| *asked > 0)
}

/// The median of the credits of calendar months that have some.
fn usual_month(case: &StatementCase) -> Option<i128> {
    let rows = case.slice.rows.get(case.statement)?.clone();
    let credits = case.slice.frame.column("credit").ok()?.i64().ok()?.slice(rows.start as i64, rows.len());
    let mut months: Vec<(i32, i128)> = Vec::new();
    for (day, credit) in case.slice.dates.get(rows)?.iter().zip(credits.iter()) {
        let Some(credit) = credit.filter(|credit| *credit > 0) else { continue };
        let month = Day::from_days(*day).month_index();
        match months.last_mut().filter(|(last, _)| *last == month) {
            Some((_, sum)) => *sum += i128::from(credit),
            None => months.push((month, credit.into())),
        }
    }
    let mut sums: Vec<i128> = months.into_iter().map(|(_, sum)| sum).collect();
    sums.sort_unstable();
    let (upper, lower) = (sums.get(sums.len() / 2)?, sums.get(sums.len().saturating_sub(1) / 2)?);
    Some((upper + lower) / 2)
}
