//! The client of the lending service: E1 to E9. Knows nothing of the other hosts.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::core::{self, Core};
use super::{CallCounts, CallObserver, Error, MoneyError, Prepared, Pulled, TokenSource};
use crate::provider::wire::lending::{
    AcceptOffer, Acceptance, Debit, Fund, Lending, MoneyRequest, Ordered, PersistedTransactionId, Receipt, Requery,
    SendSms, TransactionId, TransactionStatus, VerifiedAccount, VerifyAccount,
};
use crate::provider::wire::{Acknowledgement, Call, GetOffers, OffersReply, SendOffers, Settings, TransactionRecords};

/// A client of one provider's lending service. Connections are kept and shared: make one and use it everywhere.
///
/// ```no_run
/// # async fn example() -> Result<(), lendwright::client::Error> {
/// use lendwright::{Client, Secret, SendOffers, Settings};
///
/// let settings = Settings { base_url: "https://provider.example".to_owned(), ..Settings::default() };
/// let client = Client::new(settings, Secret::new("the access token"))?;
/// let statement = client.pull("OR-1").await?.into_statement()?;
/// client.send(&SendOffers::decline("OR-1")).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Client {
    core: Core<Lending>,
    /// Permits for pulls. A pull holds its pages until the last one, so this bounds the memory of all pulls together.
    pulls: Semaphore,
}

