//! Money that moves, each transaction once under its id (E6, E8), what became of it (E9), and what customers pay on their own.
//! Knows nothing of HTTP.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::keyed_list::KeyedList;
use super::{Store, EntryKind, Loan, LoanState, Newest, Refusal, State};
use crate::words::money::{AmountUnit, Currency, parse_amount};

/// So many messages are kept.
const MESSAGES_KEPT: usize = 10_000;

#[derive(Default)]
pub(super) struct Transactions {
    all: KeyedList<Transaction>,
    messages: VecDeque<Sms>,
    debits_refused: u32,
    repayments: u64,
}

/// A transaction of money.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// The caller's id.
    pub transaction_id: String,
    /// The provider's reference.
    pub transaction_ref: String,
    /// The loan.
    pub loan_id: String,
    /// What it is.
    pub kind: TransactionKind,
    /// How much, in minor units; nothing where the amount was not one.
    pub amount: Option<i64>,
    /// When it came.
    pub at: DateTime<Utc>,
    /// What became of it.
    pub outcome: Outcome,
    /// How often it was asked about.
    pub requeries: u32,
    #[serde(skip)]
    fingerprint: String,
}

/// What a transaction does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TransactionKind {
    /// Credits the customer (E6).
    Fund,
    /// Debits the customer (E8).
    Debit,
}

/// What became of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// The money has moved.
    Succeeded,
    /// The money has not moved, and will not under this id.
    Failed {
        /// Why.
        message: String,
    },
}

/// A message to a customer (E7).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sms {
    /// When it came.
    pub at: DateTime<Utc>,
    /// The customer.
    pub customer_id: String,
    /// The loan it is about.
    pub loan_id: String,
    /// How long the message is, in characters; what it says is not kept.
    pub characters: usize,
}

/// What E6 or E8 says.
pub(crate) struct Moving<'a> {
    pub kind: TransactionKind,
    pub transaction_id: &'a str,
    pub loan_id: &'a str,
    pub customer_id: &'a str,
    /// The amount's digits as they came.
    pub digits: String,
    /// E6 alone: the currency and the reference of the acceptance.
    pub currency: Option<&'a str>,
    pub loan_reference_id: Option<&'a str>,
    /// Stands for the whole body.
    pub fingerprint: String,
}

/// What E9 is told.
pub(crate) enum Settled {
    NotFound,
    Pending,
    Done(Transaction),
}

impl State {
    /// The transactions so far, in the order in which they came.
    pub fn transactions(&self) -> Vec<Transaction> {
        self.newest_transactions(usize::MAX).rows
    }

    pub(crate) fn newest_transactions(&self, most: usize) -> Newest<Transaction> {
        self.store().transactions.all.newest(most)
    }

    /// The last messages to customers.
    pub fn messages(&self) -> Vec<Sms> {
        self.newest_messages(usize::MAX).rows
    }

    pub(crate) fn newest_messages(&self, most: usize) -> Newest<Sms> {
        Newest::of(self.store().transactions.messages.iter(), most)
    }

    /// Moves money, or says what the same transaction did before.
    pub(crate) fn move_money(&self, asked: Moving<'_>) -> Result<Transaction, Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        let Store { loans, transactions, callbacks, .. } = &mut *store;
        let loan = loans.of_customer(asked.loan_id, asked.customer_id)?;
        let exponent = Currency::from_numeric(&loan.currency).map_or(2, |known| known.exponent());
        if let Some(known) = transactions.all.get(asked.transaction_id) {
            return match (&known.outcome, known.fingerprint == asked.fingerprint && known.kind == asked.kind) {
                (_, false) => Err(Refusal::conflict("`transactionId` has been used with another body")),
                (Outcome::Succeeded, true) => Ok(known.clone()),
                (Outcome::Failed { message }, true) => Err(Refusal::conflict(message.clone())),
            };
        }
        let unit = self.config().settings.money.amount_unit;
        let amount = parse_amount(asked.digits.as_bytes(), unit, exponent).ok();
        let checked = match (asked.kind, amount) {
            (_, None) => Err(not_an_amount(unit)),
            (TransactionKind::Fund, Some(amount)) => fundable(loan, &asked, amount).map(|()| amount),
            (TransactionKind::Debit, Some(amount)) => self.debitable(transactions, loan, amount).map(|()| amount),
        };
        let digits = self.digits(&["transaction", asked.transaction_id]);
        // Of the seed and what is asked alone: the same calls get the same references at any time.
        let kind = if asked.kind == TransactionKind::Fund { "CR" } else { "DR" };
        let transaction = Transaction {
            transaction_id: asked.transaction_id.to_owned(),
            transaction_ref: format!("SBX|{kind}|{digits}"),
            loan_id: asked.loan_id.to_owned(),
            kind: asked.kind,
            amount,
            at,
            outcome: match &checked {
                Ok(_) => Outcome::Succeeded,
                Err(message) => Outcome::Failed { message: message.clone() },
            },
            requeries: 0,
            fingerprint: asked.fingerprint.clone(),
        };
        transactions.all.add(asked.transaction_id, transaction.clone());
        let amount = checked.map_err(Refusal::conflict)?;
        match asked.kind {
            TransactionKind::Fund => loan.fund(at, amount, asked.transaction_id),
            TransactionKind::Debit => {
                loan.collect(at, EntryKind::Debited, amount, asked.transaction_id);
                self.notify_payment(callbacks, loan, amount, &transaction.transaction_ref);
            }
        }
        Ok(transaction)
    }

