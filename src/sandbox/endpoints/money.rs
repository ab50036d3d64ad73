//! E6, E8 and E9. Knows nothing of how money is kept.

use serde_json::Value;

use super::{Answer, Asked, put, words};
use crate::sandbox::book::{Moving, Outcome, Refusal, Settled, State, Transaction, TransactionKind};

/// E6: the customer is credited.
pub(super) fn fund(state: &State, asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let given = asked.given;
    let (currency, reference) = (given.of_body("currencyCode"), given.of_body("loanReferenceId"));
    moved(state, asked, TransactionKind::Fund, Some(currency), Some(reference))
}

/// E8: the customer is debited.
pub(super) fn debit(state: &State, asked: &Asked<'_>) -> Result<Answer, Refusal> {
    moved(state, asked, TransactionKind::Debit, None, None)
}

fn moved(
    state: &State,
    asked: &Asked<'_>,
    kind: TransactionKind,
    currency: Option<&str>,
    loan_reference_id: Option<&str>,
) -> Result<Answer, Refusal> {
    let given = asked.given;
    let loan_id = given.text("loanId");
    if given.of_body("loanId") != loan_id {
        return Err(Refusal::bad("`loanId` differs from the path"));
    }
    let transaction = state.move_money(Moving {
        kind,
        transaction_id: given.of_body("transactionId"),
        loan_id,
        customer_id: given.of_body("customerId"),
        digits: given.digits("amount"),
        currency,
        loan_reference_id,
        fingerprint: given.fingerprint(),
    })?;
    let settings = &state.config().settings;
    let is_slow = state.config().behaviour.requery_pending > 0;
    let mut fields = words(state, "Successful");
    // Where the provider has a code for it, it says that it is not done yet.
    if let Some(code) = settings.money.unfinished_codes.first().filter(|_| is_slow) {
        put(&mut fields, "responseCode", code.clone());
        put(&mut fields, "responseMessage", "Being worked on");
    }
    put(&mut fields, "transactionRef", transaction.transaction_ref);
    put(&mut fields, "transactionId", transaction.transaction_id);
    Ok(Answer::ok(fields))
}

/// E9: what became of a transaction.
pub(super) fn requery(state: &State, asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let names = &state.config().settings.requery;
    // The path may name the transaction, or a field of the settings.
    let given = |name: &str| Some(asked.given.text(name)).filter(|text| !name.is_empty() && !text.is_empty());
    let transaction_id = given("transactionId").or_else(|| given(&names.transaction_field));
    let transaction_id = transaction_id.ok_or_else(|| Refusal::bad("no transaction is named"))?;
    let loan_id = given("loanId").or_else(|| given(&names.loan_field));
    let word = |words: &[String], otherwise: &str| words.first().cloned().unwrap_or_else(|| otherwise.to_owned());
    let mut fields = words(state, "Successful");
    put(&mut fields, "transactionId", transaction_id);
    let status = match state.requery(transaction_id, loan_id) {
        Settled::NotFound => {
            if let Some(code) = names.not_found_codes.first() {
                put(&mut fields, "responseCode", code.clone());
            }
            put(&mut fields, "responseMessage", "No such transaction");
            word(&names.not_found, "NOT_FOUND")
        }
        Settled::Pending => word(&names.pending, "PENDING"),
        Settled::Done(Transaction { outcome: Outcome::Succeeded, transaction_ref, .. }) => {
            put(&mut fields, "transactionRef", transaction_ref);
            word(&names.succeeded, "SUCCESSFUL")
        }
        Settled::Done(Transaction { outcome: Outcome::Failed { message }, .. }) => {
            put(&mut fields, "responseMessage", message);
            word(&names.failed, "FAILED")
        }
    };
    put(&mut fields, &names.status_field, Value::from(status));
    Ok(Answer::ok(fields))
}
