//! The scorecard: checks its items and makes the nodes that add up the points.

use std::collections::HashSet;

use crate::base::diagnostic::Diagnostic;
use crate::base::rational::Rational;
use crate::rules::check::checker::Checker;
use crate::rules::check::constant::constant;
use crate::rules::check::symbols::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::names::Sort;
use crate::rules::program::{Bin, Score, ScoreItem, Template};
use crate::rules::syntax::judgement::{Scale as WrittenScale, Score as Written, ScoreItem as WrittenItem};
use crate::rules::syntax::source::{Name, Text};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

/// Default number of reported reasons, which is usual for lenders.
pub(in crate::rules) const REASONS: usize = 4;

impl Written {
    /// Its word in rule files.
    pub(in crate::rules) fn name(&self) -> Name {
        Name { text: "score".into(), span: self.base.span() }
    }
}

/// Checks the scorecard, except for the reasons of `late` items.
pub(in crate::rules) fn check(
    checker: &mut Checker,
    score: &Written,
    late: &HashSet<usize>,
    items: &mut Vec<ScoreItem>,
) -> Checked<Score> {
    let base = points(checker, &score.base);
    let scale = score.scale.as_ref().map(|scale| Scale::check(checker, scale)).transpose();
    let reasons = reasons(checker, score);
    let factor = scale.as_ref().ok().and_then(Option::as_ref).map(|scale| scale.factor);
    let mut failed = false;
    for (number, item) in score.items.iter().enumerate() {
        let reason = if late.contains(&number) { Ok(None) } else { reason(checker, item) };
        match (check_item(checker, item, items, factor), reason) {
            (Ok(item), Ok(reason)) => items.push(ScoreItem { reason, ..item }),
            _ => failed = true,
        }
    }
    let inputs: Vec<NodeId> = items.iter().map(|item| item.node).collect();
    let node = checker.graph.add(Op::Score, inputs, points_type(score.scale.is_some()), Grain::Statement);
    checker.set_node(&score.name(), node);
    let (base, scale) = (base?, scale?);
    if failed {
        return Err(Reported);
    }
    let base = match scale {
        Some(scale) => Value::Float(scale.offset + scale.factor * base.to_f64()),
        None => Value::Rational(base),
    };
    Ok(Score { base, node, reasons: reasons? })
}

/// Checks the reasons of `late` items, once everything they may use is known.
pub(in crate::rules) fn late_reasons(
    checker: &mut Checker,
    score: &Written,
    late: &HashSet<usize>,
    items: &mut [ScoreItem],
) -> Checked<()> {
    let mut failed = false;
    for (number, written) in score.items.iter().enumerate().filter(|(number, _)| late.contains(number)) {
        match reason(checker, written) {
            // Without an item that has a mistake, there is no score.
            Ok(reason) => items.get_mut(number).into_iter().for_each(|item| item.reason.clone_from(&reason)),
            Err(Reported) => failed = true,
        }
    }
    if failed { Err(Reported) } else { Ok(()) }
}

fn reason(checker: &mut Checker, item: &WrittenItem) -> Checked<Option<Template>> {
    if let (Some(reason), None) = (&item.reason, &item.code) {
        let help = "give the item a code = \"S01\"";
        checker.diagnostics.push(Diagnostic::error("score", reason.span(), "a reason without a code").help(help));
    }
    item.reason.as_ref().map(|reason| crate::rules::check::judgement::template::template(checker, reason)).transpose()
}

/// The type of points: exact, except with a scale, which uses a logarithm.
fn points_type(is_scaled: bool) -> Type {
    if is_scaled { Type::NUMBER.with(Repr::Float) } else { Type::NUMBER }
}

/// Points to double the odds: a score of `points` means `odds` good to one bad, and every `pdo` points twice as many.
struct Scale {
    factor: f64,
    offset: f64,
}

impl Scale {
    fn check(checker: &mut Checker, written: &WrittenScale) -> Checked<Self> {
        let (at, odds) = (points(checker, &written.points), points(checker, &written.odds));
        let pdo = points(checker, &written.pdo);
        let (at, odds, pdo) = (at?, odds?, pdo?);
        for (value, text, name) in [(&odds, &written.odds, "odds"), (&pdo, &written.pdo, "pdo")] {
            if value.signum() <= 0 {
                let message = format!("`{name}` must be greater than 0");
                return checker.report(Diagnostic::error("score", text.span(), message));
            }
        }
        let factor = pdo.to_f64() / std::f64::consts::LN_2;
        Ok(Self { factor, offset: at.to_f64() - factor * libm::log(odds.to_f64()) })
    }
}

