//! The client of Pay Bill, P1 and P2, and the rule that matters: value is given for a [`Paid`] and for nothing else. Knows
//! nothing of what the value is.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::core::{self, Core};
use super::{CallCounts, Error, Prepared, TokenSource};
use crate::wire::bill::{Bills, Collections, CreateBill, CreatedBill, GetPaymentStatus, PaymentStatus};
use crate::wire::{Call, PaymentReference, Settings, shows_only};
use crate::words::money::{Currency, Money};

/// A client of Pay Bill at `settings.bill.base_url` (and `settings.bill.create.base_url` where that is another host).
#[derive(Debug)]
pub struct Client {
    bills: Core<Bills>,
    collections: Core<Collections>,
}

/// A bill as the merchant stored it when it was made: what its payment is compared with.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredBill {
    /// The merchant.
    pub merchant_code: String,
    /// The bill's reference on the service.
    pub reference: String,
    /// The merchant's own reference of the transaction, where it gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_reference: Option<String>,
    /// The original amount, in minor units.
    pub amount: Money,
    /// Its currency.
    pub currency: Currency,
}

shows_only!(StoredBill: merchant_code, reference);

impl StoredBill {
    /// What to store of a bill that was just made. The amount is that of the request.
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

/// The proof that a bill has been paid: the provider said so when it was asked from here, with the original amount. It is
/// made by [`Client::confirm_payment`] alone and cannot be copied, stored or read back: whoever needs another asks again.
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
        /// The provider's words.
        message: String,
        /// Whether the settings know the code for the last word.
        is_final: bool,
    },
    /// The provider does not know the bill, or not yet.
    #[error("the provider does not know the bill (code `{code}`)")]
    NotFound {
        /// The provider's code.
        code: String,
    },
    /// The provider says that something has been paid, but not this bill, or speaks of another bill altogether. Give no
    /// value; someone must look.
    #[error("the provider's answer is not about this bill as it was made: {0}")]
    Differs(Difference),
    /// Whether it has been paid could not be learned.
    #[error(transparent)]
    Unknown(#[from] Error),
}

impl NotPaid {
    /// Whether asking again later may bring another answer.
    pub fn may_change(&self) -> bool {
        match self {
            // Whatever kept the question from being answered, a token or an address among it, may be mended.
            NotPaid::Pending { .. } | NotPaid::NotFound { .. } | NotPaid::Unknown(_) => true,
            NotPaid::Refused { is_final, .. } => !is_final,
            NotPaid::Differs(_) => false,
        }
    }
}

/// What of a payment differs from its bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// The answer has no amount.
    NoAmount,
    /// Another amount.
    Amount {
        /// That of the bill.
        expected: Money,
        /// That of the answer.
        returned: Money,
    },
    /// Another reference.
    Reference,
    /// Another merchant.
    Merchant,
    /// Another currency.
    Currency {
        /// That of the answer.
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
    /// A client with the source of the access token, for those calls that the settings say carry one.
    ///
    /// # Errors
    /// `configuration`: an address that cannot be used, or a token that cannot stand in a header.
    pub fn new(settings: Settings, token: impl TokenSource + 'static) -> Result<Client, Error> {
        let tokens = core::tokens(token)?;
        let settings = Arc::new(settings);
        Ok(Client { bills: Core::new(settings.clone(), tokens.clone())?, collections: Core::new(settings, tokens)? })
    }

    /// The settings the client was made with.
    pub fn settings(&self) -> &Settings {
        &self.bills.settings
    }

    /// What was done so far, by call.
    pub fn counts(&self) -> BTreeMap<&'static str, CallCounts> {
        self.bills.counts().into_iter().chain(self.collections.counts()).collect()
    }

    /// P1: makes a bill and the link to pay it. Never repeated.
    pub async fn create(&self, request: &CreateBill) -> Result<CreatedBill, Error> {
        self.bills.call(request).await
    }

    /// P2: what the provider says of a payment. No reason to give value: see [`Client::confirm_payment`].
    pub async fn status(&self, request: &GetPaymentStatus) -> Result<PaymentStatus, Error> {
        self.collections.call(request).await
    }

    /// Asks the provider whether this bill has been paid (P2) and compares: the amount must be the stored original, the
    /// reference and the currency too where the answer has them. A redirect, a webhook or anything else that the customer's
    /// browser carries proves nothing; they are reasons to call this.
    ///
    /// # Errors
    /// [`NotPaid`], in all other cases.
    pub async fn confirm_payment(&self, bill: &StoredBill) -> Result<Paid, NotPaid> {
        let request = self.question(bill)?;
        let status = self.status(&request).await?;
        // Whatever an answer about another bill says, it says nothing of this one.
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
        match difference(bill, &status) {
            Some(difference) => Err(NotPaid::Differs(difference)),
            None => Ok(Paid { bill: bill.clone() }),
        }
    }

    /// What P2 is asked for a bill.
    ///
    /// # Errors
    /// `configuration` where the settings ask by the transaction's own reference and the bill has none.
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

    /// The exact request of P1, without sending it; showing it masks what is secret or personal.
    pub fn prepare_create(&self, request: &CreateBill) -> Result<Prepared, Error> {
        self.bills.prepare(request)
    }

    /// The exact request of P2, without sending it.
    pub fn prepare_status(&self, request: &GetPaymentStatus) -> Result<Prepared, Error> {
        self.collections.prepare(request)
    }
}

/// Whether an answer says that it is about another bill, whatever it says of that.
fn other_bill(bill: &StoredBill, request: &GetPaymentStatus, status: &PaymentStatus) -> Option<Difference> {
    let is_other = |given: &Option<String>, asked: &str| given.as_ref().is_some_and(|given| given != asked);
    if is_other(&status.reference, &request.reference) {
        return Some(Difference::Reference);
    }
    is_other(&status.merchant_code, &bill.merchant_code).then_some(Difference::Merchant)
}

/// What of a payment differs from its bill.
fn difference(bill: &StoredBill, status: &PaymentStatus) -> Option<Difference> {
    let Some(returned) = status.amount else {
        return Some(Difference::NoAmount);
    };
    if returned != bill.amount {
        return Some(Difference::Amount { expected: bill.amount, returned });
    }
    let currency = status.currency.as_ref().filter(|code| *code != bill.currency.numeric())?;
    Some(Difference::Currency { returned: currency.clone() })
}
