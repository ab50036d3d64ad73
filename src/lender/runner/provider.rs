//! Makes the calls of loans to the provider, and says what was heard. Knows nothing of the book.

use std::sync::Arc;

use super::call::{Call, Heard, Money};
use super::decide::{Asked, Decisions};
use super::private::{Private, Vault, record_context};
use super::worker::Clock;
use crate::base::money::{Currency, Money as Amount};
use crate::lender::hosted::BoxFuture;
use crate::lender::loan::{Cause, Event, Kind, Verdict};
use crate::lender::loan_book::{Facts, MessageOutcome};
use crate::provider::client::{Class, Client, Error, MoneyError};
use crate::provider::wire::SendOffers;
use crate::provider::wire::lending::{
    Debit, Fund, PersistedTransactionId, Receipt, Requery, SendSms, SentTransactionId, TransactionId,
    TransactionStatus, VerifyAccount,
};

/// The world outside.
pub(crate) trait Provider: Send + Sync + 'static {
    /// Makes a call.
    fn make<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Heard>;

    /// Sends a message to a customer (E7).
    fn tell<'a>(&'a self, message: &'a SendSms) -> BoxFuture<'a, MessageOutcome>;
}

/// The provider over HTTP, and decisions by the policy in force.
pub(crate) struct LiveProvider {
    pub(crate) client: Client,
    pub(crate) decisions: Decisions,
    pub(crate) vault: Arc<dyn Vault>,
    pub(crate) clock: Clock,
    /// The terminal that E6 names.
    pub(crate) channel_terminal_id: String,
}

impl Provider for LiveProvider {
    fn make<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, Heard> {
        Box::pin(async move {
            match call {
                Call::Decide { reference, customer_id, request } => self.decide(reference, customer_id, request).await,
                Call::Answer { reference, verdict, offers } => {
                    let answer = match verdict {
                        Verdict::Offer { .. } => SendOffers::new(reference, offers.clone()),
                        Verdict::Decline => SendOffers::decline(reference),
                    };
                    match self.client.send(&answer).await {
                        Ok(_) => Heard::event(Event::AnswerTaken),
                        Err(error) if error.class() == Class::Rejected || error.is_configuration() => {
                            Heard::because(Event::Impossible(Cause::AnswerRefused), note(&error))
                        }
                        Err(error) => Heard::because(Event::NoAnswer, note(&error)),
                    }
                }
                Call::Verify { customer_id, private } => self.verify(customer_id, private).await,
                Call::Move(money) => self.move_money(money).await,
                Call::Ask { transaction_id, loan_id } => self.ask(transaction_id, loan_id).await,
            }
        })
    }

    fn tell<'a>(&'a self, message: &'a SendSms) -> BoxFuture<'a, MessageOutcome> {
        Box::pin(async move {
            match self.client.sms(message).await {
                Ok(_) => MessageOutcome::Sent,
                Err(error) if error.is_not_sent() || error.is_rate_limited() => MessageOutcome::Again((self.clock)()),
                Err(error) if error.class() == Class::Rejected => MessageOutcome::Failed(note(&error)),
                Err(error) => MessageOutcome::Unknown(note(&error)),
            }
        })
    }
}

/// The provider's reference of a transaction, if it is one: what is empty, endless or unseen names nothing.
fn usable(reference: &str) -> Option<String> {
    let is_fit = (1..=256).contains(&reference.chars().count()) && !reference.chars().any(char::is_control);
    Some(reference.to_owned()).filter(|_| is_fit && !reference.trim().is_empty())
}

/// Whether a refusal of E5 is about the account: by its code, or else an answer of the endpoint itself and not of a
/// gateway before it.
fn is_about_the_account(error: &Error, codes: &[String]) -> bool {
    let Some((code, _)) = error.rejection().filter(|_| error.class() == Class::Rejected) else { return false };
    if !codes.is_empty() {
        return codes.iter().any(|known| known == code);
    }
    // The client names a body without a code by its status.
    let has_own_code = error.status().is_none_or(|status| code != format!("HTTP {status}"));
    has_own_code && error.status().is_none_or(|status| matches!(status, 200..=299 | 404 | 409 | 422))
}

/// The kind of a failure. Its text may hold what the provider wrote, and that may be personal.
fn note(error: &Error) -> String {
    match error.status() {
        Some(status) => format!("{}, HTTP {status}", error.class().as_str()),
        None => error.class().as_str().to_owned(),
    }
}

