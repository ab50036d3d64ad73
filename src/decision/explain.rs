//! How a decision came about, in words: each requirement with its numbers, each score item, each table's row, each offer.

use super::chosen::{self, Keep};
use super::decide::{Case, Error};
use super::offers::Made;
use super::record::Outcome;
use super::request::Request;
use super::say;
use crate::metrics::Reason;
use crate::metrics::hit::rows_of;
use crate::rules::ir::NodeId;
use crate::rules::program::{Asked, DecisionTable, Limits, Metric, Row, Score, Test, Value};
use crate::rules::{Policy, PolicySet};
use crate::statement::Statements;
use crate::words::text::escape_terminal;

/// One text a statement.
///
/// # Errors
/// As [`super::decide`].
pub fn explain(policies: &dyn PolicySet, statements: &Statements, request: &Request) -> Result<Vec<String>, Error> {
    let mut texts = Vec::new();
    for range in crate::metrics::morsels(statements) {
        texts.extend(chosen::each(policies, statements, range, request, Keep::Statements, tell)?);
    }
    Ok(texts)
}

fn tell(case: &Case) -> String {
    let (policy, program) = (case.policy, &case.policy.program);
    let decision = case.decision();
    let outcome = format!("{:?}", decision.outcome).to_lowercase();
    let customer = escape_terminal(decision.customer.as_deref().unwrap_or(&decision.statement));
    let day = decision.as_of.map(|day| day.to_string()).unwrap_or_else(|| "no day".into());
    let arm = case.arm.map(|arm| format!(", {}", format!("{arm:?}").to_lowercase())).unwrap_or_default();
    let mut lines =
        vec![format!("{customer}: {outcome} (as of {day}, {} {}{arm})", policy.header.name, policy.header.version)];
    lines.extend(case.cannot_decide().iter().map(|reason| format!("REFERRED  {}: {}", reason.id, reason.text)));
    lines.push("requirements".into());
    for requirement in &program.requirements {
        let (mark, why) = match case.value(requirement.when) {
            Ok(Value::Boolean(true)) => ("met    ", String::new()),
            Ok(_) => ("NOT MET", format!(": {}", say::template(policy, &requirement.reason, |node| case.value(node)))),
            Err(reason) => ("UNKNOWN", format!(": {}", reason.code(program))),
        };
        lines.push(format!("  {mark} {}  {}{why}", requirement.id, requirement.text));
        members(case, &requirement.asked, 2, &mut lines);
        for metric in named(&requirement.text, policy) {
            let value = say::words(policy, policy.type_of(metric.node), &case.value(metric.node));
            lines.push(format!("            {} = {value}", metric.name));
        }
        for parameter in policy.parameters().iter().filter(|parameter| names(&requirement.text, &parameter.name)) {
            let value = parameter.on(case.as_of()).map(|found| found.value.clone());
            let value = say::words(policy, parameter.ty, &value.ok_or(Reason::NoValue));
            lines.push(format!("            ${} = {value}", parameter.name));
        }
    }
    score(case, &mut lines);
    tables(case, &mut lines);
    let made = decision.outcome == Outcome::Offer || program.offers.is_empty();
    lines.push(if made { "offers" } else { "offers, if it came to them" }.into());
    for (rule, made) in program.offers.iter().zip(case.offers()) {
        lines.push(match made {
            Made::Offer(offer) => {
                let money = |minor| say::words(policy, crate::rules::Type::MONEY, &Ok(Value::Int(minor)));
                let (amount, fee, payable) =
                    (money(offer.amount_offered), money(offer.fee), money(offer.amount_payable));
                format!(
                    "  {} over {} {}: {amount} at {} % {}, fee {fee}, repay {payable}",
                    rule.id,
                    rule.tenure,
                    policy.header.tenure_unit,
                    offer.interest,
                    rule.method.name()
                )
            }
            Made::Not(why) => {
                format!("  {} over {} {}: not made, {why}", rule.id, rule.tenure, policy.header.tenure_unit)
            }
            Made::Unknown(what, reason) => {
                format!(
                    "  {} over {} {}: not made, its {what} is unknown ({})",
                    rule.id,
                    rule.tenure,
                    policy.header.tenure_unit,
                    reason.code(program)
                )
            }
        });
        bounds(case, &rule.limits, &mut lines);
    }
    // Names and narrations come from the statement: a terminal must not take them for orders.
    lines.iter().map(|line| escape_terminal(line)).collect::<Vec<_>>().join("\n")
}

/// The metrics that a text names.
fn named<'p>(text: &str, policy: &'p Policy) -> impl Iterator<Item = &'p Metric> {
    policy.program.metrics.iter().filter(move |metric| names(text, &metric.name))
}

