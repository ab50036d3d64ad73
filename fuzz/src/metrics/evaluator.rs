//! The reference: every value on its own, row by row, in the plainest way that can be thought of. Shares no code with the crate.

use std::cell::Cell;

use super::calendar::{first_day, month_of};
use super::expression::{Aggregate, Expression, Grain, Level};
use super::statement::Statement;

/// A known value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    Float(f64),
    Truth(bool),
    Text(String),
}

/// Where an expression is evaluated.
#[derive(Clone, Copy)]
pub(super) enum Place {
    /// By its place in the statement.
    Record(usize),
    /// By its place among the groups of its sort.
    Group(Level, usize),
    Statement,
}

/// Evaluates; says also whether something was too large to hold.
pub(super) struct Run<'s> {
    pub(super) statement: &'s Statement<'s>,
    pub(super) too_large: Cell<bool>,
}

impl Run<'_> {
    pub(super) fn value(&self, expression: &Expression, place: Place) -> Option<Value> {
        use Expression as E;
        let of = |part: &Expression| self.value(part, place);
        match expression {
            E::Name(name) => self.name(name, place),
            E::Defined(Level::Metric, number) => self.statement.metric(*number),
            E::Defined(level, number) => {
                self.elsewhere(self.statement.definition(*level, *number), level.grain(), place)
            }
            E::Parameter(_, value) | E::Bare(value) | E::Date(_, value) => Some(Value::Int(*value)),
            E::BareMoney(major) => Some(Value::Int(major * 100)),
            E::BareRatio(value) => Some(Value::Float(*value)),
            E::Truth(truth) => Some(Value::Truth(*truth)),
            E::Text(text) => Some(Value::Text((*text).to_owned())),
            E::Not(_) | E::And(..) | E::Or(..) | E::Between(..) | E::In(..) => {
                self.logic(expression, place).map(Value::Truth)
            }
            E::Negate(inner) => match of(inner)? {
                Value::Int(value) => self.whole(-i128::from(value)),
                Value::Float(value) => Some(Value::Float(-value)),
                _ => panic!("no number"),
            },
            E::Compare(sign, left, right) => compare(sign, of(left), of(right)).map(Value::Truth),
            E::Arithmetic(sign, left, right) => {
                let (left, right) = (of(left), of(right));
                self.arithmetic(*sign, left?, right?)
            }
            E::Shift(sign, date, days) => {
                let (date, days) = (of(date), of(days));
                let (date, days) = (i128::from(int_of(&date?)), i128::from(int_of(&days?)));
                self.date(if *sign == '+' { date + days } else { date - days })
            }
            E::Like(text, pattern, any_case) => {
                let text = text_of(of(text)?);
                Some(Value::Truth(match any_case {
                    true => like(&text.to_lowercase(), &pattern.to_lowercase()),
                    false => like(&text, pattern),
                }))
            }
            E::IsNull(inner, wanted) => Some(Value::Truth(of(inner).is_none() == *wanted)),
            E::IsTruth(inner, wanted) => Some(Value::Truth(truth(of(inner)) == Some(*wanted))),
            E::Case(arms, otherwise) => {
                // All arms are looked at: what is too large in any of them counts.
                let arms: Vec<_> = arms.iter().map(|(test, value)| (truth(of(test)), of(value))).collect();
                let otherwise = otherwise.as_ref().and_then(|value| of(value));
                arms.into_iter().find(|(test, _)| *test == Some(true)).map_or(otherwise, |(_, value)| value)
            }
            E::Call(name, arguments) => self.call(name, arguments.iter().map(of).collect()),
            E::Within(days) => {
                let as_of = self.statement.as_of?;
                let date = self.record(place).date;
                Some(Value::Truth(date > as_of - days && date <= as_of))
            }
            E::Mentions => Some(Value::Truth(self.mentioned(place).is_some())),
            E::Mentioned => self.mentioned(place).map(Value::Text),
            E::NeedsMonths(months, inner) => {
                let months_there = self.statement.groups(Level::Month);
                let full = months_there.iter().filter(|month| self.statement.is_full(month)).count();
                if (full as i64) < *months { None } else { of(inner) }
            }
            E::Aggregate(aggregate) => self.aggregate(aggregate, place),
            E::Among(name, inner) => self.among(name, inner, place),
            E::SumNear(name, inner, days) => self.sum_near(name, inner, of(days), place),
            E::Mirrored(days) => self.mirrored(of(days), place),
        }
    }

    /// SQL's three truth values.
    fn logic(&self, expression: &Expression, place: Place) -> Option<bool> {
        use Expression as E;
        let of = |part: &Expression| self.value(part, place);
        let and = |left: Option<bool>, right: Option<bool>| match (left, right) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let not = |truth: Option<bool>| truth.map(|truth| !truth);
        match expression {
            E::Not(inner) => not(truth(of(inner))),
            E::And(left, right) => and(truth(of(left)), truth(of(right))),
            // By De Morgan.
            E::Or(left, right) => not(and(not(truth(of(left))), not(truth(of(right))))),
            E::Between(value, low, high) => {
                let (value, low, high) = (of(value), of(low), of(high));
                and(compare(">=", value.clone(), low), compare("<=", value, high))
            }
            E::In(value, list) => {
                let value = of(value);
                let equal: Vec<_> = list.iter().map(|item| compare("=", value.clone(), of(item))).collect();
                match (equal.contains(&Some(true)), equal.contains(&None)) {
                    (true, _) => Some(true),
                    (false, true) => None,
                    (false, false) => Some(false),
                }
            }
            other => panic!("{other:?} is no logic"),
        }
    }

    fn name(&self, name: &str, place: Place) -> Option<Value> {
        let statement = self.statement;
        let has = |column: &str| statement.records.iter().any(|record| record.column(column).is_some());
        match (name, place) {
            ("as_of", _) => statement.as_of.map(Value::Int),
            ("has_debit", _) => Some(Value::Truth(has("debit"))),
            ("has_balance", _) => Some(Value::Truth(has("balance"))),
            (name, place) if Grain::of_name(name) == Grain::Record => self.record(place).column(name),
            (name, place) => {
                let Grain::Group(level) = Grain::of_name(name) else { panic!("{name} does not belong here") };
                let group = self.statement.group_at(level, place)?;
                statement.group_column(level, group, name)
            }
        }
    }

    /// Whether a constant or a value of the statement that stands within an aggregate is unknown: leaving rows out then would be a guess.
    fn asks_unknown(&self, part: &Expression) -> bool {
        use Expression as E;
        let facts = ["as_of", "has_debit", "has_balance"];
        let mut of_statement = true;
        part.each(&mut |inner| {
            of_statement &= match inner {
                E::Name(name) => facts.contains(name),
                E::Defined(level, _) => *level == Level::Metric,
                E::Within(_) | E::Mentions | E::Mentioned | E::Aggregate(_) | E::SumNear(..) | E::Mirrored(_) => false,
                _ => true,
            };
        });
        if of_statement {
            return self.value(part, Place::Statement).is_none();
        }
        match part {
            E::Within(_) => self.statement.as_of.is_none(),
            E::Defined(level, number) => self.asks_unknown(self.statement.definition(*level, *number)),
            part => part.parts().into_iter().any(|inner| self.asks_unknown(inner)),
        }
    }

    /// A whole number, if it can be held.
    pub(super) fn whole(&self, value: i128) -> Option<Value> {
        match i64::try_from(value) {
            Ok(value) => Some(Value::Int(value)),
            Err(_) => {
                self.too_large.set(true);
                None
            }
        }
    }

    fn float(&self, value: f64) -> Option<Value> {
        if !value.is_finite() {
            self.too_large.set(true);
            return None;
        }
        Some(Value::Float(value))
    }

    fn arithmetic(&self, sign: char, left: Value, right: Value) -> Option<Value> {
        if let (Value::Int(left), Value::Int(right), true) = (&left, &right, sign != '/') {
            let (left, right) = (i128::from(*left), i128::from(*right));
            return match sign {
                '+' => self.whole(left + right),
                '-' => self.whole(left - right),
                '*' => self.whole(left * right),
                _ if right == 0 => None,
                _ => self.whole(left % right),
            };
        }
        let (left, right) = (float_of(&left), float_of(&right));
        match sign {
            '+' => self.float(left + right),
            '-' => self.float(left - right),
            '*' => self.float(left * right),
            _ if right == 0.0 => None,
            '/' => self.float(left / right),
            _ => self.float(left % right),
        }
    }

    fn call(&self, name: &str, values: Vec<Option<Value>>) -> Option<Value> {
        match name {
            "coalesce" => return values.into_iter().flatten().next(),
            "is_unknown" => return Some(Value::Truth(values[0].is_none())),
            "nullif" => {
                return if compare("=", values[0].clone(), values[1].clone()) == Some(true) {
                    None
                } else {
                    values[0].clone()
                };
            }
            _ => {}
        }
        let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
        let int = |at: usize| match &values[at] {
            Value::Int(value) => *value,
            other => panic!("{other:?} is not whole"),
        };
        match name {
            "least" | "greatest" => {
                let sign = if name == "least" { "<" } else { ">" };
                let better = |best: Value, next: &Value| {
                    if compare(sign, Some(next.clone()), Some(best.clone())) == Some(true) {
                        next.clone()
                    } else {
                        best
                    }
                };
                Some(values[1..].iter().fold(values[0].clone(), better))
            }
            "abs" => match &values[0] {
                Value::Int(value) => self.whole(i128::from(*value).abs()),
                other => Some(Value::Float(float_of(other).abs())),
            },
            "lower" => Some(Value::Text(text_of(values[0].clone()).to_lowercase())),
            "length" => Some(Value::Int(text_of(values[0].clone()).chars().count() as i64)),
            "year" => Some(Value::Int(month_of(int(0)).div_euclid(12))),
            "month" => Some(Value::Int(month_of(int(0)).rem_euclid(12) + 1)),
            "day" => Some(Value::Int(int(0) - first_day(month_of(int(0))) + 1)),
            // 1970-01-01 was a Thursday.
            "weekday" => Some(Value::Int((int(0) + 3).rem_euclid(7) + 1)),
            "month_start_of" => Some(Value::Int(first_day(month_of(int(0))))),
            "add_months" => {
                let (month, day) = (month_of(int(0)), int(0) - first_day(month_of(int(0))));
                let month = month + int(1);
                let last = first_day(month + 1) - 1;
                self.date(i128::from((first_day(month) + day).min(last)))
            }
            "round" | "floor" | "ceil" => {
                // What is whole but for the last bits of a product counts as whole.
                let value = float_of(&values[0]);
                let fine = if value.abs() < 1e9 { (value * 1e6).round() / 1e6 } else { value };
                let whole = match name {
                    "round" => fine.round(),
                    "floor" => fine.floor(),
                    _ => fine.ceil(),
                };
                if !(-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole) {
                    self.too_large.set(true);
                    return None;
                }
                Some(Value::Int(whole as i64))
            }
            "round_down" => self.whole(i128::from(int(0)).div_euclid(i128::from(int(1))) * i128::from(int(1))),
            "round_up" => self.whole(-(-i128::from(int(0))).div_euclid(i128::from(int(1))) * i128::from(int(1))),
            other => panic!("no function {other}"),
        }
    }

    /// A day of the calendar: from 1900 to 2200.
    fn date(&self, day: i128) -> Option<Value> {
        let calendar = i128::from(first_day(1900 * 12))..i128::from(first_day(2201 * 12));
        if !calendar.contains(&day) {
            self.too_large.set(true);
            return None;
        }
        Some(Value::Int(day as i64))
    }

    fn aggregate(&self, aggregate: &Aggregate, place: Place) -> Option<Value> {
        let statement = self.statement;
        if let Place::Statement = place {
            let uses = |found: &dyn Fn(&Expression) -> bool| aggregate.parts().any(|part| statement.uses(part, found));
            let lacks = |fact: &str| self.name(fact, place) == Some(Value::Truth(false));
            let is_debit = |part: &Expression| matches!(part, Expression::Name("debit") | Expression::Mirrored(_));
            let is_balance = |part: &Expression| matches!(part, Expression::Name("balance"));
            if uses(&is_debit) && lacks("has_debit") || uses(&is_balance) && lacks("has_balance") {
                return None;
            }
            if aggregate.parts().any(|part| self.asks_unknown(part)) {
                return None;
            }
        }
        // What is too large matters within: it makes this unknown, and says so only where groups are made.
        let inner = Run { statement, too_large: Cell::new(false) };
        let records = || (0..statement.records.len()).map(Place::Record);
        let places: Vec<Place> = match (place, aggregate.grain()) {
            (Place::Statement, Grain::Group(level)) => {
                (0..statement.groups(level).len()).map(|group| Place::Group(level, group)).collect()
            }
            (Place::Group(level, group), _) => {
                records().filter(|record| statement.group_at(level, *record) == Some(group)).collect()
            }
            _ => records().collect(),
        };
        let mut rows: Vec<Vec<Value>> = Vec::new();
        for place in places {
            let kept = aggregate.filter.as_ref().map(|filter| truth(inner.value(filter, place)));
            let values: Vec<_> = aggregate.arguments.iter().map(|argument| inner.value(argument, place)).collect();
            if kept.unwrap_or(Some(true)) == Some(true) && values.iter().all(Option::is_some) {
                rows.push(values.into_iter().flatten().collect());
            }
        }
        let result = inner.over(aggregate, &rows);
        if inner.too_large.get() {
            if let Place::Group(..) = place {
                self.too_large.set(true);
            }
            return None;
        }
        result
    }

    fn over(&self, aggregate: &Aggregate, rows: &[Vec<Value>]) -> Option<Value> {
        let firsts = || rows.iter().map(|row| row[0].clone());
        let floats = |at: usize| rows.iter().map(|row| float_of(&row[at])).collect::<Vec<f64>>();
        let sum = || match firsts().next() {
            Some(Value::Int(_)) | None => firsts().map(|value| i128::from(int_of(&value))).sum::<i128>() as f64,
            _ => floats(0).iter().fold(0.0, |sum, value| sum + value),
        };
        let mean = || sum() / rows.len() as f64;
        match aggregate.name {
            "count" if aggregate.distinct => {
                let mut seen: Vec<Value> = Vec::new();
                firsts().for_each(|value| {
                    if !seen.contains(&value) {
                        seen.push(value);
                    }
                });
                Some(Value::Int(seen.len() as i64))
            }
            "count" => Some(Value::Int(rows.len() as i64)),
            "sum" => match aggregate.floats {
                true => self.float(floats(0).iter().fold(0.0, |sum, value| sum + value)),
                false => self.whole(firsts().map(|value| i128::from(int_of(&value))).sum()),
            },
            _ if rows.is_empty() => None,
            "avg" => self.float(mean()),
            "min" | "max" => {
                let sign = if aggregate.name == "min" { "<" } else { ">" };
                firsts().reduce(|best, next| {
                    if compare(sign, Some(next.clone()), Some(best.clone())) == Some(true) { next } else { best }
                })
            }
            "mode" => mode(firsts().collect()),
            "benford" => benford(&firsts().map(|value| int_of(&value)).collect::<Vec<_>>()),
            "first" => firsts().next(),
            "last" => firsts().next_back(),
            "arg_max" | "arg_min" => {
                let sign = if aggregate.name == "arg_max" { ">" } else { "<" };
                let better = |best: &'_ Vec<Value>, next: &'_ Vec<Value>| {
                    compare(sign, Some(next[1].clone()), Some(best[1].clone())) == Some(true)
                };
                let best = rows.iter().reduce(|best, next| if better(best, next) { next } else { best });
                best.map(|row| row[0].clone())
            }
            "median" | "quantile" => {
                let mut values = floats(0);
                values.sort_by(f64::total_cmp);
                let place = aggregate.fraction.unwrap_or(0.5) * (values.len() - 1) as f64;
                let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
                self.float(low + (high - low) * place.fract())
            }
            _ if rows.len() < 2 => None,
            "stddev" => {
                let squares = floats(0).iter().fold(0.0, |sum, value| sum + (value - mean()).powi(2));
                self.float((squares / (rows.len() - 1) as f64).sqrt())
            }
            "regr_slope" => {
                let (y, x) = (floats(0), floats(1));
                let of = |values: &[f64]| values.iter().fold(0.0, |sum, value| sum + value) / values.len() as f64;
                let (mean_y, mean_x) = (of(&y), of(&x));
                let along = x.iter().fold(0.0, |sum, x| sum + (x - mean_x).powi(2));
                let across = x.iter().zip(&y).fold(0.0, |sum, (x, y)| sum + (x - mean_x) * (y - mean_y));
                let one_place = x.iter().all(|value| *value == x[0]);
                if one_place || along == 0.0 { None } else { self.float(across / along) }
            }
            "max_gap" | "avg_gap" => gaps(aggregate.name, firsts().map(|value| int_of(&value)).collect()),
            other => panic!("no aggregate {other}"),
        }
    }
}

