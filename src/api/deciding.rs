//! One application to its answer: worked on by a thread of the pool, and if it is a decision, kept in the book, counted
//! and handed to the shadows. Knows nothing of headers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::answers::{
    Answer, Answered, LookingPolicies, Read, answer_application, answer_on_statement, read_statement,
};
use super::application::{BodyKind, ReceivedApplication, Source};
use super::kept_decisions::new_id;
use super::pipeline::Api;
use super::problem::Problem;
use super::route::Route;
use super::shadows::{ShadowCase, ShadowFault};
use crate::base::time::Timestamp;
use crate::decision_book::{DecisionRole, NewDecision};
use crate::lender::process::system_now;
use crate::lender::sources::{FoundInputs, Sources, Subject};
use crate::rules::Policies;
use crate::statement::Statements;

/// An application that was read, with what sources gave for it.
struct Prepared {
    policies: Arc<Policies>,
    statements: Option<Statements>,
    subject: Subject,
    found: FoundInputs,
}

/// How long an application waits before it tries again to get a thread.
const PAUSE: Duration = Duration::from_millis(5);

impl Api {
    /// Answers an application. A decision that cannot be kept is not answered.
    pub(super) async fn answer_received(&self, received: ReceivedApplication) -> Result<Answer, Problem> {
        let received = self.pull_statement(received).await?;
        // Others were called for it already, so it takes the next place.
        let is_pulled = received.pulled.is_some();
        let prepared = loop {
            match self.prepare(&received).await {
                Err(problem) if problem.is_busy() && is_pulled => tokio::time::sleep(PAUSE).await,
                prepared => break prepared?.map(Arc::new),
            }
        };
        let (answered, policies, took) = loop {
            match self.work_on(received.clone(), prepared.clone()).await {
                Err(problem) if problem.is_busy() && (is_pulled || prepared.is_some()) => {
                    tokio::time::sleep(PAUSE).await;
                }
                worked => break worked?,
            }
        };
        let outcome = answered.decision.as_ref().map(|decision| decision.outcome);
        let answer = self.keep_answer(received, prepared, answered, policies, took).await?;
        outcome.into_iter().for_each(|outcome| self.count_outcome(outcome));
        Ok(answer)
    }

    /// The application with the statement of the offer request that it names, if it names one.
    async fn pull_statement(&self, received: ReceivedApplication) -> Result<ReceivedApplication, Problem> {
        let Some(provider) = self.provider() else { return Ok(received) };
        // Most applications bring their statement, and are read once.
        if received.kind != BodyKind::Application || memchr::memmem::find(&received.body, b"\"pull\"").is_none() {
            return Ok(received);
        }
        let reference = match received.read()?.source {
            Source::Pulled(reference) => reference,
            Source::Statement(..) | Source::Metrics(_) => return Ok(received),
        };
        let pulled = provider.pull(&reference).await.and_then(|pulled| pulled.into_statement());
        let statement = pulled.map_err(|error| Problem::from_pull(&error))?;
        Ok(ReceivedApplication { pulled: Some(statement), ..received })
    }

    async fn work_on(
        &self,
        received: ReceivedApplication,
        prepared: Option<Arc<Prepared>>,
    ) -> Result<(Answered, Arc<Policies>, Duration), Problem> {
        let api = self.clone();
        let worked = self.workers().run(move || {
            let began = Instant::now();
            let (route, application) = (received.route, received.read()?);
            let others = api.shadow_policies();
            let own = prepared.as_ref().map_or_else(|| api.policies(), |prepared| Arc::clone(&prepared.policies));
            let without = api.nothing_found();
            let found = prepared.as_ref().map_or(&without, |prepared| &prepared.found);
            let looking = LookingPolicies { own: &own, others: &others, found };
            let answered = match &prepared {
                None => answer_application(route, looking, api.columns(), &application)?,
                Some(prepared) => {
                    let request = application.request(looking)?;
                    let read = Read { request, statements: prepared.statements.as_ref() };
                    answer_on_statement(route, looking, &application, read)?
                }
            };
            Ok::<_, Problem>((answered, own, began.elapsed()))
        });
        worked.await?
    }

