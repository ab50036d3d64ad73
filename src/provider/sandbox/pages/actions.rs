//! What the pages' forms do: the actions of a customer or a tester. Knows nothing of how pages look.

use axum::extract::{Form, State as Shared};
use axum::response::Response;
use serde::de::DeserializeOwned;

use super::frame::{onward, refusal};
use crate::base::money::{AmountUnit, Currency, parse_amount};
use crate::provider::sandbox::checked;
use crate::provider::sandbox::contract::Endpoint;
use crate::provider::sandbox::faults::{Fault, Faults};
use crate::provider::sandbox::store::{Refusal, State};

/// The fields of a form.
pub(super) type Fields = Form<Vec<(String, String)>>;

/// A field's text; empty if it is missing.
pub(super) fn field<'a>(fields: &'a [(String, String)], name: &str) -> &'a str {
    fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.trim()).unwrap_or_default()
}

/// An amount in minor units: `amount` from scripts, or `major` from the pages' forms, in major units of their
/// `currency`. `None` if neither is given.
pub(super) fn amount(fields: &[(String, String)]) -> Result<Option<i64>, Refusal> {
    match (field(fields, "amount"), field(fields, "major")) {
        ("", "") => Ok(None),
        ("", major) => {
            let exponent = Currency::from_numeric(field(fields, "currency")).map_or(0, |known| known.exponent());
            let minor = parse_amount(major.as_bytes(), AmountUnit::Major, exponent);
            minor.map(Some).map_err(|wrong| Refusal::bad(format!("the amount {wrong}")))
        }
        (minor, _) => {
            minor.parse().map(Some).map_err(|_| Refusal::bad("the amount is not a whole number of minor units"))
        }
    }
}

fn done(result: Result<(), Refusal>) -> Response {
    match result {
        Ok(()) => onward("/sandbox"),
        Err(problem) => refusal(&problem),
    }
}

/// The customer repays a loan, in part or in full.
pub(super) async fn repay(Shared(state): Shared<State>, Form(fields): Fields) -> Response {
    let amount = amount(&fields).and_then(|amount| amount.ok_or_else(|| Refusal::bad("an amount is needed")));
    done(amount.and_then(|amount| state.repay(field(&fields, "loan"), amount)))
}

/// Asks the lender for a loan's status (E10).
pub(super) async fn ask_status(Shared(state): Shared<State>, Form(fields): Fields) -> Response {
    done(state.ask_status(field(&fields, "loan")))
}

/// Sends a callback once more.
pub(super) async fn repeat(Shared(state): Shared<State>, Form(fields): Fields) -> Response {
    let number = field(&fields, "number").parse().map_err(|_| Refusal::bad("`number` is not a whole number"));
    done(number.and_then(|number| state.repeat(number)))
}

/// Sends what is held back, last one first.
pub(super) async fn release(Shared(state): Shared<State>) -> Response {
    state.release_held();
    done(Ok(()))
}

/// Sets the fault of one endpoint; an empty text clears it.
pub(super) async fn set_fault(Shared(state): Shared<State>, Form(fields): Fields) -> Response {
    let name = field(&fields, "endpoint");
    let Some(endpoint) = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == name) else {
        return refusal(&Refusal::bad("no such endpoint"));
    };
    let text = field(&fields, "fault");
    let asked = if text.is_empty() { Ok(None) } else { one(text).map(Some) };
    done(asked.map(|fault| state.set_fault(endpoint, fault)))
}

/// Sets the faults of all endpoints from a file.
pub(super) async fn set_faults(Shared(state): Shared<State>, text: String) -> Response {
    let check = |faults: &Faults| checked::faults(faults).map_err(|error| Refusal::bad(error.to_string()));
    done(read(&text).and_then(|faults| check(&faults).map(|()| state.set_faults(faults))))
}

/// Reads the table of one fault.
fn one(text: &str) -> Result<Fault, Refusal> {
    let fault = read(text)?;
    checked::fault(&fault).map_err(|(name, problem)| Refusal::bad(format!("`{name}` {problem}")))?;
    Ok(fault)
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Refusal> {
    toml::from_str(text).map_err(|error| Refusal::bad(format!("the faults cannot be read: {}", error.message())))
}
