//! Analyses a policy over the declared bounds of its parameters: findings that hold only for the written values, and
//! findings that appear only for others. Expressions are evaluated over whole ranges. Parameters in cells are tried at
//! their bounds.

use std::collections::{BTreeSet, HashSet};

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::analyse;
use crate::authoring::analysis::findings::property;
use crate::base::diagnostic::Diagnostic;
use crate::rules::axis::format_typed_value;
use crate::rules::graph::{NodeId, Op};
use crate::rules::parameter_variant::{Bound, ParameterVariant};
use crate::rules::program::{Parameter, Program};
use crate::rules::property::{Property, Target};
use crate::rules::{Policy, with_parameters};

/// Most bounds that are tried. Each needs a policy compiled and analysed.
const ENDS_MAX: usize = 400;

/// The policy with every parameter anywhere within its bounds, for analysis; `None` if no parameter has bounds.
pub fn policy_within_bounds(policy: &Policy) -> Option<Policy> {
    policy_and_challenger(policy).find_map(|policy| bounded_parameters(policy).next())?;
    with_parameters(policy, ParameterVariant::Anywhere).ok()
}

/// As [`analyse`], and what changes when parameters move within their bounds.
pub fn analyse_bounds(policy: &Policy) -> Vec<Diagnostic> {
    let mut found = analyse(policy);
    let known: HashSet<_> = found.iter().chain(policy.warnings()).map(key).collect();
    let mut reported = HashSet::new();
    let mut at_ends = Vec::new();
    for (parameter, bound, value) in parameters_at_bounds(policy).into_iter().take(ENDS_MAX) {
        let turned = with_parameters(policy, ParameterVariant::At(parameter.name.clone(), bound));
        let findings = match &turned {
            Ok(turned) => [analyse(turned), turned.warnings().to_vec()].concat(),
            Err(refused) => refused.diagnostics.clone(),
        };
        let end = if bound == Bound::Min { "min" } else { "max" };
        for finding in findings {
            if !known.contains(&key(&finding)) && reported.insert(key(&finding)) {
                let message = format!("with `${}` at its {end}, {value}: {}", parameter.name, finding.message);
                at_ends.push(Diagnostic { message, ..finding });
            }
        }
    }
    if let Some(anywhere) = policy_within_bounds(policy) {
        in_between(policy, &anywhere, &mut found, &mut at_ends);
    }
    found.extend(at_ends);
    found.sort_by_key(|finding| (finding.severity, finding.span.source, finding.span.start));
    found
}

/// Compares the findings with those for all values between the bounds.
fn in_between(policy: &Policy, anywhere: &Policy, found: &mut [Diagnostic], at_ends: &mut Vec<Diagnostic>) {
    let everywhere = analyse(anywhere);
    let follows: HashSet<_> = everywhere.iter().map(key).collect();
    for finding in
        found.iter_mut().filter(|finding| depends_on_values(finding.code) && !follows.contains(&key(finding)))
    {
        finding.message += "; true for the parameters as written, but not for all values from their min to their max";
    }
    let known: HashSet<_> = found.iter().chain(&*at_ends).chain(policy.warnings()).map(key).collect();
    for finding in everywhere.into_iter().filter(|finding| finding.code == "gap" && !known.contains(&key(finding))) {
        let message = format!("possible with parameters between their min and max: {}", finding.message);
        at_ends.push(Diagnostic { message, ..finding });
    }
    for (policy, anywhere) in policy_and_challenger(policy).zip(policy_and_challenger(anywhere)) {
        not_proved(policy, anywhere, &known, at_ends);
    }
}

