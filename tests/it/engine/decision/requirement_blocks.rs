//! Blocks of conditions in requirements: `all`, `any`, and what an unknown member does.

use lendwright::decision::Outcome;
use serde_json::{Value, json};

use super::small_policies::{compiled, decided};

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
