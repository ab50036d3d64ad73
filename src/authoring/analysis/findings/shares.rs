//! Finds a share that is compared with a number of percent: `share <= 30`. Shares are fractions. Looks at requirements,
//! bins and cells.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::{Diagnostic, Severity, Span};
use crate::rules::graph::{Aggregate, Grain, Graph, NodeId, Op};
use crate::rules::program::{Test, Value};
use crate::rules::{Binary, Policy, Unit};

/// Numbers from here to 100 are hardly ever a quotient of two totals, and often a percentage.
const PERCENT_MIN: f64 = 5.0;
const PERCENT_MAX: f64 = 100.0;

/// Most nodes of a condition that are searched.
const SEARCHED_MAX: usize = 2_000;

/// How the names of shares end.
const SHARE_NAMES: [&str; 6] = ["share", "share_30d", "share_90d", "rate", "hhi", "to_income"];

/// Comparisons in the conditions of requirements, in bins and in cells.
pub(in crate::authoring::analysis) fn find_percents(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let shares = Shares { graph: &program.graph, eval, names };
    for requirement in &program.requirements {
        found.extend(shares.percent_in(requirement.when).map(|percent| percent.told(&shares, requirement.span)));
    }
    for item in &program.score_items {
        let tests = item.bins.iter().map(|bin| (&bin.test, bin.span));
        found.extend(shares.percent_in_tests(item.on, tests));
    }
    for table in &program.tables {
        for (at, (_, node)) in table.inputs.iter().enumerate() {
            let tests = table.rows.iter().filter_map(|row| Some((row.tests.get(at)?, row.span)));
            found.extend(shares.percent_in_tests(*node, tests));
        }
    }
}

struct Shares<'s> {
    graph: &'s Graph,
    eval: &'s AbstractEval,
    names: &'s NodeNames<'s>,
}

/// A share, and the number compared with it that looks like percent.
struct Percent {
    share: NodeId,
    bound: f64,
    severity: Severity,
}

impl Percent {
    fn told(self, shares: &Shares, span: Span) -> Diagnostic {
        let (bound, severity) = (self.bound, self.severity);
        let share = shares.names.name(self.share).map_or("a share".to_owned(), |name| format!("`{name}`"));
        let message = format!("{share} is compared with {bound}, and a share is a fraction: 1 is all of it");
        let help = format!("if {bound} percent is meant, write {}", bound / 100.0);
        let warning = Diagnostic::warning("percent", span, message).label("percent, or times?").help(help);
        Diagnostic { severity, ..warning }
    }
}

impl Shares<'_> {
    fn percent_in(&self, condition: NodeId) -> Option<Percent> {
        find_compared(self.graph, condition, |share, bound, sign| {
            // A share that is never above 1 gives its own finding: the condition always holds, or never does.
            let bound = constant_at(self.eval, bound).filter(|bound| (PERCENT_MIN..=PERCENT_MAX).contains(bound))?;
            let is_limit = matches!(sign, Binary::Less | Binary::LessEqual);
            let severity = self.doubt(share).filter(|_| self.is_open(share))?;
            // Five times is a usual cover, and no usual limit.
            (severity == Severity::Warning || is_limit).then_some(Percent { share, bound, severity })
        })
    }

    /// The first test of a share that compares it with percent, if none compares it with a fraction.
    fn percent_in_tests<'t>(&self, share: NodeId, tests: impl Iterator<Item = (&'t Test, Span)>) -> Option<Diagnostic> {
        let severity = self.doubt(share).filter(|_| self.is_open(share))?;
        let mut first = None;
        for (test, span) in tests {
            let mut bounds = Vec::new();
            list_bounds(test, &mut bounds);
            if bounds.iter().any(|bound| *bound > 0.0 && *bound < 1.0) {
                return None;
            }
            let percent = bounds.into_iter().find(|bound| (PERCENT_MIN..=PERCENT_MAX).contains(bound));
            first = first.or(percent.map(|bound| (bound, span)));
        }
        first.map(|(bound, span)| Percent { share, bound, severity }.told(self, span))
    }

    fn is_open(&self, share: NodeId) -> bool {
        self.eval.at(share).interval().is_some_and(|share| share.high > 1.0)
    }

    /// How likely a value is a share: certainly by its name or as a part of a total, perhaps as any quotient.
    fn doubt(&self, node: NodeId) -> Option<Severity> {
        if !self.graph.node(node).ty.unit.is_plain() {
            return None;
        }
        let quotient = quotient_at(self.graph, node);
        let name = self.names.name(node).unwrap_or_default();
        let is_named = SHARE_NAMES
            .iter()
            .any(|end| name.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with(['_', '.'])));
        // A rate of interest may be chosen too, and is a plain number.
        let of_choice = || {
            let found = self.graph.node(self.graph.carried(node));
            matches!(found.op, Op::Choose | Op::Coalesce) && found.ty.unit == Unit::Ratio
        };
        if is_named && (quotient.is_some() || of_choice()) {
            return Some(Severity::Warning);
        }
        let [over, under] = quotient?.map(|part| total_at(self.graph, part));
        Some(match (over, under) {
            // All of one thing by some of another covers it, as income covers repayments.
            (Some(over), Some(under)) if over.is_filtered || !under.is_filtered => {
                if over.is_sum && under.is_sum {
                    Severity::Warning
                } else {
                    Severity::Note
                }
            }
            _ => Severity::Note,
        })
    }
}

