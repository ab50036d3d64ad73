//! The clients for callers without an asynchronous runtime. Knows nothing beyond the clients that it wraps.

use std::collections::BTreeMap;

use tokio::runtime::{Handle, Runtime};

use super::bill::{NotPaid, Paid, StoredBill};
use super::{CallCounts, Error, MoneyError, Prepared, Pulled, TokenSource};
use crate::provider::wire::bill::{CreateBill, CreatedBill, GetPaymentStatus, PaymentStatus};
use crate::provider::wire::iqr::{
    GetReference, Iqr, IqrReply, Link, RequestForCustomer, RequestUnassigned, ValidateCard,
};
use crate::provider::wire::lending::{
    AcceptOffer, Acceptance, Debit, Fund, Lending, PersistedTransactionId, Receipt, Requery, SendSms, TransactionId,
    TransactionStatus, VerifiedAccount, VerifyAccount,
};
use crate::provider::wire::{Acknowledgement, Call, GetOffers, OffersReply, SendOffers, Settings};

/// A runtime that belongs to one client.
#[derive(Debug)]
struct Waiting {
    // `None` only during drop.
    runtime: Option<Runtime>,
}

impl Waiting {
    fn new() -> Result<Self, Error> {
        outside_of_runtime()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Error::configuration("settings", format!("no runtime for calls: {error}")))?;
        Ok(Waiting { runtime: Some(runtime) })
    }

    /// The runtime, if waiting is possible here.
    fn runtime(&self) -> Result<&Runtime, Error> {
        outside_of_runtime()?;
        self.runtime.as_ref().ok_or_else(|| Error::configuration("settings", "the client has been closed"))
    }

    fn wait<T, E: From<Error>>(&self, call: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        block_on_fresh(self.runtime()?, call)
    }
}

/// Turns of the runtime before a call: one to poll for events, one for connections to handle them, one to spare.
const POLLS: usize = 3;

/// Waits for a call. Between calls nothing polls the runtime, so it first learns which connections the provider has
/// closed. Otherwise a call that moves money could be sent over a closed connection and end as uncertain for no reason.
fn block_on_fresh<T>(runtime: &Runtime, call: impl Future<Output = T>) -> T {
    runtime.block_on(async {
        for _ in 0..POLLS {
            tokio::task::yield_now().await;
        }
        call.await
    })
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // A runtime that waits for its threads must not be dropped inside another one.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Waiting inside a runtime would panic, so it is an error.
fn outside_of_runtime() -> Result<(), Error> {
    match Handle::try_current() {
        Ok(_) => Err(Error::configuration(
            "settings",
            "the blocking client is used inside an asynchronous runtime; use the other one there",
        )),
        Err(_) => Ok(()),
    }
}

/// [`super::Client`] with blocking calls. Inside an asynchronous runtime use that one: here every call would fail with
/// `configuration`.
#[derive(Debug)]
pub struct Client {
    inner: super::Client,
    waiting: Waiting,
}

impl Client {
    /// See [`super::Client::new`].
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        let waiting = Waiting::new()?;
        Ok(Client { inner: super::Client::new(settings, token)?, waiting })
    }

    /// See [`super::Client::settings`].
    pub fn settings(&self) -> &Settings {
        self.inner.settings()
    }

    /// See [`super::Client::counts`].
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.inner.counts()
    }

    /// See [`super::Client::offers`].
    pub fn offers(&self, request: &GetOffers) -> Result<OffersReply, Error> {
        self.waiting.wait(self.inner.offers(request))
    }

    /// See [`super::Client::pull`].
    pub fn pull(&self, reference: &str) -> Result<Pulled, Error> {
        self.waiting.wait(self.inner.pull(reference))
    }

    /// See [`super::Client::send`].
    pub fn send(&self, answer: &SendOffers) -> Result<Acknowledgement, Error> {
        self.waiting.wait(self.inner.send(answer))
    }

    /// See [`super::Client::accept`].
    pub fn accept(&self, request: &AcceptOffer) -> Result<Acceptance, Error> {
        self.waiting.wait(self.inner.accept(request))
    }

    /// See [`super::Client::verify_account`].
    pub fn verify_account(&self, request: &VerifyAccount) -> Result<VerifiedAccount, Error> {
        self.waiting.wait(self.inner.verify_account(request))
    }

    /// See [`super::Client::fund`].
    pub fn fund(&self, request: &Fund, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        match self.waiting.runtime() {
            Ok(runtime) => block_on_fresh(runtime, self.inner.fund(request, right)),
            Err(error) => Err(MoneyError::new(error, right)),
        }
    }

    /// See [`super::Client::sms`].
    pub fn sms(&self, request: &SendSms) -> Result<Acknowledgement, Error> {
        self.waiting.wait(self.inner.sms(request))
    }

    /// See [`super::Client::debit`].
    pub fn debit(&self, request: &Debit, right: PersistedTransactionId) -> Result<Receipt, MoneyError> {
        match self.waiting.runtime() {
            Ok(runtime) => block_on_fresh(runtime, self.inner.debit(request, right)),
            Err(error) => Err(MoneyError::new(error, right)),
        }
    }

    /// See [`super::Client::requery`].
    pub fn requery(&self, request: &Requery) -> Result<TransactionStatus, Error> {
        self.waiting.wait(self.inner.requery(request))
    }

    /// See [`super::Client::call`].
    pub fn call<C: Call<Host = Lending>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.waiting.wait(self.inner.call(call))
    }

    /// See [`super::Client::prepare`].
    pub fn prepare<C: Call<Host = Lending>>(&self, call: &C) -> Result<Prepared, Error> {
        self.inner.prepare(call)
    }

    /// See [`super::Client::prepare_fund`].
    pub fn prepare_fund(&self, request: &Fund, id: &TransactionId) -> Result<Prepared, Error> {
        self.inner.prepare_fund(request, id)
    }

    /// See [`super::Client::prepare_debit`].
    pub fn prepare_debit(&self, request: &Debit, id: &TransactionId) -> Result<Prepared, Error> {
        self.inner.prepare_debit(request, id)
    }
}

