//! Money moves, once under each transaction id (E6, E8); its outcome is asked about (E9); customers pay and get
//! messages (E7). Knows nothing of HTTP.

use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::provider::sandbox::store::loans::{EntryKind, Loan, SandboxLoanState};
use crate::provider::sandbox::store::refusal::Refusal;
use crate::provider::sandbox::store::state::{SandboxState, Store};
use crate::provider::sandbox::store::transactions::{Sms, StoredOutcome, Transaction, TransactionKind, Transactions};

/// The request E6 or E8.
pub(crate) struct Moving<'a> {
    pub kind: TransactionKind,
    pub transaction_id: &'a str,
    pub loan_id: &'a str,
    pub customer_id: &'a str,
    /// The amount's digits as they came.
    pub digits: String,
    /// E6 only: the currency and the reference of the acceptance.
    pub currency: Option<&'a str>,
    pub loan_reference_id: Option<&'a str>,
    /// Identifies the body.
    pub fingerprint: String,
}

/// The answer to E9.
pub(crate) enum Requeried {
    NotFound,
    Pending,
    Done(Transaction),
}

impl SandboxState {
    /// Moves money. A repeated transaction gets the result of the first.
    pub(crate) fn move_money(&self, asked: Moving<'_>) -> Result<Transaction, Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        let Store { loans, transactions, callbacks, .. } = &mut *store;
        let loan = loans.customers_loan(asked.loan_id, asked.customer_id)?;
        let exponent = Currency::from_numeric(&loan.currency).map_or(2, |known| known.exponent());
        if let Some(known) = transactions.all.get(asked.transaction_id) {
            return match (&known.outcome, known.fingerprint == asked.fingerprint && known.kind == asked.kind) {
                (_, false) => Err(Refusal::conflict("`transactionId` has been used with another body")),
                (StoredOutcome::Succeeded, true) => Ok(known.clone()),
                (StoredOutcome::Failed { message }, true) => Err(Refusal::conflict(message.clone())),
            };
        }
        let unit = self.config().settings.money.amount_unit;
        let amount = parse_amount(asked.digits.as_bytes(), unit, exponent).ok();
        let checked = match (asked.kind, amount) {
            (_, None) => Err(not_an_amount(unit)),
            (TransactionKind::Fund, Some(amount)) => check_loan_fundable(loan, &asked, amount).map(|()| amount),
            (TransactionKind::Debit, Some(amount)) => self.debitable(transactions, loan, amount).map(|()| amount),
        };
        let digits = self.digits(&["transaction", asked.transaction_id]);
        // Derived from the seed and the request only, so the same calls always get the same references.
        let kind = if asked.kind == TransactionKind::Fund { "CR" } else { "DR" };
        let transaction = Transaction {
            transaction_id: asked.transaction_id.to_owned(),
            transaction_ref: format!("SBX|{kind}|{digits}"),
            loan_id: asked.loan_id.to_owned(),
            kind: asked.kind,
            amount,
            at,
            outcome: match &checked {
                Ok(_) => StoredOutcome::Succeeded,
                Err(message) => StoredOutcome::Failed { message: message.clone() },
            },
            requeries: 0,
            fingerprint: asked.fingerprint.clone(),
        };
        transactions.all.insert(asked.transaction_id.to_owned(), transaction.clone());
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
        check_loan_collectable(loan, amount)?;
        if transactions.debits_refused < self.config().behaviour.debits_refused {
            transactions.debits_refused += 1;
            return Err("the customer's account holds too little".to_owned());
        }
        Ok(())
    }

    /// The outcome of a transaction. Each call counts: the first answers may be that it is unknown, or pending.
    pub(crate) fn requery(&self, transaction_id: &str, loan_id: Option<&str>) -> Requeried {
        let behaviour = &self.config().behaviour;
        let mut store = self.store_to_change();
        let is_of_loan = |known: &&mut Transaction| loan_id.is_none_or(|loan| known.loan_id == loan);
        let Some(known) = store.transactions.all.get_mut(transaction_id).filter(is_of_loan) else {
            return Requeried::NotFound;
        };
        let earlier = known.requeries;
        known.requeries = earlier.saturating_add(1);
        let pending_from = behaviour.requery_not_found;
        let failed_from = pending_from.saturating_add(behaviour.requery_pending);
        if earlier < pending_from {
            Requeried::NotFound
        } else if earlier < failed_from {
            Requeried::Pending
        } else if earlier < failed_from.saturating_add(behaviour.requery_failed) {
            let message = "the status table is late".to_owned();
            Requeried::Done(Transaction { outcome: StoredOutcome::Failed { message }, ..known.clone() })
        } else {
            Requeried::Done(known.clone())
        }
    }

    /// The customer makes a payment.
    pub(crate) fn repay(&self, loan_id: &str, amount: i64) -> Result<(), Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        let Store { loans, transactions, callbacks, .. } = &mut *store;
        transactions.repayments += 1;
        let number = transactions.repayments.to_string();
        let reference = self.id("PAY", &["repayment", &number]);
        let loan = loans.get_mut(loan_id).ok_or_else(|| Refusal::unknown("no loan with this id"))?;
        check_loan_collectable(loan, amount).map_err(Refusal::conflict)?;
        loan.collect(at, EntryKind::Repaid, amount, &reference);
        self.notify_payment(callbacks, loan, amount, &reference);
        Ok(())
    }

    /// Records a message to a customer.
    pub(crate) fn message(&self, loan_id: &str, customer_id: &str, message: &str) -> Result<(), Refusal> {
        let at = self.now();
        let mut store = self.store_to_change();
        store.loans.customers_loan(loan_id, customer_id)?;
        let (customer_id, loan_id) = (customer_id.to_owned(), loan_id.to_owned());
        store.transactions.add_message(Sms { at, customer_id, loan_id, characters: message.chars().count() });
        Ok(())
    }
}

fn not_an_amount(unit: AmountUnit) -> String {
    match unit {
        AmountUnit::Minor => "`amount` is not a whole number of minor units".to_owned(),
        AmountUnit::Major => "`amount` has more decimals than the currency".to_owned(),
    }
}

fn check_loan_fundable(loan: &Loan, asked: &Moving<'_>, amount: i64) -> Result<(), String> {
    let problem = if loan.state != SandboxLoanState::Accepted {
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

fn check_loan_collectable(loan: &Loan, amount: i64) -> Result<(), String> {
    let problem = match loan.state {
        SandboxLoanState::Accepted => "the loan has not been funded",
        SandboxLoanState::Closed => "the loan has been paid back",
        SandboxLoanState::Open if amount <= 0 => "`amount` is not above zero",
        SandboxLoanState::Open if amount > loan.remaining => "`amount` is more than what remains",
        SandboxLoanState::Open if amount < loan.remaining && !loan.is_part_payment_allowed => {
            "`amount` is less than what remains, and the offer allows no part payment"
        }
        SandboxLoanState::Open => return Ok(()),
    };
    Err(problem.to_owned())
}
