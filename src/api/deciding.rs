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
use super::shadows::{ShadowCase, ShadowFault};
use crate::base::time::Timestamp;
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
            shadows.hand_over(self.shadow_case(received, found, id.clone(), at));
        }
        Ok(Answer { id: Some(id), ..answer })
    }

    /// The application as the shadows decide it. A request may have fields of the policy in force and of all shadows.
    fn shadow_case(&self, received: ReceivedApplication, found: FoundInputs, id: String, at: Timestamp) -> ShadowCase {
        let (api, bytes, caller) = (self.clone(), received.body.len(), Arc::clone(&received.caller));
        let decide = move |policies: &Policies| {
            let ReceivedApplication { route, kind, body, query, .. } = &received;
            let others = [vec![api.policies()], api.shadow_policies()].concat();
            let looking = LookingPolicies { own: policies, others: &others, found: &found };
            let answered = ApiApplication::read(*kind, body, query)
                .and_then(|application| answer_application(*route, looking, api.columns(), application));
            let decision = answered.and_then(|answered| answered.decision.ok_or_else(Problem::internal));
            decision.map_err(|problem| ShadowFault(problem.code().into()))
        };
        ShadowCase { decide: Box::new(decide), bytes, caller, id, at }
    }
}
