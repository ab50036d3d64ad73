//! An acceptance, as the provider sends it: the offer becomes a loan, and its account is verified (E5) before the
//! reply, if that is possible in time. A refused account is then what the reply says. Knows nothing of HTTP.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use super::private::Private;
use super::servicer::{Servicer, refusal};
use crate::lender::hosted::Refusal;
use crate::lender::loan_book::{AcceptedLoan, BookError, Claimed, NewAcceptance};
use crate::lender::store::error::StoreError;
use crate::provider::wire::lender::OfferAcceptance;

/// How often the book is read while another call, or another process, verifies the account.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Servicer {
    pub(super) async fn accept_offer(&self, acceptance: OfferAcceptance) -> Result<String, Refusal> {
        let deadline = Instant::now() + self.verify_within;
        let new = Arc::new(self.seal_acceptance(acceptance).map_err(refusal)?);
        let stored = Arc::clone(&new);
        let accepted = self.runner.run_blocking(move |runner| runner.book().accept_offer(&stored, runner.at()));
        let mut accepted = accepted.await.map_err(refusal)?;
        if accepted.is_new && accepted.claimed.is_none() {
            self.runner.wake();
        }
        if !accepted.is_reply_awaited {
            return Ok(accepted.loan_id);
        }
        if let Some(claimed) = accepted.claimed.take() {
            self.verify_until(deadline, claimed).await;
        }
        let known = match self.wait_until(deadline, &new).await {
            Some(known) => known,
            // The book knows which came first: that the account was refused, or that the acceptance is answered.
            None => self.runner.run_blocking(move |runner| runner.book().answer_acceptance(&new, runner.at())).await,
        };
        known.map(|accepted| accepted.loan_id).map_err(refusal)
    }

    fn seal_acceptance(&self, acceptance: OfferAcceptance) -> Result<NewAcceptance, BookError> {
        let vault = self.runner.vault();
        let private = Private {
            account_number: acceptance.destination_account_number.clone(),
            bank_code: acceptance.destination_bank_code.clone(),
            msisdn: acceptance.msisdn.clone(),
        };
        let sealed = private.seal(&**vault, &acceptance.loan_reference_id).map_err(StoreError::Unsuitable)?;
        let fingerprint = vault.fingerprint(&format!(
            "{:?}",
            (
                &acceptance.offer_id,
                &acceptance.customer_id,
                &acceptance.destination_account_number,
                &acceptance.destination_bank_code,
                &acceptance.loan_id,
            )
        ));
        Ok(NewAcceptance {
            offer_id: acceptance.offer_id,
            customer_id: acceptance.customer_id,
            loan_reference_id: acceptance.loan_reference_id,
            loan_id: acceptance.loan_id,
            fingerprint,
            private: Some(sealed),
            loans_max: self.loans_max,
            verified_by: (!self.verify_within.is_zero()).then(|| self.runner.instance()),
        })
    }

    /// Verifies the account, and waits for that until the deadline. The verification runs to its end, also if the
    /// provider does not wait for the reply.
    async fn verify_until(&self, deadline: Instant, claimed: Claimed) {
        let (sender, receiver) = oneshot::channel();
        let (runner, working) = (self.runner.clone(), self.runner.track_loan(&claimed));
        tokio::spawn(async move {
            let _working = working;
            runner.step_loan_permitted(claimed).await;
            let _ = sender.send(());
        });
        let _ = timeout_at(deadline, receiver).await;
    }

    /// Waits until the deadline for what becomes of an acceptance, whoever verifies its account; `None` if that is not
    /// known by then.
    async fn wait_until(&self, deadline: Instant, new: &Arc<NewAcceptance>) -> Option<Result<AcceptedLoan, BookError>> {
        loop {
            let new = Arc::clone(new);
            match self.runner.run_blocking(move |runner| runner.book().find_acceptance(&new)).await {
                Ok(AcceptedLoan { is_reply_awaited: true, .. }) => {}
                known => return Some(known),
            }
            if Instant::now() + LOOK_EVERY >= deadline {
                return None;
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}
