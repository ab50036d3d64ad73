//! The record beside the provider's: every transaction of money that was sent, day by day. Changes nothing. Knows
//! nothing of how results look.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use futures_util::StreamExt;

use super::act::{Answer, Asks};
use super::in_words::LocalTime;
use crate::base::date::Day;
use crate::lender::loan_book::{LoanBook, OrderRow, Standing};
use crate::lender::store::error::StoreError;

/// A transaction to ask about.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// As it is recorded.
    pub(crate) order: OrderRow,
    /// The loan's id at the provider.
    pub(crate) loan_id: String,
    /// ISO 4217, numeric.
    pub(crate) currency: String,
}

/// How the record and the answer fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Both say the same.
    Agrees,
    /// They contradict each other.
    Differs,
    /// The provider does not know the transaction.
    UnknownThere,
    /// The provider gave no usable answer.
    Unanswered,
}

impl Verdict {
    /// The verdict as one word.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::UnknownThere => "unknown_there",
            Verdict::Unanswered => "unanswered",
        }
    }

    fn new(recorded: &str, answer: Answer) -> Verdict {
        match (recorded, answer) {
            (_, Answer::Missing) => Verdict::Unanswered,
            ("moved", Answer::Moved) | ("not_moved", Answer::NotMoved) | ("sent", Answer::Pending) => Verdict::Agrees,
            // Money that did not move may have left no trace there.
            ("not_moved", Answer::NotFound) => Verdict::Agrees,
            (_, Answer::NotFound) => Verdict::UnknownThere,
            _ => Verdict::Differs,
        }
    }
}

/// A transaction with both sides.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// As it is recorded.
    pub(crate) question: Question,
    /// What the provider says.
    pub(crate) answer: Answer,
    /// How they fit.
    pub(crate) verdict: Verdict,
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
pub(crate) fn questions(book: &LoanBook, time: &LocalTime, day: Day) -> Result<Vec<Question>, StoreError> {
    let mut loans: BTreeMap<i64, (String, String)> = BTreeMap::new();
    let orders = book.orders_between(time.begin(day), time.begin(next(day)))?;
    let mut all = Vec::with_capacity(orders.len());
    for order in orders {
        let (loan_id, currency) = match loans.entry(order.loan) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(new) => new.insert(loan_and_currency(book, order.loan)?).clone(),
        };
        all.push(Question { order, loan_id, currency });
    }
    Ok(all)
}

fn loan_and_currency(book: &LoanBook, loan: i64) -> Result<(String, String), StoreError> {
    let row = book.loan(loan)?;
    let currency =
        |row: &crate::lender::loan_book::LoanRow| row.loan.terms.as_ref().map(|terms| terms.currency.clone());
    Ok(row.map(|row| (row.loan_id.clone().unwrap_or_default(), currency(&row).unwrap_or_default())).unwrap_or_default())
}

/// Asks about all of them, at most so many at once. The answers are in the order of the questions.
pub(crate) async fn ask_all(
    provider: &dyn Asks,
    questions: &[Question],
    at_once: usize,
    mut answered: impl FnMut(usize),
) -> Vec<Answer> {
    let calls = questions.iter().map(|question| provider.ask(&question.order.transaction_id, &question.loan_id));
    let mut answers = futures_util::stream::iter(calls).buffered(at_once.max(1));
    let mut all = Vec::with_capacity(questions.len());
    while let Some(answer) = answers.next().await {
        all.push(answer);
        answered(all.len());
    }
    all
}

/// The record beside the answers.
pub(crate) fn comparisons(questions: Vec<Question>, answers: &[Answer]) -> Vec<Comparison> {
    let compare = |(question, answer): (Question, &Answer)| {
        let verdict = Verdict::new(&question.order.outcome, *answer);
        Comparison { question, answer: *answer, verdict }
    };
    questions.into_iter().zip(answers).map(compare).collect()
}

/// What a day came to, by currency. A payment that fits no loan has no currency.
pub(crate) fn sums(
    book: &LoanBook,
    time: &LocalTime,
    day: Day,
    questions: &[Question],
) -> Result<BTreeMap<String, DaySums>, StoreError> {
    let mut sums: BTreeMap<String, DaySums> = BTreeMap::new();
    for question in questions {
        let sum = sums.entry(question.currency.clone()).or_default();
        sum.sent.add(question.order.amount_minor);
        if question.order.outcome == "moved" {
            sum.moved.add(question.order.amount_minor);
        }
    }
    for payment in book.payments_between(time.begin(day), time.begin(next(day)))? {
        let currency = match payment.loan {
            Some(loan) => loan_and_currency(book, loan)?.1,
            None => String::new(),
        };
        let sum = sums.entry(currency).or_default();
        sum.notified.add(payment.amount_minor);
        match payment.standing {
            Standing::Posted => sum.posted.add(payment.amount_minor),
            Standing::Parked => sum.parked.add(payment.amount_minor),
            Standing::Received | Standing::Waiting | Standing::Echo | Standing::Dismissed => {}
        }
    }
    Ok(sums)
}

/// The day after; the calendar's last day is its own.
pub(crate) fn next(day: Day) -> Day {
    Day::checked_from_days(day.days().saturating_add(1)).unwrap_or(day)
}
