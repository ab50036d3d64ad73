//! Decisions on metrics that are known already: from a table of them, from cases, from a model's data. The policy's metrics
//! are taken as given; what was not given and would need a record is unknown (`not_given`).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::decide::{Case, Error};
use super::reached::Part;
use super::record::Decision;
use super::request::{Request, typed};
use crate::metrics::{Groups, Plan, Reason, StatementSlice, evaluate_ready};
use crate::rules::program::Value;
use crate::rules::{Policy, Type};
use crate::statement::Head;
use crate::words::diagnostic::nearest;
use crate::words::digest::{Digest, Hasher};

/// Why ready metrics cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("metric `{name}`: {problem}")]
pub struct ReadyError {
    /// The metric.
    pub name: String,
    /// What is wrong, and what to do.
    pub problem: String,
}

pub(super) fn wrong<T>(name: &str, problem: impl Into<String>) -> Result<T, ReadyError> {
    Err(ReadyError { name: name.to_owned(), problem: problem.into() })
}

/// A policy made ready for rows that bring the same metrics. Making one costs about as much as a hundred decisions.
#[derive(Clone, Debug)]
pub struct ReadyPlan<'p> {
    pub(super) policy: &'p Policy,
    pub(super) plan: Plan,
    /// Name and type of each metric that is given.
    pub(super) given: Arc<[(String, Type)]>,
}

/// Rows of ready metrics, column by column.
#[derive(Clone, Debug)]
pub struct ReadyRows {
    types: Arc<[(String, Type)]>,
    heads: Vec<Head>,
    digests: Vec<Digest>,
    columns: Vec<Vec<Result<Value, Reason>>>,
}

impl<'p> ReadyPlan<'p> {
    /// For rows that bring the metrics `names`.
    ///
    /// # Errors
    /// Where the policy has no such metric, or two of the names stand for one expression.
    pub fn new(policy: &'p Policy, names: &[&str]) -> Result<Self, ReadyError> {
        let metrics = &policy.program.metrics;
        let mut given = Vec::new();
        let mut nodes = Vec::new();
        for name in names {
            let Some(metric) = metrics.iter().find(|metric| metric.name == *name) else {
                let near = nearest(name, metrics.iter().map(|metric| metric.name.as_str()));
                let help = near
                    .map_or("the policy has none of this name".to_owned(), |near| format!("did you mean `{near}`?"));
                return wrong(name, help);
            };
            if let Some(at) = nodes.iter().position(|node| *node == metric.node) {
                let (other, _): &(String, Type) = &given[at];
                return wrong(name, format!("it is the same expression as `{other}`; give one of them"));
            }
            nodes.push(metric.node);
            given.push((metric.name.clone(), policy.type_of(metric.node)));
        }
        let plan = Plan::new(&policy.program, nodes, policy.program.judgement());
        Ok(Self { policy, plan, given: given.into() })
    }

    /// No rows yet.
    pub fn rows(&self) -> ReadyRows {
        ReadyRows {
            types: self.given.clone(),
            heads: Vec::new(),
            digests: Vec::new(),
            columns: vec![Vec::new(); self.given.len()],
        }
    }

    /// Decides on every row, in their order. `rows` must come from [`ReadyPlan::rows`] of this plan.
    ///
    /// # Errors
    /// Where the rows are of another plan.
    pub fn decide(&self, rows: ReadyRows, request: &Request) -> Result<Vec<Decision>, Error> {
        self.each(rows, request, |case| case.decision())
    }

    /// The parts of the policy that each row's decision came through.
    ///
    /// # Errors
    /// As [`ReadyPlan::decide`].
    pub fn reached(&self, rows: ReadyRows, request: &Request) -> Result<Vec<BTreeSet<Part>>, Error> {
        self.each(rows, request, super::reached::of_case)
    }

