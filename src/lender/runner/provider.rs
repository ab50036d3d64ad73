//! Makes the calls of loans to the provider: the answer (E3), the account's verification (E5), the disbursement (E6),
//! debits (E8) and their outcome (E9); and reads each answer as an event. Knows nothing of the book.

use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;

use super::call::{Call, CallOutcome, DecisionRequest, TransactionQuery, Transfer};
use super::clock::Clock;
use super::decide::{Decided, Decisions};
use super::keeper::{DecidedCase, DecisionKeeper, MadeDecision};
use super::own_inputs::reads_own_book;
use super::private::{Vault, record_context};
use crate::base::money::{Currency, Money};
use crate::base::time::Timestamp;
use crate::lender::loan::{Cause, Event, OrderKind};
use crate::lender::loan_book::{Facts, LoanBook, MessageOutcome, OwnHistory};
use crate::lender::sources::{FoundInputs, Sources};
use crate::provider::client::{Class, Client, Error, MoneyError};
use crate::provider::wire::SendOffers;
use crate::provider::wire::lending::{
    Debit, Fund, PersistedTransactionId, Receipt, SendSms, TransactionId, TransactionStatus, VerifyAccount,
};
use crate::rules::{Policies, PolicySet};

/// The world outside.
pub(crate) trait Provider: Send + Sync + 'static {
    /// Makes a call.
    fn make_call<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, CallOutcome>;

    /// Sends a message to a customer (E7).
    fn send_message<'a>(&'a self, message: &'a SendSms) -> BoxFuture<'a, MessageOutcome>;
}

/// The provider over HTTP, and decisions by the policy in force.
pub(crate) struct LiveProvider {
    pub(crate) client: Client,
    pub(crate) decisions: Decisions,
    pub(crate) vault: Arc<dyn Vault>,
    /// Where customers' earlier loans are, for policies that read them.
    pub(crate) book: LoanBook,
    pub(crate) clock: Clock,
    /// Where decisions go besides the book.
    pub(crate) keeper: Option<Arc<dyn DecisionKeeper>>,
    /// Where inputs come from that the offer request lacks.
    pub(crate) sources: Option<Sources>,
    /// The terminal that E6 names.
    pub(crate) channel_terminal_id: String,
}

impl Provider for LiveProvider {
    fn make_call<'a>(&'a self, call: &'a Call) -> BoxFuture<'a, CallOutcome> {
        Box::pin(async move {
            match call {
                Call::Decide(request) => self.decide(request).await,
                Call::Answer(answer) => self.send_answer(answer).await,
                Call::Verify(account) => self.verify_account(account).await,
                Call::Move(transfer) => self.move_money(transfer).await,
                Call::Query(query) => self.query_transaction(query).await,
                Call::QueryFailed(query) => self.query_transaction(query).await.about_failed(),
            }
        })
    }

    fn send_message<'a>(&'a self, message: &'a SendSms) -> BoxFuture<'a, MessageOutcome> {
        Box::pin(async move {
            match self.client.sms(message).await {
                Ok(_) => MessageOutcome::Sent,
                Err(error) if error.is_not_sent() || error.is_rate_limited() => MessageOutcome::Again((self.clock)()),
                Err(error) if error.class() == Class::Rejected => MessageOutcome::Failed(failure_kind_note(&error)),
                Err(error) => MessageOutcome::Unknown(failure_kind_note(&error)),
            }
        })
    }
}

