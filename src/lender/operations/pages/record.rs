//! The page of an opened record: why the policy decided so, what would be offered, the numbers, and the statement. It
//! is personal, so a person opens it with their name, and the audit says so first. Knows nothing of what a decision
//! does.

use axum::response::Response;
use maud::{Markup, html};

use super::Shared;
use super::frame::{render_page, render_table};
use super::loan::{loan_heading, possible_acts, ruling_form, section_if_any};
use crate::base::text::escape_terminal;
use crate::engine::decision::approval::{ConditionalOffer, IfApproved};
use crate::engine::decision::{Decision, Explanation, Record, RequirementExplained, ScoreExplained, State};
use crate::lender::loan_book::{BookError, LoanRow, Person};
use crate::lender::operations::act::ActError;
use crate::lender::operations::in_words::format_money;
use crate::lender::operations::referral::record_showing;
use crate::lender::runner::{CaseFacts, DecisionRecord};

/// The most records of a table.
const RECORDS_SHOWN: usize = 50;
/// The most records of the whole statement.
const RECORDS_MAX: usize = 2_000;

/// Opens the record of a loan for a person, and shows it.
pub(super) fn render_record(shared: &Shared, row: &LoanRow, person: &Person) -> Result<Response, ActError> {
    let (book, desk) = (&shared.pages.book, &shared.pages.desk);
    let record = desk.open_record(book, row)?;
    record_showing(book, row, person, shared.now())?;
    let codes = desk.list_decline_codes(record.as_ref());
    let acts = possible_acts(shared, row).map_err(BookError::from)?;
    let content = html! {
        (loan_heading(row, &format!("Record of loan {}", row.id)))
        p .quiet { "Opened by " (person.name) ". The audit says so." }
        @match &record {
            None => p { "No record is kept of a decision on this loan." },
            Some(record) => (record_content(record)),
        }
        (ruling_form(shared, row, &acts, &codes))
    };
    Ok(render_page(&format!("Record of loan {}", row.id), &content))
}

fn record_content(record: &DecisionRecord) -> Markup {
    html! {
        (decision_facts(&record.decision))
        @match &record.case {
            None => (metrics_table(&record.decision)),
            Some(case) => (case_content(&case.facts)),
        }
    }
}

fn decision_facts(decision: &Decision) -> Markup {
    let reasons: Vec<Markup> = decision
        .reasons
        .iter()
        .map(|reason| {
            html! {
                td { code { (reason.id) } }
                td { (format!("{:?}", reason.effect).to_lowercase()) }
                td .text { (escape_terminal(&reason.text)) }
            }
        })
        .collect();
    let lost = decision.points_lost.iter();
    let lost: Vec<Markup> = lost
        .map(|lost| {
            html! {
                td { code { (lost.id) } }
                td .number { (lost.lost) }
                td .text { (escape_terminal(&lost.text)) }
            }
        })
        .collect();
    html! {
        dl {
            dt { "Outcome" } dd { b { (decision.outcome.word()) } }
            dt { "Policy" } dd { (decision.policy.name) " " (decision.policy.version) }
            @if let Some(day) = decision.as_of { dt { "As of" } dd { (day) } }
            @if let Some(score) = decision.score { dt { "Score" } dd { (score) } }
            dt { "Records" } dd { (decision.quality.records) }
            @for warning in &decision.quality.warnings { dt { "Warning" } dd { (escape_terminal(warning)) } }
        }
        (section_if_any("Reasons", &render_table("Reasons", &["code", "effect", "why"], &reasons), reasons.len()))
        (section_if_any("Points lost", &render_table("Points lost", &["code", "points", "why"], &lost), lost.len()))
    }
}

fn case_content(facts: &CaseFacts) -> Markup {
    let explanation = &facts.explanation;
    html! {
        (offers_if_approved(&facts.if_approved))
        (requirements_table(facts))
        @if let Some(score) = &explanation.score { (score_table(score)) }
        (numbers_table(explanation))
        (statement_tables(facts))
    }
}

fn offers_if_approved(if_approved: &IfApproved) -> Markup {
    let row = |offer: &ConditionalOffer| {
        let (made, show) = (&offer.offer, |minor| format_money(minor, &offer.offer.currency));
        html! {
            td { code { (made.rule) } }
            td .number { (made.tenure) }
            td .number { (show(offer.least_minor)) }
            td .number { (show(made.amount_offered)) }
            td .number { (made.interest) " %" }
            td .number { (show(made.fee)) }
            td .number { (show(made.amount_payable)) }
            td .number { @if let Some(apr) = made.apr { (format!("{apr:.2} %")) } }
        }
    };
    let rows: Vec<Markup> = if_approved.offers.iter().map(row).collect();
    let columns = ["offer", "tenure", "from", "up to", "interest", "fee", "payable", "apr"];
    html! {
        h2 { "Offers, if approved" }
        @if let Some(why) = &if_approved.why_none { p { "None: " (escape_terminal(why)) } }
        (render_table("Offers, if approved", &columns, &rows))
    }
}

