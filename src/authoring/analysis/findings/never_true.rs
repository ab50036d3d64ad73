//! Finds conditions on records that never hold, or always do: a BETWEEN the wrong way round, a weekday of 0, one text
//! that is to be two. What they filter is then empty, or everything, and sums and counts of it look like any others.

use std::collections::{BTreeSet, HashSet};

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::values::KnownValues;
use crate::authoring::analysis::findings::shares::constant_at;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::graph::{DatePart, Grain, Graph, NodeId, Op, TransactionColumn};
use crate::rules::references::on_one_line;
use crate::rules::{Binary, Policy, Repr, Unit};

/// Most nodes of an expression that are searched.
const SEARCHED_MAX: usize = 5_000;

/// Most letters of an expression that are shown.
const SHOWN_MAX: usize = 90;

pub(in crate::authoring::analysis) fn find_never_true(
    policy: &Policy,
    eval: &AbstractEval,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let program = &policy.program;
    let named: HashSet<NodeId> = program.places.finer.iter().map(|metric| metric.node).collect();
    let search = Search { policy, graph: &program.graph, eval, names, named };
    let mut seen = HashSet::new();
    for metric in &program.places.finer {
        search.expression(&[metric.node], metric.span, &format!("`{}`", metric.name), &mut seen, found);
    }
    let mut aggregates: Vec<(Span, NodeId)> =
        program.places.aggregates.iter().map(|(node, span)| (*span, *node)).collect();
    aggregates.sort_by_key(|(span, node)| (span.source, span.start, *node));
    for (span, node) in aggregates {
        let text = search.text_at(span);
        search.expression(&program.graph.node(node).inputs, span, &text, &mut seen, found);
    }
}

struct Search<'s> {
    policy: &'s Policy,
    graph: &'s Graph,
    eval: &'s AbstractEval,
    names: &'s NodeNames<'s>,
    /// The definitions, each of which is searched by itself.
    named: HashSet<NodeId>,
}

/// Why a condition never holds or always does, and what to do.
struct Why {
    is_never: bool,
    why: String,
    help: String,
}

