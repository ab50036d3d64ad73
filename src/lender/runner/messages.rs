//! The texts that customers are sent (E7), and sending them. Money never waits for a message. Knows nothing of SQL.

use std::collections::BTreeMap;

use super::private::Vault;
use super::provider::Provider;
use super::steps::load_private;
use crate::base::money::{Currency, Money};
use crate::lender::config::PLACEHOLDERS;
use crate::lender::loan::At;
use crate::lender::loan_book::{BookError, LoanBook, MessageClaim, MessageOutcome};
use crate::provider::wire::lending::SendSms;

/// The texts, by message. A message without a text is not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Texts(pub(crate) BTreeMap<&'static str, String>);

/// How often a message is tried.
const TRIES_MAX: i64 = 20;

impl Texts {
    /// The text of a message, filled in.
    fn filled(&self, claim: &MessageClaim) -> Option<String> {
        let template = self.0.get(claim.message.word())?;
        let terms = claim.row.loan.terms.as_ref()?;
        let currency = Currency::from_numeric(&terms.currency)?;
        let shown = |minor: i64| format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(&currency));
        let due = claim.row.loan.next_instalment().map_or_else(|| "-".to_owned(), |next| next.due.to_string());
        let values = [
            shown(terms.paid_out_minor),
            shown(claim.row.loan.owed_minor()),
            due,
            claim.row.loan_id.clone().unwrap_or_default(),
        ];
        let fill = |text: String, (name, value): (&&str, &String)| text.replace(*name, value);
        Some(PLACEHOLDERS.iter().zip(&values).fold(template.clone(), fill))
    }
}

/// A message that is ready to be sent, or why it never will be.
pub(crate) fn prepare_message(
    book: &LoanBook,
    vault: &dyn Vault,
    texts: &Texts,
    claim: &MessageClaim,
) -> Result<Result<SendSms, MessageOutcome>, BookError> {
    let failed = |why: &str| Ok(Err(MessageOutcome::Failed(why.to_owned())));
    let Some(text) = texts.filled(claim) else { return failed("the configuration has no text for it") };
    let Some(msisdn) = load_private(book, vault, &claim.row)?.msisdn else {
        return failed("no telephone number is known");
    };
    let Some(loan_id) = claim.row.loan_id.clone() else { return failed("the loan has no id") };
    Ok(Ok(SendSms { customer_id: claim.row.customer_id.clone(), msisdn, message: text, loan_id }))
}

/// When a message is tried again, or that it is given up.
pub(crate) fn schedule_retry(outcome: MessageOutcome, claim: &MessageClaim, at: At<'_>) -> MessageOutcome {
    match outcome {
        MessageOutcome::Again(_) if claim.tries >= TRIES_MAX => {
            MessageOutcome::Failed("it could not be sent for too long".to_owned())
        }
        MessageOutcome::Again(_) => {
            let tries = u32::try_from(claim.tries).unwrap_or(u32::MAX);
            MessageOutcome::Again(at.plan.later(at.now, at.plan.backoff.after(tries)))
        }
        outcome => outcome,
    }
}

/// Sends a claimed message, and returns what came of it.
pub(crate) async fn send_message(provider: &dyn Provider, prepared: Result<SendSms, MessageOutcome>) -> MessageOutcome {
    match prepared {
        Ok(message) => provider.send_message(&message).await,
        Err(outcome) => outcome,
    }
}
