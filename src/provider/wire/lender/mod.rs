//! The calls of the provider to the lender, as both sides need them: Get Offers, Accept Offers, E10 and E11. Knows
//! nothing of who serves or sends them.

mod read;

use std::fmt;

use serde::{Deserialize, Serialize};

use super::call::shows_only;
use crate::base::secret::Secret;

#[doc(hidden)]
pub use read::Unreadable;

/// The header that carries the user name.
pub const USERNAME_HEADER: &str = "username";
/// The header that carries the password.
pub const PASSWORD_HEADER: &str = "password";

/// The query parameters of E10, Get Loan Status. The loan is in the path too.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoanStatusQuery {
    /// The customer.
    pub customer_id: String,
    /// The loan.
    pub loan_id: String,
    /// The lender.
    pub provider_code: String,
    /// The channel.
    pub channel_code: String,
}

shows_only!(LoanStatusQuery: loan_id, provider_code, channel_code);

/// The answer of E10.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoanStatusReply {
    /// `00`.
    pub response_code: String,
    /// The lender's message.
    pub response_message: String,
    /// The loan, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loan: Option<LoanStanding>,
}

/// The status of a loan.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LoanStanding {
    /// `OPEN` or `CLOSED`. The interface shows no other.
    pub status: String,
    /// The amount still to be paid, a decimal number.
    pub remaining_amount: String,
    /// When it is due: ISO 8601, UTC.
    pub due_date: String,
}

shows_only!(LoanStanding: status, due_date);

/// The body of E11, Payment Notification.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PaymentNotification {
    /// The loan.
    pub loan_id: String,
    /// Identifies the payment.
    pub payment_ref: String,
    /// The amount paid. The interface writes only this name with a capital.
    #[serde(rename = "Amount")]
    pub amount: String,
    /// The customer.
    pub customer_id: String,
}

impl fmt::Debug for PaymentNotification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "PaymentNotification {{ loan_id: {:?}, payment_ref: {:?}, .. }}",
            self.loan_id, self.payment_ref
        )
    }
}

/// The answer of E11.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NotificationReply {
    /// `00`.
    pub response_code: String,
    /// The lender's message.
    pub response_message: String,
    /// The loan's status after the payment, such as `CLOSED`.
    pub loan_status: String,
}

/// A request of the lender's Get Offers. Its shape is that of E1, and the reference of the offer request.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq)]
pub struct OfferRequest {
    /// The reference that E2 and E3 need.
    pub reference: String,
    /// The customer.
    pub customer_id: String,
    /// The channel.
    pub channel_code: String,
    /// The amount wanted, in minor units.
    pub amount: i64,
    /// The type of service.
    pub service_type: String,
    /// The customer's date of birth, `YYYY-MM-DD`.
    pub date_of_birth: String,
    /// The lender.
    pub provider_code: String,
}

shows_only!(OfferRequest: reference, channel_code, service_type, provider_code);

/// A request of the lender's Accept Offers. Its body is that of E4, and what the settings add.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq)]
pub struct OfferAcceptance {
    /// The offer.
    pub offer_id: String,
    /// The customer.
    pub customer_id: String,
    /// The account to which the loan is paid.
    pub destination_account_number: String,
    /// That account's bank.
    pub destination_bank_code: String,
    /// The customer's token. The interface does not show what it is.
    pub token: Secret,
    /// The provider's reference of the acceptance.
    pub loan_reference_id: String,
    /// The customer's telephone number, if the provider sends it.
    pub msisdn: Option<String>,
    /// The loan's id, if the provider gives it.
    pub loan_id: Option<String>,
}

shows_only!(OfferAcceptance: offer_id, loan_reference_id, loan_id);

/// The answer of the lender's Accept Offers, and of every refusal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AcceptanceReply {
    /// `00`.
    pub response_code: String,
    /// The lender's message.
    pub response_message: String,
    /// The loan, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loan_id: Option<String>,
}

/// A request of E11 that has been read: the amount is exact.
#[doc(hidden)]
#[derive(Clone, PartialEq, Eq)]
pub struct Payment {
    /// The loan.
    pub loan_id: String,
    /// Identifies the payment.
    pub payment_ref: String,
    /// The amount paid, in minor units; above zero.
    pub amount_minor: i64,
    /// The customer.
    pub customer_id: String,
}

shows_only!(Payment: loan_id, payment_ref);
