//! The scorecard of a policy, with the numbers that its text has.

use toml::de::{DeTable, DeValue};

use super::cells::read_rule_cell;
use super::model::{Scorecard, ScorecardItem, ScorecardKind, ScorecardRow};
use crate::rules::{Policy, Unit};

/// How many reasons a decision lists unless the policy says otherwise.
const REASONS: usize = 4;

/// The scorecard of a policy.
///
/// # Errors
/// If there is none, or a part of it is computed or has no like in scorecards of other programs.
pub fn scorecard_of_policy(policy: &Policy) -> Result<Scorecard, String> {
    let items = &policy.program.score_items;
    let first = items.first().ok_or("the policy has no scorecard")?;
    let source = policy.sources().iter().nth(first.span.source as usize);
    let root = source.and_then(|source| DeTable::parse(&source.text).ok());
    let root = root.ok_or("the text of the scorecard is not known")?;
    let score = get(root.get_ref(), "score").and_then(DeValue::as_table).ok_or("the text of [score] is not known")?;
    let written = get(score, "item").and_then(DeValue::as_array).filter(|written| written.len() == items.len());
    let written = written.ok_or("the text of [[score.item]] is not known")?;
    let scale = Scale::of_score(score)?;
    let base = number(get(score, "base").ok_or("[score] has no base")?).ok_or("the base of [score] is not a number")?;
    let mut found = Scorecard {
        name: Some(policy.header().name.clone()),
        base: scale.base + scale.factor * base,
        reasons: get(score, "reasons").and_then(number).map_or(REASONS, |reasons| reasons as usize),
        ..Scorecard::default()
    };
    for (item, written) in items.iter().zip(written.iter()) {
        let written = written.get_ref().as_table().ok_or("an item of the score is not a table")?;
        let kind = match policy.type_of(item.on).unit {
            Unit::Boolean => ScorecardKind::Boolean,
            unit if unit.is_iso() => return Err("an item of the score is a date or a time".to_owned()),
            _ if policy.type_of(item.on).repr == crate::rules::Repr::Text => ScorecardKind::Text,
            _ => ScorecardKind::Number,
        };
        found.items.push(item_of_text(written, kind, scale.factor)?);
    }
    Ok(found)
}

/// What `scale` makes of points.
struct Scale {
    base: f64,
    factor: f64,
}

impl Scale {
    fn of_score(score: &DeTable<'_>) -> Result<Scale, String> {
        let Some(scale) = get(score, "scale") else { return Ok(Scale { base: 0.0, factor: 1.0 }) };
        let part = |key: &str| scale.as_table().and_then(|scale| get(scale, key)).and_then(number);
        let (Some(points), Some(odds), Some(pdo)) = (part("points"), part("odds"), part("pdo")) else {
            return Err("the scale of [score] has a part that is not a number".to_owned());
        };
        let factor = pdo / std::f64::consts::LN_2;
        Ok(Scale { base: points - factor * libm::log(odds), factor })
    }
}

fn item_of_text(written: &DeTable<'_>, kind: ScorecardKind, factor: f64) -> Result<ScorecardItem, String> {
    let text = |key: &str| get(written, key).and_then(DeValue::as_str).map(str::trim);
    let metric = text("on").ok_or("an item of the score has no `on`")?.to_owned();
    let is_name = metric.chars().all(|sign| sign.is_ascii_alphanumeric() || "_.".contains(sign));
    if !is_name {
        return Err(format!("the item `{metric}` is an expression: give it a name under [metric]"));
    }
    let weight = match get(written, "weight") {
        None => 1.0,
        Some(weight) => number(weight).ok_or_else(|| format!("the weight of `{metric}` is not a number"))?,
    };
    let points = get(written, "points").and_then(DeValue::as_array).ok_or_else(|| format!("`{metric}` has no rows"))?;
    let mut rows = Vec::new();
    for row in points.iter() {
        let cells = row.get_ref().as_array().filter(|cells| cells.len() == 2);
        let cells = cells.ok_or_else(|| format!("a row of `{metric}` has not two cells"))?;
        let cell = cell_text(cells[0].get_ref());
        let read = read_rule_cell(&cell, kind).ok_or_else(|| {
            format!(
                "the bin `{cell}` of `{metric}` has no like in other scorecards; they have ranges of numbers, lists of \
                 texts, true, false, unknown and `-`"
            )
        })?;
        let given = number(cells[1].get_ref());
        let given = given.ok_or_else(|| format!("the points of the bin `{cell}` of `{metric}` are not a number"))?;
        rows.push(ScorecardRow { cell: read, points: given * weight * factor });
    }
    Ok(ScorecardItem { metric, code: text("code").map(str::to_owned), kind, rows })
}

fn get<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeValue<'a>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value.get_ref())
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    let text = match value {
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::String(text) => text.trim().to_owned(),
        _ => return None,
    };
    text.replace('_', "").parse().ok().filter(|number: &f64| number.is_finite())
}

fn cell_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        _ => String::new(),
    }
}
