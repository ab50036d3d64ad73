//! What became of the loans of the lender's service, found in its loan book and reported to the book of decisions.

use std::time::Duration;

use super::kept_decisions::KeptDecisions;
use crate::base::date::{Day, Zone};
use crate::base::time::Timestamp;
use crate::lender::loan::{LoanState, OrderKind, OrderOutcome};
use crate::lender::loan_book::{Filter, LoanBook, LoanRow, PaymentStatus};
use crate::lender::runner::Clock;
use crate::lender::store::error::StoreError;
use crate::portfolio::LoanOutcome;

/// How many loans are read at a time.
const PAGE: i64 = 500;

/// When a loan is bad: a payment is so many days past due, within so many days after the loan was paid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadLoanRule {
    pub(crate) after_days: u32,
    pub(crate) within_days: u32,
}

/// Everything that reporting needs.
#[derive(Clone)]
pub(crate) struct LoanReports {
    pub(crate) loans: LoanBook,
    pub(crate) rule: BadLoanRule,
    pub(crate) zone: Zone,
    pub(crate) clock: Clock,
}

/// Money that came for a loan, by day, and the day of its payout.
struct LoanMoney {
    paid_out: Option<Day>,
    came: Vec<(Day, i64)>,
}

/// Reports what became of loans, all the time.
pub(super) async fn report_loans(reports: LoanReports, kept: KeptDecisions, every: Duration) {
    loop {
        let (reports, kept) = (reports.clone(), kept.clone());
        let reported = tokio::task::spawn_blocking(move || reports.report_all(&kept)).await;
        match reported {
            Ok(Ok(0)) => {}
            Ok(Ok(loans)) => tracing::info!(loans, "what became of loans is reported to the book of decisions"),
            Ok(Err(error)) => tracing::error!(%error, "what became of loans could not be reported"),
            Err(_) => tracing::error!("reporting what became of loans panicked, which is a bug; please report it"),
        }
        tokio::time::sleep(every).await;
    }
}

impl LoanReports {
    /// Reports every loan that was paid out, as long as it may still change. Returns how many.
    fn report_all(&self, kept: &KeptDecisions) -> Result<usize, StoreError> {
        let (now, mut after, mut reported) = ((self.clock)(), 0, 0);
        loop {
            let page = self.loans.list_loans(&Filter { after, most: PAGE, ..Filter::default() })?;
            let Some(last) = page.last() else { return Ok(reported) };
            after = last.id;
            for row in page.iter().filter(|row| row.loan.is_funded()) {
                reported += usize::from(self.report_one(row, kept, now)?);
            }
        }
    }

    fn report_one(&self, row: &LoanRow, kept: &KeptDecisions, now: Timestamp) -> Result<bool, StoreError> {
        let today = self.day_of(now);
        // Without a decision in the book there is nothing to report on: it was made before there was a book.
        let Some(known) = kept.find_loan(&row.reference)? else { return Ok(false) };
        if known.as_ref().is_some_and(|known| !may_change(known, today, self.rule)) {
            return Ok(false);
        }
        let outcome = judge_loan(row, &self.load_money(row)?, today, self.rule);
        if known.as_ref() == Some(&outcome) {
            return Ok(false);
        }
        kept.report_loan(&row.reference, &outcome, now)?;
        Ok(true)
    }

    fn day_of(&self, moment: Timestamp) -> Day {
        self.zone.local_day(moment.milliseconds().div_euclid(1_000))
    }

    fn load_money(&self, row: &LoanRow) -> Result<LoanMoney, StoreError> {
        let orders = self.loans.list_orders(row.id)?;
        let moved = orders.iter().filter(|order| order.outcome == OrderOutcome::Moved && order.reversed_at.is_none());
        let (mut paid_out, mut came) = (None, Vec::new());
        for order in moved {
            let day = self.day_of(order.sent_at.unwrap_or(order.planned_at));
            match order.kind {
                OrderKind::Fund => paid_out = Some(day),
                OrderKind::Debit => came.push((day, order.amount_minor)),
            }
        }
        let payments = self.loans.list_payments(Some(row.id))?;
        let posted = payments.iter().filter(|payment| payment.status == PaymentStatus::Posted);
        came.extend(posted.map(|payment| (self.day_of(payment.received_at), payment.amount_minor)));
        came.sort_unstable_by_key(|(day, _)| *day);
        Ok(LoanMoney { paid_out, came })
    }
}

/// Whether a report may still become another one: not once the loan is bad, was looked at today, or its time is up.
fn may_change(known: &LoanOutcome, today: Day, rule: BadLoanRule) -> bool {
    let watched_until = known.loan_date.and_then(|day| days_after(day, rule.within_days));
    let enough = watched_until.map_or(today, |last| last.min(today));
    !known.bad && known.observed_until.is_none_or(|until| until < enough)
}

fn days_after(day: Day, days: u32) -> Option<Day> {
    Day::checked_from_days(day.days().checked_add(i32::try_from(days).ok()?)?)
}

/// What became of a loan as of a day.
fn judge_loan(row: &LoanRow, money: &LoanMoney, today: Day, rule: BadLoanRule) -> LoanOutcome {
    let watched_until = money.paid_out.and_then(|day| days_after(day, rule.within_days));
    let watched = watched_until.map_or(today, |last| last.min(today));
    let bad_days = find_bad_days(row, money, rule).into_iter().filter(|day| *day <= watched);
    // A loan that was written off is bad, however early.
    let written_off = (row.loan.state == LoanState::WrittenOff).then_some(watched);
    let bad_date = bad_days.min().or(written_off);
    LoanOutcome {
        bad: bad_date.is_some(),
        loan_date: money.paid_out,
        bad_date,
        observed_until: Some(watched),
        amount: row.loan.terms.as_ref().map(|terms| terms.paid_out_minor),
    }
}

