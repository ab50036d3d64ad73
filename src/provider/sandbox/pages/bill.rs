//! The page on which the customer pays a bill. Knows nothing of the merchant but where to redirect afterwards.

use axum::extract::{Form, Path, Query, State as Shared};
use axum::response::Response;
use maud::html;

use super::actions::{Fields, read_form_amount};
use super::frame::{frame_sandbox_page, redirect_after_action, sandbox_refusal_page};
use super::home::{amount_input, format_currency_amount};
use crate::provider::sandbox::store::{Bill, Refusal, SandboxState};

/// Shows the bill, and a form to pay it if it is unpaid.
pub(super) async fn show_bill_page(Shared(state): Shared<SandboxState>, Path(reference): Path<String>) -> Response {
    let Some(bill) = state.bill_by_reference(&reference) else {
        return sandbox_refusal_page(&Refusal::unknown("no bill with this reference"));
    };
    let asked = &bill.asked;
    let content = html! {
        h1 { "Pay " (format_currency_amount(asked.amount, &asked.currency_code)) }
        p { "to merchant " (asked.merchant_code) ", for " (asked.payable_code) ", bill " code { (bill.reference) } }
        @match bill.paid {
            Some(paid) => p .good { "Paid: " (format_currency_amount(paid, &asked.currency_code)) },
            None => form method="post" {
                (amount_input("Amount", asked.amount, &asked.currency_code))
                button { "Pay" }
            },
        }
        p .quiet {
            "No money moves here: this is a sandbox. With another amount the bill is paid wrongly, as its status shows."
        }
    };
    frame_sandbox_page("Pay", 0, &content)
}

/// Pays through the form.
pub(super) async fn pay_bill_action(
    Shared(state): Shared<SandboxState>,
    Path(reference): Path<String>,
    Form(fields): Fields,
) -> Response {
    pay_and_redirect(&state, &reference, read_form_amount(&fields))
}

/// Pays at once, for scripts.
pub(super) async fn pay_now(
    Shared(state): Shared<SandboxState>,
    Path(reference): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    pay_and_redirect(&state, &reference, read_form_amount(&fields))
}

/// Pays, and redirects the customer to the bill's address. The redirect proves nothing: the merchant must ask for the
/// status.
fn pay_and_redirect(state: &SandboxState, reference: &str, asked: Result<Option<i64>, Refusal>) -> Response {
    match asked.and_then(|amount| state.pay(reference, amount)) {
        Ok(Bill { asked, .. }) => redirect_after_action(&asked.redirect_url),
        Err(problem) => sandbox_refusal_page(&problem),
    }
}
