//! One application to its answer: worked on by a thread of the pool, and if it is a decision, kept in the book, counted
//! and handed to the shadows. Knows nothing of headers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answers::{Answer, Answered, LookingPolicies, answer_application};
use super::application::{ApiApplication, ReceivedApplication};
use super::kept_decisions::new_id;
use super::pipeline::Api;
use super::problem::Problem;
use super::shadows::ShadowCase;
use crate::decision_book::{DecisionRole, NewDecision};
use crate::lender::process::system_now;
use crate::rules::Policies;

impl Api {
    /// Answers an application. A decision that cannot be kept is not answered.
    pub(super) async fn answer_received(&self, received: ReceivedApplication) -> Result<Answer, Problem> {
        let (shared, application) = (self.clone(), received.clone());
        let worked = self.workers().run(move || {
            let began = Instant::now();
            let ReceivedApplication { route, kind, body, query, .. } = &application;
            let read = ApiApplication::read(*kind, body, query)?;
            let (own, others) = (shared.policies(), shared.shadow_policies());
            let looking = LookingPolicies { own: &own, others: &others };
            let answered = answer_application(*route, looking, shared.columns(), read)?;
            let took = began.elapsed();
            Ok::<_, Problem>((answered, own, took))
        });
        let (answered, policies, took) = worked.await??;
        let outcome = answered.decision.as_ref().map(|decision| decision.outcome);
        let answer = self.keep_answer(received, answered, policies, took).await?;
        outcome.into_iter().for_each(|outcome| self.count_outcome(outcome));
        Ok(answer)
    }

    async fn keep_answer(
        &self,
        received: ReceivedApplication,
        answered: Answered,
        policies: Arc<Policies>,
        took: Duration,
    ) -> Result<Answer, Problem> {
        let Answered { answer, decision } = answered;
        let (Some(kept), Some(decision)) = (self.kept_decisions(), decision) else { return Ok(answer) };
        let (id, at) = (new_id()?, system_now());
        let new = NewDecision {
            id: id.clone(),
            at,
            role: DecisionRole::InForce,
            caller: received.caller.to_string(),
            mark: received.mark.clone(),
            took_us: i64::try_from(took.as_micros()).unwrap_or(i64::MAX),
            decided: Ok(decision),
        };
        // Another process may have answered the same request before.
        if let Some(before) = kept.keep(new, policies).await? {
            return Ok(before);
        }
        if let Some(shadows) = self.shadows() {
            shadows.hand_over(ShadowCase { received, id: id.clone(), at });
        }
        Ok(Answer { id: Some(id), ..answer })
    }
}
