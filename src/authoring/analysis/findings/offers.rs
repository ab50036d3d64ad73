//! Why an offer is never made, whatever the statement: its amount, or an input of its price.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use crate::base::pricing::{FeeMode, MAX_INSTALMENTS, TenureUnit};
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::program::OfferRule;

/// The largest interest, with room for values that are rounded to it.
const INTEREST_MAX: f64 = 1_000.000_000_001;

/// The reason, and what to do about it.
type Why = Option<(String, &'static str)>;

/// Why the amount is never above 0, or never reaches the floor: the step from the computed to the lent amount that
/// causes it.
pub(in crate::authoring::analysis) fn without_amount(offer: &OfferRule, eval: &AbstractEval, names: &NodeNames) -> Why {
    let steps = &offer.amount_steps;
    let is_nothing = |node: NodeId| eval.at(node).interval().is_none_or(|interval| interval.high < 1.0);
    if is_nothing(offer.amount) {
        let what = "its amount is never above 0";
        if steps.uncapped.is_none_or(is_nothing) {
            let why = format!("{what}: {}", names.because(eval, steps.uncapped.unwrap_or(offer.amount)));
            return Some((why, "an offer of nothing is not made; look at its `amount`"));
        }
        let why = held_down(offer, eval, names, &is_nothing);
        let by_step = steps.step.map(|step| format!("it never reaches its step, which is {}", names.range(eval, step)));
        let why = why.or(by_step).unwrap_or_else(|| names.because(eval, offer.amount));
        return Some((format!("{what}: {why}"), "an offer of nothing is not made; look at what limits the amount"));
    }
    let floor = steps.floor?;
    let least = eval.at(floor).interval()?.low;
    let is_below = |node: NodeId| eval.at(node).interval().is_some_and(|interval| interval.high < least);
    if !is_below(offer.amount) {
        return None;
    }
    let by_step =
        || Some(format!("in steps of {} it is {}", names.range(eval, steps.step?), names.range(eval, offer.amount)));
    let because = match steps.uncapped.filter(|uncapped| is_below(*uncapped)) {
        Some(uncapped) => match names.because(eval, uncapped) {
            because if because.is_empty() => format!("the amount is {}", names.range(eval, uncapped)),
            because => because,
        },
        None => held_down(offer, eval, names, &is_below)
            .or_else(by_step)
            .unwrap_or_else(|| names.because(eval, offer.amount)),
    };
    let why = format!("its amount never reaches its floor of {}: {because}", names.range(eval, floor));
    Some((why, "lower the `floor`, or raise what limits the amount"))
}

/// The limit that alone keeps the amount low.
fn held_down(
    offer: &OfferRule,
    eval: &AbstractEval,
    names: &NodeNames,
    is_low: &dyn Fn(NodeId) -> bool,
) -> Option<String> {
    let steps = &offer.amount_steps;
    if let Some(cap) = offer.texts.amount.caps.iter().find(|cap| is_low(cap.node)) {
        return Some(format!("the cap `{}` is {}", cap.text, names.range(eval, cap.node)));
    }
    if let Some(headroom) = steps.exposure.filter(|headroom| is_low(*headroom)) {
        return Some(format!("the room under the limit of `[exposure]` is {}", names.range(eval, headroom)));
    }
    let asked = steps.asked.filter(|asked| is_low(*asked))?;
    Some(format!("what is asked for is {}", names.range(eval, asked)))
}

/// An interest per period of a week or more is hardly ever lower. A lower one is usually a share meant in percent.
pub(in crate::authoring::analysis) const INTEREST_LOW: f64 = 0.25;
/// An interest for 30 days is hardly ever higher. A higher one is usually the rate of a year.
const INTEREST_HIGH: f64 = 25.0;
/// The highest interest of less than a month that may be meant.
const SHORT_INTEREST_MAX: f64 = 10.0;

/// Finds interests that look like fractions but are in percent, and those that look like the rate of a year but are for
/// an instalment period. Reports one for several tenures only once.
pub(in crate::authoring::analysis) fn odd_interests(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let mut reported = HashSet::new();
    for offer in &policy.program.offers {
        found.extend(odd_interest(policy, offer, eval, names).filter(|finding| reported.insert(finding.span)));
    }
}

fn odd_interest(policy: &Policy, offer: &OfferRule, eval: &AbstractEval, names: &NodeNames) -> Option<Diagnostic> {
    let interest = eval.at(offer.interest).interval()?;
    let instalments = eval.at(offer.instalments).interval()?.high.max(1.0);
    let days = match policy.header.tenure_unit {
        TenureUnit::Months => 30.0,
        TenureUnit::Weeks => 7.0,
        TenureUnit::Days => 1.0,
    };
    let period = f64::from(offer.tenure) * days / instalments;
    if period < 7.0 || interest.high <= 0.0 {
        return None;
    }
    let (high, is) = (interest.high, names.known_range(eval, offer.interest));
    let text = &offer.texts.interest.text;
    // Digits of doubles say nothing to people.
    let is = match (text.ends_with("/ 100") || text.ends_with("/100"), interest.is_point()) {
        (true, false) => format!("{:.4} to {high:.4}", interest.low),
        _ => is,
    };
    let of_offer = format!("the interest of the offer `{}` for tenure {}", offer.id, offer.tenure);
    if high < INTEREST_LOW {
        let message = format!("{of_offer} is {is} percent per instalment period");
        let help = match text.strip_suffix("100").and_then(|text| text.trim_end().strip_suffix('/')) {
            Some(percent) => format!("interest is in percent already: write {}", percent.trim_end()),
            None => format!("interest is in percent: 4.5 % is written 4.5; {high} means {high} %"),
        };
        return Some(Diagnostic::warning("small-interest", offer.interest_span, message).label("very low").help(help));
    }
    if high * 30.0 / period <= INTEREST_HIGH || high > INTEREST_MAX {
        return None;
    }
    let year = (high * 365.0 / period).round();
    let message = format!("{of_offer} is {is} percent per instalment period, up to {year} percent a year");
    let help = "interest is for one instalment period: 36 percent a year is 3.0 a month";
    let warning = Diagnostic::warning("large-interest", offer.interest_span, message).label("very high").help(help);
    // A loan for a week or two may well cost so much, and the rate of a year is rarely so low.
    let is_short_loan = period < 30.0 && high <= SHORT_INTEREST_MAX;
    let severity = if is_short_loan { Severity::Note } else { warning.severity };
    Some(Diagnostic { severity, ..warning })
}

/// Reports a policy or challenger that has no offers.
pub fn without_offers(policy: &Policy) -> Vec<Diagnostic> {
    let challenger = policy.challenger().map(|challenger| &challenger.policy);
    [policy].into_iter().chain(challenger).filter_map(without_offer).collect()
}

fn without_offer(policy: &Policy) -> Option<Diagnostic> {
    if !policy.program.offers.is_empty() {
        return None;
    }
    let main = policy.sources().iter().nth(policy.main as usize)?;
    let start = main.text.find("[policy]").unwrap_or_default();
    let span = Span::new(policy.main, start, start + "[policy]".len());
    let message = "the policy has no [[offer]]: whoever meets its requirements is declined with NO_OFFER";
    let help = "add an [[offer]] with id, tenure, amount and interest";
    Some(Diagnostic::warning("no-offer", span, message).label("offers nothing").help(help))
}

/// Why there is never a price.
pub(in crate::authoring::analysis) fn without_price(
    policy: &Policy,
    offer: &OfferRule,
    eval: &AbstractEval,
    names: &NodeNames,
) -> Why {
    let interval = |node: NodeId| eval.at(node).interval();
    let is = |node: NodeId| names.range(eval, node);
    let interest = interval(offer.interest);
    if interest.is_none_or(|interest| interest.high < 0.0 || interest.low > INTEREST_MAX) {
        let why = format!("its interest cannot be priced: it is {}", is(offer.interest));
        return Some((why, "interest must be from 0 to 1000 percent"));
    }
    let priced = Interval::closed(1.0, f64::from(MAX_INSTALMENTS));
    let whole = interval(offer.instalments).and_then(|count| count.meet(priced)).and_then(Interval::of_whole);
    if whole.is_none() {
        let why = format!("its instalments cannot be priced: they are {}", is(offer.instalments));
        return Some((why, "instalments must be a whole number from 1 to 600"));
    }
    let fee = offer.fee?;
    // A fee is rounded to minor units, so one just below 0 becomes 0.
    if interval(fee).is_none_or(|fee| fee.high <= -0.5) {
        return Some((format!("its fee cannot be priced: it is {}", is(fee)), "a fee must be 0 or more"));
    }
    let graph = &policy.program.graph;
    let takes_all = || {
        let (fee_is, amount_is) = (interval(fee)?, interval(offer.amount)?);
        Some(
            skip_conversions(graph, fee) == skip_conversions(graph, offer.amount)
                || fee_is.low.floor() >= amount_is.high.ceil(),
        )
    };
    if policy.header.fee_mode == FeeMode::Deducted && takes_all() == Some(true) {
        let why = format!("its fee takes the whole amount: the fee is {}, the amount {}", is(fee), is(offer.amount));
        return Some((why, "a deducted fee must be below the amount"));
    }
    None
}
