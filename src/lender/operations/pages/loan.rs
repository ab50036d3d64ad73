//! One loan's page: where it is, its payments, money, messages and story, and the forms for a decision and for opening
//! the record of the policy's. Nothing personal but the customer's id is on it. Knows nothing of what a decision does.

use axum::response::Response;
use maud::{Markup, html};

use super::Shared;
use super::frame::{render_page, render_table};
use crate::base::time::Timestamp;
use crate::lender::loan::{Instalment, OrderKind, OrderOutcome};
use crate::lender::loan_book::{BookError, LoanRow, OfferRow, OrderRow};
use crate::lender::operations::act::{Act, ActError, describe_reason, list_allowed};
use crate::lender::operations::in_words::{LocalTime, event_in_words, format_age, format_money, format_state};
use crate::lender::operations::referral::{DeclineCode, are_offers_conditional};
use crate::lender::store::error::StoreError;

pub(super) fn render_loan(shared: &Shared, row: &LoanRow) -> Result<Response, ActError> {
    Ok(render_page(&format!("Loan {}", row.id), &loan_page_content(shared, row).map_err(BookError::from)?))
}

fn loan_page_content(shared: &Shared, row: &LoanRow) -> Result<Markup, StoreError> {
    let (book, now, time) = (&shared.pages.book, shared.now(), shared.time());
    let acts = possible_acts(shared, row)?;
    let (decisions, offers) = (book.list_decisions(row.id)?, book.list_offers(row.id)?);
    let has_record = decisions.iter().any(|decision| decision.has_record);
    let currency = row.loan.terms.as_ref().map(|terms| terms.currency.clone()).unwrap_or_default();
    Ok(html! {
        h1 { "Loan " (row.id) }
        (render_loan_facts(row, &time, now))
        (render_loan_offers(&offers, are_offers_conditional(&decisions), &time))
        (opening_form(shared, row, has_record))
        (ruling_form(shared, row, &acts, &[]))
        (render_instalments(&row.loan.instalments, &currency))
        (render_loan_orders(&book.list_orders(row.id)?, &time, &currency))
        (payments_and_messages(shared, row, &time, &currency)?)
        (render_loan_story(shared, row, &time, &currency)?)
    })
}

fn render_loan_facts(row: &LoanRow, time: &LocalTime, now: Timestamp) -> Markup {
    let (loan, terms) = (&row.loan, row.loan.terms.as_ref());
    html! {
        dl {
            dt { "State" }
            dd {
                b .bad[loan.state.needs_person()] { (format_state(loan.state)) }
                " for " (format_age(loan.since, now))
            }
            @if !describe_reason(row).is_empty() { dt { "Because" } dd { (describe_reason(row)) } }
            dt { "Loan" } dd { code { (row.loan_id.as_deref().unwrap_or("-")) } }
            dt { "Request" } dd { code { (row.reference) } }
            dt { "Customer" } dd { code { (row.customer_id) } }
            dt { "Asked for" } dd { (time.show(row.created_at)) }
            @if let Some(terms) = terms {
                dt { "Paid out" } dd { (format_money(terms.paid_out_minor, &terms.currency)) }
                dt { "Payable" } dd { (format_money(terms.payable_minor(), &terms.currency)) }
                @if loan.is_funded() { dt { "Owed" } dd { (format_money(loan.owed_minor(), &terms.currency)) } }
                @if loan.overpaid_minor > 0 {
                    dt { "Overpaid" } dd { (format_money(loan.overpaid_minor, &terms.currency)) }
                }
            }
            @if let Some(wake) = loan.wake { dt { "Next" } dd { (time.show(wake)) } }
        }
    }
}

/// The heading of a page about a loan, with the way back.
pub(super) fn loan_heading(row: &LoanRow, title: &str) -> Markup {
    html! {
        h1 { (title) }
        p { a href={ "/loans/" (row.id) } { "Back to the loan" } }
    }
}

