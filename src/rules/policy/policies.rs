//! The versions of a policy. The day of the decision selects one.

use std::collections::BTreeMap;

use crate::base::date::Day;
use crate::rules::policy::Policy;
use crate::rules::policy::split::Arm;

/// A policy, or the versions of one: what decides takes either.
///
/// ```
/// use lendwright::{PolicySet, load_policies, load_policy};
/// fn names(policies: &dyn PolicySet) -> Vec<&str> {
///     policies.versions().iter().map(|policy| policy.header().name.as_str()).collect()
/// }
/// assert_eq!(names(&load_policy("rules/starter.toml", &[])?), names(&load_policies("rules/starter.toml", &[])?));
/// # Ok::<(), lendwright::files::PolicyError>(())
/// ```
pub trait PolicySet: Sync + sealed::Sealed {
    /// The versions, the earliest first; at least one.
    fn versions(&self) -> &[Policy];

    /// The latest version.
    fn latest(&self) -> &Policy;

    /// The version for a day: the one in force, or else the one before, which reports that when it decides. Without a
    /// day the latest.
    fn version_on(&self, day: Option<Day>) -> &Policy {
        let Some(day) = day else { return self.latest() };
        let begun = |policy: &&Policy| policy.header().valid_from.is_none_or(|from| from <= day);
        self.versions().iter().rev().find(begun).or(self.versions().first()).unwrap_or(self.latest())
    }

    /// The policy that decides on a customer on a day, and its arm if there is a challenger.
    fn policy_for(&self, day: Option<Day>, customer: Option<&str>) -> (&Policy, Option<Arm>) {
        let version = self.version_on(day);
        match version.challenger() {
            None => (version, None),
            Some(challenger) => match challenger.split.arm(customer) {
                Arm::Champion => (version, Some(Arm::Champion)),
                Arm::Challenger => (&challenger.policy, Some(Arm::Challenger)),
            },
        }
    }

    /// Every policy that may decide: each version, followed by its challenger.
    fn policies(&self) -> Vec<&Policy> {
        let both = |policy| [Some(policy), Policy::challenger(policy).map(|challenger| &challenger.policy)];
        self.versions().iter().flat_map(both).flatten().collect()
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::rules::Policy {}
    impl Sealed for crate::rules::Policies {}
}

impl PolicySet for Policy {
    fn latest(&self) -> &Policy {
        self
    }

    fn versions(&self) -> &[Policy] {
        std::slice::from_ref(self)
    }
}

impl PolicySet for Policies {
    fn latest(&self) -> &Policy {
        // There is at least one, because `new` refuses an empty list.
        &self.0[self.0.len() - 1]
    }

    fn versions(&self) -> &[Policy] {
        &self.0
    }
}

/// The versions of one policy. At most one is in force on any day.
///
/// ```
/// use lendwright::{Day, Policies, PolicySet, compile};
///
/// let version = |name: &str, dates: &str| {
///     let places = "currency = '566'\ntime_zone = 'Africa/Lagos'";
///     let text = format!("[policy]\nname = 'small'\nversion = '{name}'\n{places}\n{dates}\n");
///     compile(&format!("small-{name}.toml"), &text, &mut |_| Err("no other files".into()), &[])
/// };
/// let (first, second) = (version("1", "valid_to = 2026-06-30")?, version("2", "valid_from = 2026-07-01")?);
/// let policies = Policies::new(vec![first, second])?;
/// assert_eq!(policies.version_on(Day::from_ymd(2026, 6, 30)).header().version, "1");
/// assert_eq!(policies.latest().header().version, "2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Policies(Vec<Policy>);

/// Why policies are not versions of one policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VersionError {
    /// There are no policies.
    #[error("there is no policy here; a policy file begins with [policy]")]
    None,
    /// They have different names.
    #[error(
        "`{first}` is the policy `{name}`, but `{second}` is `{other}`; all versions of a policy have the same name"
    )]
    Names {
        /// A file.
        first: String,
        /// Its name.
        name: String,
        /// Another file.
        second: String,
        /// The other file's name.
        other: String,
    },
    /// Two have the same version.
    #[error("`{first}` and `{second}` are both version `{version}`; give one of them another version")]
    Doubled {
        /// A file.
        first: String,
        /// Another file.
        second: String,
        /// Their version.
        version: String,
    },
    /// Two are in force on one day.
    #[error(
        "`{first}` and `{second}` are both in force on {day}; end the first one before that day: valid_to = {}",
        day_before_day(*.day)
    )]
    Overlap {
        /// The earlier one.
        first: String,
        /// The later one.
        second: String,
        /// The first day of both.
        day: Day,
    },
    /// They read statements differently, but a statement is read before its version is known.
    #[error("`{first}` and `{second}` read statements differently: `{key}`; all versions must agree on it")]
    Reading {
        /// A file.
        first: String,
        /// Another file.
        second: String,
        /// The key that differs in their headers.
        key: &'static str,
    },
}

fn day_before_day(day: Day) -> Day {
    Day::checked_from_days(day.days() - 1).unwrap_or(day)
}

impl Policies {
    /// Sorts versions by their days.
    ///
    /// # Errors
    /// If there are none, or they are not consecutive versions of one policy.
    pub fn new(mut versions: Vec<Policy>) -> Result<Policies, VersionError> {
        versions.sort_by_key(|policy| policy.header().valid_from);
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        for policy in &versions {
            let (file, version) = (policy.file().to_owned(), policy.header().version.clone());
            if let Some(first) = seen.insert(version.clone(), file.clone()) {
                return Err(VersionError::Doubled { first, second: file, version });
            }
        }
        for pair in versions.windows(2) {
            let [one, other] = pair else { continue };
            let (first, second) = (one.file().to_owned(), other.file().to_owned());
            let (before, after) = (one.header(), other.header());
            if before.name != after.name {
                let (name, other) = (before.name.clone(), after.name.clone());
                return Err(VersionError::Names { first, name, second, other });
            }
            if let Some(key) = before.reads_otherwise(after) {
                return Err(VersionError::Reading { first, second, key });
            }
            if let Some(day) = first_overlapping_day(one, other) {
                return Err(VersionError::Overlap { first, second, day });
            }
        }
        if versions.is_empty() { Err(VersionError::None) } else { Ok(Policies(versions)) }
    }

    /// The same policies without challengers.
    #[must_use]
    pub fn without_challengers(mut self) -> Policies {
        self.0.iter_mut().for_each(|policy| policy.challenger = None);
        self
    }
}

/// The first day on which both are in force. `one` begins no later than `other`.
fn first_overlapping_day(one: &Policy, other: &Policy) -> Option<Day> {
    let begins = other.header().valid_from.or_else(|| Day::from_ymd(1900, 1, 1))?;
    one.header().valid_to.is_none_or(|to| to >= begins).then_some(begins)
}

impl From<Policy> for Policies {
    fn from(policy: Policy) -> Policies {
        Policies(vec![policy])
    }
}
