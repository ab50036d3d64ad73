//! Offer requests and the lender's answers to them. Knows nothing of loans.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;

use super::State;
use crate::wire::{Offer, ReceivedOffers, Segment, Unusable, split_pages};

#[derive(Default)]
pub(super) struct Offers {
    requests: Vec<OfferRequest>,
    received: Vec<Received>,
    statements: HashMap<String, Arc<[Bytes]>>,
}

/// An offer request: made by E1, read by E2, answered by E3.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferRequest {
    /// What E2 and E3 are called with.
    pub reference: String,
    /// Who asks.
    pub customer_id: String,
    /// Through which channel.
    pub channel_code: String,
    /// How much, in minor units.
    pub amount: i64,
    /// For what.
    pub service_type: String,
    /// Whether the lender has answered.
    pub answered: bool,
    /// The lender's offers so far.
    pub offers: Vec<Offer>,
}

/// An answer as it came by E3.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Received {
    /// Counts from 1.
    pub number: usize,
    /// The query string, exactly as it came.
    pub query: String,
    /// What it says.
    #[serde(flatten)]
    pub answer: ReceivedOffers,
}

impl Offers {
    /// An offer with the customer it was made to; nobody where the lender's answer did not say.
    pub(super) fn find(&self, offer_id: &str) -> Option<(&Offer, Option<&str>)> {
        let of_request = |request: &OfferRequest| request.offers.iter().any(|offer| offer.offer_id == offer_id);
        let request = self.requests.iter().find(|request| of_request(request));
        let offers = request.map(|request| (&request.offers, Some(request.customer_id.as_str())));
        let unassigned = || {
            let answer = self.received.iter().rev().map(|received| &received.answer.offers);
            answer
                .map(|offers| (offers, None))
                .find(|(offers, _)| offers.iter().any(|offer| offer.offer_id == offer_id))
        };
        let (offers, customer) = offers.or_else(unassigned)?;
        offers.iter().find(|offer| offer.offer_id == offer_id).map(|offer| (offer, customer))
    }
}

impl State {
    /// The offer requests so far.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.book().offers.requests.clone()
    }

    /// The answers so far.
    pub fn received(&self) -> Vec<Received> {
        self.book().offers.received.clone()
    }

    /// Notes an offer request and gives it its reference. The same request again is the same one: E1 is a read.
    pub(crate) fn request(&self, mut request: OfferRequest) -> OfferRequest {
        let text = format!(
            "{} {} {} {} {}",
            self.config().seed,
            request.customer_id,
            request.channel_code,
            request.amount,
            request.service_type
        );
        let digest = blake3::hash(text.as_bytes()).to_hex();
        request.reference = format!("OR-{}", digest.get(..16).unwrap_or_default());
        let mut book = self.changed();
        if let Some(known) = book.offers.requests.iter().find(|known| known.reference == request.reference) {
            return known.clone();
        }
        book.offers.requests.push(request.clone());
        request
    }

    /// The pages of the statement behind a reference.
    pub(crate) fn statement(&self, reference: &str) -> Option<Result<Arc<[Bytes]>, Unusable>> {
        let customer = {
            let book = self.book();
            let request = book.offers.requests.iter().find(|request| request.reference == reference)?;
            if let Some(pages) = book.offers.statements.get(&request.customer_id) {
                return Some(Ok(pages.clone()));
            }
            request.customer_id.clone()
        };
        let person = self.people().iter().find(|person| person.customer_id == customer)?;
        // Made outside the lock: a statement may take its time.
        let whole = (self.config().statements)(person);
        let pages: Result<Vec<Vec<u8>>, Unusable> = match self.config().page_records {
            Some(records) => split_pages(&whole, records),
            None => Ok(vec![whole]),
        };
        Some(pages.map(|pages| {
            let pages: Arc<[Bytes]> = pages.into_iter().map(Bytes::from).collect();
            self.book().offers.statements.insert(customer, pages.clone());
            pages
        }))
    }

    /// Notes an answer; false where its segment names no offer request.
    pub(crate) fn receive(&self, query: &str, answer: ReceivedOffers) -> bool {
        let mut book = self.changed();
        if self.config().settings.send_offers.segment == Segment::OfferRequestReference {
            let known = |request: &&mut OfferRequest| request.reference == answer.segment;
            let Some(request) = book.offers.requests.iter_mut().find(known) else {
                return false;
            };
            request.answered = true;
            for offer in &answer.offers {
                request.offers.retain(|known| known.offer_id != offer.offer_id);
                request.offers.push(offer.clone());
            }
        }
        let number = book.offers.received.len() + 1;
        book.offers.received.push(Received { number, query: query.to_owned(), answer });
        true
    }
}
