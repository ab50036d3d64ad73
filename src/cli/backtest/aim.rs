//! `--aim`: turns a parameter of the challenger until it meets the usual aims of a change. Judges nobody itself.

use clap::{Args, ValueEnum};

use super::super::input::PolicyArgs;
use super::super::output::Failure;
use super::super::portfolio::{Loaded, compiler_with_overrides};
use crate::portfolio::Judged;
use crate::portfolio::summary::{Aim, SweepPoint};
use crate::portfolio::sweep::{Measured, Sweep, grid_of_parameters, present_parameter_value, vary_parameter};
use crate::rules::Policy;

/// How many values of the parameter are tried.
const STEPS: usize = 101;

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
    /// At most the champion's bad rate, with more approvals; needs outcomes.
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
        let (rows, known) = (champion.decisions.rows(), loaded.known());
        let offered = &champion.decisions.outcomes[0];
        let count = |bits: &crate::engine::metrics::Bits| bits.count(0..rows) as f64;
        let approvals = count(offered) / (rows as f64).max(1.0);
        let bad_rate = count(&offered.and(&known.bad)) / count(&offered.and(&known.known)).max(1.0);
        let asked = vary_parameter(policy, name, None, STEPS).map_err(Failure::message)?;
        let compile = compiler_with_overrides(args)?;
        let request = loaded.request.clone();
        let measured = Measured { known: &known, outcomes: &loaded.outcomes, economics: None };
        let mut sweep = Sweep { portfolio: &mut loaded.portfolio, compile: &*compile, request: &request, measured };
        let places = grid_of_parameters(std::slice::from_ref(&asked));
        let points = sweep.points(std::slice::from_ref(name), &places).map_err(Failure::message)?;
        let own = present_parameter_value(policy, name).unwrap_or_default();
        let best = match self.aim {
            AimKind::SameApprovals => nearest_approvals(&points, approvals, own),
            AimKind::SameBadRate | AimKind::Free => most_approvals(&points, bad_rate, own),
        };
        let (at, reached) =
            best.ok_or_else(|| wrong(&format!("no value of ${name} in its range is at most as bad as the champion")))?;
        let reached = match self.aim {
            AimKind::SameApprovals => (approvals, reached.approval_rate),
            AimKind::SameBadRate | AimKind::Free => (bad_rate, reached.bad_rate.unwrap_or_default()),
        };
        let from = policy.parameters().iter().find(|parameter| parameter.name == *name);
        let from = from.and_then(|parameter| parameter.values.last()).map(|value| value.text.clone());
        let to = places[at][0].clone();
        *policy = compile(&[(name.clone(), to.clone())]).map_err(Failure::Message)?;
        let aim = if self.aim == AimKind::SameApprovals { "same-approvals" } else { "same-bad-rate" };
        let (aim, parameter) = (aim.to_owned(), name.clone());
        Ok(Some(Aim { aim, parameter, from: from.unwrap_or_default(), to, reached }))
    }
}

/// The place whose approvals are nearest; of equals the least bad, then the one nearest to the file's own value.
fn nearest_approvals(points: &[SweepPoint], approvals: f64, own: f64) -> Option<(usize, &SweepPoint)> {
    let distance = |point: &SweepPoint| (point.approval_rate - approvals).abs();
    let bad = |point: &SweepPoint| point.bad_rate.unwrap_or(0.0);
    points.iter().enumerate().min_by(|(_, one), (_, other)| {
        let by_approvals = distance(one).total_cmp(&distance(other));
        by_approvals.then(bad(one).total_cmp(&bad(other))).then_with(|| by_turn(one, other, own))
    })
}

/// The place with the most approvals among those that are at most as bad; of equals the least bad, then the one nearest
/// to the file's own value.
fn most_approvals(points: &[SweepPoint], bad_rate: f64, own: f64) -> Option<(usize, &SweepPoint)> {
    let bad = |point: &SweepPoint| point.bad_rate.unwrap_or(f64::INFINITY);
    points.iter().enumerate().filter(|(_, point)| bad(point) <= bad_rate).min_by(|(_, one), (_, other)| {
        let by_approvals = other.approval_rate.total_cmp(&one.approval_rate);
        by_approvals.then(bad(one).total_cmp(&bad(other))).then_with(|| by_turn(one, other, own))
    })
}

/// By how far the parameter is turned.
fn by_turn(one: &SweepPoint, other: &SweepPoint, own: f64) -> std::cmp::Ordering {
    let turn = |point: &SweepPoint| point.values.first().map_or(f64::INFINITY, |value| (value - own).abs());
    turn(one).total_cmp(&turn(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(approval_rate: f64, bad_rate: f64) -> SweepPoint {
        SweepPoint { approval_rate, bad_rate: Some(bad_rate), ..SweepPoint::default() }
    }

    #[test]
    fn the_place_that_meets_the_aim_best_is_taken() {
        let points = [point(0.2, 0.02), point(0.4, 0.05), point(0.6, 0.04), point(0.8, 0.09)];
        assert_eq!(nearest_approvals(&points, 0.45, 0.0).map(|(at, _)| at), Some(1));
        assert_eq!(nearest_approvals(&points, 0.5, 0.0).map(|(at, _)| at), Some(2));
        assert_eq!(most_approvals(&points, 0.05, 0.0).map(|(at, _)| at), Some(2));
        assert_eq!(most_approvals(&points, 0.01, 0.0), None);
        // Of places that do the same, the parameter is turned as little as possible.
        let turned = |value: f64| SweepPoint { values: vec![value], ..point(0.5, 0.05) };
        let points = [turned(1.0), turned(4.0), turned(9.0)];
        assert_eq!(nearest_approvals(&points, 0.5, 5.0).map(|(at, _)| at), Some(1));
        assert_eq!(most_approvals(&points, 0.05, 8.0).map(|(at, _)| at), Some(2));
    }
}
