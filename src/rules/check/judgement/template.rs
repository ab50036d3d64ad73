//! Checks texts with values in them: `{name}`, `{$parameter}`, `{request.field}`. Computes no value.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::base::rational::Rational;
use crate::rules::check::checker::Checker;
use crate::rules::check::expressions::names::{parameter, qualified};
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, Graph, NodeId, Op};
use crate::rules::program::{DecisionTable, Part, Requirement, ScoreItem, Template, TemplateValue};
use crate::rules::syntax::source::Text;
use crate::rules::types::Unit;
use crate::rules::value::Test;

/// Text with `{name}`, `{$parameter}` and `{request.field}` in it.
pub(in crate::rules) fn check_template(checker: &mut Checker, text: &Text) -> Checked<Template> {
    let value = text.value();
    let mut parts = Vec::new();
    let mut failed = false;
    let mut at = 0;
    while let Some(open) = value[at..].find('{').map(|open| at + open) {
        let Some(close) = value[open..].find('}').map(|close| open + close) else {
            let span = text.locate(open, value.len());
            let help = "write {name}, {$parameter} or {request.field}";
            return checker.mistakes.report(Diagnostic::error("syntax", span, "`{` without `}`").help(help));
        };
        parts.push(Part::Text(value[at..open].to_string()));
        warn_of_bare_names(checker, text, at, open);
        match check_placeholder(
            checker,
            &value[open + 1..close],
            text.locate(open + 1, close),
            text.locate(open, close + 1),
        ) {
            Ok(node) => {
                warn_of_repeated_unit(checker, text, node, open..close + 1);
                parts.push(Part::Value(template_value(checker.nodes.graph(), node)));
            }
            Err(Reported) => failed = true,
        }
        at = close + 1;
    }
    parts.push(Part::Text(value[at..].to_string()));
    warn_of_bare_names(checker, text, at, value.len());
    if failed { Err(Reported) } else { Ok(Template(parts)) }
}

/// Warns of names without braces between two places of a sentence. A name of one word may be a word of the sentence,
/// and one with its value in the same sentence, as in `days_seen is {days_seen}`, is a label.
fn warn_of_bare_names(checker: &mut Checker, text: &Text, from: usize, to: usize) {
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut at = from;
    for word in text.value()[from..to].split(|c: char| !of_name(c)) {
        let name = word.trim_matches('.');
        let is_parameter = name.strip_prefix('$').is_some_and(|name| checker.knows_parameter(name));
        let is_name = name.contains(['_', '.']) && (checker.knows_name(name) || checker.knows_parameter(name));
        if (is_parameter || is_name) && !shows_value(text.value(), name) {
            let start = at + word.len() - word.trim_start_matches('.').len();
            let message = format!("`{name}` is printed as written, not as its value");
            let braced = format!("{{{name}}}");
            let warning = Diagnostic::warning("no-braces", text.locate(start, start + name.len()), message);
            let warning = warning.label("no braces").help(format!("write {braced}"));
            checker.mistakes.push(warning.meant(name, Some(braced)));
        }
        // Signs between words have one byte or more.
        at += word.len();
        at += text.value()[at..to].chars().next().map_or(0, char::len_utf8);
    }
}

fn shows_value(sentence: &str, name: &str) -> bool {
    let plain = |name: &str| name.trim().trim_start_matches('$').to_owned();
    let placeholders = sentence.split('{').skip(1).filter_map(|part| part.split_once('}'));
    placeholders.map(|(inner, _)| plain(inner)).any(|inner| inner == plain(name))
}

/// Warns of `{share}%` and `NGN {income}`: a ratio is shown as a percentage, and money with its currency.
fn warn_of_repeated_unit(checker: &mut Checker, text: &Text, node: NodeId, place: Range<usize>) {
    let close = place.end;
    let (before, after) = (&text.value()[..place.start], &text.value()[close..]);
    let code = checker.terms.currency().alphabetic();
    let (message, sign, start) = match checker.nodes.node(node).ty.unit {
        Unit::Ratio => {
            let rest = after.trim_start();
            let Some(sign) = ["%", "percent", "per cent"].into_iter().find(|sign| rest.starts_with(sign)) else {
                return;
            };
            ("a ratio is shown as a percentage, with its sign", sign, close + after.len() - rest.len())
        }
        Unit::Money => {
            let (left, rest) = (before.trim_end(), after.trim_start());
            let is_word = |at: Option<char>| !at.is_some_and(char::is_alphanumeric);
            let message = "money is shown with its currency";
            let signs = || [code].into_iter().chain(currency_signs(code).iter().copied());
            let is_before = |sign: &&str| left.strip_suffix(sign).is_some_and(|left| is_word(left.chars().next_back()));
            let is_after = |sign: &&str| rest.strip_prefix(sign).is_some_and(|rest| is_word(rest.chars().next()));
            match (signs().find(is_before), signs().find(is_after)) {
                (Some(sign), _) => (message, sign, left.len() - sign.len()),
                (None, Some(sign)) => (message, sign, close + after.len() - rest.len()),
                (None, None) => return,
            }
        }
        _ => return,
    };
    let warning = Diagnostic::warning("unit-twice", text.locate(start, start + sign.len()), message);
    let warning = warning.label("twice").help(format!("delete `{sign}`"));
    checker.mistakes.push(warning.meant(sign, Some("")));
}

