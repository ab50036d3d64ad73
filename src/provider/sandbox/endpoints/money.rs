//! E6, E8 and E9. Knows nothing of how money is kept.

use serde_json::Map;

use super::answer::{EndpointAnswer, EndpointRequest, put_answer_field, success_word_fields};
use crate::provider::sandbox::store::{
    Moving, Refusal, Requeried, SandboxState, StoredOutcome, Transaction, TransactionKind,
};

/// E6: credits the customer.
pub(super) fn answer_fund_loan(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let (currency, reference) = (given.in_body("currencyCode"), given.in_body("loanReferenceId"));
    move_money(state, asked, TransactionKind::Fund, Some(currency), Some(reference))
}

/// E8: debits the customer.
pub(super) fn answer_debit_customer(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
) -> Result<EndpointAnswer, Refusal> {
    move_money(state, asked, TransactionKind::Debit, None, None)
}

fn move_money(
    state: &SandboxState,
    asked: &EndpointRequest<'_>,
    kind: TransactionKind,
    currency: Option<&str>,
    loan_reference_id: Option<&str>,
) -> Result<EndpointAnswer, Refusal> {
    let given = asked.given;
    let loan_id = given.text("loanId");
    if given.in_body("loanId") != loan_id {
        return Err(Refusal::bad("`loanId` differs from the path"));
    }
    let transaction = state.move_money(Moving {
        kind,
        transaction_id: given.in_body("transactionId"),
        loan_id,
        customer_id: given.in_body("customerId"),
        digits: given.digits("amount"),
        currency,
        loan_reference_id,
        fingerprint: given.fingerprint(),
    })?;
    let settings = &state.config().settings;
    let is_slow = state.config().behaviour.requery_pending > 0;
    let mut fields = success_word_fields(state, "Successful");
    // If the provider has a code for it, the answer says that the transaction is not finished.
    if let Some(code) = settings.money.unfinished_codes.first().filter(|_| is_slow) {
        put_answer_field(&mut fields, "responseCode", code.clone());
        put_answer_field(&mut fields, "responseMessage", "In progress");
    }
    put_answer_field(&mut fields, "transactionRef", transaction.transaction_ref);
    put_answer_field(&mut fields, "transactionId", transaction.transaction_id);
    Ok(EndpointAnswer::ok(fields))
}

/// E9: the outcome of a transaction.
pub(super) fn answer_requery(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
    let names = &state.config().settings.requery;
    // The transaction may be in the path, or in a field that the settings name.
    let given = |name: &str| Some(asked.given.text(name)).filter(|text| !name.is_empty() && !text.is_empty());
    let transaction_id = given("transactionId").or_else(|| given(&names.transaction_field));
    let transaction_id = transaction_id.ok_or_else(|| Refusal::bad("no transaction is named"))?;
    let loan_id = given("loanId").or_else(|| given(&names.loan_field));
    let (verdict, transaction_ref) = match state.requery(transaction_id, loan_id) {
        Requeried::NotFound => (
            RequeryAnswer::from_settings(&names.not_found_codes, &names.not_found, "NOT_FOUND", "No such transaction"),
            None,
        ),
        Requeried::Pending => {
            (RequeryAnswer::from_settings(&names.pending_codes, &names.pending, "PENDING", "Successful"), None)
        }
        Requeried::Done(Transaction { outcome: StoredOutcome::Succeeded, transaction_ref, .. }) => (
            RequeryAnswer::from_settings(&names.succeeded_codes, &names.succeeded, "SUCCESSFUL", "Successful"),
            Some(transaction_ref),
        ),
        Requeried::Done(Transaction { outcome: StoredOutcome::Failed { message }, .. }) => {
            (RequeryAnswer::from_settings(&names.failed_codes, &names.failed, "FAILED", &message), None)
        }
    };
    let mut fields = Map::new();
    let success = state.config().settings.success_code.clone();
    // Without a status field only the code tells. If the settings have no code, the sandbox uses its own.
    let is_by_code = names.status_field.is_empty();
    let own = if is_by_code { format!("S-{}", verdict.word) } else { success };
    put_answer_field(&mut fields, &names.code_field, verdict.code.unwrap_or(own));
    put_answer_field(&mut fields, &names.message_field, verdict.message);
    put_answer_field(&mut fields, &names.answer_transaction_field, transaction_id);
    if let Some(loan_id) = loan_id {
        put_answer_field(&mut fields, &names.answer_loan_field, loan_id);
    }
    if let Some(reference) = transaction_ref {
        put_answer_field(&mut fields, &names.answer_reference_field, reference);
    }
    put_answer_field(&mut fields, &names.status_field, verdict.word);
    Ok(EndpointAnswer::ok(fields))
}

/// An answer of E9, with the code and the status word from the settings where they have one.
struct RequeryAnswer {
    code: Option<String>,
    word: String,
    message: String,
}

impl RequeryAnswer {
    fn from_settings(codes: &[String], words: &[String], otherwise: &str, message: &str) -> Self {
        let word = words.first().cloned().unwrap_or_else(|| otherwise.to_owned());
        RequeryAnswer { code: codes.first().cloned(), word, message: message.to_owned() }
    }
}
