//! An offer as it is recorded in a decision and sent by E3. Knows nothing of how it was priced.

use serde::{Deserialize, Serialize};

use crate::provider::wire::Unsendable;

/// One loan offer. Amounts are whole minor units. Fields are serialised in this order, under the interface's names.
///
/// ```
/// use lendwright::Offer;
/// let offer: Offer = serde_json::from_str(
///     r#"{"offerId": "OF-1", "amountOffered": 5000000, "interest": 3.5, "amountPayable": 5175000, "fee": 50000,
///         "tenure": 30, "terms": "none", "expiryDate": "31-12-2026", "currency": "566",
///         "isPartPaymentAllowed": false}"#,
/// )?;
/// assert_eq!(offer.amount_offered, 5_000_000);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Offer {
    /// Identifies the offer.
    pub offer_id: String,
    /// The principal, in minor units.
    pub amount_offered: i64,
    /// The interest in percent.
    pub interest: f64,
    /// The total that the customer pays back, in minor units.
    pub amount_payable: i64,
    /// The fee, in minor units.
    pub fee: i64,
    /// The length of the loan, in the unit the policy names.
    pub tenure: u32,
    /// The terms as text.
    pub terms: String,
    /// Until when the offer is valid: ISO 8601, UTC.
    pub expiry_date: String,
    /// The currency's ISO 4217 numeric code, such as `566`.
    pub currency: String,
    /// Whether the loan may be paid back in parts.
    pub is_part_payment_allowed: bool,
}

impl Offer {
    /// Refuses an offer that makes no sense. The message names the field.
    pub fn check(&self) -> Result<(), Unsendable> {
        let digits = |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        let problem = if self.offer_id.trim().is_empty() {
            "`offerId` is empty"
        } else if self.amount_offered <= 0 {
            "`amountOffered` is not above zero"
        } else if !self.interest.is_finite() || self.interest < 0.0 {
            "`interest` is not a number from zero up"
        } else if self.amount_payable <= 0 {
            "`amountPayable` is not above zero"
        } else if self.fee < 0 {
            "`fee` is below zero"
        } else if self.tenure == 0 {
            "`tenure` is zero"
        } else if !is_utc_timestamp(&self.expiry_date) {
            "`expiryDate` is not an ISO 8601 timestamp in UTC"
        } else if !digits(&self.currency) {
            "`currency` is not an ISO 4217 numeric code"
        } else {
            return Ok(());
        };
        Err(Unsendable::new(format!("offer `{}`: {problem}", self.offer_id)))
    }
}

fn is_utc_timestamp(text: &str) -> bool {
    text.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(text).is_ok()
}
