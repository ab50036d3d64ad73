//! What each endpoint does with a request that fits its route, and what it answers. Knows nothing of sockets, tokens or
//! faults.

mod answer;
mod bill;
mod iqr;
mod lending;
mod money;

pub(crate) use answer::{Answer, Asked, refused};
pub use lending::REFERENCE_HEADER;

use super::contract::{Endpoint, Route};
use super::store::State;

/// Carries out a request, and answers it.
pub(crate) async fn carry_out(state: &State, route: &Route, asked: &Asked<'_>) -> Answer {
    let answered = match route.endpoint {
        Endpoint::GetOffers => lending::get_offers(state, asked).await,
        Endpoint::TransactionRecords => lending::transaction_records(state, asked),
        Endpoint::SendOffers => lending::send_offers(state, asked),
        Endpoint::AcceptOffer => lending::accept_offer(state, asked).await,
        Endpoint::VerifyAccount => lending::verify_account(state, asked),
        Endpoint::SendSms => lending::send_sms(state, asked),
        Endpoint::FundLoan => money::fund(state, asked),
        Endpoint::DebitCustomer => money::debit(state, asked),
        Endpoint::Requery => money::requery(state, asked),
        Endpoint::ValidateCard => iqr::validate(state, asked),
        Endpoint::RequestIqr => iqr::request(state, asked),
        Endpoint::LinkIqr => iqr::link(state, asked),
        Endpoint::IqrReference => iqr::reference(state, asked),
        Endpoint::CreateBill => bill::create(state, asked),
        Endpoint::PaymentStatus => bill::status(state, asked),
    };
    answered.unwrap_or_else(|refusal| refused(&route.refusal, &refusal))
}
