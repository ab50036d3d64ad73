//! What decided about a record, in words: which word of which list is where, which stream, which other records. Must
//! not know how the deciding parts are found.

use std::collections::HashSet;

use super::contributing_records::Behind;
use super::row::FlaggedRow;
use super::why::{Clause, Rank, why_unknown};
use crate::engine::decision::format;
use crate::engine::metrics::Reason;
use crate::rules::corrections::Correction;
use crate::rules::graph::{
    DatePart, Elapsed, Grain, Group, Letters, Neighbour, NodeId, Op, TextPlace, TransactionColumn,
};
use crate::rules::program::Value;
use crate::rules::{Binary, built_in_name};

/// The most clauses of one sentence.
const CLAUSES_MAX: usize = 4;

/// The depth of an expression that is written out.
const WRITTEN_DEPTH: usize = 12;

/// Writes sentences about the records of one slice.
pub(super) struct Wording<'w> {
    pub behind: &'w Behind,
    /// The texts of the slice's records.
    pub narrations: &'w [Option<String>],
    pub topics: &'w [Option<String>],
}

impl Wording<'_> {
    /// Why a boolean definition holds, or does not.
    pub(super) fn sentence(&self, row: &FlaggedRow, root: NodeId, truth: bool, clauses: &[Clause]) -> String {
        let best = clauses.first().map(|clause| clause.rank);
        let doc = row.names.get(&root).map(|definition| definition.doc.as_str()).filter(|doc| !doc.is_empty());
        let doc = doc.filter(|_| truth && best != Some(Rank::Evidence));
        let is_said = |clause: &Clause| match (truth, best) {
            (true, Some(Rank::Evidence | Rank::Fact)) => Some(clause.rank) == best,
            (true, _) => doc.is_none(),
            // What is not there is the reason, unless money went the other way.
            (false, Some(Rank::Side)) => true,
            (false, _) => clause.rank != Rank::Side,
        };
        let mut parts: Vec<String> = doc.map(str::to_owned).into_iter().collect();
        for clause in clauses.iter().filter(|clause| is_said(clause)) {
            let part = self.clause(row, clause);
            if parts.len() < CLAUSES_MAX && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join("; ")
    }

    /// Why a value is unknown.
    pub(super) fn unknown(&self, row: &FlaggedRow, root: NodeId) -> String {
        let mut parts: Vec<String> = Vec::new();
        for leaf in why_unknown(row, root) {
            let part = self.missing(row, leaf);
            if parts.len() < CLAUSES_MAX && !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    }

    fn clause(&self, row: &FlaggedRow, clause: &Clause) -> String {
        let said = self.said(row, clause);
        match clause.excludes.and_then(|node| row.names.get(&node)) {
            Some(excludes) if Some(excludes.node) != clause.by_name.then_some(clause.node) => {
                format!("{} ({said})", excludes.name)
            }
            _ => said,
        }
    }

    fn said(&self, row: &FlaggedRow, clause: &Clause) -> String {
        let node = clause.node;
        let graph = &row.policy.program.graph;
        let at = graph.node(node);
        let truth = row.truth(node);
        let list = |list: usize| row.policy.program.word_lists.get(list).map_or("", |(name, _)| name.as_str());
        match (&at.op, truth) {
            (_, None) => self.missing(row, node),
            _ if clause.by_name => self.definition(row, node, truth == Some(true)),
            (Op::Corrected(_), Some(_)) => {
                let said = |(kind, correction)| format!("corrected to {kind} by {}", told(correction));
                corrected_kind(row).map(said).unwrap_or_default()
            }
            (Op::Mentions(words), Some(true)) => {
                let (word, place) = self.mentioned(row, *words);
                format!("{place} `{word}` (list {})", list(*words))
            }
            (Op::Mentions(words), _) => format!("no word of list {}", list(*words)),
            (Op::Named(words), Some(true)) => {
                let name = row.evaluated.counterparty(row.row).unwrap_or_default();
                let word = row.policy.program.words.first(*words, name).unwrap_or_default();
                format!("the counterparty's name has `{word}` (list {})", list(*words))
            }
            (Op::Named(words), _) => format!("no word of list {} in the counterparty's name", list(*words)),
            (Op::InList(asked), Some(truth)) => {
                let text = write_expression(row, at.inputs[0], 0).unwrap_or_else(|| "the value".to_owned());
                let not = if truth { "" } else { "not " };
                let name = row.policy.program.lists.get(*asked).map_or("", |list| list.name.as_str());
                format!("{text} is {not}on list {name}")
            }
            (Op::Like(like), Some(true)) => {
                format!("{} like `{}`", write_expression(row, at.inputs[0], 0).unwrap_or_default(), like.pattern)
            }
            (Op::IsNull, Some(true)) => self.missing(row, at.inputs[0]),
            (Op::IsNull, _) => format!("{} is known", write_expression(row, at.inputs[0], 0).unwrap_or_default()),
            (Op::Compare(_), truth) if clause.rank == Rank::Side => {
                let left = graph.node(graph.carried(at.inputs[0])).op == Op::Column(TransactionColumn::Credit);
                let side = if left { "came in" } else { "went out" };
                if truth == Some(true) { format!("money {side}") } else { format!("no money {side}") }
            }
            (Op::Compare(_), truth) => self.compared(row, node, truth == Some(true)),
            (_, truth) => {
                let text = write_expression(row, node, 0).unwrap_or_else(|| "a condition".to_owned());
                if truth == Some(true) { text } else { format!("not {text}") }
            }
        }
    }

    /// The first word of a list, and where it is.
    fn mentioned(&self, row: &FlaggedRow, list: usize) -> (String, &'static str) {
        let first = |text: &Option<String>| {
            text.as_deref().and_then(|text| row.policy.program.words.first(list, text)).map(str::to_owned)
        };
        match first(&self.narrations[row.row]) {
            Some(word) => (word, "the narration mentions"),
            None => (first(&self.topics[row.row]).unwrap_or_default(), "the topics mention"),
        }
    }

    fn definition(&self, row: &FlaggedRow, node: NodeId, holds: bool) -> String {
        let Some(definition) = row.names.get(&node) else { return String::new() };
        let name = &definition.name;
        let group = match row.policy.program.graph.node(node).grain {
            Grain::Group(group) => Some(group),
            _ => None,
        };
        let whose = group.map(|group| format!("{}: ", group_name(row, group))).unwrap_or_default();
        match (holds, definition.doc.as_str()) {
            (false, _) => format!("{whose}not {name}"),
            (true, "") => format!("{whose}{name}{}", self.records(row, node)),
            (true, doc) => format!("{whose}{doc} ({name}){}", self.records(row, node)),
        }
    }

    /// A comparison with its values.
    fn compared(&self, row: &FlaggedRow, node: NodeId, holds: bool) -> String {
        let graph = &row.policy.program.graph;
        let [left, right] = graph.node(node).inputs.as_slice() else { return String::new() };
        let text = write_expression(row, node, 0).unwrap_or_else(|| "a comparison".to_owned());
        let not = if holds { "" } else { "not " };
        let is_text = row.policy.type_of(*left) == crate::rules::Type::TEXT;
        let is_literal = |node: NodeId| graph.node(graph.carried(node)).grain == Grain::Constant;
        let values = match (is_literal(*left), is_literal(*right)) {
            _ if is_text => String::new(),
            (false, true) => format!(" ({})", shown(row, *left)),
            (true, false) => format!(" ({})", shown(row, *right)),
            _ => format!(" ({}, {})", shown(row, *left), shown(row, *right)),
        };
        format!("{not}{text}{values}{}", if holds { self.records(row, node) } else { String::new() })
    }

    /// The records of a group that decided.
    fn records(&self, row: &FlaggedRow, node: NodeId) -> String {
        let (first, count) = self.behind.records(row, node);
        let start = row.slice.rows[row.statement].start;
        let numbers: Vec<String> = first.iter().map(|record| (record - start + 1).to_string()).collect();
        match (count, numbers.as_slice()) {
            (0, _) | (_, []) => String::new(),
            (1, [number]) => format!(", by record {number}"),
            (count, numbers) if count > numbers.len() => {
                format!(", by records {} and {} more", numbers.join(", "), count - numbers.len())
            }
            (_, [before @ .., last]) => format!(", by records {} and {last}", before.join(", ")),
        }
    }

    /// What is unknown at a leaf.
    fn missing(&self, row: &FlaggedRow, leaf: NodeId) -> String {
        let graph = &row.policy.program.graph;
        let leaf = graph.carried(leaf);
        let at = graph.node(leaf);
        match at.grain {
            Grain::Group(Group::Stream) if row.group(Group::Stream).is_none() => return "in no stream".to_owned(),
            Grain::Group(group) if row.group(group).is_none() => return "no counterparty".to_owned(),
            Grain::Constant | Grain::Statement => {
                let reason = row.value(leaf).err().unwrap_or(Reason::NoValue);
                return reason.code(&row.policy.program);
            }
            _ => {}
        }
        let name = write_expression(row, leaf, 0).unwrap_or_else(|| "a value".to_owned());
        match (&at.op, row.group(Group::Counterparty)) {
            (Op::Column(TransactionColumn::Description), _) => "no narration".to_owned(),
            (Op::Column(_), _) => format!("no {name}"),
            _ => format!("{name} is unknown"),
        }
    }
}

/// How a group is called: a stream by its number, payer and period.
pub(super) fn group_name(row: &FlaggedRow, group: Group) -> String {
    let counterparty = row.evaluated.counterparty(row.row).unwrap_or("no counterparty");
    match group {
        Group::Stream => match super::stream_of(row) {
            Some(stream) => format!(
                "stream {} (`{}`, {})",
                stream.number,
                stream.payer.as_deref().unwrap_or(counterparty),
                stream.period.replace('_', "-")
            ),
            None => "in no stream".to_owned(),
        },
        Group::Counterparty => format!("`{counterparty}`"),
        group => format!("its {}", group.word()),
    }
}

/// The kind that a correction gives the record, and the correction.
pub(super) fn corrected_kind<'r>(row: &FlaggedRow<'r>) -> Option<(&'r str, &'r Correction)> {
    let correction = correction(row, row.evaluated.corrected()?.kind_by(row.row)?)?;
    Some((row.policy.program.corrected_kind(correction)?, correction))
}

