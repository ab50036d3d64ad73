//! Pay Bill, P1 and P2: a link for one payment, and its status. [`PaymentStatus`] is only the provider's report:
//! whether a bill has been paid is for the client to establish. Knows nothing of what is paid for.

use serde::{Deserialize, Serialize};

use super::body::Body;
use super::call::sealed::Sealed;
use super::call::{Call, Effect, Host, check_given, fill_path_template, join_path_segments, shows_only};
use super::error::{Unsendable, Unusable};
use super::method::Method;
use super::parse::{self, Fields};
use super::{Authentication, Headers, PaymentStatusSettings, Settings};
use crate::base::money::{AmountUnit, Currency, Money, parse_amount};

/// The path of P2 below the collections address.
#[doc(hidden)]
pub const TRANSACTION_STATUS_PATH: &str = "collections/api/v1/gettransaction.json";

/// The host that creates bills. The interface does not show which one it is.
#[derive(Debug, Clone, Copy)]
pub enum Bills {}

impl Sealed for Bills {}

impl Host for Bills {
    const SETTING: &'static str = "bill.create.base_url";

    fn base_url(settings: &Settings) -> &str {
        match settings.bill.create.base_url.is_empty() {
            true => &settings.bill.base_url,
            false => &settings.bill.create.base_url,
        }
    }

    fn authentication(settings: &Settings) -> Authentication {
        settings.bill.create.authentication
    }

    fn headers(settings: &Settings) -> &Headers {
        &settings.bill.create.headers
    }
}

/// The host of transaction statuses, `{collections_url}` for tests or `{live_url}`.
#[derive(Debug, Clone, Copy)]
pub enum Collections {}

impl Sealed for Collections {}

impl Host for Collections {
    const SETTING: &'static str = "bill.base_url";

    fn base_url(settings: &Settings) -> &str {
        &settings.bill.base_url
    }

    fn authentication(settings: &Settings) -> Authentication {
        settings.bill.status.authentication
    }

    fn headers(settings: &Settings) -> &Headers {
        &settings.bill.status.headers
    }
}

/// P1, Create Bill.
#[derive(Clone, PartialEq, Eq)]
pub struct CreateBill {
    /// The merchant.
    pub merchant_code: String,
    /// The merchant's payment item.
    pub payable_code: String,
    /// The amount to pay.
    pub amount: Money,
    /// The currency of `amount`.
    pub currency: Currency,
    /// Where the customer is sent after the payment.
    pub redirect_url: String,
    /// The customer, on the merchant's system.
    pub customer_id: String,
    /// The customer's e-mail address.
    pub customer_email: Option<String>,
    /// The transaction's reference on the merchant's system.
    pub transaction_reference: Option<String>,
}

shows_only!(CreateBill: merchant_code, payable_code, currency, transaction_reference);

/// The answer of P1.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedBill {
    /// Identifies the bill.
    pub id: i64,
    /// The merchant, as requested. The declared response does not have it; the sample does.
    pub merchant_code: Option<String>,
    /// The payment item, as requested.
    pub payable_code: String,
    /// The amount to pay, in minor units.
    pub amount: i64,
    /// The response code.
    pub code: Option<String>,
    /// Where the customer is sent after the payment.
    pub redirect_url: String,
    /// The customer.
    pub customer_id: String,
    /// The bill's own reference on the service, by which P2 asks about its payment.
    pub reference: String,
    /// The customer's e-mail address.
    pub customer_email: Option<String>,
    /// The currency's ISO 4217 numeric code, from a text or a number.
    pub currency_code: String,
    /// The address that the customer opens to pay.
    pub payment_url: String,
}

shows_only!(CreatedBill: id, reference, amount, currency_code);

/// P2, Get transaction status. A read: repeating it changes nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GetPaymentStatus {
    /// The merchant.
    pub merchant_code: String,
    /// The reference of the bill, or of the transaction.
    pub reference: String,
    /// The original amount.
    pub amount: Money,
    /// Its currency. It is not sent; it determines the decimals of an amount in major units.
    pub currency: Currency,
}

