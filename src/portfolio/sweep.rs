//! What a policy does over the values of its parameters: on a grid, or at random places. Each place is judged by the
//! engine, and what places have in common is computed once.

mod choose;

use self::choose::{Cost, PARTS, find_best_point, part_of_customer, unbeaten_points, worst_excess_of_bad_rate};
use crate::engine::decision::{CacheError, Request};
use crate::engine::metrics::Bits;
use crate::portfolio::backtest::Judged;
use crate::portfolio::backtest::Portfolio;
use crate::portfolio::backtest::count::Tally;
use crate::portfolio::backtest::summary::{SweepPoint, SweepSummary, TornadoRow};
use crate::portfolio::economics::Declared;
use crate::portfolio::outcomes::KnownRows;
use crate::portfolio::outcomes::LoanOutcome;
use crate::portfolio::statistics::profit::Loan;
use crate::portfolio::statistics::special::decimal_magnitude;
use crate::rules::{Parameter, Policy, Unit, Value};

/// A parameter, and the values that it is tried at, as a rule file writes them.
#[derive(Clone, Debug, PartialEq)]
pub struct Varied {
    pub name: String,
    pub values: Vec<String>,
    /// Whether values were rounded, because the parameter has whole numbers.
    pub is_rounded: bool,
}

/// What is known of outcomes, and what lending earns.
pub struct Measured<'m> {
    /// Which customers are known, and bad.
    pub known: &'m KnownRows,
    /// The outcome of each customer.
    pub outcomes: &'m [Option<LoanOutcome>],
    /// What lending earns and costs.
    pub economics: Option<&'m Declared>,
    /// Those who get an offer from the policy in force, where bad rates are compared with its.
    pub(crate) against: Option<&'m Bits>,
}

impl Measured<'_> {
    fn has_outcomes(&self) -> bool {
        self.outcomes.iter().any(Option::is_some)
    }
}

/// A place with what was measured there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeasuredPlace {
    /// What a summary shows of it.
    pub point: SweepPoint,
    /// The profit of each part of the customers, in minor units.
    pub profit_of_parts: [i128; PARTS],
    /// By how much its bad rate may exceed that of the policy in force, whatever became of those without an outcome.
    pub worst_excess: Option<f64>,
}

/// What loans earn, in minor units.
#[derive(Default)]
struct Profit {
    /// Of customers with an outcome.
    known: i128,
    /// Of the others with an offer: the least, and the most. `None` if the amount of one of them is unknown.
    rest: Option<(i128, i128)>,
    /// `known` by parts of the customers.
    parts: [i128; PARTS],
}

/// Why a sweep cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// The policy does not compile with some value.
    #[error("{0}")]
    Policy(String),
    /// A parameter has no range to vary in.
    #[error("{0}")]
    Range(String),
    /// The engine.
    #[error(transparent)]
    Judge(#[from] CacheError),
}

/// Compiles the policy with some values of parameters.
pub type Compile<'c> = dyn Fn(&[(String, String)]) -> Result<Policy, String> + 'c;

/// A sweep over a portfolio.
pub struct Sweep<'s> {
    pub portfolio: &'s mut Portfolio,
    compile: &'s Compile<'s>,
    request: &'s Request,
    measured: Measured<'s>,
    /// The part of each customer, where profits are counted by parts.
    parts: Vec<usize>,
    /// The policy with its own values.
    own: MeasuredPlace,
}

