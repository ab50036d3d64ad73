//! What is odd about a policy that compiles: requirements that decide nothing, offers that are never made, rows
//! that are never reached, values that match no row, names that are never used. Every finding has a place and a
//! stable code.

mod ages;
mod contradictions;
mod counterexample;
mod days;
pub(super) mod everything;
mod grades;
mod money_terms;
mod never_true;
mod odd_cells;
mod offer_order;
mod offer_terms;
pub(super) mod offers;
pub(super) mod parameter_bounds;
mod periods;
mod price_columns;
mod price_order;
mod principals;
mod property;
mod shares;
mod stale;
mod tables;
mod unknown_bins;

use std::collections::HashSet;

use super::names::NodeNames;
use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::base::diagnostic::Diagnostic;
use crate::rules::graph::{NodeId, Op};
use crate::rules::program::{Condition, Effect, OfferRule, Program, Requirement};
use crate::rules::{InputSource, Policy};

/// All findings in a compiled policy and its challenger, except the compiler's own warnings. In the order of the files,
/// errors first.
pub fn analyse(policy: &Policy) -> Vec<Diagnostic> {
    let mut found = policy_findings(policy);
    if let Some(challenger) = policy.challenger() {
        // Files that both use are read twice, so their findings occur twice.
        let at = |finding: &Diagnostic| {
            let name = policy.sources().get(finding.span).map(|source| source.name.clone());
            (name, finding.span.start, finding.span.end, finding.code)
        };
        let known: HashSet<_> = found.iter().map(at).collect();
        let own = policy_findings(&challenger.policy).into_iter();
        found.extend(own.filter(|finding| !known.contains(&at(finding))));
    }
    found.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span.source, diagnostic.span.start));
    found
}

fn policy_findings(policy: &Policy) -> Vec<Diagnostic> {
    let program = &policy.program;
    let eval = AbstractEval::new(program, None);
    let names = NodeNames::new(policy);
    let mut found = value_findings(policy, &eval, &names);
    let ranges = days::day_ranges(policy);
    if ranges.len() > 1 {
        let by_range = ranges.iter().map(|range| {
            let eval = AbstractEval::new(program, Some(range.day));
            (*range, value_findings(policy, &eval, &names))
        });
        let by_range = by_range.collect();
        found = days::merge_period_findings(found, by_range);
    }
    unknown_bins::find_bins_without_unknown(policy, &names, &mut found);
    odd_cells::find_odd_cells(policy, &mut found);
    periods::find_unlike_periods(policy, &eval, &mut found);
    stale::find_stale_windows(policy, &eval, &mut found);
    stale::find_required_age(policy, &eval, &mut found);
    ages::find_odd_ages(policy, &eval, &mut found);
    never_true::find_never_true(policy, &eval, &names, &mut found);
    price_order::check_price_order(policy, &eval, &mut found);
    for declared in &program.properties {
        found.extend(property::check_property(policy, declared, &eval, &names));
    }
    find_unused_names(policy, &mut found);
    found
}

/// Findings that follow from possible values, which may depend on the day.
fn value_findings(policy: &Policy, eval: &AbstractEval, names: &NodeNames) -> Vec<Diagnostic> {
    let program = &policy.program;
    let mut found = Vec::new();
    for requirement in &program.requirements {
        match requirement_finding(requirement, eval, names) {
            Some(whole) => {
                let percent = shares::percent_beside_share(&program.graph, eval, requirement.when);
                found.push(match percent {
                    Some(percent) => whole.help(format!("a share is 0 to 1: {percent} percent is {}", percent / 100.0)),
                    None => whole,
                });
            }
            None => member_findings(requirement, eval, names, &mut found),
        }
    }
    for offer in &program.offers {
        found.extend(offer_finding(policy, offer, eval, names));
    }
    contradictions::find_contradictions(policy, eval, &mut found);
    offers::odd_interests(policy, eval, names, &mut found);
    principals::find_other_principals(policy, eval, names, &mut found);
    money_terms::find_odd_money(policy, eval, names, &mut found);
    offer_terms::find_odd_terms(policy, eval, names, &mut found);
    shares::find_percents(policy, eval, names, &mut found);
    for item in &program.score_items {
        found.extend(tables::find_unreached_bins(policy, item, eval, names));
    }
    for (index, _) in program.tables.iter().enumerate() {
        tables::find_unreached_rows(policy, index, eval, &mut found);
        tables::find_table_gaps(policy, index, eval, &mut found);
    }
    found
}

/// A requirement as messages name it: by its id, and by its title if it has one.
fn quote_requirement(requirement: &Requirement) -> String {
    let title = requirement.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
    format!("`{}`{title}", requirement.id)
}