/// What a person may decide now.
pub(super) fn possible_acts(shared: &Shared, row: &LoanRow) -> Result<Vec<Act>, StoreError> {
    let has_offers = !shared.pages.book.list_offers(row.id)?.is_empty();
    Ok(list_allowed(row, has_offers, shared.at()))
}

fn render_loan_offers(all: &[OfferRow], is_conditional: bool, time: &LocalTime) -> Markup {
    let row = |made: &OfferRow| {
        let (offer, show) = (&made.offer, |minor| format_money(minor, &made.offer.currency));
        html! {
            td { code { (offer.offer_id) } }
            td .number { (show(offer.amount_offered)) }
            td .number { (show(offer.amount_payable)) }
            td { (time.show(made.expires_at)) }
        }
    };
    let rows: Vec<Markup> = all.iter().map(row).collect();
    let title = if is_conditional { "Offers, if approved" } else { "Offers" };
    let columns = ["offer", "amount", "payable", "valid until"];
    section_if_any(title, &render_table(title, &columns, &rows), rows.len())
}

/// The form that opens the record of the decision.
fn opening_form(shared: &Shared, row: &LoanRow, has_record: bool) -> Markup {
    html! {
        @if has_record && shared.pages.has_actions {
            h2 { "Record of the decision" }
            form .decide method="post" action={ "/loans/" (row.id) "/record" } {
                input type="hidden" name="token" value=(shared.token);
                p .quiet { "Reasons, score, statement and explanation are personal. The audit keeps who looks." }
                label .field { "Your name" input name="by" required maxlength="60" autocomplete="name"; }
                button { "Open" }
            }
        }
        @if has_record && !shared.pages.has_actions {
            p .quiet { "Open the record of the decision by " code { "lendwright service loans show --personal" } "." }
        }
    }
}

/// The form for a decision. `codes` are proposed as reasons of a decline.
pub(super) fn ruling_form(shared: &Shared, row: &LoanRow, acts: &[Act], codes: &[DeclineCode]) -> Markup {
    html! {
        @if !acts.is_empty() && shared.pages.has_actions {
            h2 { "Decide" }
            form .decide method="post" action={ "/loans/" (row.id) "/decide" } {
                input type="hidden" name="token" value=(shared.token);
                input type="hidden" name="version" value=(row.version);
                fieldset {
                    legend { "What" }
                    @for act in acts {
                        label {
                            input type="radio" name="act" value=(act.word()) required;
                            " " b { (act.word()) } ": " (act.in_words())
                        }
                    }
                }
                @if acts.contains(&Act::Approve) {
                    label .field {
                        "Approve with at most this amount, or leave it empty"
                        input name="amount" inputmode="decimal" maxlength="20" autocomplete="off";
                    }
                }
                @if acts.contains(&Act::Decline) { (code_field(codes)) }
                label .field { "Why" textarea name="note" rows="2" required maxlength="500" {} }
                label .field { "Your name" input name="by" required maxlength="60" autocomplete="name"; }
                button { "Decide" }
            }
        }
        @if !acts.is_empty() && !shared.pages.has_actions {
            p .quiet {
                "Possible: " (acts.iter().map(|act| act.word()).collect::<Vec<_>>().join(", ")) ". Use "
                code { "lendwright service loans" } ", or allow decisions here by "
                code { "operations.actions = true" } "."
            }
        }
    }
}

fn code_field(codes: &[DeclineCode]) -> Markup {
    html! {
        label .field {
            "Code of the reason to decline"
            @if codes.is_empty() {
                input name="code" maxlength="100" autocomplete="off";
            } @else {
                select name="code" {
                    option value="" { "none" }
                    @for code in codes {
                        option value=(code.code) {
                            (code.code) @if let Some(title) = &code.title { ": " (title) }
                        }
                    }
                }
            }
        }
    }
}

