//! The scorecard: checks its items and makes the nodes that add up the points.

use std::collections::HashSet;

use crate::base::diagnostic::Diagnostic;
use crate::base::money::Currency;
use crate::base::rational::Rational;
use crate::rules::check::checker::Checker;
use crate::rules::check::judgement::overlap::warn_of_unreached_bins;
use crate::rules::check::judgement::template::check_template;
use crate::rules::check::judgement::{cell, computed};
use crate::rules::check::operands::align::{no_list, warn_of_approximate_money};
use crate::rules::check::operands::constant::parse_constant;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported};
use crate::rules::graph::{Grain, NodeId, Op};
use crate::rules::names::Sort;
use crate::rules::program::{Bin, Score, ScoreItem, Template};
use crate::rules::syntax::judgement::{Scale as WrittenScale, Score as Written, ScoreItem as WrittenItem};
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::{Test, Value};

/// Default number of reported reasons, which is usual for lenders.
pub(in crate::rules) const REASONS: usize = 4;

/// Checks the scorecard, except for the reasons of `late` items.
pub(in crate::rules) fn check_scorecard(
    checker: &mut Checker,
    score: &Written,
    late: &HashSet<usize>,
    items: &mut Vec<ScoreItem>,
) -> Checked<Score> {
    let base = parse_item_points(&mut checker.mistakes, checker.terms.currency(), &score.base);
    let scale = score
        .scale
        .as_ref()
        .map(|scale| Scale::check(&mut checker.mistakes, checker.terms.currency(), scale))
        .transpose();
    let reasons = check_reason_count(&mut checker.mistakes, score);
    let factor = scale.as_ref().ok().and_then(Option::as_ref).map(|scale| scale.factor);
    let mut failed = false;
    for (number, item) in score.items.iter().enumerate() {
        let reason = if late.contains(&number) { Ok(None) } else { check_item_reason(checker, item) };
        match (check_item(checker, item, items, factor), reason) {
            (Ok(item), Ok(reason)) => items.push(ScoreItem { reason, ..item }),
            _ => failed = true,
        }
    }
    let inputs: Vec<NodeId> = items.iter().map(|item| item.node).collect();
    let node = checker.nodes.add(Op::Score, inputs, points_type(score.scale.is_some()), Grain::Statement);
    checker.symbols.set_node(&score.name(), node);
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
        match check_item_reason(checker, written) {
            // Without an item that has a mistake, there is no score.
            Ok(reason) => items.get_mut(number).into_iter().for_each(|item| item.reason.clone_from(&reason)),
            Err(Reported) => failed = true,
        }
    }
    if failed { Err(Reported) } else { Ok(()) }
}

fn check_item_reason(checker: &mut Checker, item: &WrittenItem) -> Checked<Option<Template>> {
    if let (Some(reason), None) = (&item.reason, &item.code) {
        let help = "give the item a code = \"S01\"";
        checker.mistakes.push(Diagnostic::error("score", reason.span(), "a reason without a code").help(help));
    }
    item.reason.as_ref().map(|reason| check_template(checker, reason)).transpose()
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
    fn check(mistakes: &mut Mistakes, currency: Currency, written: &WrittenScale) -> Checked<Self> {
        let (at, odds) = (
            parse_item_points(mistakes, currency, &written.points),
            parse_item_points(mistakes, currency, &written.odds),
        );
        let pdo = parse_item_points(mistakes, currency, &written.pdo);
        let (at, odds, pdo) = (at?, odds?, pdo?);
        for (value, text, name) in [(&odds, &written.odds, "odds"), (&pdo, &written.pdo, "pdo")] {
            if value.signum() <= 0 {
                let message = format!("`{name}` must be greater than 0");
                return mistakes.report(Diagnostic::error("score", text.span(), message));
            }
        }
        let factor = pdo.to_f64() / std::f64::consts::LN_2;
        Ok(Self { factor, offset: at.to_f64() - factor * libm::log(odds.to_f64()) })
    }
}

fn check_reason_count(mistakes: &mut Mistakes, score: &Written) -> Checked<usize> {
    let Some(text) = &score.reasons else {
        return Ok(if score.items.iter().any(|item| item.code.is_some()) { REASONS } else { 0 });
    };
    match text.value().parse::<usize>() {
        Ok(0) => Ok(0),
        Ok(reasons) if reasons <= 100 && score.items.iter().any(|item| item.code.is_some()) => Ok(reasons),
        Ok(reasons) if reasons <= 100 => {
            let help = "give each item that may be reported a code = \"S01\" and a reason";
            mistakes.report(Diagnostic::error("score", text.span(), "no item has a code to report").help(help))
        }
        _ => mistakes.report(Diagnostic::error("score", text.span(), "`reasons` must be a whole number up to 100")),
    }
}

