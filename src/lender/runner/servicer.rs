//! The lender behind the hosted endpoints: offers are decided on, acceptances and payments recorded, loans looked up.
//! Knows nothing of HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use super::call::Call;
use super::worker::Runner;
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::lender::hosted::{BoxFuture, Lender, OffersAnswer, Refusal};
use crate::lender::loan::{Event, LoanDecision, LoanState};
use crate::lender::loan_book::{BookError, Claimed, LoanRow, NewRequest, OfferRow, PaymentStatus, RecordedRequest};
use crate::provider::wire::ListedOffer;
use crate::provider::wire::lender::{LoanStanding, LoanStatusQuery, OfferAcceptance, OfferRequest, Payment};

/// The lender.
#[derive(Clone)]
pub(crate) struct Servicer {
    pub(crate) runner: Runner,
    /// How long an offer request waits for its decision; zero answers all of them later.
    pub(crate) answer_within: Duration,
    /// How many loans a customer may have at a time.
    pub(crate) loans_max: i64,
    /// How long the reply to an acceptance waits for the account's verification; zero answers at once.
    pub(crate) verify_within: Duration,
    /// The unit of amounts in E10.
    pub(crate) amount_unit: AmountUnit,
}

/// Who answers an offer request: the reply that waits, or E3 later. Exactly one of them.
#[derive(Default)]
struct Answering(AtomicBool);

impl Answering {
    /// Takes the answer. Returns whether it was still free.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

impl Servicer {
    async fn answer_request(&self, request: OfferRequest) -> Result<OffersAnswer, Refusal> {
        let new = NewRequest {
            reference: request.reference.clone(),
            customer_id: request.customer_id.clone(),
            // Without the date of birth: it is personal, and compared by its digest alone.
            request: json!({
                "amount": request.amount, "channel_code": request.channel_code, "service_type": request.service_type,
            }),
            fingerprint: self.runner.vault().fingerprint(&format!(
                "{:?}",
                (
                    &request.customer_id,
                    request.amount,
                    &request.channel_code,
                    &request.service_type,
                    &request.date_of_birth
                )
            )),
        };
        let stored =
            self.runner.run_blocking(move |runner| runner.book().record_request(&new, runner.instance(), runner.now()));
        match stored.await.map_err(refusal)? {
            RecordedRequest::Known(row) => self.answer_known(row).await,
            RecordedRequest::New(claimed) => {
                let (loan, to) = (claimed.row.id, claimed.row.loan.state.word());
                tracing::debug!(loan, event = "requested", to, "a loan made a step");
                Ok(self.decide(claimed).await)
            }
        }
    }

    /// Decides now, or later if it takes too long.
    async fn decide(&self, claimed: Claimed) -> OffersAnswer {
        let answering = Arc::new(Answering::default());
        let is_later = self.answer_within.is_zero() && answering.take();
        let (sender, receiver) = oneshot::channel();
        let (servicer, theirs) = (self.clone(), Arc::clone(&answering));
        // Runs to its end, also if the provider does not wait for the reply.
        let working = self.runner.track_loan(&claimed);
        tokio::spawn(async move {
            let _working = working;
            let _ = sender.send(servicer.decide_to_the_end(claimed, &theirs).await);
        });
        if is_later {
            return OffersAnswer::Later;
        }
        tokio::pin!(receiver);
        if let Ok(Ok(answer)) = tokio::time::timeout(self.answer_within, &mut receiver).await {
            return answer;
        }
        match answering.take() {
            true => OffersAnswer::Later,
            // It is being stored as answered at this moment.
            false => receiver.await.unwrap_or(OffersAnswer::Later),
        }
    }

    async fn decide_to_the_end(&self, claimed: Claimed, answering: &Answering) -> OffersAnswer {
        let row = &claimed.row;
        let call = Call::decide(row);
        let mut outcome = self.runner.provider().make_call(&call).await;
        let mut answer = OffersAnswer::Later;
        if let Event::Decided { decision, is_answered } = &mut outcome.event
            && answering.take()
        {
            *is_answered = true;
            let offers = outcome.facts.decision.iter().flat_map(|decided| &decided.offers);
            answer = match decision {
                LoanDecision::Offer { .. } => OffersAnswer::Offers(offers.map(listed).collect()),
                LoanDecision::Decline => OffersAnswer::None,
            };
        }
        match self.runner.record_outcome(&claimed, outcome).await {
            Ok(_) => {
                self.runner.wake();
                answer
            }
            // It may have been recorded although that could not be confirmed: the book knows.
            Err(error) => {
                tracing::error!(%error, "whether a decision was recorded is looked up");
                let id = row.id;
                let found = self.runner.run_blocking(move |runner| Ok(runner.book().load_loan(id)?)).await;
                match found {
                    Ok(Some(row)) => self.answer_known(row).await.unwrap_or(OffersAnswer::Later),
                    _ => OffersAnswer::Later,
                }
            }
        }
    }

