//! Decides applications with the policy in force, off the async runtime.

use std::sync::Arc;

use super::{Bounds, Error, Workers};
use crate::engine::decision::{Application, Decision, Request, decide_one};
use crate::run::live_policy::LivePolicy;

/// Decides for an async service. Clones share threads and policy.
#[derive(Clone, Debug)]
pub struct Decider {
    live: Arc<LivePolicy>,
    workers: Workers,
}

impl Decider {
    /// Creates a decider with threads of its own. It uses the policy in force in `live`.
    ///
    /// # Errors
    /// [`Error::Threads`] if the threads cannot be started.
    pub fn new(live: Arc<LivePolicy>, bounds: Bounds) -> Result<Decider, Error> {
        Ok(Decider { live, workers: Workers::new(bounds)? })
    }

    /// Decides one statement, with the policy in force when the work starts. A reload meanwhile does not affect it.
    /// `label` is the statement's reference, `body` the provider's JSON.
    ///
    /// # Errors
    /// [`Error::Busy`] if too much work is waiting, [`Error::Application`] if the statement is invalid, and as
    /// [`Workers::run`].
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

    /// The threads, for other work that would block an async runtime.
    pub fn workers(&self) -> &Workers {
        &self.workers
    }
}
