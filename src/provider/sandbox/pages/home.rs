//! The page that shows everything the sandbox knows, and every exchange as it happened. Knows nothing of how any of it
//! changes.

use axum::extract::{Query, State as Shared};
use axum::response::Response;
use maud::{Markup, html};

use super::actions::form_field_text;
use super::examples::CURRENCY;
use super::frame::frame_sandbox_page;
use crate::base::money::{AmountUnit, Currency, Money, amount_digits};
use crate::provider::sandbox::contract::Endpoint;
use crate::provider::sandbox::store::{
    Bill, Callback, CallbackState, Exchange, Iqr, Loan, Newest, OfferRequest, SandboxLoanState, SandboxState,
    StoredOutcome, Transaction, format_rfc3339_moment,
};

/// How many of each are shown at once.
const SHOWN: usize = 100;
/// How many lines of a loan's ledger are shown, and how many offers of a request.
const LINES: usize = 20;

pub(super) async fn show_home_page(
    Shared(state): Shared<SandboxState>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Response {
    let version = state.version();
    let find = form_field_text(&fields, "find");
    let content = html! {
        h1 data-live=(version) { "The provider, simulated" }
        p .quiet {
            (state.base_url()) ", lender " code { (state.config().settings.provider_code) }
            ", seed " (state.config().seed)
        }
        (render_people_table(&state))
        (render_request_table(&state))
        (render_loan_table(&state))
        (render_transaction_table(&state))
        (render_bill_table(&state))
        (render_iqr_table(&state))
        (render_callback_table(&state))
        (render_fault_forms(&state))
        (render_found_exchanges(&state, find))
    };
    frame_sandbox_page("Sandbox", version, &content)
}

/// An amount in its currency.
pub(super) fn format_currency_amount(minor: i64, currency: &str) -> String {
    match Currency::from_numeric(currency) {
        Some(known) => format!("{} {}", known.alphabetic(), Money::from_minor(minor).display(&known)),
        None => format!("{minor} of {currency}"),
    }
}

/// The input of an amount, in the unit that [`format_currency_amount`] shows. Scripts send `amount`, in minor units.
pub(super) fn amount_input(label: &str, minor: i64, currency: &str) -> Markup {
    let known = Currency::from_numeric(currency);
    let digits = amount_digits(minor, AmountUnit::Major, known.map_or(0, |known| known.exponent()));
    let name = known.map_or(currency, |known| known.alphabetic());
    html! {
        input type="hidden" name="currency" value=(currency);
        label { (label) " in " (name) " " input inputmode="decimal" name="major" size="12" value=(digits); }
    }
}

/// A table of the newest entries, newest first, with their total number.
fn newest_entries_table<T>(title: &str, columns: &[&str], newest: &Newest<T>, row: impl Fn(&T) -> Markup) -> Markup {
    let rows: Vec<Markup> = newest.rows.iter().rev().map(row).collect();
    table_of_rows(title, columns, newest.count, &rows)
}

fn table_of_rows(title: &str, columns: &[&str], count: usize, rows: &[Markup]) -> Markup {
    html! {
        h2 { (title) " " small { (count) } }
        @if !rows.is_empty() {
            div .wide {
                table {
                    thead { tr { @for column in columns { th { (column) } } } }
                    tbody { @for row in rows { tr { (row) } } }
                }
            }
        }
    }
}

fn render_people_table(state: &SandboxState) -> Markup {
    let people = state.people();
    let rows = people.iter().map(|person| {
        html! {
            td { code { (person.customer_id) } }
            td { (person.name) }
            td { (person.date_of_birth) }
            td { code { (person.account_number) } " at " (person.bank_code) }
            td { (person.story.about()) }
        }
    });
    let columns = ["customer", "name", "born", "account", "story"];
    table_of_rows("People", &columns, people.len(), &rows.collect::<Vec<_>>())
}

fn render_request_table(state: &SandboxState) -> Markup {
    let row = |request: &OfferRequest| {
        html! {
            td { code { (request.reference) } }
            td { code { (request.customer_id) } }
            td .number { (format_currency_amount(request.amount, CURRENCY)) }
            td { (request.channel_code) " " (request.service_type) }
            td { @if request.answered { "answered" } @else { span .bad { "waits" } } }
            td {
                (count_hidden_entries(request.offers.len()))
                @for offer in last_shown_entries(&request.offers) {
                    code { (offer.offer_id) } " " (format_currency_amount(offer.amount_offered, &offer.currency)) br;
                }
            }
        }
    };
    let columns = ["reference", "customer", "amount", "by", "", "offers"];
    newest_entries_table("Offer requests", &columns, &state.newest_requests(SHOWN), row)
}

fn render_loan_table(state: &SandboxState) -> Markup {
    let columns = ["loan", "customer", "state", "owed", "collected", "remains", "due", "ledger", ""];
    newest_entries_table("Loans", &columns, &state.newest_loans(SHOWN), |loan| loan_row(state, loan))
}

/// The last few entries of a cell.
fn last_shown_entries<T>(all: &[T]) -> &[T] {
    all.get(all.len().saturating_sub(LINES)..).unwrap_or_default()
}

/// How many entries of a cell are not shown.
fn count_hidden_entries(count: usize) -> Markup {
    html! { @if count > LINES { small { (count - LINES) " earlier" } br; } }
}

fn loan_row(state: &SandboxState, loan: &Loan) -> Markup {
    let money = |minor| format_currency_amount(minor, &loan.currency);
    html! {
        td { code { (loan.loan_id) } br; small { (loan.loan_reference_id) } }
        td { code { (loan.customer_id) } }
        td { (format!("{:?}", loan.state)) }
        td .number { (money(loan.owed())) }
        td .number { (money(loan.collected())) }
        td .number { (money(loan.remaining)) @if !loan.is_balanced() { " " b .bad { "out of balance" } } }
        td { @if let Some(due) = loan.due_date { (format_rfc3339_moment(due)) } }
        td {
            (count_hidden_entries(loan.ledger.len()))
            @for entry in last_shown_entries(&loan.ledger) {
                (format!("{:?}", entry.kind).to_lowercase()) " " (money(entry.amount))
                " " code { (entry.reference) } br;
            }
        }
        td {
            @if loan.state == SandboxLoanState::Open {
                form method="post" action="/sandbox/repay" {
                    input type="hidden" name="loan" value=(loan.loan_id);
                    (amount_input("amount", loan.remaining, &loan.currency))
                    button { "Customer pays" }
                }
            }
            @if state.config().lender.is_some() {
                form method="post" action="/sandbox/status" {
                    input type="hidden" name="loan" value=(loan.loan_id);
                    button { "Ask the lender (E10)" }
                }
            }
        }
    }
}

fn render_transaction_table(state: &SandboxState) -> Markup {
    let currency_of = |loan: &str| state.loan(loan).map_or_else(|| CURRENCY.to_owned(), |loan: Loan| loan.currency);
    let row = |known: &Transaction| {
        html! {
            td { code { (known.transaction_id) } }
            td { (format!("{:?}", known.kind).to_lowercase()) }
            td { code { (known.loan_id) } }
            td .number {
                @if let Some(amount) = known.amount { (format_currency_amount(amount, &currency_of(&known.loan_id))) }
            }
            td {
                @match &known.outcome {
                    StoredOutcome::Succeeded => span .good { "succeeded" },
                    StoredOutcome::Failed { message } => span .bad { "failed: " (message) },
                }
            }
            td { code { (known.transaction_ref) } }
            td { (format_rfc3339_moment(known.at)) }
        }
    };
    let columns = ["id", "", "loan", "amount", "outcome", "reference", "at"];
    newest_entries_table("Transactions", &columns, &state.newest_transactions(SHOWN), row)
}

fn render_bill_table(state: &SandboxState) -> Markup {
    let row = |bill: &Bill| {
        html! {
            td { code { (bill.reference) } }
            td { (bill.asked.merchant_code) " " (bill.asked.transaction_reference.as_deref().unwrap_or_default()) }
            td .number { (format_currency_amount(bill.asked.amount, &bill.asked.currency_code)) }
            td {
                @match bill.paid {
                    Some(paid) => span .good { "paid " (format_currency_amount(paid, &bill.asked.currency_code)) },
                    None => a href={ "/sandbox/pay/" (bill.reference) } { "to be paid" },
                }
            }
        }
    };
    newest_entries_table("Bills", &["reference", "merchant", "amount", ""], &state.newest_bills(SHOWN), row)
}

fn render_iqr_table(state: &SandboxState) -> Markup {
    let row = |iqr: &Iqr| {
        html! {
            td { code { (iqr.qr_id) } }
            td { code { (iqr.qr_ref) } }
            td { (if iqr.linked { "linked" } else { "unassigned" }) }
        }
    };
    newest_entries_table("iQRs", &["id", "reference", ""], &state.newest_iqrs(SHOWN), row)
}

fn render_callback_table(state: &SandboxState) -> Markup {
    let held = state.holds_callbacks();
    let row = |callback: &Callback| {
        html! {
            td .number { (callback.number) }
            td { (format!("{:?}", callback.kind)) }
            td { code { (callback.about) } }
            td .bad[callback.state == CallbackState::Failed] { (format!("{:?}", callback.state).to_lowercase()) }
            td { (callback.attempts) " attempts " (callback.answer) }
            td {
                form method="post" action="/sandbox/again" {
                    input type="hidden" name="number" value=(callback.number);
                    button { "Send again" }
                }
            }
        }
    };
    html! {
        @let titles = ["", "kind", "about", "state", "answer", ""];
        (newest_entries_table("Callbacks", &titles, &state.newest_callbacks(SHOWN), row))
        @if held {
            form method="post" action="/sandbox/release" { button { "Send what is held back, last one first" } }
        }
    }
}

fn render_fault_forms(state: &SandboxState) -> Markup {
    let faults = state.faults();
    html! {
        h2 { "Faults" }
        @for endpoint in Endpoint::ALL {
            @if let Some(fault) = faults.for_endpoint(endpoint) {
                p { code { (endpoint.name()) } " " (fault.in_words()) }
            }
        }
        form method="post" action="/sandbox/fault" {
            select name="endpoint" aria-label="endpoint" {
                @for endpoint in Endpoint::ALL { option value=(endpoint.name()) { (endpoint.about()) } }
            }
            textarea name="fault" rows="2" cols="40" placeholder="times = 1\nlost_after_commit = true"
                aria-label="fault" {}
            button { "Set, or clear if empty" }
        }
    }
}

fn render_found_exchanges(state: &SandboxState, find: &str) -> Markup {
    let all = state.exchanges();
    let wanted = find.to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&wanted);
    let found: Vec<&Exchange> = all
        .iter()
        .filter(|one| {
            let seen = &one.seen;
            let status = seen.status.map(|status| status.to_string()).unwrap_or_default();
            [&seen.endpoint, &seen.path, &seen.request, &seen.response, &status].into_iter().any(|text| has(text))
        })
        .collect();
    html! {
        h2 #exchanges { "Exchanges " small { (found.len()) } }
        form method="get" action="/sandbox" {
            input name="find" value=(find) placeholder="endpoint, path, text, status" aria-label="find";
            button { "Find" }
        }
        @for one in found.into_iter().take(SHOWN) { (render_one_exchange(one)) }
    }
}

fn render_one_exchange(one: &Exchange) -> Markup {
    let seen = &one.seen;
    let good = seen.status.is_some_and(|status| status < 400);
    html! {
        details id={ "exchange-" (one.number) } {
            summary {
                (one.number) " " @if seen.outgoing { "→ " }
                b .good[good] .bad[!good] {
                    @match seen.status { Some(status) => (status), None => "no answer" }
                }
                " " (seen.method) " " code { (seen.path) }
                " " small { (seen.endpoint) ", " (seen.took_us) " µs, " (format_rfc3339_moment(one.at)) }
                @if !seen.fault.is_empty() { " " b .bad { "fault: " (seen.fault) } }
            }
            @if !seen.request.is_empty() { pre { (seen.request) } }
            pre { (seen.response) }
        }
    }
}
