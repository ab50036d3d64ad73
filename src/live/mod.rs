//! Floor 4: a policy that stays in force while the service runs: read without a lock, replaced whole by a good load, kept where a load is bad.
//! Must not know who asks, nor when it is time to look: there is no thread and no clock here.

mod snapshot;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;

use crate::decision::PolicyRecord;
use crate::files::PolicyError;
use crate::rules::{Policies, PolicySet};
use snapshot::{Seen, load};

/// The policy of a rule file, or of a folder of versions, that is in force now and may be replaced while others decide by it.
///
/// ```
/// use lendwright::{LivePolicy, live::Reloaded};
/// let live = LivePolicy::load("rules/starter.toml", &[])?;
/// assert_eq!(live.in_force()[0].name, "starter");
/// assert!(matches!(live.reload()?, Reloaded::Unchanged));
/// # Ok::<(), lendwright::live::Error>(())
/// ```
#[derive(Debug)]
pub struct LivePolicy {
    path: PathBuf,
    overrides: Vec<(String, String)>,
    current: ArcSwap<Policies>,
    /// Held by who loads; readers of the policy do not ask for it.
    looks: Mutex<Looks>,
}

/// What was on disk when it was looked at.
#[derive(Debug)]
struct Looks {
    /// What the last load was made of, a refused one too.
    loaded: Seen,
    /// What a later look found instead.
    changed: Option<Seen>,
}

/// What came of a reload that did not fail.
#[derive(Clone, Debug)]
#[must_use]
pub enum Reloaded {
    /// The files say what they said before.
    Unchanged,
    /// Files were changed since the last look, and may still be written; the next look that finds them alike loads them.
    Changing,
    /// Another policy is in force from now on.
    Swapped {
        /// What decided until now; whoever holds it goes on with it.
        before: Arc<Policies>,
        /// What decides from now on.
        now: Arc<Policies>,
    },
}

/// Why a policy could not be loaded. What was in force is so still.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The files cannot be read, or have mistakes, which are listed.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// They changed each time while they were read, so that what was read may be of two versions.
    #[error("the files of `{}` change while they are read; try again when they are written", .0.display())]
    Changing(PathBuf),
}

impl LivePolicy {
    /// Loads the policy for the first time, with parameters given from outside; they hold for every later load.
    ///
    /// # Errors
    /// As [`crate::load_policies`], and where the files do not hold still.
    pub fn load(path: impl AsRef<Path>, overrides: &[(String, String)]) -> Result<LivePolicy, Error> {
        let path = path.as_ref();
        let (policies, loaded) = load(path, overrides);
        Ok(LivePolicy {
            path: path.to_owned(),
            overrides: overrides.to_vec(),
            current: ArcSwap::from_pointee(policies?),
            looks: Mutex::new(Looks { loaded, changed: None }),
        })
    }

    /// What is in force now. Hold it for one decision: it stays as it is, whatever is loaded meanwhile.
    pub fn current(&self) -> Arc<Policies> {
        self.current.load_full()
    }

    /// Name, version and digest of every policy that may decide now: each version, and after it its challenger.
    pub fn in_force(&self) -> Vec<PolicyRecord> {
        records(&self.current())
    }

    /// Loads the files again, and puts what they say in force if they are without a mistake. Blocks on the disk: an async service calls it off its runtime.
    ///
    /// # Errors
    /// As [`LivePolicy::load`]; what was in force is so still.
    pub fn reload(&self) -> Result<Reloaded, Error> {
        self.load_again(&mut self.looks(), None)
    }

    /// Looks whether the files changed, by their content, and loads them if they did and the look before found the same: a file that is half
    /// written may be a whole policy that lacks its last requirements. Meant to be called every few seconds. What was refused once is not told again
    /// until it is changed.
    ///
    /// # Errors
    /// As [`LivePolicy::reload`].
    pub fn reload_if_changed(&self) -> Result<Reloaded, Error> {
        let mut looks = self.looks();
        let now = looks.changed.as_ref().unwrap_or(&looks.loaded).again(&self.path);
        if !now.differs(&looks.loaded) {
            looks.changed = None;
            return Ok(Reloaded::Unchanged);
        }
        if looks.changed.as_ref() != Some(&now) {
            looks.changed = Some(now);
            return Ok(Reloaded::Changing);
        }
        self.load_again(&mut looks, Some(now))
    }

    /// Loads if the files still say what was `expected`.
    fn load_again(&self, looks: &mut Looks, expected: Option<Seen>) -> Result<Reloaded, Error> {
        let (policies, loaded) = load(&self.path, &self.overrides);
        if matches!(policies, Err(Error::Changing(_))) {
            // Nothing of what was seen was put in force or refused: the next look must not take it for known.
            looks.changed = None;
            return policies.map(|_| Reloaded::Changing);
        }
        if expected.is_some_and(|expected| loaded.differs(&expected) || !expected.knows(&loaded)) {
            // A file that is used from now on has been looked at once.
            looks.changed = Some(loaded);
            return Ok(Reloaded::Changing);
        }
        *looks = Looks { loaded, changed: None };
        let (before, policies) = (self.current(), policies?);
        if records(&before) == records(&policies) {
            return Ok(Reloaded::Unchanged);
        }
        let now = Arc::new(policies);
        self.current.store(Arc::clone(&now));
        Ok(Reloaded::Swapped { before, now })
    }

    fn looks(&self) -> MutexGuard<'_, Looks> {
        // Whoever ended while it was held had not yet put anything else there.
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn records(policies: &Policies) -> Vec<PolicyRecord> {
    policies.policies().into_iter().map(PolicyRecord::from_policy).collect()
}
