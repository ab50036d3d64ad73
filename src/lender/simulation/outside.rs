//! The provider and its customers, with a truth of their own: which money has moved. Knows nothing of the book.

use std::collections::BTreeMap;

use crate::lender::loan::{Event, OrderKind};
use crate::lender::loan_book::Facts;
use crate::lender::runner::call::{CallOutcome, Transfer};
use crate::provider::generate::random::Draw;
use crate::provider::wire::lender::Payment;

/// What becomes of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fate {
    /// Carried out, and answered.
    Done,
    /// Refused, and answered so.
    Refused,
    /// Certainly not sent.
    NotSent,
    /// Lost on the way there.
    LostBefore,
    /// Carried out; the answer is lost, a 5xx, or garbled.
    LostAfter,
    /// Lost, and carried out later.
    Late,
    /// The answer is lost; the order failed.
    LostFailed,
    /// Carried out, and pending for a while.
    Slow,
    /// Carried out; the answer is lost, and queries say for a while that it failed.
    ReportedLate,
}

impl Fate {
    /// All fates.
    pub const ALL: [Fate; 9] = [
        Fate::Done,
        Fate::Refused,
        Fate::NotSent,
        Fate::LostBefore,
        Fate::LostAfter,
        Fate::Late,
        Fate::LostFailed,
        Fate::Slow,
        Fate::ReportedLate,
    ];
}

/// An order as the provider has it.
#[derive(Clone, Debug)]
pub(super) struct Transaction {
    /// When it arrives.
    pub(super) arrives: i64,
    /// Until when it is pending.
    pub(super) pending_until: i64,
    /// Until when queries say that it failed.
    pub(super) failed_until: i64,
    pub(super) moves: bool,
    pub(super) reference: String,
}

/// A notification (E11) that arrives later.
pub(super) struct Notification {
    /// When.
    pub(super) at: i64,
    pub(super) payment: Payment,
}

/// What an order led to.
pub(super) struct Ordered {
    /// What the lender gets as the answer.
    pub(super) outcome: CallOutcome,
    pub(super) notifications: Vec<Notification>,
}

impl Ordered {
    fn new(event: Event, notifications: Vec<Notification>) -> Ordered {
        Ordered { outcome: CallOutcome::new(event), notifications }
    }
}

#[derive(Default)]
pub(super) struct Outside {
    pub(super) transactions: BTreeMap<String, Transaction>,
    /// Ids that were sent and may have arrived.
    pub(super) spent: BTreeMap<String, Fate>,
    /// What customers paid by themselves, by reference.
    pub(super) payments: BTreeMap<String, Payment>,
    /// Notifications that the lender has taken.
    pub(super) delivered: std::collections::BTreeSet<String>,
    /// Orders that were carried out and taken back afterwards.
    pub(super) reversed: std::collections::BTreeSet<String>,
    /// Whether the provider carries out each id at most once, and the lender knows it.
    pub(super) is_idempotent: bool,
    /// What must never be.
    pub(super) violations: Vec<String>,
    pub(super) orders: u64,
}

const MINUTE: i64 = 60_000;

impl Outside {
    /// An order arrives, or does not.
    pub(super) fn receive_order(&mut self, transfer: &Transfer, fate: Fate, now: i64, draw: &mut Draw) -> Ordered {
        self.orders += 1;
        if fate == Fate::NotSent {
            return Ordered::new(Event::NotSent, vec![]);
        }
        let before = self.spent.insert(transfer.transaction_id.clone(), fate);
        if self.is_idempotent && self.transactions.contains_key(&transfer.transaction_id) {
            // The second one changes nothing.
            return Ordered::new(Event::Unknown, vec![]);
        }
        if let Some(before) = before.filter(|_| !self.is_idempotent) {
            self.violations.push(format!("{} was sent again after {before:?}", transfer.transaction_id));
        }
        if fate == Fate::LostBefore {
            return Ordered::new(Event::Unknown, vec![]);
        }
        let arrives = if fate == Fate::Late { now + draw.range(1, 13) * MINUTE } else { now };
        let pending_until = if fate == Fate::Slow { now + draw.range(1, 600) * MINUTE } else { now };
        // Longer than the settling time, and shorter than anybody waits before the next try.
        let failed_until = if fate == Fate::ReportedLate { now + draw.range(1, 55) * MINUTE } else { now };
        let transaction = Transaction {
            arrives,
            pending_until,
            failed_until,
            moves: !matches!(fate, Fate::Refused | Fate::LostFailed),
            reference: format!("REF|{}", transfer.transaction_id),
        };
        let moves = transaction.moves;
        let reference = transaction.reference.clone();
        self.transactions.insert(transfer.transaction_id.clone(), transaction);
        let mut notifications = Vec::new();
        if moves && transfer.kind == OrderKind::Debit {
            // The provider notifies the lender's own debits too, and not only once.
            for _ in 0..draw.below(4) {
                // Some have a reference that the answer to the debit did not name.
                let is_named = draw.chance(700);
                let payment = Payment {
                    payment_ref: if is_named { reference.clone() } else { format!("OTHER|{reference}") },
                    loan_id: transfer.loan_id.clone(),
                    customer_id: transfer.customer_id.clone(),
                    amount_minor: transfer.amount_minor,
                };
                let at = pending_until.max(arrives).max(failed_until) + draw.range(0, 300) * MINUTE;
                notifications.push(Notification { at, payment });
            }
        }
        let event = match fate {
            Fate::Done => {
                let facts = Facts { transaction_ref: Some(reference), ..Facts::default() };
                return Ordered { outcome: CallOutcome { event: Event::Moved, facts }, notifications };
            }
            Fate::Refused => Event::NotMoved,
            _ => Event::Unknown,
        };
        Ordered::new(event, notifications)
    }

    /// The answer to a query of an order's outcome.
    pub(super) fn answer_query(&self, id: &str, now: i64, names_reference: bool) -> CallOutcome {
        let arrived = self.transactions.get(id).filter(|transaction| transaction.arrives <= now);
        let Some(transaction) = arrived else { return CallOutcome::new(Event::NotFound) };
        if now < transaction.pending_until {
            return CallOutcome::new(Event::Pending);
        }
        match transaction.moves && transaction.failed_until <= now {
            false => CallOutcome::new(Event::ReportedFailed),
            true => {
                let transaction_ref = names_reference.then(|| transaction.reference.clone());
                CallOutcome { event: Event::Moved, facts: Facts { transaction_ref, ..Facts::default() } }
            }
        }
    }

    /// Until when the provider says that an order failed although it moved.
    pub(super) fn says_failed_until(&self, id: &str) -> Option<i64> {
        let is_wrong = self.spent.get(id) == Some(&Fate::ReportedLate);
        self.transactions.get(id).filter(|_| is_wrong).map(|transaction| transaction.failed_until)
    }

    /// Whether an order was taken back after it had moved.
    pub(super) fn is_reversed(&self, id: &str) -> bool {
        self.reversed.contains(id)
    }

    /// Whether an order has moved money, or will.
    pub(super) fn moves(&self, id: &str) -> bool {
        self.transactions.get(id).is_some_and(|transaction| transaction.moves)
    }
}