    async fn answer_known(&self, row: LoanRow) -> Result<OffersAnswer, Refusal> {
        let (id, now) = (row.id, self.runner.now());
        match (row.loan.state, row.loan.decision) {
            (LoanState::Requested | LoanState::Referred | LoanState::Review | LoanState::Answering, _) => {
                Ok(OffersAnswer::Later)
            }
            (_, Some(LoanDecision::Offer { until })) if now < until => {
                let offers = self
                    .runner
                    .run_blocking(move |runner| Ok(runner.book().list_offers(id)?))
                    .await
                    .map_err(refusal)?;
                Ok(OffersAnswer::Offers(offers.iter().map(listed).collect()))
            }
            _ => Ok(OffersAnswer::None),
        }
    }

    fn find_status(&self, query: &LoanStatusQuery) -> Result<LoanStanding, Refusal> {
        let found = self.runner.book().find_status(&query.loan_id).map_err(|error| refusal(error.into()))?;
        let row = found.filter(|row| row.customer_id == query.customer_id).ok_or(Refusal::NotFound)?;
        let status = word(row.state).ok_or_else(|| Refusal::Conflict("the loan has not been paid out".to_owned()))?;
        let exponent = Currency::from_numeric(&row.currency).map_or(2, |currency| currency.exponent());
        let due = row.due.ok_or_else(|| Refusal::Conflict("the loan has not been paid out".to_owned()))?;
        Ok(LoanStanding {
            status: status.to_owned(),
            remaining_amount: amount_digits(row.owed_minor, self.amount_unit, exponent),
            due_date: self.runner.plan().collect_on(due).to_string(),
        })
    }

    async fn record_payment(&self, payment: Payment) -> Result<String, Refusal> {
        let notified = self.runner.run_blocking(move |runner| runner.book().record_payment(&payment, runner.at()));
        let notified = notified.await.map_err(refusal)?;
        self.runner.wake();
        let (loan, state) =
            (notified.loan.as_ref().map(|row| row.id), notified.loan.as_ref().map(|row| row.loan.state));
        let (to, standing) = (state.map(LoanState::word), notified.payment.status.word());
        tracing::debug!(loan, event = "paid", to, standing, "a payment was recorded");
        match (notified.loan, notified.payment.status) {
            (Some(row), _) => {
                // Before it is paid out a loan is on its way, or has ended.
                let unpaid = if row.loan.state.is_final() { "CLOSED" } else { "OPEN" };
                Ok(word(row.loan.state).unwrap_or(unpaid).to_owned())
            }
            (None, PaymentStatus::Parked | PaymentStatus::Dismissed) => Err(Refusal::NotFound),
            (None, _) => Err(Refusal::Unavailable),
        }
    }
}

/// The word of E10 and E11 for a state; `None` before the loan is paid out.
fn word(state: LoanState) -> Option<&'static str> {
    match state {
        LoanState::Closed | LoanState::Overpaid | LoanState::WrittenOff => Some("CLOSED"),
        LoanState::Open
        | LoanState::Collecting
        | LoanState::CollectionUnknown
        | LoanState::CollectionFailed
        | LoanState::Review => Some("OPEN"),
        _ => None,
    }
}

fn listed(row: &OfferRow) -> ListedOffer {
    ListedOffer::from(&row.offer)
}

pub(super) fn refusal(error: BookError) -> Refusal {
    match error {
        BookError::NotFound(_) => Refusal::NotFound,
        BookError::Conflict(why) => Refusal::Conflict(why.to_owned()),
        BookError::Refused(refused) => Refusal::Conflict(refused.to_string()),
        BookError::Lost => Refusal::Unavailable,
        BookError::Store(error) => {
            tracing::error!(%error, "the loan book failed");
            Refusal::Unavailable
        }
    }
}

impl Lender for Servicer {
    fn offers_requested(&self, request: OfferRequest) -> BoxFuture<'_, Result<OffersAnswer, Refusal>> {
        Box::pin(self.answer_request(request))
    }

    fn offer_accepted(&self, acceptance: OfferAcceptance) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(self.accept_offer(acceptance))
    }

    fn loan_status(&self, query: LoanStatusQuery) -> BoxFuture<'_, Result<LoanStanding, Refusal>> {
        let servicer = self.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || servicer.find_status(&query)).await;
            done.unwrap_or(Err(Refusal::Unavailable))
        })
    }

    fn payment_notified(&self, payment: Payment) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(self.record_payment(payment))
    }
}