/// Reports properties that are proved only for the parameters as written.
fn not_proved(
    policy: &Policy,
    anywhere: &Policy,
    known: &HashSet<(&'static str, (u32, u32))>,
    at_ends: &mut Vec<Diagnostic>,
) {
    let eval = AbstractEval::new(&anywhere.program, None);
    for (declared, turned) in policy.program.properties.iter().zip(&anywhere.program.properties) {
        let is_reported = known.iter().any(|(code, span)| {
            *span == (declared.span.source, declared.span.start) && ["not-proved", "not-monotone"].contains(code)
        });
        if is_reported {
            continue;
        }
        let (input, of) = (&declared.input_text, &declared.of_text);
        let why = if property::is_proved(anywhere, turned, &eval) {
            let held = parameters_held_in_cells(&anywhere.program, turned);
            if held.is_empty() {
                continue;
            }
            let names: Vec<String> = held.iter().map(|name| format!("`${name}`")).collect();
            format!("{} in cells, tried only at the written value, the min and the max", names.join(", "))
        } else {
            "not for all values from their min to their max".to_string()
        };
        let message = format!("how `{of}` changes when `{input}` rises is proved for the parameters as written; {why}");
        let help = "no counterexample was found; narrow the bounds, or compare in an expression instead of a cell";
        let diagnostic = Diagnostic::warning("not-proved", declared.span, message);
        at_ends.push(diagnostic.label("not proved for all values").help(help));
    }
}

/// Identifies a finding across parameter values.
fn key(finding: &Diagnostic) -> (&'static str, (u32, u32)) {
    (finding.code, (finding.span.source, finding.span.start))
}

/// Whether findings of this code depend on values, so that other values may remove them.
fn depends_on_values(code: &str) -> bool {
    ["always-met", "never-met", "member", "offer-never", "unreachable", "price-order"].contains(&code)
}

/// The policy and its challenger.
fn policy_and_challenger(policy: &Policy) -> impl Iterator<Item = &Policy> {
    [policy].into_iter().chain(policy.challenger().map(|challenger| &challenger.policy))
}

fn bounded_parameters(policy: &Policy) -> impl Iterator<Item = &Parameter> {
    policy.parameters().iter().filter(|parameter| parameter.min.is_some() || parameter.max.is_some())
}

/// Every parameter at each bound that is not already its value, and the bound in words. A name that champion and
/// challenger share is changed in both at once.
fn parameters_at_bounds(policy: &Policy) -> Vec<(&Parameter, Bound, String)> {
    let mut ends: Vec<(&Parameter, Bound, String)> = Vec::new();
    for (policy, parameter) in policy_and_challenger(policy)
        .flat_map(|policy| bounded_parameters(policy).map(move |parameter| (policy, parameter)))
    {
        for (bound, value) in [(Bound::Min, &parameter.min), (Bound::Max, &parameter.max)] {
            let Some(value) = value else { continue };
            let is_there = ends.iter().any(|(known, at, _)| known.name == parameter.name && *at == bound);
            if !is_there && parameter.values.iter().any(|written| written.value != *value) {
                ends.push((parameter, bound, format_typed_value(value, parameter.ty, &policy.header.currency)));
            }
        }
    }
    ends
}

/// The parameters in cells, which stay at their value, of tables and score items that the property depends on.
fn parameters_held_in_cells(program: &Program, property: &Property) -> BTreeSet<String> {
    let Some(held) = &program.anywhere else { return BTreeSet::new() };
    let mut open: Vec<NodeId> = match &property.of {
        Target::Value(node, _) => vec![*node],
        Target::Requirement(index) => vec![program.requirements[*index].when],
        Target::Amounts(offers) => offers.iter().map(|offer| program.offers[*offer].amount).collect(),
        Target::Outcome => program.judgement(),
    };
    let (mut seen, mut texts) = (HashSet::new(), Vec::new());
    while let Some(node) = open.pop() {
        if !seen.insert(node) {
            continue;
        }
        match program.graph.node(node).op {
            Op::Points(item) => texts.extend(program.score_items[item].bins.iter().map(|bin| bin.text.as_str())),
            Op::Hit(table) => {
                texts.extend(program.tables[table].rows.iter().flat_map(|row| &row.texts).map(String::as_str))
            }
            _ => {}
        }
        open.extend(&program.graph.node(node).inputs);
    }
    // Compares whole names: `$limit_2` is not `$limit`.
    let is_named = |name: &str| {
        texts.iter().any(|text| {
            let after = text.split('$').skip(1);
            after
                .into_iter()
                .any(|rest| rest.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_').next() == Some(name))
        })
    };
    held.iter().filter(|name| is_named(name.rsplit('.').next().unwrap_or(name))).cloned().collect()
}
