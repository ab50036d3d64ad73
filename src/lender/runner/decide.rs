//! A statement and an offer request become a decision, by the policy in force, and its offers become terms of loans.
//! Knows nothing of where the statement comes from.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value as Json;

use super::call::Heard;
use crate::base::pricing::FeeMode;
use crate::base::time::Timestamp;
use crate::engine::decision::{Application, Decision, OfferRecord, Outcome, Request, decide_one};
use crate::lender::loan::{Cause, Event, Terms, Verdict};
use crate::lender::loan_book::{Decided, Facts, OfferRow};
use crate::rules::{InputSource, Policies, Policy, PolicySet};
use crate::run::decision_pool::{self, Workers};
use crate::run::live_policy::LivePolicy;

/// Decides by the policy in force, on threads of its own.
#[derive(Clone)]
pub(crate) struct Decisions {
    live: Arc<LivePolicy>,
    workers: Workers,
}

/// What is to be decided.
pub(crate) struct Asked {
    /// The offer request, which the decision names.
    pub(crate) reference: String,
    /// The customer.
    pub(crate) customer_id: String,
    /// What was asked for, by the fields of the interface.
    pub(crate) request: Json,
    /// The provider's statement.
    pub(crate) statement: Bytes,
    /// The moment of the decision.
    pub(crate) now: Timestamp,
}

impl Decisions {
    /// Decides by this policy on these threads.
    pub(crate) fn new(live: Arc<LivePolicy>, workers: Workers) -> Decisions {
        Decisions { live, workers }
    }

    /// Decides. The record comes apart, to be encrypted.
    pub(crate) async fn decide(&self, asked: Asked) -> (Heard, Option<String>) {
        let live = Arc::clone(&self.live);
        match self.workers.run(move || decided(&live.current(), &asked)).await {
            Ok(decided) => decided,
            Err(decision_pool::Error::Busy { .. } | decision_pool::Error::Closed) => {
                (Heard::event(Event::NoAnswer), None)
            }
            Err(error) => (Heard::because(Event::Impossible(Cause::Undecidable), error.to_string()), None),
        }
    }
}

/// The decision as an event of the loan.
fn decided(policies: &Policies, asked: &Asked) -> (Heard, Option<String>) {
    let undecidable = |why: String| (Heard::because(Event::Impossible(Cause::Undecidable), why), None);
    let request = match request(policies, asked) {
        Ok(request) => request,
        Err(why) => return undecidable(why),
    };
    let application = Application { label: &asked.reference, body: &asked.statement, request: &request };
    let decision = match decide_one(policies, &application) {
        Ok(decision) => decision,
        // The message names records, which are personal; the place alone is not.
        Err(error) if error.is_malformed() => return undecidable("the statement is malformed".to_owned()),
        Err(_) => return undecidable("the statement is refused".to_owned()),
    };
    let policy = policies.policies().into_iter().find(|policy| policy.digest() == decision.policy.digest);
    let Some(policy) = policy else { return undecidable("the decision names no policy in force".to_owned()) };
    match offers(policy, &decision) {
        Ok(offers) => {
            let event = event(&decision, &offers);
            let facts = Facts { decision: Some(recorded(&decision, offers)), ..Facts::default() };
            (Heard { event, facts }, Some(decision.to_line()))
        }
        Err(why) => undecidable(why),
    }
}

fn event(decision: &Decision, offers: &[OfferRow]) -> Event {
    let until = offers.iter().map(|offer| offer.expires_at).max();
    match (decision.outcome, until) {
        (Outcome::Offer, Some(until)) => Event::Decided { verdict: Verdict::Offer { until }, is_answered: false },
        (Outcome::Refer, _) => Event::Refer,
        (Outcome::Decline | Outcome::Offer, _) => Event::Decided { verdict: Verdict::Decline, is_answered: false },
    }
}

/// The decision as the book keeps it, still without its record.
fn recorded(decision: &Decision, offers: Vec<OfferRow>) -> Decided {
    let policy = &decision.policy;
    Decided {
        outcome: decision.outcome.word().to_owned(),
        policy: [policy.name.clone(), policy.version.clone(), policy.digest.to_string()],
        record: None,
        offers,
    }
}

/// The request as the policy declares it: the day, the customer, and those fields of the offer request that it asks
/// for.
fn request(policies: &Policies, asked: &Asked) -> Result<Request, String> {
    let all = policies.policies();
    let zone = &all.first().ok_or("no policy is in force")?.header().zone;
    let today = zone.local_day(asked.now.milliseconds().div_euclid(1_000));
    let mut request = Request { as_of: Some(today), customer: Some(asked.customer_id.clone()), ..Request::default() };
    let fields = asked.request.as_object().into_iter().flatten();
    for (name, value) in fields {
        let is_declared = all.iter().any(|policy| {
            policy.inputs().iter().any(|input| input.source == InputSource::Request && input.name == *name)
        });
        if is_declared {
            request.set(policies, name, value.clone()).map_err(|error| error.to_string())?;
        }
    }
    Ok(request)
}

fn offers(policy: &Policy, decision: &Decision) -> Result<Vec<OfferRow>, String> {
    decision.offers.iter().map(|record| offer(policy, record)).collect()
}

/// An offer with its terms as a loan.
fn offer(policy: &Policy, record: &OfferRecord) -> Result<OfferRow, String> {
    let header = policy.header();
    let (added, deducted) = match header.fee_mode {
        FeeMode::Added => (record.fee, 0),
        FeeMode::Deducted => (0, record.fee),
    };
    let payments = Terms::spread(record.amount_payable, added, record.instalment, record.instalments);
    let expires_at = Timestamp::parse_iso(&record.expiry_date).ok_or("an offer's expiry is no moment")?;
    Ok(OfferRow {
        offer: record.offer.clone(),
        terms: Terms {
            paid_out_minor: record.amount_offered - deducted,
            payments_minor: payments.map_err(|error| format!("the offer `{}`: {error}", record.rule))?,
            length: record.tenure,
            unit: header.tenure_unit.name().to_owned(),
            currency: record.currency.clone(),
            is_part_payment_allowed: record.is_part_payment_allowed,
        },
        expires_at,
    })
}
