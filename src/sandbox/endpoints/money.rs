//! E6, E8 and E9. Knows nothing of how money is kept.

use serde_json::Map;

use super::{Answer, Asked, put, words};
use crate::sandbox::store::{Moving, Outcome, Refusal, Settled, State, Transaction, TransactionKind};

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
    let (said, transaction_ref) = match state.requery(transaction_id, loan_id) {
        Settled::NotFound => {
            (Said::of(&names.not_found_codes, &names.not_found, "NOT_FOUND", "No such transaction"), None)
        }
        Settled::Pending => (Said::of(&names.pending_codes, &names.pending, "PENDING", "Successful"), None),
        Settled::Done(Transaction { outcome: Outcome::Succeeded, transaction_ref, .. }) => {
            (Said::of(&names.succeeded_codes, &names.succeeded, "SUCCESSFUL", "Successful"), Some(transaction_ref))
        }
        Settled::Done(Transaction { outcome: Outcome::Failed { message }, .. }) => {
            (Said::of(&names.failed_codes, &names.failed, "FAILED", &message), None)
        }
    };
    let mut fields = Map::new();
    let success = state.config().settings.success_code.clone();
    // Without a status the code says all; one that has no setting is the sandbox's own.
    let is_by_code = names.status_field.is_empty();
    let own = if is_by_code { format!("S-{}", said.word) } else { success };
    put(&mut fields, &names.code_field, said.code.unwrap_or(own));
    put(&mut fields, &names.message_field, said.message);
    put(&mut fields, &names.answer_transaction_field, transaction_id);
    if let Some(loan_id) = loan_id {
        put(&mut fields, &names.answer_loan_field, loan_id);
    }
    if let Some(reference) = transaction_ref {
        put(&mut fields, &names.answer_reference_field, reference);
    }
    put(&mut fields, &names.status_field, said.word);
    Ok(Answer::ok(fields))
}

/// What E9 answers, in the words of the settings where they have some.
struct Said {
    code: Option<String>,
    word: String,
    message: String,
}

impl Said {
    fn of(codes: &[String], words: &[String], otherwise: &str, message: &str) -> Self {
        let word = words.first().cloned().unwrap_or_else(|| otherwise.to_owned());
        Said { code: codes.first().cloned(), word, message: message.to_owned() }
    }
}
