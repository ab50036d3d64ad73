//! What a policy makes of a person, worked out from docs/rules/reference.md and docs/pricing.md in the plainest way. Shares no code
//! with the crate: where the two disagree, one of them or the page is wrong.

use super::calendar::{add_months, civil, date, days_of};
use super::functions::{like, rounded, small};
use super::model::{Bound, Effect, Expr, Kind, Op, Person, Policy, Value};
pub use super::why::{Why, code};
use super::{judge, offers, pricing};

pub type Known<T> = Result<T, Why>;

/// A made offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    pub tenure: u32,
    pub amount: i64,
    pub interest: f64,
    pub payable: i64,
    pub fee: i64,
    pub expires: i64,
    pub part_payment: bool,
    pub terms: &'static str,
}

/// All of a decision that a policy answers for.
#[derive(Clone, Debug)]
pub struct Expected {
    /// `offer`, `refer` or `decline`.
    pub outcome: &'static str,
    /// Id, effect, and why where it is for something unknown.
    pub reasons: Vec<(String, Effect, Option<Why>)>,
    pub metrics: Vec<Known<Value>>,
    pub score: Option<Known<f64>>,
    pub points_lost: Vec<judge::Lost>,
    /// For each table, each output.
    pub outputs: Vec<Vec<Known<Value>>>,
    pub offers: Vec<Made>,
    pub counter: Option<Counter>,
    /// The inputs without which nothing is decided, and that are not there.
    pub missing: Vec<usize>,
}

/// What can be had instead of what was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    pub asked_amount: Option<i64>,
    pub asked_tenure: Option<i64>,
    pub amount: i64,
    pub tenure: u32,
    pub limited_by: Vec<String>,
}

/// One person before a policy.
pub struct Case<'c> {
    pub policy: &'c Policy,
    pub person: &'c Person,
    pub metrics: Vec<Known<Value>>,
    pub score: Option<Known<f64>>,
    pub outputs: Vec<Vec<Known<Value>>>,
    /// Names that only an offer knows.
    pub own: Vec<(&'static str, Known<Value>)>,
    /// The method of the offer that is looked at.
    pub method: Option<super::model::Method>,
}

/// What comes out.
pub fn expected(policy: &Policy, person: &Person) -> Expected {
    let mut case = Case { policy, person, metrics: vec![], score: None, outputs: vec![], own: vec![], method: None };
    // A metric asks for the metrics before it alone, a table for the score and the tables before it.
    for metric in &policy.metrics {
        let value = case.value(metric);
        case.metrics.push(value);
    }
    case.score = policy.score.as_ref().map(|score| judge::score(&case, score));
    let points_lost = policy.score.as_ref().map_or(vec![], |score| judge::points_lost(&case, score));
    for (at, table) in policy.tables.iter().enumerate() {
        let outputs = judge::table(&case, at, table);
        case.outputs.push(outputs);
    }
    let missing = judge::missing(&case);
    let (outcome, reasons, offers) = judge::outcome(&mut case);
    let counter = offers::counter(&mut case, &offers);
    let offers = offers.into_iter().map(|(_, made)| made).collect();
    let Case { metrics, score, outputs, .. } = case;
    Expected { outcome, reasons, metrics, score, points_lost, outputs, offers, counter, missing }
}