/// Signs and words that people write for a currency.
fn currency_signs(code: &str) -> &'static [&'static str] {
    match code {
        "NGN" => &["\u{20a6}", "N", "naira", "Naira"],
        "GHS" => &["GH\u{20b5}", "\u{20b5}", "cedis"],
        "KES" => &["KSh", "Ksh", "shillings"],
        "ZAR" => &["R", "rand"],
        "USD" => &["$", "US$", "dollars"],
        "EUR" => &["\u{20ac}", "euros"],
        "GBP" => &["\u{a3}", "pounds"],
        "INR" => &["\u{20b9}", "Rs", "Rs.", "rupees"],
        _ => &[],
    }
}

/// The names of values in a sentence.
pub(in crate::rules) fn mentioned_names(text: &Text, visit: &mut impl FnMut(&str)) {
    let parts = text.value().split('{').skip(1).filter_map(|part| part.split_once('}'));
    parts.map(|(name, _)| name).filter(|name| !name.starts_with('$')).for_each(visit);
}

/// Most nodes of a condition that are examined. Bounds of a value are near its top.
const EXAMINED_MAX: usize = 200;

fn template_value(graph: &Graph, node: NodeId) -> TemplateValue {
    let is_written =
        matches!(graph.node(graph.carried(node)).op, Op::Int(_) | Op::Rational(_) | Op::Dated(_) | Op::Input(_));
    TemplateValue { node, is_written, beside: Vec::new(), ends: None }
}

/// Notes what the values of a text are compared with in a condition.
pub(in crate::rules) fn note_compared(template: &mut Template, graph: &Graph, condition: NodeId) {
    let value = |part: &mut Part| matches!(part, Part::Value(value) if !value.is_written);
    if !template.0.iter_mut().any(value) {
        return;
    }
    let (mut seen, mut next) = (BTreeSet::new(), vec![condition]);
    while let Some(node) = next.pop() {
        let at = graph.node(node);
        if at.grain > Grain::Statement || seen.len() >= EXAMINED_MAX || !seen.insert(node) {
            continue;
        }
        next.extend(at.inputs.iter().filter(|_| !matches!(at.op, Op::Aggregate { .. })));
        let (Op::Compare(_), [left, right]) = (&at.op, at.inputs.as_slice()) else { continue };
        let (left, right) = (graph.carried(*left), graph.carried(*right));
        for part in &mut template.0 {
            let Part::Value(value) = part else { continue };
            let node = graph.carried(value.node);
            value.beside.extend((node == left).then_some(right).into_iter().chain((node == right).then_some(left)));
        }
    }
}

/// Notes in every reason the ends of the cells and bins that test its values.
pub(in crate::rules) fn note_ends(
    graph: &Graph,
    requirements: &mut [Requirement],
    items: &mut [ScoreItem],
    tables: &[DecisionTable],
) {
    let mut ends: BTreeMap<NodeId, Vec<Rational>> = BTreeMap::new();
    for table in tables {
        for (column, (_, node)) in table.inputs.iter().enumerate() {
            let tests = table.rows.iter().filter_map(|row| row.tests.get(column));
            ends.entry(graph.carried(*node)).or_default().extend(tests.flat_map(Test::ends));
        }
    }
    for item in items.iter() {
        let tests = item.bins.iter().map(|bin| &bin.test);
        ends.entry(graph.carried(item.on)).or_default().extend(tests.flat_map(Test::ends));
    }
    let sorted = |mut ends: Vec<Rational>| {
        ends.sort();
        ends.dedup();
        std::sync::Arc::from(ends)
    };
    let ends: BTreeMap<NodeId, std::sync::Arc<[Rational]>> =
        ends.into_iter().map(|(node, ends)| (node, sorted(ends))).collect();
    let reasons = requirements.iter_mut().map(|requirement| &mut requirement.reason);
    for reason in reasons.chain(items.iter_mut().filter_map(|item| item.reason.as_mut())) {
        for part in &mut reason.0 {
            let Part::Value(value) = part else { continue };
            value.ends = ends.get(&graph.carried(value.node)).cloned();
        }
    }
}

/// Checks the text between the braces, at `span`; `whole` is the place with them.
fn check_placeholder(checker: &mut Checker, inner: &str, span: Span, whole: Span) -> Checked<NodeId> {
    if inner.trim().is_empty() {
        let help = "write {name}, {$parameter} or {request.field}";
        return checker.mistakes.report(Diagnostic::error("syntax", whole, "`{}` names nothing").help(help));
    }
    let typed = match (inner.strip_prefix('$'), inner.rsplit_once('.')) {
        (Some(name), _) => parameter(checker, name, span)?,
        (None, Some((table, field))) => qualified(checker, table, field, span, ExpressionContext::STATEMENT)?,
        // In a sentence the `$` may be omitted if no other name is meant.
        (None, None) if !checker.knows_name(inner) && checker.knows_parameter(inner) => {
            parameter(checker, inner, span)?
        }
        (None, None) => {
            checker.note_name(inner, span);
            checker.name(inner, span, ExpressionContext::STATEMENT)?
        }
    };
    Ok(checker.nodes.at_least(typed, Grain::Statement))
}
