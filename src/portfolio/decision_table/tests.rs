//! What is counted of decisions, on decisions made up here.

use super::*;
use crate::base::time::{DAY, Timestamp};
use crate::portfolio::LoanOutcome;

/// A decision made on a day after Monday, 2026-10-05.
fn facts(number: usize, day: i64, outcome: &str, reasons: &[&str]) -> DecisionFacts {
    let monday = Timestamp::parse_iso("2026-10-05T08:00:00Z").unwrap().milliseconds();
    DecisionFacts {
        id: format!("dec_{number}"),
        at: Timestamp::from_milliseconds(monday + day * DAY).unwrap(),
        shadow: None,
        answer: None,
        caller: String::new(),
        customer: None,
        as_of: None,
        policy: ["small", "1", "digest"].map(str::to_owned),
        parameters: String::new(),
        engine: String::new(),
        arm: None,
        outcome: outcome.to_owned(),
        reasons: reasons.iter().map(|id| (*id).to_owned()).collect(),
        amount_minor: (outcome == "offer").then_some(100),
        currency: (outcome == "offer").then(|| "566".to_owned()),
        took_us: 10 * number as i64,
        loan: None,
    }
}

fn shadow_of(answer: &DecisionFacts, outcome: &str, reasons: &[&str], amount: Option<i64>) -> DecisionFacts {
    DecisionFacts {
        id: format!("{}s", answer.id),
        at: answer.at,
        shadow: Some("strict".to_owned()),
        answer: Some(answer.id.clone()),
        amount_minor: amount,
        currency: amount.map(|_| "566".to_owned()),
        ..facts(7, 0, outcome, reasons)
    }
}

#[test]
fn a_shadow_is_compared_case_by_case() {
    let answers = [
        facts(1, 0, "offer", &[]),
        facts(2, 0, "offer", &[]),
        facts(3, 1, "decline", &["R1"]),
        facts(4, 1, "refer", &["R2"]),
        facts(5, 2, "offer", &[]),
        facts(6, 2, "decline", &["R1"]),
    ];
    let loan = |bad| Some(LoanOutcome { bad, ..LoanOutcome::default() });
    let mut all = answers.to_vec();
    (all[0].loan, all[1].loan) = (loan(true), loan(false));
    let shadows = [
        shadow_of(&answers[0], "decline", &["S1"], None),
        shadow_of(&answers[1], "offer", &[], Some(150)),
        shadow_of(&answers[2], "offer", &[], Some(60)),
        shadow_of(&answers[3], "failed", &[], None),
        // The fifth was missed.
        shadow_of(&answers[5], "decline", &["R1", "S1"], None),
    ];
    let refer = facts(9, 2, "refer", &["R1"]);
    let stricter = shadow_of(&refer, "decline", &["R1", "S1"], None);
    all.extend(shadows);
    let [found] = &compare_shadows(&all)[..] else { panic!("one shadow") };
    assert_eq!((found.compared, found.failed, found.missed), (4, 1, 1));
    assert_eq!(found.outcomes, [[1, 0, 1], [0, 0, 0], [1, 0, 1]]);
    let amounts = &found.amounts["566"];
    assert_eq!((amounts.answered, amounts.shadow, amounts.both, amounts.more, amounts.less), (200, 210, 1, 1, 0));
    assert_eq!((found.reasons["R1"], found.reasons["S1"]), ([2, 1], [0, 2]));
    assert_eq!((found.flips["S1"].tightened, found.flips["R1"].loosened), (1, 1));
    assert_eq!((found.loans.given_up.bad, found.loans.given_up.known), (1, 1));
    assert_eq!((found.loans.kept.bad, found.loans.kept.known), (0, 1));
    let days: Vec<_> = found.days.iter().map(|day| (day.day.as_str(), day.compared, day.changed)).collect();
    assert_eq!(days, [("2026-10-05", 2, 1), ("2026-10-06", 1, 1), ("2026-10-07", 1, 0)]);
    // Only what the other side does not say tipped the scale.
    let [one] = &compare_shadows(&[refer, stricter])[..] else { panic!("one shadow") };
    assert_eq!(one.flips.keys().collect::<Vec<_>>(), ["S1"]);
    // Answers outside of the span take their shadows along.
    assert_eq!(compare_shadows(&all[2..])[0].compared, 2);
}

const LIMITS: MonitorLimits = MonitorLimits { psi: 0.25, p99_us: None, bad_rate: None, week_min: 20 };

/// So many decisions, the given share of them offers, spread evenly.
fn with_offers(count: usize, percent: usize, first_day: i64) -> Vec<DecisionFacts> {
    let one = |number: usize| {
        let offers = number * percent / 100 < (number + 1) * percent / 100;
        let day = first_day + (number % 7) as i64;
        if offers { facts(number, day, "offer", &[]) } else { facts(number, day, "decline", &["R1", "R1"]) }
    };
    (0..count).map(one).collect()
}

fn watch(before: &[DecisionFacts], now: &[DecisionFacts], limits: &MonitorLimits) -> Monitoring {
    let mut population = Population::default();
    before.iter().for_each(|facts| drop(population.add(facts, None)));
    let one = |facts: &DecisionFacts| {
        let counted = list_counted(facts, None);
        WatchedDecision { facts: facts.clone(), counted, has_record: false }
    };
    let watched: Vec<WatchedDecision> = now.iter().map(one).collect();
    let rest = WatchedRest { loans: list_loan_months(now.iter()), ..WatchedRest::default() };
    watch_decisions(&population, &watched, &rest, limits).unwrap()
}