fn parse_item_points(mistakes: &mut Mistakes, currency: Currency, text: &Text) -> Checked<Rational> {
    match parse_constant(currency, text.value(), Some(Unit::Number)) {
        Ok((Value::Rational(points), _)) => Ok(points),
        Ok(_) => Err(Reported),
        Err(message) => {
            mistakes.report(Diagnostic::error("score", text.span(), message).help("points must be a number"))
        }
    }
}

/// What a bin adds to the score.
fn check_bin_points(
    mistakes: &mut Mistakes,
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
        None => {
            mistakes.report(Diagnostic::error("score", text.span(), "these points times this weight are too large"))
        }
    }
}

fn check_item(
    checker: &mut Checker,
    item: &WrittenItem,
    before: &[ScoreItem],
    scale: Option<f64>,
) -> Checked<ScoreItem> {
    let weight = item
        .weight
        .as_ref()
        .map_or(Ok(Rational::ONE), |weight| parse_item_points(&mut checker.mistakes, checker.terms.currency(), weight));
    if let Some(code) =
        item.code.as_ref().filter(|code| before.iter().any(|known| known.code.as_deref() == Some(code.value())))
    {
        let message = format!("the code `{}` is already defined", code.value());
        checker.mistakes.push(Diagnostic::error("shadowing", code.span(), message));
    }
    let (on, mut references) =
        checker.collecting_references(|checker| checker.expression(&item.on, ExpressionContext::STATEMENT));
    let on = on?;
    no_list(&mut checker.mistakes, &on, item.on.span())?;
    let ty = on.ty;
    warn_of_approximate_money(&mut checker.mistakes, ty, item.on.span());
    let on = checker.nodes.at_least(on, Grain::Statement);
    let tested = checker.nodes.typed(on);
    if item.points.is_empty() {
        return checker.mistakes.report(Diagnostic::error("score", item.span, "this item gives no points"));
    }
    let weight = weight?;
    let mut bins = Vec::new();
    let mut failed = false;
    for (cell, gained) in &item.points {
        let (test, of_bin) = checker.collecting_references(|checker| {
            computed::refuse_names(checker, cell, ty)?;
            cell::check_test_cell(checker, cell, &tested)
        });
        of_bin.parameters.iter().for_each(|name| references.note(Sort::Parameter, name));
        match (test, parse_item_points(&mut checker.mistakes, checker.terms.currency(), gained)) {
            (Ok(test), Ok(points)) => {
                let gain = check_bin_points(&mut checker.mistakes, gained, &points, &weight, scale)?;
                bins.push(Bin { test, text: cell.value().to_string(), gain, span: cell.span() });
            }
            _ => failed = true,
        }
    }
    if failed {
        return Err(Reported);
    }
    warn_of_unreached_bins(&mut checker.mistakes, &bins, ty);
    warn_of_repeated_item(&mut checker.mistakes, item, on, &bins, before);
    note_overlapping_bins(&mut checker.mistakes, &bins);
    let tests: Vec<_> = bins.iter().map(|bin| &bin.test).collect();
    let index = std::sync::Arc::new(crate::rules::program::index::IntervalIndex::new(&tests));
    let node = checker.nodes.add(Op::Points(before.len()), vec![on], points_type(scale.is_some()), Grain::Statement);
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

/// Warns of an item that is there already, so that its points count twice.
fn warn_of_repeated_item(mistakes: &mut Mistakes, item: &WrittenItem, on: NodeId, bins: &[Bin], before: &[ScoreItem]) {
    let is_same = |known: &&ScoreItem| {
        let alike = |(one, other): (&Bin, &Bin)| one.test == other.test && one.gain == other.gain;
        known.on == on && known.bins.len() == bins.len() && known.bins.iter().zip(bins).all(alike)
    };
    let Some(same) = before.iter().find(is_same) else { return };
    let message = format!("this item is there already, so `{}` counts twice", item.on.value());
    let warning = Diagnostic::warning("score", item.span, message).label("again").elsewhere(same.span);
    mistakes.push(warning.help("delete one of the two, or give one a `weight`"));
}

/// Notes two ranges of which each has values that the other has not: the first of the two takes what both have.
fn note_overlapping_bins(mistakes: &mut Mistakes, bins: &[Bin]) {
    let ends = |bin: &Bin| match &bin.test {
        Test::Range(Some((low, _)), Some((high, _))) => Some((low.float()?, high.float()?)),
        _ => None,
    };
    for (at, bin) in bins.iter().enumerate() {
        let Some((low, high)) = ends(bin) else { continue };
        let overlaps = |other: &&Bin| {
            let crosses = |(from, to): (f64, f64)| {
                (from < low && low < to && to < high) || (low < from && from < high && high < to)
            };
            ends(other).is_some_and(crosses)
        };
        let Some(first) = bins[..at].iter().find(overlaps) else { continue };
        let message = format!("`{}` and `{}` overlap: the first of them takes what is in both", first.text, bin.text);
        let note = Diagnostic::note("overlap", bin.span, message).label("overlaps").elsewhere(first.span);
        return mistakes.push(note.help("let one begin where the other ends"));
    }
}