impl<'s> Sweep<'s> {
    /// Judges the policy with its own values, so that a table made by other rules does not look like a fault of a
    /// parameter.
    ///
    /// # Errors
    /// If the policy cannot be judged.
    pub fn new(
        portfolio: &'s mut Portfolio,
        compile: &'s Compile<'s>,
        request: &'s Request,
        measured: Measured<'s>,
    ) -> Result<Sweep<'s>, SweepError> {
        let parts = match measured.economics {
            Some(_) => (0..portfolio.customers.len()).map(|row| part_of_customer(portfolio.borrower(row))).collect(),
            None => Vec::new(),
        };
        let mut sweep = Sweep { portfolio, compile, request, measured, parts, own: MeasuredPlace::default() };
        sweep.own = sweep.point(&[], &[])?;
        Ok(sweep)
    }

    /// The policy with its own values.
    pub fn own_point(&self) -> &MeasuredPlace {
        &self.own
    }

    /// Tries every place, in order.
    ///
    /// # Errors
    /// If the policy does not compile at some place, or cannot be judged.
    pub fn points(&mut self, names: &[String], places: &[Vec<String>]) -> Result<Vec<MeasuredPlace>, SweepError> {
        let point = |place: &Vec<String>| match self.point(names, place) {
            Err(SweepError::Judge(CacheError::NeedsRecords(values))) => Err(SweepError::Range(format!(
                "values over records depend on {}, so a table of metrics cannot tell: {}; set the parameter in the \
                 policy, make the table again and backtest that",
                names.join(" or "),
                values.join(", ")
            ))),
            other => other,
        };
        places.iter().map(point).collect()
    }

    fn point(&mut self, names: &[String], place: &[String]) -> Result<MeasuredPlace, SweepError> {
        let overrides: Vec<(String, String)> = names.iter().cloned().zip(place.iter().cloned()).collect();
        let policy = (self.compile)(&overrides).map_err(SweepError::Policy)?;
        let judged = Judged::new(&policy, &mut self.portfolio.cache, self.request)?;
        let decisions = &judged.decisions;
        let group = Tally::new(&decisions.outcomes[0], decisions, self.measured.known).numbers(decisions.rows() as u64);
        let profit = self.measured.economics.map(|economics| self.profit(&judged, economics));
        let values = place.iter().map(|value| value.parse().unwrap_or(f64::NAN)).collect();
        let bounds = |profit: &Profit| {
            let (least, most) = profit.rest?;
            Some(((profit.known + least) as f64, (profit.known + most) as f64))
        };
        let point = SweepPoint {
            values,
            offers: group.customers,
            approval_rate: group.share.unwrap_or(0.0),
            amount: group.amount,
            known: group.known,
            bad: group.bad,
            bad_rate: group.bad_rate,
            bad_rate_bounds: group.bad_rate_bounds.filter(|_| self.measured.has_outcomes()),
            profit: profit.as_ref().map(|profit| profit.known as f64),
            profit_bounds: profit.as_ref().and_then(bounds),
        };
        let worst_excess = self
            .measured
            .against
            .and_then(|against| worst_excess_of_bad_rate(against, &decisions.outcomes[0], self.measured.known));
        Ok(MeasuredPlace {
            point,
            profit_of_parts: profit.map(|profit| profit.parts).unwrap_or_default(),
            worst_excess,
        })
    }

    /// The profit of the loans with an offer and an outcome; the cost of an application is that of every known one.
    fn profit(&self, judged: &Judged, economics: &Declared) -> Profit {
        let decisions = &judged.decisions;
        let mut profit = Profit { rest: Some((0, 0)), ..Profit::default() };
        for (row, outcome) in self.measured.outcomes.iter().enumerate() {
            let lent = outcome.as_ref().and_then(|outcome| outcome.amount);
            let amount = economics.amount.choose(decisions.amount(row), lent);
            let has_offer = decisions.outcomes[0].get(row);
            let loan = Loan {
                score: 0.0,
                // Whoever has no offer has no loan.
                amount: amount.unwrap_or(0),
                years: economics.years,
                income: 0,
                predicted: None,
                bad: outcome.as_ref().map(|outcome| outcome.bad),
            };
            let of_loan = |bad: bool| if has_offer { economics.economics.profit(&loan, bad) } else { 0 };
            match loan.bad {
                Some(bad) => {
                    let earned = of_loan(bad) - i128::from(economics.economics.cost_per_application);
                    profit.known += earned;
                    profit.parts[self.parts[row]] += earned;
                }
                None if has_offer && amount.is_none() => profit.rest = None,
                None => {
                    profit.rest = profit.rest.map(|(least, most)| (least + of_loan(true), most + of_loan(false)));
                }
            }
        }
        // A bad loan may cost less than a good one earns in funding: the bounds are in order all the same.
        profit.rest = profit.rest.map(|(one, other)| (one.min(other), one.max(other)));
        profit
    }

    /// What each parameter does alone, from its least to its greatest value; the greatest effect first. Also the
    /// parameters that values over records depend on: a table of metrics cannot tell what they do.
    ///
    /// # Errors
    /// As [`Sweep::points`].
    pub fn tornado(&mut self, parameters: &[Varied]) -> Result<(Vec<TornadoRow>, Vec<String>), SweepError> {
        let (mut rows, mut left_out) = (Vec::new(), Vec::new());
        for varied in parameters {
            let (Some(least), Some(greatest)) = (varied.values.first(), varied.values.last()) else { continue };
            let names = [varied.name.clone()];
            let ends = [least, greatest].map(|end| self.point(&names, std::slice::from_ref(end)));
            let [low, high] = match ends {
                [Err(SweepError::Judge(CacheError::NeedsRecords(_))), _]
                | [_, Err(SweepError::Judge(CacheError::NeedsRecords(_)))] => {
                    left_out.push(varied.name.clone());
                    continue;
                }
                [low, high] => [low?.point, high?.point],
            };
            rows.push(TornadoRow {
                parameter: varied.name.clone(),
                range: (low.values[0], high.values[0]),
                approval_rate: (low.approval_rate, high.approval_rate),
                bad_rate: (low.bad_rate, high.bad_rate),
                bad_rate_bounds: (low.bad_rate_bounds, high.bad_rate_bounds),
                profit: (low.profit, high.profit),
                profit_bounds: (low.profit_bounds, high.profit_bounds),
            });
        }
        let has_profit = rows.iter().all(|row| row.profit.0.is_some());
        let effect = |row: &TornadoRow| match row.profit {
            (Some(low), Some(high)) if has_profit => (high - low).abs(),
            _ => (row.approval_rate.1 - row.approval_rate.0).abs(),
        };
        rows.sort_by(|one, other| {
            effect(other).total_cmp(&effect(one)).then_with(|| one.parameter.cmp(&other.parameter))
        });
        Ok((rows, left_out))
    }
}

