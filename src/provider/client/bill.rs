//! The client of Pay Bill, P1 and P2, and its main rule: goods or services are given only for a [`Paid`]. Knows nothing
//! of what they are.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::core::{self, Core};
use super::{CallCounts, CallObserver, Error, Prepared, TokenSource};
use crate::base::money::{Currency, Money};
use crate::provider::wire::bill::{Bills, Collections, CreateBill, CreatedBill, GetPaymentStatus, PaymentStatus};
use crate::provider::wire::{Call, PaymentReference, Settings, shows_only};

/// A client of Pay Bill at `settings.bill.base_url` (and `settings.bill.create.base_url`, if that is another host).
#[derive(Debug)]
pub struct Client {
    bills: Core<Bills>,
    collections: Core<Collections>,
}

/// A bill as the merchant stored it when it was made. Its payment is compared with this.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredBill {
    /// The merchant.
    pub merchant_code: String,
    /// The bill's reference on the service.
    pub reference: String,
    /// The merchant's own reference of the transaction, if it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_reference: Option<String>,
    /// The original amount, in minor units.
    pub amount: Money,
    /// Its currency.
    pub currency: Currency,
}

shows_only!(StoredBill: merchant_code, reference);

impl StoredBill {
    /// The bill to store after P1 made it. The amount is the request's.
    pub fn new(request: &CreateBill, created: &CreatedBill) -> Self {
        StoredBill {
            merchant_code: request.merchant_code.clone(),
            reference: created.reference.clone(),
            transaction_reference: request.transaction_reference.clone(),
            amount: request.amount,
            currency: request.currency,
        }
    }
}

/// The proof that a bill has been paid: this client asked the provider, and the provider confirmed the original amount.
/// Only [`Client::confirm_payment`] makes one. It cannot be copied, stored or read back: to get another, ask again.
///
/// ```compile_fail,E0451
/// # use lendwright::client::bill::{Paid, StoredBill};
/// # fn example(bill: StoredBill) {
/// let paid = Paid { bill };
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Paid {
    bill: StoredBill,
}

impl Paid {
    /// The bill.
    pub fn bill(&self) -> &StoredBill {
        &self.bill
    }
}

/// Why a bill does not count as paid.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotPaid {
    /// It may still be paid.
    #[error("the bill has not been paid yet (code `{code}`)")]
    Pending {
        /// The provider's code.
        code: String,
    },
    /// The provider says that it has not been paid.
    #[error("the bill has not been paid (code `{code}`)")]
    Refused {
        /// The provider's code.
        code: String,
        /// The provider's message.
        message: String,
        /// Whether the settings list the code as final.
        is_final: bool,
    },
    /// The provider does not know the bill, or does not know it yet.
    #[error("the provider does not know the bill (code `{code}`)")]
    NotFound {
        /// The provider's code.
        code: String,
    },
    /// The provider reports a payment that does not match this bill, or answers about another bill. Give nothing for
    /// it; a person must look into it.
    #[error("the provider's answer does not match this bill: {0}")]
    Differs(Difference),
    /// The question got no usable answer.
    #[error(transparent)]
    Unknown(#[from] Error),
}

impl NotPaid {
    /// Whether asking again later may give another answer.
    pub fn may_change(&self) -> bool {
        match self {
            // Whatever prevented an answer, such as a token or an address, may be fixed.
            NotPaid::Pending { .. } | NotPaid::NotFound { .. } | NotPaid::Unknown(_) => true,
            NotPaid::Refused { is_final, .. } => !is_final,
            NotPaid::Differs(_) => false,
        }
    }
}

/// How a payment differs from its bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The answer has no amount.
    NoAmount,
    /// Another amount.
    Amount {
        /// The bill's amount.
        expected: Money,
        /// The answer's amount.
        returned: Money,
    },
    /// Another reference.
    Reference,
    /// Another merchant.
    Merchant,
    /// Another currency.
    Currency {
        /// The answer's currency.
        returned: String,
    },
}

/// Without amounts: an error may end up in a log.
impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Difference::NoAmount => "the answer has no amount",
            Difference::Amount { .. } => "the answer has another amount than the bill",
            Difference::Reference => "the answer is about another reference",
            Difference::Merchant => "the answer is about another merchant",
            Difference::Currency { .. } => "the answer is in another currency",
        })
    }
}

