//! Counter-offers: if more was requested than can be lent, or another tenure, what is offered instead and what limits
//! it.

use super::case::StatementCase;
use super::offers::{OfferResult, round_to_minor_units};
use super::record::{CounterOffer, OfferRecord};
use crate::base::rational::Rounding;
use crate::rules::graph::NodeId;
use crate::rules::program::OfferRule;

/// The best offer, if it is not what was requested. `None` if the request is met, or asks for neither amount nor
/// tenure.
pub(super) fn counter_offer(case: &StatementCase, offers: &[OfferRecord]) -> Option<CounterOffer> {
    let program = &case.policy.program;
    let money = |node: NodeId| round_to_minor_units(&case.value(node).ok()?, Rounding::Down);
    let asked_amount = program.asking.amount.and_then(money);
    let asked_tenure = case.requested_tenure();
    // The greatest amount; an offer is never above the requested one. Of equals the nearest tenure, and then the first.
    let apart = |offer: &OfferRecord| asked_tenure.map(|asked| i64::from(offer.tenure).abs_diff(asked));
    let is_nearer = |offer: &OfferRecord, best: &OfferRecord| {
        let more = offer.amount_offered.cmp(&best.amount_offered);
        more.is_gt() || (more.is_eq() && apart(offer) < apart(best))
    };
    let best = offers.iter().reduce(|best, offer| if is_nearer(offer, best) { offer } else { best })?;
    let mut limited_by = Vec::new();
    if let Some(asked) = asked_amount.filter(|asked| *asked > best.amount_offered) {
        let rule = program.offers.iter().zip(case.offers()).find_map(|(rule, result)| match result {
            OfferResult::Offer(offer, _) if offer.offer_id == best.offer_id => Some(rule),
            _ => None,
        })?;
        limited_by = tightest_bounds(rule, asked, &money);
    }
    if asked_tenure.is_some_and(|asked| i64::from(best.tenure) != asked) {
        limited_by.push("tenure".to_owned());
    }
    if limited_by.is_empty() {
        return None;
    }
    Some(CounterOffer { asked_amount, asked_tenure, amount: best.amount_offered, tenure: best.tenure, limited_by })
}

/// The tightest of an offer's bounds.
fn tightest_bounds(rule: &OfferRule, asked: i64, money: &dyn Fn(NodeId) -> Option<i64>) -> Vec<String> {
    let mut bounds = Vec::new();
    let mut bound = |name: String, node: Option<NodeId>| bounds.extend(node.and_then(money).map(|most| (most, name)));
    bound("amount".to_owned(), rule.amount_steps.uncapped);
    for cap in &rule.texts.amount.caps {
        bound(format!("cap: {}", cap.text), Some(cap.node));
    }
    bound("exposure".to_owned(), rule.amount_steps.exposure);
    let tightest = bounds.iter().map(|(most, _)| *most).min().unwrap_or(i64::MAX);
    if tightest >= asked {
        return vec!["step".to_owned()];
    }
    bounds.into_iter().filter(|(most, _)| *most == tightest).map(|(_, name)| name).collect()
}
