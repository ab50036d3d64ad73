//! Where a metric comes from: its definition, the metrics it is made of, and the records or months that were counted. Knows
//! nothing of outcomes.

use polars::prelude::{DataFrame, PolarsResult};

use super::chosen::{self, Keep};
use super::decide::{Case, Error};
use super::request::Request;
use super::say;
use crate::rules::ir::{Column, Grain, Node, NodeId, Op};
use crate::rules::program::{Metric, Value};
use crate::rules::{Policy, PolicySet, Type};
use crate::statement::Statements;
use crate::words::date::Day;
use crate::words::text::escape_terminal;

/// Records or months listed for one number; of more, the last.
const LISTED: usize = 20;

/// Letters shown of a narration; most are far shorter.
const NARRATION: usize = 160;

/// One text a statement; `None` where the policy has no such metric.
///
/// # Errors
/// As [`super::decide`].
pub fn evidence(
    policies: &dyn PolicySet,
    statements: &Statements,
    request: &Request,
    metric: &str,
) -> Result<Option<Vec<String>>, Error> {
    let has = |policy: &&Policy| policy.metrics().any(|(known, _)| known == metric);
    if !policies.policies().iter().any(has) {
        return Ok(None);
    }
    let mut texts = Vec::new();
    for range in crate::metrics::morsels(statements) {
        // Read off the frame once, for all of its statements.
        let mut records = None;
        let told = chosen::each(policies, statements, range, request, Keep::Everything, |case| {
            let records = match &mut records {
                Some(records) => records,
                none => none.insert(Records::of(&case.view.frame).map_err(crate::metrics::Error::Frame)?),
            };
            Ok(of_one(case, records, metric))
        })?;
        texts.extend(told.into_iter().collect::<Result<Vec<String>, Error>>()?);
    }
    Ok(Some(texts))
}

fn of_one(case: &Case, records: &Records, metric: &str) -> String {
    let head = &case.view.heads[case.statement];
    let whose = case.request.customer.as_deref().or(head.customer.as_deref()).unwrap_or(&head.label);
    let day = case.as_of().map_or_else(|| "no day".to_owned(), |day| day.to_string());
    let mut trace = Trace { case, records, told: Vec::new(), listed: Vec::new(), lines: Vec::new() };
    trace.lines.push(format!("{} (as of {day})", escape_terminal(whose)));
    match case.policy.program.metrics.iter().find(|known| known.name == metric) {
        Some(metric) => trace.metric(metric, 0),
        None => {
            let header = case.policy.header();
            trace.lines.push(format!("{} {} has no metric {metric}", header.name, header.version));
        }
    }
    trace.lines.join("\n")
}

/// What is shown of each record of a frame.
struct Records {
    ids: Vec<Option<String>>,
    days: Vec<Option<i32>>,
    credits: Vec<Option<i64>>,
    debits: Vec<Option<i64>>,
    narrations: Vec<Option<String>>,
}

impl Records {
    fn of(frame: &DataFrame) -> PolarsResult<Records> {
        let texts = |name: &str| -> PolarsResult<Vec<Option<String>>> {
            Ok(frame.column(name)?.str()?.iter().map(|text| text.map(str::to_owned)).collect())
        };
        let numbers =
            |name: &str| -> PolarsResult<Vec<Option<i64>>> { Ok(frame.column(name)?.i64()?.iter().collect()) };
        Ok(Records {
            ids: texts("id")?,
            days: frame.column("trans_date")?.date()?.phys.iter().collect(),
            credits: numbers("credit")?,
            debits: numbers("debit")?,
            narrations: texts("desc")?,
        })
    }
}

struct Trace<'t, 'a> {
    case: &'t Case<'t, 'a>,
    records: &'t Records,
    /// Metrics that have been told of.
    told: Vec<NodeId>,
    /// Lists that have been shown.
    listed: Vec<Vec<String>>,
    lines: Vec<String>,
}