impl Search<'_> {
    /// The first such condition in an expression, without those of other definitions that it uses.
    fn expression(
        &self,
        roots: &[NodeId],
        span: Span,
        name: &str,
        seen: &mut HashSet<NodeId>,
        found: &mut Vec<Diagnostic>,
    ) {
        let mut open: Vec<NodeId> = roots.to_vec();
        let mut searched = 0;
        while let Some(node) = open.pop().filter(|_| searched < SEARCHED_MAX) {
            searched += 1;
            let at = self.graph.node(node);
            let is_other = self.named.contains(&node) && !roots.contains(&node);
            if at.grain <= Grain::Statement || is_other || !seen.insert(node) {
                continue;
            }
            if let Some(Why { is_never, why, help }) = self.why(node) {
                found.push(told(is_never, span, name, &why).help(help));
                return;
            }
            open.extend(at.inputs.iter().rev());
        }
    }

    fn why(&self, node: NodeId) -> Option<Why> {
        let at = self.graph.node(node);
        if at.ty.repr != Repr::Boolean {
            return None;
        }
        let (yes, no) = self.eval.at(node).may_be();
        match (&at.op, at.inputs.as_slice()) {
            (Op::Compare(_), [left, right]) => {
                let why = |one: &NodeId, other: &NodeId| self.compared(*one, *other, yes, no);
                why(left, right).or_else(|| why(right, left))
            }
            (Op::And, inputs) if inputs.iter().all(|input| self.is_open(*input)) => {
                let is_never = !yes || self.eval.never_hold_together(self.graph, &[node]);
                is_never.then(|| self.contradicted(inputs))
            }
            (Op::Or, inputs) if !no && inputs.iter().all(|input| self.is_open(*input)) => Some(self.exhausted(inputs)),
            _ => None,
        }
    }

    /// Whether a condition may hold and may not, by itself. One that a parameter settles is a switch.
    fn is_open(&self, node: NodeId) -> bool {
        let (yes, no) = self.eval.at(node).may_be();
        yes && (no || self.eval.at(node).unknown)
    }

    /// Compares a value with a constant that it never is, or a part of a date with one that it always meets.
    fn compared(&self, value: NodeId, constant: NodeId, yes: bool, no: bool) -> Option<Why> {
        let value = self.graph.carried(value);
        let op = &self.graph.node(value).op;
        let part = if let Op::DatePart(part) = op { Some(*part) } else { None };
        let is_known = part.is_some() || matches!(op, Op::Column(TransactionColumn::Credit | TransactionColumn::Debit));
        let is_settled = !yes || (part.is_some() && !no);
        if !is_settled || !is_known || self.graph.node(constant).grain > Grain::Constant {
            return None;
        }
        let name = self.name(value);
        let (is, other) = (self.names.known_range(self.eval, value), self.names.known_range(self.eval, constant));
        let why = match yes {
            false => format!("{name} is {is}, and this one compares it with {other}"),
            true => format!("{name} is {is}, whatever it is compared with: {other}"),
        };
        let help = match part {
            Some(DatePart::Weekday) => "weekday is 1 for Monday to 7 for Sunday",
            Some(DatePart::Month) => "month is 1 to 12",
            Some(DatePart::Day) => "day is 1 to 31",
            Some(_) => "write a date that can be",
            None => "amounts are 0 or more: what goes out is `debit`",
        };
        Some(Why { is_never: !yes, why, help: help.to_owned() })
    }

    /// Conditions that are never true together.
    fn contradicted(&self, inputs: &[NodeId]) -> Why {
        let because = |why: String, help: String| Why { is_never: true, why, help };
        if let [low, high] = inputs
            && let Some((value, low, high)) = self.between(*low, *high)
        {
            let name = self.name(value);
            let help = match self.graph.node(value).op {
                Op::DatePart(_) => {
                    format!("if it goes on after the end of a month or year: {name} >= {low} OR {name} <= {high}")
                }
                _ => format!("write the lesser first: {name} BETWEEN {high} AND {low}"),
            };
            return because(format!("{name} is never from {low} to {high}"), help);
        }
        if let Some((value, texts)) = self.texts(inputs, Binary::Equal) {
            let (name, listed) = (self.name(value), list_texts(&texts));
            return because(format!("{name} is never two texts at once"), format!("write {name} IN ({listed})"));
        }
        let moves = [TransactionColumn::Credit, TransactionColumn::Debit];
        let below = self.columns_below(inputs);
        let help = match moves.iter().all(|column| below.contains(column)) {
            true => "a record has a credit or a debit, not both: ask for one side, or write OR",
            false => "change one of them, or write OR if one is enough",
        };
        because("its parts contradict each other".to_owned(), help.to_owned())
    }

    /// Conditions of which one is always true.
    fn exhausted(&self, inputs: &[NodeId]) -> Why {
        let because = |why: String, help: String| Why { is_never: false, why, help };
        match self.texts(inputs, Binary::NotEqual) {
            Some((value, texts)) => {
                let (name, listed) = (self.name(value), list_texts(&texts));
                let why = format!("whatever {name} is, it differs from one of {listed}");
                because(why, format!("write {name} NOT IN ({listed})"))
            }
            None => because("one of its parts always does".to_owned(), "write AND if both are needed".to_owned()),
        }
    }

    /// The value, and the ends of a range that is the wrong way round.
    fn between(&self, low: NodeId, high: NodeId) -> Option<(NodeId, String, String)> {
        let side = |condition: NodeId, wanted: Binary| {
            let at = self.graph.node(condition);
            match (&at.op, at.inputs.as_slice()) {
                (Op::Compare(sign), [value, end]) if *sign == wanted => Some((self.graph.carried(*value), *end)),
                _ => None,
            }
        };
        let (low, high) = (side(low, Binary::GreaterEqual)?, side(high, Binary::LessEqual)?);
        let end = |node: NodeId| self.written(node);
        (low.0 == high.0).then(|| (low.0, end(low.1), end(high.1)))
    }

    /// The value that all conditions compare with texts by this sign, and the texts.
    fn texts(&self, inputs: &[NodeId], wanted: Binary) -> Option<(NodeId, BTreeSet<String>)> {
        let mut open = inputs.to_vec();
        let (mut value, mut texts) = (None, BTreeSet::new());
        while let Some(node) = open.pop() {
            let at = self.graph.node(node);
            match (&at.op, at.inputs.as_slice()) {
                (Op::And, inputs) if wanted == Binary::Equal => open.extend(inputs),
                (Op::Or, inputs) if wanted == Binary::NotEqual => open.extend(inputs),
                (Op::Compare(sign), [left, right]) if *sign == wanted => {
                    let left = self.graph.carried(*left);
                    let KnownValues::Texts(Some(all)) = &self.eval.at(*right).known else { return None };
                    if value.is_some_and(|value| value != left) {
                        return None;
                    }
                    value = Some(left);
                    texts.extend(all.iter().cloned());
                }
                _ => return None,
            }
        }
        Some((value?, texts))
    }

    fn columns_below(&self, inputs: &[NodeId]) -> Vec<TransactionColumn> {
        let (mut open, mut seen, mut columns) = (inputs.to_vec(), HashSet::new(), Vec::new());
        while let Some(node) = open.pop().filter(|_| seen.len() < SEARCHED_MAX) {
            let at = self.graph.node(node);
            if let Op::Column(column) = at.op {
                columns.push(column);
            }
            if seen.insert(node) {
                open.extend(&at.inputs);
            }
        }
        columns
    }

    /// A value as the rule language names it.
    fn name(&self, node: NodeId) -> String {
        if let Some(name) = self.names.name(node) {
            return name.to_owned();
        }
        if let Some(metric) = self.policy.program.places.finer.iter().find(|metric| metric.node == node) {
            return metric.name.clone();
        }
        let at = self.graph.node(node);
        let of = || at.inputs.first().map(|input| self.name(self.graph.carried(*input))).unwrap_or_default();
        match &at.op {
            Op::Column(TransactionColumn::Credit) => "credit".to_owned(),
            Op::Column(TransactionColumn::Debit) => "debit".to_owned(),
            Op::Column(TransactionColumn::Balance) => "balance".to_owned(),
            Op::Column(TransactionColumn::TransDate) => "trans_date".to_owned(),
            Op::Column(TransactionColumn::ClearedDate) => "cleared_date".to_owned(),
            Op::Column(TransactionColumn::Counterparty) => "counterparty".to_owned(),
            Op::Column(TransactionColumn::Description) => "desc".to_owned(),
            Op::DatePart(DatePart::Weekday) => format!("weekday({})", of()),
            Op::DatePart(DatePart::Month) => format!("month({})", of()),
            Op::DatePart(DatePart::Day) => format!("day({})", of()),
            Op::DatePart(DatePart::Year) => format!("year({})", of()),
            _ => "the value".to_owned(),
        }
    }

    /// A constant as a rule file writes it: money in major units, without commas.
    fn written(&self, node: NodeId) -> String {
        match (constant_at(self.eval, node), self.graph.node(node).ty.unit) {
            (Some(minor), Unit::Money) => {
                let exponent = self.policy.header.currency.exponent();
                format!("{}", minor / 10_f64.powi(exponent as i32))
            }
            (Some(number), unit) if unit.is_plain() => format!("{number}"),
            _ => self.names.known_range(self.eval, node),
        }
    }

    /// The expression at a place, on one line.
    fn text_at(&self, span: Span) -> String {
        let source = self.policy.sources().get(span);
        let text =
            source.and_then(|source| source.text.get(span.start as usize..span.end as usize)).unwrap_or_default();
        let text = on_one_line(text);
        match text.char_indices().nth(SHOWN_MAX) {
            Some((end, _)) => format!("`{}...`", text.get(..end).unwrap_or_default()),
            // The place of an aggregate ends within its FILTER.
            None => {
                let open = text.matches('(').count().saturating_sub(text.matches(')').count());
                format!("`{text}{}`", ")".repeat(open))
            }
        }
    }
}

fn list_texts(texts: &BTreeSet<String>) -> String {
    texts.iter().map(|text| format!("'{text}'")).collect::<Vec<_>>().join(", ")
}

fn told(is_never: bool, span: Span, name: &str, why: &str) -> Diagnostic {
    let message = |what: &str| format!("a condition in {name} {what}: {why}");
    match is_never {
        true => Diagnostic::warning("never-true", span, message("never holds")).label("never holds"),
        false => Diagnostic::warning("always-true", span, message("always holds")).label("always holds"),
    }
}
