//! The lives of `testdata/loan/lives.txt`, and random lives whose sums must hold.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex};

use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};

use super::*;
use crate::base::date::Zone;
use crate::base::time::{DAY, TimeOfDay, Timestamp};

const LIVES: &str = include_str!("../../../testdata/loan/lives.txt");

pub(super) fn at(milliseconds: i64) -> Timestamp {
    Timestamp::from_milliseconds(milliseconds).expect("a moment")
}

/// 2026-03-01 09:00 in Lagos.
pub(super) fn start() -> Timestamp {
    Timestamp::parse_iso("2026-03-01T08:00:00Z").expect("a moment")
}

pub(super) fn plan() -> &'static Plan {
    static PLAN: LazyLock<Plan> = LazyLock::new(|| Plan {
        zone: Zone::parse("Africa/Lagos").expect("a zone"),
        collect_at: TimeOfDay::parse_iso("09:00").expect("a time"),
        backoff: Backoff { first_ms: 5_000, longest_ms: 600_000 },
        give_up_after_ms: DAY,
        requery: Backoff { first_ms: 10_000, longest_ms: 900_000 },
        settling_ms: 900_000,
        unknown_ms: DAY,
        after_not_found: AfterNotFound::Review,
        fund_after_ms: 1_000,
        own_debit_ms: 3 * DAY,
        retries: vec![Retry { after_ms: DAY, percent: 100 }, Retry { after_ms: 3 * DAY, percent: 50 }],
    });
    &PLAN
}

pub(super) fn terms() -> Terms {
    Terms {
        paid_out_minor: 10_000,
        payments_minor: vec![3_600; 3],
        length: 90,
        unit: "days".to_owned(),
        currency: "566".to_owned(),
        is_part_payment_allowed: true,
    }
}

fn milliseconds(text: &str) -> i64 {
    let (sign, text) = text.strip_prefix('-').map_or((1, text.trim_start_matches('+')), |rest| (-1, rest));
    let (number, unit) = text.split_at(text.len() - 1);
    let unit = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => DAY,
        other => panic!("no unit `{other}`"),
    };
    sign * number.parse::<i64>().expect("a number") * unit
}

fn event(words: &[&str], now: Timestamp) -> Event {
    let until = at(now.milliseconds() + 6 * DAY);
    let is_answered = words.contains(&"now");
    match *words.first().expect("an event") {
        "decided_offer" => Event::Decided { decision: LoanDecision::Offer { until }, is_answered },
        "decided_decline" => Event::Decided { decision: LoanDecision::Decline, is_answered },
        "decided_refer" => Event::Refer,
        "approved" => Event::Approved { until },
        "disapproved" => Event::Disapproved,
        "answer_taken" => Event::AnswerTaken,
        "accepted" => Event::Accepted { terms: terms(), is_reply_awaited: words.contains(&"awaited") },
        "acceptance_answered" => Event::AcceptanceAnswered,
        "account_verified" => Event::AccountVerified,
        "account_refused" => Event::AccountRefused,
        "no_answer" => Event::NoAnswer,
        "impossible" => Event::Impossible(Cause::Undecidable),
        "contradicted" => Event::Impossible(Cause::Contradicted),
        "sending" => Event::Sending,
        "not_sent" => Event::NotSent,
        "ask_first" => Event::AskFirst,
        "unknown" => Event::Unknown,
        "moved" => Event::Moved,
        "not_moved" => Event::NotMoved,
        "reported_failed" => Event::ReportedFailed,
        "still_failed" => Event::StillFailed,
        "failed_moved" => Event::FailedMoved,
        "failed_doubted" => Event::FailedDoubted,
        "pending" => Event::Pending,
        "not_found" => Event::NotFound,
        "due" => Event::Due,
        "paid" => Event::Paid { amount_minor: words[1].parse().expect("an amount") },
        "retry" => Event::Retry,
        "cancel" => Event::Cancel,
        "write_off" => Event::WriteOff,
        "refunded" => Event::Refunded,
        "restored" => Event::Restored,
        "payout_reversed" => Event::PayoutReversed { amount_minor: 10_000 },
        "debit_reversed" => Event::DebitReversed { amount_minor: words[1].parse().expect("an amount") },
        "payment_reversed" => Event::PaymentReversed { amount_minor: words[1].parse().expect("an amount") },
        other => panic!("no event `{other}`"),
    }
}

