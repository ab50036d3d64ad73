//! Compares the record with the provider's: every transaction of money that was sent, day by day. Changes nothing.
//! Knows nothing of how results look.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use futures_util::StreamExt;

use super::act::{ProviderAnswer, TransactionLookup};
use super::in_words::LocalTime;
use crate::base::date::Day;
use crate::lender::loan::OrderOutcome;
use crate::lender::loan_book::{LoanBook, LoanRow, OrderRow, PaymentStatus};
use crate::lender::runner::call::TransactionQuery;
use crate::lender::store::error::StoreError;

/// A transaction of money that was sent.
#[derive(Clone, Debug)]
pub(crate) struct SentOrder {
    /// As it is recorded.
    pub(crate) order: OrderRow,
    /// The loan's id at the provider.
    pub(crate) loan_id: String,
    /// ISO 4217, numeric.
    pub(crate) currency: String,
    /// Whether it is the one that `service loans resolve` is about.
    pub(crate) is_in_question: bool,
}

impl SentOrder {
    fn query(&self) -> TransactionQuery {
        TransactionQuery {
            transaction_id: self.order.transaction_id.clone(),
            loan_id: self.loan_id.clone(),
            amount_minor: self.order.amount_minor,
            currency: self.currency.clone(),
        }
    }
}

/// How the record and the answer fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// Both say the same.
    Agrees,
    /// They contradict each other.
    Differs,
    /// The provider does not know the transaction.
    UnknownThere,
    /// The provider gave no usable answer.
    Unanswered,
}

impl Agreement {
    /// It as one word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Agreement::Agrees => "agrees",
            Agreement::Differs => "differs",
            Agreement::UnknownThere => "unknown_there",
            Agreement::Unanswered => "unanswered",
        }
    }

    fn new(order: &OrderRow, answer: ProviderAnswer) -> Agreement {
        match (order.outcome, answer) {
            (_, ProviderAnswer::Missing) => Agreement::Unanswered,
            // It moved, and was taken back by another way.
            (OrderOutcome::NotMoved, ProviderAnswer::Moved) if order.reversed_at.is_some() => Agreement::Agrees,
            (OrderOutcome::Moved, ProviderAnswer::Moved)
            | (OrderOutcome::NotMoved, ProviderAnswer::NotMoved)
            | (OrderOutcome::Sent, ProviderAnswer::Pending) => Agreement::Agrees,
            // Money that did not move may have left no trace there.
            (OrderOutcome::NotMoved, ProviderAnswer::NotFound) => Agreement::Agrees,
            (_, ProviderAnswer::NotFound) => Agreement::UnknownThere,
            _ => Agreement::Differs,
        }
    }
}

/// A transaction with both sides.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// As it is recorded.
    pub(crate) sent: SentOrder,
    /// What the provider says.
    pub(crate) answer: ProviderAnswer,
    /// How they fit.
    pub(crate) agreement: Agreement,
}

impl Comparison {
    /// What a person does next.
    pub(crate) fn next_step(&self) -> &'static str {
        match (self.agreement, self.sent.order.outcome, self.answer) {
            (Agreement::Agrees, ..) => "",
            (Agreement::Unanswered, ..) => "compare again later",
            (_, OrderOutcome::Moved, ProviderAnswer::NotMoved) => {
                "if it was taken back, record it by `service loans reverse`"
            }
            (_, OrderOutcome::NotMoved, _) if self.sent.order.reversed_at.is_some() => {
                "have it confirmed in writing: it was recorded as taken back"
            }
            (_, OrderOutcome::NotMoved, ProviderAnswer::Moved | ProviderAnswer::Pending)
                if self.sent.is_in_question =>
            {
                "have it confirmed, then `service loans resolve --moved`"
            }
            (_, OrderOutcome::NotMoved, ProviderAnswer::Moved | ProviderAnswer::Pending) => {
                "have it confirmed; if its notification is parked, `service loans post` it"
            }
            (_, OrderOutcome::Moved, _) => "have it confirmed in writing: the record says that it moved",
            (_, OrderOutcome::Sent, _) => "the service asks by itself; in `review`, `service loans resolve`",
            _ => "have it confirmed: the record says that it never left",
        }
    }
}

/// How many, and how much in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    /// How many.
    pub(crate) count: i64,
    /// In minor units.
    pub(crate) amount_minor: i64,
}

