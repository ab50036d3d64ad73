//! Finds terms of an offer that were probably not meant: days in a policy of months, one instalment for a long time, a
//! step above the floor. Reports each once for several tenures.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::Diagnostic;
use crate::base::pricing::{Method, TenureUnit};
use crate::rules::Policy;
use crate::rules::program::OfferRule;

/// Longest tenures of loans without a mortgage, in months and in weeks: ten years.
const MONTHS_MAX: u32 = 120;
const WEEKS_MAX: u32 = 520;

/// The longest time, in days, that one instalment pays for without a word.
const ONE_PERIOD_MAX: u32 = 62;

pub(in crate::authoring::analysis) fn find_odd_terms(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let mut reported = HashSet::new();
    for offer in &policy.program.offers {
        let odd = [odd_tenure(policy, offer), one_instalment(policy, offer), step_above_floor(offer, eval, names)];
        found.extend(odd.into_iter().flatten().filter(|finding| reported.insert((finding.code, offer.id.clone()))));
    }
}

/// Days where the policy counts months or weeks, or months where it counts days.
fn odd_tenure(policy: &Policy, offer: &OfferRule) -> Option<Diagnostic> {
    let tenure = offer.tenure;
    let (unit, meant) = match policy.header.tenure_unit {
        // Months are in halves of years, days in multiples of 30.
        TenureUnit::Months if tenure > MONTHS_MAX || (tenure.is_multiple_of(30) && !tenure.is_multiple_of(12)) => {
            ("months", "days")
        }
        TenureUnit::Weeks if tenure > WEEKS_MAX || tenure.is_multiple_of(90) => ("weeks", "days"),
        TenureUnit::Days if tenure < 7 => ("days", "months"),
        _ => return None,
    };
    let message = format!("the offer `{}` has a tenure of {tenure} {unit}", offer.id);
    let help = match meant {
        "days" => format!("if {tenure} days are meant, write them in {unit}, or tenure_unit = \"days\" under [policy]"),
        _ => format!("if {tenure} months are meant, write tenure_unit = \"months\" under [policy]"),
    };
    Some(Diagnostic::warning("tenure", offer.span, message).label(format!("{unit}, or {meant}?")).help(help))
}

/// A long tenure that is repaid at once, only because `instalments` is missing.
fn one_instalment(policy: &Policy, offer: &OfferRule) -> Option<Diagnostic> {
    let days = match policy.header.tenure_unit {
        TenureUnit::Days => 1,
        TenureUnit::Weeks => 7,
        TenureUnit::Months => 30,
    };
    let is_long = offer.tenure.saturating_mul(days) > ONE_PERIOD_MAX;
    if offer.texts.instalments.is_some() || !(is_long || offer.method == Method::Reducing) {
        return None;
    }
    let unit = policy.header.tenure_unit.name();
    let message = format!(
        "the offer `{}` for {} {unit} is repaid at once, without `instalments`: its interest is for all of it",
        offer.id, offer.tenure
    );
    let help = "add `instalments`, such as instalments = 6, or write instalments = 1 if one payment is meant";
    Some(Diagnostic::warning("instalments", offer.span, message).label("one payment").help(help))
}

/// A floor that no amount can be at, because amounts below the step become nothing.
fn step_above_floor(offer: &OfferRule, eval: &AbstractEval, names: &NodeNames) -> Option<Diagnostic> {
    let (step, floor) = (offer.amount_steps.step?, offer.amount_steps.floor?);
    let (of_step, of_floor) = (eval.at(step).interval()?, eval.at(floor).interval()?);
    if of_floor.low <= 0.0 || of_step.low <= of_floor.high {
        return None;
    }
    let (step, floor) = (names.range(eval, step), names.range(eval, floor));
    let message = format!(
        "the step of the offer `{}`, {step}, is above its floor, {floor}: amounts between the two become nothing",
        offer.id
    );
    let help = "lower the step, or write the least amount that is offered as the floor";
    Some(Diagnostic::warning("step", offer.span, message).label("step above floor").help(help))
}
