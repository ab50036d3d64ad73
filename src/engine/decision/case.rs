//! One statement before a policy: outcome, reasons, score, offers. Nothing unknown ever counts as met.

use super::format;
use super::offers::{
    OfferResult, Seed, if_priced, make_offer_result, price_offer_terms, record_offer, round_to_minor_units,
};
use super::record::{OfferRecord, Outcome, PointsLost, ReasonRecord};
use super::request::{Inputs, Request};
use crate::base::date::Day;
use crate::base::digest::{Digest, Hasher};
use crate::base::pricing::Price;
use crate::base::rational::{Rational, Rounding};
use crate::engine::metrics::{Evaluated, Plan, Reason, StatementSlice};
use crate::rules::graph::NodeId;
use crate::rules::program::{OfferRule, ScoreItem, Value};
use crate::rules::{Arm, Effect, Input, InputSource, Policy};

/// Why no offer is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoOffer {
    /// An input of some offer is unknown.
    InputUnknown,
    /// No offer fits.
    NoneFits,
}

impl NoOffer {
    /// The id of its reason, and the effect.
    pub(super) fn id_and_effect(self) -> (&'static str, Effect) {
        match self {
            NoOffer::InputUnknown => ("OFFER_UNKNOWN", Effect::Refer),
            NoOffer::NoneFits => ("NO_OFFER", Effect::Decline),
        }
    }
}

/// An offer with the rule and the price that it comes from.
pub(super) struct MadeOffer<'p> {
    pub rule: &'p OfferRule,
    pub record: OfferRecord,
    pub price: Price,
}

/// No offer is made, and why in words.
pub(super) struct NoneMade {
    pub why: NoOffer,
    pub text: String,
}

/// One statement and the policy that judges it.
pub(super) struct StatementCase<'c, 'a> {
    pub policy: &'c Policy,
    /// Champion or challenger, if there are two policies.
    pub arm: Option<Arm>,
    pub slice: &'c StatementSlice<'a>,
    pub evaluated: &'c Evaluated<'c>,
    pub request: &'c Request,
    /// For precomputed metrics: the nodes that have a value.
    pub plan: Option<&'c Plan>,
    pub inputs: &'c Inputs,
    pub statement: usize,
    /// The digest of the statement's content.
    pub digest: Digest,
}

impl StatementCase<'_, '_> {
    pub(super) fn as_of(&self) -> Option<Day> {
        self.slice.as_of[self.statement]
    }

    /// The day of the decision, if it was given.
    pub(super) fn given_day(&self) -> Option<Day> {
        self.as_of().filter(|_| !self.slice.is_last_day)
    }

    pub(super) fn value(&self, node: NodeId) -> Result<Value, Reason> {
        self.evaluated.value(node, self.statement)
    }

    pub(super) fn judge(&self) -> (Outcome, Vec<ReasonRecord>, Vec<OfferRecord>) {
        let cannot = self.cannot_decide();
        if !cannot.is_empty() {
            return (Outcome::Refer, cannot, Vec::new());
        }
        let mut reasons = self.requirements();
        let worst = reasons.iter().map(|reason| reason.effect).max().unwrap_or(Effect::Pass);
        if worst > Effect::Pass {
            return (outcome_for(worst), reasons, Vec::new());
        }
        match self.make_offers() {
            Ok(made) => (Outcome::Offer, reasons, made.into_iter().map(|made| made.record).collect()),
            Err(NoneMade { why, text }) => {
                let (id, effect) = why.id_and_effect();
                reasons.push(ReasonRecord { id: id.into(), title: None, effect, text });
                (outcome_for(effect), reasons, Vec::new())
            }
        }
    }

