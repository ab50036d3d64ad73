//! What a customer can change, and how far: declared in a file, because no engine can know it.

use std::collections::BTreeMap;

use polars::prelude::{Column, DataType};
use serde::Deserialize;

use crate::base::diagnostic::nearest_candidate;
use crate::base::money::Currency;
use crate::engine::decision::{CacheError, Request, Supposing};
use crate::portfolio::backtest::Portfolio;
use crate::rules::graph::{Grain, NodeId};
use crate::rules::{Policy, Repr, Unit};

/// The declaration as written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Actionable {
    actionable: BTreeMap<String, WrittenChange>,
    #[serde(default)]
    forbidden: Forbidden,
}

/// Metrics that must never change.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Forbidden {
    #[serde(default)]
    metrics: Vec<String>,
}

/// How one metric may change, as written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenChange {
    min: Option<f64>,
    max: Option<f64>,
    step: Option<f64>,
    direction: Option<Direction>,
    cost: Option<f64>,
    scale: Option<f64>,
    to: Option<bool>,
    #[serde(default)]
    may_become_known: bool,
    /// For people.
    #[serde(default, rename = "doc")]
    _doc: String,
}

/// Which way a metric may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// It may grow.
    Up,
    /// It may shrink.
    Down,
    /// Either.
    Any,
}

/// Why a declaration cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionableError {
    /// The text.
    #[error("{0}")]
    Text(String),
    /// A metric, and what is wrong with it.
    #[error("[actionable] `{metric}`: {what}")]
    Metric {
        /// The metric.
        metric: String,
        /// What is wrong, and what to do.
        what: String,
    },
}

/// A metric that may change.
#[derive(Clone, Debug)]
pub struct Lever {
    /// Its name.
    pub name: String,
    pub node: NodeId,
    pub repr: Repr,
    /// How many of its smallest units the unit of rule files is: 100 for naira, 1 for counts.
    pub minor: f64,
    /// Bounds and step, as rule files write them.
    pub min: f64,
    pub max: f64,
    pub step: f64,
    pub direction: Direction,
    pub cost: f64,
    pub scale: Option<f64>,
    /// For truth values: what it may become.
    pub to: Option<bool>,
    pub may_become_known: bool,
}

/// All metrics that may change.
#[derive(Clone, Debug)]
pub struct Levers {
    pub all: Vec<Lever>,
    /// The currency of the policy.
    pub currency: Currency,
}

impl Levers {
    /// Refuses metrics that no rule looks at: a change of them would do nothing.
    pub(super) fn check(&self, supposing: &Supposing) -> Result<(), ActionableError> {
        match self.all.iter().find(|lever| !supposing.looks_at(lever.node)) {
            Some(lever) => {
                Err(actionable_metric_error(&lever.name, "no rule looks at it, so that changing it does nothing"))
            }
            None => Ok(()),
        }
    }

    /// Their nodes.
    pub(super) fn nodes(&self) -> Vec<NodeId> {
        self.all.iter().map(|lever| lever.node).collect()
    }

    /// What a change of each is measured by: what was declared, or the distance between the quartiles of the portfolio,
    /// or if most have one value, that of nine tenths or of all; or else one step.
    pub(super) fn scales(
        &self,
        portfolio: &mut Portfolio,
        policy: &Policy,
        request: &Request,
    ) -> Result<Vec<f64>, CacheError> {
        let names: Vec<&str> = self.all.iter().map(|lever| lever.name.as_str()).collect();
        let columns = portfolio.cache.series(policy, request, &names)?;
        let scale = |(lever, column): (&Lever, Option<Column>)| {
            let between_quartiles = || {
                let numbers = column?.cast(&DataType::Float64).ok()?;
                let mut known: Vec<f64> = numbers.f64().ok()?.iter().flatten().collect();
                known.sort_by(f64::total_cmp);
                let at =
                    |share: usize| known.get((known.len() * share / 100).min(known.len().checked_sub(1)?)).copied();
                // Where most have one value, the rest say what a change is measured by.
                let mut spreads =
                    [(25, 75), (5, 95), (0, 100)].into_iter().filter_map(|(low, high)| Some(at(high)? - at(low)?));
                Some(spreads.find(|spread| *spread > 0.0)? / lever.minor)
            };
            let scale = if lever.to.is_some() { lever.scale } else { lever.scale.or_else(between_quartiles) };
            scale.filter(|scale| *scale > 0.0).unwrap_or(lever.step.max(f64::MIN_POSITIVE))
        };
        let scales = self.all.iter().zip(columns).map(scale).collect();
        Ok(scales)
    }
}

impl Actionable {
    /// Reads a declaration.
    ///
    /// # Errors
    /// If it is no such file.
    pub fn parse(text: &str) -> Result<Actionable, ActionableError> {
        toml::from_str(text).map_err(|error| ActionableError::Text(error.to_string().trim_end().to_owned()))
    }

