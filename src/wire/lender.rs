//! The calls of the provider to the lender, E10 and E11, as both sides need them. Knows nothing of who serves or sends
//! them.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::call::shows_only;

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
