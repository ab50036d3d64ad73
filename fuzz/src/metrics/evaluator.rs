//! The reference: every value on its own, row by row, in the plainest way possible. Shares no code with the crate.

use std::cell::Cell;

use super::calendar::{first_day, month_of};
use super::expression::{Expression, Grain, Level};
use super::numbers::{compare, double_of, exact_of, extreme, is_double};
use super::statement::Statement;
use super::texts;
use crate::exact::{self, Exact, Way};

/// A known value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Int(i64),
    /// A fraction.
    Exact(Exact),
    /// Approximate by its type.
    Double(f64),
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

/// Evaluates; also reports whether something was too large.
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
            E::BareRatio(digits) => Some(Value::Exact(exact::decimal(digits))),
            E::Truth(truth) => Some(Value::Truth(*truth)),
            E::Null => None,
            E::Text(text) => Some(Value::Text((*text).to_owned())),
            E::Not(_) | E::And(..) | E::Or(..) | E::Between(..) | E::In(..) => {
                self.logic(expression, place).map(Value::Truth)
            }
            E::Negate(inner) => self.negated(of(inner)?),
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
                    true => like(&small(&text), &small(pattern)),
                    false => like(&text, pattern),
                }))
            }
            E::IsNull(inner, wanted) => Some(Value::Truth(of(inner).is_none() == *wanted)),
            E::IsTruth(inner, wanted) => Some(Value::Truth(truth(of(inner)) == Some(*wanted))),
            E::Case(arms, otherwise) => {
                // All arms are evaluated: a value that is too large in any of them counts.
                let arms: Vec<_> = arms.iter().map(|(test, value)| (truth(of(test)), of(value))).collect();
                let otherwise = otherwise.as_ref().and_then(|value| of(value));
                let chosen = arms.into_iter().find(|(test, _)| *test == Some(true));
                self.held(expression, chosen.map_or(otherwise, |(_, value)| value))
            }
            E::Call(name @ ("least" | "greatest"), arguments) => {
                let values = arguments.iter().map(|argument| self.held(expression, of(argument)));
                extreme(name, values.collect::<Option<_>>()?)
            }
            E::Call(name, arguments) => self.held(expression, self.call(name, arguments.iter().map(of).collect())),
            E::Within(days) => {
                let as_of = self.statement.window_end?;
                let date = self.record(place).date;
                Some(Value::Truth(date > as_of - days && date <= as_of))
            }
            E::Mentions => Some(Value::Truth(self.mentioned(place).is_some())),
            E::Mentioned => self.mentioned(place).map(Value::Text),
            E::Named => Some(Value::Truth(self.named(place))),
            E::InList(text) => texts::is_listed(&text_of(of(text)?), self.statement.as_of).map(Value::Truth),
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

    fn negated(&self, value: Value) -> Option<Value> {
        match value {
            Value::Int(value) => self.whole(-i128::from(value)),
            Value::Exact(value) => Some(Value::Exact(-value)),
            Value::Double(value) => Some(Value::Double(-value)),
            other => panic!("{other:?} is no number"),
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

    pub(super) fn name(&self, name: &str, place: Place) -> Option<Value> {
        let statement = self.statement;
        let has = |column: &str| statement.records.iter().any(|record| record.column(column).is_some());
        match (name, place) {
            ("as_of", _) => statement.as_of.map(Value::Int),
            // A debit of 0 is no debit.
            ("has_debit", _) => Some(Value::Truth(statement.records.iter().any(|record| record.debit > Some(0)))),
            ("has_balance", _) => Some(Value::Truth(has("balance"))),
            ("balance_verdict", _) => Some(Value::Text(statement.verdict.to_owned())),
            (name, place) if Grain::of_name(name) == Grain::Record => self.record(place).column(name),
            (name, place) => {
                let Grain::Group(level) = Grain::of_name(name) else { panic!("{name} does not belong here") };
                let group = self.statement.group_at(level, place)?;
                statement.group_column(level, group, name)
            }
        }
    }

    /// Whether a constant or a value of the statement inside an aggregate is unknown: dropping rows would then be a
    /// guess.
    pub(super) fn asks_unknown(&self, part: &Expression) -> bool {
        use Expression as E;
        let facts = ["as_of", "has_debit", "has_balance", "balance_verdict"];
        let mut of_statement = true;
        part.each(&mut |inner| {
            of_statement &= match inner {
                E::Name(name) => facts.contains(name),
                E::Defined(level, _) => *level == Level::Metric,
                E::Within(_)
                | E::Mentions
                | E::Mentioned
                | E::Named
                | E::Aggregate(_)
                | E::SumNear(..)
                | E::Mirrored(_) => false,
                _ => true,
            };
        });
        if of_statement && !matches!(part, E::Null) {
            return self.value(part, Place::Statement).is_none();
        }
        match part {
            E::Null => false,
            E::Within(_) => self.statement.window_end.is_none(),
            // The day is a value of the statement.
            E::InList(text) => self.statement.as_of.is_none() || self.asks_unknown(text),
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

    pub(super) fn exact(&self, value: Exact) -> Option<Value> {
        let held = exact::held(value).map(Value::Exact);
        self.too_large.set(self.too_large.get() || held.is_none());
        held
    }

    pub(super) fn double(&self, value: f64) -> Option<Value> {
        if !value.is_finite() {
            self.too_large.set(true);
            return None;
        }
        Some(Value::Double(value))
    }

    /// Converts to the type of the expression: next to an approximate value everything is approximate.
    fn held(&self, expression: &Expression, value: Option<Value>) -> Option<Value> {
        let value = value?;
        let is_number = matches!(value, Value::Int(_) | Value::Exact(_));
        match is_number && self.statement.is_double(expression) {
            true => Some(Value::Double(double_of(&value))),
            false => Some(value),
        }
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
        if is_double(&left) || is_double(&right) {
            let (left, right) = (double_of(&left), double_of(&right));
            return match sign {
                '+' => self.double(left + right),
                '-' => self.double(left - right),
                '*' => self.double(left * right),
                _ if right == 0.0 => None,
                '/' => self.double(left / right),
                _ => self.double(left % right),
            };
        }
        let (left, right) = (exact_of(&left), exact_of(&right));
        match sign {
            '+' => self.exact(left + right),
            '-' => self.exact(left - right),
            '*' => self.exact(left * right),
            _ if right.is_zero() => None,
            '/' => self.exact(left / right),
            _ => self.exact(exact::remainder(&left, &right)),
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
            "abs" => match &values[0] {
                Value::Int(value) => self.whole(i128::from(*value).abs()),
                Value::Exact(value) => Some(Value::Exact(exact::absolute(value))),
                other => Some(Value::Double(double_of(other).abs())),
            },
            "lower" => Some(Value::Text(small(&text_of(values[0].clone())))),
            "upper" | "trim" | "substring" | "replace" | "starts_with" | "ends_with" | "contains" | "to_number" => {
                texts::call(name, &values)
            }
            "sqrt" | "ln" | "exp" => {
                let number = double_of(&values[0]);
                match name {
                    "sqrt" => (number >= 0.0).then(|| Value::Double(libm::sqrt(number))),
                    "ln" => (number > 0.0).then(|| Value::Double(libm::log(number))),
                    _ => self.double(libm::exp(number)),
                }
            }
            "day_of_year" => Some(Value::Int(int(0) - first_day(month_of(int(0)).div_euclid(12) * 12) + 1)),
            "months_between" => Some(Value::Int(full_months(int(0), int(1)))),
            "years_between" => Some(Value::Int(full_months(int(0), int(1)) / 12)),
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
            "round" | "round_half_even" | "floor" | "ceil" => {
                let way = match name {
                    "round" => Way::Nearest,
                    "round_half_even" => Way::Even,
                    "floor" => Way::Down,
                    _ => Way::Up,
                };
                let whole = exact::int(&exact::whole(&exact_of(&values[0]), way));
                self.too_large.set(self.too_large.get() || whole.is_none());
                whole.map(Value::Int)
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
}

pub(super) fn truth(value: Option<Value>) -> Option<bool> {
    match value? {
        Value::Truth(truth) => Some(truth),
        other => panic!("{other:?} is neither true nor false"),
    }
}

pub(super) fn int_of(value: &Value) -> i64 {
    match value {
        Value::Int(value) => *value,
        other => panic!("{other:?} is not whole"),
    }
}

pub(super) fn text_of(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        other => panic!("{other:?} is no text"),
    }
}

/// Lower case letter by letter; a final sigma is an ordinary one.
fn small(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect::<String>().replace('ς', "σ")
}

/// How many months after the first have come to the same day of the month, or back from it.
fn full_months(from: i64, to: i64) -> i64 {
    let place = |day: i64| (month_of(day), day - first_day(month_of(day)));
    if to < from {
        return -full_months(to, from);
    }
    let ((month, of_month), end) = (place(from), place(to));
    (1..).take_while(|months| (month + months, of_month) <= end).count() as i64
}

/// Tries everything that a `%` may match.
fn like(text: &str, pattern: &str) -> bool {
    let mut rest = pattern.chars();
    let mut letters = text.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('%') => {
            (0..=text.chars().count()).any(|skip| like(&text.chars().skip(skip).collect::<String>(), rest.as_str()))
        }
        Some('!') => {
            let letter = rest.next();
            letters.next() == letter && like(letters.as_str(), rest.as_str())
        }
        Some(letter) => {
            letters.next().is_some_and(|first| letter == '_' || letter == first)
                && like(letters.as_str(), rest.as_str())
        }
    }
}