fn requirements_table(facts: &CaseFacts) -> Markup {
    let row = |one: &RequirementExplained| {
        let is_bad = facts.is_reason(one);
        let word = match one.state {
            State::Met => "met",
            State::NotMet => "not met",
            State::Unknown => "unknown",
            State::NotAsked => "left out",
        };
        html! {
            td { code { (one.id) } }
            td .bad[is_bad] { (word) }
            td .text { (escape_terminal(one.reason.as_deref().or(one.title.as_deref()).unwrap_or_default())) }
            td .text { code { (one.asks) } }
        }
    };
    let rows: Vec<Markup> = facts.explanation.requirements.iter().map(row).collect();
    let table = render_table("Requirements", &["code", "state", "why", "asks"], &rows);
    section_if_any("Requirements", &table, rows.len())
}

fn score_table(score: &ScoreExplained) -> Markup {
    let rows: Vec<Markup> = score
        .items
        .iter()
        .map(|item| {
            html! {
                td .text { code { (item.on) } }
                td .number { (escape_terminal(&item.figure.text)) }
                td .number { (item.points.text) }
                td .number { (item.best) }
                td .text { (escape_terminal(item.reason.as_deref().unwrap_or_default())) }
            }
        })
        .collect();
    html! {
        h2 { "Score " (score.figure.text) }
        p .quiet { "Base " (score.base) "." }
        (render_table("Score", &["item", "value", "points", "best", "why lost"], &rows))
    }
}

fn numbers_table(explanation: &Explanation) -> Markup {
    let rows: Vec<Markup> = explanation
        .numbers
        .iter()
        .map(|number| {
            html! {
                td { code { (number.name) } }
                td .number { (escape_terminal(&number.figure.text)) }
                td .text { code { (number.formula) } }
            }
        })
        .collect();
    let table = render_table("Numbers", &["name", "value", "as written"], &rows);
    html! {
        @if !rows.is_empty() {
            details { summary { "Numbers that the rules used: " (rows.len()) } (table) }
        }
    }
}

/// The numbers of a decision that has no explanation.
fn metrics_table(decision: &Decision) -> Markup {
    let row = |(name, value): (&String, &serde_json::Value)| {
        let shown = match decision.unknown.get(name) {
            Some(why) => format!("unknown ({why})"),
            None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        };
        html! { td { code { (name) } } td .number { (escape_terminal(&shown)) } }
    };
    let rows: Vec<Markup> = decision.metrics.iter().map(row).collect();
    let table = render_table("Numbers", &["name", "value, money in minor units"], &rows);
    section_if_any("Numbers", &table, rows.len())
}

/// The latest records behind a reason, and the whole statement behind a click.
fn statement_tables(facts: &CaseFacts) -> Markup {
    let flagged = facts.list_flagged_rows();
    let currency = facts.explanation.currency.numeric().to_string();
    let money = |minor: Option<i64>| minor.map(|minor| format_money(minor, &currency)).unwrap_or_default();
    let row = |record: &Record| {
        let is_flagged = flagged.contains(&record.row);
        let narration = escape_terminal(record.narration.as_deref().unwrap_or_default());
        html! {
            td .number { (record.row) }
            td { @if let Some(day) = record.day { (day) } }
            td .number { (money(record.credit)) }
            td .number { (money(record.debit)) }
            td .number { (money(record.balance)) }
            td .text { @if is_flagged { b { "* " } } (narration) }
        }
    };
    let behind: Vec<&Record> = facts.records.iter().filter(|record| flagged.contains(&record.row)).collect();
    let latest: Vec<Markup> = behind.iter().rev().take(RECORDS_SHOWN).rev().map(|record| row(record)).collect();
    let from = facts.records.len().saturating_sub(RECORDS_MAX);
    let all: Vec<Markup> = facts.records.iter().skip(from).map(row).collect();
    let columns = ["record", "day", "in", "out", "balance", "narration"];
    html! {
        h2 { "Statement" }
        p .quiet { (latest.len()) " of " (behind.len()) " records behind a reason." }
        (render_table("Records behind a reason", &columns, &latest))
        details {
            summary { "All " (facts.records.len()) " records; * is behind a reason" }
            @if from > 0 {
                p .quiet {
                    "The latest " (RECORDS_MAX) ". All: "
                    code { "lendwright service loans show --personal --all-records" } "."
                }
            }
            (render_table("All records", &columns, &all))
        }
    }
}
