//! E6 and E8, the calls that move money. A request becomes a call only together with a transaction id, and only the
//! client combines them. Knows nothing of how they are sent.

use serde::{Deserialize, Serialize};

use super::{LOANS_PATH, Lending, SentTransactionId, TransactionId};
use crate::base::money::{Currency, Money, amount_digits};
use crate::provider::wire::body::Body;
use crate::provider::wire::call::sealed::Sealed;
use crate::provider::wire::call::{Call, Effect, check_given, check_id, check_segment, join_path_segments, shows_only};
use crate::provider::wire::error::{Unsendable, Unusable};
use crate::provider::wire::method::Method;
use crate::provider::wire::{MoneySettings, Settings, parse};

/// The request of E6: credit the customer with a loan.
#[derive(Clone, PartialEq, Eq)]
pub struct Fund {
    /// The loan, as Accept Offer (E4) named it.
    pub loan_id: String,
    /// The customer.
    pub customer_id: String,
    /// The amount paid out.
    pub amount: Money,
    /// The currency of `amount`.
    pub currency: Currency,
    /// The terminal of the channel.
    pub channel_terminal_id: String,
    /// The caller's own reference of the loan.
    pub loan_reference_id: String,
}

shows_only!(Fund: loan_id, loan_reference_id, currency);

/// The request of E8: collect a payment from the customer.
#[derive(Clone, PartialEq, Eq)]
pub struct Debit {
    /// The loan.
    pub loan_id: String,
    /// The customer.
    pub customer_id: String,
    /// The amount collected.
    pub amount: Money,
    /// The currency of `amount`. It is not sent; it determines the decimals of the amount.
    pub currency: Currency,
}

shows_only!(Debit: loan_id, currency);

/// The answer of E6 and E8.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Receipt {
    /// `00`.
    pub response_code: String,
    /// The provider's message.
    pub response_message: String,
    /// The provider's own reference of the transaction.
    pub transaction_ref: TransactionRef,
    /// The transaction, as the request named it.
    pub transaction_id: SentTransactionId,
}

/// The provider's reference of a transaction: segments between pipes. The interface does not show their meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TransactionRef(String);

impl TransactionRef {
    /// The whole text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The segments between the pipes.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('|')
    }
}

/// A request that moves money, given a transaction id.
pub(crate) trait MoneyRequest: Send + Sync {
    const NAME: &'static str;
    const PATH_END: &'static str;

    fn loan_id(&self) -> &str;
    fn body(&self, id: &TransactionId, settings: &Settings) -> Result<Body, Unsendable>;
}

/// A request with its transaction id.
pub(crate) struct Ordered<'a, R> {
    pub request: &'a R,
    pub id: &'a TransactionId,
}

impl MoneyRequest for Fund {
    const NAME: &'static str = "fund loan (E6)";
    const PATH_END: &'static str = "fund";

    fn loan_id(&self) -> &str {
        &self.loan_id
    }

    fn body(&self, id: &TransactionId, settings: &Settings) -> Result<Body, Unsendable> {
        let terminal = &settings.money.channel_terminal_field;
        check_given(&[
            ("customerId", &self.customer_id),
            (terminal, &self.channel_terminal_id),
            ("loanReferenceId", &self.loan_reference_id),
        ])?;
        Ok(Body::new()
            .personal("customerId", &self.customer_id)
            .text("loanId", &self.loan_id)
            .number("amount", format_sent_amount(self.amount, &self.currency, &settings.money)?)
            .text("providerCode", &settings.provider_code)
            .text("currencyCode", self.currency.numeric())
            .text("transactionId", id.as_str())
            .text(terminal, &self.channel_terminal_id)
            .text("loanReferenceId", &self.loan_reference_id))
    }
}

impl MoneyRequest for Debit {
    const NAME: &'static str = "debit customer (E8)";
    const PATH_END: &'static str = "debit";

    fn loan_id(&self) -> &str {
        &self.loan_id
    }

