//! Whether groups are approved at different rates: impact ratios against a reference group, the four-fifths rule, and
//! how sure the numbers are.
//!
//! A ratio is a fact about a book, not a finding of law. Must not be used to decide on a person.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::portfolio::statistics::error::StatisticsError;
use crate::portfolio::statistics::intervals::{Interval, Level, Proportion};
use crate::portfolio::statistics::special::{exponential_of, fisher_exact, natural_logarithm};

/// The decisions on one group.
#[derive(Clone, Copy, Debug)]
pub struct GroupCounts<'a> {
    /// Its name.
    pub name: &'a str,
    /// People approved, and people who applied.
    pub approved: Proportion,
}

/// The group that others are compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// The group with the highest rate among those large enough, as 29 CFR 1607.4(D) says. Of equal rates the larger
    /// group, then the one listed first.
    HighestRate,
    /// The group with this name.
    Named(&'a str),
}

/// How to compare groups.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactSettings<'a> {
    /// The group that others are compared with.
    pub reference: Reference<'a>,
    /// Groups with fewer people are named and not judged.
    pub least: u64,
    /// The level of the intervals.
    pub level: Level,
}

/// Approval rates by group, made by [`adverse_impact`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AdverseImpact {
    /// The name of the reference group; `None` if no group can be it.
    pub reference: Option<String>,
    /// Groups with fewer people are not judged.
    pub least: u64,
    /// The level of the intervals.
    pub level: Level,
    /// The groups in the order given.
    pub groups: Vec<GroupImpact>,
}

/// One group of an [`AdverseImpact`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GroupImpact {
    /// Its name.
    pub name: String,
    /// People who applied.
    pub n: u64,
    /// People approved.
    pub approved: u64,
    /// approved / n; `None` without people.
    pub rate: Option<f64>,
    /// How it compares with the reference.
    pub judgement: Judgement,
}

/// How a group compares with the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It has fewer people than asked for.
    TooSmall,
    /// It is the reference.
    Reference,
    /// There is no reference: every group is too small, the named one is, or it approved nobody.
    NoReference,
    /// Compared.
    Compared(Impact),
}

/// A group compared with the reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Impact {
    /// The impact ratio: rate / rate of the reference.
    pub ratio: f64,
    /// Katz' log interval of the ratio; `None` if the group has no approval, where it has no lower end.
    pub interval: Option<Interval>,
    /// Whether the ratio is below four fifths, 29 CFR 1607.4(D). Decided in whole numbers: exactly 0.8 is not below.
    pub below_four_fifths: bool,
    /// The two-sided p value of Fisher's exact test that both rates are equal.
    pub p: f64,
}

/// Compares the approval rates of groups with the reference group.
///
/// ```text
/// ratio    = (a / n) / (a_ref / n_ref)
/// interval = exp(ln ratio ± z √(1/a - 1/n + 1/a_ref - 1/n_ref))
/// ```
///
/// The interval is from Katz, Baptista, Azen & Pike 1978, "Obtaining confidence intervals for the risk ratio in cohort
/// studies", Biometrics 34. The four-fifths rule is 29 CFR 1607.4(D).
///
/// # Errors
/// [`StatisticsError::DuplicateGroup`] if a name is listed twice. [`StatisticsError::UnknownReference`] if the named
/// reference is not listed.
///
/// ```
/// use lendwright::portfolio::statistics::adverse_impact::{
///     GroupCounts, ImpactSettings, Judgement, Reference, adverse_impact,
/// };
/// use lendwright::portfolio::statistics::{Level, Proportion};
/// let group = |name, approved, n| Ok(GroupCounts { name, approved: Proportion::new(approved, n)? });
/// let settings = ImpactSettings { reference: Reference::HighestRate, least: 30, level: Level::NINETY_FIVE };
/// let found = adverse_impact(&[group("a", 60, 100)?, group("b", 36, 80)?], &settings)?;
/// let Judgement::Compared(impact) = found.groups[1].judgement else { panic!() };
/// assert_eq!((impact.ratio, impact.below_four_fifths), (0.75, true));
/// # Ok::<(), lendwright::portfolio::statistics::StatisticsError>(())
/// ```
pub fn adverse_impact(
    groups: &[GroupCounts<'_>],
    settings: &ImpactSettings<'_>,
) -> Result<AdverseImpact, StatisticsError> {
    let mut names = BTreeSet::new();
    if let Some(group) = groups.iter().find(|group| !names.insert(group.name)) {
        return Err(StatisticsError::DuplicateGroup(group.name.to_owned()));
    }
    let reference = choose_reference_group(groups, settings)?;
    let judged = |group: &GroupCounts<'_>| GroupImpact {
        name: group.name.to_owned(),
        n: group.approved.n(),
        approved: group.approved.hits(),
        rate: group.approved.rate(),
        judgement: judge_group_impact(group, reference, settings),
    };
    Ok(AdverseImpact {
        reference: reference.map(|group| group.name.to_owned()),
        least: settings.least,
        level: settings.level,
        groups: groups.iter().map(judged).collect(),
    })
}

