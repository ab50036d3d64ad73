//! Offers of one statement: amount, price and expiry by the policy's rules. Knows no outcome.

use crate::metrics::Reason;
use crate::rules::Policy;
use crate::rules::ir::NodeId;
use crate::rules::program::{OfferRule, Value};
use crate::wire::Offer;
use crate::words::date::Day;
use crate::words::digest::Hasher;
use crate::words::pricing::{MAX_INSTALMENTS, Price, Rate, Terms, price};

/// What came of one offer rule.
#[derive(Debug)]
pub(super) enum Made {
    /// Made, at this price.
    Offer(Box<Offer>, Price),
    /// Its condition is not met, or nothing can be lent.
    Not(&'static str),
    /// Something it needs is unknown.
    Unknown(String, Reason),
}

/// Works out one offer. `seed` stands for everything that the decision is a function of.
pub(super) fn make(
    policy: &Policy,
    rule: &OfferRule,
    as_of: Option<Day>,
    seed: &Seed,
    value: &dyn Fn(NodeId) -> Result<Value, Reason>,
) -> Made {
    let Priced { amount, interest, rate, fee, price, expiry } = match priced(policy, rule, as_of, value) {
        Ok(Ok(priced)) => priced,
        Ok(Err(why)) => return Made::Not(why),
        Err((what, reason)) => return Made::Unknown(what.to_string(), reason),
    };
    let offer = Box::new(Offer {
        offer_id: offer_id(seed, rule),
        amount_offered: amount,
        interest: rate.to_string().parse().unwrap_or(interest),
        amount_payable: price.amount_payable_minor(),
        fee,
        tenure: rule.tenure,
        terms: rule.terms.clone(),
        expiry_date: format!("{expiry}T00:00:00Z"),
        currency: policy.header.currency.numeric().to_string(),
        is_part_payment_allowed: rule.part_payment,
    });
    Made::Offer(offer, price)
}

/// The digest that offer ids begin with.
pub(super) struct Seed(pub String);

/// What of an offer is unknown, and why.
pub(super) type Missing = (&'static str, Reason);

/// What an offer comes to, before it is written down.
pub(super) struct Priced {
    amount: i64,
    interest: f64,
    rate: Rate,
    fee: i64,
    price: Price,
    expiry: Day,
}

/// What an offer comes to, or why there is none.
pub(super) fn priced(
    policy: &Policy,
    rule: &OfferRule,
    as_of: Option<Day>,
    value: &dyn Fn(NodeId) -> Result<Value, Reason>,
) -> Result<Result<Priced, &'static str>, Missing> {
    if let Some(when) = rule.when
        && value(when).map_err(|reason| ("when", reason))? != Value::Boolean(true)
    {
        return Ok(Err("its condition is not met"));
    }
    let number = |node, what| value(node).map_err(|reason| (what, reason));
    let amount = whole(&number(rule.amount, "amount")?, f64::floor).ok_or(("amount", Reason::Overflow))?;
    // What could be lent to whoever asks for more.
    let most = rule.limits.most.and_then(|most| whole(&value(most).ok()?, f64::floor)).unwrap_or(amount);
    if amount <= 0 {
        return Ok(Err(if most > 0 { "less was asked for than it lends" } else { nothing(rule, value) }));
    }
    if let Some(floor) = rule.limits.floor {
        let floor = whole(&number(floor, "floor")?, f64::ceil).ok_or(("floor", Reason::Overflow))?;
        if amount < floor {
            let asked = most >= floor;
            return Ok(Err(if asked {
                "less was asked for than its floor"
            } else {
                "less can be lent than its floor"
            }));
        }
    }
    let interest = number(rule.interest, "interest")?.float().ok_or(("interest", Reason::NoPrice))?;
    let rate = Rate::rounded_from_f64(interest).map_err(|_| ("interest", Reason::NoPrice))?;
    let instalments = number(rule.instalments, "instalments")?.float();
    let in_range = |count: &f64| count.fract() == 0.0 && (1.0..=f64::from(MAX_INSTALMENTS)).contains(count);
    let instalments = instalments.filter(in_range).ok_or(("instalments", Reason::NoPrice))? as u32;
    let fee = match rule.fee {
        Some(fee) => whole(&number(fee, "fee")?, f64::round).ok_or(("fee", Reason::Overflow))?,
        None => 0,
    };
    let terms = Terms {
        principal_minor: amount,
        rate,
        instalments,
        fee_minor: fee,
        fee_mode: policy.header.fee_mode,
        method: rule.method,
    };
    let price = price(&terms).map_err(|_| ("price", Reason::NoPrice))?;
    let as_of = as_of.ok_or(("as_of", Reason::NoRecords))?;
    let days = i32::try_from(rule.valid_for_days).unwrap_or(i32::MAX);
    let expiry =
        as_of.days().checked_add(days).and_then(Day::checked_from_days).ok_or(("valid_for_days", Reason::Overflow))?;
    Ok(Ok(Priced { amount, interest, rate, fee, price, expiry }))
}

/// Why there is nothing to lend.
fn nothing(rule: &OfferRule, value: &dyn Fn(NodeId) -> Result<Value, Reason>) -> &'static str {
    let is_none = |node: Option<NodeId>| {
        let amount = node.and_then(|node| whole(&value(node).ok()?, f64::floor));
        amount.is_some_and(|amount| amount <= 0)
    };
    if is_none(rule.limits.exposure) {
        return "nothing is left under the exposure limit";
    }
    match rule.limits.step {
        Some(_) if !is_none(rule.limits.worked_out) => "less can be lent than one step",
        _ => "nothing can be lent",
    }
}

/// Money that was worked out in floating point is brought to a millionth of a minor unit first, so that what is whole but
/// for the last bits of a product counts as whole; then the named rounding.
pub(super) fn whole(value: &Value, round: fn(f64) -> f64) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        Value::Float(value) => {
            let fine = if value.abs() < 1e9 { (value * 1e6).round() / 1e6 } else { *value };
            let rounded = round(fine);
            crate::metrics::fits(rounded).then_some(rounded as i64)
        }
        _ => None,
    }
}

/// Derived from the inputs, so that the same decision has the same ids.
fn offer_id(seed: &Seed, rule: &OfferRule) -> String {
    let mut hasher = Hasher::new();
    hasher.update(seed.0.as_bytes()).update(b"\n").update(rule.id.as_bytes()).update(b"\n");
    hasher.update(&rule.tenure.to_le_bytes());
    hasher.finish().to_string()[..32].to_string()
}