/// The days on which payments became late enough.
fn find_bad_days(row: &LoanRow, money: &LoanMoney, rule: BadLoanRule) -> Vec<Day> {
    // A payment that was taken back leaves the days of the others in doubt: then only what is owed now counts.
    let came: i64 = money.came.iter().map(|(_, amount)| amount).sum();
    let is_whole = came == row.loan.paid_minor().saturating_add(row.loan.overpaid_minor);
    let (mut due_minor, mut bad_days) = (0_i64, Vec::new());
    for instalment in &row.loan.instalments {
        due_minor = due_minor.saturating_add(instalment.amount_minor);
        let Some(bad_day) = days_after(instalment.due, rule.after_days) else { continue };
        let before: i64 = money.came.iter().filter(|(day, _)| *day < bad_day).map(|(_, amount)| amount).sum();
        if if is_whole { before < due_minor } else { instalment.owed_minor() > 0 } {
            bad_days.push(bad_day);
        }
    }
    bad_days
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lender::loan::{Instalment, Loan, Terms};

    fn day(of_january: i32) -> Day {
        Day::checked_from_days(Day::from_ymd(2026, 1, 1).unwrap().days() + of_january - 1).unwrap()
    }

    /// A loan of two payments of 50.00, due on the 10th and the 20th.
    fn row(state: LoanState, paid: [i64; 2]) -> LoanRow {
        let at = Timestamp::from_milliseconds(1_767_225_600_000).unwrap();
        let instalment = |(number, due, paid_minor)| Instalment {
            number,
            due: day(due),
            amount_minor: 5_000,
            paid_minor,
            attempts: 0,
        };
        let instalments = [(1, 10, paid[0]), (2, 20, paid[1])].map(instalment).to_vec();
        let terms = Terms {
            paid_out_minor: 9_000,
            payments_minor: vec![5_000, 5_000],
            length: 20,
            unit: "days".to_owned(),
            currency: "566".to_owned(),
            is_part_payment_allowed: true,
        };
        LoanRow {
            id: 1,
            reference: "OR-1".to_owned(),
            customer_id: "C-1".to_owned(),
            request: serde_json::json!({}),
            offer_id: None,
            loan_id: None,
            loan_reference_id: None,
            loan: Loan { state, instalments, terms: Some(terms), ..Loan::requested(at) },
            instance: None,
            epoch: 0,
            version: 0,
            created_at: at,
            changed_at: at,
        }
    }

    /// Whether it is bad on a day of January, when it became so, and until when it was watched.
    fn judged(row: &LoanRow, came: &[(i32, i64)], today: i32) -> (bool, Option<Day>, Option<Day>) {
        let came = came.iter().map(|(on, amount)| (day(*on), *amount)).collect();
        let money = LoanMoney { paid_out: Some(day(1)), came };
        let outcome = judge_loan(row, &money, day(today), BadLoanRule { after_days: 5, within_days: 28 });
        assert_eq!((outcome.loan_date, outcome.amount), (Some(day(1)), Some(9_000)));
        (outcome.bad, outcome.bad_date, outcome.observed_until)
    }

    #[test]
    fn a_loan_is_bad_from_the_day_on_which_a_payment_is_late_enough() {
        let (open, closed) = (LoanState::Open, LoanState::Closed);
        let unpaid = row(open, [0, 0]);
        assert_eq!(judged(&unpaid, &[], 14), (false, None, Some(day(14))));
        assert_eq!(judged(&unpaid, &[], 15), (true, Some(day(15)), Some(day(15))));
        // Paid in time, in parts, and late but not late enough.
        let paid = row(closed, [5_000, 5_000]);
        assert!(!judged(&paid, &[(3, 2_000), (9, 8_000)], 27).0);
        assert!(!judged(&paid, &[(14, 5_000), (24, 5_000)], 27).0);
        // Too late, though all is paid now; and a kobo is missing.
        assert_eq!(judged(&paid, &[(15, 5_000), (20, 5_000)], 27).1, Some(day(15)));
        assert_eq!(judged(&row(open, [4_999, 0]), &[(5, 4_999)], 16).1, Some(day(15)));
        // After its time nothing counts any more.
        assert_eq!(judged(&row(open, [5_000, 0]), &[(5, 5_000)], 24), (false, None, Some(day(24))));
        assert_eq!(judged(&row(open, [5_000, 0]), &[(5, 5_000)], 60), (true, Some(day(25)), Some(day(29))));
        // Written off is bad at once; money that was taken back leaves what is owed.
        assert!(judged(&row(LoanState::WrittenOff, [0, 0]), &[], 8).0);
        assert!(judged(&row(open, [0, 0]), &[(5, 5_000)], 16).0);
    }

    #[test]
    fn what_is_settled_is_not_looked_at_again() {
        let rule = BadLoanRule { after_days: 5, within_days: 28 };
        let known = |bad, until| LoanOutcome {
            bad,
            loan_date: Some(day(1)),
            bad_date: None,
            observed_until: Some(day(until)),
            amount: None,
        };
        assert!(may_change(&known(false, 10), day(11), rule));
        assert!(!may_change(&known(false, 11), day(11), rule));
        assert!(!may_change(&known(true, 10), day(11), rule));
        assert!(!may_change(&known(false, 29), day(90), rule));
    }
}
