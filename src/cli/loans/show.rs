//! `loans show`: everything about one loan. Knows nothing of how it came about.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value as Json, json};

use super::case::{self, OpenedRecord};
use super::list::as_json;
use super::review::PersonArgs;
use super::{BookArgs, Desk, LoanFormat};
use crate::cli::output::{self, Failure};
use crate::lender::loan::OrderKind;
use crate::lender::loan_book::{APPROVED, DECLINED, DecisionRow, LoanRow, OfferRow, OrderRow};
use crate::lender::operations::{
    LocalTime, are_offers_conditional, describe_reason, event_in_words, format_age, format_money, format_state,
    list_allowed, load_personal, record_showing,
};
use crate::lender::runner::Private;
use crate::report::aligned::{format_aligned_table, format_fact_lines, one_line};

/// The command line of `loans show`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "\
Examples:
  lendwright service loans show L-1 --config lender.toml
      the loan's terms, payments, transactions of money, messages and story
  lendwright service loans show OR-17 --personal --by \"Ada Obi\" \\
      --config lender.toml
      with the account, the telephone number, the request, and the record of the decision:
      reasons, score, the offers that would be made, the explanation, the statement
  lendwright service loans show 7 --format json --config lender.toml

Showing personal data is an entry in the audit, under the name of the person.")]
pub(super) struct ShowArgs {
    /// The loan: its id, the reference of its offer request or of its acceptance, or its number in the book
    #[arg(value_name = "ID")]
    pub(super) id: String,
    /// Show personal data, too
    #[arg(long)]
    pub(super) personal: bool,
    /// Who looks, with --personal; by default the name of the system's user
    #[arg(long, value_name = "NAME", requires = "personal")]
    pub(super) by: Option<String>,
    /// Why, with --personal
    #[arg(long, value_name = "TEXT", requires = "personal")]
    pub(super) note: Option<String>,
    /// Show every record of the statement, and not only the latest behind a reason
    #[arg(long, requires = "personal")]
    pub(super) all_records: bool,
    /// The format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: LoanFormat,
    #[command(flatten)]
    pub(super) book: BookArgs,
}

