//! A customer's history, from rows made up here.

use serde_json::json;

use super::*;
use crate::lender::loan::{Instalment, Loan, Terms};

/// Noon of a day of January 2026 in UTC.
fn noon(day: u32) -> Timestamp {
    Timestamp::parse_iso(&format!("2026-01-{day:02}T12:00:00Z")).unwrap()
}

fn row(number: i64, requested: u32, state: LoanState, since: u32) -> LoanRow {
    LoanRow {
        id: number,
        reference: format!("OR-{number}"),
        customer_id: "C-1".to_owned(),
        request: json!({}),
        offer_id: None,
        loan_id: None,
        loan_reference_id: None,
        loan: Loan { state, since: noon(since), ..Loan::requested(noon(requested)) },
        instance: None,
        epoch: 0,
        version: 0,
        created_at: noon(requested),
        changed_at: noon(since),
    }
}

/// A loan of 100.00 that is paid back in two payments of 55.00; `paid` is what was paid of each.
fn loan(number: i64, requested: u32, state: LoanState, since: u32, paid: Option<[i64; 2]>) -> LoanRow {
    let mut row = row(number, requested, state, since);
    row.loan.terms = Some(Terms {
        paid_out_minor: 10_000,
        payments_minor: vec![5_500, 5_500],
        length: 20,
        unit: "days".to_owned(),
        currency: "566".to_owned(),
        is_part_payment_allowed: false,
    });
    let due = |after: i32| Day::checked_from_days(Day::from_ymd(2026, 1, 1).unwrap().days() + after).unwrap();
    for (number, paid_minor) in (1..).zip(paid.into_iter().flatten()) {
        let due = due(requested as i32 + 10 * number as i32 - 1);
        row.loan.instalments.push(Instalment { number, due, amount_minor: 5_500, paid_minor, attempts: 0 });
    }
    row
}

fn history(rows: &[LoanRow], today: u32) -> serde_json::Value {
    serde_json::Value::Object(summarize_rows(rows, &Zone::parse("Africa/Lagos").unwrap(), noon(today)).0)
}

#[test]
fn somebody_new_has_an_empty_history_and_not_an_unknown_one() {
    let known = history(&[], 31);
    assert_eq!((&known["first_seen"], &known["loans_open"], &known["exposure"]), (&json!(null), &json!(0), &json!(0)));
    assert_eq!(known["loans"], json!([]));
    let names: Vec<&str> = OWN_FIELDS.iter().map(|(name, _)| *name).chain([OWN_LOANS]).collect();
    let mut found: Vec<&str> = known.as_object().unwrap().keys().map(String::as_str).collect();
    found.sort_by_key(|name| names.iter().position(|known| known == name));
    assert_eq!(found, names);
}

#[test]
fn loans_and_requests_are_counted_as_they_are_today() {
    let rows = [
        loan(1, 1, LoanState::Closed, 20, Some([5_500, 5_500])),
        loan(2, 2, LoanState::CollectionFailed, 14, Some([1_500, 0])),
        loan(3, 3, LoanState::WrittenOff, 28, Some([0, 0])),
        row(4, 25, LoanState::Declined, 26),
        loan(5, 30, LoanState::Funding, 30, None),
    ];
    let known = history(&rows, 31);
    let wanted = json!({
        "first_seen": "2026-01-01", "requests_7d": 2, "requests_30d": 4, "last_declined": "2026-01-26",
        "loans_open": 1, "loans_repaid": 1, "loans_written_off": 1, "loans_pending": 1,
        // The first payment of the second loan was due on the 12th.
        "days_past_due": 19, "exposure": 9_500 + 11_000, "lent_total": 30_000, "repaid_total": 12_500,
        "last_repaid": "2026-01-20",
        "loans": [
            { "amount": 10_000, "requested": "2026-01-01", "closed": "2026-01-20", "owed": 0, "days_past_due": 0,
              "state": "closed" },
            { "amount": 10_000, "requested": "2026-01-02", "closed": null, "owed": 9_500, "days_past_due": 19,
              "state": "collection_failed" },
            { "amount": 10_000, "requested": "2026-01-03", "closed": null, "owed": 11_000, "days_past_due": 18,
              "state": "written_off" },
        ],
    });
    assert_eq!(known, wanted);
}

#[test]
fn days_are_those_of_the_lender() {
    // Half an hour before midnight in UTC is the next day in Lagos.
    let mut late = row(1, 1, LoanState::Declined, 1);
    late.created_at = Timestamp::parse_iso("2026-01-01T23:30:00Z").unwrap();
    assert_eq!(history(&[late], 31)["first_seen"], "2026-01-02");
}