/// What a person said of whom the record is.
pub(super) fn corrected_counterparty(row: &FlaggedRow) -> Option<String> {
    let number = row.evaluated.corrected()?.counterparty_by(row.row)?;
    Some(format!("the counterparty is corrected by {}", told(correction(row, number)?)))
}

fn correction<'r>(row: &FlaggedRow<'r>, number: usize) -> Option<&'r Correction> {
    row.policy.program.corrections.as_ref()?.all().get(number)
}

fn told(correction: &Correction) -> String {
    format!("{} on {}: {}", correction.by, correction.on, correction.why)
}

fn shown(row: &FlaggedRow, node: NodeId) -> String {
    let node = row.policy.program.graph.carried(node);
    format::for_people(row.policy, row.policy.type_of(node), &row.value(node))
}

/// An expression in the rule language, names first.
fn write_expression(row: &FlaggedRow, node: NodeId, depth: usize) -> Option<String> {
    let graph = &row.policy.program.graph;
    let node = skip_node_conversions(row, node);
    if let Some(definition) = row.names.get(&node) {
        return Some(definition.name.clone());
    }
    if depth > WRITTEN_DEPTH {
        return None;
    }
    let at = graph.node(node);
    if let Some(name) = built_in_name(&at.op) {
        return Some(name.to_owned());
    }
    let one = |at: usize| write_expression(row, *at_input(row, node, at)?, depth + 1);
    let call = |name: &str| -> Option<String> {
        let inputs: Option<Vec<String>> = (0..at.inputs.len()).map(one).collect();
        Some(format!("{name}({})", inputs?.join(", ")))
    };
    match &at.op {
        Op::InList(list) => {
            let name = &row.policy.program.lists.get(*list)?.name;
            Some(format!("in_list({name}, {})", one(0)?))
        }
        Op::Text(text) => Some(format!("'{text}'")),
        Op::Int(_) | Op::Rational(_) | Op::Boolean(_) | Op::Dated(_) => Some(literal(row, node)),
        Op::Input(index) => row.policy.program.inputs.get(*index).map(|input| input.path()),
        Op::Aggregate { .. } => aggregate(row, node),
        Op::Compare(sign) | Op::Arithmetic(sign) => Some(format!("{} {} {}", one(0)?, sign_of(*sign), one(1)?)),
        Op::Negate => Some(format!("-{}", one(0)?)),
        Op::Not => Some(format!("NOT {}", one(0)?)),
        Op::DatePart(DatePart::Year) => call("year"),
        Op::DatePart(DatePart::Month) => call("month"),
        Op::DatePart(DatePart::Day) => call("day"),
        Op::DatePart(DatePart::Weekday) => call("weekday"),
        Op::DatePart(DatePart::DayOfYear) => call("day_of_year"),
        Op::DatePart(DatePart::MonthStart) => call("month_start"),
        Op::Neighbour(Neighbour::Previous) => call("PREVIOUS"),
        Op::Neighbour(Neighbour::Next) => call("NEXT"),
        Op::Neighbour(Neighbour::Carried) => call("CARRIED"),
        Op::SumNear { before: false } => call("SUM_AFTER"),
        Op::SumNear { before: true } => call("SUM_BEFORE"),
        Op::Coalesce => call("COALESCE"),
        Op::Least => call("LEAST"),
        Op::Greatest => call("GREATEST"),
        Op::Abs => call("ABS"),
        Op::Letters(Letters::Lower) => call("LOWER"),
        Op::Letters(Letters::Upper) => call("UPPER"),
        Op::Letters(Letters::Trim) => call("TRIM"),
        Op::Substring => call("SUBSTRING"),
        Op::Replace => call("REPLACE"),
        Op::ToNumber => call("TO_NUMBER"),
        Op::HasText(TextPlace::Start) => call("starts_with"),
        Op::HasText(TextPlace::End) => call("ends_with"),
        Op::HasText(TextPlace::Anywhere) => call("contains"),
        Op::Elapsed(Elapsed::Months) => call("months_between"),
        Op::Elapsed(Elapsed::Years) => call("years_between"),
        Op::Length => call("LENGTH"),
        Op::Mirrored => call("mirrored"),
        _ => None,
    }
}

