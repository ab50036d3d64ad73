//! The policy in force while a service runs. Reads take no lock. A good load replaces the policy whole, a
//! failed load keeps it. Must not know who asks, or when to look for changes: there is no thread and no clock here.

mod snapshot;

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::base::digest::Digest;
use crate::engine::decision::PolicyRecord;
use crate::rules::{Policies, PolicySet};
use crate::run::files::PolicyError;
use snapshot::{Snapshot, load_with_snapshot};

/// The policy in force, from a rule file or a folder of versions. It can be replaced while others decide with it.
///
/// ```
/// use lendwright::{LivePolicy, live_policy::Reloaded};
/// let live = LivePolicy::load("rules/starter.toml", &[])?;
/// assert_eq!(live.in_force()[0].name, "starter");
/// assert!(matches!(live.reload()?, Reloaded::Unchanged));
/// # Ok::<(), lendwright::live_policy::Error>(())
/// ```
#[derive(Debug)]
pub struct LivePolicy {
    current: ArcSwap<Policies>,
    /// `None` for a policy that was given, not loaded.
    files: Option<Files>,
    /// Locked while the policy is replaced. Readers of the policy do not take it.
    replacing: Mutex<()>,
}

/// The files of a policy, and what they held.
#[derive(Debug)]
struct Files {
    path: PathBuf,
    overrides: Vec<(String, String)>,
    /// Locked while loading.
    observed: Mutex<Observed>,
}

/// What was on disk at the last looks.
#[derive(Debug)]
struct Observed {
    /// The files of the last load, even if it was refused.
    loaded: Snapshot,
    /// The files of a later look that found changes.
    changed: Option<Snapshot>,
    /// Whether the last load was refused, so that the files say something else than what is in force.
    is_refused: bool,
}

/// The result of a reload that did not fail.
#[derive(Clone, Debug)]
#[must_use]
pub enum Reloaded {
    /// The policy is the one in force already.
    Unchanged,
    /// Files changed since the last look and may still be being written. The next look loads them if they are the same
    /// then.
    Changing,
    /// Another policy is in force from now on.
    Swapped {
        /// The policy until now. Decisions that hold it finish with it.
        before: Arc<Policies>,
        /// The policy from now on.
        now: Arc<Policies>,
    },
}

/// Why a policy could not be loaded. The policy in force stays in force.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The files cannot be read, or have mistakes, which are listed.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The files changed during each attempt, so the texts may belong to different versions.
    #[error("the files of `{}` changed while they were read; try again when they are complete", .0.display())]
    Changing(PathBuf),
    /// The policy did not come from files: it was given to [`LivePolicy::new`].
    #[error("the policy was not loaded from files: give the new one to `replace`")]
    NoFiles,
}

/// Who is asked before the second policy replaces the first, and whether a veto of theirs is asked about again at the
/// next look. Otherwise it stands until the files change.
pub(crate) struct AdmissionCheck<'a, V> {
    pub(crate) admit: &'a dyn Fn(&Policies, &Policies) -> Result<(), V>,
    pub(crate) is_for_now: fn(&V) -> bool,
}

impl AdmissionCheck<'_, Infallible> {
    /// Nobody is asked.
    const NOBODY: AdmissionCheck<'static, Infallible> =
        AdmissionCheck { admit: &|_, _| Ok(()), is_for_now: |never| match *never {} };
}

impl LivePolicy {
    /// Loads the policy for the first time. `overrides` replace values of its parameters, in this load and all later
    /// ones.
    ///
    /// # Errors
    /// As [`crate::load_policies`], and [`Error::Changing`] if the files keep changing.
    pub fn load(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<LivePolicy, Error> {
        let path = path.as_ref();
        let (policies, loaded) = load_with_snapshot(path, overrides);
        let observed = Mutex::new(Observed { loaded, changed: None, is_refused: false });
        let files = Files { path: path.to_owned(), overrides: overrides.to_vec(), observed };
        Ok(LivePolicy { files: Some(files), ..LivePolicy::new(policies?) })
    }

    /// A policy that is kept elsewhere than in files, such as in a database. [`LivePolicy::replace`] puts another one
    /// in force.
    ///
    /// ```
    /// use lendwright::{LivePolicy, compile, live_policy::Reloaded};
    ///
    /// let text = |version: u32| {
    ///     let places = "currency = '566'\ntime_zone = 'Africa/Lagos'";
    ///     format!("[policy]\nname = 'small'\nversion = '{version}'\n{places}\n")
    /// };
    /// let compiled = |version| compile("small.toml", &text(version), &mut |_| Err("no other files".into()), &[]);
    /// let live = LivePolicy::new(compiled(1)?);
    /// assert!(matches!(live.replace(compiled(2)?), Reloaded::Swapped { .. }));
    /// assert_eq!(live.in_force()[0].version, "2");
    /// assert!(matches!(live.replace(compiled(2)?), Reloaded::Unchanged));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(policies: impl Into<Policies>) -> LivePolicy {
        LivePolicy { current: ArcSwap::from_pointee(policies.into()), files: None, replacing: Mutex::new(()) }
    }