    /// Nothing, of the sources that there are.
    fn nothing_found(&self) -> FoundInputs {
        self.sources().map_or_else(FoundInputs::default, Sources::nothing)
    }

    /// Reads an application that is decided, and queries the sources for it, if there are any. What is refused costs no
    /// question.
    async fn prepare(&self, received: &ReceivedApplication) -> Result<Option<Prepared>, Problem> {
        let is_decided = matches!(received.route, Route::Decisions | Route::Explanations | Route::Batches);
        let Some(sources) = self.sources().filter(|_| is_decided) else { return Ok(None) };
        let (api, received) = (self.clone(), received.clone());
        let read = self.workers().run(move || {
            let application = received.read()?;
            let (policies, others, found) = (api.policies(), api.shadow_policies(), api.nothing_found());
            let looking = LookingPolicies { own: &policies, others: &others, found: &found };
            application.request(looking)?;
            let statements = read_statement(&policies, api.columns(), &application)?;
            let named = statements.as_ref().and_then(|statements| statements.heads().first()?.customer.clone());
            let subject = application.subject(named.as_deref())?;
            Ok::<_, Problem>(Prepared { policies, statements, subject, found })
        });
        let read = read.await??;
        let found = sources.ask(&read.subject, std::slice::from_ref(&read.policies), &read.found).await;
        Ok(Some(Prepared { found, ..read }))
    }

    async fn keep_answer(
        &self,
        received: ReceivedApplication,
        prepared: Option<Arc<Prepared>>,
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
            took,
            sources: prepared.as_ref().map_or_else(Vec::new, |prepared| prepared.found.notes()),
            decided: Ok(decision),
        };
        // Another process may have answered the same request before.
        if let Some(before) = kept.keep(new, policies).await? {
            return Ok(before);
        }
        self.hand_to_shadows(received, prepared, id.clone(), at);
        Ok(Answer { id: Some(id), ..answer })
    }

    /// Hands an application that was answered to the shadows. What they read besides is fetched now, so that no answer
    /// waits for it.
    fn hand_to_shadows(
        &self,
        received: ReceivedApplication,
        prepared: Option<Arc<Prepared>>,
        id: String,
        at: Timestamp,
    ) {
        let Some(shadows) = self.shadows() else { return };
        let (Some(prepared), Some(_)) = (prepared, self.sources()) else {
            return shadows.hand_over(self.shadow_case(received, self.nothing_found(), id, at));
        };
        let api = self.clone();
        tokio::spawn(async move {
            let (Some(shadows), Some(sources)) = (api.shadows(), api.sources()) else { return };
            let found = sources.ask(&prepared.subject, &api.shadow_policies(), &prepared.found).await;
            shadows.hand_over(api.shadow_case(received, found, id, at));
        });
    }

    /// The application as the shadows decide it. A request may have fields of the policy in force and of all shadows.
    fn shadow_case(&self, received: ReceivedApplication, found: FoundInputs, id: String, at: Timestamp) -> ShadowCase {
        let (api, bytes, caller) = (self.clone(), received.body.len(), Arc::clone(&received.caller));
        let decide = move |policies: &Policies| {
            let others = [vec![api.policies()], api.shadow_policies()].concat();
            let looking = LookingPolicies { own: policies, others: &others, found: &found };
            let answered = received
                .read()
                .and_then(|application| answer_application(received.route, looking, api.columns(), &application));
            let decision = answered.and_then(|answered| answered.decision.ok_or_else(Problem::internal));
            decision.map_err(|problem| ShadowFault(problem.code().into()))
        };
        ShadowCase { decide: Box::new(decide), bytes, caller, id, at }
    }
}
