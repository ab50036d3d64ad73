//! What the book knows of a customer when another request of theirs is decided: earlier loans and requests.

use serde_json::{Map, Value as Json, json};

use super::LoanBook;
use super::queries::Filter;
use super::rows::LoanRow;
use crate::base::date::{Day, Zone};
use crate::base::time::Timestamp;
use crate::lender::loan::LoanState;
use crate::lender::store::error::StoreError;

/// What is known, by the names that policies use under `own`, with what each measures.
pub(crate) const OWN_FIELDS: [(&str, &str); 13] = [
    ("first_seen", "date"),
    ("requests_7d", "count"),
    ("requests_30d", "count"),
    ("last_declined", "date"),
    ("loans_open", "count"),
    ("loans_repaid", "count"),
    ("loans_written_off", "count"),
    ("loans_pending", "count"),
    ("days_past_due", "days"),
    ("exposure", "money"),
    ("lent_total", "money"),
    ("repaid_total", "money"),
    ("last_repaid", "date"),
];

/// The list of loans under `own`, and the fields of each.
pub(crate) const OWN_LOANS: &str = "loans";
pub(crate) const OWN_LOAN_FIELDS: [(&str, &str); 6] = [
    ("amount", "money"),
    ("requested", "date"),
    ("closed", "date"),
    ("owed", "money"),
    ("days_past_due", "days"),
    ("state", "text"),
];

/// How many loans are read at a time.
const PAGE: i64 = 500;

/// What the book knows of a customer, by the names of [`OWN_FIELDS`] and [`OWN_LOANS`]. Money is in minor units.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OwnHistory(pub(crate) Map<String, Json>);

impl LoanBook {
    /// What the book knows of a customer, without the request of this reference. Days are those of the zone.
    pub(crate) fn load_own_history(
        &self,
        customer_id: &str,
        reference: &str,
        zone: &Zone,
        now: Timestamp,
    ) -> Result<OwnHistory, StoreError> {
        let (mut rows, mut after) = (Vec::new(), 0);
        loop {
            let customer_id = Some(customer_id.to_owned());
            let page = self.list_loans(&Filter { customer_id, after, most: PAGE, ..Filter::default() })?;
            let Some(last) = page.last() else { break };
            after = last.id;
            rows.extend(page.into_iter().filter(|row| row.reference != reference));
        }
        Ok(summarize_rows(&rows, zone, now))
    }
}

fn day_of(zone: &Zone, moment: Timestamp) -> Day {
    zone.local_day(moment.milliseconds().div_euclid(1_000))
}

fn summarize_rows(rows: &[LoanRow], zone: &Zone, now: Timestamp) -> OwnHistory {
    let today = day_of(zone, now);
    let requested = |row: &LoanRow| day_of(zone, row.created_at);
    let requests_within = |days: i32| {
        let recent = rows.iter().filter(|row| today.days() - requested(row).days() < days);
        recent.count()
    };
    let in_state = |state: LoanState| rows.iter().filter(move |row| row.loan.state == state);
    let last_day = |state: LoanState| in_state(state).map(|row| day_of(zone, row.loan.since)).max();
    let funded: Vec<&LoanRow> = rows.iter().filter(|row| row.loan.is_funded()).collect();
    let open = || funded.iter().filter(|row| is_open(row));
    let pending = || rows.iter().filter(|row| is_pending(row));
    let owed_pending = pending().filter_map(|row| Some(row.loan.terms.as_ref()?.payable_minor()));
    let exposure = open().map(|row| row.loan.owed_minor()).chain(owed_pending).sum::<i64>();
    let lent = funded.iter().filter_map(|row| Some(row.loan.terms.as_ref()?.paid_out_minor)).sum::<i64>();
    let text = |day: Option<Day>| json!(day.map(|day| day.to_string()));
    let values = [
        ("first_seen", text(rows.iter().map(requested).min())),
        ("requests_7d", json!(requests_within(7))),
        ("requests_30d", json!(requests_within(30))),
        ("last_declined", text(last_day(LoanState::Declined))),
        ("loans_open", json!(open().count())),
        ("loans_repaid", json!(funded.iter().filter(|row| is_repaid(row)).count())),
        ("loans_written_off", json!(in_state(LoanState::WrittenOff).count())),
        ("loans_pending", json!(pending().count())),
        ("days_past_due", json!(funded.iter().map(|row| days_past_due(row, today)).max().unwrap_or(0))),
        ("exposure", json!(exposure)),
        ("lent_total", json!(lent)),
        ("repaid_total", json!(funded.iter().map(|row| row.loan.paid_minor()).sum::<i64>())),
        ("last_repaid", text(last_day(LoanState::Closed))),
        (OWN_LOANS, funded.iter().map(|row| describe_loan(row, zone, today)).collect()),
    ];
    OwnHistory(values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn describe_loan(row: &LoanRow, zone: &Zone, today: Day) -> Json {
    let closed = is_repaid(row).then(|| day_of(zone, row.loan.since).to_string());
    json!({
        "amount": row.loan.terms.as_ref().map(|terms| terms.paid_out_minor),
        "requested": day_of(zone, row.created_at).to_string(),
        "closed": closed,
        "owed": row.loan.owed_minor(),
        "days_past_due": days_past_due(row, today),
        "state": row.loan.state.word(),
    })
}

fn is_repaid(row: &LoanRow) -> bool {
    matches!(row.loan.state, LoanState::Closed | LoanState::Overpaid)
}

/// Whether money is with the customer and expected back.
fn is_open(row: &LoanRow) -> bool {
    row.loan.is_funded() && !is_repaid(row) && row.loan.state != LoanState::WrittenOff
}

/// Whether an offer was accepted and the money is on its way.
fn is_pending(row: &LoanRow) -> bool {
    let is_over = row.loan.state.is_final() || row.loan.state == LoanState::WrittenOff;
    row.loan.terms.is_some() && !row.loan.is_funded() && !is_over
}

/// The days since the first payment that is due and not paid; 0 if all is paid that is due.
fn days_past_due(row: &LoanRow, today: Day) -> i32 {
    if is_repaid(row) {
        return 0;
    }
    let unpaid = row.loan.instalments.iter().filter(|instalment| instalment.owed_minor() > 0);
    let first = unpaid.map(|instalment| instalment.due).min();
    first.map_or(0, |due| (today.days() - due.days()).max(0))
}

#[cfg(test)]
mod tests;
