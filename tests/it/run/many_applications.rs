//! Many applications at once: each result has the same bytes as alone, whatever runs beside it and however many threads
//! there are.

use lendwright::decision::{Application, decide_one};
use lendwright::{Day, Policies, Request, decide_many, load_policies};
use proptest::prelude::*;

use super::statement;

/// A body, and what is asked beside it.
struct Asked {
    label: &'static str,
    body: Vec<u8>,
    request: Request,
}

fn policies() -> Policies {
    load_policies(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/starter.toml"), &[]).unwrap()
}

/// Small and large valid ones, and whatever else may arrive by the same way.
fn asked(policies: &Policies) -> Vec<Asked> {
    let lines = br#"{"id":"1","customer":"ada","credit":10.5,"trans_date":"2026-06-01"}
{"id":"2","customer":"obi","credit":10.5,"trans_date":"2026-06-01"}"#;
    let sound = statement(3, 40);
    let mut wanting = Request::on(Day::parse_iso("2026-10-31").unwrap()).with_customer("C-1");
    wanting.set(policies, "amount", 20_000_000.into()).unwrap();
    let of = |label, body: &[u8], request: &Request| Asked { label, body: body.to_vec(), request: request.clone() };
    let plain = Request::default();
    vec![
        of("sound", &sound, &plain),
        of("with a request", &statement(4, 300), &wanting),
        of("large", &statement(5, 3_000), &wanting),
        of("no record", br#"{"status": "success", "data": {"transactions": []}}"#, &wanting),
        of("cut short", &sound[..sound.len() / 2], &plain),
        of("no byte", b"", &plain),
        of("a page", b"<html>502</html>", &plain),
        of("an amount out of bounds", br#"[{"id":"1","credit":1e400,"trans_date":"2026-06-01"}]"#, &plain),
        of("refused", br#"{"status": "failed", "message": "no consent", "data": {}}"#, &plain),
        of("two customers", lines, &plain),
    ]
}

fn said(decided: &Result<lendwright::Decision, lendwright::decision::ApplicationError>) -> String {
    match decided {
        Ok(decision) => decision.to_line(),
        Err(wrong) => wrong.to_string(),
    }
}

#[test]
fn many_together_say_what_each_says_alone() {
    let policies = policies();
    let asked = asked(&policies);
    let application =
        |at: &usize| Application { label: asked[*at].label, body: &asked[*at].body, request: &asked[*at].request };
    let alone: Vec<String> = (0..asked.len()).map(|at| said(&decide_one(&policies, &application(&at)))).collect();
    let pools: Vec<rayon::ThreadPool> =
        [1, 2, 5].map(|threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()).into();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig { cases: 24, ..ProptestConfig::default() });
    let picks = prop::collection::vec(0..asked.len(), 0..14);
    let holds = runner.run(&picks, |picks| {
        let applications: Vec<Application<'_>> = picks.iter().map(application).collect();
        let expected: Vec<&String> = picks.iter().map(|at| &alone[*at]).collect();
        for pool in &pools {
            let together: Vec<String> =
                pool.install(|| decide_many(&policies, &applications)).iter().map(said).collect();
            prop_assert_eq!(together.iter().collect::<Vec<_>>(), expected.clone());
        }
        Ok(())
    });
    holds.unwrap();
}

#[test]
fn what_is_damaged_says_how() {
    let policies = policies();
    let asked = asked(&policies);
    let applications: Vec<Application<'_>> = asked
        .iter()
        .map(|asked| Application { label: asked.label, body: &asked.body, request: &asked.request })
        .collect();
    let mut told = String::new();
    for (asked, decided) in asked.iter().zip(decide_many(&policies, &applications)) {
        let said = match decided {
            Ok(decision) => format!("{:?}, as of {}", decision.outcome, decision.as_of.unwrap()),
            Err(wrong) => format!("{wrong}{}", if wrong.is_malformed() { " (malformed)" } else { "" }),
        };
        told += &format!("{}: {said}\n", asked.label);
    }
    insta::assert_snapshot!("embedding_damage", told);
}