impl Sum {
    fn add(&mut self, amount_minor: i64) {
        self.count += 1;
        self.amount_minor = self.amount_minor.saturating_add(amount_minor);
    }
}

/// What a day came to, in one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DaySums {
    /// Transactions of money that were sent.
    pub(crate) sent: Sum,
    /// Those of them that moved.
    pub(crate) moved: Sum,
    /// Payments that the provider notified.
    pub(crate) notified: Sum,
    /// Those of them that were posted.
    pub(crate) posted: Sum,
    /// Those of them that fit nothing.
    pub(crate) parked: Sum,
}

/// The transactions that were sent on a day.
pub(crate) fn list_sent_orders(book: &LoanBook, time: &LocalTime, day: Day) -> Result<Vec<SentOrder>, StoreError> {
    let mut loans: BTreeMap<i64, Option<LoanRow>> = BTreeMap::new();
    let orders = book.list_orders_between(time.begin(day), time.begin(next_day(day)))?;
    let mut all = Vec::with_capacity(orders.len());
    for order in orders {
        let row = match loans.entry(order.loan) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(book.load_loan(order.loan)?),
        };
        let (loan_id, currency) = row.as_ref().map(id_and_currency).unwrap_or_default();
        let is_in_question = row.as_ref().and_then(|row| row.loan.order_in_question()).is_some_and(|one| {
            one.kind == order.kind
                && i64::from(one.instalment) == order.instalment
                && i64::from(one.attempt) == order.attempt
        });
        all.push(SentOrder { order, loan_id, currency, is_in_question });
    }
    Ok(all)
}

fn id_and_currency(row: &LoanRow) -> (String, String) {
    let currency = row.loan.terms.as_ref().map(|terms| terms.currency.clone());
    (row.loan_id.clone().unwrap_or_default(), currency.unwrap_or_default())
}

/// Looks all of them up, at most so many at once. The answers are in the order of the transactions.
pub(crate) async fn look_up_orders(
    provider: &dyn TransactionLookup,
    sent: &[SentOrder],
    at_once: usize,
    mut answered: impl FnMut(usize),
) -> Vec<ProviderAnswer> {
    let queries: Vec<TransactionQuery> = sent.iter().map(SentOrder::query).collect();
    let calls = queries.iter().map(|query| provider.look_up(query));
    let mut answers = futures_util::stream::iter(calls).buffered(at_once.max(1));
    let mut all = Vec::with_capacity(sent.len());
    while let Some(answer) = answers.next().await {
        all.push(answer);
        answered(all.len());
    }
    all
}

/// Compares the record with the answers.
pub(crate) fn compare_orders(sent: Vec<SentOrder>, answers: &[ProviderAnswer]) -> Vec<Comparison> {
    let compare = |(sent, answer): (SentOrder, &ProviderAnswer)| {
        let agreement = Agreement::new(&sent.order, *answer);
        Comparison { sent, answer: *answer, agreement }
    };
    sent.into_iter().zip(answers).map(compare).collect()
}

/// What a day came to, by currency. A payment that fits no loan has no currency.
pub(crate) fn sum_day(
    book: &LoanBook,
    time: &LocalTime,
    day: Day,
    sent: &[SentOrder],
) -> Result<BTreeMap<String, DaySums>, StoreError> {
    let mut sums: BTreeMap<String, DaySums> = BTreeMap::new();
    for one in sent {
        let sum = sums.entry(one.currency.clone()).or_default();
        sum.sent.add(one.order.amount_minor);
        if one.order.outcome == OrderOutcome::Moved {
            sum.moved.add(one.order.amount_minor);
        }
    }
    for payment in book.list_payments_between(time.begin(day), time.begin(next_day(day)))? {
        let currency = match payment.loan {
            Some(loan) => book.load_loan(loan)?.as_ref().map(id_and_currency).unwrap_or_default().1,
            None => String::new(),
        };
        let sum = sums.entry(currency).or_default();
        sum.notified.add(payment.amount_minor);
        match payment.status {
            PaymentStatus::Posted => sum.posted.add(payment.amount_minor),
            PaymentStatus::Parked => sum.parked.add(payment.amount_minor),
            PaymentStatus::Received | PaymentStatus::Waiting | PaymentStatus::Echo | PaymentStatus::Dismissed => {}
        }
    }
    Ok(sums)
}

/// The day after; the calendar's last day is its own.
pub(crate) fn next_day(day: Day) -> Day {
    Day::checked_from_days(day.days().saturating_add(1)).unwrap_or(day)
}
