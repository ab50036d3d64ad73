//! Champion and challenger: the choice is even, stable, and recorded.

use lendwright::decision::{Decision, Request, decide};
use lendwright::rules::{Arm, Policy, Split};
use proptest::prelude::*;
use serde_json::json;

use super::{HEAD, decided, policy_with, statement};
use crate::fixtures::desk::Desk;

const OTHER: &str = "[policy]\nname = \"whole\"\nversion = \"2\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\n\
    [metric]\nside = \"2 * 1\"\n";

fn champion(share: &str, salt: &str) -> Policy {
    let text = format!(
        "{HEAD}challenger = {{ file = \"other.toml\", share = {share}, salt = \"{salt}\" }}\n[metric]\n\
         side = \"1 * 1\"\n"
    );
    policy_with(&text, &[("other.toml", OTHER)], &[])
}

fn split(share: &str, salt: &str) -> Split {
    champion(share, salt).challenger().unwrap().split.clone()
}

#[test]
fn the_challenger_has_its_share_of_a_hundred_thousand_customers() {
    for share in ["0.01", "0.10", "0.5", "0.9"] {
        for salt in ["2026-q4", "2027-q1"] {
            let split = split(share, salt);
            let count = 100_000;
            let of = (0..count).filter(|number| split.arm(Some(&format!("customer-{number}"))) == Arm::Challenger);
            let (found, share) = (of.count() as f64, split.share());
            // Five standard deviations: once in two million such trials.
            let bound = 5.0 * (f64::from(count) * share * (1.0 - share)).sqrt();
            assert!((found - share * f64::from(count)).abs() < bound, "{share} {salt}: {found}");
        }
    }
}

#[test]
fn salts_deal_the_customers_independently() {
    let (one, other) = (split("0.5", "a"), split("0.5", "b"));
    let both = (0..100_000)
        .filter(|number| {
            let customer = format!("{number}");
            one.arm(Some(&customer)) == Arm::Challenger && other.arm(Some(&customer)) == Arm::Challenger
        })
        .count() as f64;
    assert!((both - 25_000.0).abs() < 5.0 * (100_000.0f64 * 0.25 * 0.75).sqrt(), "{both}");
}

#[test]
fn nobody_is_the_challengers_at_0_and_everybody_at_1_and_who_is_nobody_is_the_champions() {
    let (none, all) = (split("0", "a"), split("1", "a"));
    for number in 0..1_000 {
        let customer = format!("{number}");
        assert_eq!(none.arm(Some(&customer)), Arm::Champion);
        assert_eq!(all.arm(Some(&customer)), Arm::Challenger);
    }
    assert_eq!(all.arm(None), Arm::Champion);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn raising_the_share_moves_customers_to_the_challenger_alone(
        customers in prop::collection::vec("[a-zA-Z0-9-]{1,20}", 1..50),
        one in 0u32..=1000,
        other in 0u32..=1000,
    ) {
        let (low, high) = (one.min(other), one.max(other));
        let share = |share: u32| split(&format!("{}", f64::from(share) / 1000.0), "s");
        let (low, high) = (share(low), share(high));
        for customer in &customers {
            let stays = low.arm(Some(customer)) == Arm::Champion || high.arm(Some(customer)) == Arm::Challenger;
            prop_assert!(stays, "{customer}");
        }
    }

    #[test]
    fn a_customer_is_on_the_same_side_in_any_batch(numbers in prop::collection::vec(0u32..500, 1..30)) {
        let policy = champion("0.5", "batch");
        let alone = |number: &u32| {
            let request = Request::default().with_customer(format!("c{number}"));
            decided(&policy, &request).arm
        };
        let split = &policy.challenger().unwrap().split;
        for number in &numbers {
            prop_assert_eq!(alone(number), Some(split.arm(Some(&format!("c{number}")))));
        }
    }
}

