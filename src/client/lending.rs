//! The client of the lending service: E1 to E9. Knows nothing of the other hosts.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::core::{self, Core};
use super::{CallCounts, Error, MoneyError, Prepared, Pulled, TokenSource};
use crate::wire::lending::{
    AcceptOffer, Acceptance, Debit, Fund, Lending, MoneyRequest, Ordered, PersistedTransactionId, Receipt, Requery,
    SendSms, TransactionId, TransactionStatus, VerifiedAccount, VerifyAccount,
};
use crate::wire::{Acknowledgement, Call, GetOffers, OffersReply, SendOffers, Settings, TransactionRecords};

/// A client of one provider's lending service. Connections are kept and shared: make one and use it everywhere.
#[derive(Debug)]
pub struct Client {
    core: Core<Lending>,
    /// A pull holds its pages until it has the last one: turns for whole pulls bound what all of them hold.
    pulls: Semaphore,
}

impl Client {
    /// A client for the provider at `settings.base_url`, with the source of the access token that goes with every call: a
    /// [`Secret`](crate::Secret), or one of those that renew it ([`TokenSource`]).
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that cannot stand in a header.
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        let tokens = core::tokens(token)?;
        let pulls = core::turns(&settings)?;
        Ok(Client { core: Core::new(Arc::new(settings), tokens)?, pulls })
    }

    /// The settings the client was made with.
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// What was done so far, by call.
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.core.counts()
    }

    /// E1: asks for offers, as a customer does.
    pub async fn offers(&self, request: &GetOffers) -> Result<OffersReply, Error> {
        self.call(request).await
    }

    /// E2: pulls all pages of the statement behind an offer request. Each page has been checked to be whole JSON in an
    /// envelope that says success; a damaged one is fetched once more. Nothing is kept of a pull that fails.
    pub async fn pull(&self, reference: &str) -> Result<Pulled, Error> {
        let _turn = self.pulls.acquire().await;
        let settings = self.settings();
        let mut call = TransactionRecords::new(reference);
        let mut pages = Vec::new();
        let mut records = 0;
        let mut room = settings.limits.body_bytes_max;
        let mut seen = HashSet::new();
        loop {
            let (body, page) = self.core.run(&call, room).await?;
            room = room.saturating_sub(body.len() as u64);
            records += page.records;
            pages.push(body);
            let Some(next) = page.next else {
                return Ok(Pulled::new(pages, records));
            };
            if !seen.insert(next.clone()) {
                return Err(Error::malformed::<TransactionRecords>(None, "names a next page that was read before"));
            }
            if pages.len() as u64 >= u64::from(settings.records.pages_max) {
                return Err(Error::too_large::<TransactionRecords>(format!(
                    "the statement has more than {} pages, the limit set by `records.pages_max`",
                    settings.records.pages_max
                )));
            }
            call.page = Some(next);
        }
    }

    /// E3: answers an offer request. Never repeated: when [`Error::is_outcome_unknown`] the provider may have the
    /// answer. With the layout `one_call_each` a failure says how many calls were acknowledged before it.
    pub async fn send(&self, answer: &SendOffers) -> Result<Acknowledgement, Error> {
        let calls = answer.calls(self.settings());
        // All are prepared before the first is sent: what cannot be sent must not stop half way.
        for call in &calls {
            self.prepare(call)?;
        }
        let mut last = None;
        for (done, call) in calls.iter().enumerate() {
            last = Some(self.call(call).await.map_err(|error| error.after(done, calls.len()))?);
        }
        last.ok_or_else(|| Error::configuration(SendOffers::NAME, "there is nothing to send"))
    }

    /// E4: accepts an offer for the customer. Never repeated.
    pub async fn accept(&self, request: &AcceptOffer) -> Result<Acceptance, Error> {
        self.call(request).await
    }

    /// E5: asks whether an account exists, and whose it is.
    ///
    /// # Errors
    /// `rejected` where it does not.
    pub async fn verify_account(&self, request: &VerifyAccount) -> Result<VerifiedAccount, Error> {
        self.call(request).await
    }

    /// E6: credits the customer with a loan, at most once: the right to do so is consumed.
    ///
    /// # Errors
    /// [`MoneyError`] says whether the right comes back, or whether to [`requery`](Client::requery).
    ///
    /// ```no_run
    /// # async fn example(client: lendwright::Client, fund: lendwright::wire::lending::Fund) -> Result<(), Box<dyn std::error::Error>> {
    /// use lendwright::client::MoneyError;
    /// use lendwright::wire::lending::{Requery, TransactionId};
    ///
    /// // A file that is there already is an error: its id was sent before.
    /// let right = TransactionId::new("FUND-1")?.persist(|_| std::fs::File::create_new("sent/FUND-1")?.sync_all())?;
    /// match client.fund(&fund, right).await {
    ///     Ok(receipt) => println!("{}", receipt.transaction_ref.as_str()),
    ///     Err(MoneyError::NotDone { error, right }) => println!("{error}; {} may be sent again", right.id()),
    ///     Err(MoneyError::Refused { error, .. }) => eprintln!("{error}"),
    ///     Err(MoneyError::Uncertain { transaction_id, .. }) => {
    ///         let loan_id = fund.loan_id.clone();
    ///         println!("{:?}", client.requery(&Requery { transaction_id, loan_id }).await?);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fund(&self, request: &Fund, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        self.order(request, right).await
    }

    /// E7: sends the customer a message. Never repeated.
    pub async fn sms(&self, request: &SendSms) -> Result<Acknowledgement, Error> {
        self.call(request).await
    }

    /// E8: collects a payment from the customer, at most once: the right to do so is consumed.
    ///
    /// # Errors
    /// As [`fund`](Client::fund).
    pub async fn debit(&self, request: &Debit, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        self.order(request, right).await
    }

    /// E9: asks what became of a transaction of money.
    pub async fn requery(&self, request: &Requery) -> Result<TransactionStatus, Error> {
        self.call(request).await
    }

    /// Sends any call of the lending service that moves no money, and reads its reply.
    pub async fn call<C: Call<Host = Lending>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.core.call(call).await
    }

    /// The exact request a call becomes, without sending it; showing it masks what is secret or personal.
    pub fn prepare<C: Call<Host = Lending>>(&self, call: &C) -> Result<Prepared, Error> {
        self.core.prepare(call)
    }

    /// The exact request of E6, without sending it.
    pub fn prepare_fund(&self, request: &Fund, id: &TransactionId) -> Result<Prepared, Error> {
        self.prepare(&Ordered { request, id })
    }

    /// The exact request of E8, without sending it.
    pub fn prepare_debit(&self, request: &Debit, id: &TransactionId) -> Result<Prepared, Error> {
        self.prepare(&Ordered { request, id })
    }

    async fn order<R: MoneyRequest>(&self, request: &R, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        let sent = self.core.call(&Ordered { request, id: right.id() }).await;
        sent.map_err(|error| MoneyError::new(error, right))
    }
}
