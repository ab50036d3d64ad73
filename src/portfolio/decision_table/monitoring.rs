//! Watches decisions week by week: shares that leave the limits of chance, values that are distributed in another way,
//! and loans that go bad. The limits are those of a p-chart (Montgomery, "Introduction to Statistical Quality Control",
//! 7.2), widened by the chance in the population that is compared with:
//!
//! ```text
//! p ± 3 √(p (1 - p) (1/n + 1/N))      p of N applications before, n in the week
//! ```

use std::collections::BTreeMap;

use serde::Serialize;

use super::facts::DecisionFacts;
use super::population::{CountedKind, CountsByName, Population};
use super::shadow_comparison::nearest_rank;
use crate::base::date::Day;
use crate::portfolio::statistics::stability::{
    QuantileBins, STABILITY_BINS, Smoothing, Stability, population_stability,
};
use crate::portfolio::statistics::{Level, Proportion, StatisticsError};

/// When something is reported.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MonitorLimits {
    /// The least PSI that is reported, if chance alone would hardly give it.
    pub psi: f64,
    /// The longest time of a decision at the 99th percentile of a week, in microseconds.
    pub p99_us: Option<i64>,
    /// The greatest bad rate of the loans of a month.
    pub bad_rate: Option<f64>,
    /// Weeks with fewer applications are shown, and not judged.
    pub week_min: u64,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Monitoring {
    /// Applications that are compared with.
    pub before: u64,
    /// Applications that are watched.
    pub watched: u64,
    pub weeks: Vec<WatchedWeek>,
    /// Shares by kind and name, the outcomes first.
    pub shares: Vec<WatchedShare>,
    /// Values, the one that moved most first.
    pub moved: Vec<MovedValue>,
    /// Loans by the month of their decision.
    pub loans: Vec<LoanMonth>,
    /// What to look into, in words.
    pub alarms: Vec<String>,
}

/// A week, from Monday on, in UTC.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedWeek {
    pub from: String,
    pub applications: u64,
    /// How many of them have a record; others were erased.
    pub recorded: u64,
    /// The time of a decision in the middle and at the 99th percentile, in microseconds.
    pub took_us: [i64; 2],
    /// Whether it has enough applications to be judged.
    pub is_judged: bool,
}

/// A share before, and in each week.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WatchedShare {
    pub kind: CountedKind,
    pub name: String,
    pub before: f64,
    pub weeks: Vec<ShareOfWeek>,
}

/// A share in a week, with its limits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShareOfWeek {
    pub count: u64,
    pub share: f64,
    pub low: f64,
    pub high: f64,
    pub is_outside: bool,
}

/// A value that is distributed in another way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MovedValue {
    pub name: String,
    pub psi: f64,
    pub stability: Stability,
    /// About the index that chance alone gives.
    pub by_chance: f64,
    pub is_reported: bool,
}

/// The loans that followed from the decisions of a month.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LoanMonth {
    pub month: String,
    /// Offers made.
    pub offers: u64,
    /// Loans of which something is known.
    pub known: u64,
    pub bad: u64,
    /// The bad rate and its interval of 95%.
    pub bad_rate: Option<[f64; 3]>,
}

/// From this many times what chance gives, an index is reported.
const TIMES_CHANCE: f64 = 3.0;
/// The most names of a kind that are watched: the most frequent.
const NAMES_MAX: usize = 40;

/// One watched decision, with what is counted of it.
pub struct WatchedDecision {
    pub facts: DecisionFacts,
    pub counted: Vec<(CountedKind, String)>,
    /// Whether its record was not erased: without it, nothing is counted as unknown.
    pub has_record: bool,
}

/// What is watched of all decisions together.
#[derive(Clone, Debug, Default)]
pub struct WatchedRest {
    /// The values of the watched decisions.
    pub values: BTreeMap<String, Vec<Option<f64>>>,
    /// The loans of all decisions: those of the last weeks had no time to go bad.
    pub loans: Vec<LoanMonth>,
}

