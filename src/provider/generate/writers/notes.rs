//! The notes that an aggregator's tagger derives from a narration. A tagger sees only the words, so they can mislead
//! it.

use crate::provider::generate::events::event::{Event, Label};
use crate::provider::generate::market::Market;

/// Words in a narration, and the topic that a tagger derives from them.
const TOPICS: &[(&str, &str)] = &[
    ("SALARY", "salary"),
    ("PAYROLL", "salary"),
    ("PENSION", "pension"),
    ("AIRTIME", "airtime"),
    (" POS ", "pos"),
    ("ATM ", "atm"),
    ("LOAN", "loan"),
    ("REFUND", "refund"),
    ("RVSL", "reversal"),
    ("REVERSAL", "reversal"),
    ("**REV", "reversal"),
    ("CHARGE", "charges"),
    ("FEE", "charges"),
    ("RENT", "rent"),
    ("CASH", "cash"),
    ("WEB ", "web"),
    ("USSD", "ussd"),
    ("TRF", "transfer"),
    ("NIP", "transfer"),
    ("INTEREST", "interest"),
];

/// Words, and the action that a tagger derives from them.
const ACTIONS: &[(&str, &str)] = &[
    ("NIP", "transfer"),
    ("TRF", "transfer"),
    ("PRCH", "purchase"),
    ("WDL", "withdraw"),
    ("DEPOSIT", "deposit"),
    ("PAYMENT", "pay"),
    ("PYT", "pay"),
];

/// Words, and the preposition that a tagger derives from them.
const PREPOSITIONS: &[(&str, &str)] =
    &[(" FOR ", "for"), (" TO ", "to"), (" FRM ", "from"), ("FROM ", "from"), (" BY ", "by"), ("VIA ", "via")];

/// The lists of a record's notes.
#[derive(Debug, Default)]
pub(crate) struct Notes<'a> {
    pub(crate) topics: Vec<&'static str>,
    pub(crate) places: Vec<&'static str>,
    pub(crate) people: Vec<&'a str>,
    pub(crate) actions: Vec<&'static str>,
    pub(crate) subjects: Vec<&'a str>,
    pub(crate) prepositions: Vec<&'static str>,
}

fn match_listed_words(text: &str, list: &[(&str, &'static str)], most: usize) -> Vec<&'static str> {
    let mut items = Vec::new();
    for (word, item) in list {
        if items.len() < most && text.contains(word) && !items.contains(item) {
            items.push(*item);
        }
    }
    items
}

/// Tags one record of a market.
pub(crate) fn tag_narration(event: &Event, market: Market) -> Notes<'_> {
    if event.desc.is_empty() {
        return Notes::default();
    }
    let text = event.desc.to_uppercase();
    let place = market.facts().cities.iter().find(|city| text.contains(**city));
    let who = event.who.as_deref().filter(|who| event.desc.contains(who));
    let is_person = matches!(
        event.label,
        Label::Gift
            | Label::OwnTransfer
            | Label::Business
            | Label::TransferOut
            | Label::Rent
            | Label::RentPaid
            | Label::CashDeposit
    );
    Notes {
        topics: match_listed_words(&text, TOPICS, 3),
        places: place.copied().into_iter().collect(),
        people: who.filter(|_| is_person).into_iter().collect(),
        actions: match_listed_words(&text, ACTIONS, 1),
        subjects: who.filter(|_| !is_person).into_iter().collect(),
        prepositions: match_listed_words(&text, PREPOSITIONS, 2),
    }
}
