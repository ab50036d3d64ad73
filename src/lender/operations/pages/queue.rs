//! The first page: what needs a person, and for how long; how many loans are where; money in flight; what failed. Knows
//! nothing of single loans' stories.

use axum::response::Response;
use maud::{Markup, html};

use super::Shared;
use super::frame::{page as framed, table};
use crate::base::time::Timestamp;
use crate::lender::loan_book::{BookError, Flow, LoanRow, PaymentRow, Troubles};
use crate::lender::operations::act::{ActError, reason};
use crate::lender::operations::in_words::{age, money, state};
use crate::lender::store::error::StoreError;

/// How many loans of the queue are shown.
const SHOWN: i64 = 200;
/// How many parked payments are shown.
const PARKED: usize = 50;

pub(super) fn page(shared: &Shared, notice: Option<&str>) -> Result<Response, ActError> {
    Ok(framed("Loans", &content(shared, notice).map_err(BookError::from)?))
}

fn content(shared: &Shared, notice: Option<&str>) -> Result<Markup, StoreError> {
    let book = &shared.pages.book;
    let (queue, counts) = (book.waiting_for_people(SHOWN)?, book.counts()?);
    let (flows, troubles, parked) = (book.in_flight()?, book.troubles()?, book.payments(None)?);
    let waiting: i64 = counts.iter().filter(|(state, _)| state.needs_person()).map(|(_, count)| count).sum();
    Ok(html! {
        h1 { "Loans" }
        @if let Some(notice) = notice { p .bad role="status" { (notice) } }
        h2 { "Needs a person " span .quiet { (waiting) } }
        @if queue.is_empty() { p .quiet { "Nothing waits for a person." } }
        (queue_table(&queue, shared.now()))
        h2 { "By state" }
        @if counts.is_empty() { p .quiet { "There are no loans." } }
        ul .tiles { @for (state_of, count) in &counts { li { b { (count) } (state(*state_of)) } } }
        h2 { "Money in flight" }
        @if flows.is_empty() { p .quiet { "No transaction of money is planned or open." } }
        ul .tiles { @for flow in &flows { (tile(flow)) } }
        h2 { "Failures" }
        (failures(&troubles))
        (parked_table(shared, &parked))
    })
}

fn queue_table(queue: &[LoanRow], now: Timestamp) -> Markup {
    let row = |row: &LoanRow| {
        html! {
            td { a href={ "/loans/" (row.id) } { (row.id) } }
            td { (state(row.loan.state)) }
            td .text { (reason(row)) }
            td { (age(row.loan.since, now)) }
            td { code { (row.loan_id.as_deref().unwrap_or(&row.reference)) } }
            td .number { (owed(row)) }
        }
    };
    let rows: Vec<Markup> = queue.iter().map(row).collect();
    table("Needs a person", &["loan", "state", "because", "for", "id", "owed"], &rows)
}

fn owed(row: &LoanRow) -> String {
    match &row.loan.terms {
        Some(terms) if row.loan.is_funded() => money(row.loan.owed_minor(), &terms.currency),
        _ => String::new(),
    }
}

fn tile(flow: &Flow) -> Markup {
    let what = match (flow.kind.as_str(), flow.outcome.as_str()) {
        ("fund", "planned") => "payouts planned",
        ("fund", _) => "payouts sent, outcome open",
        (_, "planned") => "debits planned",
        _ => "debits sent, outcome open",
    };
    html! { li { b { (money(flow.amount_minor, &flow.currency)) } (flow.count) " " (what) } }
}

fn failures(troubles: &Troubles) -> Markup {
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
        (table("Parked payments", &columns, &rows))
        @if !parked.is_empty() {
            p .quiet {
                "Post or dismiss them by " code { "lendwright service loans post" } " and "
                code { "lendwright service loans dismiss" } "."
            }
        }
    }
}
