//! Coverage: which parts of a policy a decision used: requirements, bins of the score, rows of tables, offers. Knows
//! nothing of cases files.

use std::collections::BTreeSet;

use super::case::StatementCase;
use super::error::Error;
use super::offers::OfferResult;
use super::policy_selection::{self, Keep};
use super::request::Request;
use crate::base::diagnostic::Span;
use crate::engine::metrics::decision_table::rows_of;
use crate::engine::metrics::scoring;
use crate::rules::program::{Bin, Value};
use crate::rules::{Policy, PolicySet};
use crate::statement::Statements;

/// A part of a policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CoveredPart {
    /// A requirement that was met.
    Met(String),
    /// A requirement that was not met. One that nobody knows is neither met nor not met.
    NotMet(String),
    /// A bin of a score item: the item's input and the bin, as written, and the numbers of both, because two items may
    /// have the same input.
    Bin(String, String, (usize, usize)),
    /// A row of a table, counted from 1.
    Row(String, usize),
    /// An offer that was made, with its tenure.
    Offer(String, u32),
}

/// A part of one version of a policy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PartOf {
    /// The number of the version, from 0.
    pub version: usize,
    /// The part.
    pub part: CoveredPart,
}

impl std::fmt::Display for CoveredPart {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CoveredPart::Met(id) => write!(out, "{id} met"),
            CoveredPart::NotMet(id) => write!(out, "{id} not met"),
            CoveredPart::Bin(item, bin, _) => write!(out, "{item} {bin}"),
            CoveredPart::Row(table, row) => write!(out, "{table} row {row}"),
            CoveredPart::Offer(id, tenure) => write!(out, "{id} over {tenure}"),
        }
    }
}

/// All parts, version by version, in the order of each.
pub fn list_policy_parts(policies: &dyn PolicySet) -> Vec<PartOf> {
    locate_policy_parts(policies).into_iter().map(|(part, ..)| part).collect()
}

/// The place of each part: the file's name as given, and the line.
pub fn locate_policy_parts(policies: &dyn PolicySet) -> Vec<(PartOf, String, usize)> {
    let mut places = Vec::new();
    for (version, policy) in policies.policies().into_iter().enumerate() {
        let sources = policy.sources();
        for (part, span) in list_part_spans(policy) {
            let Some(source) = sources.get(span) else { continue };
            places.push((PartOf { version, part }, source.name.clone(), sources.line_column(span).0));
        }
    }
    places
}

fn list_part_spans(policy: &Policy) -> Vec<(CoveredPart, Span)> {
    let program = &policy.program;
    let mut spans = Vec::new();
    for requirement in &program.requirements {
        spans.push((CoveredPart::Met(requirement.id.clone()), requirement.span));
        spans.push((CoveredPart::NotMet(requirement.id.clone()), requirement.span));
    }
    for (number, item) in program.score_items.iter().enumerate() {
        let part =
            |(at, bin): (usize, &Bin)| (CoveredPart::Bin(item.text.clone(), bin.text.clone(), (number, at)), bin.span);
        spans.extend(item.bins.iter().enumerate().map(part));
    }
    for table in &program.tables {
        let rows = table.rows.iter().map(|row| row.span).chain(table.otherwise.iter().map(|_| table.span));
        spans.extend(rows.enumerate().map(|(row, span)| (CoveredPart::Row(table.name.clone(), row + 1), span)));
    }
    spans.extend(program.offers.iter().map(|offer| (CoveredPart::Offer(offer.id.clone(), offer.tenure), offer.span)));
    spans
}

/// The parts that the decisions on these statements used.
///
/// # Errors
/// As [`super::decide`].
pub fn find_reached_parts(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &Request,
) -> Result<BTreeSet<PartOf>, Error> {
    let versions = policies.policies();
    let one = |case: &StatementCase| {
        let version = versions.iter().position(|version| std::ptr::eq(*version, case.policy));
        // `PolicySet::policy_for` returns a version or its challenger, and `policies` lists both.
        let version = version.expect("INVARIANT: a set of policies selects from its own");
        parts_reached_by(case).into_iter().map(|part| PartOf { version, part }).collect::<Vec<_>>()
    };
    let mut reached = BTreeSet::new();
    for range in crate::engine::metrics::cut_into_morsels(statements) {
        reached.extend(
            policy_selection::each_case(policies, statements, range, request, Keep::Statements, one)?
                .into_iter()
                .flatten(),
        );
    }
    Ok(reached)
}

/// The parts that one decision used.
pub(super) fn parts_reached_by(case: &StatementCase<'_, '_>) -> BTreeSet<CoveredPart> {
    let mut reached = BTreeSet::new();
    let program = &case.policy.program;
    for requirement in &program.requirements {
        if let Ok(met) = case.value(requirement.when) {
            let part = if met == Value::Boolean(true) { CoveredPart::Met } else { CoveredPart::NotMet };
            reached.insert(part(requirement.id.clone()));
        }
    }
    for (number, item) in program.score_items.iter().enumerate() {
        let value = case.value(item.on).ok();
        if let Ok(Some(bin)) = scoring::find_score_bin(item, value.as_ref()) {
            reached.insert(CoveredPart::Bin(item.text.clone(), item.bins[bin].text.clone(), (number, bin)));
        }
    }
    for table in &program.tables {
        let rows = case.value(table.node).map(|value| rows_of(&value)).unwrap_or_default();
        reached.extend(rows.into_iter().map(|row| CoveredPart::Row(table.name.clone(), row + 1)));
    }
    if case.cannot_decide().is_empty() && case.requirements().is_empty() {
        for (rule, result) in program.offers.iter().zip(case.offers()) {
            if matches!(result, OfferResult::Offer(..)) {
                reached.insert(CoveredPart::Offer(rule.id.clone(), rule.tenure));
            }
        }
    }
    reached
}