    fn debitable(&self, transactions: &mut Transactions, loan: &Loan, amount: i64) -> Result<(), String> {
        collectable(loan, amount)?;
        if transactions.debits_refused < self.config().behaviour.debits_refused {
            transactions.debits_refused += 1;
            return Err("the customer's account holds too little".to_owned());
        }
        Ok(())
    }

    /// What became of a transaction. Asking counts: the first answers may be that it is not known, or not done.
    pub(crate) fn requery(&self, transaction_id: &str, loan_id: Option<&str>) -> Settled {
        let behaviour = &self.config().behaviour;
        let mut store = self.store_to_change();
        let of_loan = |known: &&mut Transaction| loan_id.is_none_or(|loan| known.loan_id == loan);
        let Some(known) = store.transactions.all.get_mut(transaction_id).filter(of_loan) else {
            return Settled::NotFound;
        };
        let earlier = known.requeries;
        known.requeries = earlier.saturating_add(1);
        if earlier < behaviour.requery_not_found {
            Settled::NotFound
        } else if earlier - behaviour.requery_not_found < behaviour.requery_pending {
            Settled::Pending
        } else {
            Settled::Done(known.clone())
        }
    }

    /// The customer pays on their own.
    pub(crate) fn repay(&self, loan_id: &str, amount: i64) -> Result<(), Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        let Store { loans, transactions, callbacks, .. } = &mut *store;
        transactions.repayments += 1;
        let number = transactions.repayments.to_string();
        let reference = self.id("PAY", &["repayment", &number]);
        let loan = loans.get_mut(loan_id).ok_or_else(|| Refusal::unknown("no loan with this id"))?;
        collectable(loan, amount).map_err(Refusal::conflict)?;
        loan.collect(at, EntryKind::Repaid, amount, &reference);
        self.notify_payment(callbacks, loan, amount, &reference);
        Ok(())
    }

    /// Notes a message to a customer.
    pub(crate) fn message(&self, loan_id: &str, customer_id: &str, message: &str) -> Result<(), Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        store.loans.of_customer(loan_id, customer_id)?;
        let messages = &mut store.transactions.messages;
        if messages.len() >= MESSAGES_KEPT {
            messages.pop_front();
        }
        let (customer_id, loan_id) = (customer_id.to_owned(), loan_id.to_owned());
        messages.push_back(Sms { at, customer_id, loan_id, characters: message.chars().count() });
        Ok(())
    }
}

fn not_an_amount(unit: AmountUnit) -> String {
    match unit {
        AmountUnit::Minor => "`amount` is not a whole number of minor units".to_owned(),
        AmountUnit::Major => "`amount` has more decimals than the currency".to_owned(),
    }
}

fn fundable(loan: &Loan, asked: &Moving<'_>, amount: i64) -> Result<(), String> {
    let problem = if loan.state != LoanState::Accepted {
        "the loan has been funded by another transaction"
    } else if asked.currency != Some(&loan.currency) {
        "`currencyCode` is not the offer's currency"
    } else if asked.loan_reference_id != Some(&loan.loan_reference_id) {
        "`loanReferenceId` is not the one that the offer was accepted under"
    } else if amount != loan.amount_offered && amount != loan.amount_offered - loan.fee {
        // A fee may be deducted from what is paid out.
        "`amount` is neither the amount offered nor that less the fee"
    } else {
        return Ok(());
    };
    Err(problem.to_owned())
}

fn collectable(loan: &Loan, amount: i64) -> Result<(), String> {
    let problem = match loan.state {
        LoanState::Accepted => "the loan has not been funded",
        LoanState::Closed => "the loan has been paid back",
        LoanState::Open if amount <= 0 => "`amount` is not above zero",
        LoanState::Open if amount > loan.remaining => "`amount` is more than what remains",
        LoanState::Open if amount < loan.remaining && !loan.is_part_payment_allowed => {
            "`amount` is less than what remains, and the offer allows no part payment"
        }
        LoanState::Open => return Ok(()),
    };
    Err(problem.to_owned())
}