impl Case<'_> {
    /// The value of an expression.
    pub fn value(&self, expr: &Expr) -> Known<Value> {
        let value = self.plain(expr)?;
        // Beside a float a whole number becomes one.
        Ok(match value {
            Value::Whole(whole) if expr.kind.is_float() => Value::Float(whole as f64),
            value => value,
        })
    }

    fn plain(&self, expr: &Expr) -> Known<Value> {
        match &expr.op {
            Op::Input(at) => self.person.inputs[*at].clone().ok_or(Why::Missing(*at)),
            Op::Given(at) => self.person.inputs[*at].clone().ok_or(Why::Said("not_given")),
            Op::Metric(at) => self.metrics[*at].clone(),
            Op::Output(table, column) => self.outputs[*table][*column].clone(),
            Op::Score => self.score.clone().unwrap_or(Err(Why::Said("no score"))).map(Value::Float),
            Op::Parameter(at) => self.parameter(*at),
            Op::AsOf => self.person.as_of.map(Value::Whole).ok_or(Why::Said("no_records")),
            Op::Own(name) => self
                .own
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Err(Why::Said("no such name")), |(_, v)| v.clone()),
            Op::Literal(value) => Ok(value.clone()),
            Op::Negate(inner) => match self.value(inner)? {
                Value::Whole(value) => whole(-i128::from(value)),
                value => Ok(Value::Float(-float(&value))),
            },
            Op::Arithmetic(sign, parts) => self.arithmetic(*sign, parts, expr.kind),
            Op::Compare(..) | Op::And(_) | Op::Or(_) | Op::Not(_) | Op::Between(_) | Op::In(_) => {
                self.truth(expr).map(Value::Truth)
            }
            Op::Like(inner, pattern, any_case) => {
                let text = text(self.value(inner)?);
                Ok(Value::Truth(match any_case {
                    true => like(&small(&text), &small(pattern)),
                    false => like(&text, pattern),
                }))
            }
            Op::IsNull(inner, wanted) => Ok(Value::Truth(self.value(inner).is_err() == *wanted)),
            Op::IsTruth(inner, wanted) => Ok(Value::Truth(self.truth(inner) == Ok(*wanted))),
            Op::Case(arms, otherwise) => {
                for (when, then) in arms {
                    if self.truth(when) == Ok(true) {
                        return self.value(then);
                    }
                }
                otherwise.as_ref().map_or(Err(Why::Said("no_value")), |otherwise| self.value(otherwise))
            }
            Op::Switch(what, arms, otherwise) => {
                for (when, then) in arms {
                    if let (Ok(what), Ok(when)) = (self.value(what), self.value(when))
                        && holds("=", &what, &when)
                    {
                        return self.value(then);
                    }
                }
                otherwise.as_ref().map_or(Err(Why::Said("no_value")), |otherwise| self.value(otherwise))
            }
            Op::Call(name, parts) => self.call(name, parts),
        }
    }

    /// The value that holds on the day.
    fn parameter(&self, at: usize) -> Known<Value> {
        let parameter = &self.policy.parameters[at];
        if let Some(given) = &parameter.given {
            return Ok(given.clone());
        }
        if parameter.dated.is_empty() {
            return Ok(parameter.value.clone().expect("a parameter has a value"));
        }
        let day = self.person.as_of.ok_or(Why::Said("no_records"))?;
        let begun = parameter.dated.iter().filter(|(from, _)| *from <= day).max_by_key(|(from, _)| *from);
        begun.map(|(_, value)| value).or(parameter.value.as_ref()).cloned().ok_or(Why::NotYet(at))
    }

    /// What a cell compares with.
    pub fn bound(&self, bound: &Bound) -> Value {
        match bound {
            Bound::Here(value) => value.clone(),
            Bound::Parameter(at) => self.parameter(*at).expect("a cell compares with what always has a value"),
        }
    }

    /// An expression that is true, false or unknown.
    pub fn truth(&self, expr: &Expr) -> Known<bool> {
        match &expr.op {
            Op::Compare(sign, parts) => {
                // Of two that are unknown the left says why.
                let (left, right) = (self.value(&parts[0])?, self.value(&parts[1])?);
                Ok(holds(sign, &left, &right))
            }
            Op::Not(inner) => self.truth(inner).map(|truth| !truth),
            Op::And(parts) => decided(parts.iter().map(|part| self.truth(part)), false),
            Op::Or(parts) => decided(parts.iter().map(|part| self.truth(part)), true),
            Op::Between(parts) => {
                let of = |at: usize| self.value(&parts[at]);
                let low = of(0).and_then(|value| Ok(holds(">=", &value, &of(1)?)));
                let high = of(0).and_then(|value| Ok(holds("<=", &value, &of(2)?)));
                decided([low, high].into_iter(), false)
            }
            Op::In(parts) => {
                let equal = parts[1..].iter().map(|item| {
                    let (value, item) = (self.value(&parts[0])?, self.value(item)?);
                    Ok(holds("=", &value, &item))
                });
                decided(equal, true)
            }
            _ => match self.value(expr)? {
                Value::Truth(truth) => Ok(truth),
                other => panic!("{other:?} is no truth value"),
            },
        }
    }

    fn arithmetic(&self, sign: char, parts: &[Expr], kind: Kind) -> Known<Value> {
        let (left, right) = (self.value(&parts[0]), self.value(&parts[1]));
        let (left, right) = (left?, right?);
        if let (Value::Whole(left), Value::Whole(right)) = (&left, &right)
            && sign != '/'
        {
            let (left, right) = (i128::from(*left), i128::from(*right));
            let value = match sign {
                '+' => left + right,
                '-' => left - right,
                '*' => left * right,
                _ if right == 0 => return Err(Why::Said("zero_denominator")),
                _ => left % right,
            };
            return if kind == Kind::Date { date(value) } else { whole(value) };
        }
        let (left, right) = (float(&left), float(&right));
        let value = match sign {
            '+' => left + right,
            '-' => left - right,
            '*' => left * right,
            _ if right == 0.0 => return Err(Why::Said("zero_denominator")),
            '/' => left / right,
            _ => left % right,
        };
        if value.is_finite() { Ok(Value::Float(value)) } else { Err(Why::Said("overflow")) }
    }

    fn call(&self, name: &str, parts: &[Expr]) -> Known<Value> {
        let values: Vec<Known<Value>> = parts.iter().map(|part| self.value(part)).collect();
        match name {
            "coalesce" => {
                let first = values.iter().find(|value| value.is_ok());
                return first.unwrap_or(&values[0]).clone();
            }
            "is_unknown" => return Ok(Value::Truth(values[0].is_err())),
            "why" => {
                return Ok(Value::Text(values[0].as_ref().err().map_or(String::new(), |why| code(self.policy, why))));
            }
            "nullif" => {
                return match (&values[0], &values[1]) {
                    (Ok(left), Ok(right)) if holds("=", left, right) => Err(Why::Said("no_value")),
                    (value, _) => value.clone(),
                };
            }
            _ => {}
        }
        let values: Vec<Value> = values.into_iter().collect::<Known<_>>()?;
        match name {
            "least" => Ok(values
                .iter()
                .skip(1)
                .fold(values[0].clone(), |least, value| if holds("<", value, &least) { value.clone() } else { least })),
            "greatest" => Ok(values.iter().skip(1).fold(values[0].clone(), |greatest, value| {
                if holds(">", value, &greatest) { value.clone() } else { greatest }
            })),
            "abs" => match &values[0] {
                Value::Whole(value) => whole(i128::from(*value).abs()),
                value => Ok(Value::Float(float(value).abs())),
            },
            "lower" => Ok(Value::Text(small(&text(values[0].clone())))),
            "length" => whole(text(values[0].clone()).chars().count() as i128),
            "year" => whole(civil(int(&values[0])).0.into()),
            "month" => whole(civil(int(&values[0])).1.into()),
            "day" => whole(civil(int(&values[0])).2.into()),
            // 1970-01-01 was a Thursday.
            "weekday" => whole(((int(&values[0]) + 3).rem_euclid(7) + 1).into()),
            "month_start_of" => {
                let (year, month, _) = civil(int(&values[0]));
                date(i128::from(days_of(year, month, 1)))
            }
            "add_months" => add_months(int(&values[0]), int(&values[1])),
            "concat" => Ok(Value::Text(values.into_iter().map(text).collect())),
            "text_of" => Ok(Value::Text(match (&values[0], parts[0].kind) {
                (Value::Whole(day), Kind::Date) => {
                    let (year, month, day) = civil(*day);
                    format!("{year:04}-{month:02}-{day:02}")
                }
                (value, _) => letters(value),
            })),
            "power" => {
                let value = libm::pow(float(&values[0]), float(&values[1]));
                if value.is_finite() { Ok(Value::Float(value)) } else { Err(Why::Said("overflow")) }
            }
            // A list among them gives its own values.
            "list_of" => Ok(Value::List(
                values
                    .into_iter()
                    .flat_map(|value| if let Value::List(own) = value { own } else { vec![value] })
                    .collect(),
            )),
            "list_length" => whole(list(&values[0]).len() as i128),
            "list_contains" => Ok(Value::Truth(list(&values[0]).iter().any(|value| holds("=", value, &values[1])))),
            "principal_for" => pricing::principal_for(&values, self.method),
            _ => rounded(name, &values, parts[0].kind),
        }
    }
}

