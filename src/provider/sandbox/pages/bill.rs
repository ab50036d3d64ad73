//! The page on which the customer pays a bill. Knows nothing of the merchant but where to redirect afterwards.

use axum::extract::{Form, Path, Query, State as Shared};
use axum::response::Response;
use maud::html;

use super::actions::{Fields, amount};
use super::frame::{onward, page, refusal};
use super::home::{amount_input, money};
use crate::provider::sandbox::store::{Bill, Refusal, State};

/// Shows the bill, and a form to pay it if it is unpaid.
pub(super) async fn show(Shared(state): Shared<State>, Path(reference): Path<String>) -> Response {
    let Some(bill) = state.bill_by_reference(&reference) else {
        return refusal(&Refusal::unknown("no bill with this reference"));
    };
    let asked = &bill.asked;
    let content = html! {
        h1 { "Pay " (money(asked.amount, &asked.currency_code)) }
        p { "to merchant " (asked.merchant_code) ", for " (asked.payable_code) ", bill " code { (bill.reference) } }
        @match bill.paid {
            Some(paid) => p .good { "Paid: " (money(paid, &asked.currency_code)) },
            None => form method="post" {
                (amount_input("Amount", asked.amount, &asked.currency_code))
                button { "Pay" }
            },
        }
        p .quiet {
            "No money moves here: this is a sandbox. With another amount the bill is paid wrongly, as its status shows."
        }
    };
    page("Pay", 0, &content)
}

/// Pays through the form.
pub(super) async fn pay(Shared(state): Shared<State>, Path(reference): Path<String>, Form(fields): Fields) -> Response {
    paid(&state, &reference, amount(&fields))
}

/// Pays at once, for scripts.
pub(super) async fn pay_now(
    Shared(state): Shared<State>,
    Path(reference): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    paid(&state, &reference, amount(&fields))
}

/// Pays, and redirects the customer to the bill's address. The redirect proves nothing: the merchant must ask for the
/// status.
fn paid(state: &State, reference: &str, asked: Result<Option<i64>, Refusal>) -> Response {
    match asked.and_then(|amount| state.pay(reference, amount)) {
        Ok(Bill { asked, .. }) => onward(&asked.redirect_url),
        Err(problem) => refusal(&problem),
    }
}