/// The provider's reference of a transaction, if it is one: an empty, endless or invisible text names nothing.
fn usable_reference(reference: &str) -> Option<String> {
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
fn failure_kind_note(error: &Error) -> String {
    match error.status() {
        Some(status) => format!("{}, HTTP {status}", error.class().as_str()),
        None => error.class().as_str().to_owned(),
    }
}

impl LiveProvider {
    async fn decide(&self, request: &DecisionRequest) -> CallOutcome {
        let pulled = match self.client.pull(&request.reference).await {
            Ok(pulled) => pulled.into_statement(),
            Err(error) => Err(error),
        };
        let statement = match pulled {
            Ok(statement) => statement,
            Err(error) => {
                return match error.class() {
                    Class::Rejected | Class::Malformed | Class::TooLarge | Class::Configuration => {
                        CallOutcome::with_note(Event::Impossible(Cause::Undecidable), failure_kind_note(&error))
                    }
                    _ => CallOutcome::with_note(Event::NoAnswer, failure_kind_note(&error)),
                };
            }
        };
        // What is read of the book is for the policies that decide, also if they are edited meanwhile.
        let (now, policies) = ((self.clock)(), self.decisions.policies());
        let looking = [vec![Arc::clone(&policies)], self.shadow_policies()].concat();
        let own = match self.load_own_history(request, &looking, now).await {
            Ok(own) => own,
            Err(problem) => return CallOutcome::with_note(Event::NoAnswer, problem),
        };
        let found = self.ask_sources(request, &policies).await;
        let known = DecisionRequest { own, found, ..request.clone() };
        let began = Instant::now();
        let decided = self.decisions.decide(Arc::clone(&policies), known.clone(), statement.clone(), now).await;
        let took = began.elapsed();
        let Decided { mut outcome, record, decision } = decided;
        if let (Some(decision), Some(record)) = (&mut outcome.facts.decision, record) {
            match self.vault.seal(&record_context(&request.reference), &record) {
                Ok(sealed) => decision.record = Some(sealed),
                // Without its record a decision cannot be explained later, so it is not taken.
                Err(problem) => return CallOutcome::with_note(Event::NoAnswer, problem),
            }
        }
        if let (Some(keeper), Some(decision)) = (&self.keeper, decision) {
            let case = DecidedCase { request: known, statement, at: now };
            let kept = keeper.keep(MadeDecision { decision, policies, case, took }).await;
            if let Err(problem) = kept {
                return CallOutcome::with_note(Event::NoAnswer, format!("the decision cannot be kept: {problem}"));
            }
        }
        outcome
    }

    fn shadow_policies(&self) -> Vec<Arc<Policies>> {
        self.keeper.as_ref().map_or_else(Vec::new, |keeper| keeper.shadow_policies())
    }

    async fn ask_sources(&self, request: &DecisionRequest, policies: &Arc<Policies>) -> FoundInputs {
        let Some(sources) = &self.sources else { return FoundInputs::default() };
        sources.ask(&request.subject(), std::slice::from_ref(policies), &sources.nothing()).await
    }

    /// What the book knows of the customer now, if one of these policies reads it.
    async fn load_own_history(
        &self,
        request: &DecisionRequest,
        policies: &[Arc<Policies>],
        now: Timestamp,
    ) -> Result<OwnHistory, String> {
        // All policies of a service have one time zone.
        let Some(first) = policies.iter().find(|policies| reads_own_book(policies)) else {
            return Ok(OwnHistory::default());
        };
        let zone = first.latest().header().zone.clone();
        let (book, customer, reference) = (self.book.clone(), request.customer_id.clone(), request.reference.clone());
        let load = move || book.load_own_history(&customer, &reference, &zone, now);
        let loaded = tokio::task::spawn_blocking(load).await.map_err(|_| "the own book cannot be read".to_owned())?;
        loaded.map_err(|error| error.to_string())
    }

    async fn send_answer(&self, answer: &SendOffers) -> CallOutcome {
        match self.client.send(answer).await {
            Ok(_) => CallOutcome::new(Event::AnswerTaken),
            Err(error) if error.class() == Class::Rejected || error.is_configuration() => {
                CallOutcome::with_note(Event::Impossible(Cause::AnswerRefused), failure_kind_note(&error))
            }
            Err(error) => CallOutcome::with_note(Event::NoAnswer, failure_kind_note(&error)),
        }
    }

    async fn verify_account(&self, account: &VerifyAccount) -> CallOutcome {
        let codes = &self.client.settings().verify_account.refusal_codes;
        match self.client.verify_account(account).await {
            Ok(_) => CallOutcome::new(Event::AccountVerified),
            Err(error) if is_about_the_account(&error, codes) => {
                CallOutcome::with_note(Event::AccountRefused, failure_kind_note(&error))
            }
            Err(error) => CallOutcome::with_note(Event::NoAnswer, failure_kind_note(&error)),
        }
    }

    async fn move_money(&self, transfer: &Transfer) -> CallOutcome {
        // The book has stored the order as sent.
        let right = TransactionId::new(transfer.transaction_id.as_str())
            .map(|id| id.persist(|_| Ok::<_, std::convert::Infallible>(())));
        let (Ok(Ok(right)), Some(currency)) = (right, Currency::from_numeric(&transfer.currency)) else {
            return CallOutcome::with_note(Event::NotSent, "the order has no valid id or currency");
        };
        let amount = Money::from_minor(transfer.amount_minor);
        let moved = match transfer.kind {
            OrderKind::Fund => self.fund_loan(transfer, amount, currency, right).await,
            OrderKind::Debit => {
                let (loan_id, customer_id) = (transfer.loan_id.clone(), transfer.customer_id.clone());
                self.client.debit(&Debit { loan_id, customer_id, amount, currency }, right).await
            }
        };
        match moved {
            Ok(receipt) => {
                let transaction_ref = usable_reference(receipt.transaction_ref.as_str());
                CallOutcome { event: Event::Moved, facts: Facts { transaction_ref, ..Facts::default() } }
            }
            Err(MoneyError::NotDone { error, .. }) => CallOutcome::with_note(Event::NotSent, failure_kind_note(&error)),
            Err(MoneyError::Refused { error, .. }) => {
                CallOutcome::with_note(Event::NotMoved, failure_kind_note(&error))
            }
            Err(MoneyError::Uncertain { error, .. }) => {
                CallOutcome::with_note(Event::Unknown, failure_kind_note(&error))
            }
        }
    }

    /// The disbursement.
    async fn fund_loan(
        &self,
        transfer: &Transfer,
        amount: Money,
        currency: Currency,
        right: PersistedTransactionId,
    ) -> Result<Receipt, MoneyError> {
        let fund = Fund {
            loan_id: transfer.loan_id.clone(),
            customer_id: transfer.customer_id.clone(),
            amount,
            currency,
            channel_terminal_id: self.channel_terminal_id.clone(),
            loan_reference_id: transfer.loan_reference_id.clone(),
        };
        self.client.fund(&fund, right).await
    }

    async fn query_transaction(&self, query: &TransactionQuery) -> CallOutcome {
        let Some(query) = query.to_requery() else {
            return CallOutcome::with_note(Event::NoAnswer, "the order has no valid id");
        };
        match self.client.requery(&query).await {
            Ok(TransactionStatus::Succeeded { transaction_ref }) => {
                let transaction_ref = transaction_ref.as_deref().and_then(usable_reference);
                CallOutcome { event: Event::Moved, facts: Facts { transaction_ref, ..Facts::default() } }
            }
            Ok(TransactionStatus::Failed { .. }) => CallOutcome::new(Event::ReportedFailed),
            Ok(TransactionStatus::Pending) => CallOutcome::new(Event::Pending),
            Ok(TransactionStatus::NotFound) => CallOutcome::new(Event::NotFound),
            Err(error) => CallOutcome::with_note(Event::NoAnswer, failure_kind_note(&error)),
        }
    }
}

#[cfg(test)]
mod tests;
