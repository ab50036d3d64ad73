//! What each endpoint does with a request that fits its route, and what it answers. Knows nothing of sockets, tokens or
//! faults.

mod answer;
mod bill;
mod iqr;
mod lending;
mod money;

pub(crate) use answer::{EndpointAnswer, EndpointRequest, refusal_answer};
pub use lending::REFERENCE_HEADER;

use super::contract::{Endpoint, Route};
use super::store::SandboxState;

/// Carries out a request, and answers it.
pub(crate) async fn carry_out(state: &SandboxState, route: &Route, asked: &EndpointRequest<'_>) -> EndpointAnswer {
    let answered = match route.endpoint {
        Endpoint::GetOffers => lending::get_offers(state, asked).await,
        Endpoint::TransactionRecords => lending::transaction_records(state, asked),
        Endpoint::SendOffers => lending::send_offers(state, asked),
        Endpoint::AcceptOffer => lending::accept_offer(state, asked).await,
        Endpoint::VerifyAccount => lending::verify_account(state, asked),
        Endpoint::SendSms => lending::send_sms(state, asked),
        Endpoint::FundLoan => money::answer_fund_loan(state, asked),
        Endpoint::DebitCustomer => money::answer_debit_customer(state, asked),
        Endpoint::Requery => money::answer_requery(state, asked),
        Endpoint::ValidateCard => iqr::answer_validate_card(state, asked),
        Endpoint::RequestIqr => iqr::answer_request_iqr(state, asked),
        Endpoint::LinkIqr => iqr::answer_link_iqr(state, asked),
        Endpoint::IqrReference => iqr::answer_iqr_reference(state, asked),
        Endpoint::CreateBill => bill::answer_create_bill(state, asked),
        Endpoint::PaymentStatus => bill::answer_bill_status(state, asked),
    };
    answered.unwrap_or_else(|refusal| refusal_answer(&route.refusal, &refusal))
}