#[test]
fn a_share_is_reported_when_chance_does_not_explain_it() {
    let before = with_offers(1_000, 50, -14);
    assert_eq!(watch(&before, &with_offers(100, 50, 0), &LIMITS).alarms, [""; 0]);
    // 3 √(0.25 (1/100 + 1/1000)) is 15.7 points.
    assert_eq!(watch(&before, &with_offers(100, 65, 0), &LIMITS).alarms, [""; 0]);
    let found = watch(&before, &with_offers(100, 66, 0), &LIMITS);
    assert_eq!(
        found.alarms,
        [
            "outcome offer: 66.0% in the week of 2026-10-05, where 34.3% to 65.7% is chance (50.0% before)",
            "outcome decline: 34.0% in the week of 2026-10-05, where 34.3% to 65.7% is chance (50.0% before)",
            "reason R1: 34.0% in the week of 2026-10-05, where 34.3% to 65.7% is chance (50.0% before)",
        ]
    );
    // Too few to judge.
    assert_eq!(watch(&before, &with_offers(19, 100, 0), &LIMITS).alarms, [""; 0]);
    // Something new is reported once it is not rare: 3 in a hundred may be chance.
    let mut new = with_offers(100, 50, 0);
    new[..3].iter_mut().for_each(|facts| facts.reasons.push("R9".to_owned()));
    assert_eq!(watch(&before, &new, &LIMITS).alarms, [""; 0]);
    new[3].reasons.push("R9".to_owned());
    assert_eq!(watch(&before, &new, &LIMITS).alarms.len(), 1);
}

#[test]
fn weeks_begin_on_monday_and_have_their_own_times() {
    let mut now = with_offers(70, 50, 0);
    now.extend(with_offers(70, 50, 7));
    now.last_mut().unwrap().took_us = 1_000_000;
    let limits = MonitorLimits { p99_us: Some(500_000), ..LIMITS };
    let found = watch(&with_offers(1_000, 50, -14), &now, &limits);
    let weeks: Vec<_> = found.weeks.iter().map(|week| (week.from.as_str(), week.applications)).collect();
    assert_eq!(weeks, [("2026-10-05", 70), ("2026-10-12", 70)]);
    assert_eq!(found.alarms, ["decisions of the week of 2026-10-12 took 1000.0 ms at the 99th percentile"]);
}

#[test]
fn loans_are_reported_when_their_interval_is_above_the_limit() {
    let with_bad = |bad: usize| {
        let mut now = with_offers(100, 100, 0);
        for (number, facts) in now.iter_mut().enumerate() {
            facts.loan = Some(LoanOutcome { bad: number < bad, ..LoanOutcome::default() });
        }
        watch(&with_offers(1_000, 100, -14), &now, &MonitorLimits { bad_rate: Some(0.05), ..LIMITS })
    };
    // Wilson's interval of 10 in 100 begins at 5.5%, that of 9 at 4.8%.
    assert_eq!(with_bad(9).alarms, [""; 0]);
    assert_eq!(with_bad(10).alarms, ["loans of 2026-10: 10 of 100 bad, 10.0%, which is more than 5.0% beyond chance"]);
    assert_eq!(with_bad(10).loans[0].offers, 100);
}

#[test]
fn values_are_compared_with_those_before() {
    let values = |from: usize, count: usize| (from..from + count).map(|value| Some(value as f64)).collect::<Vec<_>>();
    let moved = |recent: Vec<Option<f64>>| {
        let before = Population {
            size: 1_000,
            values: [("income".to_owned(), values(0, 1_000))].into(),
            ..Population::default()
        };
        let values = [("income".to_owned(), recent), ("new".to_owned(), values(0, 9))].into();
        watch_decisions(&before, &[], &WatchedRest { values, ..WatchedRest::default() }, &LIMITS).unwrap()
    };
    let same = moved(values(0, 1_000));
    assert_eq!((same.moved.len(), same.moved[0].psi < 0.01, same.alarms.len()), (1, true, 0));
    let other = moved(values(500, 1_000));
    assert!(other.moved[0].is_reported && other.alarms[0].starts_with("income is distributed in another way"));
    // Nine values say little: an index that chance may give is not reported.
    let few = moved(values(500, 9));
    assert!(few.moved[0].psi > 0.25 && few.alarms.is_empty(), "{few:?}");
}

#[test]
fn what_was_erased_is_not_counted_as_unknown() {
    let unknown = |facts: &DecisionFacts, has_record: bool| {
        let mut counted = list_counted(facts, None);
        if has_record && facts.id.ends_with('0') {
            counted.push((CountedKind::Unknown, "income: no_records".to_owned()));
        }
        WatchedDecision { facts: facts.clone(), counted, has_record }
    };
    let now = with_offers(200, 50, 0);
    let watched: Vec<WatchedDecision> = now.iter().enumerate().map(|(at, facts)| unknown(facts, at < 100)).collect();
    let before = Population {
        size: 1_000,
        recorded: 500,
        counts: [((CountedKind::Unknown, "income: no_records".to_owned()), 50)].into(),
        ..Population::default()
    };
    let found = watch_decisions(&before, &watched, &WatchedRest::default(), &LIMITS).unwrap();
    let share = found.shares.iter().find(|share| share.kind == CountedKind::Unknown).unwrap();
    assert_eq!((share.before, share.weeks[0].share, share.weeks[0].is_outside), (0.1, 0.1, false));
}
