//! The decisions of the lender's service go into the same book, and the same shadows decide them once more.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use super::kept_decisions::new_id;
use super::pipeline::Api;
use super::problem::Problem;
use super::shadows::{ShadowCase, ShadowFault};
use crate::decision_book::{DecisionRole, NewDecision};
use crate::lender::runner::{DecidedCase, DecisionKeeper, MadeDecision};
use crate::rules::Policies;

/// The caller of decisions on offer requests.
const PROVIDER: &str = "provider";

impl DecisionKeeper for Api {
    fn shadow_policies(&self) -> Vec<Arc<Policies>> {
        Api::shadow_policies(self)
    }

    fn keep(&self, made: MadeDecision) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            let Some(kept) = self.kept_decisions() else { return Ok(()) };
            let told = |problem: Problem| problem.code().to_owned();
            let MadeDecision { decision, policies, case, took } = made;
            let (id, outcome) = (new_id().map_err(told)?, decision.outcome);
            let new = NewDecision {
                id: id.clone(),
                at: case.at,
                role: DecisionRole::InForce,
                caller: PROVIDER.to_owned(),
                mark: None,
                took,
                sources: case.request.found.notes(),
                decided: Ok(decision),
            };
            kept.keep(new, policies).await.map_err(told)?;
            self.count_outcome(outcome);
            let handing = self.clone().hand_case_to_shadows(case, id);
            match self.sources() {
                Some(_) => drop(tokio::spawn(handing)),
                None => handing.await,
            }
            Ok(())
        })
    }
}

impl Api {
    /// What only the shadows read is fetched now, so that no step of a loan waits for it.
    async fn hand_case_to_shadows(self, mut case: DecidedCase, id: String) {
        if let Some(sources) = self.sources() {
            let subject = case.request.subject();
            case.request.found = sources.ask(&subject, &self.shadow_policies(), &case.request.found).await;
        }
        let Some(shadows) = self.shadows() else { return };
        let (bytes, at) = (case.statement.len(), case.at);
        let decide = move |policies: &Policies| case.decide_by(policies).map_err(|why| ShadowFault(why.into()));
        shadows.hand_over(ShadowCase { decide: Box::new(decide), bytes, caller: PROVIDER.into(), id, at });
    }
}
