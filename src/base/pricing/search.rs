//! The searches for `reducing` and for the inverse of every method. A float gives the starting point and never the
//! result.

use super::least::{find_least_holding, guess_power};
use super::{Fraction, Method};

/// The least instalment that repays principal and interest in `periods` instalments.
pub(super) fn least_instalment(principal: u128, fraction: Fraction, periods: u32) -> u128 {
    let guess = principal as f64 / annuity_factor(fraction.approximate(), f64::from(periods));
    let in_one = principal + fraction.share_of(principal);
    find_least_holding(principal.div_ceil(u128::from(periods)), in_one, guess as u128, |instalment| {
        instalment_repays(principal, fraction, periods, instalment)
    })
}

/// The total interest, with an instalment that repays the loan.
pub(super) fn annuity_interest(principal: u128, fraction: Fraction, periods: u32, instalment: u128) -> u128 {
    let (mut balance, mut total) = (principal, 0);
    for _ in 0..periods {
        let interest = fraction.share_of(balance);
        total += interest;
        balance = (balance + interest).saturating_sub(instalment);
    }
    total
}

/// The debt after `periods` without repayments; `None` if it does not fit 64 bits.
pub(super) fn compound_debt(principal: u128, fraction: Fraction, periods: u32) -> Option<u128> {
    let mut balance = principal;
    for _ in 0..periods {
        balance += fraction.share_of(balance);
        if balance > i64::MAX as u128 {
            return None;
        }
    }
    Some(balance)
}

/// The greatest principal whose largest instalment is at most `instalment`, or zero.
pub(super) fn greatest_principal(instalment: u128, fraction: Fraction, periods: u32, method: Method) -> u128 {
    let (rate, count) = (fraction.approximate(), f64::from(periods));
    let repayable = instalment * if method == Method::Bullet { 1 } else { u128::from(periods) };
    let guess = match method {
        Method::Flat => repayable as f64 / (1.0 + rate * count),
        Method::Reducing => instalment as f64 * annuity_factor(rate, count),
        Method::Bullet => instalment as f64 / guess_power(1.0 + rate, count),
    };
    let too_much = |principal: u128| match method {
        Method::Flat => principal + fraction.repeated_share_of(principal, periods) > repayable,
        Method::Reducing => !instalment_repays(principal, fraction, periods, instalment),
        Method::Bullet => compound_debt(principal, fraction, periods).is_none_or(|total| total > instalment),
    };
    find_least_holding(1, repayable + 1, guess as u128 + 1, too_much) - 1
}

/// Whether `instalment`, paid each period, leaves nothing owed after `periods`.
fn instalment_repays(principal: u128, fraction: Fraction, periods: u32, instalment: u128) -> bool {
    let mut balance = principal;
    for _ in 0..periods {
        let interest = fraction.share_of(balance);
        if balance + interest <= instalment {
            return true;
        }
        if instalment <= interest {
            // The principal is never repaid, and the balance must not grow without bound.
            return false;
        }
        balance = balance + interest - instalment;
    }
    false
}

/// The principal that instalments of one unit repay: `(1 - (1 + rate)^-count) / rate`, without cancellation for small
/// rates.
#[expect(clippy::disallowed_methods, reason = "where a search begins does not change what it finds")]
fn annuity_factor(rate: f64, count: f64) -> f64 {
    if rate == 0.0 { count } else { -(-count * rate.ln_1p()).exp_m1() / rate }
}