/// The most frequent, the least of equals.
fn mode(values: Vec<Value>) -> Option<Value> {
    let count = |value: &Value| values.iter().filter(|other| *other == value).count();
    let is_better = |best: &Value, next: &Value| {
        let (known, found) = (count(best), count(next));
        found > known || found == known && compare("<", Some(next.clone()), Some(best.clone())) == Some(true)
    };
    values.iter().cloned().reduce(|best, next| if is_better(&best, &next) { next } else { best })
}

/// Half of how far the shares of the first digits lie from what they are in Benford's law, all added up.
fn benford(values: &[i64]) -> Option<Value> {
    let digits: Vec<char> = values
        .iter()
        .filter(|value| **value != 0)
        .filter_map(|value| value.unsigned_abs().to_string().chars().next())
        .collect();
    if digits.len() < 100 {
        return None;
    }
    let apart = ('1'..='9').zip(1..).map(|(letter, digit)| {
        let share = digits.iter().filter(|first| **first == letter).count() as f64 / digits.len() as f64;
        (share - (1.0 + 1.0 / f64::from(digit)).log10()).abs()
    });
    Some(Value::Float(apart.sum::<f64>() / 2.0))
}

fn gaps(name: &str, mut days: Vec<i64>) -> Option<Value> {
    days.sort_unstable();
    days.dedup();
    let gaps: Vec<i64> = days.windows(2).map(|pair| pair[1] - pair[0]).collect();
    match (gaps.is_empty(), name) {
        (true, _) => None,
        (false, "max_gap") => gaps.into_iter().max().map(Value::Int),
        (false, _) => Some(Value::Float(gaps.iter().sum::<i64>() as f64 / gaps.len() as f64)),
    }
}