/// The answer of P2: the provider's report. The interface shows no body, so the names of its fields are settings. It is
/// no proof of a payment: `client::bill` compares it with the stored bill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentStatus {
    /// The response code.
    pub code: String,
    /// The provider's message.
    pub message: String,
    /// The amount paid, if the answer has an exact one.
    pub amount: Option<Money>,
    /// The reference in the answer.
    pub reference: Option<String>,
    /// The merchant in the answer.
    pub merchant_code: Option<String>,
    /// The currency's numeric code.
    pub currency: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreatedBody {
    #[serde(default, deserialize_with = "parse::scalar")]
    id: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    merchant_code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    payable_code: Option<String>,
    #[serde(default)]
    amount: Option<parse::Scalar>,
    #[serde(default, deserialize_with = "parse::scalar")]
    code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    redirect_url: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    customer_id: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    reference: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    customer_email: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    currency_code: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    payment_url: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    message: Option<String>,
    #[serde(default, deserialize_with = "parse::scalar")]
    response_message: Option<String>,
}

impl Sealed for CreateBill {}

impl Call for CreateBill {
    type Host = Bills;
    type Reply = CreatedBill;
    const NAME: &'static str = "create bill (P1)";
    const EFFECT: Effect = Effect::Acts;

    fn method(&self, _: &Settings) -> Method {
        Method::Post
    }

    fn path(&self, settings: &Settings) -> Result<Vec<String>, Unsendable> {
        fill_path_template("bill.create.path", &settings.bill.create.path, &[("merchantCode", &self.merchant_code)])
    }

    fn body(&self, _: &Settings) -> Result<Option<Body>, Unsendable> {
        check_given(&[
            ("merchantCode", &self.merchant_code),
            ("payableCode", &self.payable_code),
            ("redirectUrl", &self.redirect_url),
            ("customerId", &self.customer_id),
        ])?;
        if self.amount.minor() <= 0 {
            return Err(Unsendable::new("`amount` is not above zero"));
        }
        let body = Body::new()
            .text("merchantCode", &self.merchant_code)
            .text("payableCode", &self.payable_code)
            .number("amount", self.amount.minor())
            .text("redirectUrl", &self.redirect_url)
            .personal("customerId", &self.customer_id)
            // A number has no leading zeros: 036 is sent as 36.
            .number("currencyCode", self.currency.numeric().trim_start_matches('0'))
            .personal_if("customerEmail", self.customer_email.as_deref());
        Ok(Some(match &self.transaction_reference {
            Some(reference) => body.text("transactionReference", reference),
            None => body,
        }))
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<CreatedBill, Unusable> {
        let body: CreatedBody = parse::parse_json_object(body)?;
        if let Some(code) = body.code.as_ref().filter(|code| !settings.bill.create.success_codes.contains(code)) {
            let message = body.response_message.or(body.message).unwrap_or_default();
            return Err(Unusable::Rejected { code: code.clone(), message });
        }
        let missing = |name: &str| Unusable::malformed(None, format!("has no `{name}`"));
        let digits = body.amount.and_then(|amount| amount.0).ok_or_else(|| missing("amount"))?;
        // Minor units; zeros after a decimal point change nothing.
        let amount = parse_amount(digits.as_bytes(), AmountUnit::Minor, 0)
            .map_err(|_| Unusable::malformed(None, "has an `amount` that is not a whole number"))?;
        let currency_code =
            body.currency_code.map_or_else(|| self.currency.numeric().to_owned(), |code| three_digits(&code));
        if amount != self.amount.minor() || currency_code != self.currency.numeric() {
            return Err(Unusable::malformed(None, "is about another amount or currency than was asked for"));
        }
        let echoes = [
            ("merchantCode", &body.merchant_code, &self.merchant_code),
            ("payableCode", &body.payable_code, &self.payable_code),
            ("customerId", &body.customer_id, &self.customer_id),
        ];
        if let Some((name, ..)) =
            echoes.iter().find(|(_, given, asked)| given.as_ref().is_some_and(|given| given != *asked))
        {
            return Err(Unusable::malformed(None, format!("is about another `{name}` than was asked for")));
        }
        Ok(CreatedBill {
            id: body.id.and_then(|id| id.parse().ok()).ok_or_else(|| missing("id"))?,
            merchant_code: body.merchant_code,
            payable_code: body.payable_code.unwrap_or_else(|| self.payable_code.clone()),
            amount,
            code: body.code,
            redirect_url: body.redirect_url.unwrap_or_else(|| self.redirect_url.clone()),
            customer_id: body.customer_id.unwrap_or_else(|| self.customer_id.clone()),
            reference: body.reference.filter(|text| !text.is_empty()).ok_or_else(|| missing("reference"))?,
            customer_email: body.customer_email,
            currency_code,
            payment_url: body.payment_url.filter(|text| !text.is_empty()).ok_or_else(|| missing("paymentUrl"))?,
        })
    }
}

/// What an answer says it is about: at its top, or next to its code or its amount. A value that differs from the
/// request's is preferred.
fn field_about_payment(
    fields: &Fields,
    names: &PaymentStatusSettings,
    name: &str,
    asked: &str,
) -> Result<Option<String>, Unusable> {
    let by_code = fields.about(name, &names.code_field, asked)?;
    let by_amount = fields.about(name, &names.amount_field, asked)?;
    Ok(match by_code {
        Some(other) if other != asked => Some(other),
        known => by_amount.or(known),
    })
}

/// Restores the leading zeros of a numeric code, which are lost if it came as a number.
pub(crate) fn three_digits(code: &str) -> String {
    format!("{code:0>3}")
}

impl Sealed for GetPaymentStatus {}

impl Call for GetPaymentStatus {
    type Host = Collections;
    type Reply = PaymentStatus;
    const NAME: &'static str = "get transaction status (P2)";
    const EFFECT: Effect = Effect::Reads;

