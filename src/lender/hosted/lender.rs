//! What the hosted endpoints need from the rest of the lender: decisions and loans. Knows nothing of HTTP.

use std::time::Duration;

pub use futures_util::future::BoxFuture;

use crate::provider::wire::ListedOffer;
use crate::provider::wire::lender::{LoanStanding, LoanStatusQuery, OfferAcceptance, OfferRequest, Payment};

/// The lender behind the endpoints. Each call runs to its end, also if the provider does not wait for it. The same
/// request may come any number of times, also at once: all of them are idempotent, and answered alike.
pub trait Lender: Send + Sync + 'static {
    /// A customer requests offers.
    fn offers_requested(&self, request: OfferRequest) -> BoxFuture<'_, Result<OffersAnswer, Refusal>>;

    /// A customer accepts an offer. Returns the id of the loan from now on.
    fn offer_accepted(&self, acceptance: OfferAcceptance) -> BoxFuture<'_, Result<String, Refusal>>;

    /// The provider queries the status of a loan. Another customer's loan is not found.
    fn loan_status(&self, query: LoanStatusQuery) -> BoxFuture<'_, Result<LoanStanding, Refusal>>;

    /// The provider reports a payment. Returns the loan's status after it, such as `CLOSED`.
    fn payment_notified(&self, payment: Payment) -> BoxFuture<'_, Result<String, Refusal>>;
}

/// The answer to an offer request.
#[derive(Debug, Clone, PartialEq)]
pub enum OffersAnswer {
    /// The offers, at least one.
    Offers(Vec<ListedOffer>),
    /// The lender makes no offer.
    None,
    /// The answer follows by E3.
    Later,
}

/// Why a request is not carried out. Texts go to the provider: they name fields and no values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The request can never be carried out.
    Invalid(String),
    /// There is no such loan or offer, or it is another customer's.
    NotFound,
    /// The request contradicts an earlier one, or the state of the loan.
    Conflict(String),
    /// Too much at once: the request may be sent again after this time.
    Busy(Duration),
    /// The lender cannot answer now, for instance because its store is down.
    Unavailable,
}
