//! Prints the demo: a few aligned lines per person. Knows nothing of how decisions are made.

use polars::prelude::DataFrame;

use super::{Journey, WANTED};
use crate::base::date::Day;
use crate::base::money::{Currency, Money};
use crate::engine::decision::{Decision, OfferRecord, Outcome};
use crate::provider::client::Prepared;
use crate::provider::sandbox::{Received, Sandbox};
use crate::report::name_with_title;
use crate::rules::Policy;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The lines at the top.
pub(super) fn demo_opening_lines(policy: &Policy, sandbox: &Sandbox) -> String {
    let header = policy.header();
    format!(
        "lendwright: bank statements in, loan offers out\n\nprovider  simulated, at {}\npolicy    {} {}, {}\n",
        sandbox.base_url(),
        header.name,
        header.version,
        policy.file(),
    )
}

/// The lines of one person.
pub(super) fn demo_person_lines(policy: &Policy, journey: &Journey, received: &[Received]) -> String {
    let currency = policy.header().currency;
    let Journey { person, reference, statements, decision, sent } = journey;
    let mut lines = vec![
        format!("{}, {}", person.name, person.story.about()),
        format_demo_field("asks for", &format!("{}   offer request {reference}", format_demo_amount(WANTED, currency))),
        format_demo_field("statement", &summarize_demo_records(statements.frame(), currency)),
        format_demo_field("decision", &describe_decision(decision)),
    ];
    lines.extend(decision.reasons.iter().map(|reason| {
        let name = name_with_title(&reason.id, reason.title.as_deref());
        format_demo_field("", &format!("{name} {}", reason.text))
    }));
    lines.extend(format_offer_lines(policy, decision));
    let outcome = match (sent, received.iter().rev().find(|received| received.answer.segment == *reference)) {
        (Some(sent), Some(received)) => {
            let count = match received.answer.offers.len() {
                0 => "no offer".to_owned(),
                1 => "1 offer".to_owned(),
                count => format!("{count} offers"),
            };
            format!("provider received code {} and {count}; answered {}", received.answer.code, sent.acknowledged)
        }
        (Some(sent), None) => format!("provider answered {}", sent.acknowledged),
        (None, _) => "nothing yet: a person looks at it first".to_owned(),
    };
    lines.push(format_demo_field("sent", &outcome));
    lines.join("\n") + "\n"
}

/// The first request with offers, and what to try next.
pub(super) fn demo_closing_lines(request: Option<&Prepared>) -> String {
    let mut text = String::new();
    if let Some(request) = request {
        // One offer per line here; on the wire it is a single line.
        let shown = request.to_string().replace('?', "\n  ?").replace("&offerId=", "\n  &offerId=");
        text.push_str(&format!(
            "The first of these requests, exactly (one line on the wire):\n  {}\n\n",
            shown.replace("\nauth", "\n  auth").replace("\naccept", "\n  accept")
        ));
    }
    text.push_str(
        "Your turn (in a clone, `cargo run --` stands for `lendwright`):\n  \
         lendwright generate --out statements                              statements to try things on\n  \
         lendwright decide --policy rules/starter.toml --as-of 2026-10-31 statements/*.json   \
         one decision per statement\n  \
         lendwright explain --policy rules/starter.toml STATEMENT          why",
    );
    text
}

fn format_demo_field(name: &str, text: &str) -> String {
    format!("  {name:<10}{text}")
}

fn describe_decision(decision: &Decision) -> String {
    let outcome = match decision.outcome {
        Outcome::Offer => "OFFER",
        Outcome::Decline => "DECLINE",
        Outcome::Refer => "REFER to a person",
    };
    let mut text = outcome.to_owned();
    if let Some(score) = decision.score {
        text.push_str(&format!(", score {score}"));
    }
    for (name, value) in &decision.grade {
        if let Some(value) = value.as_str() {
            text.push_str(&format!(", {name} {value}"));
        }
    }
    text
}

/// One line per offer, with the amounts aligned.
fn format_offer_lines(policy: &Policy, decision: &Decision) -> Vec<String> {
    let header = policy.header();
    let texts = |offer: &OfferRecord| {
        let currency = Currency::from_numeric(&offer.currency).unwrap_or(header.currency);
        [offer.amount_offered, offer.fee, offer.amount_payable].map(|minor| format_demo_amount(minor, currency))
    };
    let rows: Vec<_> = decision.offers.iter().map(|offer| (offer, texts(offer))).collect();
    let widths = [0, 1, 2]
        .map(|column| rows.iter().filter_map(|(_, texts)| texts.get(column).map(String::len)).max().unwrap_or(0));
    let line = |(index, (offer, texts)): (usize, &(&OfferRecord, [String; 3]))| {
        let ([lent, fee, payable], [lent_width, fee_width, payable_width]) = (texts, widths);
        let (tenure, unit, interest) = (offer.tenure, &header.tenure_unit, offer.interest);
        let apr = offer.apr.map_or(String::new(), |apr| format!(", APR {apr:.2} %"));
        let text = format!(
            "{lent:>lent_width$} for {tenure} {unit}, interest {interest} %, fee {fee:>fee_width$}, \
             to pay back {payable:>payable_width$}{apr}"
        );
        format_demo_field(if index == 0 { "offers" } else { "" }, &text)
    };
    rows.iter().enumerate().map(line).collect()
}

fn format_demo_amount(minor: i64, currency: Currency) -> String {
    format!("{} {}", currency.alphabetic(), Money::from_minor(minor).display(&currency))
}

/// Records, months and average income, in one line.
fn summarize_demo_records(frame: &DataFrame, currency: Currency) -> String {
    let records = frame.height();
    let Some((first, last)) = first_and_last_date(frame) else { return format!("{records} records") };
    let months = last.month_index() - first.month_index() + 1;
    let credits = frame
        .column("credit")
        .ok()
        .and_then(|column| column.sum_reduce().ok()?.value().try_extract::<i64>().ok())
        .unwrap_or(0);
    let month = |day: Day| {
        let (year, month, _) = day.ymd();
        format!("{} {year}", MONTHS.get(month as usize - 1).unwrap_or(&""))
    };
    let when = if months == 1 { month(first) } else { format!("{} to {}", month(first), month(last)) };
    format!(
        "{records} records, {when}, {} coming in per month",
        format_demo_amount(credits / i64::from(months), currency)
    )
}

fn first_and_last_date(frame: &DataFrame) -> Option<(Day, Day)> {
    let days = frame.column("trans_date").ok()?.cast(&polars::prelude::DataType::Int32).ok()?;
    let days = days.i32().ok()?;
    Some((Day::from_days(days.get(0)?), Day::from_days(days.last()?)))
}