    /// The metrics that may change, checked against a policy.
    ///
    /// # Errors
    /// If a metric does not exist, follows from others, or its bounds make no sense.
    pub(super) fn levers(&self, policy: &Policy) -> Result<Levers, ActionableError> {
        let mut all = Vec::new();
        for name in &self.forbidden.metrics {
            node_of_metric(policy, name)?;
            if self.actionable.contains_key(name) {
                return Err(actionable_metric_error(name, "it is under [forbidden] too"));
            }
        }
        for (name, written) in &self.actionable {
            all.push(read_lever_of_metric(policy, name, written)?);
        }
        if all.is_empty() {
            return Err(ActionableError::Text("[actionable] names no metric, so nothing can change".to_owned()));
        }
        for name in &self.forbidden.metrics {
            let behind = policy.program.graph.behind(&[node_of_metric(policy, name)?]);
            if let Some(lever) = all.iter().find(|lever| behind[lever.node.index()]) {
                return Err(actionable_metric_error(
                    &lever.name,
                    &format!("`{name}` follows from it, and is forbidden to change"),
                ));
            }
        }
        Ok(Levers { all, currency: policy.header().currency })
    }
}

fn actionable_metric_error(metric: &str, what: &str) -> ActionableError {
    ActionableError::Metric { metric: metric.to_owned(), what: what.to_owned() }
}

fn node_of_metric(policy: &Policy, name: &str) -> Result<NodeId, ActionableError> {
    let metrics = &policy.program.metrics;
    match metrics.iter().find(|metric| metric.name == name) {
        Some(metric) => Ok(metric.node),
        None => {
            let near = nearest_candidate(name, metrics.iter().map(|metric| metric.name.as_str()));
            let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            Err(actionable_metric_error(name, &format!("the policy has no metric of this name{help}")))
        }
    }
}

/// Another metric, if a value follows from others alone: were it to change by itself, they would contradict it. A value
/// that records have a part in may change because they do.
fn follows_from(policy: &Policy, node: NodeId) -> Option<&str> {
    let program = &policy.program;
    let mut seen = vec![false; program.graph.nodes().len()];
    let mut stack = program.graph.node(node).inputs.clone();
    let mut other = None;
    while let Some(input) = stack.pop() {
        if std::mem::replace(&mut seen[input.index()], true) {
            continue;
        }
        if program.graph.node(input).grain > Grain::Statement {
            return None;
        }
        match program.metrics.iter().find(|metric| metric.node == input) {
            Some(metric) => {
                other.get_or_insert(metric.name.as_str());
            }
            None => stack.extend(&program.graph.node(input).inputs),
        }
    }
    other
}

fn read_lever_of_metric(policy: &Policy, name: &str, written: &WrittenChange) -> Result<Lever, ActionableError> {
    let node = node_of_metric(policy, name)?;
    let ty = policy.type_of(node);
    if let Some(other) = follows_from(policy, node) {
        return Err(actionable_metric_error(
            name,
            &format!("it follows from `{other}`, so that it changes with it: declare that"),
        ));
    }
    let is_boolean = ty.repr == Repr::Boolean;
    if is_boolean != written.to.is_some() {
        let what = if is_boolean { "say what it may become: `to = true`" } else { "`to` is for truth values" };
        return Err(actionable_metric_error(name, what));
    }
    if matches!(ty.repr, Repr::Text | Repr::List) || ty.unit.is_iso() {
        return Err(actionable_metric_error(name, &format!("it is {}, which has no steps", ty.unit.word())));
    }
    let exponent = policy.header().currency.exponent();
    let minor = if ty.unit == Unit::Money { 10_f64.powi(exponent as i32) } else { 1.0 };
    let is_whole = ty.repr == Repr::Int;
    let step = written.step.unwrap_or(if is_whole { 1.0 } else { 0.01 });
    let (min, max) = (written.min.unwrap_or(f64::NEG_INFINITY), written.max.unwrap_or(f64::INFINITY));
    let direction = written.direction.unwrap_or(Direction::Any);
    let checks = [
        (step > 0.0 && step.is_finite(), "`step` is not above 0"),
        (min <= max, "`min` is above `max`"),
        (!is_whole || (step * minor).fract() == 0.0, "`step` is finer than its unit"),
        (written.cost.is_none_or(|cost| cost > 0.0 && cost.is_finite()), "`cost` is not above 0"),
        (written.scale.is_none_or(|scale| scale > 0.0 && scale.is_finite()), "`scale` is not above 0"),
        (
            is_boolean || !matches!(direction, Direction::Up | Direction::Any) || max.is_finite(),
            "it may grow without end: give it a `max`",
        ),
        (
            is_boolean || !matches!(direction, Direction::Down | Direction::Any) || min.is_finite(),
            "it may shrink without end: give it a `min`",
        ),
        (
            is_boolean || !written.may_become_known || (min.is_finite() && max.is_finite()),
            "an unknown value that becomes known has no own value to begin from: give it a `min` and a `max`",
        ),
    ];
    if let Some((_, what)) = checks.into_iter().find(|(holds, _)| !holds) {
        return Err(actionable_metric_error(name, what));
    }
    Ok(Lever {
        name: name.to_owned(),
        node,
        repr: ty.repr,
        minor,
        min,
        max,
        step,
        direction,
        cost: written.cost.unwrap_or(1.0),
        scale: written.scale,
        to: written.to,
        may_become_known: written.may_become_known,
    })
}
