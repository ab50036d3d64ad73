//! The offers of a referral at a lower amount than the policy would lend, priced by the policy itself: by the recorded
//! terms where they are the same for every amount, or else by deciding on the recorded statement as if the customer
//! had requested that amount. Nothing is priced in any other way. Knows nothing of who approves.

use super::decide::build_offer_row;
use super::decision_record::{CaseRecord, DecisionRecord};
use crate::base::money::{Currency, Money};
use crate::base::pricing::FeeMode;
use crate::engine::decision::approval::{AMOUNT_FIELD, ConditionalOffer, ExplainedForPerson, explain_application};
use crate::engine::decision::{Application, OfferRecord, Request};
use crate::lender::loan_book::OfferRow;
use crate::rules::{Policies, PolicySet};

/// Why a referral cannot be approved with an amount.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotLowered {
    /// The decision has no case, such as one of an earlier version of the program.
    #[error("the record of the decision does not hold what another amount is priced by; approve it as it was offered")]
    NoCase,
    /// Outside what the rules lend.
    #[error("the policy lends {least} to {most} here, not {wanted}")]
    Bounds {
        /// The least.
        least: String,
        /// The most.
        most: String,
        /// What the person wants.
        wanted: String,
    },
    /// Between two amounts that the rules lend.
    #[error("the policy would lend {nearest} then, not {wanted}; approve it with that amount")]
    Step {
        /// What it would lend.
        nearest: String,
        /// What the person wants.
        wanted: String,
    },
    /// The policy has been replaced since.
    #[error(
        "the price follows from the amount, and `{0}`, which decided, is not loaded any more; approve it as it was \
         offered, or put that version back: a folder of versions keeps them all"
    )]
    PolicyGone(String),
    /// The policy does not look at what the customer asks for.
    #[error(
        "the price follows from the amount, and the policy lends the same whatever is requested; approve it as it was \
         offered, or let the policy use `request.amount`"
    )]
    IgnoresAmount,
    /// Decided again, the case has other offers.
    #[error("decided again, the recorded statement gives other offers; approve it as it was offered")]
    Different,
    /// Nothing would be offered.
    #[error("with that amount nothing would be offered: {0}")]
    Nothing(String),
    /// An offer without terms.
    #[error("an offer has no terms as a loan: {0}")]
    Terms(String),
}

/// The offers of a referral with at most this amount. An offer of less stays as it is. `load` gives the policies in
/// force, and is only called if they are needed.
pub(crate) fn lower_offers(
    record: &DecisionRecord,
    amount_minor: i64,
    load: &dyn Fn() -> Result<std::sync::Arc<Policies>, String>,
) -> Result<Vec<OfferRow>, NotLowered> {
    let case = record.case.as_ref().ok_or(NotLowered::NoCase)?;
    let offers = &case.facts.if_approved.offers;
    check_bounds(offers, amount_minor)?;
    if offers.iter().all(|offer| offer.price.is_some()) {
        return lower_by_terms(offers, amount_minor);
    }
    let policies = load().map_err(|_| policy_gone(record))?;
    lower_by_policy(record, case, amount_minor, &policies)
}

fn policy_gone(record: &DecisionRecord) -> NotLowered {
    NotLowered::PolicyGone(format!("{} {}", record.decision.policy.name, record.decision.policy.version))
}

fn show_amount(minor: i64, currency: &str) -> String {
    Currency::from_numeric(currency).map_or_else(
        || minor.to_string(),
        |known| format!("{} {}", known.alphabetic(), Money::from_minor(minor).display(&known)),
    )
}

fn check_bounds(offers: &[ConditionalOffer], amount_minor: i64) -> Result<(), NotLowered> {
    let most = offers.iter().max_by_key(|offer| offer.offer.amount_offered).ok_or(NotLowered::NoCase)?;
    let least = offers.iter().map(|offer| offer.least_minor).min().unwrap_or(1);
    let show = |minor| show_amount(minor, &most.offer.currency);
    match (least..=most.offer.amount_offered).contains(&amount_minor) {
        true => Ok(()),
        false => Err(NotLowered::Bounds {
            least: show(least),
            most: show(most.offer.amount_offered),
            wanted: show(amount_minor),
        }),
    }
}

