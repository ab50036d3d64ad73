//! Prints a loan's whole life: what was asked, each step as the audit has it, and both sides' accounts at the end.
//! Knows nothing of how it came about.

use serde_json::Value as Json;

use super::WANTED;
use super::whole::{Whole, demo_part_missing};
use crate::base::money::{Currency, Money};
use crate::cli::output::Failure;
use crate::lender::loan_book::{AuditRow, Verified};

/// The whole screen.
pub(super) fn format_whole_loan(whole: &Whole) -> Result<String, Failure> {
    let currency = Currency::from_numeric(&whole.accepted.currency)
        .ok_or_else(|| demo_part_missing("the offer has no known currency"))?;
    let amount = |minor: i64| format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(&currency));
    let mut text = format!(
        "One loan, from the offer request to the last payment. The provider loses the answer of the payout.\n\n\
         provider  simulated, at {}\nlender    `lendwright serve`, at {}\ncustomer  {}, {}, asks for {}\n\noffers\n",
        whole.provider,
        whole.lender,
        whole.person.name,
        whole.person.story.about(),
        amount(WANTED),
    );
    for offer in &whole.offers {
        let mark = if offer.offer_id == whole.accepted.offer_id { "accepted" } else { "" };
        let line = format!(
            "  {:>14}  to be paid back {:>14}  in {:>3} days  {mark}",
            amount(offer.amount_offered),
            amount(offer.amount_payable),
            offer.tenure,
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str(&format!("\nloan {}\n", whole.loan_id));
    let story = whole.book.list_audit(whole.row.id).map_err(Failure::message)?;
    for row in &story {
        let detail: Json = serde_json::from_str(&row.detail).map_err(Failure::message)?;
        let state = detail["to"].as_str().unwrap_or_default().replace('_', " ");
        let moment = row.at.to_string().replace('T', " ");
        let moment = moment.get(..16).unwrap_or(&moment);
        text.push_str(&format!("  {moment}  {state:<18}  {}\n", describe_audited_step(row, &detail, &amount)));
    }
    let ledger = &whole.ledger;
    let verified = match whole.book.verify_audit().map_err(Failure::message)? {
        Verified::Whole { rows, .. } => format!("{rows} entries, the chain of hashes is whole"),
        Verified::Broken { seq, how } => format!("entry {seq} {how}"),
    };
    text.push_str(&format!(
        "\nprovider's account  {} paid out once, {} collected, {} left\nmessages            {} to the customer\n\
         audit               {verified}\n",
        amount(ledger.amount_offered),
        amount(ledger.collected()),
        amount(ledger.remaining),
        whole.messages,
    ));
    text.push_str("\nRun it yourself: docs/guides/service.md. Every state and event: docs/reference/loan-life.md.");
    Ok(text)
}

/// What a step was, in words.
fn describe_audited_step(row: &AuditRow, detail: &Json, amount: &dyn Fn(i64) -> String) -> String {
    let order = |name: &str| {
        let order = &detail[name];
        let minor = order["amount_minor"].as_i64().unwrap_or_default();
        format!("{}, {}", order["order"].as_str().unwrap_or_default(), amount(minor))
    };
    let is_ours = detail["standing"] == "echo";
    match row.event.as_str() {
        "requested" => "Get Offers: the provider asks".to_owned(),
        "decided_offer" => "the statement is pulled (E2) and decided on; the reply has the offers".to_owned(),
        "accepted" => "Accept Offers: the customer accepts".to_owned(),
        "account_verified" => format!("the account is verified (E5); planned: {}", order("planned")),
        "sending" => format!("stored as sent, then sent: {}", order("sent")),
        "unknown" => "no answer came: nothing is sent again, the provider is asked (E9)".to_owned(),
        "moved" => format!("it was carried out: {}", order("moved")),
        "due" => format!("the clock is moved to the due date; planned: {}", order("planned")),
        "payment" if is_ours => "Payment Notification (E11) of our own debit: not posted again".to_owned(),
        "payment" => "Payment Notification (E11)".to_owned(),
        other => other.replace('_', " "),
    }
}
