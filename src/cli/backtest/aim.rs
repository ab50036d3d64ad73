//! `--aim`: turns a parameter of the challenger until it meets the usual aims of a change. Judges nobody itself.

use clap::{Args, ValueEnum};

use super::super::input::PolicyArgs;
use super::super::output::Failure;
use super::super::portfolio::{Loaded, compiler_with_overrides};
use crate::portfolio::Judged;
use crate::portfolio::backtest::count::Tally;
use crate::portfolio::summary::{Aim, GroupNumbers};
use crate::portfolio::sweep::{Measured, MeasuredPlace, Sweep, present_parameter_value, vary_parameter};
use crate::rules::Policy;

/// How many values of the parameter are tried.
const STEPS: usize = 101;

/// How many are tried of a book that is judged fast: every whole number of most ranges.
const MANY_STEPS: usize = 1001;

/// The most customers of such a book.
const FEW_CUSTOMERS: usize = 20_000;

/// How many times values between the neighbours of the best are tried: enough for every whole number of a hundred
/// million.
const ROUNDS: usize = 4;

/// The aim of a change.
#[derive(Debug, Clone, Default, Args)]
pub struct AimArgs {
    /// What the change is for: turn the parameter of `--turn` until the challenger approves as many as the champion, or
    /// until it is at most as bad; or compare freely
    #[arg(long, value_enum, value_name = "AIM", default_value_t, requires = "against")]
    pub aim: AimKind,
    /// The parameter to turn, within its declared range
    #[arg(long, value_name = "PARAMETER", requires = "against")]
    pub turn: Option<String>,
}

/// The usual aims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AimKind {
    /// Compare the two as they are.
    #[default]
    Free,
    /// As many approvals as the champion, with fewer bad.
    SameApprovals,
    /// At most the champion's bad rate, whatever became of customers without an outcome, with more approvals; needs
    /// outcomes.
    SameBadRate,
}

impl AimArgs {
    /// Replaces the policy by the variant that meets the aim best.
    pub(super) fn turn(
        &self,
        args: &PolicyArgs,
        policy: &mut Policy,
        champion: &Judged,
        loaded: &mut Loaded,
    ) -> Result<Option<Aim>, Failure> {
        let wrong = |what: &str| Failure::Message(format!("--aim: {what}"));
        if self.aim == AimKind::Free {
            return match self.turn {
                Some(_) => Err(wrong("`--turn` needs an aim: same-approvals or same-bad-rate")),
                None => Ok(None),
            };
        }
        let Some(name) = &self.turn else {
            return Err(wrong("name the parameter to turn, such as `--turn least_score`"));
        };
        if self.aim == AimKind::SameBadRate && !loaded.has_outcomes {
            return Err(wrong("same-bad-rate needs outcomes: give `--outcomes FILE`"));
        }
        let known = loaded.known();
        let offered = &champion.decisions.outcomes[0];
        let compile = compiler_with_overrides(args)?;
        let request = loaded.request.clone();
        let outcomes = &loaded.outcomes;
        let measured = Measured { known: &known, outcomes, economics: None, against: Some(offered) };
        let sweep = Sweep::new(&mut loaded.portfolio, &*compile, &request, measured);
        let mut sweep = sweep.map_err(Failure::message)?;
        let before = Tally::new(offered, &champion.decisions, &known).numbers(champion.decisions.rows() as u64);
        let champion_value = present_parameter_value(champion.policy, name);
        let choose = |places: &[Tried]| self.choose(places, &before, own(policy, name));
        let places = try_finer_and_finer(&mut sweep, policy, name, champion_value, choose)?;
        let at = self.choose(&places, &before, own(policy, name));
        let at = at.ok_or_else(|| wrong(&self.no_value_meets(name, &places, before.bad_rate)))?;
        let (reached, bounds) = match self.aim {
            AimKind::SameApprovals => ((before.share.unwrap_or_default(), places[at].1.point.approval_rate), None),
            AimKind::SameBadRate | AimKind::Free => (
                (before.bad_rate.unwrap_or_default(), places[at].1.point.bad_rate.unwrap_or_default()),
                before.bad_rate_bounds.zip(places[at].1.point.bad_rate_bounds),
            ),
        };
        let from = policy.parameters().iter().find(|parameter| parameter.name == *name);
        let from = from.and_then(|parameter| parameter.values.last()).map(|value| value.text.clone());
        let to = places[at].0.clone();
        let by_known_outcomes = (self.aim == AimKind::SameBadRate)
            .then(|| most_approvals(&places, &|place| known_excess(place, before.bad_rate), own(policy, name)))
            .flatten()
            .filter(|other| *other != at)
            .map(|other| places[other].0.clone());
        *policy = compile(&[(name.clone(), to.clone())]).map_err(Failure::Message)?;
        let aim = if self.aim == AimKind::SameApprovals { "same-approvals" } else { "same-bad-rate" };
        Ok(Some(Aim {
            aim: aim.to_owned(),
            parameter: name.clone(),
            from: from.unwrap_or_default(),
            to,
            reached,
            reached_bounds: bounds,
            by_known_outcomes,
        }))
    }

