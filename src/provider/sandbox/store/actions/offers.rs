//! Offer requests are made (E1), their statements read (E2), and the lender's answers received (E3). Knows nothing of
//! loans beyond whether an offer has become one.

use std::sync::Arc;

use bytes::Bytes;

use crate::provider::sandbox::store::offers::{OfferRequest, Offers, has_expired};
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::SandboxState;
use crate::provider::wire::{Offer, ReceivedOffers, Segment, Unusable, split_pages};

impl SandboxState {
    /// Records an offer request and gives it a reference, with the offers that can still be accepted. E1 is a read: a
    /// repeated request is the same one.
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
        store.offers.requests.insert(request.reference.clone(), request.clone());
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
        // Made outside the lock, because making a statement may take long.
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

    /// Records an answer, all of it or nothing.
    pub(crate) fn receive(&self, query: &str, answer: ReceivedOffers) -> Result<(), Refusal> {
        let is_by_reference = self.config().settings.send_offers.segment == Segment::OfferRequestReference;
        let reference = is_by_reference.then_some(answer.segment.as_str());
        let mut store = self.store_to_change();
        take_answered_offers(&mut store.offers, reference, &answer.offers)?;
        store.offers.note(query, answer);
        Ok(())
    }

    /// Records the offers with which the lender answered a request at once, all of them or nothing.
    pub(crate) fn receive_at_once(&self, reference: &str, offers: &[Offer]) -> Result<(), Refusal> {
        take_answered_offers(&mut self.store_to_change().offers, Some(reference), offers)
    }
}

/// Makes the offers of an answer.
fn take_answered_offers(offers: &mut Offers, reference: Option<&str>, made: &[Offer]) -> Result<(), Refusal> {
    let request = reference.map(|reference| {
        offers.requests.get(reference).ok_or_else(|| Refusal::unknown("no offer request with this reference"))
    });
    let request = request.transpose()?;
    if !made.iter().all(|offer| offers.may_be_made(offer, request)) {
        return Err(Refusal::conflict("an `offerId` belongs to another offer; the whole answer was discarded"));
    }
    if let Some(request) = reference.and_then(|reference| offers.requests.get_mut(reference)) {
        request.answered = true;
        for offer in made {
            match request.offers.iter_mut().find(|known| known.offer_id == offer.offer_id) {
                Some(known) => known.clone_from(offer),
                None => request.offers.push(offer.clone()),
            }
        }
    }
    let reference = reference.map(str::to_owned);
    for offer in made {
        offers.make(offer, reference.as_ref());
    }
    Ok(())
}
