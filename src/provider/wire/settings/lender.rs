//! What the interface leaves open about the four endpoints that the lender hosts. Each field has an entry in
//! `docs/reference/assumptions.md`. Knows nothing of who serves or calls them.

use serde::{Deserialize, Serialize};

use crate::base::money::AmountUnit;

/// What the interface leaves open about the endpoints that the lender hosts: E10 and E11, and its own Get Offers and
/// Accept Offers, whose shapes are those of E1 and E4. Paths are below the lender's address.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LenderSettings {
    /// The path of Get Offers.
    pub get_offers_path: String,
    /// The path of Accept Offers, with `{offerId}` filled in, if it has it.
    pub accept_offer_path: String,
    /// The path of E10, without the loan.
    pub loan_status_path: String,
    /// The path of E11.
    pub payment_notification_path: String,
    /// The unit of `Amount` and `remainingAmount`.
    pub amount_unit: AmountUnit,
    /// The query parameter of Get Offers that holds the offer request's reference; empty if a header holds it.
    pub reference_parameter: String,
    /// The header of Get Offers that holds the offer request's reference; empty if the query holds it. If both are set,
    /// either will do.
    pub reference_header: String,
    /// The field of Accept Offers that holds the customer's telephone number, which E7 needs; empty if there is none.
    pub msisdn_field: String,
    /// The field of Accept Offers that holds the id that the provider gives the loan; empty if the lender always makes
    /// it. Where the field is missing, the lender makes it.
    pub loan_id_field: String,
    /// The `responseCode` of each kind of answer. Success has `success_code`.
    pub codes: LenderCodes,
}

impl Default for LenderSettings {
    fn default() -> Self {
        LenderSettings {
            get_offers_path: "offers".to_owned(),
            accept_offer_path: "offers/{offerId}/accept".to_owned(),
            loan_status_path: "loan-status".to_owned(),
            payment_notification_path: "payment-notification".to_owned(),
            amount_unit: AmountUnit::Major,
            reference_parameter: "offerRequestReference".to_owned(),
            reference_header: String::new(),
            msisdn_field: "msisdn".to_owned(),
            loan_id_field: "loanId".to_owned(),
            codes: LenderCodes::default(),
        }
    }
}

/// The lender's codes other than success. By default those of E3 for no offer, and those of ISO 8583 for refusals.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct LenderCodes {
    /// Get Offers: there is no offer for the customer.
    pub no_offer: String,
    /// Get Offers: the answer follows by E3. Not the code of `no_offer`.
    pub later: String,
    /// The request does not match the interface.
    pub invalid: String,
    /// The user name or the password is missing or wrong.
    pub unauthorized: String,
    /// There is no such loan, offer or endpoint.
    pub not_found: String,
    /// The request contradicts an earlier one, or the state of the loan.
    pub conflict: String,
    /// Too many requests; the same one may be sent again later.
    pub busy: String,
    /// The lender cannot answer now.
    pub unavailable: String,
}

impl Default for LenderCodes {
    fn default() -> Self {
        let code = str::to_owned;
        LenderCodes {
            no_offer: code("01"),
            later: code("00"),
            invalid: code("30"),
            unauthorized: code("63"),
            not_found: code("25"),
            conflict: code("26"),
            busy: code("91"),
            unavailable: code("96"),
        }
    }
}