    fn method(&self, _: &Settings) -> Method {
        Method::Get
    }

    fn path(&self, _: &Settings) -> Result<Vec<String>, Unsendable> {
        Ok(join_path_segments(TRANSACTION_STATUS_PATH, &[]))
    }

    fn query(&self, _: &Settings) -> Result<Vec<(String, String)>, Unsendable> {
        check_given(&[("merchantcode", &self.merchant_code), ("transactionreference", &self.reference)])?;
        Ok(vec![
            ("merchantcode".to_owned(), self.merchant_code.clone()),
            ("transactionreference".to_owned(), self.reference.clone()),
            ("amount".to_owned(), self.amount.minor().to_string()),
        ])
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[("content-type", "application/json")]
    }

    fn reply(&self, settings: &Settings, body: &[u8]) -> Result<PaymentStatus, Unusable> {
        let fields: Fields = parse::parse_json_object(body)?;
        let names = &settings.bill.status;
        let text = |name: &String| fields.text(name);
        let code = text(&names.code_field)?.ok_or_else(|| {
            Unusable::malformed(None, "has no code in the field that the setting `bill.status.code_field` names")
        })?;
        let amount = match text(&names.amount_field)? {
            None => None,
            Some(digits) => match parse_amount(digits.as_bytes(), names.amount_unit, self.currency.exponent()) {
                Ok(minor) => Some(Money::from_minor(minor)),
                Err(_) => {
                    return Err(Unusable::malformed(
                        None,
                        "has an amount that is not exact in the unit of the settings",
                    ));
                }
            },
        };
        Ok(PaymentStatus {
            code: parse::tidy_provider_message(&code),
            message: parse::tidy_provider_message(&text(&names.message_field)?.unwrap_or_default()),
            amount,
            reference: field_about_payment(&fields, names, &names.reference_field, &self.reference)?,
            merchant_code: field_about_payment(&fields, names, &names.merchant_field, &self.merchant_code)?,
            currency: text(&names.currency_field)?.map(|code| three_digits(&code)),
        })
    }

    /// With such a status the provider reports that something is unpaid. A report of a payment would contradict it.
    fn refusal(&self, settings: &Settings, body: &[u8]) -> Result<Option<PaymentStatus>, Unusable> {
        let status = self.reply(settings, body)?;
        Ok((!settings.bill.status.paid_codes.contains(&status.code)).then_some(status))
    }
}
