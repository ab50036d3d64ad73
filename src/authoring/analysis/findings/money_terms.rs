//! Finds money of an offer that cannot be meant: a share written where an amount belongs, a fee above the loan, a least
//! amount for everybody.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::findings::shares::constant_at;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::{Diagnostic, Severity};
use crate::rules::graph::{Graph, NodeId, Op};
use crate::rules::program::OfferRule;
use crate::rules::references::Expression;
use crate::rules::{Binary, Policy};

/// In major units, a constant amount below this is a share or a percentage, and up to the other it may be.
const SHARE_BELOW: f64 = 1.0;
const PERCENT_BELOW: f64 = 10.0;

/// A fee of this part of the amount or more is hardly ever meant.
const FEE_PART_MAX: f64 = 0.5;

pub(in crate::authoring::analysis) fn find_odd_money(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let money = Money { policy, graph: &policy.program.graph, eval, names };
    let mut reported = HashSet::new();
    for offer in &policy.program.offers {
        let odd = money.constants(offer).into_iter().chain(money.fee(offer)).chain(money.least_for_all(offer));
        found.extend(odd.filter(|finding| reported.insert((finding.code, offer.id.clone()))));
    }
}

struct Money<'m> {
    policy: &'m Policy,
    graph: &'m Graph,
    eval: &'m AbstractEval,
    names: &'m NodeNames<'m>,
}

impl Money<'_> {
    /// Constants that are shares or percent by their size.
    fn constants(&self, offer: &OfferRule) -> Vec<Diagnostic> {
        let texts = &offer.texts.amount;
        let of_amount = [("amount", &texts.amount)].into_iter().chain(texts.caps.iter().map(|cap| ("cap", cap)));
        let limit = texts.limit.iter().map(|limit| ("limit", limit));
        let fee = offer.texts.fee.iter().map(|fee| ("fee", fee));
        let all = of_amount.chain(limit).chain(fee);
        all.filter_map(|(key, text)| self.constant(offer, key, text)).collect()
    }

    fn constant(&self, offer: &OfferRule, key: &str, text: &Expression) -> Option<Diagnostic> {
        let minor = constant_at(self.eval, text.node).filter(|minor| *minor > 0.0)?;
        let major = minor / 10_f64.powi(self.policy.header.currency.exponent() as i32);
        let is_fraction = major.fract() != 0.0;
        let severity = match (major < SHARE_BELOW, major < PERCENT_BELOW) {
            (true, _) => Severity::Warning,
            // A fee of 5 may be one; 1.5 is more often percent.
            (false, true) if is_fraction => Severity::Note,
            _ => return None,
        };
        let shown = self.names.range(self.eval, text.node);
        let message = format!("the {key} `{}` of the offer `{}` is {shown}", text.text, offer.id);
        let help = match (key, major < SHARE_BELOW) {
            ("fee", true) => format!("if it is a share of the amount: fee = \"{} * amount\"", text.text),
            ("fee", false) => {
                format!("if {major} percent of the amount is meant: fee = \"{} * amount\"", major / 100.0)
            }
            (_, true) => format!("if it is a share of something, multiply: \"{} * income\"", text.text),
            (_, false) => "money is written in major units: write the whole amount".to_owned(),
        };
        let warning = Diagnostic::warning("small-money", offer.span, message).label("so little?").help(help);
        Some(Diagnostic { severity, ..warning })
    }

    /// A fee that is half of the amount or more.
    fn fee(&self, offer: &OfferRule) -> Option<Diagnostic> {
        let fee = skip_conversions(self.graph, offer.fee?);
        let text = &offer.texts.fee.as_ref()?.text;
        let is_amount = |node: NodeId| skip_conversions(self.graph, node) == skip_conversions(self.graph, offer.amount);
        let product = self.graph.node(fee);
        let part = match (&product.op, product.inputs.as_slice()) {
            _ if is_amount(fee) => Some(1.0),
            (Op::Arithmetic(Binary::Multiply), [left, right]) if is_amount(*left) => self.least(*right),
            (Op::Arithmetic(Binary::Multiply), [left, right]) if is_amount(*right) => self.least(*left),
            _ => None,
        }?;
        if part < FEE_PART_MAX {
            return None;
        }
        let percent = part * 100.0;
        let message = format!("the fee `{text}` of the offer `{}` is {percent} percent of its amount", offer.id);
        let help = format!("a fee is a share of the amount: {part} percent is {} * amount", part / 100.0);
        Some(Diagnostic::warning("large-fee", offer.span, message).label("very high").help(help))
    }

    fn least(&self, node: NodeId) -> Option<f64> {
        self.eval.at(node).interval().map(|part| part.low)
    }

    /// An amount that is never below a constant, whatever the customer's numbers are: GREATEST where LEAST was meant.
    fn least_for_all(&self, offer: &OfferRule) -> Option<Diagnostic> {
        let mut open = vec![(offer.amount_steps.uncapped.unwrap_or(offer.amount), false)];
        let mut searched = HashSet::new();
        while let Some((node, is_limited)) = open.pop() {
            let node = skip_conversions(self.graph, node);
            if !searched.insert(node) {
                continue;
            }
            let at = self.graph.node(node);
            match at.op {
                Op::Round(_) => open.extend(at.inputs.first().map(|value| (*value, is_limited))),
                Op::Least => open.extend(at.inputs.iter().map(|value| (*value, true))),
                Op::Greatest => {
                    let constant =
                        at.inputs.iter().find(|input| constant_at(self.eval, **input).is_some_and(|of| of > 0.0));
                    let Some(constant) = constant.filter(|_| at.inputs.len() > 1) else { continue };
                    return Some(self.told_least(offer, *constant, is_limited));
                }
                _ => {}
            }
        }
        None
    }

    fn told_least(&self, offer: &OfferRule, constant: NodeId, is_limited: bool) -> Diagnostic {
        let least = self.names.range(self.eval, constant);
        let message = format!("the amount of the offer `{}` is at least {least} for everybody: GREATEST", offer.id);
        let help = "write LEAST for an upper bound, or `cap`; the least amount that is offered is `floor`";
        let warning = Diagnostic::warning("least-amount", offer.span, message).label("GREATEST, or LEAST?").help(help);
        let has_caps = is_limited || !offer.amount_steps.caps.is_empty();
        Diagnostic { severity: if has_caps { Severity::Note } else { warning.severity }, ..warning }
    }
}