fn reasons(checker: &mut Checker, score: &Written) -> Checked<usize> {
    let Some(text) = &score.reasons else {
        return Ok(if score.items.iter().any(|item| item.code.is_some()) { REASONS } else { 0 });
    };
    match text.value().parse::<usize>() {
        Ok(0) => Ok(0),
        Ok(reasons) if reasons <= 100 && score.items.iter().any(|item| item.code.is_some()) => Ok(reasons),
        Ok(reasons) if reasons <= 100 => {
            let help = "give each item that may be reported a code = \"S01\" and a reason";
            checker.report(Diagnostic::error("score", text.span(), "no item has a code to report").help(help))
        }
        _ => checker.report(Diagnostic::error("score", text.span(), "`reasons` must be a whole number up to 100")),
    }
}

fn points(checker: &mut Checker, text: &Text) -> Checked<Rational> {
    match constant(checker.currency, text.value(), Some(Unit::Number)) {
        Ok((Value::Rational(points), _)) => Ok(points),
        Ok(_) => Err(Reported),
        Err(message) => {
            checker.report(Diagnostic::error("score", text.span(), message).help("points must be a number"))
        }
    }
}

/// What a bin adds to the score.
fn gain(
    checker: &mut Checker,
    text: &Text,
    points: &Rational,
    weight: &Rational,
    scale: Option<f64>,
) -> Checked<Value> {
    if let Some(scale) = scale {
        return Ok(Value::Float(points.to_f64() * (weight.to_f64() * scale)));
    }
    match points.times(weight) {
        Some(gain) => Ok(Value::Rational(gain)),
        None => checker.report(Diagnostic::error("score", text.span(), "these points times this weight are too large")),
    }
}

fn check_item(
    checker: &mut Checker,
    item: &WrittenItem,
    before: &[ScoreItem],
    scale: Option<f64>,
) -> Checked<ScoreItem> {
    let weight = item.weight.as_ref().map_or(Ok(Rational::ONE), |weight| points(checker, weight));
    if let Some(code) =
        item.code.as_ref().filter(|code| before.iter().any(|known| known.code.as_deref() == Some(code.value())))
    {
        let message = format!("the code `{}` is already defined", code.value());
        checker.diagnostics.push(Diagnostic::error("shadowing", code.span(), message));
    }
    let (on, mut references) =
        checker.collecting_references(|checker| checker.expression(&item.on, ExpressionContext::STATEMENT));
    let on = on?;
    crate::rules::check::operands::no_list(checker, &on, item.on.span())?;
    let ty = on.ty;
    crate::rules::check::operands::warn_of_approximate_money(checker, ty, item.on.span());
    let on = checker.at_least(on, Grain::Statement);
    if item.points.is_empty() {
        return checker.report(Diagnostic::error("score", item.span, "this item gives no points"));
    }
    let weight = weight?;
    let mut bins = Vec::new();
    let mut failed = false;
    for (cell, gained) in &item.points {
        let (test, of_bin) = checker.collecting_references(|checker| {
            crate::rules::check::judgement::computed::refuse_names(checker, cell, ty)?;
            crate::rules::check::judgement::cell::test(checker, cell, ty)
        });
        of_bin.parameters.iter().for_each(|name| references.note(Sort::Parameter, name));
        match (test, points(checker, gained)) {
            (Ok(test), Ok(points)) => {
                let gain = gain(checker, gained, &points, &weight, scale)?;
                bins.push(Bin { test, text: cell.value().to_string(), gain, span: cell.span() });
            }
            _ => failed = true,
        }
    }
    if failed {
        return Err(Reported);
    }
    crate::rules::check::judgement::overlap::bins(checker, &bins, ty);
    let tests: Vec<_> = bins.iter().map(|bin| &bin.test).collect();
    let index = std::sync::Arc::new(crate::rules::program::index::IntervalIndex::new(&tests));
    let node = checker.graph.add(Op::Points(before.len()), vec![on], points_type(scale.is_some()), Grain::Statement);
    Ok(ScoreItem {
        text: item.on.value().to_string(),
        references,
        on,
        node,
        code: item.code.as_ref().map(|code| code.value().to_string()),
        reason: None,
        bins,
        index,
        span: item.span,
    })
}