fn describe(effect: &Effect) -> String {
    match effect {
        Effect::Plan(Order { kind, instalment, attempt, amount_minor, .. }) => {
            format!("plan {kind} {instalment}.{attempt} {amount_minor}")
        }
        Effect::Settle(_, recorded) => recorded.word().to_owned(),
        Effect::Reopen(Order { kind, instalment, attempt, .. }) => format!("reopen {kind} {instalment}.{attempt}"),
        Effect::Tell(message) => format!("tell {}", message.word()),
        Effect::RefuseAcceptance => "refuse acceptance".to_owned(),
    }
}

/// A life so far.
struct Life {
    loan: Loan,
    now: Timestamp,
    plan: Plan,
}

impl Life {
    fn begin() -> Life {
        Life { loan: Loan::requested(start()), now: start(), plan: plan().clone() }
    }

    /// A loan that has come as far as a state, by the shortest way.
    fn until(state: &str) -> Life {
        let mut life = Life::begin();
        if state.starts_with("again") {
            life.plan.after_not_found = AfterNotFound::SendAgain;
        }
        let mut lines = vec!["decided_offer now", "accepted", "account_verified", "sending"];
        if state.ends_with("open") {
            lines.push("moved");
        }
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let event = event(&words, life.now);
            life.loan = step_loan_state(&life.loan, &event, life.plan.at(life.now)).expect("a step").loan;
        }
        life
    }

    /// One line of a life. Returns what differs.
    fn check(&mut self, line: &str) -> Result<(), String> {
        let (time, rest) = line.split_once(' ').ok_or("no event")?;
        self.now = at(self.now.milliseconds() + milliseconds(time));
        let (what, expected) = match rest.split_once("->") {
            Some((what, expected)) => (what.trim(), expected.trim()),
            None => rest.trim().rsplit_once(' ').map(|(what, expected)| (what.trim(), expected)).ok_or("no result")?,
        };
        let words: Vec<&str> = what.split_whitespace().collect();
        let found = step_loan_state(&self.loan, &event(&words, self.now), self.plan.at(self.now));
        let Transition { loan, effects } = match (found, expected) {
            (Err(Refused::Impossible { .. }), "refused") | (Err(Refused::Busy { .. }), "busy") => return Ok(()),
            (Err(error), _) => return Err(error.to_string()),
            (Ok(found), "refused" | "busy") => return Err(format!("not refused: {}", found.loan.state.word())),
            (Ok(found), _) => found,
        };
        let effects: Vec<String> = effects.iter().map(describe).collect();
        let mut found = format!("{} [{}]", loan.state.word(), effects.join(", "));
        if expected.contains(" wakes ") {
            let wake = loan.wake.ok_or("does not wake")?.milliseconds() - self.now.milliseconds();
            let wanted = milliseconds(expected.rsplit_once(' ').ok_or("no time")?.1);
            // Due dates are days: the loan was paid out some seconds after 09:00.
            match (wake - wanted).abs() < 2 * 3_600_000 && (wanted >= DAY || wake == wanted) {
                true => found.push_str(&expected[expected.find(" wakes ").expect("it is there")..]),
                false => found.push_str(&format!(" wakes after {wake} ms")),
            }
        } else if expected.ends_with(" sleeps") {
            found.push_str(if loan.wake.is_none() { " sleeps" } else { " wakes" });
        }
        self.loan = loan;
        let tidy = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        if tidy(expected) == tidy(&found) { Ok(()) } else { Err(format!("found `{found}`")) }
    }
}

