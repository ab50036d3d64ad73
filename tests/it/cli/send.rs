//! The command `send` against a sandbox.

use super::connection::Scene;

const OFFER: &str = r#"{"offerId":"a","amountOffered":5000000,"interest":3.0,"amountPayable":5200000,"fee":50000,
  "tenure":30,"terms":"Single repayment","expiryDate":"2026-07-07T00:00:00Z","currency":"566",
  "isPartPaymentAllowed":true}"#;

#[test]
fn send_answers_with_the_decisions_offers() {
    let scene = Scene::new(|_| {});
    let second = OFFER.replace(r#""offerId":"a""#, r#""offerId":"b""#);
    let decision = format!(r#"{{"customer":"c","outcome":"offer","score":455,"offers":[{OFFER},{second}]}}"#);
    scene.send(&decision, &[], true).unwrap();
    assert!(scene.sandbox.received().is_empty(), "a dry run sends nothing");
    scene.send(&decision, &[], false).unwrap();
    scene.send(&decision, &["b"], false).unwrap();
    scene.send(r#"{"outcome":"decline","offers":[]}"#, &[], false).unwrap();
    let sent: Vec<Vec<String>> = scene
        .sandbox
        .received()
        .into_iter()
        .map(|received| received.answer.offers.into_iter().map(|offer| offer.offer_id).collect())
        .collect();
    assert_eq!(sent, [vec!["a".to_owned(), "b".to_owned()], vec!["b".to_owned()], vec![]]);
}

#[test]
fn what_is_no_answer_is_not_sent() {
    let scene = Scene::new(|_| {});
    let cases = [
        (r#"{"outcome":"refer","offers":[]}"#.to_owned(), "refers the case to a person"),
        (r#"{"outcome":"offer","offers":[]}"#.to_owned(), "says `offer` but holds none"),
        (format!(r#"{{"outcome":"decline","offers":[{OFFER}]}}"#), "says `decline` but holds offers"),
        (
            r#"{"outcome":"offer","offers":[{"offerId":"secret-id"}]}"#.to_owned(),
            "not a decision with `outcome` and whole `offers`",
        ),
        (format!("{0}\n{0}", r#"{"outcome":"decline","offers":[]}"#), "send takes one decision"),
        ("".to_owned(), "not a single JSON object"),
    ];
    for (decision, expected) in cases {
        let problem = scene.send(&decision, &[], false).unwrap_err();
        assert!(problem.contains(expected) && !problem.contains("secret-id"), "{problem}");
    }
    let decision = format!(r#"{{"outcome":"offer","offers":[{OFFER}]}}"#);
    assert!(scene.send(&decision, &["z"], false).unwrap_err().contains("has no offer `z`"));
    assert!(scene.sandbox.received().is_empty());
}
