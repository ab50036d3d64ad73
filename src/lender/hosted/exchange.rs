//! A request as its endpoint understands it, and the lender's answer in the interface's format. Knows nothing of the
//! caller.

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};

use super::answer::{Failure, json_response};
use super::endpoint::Endpoint;
use super::lender::{Lender, OffersAnswer, Refusal};
use crate::base::money::Currency;
use crate::provider::wire::lender::{
    AcceptanceReply, LoanStatusQuery, LoanStatusReply, NotificationReply, OfferAcceptance, OfferRequest, Payment,
};
use crate::provider::wire::{OffersReply, Settings};

/// A request that has been read.
pub(super) enum LenderRequest {
    Offers(OfferRequest),
    Accept(OfferAcceptance),
    Status(LoanStatusQuery),
    Payment(Payment),
}

impl LenderRequest {
    /// Reads a request strictly. What is wrong is named, without its value.
    pub(super) fn read(
        endpoint: Endpoint,
        in_path: Option<&str>,
        parts: &Parts,
        body: &[u8],
        settings: &Settings,
        currency: Currency,
    ) -> Result<Self, Failure> {
        let pairs = || -> Vec<(String, String)> {
            form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()).into_owned().collect()
        };
        let read = match endpoint {
            Endpoint::GetOffers => {
                let name = settings.lender.reference_header.as_str();
                let header: Vec<&[u8]> = match name {
                    "" => Vec::new(),
                    name => parts.headers.get_all(name).iter().map(|value| value.as_bytes()).collect(),
                };
                OfferRequest::read(&pairs(), &header, settings).map(LenderRequest::Offers)
            }
            Endpoint::AcceptOffer => OfferAcceptance::read(in_path, body, settings).map(LenderRequest::Accept),
            Endpoint::LoanStatus => {
                let read = LoanStatusQuery::read(in_path.unwrap_or_default(), &pairs());
                // Another lender's loan is unknown here.
                if read.as_ref().is_ok_and(|query| query.provider_code != settings.provider_code) {
                    return Err(Failure::Lender(Refusal::NotFound));
                }
                read.map(LenderRequest::Status)
            }
            Endpoint::PaymentNotification => Payment::read(body, settings, currency).map(LenderRequest::Payment),
        };
        read.map_err(Failure::invalid)
    }
}

/// Passes a request to the lender, and puts its answer into words.
pub(super) async fn answer_request(
    lender: &dyn Lender,
    request: LenderRequest,
    settings: &Settings,
) -> Result<Response<Body>, Failure> {
    let (ok, success) = (StatusCode::OK, settings.success_code.clone());
    Ok(match request {
        LenderRequest::Offers(request) => {
            let answer = lender.offers_requested(request).await.map_err(Failure::Lender)?;
            let codes = &settings.lender.codes;
            let (code, message, offers) = match answer {
                OffersAnswer::Offers(offers) => (&success, "Successful", offers),
                OffersAnswer::None => (&codes.no_offer, "No offer", Vec::new()),
                OffersAnswer::Later => (&codes.later, "Offers will be sent to the customer", Vec::new()),
            };
            json_response(
                ok,
                &OffersReply { response_code: code.clone(), response_message: message.to_owned(), offers },
            )
        }
        LenderRequest::Accept(acceptance) => {
            let loan_id = lender.offer_accepted(acceptance).await.map_err(Failure::Lender)?;
            let response_message = "The offer has been accepted".to_owned();
            json_response(ok, &AcceptanceReply { response_code: success, response_message, loan_id: Some(loan_id) })
        }
        LenderRequest::Status(query) => {
            let loan = lender.loan_status(query).await.map_err(Failure::Lender)?;
            let response_message = "Successful".to_owned();
            json_response(ok, &LoanStatusReply { response_code: success, response_message, loan: Some(loan) })
        }
        LenderRequest::Payment(payment) => {
            let loan_status = lender.payment_notified(payment).await.map_err(Failure::Lender)?;
            let response_message = "Successful".to_owned();
            json_response(ok, &NotificationReply { response_code: success, response_message, loan_status })
        }
    })
}