#[test]
fn lives_go_as_the_table_says() {
    let mut wrong = Vec::new();
    let (mut name, mut life, mut lines) = ("", Life::begin(), 0);
    for (number, line) in LIVES.lines().enumerate() {
        if let Some(next) = line.strip_prefix("= ") {
            (name, life) = (next, Life::begin());
        } else if let Some(state) = line.strip_prefix("@ ") {
            life = Life::until(state);
        } else if !line.is_empty() && !line.starts_with('#') {
            lines += 1;
            if let Err(problem) = life.check(line) {
                wrong.push(format!("line {}, {name}: `{line}`: {problem}", number + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(lines > 100, "only {lines} lines");
}

/// Where clocks are set forward, a day lacks an hour: what would be collected then is collected later on that day.
#[test]
fn a_time_that_the_day_does_not_have_is_on_that_day() {
    for (zone, day, time, expected) in [
        ("America/Havana", "2026-03-08", "00:00", "2026-03-08T05:00:00Z"),
        ("America/Havana", "2026-03-08", "00:30", "2026-03-08T05:30:00Z"),
        ("America/New_York", "2026-03-08", "02:30", "2026-03-08T07:30:00Z"),
        ("America/New_York", "2026-03-08", "03:00", "2026-03-08T07:00:00Z"),
        ("America/New_York", "2026-11-01", "02:30", "2026-11-01T07:30:00Z"),
        ("Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:45:00Z"),
        ("Africa/Lagos", "2026-03-08", "02:30", "2026-03-08T01:30:00Z"),
    ] {
        let zone = Zone::parse(zone).expect("a zone");
        let plan = Plan { zone, collect_at: TimeOfDay::parse_iso(time).expect("a time"), ..plan().clone() };
        let day = crate::base::date::Day::parse_iso(day).expect("a day");
        let moment = plan.collect_on(day);
        assert_eq!(moment, Timestamp::parse_iso(expected).expect("a moment"), "{} {day} {time}", plan.zone.name());
        assert_eq!(plan.day(moment), day);
    }
}

/// What a provider and a customer have done with a loan, next to the loan's own account.
#[derive(Default)]
struct Outside {
    paid_out: i64,
    collected: i64,
    paid: i64,
    refunded: i64,
    planned: HashSet<(OrderKind, u32, u32)>,
}

/// The events that the table has a line for, with their effects on the outside.
fn walk(choices: &[(u8, u16, u32)], visited: &Mutex<HashSet<LoanState>>) {
    let (mut life, mut outside) = (Life::begin(), Outside::default());
    let names = [
        "decided_offer now",
        "decided_offer",
        "decided_refer",
        "decided_decline",
        "disapproved",
        "approved",
        "answer_taken",
        "accepted",
        "accepted awaited",
        "acceptance_answered",
        "account_verified",
        "account_verified",
        "account_refused",
        "no_answer",
        "sending",
        "sending",
        "not_sent",
        "unknown",
        "moved",
        "moved",
        "not_moved",
        "pending",
        "not_found",
        "due",
        "due",
        "due",
        "retry",
        "cancel",
        "write_off",
        "refunded",
        "paid 1",
        "paid 3600",
        "paid 5000",
        "contradicted",
        "ask_first",
        "restored",
        "reported_failed",
        "still_failed",
        "failed_moved",
        "failed_doubted",
        "payout_reversed",
        "payment_reversed 1000",
    ];
    for (choice, minutes, jump) in choices {
        let jump = if jump % 7 == 0 { 30 * DAY } else { i64::from(*minutes) * 60_000 };
        life.now = at(life.now.milliseconds() + jump);
        let words: Vec<&str> = names[usize::from(*choice) % names.len()].split(' ').collect();
        let event = event(&words, life.now);
        let before = life.loan.clone();
        let Ok(Transition { loan, effects }) = step_loan_state(&before, &event, plan().at(life.now)) else { continue };
        for effect in effects {
            match effect {
                Effect::Plan(order) => {
                    assert!(outside.planned.insert((order.kind, order.instalment, order.attempt)), "planned twice");
                    assert!(order.amount_minor > 0);
                    assert!(order.kind == OrderKind::Debit || outside.paid_out == 0, "funded and planned again");
                }
                Effect::Settle(order, OrderOutcome::Moved) => {
                    assert!(order.sent_at().is_some(), "moved and never sent");
                    match order.kind {
                        OrderKind::Fund => outside.paid_out += order.amount_minor,
                        OrderKind::Debit => outside.collected += order.amount_minor,
                    }
                }
                Effect::Settle(..) | Effect::Reopen(_) | Effect::Tell(_) | Effect::RefuseAcceptance => {}
            }
        }
        match event {
            Event::Paid { amount_minor } => outside.paid += amount_minor,
            Event::Refunded => outside.refunded += before.overpaid_minor,
            Event::PayoutReversed { .. } => outside.paid_out = 0,
            Event::PaymentReversed { amount_minor } => outside.paid -= amount_minor,
            _ => {}
        }
        check_sums(&loan, &outside, life.now);
        visited.lock().expect("a set").insert(loan.state);
        life.loan = loan;
    }
}

fn check_sums(loan: &Loan, outside: &Outside, now: Timestamp) {
    assert!(outside.paid_out == 0 || outside.paid_out == 10_000, "paid out {}", outside.paid_out);
    assert_eq!(loan.is_funded(), outside.paid_out > 0);
    let kept = loan.paid_minor() + loan.overpaid_minor + outside.refunded;
    assert_eq!(outside.collected + outside.paid, kept, "money is lost or made");
    assert!(loan.instalments.iter().all(|one| (0..=one.amount_minor).contains(&one.paid_minor)));
    assert!(loan.state != LoanState::Closed || loan.owed_minor() == 0);
    assert_eq!(loan.state == LoanState::Review, loan.cause.is_some());
    // Whatever is not at an end either wakes or waits for a person.
    let waits = loan.state.is_final() || loan.state.needs_person() || loan.state == LoanState::WrittenOff;
    let is_doubted = loan.failed.as_ref().is_some_and(|failed| failed.doubted_at.is_some());
    assert_eq!(loan.wake.is_none(), waits && !is_doubted, "{:?}", loan.state);
    assert_eq!(loan.next_work(now).is_some(), loan.wake.is_some(), "{:?}", loan.state);
}

#[test]
fn sums_hold_whatever_happens() {
    let visited = Mutex::new(HashSet::from([LoanState::Requested]));
    let config = ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() };
    let choices = prop::collection::vec((any::<u8>(), 0_u16..2_000, any::<u32>()), 1..200);
    // The same walks every time: some states are rare.
    let source = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let run = TestRunner::new_with_rng(config, source).run(&choices, |choices| {
        walk(&choices, &visited);
        Ok(())
    });
    run.expect("sums that hold");
    let visited = visited.into_inner().expect("a set");
    let missing: Vec<LoanState> = LoanState::ALL.into_iter().filter(|state| !visited.contains(state)).collect();
    assert!(missing.is_empty(), "never reached: {missing:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// The schedule of every price, put together again from what an offer says.
    #[test]
    fn payments_are_those_of_the_price(
        principal in 1_i64..1_000_000_000, rate in 0_u32..200, instalments in 1_u32..40,
        fee in 0_i64..10_000, how in 0_usize..3,
    ) {
        use crate::base::pricing::{FeeMode, Method, Rate, price};
        let method = [Method::Flat, Method::Reducing, Method::Bullet][how];
        let priced = crate::base::pricing::Terms {
            principal_minor: principal, rate: Rate::parse(&rate.to_string()).expect("a rate"), instalments,
            fee_minor: fee, fee_mode: FeeMode::Added, method,
        };
        let Ok(priced) = price(&priced) else { return Ok(()) };
        let expected: Vec<i64> = priced.schedule().map(|due| due.payment_minor).collect();
        let count = u32::try_from(expected.len()).expect("a count");
        let payments = Terms::spread(priced.amount_payable_minor(), fee, priced.instalment_minor(), count);
        let mut payments = payments.expect("payments");
        prop_assert_eq!(payments.iter().sum::<i64>(), priced.amount_payable_minor());
        payments[0] -= fee;
        prop_assert_eq!(payments, expected);
    }
}
