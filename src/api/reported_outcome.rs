//! What became of a loan, as a caller reports it. Keeps nothing.

use serde::Deserialize;

use super::problem::{Problem, place_in_json};
use crate::base::date::Day;
use crate::decision_book::DecisionName;
use crate::portfolio::LoanOutcome;

/// The fields of a report.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    #[serde(default)]
    decision: Option<String>,
    #[serde(default)]
    reference: Option<String>,
    bad: bool,
    #[serde(default)]
    loan_date: Option<String>,
    #[serde(default)]
    bad_date: Option<String>,
    #[serde(default)]
    observed_until: Option<String>,
    /// In minor units.
    #[serde(default)]
    amount: Option<i64>,
}

/// Reads a report: the decision it is about, and what became of the loan.
pub(super) fn read_reported_outcome(body: &[u8]) -> Result<(DecisionName, LoanOutcome), Problem> {
    let report: Report = serde_json::from_slice(body).map_err(|wrong| {
        let detail = "it is one object with `decision` or `reference`, `bad` (true or false), and if known the days \
                      `loan_date`, `bad_date`, `observed_until`, and `amount` in minor units, each at most once";
        Problem::new("malformed-body", detail).at(place_in_json("body", &wrong))
    })?;
    let name = match (report.decision, report.reference) {
        (Some(id), None) => DecisionName::Id(id),
        (None, Some(reference)) => DecisionName::Reference(reference),
        _ => return Err(Problem::new("malformed-body", "give either `decision` or `reference`")),
    };
    let day = |text: Option<String>, place: &str| match text.as_deref().map(Day::parse_iso) {
        Some(None) => Err(Problem::new("malformed-body", "no such day; write it as 2026-10-31").at(place)),
        day => Ok(day.flatten()),
    };
    let loan = LoanOutcome {
        bad: report.bad,
        loan_date: day(report.loan_date, "loan_date")?,
        bad_date: day(report.bad_date, "bad_date")?,
        observed_until: day(report.observed_until, "observed_until")?,
        amount: report.amount,
    };
    refuse_contradictions(&loan)?;
    Ok((name, loan))
}

fn refuse_contradictions(loan: &LoanOutcome) -> Result<(), Problem> {
    let wrong = |what: &str, place: &str| Err(Problem::new("invalid-outcome", what).at(place));
    let is_after = |first: Option<Day>, second: Option<Day>| first.zip(second).is_some_and(|(one, other)| one > other);
    if loan.bad_date.is_some() && !loan.bad {
        return wrong("a loan that is not bad has no `bad_date`", "bad_date");
    }
    if is_after(loan.loan_date, loan.bad_date) {
        return wrong("it went bad before it was paid out", "bad_date");
    }
    if is_after(loan.loan_date, loan.observed_until) || is_after(loan.bad_date, loan.observed_until) {
        return wrong("it is observed until a day before `loan_date` or `bad_date`", "observed_until");
    }
    if loan.amount.is_some_and(|amount| amount <= 0) {
        return wrong("a loan has an amount above 0", "amount");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_one_decision_and_does_not_contradict_itself() {
        let code = |body: &str| read_reported_outcome(body.as_bytes()).err().map(|problem| problem.code());
        assert_eq!(code(r#"{"decision": "dec_1", "bad": false}"#), None);
        assert_eq!(
            code(
                r#"{"reference": "r", "bad": true, "loan_date": "2026-01-01", "bad_date": "2026-03-01",
                    "observed_until": "2026-03-01", "amount": 1}"#
            ),
            None
        );
        let malformed = [
            "{",
            r#"{"bad": true}"#,
            r#"{"decision": "a", "reference": "b", "bad": true}"#,
            r#"{"decision": "a", "bad": 1}"#,
            r#"{"decision": "a", "bad": true, "bad": false}"#,
            r#"{"decision": "a", "bad": true, "loan_date": "2026-02-30"}"#,
            r#"{"decision": "a", "bad": true, "lost": 3}"#,
        ];
        malformed.iter().for_each(|body| assert_eq!(code(body), Some("malformed-body"), "{body}"));
        let invalid = [
            r#"{"decision": "a", "bad": false, "bad_date": "2026-01-01"}"#,
            r#"{"decision": "a", "bad": true, "loan_date": "2026-01-02", "bad_date": "2026-01-01"}"#,
            r#"{"decision": "a", "bad": true, "bad_date": "2026-01-02", "observed_until": "2026-01-01"}"#,
            r#"{"decision": "a", "bad": false, "loan_date": "2026-01-02", "observed_until": "2026-01-01"}"#,
            r#"{"decision": "a", "bad": false, "amount": 0}"#,
        ];
        invalid.iter().for_each(|body| assert_eq!(code(body), Some("invalid-outcome"), "{body}"));
    }
}
