//! E9, Requery: the outcome of a transaction of money. The interface shows neither path nor payload, so all of it is
//! settings. Knows nothing of what is done with the answer.

use serde::Serialize;

use super::named::{self, NamedField};
use super::{Lending, SentTransactionId};
use crate::base::money::{Currency, Money, parse_amount};
use crate::provider::wire::body::Body;
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, fill_path_template};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::parse::{self, Fields};
use crate::provider::wire::{RequerySettings, Settings};

/// The request of E9. A read: repeating it changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requery {
    /// The transaction, as E6 or E8 named it.
    pub transaction_id: SentTransactionId,
    /// The loan it belongs to.
    pub loan_id: String,
    /// What was sent, if it is known. An answer about another amount is refused.
    pub sent: Option<SentAmount>,
}

/// The amount of a transaction that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentAmount {
    /// The amount.
    pub amount: Money,
    /// Its currency.
    pub currency: Currency,
}

/// The answer of E9.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "status")]
pub enum TransactionStatus {
    /// The money has moved.
    Succeeded {
        /// The provider's own reference of the transaction, if the answer has it.
        transaction_ref: Option<String>,
    },
    /// The money has not moved, and never will under this id.
    Failed {
        /// The provider's message.
        message: String,
    },
    /// The provider has not finished it.
    Pending,
    /// The provider does not know it, or does not know it yet: a late transaction may still appear.
    NotFound,
}

impl TransactionStatus {
    /// Whether this is final: the money has moved, or never will under this id.
    pub fn is_final(&self) -> bool {
        matches!(self, TransactionStatus::Succeeded { .. } | TransactionStatus::Failed { .. })
    }
}

impl Requery {
    /// The parameters in the order in which they are sent.
    fn fields<'a>(&'a self, settings: &'a Settings) -> [NamedField<'a>; 3] {
        let names = &settings.requery;
        let open = |name, value| NamedField { name, value, is_personal: false };
        [
            open(&names.transaction_field, self.transaction_id.as_str()),
            open(&names.loan_field, &self.loan_id),
            open(&names.provider_field, &settings.provider_code),
        ]
    }
}

/// The outcome of a transaction by an answer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RequeryOutcome {
    Succeeded,
    Failed,
    Pending,
    NotFound,
}

impl RequeryOutcome {
    const ALL: [RequeryOutcome; 4] =
        [RequeryOutcome::Succeeded, RequeryOutcome::Failed, RequeryOutcome::Pending, RequeryOutcome::NotFound];

    /// The codes that mean it, and the words of a status.
    fn lists(self, names: &RequerySettings) -> (&[String], &[String]) {
        match self {
            RequeryOutcome::Succeeded => (&names.succeeded_codes, &names.succeeded),
            RequeryOutcome::Failed => (&names.failed_codes, &names.failed),
            RequeryOutcome::Pending => (&names.pending_codes, &names.pending),
            RequeryOutcome::NotFound => (&names.not_found_codes, &names.not_found),
        }
    }
}

/// The outcome by code and status together; `None` if the code refuses the question. If the two contradict each other,
/// the answer is unusable.
fn outcome_by_code_and_word(
    settings: &Settings,
    code: &str,
    word: Option<&str>,
) -> Result<Option<RequeryOutcome>, Unusable> {
    let names = &settings.requery;
    let by_code =
        RequeryOutcome::ALL.into_iter().find(|outcome| outcome.lists(names).0.iter().any(|known| known == code));
    let by_word = word.and_then(|word| {
        let means = |known: &String| known.eq_ignore_ascii_case(word.trim());
        RequeryOutcome::ALL.into_iter().find(|outcome| outcome.lists(names).1.iter().any(means))
    });
    match (by_code, by_word) {
        (Some(one), Some(other)) if one != other => {
            Err(Unusable::malformed(None, "says one thing by its code and another by its status"))
        }
        (None, _) if code != settings.success_code => Ok(None),
        (_, Some(outcome)) => Ok(Some(outcome)),
        // A final code beside an unknown status is not final.
        (Some(RequeryOutcome::Succeeded | RequeryOutcome::Failed) | None, None) if word.is_some() => {
            Err(Unusable::malformed(None, "has a status that none of the lists of the setting `requery` names"))
        }
        (Some(outcome), None) => Ok(Some(outcome)),
        (None, None) => Err(Unusable::malformed(
            None,
            match names.status_field.is_empty() {
                true => "has a code that none of the lists of the setting `requery` names",
                false => "has no text in the field that the setting `requery.status_field` names",
            },
        )),
    }
}

