//! The price of a loan, as docs/reference/pricing.md defines it, found by trial rather than by formula.

use super::evaluate::{Known, Why};
use super::model::{Method, Value};
use super::numbers::exactly;
use crate::exact::{self, Exact, Way};

/// Percent to nine decimals, halves away from zero, from 0 to 1000, in billionths of a percent.
pub fn rate(percent: &Exact) -> Known<i128> {
    if *percent < Exact::ZERO || *percent > Exact::from(1_000) {
        return Err(Why::Said("no_price"));
    }
    let billionths = exact::whole(&(percent * Exact::from(1_000_000_000)), Way::Nearest);
    Ok(exact::int(&billionths).expect("a rate is no large number").into())
}

/// The number of instalments: a whole number from 1 to 600.
pub fn periods(count: &Exact) -> Known<u32> {
    let whole = exact::int(count).filter(|count| (1..=600).contains(count));
    whole.map(|count| count as u32).ok_or(Why::Said("no_price"))
}

const WHOLE: i128 = 100_000_000_000;

/// Interest of one period on a balance, to the nearest minor unit, halves up.
fn of(balance: i128, rate: i128) -> i128 {
    (2 * balance * rate + WHOLE) / (2 * WHOLE)
}

/// The total interest of a loan; `None` if amounts grow too large.
pub fn interest(method: Method, principal: i64, rate: i128, periods: u32) -> Option<i128> {
    let principal = i128::from(principal);
    match method {
        Method::Flat => Some((2 * principal * rate * i128::from(periods) + WHOLE) / (2 * WHOLE)),
        Method::Bullet => {
            let mut balance = principal;
            for _ in 0..periods {
                balance += of(balance, rate);
                if balance > i128::from(i64::MAX) {
                    return None;
                }
            }
            Some(balance - principal)
        }
        Method::Reducing => {
            let instalment = least(|instalment| left(principal, rate, periods, instalment) == 0);
            let (mut balance, mut all) = (principal, 0);
            for _ in 0..periods {
                let interest = of(balance, rate);
                all += interest;
                balance = (balance + interest - instalment).max(0);
            }
            Some(all)
        }
    }
}

/// The balance after all instalments.
fn left(principal: i128, rate: i128, periods: u32, instalment: i128) -> i128 {
    let mut balance = principal;
    for _ in 0..periods {
        balance = balance + of(balance, rate) - instalment;
        if balance <= 0 {
            return 0;
        }
        // It only grows.
        if balance > principal {
            return balance;
        }
    }
    balance
}

/// The least number that will do, if every greater one will do too.
fn least(will_do: impl Fn(i128) -> bool) -> i128 {
    let mut high = 1;
    while !will_do(high) {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if will_do(middle) { high = middle } else { low = middle }
    }
    high
}

/// The greatest principal whose largest instalment is at most the given amount.
pub fn principal_for(values: &[Value], method: Option<Method>) -> Known<Value> {
    let instalment = exact::whole(&exactly(&values[0]), Way::Down);
    let rate = rate(&exactly(&values[1]))?;
    let periods = periods(&exactly(&values[2]))?;
    if instalment <= Exact::ZERO {
        return Ok(Value::Whole(0));
    }
    let no_price = Why::Said("no_price");
    let most = Exact::from(9_000_000_000_000_000_000_i64);
    let instalment = exact::int(&instalment).filter(|_| instalment <= most).ok_or(no_price.clone())?;
    let instalment = i128::from(instalment);
    let method = method.expect("principal_for is in an offer");
    // The total repaid must itself be an amount.
    let repaid = if method == Method::Bullet { instalment } else { instalment * i128::from(periods) };
    if repaid > i128::from(i64::MAX) {
        return Err(no_price);
    }
    let too_much = |principal: i128| match method {
        Method::Reducing => left(principal, rate, periods, instalment) > 0,
        Method::Flat => {
            let total = principal + (2 * principal * rate * i128::from(periods) + WHOLE) / (2 * WHOLE);
            (total + i128::from(periods) - 1) / i128::from(periods) > instalment
        }
        Method::Bullet => {
            let mut balance = principal;
            (0..periods).any(|_| {
                balance += of(balance, rate);
                balance > instalment
            })
        }
    };
    Ok(Value::Whole((least(too_much) - 1) as i64))
}
