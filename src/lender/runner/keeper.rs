//! Where decisions go besides the loan book, and the policies that decide in the shadow. Knows nothing of who keeps
//! them.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;

use super::call::DecisionRequest;
use super::decide::decide_by_policies;
use crate::base::time::Timestamp;
use crate::engine::decision::Decision;
use crate::rules::Policies;

/// A decision that was made, with all that it was made of.
pub(crate) struct MadeDecision {
    pub(crate) decision: Box<Decision>,
    pub(crate) policies: Arc<Policies>,
    pub(crate) case: DecidedCase,
    pub(crate) took: Duration,
}

/// What was decided on.
pub(crate) struct DecidedCase {
    pub(crate) request: DecisionRequest,
    pub(crate) statement: Bytes,
    pub(crate) at: Timestamp,
}

impl DecidedCase {
    /// Decides the case by other policies.
    ///
    /// # Errors
    /// Why that is impossible, without anything personal.
    pub(crate) fn decide_by(&self, policies: &Policies) -> Result<Box<Decision>, String> {
        let decided = decide_by_policies(policies, &self.request, &self.statement, self.at);
        decided.decision.ok_or_else(|| decided.outcome.facts.note.unwrap_or_else(|| "no decision".to_owned()))
    }
}

/// Keeps decisions.
pub(crate) trait DecisionKeeper: Send + Sync + 'static {
    /// The policies that decide in the shadow: they may read more than the one in force.
    fn shadow_policies(&self) -> Vec<Arc<Policies>>;

    /// Keeps a decision. When this returns, it is on the disk.
    fn keep(&self, made: MadeDecision) -> BoxFuture<'_, Result<(), String>>;
}
