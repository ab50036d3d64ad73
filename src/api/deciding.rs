//! One application to its answer: worked on by a thread of the pool, and if it is a decision, kept in the book, counted
//! and handed to the shadows. Knows nothing of headers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answers::{Answer, Answered, LookingPolicies, answer_application};
use super::application::{ApiApplication, ReceivedApplication};
use super::kept_decisions::new_id;
use super::pipeline::Api;
use super::problem::Problem;
use super::route::Route;
use super::shadows::ShadowCase;
use crate::decision_book::{DecisionRole, NewDecision};
use crate::lender::process::system_now;
use crate::lender::sources::FoundInputs;
use crate::rules::Policies;

impl Api {
    /// Answers an application. A decision that cannot be kept is not answered.
    pub(super) async fn answer_received(&self, received: ReceivedApplication) -> Result<Answer, Problem> {
        let found = self.ask_sources(&received).await?;
        let (shared, application, given) = (self.clone(), received.clone(), found.clone());
        let worked = self.workers().run(move || {
            let began = Instant::now();
            let ReceivedApplication { route, kind, body, query, .. } = &application;
            let read = ApiApplication::read(*kind, body, query)?;
            let (own, others) = (shared.policies(), shared.shadow_policies());
            let looking = LookingPolicies { own: &own, others: &others, found: &given };
            let answered = answer_application(*route, looking, shared.columns(), read)?;
            let took = began.elapsed();
            Ok::<_, Problem>((answered, own, took))
        });
        let (answered, policies, took) = worked.await??;
        let outcome = answered.decision.as_ref().map(|decision| decision.outcome);
        let answer = self.keep_answer(received, found, answered, policies, took).await?;
        outcome.into_iter().for_each(|outcome| self.count_outcome(outcome));
        Ok(answer)
    }

    /// What sources give for an application that is decided.
    async fn ask_sources(&self, received: &ReceivedApplication) -> Result<FoundInputs, Problem> {
        let is_decided = matches!(received.route, Route::Decisions | Route::Explanations | Route::Batches);
        let Some(sources) = self.sources().filter(|_| is_decided) else { return Ok(FoundInputs::default()) };
        let application = received.clone();
        let read = self.workers().run(move || {
            let ReceivedApplication { kind, body, query, .. } = &application;
            ApiApplication::read(*kind, body, query).map(|application| application.subject())
        });
        let subject = read.await??;
        let policies = [vec![self.policies()], self.shadow_policies()].concat();
        Ok(sources.ask(&subject, &policies).await)
    }

    async fn keep_answer(
        &self,
        received: ReceivedApplication,
        found: FoundInputs,
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
            sources: found.notes(),
            decided: Ok(decision),
        };
        // Another process may have answered the same request before.
        if let Some(before) = kept.keep(new, policies).await? {
            return Ok(before);
        }
        if let Some(shadows) = self.shadows() {
            shadows.hand_over(ShadowCase { received, found, id: id.clone(), at });
        }
        Ok(Answer { id: Some(id), ..answer })
    }
}