impl Client {
    /// A client with a source of access tokens, for the calls that carry one by the settings.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that no header can carry.
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        Client::with_http(settings, token, |http| http)
    }

    /// As [`Client::new`], with an HTTP client that `http` changes. [`crate::Client::with_http`] says what can change.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn with_http(
        settings: Settings,
        token: impl TokenSource + 'static,
        http: impl Fn(reqwest::ClientBuilder) -> reqwest::ClientBuilder,
    ) -> Result<Client, Error> {
        let tokens = core::cache_access_tokens(token)?;
        let settings = Arc::new(settings);
        let bills = Core::new(Arc::clone(&settings), Arc::clone(&tokens), &http)?;
        Ok(Client { bills, collections: Core::new(settings, tokens, &http)? })
    }

    /// The client, which tells this observer of all its calls from now on. For an example see
    /// [`crate::Client::observed_by`].
    #[must_use]
    pub fn observed_by(mut self, observer: Arc<dyn CallObserver>) -> Client {
        self.bills.set_observer(Arc::clone(&observer));
        self.collections.set_observer(observer);
        self
    }

    /// The client's settings.
    pub fn settings(&self) -> &Settings {
        &self.bills.settings
    }

    /// Counts of the calls so far, by kind of call.
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.bills.counts().into_iter().chain(self.collections.counts()).collect()
    }

    /// P1: makes a bill and the link to pay it. Never retried.
    pub async fn create(&self, request: &CreateBill) -> Result<CreatedBill, Error> {
        self.bills.call(request).await
    }

    /// P2: what the provider reports about a payment. This alone is no proof of it: see [`Client::confirm_payment`].
    pub async fn status(&self, request: &GetPaymentStatus) -> Result<PaymentStatus, Error> {
        self.collections.call(request).await
    }

    /// Asks the provider whether this bill has been paid (P2) and compares. The amount must be the stored original, and
    /// so must the reference and the currency if the answer has them. A redirect, a webhook or anything else that
    /// passes through the customer's browser proves nothing. It is only a reason to call this.
    ///
    /// # Errors
    /// [`NotPaid`] in all other cases.
    pub async fn confirm_payment(&self, bill: &StoredBill) -> Result<Paid, NotPaid> {
        let request = self.question(bill)?;
        let status = self.status(&request).await?;
        // An answer about another bill says nothing about this one.
        if let Some(difference) = other_bill(bill, &request, &status) {
            return Err(NotPaid::Differs(difference));
        }
        let words = &self.settings().bill.status;
        if words.pending_codes.contains(&status.code) {
            return Err(NotPaid::Pending { code: status.code });
        }
        if words.not_found_codes.contains(&status.code) {
            return Err(NotPaid::NotFound { code: status.code });
        }
        if !words.paid_codes.contains(&status.code) {
            let is_final = words.not_paid_codes.contains(&status.code);
            return Err(NotPaid::Refused { code: status.code, message: status.message, is_final });
        }
        match differs_from_bill(bill, &status) {
            Some(difference) => Err(NotPaid::Differs(difference)),
            None => Ok(Paid { bill: bill.clone() }),
        }
    }

    /// The request P2 for a bill.
    ///
    /// # Errors
    /// `configuration` if the settings ask by the transaction's own reference and the bill has none.
    pub fn question(&self, bill: &StoredBill) -> Result<GetPaymentStatus, Error> {
        let reference = match self.settings().bill.status.reference {
            PaymentReference::Bill => Some(&bill.reference),
            PaymentReference::Transaction => bill.transaction_reference.as_ref(),
        };
        let reference = reference.ok_or_else(|| {
            Error::configuration(
                GetPaymentStatus::NAME,
                "`bill.status.reference` asks by the transaction's own reference, and the bill was made without one",
            )
        })?;
        Ok(GetPaymentStatus {
            merchant_code: bill.merchant_code.clone(),
            reference: reference.clone(),
            amount: bill.amount,
            currency: bill.currency,
        })
    }

    /// The exact request of P1, without sending it. Its `Display` redacts secrets and personal data.
    pub fn prepare_create(&self, request: &CreateBill) -> Result<Prepared, Error> {
        self.bills.prepare(request)
    }

    /// The exact request of P2, without sending it.
    pub fn prepare_status(&self, request: &GetPaymentStatus) -> Result<Prepared, Error> {
        self.collections.prepare(request)
    }
}

/// Whether an answer is about another bill.
fn other_bill(bill: &StoredBill, request: &GetPaymentStatus, status: &PaymentStatus) -> Option<Difference> {
    let is_other = |given: &Option<String>, asked: &str| given.as_ref().is_some_and(|given| given != asked);
    if is_other(&status.reference, &request.reference) {
        return Some(Difference::Reference);
    }
    is_other(&status.merchant_code, &bill.merchant_code).then_some(Difference::Merchant)
}

/// How a payment differs from its bill.
fn differs_from_bill(bill: &StoredBill, status: &PaymentStatus) -> Option<Difference> {
    let Some(returned) = status.amount else {
        return Some(Difference::NoAmount);
    };
    if returned != bill.amount {
        return Some(Difference::Amount { expected: bill.amount, returned });
    }
    let currency = status.currency.as_ref().filter(|code| *code != bill.currency.numeric())?;
    Some(Difference::Currency { returned: currency.clone() })
}