impl Client {
    /// A client for the provider at `settings.base_url`, with a source of access tokens, which every call carries: a
    /// [`Secret`](crate::Secret), or a [`TokenSource`] that renews them.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that no header can carry.
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        Client::with_http(settings, token, |http| http)
    }

    /// As [`Client::new`], with an HTTP client that `http` changes: how it resolves names, its pool, its local
    /// address. Redirects and retries stay off, because either could repeat a call that moves money. TLS comes from
    /// the settings: use `root_certificates` there, because certificates of the builder have no effect. A proxy of
    /// the builder is not checked as `proxy` of the settings is. Tokens are fetched without these changes.
    ///
    /// ```
    /// use std::time::Duration;
    /// use lendwright::{Client, Secret, Settings};
    ///
    /// let settings = Settings { base_url: "https://provider.example".to_owned(), ..Settings::default() };
    /// let client = Client::with_http(settings, Secret::new("the access token"), |http| {
    ///     http.pool_idle_timeout(Duration::from_secs(20))
    /// })?;
    /// # Ok::<(), lendwright::client::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_http(
        settings: Settings,
        token: impl TokenSource + 'static,
        http: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<Client, Error> {
        let tokens = core::cache_access_tokens(token)?;
        let pulls = core::call_permits_of(&settings)?;
        Ok(Client { core: Core::new(Arc::new(settings), tokens, &http)?, pulls })
    }

    /// The client, which tells this observer of all its calls from now on.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use lendwright::client::{CallObserver, FinishedAttempt};
    /// use lendwright::{Client, Secret, Settings};
    ///
    /// struct Printer;
    ///
    /// impl CallObserver for Printer {
    ///     fn attempt_ended(&self, attempt: &FinishedAttempt<'_>) {
    ///         println!("{} {} {:?}", attempt.call, attempt.outcome(), attempt.took);
    ///     }
    /// }
    ///
    /// let settings = Settings { base_url: "https://provider.example".to_owned(), ..Settings::default() };
    /// let client = Client::new(settings, Secret::new("the access token"))?.observed_by(Arc::new(Printer));
    /// # Ok::<(), lendwright::client::Error>(())
    /// ```
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn CallObserver>) -> Client {
        self.core.set_observer(observer);
        self
    }

    /// The client's settings.
    pub fn settings(&self) -> &Settings {
        &self.core.settings
    }

    /// Counts of the calls so far, by kind of call.
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.core.counts()
    }

    /// E1: asks for offers, as a customer does.
    pub async fn offers(&self, request: &GetOffers) -> Result<OffersReply, Error> {
        self.call(request).await
    }

    /// E2: pulls all pages of the statement behind an offer request. Each page is checked: complete JSON, in an
    /// envelope that says success. A damaged page is fetched once more. A pull that fails keeps nothing.
    pub async fn pull(&self, reference: &str) -> Result<Pulled, Error> {
        let _permit = self.pulls.acquire().await;
        let settings = self.settings();
        let mut call = TransactionRecords::new(reference);
        let mut pages = Vec::new();
        let mut records = 0;
        let mut bytes_left = settings.limits.body_bytes_max;
        let mut seen = HashSet::new();
        loop {
            let (body, page) = self.core.run(&call, bytes_left).await?;
            bytes_left = bytes_left.saturating_sub(body.len() as u64);
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

    /// E3: answers an offer request. Never retried: if [`Error::is_outcome_unknown`], the provider may have the answer.
    /// With the layout `one_call_each` a failure says how many calls were acknowledged before it.
    pub async fn send(&self, answer: &SendOffers) -> Result<Acknowledgement, Error> {
        let calls = answer.calls(self.settings());
        // Prepares all calls before sending the first, so that an invalid one does not stop half way.
        for call in &calls {
            self.prepare(call)?;
        }
        let mut last = None;
        for (done, call) in calls.iter().enumerate() {
            last = Some(self.call(call).await.map_err(|error| error.with_acknowledged(done, calls.len()))?);
        }
        last.ok_or_else(|| Error::configuration(SendOffers::NAME, "there is nothing to send"))
    }

    /// E4: accepts an offer for the customer. Never retried.
    pub async fn accept(&self, request: &AcceptOffer) -> Result<Acceptance, Error> {
        self.call(request).await
    }

    /// E5: asks whether an account exists, and whose it is.
    ///
    /// # Errors
    /// `rejected` if it does not.
    pub async fn verify_account(&self, request: &VerifyAccount) -> Result<VerifiedAccount, Error> {
        self.call(request).await
    }

    /// E6: credits the customer with a loan, at most once: the call consumes the right to do so.
    ///
    /// # Errors
    /// [`MoneyError`] returns the right, or says that you must [`requery`](Client::requery).
    ///
    /// ```no_run
    /// # type Any = Box<dyn std::error::Error>;
    /// # async fn example(client: lendwright::Client, fund: lendwright::wire::lending::Fund) -> Result<(), Any> {
    /// use lendwright::client::MoneyError;
    /// use lendwright::wire::lending::{Requery, TransactionId};
    ///
    /// // If the file exists already, the id was sent before, and this fails.
    /// let right = TransactionId::new("FUND-1")?.persist(|_| std::fs::File::create_new("sent/FUND-1")?.sync_all())?;
    /// match client.fund(&fund, right).await {
    ///     Ok(receipt) => println!("{}", receipt.transaction_ref.as_str()),
    ///     Err(MoneyError::NotDone { error, right }) => println!("{error}; {} may be sent again", right.id()),
    ///     Err(MoneyError::Refused { error, .. }) => eprintln!("{error}"),
    ///     Err(MoneyError::Uncertain { transaction_id, .. }) => {
    ///         let loan_id = fund.loan_id.clone();
    ///         println!("{:?}", client.requery(&Requery { transaction_id, loan_id, sent: None }).await?);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fund(&self, request: &Fund, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        self.order(request, right).await
    }

    /// E7: sends the customer a message. Never retried.
    pub async fn sms(&self, request: &SendSms) -> Result<Acknowledgement, Error> {
        self.call(request).await
    }

    /// E8: collects a payment from the customer, at most once: the call consumes the right to do so.
    ///
    /// # Errors
    /// As [`fund`](Client::fund).
    pub async fn debit(&self, request: &Debit, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        self.order(request, right).await
    }

    /// E9: asks for the outcome of a transaction of money.
    pub async fn requery(&self, request: &Requery) -> Result<TransactionStatus, Error> {
        self.call(request).await
    }

    /// Sends any call of the lending service that moves no money, and reads its reply.
    pub async fn call<C: Call<Host = Lending>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.core.call(call).await
    }

    /// The exact request of a call, without sending it. Its `Display` redacts secrets and personal data.
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
