//! What the pages' forms do: the actions of a customer or a tester. Knows nothing of how pages look.

use axum::extract::{Form, State as Shared};
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::frame::{redirect_after_action, sandbox_refusal_page};
use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::provider::sandbox::checked;
use crate::provider::sandbox::contract::Endpoint;
use crate::provider::sandbox::faults::{Fault, Faults};
use crate::provider::sandbox::store::{Refusal, SandboxState};

/// The fields of a form.
pub(super) type Fields = Form<Vec<(String, String)>>;

/// A field's text; empty if it is missing.
pub(super) fn form_field_text<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim()).unwrap_or_default()
}

/// An amount in minor units: `amount` from scripts, or `major` from the pages' forms, in major units of their
/// `currency`. `None` if neither is given.
pub(super) fn read_form_amount(fields: &[(String, String)]) -> Result<Option<i64>, Refusal> {
    match (form_field_text(fields, "amount"), form_field_text(fields, "major")) {
        ("", "") => Ok(None),
        ("", major) => {
            let exponent =
                Currency::from_numeric(form_field_text(fields, "currency")).map_or(0, |known| known.exponent());
            let minor = parse_amount(major.as_bytes(), AmountUnit::Major, exponent);
            minor.map(Some).map_err(|wrong| Refusal::bad(format!("the amount {wrong}")))
        }
        (minor, _) => {
            minor.parse().map(Some).map_err(|_| Refusal::bad("the amount is not a whole number of minor units"))
        }
    }
}

fn redirect_or_refuse(result: Result<(), Refusal>) -> Response {
    match result {
        Ok(()) => redirect_after_action("/sandbox"),
        Err(problem) => sandbox_refusal_page(&problem),
    }
}

/// The customer repays a loan, in part or in full.
pub(super) async fn repay_loan_action(Shared(state): Shared<SandboxState>, Form(fields): Fields) -> Response {
    let amount = read_form_amount(&fields).and_then(|amount| amount.ok_or_else(|| Refusal::bad("an amount is needed")));
    redirect_or_refuse(amount.and_then(|amount| state.repay(form_field_text(&fields, "loan"), amount)))
}

/// Asks the lender for a loan's status (E10).
pub(super) async fn ask_status(Shared(state): Shared<SandboxState>, Form(fields): Fields) -> Response {
    redirect_or_refuse(state.ask_status(form_field_text(&fields, "loan")))
}

/// Sends a callback once more.
pub(super) async fn repeat_callback_action(Shared(state): Shared<SandboxState>, Form(fields): Fields) -> Response {
    let number = form_field_text(&fields, "number").parse().map_err(|_| Refusal::bad("`number` is not a whole number"));
    redirect_or_refuse(number.and_then(|number| state.repeat(number)))
}

/// Sends what is held back, last one first.
pub(super) async fn release_held_callbacks(Shared(state): Shared<SandboxState>) -> Response {
    state.release_held();
    redirect_or_refuse(Ok(()))
}

/// Sets the fault of one endpoint; an empty text clears it.
pub(super) async fn set_fault(Shared(state): Shared<SandboxState>, Form(fields): Fields) -> Response {
    let name = form_field_text(&fields, "endpoint");
    let Some(endpoint) = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == name) else {
        return sandbox_refusal_page(&Refusal::bad("no such endpoint"));
    };
    let text = form_field_text(&fields, "fault");
    let asked = if text.is_empty() { Ok(None) } else { read_one_fault_table(text).map(Some) };
    redirect_or_refuse(asked.map(|fault| state.set_fault(endpoint, fault)))
}

/// Sets the faults of all endpoints from a file.
pub(super) async fn set_faults(Shared(state): Shared<SandboxState>, text: String) -> Response {
    let check = |faults: &Faults| checked::check_all_faults(faults).map_err(|error| Refusal::bad(error.to_string()));
    redirect_or_refuse(parse_fault_toml(&text).and_then(|faults| check(&faults).map(|()| state.set_faults(faults))))
}

/// Reads the table of one fault.
fn read_one_fault_table(text: &str) -> Result<Fault, Refusal> {
    let fault = parse_fault_toml(text)?;
    checked::check_one_fault(&fault).map_err(|(name, problem)| Refusal::bad(format!("`{name}` {problem}")))?;
    Ok(fault)
}

fn parse_fault_toml<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    toml::from_str(text).map_err(|error| Refusal::bad(format!("the faults cannot be read: {}", error.message())))
}