fn render_instalments(all: &[Instalment], currency: &str) -> Markup {
    let row = |one: &Instalment| {
        html! {
            td { (one.number) }
            td { (one.due) }
            td .number { (format_money(one.amount_minor, currency)) }
            td .number { (format_money(one.paid_minor, currency)) }
            td .number { (format_money(one.owed_minor(), currency)) }
            td { (one.attempts) }
        }
    };
    let rows: Vec<Markup> = all.iter().map(row).collect();
    let columns = ["number", "due", "amount", "paid", "owed", "tries"];
    section_if_any("Payments due", &render_table("Payments due", &columns, &rows), rows.len())
}

/// A part of the page, if there is anything in it.
pub(super) fn section_if_any(title: &str, content: &Markup, count: usize) -> Markup {
    html! { @if count > 0 { h2 { (title) } (content) } }
}

fn render_loan_orders(all: &[OrderRow], time: &LocalTime, currency: &str) -> Markup {
    let moment = |moment: Option<Timestamp>| moment.map(|moment| time.show(moment)).unwrap_or_default();
    let row = |order: &OrderRow| {
        let is_bad = order.outcome == OrderOutcome::NotMoved;
        html! {
            td { @if order.kind == OrderKind::Fund { "payout" } @else { "debit of payment " (order.instalment) } }
            td { (order.attempt) }
            td .number { (format_money(order.amount_minor, currency)) }
            td .bad[is_bad] { (order.outcome.word().replace('_', " ")) }
            td { code { (order.transaction_id) } }
            td { code { (order.transaction_ref.as_deref().unwrap_or_default()) } }
            td { (moment(order.sent_at)) }
            td { (moment(order.settled_at)) }
        }
    };
    let rows: Vec<Markup> = all.iter().map(row).collect();
    let columns = ["what", "try", "amount", "outcome", "transaction", "reference", "sent", "settled"];
    section_if_any("Transactions of money", &render_table("Transactions of money", &columns, &rows), rows.len())
}

fn payments_and_messages(
    shared: &Shared,
    row: &LoanRow,
    time: &LocalTime,
    currency: &str,
) -> Result<Markup, StoreError> {
    let payments = shared.pages.book.list_payments(Some(row.id))?;
    let paid = payments.iter().map(|payment| {
        html! {
            td { code { (payment.payment_ref) } }
            td .number { (format_money(payment.amount_minor, currency)) }
            td { (payment.status.word()) }
            td { (time.show(payment.received_at)) }
            td .text { (payment.reason.as_deref().unwrap_or_default()) }
        }
    });
    let messages = shared.pages.book.list_messages(row.id)?;
    let sent = messages.iter().map(|message| {
        html! {
            td { (message.message.replace('_', " ")) }
            td { (message.standing) }
            td { (time.show(message.planned_at)) }
            td .text { (message.reason.as_deref().unwrap_or_default()) }
        }
    });
    let (paid, sent): (Vec<Markup>, Vec<Markup>) = (paid.collect(), sent.collect());
    let columns = ["payment", "amount", "standing", "came", "because"];
    let payments = render_table("Payments notified", &columns, &paid);
    let messages = render_table("Messages", &["message", "standing", "planned", "because"], &sent);
    Ok(html! {
        (section_if_any("Payments notified", &payments, paid.len()))
        (section_if_any("Messages", &messages, sent.len()))
    })
}

fn render_loan_story(shared: &Shared, row: &LoanRow, time: &LocalTime, currency: &str) -> Result<Markup, StoreError> {
    let story = shared.pages.book.list_audit(row.id)?;
    let rows = story.iter().map(|entry| {
        html! {
            td { (time.show(entry.at)) }
            td { (entry.actor) }
            td .text { (event_in_words(&entry.event, &entry.detail, currency)) }
        }
    });
    let rows: Vec<Markup> = rows.collect();
    Ok(section_if_any("Story", &render_table("Story", &["when", "who", "what"], &rows), rows.len()))
}
