//! The lender behind the hosted endpoints: offers are decided on, acceptances and payments recorded, loans looked up.
//! Knows nothing of HTTP.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::oneshot;

use super::call::Call;
use super::private::Private;
use super::worker::Runner;
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::lender::hosted::{Accepted, BoxFuture, Lender, OffersAnswer, Refusal};
use crate::lender::loan::{Event, State, Verdict};
use crate::lender::loan_book::{Acceptance, BookError, Claimed, LoanRow, NewRequest, OfferRow, Requested, Standing};
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
    /// The unit of amounts in E10.
    pub(crate) amount_unit: AmountUnit,
}

/// Who answers an offer request: the reply that waits, or E3 later. Exactly one of them.
#[derive(Default)]
struct Answering(AtomicBool);

impl Answering {
    /// Takes the answer. Returns whether nobody else has.
    fn take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

impl Servicer {
    async fn offers(&self, asked: OfferRequest) -> Result<OffersAnswer, Refusal> {
        let new = NewRequest {
            reference: asked.reference.clone(),
            customer_id: asked.customer_id.clone(),
            // Without the date of birth: it is personal, and compared by its digest alone.
            request: json!({
                "amount": asked.amount, "channel_code": asked.channel_code, "service_type": asked.service_type,
            }),
            fingerprint: self.runner.vault().fingerprint(&format!(
                "{:?}",
                (&asked.customer_id, asked.amount, &asked.channel_code, &asked.service_type, &asked.date_of_birth)
            )),
        };
        let stored = self.runner.blocking(move |runner| runner.book().request(&new, runner.instance(), runner.now()));
        match stored.await.map_err(refusal)? {
            Requested::Known(row) => self.known(row).await,
            Requested::New(claimed) => Ok(self.decide(claimed).await),
        }
    }

    /// Decides now, or later if it takes too long.
    async fn decide(&self, claimed: Claimed) -> OffersAnswer {
        let answering = Arc::new(Answering::default());
        let is_later = self.answer_within.is_zero() && answering.take();
        let (sender, receiver) = oneshot::channel();
        let (servicer, theirs) = (self.clone(), Arc::clone(&answering));
        // Runs to its end, also if the provider does not wait for the reply.
        let working = self.runner.working_on(&claimed);
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
        let mut heard = self.runner.provider().make(&call).await;
        let mut answer = OffersAnswer::Later;
        if let Event::Decided { verdict, is_answered } = &mut heard.event
            && answering.take()
        {
            *is_answered = true;
            let offers = heard.facts.decision.iter().flat_map(|decided| &decided.offers);
            answer = match verdict {
                Verdict::Offer { .. } => OffersAnswer::Offers(offers.map(listed).collect()),
                Verdict::Decline => OffersAnswer::None,
            };
        }
        match self.runner.record(&claimed, heard).await {
            Ok(_) => {
                self.runner.wake();
                answer
            }
            // It may have been recorded although that could not be confirmed: the book knows.
            Err(error) => {
                tracing::error!(%error, "whether a decision was recorded is looked up");
                let id = row.id;
                let found = self.runner.blocking(move |runner| Ok(runner.book().loan(id)?)).await;
                match found {
                    Ok(Some(row)) => self.known(row).await.unwrap_or(OffersAnswer::Later),
                    _ => OffersAnswer::Later,
                }
            }
        }
    }

    async fn known(&self, row: LoanRow) -> Result<OffersAnswer, Refusal> {
        let (id, now) = (row.id, self.runner.now());
        match (row.loan.state, row.loan.verdict) {
            (State::Requested | State::Referred | State::Review | State::Answering, _) => Ok(OffersAnswer::Later),
            (_, Some(Verdict::Offer { until })) if now < until => {
                let offers =
                    self.runner.blocking(move |runner| Ok(runner.book().offers(id)?)).await.map_err(refusal)?;
                Ok(OffersAnswer::Offers(offers.iter().map(listed).collect()))
            }
            _ => Ok(OffersAnswer::None),
        }
    }

    async fn accept(&self, asked: OfferAcceptance) -> Result<Accepted, Refusal> {
        let loans_max = self.loans_max;
        let accepted = self.runner.blocking(move |runner| {
            let private = Private {
                account_number: asked.destination_account_number.clone(),
                bank_code: asked.destination_bank_code.clone(),
                msisdn: asked.msisdn.clone(),
            };
            let sealed = private.seal(&**runner.vault(), &asked.loan_reference_id);
            let sealed = sealed.map_err(crate::lender::store::error::StoreError::Unsuitable)?;
            let fingerprint = runner.vault().fingerprint(&format!(
                "{:?}",
                (
                    &asked.offer_id,
                    &asked.customer_id,
                    &asked.destination_account_number,
                    &asked.destination_bank_code,
                    &asked.loan_id,
                )
            ));
            let acceptance = Acceptance {
                offer_id: asked.offer_id,
                customer_id: asked.customer_id,
                loan_reference_id: asked.loan_reference_id,
                loan_id: asked.loan_id,
                fingerprint,
                private: Some(sealed),
                loans_max,
            };
            runner.book().accept(&acceptance, (runner.now(), runner.plan()))
        });
        let accepted = accepted.await.map_err(refusal)?;
        self.runner.wake();
        Ok(Accepted { loan_id: accepted.loan_id })
    }

    fn status(&self, query: &LoanStatusQuery) -> Result<LoanStanding, Refusal> {
        let found = self.runner.book().status(&query.loan_id).map_err(|error| refusal(error.into()))?;
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

    async fn pay(&self, payment: Payment) -> Result<String, Refusal> {
        let notified =
            self.runner.blocking(move |runner| runner.book().notified(&payment, (runner.now(), runner.plan())));
        let notified = notified.await.map_err(refusal)?;
        self.runner.wake();
        match (notified.loan, notified.payment.standing) {
            (Some(row), _) => {
                // Before it is paid out a loan is on its way, or has ended.
                let unpaid = if row.loan.state.is_final() { "CLOSED" } else { "OPEN" };
                Ok(word(row.loan.state).unwrap_or(unpaid).to_owned())
            }
            (None, Standing::Parked | Standing::Dismissed) => Err(Refusal::NotFound),
            (None, _) => Err(Refusal::Unavailable),
        }
    }
}

/// The word of E10 and E11 for a state; `None` before the loan is paid out.
fn word(state: State) -> Option<&'static str> {
    match state {
        State::Closed | State::Overpaid | State::WrittenOff => Some("CLOSED"),
        State::Open | State::Collecting | State::CollectionUnknown | State::CollectionFailed | State::Review => {
            Some("OPEN")
        }
        _ => None,
    }
}

fn listed(row: &OfferRow) -> ListedOffer {
    ListedOffer::from(&row.offer)
}

fn refusal(error: BookError) -> Refusal {
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
        Box::pin(self.offers(request))
    }

    fn offer_accepted(&self, acceptance: OfferAcceptance) -> BoxFuture<'_, Result<Accepted, Refusal>> {
        Box::pin(self.accept(acceptance))
    }

    fn loan_status(&self, query: LoanStatusQuery) -> BoxFuture<'_, Result<LoanStanding, Refusal>> {
        let servicer = self.clone();
        Box::pin(async move {
            let done = tokio::task::spawn_blocking(move || servicer.status(&query)).await;
            done.unwrap_or(Err(Refusal::Unavailable))
        })
    }

    fn payment_notified(&self, payment: Payment) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(self.pay(payment))
    }

    fn readiness(&self) -> Result<(), String> {
        match self.runner.is_failing() {
            true => Err("the loan book cannot be used".to_owned()),
            false => Ok(()),
        }
    }
}
