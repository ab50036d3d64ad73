//! Money, moments and events for people. Knows nothing of where they are shown.

use crate::base::date::{Day, Zone};
use crate::base::money::{Currency, Money};
use crate::base::time::{DAY, Timestamp};
use crate::lender::loan::{LoanState, utc_milliseconds};

/// An amount in its currency, in major units.
pub(crate) fn format_money(minor: i64, currency: &str) -> String {
    match Currency::from_numeric(currency) {
        Some(known) => format!("{} {}", known.alphabetic(), Money::from_minor(minor).display(&known)),
        None => format!("{minor} minor units"),
    }
}

/// Moments in the lender's time zone.
#[derive(Clone, Debug)]
pub(crate) struct LocalTime(pub(crate) Zone);

impl LocalTime {
    /// A moment to the second: `2026-06-30 09:15:00`.
    pub(crate) fn show(&self, moment: Timestamp) -> String {
        let (day, second) = self.0.local_day_and_second(moment.milliseconds().div_euclid(1_000));
        format!("{day} {:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
    }

    /// The moment at which a local day begins.
    pub(crate) fn begin(&self, day: Day) -> Timestamp {
        let begin = utc_milliseconds(&self.0, i64::from(day.days()) * DAY);
        Timestamp::from_milliseconds(begin)
            .unwrap_or_else(|| Timestamp::from_milliseconds(0).expect("INVARIANT: 1970 is in the calendar"))
    }

    /// The local day of a moment.
    pub(crate) fn day(&self, moment: Timestamp) -> Day {
        self.0.local_day(moment.milliseconds().div_euclid(1_000))
    }
}

/// How long ago a moment was, in its two largest units.
pub(crate) fn format_age(since: Timestamp, now: Timestamp) -> String {
    let minutes = (now.milliseconds() - since.milliseconds()).max(0) / 60_000;
    match (minutes / 1_440, minutes / 60 % 24, minutes % 60) {
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{days} d {hours} h"),
    }
}

/// A state for people.
pub(crate) fn format_state(state: LoanState) -> String {
    state.word().replace('_', " ")
}

/// Whether the service is doing something for a loan, or waits for the outcome: none stays so for long.
pub(crate) fn is_in_flight(state: LoanState) -> bool {
    use LoanState as S;
    matches!(
        state,
        S::Requested
            | S::Answering
            | S::Verifying
            | S::Funding
            | S::FundingUnknown
            | S::Collecting
            | S::CollectionUnknown
    )
}

/// An audit's row in words: its event, and the facts that matter to people.
pub(crate) fn event_in_words(event: &str, detail: &str, currency: &str) -> String {
    let detail: serde_json::Value = serde_json::from_str(detail).unwrap_or_default();
    let text = |name: &str| detail.get(name).and_then(|value| value.as_str()).map(str::to_owned);
    let mut parts = vec![event.replace('_', " ")];
    if let (Some(from), Some(to)) = (text("from"), text("to"))
        && from != to
    {
        parts.push(format!("{} -> {}", from.replace('_', " "), to.replace('_', " ")));
    }
    for outcome in ["planned", "sent", "moved", "not_moved", "withdrawn"] {
        if let Some(order) = detail.get(outcome) {
            let what = order.get("order").and_then(|value| value.as_str()).unwrap_or_default();
            let amount = order.get("amount_minor").and_then(serde_json::Value::as_i64).unwrap_or_default();
            parts.push(format!("{}: {what}, {}", outcome.replace('_', " "), format_money(amount, currency)));
        }
    }
    if let Some(amount) = detail.get("amount_minor").and_then(serde_json::Value::as_i64) {
        parts.push(format_money(amount, currency));
    }
    if let Some(decision) = detail.get("decision") {
        let part = |name: &str| decision.get(name).and_then(|value| value.as_str()).unwrap_or_default();
        parts.push(format!("{} by {} {}", part("outcome"), part("policy"), part("version")));
    }
    if let Some(overridden) = detail.get("override") {
        parts.extend(override_in_words(overridden));
    }
    if let Some(shown) = detail.get("shown").and_then(|value| value.as_array()) {
        parts.push(shown.iter().filter_map(|value| value.as_str()).collect::<Vec<_>>().join(", "));
    }
    for (name, shown) in [
        ("cause", "because"),
        ("message", "message"),
        ("standing", "payment"),
        ("reason", "because"),
        ("payment_ref", "reference"),
        ("transaction_ref", "reference"),
        ("note", "note"),
    ] {
        parts.extend(text(name).map(|text| format!("{shown}: {}", text.replace('_', " "))));
    }
    parts.join("; ")
}

/// What the policy had said, and what a person made of it.
fn override_in_words(overridden: &serde_json::Value) -> Vec<String> {
    let text = |value: &serde_json::Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut parts = Vec::new();
    let said = &overridden["policy_said"];
    let currency = said["currency"].as_str().unwrap_or_default();
    if said.is_object() {
        let reasons = said["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
        let reasons: Vec<&str> = reasons.iter().filter_map(|reason| reason.as_str()).collect();
        let why = if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join(", ")) };
        let up_to = said["most_minor"].as_i64().map(|most| format!(", up to {}", format_money(most, currency)));
        let (outcome, policy, version) = (text(said, "outcome"), text(said, "policy"), text(said, "version"));
        parts.push(format!("{policy} {version} had said {outcome}{why}{}", up_to.unwrap_or_default()));
    }
    let made = overridden["person_made"].as_array().map(Vec::as_slice).unwrap_or_default();
    let made: Vec<String> = made
        .iter()
        .filter_map(|offer| offer["amount_minor"].as_i64())
        .map(|amount| format_money(amount, currency))
        .collect();
    parts.push(if made.is_empty() { "no offer".to_owned() } else { format!("offered {}", made.join(", ")) });
    parts.extend(overridden["code"].as_str().map(|code| format!("code: {code}")));
    parts
}
