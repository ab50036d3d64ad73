//! The record of a decision, opened, as `loans show --personal` prints it: reasons, score, numbers, the offers that
//! would be made, the explanation, and the statement. Texts of others cannot steer the terminal.

use serde_json::{Value as Json, json};

use super::Desk;
use crate::cli::output::Failure;
use crate::engine::decision::approval::{ConditionalOffer, IfApproved};
use crate::engine::decision::{Decision, Record};
use crate::lender::loan_book::LoanRow;
use crate::lender::operations::{DeclineCode, format_money};
use crate::lender::runner::{CaseFacts, DecisionRecord};
use crate::report::aligned::{format_aligned_table, format_fact_lines, one_line};
use crate::report::{Listing, render_explanation_text};

/// How many records are listed behind each number, and in the short list.
const RECORDS_LISTED: usize = 30;

/// The sections of a record.
pub(super) fn format_record(record: &DecisionRecord, codes: &[DeclineCode], all_records: bool) -> String {
    let mut text = format_decision(&record.decision);
    match &record.case {
        Some(case) => {
            text.push_str(&format_offers_if_approved(&case.facts.if_approved));
            text.push_str(&format_codes(codes));
            let listing = Listing::Problems(if all_records { usize::MAX } else { RECORDS_LISTED });
            let explained = render_explanation_text(&case.facts.explanation, listing);
            text.push_str(&format!("\nExplanation\n{explained}\n"));
            text.push_str(&format_statement(&case.facts, all_records));
        }
        None => text.push_str(&format_metrics(&record.decision)),
    }
    text
}

fn format_decision(decision: &Decision) -> String {
    let policy = format!("{} {}", decision.policy.name, decision.policy.version);
    let mut facts = vec![
        ("outcome", decision.outcome.word().to_owned()),
        ("policy", one_line(&policy)),
        ("digest", decision.policy.digest.to_string()),
        ("as of", decision.as_of.map(|day| day.to_string()).unwrap_or_default()),
    ];
    facts.extend(decision.score.map(|score| ("score", score.to_string())));
    facts.push(("records", decision.quality.records.to_string()));
    let warnings = decision.quality.warnings.iter().map(|warning| ("warning", one_line(warning)));
    facts.extend(warnings);
    let mut text = format!("\nDecision, as recorded\n{}", format_fact_lines(&facts));
    let reasons: Vec<Vec<String>> = decision
        .reasons
        .iter()
        .map(|reason| vec![one_line(&reason.id), format!("{:?}", reason.effect).to_lowercase(), one_line(&reason.text)])
        .collect();
    text.push_str(&format_section("Reasons", &["code", "effect", "why"], &reasons));
    let lost = decision.points_lost.iter();
    let lost = lost.map(|lost| vec![one_line(&lost.id), lost.lost.to_string(), one_line(&lost.text)]);
    text + &format_section("Points lost", &["code", ">points", "why"], &lost.collect::<Vec<_>>())
}

fn format_section(title: &str, titles: &[&str], rows: &[Vec<String>]) -> String {
    match rows.is_empty() {
        true => String::new(),
        false => format!("\n{title}\n{}", format_aligned_table(titles, rows)),
    }
}

fn format_offers_if_approved(if_approved: &IfApproved) -> String {
    if let Some(why) = &if_approved.why_none {
        return format!("\nOffers, if approved\nnone: {}\n", one_line(why));
    }
    let row = |offer: &ConditionalOffer| {
        let (made, show) = (&offer.offer, |minor| format_money(minor, &offer.offer.currency));
        vec![
            one_line(&made.rule),
            made.tenure.to_string(),
            show(offer.least_minor),
            show(made.amount_offered),
            format!("{} %", made.interest),
            show(made.fee),
            show(made.amount_payable),
            made.apr.map(|apr| format!("{apr:.2} %")).unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = if_approved.offers.iter().map(row).collect();
    let titles = ["offer", ">tenure", ">from", ">up to", ">interest", ">fee", ">payable", ">apr"];
    format_section("Offers, if approved", &titles, &rows)
}

fn format_codes(codes: &[DeclineCode]) -> String {
    let row = |code: &DeclineCode| vec![one_line(&code.code), one_line(code.title.as_deref().unwrap_or_default())];
    format_section("Codes to decline with", &["code", "title"], &codes.iter().map(row).collect::<Vec<_>>())
}

/// The numbers of a decision that has no explanation.
fn format_metrics(decision: &Decision) -> String {
    let row = |(name, value): (&String, &Json)| {
        let shown = match decision.unknown.get(name) {
            Some(why) => format!("unknown ({why})"),
            None => value.as_str().map_or_else(|| value.to_string(), str::to_owned),
        };
        vec![one_line(name), one_line(&shown)]
    };
    let rows: Vec<Vec<String>> = decision.metrics.iter().map(row).collect();
    format_section("Numbers, money in minor units", &["name", ">value"], &rows)
}

/// The latest records behind the reasons, or every record that counts.
fn format_statement(facts: &CaseFacts, all_records: bool) -> String {
    let flagged = facts.list_flagged_rows();
    let is_shown = |record: &&Record| all_records || flagged.contains(&record.row);
    let mut shown: Vec<&Record> = facts.records.iter().filter(is_shown).collect();
    let count = facts.records.len();
    if !all_records {
        shown.drain(..shown.len().saturating_sub(RECORDS_LISTED));
    }
    let currency = facts.explanation.currency.numeric().to_string();
    let money = |minor: Option<i64>| minor.map(|minor| format_money(minor, &currency)).unwrap_or_default();
    let row = |record: &&Record| {
        vec![
            if flagged.contains(&record.row) { "*".to_owned() } else { String::new() },
            record.row.to_string(),
            record.day.map(|day| day.to_string()).unwrap_or_default(),
            money(record.credit),
            money(record.debit),
            money(record.balance),
            one_line(record.narration.as_deref().unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<String>> = shown.iter().map(row).collect();
    let title = match all_records {
        true => format!("Statement, all {count} records; * is behind a reason"),
        false => {
            let behind = flagged.len();
            format!("Statement, {} of {behind} records behind a reason; --all-records shows all {count}", rows.len())
        }
    };
    let titles = ["", ">record", "day", ">in", ">out", ">balance", "narration"];
    match rows.is_empty() {
        true => format!("\n{title}\n"),
        false => format_section(&title, &titles, &rows),
    }
}

/// The record for programs.
pub(super) fn record_as_json(record: &DecisionRecord) -> Json {
    match &record.case {
        None => json!({ "decision": record.decision }),
        Some(case) => json!({
            "decision": record.decision, "if_approved": case.facts.if_approved,
            "explanation": case.facts.explanation, "records": case.facts.records,
        }),
    }
}

/// The record of a loan, and the codes with which it may be declined.
pub(super) struct OpenedRecord {
    pub(super) record: Option<DecisionRecord>,
    pub(super) codes: Vec<DeclineCode>,
}

/// Opens the record of a loan.
pub(super) fn open_record(desk: &Desk, row: &LoanRow) -> Result<OpenedRecord, Failure> {
    let record = desk.referrals.open_record(&desk.book, row).map_err(Failure::message)?;
    let codes = desk.referrals.list_decline_codes(record.as_ref());
    Ok(OpenedRecord { record, codes })
}
