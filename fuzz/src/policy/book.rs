//! The versions of a policy and its challengers: which of them decides, as docs/guides/policies.md defines it. The hash
//! that assigns customers is not part of the contract: only the page's promises are checked.

use std::collections::BTreeMap;

use super::model::{Op, Person, Policy};

/// One policy, or several versions in any order.
#[derive(Clone, Debug)]
pub struct Book {
    pub versions: Vec<Version>,
}

#[derive(Clone, Debug)]
pub struct Version {
    pub policy: Policy,
    pub challenger: Option<Challenger>,
}

/// Another policy for a share of the customers.
#[derive(Clone, Debug)]
pub struct Challenger {
    pub policy: Policy,
    pub share: f64,
    pub salt: &'static str,
}

/// The known bounds of a customer's position, inclusive and exclusive, from decisions so far. The challenger has those
/// below its share.
pub type Places = BTreeMap<(String, String), (f64, f64)>;

/// The name of a side in decisions.
pub const CHAMPION: &str = "champion";
pub const CHALLENGER: &str = "challenger";

impl Book {
    /// The version for a day: the one in force; else the one before it; else the first. Without a day, the latest.
    pub fn version(&self, day: Option<i64>) -> &Version {
        let mut versions: Vec<&Version> = self.versions.iter().collect();
        versions.sort_by_key(|version| version.policy.valid_from);
        let Some(day) = day else { return versions[versions.len() - 1] };
        let in_force = |version: &&&Version| {
            let Policy { valid_from, valid_to, .. } = version.policy;
            valid_from.is_none_or(|from| from <= day) && valid_to.is_none_or(|to| day <= to)
        };
        let before = |version: &&&Version| version.policy.valid_from.is_none_or(|from| from <= day);
        let one = versions.iter().find(in_force).or_else(|| versions.iter().rfind(before));
        one.unwrap_or(&versions[0])
    }

    /// Who decides on a person when a decision names the side `arm`. The error says why that is impossible.
    pub fn policy_for(&self, person: &Person, arm: Option<&str>, places: &mut Places) -> Result<&Policy, String> {
        let version = self.version(person.as_of);
        let Some(challenger) = &version.challenger else {
            return match arm {
                None => Ok(&version.policy),
                Some(arm) => Err(format!("there is no challenger, and {arm} decided")),
            };
        };
        let (Some(arm), Some(customer)) = (arm, &person.customer) else {
            // Without a customer the champion decides.
            return match arm {
                Some(CHAMPION) => Ok(&version.policy),
                other => Err(format!("{other:?} decided on nobody's statement")),
            };
        };
        let place = places.entry((challenger.salt.to_owned(), customer.clone())).or_insert((0.0, 1.0));
        match arm {
            CHALLENGER => place.1 = place.1.min(challenger.share),
            _ => place.0 = place.0.max(challenger.share),
        }
        if place.0 >= place.1 {
            return Err(format!("{customer} is of the {arm} at a share of {}, and was not before", challenger.share));
        }
        Ok(if arm == CHALLENGER { &challenger.policy } else { &version.policy })
    }

    /// Removes the declarations of inputs that no policy uses.
    pub fn make_lean(&mut self) {
        let mut asked = vec![false; super::model::INPUTS.len()];
        for policy in self.policies() {
            for (_, expr) in super::walk::expressions(policy) {
                for one in super::walk::all(expr) {
                    if let Op::Input(at) | Op::Given(at) = one.op {
                        asked[at] = true;
                    }
                }
            }
            policy.required.iter().enumerate().filter(|(_, required)| **required).for_each(|(at, _)| asked[at] = true);
        }
        for Version { policy, challenger } in &mut self.versions {
            policy.declared.clone_from(&asked);
            challenger.iter_mut().for_each(|one| one.policy.declared.clone_from(&asked));
        }
    }

    /// Every policy in it.
    pub fn policies(&self) -> Vec<&Policy> {
        let versions = self.versions.iter();
        versions
            .flat_map(|one| [Some(&one.policy), one.challenger.as_ref().map(|other| &other.policy)])
            .flatten()
            .collect()
    }

    /// Whether people bring ready metrics.
    pub fn is_ready(&self) -> bool {
        self.versions[0].policy.is_ready
    }
}