    /// The place that meets the aim best.
    fn choose(&self, places: &[Tried], before: &GroupNumbers, own: f64) -> Option<usize> {
        match self.aim {
            AimKind::SameApprovals => nearest_approvals(places, before.share.unwrap_or_default(), own),
            AimKind::SameBadRate | AimKind::Free => most_approvals(places, &|place| place.worst_excess, own),
        }
    }

    fn no_value_meets(&self, name: &str, places: &[Tried], bad_rate: Option<f64>) -> String {
        let by_known = most_approvals(places, &|place| known_excess(place, bad_rate), 0.0);
        let help = by_known.map_or(String::new(), |at| {
            format!(
                ", whatever became of customers without an outcome; those with one alone would allow {}",
                places[at].0
            )
        });
        format!("no value of ${name} in its range is at most as bad as the champion{help}")
    }
}

/// A value as rule files write it, and what was measured there.
type Tried = (String, MeasuredPlace);

/// By how much a place is worse than this rate among customers with an outcome.
fn known_excess(place: &MeasuredPlace, bad_rate: Option<f64>) -> Option<f64> {
    Some(place.point.bad_rate? - bad_rate.unwrap_or_default())
}

/// The file's own value.
fn own(policy: &Policy, name: &str) -> f64 {
    present_parameter_value(policy, name).unwrap_or_default()
}

/// Tries values over the declared range, and then between the neighbours of the best and of the champion's own, until
/// there is none left between them, or the rounds end. The champion's value is as good as itself, and others may be so
/// only near it.
fn try_finer_and_finer(
    sweep: &mut Sweep,
    policy: &Policy,
    name: &String,
    champion: Option<f64>,
    choose: impl Fn(&[Tried]) -> Option<usize>,
) -> Result<Vec<Tried>, Failure> {
    let steps = if sweep.portfolio.customers.len() <= FEW_CUSTOMERS { MANY_STEPS } else { STEPS };
    let vary = |range| vary_parameter(policy, name, range, steps).map(|varied| varied.values);
    let mut values = vary(None).map_err(Failure::message)?;
    // Outside of the challenger's range it cannot be set.
    values.extend(champion.and_then(|value| vary(Some((value, value))).ok()).into_iter().flatten());
    // Fractions have no last step.
    let rounds = if values.iter().any(|value| value.contains('.')) { 2 } else { ROUNDS };
    let mut tried: Vec<Tried> = Vec::new();
    for _ in 0..rounds {
        let is_new = |value: &String| !tried.iter().any(|(known, _)| known == value);
        let new: std::collections::BTreeSet<String> = values.drain(..).filter(is_new).collect();
        let new: Vec<Vec<String>> = new.into_iter().map(|value| vec![value]).collect();
        if new.is_empty() {
            break;
        }
        let places = sweep.points(std::slice::from_ref(name), &new).map_err(Failure::message)?;
        tried.extend(new.into_iter().flatten().zip(places));
        tried.sort_by(|one, other| value_of(one).total_cmp(&value_of(other)));
        let own = tried.iter().position(|tried| champion == Some(value_of(tried)));
        for at in choose(&tried).into_iter().chain(own) {
            let neighbours = [at.saturating_sub(1), (at + 1).min(tried.len() - 1)].map(|at| value_of(&tried[at]));
            values.extend(vary(Some((neighbours[0], neighbours[1]))).map_err(Failure::message)?);
        }
    }
    Ok(tried)
}