impl Requery {
    /// Refuses an answer about another transaction or another loan.
    fn check_about(&self, names: &RequerySettings, fields: &Fields) -> Result<(), Unusable> {
        // Looked for next to the status, or next to the code if there is no status field.
        let beside = if names.status_field.is_empty() { &names.code_field } else { &names.status_field };
        fields.check_about(&names.answer_transaction_field, beside, self.transaction_id.as_str())?;
        fields.check_about(&names.answer_loan_field, beside, &self.loan_id)
    }

    /// Refuses an answer with another amount than was sent.
    fn check_amount(&self, settings: &Settings, fields: &Fields) -> Result<(), Unusable> {
        let (Some(sent), name) = (&self.sent, &settings.requery.answer_amount_field) else { return Ok(()) };
        if name.is_empty() {
            return Ok(());
        }
        let Some(digits) = fields.text(name)? else { return Ok(()) };
        let answered = parse_amount(digits.as_bytes(), settings.money.amount_unit, sent.currency.exponent());
        match answered == Ok(sent.amount.minor()) {
            true => Ok(()),
            false => Err(Unusable::malformed(None, format!("has another `{}`", parse::tidy_provider_message(name)))),
        }
    }
}

impl Sealed for Requery {}

impl Call for Requery {
    type Host = Lending;
    type Reply = TransactionStatus;
    const NAME: &'static str = "requery (E9)";
    const EFFECT: Effect = Effect::Reads;

    fn method(&self, settings: &Settings) -> Method {
        settings.requery.method
    }

    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        let names = &settings.requery;
        // Otherwise an answer about the loan would pass for one about the transaction.
        if names.transaction_field.is_empty() && !names.path.contains("{transactionId}") {
            return Err(Unsendable::new(
                "the transaction is named neither by `requery.path` nor by `requery.transaction_field`",
            ));
        }
        let values = [("transactionId", self.transaction_id.as_str()), ("loanId", &self.loan_id)];
        fill_path_template("requery.path", &settings.requery.path, &values)
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        Ok(named::named_query_parameters(self.method(settings), &self.fields(settings)))
    }

    fn body(&self, settings: &Settings) -> Result<Option<Body>, Unsendable> {
        Ok(named::named_request_body(self.method(settings), &self.fields(settings)))
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<TransactionStatus, Unusable> {
        let fields: Fields = parse::parse_json_object(body)?;
        let names = &settings.requery;
        let code = fields.text(&names.code_field)?.ok_or_else(|| {
            let name = parse::tidy_provider_message(&names.code_field);
            Unusable::malformed(None, format!("has no `{name}`, which the setting `requery.code_field` names"))
        })?;
        let message = fields.text(&names.message_field)?.unwrap_or_default();
        self.check_about(names, &fields)?;
        self.check_amount(settings, &fields)?;
        let word = match names.status_field.is_empty() {
            true => None,
            false => fields.text(&names.status_field)?,
        };
        match outcome_by_code_and_word(settings, &code, word.as_deref())? {
            Some(RequeryOutcome::Succeeded) => {
                Ok(TransactionStatus::Succeeded { transaction_ref: fields.text(&names.answer_reference_field)? })
            }
            Some(RequeryOutcome::Failed) => Ok(TransactionStatus::Failed { message }),
            Some(RequeryOutcome::Pending) => Ok(TransactionStatus::Pending),
            Some(RequeryOutcome::NotFound) => Ok(TransactionStatus::NotFound),
            None => Err(Unusable::Rejected { code, message }),
        }
    }

    /// Such an answer may say that the transaction is unknown or pending. A final outcome needs a success status.
    fn refusal(&self, settings: &Settings, body: &[u8]) -> Result<Option<TransactionStatus>, Unusable> {
        self.reply(settings, body).map(|status| Some(status).filter(|status| !status.is_final()))
    }
}