/// Compares decisions with a population before them.
///
/// # Errors
/// If a formula refuses its numbers.
pub fn watch_decisions(
    before: &Population,
    watched: &[WatchedDecision],
    now: &WatchedRest,
    limits: &MonitorLimits,
) -> Result<Monitoring, StatisticsError> {
    let mut by_week: BTreeMap<Day, Vec<&WatchedDecision>> = BTreeMap::new();
    for decision in watched {
        let Some(monday) = decision.facts.day().and_then(monday_of) else { continue };
        by_week.entry(monday).or_default().push(decision);
    }
    let weeks: Vec<WatchedWeek> = by_week.iter().map(|(monday, all)| week_of(*monday, all, limits)).collect();
    let counts: Vec<CountsByName> = by_week.values().map(|all| count_week(all)).collect();
    let shares = list_shares(before, &weeks, &counts, limits);
    let mut moved = Vec::new();
    for (name, recent) in &now.values {
        let Some(base) = before.values.get(name) else { continue };
        moved.extend(compare_values(name, base, recent, limits)?);
    }
    moved.sort_by(|one, other| other.psi.total_cmp(&one.psi).then_with(|| one.name.cmp(&other.name)));
    let mut found = Monitoring {
        before: before.size,
        watched: watched.len() as u64,
        weeks,
        shares,
        moved,
        loans: now.loans.clone(),
        alarms: Vec::new(),
    };
    found.alarms = found.list_alarms(limits);
    Ok(found)
}

fn week_of(monday: Day, all: &[&WatchedDecision], limits: &MonitorLimits) -> WatchedWeek {
    let mut took: Vec<i64> = all.iter().map(|decision| decision.facts.took_us).collect();
    took.sort_unstable();
    let applications = all.len() as u64;
    let recorded = all.iter().filter(|decision| decision.has_record).count() as u64;
    WatchedWeek {
        recorded,
        from: monday.to_string(),
        applications,
        took_us: [0.5, 0.99].map(|share| nearest_rank(&took, share)),
        is_judged: applications >= limits.week_min,
    }
}

fn count_week(all: &[&WatchedDecision]) -> CountsByName {
    let mut counts = CountsByName::new();
    for counted in all.iter().flat_map(|decision| &decision.counted) {
        *counts.entry(counted.clone()).or_default() += 1;
    }
    counts
}

/// Every share that occurs before or in a week, without kinds that the population before does not have.
fn list_shares(
    before: &Population,
    weeks: &[WatchedWeek],
    counts: &[CountsByName],
    limits: &MonitorLimits,
) -> Vec<WatchedShare> {
    let mut totals = before.counts.clone();
    for (counted, count) in counts.iter().flatten() {
        *totals.entry(counted.clone()).or_default() += count;
    }
    let mut names: Vec<((CountedKind, String), u64)> = totals.into_iter().collect();
    names.retain(|((kind, _), _)| !before.lacks.contains(kind));
    names.sort_by(|((kind, name), count), ((other_kind, other_name), other)| {
        (kind, std::cmp::Reverse(count), name).cmp(&(other_kind, std::cmp::Reverse(other), other_name))
    });
    let mut taken: BTreeMap<CountedKind, usize> = BTreeMap::new();
    names.retain(|((kind, _), _)| {
        let taken = taken.entry(*kind).or_default();
        *taken += 1;
        *taken <= NAMES_MAX
    });
    let share = |((kind, name), _): ((CountedKind, String), u64)| {
        let counted = (kind, name);
        let hits = before.counts.get(&counted).copied().unwrap_or_default();
        let size = before.size_of(counted.0);
        let share_before = hits as f64 / size.max(1) as f64;
        let of_week = |(week, counts): (&WatchedWeek, &CountsByName)| {
            let count = counts.get(&counted).copied().unwrap_or_default();
            let applications = if counted.0 == CountedKind::Unknown { week.recorded } else { week.applications };
            judge_share(share_before, size, count, applications, limits.week_min)
        };
        let weeks = weeks.iter().zip(counts).map(of_week).collect();
        let (kind, name) = counted;
        WatchedShare { kind, name, before: share_before, weeks }
    };
    names.into_iter().map(share).collect()
}

fn judge_share(before: f64, size: u64, count: u64, applications: u64, least: u64) -> ShareOfWeek {
    let n = applications.max(1) as f64;
    let reach = 3.0 * (before * (1.0 - before) * (1.0 / n + 1.0 / size.max(1) as f64)).sqrt();
    // A share of 0 or 1 before has no spread: a few applications of something new are not told from chance.
    let reach = reach.max(3.0 / n);
    let (low, high) = ((before - reach).max(0.0), (before + reach).min(1.0));
    let share = count as f64 / n;
    ShareOfWeek {
        count,
        share,
        low,
        high,
        is_outside: applications >= least && size > 0 && !(low..=high).contains(&share),
    }
}