/// [`super::iqr::Client`] with blocking calls.
#[derive(Debug)]
pub struct IqrClient {
    inner: super::iqr::Client,
    waiting: Waiting,
}

impl IqrClient {
    /// See [`super::iqr::Client::new`].
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<IqrClient, Error> {
        let waiting = Waiting::new()?;
        Ok(IqrClient { inner: super::iqr::Client::new(settings, token)?, waiting })
    }

    /// See [`super::iqr::Client::settings`].
    pub fn settings(&self) -> &Settings {
        self.inner.settings()
    }

    /// See [`super::iqr::Client::counts`].
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.inner.counts()
    }

    /// See [`super::iqr::Client::validate_card`].
    pub fn validate_card(&self, request: &ValidateCard) -> Result<IqrReply, Error> {
        self.call(request)
    }

    /// See [`super::iqr::Client::request_for_customer`].
    pub fn request_for_customer(&self, request: &RequestForCustomer) -> Result<IqrReply, Error> {
        self.call(request)
    }

    /// See [`super::iqr::Client::request_unassigned`].
    pub fn request_unassigned(&self, request: &RequestUnassigned) -> Result<IqrReply, Error> {
        self.call(request)
    }

    /// See [`super::iqr::Client::link`].
    pub fn link(&self, request: &Link) -> Result<IqrReply, Error> {
        self.call(request)
    }

    /// See [`super::iqr::Client::reference`].
    pub fn reference(&self, request: &GetReference) -> Result<IqrReply, Error> {
        self.call(request)
    }

    /// See [`super::iqr::Client::call`].
    pub fn call<C: Call<Host = Iqr>>(&self, call: &C) -> Result<C::Reply, Error> {
        self.waiting.wait(self.inner.call(call))
    }

    /// See [`super::iqr::Client::prepare`].
    pub fn prepare<C: Call<Host = Iqr>>(&self, call: &C) -> Result<Prepared, Error> {
        self.inner.prepare(call)
    }
}

/// [`super::bill::Client`] with blocking calls.
#[derive(Debug)]
pub struct BillClient {
    inner: super::bill::Client,
    waiting: Waiting,
}

impl BillClient {
    /// See [`super::bill::Client::new`].
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<BillClient, Error> {
        let waiting = Waiting::new()?;
        Ok(BillClient { inner: super::bill::Client::new(settings, token)?, waiting })
    }

    /// See [`super::bill::Client::settings`].
    pub fn settings(&self) -> &Settings {
        self.inner.settings()
    }

    /// See [`super::bill::Client::counts`].
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.inner.counts()
    }

    /// See [`super::bill::Client::create`].
    pub fn create(&self, request: &CreateBill) -> Result<CreatedBill, Error> {
        self.waiting.wait(self.inner.create(request))
    }

    /// See [`super::bill::Client::status`].
    pub fn status(&self, request: &GetPaymentStatus) -> Result<PaymentStatus, Error> {
        self.waiting.wait(self.inner.status(request))
    }

    /// See [`super::bill::Client::confirm_payment`].
    pub fn confirm_payment(&self, bill: &StoredBill) -> Result<Paid, NotPaid> {
        self.waiting.wait(self.inner.confirm_payment(bill))
    }

    /// See [`super::bill::Client::question`].
    pub fn question(&self, bill: &StoredBill) -> Result<GetPaymentStatus, Error> {
        self.inner.question(bill)
    }

    /// See [`super::bill::Client::prepare_create`].
    pub fn prepare_create(&self, request: &CreateBill) -> Result<Prepared, Error> {
        self.inner.prepare_create(request)
    }

    /// See [`super::bill::Client::prepare_status`].
    pub fn prepare_status(&self, request: &GetPaymentStatus) -> Result<Prepared, Error> {
        self.inner.prepare_status(request)
    }
}
