//! What a loan costs, as docs/pricing.md says it, by trial rather than by formula.

use super::evaluate::{Known, Why, float};
use super::model::{Method, Value};

/// Percent to nine decimals, from 0 to 1000, in billionths of a percent.
pub fn rate(percent: f64) -> Known<i128> {
    if !(0.0..=1000.0).contains(&percent) {
        return Err(Why::Said("no_price"));
    }
    // By the digits that people read: to the nearest, halves up.
    let text = format!("{percent}{}000000000", if percent.fract() == 0.0 { "." } else { "" });
    let (whole, decimals) = text.split_once('.').expect("a point was put there");
    let (kept, rest) = decimals.split_at(9);
    let down: i128 = format!("{whole}{kept}").parse().expect("digits");
    Ok(if rest.starts_with(|digit: char| digit >= '5') { down + 1 } else { down })
}

const WHOLE: i128 = 100_000_000_000;

/// Interest of one period on a balance, to the nearest minor unit, halves up.
fn of(balance: i128, rate: i128) -> i128 {
    (2 * balance * rate + WHOLE) / (2 * WHOLE)
}

/// All the interest of a loan; none where amounts grow beyond what can be held.
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

/// What is owed after all instalments.
fn left(principal: i128, rate: i128, periods: u32, instalment: i128) -> i128 {
    let mut balance = principal;
    for _ in 0..periods {
        balance = balance + of(balance, rate) - instalment;
        if balance <= 0 {
            return 0;
        }
        // Only ever more.
        if balance > principal {
            return balance;
        }
    }
    balance
}

/// The least number that will do, where every greater one will too.
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

/// The greatest principal whose largest instalment is at most so much.
pub fn principal_for(values: &[Value], method: Option<Method>) -> Known<Value> {
    let (rate_percent, count) = (float(&values[1]), float(&values[2]));
    // Whole minor units stay what they are; of others those below zero are as nothing.
    let instalment = match &values[0] {
        Value::Whole(minor) => i128::from(*minor),
        other => float(other).floor().clamp(-1.0, 1e19) as i128,
    };
    let no_price = Why::Said("no_price");
    let rate = rate(rate_percent)?;
    if count.fract() != 0.0 || !(1.0..=600.0).contains(&count) || instalment > 9_000_000_000_000_000_000 {
        return Err(no_price);
    }
    let periods = count as u32;
    if instalment <= 0 {
        return Ok(Value::Whole(0));
    }
    let method = method.expect("principal_for stands in an offer");
    // All that is repaid must itself be an amount.
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