    /// Puts these policies in force, unless they are those in force already, with the same parameters. A policy from
    /// files can be replaced, too; [`LivePolicy::reload`] puts the one in the files in force again.
    pub fn replace(&self, policies: impl Into<Policies>) -> Reloaded {
        let policies = policies.into();
        // A poisoned lock is usable: a panic while it was held left the old policy in place.
        let _one_at_a_time = self.replacing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current();
        if is_same(&before, &policies) {
            return Reloaded::Unchanged;
        }
        let now = Arc::new(policies);
        self.current.store(Arc::clone(&now));
        Reloaded::Swapped { before, now }
    }

    /// The policy in force now. Hold it for one decision: reloads do not change it.
    pub fn current(&self) -> Arc<Policies> {
        self.current.load_full()
    }

    /// Name, version and digest of every policy that may decide now: each version, followed by its challenger.
    pub fn in_force(&self) -> Vec<PolicyRecord> {
        policy_records_of(&self.current())
    }

    /// Loads the files again, and puts the policy in force if it has no mistakes. Blocks on the disk: an async service
    /// must call it off its runtime.
    ///
    /// # Errors
    /// As [`LivePolicy::load`], and [`Error::NoFiles`] for a policy that was given. The policy in force then stays in
    /// force.
    pub fn reload(&self) -> Result<Reloaded, Error> {
        let files = self.files()?;
        let Ok(reloaded) = self.reload_expecting(files, &mut files.observed(), (None, AdmissionCheck::NOBODY))?;
        Ok(reloaded)
    }

    /// Compares the content of the files with the last load. Loads them if they changed and the previous call saw the
    /// same change: a half-written file may be a valid policy that lacks its last requirements. Call it every few
    /// seconds. A refused policy is reported once, until the files change again.
    ///
    /// # Errors
    /// As [`LivePolicy::reload`].
    pub fn reload_if_changed(&self) -> Result<Reloaded, Error> {
        let Ok(reloaded) = self.reload_unless(AdmissionCheck::NOBODY)?;
        Ok(reloaded)
    }

    /// As [`LivePolicy::reload_if_changed`], but asks before it replaces the policy in force, the first, by the second.
    pub(crate) fn reload_unless<V>(&self, asked: AdmissionCheck<'_, V>) -> Result<Result<Reloaded, V>, Error> {
        let files = self.files()?;
        let mut observed = files.observed();
        let now = observed.changed.as_ref().unwrap_or(&observed.loaded).retake(&files.path);
        if !now.differs(&observed.loaded) {
            observed.changed = None;
            return Ok(Ok(Reloaded::Unchanged));
        }
        if observed.changed.as_ref() != Some(&now) {
            observed.changed = Some(now);
            return Ok(Ok(Reloaded::Changing));
        }
        self.reload_expecting(files, &mut observed, (Some(now), asked))
    }

    /// Loads the files. With `expected`, the policy counts only if the files still have that content.
    fn reload_expecting<V>(
        &self,
        files: &Files,
        observed: &mut Observed,
        (expected, asked): (Option<Snapshot>, AdmissionCheck<'_, V>),
    ) -> Result<Result<Reloaded, V>, Error> {
        let (policies, loaded) = load_with_snapshot(&files.path, &files.overrides);
        if matches!(policies, Err(Error::Changing(_))) {
            // These files were neither put in force nor refused, so the next look must not treat them as known.
            observed.changed = None;
            return policies.map(|_| Ok(Reloaded::Changing));
        }
        if expected.is_some_and(|expected| loaded.differs(&expected) || !expected.covers(&loaded)) {
            // A file that is used for the first time has been seen only once.
            observed.changed = Some(loaded);
            return Ok(Ok(Reloaded::Changing));
        }
        let vetoed = match &policies {
            Ok(policies) if !is_same(&self.current(), policies) => (asked.admit)(&self.current(), policies),
            _ => Ok(()),
        };
        observed.is_refused = policies.is_err() || vetoed.is_err();
        if vetoed.as_ref().is_err_and(asked.is_for_now) {
            observed.changed = Some(loaded);
        } else {
            (observed.loaded, observed.changed) = (loaded, None);
        }
        let policies = policies?;
        Ok(vetoed.map(|()| self.replace(policies)))
    }

    /// Whether the files hold a policy that was refused, while another one is in force.
    #[doc(hidden)]
    pub fn is_edit_refused(&self) -> bool {
        self.files.as_ref().is_some_and(|files| files.observed().is_refused)
    }

    fn files(&self) -> Result<&Files, Error> {
        self.files.as_ref().ok_or(Error::NoFiles)
    }
}

impl Files {
    fn observed(&self) -> MutexGuard<'_, Observed> {
        // A poisoned lock is usable: a panic while it was held left the old value in place.
        self.observed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parameter_digests_of(policies: &Policies) -> Vec<Digest> {
    policies.policies().into_iter().map(|policy| policy.parameters_digest).collect()
}

fn is_same(some: &Policies, others: &Policies) -> bool {
    policy_records_of(some) == policy_records_of(others) && parameter_digests_of(some) == parameter_digests_of(others)
}

fn policy_records_of(policies: &Policies) -> Vec<PolicyRecord> {
    policies.policies().into_iter().map(PolicyRecord::from_policy).collect()
}