/// Every combination of the values, the last parameter varying fastest.
pub fn grid_of_parameters(parameters: &[Varied]) -> Vec<Vec<String>> {
    parameters.iter().fold(vec![Vec::new()], |places, varied| {
        let with = |place: &Vec<String>, value: &String| place.iter().chain([value]).cloned().collect();
        places.iter().flat_map(|place| varied.values.iter().map(move |value| with(place, value))).collect()
    })
}

/// Some combinations by chance; the same for the same seed, each once.
pub fn draw_random_places(parameters: &[Varied], count: usize, seed: u64) -> Vec<Vec<String>> {
    let all = parameters.iter().fold(1_usize, |all, varied| all.saturating_mul(varied.values.len()));
    if count >= all {
        return grid_of_parameters(parameters);
    }
    let mut state = seed;
    let mut next = move |below: usize| {
        // SplitMix64 (Steele, Lea & Flood 2014).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut places = Vec::new();
    while places.len() < count {
        let place: Vec<usize> = parameters.iter().map(|varied| next(varied.values.len())).collect();
        if seen.insert(place.clone()) {
            places.push(place.iter().zip(parameters).map(|(at, varied)| varied.values[*at].clone()).collect());
        }
    }
    places
}

/// The values of a parameter from its least to its greatest, or within a narrower range, in so many steps.
///
/// # Errors
/// In words, if it is no number, has several values by date, or declares no range.
pub fn vary_parameter(
    policy: &Policy,
    name: &str,
    range: Option<(f64, f64)>,
    steps: usize,
) -> Result<Varied, SweepError> {
    let parameters = policy.parameters();
    let Some(parameter) = parameters.iter().find(|parameter| parameter.name == name) else {
        let near = crate::base::diagnostic::nearest_candidate(name, parameters.iter().map(|one| one.name.as_str()));
        let help = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(SweepError::Range(format!("the policy has no parameter `{name}`{help}")));
    };
    let (least, greatest) = declared_range_of(policy, parameter)?;
    let (from, to) = range.unwrap_or((least, greatest));
    if !(least <= from && from <= to && to <= greatest) {
        return Err(SweepError::Range(format!(
            "`{name}` is declared from {least} to {greatest}, and {from}..{to} is not within that"
        )));
    }
    let own = present_parameter_value(policy, name).filter(|own| (from..=to).contains(own));
    // Whoever writes whole numbers alone, as in `{ value = 3, min = 1, max = 12 }`, means whole numbers.
    let is_whole = [least, greatest, own.unwrap_or(least)].iter().all(|value| value.fract() == 0.0);
    let whole = matches!(parameter.ty.unit, Unit::Count | Unit::Days) || is_whole;
    let digits = if whole { 0 } else { digits_for_step((to - from) / steps.max(2) as f64, parameter, policy) };
    let (mut values, mut is_rounded): (Vec<String>, bool) = (Vec::new(), false);
    for step in 0..steps.max(2) {
        let value = from + (to - from) * step as f64 / (steps.max(2) - 1) as f64;
        let text = write_swept_value(value, digits, (from, to));
        // Other digits are chosen by the step: what is rounded there is too small to matter.
        is_rounded |= whole && text.parse() != Ok(value);
        if values.last() != Some(&text) {
            values.push(text);
        }
    }
    // The file's own value is always among them, so that the others have something to stand beside.
    if let Some(own) = own.filter(|own| !values.iter().any(|value| value.parse() == Ok(*own))) {
        let at = values.partition_point(|value| value.parse().is_ok_and(|value: f64| value < own));
        values.insert(at, own.to_string());
    }
    Ok(Varied { name: name.to_owned(), values, is_rounded })
}

/// A value with so many digits, and never beyond the range that was asked for.
fn write_swept_value(value: f64, digits: usize, (from, to): (f64, f64)) -> String {
    let rounded = format!("{value:.digits$}");
    let is_within = rounded.parse().is_ok_and(|rounded: f64| (from..=to).contains(&rounded));
    let text = if is_within { rounded } else { value.to_string() };
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Enough digits to tell steps apart, and at most those of the currency.
fn digits_for_step(step: f64, parameter: &Parameter, policy: &Policy) -> usize {
    let needed = if step > 0.0 { (1 - decimal_magnitude(step)).clamp(0, 9) as usize } else { 0 };
    match parameter.ty.unit {
        Unit::Money => needed.min(policy.header().currency.exponent() as usize),
        _ => needed,
    }
}

/// The range that a parameter declares, as a rule file writes it.
fn declared_range_of(policy: &Policy, parameter: &Parameter) -> Result<(f64, f64), SweepError> {
    let name = &parameter.name;
    if parameter.values.len() > 1 {
        return Err(SweepError::Range(format!("`{name}` has several values by date, and a sweep sets one")));
    }
    let number = |value: &Value| {
        let value = value.float()?;
        Some(match parameter.ty.unit {
            Unit::Money => value / 10_f64.powi(policy.header().currency.exponent() as i32),
            _ => value,
        })
    };
    let ends = parameter.min.as_ref().and_then(number).zip(parameter.max.as_ref().and_then(number));
    ends.filter(|_| !parameter.ty.unit.is_iso()).ok_or_else(|| {
        SweepError::Range(format!("`{name}` declares no range of numbers; give it `min` and `max` in [parameters]"))
    })
}

/// Every parameter that declares a range, at its ends.
pub fn vary_to_range_ends(policy: &Policy) -> Vec<Varied> {
    policy.parameters().iter().filter_map(|parameter| vary_parameter(policy, &parameter.name, None, 2).ok()).collect()
}

/// The value of a parameter as the file has it.
pub fn present_parameter_value(policy: &Policy, name: &str) -> Option<f64> {
    let parameter = policy.parameters().iter().find(|parameter| parameter.name == name)?;
    let value = parameter.values.last()?.value.float()?;
    Some(match parameter.ty.unit {
        Unit::Money => value / 10_f64.powi(policy.header().currency.exponent() as i32),
        _ => value,
    })
}

/// Puts a sweep together.
pub fn assemble_sweep_summary(
    policy: &Policy,
    parameters: &[Varied],
    is_grid: bool,
    own: &MeasuredPlace,
    places: Vec<MeasuredPlace>,
    (tornado, left_out): (Vec<TornadoRow>, Vec<String>),
) -> SweepSummary {
    let values = |varied: &Varied| varied.values.iter().filter_map(|value| value.parse().ok()).collect();
    let file: Option<Vec<f64>> =
        parameters.iter().map(|varied| present_parameter_value(policy, &varied.name)).collect();
    let is_present = |place: &MeasuredPlace| file.as_ref().is_some_and(|file| *file == place.point.values);
    let present = places.iter().position(is_present);
    let best = find_best_point(own, &places, present);
    let points: Vec<SweepPoint> = places.into_iter().map(|place| place.point).collect();
    let cost = Cost::for_points(&points);
    SweepSummary {
        policy: format!("{} {}", policy.header().name, policy.header().version),
        parameters: parameters.iter().map(|varied| (varied.name.clone(), values(varied))).collect(),
        search: if is_grid { "grid" } else { "random" }.to_owned(),
        frontier: unbeaten_points(&points, present, &|point| cost.of_known(point)),
        worst_case_frontier: unbeaten_points(&points, present, &|point| cost.at_worst(point)),
        present,
        best,
        points,
        tornado,
        left_out,
    }
}

#[cfg(test)]
mod tests;
