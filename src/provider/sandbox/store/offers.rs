//! Offer requests and the lender's answers to them. Knows nothing of loans.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use indexmap::IndexMap;
use serde::Serialize;

use crate::provider::wire::{Offer, ReceivedOffers};

/// How many of the lender's answers are kept as they came. Their offers are kept for ever.
const RECEIVED_KEPT: usize = 10_000;

#[derive(Default)]
pub(super) struct Offers {
    pub(super) requests: IndexMap<String, OfferRequest>,
    /// Offers by their ids.
    made: HashMap<String, MadeOffer>,
    pub(super) received: VecDeque<Received>,
    received_count: usize,
    /// Pages of statements, by customer.
    pub(super) statements: HashMap<String, Arc<[Bytes]>>,
}

/// An offer that was made.
struct MadeOffer {
    offer: Offer,
    /// The offer request that it answers, the last of several; `None` if the lender's answer does not name one.
    reference: Option<String>,
    /// Whether it answers several offer requests.
    is_shared: bool,
}

/// An offer request: made by E1, read by E2, answered by E3.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferRequest {
    /// The reference that E2 and E3 carry.
    pub reference: String,
    /// The customer.
    pub customer_id: String,
    /// The channel.
    pub channel_code: String,
    /// The amount wanted, in minor units.
    pub amount: i64,
    /// The type of service.
    pub service_type: String,
    /// Whether the lender has answered.
    pub answered: bool,
    /// The lender's offers so far.
    pub offers: Vec<Offer>,
}

/// An answer of the lender (E3) as it came.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Received {
    /// Counts from 1.
    pub number: usize,
    /// The query string, exactly as it came.
    pub query: String,
    /// The answer as it was read.
    #[serde(flatten)]
    pub answer: ReceivedOffers,
}

impl Offers {
    /// An offer and the request that it answers, where the lender's answer names one.
    pub(super) fn find(&self, offer_id: &str) -> Option<(&Offer, Option<&OfferRequest>)> {
        let made = self.made.get(offer_id)?;
        Some((&made.offer, made.reference.as_ref().and_then(|reference| self.requests.get(reference))))
    }

    /// Whether an offer may be made under its id, by which E4 finds it. A decision on the same facts makes the same
    /// offer again, so offer requests of one customer may share an offer. Other customers may not use its id, nor may
    /// other content.
    pub(super) fn may_be_made(&self, offer: &Offer, request: Option<&OfferRequest>) -> bool {
        let Some(made) = self.made.get(&offer.offer_id) else { return true };
        let is_same = made.offer == *offer;
        let before = made.reference.as_ref().and_then(|reference| self.requests.get(reference));
        match (request, before) {
            (Some(request), Some(before)) if request.reference == before.reference => is_same || !made.is_shared,
            (Some(request), Some(before)) => is_same && request.customer_id == before.customer_id,
            _ => is_same,
        }
    }

    pub(super) fn make(&mut self, offer: &Offer, reference: Option<&String>) {
        let before = self.made.get(&offer.offer_id);
        let is_shared = before.is_some_and(|before| before.is_shared || before.reference.as_ref() != reference);
        let made = MadeOffer { offer: offer.clone(), reference: reference.cloned(), is_shared };
        self.made.insert(offer.offer_id.clone(), made);
    }

    pub(super) fn note(&mut self, query: &str, answer: ReceivedOffers) {
        if self.received.len() >= RECEIVED_KEPT {
            self.received.pop_front();
        }
        self.received_count += 1;
        self.received.push_back(Received { number: self.received_count, query: query.to_owned(), answer });
    }
}

/// Whether an offer has expired. E3 takes timestamps only; anything else counts as expired.
pub(super) fn has_expired(offer: &Offer, now: DateTime<Utc>) -> bool {
    DateTime::parse_from_rfc3339(&offer.expiry_date).map_or(true, |expiry| expiry <= now)
}
