//! The decisions that the service keeps: each is in the book before it is answered. Blocks no thread of the runtime.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use super::answers::{Answer, JSON};
use super::problem::Problem;
use crate::base::engine::describe_engine;
use crate::base::time::Timestamp;
use crate::decision_book::{DecisionBook, DecisionName, KeptPolicy, NewDecision, OutcomeRecorded, RequestMark};
use crate::engine::decision::Decision;
use crate::lender::process::system_now;
use crate::lender::sources::SourceNote;
use crate::lender::store::error::StoreError;
use crate::portfolio::LoanOutcome;
use crate::portfolio::decision_table::PolicyColumns;
use crate::rules::{Policies, PolicySet};

/// The book, and which policies it knows. Clones share both.
#[derive(Clone)]
pub(super) struct KeptDecisions {
    book: DecisionBook,
    noted: Arc<Mutex<HashSet<String>>>,
}

impl KeptDecisions {
    pub(super) fn new(book: DecisionBook) -> KeptDecisions {
        KeptDecisions { book, noted: Arc::default() }
    }

    /// Keeps an answer. Returns what was answered before, if another process answered the same request.
    pub(super) async fn keep(&self, new: NewDecision, policies: Arc<Policies>) -> Result<Option<Answer>, Problem> {
        let kept = self.run_blocking(move |own| match own.keep_now(&new, &policies) {
            Ok(()) => Ok(Ok(None)),
            Err(error) => match (&error, &new.mark) {
                (StoreError::Duplicate { .. }, Some(mark)) => match own.find_answer_now(mark)? {
                    Ok(None) => Err(error),
                    found => Ok(found),
                },
                _ => Err(error),
            },
        });
        kept.await?
    }

    /// Keeps a decision, after the policy that made it. Blocks.
    pub(super) fn keep_now(&self, new: &NewDecision, policies: &Policies) -> Result<(), StoreError> {
        if let Ok(decision) = &new.decided {
            self.note_policy(decision, policies, new.at)?;
        }
        self.book.keep(new)
    }

    fn note_policy(&self, decision: &Decision, policies: &Policies, at: Timestamp) -> Result<(), StoreError> {
        let (digest, parameters) = (decision.policy.digest.to_string(), decision.digests.parameters.to_string());
        let key = format!("{digest} {parameters}");
        // A poisoned lock is usable: at worst a policy is noted again.
        let noted = || self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted().contains(&key) {
            return Ok(());
        }
        let is_it = |policy: &&crate::rules::Policy| policy.digest() == decision.policy.digest;
        let Some(policy) = policies.policies().into_iter().find(is_it) else {
            return Err(StoreError::Programming("a decision names no policy in force".to_owned()));
        };
        let kept = KeptPolicy {
            digest,
            parameters,
            engine: describe_engine().to_owned(),
            name: decision.policy.name.clone(),
            version: decision.policy.version.clone(),
            about: PolicyColumns::from_policy(policy).to_json(),
        };
        self.book.note_policy(&kept, at)?;
        noted().insert(key);
        Ok(())
    }

    /// What was answered to the request with this mark.
    ///
    /// # Errors
    /// If its key was used with another body.
    pub(super) async fn find_answer(&self, mark: RequestMark) -> Result<Option<Answer>, Problem> {
        self.run_blocking(move |own| own.find_answer_now(&mark)).await?
    }

    fn find_answer_now(&self, mark: &RequestMark) -> Result<Result<Option<Answer>, Problem>, StoreError> {
        let Some(kept) = self.book.find_by_request(&mark.key)? else { return Ok(Ok(None)) };
        if !kept.answers(&mark.request) {
            return Ok(Err(Problem::new("idempotency-key-reused", "send another key with another body")));
        }
        let Some(mut bytes) = self.book.open_line(&kept)? else { return Ok(Ok(None)) };
        bytes.push(b'\n');
        let policy = kept.facts.policy[2].parse().ok();
        Ok(Ok(Some(Answer { bytes, content_type: JSON, policy, id: Some(kept.facts.id) })))
    }

