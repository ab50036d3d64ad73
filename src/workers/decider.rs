//! Applications decided by the policy in force, off the runtime. Must not know how work waits.

use std::sync::Arc;

use super::{Bounds, Error, Workers};
use crate::decision::{Application, Decision, Request, decide_one};
use crate::live::LivePolicy;

/// Decides for an async service. Clones share threads and policy.
#[derive(Clone, Debug)]
pub struct Decider {
    live: Arc<LivePolicy>,
    workers: Workers,
}

impl Decider {
    /// Decides by what is in force of `live`, on threads of its own.
    ///
    /// # Errors
    /// [`Error::Threads`] where the system has none to give.
    pub fn new(live: Arc<LivePolicy>, bounds: Bounds) -> Result<Decider, Error> {
        Ok(Decider { live, workers: Workers::new(bounds)? })
    }

    /// Decides on one statement by the policy that is in force when its turn comes; a reload meanwhile does not change it. `label` is the statement's
    /// reference, `body` the provider's JSON.
    ///
    /// # Errors
    /// [`Error::Busy`] where the service has more than it can do, [`Error::Application`] where the statement is at fault, and as [`Workers::run`].
    pub async fn decide(
        &self,
        label: impl Into<String>,
        body: impl AsRef<[u8]> + Send + 'static,
        request: Request,
    ) -> Result<Decision, Error> {
        let (live, label) = (Arc::clone(&self.live), label.into());
        let decided = self.workers.run(move || {
            let application = Application { label: &label, body: body.as_ref(), request: &request };
            decide_one(&*live.current(), &application)
        });
        Ok(decided.await??)
    }

    /// The policy, to be reloaded.
    pub fn live(&self) -> &Arc<LivePolicy> {
        &self.live
    }

    /// The threads, for other work that is too long for a runtime.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
