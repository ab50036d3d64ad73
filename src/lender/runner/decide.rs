//! A statement and an offer request become a decision, by the policy in force, and its offers become terms of loans.
//! Those of a referral are conditional: they are made only if a person approves. Knows nothing of where the statement
//! comes from.

use std::sync::Arc;

use bytes::Bytes;

use super::call::{CallOutcome, DecisionRequest};
use super::decision_record::{CaseFacts, CaseRecord, DecisionRecord};
use super::own_inputs::declared_history;
use crate::base::pricing::FeeMode;
use crate::base::time::Timestamp;
use crate::engine::decision::approval::{ExplainedForPerson, explain_application};
use crate::engine::decision::{Application, ApplicationError, Decision, OfferRecord, Outcome, Request, decide_one};
use crate::lender::loan::{Cause, Event, LoanDecision, Terms};
use crate::lender::loan_book::{Facts, NewDecision, OfferRow};
use crate::rules::{InputSource, Policies, Policy, PolicySet};
use crate::run::decision_pool::{self, Workers};
use crate::run::live_policy::LivePolicy;

/// Decides by the policy in force, on threads of its own.
#[derive(Clone)]
pub(crate) struct Decisions {
    live: Arc<LivePolicy>,
    workers: Workers,
}

/// What was decided.
pub(crate) struct Decided {
    /// The decision as an event of the loan.
    pub(crate) outcome: CallOutcome,
    /// The whole record, to be encrypted; `None` if there is no decision.
    pub(crate) record: Option<Vec<u8>>,
    pub(crate) decision: Option<Box<Decision>>,
}

impl Decided {
    fn nothing(event: Event, why: impl Into<String>) -> Decided {
        Decided { outcome: CallOutcome::with_note(event, why), record: None, decision: None }
    }
}

impl Decisions {
    /// Decides by this policy on these threads.
    pub(crate) fn new(live: Arc<LivePolicy>, workers: Workers) -> Decisions {
        Decisions { live, workers }
    }

    /// The policies in force now. Hold them for one decision.
    pub(crate) fn policies(&self) -> Arc<Policies> {
        self.live.current()
    }

    /// Decides on the provider's statement by these policies, at a moment.
    pub(crate) async fn decide(
        &self,
        policies: Arc<Policies>,
        request: DecisionRequest,
        statement: Bytes,
        now: Timestamp,
    ) -> Decided {
        match self.workers.run(move || decide_by_policies(&policies, &request, &statement, now)).await {
            Ok(decided) => decided,
            Err(decision_pool::Error::Busy { .. } | decision_pool::Error::Closed) => {
                Decided { outcome: CallOutcome::new(Event::NoAnswer), record: None, decision: None }
            }
            Err(error) => Decided::nothing(Event::Impossible(Cause::Undecidable), error.to_string()),
        }
    }
}

/// Decides on a statement by policies.
pub(crate) fn decide_by_policies(
    policies: &Policies,
    requested: &DecisionRequest,
    statement: &Bytes,
    now: Timestamp,
) -> Decided {
    let undecidable = |why: String| Decided::nothing(Event::Impossible(Cause::Undecidable), why);
    let request = match declared_request(policies, requested, now) {
        Ok(request) => request,
        Err(why) => return undecidable(why),
    };
    let application = Application { label: &requested.reference, body: statement, request: &request };
    let decision = match decide_one(policies, &application) {
        Ok(decision) => decision,
        // The message names records, which are personal; the place alone is not.
        Err(error) if error.is_malformed() => return undecidable("the statement is malformed".to_owned()),
        Err(_) => return undecidable("the statement is refused".to_owned()),
    };
    let policy = policies.policies().into_iter().find(|policy| policy.digest() == decision.policy.digest);
    let Some(policy) = policy else { return undecidable("the decision names no policy in force".to_owned()) };
    let case = match decision.outcome {
        Outcome::Refer => match record_case(policies, &application) {
            Ok(case) => Some(case),
            Err(_) => return undecidable("the statement is refused".to_owned()),
        },
        Outcome::Offer | Outcome::Decline => None,
    };
    let offers = offers_of_decision(policy, &decision, case.as_ref());
    let record = DecisionRecord { decision, case };
    match offers.and_then(|offers| Ok((offers, record.to_bytes()?))) {
        Ok((offers, bytes)) => {
            let event = event_of_decision(&record.decision, &offers);
            let decision = Some(to_record(&record.decision, offers));
            let facts = Facts { decision, note: describe_sources(requested), ..Facts::default() };
            let outcome = CallOutcome { event, facts };
            Decided { outcome, record: Some(bytes), decision: Some(Box::new(record.decision)) }
        }
        Err(why) => undecidable(why),
    }
}

