//! P1 and P2. Knows nothing of a bill's page but its address.

use serde_json::{Map, Value};

use super::answer::{EndpointAnswer, EndpointRequest, put_answer_field};
use crate::base::money::{AmountUnit, Currency, amount_digits};
use crate::provider::sandbox::store::{NewBill, Refusal, SandboxState};

/// P1: makes a bill and returns the address of its page.
pub(super) fn answer_create_bill(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
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
    put_answer_field(&mut fields, "id", bill.id);
    put_answer_field(&mut fields, "merchantCode", bill.asked.merchant_code);
    put_answer_field(&mut fields, "payableCode", bill.asked.payable_code);
    put_answer_field(&mut fields, "amount", bill.asked.amount);
    put_answer_field(&mut fields, "code", code.unwrap_or_else(|| "200".to_owned()));
    put_answer_field(&mut fields, "redirectUrl", bill.asked.redirect_url);
    put_answer_field(&mut fields, "customerId", bill.asked.customer_id);
    put_answer_field(&mut fields, "reference", bill.reference.clone());
    if let Some(email) = bill.asked.customer_email {
        put_answer_field(&mut fields, "customerEmail", email);
    }
    // The interface declares an integer and shows a text. The sandbox sends a text.
    put_answer_field(&mut fields, "currencyCode", bill.asked.currency_code);
    put_answer_field(&mut fields, "paymentUrl", format!("{}/sandbox/pay/{}", state.base_url(), bill.reference));
    Ok(EndpointAnswer::ok(fields))
}

/// P2: whether a bill has been paid.
pub(super) fn answer_bill_status(state: &SandboxState, asked: &EndpointRequest<'_>) -> Result<EndpointAnswer, Refusal> {
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
    put_answer_field(&mut fields, &names.code_field, codes.first().map_or(otherwise, String::as_str));
    put_answer_field(&mut fields, &names.message_field, message);
    put_answer_field(&mut fields, &names.reference_field, reference);
    put_answer_field(&mut fields, &names.merchant_field, merchant);
    put_answer_field(&mut fields, &names.currency_field, bill.asked.currency_code.clone());
    if let Some(paid) = bill.paid {
        put_answer_field(
            &mut fields,
            &names.amount_field,
            amount_as_json_number(paid, names.amount_unit, &bill.asked.currency_code),
        );
    }
    Ok(EndpointAnswer::ok(fields))
}

/// An amount as a number in its unit. Bills have at most 16 digits, which a JSON number keeps.
fn amount_as_json_number(minor: i64, unit: AmountUnit, currency_code: &str) -> Value {
    let exponent = Currency::from_numeric(currency_code).map_or(2, |known| known.exponent());
    let digits = amount_digits(minor, unit, exponent);
    digits.parse::<serde_json::Number>().map_or(Value::from(minor), Value::Number)
}