/// By the terms that were recorded, which are the same for every amount.
fn lower_by_terms(offers: &[ConditionalOffer], amount_minor: i64) -> Result<Vec<OfferRow>, NotLowered> {
    let mut rows = Vec::new();
    let mut nearest = 0;
    for offer in offers {
        let Some(fixed) = &offer.price else { return Err(NotLowered::NoCase) };
        let below = amount_minor.min(offer.offer.amount_offered);
        let amount = below - offer.step_minor.map_or(0, |step| below % step);
        if !offer.lends(amount) {
            continue;
        }
        nearest = nearest.max(amount);
        let record = match amount == offer.offer.amount_offered {
            true => Some(Ok(offer.offer.clone())),
            false => offer.price_amount(amount),
        };
        let record = record.ok_or(NotLowered::NoCase)?.map_err(|error| NotLowered::Nothing(error.to_string()))?;
        rows.push(build_offer_row(&record, fixed.fee_mode, &fixed.unit).map_err(NotLowered::Terms)?);
    }
    check_reached(rows, nearest, amount_minor, offers)
}

/// By the policy that decided, on the recorded statement, as if the customer had requested this amount.
fn lower_by_policy(
    record: &DecisionRecord,
    case: &CaseRecord,
    amount_minor: i64,
    policies: &Policies,
) -> Result<Vec<OfferRow>, NotLowered> {
    let decision = &record.decision;
    let policy = policies.policies().into_iter().find(|policy| policy.digest() == decision.policy.digest);
    let policy = policy.ok_or_else(|| policy_gone(record))?;
    let recorded = Request {
        as_of: decision.as_of.filter(|_| decision.as_of_given),
        customer: decision.customer.clone(),
        given: decision.request.clone(),
    };
    let again = decide_again(policies, case, decision.statement.as_str(), &recorded)?;
    let (before, now) = (decision, &again.explanation.decision);
    if before.policy.digest != now.policy.digest || before.digests != now.digests {
        return Err(policy_gone(record));
    }
    if again.if_approved != case.facts.if_approved {
        return Err(NotLowered::Different);
    }
    let mut lowered = recorded;
    lowered.set(policies, AMOUNT_FIELD, amount_minor.into()).map_err(|_| NotLowered::IgnoresAmount)?;
    let priced = decide_again(policies, case, decision.statement.as_str(), &lowered)?;
    let offers = priced.if_approved.offers;
    if let Some(why) = priced.if_approved.why_none.filter(|_| offers.is_empty()) {
        return Err(NotLowered::Nothing(why));
    }
    let greatest = offers.iter().map(|offer| offer.offer.amount_offered).max().unwrap_or(0);
    if greatest > amount_minor {
        return Err(NotLowered::IgnoresAmount);
    }
    let (fee_mode, unit) = (policy.header().fee_mode, policy.header().tenure_unit.name());
    let row = |offer: &ConditionalOffer| build_row(&offer.offer, fee_mode, unit);
    let rows = offers.iter().map(row).collect::<Result<_, _>>()?;
    check_reached(rows, greatest, amount_minor, &offers)
}

fn build_row(record: &OfferRecord, fee_mode: FeeMode, unit: &str) -> Result<OfferRow, NotLowered> {
    build_offer_row(record, fee_mode, unit).map_err(NotLowered::Terms)
}

fn decide_again(
    policies: &Policies,
    case: &CaseRecord,
    label: &str,
    request: &Request,
) -> Result<ExplainedForPerson, NotLowered> {
    let application = Application { label, body: &case.statement, request };
    explain_application(policies, &application).map_err(|_| NotLowered::Different)
}

/// The person's amount must be what is offered: another one would surprise.
fn check_reached(
    rows: Vec<OfferRow>,
    greatest: i64,
    amount_minor: i64,
    offers: &[ConditionalOffer],
) -> Result<Vec<OfferRow>, NotLowered> {
    let currency = offers.first().map_or("", |offer| offer.offer.currency.as_str());
    let show = |minor| show_amount(minor, currency);
    match greatest {
        _ if greatest == amount_minor => Ok(rows),
        0 => Err(NotLowered::Nothing("no offer lends that little".to_owned())),
        _ => Err(NotLowered::Step { nearest: show(greatest), wanted: show(amount_minor) }),
    }
}