/// The number of percent that a share of a whole, which is 0 to 1, is compared with in a condition.
pub(in crate::authoring::analysis) fn percent_beside_share(
    graph: &Graph,
    eval: &AbstractEval,
    condition: NodeId,
) -> Option<f64> {
    find_compared(graph, condition, |share, bound, _| {
        let is_share = graph.node(share).ty.unit == Unit::Ratio
            && eval.at(share).interval().is_some_and(|share| share.low >= 0.0 && share.high <= 1.0);
        constant_at(eval, bound).filter(|bound| is_share && *bound > 1.0 && *bound <= PERCENT_MAX)
    })
}

/// The number that a value always is.
pub(super) fn constant_at(eval: &AbstractEval, node: NodeId) -> Option<f64> {
    eval.at(node).interval().filter(|bound| bound.is_point()).map(|bound| bound.low)
}

/// What `find` makes of the first two values that a condition compares, in either order with the sign for it.
pub(super) fn find_compared<T>(
    graph: &Graph,
    condition: NodeId,
    find: impl Fn(NodeId, NodeId, Binary) -> Option<T>,
) -> Option<T> {
    let (mut open, mut seen) = (vec![condition], HashSet::new());
    while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
        let found = graph.node(node);
        if found.grain > Grain::Statement || !seen.insert(node) {
            continue;
        }
        let (Op::Compare(sign), [left, right]) = (&found.op, found.inputs.as_slice()) else {
            open.extend(&found.inputs);
            continue;
        };
        if let Some(first) = find(*left, *right, *sign).or_else(|| find(*right, *left, sign.mirrored())) {
            return Some(first);
        }
    }
    None
}

/// The numbers that a test compares with.
fn list_bounds(test: &Test, bounds: &mut Vec<f64>) {
    match test {
        Test::Anything | Test::Unknown => {}
        Test::Equal(value) => bounds.extend(Value::float(value)),
        Test::Range(low, high) => bounds.extend([low, high].into_iter().flatten().filter_map(|(end, _)| end.float())),
        Test::OneOf(tests) => tests.iter().for_each(|test| list_bounds(test, bounds)),
        Test::Not(test) => list_bounds(test, bounds),
    }
}

/// Both sides of a division, behind what only guards or passes it on.
fn quotient_at(graph: &Graph, node: NodeId) -> Option<[NodeId; 2]> {
    let mut node = graph.carried(node);
    while let (Op::NeedsMonths(_), Some(value)) = (&graph.node(node).op, graph.node(node).inputs.last()) {
        node = graph.carried(*value);
    }
    let found = graph.node(node);
    match (&found.op, found.inputs.as_slice()) {
        (Op::Arithmetic(Binary::Divide), [over, under]) => {
            let unit = |node: &NodeId| graph.node(graph.carried(*node)).ty.unit;
            // Days by days, or a number by a number, is rarely a share.
            let is_alike = unit(over) == unit(under) && matches!(unit(over), Unit::Money | Unit::Count);
            is_alike.then_some([*over, *under])
        }
        _ => None,
    }
}

/// A sum or a count of records.
struct Total {
    is_sum: bool,
    is_filtered: bool,
}

fn total_at(graph: &Graph, node: NodeId) -> Option<Total> {
    let found = graph.node(graph.carried(node));
    match found.op {
        Op::Aggregate { function: Aggregate::Sum, filtered, .. } if found.ty.unit == Unit::Money => {
            Some(Total { is_sum: true, is_filtered: filtered })
        }
        Op::Aggregate { function: Aggregate::Count | Aggregate::CountDistinct, filtered, .. } => {
            Some(Total { is_sum: false, is_filtered: filtered })
        }
        _ => None,
    }
}