#[test]
fn the_decision_says_who_decided_and_only_where_there_are_two() {
    let both = champion("0.5", "told");
    let mut seen = [0, 0];
    for number in 0..40 {
        let customer = format!("c{number}");
        let statements = statement(&both, &customer, &["2026-03-05"]);
        let decision = decide(&both, &statements, &Request::default()).unwrap().remove(0);
        let (side, version) = match decision.arm.unwrap() {
            Arm::Champion => (0, "1"),
            Arm::Challenger => (1, "2"),
        };
        seen[side] += 1;
        assert_eq!(decision.metrics["side"], json!(side + 1));
        assert_eq!((decision.policy.version.as_str(), decision.policy.file.as_str()), (version, "whole.toml"));
        let told = crate::report::explain::text(&both, &statements, &Request::default());
        assert!(told.contains(&format!("whole {version}, {}", ["champion", "challenger"][side])), "{told}");
        let line = decision.to_line();
        assert!(line.contains(&format!("\"arm\":\"{}\"", ["champion", "challenger"][side])), "{line}");
        assert_eq!(serde_json::from_str::<Decision>(&line).unwrap(), decision);
    }
    assert!(seen[0] > 5 && seen[1] > 5, "{seen:?}");
    assert!(!decided(&policy_with(OTHER, &[], &[]), &Request::default()).to_line().contains("\"arm\""));
}

#[test]
fn a_decision_of_either_side_is_replayed_to_the_byte() {
    let desk = Desk::new();
    let own = desk.read("rules/small.toml");
    desk.write(
        "rules/v2.toml",
        &own.replace("version = \"1\"", "version = \"2\"").replace("interest = 3.0", "interest = 4.0"),
    );
    desk.write(
        "rules/small.toml",
        &own.replace("use =", "challenger = { file = \"v2.toml\", share = 0.5, salt = \"s\" }\nuse ="),
    );
    let made = desk.run(&["generate", "--statements", "12", "--records", "40", "--out", "many"]);
    assert_eq!(made.status, 0);
    let mut arms = Vec::new();
    for number in 1..=12 {
        let file = format!("many/statement-{number:06}.json");
        let said = desk.run(&["decide", "--policy", "rules/small.toml", &file]);
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        desk.write("decision.json", &said.out);
        let replayed = desk.run(&["replay", "decision.json", &file]);
        assert_eq!(replayed.out, "decision.json: the same, byte for byte\n", "{}{}", said.out, replayed.err);
        arms.push(serde_json::from_str::<Decision>(&said.out).unwrap().arm);
    }
    assert!(arms.contains(&Some(Arm::Champion)) && arms.contains(&Some(Arm::Challenger)), "{arms:?}");
}

#[test]
fn cases_try_the_policy_that_they_stand_beside() {
    let desk = Desk::new();
    desk.write("rules/other.toml", OTHER);
    let text = format!(
        "{HEAD}challenger = {{ file = \"other.toml\", share = 1, salt = \"s\" }}\n[metric]\nside = \"1 * 1\"\n"
    );
    desk.write("rules/champion.toml", &text);
    let case = |side: u32| {
        format!(
            "[[case]]\nname = \"one\"\nalso = [{{ on = \"2026-01-01\", credit = 5 }}]\n[case.expect]\n\
             outcome = \"decline\"\nreasons = [\"NO_OFFER\"]\nmetrics = {{ side = {side} }}\n"
        )
    };
    for (name, side) in [("champion", 1), ("other", 2)] {
        desk.write(&format!("rules/{name}.cases.toml"), &case(side));
        let said = desk.run(&["test", &format!("rules/{name}.toml")]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{}", said.out);
    }
}

#[test]
fn the_challengers_mistakes_are_told_with_the_champions() {
    let text = format!(
        "{HEAD}challenger = {{ file = \"other.toml\", share = 0.1, salt = \"s\" }}\n[metric]\na = \"nothing\"\n"
    );
    let wrong = super::refused(&text, &[("other.toml", &format!("{OTHER}b = \"nobody\"\n"))]);
    assert!(wrong.contains("whole.toml:8:6: unknown name `nothing`"), "{wrong}");
    assert!(wrong.contains("other.toml:8:6: unknown name `nobody`"), "{wrong}");
}