    /// The offers, whatever the requirements say; at least one.
    pub(super) fn make_offers(&self) -> Result<Vec<MadeOffer<'_>>, NoneMade> {
        let (mut offers, mut missing, mut why_not) = (Vec::new(), None, Vec::new());
        for (rule, result) in self.policy.program.offers.iter().zip(self.offers()) {
            match result {
                OfferResult::Offer(offer, price) => {
                    let record = record_offer(self.policy, rule, *offer, &price, self.given_day());
                    offers.push(MadeOffer { rule, record, price });
                }
                OfferResult::Unknown(what, reason) if missing.is_none() => missing = Some((what, reason)),
                OfferResult::NotMade(why) if !why_not.contains(&why) => why_not.push(why),
                OfferResult::NotMade(_) | OfferResult::Unknown(..) => {}
            }
        }
        if !offers.is_empty() {
            return Ok(offers);
        }
        Err(match missing {
            Some((what, reason)) => {
                let why = reason.meaning(&self.policy.program);
                let text = format!("no offer can be worked out: its {what} is unknown: {why}");
                NoneMade { why: NoOffer::InputUnknown, text }
            }
            None if why_not.is_empty() => {
                NoneMade { why: NoOffer::NoneFits, text: "the policy has no offer".to_owned() }
            }
            None => {
                let text = format!("no offer of the policy fits: {}", why_not.join("; "));
                NoneMade { why: NoOffer::NoneFits, text }
            }
        })
    }

    /// Why nothing can be decided, whatever the requirements say.
    pub(super) fn cannot_decide(&self) -> Vec<ReasonRecord> {
        // A policy that is not in force needs no inputs.
        self.out_of_force().or_else(|| self.input_missing()).into_iter().collect()
    }

    /// The requested tenure, if the policy uses it and the request has it.
    pub(super) fn requested_tenure(&self) -> Option<i64> {
        round_to_minor_units(&self.value(self.policy.program.asking.tenure?).ok()?, Rounding::Down)
    }

    /// If an offer has the requested tenure, drops the others.
    fn keep_tenure_asked(&self, results: &mut [OfferResult]) {
        let Some(asked) = self.requested_tenure() else { return };
        let is_asked = |rule: &OfferRule| i64::from(rule.tenure) == asked;
        let rules = &self.policy.program.offers;
        if !rules
            .iter()
            .zip(results.iter())
            .any(|(rule, result)| is_asked(rule) && matches!(result, OfferResult::Offer(..)))
        {
            return;
        }
        for (_, result) in rules
            .iter()
            .zip(results)
            .filter(|(rule, result)| !is_asked(rule) && matches!(result, OfferResult::Offer(..)))
        {
            *result = OfferResult::NotMade("another tenure was asked for");
        }
    }

    /// The points that items of the score lost, the most first, as many as the policy reports.
    pub(super) fn points_lost(&self) -> Vec<PointsLost> {
        let program = &self.policy.program;
        let Some(score) = program.score.as_ref().filter(|score| score.reasons > 0) else { return Vec::new() };
        let mut lost = Vec::new();
        for item in &program.score_items {
            let Some((code, gained)) = item.code.as_ref().zip(self.value(item.node).ok()) else {
                continue;
            };
            if let Some(missed) = item.missed(&gained).filter(|missed| missed.signum() > 0) {
                lost.push((missed, code, item));
            }
        }
        // The sort is stable: equals keep the policy's order.
        lost.sort_by(|left, right| right.0.cmp(&left.0));
        lost.truncate(score.reasons);
        let record = |(missed, code, item): (Rational, &String, &ScoreItem)| PointsLost {
            id: code.clone(),
            text: self.why_lost(item),
            lost: missed.to_f64(),
        };
        lost.into_iter().map(record).collect()
    }

    /// The reason for the points that an item lost.
    pub(super) fn why_lost(&self, item: &ScoreItem) -> String {
        let text = match &item.reason {
            Some(reason) => format::fill_template(self.policy, reason, |node| self.value(node)),
            None => item.text.clone(),
        };
        match self.value(item.on) {
            Ok(_) => text,
            Err(reason) => format!("{text} (not known: {})", reason.meaning(&self.policy.program)),
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.judge().0
    }

    /// Every requirement that is not met.
    pub(super) fn requirements(&self) -> Vec<ReasonRecord> {
        let mut reasons = Vec::new();
        for requirement in &self.policy.program.requirements {
            let met = self.value(requirement.when);
            let effect = match met {
                Ok(Value::Boolean(true)) => continue,
                Ok(_) => requirement.otherwise,
                Err(_) => requirement.unknown,
            };
            if effect == Effect::Pass {
                continue;
            }
            let mut text = format::fill_template(self.policy, &requirement.reason, |node| self.value(node));
            if let Err(reason) = met {
                text = format!("{text} (not known: {})", reason.meaning(&self.policy.program));
            }
            reasons.push(ReasonRecord { id: requirement.id.clone(), title: requirement.title.clone(), effect, text });
        }
        reasons
    }

    /// Whether some offer would be made if every requirement were met; otherwise why none would.
    pub(super) fn is_offered(&self) -> Result<(), NoOffer> {
        let mut why = NoOffer::NoneFits;
        for rule in &self.policy.program.offers {
            match price_offer_terms(self.policy, rule, self.as_of(), &|node| self.value(node), if_priced) {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(_)) => {}
                Err(_) => why = NoOffer::InputUnknown,
            }
        }
        Err(why)
    }

    fn out_of_force(&self) -> Option<ReasonRecord> {
        let header = &self.policy.header;
        let day = self.as_of()?;
        let text = match (header.valid_from, header.valid_to) {
            (Some(from), _) if day < from => {
                format!("the policy is in force from {from} on, the decision is for {day}")
            }
            (_, Some(to)) if day > to => format!("the policy was in force until {to}, the decision is for {day}"),
            _ => return None,
        };
        Some(ReasonRecord { id: "POLICY_DATES".into(), title: None, effect: Effect::Refer, text })
    }

    fn input_missing(&self) -> Option<ReasonRecord> {
        let required = self.policy.inputs().iter().filter(|input| input.required).map(Input::path);
        let mut missing: Vec<String> = required.filter(|path| !self.inputs.values.contains_key(path)).collect();
        missing.extend(self.given_metrics_missing());
        if self.policy.header.requires_as_of && self.given_day().is_none() {
            missing.insert(0, "as_of".to_owned());
        }
        if missing.is_empty() {
            return None;
        }
        let are = if missing.len() == 1 { "is" } else { "are" };
        let text = format!("{} {are} required and not given", missing.join(", "));
        Some(ReasonRecord { id: "INPUT_MISSING".into(), title: None, effect: Effect::Refer, text })
    }

    /// The given metrics that the request says nothing about, not even that they are unknown. Ready metrics say
    /// themselves what they have.
    fn given_metrics_missing(&self) -> impl Iterator<Item = String> {
        let inputs = self.policy.inputs().iter().filter(|input| input.source == InputSource::Given);
        let missing = inputs.filter(|input| self.plan.is_none() && !self.inputs.says(&input.name));
        missing.map(Input::path)
    }

    pub(super) fn offers(&self) -> Vec<OfferResult> {
        let seed = self.seed();
        let value = |node| self.value(node);
        let rules = self.policy.program.offers.iter();
        let mut results: Vec<OfferResult> =
            rules.map(|rule| make_offer_result(self.policy, rule, self.as_of(), &seed, &value)).collect();
        self.keep_tenure_asked(&mut results);
        results
    }

    /// A digest of everything that the decision is a function of.
    fn seed(&self) -> Seed {
        let mut hasher = Hasher::new();
        let head = &self.slice.heads[self.statement];
        hasher.update(self.digest.as_bytes());
        hasher.update(self.policy.digest.as_bytes()).update(self.policy.parameters_digest.as_bytes());
        hasher.update(self.as_of().map(|day| day.to_string()).unwrap_or_default().as_bytes());
        // The customer in the record, whether from the request or the statement: a replay knows only the record.
        let customer = self.request.customer.as_deref().or(head.customer.as_deref());
        hasher.update(customer.unwrap_or("").as_bytes()).update(b"\n");
        for (name, value) in &self.inputs.given {
            hasher.update(name.as_bytes()).update(b"=").update(value.to_string().as_bytes()).update(b"\n");
        }
        Seed(hasher.finish().to_string())
    }
}

pub(super) fn outcome_for(effect: Effect) -> Outcome {
    match effect {
        Effect::Pass => Outcome::Offer,
        Effect::Refer => Outcome::Refer,
        Effect::Decline => Outcome::Decline,
    }
}