pub(super) fn run(args: &ShowArgs) -> Result<ExitCode, Failure> {
    output::write_stdout_bytes(format_loan_details(args, &Desk::open(&args.book)?)?.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn format_loan_details(args: &ShowArgs, desk: &Desk) -> Result<String, Failure> {
    let row = desk.find(&args.id)?;
    let personal = match args.personal {
        true => Some(open_personal(args, desk, &row)?),
        false => None,
    };
    match args.format {
        LoanFormat::Text => loan_details_as_text(args, desk, &row, personal.as_ref()),
        LoanFormat::Json => Ok(format!("{}\n", loan_details_as_json(desk, &row, personal.as_ref())?)),
    }
}

/// The personal data of a loan, opened.
struct Personal {
    private: Option<Private>,
    opened: OpenedRecord,
}

/// Opens the personal data of a loan. The audit says so before anything is shown.
fn open_personal(args: &ShowArgs, desk: &Desk, row: &LoanRow) -> Result<Personal, Failure> {
    let note = args.note.clone().unwrap_or_else(|| "to look at it".to_owned());
    let person = PersonArgs { note, by: args.by.clone() }.person()?;
    let private = load_personal(&desk.book, row, &*desk.vault).map_err(Failure::message)?;
    let opened = case::open_record(desk, row)?;
    record_showing(&desk.book, row, &person, desk.now).map_err(Failure::message)?;
    Ok(Personal { private, opened })
}

fn loan_details_as_text(
    args: &ShowArgs,
    desk: &Desk,
    row: &LoanRow,
    personal: Option<&Personal>,
) -> Result<String, Failure> {
    let currency = row.loan.terms.as_ref().map(|terms| terms.currency.clone()).unwrap_or_default();
    let mut text = format_fact_lines(&facts_about_loan(desk, row, personal)?);
    let mut section = |title: &str, titles: &[&str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            text.push_str(&format!("\n{title}\n{}", format_aligned_table(titles, &rows)));
        }
    };
    let offers = desk.book.list_offers(row.id).map_err(Failure::message)?;
    let rows = offers.iter().map(|made| {
        let (offer, show) = (&made.offer, |minor| format_money(minor, &made.offer.currency));
        vec![
            offer.offer_id.clone(),
            show(offer.amount_offered),
            show(offer.amount_payable),
            desk.time.show(made.expires_at),
        ]
    });
    let decisions = desk.book.list_decisions(row.id).map_err(Failure::message)?;
    let title = if are_offers_conditional(&decisions) { "Offers, if approved" } else { "Offers" };
    section(title, &["offer", ">amount", ">payable", "valid until"], rows.collect());
    let rows = row.loan.instalments.iter().map(|one| {
        let show = |minor| format_money(minor, &currency);
        let amounts = [one.amount_minor, one.paid_minor, one.owed_minor()].map(show);
        let [amount, paid, owed] = amounts;
        vec![one.number.to_string(), one.due.to_string(), amount, paid, owed, one.attempts.to_string()]
    });
    section("Payments due", &[">number", "due", ">amount", ">paid", ">owed", ">tries"], rows.collect());
    let orders = desk.book.list_orders(row.id).map_err(Failure::message)?;
    let rows = orders.iter().map(|order| cells_of_order(order, &desk.time, &currency));
    let titles = ["what", ">try", ">amount", "outcome", "sent", "transaction", "reference"];
    section("Transactions of money", &titles, rows.collect());
    let payments = desk.book.list_payments(Some(row.id)).map_err(Failure::message)?;
    let rows = payments.iter().map(|payment| {
        vec![
            one_line(&payment.payment_ref),
            format_money(payment.amount_minor, &currency),
            payment.status.word().to_owned(),
            desk.time.show(payment.received_at),
            payment.reason.clone().unwrap_or_default(),
        ]
    });
    section("Payments notified", &["payment", ">amount", "standing", "came", "because"], rows.collect());
    let messages = desk.book.list_messages(row.id).map_err(Failure::message)?;
    let rows = messages.iter().map(|message| {
        let reason = message.reason.clone().unwrap_or_default();
        vec![message.message.replace('_', " "), message.standing.clone(), desk.time.show(message.planned_at), reason]
    });
    section("Messages", &["message", "standing", "planned", "because"], rows.collect());
    let story = desk.book.list_audit(row.id).map_err(Failure::message)?;
    let rows = story.iter().map(|entry| {
        let what = one_line(&event_in_words(&entry.event, &entry.detail, &currency));
        vec![desk.time.show(entry.at), one_line(&entry.actor), what]
    });
    section("Story", &["when", "who", "what"], rows.collect());
    if let Some(record) = personal.and_then(|personal| personal.opened.record.as_ref()) {
        let codes = personal.map(|personal| personal.opened.codes.as_slice()).unwrap_or_default();
        text.push_str(&case::format_record(record, codes, args.all_records));
    }
    Ok(text)
}

fn cells_of_order(order: &OrderRow, time: &LocalTime, currency: &str) -> Vec<String> {
    let what = match order.kind {
        OrderKind::Fund => "payout".to_owned(),
        OrderKind::Debit => format!("debit of payment {}", order.instalment),
    };
    vec![
        what,
        order.attempt.to_string(),
        format_money(order.amount_minor, currency),
        order.outcome.word().replace('_', " "),
        order.sent_at.map(|sent| time.show(sent)).unwrap_or_default(),
        order.transaction_id.clone(),
        one_line(order.transaction_ref.as_deref().unwrap_or_default()),
    ]
}

fn facts_about_loan<'a>(
    desk: &Desk,
    row: &LoanRow,
    personal: Option<&Personal>,
) -> Result<Vec<(&'a str, String)>, Failure> {
    let loan = &row.loan;
    let has_offers = !desk.book.list_offers(row.id).map_err(Failure::message)?.is_empty();
    let acts = list_allowed(row, has_offers, desk.at_now());
    let mut all = vec![
        ("loan", row.id.to_string()),
        ("state", format!("{} for {}", format_state(loan.state), format_age(loan.since, desk.now))),
    ];
    let mut put = |name: &'a str, value: Option<String>| all.extend(value.map(|value| (name, one_line(&value))));
    put("because", Some(describe_reason(row).to_owned()).filter(|why| !why.is_empty()));
    put("possible", (!acts.is_empty()).then(|| acts.iter().map(|act| act.word()).collect::<Vec<_>>().join(", ")));
    put("id", row.loan_id.clone());
    put("request", Some(row.reference.clone()));
    put("acceptance", row.loan_reference_id.clone());
    put("customer", Some(row.customer_id.clone()));
    put("asked for", Some(desk.time.show(row.created_at)));
    put("next", loan.wake.map(|wake| desk.time.show(wake)));
    if let Some(terms) = &loan.terms {
        let show = |minor| Some(format_money(minor, &terms.currency));
        put("offer", row.offer_id.clone());
        put("paid out", show(terms.paid_out_minor));
        put("payable", show(terms.payable_minor()));
        put("owed", loan.is_funded().then(|| show(loan.owed_minor())).flatten());
        put("overpaid", (loan.overpaid_minor > 0).then(|| show(loan.overpaid_minor)).flatten());
    }
    let decisions = desk.book.list_decisions(row.id).map_err(Failure::message)?;
    for decision in last_decision_and_override(&decisions) {
        let [name, version, _] = &decision.policy;
        let at = desk.time.show(decision.at);
        match decision.outcome.as_str() {
            APPROVED | DECLINED => put("override", Some(format!("{} by a person, {at}", decision.outcome))),
            outcome => put("decision", Some(format!("{outcome} by {name} {version}, {at}"))),
        }
    }
    if let Some(private) = personal.and_then(|personal| personal.private.as_ref()) {
        put("account", Some(format!("{} at {}", private.account_number, private.bank_code)));
        put("telephone", private.msisdn.clone());
    }
    put("requested", personal.map(|_| row.request.to_string()));
    Ok(all)
}