/// AND is decided by a false side, OR by a true one; otherwise the first that is unknown says why.
fn decided(sides: impl Iterator<Item = Known<bool>>, decides: bool) -> Known<bool> {
    let mut answer = Ok(!decides);
    for side in sides {
        match (side, &answer) {
            (Ok(truth), _) if truth == decides => return Ok(decides),
            (Err(why), Ok(_)) => answer = Err(why),
            _ => {}
        }
    }
    answer
}

/// Two known values of one kind; a whole number beside a float is a float.
pub fn holds(sign: &str, left: &Value, right: &Value) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match (left, right) {
        (Value::Whole(left), Value::Whole(right)) => left.cmp(right),
        (Value::Truth(left), Value::Truth(right)) => left.cmp(right),
        (Value::Text(left), Value::Text(right)) => left.cmp(right),
        (left, right) => float(left).partial_cmp(&float(right)).expect("no number is out of order"),
    };
    match sign {
        "=" => order == Equal,
        "!=" | "<>" => order != Equal,
        "<" => order == Less,
        "<=" => order != Greater,
        ">" => order == Greater,
        ">=" => order != Less,
        other => panic!("no comparison: {other}"),
    }
}

pub fn whole(value: i128) -> Known<Value> {
    i64::try_from(value).map(Value::Whole).map_err(|_| Why::Said("overflow"))
}

/// Whether a whole float fits 64 bits.
pub fn fits(value: f64) -> bool {
    (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&value)
}

pub fn float(value: &Value) -> f64 {
    match value {
        Value::Whole(value) => *value as f64,
        Value::Float(value) => *value,
        other => panic!("{other:?} is no number"),
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Whole(value) => *value,
        other => panic!("{other:?} is not whole"),
    }
}

fn list(value: &Value) -> &[Value] {
    match value {
        Value::List(values) => values,
        other => panic!("{other:?} is no list"),
    }
}

/// In letters and digits, a number by its shortest digits.
fn letters(value: &Value) -> String {
    match value {
        Value::Whole(value) => value.to_string(),
        // Nobody reads a sign of zero.
        Value::Float(value) => format!("{}", if *value == 0.0 { 0.0 } else { *value }),
        Value::Truth(value) => value.to_string(),
        Value::Text(text) => text.clone(),
        Value::List(_) => panic!("a list is no text"),
    }
}

fn text(value: Value) -> String {
    match value {
        Value::Text(text) => text,
        other => panic!("{other:?} is no text"),
    }
}
