//! E9, Requery: what became of a transaction of money. The interface shows neither path nor payload: all of it is
//! settings. Knows nothing of what is done with the answer.

use serde::Serialize;

use super::named::{self, Named};
use super::{Lending, SentTransactionId};
use crate::wire::Settings;
use crate::wire::body::Body;
use crate::wire::call::sealed::Sealed;
use crate::wire::call::{Call, Effect, Method, Unsendable, Unusable, filled};
use crate::wire::parse::{self, Fields};

/// The request of E9. A read: asking again changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requery {
    /// The transaction, as E6 or E8 named it.
    pub transaction_id: SentTransactionId,
    /// The loan it belongs to.
    pub loan_id: String,
}

/// The answer of E9.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "status")]
pub enum TransactionStatus {
    /// The money has moved.
    Succeeded {
        /// The provider's own reference of the transaction, where the answer has it.
        transaction_ref: Option<String>,
    },
    /// The money has not moved, and will not under this id.
    Failed {
        /// The provider's words.
        message: String,
    },
    /// The provider is not done with it.
    Pending,
    /// The provider does not know it, or not yet: a late transaction may still appear.
    NotFound,
}

impl TransactionStatus {
    /// Whether this is the last word: the money has moved, or never will under this id.
    pub fn is_final(&self) -> bool {
        matches!(self, TransactionStatus::Succeeded { .. } | TransactionStatus::Failed { .. })
    }
}

impl Requery {
    /// The parameters in the order they are sent.
    fn fields<'a>(&'a self, settings: &'a Settings) -> [Named<'a>; 3] {
        let names = &settings.requery;
        let open = |name, value| Named { name, value, is_personal: false };
        [
            open(&names.transaction_field, self.transaction_id.as_str()),
            open(&names.loan_field, &self.loan_id),
            open(&names.provider_field, &settings.provider_code),
        ]
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
        // An answer about the loan would be taken for one about the transaction.
        if names.transaction_field.is_empty() && !names.path.contains("{transactionId}") {
            return Err(Unsendable::new(
                "the transaction is named neither by `requery.path` nor by `requery.transaction_field`",
            ));
        }
        let values = [("transactionId", self.transaction_id.as_str()), ("loanId", &self.loan_id)];
        filled("requery.path", &settings.requery.path, &values)
    }

    fn query(&self, settings: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        Ok(named::query(self.method(settings), &self.fields(settings)))
    }

    fn body(&self, settings: &Settings) -> Result<Option<Body>, Unsendable> {
        Ok(named::body(self.method(settings), &self.fields(settings)))
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<TransactionStatus, Unusable> {
        let fields: Fields = parse::object(body)?;
        let text = |name: &str| fields.text(name);
        let names = &settings.requery;
        let code = text("responseCode")?.ok_or_else(|| Unusable::malformed(None, "has no `responseCode`"))?;
        let message = text("responseMessage")?.unwrap_or_default();
        if names.not_found_codes.contains(&code) {
            return Ok(TransactionStatus::NotFound);
        }
        if code != settings.success_code {
            return Err(Unusable::Rejected { code, message });
        }
        if text("transactionId")?.is_some_and(|given| given != self.transaction_id.as_str()) {
            return Err(Unusable::malformed(None, "is about another `transactionId`"));
        }
        let Some(word) = text(&names.status_field)? else {
            return Err(Unusable::malformed(
                None,
                "has no text in the field that the setting `requery.status_field` names",
            ));
        };
        let is_one_of = |words: &[String]| words.iter().any(|known| known.eq_ignore_ascii_case(word.trim()));
        if is_one_of(&names.succeeded) {
            Ok(TransactionStatus::Succeeded { transaction_ref: text("transactionRef")? })
        } else if is_one_of(&names.failed) {
            Ok(TransactionStatus::Failed { message })
        } else if is_one_of(&names.pending) {
            Ok(TransactionStatus::Pending)
        } else if is_one_of(&names.not_found) {
            Ok(TransactionStatus::NotFound)
        } else {
            Err(Unusable::malformed(None, "has a status that none of the lists of the setting `requery` names"))
        }
    }

    /// Such a status may say itself that the transaction is not known, or not yet; a last word needs a success.
    fn refusal(&self, settings: &Settings, body: &[u8]) -> Result<Option<TransactionStatus>, Unusable> {
        self.reply(settings, body).map(|status| Some(status).filter(|status| !status.is_final()))
    }
}
