//! A policy's decision on a person, computed from docs/reference/rules.md and docs/reference/pricing.md in the plainest
//! way. Shares no code with the crate: where the two disagree, one of them or the page is wrong.

use super::functions::{letters, like, small};
use super::model::{Bound, Effect, Expr, Op, Person, Policy, Value};
use super::numbers::{arithmetic, exactly, holds, nearest, negated};
pub use super::why::{Why, code, meaning};
use super::{judge, offers};

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

/// The parts of a decision that a policy determines.
#[derive(Clone, Debug)]
pub struct Expected {
    /// `offer`, `refer` or `decline`.
    pub outcome: &'static str,
    /// Id, effect, and the reason if it applies because of something unknown.
    pub reasons: Vec<(String, Effect, Option<Why>)>,
    pub metrics: Vec<Known<Value>>,
    pub score: Option<Known<Value>>,
    pub points_lost: Vec<judge::Lost>,
    /// For each table, each output.
    pub outputs: Vec<Vec<Known<Value>>>,
    pub offers: Vec<Made>,
    pub counter: Option<Counter>,
    /// The required inputs that are missing.
    pub missing: Vec<usize>,
}

/// The counter-offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    pub asked_amount: Option<i64>,
    pub asked_tenure: Option<i64>,
    pub amount: i64,
    pub tenure: u32,
    pub limited_by: Vec<String>,
}

/// One person before a policy.
#[derive(Clone)]
pub struct Case<'c> {
    pub policy: &'c Policy,
    pub person: &'c Person,
    pub metrics: Vec<Known<Value>>,
    pub score: Option<Known<Value>>,
    pub outputs: Vec<Vec<Known<Value>>>,
    /// Names that exist only in an offer.
    pub own: Vec<(&'static str, Known<Value>)>,
    /// The method of the current offer.
    pub method: Option<super::model::Method>,
    /// The entry of a list that an expression is about.
    pub entry: Option<&'c super::entries::Entry>,
}

/// The expected decision.
pub fn expected(policy: &Policy, person: &Person) -> Expected {
    let mut case = Case::begun(policy, person);
    // A metric may use only the metrics before it; a table may use the score and the tables before it.
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

impl<'c> Case<'c> {
    /// Before anything is computed.
    pub fn begun(policy: &'c Policy, person: &'c Person) -> Self {
        Case { policy, person, metrics: vec![], score: None, outputs: vec![], own: vec![], method: None, entry: None }
    }
    /// The value of an expression, in its type.
    pub fn value(&self, expr: &Expr) -> Known<Value> {
        let value = self.plain(expr)?;
        Ok(match value {
            Value::Whole(_) | Value::Exact(_) if expr.is_double => Value::Double(nearest(&value)),
            Value::Whole(_) if expr.kind.is_fraction() => Value::Exact(exactly(&value)),
            Value::Double(double) if !expr.is_double => panic!("{double} is marked as exact: {expr:?}"),
            value => value,
        })
    }

    fn plain(&self, expr: &Expr) -> Known<Value> {
        match &expr.op {
            Op::Input(at) => self.person.inputs[*at].clone().ok_or(Why::Missing(*at)),
            Op::Given(at) => self.person.inputs[*at].clone().ok_or(Why::Said("not_given")),
            Op::Metric(at) => self.metrics[*at].clone(),
            Op::Output(table, column) => self.outputs[*table][*column].clone(),
            Op::Score => self.score.clone().unwrap_or(Err(Why::Said("no score"))),
            Op::Parameter(at) => self.parameter(*at),
            Op::AsOf => self.person.as_of.map(Value::Whole).ok_or(Why::Said("needs_as_of")),
            Op::Own(name) => self
                .own
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Err(Why::Said("no such name")), |(_, v)| v.clone()),
            Op::Field(at) => self.entry.and_then(|entry| entry[*at].clone()).ok_or(Why::Said("no_value")),
            Op::Over(name, arguments, filter) => self.over(name, arguments, filter.as_deref()),
            Op::Literal(value) => Ok(value.clone()),
            Op::Null => Err(Why::Said("no_value")),
            Op::Negate(inner) => negated(&self.value(inner)?),
            Op::Arithmetic(sign, parts) => {
                // If both sides are unknown, the left one gives the reason.
                arithmetic(*sign, &self.value(&parts[0])?, &self.value(&parts[1])?, expr.kind)
            }
            Op::Compare(..) | Op::And(_) | Op::Or(_) | Op::Not(_) | Op::Between(_) | Op::In(_) => {
                self.truth(expr).map(Value::Truth)
            }
            Op::Like(inner, pattern, any_case) => {
                let text = letters(&self.value(inner)?);
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
            Op::Call(name, parts) => self.call(name, expr, parts),
        }
    }

    /// The value in force on the day.
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

    /// The value that a cell compares with.
    pub fn bound(&self, bound: &Bound) -> Known<Value> {
        match bound {
            Bound::Here(value) => Ok(value.clone()),
            Bound::Parameter(at) => self.parameter(*at),
            Bound::Worked(expr) => self.value(expr),
        }
    }

    /// An expression that is true, false or unknown.
    pub fn truth(&self, expr: &Expr) -> Known<bool> {
        match &expr.op {
            Op::Compare(sign, parts) => {
                // If both sides are unknown, the left one gives the reason.
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
}

/// A false side decides AND, a true one OR; otherwise the first unknown gives the reason.
pub fn decided(sides: impl Iterator<Item = Known<bool>>, decides: bool) -> Known<bool> {
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
