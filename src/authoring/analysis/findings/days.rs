//! Splits time into periods in which every dated parameter has one value. A finding that holds in all periods is
//! reported once. One that holds in some is reported with their days.

use std::collections::{BTreeMap, BTreeSet};

use crate::base::date::Day;
use crate::base::diagnostic::Diagnostic;
use crate::engine::decision::in_force;
use crate::rules::Policy;
use crate::rules::graph::Op;
use crate::rules::program::Parameter;

/// Most ranges of days that are analysed separately.
const DAY_RANGES_MAX: usize = 12;

/// Days on which no parameter changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::authoring::analysis) struct DayRange {
    /// One of the days, on which the policy is in force.
    pub day: Day,
    /// The first and the last day, if the range is bounded.
    pub first: Option<Day>,
    pub last: Option<Day>,
}

/// The ranges in which the policy is in force and every parameter that it uses has a value. Empty if no value
/// depends on the day, or if there are too many ranges.
pub(in crate::authoring::analysis) fn day_ranges(policy: &Policy) -> Vec<DayRange> {
    let program = &policy.program;
    let used = program.graph.nodes().iter().filter_map(|node| match node.op {
        Op::Dated(index) => program.parameters.get(index),
        _ => None,
    });
    let used: Vec<&Parameter> = used.filter(|parameter| parameter.values.len() > 1).collect();
    let starts: BTreeSet<Day> = used.iter().flat_map(|one| one.values.iter().filter_map(|value| value.from)).collect();
    let known_from = used.iter().filter_map(|one| one.values.first()?.from).max();
    let mut firsts: Vec<Option<Day>> = starts.into_iter().map(Some).collect();
    firsts.insert(0, None);
    firsts.retain(|first| known_from.is_none_or(|known| first.is_some_and(|first| first >= known)));
    let after = firsts.iter().skip(1).copied().chain([None]).collect::<Vec<_>>();
    let (from, to) = (policy.header.valid_from, policy.header.valid_to);
    let range = |(first, next): (Option<Day>, Option<Day>)| {
        let last = next.map(|next| Day::from_days(next.days() - 1));
        let day = [first, from].into_iter().flatten().max().or(last).unwrap_or_else(|| in_force(policy));
        let is_over = last.is_some_and(|last| last < day) || to.is_some_and(|to| to < day);
        (!is_over).then_some(DayRange { day, first, last })
    };
    let found: Vec<DayRange> = firsts.into_iter().zip(after).filter_map(range).collect();
    if found.len() > DAY_RANGES_MAX { Vec::new() } else { found }
}

/// Days on which the policy may decide, one per range.
pub(in crate::authoring::analysis) fn to_try(policy: &Policy) -> Vec<Day> {
    let days: Vec<Day> = day_ranges(policy).into_iter().map(|range| range.day).collect();
    if days.is_empty() { vec![in_force(policy)] } else { days }
}

/// Merges the findings of all periods. A finding that holds in every period keeps its text for any day.
pub(in crate::authoring::analysis) fn merge_period_findings(
    of_any_day: Vec<Diagnostic>,
    by_range: Vec<(DayRange, Vec<Diagnostic>)>,
) -> Vec<Diagnostic> {
    let key = |finding: &Diagnostic| (finding.code, finding.span.source, finding.span.start, finding.span.end);
    let mut found: BTreeMap<_, Vec<(DayRange, Diagnostic)>> = BTreeMap::new();
    let count = by_range.len();
    for (range, findings) in by_range {
        for finding in findings {
            let occurrences = found.entry(key(&finding)).or_default();
            // Of several findings at one place, the first counts.
            if occurrences.last().is_none_or(|(last, _)| *last != range) {
                occurrences.push((range, finding));
            }
        }
    }
    let mut together = Vec::new();
    for (key_of, occurrences) in found {
        let mut any = of_any_day.iter().filter(|finding| key(finding) == key_of).peekable();
        if occurrences.len() == count && any.peek().is_some() {
            together.extend(any.cloned());
            continue;
        }
        let days = if occurrences.len() == count {
            ", and similarly on all other days".to_string()
        } else {
            of_days(&occurrences)
        };
        together.extend(occurrences.into_iter().next().map(|(range, finding)| match days.strip_prefix(", and") {
            Some(_) => Diagnostic { message: format!("{} (on {}{days})", finding.message, range.day), ..finding },
            None => Diagnostic { message: format!("{} ({days})", finding.message), ..finding },
        }));
    }
    together
}

/// `from 2026-01-01 to 2026-06-30, from 2027-01-01 on`.
fn of_days(occurrences: &[(DayRange, Diagnostic)]) -> String {
    let mut ranges: Vec<(Option<Day>, Option<Day>)> = Vec::new();
    for (days, _) in occurrences {
        match ranges.last_mut() {
            Some((_, Some(last))) if days.first.is_some_and(|first| first.days() == last.days() + 1) => {
                if let Some(range) = ranges.last_mut() {
                    range.1 = days.last;
                }
            }
            _ => ranges.push((days.first, days.last)),
        }
    }
    let texts = ranges.into_iter().map(|range| match range {
        (Some(first), Some(last)) => format!("from {first} to {last}"),
        (Some(first), None) => format!("from {first} on"),
        (None, Some(last)) => format!("until {last}"),
        (None, None) => "always".to_string(),
    });
    texts.collect::<Vec<_>>().join(", ")
}
