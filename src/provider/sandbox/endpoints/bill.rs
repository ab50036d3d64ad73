//! P1 and P2. Knows nothing of a bill's page but its address.

use serde_json::{Map, Value};

use super::answer::{Answer, Asked, put};
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::provider::sandbox::store::{NewBill, Refusal, State};

/// P1: makes a bill and returns the address of its page.
pub(super) fn create(state: &State, asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let given = asked.given;
    let optional = |name: &str| given.optional(name).map(str::to_owned);
    let asked = NewBill {
        merchant_code: given.text("merchantCode").to_owned(),
        payable_code: given.in_body("payableCode").to_owned(),
        amount: given.whole("amount"),
        currency_code: format!("{:03}", given.whole("currencyCode")),
        redirect_url: given.in_body("redirectUrl").to_owned(),
        customer_id: given.in_body("customerId").to_owned(),
        customer_email: optional("customerEmail"),
        transaction_reference: optional("transactionReference"),
    };
    let bill = state.create_bill(asked, given.fingerprint())?;
    let code = state.config().settings.bill.create.success_codes.first().cloned();
    let mut fields = Map::new();
    put(&mut fields, "id", bill.id);
    put(&mut fields, "merchantCode", bill.asked.merchant_code);
    put(&mut fields, "payableCode", bill.asked.payable_code);
    put(&mut fields, "amount", bill.asked.amount);
    put(&mut fields, "code", code.unwrap_or_else(|| "200".to_owned()));
    put(&mut fields, "redirectUrl", bill.asked.redirect_url);
    put(&mut fields, "customerId", bill.asked.customer_id);
    put(&mut fields, "reference", bill.reference.clone());
    if let Some(email) = bill.asked.customer_email {
        put(&mut fields, "customerEmail", email);
    }
    // The interface declares an integer and shows a text. The sandbox sends a text.
    put(&mut fields, "currencyCode", bill.asked.currency_code);
    put(&mut fields, "paymentUrl", format!("{}/sandbox/pay/{}", state.base_url(), bill.reference));
    Ok(Answer::ok(fields))
}

/// P2: whether a bill has been paid.
pub(super) fn status(state: &State, asked: &Asked<'_>) -> Result<Answer, Refusal> {
    let given = asked.given;
    let (merchant, reference) = (given.in_query("merchantcode"), given.in_query("transactionreference"));
    let bill = state.merchant_bill(merchant, reference);
    let bill = bill.ok_or_else(|| Refusal::unknown("no bill of this merchant with this reference"))?;
    if bill.asked.amount != given.whole("amount") {
        return Err(Refusal::conflict("`amount` is not the bill's"));
    }
    let names = &state.config().settings.bill.status;
    let (codes, otherwise, message) = match bill.paid {
        Some(_) => (&names.paid_codes, "00", "Paid"),
        None => (&names.pending_codes, "01", "Not paid yet"),
    };
    let mut fields = Map::new();
    put(&mut fields, &names.code_field, codes.first().map_or(otherwise, String::as_str));
    put(&mut fields, &names.message_field, message);
    put(&mut fields, &names.reference_field, reference);
    put(&mut fields, &names.merchant_field, merchant);
    put(&mut fields, &names.currency_field, bill.asked.currency_code.clone());
    if let Some(paid) = bill.paid {
        put(&mut fields, &names.amount_field, amount(paid, names.amount_unit, &bill.asked.currency_code));
    }
    Ok(Answer::ok(fields))
}

/// An amount as a number in its unit. Bills have at most 16 digits, which a JSON number keeps.
fn amount(minor: i64, unit: AmountUnit, currency_code: &str) -> Value {
    let exponent = Currency::from_numeric(currency_code).map_or(2, |known| known.exponent());
    let digits = amount_digits(minor, unit, exponent);
    digits.parse::<serde_json::Number>().map_or(Value::from(minor), Value::Number)
}