/// A requirement that cannot fail, or cannot be met.
fn requirement_finding(requirement: &Requirement, eval: &AbstractEval, names: &NodeNames) -> Option<Diagnostic> {
    let (name, when) = (quote_requirement(requirement), eval.at(requirement.when));
    let (yes, no) = when.may_be();
    let because = names.because(eval, requirement.when);
    let because = if because.is_empty() { String::new() } else { format!(": {because}") };
    if !yes {
        let message = format!("the requirement {name} is never met{because}");
        let help = match requirement.otherwise {
            Effect::Decline => "as written, it declines everybody",
            Effect::Refer | Effect::Pass => "as written, nobody gets an offer",
        };
        return Some(Diagnostic::warning("never-met", requirement.span, message).label("never met").help(help));
    }
    if no {
        return None;
    }
    let (message, help) = match when.unknown && requirement.unknown != Effect::Pass {
        true => (
            format!("the requirement {name} fails only where something is unknown{because}"),
            "if that is intended, write `NOT is_unknown(...)`; otherwise tighten it",
        ),
        false => (format!("the requirement {name} can never fail{because}"), "delete it, or tighten it"),
    };
    Some(Diagnostic::warning("always-met", requirement.span, message).label("decides nothing").help(help))
}

/// Members of a block that decide nothing. `requirement_finding` reports blocks that decide nothing as a whole.
fn member_findings(requirement: &Requirement, eval: &AbstractEval, names: &NodeNames, found: &mut Vec<Diagnostic>) {
    let mut open = vec![&requirement.asked];
    while let Some(asked) = open.pop() {
        let Condition::Block(_, members) = &asked.what else { continue };
        open.extend(members);
        for member in members {
            let (Condition::When(text), node) = (&member.what, &member.node) else { continue };
            let what = match (eval.at(*node).may_be(), eval.at(*node).unknown) {
                ((_, false), false) => "always holds",
                ((false, _), _) => "never holds",
                _ => continue,
            };
            let name = quote_requirement(requirement);
            let message = format!("`{text}` in the requirement {name} {what}: {}", names.because(eval, *node));
            let diagnostic = Diagnostic::warning("member", requirement.span, message);
            found.push(diagnostic.label(what).help("delete it from the block, or fix it"));
        }
    }
}

/// An offer that is never made.
fn offer_finding(policy: &Policy, offer: &OfferRule, eval: &AbstractEval, names: &NodeNames) -> Option<Diagnostic> {
    let what = format!("the offer `{}` for tenure {} is never made", offer.id, offer.tenure);
    let warn = |message: String, help: &str| {
        Some(Diagnostic::warning("offer-never", offer.span, message).label("never made").help(help))
    };
    if let Some(when) = offer.when
        && !eval.at(when).may_be().0
    {
        let because = names.because(eval, when);
        return warn(format!("{what}, because its `when` is never true: {because}"), "delete it, or fix its `when`");
    }
    if let Some((why, help)) = offers::without_amount(offer, eval, names) {
        return warn(format!("{what}, because {why}"), help);
    }
    let (why, help) = offers::without_price(policy, offer, eval, names)?;
    warn(format!("{what}, because {why}"), help)
}

/// Unused metrics, inputs and tables in the policy's own file. Shared files may serve other policies.
fn find_unused_names(policy: &Policy, found: &mut Vec<Diagnostic>) {
    let (program, main) = (&policy.program, policy.main);
    let used = collect_used_nodes(program);
    let mut warn = |kind: &str, name: &str, span| {
        let message = format!("the {kind} `{name}` is never used");
        found.push(Diagnostic::warning("unused", span, message).help("use it or delete it"));
    };
    for metric in program.metrics.iter().filter(|metric| metric.span.source == main && !used.contains(&metric.node)) {
        warn("metric", &metric.name, metric.span);
    }
    let asked = |field: usize| {
        let asks = |op: &Op| matches!(op, Op::Input(input) | Op::Entry(input, _) if *input == field);
        program.graph.nodes().iter().any(|node| asks(&node.op))
    };
    for (field, (input, span)) in program.inputs.iter().zip(&program.input_spans).enumerate() {
        // A required input has an effect even if nothing reads it.
        if span.source == main && !input.required && input.source != InputSource::Given && !asked(field) {
            warn("input", &input.path(), *span);
        }
    }
    for table in program.tables.iter().filter(|table| table.span.source == main) {
        // An unused output of a used table may be there to be shown in decisions.
        if !table.outputs.iter().any(|output| used.contains(&output.node)) {
            warn("table", &table.name, table.span);
        }
    }
}

/// All used nodes: inputs of live nodes, and nodes that rules refer to.
fn collect_used_nodes(program: &Program) -> HashSet<NodeId> {
    let mut used = HashSet::new();
    for (index, node) in program.graph.nodes().iter().enumerate() {
        if program.schedule.live[index] {
            used.extend(node.inputs.iter().copied());
        }
    }
    for requirement in &program.requirements {
        used.insert(requirement.when);
        used.extend(requirement.reason.nodes());
    }
    for item in &program.score_items {
        used.insert(item.on);
        used.extend(item.reason.iter().flat_map(|reason| reason.nodes()));
    }
    used.extend(program.properties.iter().map(|declared| declared.input));
    used.extend(program.asking.amount.iter().chain(&program.asking.tenure));
    for offer in &program.offers {
        used.extend([offer.amount, offer.interest, offer.instalments]);
        used.extend(offer.amount_steps.nodes());
        used.extend(offer.when);
        used.extend(offer.fee);
    }
    used
}