fn compare_values(
    name: &str,
    base: &[Option<f64>],
    recent: &[Option<f64>],
    limits: &MonitorLimits,
) -> Result<Option<MovedValue>, StatisticsError> {
    if base.iter().chain(recent).flatten().next().is_none() {
        return Ok(None);
    }
    let bins = QuantileBins::new(base, STABILITY_BINS)?;
    let found = population_stability(&bins.count(base)?, &bins.count(recent)?, Smoothing::HALF)?;
    Ok(found.map(|psi| MovedValue {
        name: name.to_owned(),
        psi: psi.value,
        stability: psi.stability,
        by_chance: psi.by_chance,
        is_reported: psi.value >= limits.psi && psi.value >= TIMES_CHANCE * psi.by_chance,
    }))
}

/// The loans of decisions by the month of the decision.
pub fn list_loan_months<'f>(decisions: impl Iterator<Item = &'f DecisionFacts>) -> Vec<LoanMonth> {
    let mut months: BTreeMap<String, LoanMonth> = BTreeMap::new();
    for facts in decisions {
        let Some(day) = facts.day().map(|day| day.to_string()) else { continue };
        let label = day.get(..7).unwrap_or(&day).to_owned();
        let month = months.entry(label.clone()).or_insert_with(|| LoanMonth { month: label, ..LoanMonth::default() });
        month.offers += u64::from(facts.outcome == "offer");
        if let Some(loan) = &facts.loan {
            month.known += 1;
            month.bad += u64::from(loan.bad);
        }
    }
    let mut months: Vec<LoanMonth> = months.into_values().collect();
    for month in &mut months {
        let bad = Proportion::new(month.bad, month.known).ok();
        let rate = bad.and_then(|bad| Some((bad.rate()?, bad.wilson(Level::NINETY_FIVE)?)));
        month.bad_rate = rate.map(|(rate, interval)| [rate, interval.low, interval.high]);
    }
    months
}

impl Monitoring {
    fn list_alarms(&self, limits: &MonitorLimits) -> Vec<String> {
        let percent = |share: f64| format!("{:.1}%", share * 100.0);
        let mut alarms = Vec::new();
        for share in &self.shares {
            for (week, found) in self.weeks.iter().zip(&share.weeks).filter(|(_, found)| found.is_outside) {
                alarms.push(format!(
                    "{} {}: {} in the week of {}, where {} to {} is chance ({} before)",
                    share.kind.word(),
                    share.name,
                    percent(found.share),
                    week.from,
                    percent(found.low),
                    percent(found.high),
                    percent(share.before)
                ));
            }
        }
        for value in self.moved.iter().filter(|value| value.is_reported) {
            alarms.push(format!("{} is distributed in another way: PSI {:.2}", value.name, value.psi));
        }
        let slow = |week: &&WatchedWeek| limits.p99_us.is_some_and(|most| week.took_us[1] > most);
        for week in self.weeks.iter().filter(slow) {
            alarms.push(format!(
                "decisions of the week of {} took {:.1} ms at the 99th percentile",
                week.from,
                week.took_us[1] as f64 / 1000.0
            ));
        }
        for month in &self.loans {
            if let (Some([rate, low, _]), Some(most)) = (month.bad_rate, limits.bad_rate)
                && low > most
            {
                alarms.push(format!(
                    "loans of {}: {} of {} bad, {}, which is more than {} beyond chance",
                    month.month,
                    month.bad,
                    month.known,
                    percent(rate),
                    percent(most)
                ));
            }
        }
        alarms
    }
}

impl CountedKind {
    /// The word in reports.
    pub const fn word(self) -> &'static str {
        match self {
            CountedKind::Outcome => "outcome",
            CountedKind::Reason => "reason",
            CountedKind::Arm => "arm",
            CountedKind::Unknown => "unknown",
        }
    }
}

fn monday_of(day: Day) -> Option<Day> {
    Day::checked_from_days(day.days() + 1 - day.weekday() as i32)
}
