//! Checks `[[property]]`: with more of one value, another never falls, or never rises. Both must exist and have an
//! order; whether the property holds is found by the analysis.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{self, NodeId, Op};
use crate::rules::program::property::{Property, Target};
use crate::rules::program::{DecisionTable, OfferRule, Requirement};
use crate::rules::syntax::property::WrittenProperty;
use crate::rules::syntax::source::Text;
use crate::rules::types::Repr;

/// The parts of the policy, other than values, that a property may name.
pub(in crate::rules) struct Parts<'p> {
    pub requirements: &'p [Requirement],
    pub tables: &'p [DecisionTable],
    pub offers: &'p [OfferRule],
}

/// Resolves what a property names.
pub(in crate::rules) fn resolve_property(
    checker: &mut Checker,
    written: &WrittenProperty,
    parts: &Parts<'_>,
) -> Checked<Property> {
    let (is_increasing, input) = match (&written.increasing, &written.decreasing) {
        (Some(input), None) => (true, input),
        (None, Some(input)) => (false, input),
        _ => {
            let message = "a property has exactly one of `increasing` and `decreasing`";
            let help = "such as increasing = \"income\" and of = \"score\"";
            return checker.mistakes.report(Diagnostic::error("property", written.span, message).help(help));
        }
    };
    let typed = checker.expression(input, ExpressionContext::STATEMENT)?;
    if !typed.ty.repr.is_number() || is_literal(checker, typed.node) {
        let message = format!("`{}` is not a value that can rise", input.value());
        let help = "name a metric or a field of the request that is a number, money, days or a date";
        return checker.mistakes.report(Diagnostic::error("property", input.span(), message).help(help));
    }
    let of = resolve_property_target(checker, &written.of, parts)?;
    Ok(Property {
        is_increasing,
        input_text: input.value().to_string(),
        input: typed.node,
        of_text: written.of.value().to_string(),
        of,
        span: written.of.span(),
    })
}

fn is_literal(checker: &Checker, node: NodeId) -> bool {
    match &checker.nodes.node(node).op {
        Op::Int(_) | Op::Rational(_) => true,
        Op::Spread => is_literal(checker, checker.nodes.node(node).inputs[0]),
        _ => false,
    }
}

fn resolve_property_target(checker: &mut Checker, of: &Text, parts: &Parts<'_>) -> Result<Target, Reported> {
    let name = of.value();
    if name == "outcome" {
        return Ok(Target::Outcome);
    }
    if let Some(index) = parts.requirements.iter().position(|requirement| requirement.id == name) {
        return Ok(Target::Requirement(index));
    }
    if let Some(id) = name.strip_suffix(".amount") {
        let offers: Vec<usize> = (0..parts.offers.len()).filter(|index| parts.offers[*index].id == id).collect();
        if !offers.is_empty() {
            return Ok(Target::Amounts(offers));
        }
    }
    let typed = checker.expression(of, ExpressionContext::STATEMENT)?;
    let mut outputs = parts.tables.iter().flat_map(|table| &table.outputs);
    let values = outputs.find(|output| output.node == typed.node).map(|output| output.values.clone());
    let values = values.unwrap_or_default();
    let has_order = match typed.ty.repr {
        Repr::Int | Repr::Rational | Repr::Float | Repr::Boolean => true,
        Repr::Text => !values.is_empty(),
        Repr::List => false,
    };
    if !has_order {
        let message = format!("`{name}` has no order, so it cannot rise or fall");
        let help = "list the output's values, best first: grade = { type = \"text\", values = [\"A\", \"B\"] }";
        return checker.mistakes.report(Diagnostic::error("property", of.span(), message).help(help));
    }
    Ok(Target::Value(checker.nodes.at_least(typed, graph::Grain::Statement), values))
}