fn at_input<'r>(row: &'r FlaggedRow<'_>, node: NodeId, at: usize) -> Option<&'r NodeId> {
    row.policy.program.graph.node(node).inputs.get(at)
}

/// The node behind conversions and broadcasts, but not behind a definition.
fn skip_node_conversions(row: &FlaggedRow, node: NodeId) -> NodeId {
    let graph = &row.policy.program.graph;
    let (mut node, mut seen) = (node, HashSet::new());
    while !row.names.contains_key(&node) && seen.insert(node) {
        match (&graph.node(node).op, graph.node(node).inputs.as_slice()) {
            (Op::ToRational | Op::ToFloat | Op::Spread, [input]) => node = *input,
            _ => break,
        }
    }
    node
}

/// A literal, or a parameter's value.
fn literal(row: &FlaggedRow, node: NodeId) -> String {
    let (ty, value) = (row.policy.type_of(node), row.value(node));
    match &value {
        Ok(Value::Boolean(truth)) => if *truth { "TRUE" } else { "FALSE" }.to_owned(),
        _ => format::format_value_precisely(row.policy, ty, &value, format::WRITTEN_DECIMALS, &[]),
    }
}

/// An aggregate as its rule file has it.
fn aggregate(row: &FlaggedRow, node: NodeId) -> Option<String> {
    let span = row.policy.program.places.aggregates.get(&node)?;
    let source = row.policy.sources().get(*span)?;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    Some(format!("{}(...)", text.split(['(', ' ', '\n']).next().unwrap_or_default()))
}

fn sign_of(sign: Binary) -> &'static str {
    match sign {
        Binary::Add => "+",
        Binary::Subtract => "-",
        Binary::Multiply => "*",
        Binary::Divide => "/",
        Binary::Remainder => "%",
        Binary::Equal => "=",
        Binary::NotEqual => "<>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "AND",
        Binary::Or => "OR",
    }
}
