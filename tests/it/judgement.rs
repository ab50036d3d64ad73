//! What a policy can judge beyond single conditions: blocks of conditions, points lost and scaled, limits of an offer,
//! and what was asked for.

use lendwright::compile;
use lendwright::decision::{Decision, Outcome, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use serde_json::{Value, json};

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    [request]\na = \"boolean\"\nb = \"boolean\"\nc = \"boolean\"\nn = \"number\"\nincome = \"money\"\n\
    amount = \"money\"\ntenure = \"days\"\nowed = \"money\"\n";

fn compiled(body: &str) -> Result<Policy, String> {
    compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("none".into()), &[])
        .map_err(|refused| refused.to_string())
}

fn decided(body: &str, request: Value) -> Decision {
    let policy = compiled(body).unwrap_or_else(|error| panic!("{error}"));
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record, "inline", &reading(&policy)).unwrap();
    let request = Request::from_json(&policy, request.to_string().as_bytes()).unwrap();
    decide(&policy, &statements, &request).unwrap().remove(0)
}

/// `holds`, `fails` or `unknown` for a block over a, b and c.
fn block(condition: &str, request: Value) -> &'static str {
    let body = format!(
        "[[require]]\nid = \"B\"\n{condition}\nelse = \"decline\"\nunknown = \"refer\"\nreason = \"no\"\n\
         [[offer]]\nid = \"o\"\ntenure = 30\namount = 100\ninterest = 1\n"
    );
    match decided(&body, request).outcome {
        Outcome::Offer => "holds",
        Outcome::Decline => "fails",
        Outcome::Refer => "unknown",
    }
}

#[test]
fn a_block_is_known_as_soon_as_the_unknown_could_not_change_it() {
    let (t, f, u) = (json!(true), json!(false), Value::Null);
    let of = |condition: &str, a: &Value, b: &Value, c: &Value| block(condition, json!({"a": a, "b": b, "c": c}));
    let all = "all = [\"request.a\", \"request.b\", \"request.c\"]";
    assert_eq!((of(all, &t, &t, &t), of(all, &t, &u, &t), of(all, &u, &u, &f)), ("holds", "unknown", "fails"));
    let any = "any = [\"request.a\", \"request.b\", \"request.c\"]";
    assert_eq!((of(any, &u, &t, &f), of(any, &f, &u, &f), of(any, &f, &f, &f)), ("holds", "unknown", "fails"));
    let two = "at_least = 2\nof = [\"request.a\", \"request.b\", \"request.c\"]";
    assert_eq!((of(two, &t, &u, &t), of(two, &t, &u, &f), of(two, &u, &f, &f)), ("holds", "unknown", "fails"));
    let nested = "any = [\"request.a\", { all = [\"request.b\", \"request.c\"] }]";
    assert_eq!(
        (of(nested, &f, &t, &t), of(nested, &f, &t, &u), of(nested, &u, &f, &u)),
        ("holds", "unknown", "unknown")
    );
    let decided = "all = [\"request.a\", { when = \"request.b\", unknown = \"holds\" }, { when = \"request.c\", \
        unknown = \"fails\" }]";
    assert_eq!(
        (of(decided, &t, &u, &t), of(decided, &t, &t, &u), of(decided, &u, &u, &t)),
        ("holds", "fails", "unknown")
    );
    let whole = "any = [\"request.a\", { all = [\"request.b\", \"request.c\"], unknown = \"fails\" }]";
    assert_eq!((of(whole, &f, &u, &t), of(whole, &t, &u, &t)), ("fails", "holds"));
}

#[test]
fn a_block_that_asks_nonsense_is_told() {
    let told =
        |condition: &str| compiled(&format!("[[require]]\nid = \"B\"\n{condition}\nreason = \"no\"\n")).unwrap_err();
    assert!(told("all = []").contains("a block without conditions tests nothing"));
    assert!(told("at_least = 3\nof = [\"request.a\", \"request.b\"]").contains("from 1 to 2"));
    assert!(told("at_least = 3").contains("`at_least` and `of` belong together"));
    assert!(told("when = \"request.a\"\nany = [\"request.b\"]").contains("more than one condition"));
    assert!(told("any = [\"request.a\", { unknown = \"holds\" }]").contains("`when` is missing"));
    assert!(told("any = [{ when = \"request.a\", unknown = \"hold\" }]").contains("did you mean `holds`?"));
    assert!(told("any = [\"request.income\"]").contains("this must be true or false"));
    assert!(told("any = [3]").contains("expected a table"));
    let mut deep = "\"request.a\"".to_string();
    (0..12).for_each(|_| deep = format!("{{ any = [{deep}] }}"));
    assert!(told(&format!("any = [{deep}]")).contains("more than 8 deep"));
}

