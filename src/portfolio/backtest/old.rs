//! What a policy would have done on a portfolio, and what another would have done instead: rates, amounts, reasons,
//! the swap set, and bad rates where outcomes are known. Must not know where decisions come from, nor how results are
//! shown.

use std::collections::{BTreeMap, HashMap};

use crate::decision::Outcome;

/// What was decided on a customer.
#[derive(Clone, Debug, PartialEq)]
pub struct Decided {
    /// The customer.
    pub customer: String,
    /// Offer, refer or decline.
    pub outcome: Outcome,
    /// The greatest amount offered, in minor units.
    pub amount: Option<i64>,
    /// The ids of the reasons, in the policy's order.
    pub reasons: Vec<String>,
}

/// Whether customers who had a loan repaid it: `true` is bad.
pub type KnownOutcomes = HashMap<String, bool>;

/// Some customers: how many, what they are offered, and how many of them are known to be bad.
///
/// The bad rate of customers without an outcome is anything from all good to all bad: [`Group::bad_rate_bounds`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// How many.
    pub customers: u64,
    /// The sum of their greatest offers, in minor units.
    pub amount: i128,
    /// How many have an outcome.
    pub known: u64,
    /// How many of those are bad.
    pub bad: u64,
}

impl Group {
    fn add(&mut self, amount: Option<i64>, bad: Option<bool>) {
        self.customers += 1;
        self.amount += i128::from(amount.unwrap_or(0));
        self.known += u64::from(bad.is_some());
        self.bad += u64::from(bad == Some(true));
    }

    /// The share of bad customers among those with an outcome; `None` if nobody has one.
    pub fn bad_rate(&self) -> Option<f64> {
        (self.known > 0).then(|| self.bad as f64 / self.known as f64)
    }

    /// The least and the greatest bad rate that the customers may have, if those without an outcome are all good, or
    /// all bad; `None` for nobody.
    pub fn bad_rate_bounds(&self) -> Option<(f64, f64)> {
        let (all, unknown) = (self.customers as f64, self.customers - self.known);
        (self.customers > 0).then(|| (self.bad as f64 / all, (self.bad + unknown) as f64 / all))
    }
}

/// How often a reason kept customers from an offer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReasonCount {
    /// Customers with this reason, alone or among others.
    pub any: u64,
    /// Customers whose first reason it is.
    pub first: u64,
    /// Customers who have no other reason: it alone decides.
    pub only: u64,
}

/// A customer whose outcome or offer is another under the challenger.
#[derive(Clone, Debug, PartialEq)]
pub struct Flip {
    /// What the champion decides.
    pub champion: Decided,
    /// What the challenger decides.
    pub challenger: Decided,
    /// Whether the customer is known to be bad.
    pub bad: Option<bool>,
}

/// What one policy does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyResult {
    /// Its customers by outcome.
    pub outcomes: BTreeMap<Outcome, Group>,
    /// Its reasons, in the order in which they were first seen.
    pub reasons: Vec<(String, ReasonCount)>,
}

/// What two policies do on the same customers.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Comparison {
    /// Customers by the outcome of the champion, then by that of the challenger. The amounts are the challenger's.
    pub swap_set: BTreeMap<(Outcome, Outcome), Group>,
    /// Customers with another outcome, or another greatest offer, in the order of the decisions.
    pub flips: Vec<Flip>,
    /// Offers to both whose amount is raised, and lowered.
    pub raised: u64,
    /// See [`Comparison::raised`].
    pub lowered: u64,
}

/// Why two lists of decisions cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the two policies were not asked about the same customers: `{0}` is only in one list, or in another place")]
pub struct NotTheSame(pub String);

/// What a policy did.
pub fn result(decided: &[Decided], known: &KnownOutcomes) -> PolicyResult {
    let mut result = PolicyResult::default();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for outcome in [Outcome::Offer, Outcome::Refer, Outcome::Decline] {
        result.outcomes.insert(outcome, Group::default());
    }
    for one in decided {
        let bad = known.get(&one.customer).copied();
        result.outcomes.entry(one.outcome).or_default().add(one.amount, bad);
        for (at, reason) in one.reasons.iter().enumerate() {
            let place = *places.entry(reason).or_insert_with(|| {
                result.reasons.push((reason.clone(), ReasonCount::default()));
                result.reasons.len() - 1
            });
            let Some((_, count)) = result.reasons.get_mut(place) else { continue };
            count.any += 1;
            count.first += u64::from(at == 0);
            count.only += u64::from(one.reasons.len() == 1);
        }
    }
    result
}

/// Compares what two policies did. Both lists are of the same customers in the same order.
///
/// # Errors
/// If they are not.
pub fn compare(champion: &[Decided], challenger: &[Decided], known: &KnownOutcomes) -> Result<Comparison, NotTheSame> {
    if champion.len() != challenger.len() {
        let longer = if champion.len() > challenger.len() { champion } else { challenger };
        let first = longer.get(champion.len().min(challenger.len()));
        return Err(NotTheSame(first.map(|one| one.customer.clone()).unwrap_or_default()));
    }
    let mut comparison = Comparison::default();
    let outcomes = [Outcome::Offer, Outcome::Refer, Outcome::Decline];
    for pair in outcomes.iter().flat_map(|one| outcomes.iter().map(move |other| (*one, *other))) {
        comparison.swap_set.insert(pair, Group::default());
    }
    for (before, after) in champion.iter().zip(challenger) {
        if before.customer != after.customer {
            return Err(NotTheSame(after.customer.clone()));
        }
        let bad = known.get(&after.customer).copied();
        let group = comparison.swap_set.entry((before.outcome, after.outcome)).or_default();
        group.add(after.amount, bad);
        if before.outcome == after.outcome && before.amount == after.amount {
            continue;
        }
        if let (Some(before), Some(after)) = (before.amount, after.amount) {
            comparison.raised += u64::from(after > before);
            comparison.lowered += u64::from(after < before);
        }
        comparison.flips.push(Flip { champion: before.clone(), challenger: after.clone(), bad });
    }
    Ok(comparison)
}