fn value_of(tried: &Tried) -> f64 {
    tried.1.point.values.first().copied().unwrap_or_default()
}

/// The place whose approvals are nearest; of equals the least bad, then the one nearest to the file's own value.
fn nearest_approvals(places: &[Tried], approvals: f64, own: f64) -> Option<usize> {
    let distance = |at: usize| (places[at].1.point.approval_rate - approvals).abs();
    let bad = |at: usize| places[at].1.point.bad_rate.unwrap_or(0.0);
    (0..places.len()).min_by(|one, other| {
        let by_approvals = distance(*one).total_cmp(&distance(*other));
        by_approvals.then(bad(*one).total_cmp(&bad(*other))).then_with(|| by_turn(places, *one, *other, own))
    })
}

/// The place with the most approvals among those that are at most as bad; of equals the least bad, then the one nearest
/// to the file's own value.
fn most_approvals(places: &[Tried], excess: &dyn Fn(&MeasuredPlace) -> Option<f64>, own: f64) -> Option<usize> {
    // A sum of shares may miss zero by a rounding.
    let is_as_good = |at: &usize| excess(&places[*at].1).is_some_and(|excess| excess <= 1e-12);
    let bad = |at: usize| places[at].1.point.bad_rate.unwrap_or(f64::INFINITY);
    let approvals = |at: usize| places[at].1.point.approval_rate;
    (0..places.len()).filter(is_as_good).min_by(|one, other| {
        let by_approvals = approvals(*other).total_cmp(&approvals(*one));
        by_approvals.then(bad(*one).total_cmp(&bad(*other))).then_with(|| by_turn(places, *one, *other, own))
    })
}

/// By how far the parameter is turned.
fn by_turn(places: &[Tried], one: usize, other: usize, own: f64) -> std::cmp::Ordering {
    let turn = |at: usize| places[at].1.point.values.first().map_or(f64::INFINITY, |value| (value - own).abs());
    turn(one).total_cmp(&turn(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::summary::SweepPoint;

    fn tried(value: f64, approval_rate: f64, bad_rate: f64) -> Tried {
        let point =
            SweepPoint { values: vec![value], approval_rate, bad_rate: Some(bad_rate), ..SweepPoint::default() };
        (value.to_string(), MeasuredPlace { point, worst_excess: Some(bad_rate - 0.05), ..MeasuredPlace::default() })
    }

    #[test]
    fn the_place_that_meets_the_aim_best_is_taken() {
        let places = [tried(0.0, 0.2, 0.02), tried(0.0, 0.4, 0.05), tried(0.0, 0.6, 0.04), tried(0.0, 0.8, 0.09)];
        assert_eq!(nearest_approvals(&places, 0.45, 0.0), Some(1));
        assert_eq!(nearest_approvals(&places, 0.5, 0.0), Some(2));
        assert_eq!(most_approvals(&places, &|place| place.worst_excess, 0.0), Some(2));
        assert_eq!(most_approvals(&places, &|place| known_excess(place, Some(0.01)), 0.0), None);
        // Of places that do the same, the parameter is turned as little as possible.
        let places = [tried(1.0, 0.5, 0.05), tried(4.0, 0.5, 0.05), tried(9.0, 0.5, 0.05)];
        assert_eq!(nearest_approvals(&places, 0.5, 5.0), Some(1));
        assert_eq!(most_approvals(&places, &|place| place.worst_excess, 8.0), Some(2));
    }
}