impl<'t> Trace<'t, '_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.lines.push(format!("{}{text}", "  ".repeat(depth)));
    }

    fn metric(&mut self, metric: &Metric, depth: usize) {
        let policy = self.case.policy;
        let value = say::words(policy, policy.type_of(metric.node), &self.case.value(metric.node));
        self.line(depth, &format!("{} = {value}", metric.name));
        if self.told.contains(&metric.node) {
            return self.line(depth + 1, "as above");
        }
        self.told.push(metric.node);
        self.line(depth + 1, &format!("= {}", metric.text.split_whitespace().collect::<Vec<_>>().join(" ")));
        let (mut parts, mut aggregates) = (Vec::new(), Vec::new());
        self.made_of(metric.node, metric.node, &mut parts, &mut aggregates);
        for node in aggregates {
            self.counted(node, depth + 1);
        }
        for part in parts {
            self.metric(part, depth + 1);
        }
    }

    /// The metrics and aggregates that a statement's value is made of, in the order in which it uses them.
    fn made_of(&self, node: NodeId, whole: NodeId, parts: &mut Vec<&'t Metric>, aggregates: &mut Vec<NodeId>) {
        let program = &self.case.policy.program;
        let at = program.graph.node(node);
        if at.grain == Grain::Constant {
            return;
        }
        let named = program.metrics.iter().find(|metric| metric.node == node && node != whole);
        if let Some(metric) = named {
            if !parts.iter().any(|part| part.node == metric.node) {
                parts.push(metric);
            }
            return;
        }
        if let Op::Aggregate { .. } = at.op {
            if !aggregates.contains(&node) {
                aggregates.push(node);
            }
            // What a filter compares with: `credit > 3 * credit_median`.
            let used = at.inputs.iter().flat_map(|input| &program.graph.node(*input).spreads);
            used.for_each(|used| self.made_of(*used, whole, parts, aggregates));
            return;
        }
        // The first input of `needs_months` counts months; it is not what the number is made of.
        let counting = usize::from(matches!(at.op, Op::NeedsMonths(_)));
        at.inputs.iter().skip(counting).for_each(|input| self.made_of(*input, whole, parts, aggregates));
    }

    /// The records or months that an aggregate counted.
    fn counted(&mut self, node: NodeId, depth: usize) {
        let program = &self.case.policy.program;
        let node = program.graph.node(node);
        let grain = node.inputs.iter().map(|input| program.graph.node(*input).grain).max();
        match grain {
            Some(Grain::Month) => self.months(node, depth),
            _ => self.records(node, depth),
        }
    }

    /// The rows out of `from` that pass the filter and whose argument is known.
    fn rows(&self, node: &Node, from: std::ops::Range<usize>) -> Vec<usize> {
        let Op::Aggregate { arguments, filtered, .. } = node.op else { return Vec::new() };
        let (values, filter) = node.inputs.split_at(arguments.min(node.inputs.len()));
        let known = |row: usize| values.iter().all(|value| self.case.evaluated.value(*value, row).is_ok());
        let kept = |row: usize| {
            !filtered || filter.iter().all(|test| self.case.evaluated.value(*test, row) == Ok(Value::Boolean(true)))
        };
        from.filter(|row| known(*row) && kept(*row)).collect()
    }

    /// Says how many there are, and gives those to list: none of a list that stands above already.
    fn listed(&mut self, depth: usize, lines: Vec<String>, what: &str) {
        let same = self.listed.contains(&lines);
        let text = match lines.len() {
            0 => format!("no {what}s"),
            1 if same => format!("the same {what}"),
            count if same => format!("the same {count} {what}s"),
            1 => format!("1 {what}:"),
            count if count > LISTED => format!("{count} {what}s, the last {LISTED} of them:"),
            count => format!("{count} {what}s:"),
        };
        self.line(depth, &text);
        if !same {
            lines.iter().skip(lines.len().saturating_sub(LISTED)).for_each(|line| self.line(depth + 1, line));
            self.listed.push(lines);
        }
    }

    fn records(&mut self, node: &Node, depth: usize) {
        let policy = self.case.policy;
        let rows = self.rows(node, self.case.view.rows[self.case.statement].clone());
        let records = self.records;
        let line = |row: &usize| {
            let money = |minor: i64| say::words(policy, Type::MONEY, &Ok(Value::Int(minor)));
            let day = records.days[*row].map(|days| Day::from_days(days).to_string()).unwrap_or_default();
            let mut amounts = Vec::new();
            amounts.extend(records.credits[*row].map(|minor| format!("{} in", money(minor))));
            amounts.extend(records.debits[*row].map(|minor| format!("{} out", money(minor))));
            let narration = records.narrations[*row].as_deref().unwrap_or("no narration");
            let shown: String = narration.chars().take(NARRATION).collect();
            let more = if shown.len() < narration.len() { "..." } else { "" };
            let narration = format!("{}{more}", escape_terminal(&shown));
            let id = records.ids[*row].as_deref().map(|id| format!(" ({})", escape_terminal(id))).unwrap_or_default();
            let value = self.derived(node, *row).map(|value| format!("  -> {value}")).unwrap_or_default();
            format!("{day}  {:>20}  {narration}{id}{value}", amounts.join(", "))
        };
        let lines = rows.iter().map(line).collect();
        self.listed(depth, lines, "record");
    }

    fn months(&mut self, node: &Node, depth: usize) {
        let rows = self.rows(node, self.case.view.month_ranges[self.case.statement].clone());
        let line = |row: &usize| {
            let month = self.case.view.months[*row].start.to_string();
            let value = self.derived(node, *row).unwrap_or_default();
            format!("{}  {value}", month.get(..7).unwrap_or(&month)).trim_end().to_owned()
        };
        let lines = rows.iter().map(line).collect();
        self.listed(depth, lines, "month");
    }

    /// What was aggregated, unless it is what is shown of every record anyway.
    fn derived(&self, node: &Node, row: usize) -> Option<String> {
        let Op::Aggregate { arguments, .. } = node.op else { return None };
        let values: Vec<NodeId> = node.inputs.iter().take(arguments).copied().collect();
        let (policy, graph) = (self.case.policy, &self.case.policy.program.graph);
        let shown = [Column::Credit, Column::Debit, Column::TransDate, Column::Description].map(Op::Column);
        if values.iter().all(|value| shown.contains(&graph.node(*value).op)) {
            return None;
        }
        let words =
            |value: &NodeId| say::words(policy, policy.type_of(*value), &self.case.evaluated.value(*value, row));
        Some(values.iter().map(words).collect::<Vec<_>>().join(", "))
    }
}