impl LiveProvider {
    async fn decide(&self, reference: &str, customer_id: &str, request: &serde_json::Value) -> Heard {
        let pulled = match self.client.pull(reference).await {
            Ok(pulled) => pulled.into_statement(),
            Err(error) => Err(error),
        };
        let statement = match pulled {
            Ok(statement) => statement,
            Err(error) => {
                return match error.class() {
                    Class::Rejected | Class::Malformed | Class::TooLarge | Class::Configuration => {
                        Heard::because(Event::Impossible(Cause::Undecidable), note(&error))
                    }
                    _ => Heard::because(Event::NoAnswer, note(&error)),
                };
            }
        };
        let asked = Asked {
            reference: reference.to_owned(),
            customer_id: customer_id.to_owned(),
            request: request.clone(),
            statement,
            now: (self.clock)(),
        };
        let (mut heard, record) = self.decisions.decide(asked).await;
        if let (Some(decided), Some(record)) = (&mut heard.facts.decision, record) {
            match self.vault.seal(&record_context(reference), record.as_bytes()) {
                Ok(sealed) => decided.record = Some(sealed),
                // Without its record a decision cannot be explained later, so it is not taken.
                Err(problem) => return Heard::because(Event::NoAnswer, problem),
            }
        }
        heard
    }

    async fn verify(&self, customer_id: &str, private: &Private) -> Heard {
        let asked = VerifyAccount {
            customer_id: customer_id.to_owned(),
            account_number: private.account_number.clone(),
            bank_code: private.bank_code.clone(),
        };
        let codes = &self.client.settings().verify_account.refusal_codes;
        match self.client.verify_account(&asked).await {
            Ok(_) => Heard::event(Event::AccountVerified),
            Err(error) if is_about_the_account(&error, codes) => Heard::because(Event::AccountRefused, note(&error)),
            Err(error) => Heard::because(Event::NoAnswer, note(&error)),
        }
    }

    async fn move_money(&self, money: &Money) -> Heard {
        // The book has stored the order as sent.
        let right = TransactionId::new(money.transaction_id.as_str())
            .map(|id| id.persist(|_| Ok::<_, std::convert::Infallible>(())));
        let (Ok(Ok(right)), Some(currency)) = (right, Currency::from_numeric(&money.currency)) else {
            return Heard::because(Event::NotSent, "the order has no valid id or currency");
        };
        let amount = Amount::from_minor(money.amount_minor);
        let moved = match money.kind {
            Kind::Fund => self.fund(money, amount, currency, right).await,
            Kind::Debit => {
                let (loan_id, customer_id) = (money.loan_id.clone(), money.customer_id.clone());
                self.client.debit(&Debit { loan_id, customer_id, amount, currency }, right).await
            }
        };
        match moved {
            Ok(receipt) => {
                let transaction_ref = usable(receipt.transaction_ref.as_str());
                Heard { event: Event::Moved, facts: Facts { transaction_ref, ..Facts::default() } }
            }
            Err(MoneyError::NotDone { error, .. }) => Heard::because(Event::NotSent, note(&error)),
            Err(MoneyError::Refused { error, .. }) => Heard::because(Event::NotMoved, note(&error)),
            Err(MoneyError::Uncertain { error, .. }) => Heard::because(Event::Unknown, note(&error)),
        }
    }

    async fn fund(
        &self,
        money: &Money,
        amount: Amount,
        currency: Currency,
        right: PersistedTransactionId,
    ) -> Result<Receipt, MoneyError> {
        let fund = Fund {
            loan_id: money.loan_id.clone(),
            customer_id: money.customer_id.clone(),
            amount,
            currency,
            channel_terminal_id: self.channel_terminal_id.clone(),
            loan_reference_id: money.loan_reference_id.clone(),
        };
        self.client.fund(&fund, right).await
    }

    async fn ask(&self, transaction_id: &str, loan_id: &str) -> Heard {
        let Ok(transaction_id) = SentTransactionId::recall(transaction_id) else {
            return Heard::because(Event::NoAnswer, "the order has no valid id");
        };
        match self.client.requery(&Requery { transaction_id, loan_id: loan_id.to_owned() }).await {
            Ok(TransactionStatus::Succeeded { transaction_ref }) => {
                let transaction_ref = transaction_ref.as_deref().and_then(usable);
                Heard { event: Event::Moved, facts: Facts { transaction_ref, ..Facts::default() } }
            }
            Ok(TransactionStatus::Failed { .. }) => Heard::event(Event::NotMoved),
            Ok(TransactionStatus::Pending) => Heard::event(Event::Pending),
            Ok(TransactionStatus::NotFound) => Heard::event(Event::NotFound),
            Err(error) => Heard::because(Event::NoAnswer, note(&error)),
        }
    }
}

#[cfg(test)]
mod tests;