    fn body(&self, id: &TransactionId, settings: &Settings) -> Result<Body, Unsendable> {
        check_given(&[("customerId", &self.customer_id)])?;
        Ok(Body::new()
            .personal("customerId", &self.customer_id)
            .text("loanId", &self.loan_id)
            .number("amount", format_sent_amount(self.amount, &self.currency, &settings.money)?)
            .text("providerCode", &settings.provider_code)
            .text("transactionId", id.as_str()))
    }
}

impl<R: MoneyRequest> Sealed for Ordered<'_, R> {}

impl<R: MoneyRequest> Call for Ordered<'_, R> {
    type Host = Lending;
    type Reply = Receipt;
    const NAME: &'static str = R::NAME;
    const EFFECT: Effect = Effect::MovesMoney;

    fn method(&self, _: &Settings) -> Method {
        Method::Post
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        check_segment("`loanId`", self.request.loan_id())?;
        check_id("`loanId`", self.request.loan_id())?;
        Ok(join_path_segments(LOANS_PATH, &[self.request.loan_id(), R::PATH_END]))
    }

    fn body(&self, settings: &Settings) -> Result<Option<Body>, Unsendable> {
        check_given(&[("provider_code", &settings.provider_code)])?;
        self.request.body(self.id, settings).map(Some)
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<Receipt, Unusable> {
        let body: ReceiptBody = parse::parse_json_object(body)?;
        let code = body.response_code.map(|code| code.trim().to_owned());
        let code = code.filter(|code| !matches!(code.as_str(), "" | "true" | "false"));
        let code = code.ok_or_else(|| Unusable::malformed(None, "has no `responseCode`"))?;
        let message = body.response_message.unwrap_or_default();
        if settings.money.unfinished_codes.contains(&code) {
            return Err(Unusable::Unfinished { code, message });
        }
        let is_echoed = settings.money.transaction_id_is_echoed;
        let given = body.transaction_id.filter(|given| !given.trim().is_empty());
        // A refusal of another transaction is no refusal of this one.
        if given.as_ref().is_some_and(|given| is_echoed && given != self.id.as_str()) {
            return Err(Unusable::malformed(None, "is about another `transactionId`"));
        }
        if code != settings.success_code {
            return Err(match settings.money.refused_codes.contains(&code) {
                true => Unusable::Rejected { code, message },
                false => Unusable::Unproven { code, message },
            });
        }
        if given.is_none() {
            return Err(Unusable::malformed(None, "has no `transactionId`"));
        }
        let reference = body.transaction_ref.ok_or_else(|| Unusable::malformed(None, "has no `transactionRef`"))?;
        Ok(Receipt {
            response_code: code,
            response_message: message,
            transaction_ref: TransactionRef(reference),
            transaction_id: SentTransactionId::recall(self.id.as_str())
                .map_err(|problem| Unusable::malformed(None, problem.to_string()))?,
        })
    }
}

/// Whether a body contradicts a status that says that nothing was done: it says success, or not finished, or
/// contradicts itself, or breaks off. `is_whole` says whether all of it arrived. An intermediary's page does not
/// contradict the status, nor does JSON without a code of success.
pub(crate) fn says_done(settings: &Settings, body: &[u8], is_whole: bool) -> bool {
    match body.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => {}
        Some(_) => return false,
        None => return !is_whole,
    }
    let Ok(fields) = parse::parse_json_object::<parse::Fields>(body) else { return true };
    match fields.text("responseCode") {
        Ok(Some(code)) => {
            let code = code.trim();
            !is_whole
                || code == settings.success_code
                || settings.money.unfinished_codes.iter().any(|other| other == code)
        }
        Ok(None) => !is_whole,
        Err(_) => true,
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReceiptBody {
    #[serde(default, deserialize_with = "parse::scalar")]
    response_code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    response_message: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    transaction_ref: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    transaction_id: Option<String>,
}

/// The digits of an amount in the unit that the provider takes.
fn format_sent_amount(amount: Money, currency: &Currency, settings: &MoneySettings) -> Result<String, Unsendable> {
    match amount.minor() {
        ..=0 => Err(Unsendable::new("`amount` is not above zero")),
        minor => Ok(amount_digits(minor, settings.amount_unit, currency.exponent())),
    }
}