/// How sources were queried; `None` if none was.
fn describe_sources(requested: &DecisionRequest) -> Option<String> {
    let notes = requested.found.notes();
    let told = notes.iter().map(|note| format!("{} {} in {} ms", note.source, note.result, note.took_ms));
    (!notes.is_empty()).then(|| format!("sources: {}", told.collect::<Vec<_>>().join(", ")))
}

/// What the person needs to whom the policy refers.
fn record_case(policies: &Policies, application: &Application<'_>) -> Result<CaseRecord, ApplicationError> {
    let ExplainedForPerson { explanation, if_approved, records } = explain_application(policies, application)?;
    Ok(CaseRecord { facts: CaseFacts { explanation, if_approved, records }, statement: application.body.to_vec() })
}

fn event_of_decision(decision: &Decision, offers: &[OfferRow]) -> Event {
    let until = offers.iter().map(|offer| offer.expires_at).max();
    match (decision.outcome, until) {
        (Outcome::Offer, Some(until)) => Event::Decided { decision: LoanDecision::Offer { until }, is_answered: false },
        (Outcome::Refer, _) => Event::Refer,
        (Outcome::Decline | Outcome::Offer, _) => {
            Event::Decided { decision: LoanDecision::Decline, is_answered: false }
        }
    }
}

/// The decision as the book keeps it, still without its record.
fn to_record(decision: &Decision, offers: Vec<OfferRow>) -> NewDecision {
    let policy = &decision.policy;
    NewDecision {
        outcome: decision.outcome.word().to_owned(),
        policy: [policy.name.clone(), policy.version.clone(), policy.digest.to_string()],
        record: None,
        offers,
    }
}

/// The request as the policy declares it: the day, the customer, and the fields of the offer request that it uses.
fn declared_request(policies: &Policies, requested: &DecisionRequest, now: Timestamp) -> Result<Request, String> {
    let all = policies.policies();
    let zone = &all.first().ok_or("no policy is in force")?.header().zone;
    let today = zone.local_day(now.milliseconds().div_euclid(1_000));
    let mut request =
        Request { as_of: Some(today), customer: Some(requested.customer_id.clone()), ..Request::default() };
    let fields = requested.request.as_object().into_iter().flatten();
    for (name, value) in fields {
        let is_declared = all.iter().any(|policy| {
            policy.inputs().iter().any(|input| input.source == InputSource::Request && input.name == *name)
        });
        if is_declared {
            request.set(policies, name, value.clone()).map_err(|error| error.to_string())?;
        }
    }
    if let Some(own) = declared_history(policies, &requested.own) {
        request.set(policies, InputSource::Own.word(), own).map_err(|error| error.to_string())?;
    }
    requested.found.add_to(&mut request, policies);
    Ok(request)
}

/// The offers that are made, or that would be made if a person approved.
fn offers_of_decision(
    policy: &Policy,
    decision: &Decision,
    case: Option<&CaseRecord>,
) -> Result<Vec<OfferRow>, String> {
    let (fee_mode, unit) = (policy.header().fee_mode, policy.header().tenure_unit.name());
    let row = |record: &OfferRecord| build_offer_row(record, fee_mode, unit);
    match case {
        Some(case) => case.facts.if_approved.offers.iter().map(|offer| row(&offer.offer)).collect(),
        None => decision.offers.iter().map(row).collect(),
    }
}

/// An offer with its terms as a loan. `unit` is that of its tenure.
pub(super) fn build_offer_row(record: &OfferRecord, fee_mode: FeeMode, unit: &str) -> Result<OfferRow, String> {
    let (added, deducted) = match fee_mode {
        FeeMode::Added => (record.fee, 0),
        FeeMode::Deducted => (0, record.fee),
    };
    let payments = Terms::spread(record.amount_payable, added, record.instalment, record.instalments);
    let expires_at = Timestamp::parse_iso(&record.expiry_date).ok_or("an offer's expiry is not a moment")?;
    Ok(OfferRow {
        offer: record.offer.clone(),
        terms: Terms {
            paid_out_minor: record.amount_offered - deducted,
            payments_minor: payments.map_err(|error| format!("the offer `{}`: {error}", record.rule))?,
            length: record.tenure,
            unit: unit.to_owned(),
            currency: record.currency.clone(),
            is_part_payment_allowed: record.is_part_payment_allowed,
        },
        expires_at,
    })
}

#[cfg(test)]
mod tests;
