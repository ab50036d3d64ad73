//! A lender for tests: it answers by the customer's id, and records what reached it.

use std::sync::Mutex;
use std::time::Duration;

use lendwright::lender::hosted::{BoxFuture, Lender, OffersAnswer, Refusal};
use lendwright::wire::ListedOffer;
use lendwright::wire::lender::{LoanStanding, LoanStatusQuery, OfferAcceptance, OfferRequest, Payment};
use tokio::sync::Semaphore;

pub struct TestLender {
    /// What reached the lender, in words.
    pub seen: Mutex<Vec<String>>,
    /// What was finished, in words.
    pub done: Mutex<Vec<String>>,
    /// Each request of the customer `waits` takes one permit.
    pub gate: Semaphore,
    /// Answers every customer like this one.
    pub everybody_is: Mutex<Option<String>>,
}

impl Default for TestLender {
    fn default() -> Self {
        TestLender {
            seen: Mutex::default(),
            done: Mutex::default(),
            gate: Semaphore::new(0),
            everybody_is: Mutex::default(),
        }
    }
}

impl TestLender {
    fn like(&self, customer: &str) -> String {
        self.everybody_is.lock().unwrap().clone().unwrap_or_else(|| customer.to_owned())
    }

    async fn answer(&self, customer: &str, seen: String) -> Result<(), Refusal> {
        self.seen.lock().unwrap().push(seen.clone());
        match self.like(customer).as_str() {
            "invalid" => return Err(Refusal::Invalid("the account is not the customer's".to_owned())),
            "unknown" => return Err(Refusal::NotFound),
            "conflict" => return Err(Refusal::Conflict("`loanReferenceId` was used with another body".to_owned())),
            "busy" => return Err(Refusal::Busy(Duration::from_millis(2_500))),
            "down" => return Err(Refusal::Unavailable),
            "panics" => panic!("a lender that fails"),
            "waits" => self.gate.acquire().await.unwrap().forget(),
            _ => {}
        }
        self.done.lock().unwrap().push(seen);
        Ok(())
    }
}

impl Lender for TestLender {
    fn offers_requested(&self, request: OfferRequest) -> BoxFuture<'_, Result<OffersAnswer, Refusal>> {
        Box::pin(async move {
            let customer = request.customer_id.clone();
            let seen = format!(
                "offers {} {} {} {} {}",
                request.reference, customer, request.amount, request.date_of_birth, request.service_type
            );
            self.answer(&customer, seen).await?;
            Ok(match self.like(&customer).as_str() {
                "none" => OffersAnswer::None,
                "later" => OffersAnswer::Later,
                _ => OffersAnswer::Offers(vec![ListedOffer {
                    offer_id: "OF-1".to_owned(),
                    amount_offered: 5_000_000,
                    interest: 3.5,
                    amount_payable: 5_175_000,
                    tenure: 30,
                    expiry_date: "2026-12-31T00:00:00Z".to_owned(),
                    currency: "566".to_owned(),
                }]),
            })
        })
    }

    fn offer_accepted(&self, acceptance: OfferAcceptance) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(async move {
            let seen = format!(
                "accept {} {} {} {} {} {} {:?} {:?}",
                acceptance.offer_id,
                acceptance.customer_id,
                acceptance.destination_account_number,
                acceptance.destination_bank_code,
                acceptance.token.expose(),
                acceptance.loan_reference_id,
                acceptance.msisdn,
                acceptance.loan_id
            );
            self.answer(&acceptance.customer_id, seen).await?;
            Ok(acceptance.loan_id.unwrap_or_else(|| "LN-1".to_owned()))
        })
    }

    fn loan_status(&self, query: LoanStatusQuery) -> BoxFuture<'_, Result<LoanStanding, Refusal>> {
        Box::pin(async move {
            self.answer(&query.customer_id, format!("status {} {}", query.loan_id, query.customer_id)).await?;
            Ok(LoanStanding {
                status: "OPEN".to_owned(),
                remaining_amount: "1250.50".to_owned(),
                due_date: "2026-12-31T00:00:00Z".to_owned(),
            })
        })
    }

    fn payment_notified(&self, payment: Payment) -> BoxFuture<'_, Result<String, Refusal>> {
        Box::pin(async move {
            let Payment { loan_id, payment_ref, amount_minor, customer_id } = payment;
            self.answer(&customer_id, format!("payment {loan_id} {payment_ref} {amount_minor} {customer_id}")).await?;
            Ok("CLOSED".to_owned())
        })
    }
}