fn names(text: &str, name: &str) -> bool {
    text.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '_')).any(|word| word == name)
}

fn score(case: &Case, lines: &mut Vec<String>) {
    let program = &case.policy.program;
    let Some(Score { base, node, .. }) = &program.score else { return };
    let total = say::words(case.policy, case.policy.type_of(*node), &case.value(*node));
    lines.push(format!("score {total} = base {base}"));
    for item in &program.score_items {
        let on = say::words(case.policy, case.policy.type_of(item.on), &case.value(item.on));
        let points = say::words(case.policy, case.policy.type_of(item.node), &case.value(item.node));
        lines.push(format!("  {points:>5}  {} = {on}", item.text));
    }
}

fn said(table: &DecisionTable, rows: &[usize]) -> String {
    let row = |row: &usize| if *row < table.rows.len() { (row + 1).to_string() } else { "otherwise".to_string() };
    match rows {
        [] => "no row".to_string(),
        [one] if *one == table.rows.len() => row(one),
        [one] => format!("row {}", row(one)),
        many => format!("rows {}", many.iter().map(row).collect::<Vec<_>>().join(", ")),
    }
}

/// The members of a block, each with whether it holds.
fn members(case: &Case, asked: &Asked, depth: usize, lines: &mut Vec<String>) {
    let Asked::Block(_, members, _) = asked else { return };
    for member in members {
        let mark = match case.value(member.node()) {
            Ok(Value::Boolean(true)) => "holds  ",
            Ok(_) => "fails  ",
            Err(_) => "unknown",
        };
        let shown = match member {
            Asked::When(text, _) => text.clone(),
            block => block.to_string(),
        };
        lines.push(format!("{:width$}{mark} {shown}", "", width = depth * 6));
        self::members(case, member, depth + 1, lines);
    }
}

/// Rows told that nearly hit.
const NEAR_MAX: usize = 3;

/// The rows that one cell alone kept from fitting.
fn near_misses(case: &Case, table: &DecisionTable, lines: &mut Vec<String>) {
    let values: Vec<_> = table.inputs.iter().map(|(_, node)| case.value(*node)).collect();
    let missed = |row: &Row| {
        let passes = |(test, value): (&Test, &Result<Value, Reason>)| test.passes(value.as_ref().ok()) == Some(true);
        let mut failing = row.tests.iter().zip(&values).enumerate().filter(|(_, cell)| !passes(*cell));
        let first = failing.next().map(|(input, _)| input);
        first.filter(|_| failing.next().is_none())
    };
    let near = table.rows.iter().enumerate().filter_map(|(number, row)| Some((number, row, missed(row)?)));
    for (number, row, input) in near.take(NEAR_MAX) {
        let (text, node) = &table.inputs[input];
        let value = say::words(case.policy, case.policy.type_of(*node), &values[input]);
        lines.push(format!("  nearly row {}: {text} = {value}, not {}", number + 1, row.texts[input]));
    }
}

/// What an offer's amount went through, where it has bounds of its own.
fn bounds(case: &Case, limits: &Limits, lines: &mut Vec<String>) {
    let mut bounds: Vec<(String, NodeId)> = Vec::new();
    let mut bound = |name: &str, node: Option<NodeId>| bounds.extend(node.map(|node| (name.to_owned(), node)));
    if limits.caps.is_empty() && limits.exposure.is_none() && limits.asked.is_none() && limits.floor.is_none() {
        return;
    }
    bound("worked out", limits.worked_out);
    for (text, cap) in &limits.caps {
        bound(&format!("cap {text}"), Some(*cap));
    }
    bound("room under the limit", limits.exposure);
    bound("most that can be lent", limits.most);
    bound("asked for", limits.asked);
    bound("in steps of", limits.step);
    bound("floor", limits.floor);
    for (name, node) in bounds {
        let value = say::words(case.policy, case.policy.type_of(node), &case.value(node));
        lines.push(format!("      {name}: {value}"));
    }
}

fn tables(case: &Case, lines: &mut Vec<String>) {
    for table in &case.policy.program.tables {
        let row = match case.value(table.node) {
            Ok(value) => said(table, &rows_of(&value)),
            Err(reason) => format!("unknown ({})", reason.code(&case.policy.program)),
        };
        lines.push(format!("table {}: {row}", table.name));
        for (text, node) in &table.inputs {
            lines.push(format!(
                "  {text} = {}",
                say::words(case.policy, case.policy.type_of(*node), &case.value(*node))
            ));
        }
        for output in &table.outputs {
            let value = say::words(case.policy, output.ty, &case.value(output.node));
            lines.push(format!("  -> {} = {value}", output.name));
        }
        near_misses(case, table, lines);
    }
}