const SCORE: &str = "[score]\nbase = 100\nreasons = 2\n\
    [[score.item]]\non = \"request.n\"\nweight = 2\ncode = \"S1\"\nreason = \"n is {request.n}\"\n\
    points = [[\"< 1\", 0], [\"1..2\", 15], [\">= 2\", 30], [\"unknown\", 5]]\n\
    [[score.item]]\non = \"request.income\"\ncode = \"S2\"\npoints = [[\"< 500\", -20], [\">= 500\", 40]]\n\
    [[score.item]]\non = \"request.owed\"\npoints = [[\"-\", 7]]\n\
    [[score.item]]\non = \"request.a\"\ncode = \"S4\"\npoints = [[\"true\", 60], [\"false\", 0]]\n";

#[test]
fn points_count_by_weight_and_those_lost_are_told_dearest_first() {
    let decision = decided(SCORE, json!({"n": 1.5, "income": 10_000, "a": true}));
    assert_eq!(decision.score, Some(100.0 + 30.0 - 20.0 + 7.0 + 60.0));
    let lost: Vec<_> =
        decision.points_lost.iter().map(|lost| (lost.id.as_str(), lost.text.as_str(), lost.lost)).collect();
    assert_eq!(lost, [("S2", "request.income", 60.0), ("S1", "n is 1.5", 30.0)]);
    // Three lose the same: the first in the file, and no more than two.
    let decision = decided(SCORE, json!({"n": 0.5, "income": 10_000, "a": false}));
    let ids: Vec<_> = decision.points_lost.iter().map(|lost| lost.id.as_str()).collect();
    assert_eq!(ids, ["S1", "S2"]);
    let best = decided(SCORE, json!({"n": 5, "income": 90_000, "a": true}));
    assert!(best.points_lost.is_empty());
    // An unknown item loses no points; the score is unknown then.
    let unknown = decided(SCORE, json!({"income": 10_000}));
    let ids: Vec<_> = unknown.points_lost.iter().map(|lost| lost.id.as_str()).collect();
    assert_eq!((unknown.score, ids), (None, vec!["S2", "S1"]));
}

#[test]
fn a_scale_doubles_the_odds_every_so_many_points() {
    let score = |n: f64| {
        let body = "[score]\nbase = 0\nscale = { points = 600, odds = 50, pdo = 20 }\n\
            [[score.item]]\non = \"request.n\"\npoints = [[\"< 1\", 3.912023005428146], [\"1..2\", 4.605170185988092], \
            [\">= 2\", 0]]\n";
        decided(body, json!({"n": n})).score.unwrap()
    };
    // ln 50 gives 600 points, ln 100 gives 620, even odds 600 - 20 * log2(50).
    assert!((score(0.0) - 600.0).abs() < 1e-9);
    assert!((score(1.0) - 620.0).abs() < 1e-9);
    assert!((score(2.0) - (600.0 - 20.0 * 50f64.log2())).abs() < 1e-9);
}

#[test]
fn a_score_that_makes_no_sense_is_told() {
    let told = |body: &str| compiled(body).unwrap_err();
    let item = "[[score.item]]\non = \"request.n\"\npoints = [[\"-\", 1]]\n";
    assert!(told(&format!("[score]\nbase = 0\nreasons = 2\n{item}")).contains("no item has a code"));
    assert!(
        told(&format!("[score]\nbase = 0\nscale = {{ points = 1, odds = 0, pdo = 20 }}\n{item}"))
            .contains("`odds` must be greater than 0")
    );
    assert!(
        told(&format!("[score]\nbase = 0\nscale = {{ points = 1, odds = 2 }}\n{item}")).contains("`pdo` is missing")
    );
    assert!(told(&format!("[score]\nbase = 0\n{item}reason = \"why\"\n")).contains("a reason without a code"));
    assert!(
        told(&format!("[score]\nbase = 0\n{item}code = \"S\"\n{item}code = \"S\"\n"))
            .contains("`S` is already defined")
    );
    assert!(told(&format!("[score]\nbase = 0\n{item}weight = \"heavy\"\n")).contains("is not a number"));
}

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
    assert!(told("[ask]\ntenure = \"request.income\"\n").contains("a tenure is a number or days"));
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