fn truth(value: Option<Value>) -> Option<bool> {
    match value? {
        Value::Truth(truth) => Some(truth),
        other => panic!("{other:?} is neither true nor false"),
    }
}

pub(super) fn float_of(value: &Value) -> f64 {
    match value {
        Value::Int(value) => *value as f64,
        Value::Float(value) => *value,
        other => panic!("{other:?} is no number"),
    }
}

pub(super) fn int_of(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is not whole"),
    }
}

fn text_of(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        other => panic!("{other:?} is no text"),
    }
}

pub(super) fn compare(sign: &str, left: Option<Value>, right: Option<Value>) -> Option<bool> {
    let order = match (left?, right?) {
        (Value::Int(left), Value::Int(right)) => left.cmp(&right),
        (Value::Truth(left), Value::Truth(right)) => left.cmp(&right),
        (Value::Text(left), Value::Text(right)) => left.cmp(&right),
        (left, right) => float_of(&left).partial_cmp(&float_of(&right)).expect("no value is NaN"),
    };
    Some(match sign {
        "=" => order.is_eq(),
        "<>" => order.is_ne(),
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        ">" => order.is_gt(),
        ">=" => order.is_ge(),
        other => panic!("no comparison {other}"),
    })
}

/// By trying everything that a `%` may stand for.
fn like(text: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    let mut letters = text.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('%') => {
            (0..=text.chars().count()).any(|skip| like(&text.chars().skip(skip).collect::<String>(), rest.as_str()))
        }
        Some(letter) => {
            letters.next().is_some_and(|first| letter == '_' || letter == first)
                && like(letters.as_str(), rest.as_str())
        }
    }
}
