//! The first page: what needs a person, and for how long; how many loans are where; money in flight; what failed. Knows
//! nothing of single loans' stories.

use axum::response::Response;
use maud::{Markup, html};

use super::Shared;
use super::frame::{render_page, render_table};
use crate::base::time::Timestamp;
use crate::lender::loan::{OrderKind, OrderOutcome};
use crate::lender::loan_book::{BookError, Flow, LoanRow, PaymentRow, Troubles};
use crate::lender::operations::act::{ActError, describe_reason};
use crate::lender::operations::in_words::{format_age, format_money, format_state};
use crate::lender::store::error::StoreError;

/// How many loans of the queue are shown.
const SHOWN: i64 = 200;
/// How many parked payments are shown.
const PARKED: usize = 50;

pub(super) fn render_queue(shared: &Shared, notice: Option<&str>) -> Result<Response, ActError> {
    Ok(render_page("Loans", &queue_page_content(shared, notice).map_err(BookError::from)?))
}

fn queue_page_content(shared: &Shared, notice: Option<&str>) -> Result<Markup, StoreError> {
    let book = &shared.pages.book;
    let (queue, counts) = (book.list_waiting_for_people(SHOWN)?, book.count_loans()?);
    let (flows, troubles, parked) = (book.sum_money_in_flight()?, book.count_troubles()?, book.list_payments(None)?);
    let waiting: i64 = counts.iter().filter(|(state, _)| state.needs_person()).map(|(_, count)| count).sum();
    Ok(html! {
        h1 { "Loans" }
        @if let Some(notice) = notice { p .bad role="status" { (notice) } }
        h2 { "Needs a person " span .quiet { (waiting) } }
        @if queue.is_empty() { p .quiet { "Nothing waits for a person." } }
        (queue_table(&queue, shared.now()))
        h2 { "By state" }
        @if counts.is_empty() { p .quiet { "There are no loans." } }
        ul .tiles { @for (state_of, count) in &counts { li { b { (count) } (format_state(*state_of)) } } }
        h2 { "Money in flight" }
        @if flows.is_empty() { p .quiet { "No transaction of money is planned or open." } }
        ul .tiles { @for flow in &flows { (render_flow_tile(flow)) } }
        h2 { "Failures" }
        (render_failure_counts(&troubles))
        (parked_table(shared, &parked))
    })
}

fn queue_table(queue: &[LoanRow], now: Timestamp) -> Markup {
    let row = |row: &LoanRow| {
        html! {
            td { a href={ "/loans/" (row.id) } { (row.id) } }
            td { (format_state(row.loan.state)) }
            td .text { (describe_reason(row)) }
            td { (format_age(row.loan.since, now)) }
            td { code { (row.loan_id.as_deref().unwrap_or(&row.reference)) } }
            td .number { (describe_owed_amount(row)) }
        }
    };
    let rows: Vec<Markup> = queue.iter().map(row).collect();
    render_table("Needs a person", &["loan", "state", "because", "for", "id", "owed"], &rows)
}

fn describe_owed_amount(row: &LoanRow) -> String {
    match &row.loan.terms {
        Some(terms) if row.loan.is_funded() => format_money(row.loan.owed_minor(), &terms.currency),
        _ => String::new(),
    }
}

fn render_flow_tile(flow: &Flow) -> Markup {
    let what = match (flow.kind, flow.outcome) {
        (OrderKind::Fund, OrderOutcome::Planned) => "payouts planned",
        (OrderKind::Fund, _) => "payouts sent, outcome open",
        (OrderKind::Debit, OrderOutcome::Planned) => "debits planned",
        (OrderKind::Debit, _) => "debits sent, outcome open",
    };
    html! { li { b { (format_money(flow.amount_minor, &flow.currency)) } (flow.count) " " (what) } }
}

fn render_failure_counts(troubles: &Troubles) -> Markup {
    let one = |count: i64, what: &str| html! { li { b .bad[count > 0] { (count) } (what) } };
    html! {
        ul .tiles {
            (one(troubles.orders_not_moved, "transactions that did not move"))
            (one(troubles.messages_failed, "messages not sent, or perhaps not"))
            (one(troubles.payments_parked, "payments that fit nothing"))
        }
    }
}

fn parked_table(shared: &Shared, parked: &[PaymentRow]) -> Markup {
    let time = shared.time();
    let row = |payment: &PaymentRow| {
        html! {
            td { code { (payment.payment_ref) } }
            td { code { (payment.loan_id) } }
            td .number { (payment.amount_minor) }
            td { (time.show(payment.received_at)) }
            td .text { (payment.reason.as_deref().unwrap_or_default()) }
        }
    };
    let rows: Vec<Markup> = parked.iter().take(PARKED).map(row).collect();
    let columns = ["payment", "for the loan", "minor units", "came", "because"];
    html! {
        (render_table("Parked payments", &columns, &rows))
        @if !parked.is_empty() {
            p .quiet {
                "Post or dismiss them by " code { "lendwright service loans post" } " and "
                code { "lendwright service loans dismiss" } "."
            }
        }
    }
}
