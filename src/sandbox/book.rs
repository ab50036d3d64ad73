//! What the sandbox remembers: people, offer requests, answers. Knows nothing of HTTP.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use serde::Serialize;

use super::faults::Counters;
use super::{Config, Person, people};
use crate::wire::{Offer, ReceivedOffers, Segment, Unusable, split_pages};

/// The state of a sandbox; clones share it.
#[derive(Clone)]
pub struct State(Arc<Inner>);

struct Inner {
    config: Config,
    people: Vec<Person>,
    counters: Counters,
    book: Mutex<Book>,
}

#[derive(Default)]
struct Book {
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

impl State {
    /// A sandbox at its beginning.
    pub fn new(config: Config) -> State {
        State(Arc::new(Inner {
            people: people(config.seed),
            config,
            counters: Counters::default(),
            book: Mutex::default(),
        }))
    }

    /// The people of the seed.
    pub fn people(&self) -> &[Person] {
        &self.0.people
    }

    /// The offer requests so far.
    pub fn requests(&self) -> Vec<OfferRequest> {
        self.book().requests.clone()
    }

    /// The answers so far.
    pub fn received(&self) -> Vec<Received> {
        self.book().received.clone()
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn counters(&self) -> &Counters {
        &self.0.counters
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
        let mut book = self.book();
        if let Some(known) = book.requests.iter().find(|known| known.reference == request.reference) {
            return known.clone();
        }
        book.requests.push(request.clone());
        request
    }

    /// The pages of the statement behind a reference.
    pub(crate) fn statement(&self, reference: &str) -> Option<Result<Arc<[Bytes]>, Unusable>> {
        let customer = {
            let book = self.book();
            let request = book.requests.iter().find(|request| request.reference == reference)?;
            if let Some(pages) = book.statements.get(&request.customer_id) {
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
            self.book().statements.insert(customer, pages.clone());
            pages
        }))
    }

    /// Notes an answer; false where its segment names no offer request.
    pub(crate) fn receive(&self, query: &str, answer: ReceivedOffers) -> bool {
        let mut book = self.book();
        if self.config().settings.send_offers.segment == Segment::OfferRequestReference {
            let Some(request) = book.requests.iter_mut().find(|request| request.reference == answer.segment) else {
                return false;
            };
            request.answered = true;
            for offer in &answer.offers {
                request.offers.retain(|known| known.offer_id != offer.offer_id);
                request.offers.push(offer.clone());
            }
        }
        let number = book.received.len() + 1;
        book.received.push(Received { number, query: query.to_owned(), answer });
        true
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Each change is whole before the lock is let go, so that a panic elsewhere harms nothing here.
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
