//! Offer requests and the lender's answers to them. Knows nothing of loans.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::Serialize;

use super::keyed_list::KeyedList;
use super::{Newest, Refusal, State};
use crate::wire::{Offer, ReceivedOffers, Segment, Unusable, split_pages};

/// So many answers of the lender are kept as they came; what they offered stays.
const RECEIVED_KEPT: usize = 10_000;

#[derive(Default)]
pub(super) struct Offers {
    requests: KeyedList<OfferRequest>,
    /// By their ids.
    made: HashMap<String, Made>,
    received: VecDeque<Received>,
    received_count: usize,
    statements: HashMap<String, Arc<[Bytes]>>,
}

/// An offer that was made.
struct Made {
    offer: Offer,
    /// The offer request that it answers, the last one of several; none where the lender's answer did not say.
    reference: Option<String>,
    /// Whether it answers several.
    is_shared: bool,
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
    /// An offer with the request that it answers; with none where the lender's answer did not say.
    pub(super) fn find(&self, offer_id: &str) -> Option<(&Offer, Option<&OfferRequest>)> {
        let made = self.made.get(offer_id)?;
        Some((&made.offer, made.reference.as_ref().and_then(|reference| self.requests.get(reference))))
    }

    /// Whether an offer may be made under its id, which E4 knows it by. A decision on the same facts makes the same offer again, so that
    /// one customer's offer requests may share it; nobody else's, and with no other content.
    fn may_be_made(&self, offer: &Offer, request: Option<&OfferRequest>) -> bool {
        let Some(made) = self.made.get(&offer.offer_id) else { return true };
        let is_same = made.offer == *offer;
        let before = made.reference.as_ref().and_then(|reference| self.requests.get(reference));
        match (request, before) {
            (Some(request), Some(before)) if request.reference == before.reference => is_same || !made.is_shared,
            (Some(request), Some(before)) => is_same && request.customer_id == before.customer_id,
            _ => is_same,
        }
    }

    fn make(&mut self, offer: &Offer, reference: Option<&String>) {
        let before = self.made.get(&offer.offer_id);
        let is_shared = before.is_some_and(|before| before.is_shared || before.reference.as_ref() != reference);
        let made = Made { offer: offer.clone(), reference: reference.cloned(), is_shared };
        self.made.insert(offer.offer_id.clone(), made);
    }

    fn note(&mut self, query: &str, answer: ReceivedOffers) {
        if self.received.len() >= RECEIVED_KEPT {
            self.received.pop_front();
        }
        self.received_count += 1;
        self.received.push_back(Received { number: self.received_count, query: query.to_owned(), answer });
    }
}

impl State {
    /// The offer requests so far.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.newest_requests(usize::MAX).rows
    }

    pub(crate) fn newest_requests(&self, most: usize) -> Newest<OfferRequest> {
        self.store().offers.requests.newest(most)
    }

    /// The last answers.
    pub fn received(&self) -> Vec<Received> {
        self.newest_received(usize::MAX).rows
    }

    pub(crate) fn newest_received(&self, most: usize) -> Newest<Received> {
        Newest::of(self.store().offers.received.iter(), most)
    }

    /// Notes an offer request and gives it its reference, with the offers that can still be accepted. The same request again is the
    /// same one: E1 is a read.
    pub(crate) fn request(&self, mut request: OfferRequest) -> OfferRequest {
        let amount = request.amount.to_string();
        let parts = [&request.customer_id, &request.channel_code, &amount, &request.service_type];
        request.reference = self.id("OR", &parts.map(String::as_str));
        let now = self.now();
        let mut store = self.store_to_change();
        if let Some(known) = store.offers.requests.get(&request.reference) {
            let is_open = |offer: &&Offer| !has_expired(offer, now) && !store.loans.has_offer(&offer.offer_id);
            let offers = known.offers.iter().filter(is_open).cloned().collect();
            return OfferRequest { answered: known.answered, offers, ..request };
        }
        store.offers.requests.add(&request.reference, request.clone());
        request
    }

    /// The pages of the statement behind a reference.
    pub(crate) fn statement(&self, reference: &str) -> Option<Result<Arc<[Bytes]>, Unusable>> {
        let customer = {
            let store = self.store();
            let request = store.offers.requests.get(reference)?;
            if let Some(pages) = store.offers.statements.get(&request.customer_id) {
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
            self.store().offers.statements.insert(customer, pages.clone());
            pages
        }))
    }

    /// Notes an answer, all of it or nothing.
    pub(crate) fn receive(&self, query: &str, answer: ReceivedOffers) -> Result<(), Refusal> {
        let is_by_reference = self.config().settings.send_offers.segment == Segment::OfferRequestReference;
        let reference = is_by_reference.then(|| answer.segment.clone());
        let mut store = self.store_to_change();
        let offers = &mut store.offers;
        let request = reference.as_ref().map(|reference| {
            offers.requests.get(reference).ok_or_else(|| Refusal::unknown("no offer request with this reference"))
        });
        let request = request.transpose()?;
        if !answer.offers.iter().all(|offer| offers.may_be_made(offer, request)) {
            return Err(Refusal::conflict("an `offerId` stands for another offer; nothing of this answer was kept"));
        }
        if let Some(request) = reference.as_ref().and_then(|reference| offers.requests.get_mut(reference)) {
            request.answered = true;
            for offer in &answer.offers {
                match request.offers.iter_mut().find(|known| known.offer_id == offer.offer_id) {
                    Some(known) => known.clone_from(offer),
                    None => request.offers.push(offer.clone()),
                }
            }
        }
        for offer in &answer.offers {
            offers.make(offer, reference.as_ref());
        }
        offers.note(query, answer);
        Ok(())
    }
}

/// Whether an offer holds no longer. What came in by E3 is a timestamp; one that is not has run out.
pub(super) fn has_expired(offer: &Offer, now: DateTime<Utc>) -> bool {
    DateTime::parse_from_rfc3339(&offer.expiry_date).map_or(true, |expiry| expiry <= now)
}