    fn each<T>(&self, rows: ReadyRows, request: &Request, tell: impl Fn(&Case) -> T) -> Result<Vec<T>, Error> {
        if rows.types != self.given {
            return Err(crate::metrics::Error::Internal("rows of another plan").into());
        }
        let slice = StatementSlice::without_records(&rows.heads, request.as_of);
        let groups = Groups::new(&self.policy.program, &slice);
        let inputs = request.given_to(self.policy);
        let evaluated = evaluate_ready(&groups, &self.plan, rows.columns, &inputs.values)?;
        let case = |statement, digest| Case {
            policy: self.policy,
            arm: None,
            slice: &slice,
            evaluated: &evaluated,
            request,
            inputs: &inputs,
            plan: Some(&self.plan),
            statement,
            digest,
        };
        Ok(rows.digests.iter().enumerate().map(|(statement, digest)| tell(&case(statement, *digest))).collect())
    }
}

impl ReadyRows {
    /// Adds a row: the metrics in the order of the plan's names, as an expression would hold them (money in minor units, a date
    /// as its days since 1970-01-01, times and durations in milliseconds); `None` where unknown.
    ///
    /// # Errors
    /// Where a value is not of its metric's type, or there are more or fewer of them.
    pub fn push(&mut self, label: &str, customer: Option<&str>, values: Vec<Option<Value>>) -> Result<(), ReadyError> {
        if values.len() != self.types.len() {
            return wrong(label, format!("{} values for {} metrics", values.len(), self.types.len()));
        }
        for ((name, ty), value) in self.types.iter().zip(&values) {
            if value.as_ref().is_some_and(|value| !value.may_be_held_as(ty.repr)) {
                return wrong(name, format!("not a value of {}", ty.unit.word()));
            }
        }
        let mut hasher = Hasher::new();
        for ((column, value), (_, ty)) in self.columns.iter_mut().zip(values).zip(self.types.iter()) {
            // What is no number is as unknown as what is not there.
            let value = value.filter(|value| !matches!(value, Value::Float(number) if !number.is_finite()));
            // A double and its shortest decimal are the same number, and give the same digest.
            let is_double = matches!(value, Some(Value::Float(_)));
            if is_double {
                hash(&mut hasher, value.as_ref());
            }
            let value = value.map(|value| value.held_as(ty.repr));
            if !is_double {
                hash(&mut hasher, value.as_ref());
            }
            column.push(value.ok_or(Reason::NotGiven));
        }
        self.heads.push(Head::without_records(customer, label));
        self.digests.push(hasher.finish());
        Ok(())
    }

    /// As [`ReadyRows::push`], from JSON as decisions write it: money in minor units, dates as text, null where unknown. A metric
    /// that is left out is unknown too.
    ///
    /// # Errors
    /// As there, and where the row brings a metric that the plan does not name.
    pub fn push_json(
        &mut self,
        label: &str,
        customer: Option<&str>,
        row: &Map<String, Json>,
    ) -> Result<(), ReadyError> {
        if let Some(name) = row.keys().find(|name| !self.types.iter().any(|(known, _)| known == *name)) {
            return wrong(name, "the plan does not name it");
        }
        let mut values = Vec::with_capacity(self.types.len());
        for (name, ty) in self.types.iter() {
            values.push(match row.get(name) {
                None | Some(Json::Null) => None,
                Some(value) => match typed(*ty, value) {
                    Some(value) => Some(value),
                    None => return wrong(name, format!("not a value of {}", ty.unit.word())),
                },
            });
        }
        self.push(label, customer, values)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }
}

fn hash(hasher: &mut Hasher, value: Option<&Value>) {
    match value {
        None => hasher.update(b"?"),
        Some(Value::Int(value)) => hasher.update(b"i").update(&value.to_le_bytes()),
        Some(Value::Rational(value)) => {
            let double = value.to_f64();
            hasher.update(b"f").update(&double.to_bits().to_le_bytes());
            // Most are the decimal that the double is written as.
            match value.as_f64().is_some() {
                true => hasher,
                false => hasher.update(b"r").update(format!("{value:?}").as_bytes()),
            }
        }
        Some(Value::Float(value)) => hasher.update(b"f").update(&value.to_bits().to_le_bytes()),
        Some(Value::Boolean(value)) => hasher.update(if *value { b"t" } else { b"n" }),
        Some(Value::Text(text)) => {
            hasher.update(b"s").update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes())
        }
        Some(Value::List(list)) => {
            hasher.update(b"l").update(&(list.len() as u64).to_le_bytes());
            list.iter().for_each(|item| hash(hasher, Some(item)));
            hasher
        }
    };
}