    /// A decision as JSON: when it was made, for which caller, the decision itself, and what became of the loan.
    pub(super) async fn show(&self, id: &str) -> Result<Vec<u8>, Problem> {
        let wanted = id.to_owned();
        let found = self.run_blocking(move |own| {
            let Some(kept) = own.book.find(&wanted)?.filter(|kept| kept.facts.answer.is_none()) else {
                return Ok(None);
            };
            let line = own.book.open_line(&kept)?;
            Ok(Some((kept, line)))
        });
        let unknown = || Problem::new("unknown-decision", "no decision of this service has this id");
        let (kept, line) = found.await?.ok_or_else(unknown)?;
        let erased = || Problem::new("decision-erased", "its personal part was erased; counts of it remain");
        let decision = String::from_utf8(line.ok_or_else(erased)?).map_err(|_| Problem::internal())?;
        let facts = &kept.facts;
        let shown = ShownDecision {
            id: &facts.id,
            at: facts.at.to_string(),
            caller: &facts.caller,
            took_us: facts.took_us,
            decision: serde_json::value::RawValue::from_string(decision).map_err(|_| Problem::internal())?,
            sources: &kept.sources,
            loan: facts.loan.as_ref().map(loan_as_json),
        };
        let mut bytes = serde_json::to_vec(&shown).map_err(|_| Problem::internal())?;
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Keeps what became of a loan.
    pub(super) async fn record_outcome(&self, name: DecisionName, loan: LoanOutcome) -> Result<Vec<u8>, Problem> {
        let recorded = self.run_blocking(move |own| own.book.record_outcome(&name, &loan, system_now())).await?;
        match recorded {
            OutcomeRecorded::Kept { decision, replaced } => {
                Ok(format!("{}\n", serde_json::json!({ "decision": decision, "replaced": replaced })).into_bytes())
            }
            OutcomeRecorded::NoDecision => {
                Err(Problem::new("unknown-decision", "no decision of this service has this id or reference"))
            }
            OutcomeRecorded::NoOffer { .. } => {
                Err(Problem::new("declined", "this application was declined, so no loan followed from it"))
            }
        }
    }

    /// What is known of the loan of an offer request; the outer `None` if its decision is not in the book. Blocks.
    pub(super) fn find_loan(&self, reference: &str) -> Result<Option<Option<LoanOutcome>>, StoreError> {
        let found = self.book.find_by_reference(reference)?;
        Ok(found.filter(|kept| kept.facts.outcome != "decline").map(|kept| kept.facts.loan))
    }

    /// Keeps what became of the loan of an offer request. Blocks.
    pub(super) fn report_loan(&self, reference: &str, loan: &LoanOutcome, at: Timestamp) -> Result<(), StoreError> {
        self.book.record_outcome(&DecisionName::Reference(reference.to_owned()), loan, at).map(drop)
    }

    /// Runs what blocks on the database.
    async fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&KeptDecisions) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Problem> {
        let own = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&own)).await.map_err(|_| Problem::internal())?;
        done.map_err(|error| Problem::from_store(&error))
    }
}

#[derive(serde::Serialize)]
struct ShownDecision<'a> {
    id: &'a str,
    at: String,
    caller: &'a str,
    took_us: i64,
    decision: Box<serde_json::value::RawValue>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    sources: &'a [SourceNote],
    loan: Option<serde_json::Value>,
}

fn loan_as_json(loan: &LoanOutcome) -> serde_json::Value {
    let day = |day: Option<crate::base::date::Day>| day.map(|day| day.to_string());
    serde_json::json!({
        "bad": loan.bad,
        "loan_date": day(loan.loan_date),
        "bad_date": day(loan.bad_date),
        "observed_until": day(loan.observed_until),
        "amount": loan.amount,
    })
}

/// A new id of a decision, which cannot be guessed.
pub(super) fn new_id() -> Result<String, Problem> {
    let mut random = [0_u8; 16];
    getrandom::fill(&mut random).map_err(|_| Problem::internal())?;
    Ok(format!("dec_{:032x}", u128::from_be_bytes(random)))
}