/// The policy's last decision, and what a person made of it.
fn last_decision_and_override(decisions: &[DecisionRow]) -> impl Iterator<Item = &DecisionRow> {
    let is_override = |decision: &&DecisionRow| matches!(decision.outcome.as_str(), APPROVED | DECLINED);
    let policy = decisions.iter().rev().find(|decision| !is_override(decision));
    policy.into_iter().chain(decisions.last().filter(is_override))
}

fn loan_details_as_json(desk: &Desk, row: &LoanRow, personal: Option<&Personal>) -> Result<Json, Failure> {
    let mut object = as_json(row);
    let is_conditional = are_offers_conditional(&desk.book.list_decisions(row.id).map_err(Failure::message)?);
    let offers = desk.book.list_offers(row.id).map_err(Failure::message)?;
    let offer = |made: &OfferRow| json!({ "offer": made.offer, "terms": made.terms, "expires_at": made.expires_at });
    object["offers"] = offers.iter().map(offer).collect();
    object["offers_are_conditional"] = is_conditional.into();
    object["terms"] = json!(row.loan.terms);
    object["instalments"] = json!(row.loan.instalments);
    object["orders"] = desk
        .book
        .list_orders(row.id)
        .map_err(Failure::message)?
        .iter()
        .map(|order| {
            json!({
                "kind": order.kind, "instalment": order.instalment, "attempt": order.attempt,
                "transaction_id": order.transaction_id, "amount_minor": order.amount_minor, "outcome": order.outcome,
                "transaction_ref": order.transaction_ref, "planned_at": order.planned_at, "sent_at": order.sent_at,
                "settled_at": order.settled_at,
            })
        })
        .collect();
    object["payments"] = desk
        .book
        .list_payments(Some(row.id))
        .map_err(Failure::message)?
        .iter()
        .map(|payment| {
            json!({
                "payment_ref": payment.payment_ref, "amount_minor": payment.amount_minor,
                "standing": payment.status.word(), "reason": payment.reason, "received_at": payment.received_at,
            })
        })
        .collect();
    object["messages"] = desk
        .book
        .list_messages(row.id)
        .map_err(Failure::message)?
        .iter()
        .map(|message| {
            json!({
                "message": message.message, "standing": message.standing, "reason": message.reason,
                "tries": message.tries, "planned_at": message.planned_at, "settled_at": message.settled_at,
            })
        })
        .collect();
    object["story"] = desk
        .book
        .list_audit(row.id)
        .map_err(Failure::message)?
        .iter()
        .map(|entry| {
            let detail: Json = serde_json::from_str(&entry.detail).unwrap_or_default();
            json!({ "seq": entry.seq, "at": entry.at, "actor": entry.actor, "event": entry.event, "detail": detail })
        })
        .collect();
    if let Some(personal) = personal {
        object["request"] = row.request.clone();
        object["personal"] = json!(personal.private);
        object["record"] = personal.opened.record.as_ref().map_or(Json::Null, case::record_as_json);
    }
    Ok(object)
}
