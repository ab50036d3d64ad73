//! Offers for one statement: amount, price and expiry by the policy's rules. Knows no outcome.

use super::record::OfferRecord;
use crate::base::date::Day;
use crate::base::digest::Hasher;
use crate::base::pricing::{MAX_INSTALMENTS, Price, Rate, Tenure, Terms, has_price, price};
use crate::base::rational::Rounding;
use crate::engine::metrics::Reason;
use crate::provider::wire::Offer;
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::program::{OfferRule, Value};

/// The result of one offer rule.
#[derive(Debug)]
pub(super) enum OfferResult {
    /// The offer, at this price.
    Offer(Box<Offer>, Price),
    /// No offer: its condition is not met, or nothing can be lent.
    NotMade(&'static str),
    /// An input is unknown: which, and why.
    Unknown(String, Reason),
}

/// Makes one offer. `seed` stands for everything that the decision is a function of.
pub(super) fn make_offer_result(
    policy: &Policy,
    rule: &OfferRule,
    as_of: Option<Day>,
    seed: &Seed,
    value: &dyn Fn(NodeId) -> Result<Value, Reason>,
) -> OfferResult {
    let Priced { terms, price, expiry } = match price_offer_terms(policy, rule, as_of, value, |terms| price(terms).ok())
    {
        Ok(Ok(priced)) => priced,
        Ok(Err(why)) => return OfferResult::NotMade(why),
        Err((what, reason)) => return OfferResult::Unknown(what.to_string(), reason),
    };
    let offer = Box::new(Offer {
        offer_id: offer_id(seed, rule),
        amount_offered: terms.principal_minor,
        interest: terms.rate.percent(),
        amount_payable: price.amount_payable_minor(),
        fee: terms.fee_minor,
        tenure: rule.tenure,
        terms: rule.terms.clone(),
        expiry_date: format!("{expiry}T00:00:00Z"),
        currency: policy.header.currency.numeric().to_string(),
        is_part_payment_allowed: rule.part_payment,
    });
    OfferResult::Offer(offer, price)
}

/// The record of an offer. `given_day` is the day of the decision, if it was given: due dates are not guessed.
pub(super) fn record_offer(
    policy: &Policy,
    rule: &OfferRule,
    offer: Offer,
    price: &Price,
    given_day: Option<Day>,
) -> OfferRecord {
    let unit = policy.header.tenure_unit;
    let cost = price.annual_cost(rule.tenure, unit).ok();
    OfferRecord {
        rule: rule.id.clone(),
        instalment: price.instalment_minor(),
        instalments: price.schedule().map(|_| 1).sum(),
        due_dates: due_dates(price, &price.tenure(rule.tenure, unit), given_day),
        rate_period: price.tenure(rule.tenure, unit).period(),
        apr: cost.map(|cost| cost.apr()),
        effective_rate: cost.map(|cost| cost.effective()),
        offer,
    }
}

/// The day of each payment.
pub(super) fn due_dates(price: &Price, tenure: &Tenure, given_day: Option<Day>) -> Option<Vec<Day>> {
    let paid_out = given_day?;
    price.schedule().map(|due| tenure.due(paid_out, due.number)).collect()
}

/// The digest that offer ids are derived from.
pub(super) struct Seed(pub String);

/// The unknown input of an offer, and why it is unknown.
pub(super) type Missing = (&'static str, Reason);

/// An offer's terms, and what was asked about their price.
pub(super) struct Priced<P> {
    terms: Terms,
    price: P,
    expiry: Day,
}

impl<P> Priced<P> {
    /// The amount offered, in minor units; above zero.
    pub(super) fn amount(&self) -> i64 {
        self.terms.principal_minor
    }
}

/// Computes an offer's terms, or why there is none. Terms without a price are unknown: `of_terms` gives the price, or
/// what is wanted of it.
pub(super) fn price_offer_terms<P>(
    policy: &Policy,
    rule: &OfferRule,
    as_of: Option<Day>,
    value: &dyn Fn(NodeId) -> Result<Value, Reason>,
    of_terms: impl Fn(&Terms) -> Option<P>,
) -> Result<Result<Priced<P>, &'static str>, Missing> {
    if let Some(when) = rule.when
        && value(when).map_err(|reason| ("when", reason))? != Value::Boolean(true)
    {
        return Ok(Err("its condition is not met"));
    }
    let number = |node, what| value(node).map_err(|reason| (what, reason));
    let amount =
        round_to_minor_units(&number(rule.amount, "amount")?, Rounding::Down).ok_or(("amount", Reason::Overflow))?;
    // What could be lent if more were requested.
    let most = rule
        .amount_steps
        .lendable
        .and_then(|most| round_to_minor_units(&value(most).ok()?, Rounding::Down))
        .unwrap_or(amount);
    if amount <= 0 {
        return Ok(Err(if most > 0 { "less was asked for than it lends" } else { why_nothing_to_lend(rule, value) }));
    }
    // Only the floor is left to apply: `rules/check/judgement/offer.rs` puts the caps into the amount itself.
    if let Some(floor) = rule.amount_steps.floor {
        let floor = round_to_minor_units(&number(floor, "floor")?, Rounding::Up).ok_or(("floor", Reason::Overflow))?;
        if amount < floor {
            let asked = most >= floor;
            return Ok(Err(if asked {
                "less was asked for than its floor"
            } else {
                "less can be lent than its floor"
            }));
        }
    }
    let interest = number(rule.interest, "interest")?.rational().ok_or(("interest", Reason::NoPrice))?;
    let rate = Rate::rounded(&interest).map_err(|_| ("interest", Reason::NoPrice))?;
    let instalments = number(rule.instalments, "instalments")?.rational().and_then(|count| count.to_i64());
    let instalments = instalments.and_then(|count| u32::try_from(count).ok());
    let instalments = instalments.filter(|count| (1..=MAX_INSTALMENTS).contains(count));
    let instalments = instalments.ok_or(("instalments", Reason::NoPrice))?;
    let fee = match rule.fee {
        Some(fee) => round_to_minor_units(&number(fee, "fee")?, Rounding::HalfAway).ok_or(("fee", Reason::Overflow))?,
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
    let price = of_terms(&terms).ok_or(("price", Reason::NoPrice))?;
    let as_of = as_of.ok_or(("as_of", Reason::NoRecords))?;
    let days = i32::try_from(rule.valid_for_days).unwrap_or(i32::MAX);
    let expiry =
        as_of.days().checked_add(days).and_then(Day::checked_from_days).ok_or(("valid_for_days", Reason::Overflow))?;
    Ok(Ok(Priced { terms, price, expiry }))
}

/// For whoever needs no price, but that there is one.
pub(super) fn if_priced(terms: &Terms) -> Option<()> {
    has_price(terms).then_some(())
}

/// Why there is nothing to lend.
fn why_nothing_to_lend(rule: &OfferRule, value: &dyn Fn(NodeId) -> Result<Value, Reason>) -> &'static str {
    let is_none = |node: Option<NodeId>| {
        let amount = node.and_then(|node| round_to_minor_units(&value(node).ok()?, Rounding::Down));
        amount.is_some_and(|amount| amount <= 0)
    };
    if is_none(rule.amount_steps.exposure) {
        return "nothing is left under the exposure limit";
    }
    match rule.amount_steps.step {
        Some(_) if !is_none(rule.amount_steps.uncapped) => "less can be lent than one step",
        _ => "nothing can be lent",
    }
}

/// Whole minor units, by the named rounding.
pub(super) fn round_to_minor_units(value: &Value, how: Rounding) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        value => value.rational()?.rounded_to_i64(how),
    }
}

/// Derived from the inputs, so that the same decision has the same ids.
fn offer_id(seed: &Seed, rule: &OfferRule) -> String {
    let mut hasher = Hasher::new();
    hasher.update(seed.0.as_bytes()).update(b"\n").update(rule.id.as_bytes()).update(b"\n");
    hasher.update(&rule.tenure.to_le_bytes());
    hasher.finish().to_string()[..32].to_string()
}
