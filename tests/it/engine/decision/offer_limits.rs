//! Limits of an offer: exposure, instalments, the request, and counter-offers.

use serde_json::{Value, json};

use super::small_policies::{compiled, decided};

/// Amount, tenure and what limits it, or the outcome's reason.
fn lent(body: &str, request: Value) -> Value {
    let decision = decided(body, request);
    let offers: Vec<_> = decision.offers.iter().map(|offer| json!([offer.amount_offered, offer.tenure])).collect();
    let reasons: Vec<_> = decision.reasons.iter().map(|reason| reason.id.clone()).collect();
    let counter = decision.counter_offer.map(|counter| {
        json!([counter.asked_amount, counter.asked_tenure, counter.amount, counter.tenure, counter.limited_by])
    });
    json!([offers, reasons, counter])
}

const LIMITED: &str = "[exposure]\nlimit = \"3 * request.income\"\nexisting = \"request.owed\"\n[ask]\n\
    amount = \"request.amount\"\ntenure = \"request.tenure\"\n\
    [[offer]]\nid = \"loan\"\ntenure = [30, 90]\n\
    amount = \"CASE WHEN tenure = 30 THEN request.income ELSE 2 * request.income END\"\n\
    cap = [800, \"1.5 * request.income\"]\nstep = 50\nfloor = 100\ninterest = 1\n";

#[test]
fn an_offer_keeps_within_every_limit_and_says_which_it_met() {
    let (income, none) = (40_000, 0);
    // 400 and min(800, 800, 600): nothing asked, no counter-offer.
    assert_eq!(lent(LIMITED, json!({"income": income, "owed": none})), json!([[[40_000, 30], [60_000, 90]], [], null]));
    // Asked for less than either: both give what was asked, in whole steps.
    assert_eq!(
        lent(LIMITED, json!({"income": income, "owed": none, "amount": 30_000})),
        json!([[[30_000, 30], [30_000, 90]], [], null])
    );
    assert_eq!(
        lent(LIMITED, json!({"income": income, "owed": none, "amount": 32_100})),
        json!([[[30_000, 30], [30_000, 90]], [], [32_100, null, 30_000, 30, ["step"]]])
    );
    // More than can be lent: the greatest amount, and what limits it.
    assert_eq!(
        lent(LIMITED, json!({"income": income, "owed": none, "amount": 99_900})),
        json!([[[40_000, 30], [60_000, 90]], [], [99_900, null, 60_000, 90, ["cap: 1.5 * request.income"]]])
    );
    assert_eq!(
        lent(LIMITED, json!({"income": 100_000, "owed": none, "amount": 99_900, "tenure": 90})),
        json!([[[80_000, 90]], [], [99_900, 90, 80_000, 90, ["cap: 800"]]])
    );
    // Owes 1,100 of 1,200 already: room for 100, which is the floor; one coin more and there is none.
    assert_eq!(
        lent(LIMITED, json!({"income": income, "owed": 110_000, "amount": 20_000, "tenure": 30})),
        json!([[[10_000, 30]], [], [20_000, 30, 10_000, 30, ["exposure"]]])
    );
    assert_eq!(lent(LIMITED, json!({"income": income, "owed": 110_001})), json!([[], ["NO_OFFER"], null]));
    assert_eq!(lent(LIMITED, json!({"income": income, "owed": 990_000})), json!([[], ["NO_OFFER"], null]));
}

#[test]
fn another_tenure_than_the_one_asked_for_is_a_counter_offer() {
    let asked = |tenure: i64| lent(LIMITED, json!({"income": 40_000, "owed": 0, "amount": 30_000, "tenure": tenure}));
    assert_eq!(asked(30), json!([[[30_000, 30]], [], null]));
    assert_eq!(asked(60), json!([[[30_000, 30], [30_000, 90]], [], [30_000, 60, 30_000, 30, ["tenure"]]]));
    // Of offers of one amount, the tenure that is nearest to the one asked for.
    assert_eq!(asked(61), json!([[[30_000, 30], [30_000, 90]], [], [30_000, 61, 30_000, 90, ["tenure"]]]));
    assert_eq!(asked(400), json!([[[30_000, 30], [30_000, 90]], [], [30_000, 400, 30_000, 90, ["tenure"]]]));
}

#[test]
fn a_tenure_is_requested_in_the_unit_of_the_policy() {
    let codes = |unit: &str, kind: &str| {
        let text = format!(
            "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
             tenure_unit = \"{unit}\"\n[request]\ntenure = \"{kind}\"\n[ask]\ntenure = \"request.tenure\"\n"
        );
        let policy = lendwright::compile("p.toml", &text, &mut |_| Err("no files".into()), &[]);
        match policy {
            Ok(policy) => policy.warnings().first().map(|warning| warning.code),
            Err(refused) => refused.diagnostics.first().map(|wrong| wrong.code),
        }
    };
    for (unit, kind, code) in [
        ("months", "months", None),
        ("months", "count", None),
        ("weeks", "count", None),
        ("days", "days", None),
        ("months", "days", Some("tenure")),
        ("weeks", "days", Some("tenure")),
        ("days", "months", Some("type")),
        ("days", "money", Some("type")),
    ] {
        assert_eq!(codes(unit, kind), code, "{kind} in a policy of {unit}");
    }
}

#[test]
fn what_is_owed_and_not_known_is_never_taken_for_nothing() {
    assert_eq!(lent(LIMITED, json!({"income": 40_000})), json!([[], ["OFFER_UNKNOWN"], null]));
}

#[test]
fn limits_that_make_no_sense_are_told() {
    let offer = "[[offer]]\nid = \"o\"\ntenure = 30\namount = 100\ninterest = 1\n";
    let told = |body: &str| compiled(body).unwrap_err();
    assert!(told(&format!("{offer}step = 0\n")).contains("a step must be more than 0"));
    assert!(told(&format!("{offer}cap = \"request.n\"\n")).contains("this must be money"));
    assert!(told(&format!("{offer}floor = \"request.a\"\n")).contains("this must be money"));
    assert!(told("[ask]\n").contains("`[ask]` asks for nothing"));
    assert!(told("[ask]\ntenure = \"request.income\"\n").contains("a tenure is a number of days"));
    assert!(told("[exposure]\nexisting = 3\n").contains("`limit` is missing"));
}

#[test]
fn what_an_offer_calls_its_own_is_no_name_of_another() {
    for name in ["amount", "tenure", "instalments", "interest"] {
        let told = compiled(&format!("[metric]\n{name} = \"SUM(credit)\"\n")).unwrap_err();
        assert!(told.contains(&format!("`{name}` is reserved for offers")), "{told}");
    }
}

#[test]
fn no_metric_has_the_name_of_another_column_of_its_table() {
    for name in ["customer", "statement"] {
        let told = compiled(&format!("[metric]\n{name} = \"SUM(credit)\"\n")).unwrap_err();
        assert!(told.contains(&format!("`{name}` is reserved for a column of tables of metrics")), "{told}");
    }
    // The third column has a built-in name.
    assert!(compiled("[metric]\nas_of = \"SUM(credit)\"\n").unwrap_err().contains("`as_of` is built in"));
    // Parameters and outputs of tables are no columns of it.
    assert!(compiled("[parameters]\nstatement = { value = 3 }\n[metric]\nhalf = \"$statement / 2\"\n").is_ok());
}
