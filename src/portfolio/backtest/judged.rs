//! A policy with what it decided on every customer. Counts nothing.

use std::sync::Arc;

use super::causes::PolicySide;
use super::decisions::Decisions;
use crate::engine::decision::{CacheError, Judgement, MetricsCache, Request};
use crate::rules::Policy;

/// A policy that was judged.
pub struct Judged<'p> {
    pub policy: &'p Policy,
    pub judgement: Arc<Judgement>,
    pub decisions: Decisions,
}

impl<'p> Judged<'p> {
    /// Judges every customer whose metrics a cache has.
    ///
    /// # Errors
    /// If the policy needs values that the cache does not have.
    pub fn new(policy: &'p Policy, cache: &mut MetricsCache, request: &Request) -> Result<Judged<'p>, CacheError> {
        let judgement = cache.judge(policy, request)?;
        let decisions = Decisions::new(&judgement);
        Ok(Judged { policy, judgement, decisions })
    }

    pub(super) fn side(&self) -> PolicySide<'_> {
        PolicySide { policy: self.policy, judgement: &self.judgement, decisions: &self.decisions }
    }
}
