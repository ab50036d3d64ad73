//! The first page: what needs a person, and for how long; how many loans are where; money in flight; what failed. And
//! the lists that its tiles lead to: the loans of a state, and those in flight. Knows nothing of single loans' stories.

use axum::response::Response;
use maud::{Markup, html};

use super::Shared;
use super::frame::{render_page, render_table};
use crate::base::time::Timestamp;
use crate::lender::loan::{LoanState, OrderKind, OrderOutcome};
use crate::lender::loan_book::{BookError, Filter, Flow, LoanRow, PaymentRow, Troubles};
use crate::lender::operations::act::{ActError, describe_reason};
use crate::lender::operations::in_words::{format_age, format_money, format_state, is_in_flight};
use crate::lender::store::error::StoreError;

/// How many loans of the queue are shown.
const SHOWN: i64 = 200;
/// How many parked payments are shown.
const PARKED: usize = 50;

/// Which loans a list shows.
pub(super) enum Listed {
    /// Those in one state.
    State(LoanState),
    /// Those that something is being done for.
    InFlight,
}

impl Listed {
    /// The list that a page's address names.
    pub(super) fn from_word(word: &str) -> Option<Listed> {
        match word {
            IN_FLIGHT => Some(Listed::InFlight),
            word => LoanState::from_word(word).map(Listed::State),
        }
    }

    fn states(&self) -> Vec<LoanState> {
        match self {
            Listed::State(state) => vec![*state],
            Listed::InFlight => LoanState::ALL.into_iter().filter(|state| is_in_flight(*state)).collect(),
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Listed::State(state) => state.word(),
            Listed::InFlight => IN_FLIGHT,
        }
    }

    fn title(&self) -> String {
        match self {
            Listed::State(state) => format!("Loans: {}", format_state(*state)),
            Listed::InFlight => "Loans in flight".to_owned(),
        }
    }
}

/// The word of an address for [`Listed::InFlight`].
const IN_FLIGHT: &str = "in_flight";

/// A list of loans, after a number of the book.
pub(super) fn render_list(shared: &Shared, listed: &Listed, after: i64) -> Result<Response, ActError> {
    let filter = Filter { states: listed.states(), after, most: SHOWN + 1, ..Filter::default() };
    let mut rows = shared.pages.book.list_loans(&filter).map_err(BookError::from)?;
    let is_cut = rows.len() as i64 > SHOWN;
    rows.truncate(SHOWN as usize);
    let content = html! {
        h1 { (listed.title()) }
        @if rows.is_empty() { p .quiet { "There are no such loans." } }
        (loans_table(&listed.title(), &rows, shared.now()))
        @if let Some(last) = rows.last().filter(|_| is_cut) {
            p { a href={ "/loans?state=" (listed.word()) "&after=" (last.id) } { "More" } }
        }
        p { a href="/loans" { "All states" } }
    };
    Ok(render_page(&listed.title(), &content))
}

pub(super) fn render_queue(shared: &Shared, notice: Option<&str>) -> Result<Response, ActError> {
    Ok(render_page("Loans", &queue_page_content(shared, notice).map_err(BookError::from)?))
}

fn queue_page_content(shared: &Shared, notice: Option<&str>) -> Result<Markup, StoreError> {
    let book = &shared.pages.book;
    let (queue, counts) = (book.list_waiting_for_people(SHOWN)?, book.count_loans()?);
    let (flows, troubles, parked) = (book.sum_money_in_flight()?, book.count_troubles()?, book.list_payments(None)?);
    let sum = |is_counted: fn(LoanState) -> bool| -> i64 {
        counts.iter().filter(|(state, _)| is_counted(*state)).map(|(_, count)| count).sum()
    };
    let (waiting, in_flight) = (sum(LoanState::needs_person), sum(is_in_flight));
    Ok(html! {
        h1 { "Loans" }
        @if let Some(notice) = notice { p .bad role="status" { (notice) } }
        h2 { "Needs a person " span .quiet { (waiting) } }
        @if queue.is_empty() { p .quiet { "Nothing waits for a person." } }
        (loans_table("Needs a person", &queue, shared.now()))
        h2 { "By state" }
        @if counts.is_empty() { p .quiet { "There are no loans." } }
        ul .tiles {
            @for (state_of, count) in &counts {
                li {
                    a href={ "/loans?state=" (state_of.word()) } { b { (count) } (format_state(*state_of)) }
                }
            }
            li { a href={ "/loans?state=" (IN_FLIGHT) } { b { (in_flight) } "in flight" } }
        }
        h2 { "Money in flight" }
        @if flows.is_empty() { p .quiet { "No transaction of money is planned or open." } }
        ul .tiles { @for flow in &flows { (render_flow_tile(flow)) } }
        h2 { "Failures" }
        (render_failure_counts(&troubles))
        (parked_table(shared, &parked))
    })
}

fn loans_table(title: &str, loans: &[LoanRow], now: Timestamp) -> Markup {
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
    let rows: Vec<Markup> = loans.iter().map(row).collect();
    render_table(title, &["loan", "state", "because", "for", "id", "owed"], &rows)
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