fn large_enough(group: &GroupCounts<'_>, settings: &ImpactSettings<'_>) -> bool {
    group.approved.n() >= settings.least.max(1)
}

fn choose_reference_group<'a>(
    groups: &[GroupCounts<'a>],
    settings: &ImpactSettings<'_>,
) -> Result<Option<GroupCounts<'a>>, StatisticsError> {
    let found = match settings.reference {
        Reference::Named(name) => {
            let named = groups.iter().find(|group| group.name == name);
            let named = named.ok_or_else(|| StatisticsError::UnknownReference(name.to_owned()))?;
            Some(*named).filter(|group| large_enough(group, settings))
        }
        Reference::HighestRate => {
            let large = groups.iter().copied().filter(|group| large_enough(group, settings));
            large.reduce(|best, group| if outranks_by_rate(group.approved, best.approved) { group } else { best })
        }
    };
    Ok(found.filter(|group| group.approved.hits() > 0))
}

/// Whether the rate is higher, or equal in a larger group.
fn outranks_by_rate(group: Proportion, best: Proportion) -> bool {
    let cross = |one: Proportion, other: Proportion| u128::from(one.hits()) * u128::from(other.n());
    (cross(group, best), group.n()) > (cross(best, group), best.n())
}

fn judge_group_impact(
    group: &GroupCounts<'_>,
    reference: Option<GroupCounts<'_>>,
    settings: &ImpactSettings<'_>,
) -> Judgement {
    if !large_enough(group, settings) {
        return Judgement::TooSmall;
    }
    match reference {
        None => Judgement::NoReference,
        Some(reference) if reference.name == group.name => Judgement::Reference,
        Some(reference) => Judgement::Compared(impact_of_group(group.approved, reference.approved, settings.level)),
    }
}

/// The group against a reference; both have people, and the reference has approvals.
fn impact_of_group(group: Proportion, reference: Proportion, level: Level) -> Impact {
    let [approved, n, reference_approved, reference_n] =
        [group.hits(), group.n(), reference.hits(), reference.n()].map(|count| count as f64);
    let ratio = (approved * reference_n) / (n * reference_approved);
    let error = (1.0 / approved - 1.0 / n + 1.0 / reference_approved - 1.0 / reference_n).max(0.0).sqrt();
    let reach = level.z() * error;
    let ends = || Interval {
        low: exponential_of(natural_logarithm(ratio) - reach),
        high: exponential_of(natural_logarithm(ratio) + reach),
    };
    Impact {
        ratio,
        interval: (group.hits() > 0).then(ends),
        below_four_fifths: below_four_fifths(group, reference),
        p: fisher_exact(group.hits(), group.n(), reference.hits(), reference.n()),
    }
}

/// 5 × a × n_ref < 4 × a_ref × n, without the products by 4 and 5, which may overflow.
fn below_four_fifths(group: Proportion, reference: Proportion) -> bool {
    let left = u128::from(group.hits()) * u128::from(reference.n());
    let right = u128::from(reference.hits()) * u128::from(group.n());
    // Of whole numbers, left < right × 4 / 5 means left < ceil(right × 4 / 5), which is right - floor(right / 5).
    left < right - right / 5
}

#[cfg(test)]
mod tests;
