//! A policy reads what a bureau says, which the service asks at the moment of the decision.

use crate::fixtures::lender_service::{Bench, POLICY, command};
use crate::fixtures::scripted_server::{self, Server};

const BUREAU: &str = "\n[bureau]\nscore = \"count\"\n[[require]]\nid = \"B01\"\nwhen = \"bureau.score >= 600\"\n\
    reason = \"A score of {bureau.score}\"\nunknown = \"decline\"\n";

fn source(url: &str) -> String {
    format!(
        "[source.crc]\nurl = \"{url}\"\nsend = {{ id = \"{{customer}}\" }}\ndeadline_ms = 500\nattempts = 1\n\
         [source.crc.fields]\n\"bureau.score\" = \"$.score\"\n"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bureau_is_queried_before_the_decision_and_a_broken_one_approves_nobody() {
    let answers = vec![
        scripted_server::json("{\"score\": 700}"),
        scripted_server::json("{\"score\": 500}"),
        scripted_server::answer("500 Broken", &[], ""),
    ];
    let bureau = Server::sequence(answers);
    let bench = Bench::new(&format!("[answers]\noffers = \"now\"\n{}", source(&bureau.base_url))).await;
    bench.write("policy.toml", &format!("{POLICY}{BUREAU}"));
    let service = bench.serve();
    let person = bench.sandbox.person();
    for (channel, offers) in [("WEB", 1), ("USSD", 0), ("APP", 0)] {
        let answer = bench.sandbox.asked(&person, channel).await;
        assert_eq!(answer["offers"].as_array().map(Vec::len), Some(offers), "{channel}: {answer}");
    }
    let metrics = bench.metrics().await;
    for line in ["result=\"answered\"} 2", "result=\"unavailable\"} 1"] {
        assert!(metrics.contains(&format!("lendwright_source_answers_total{{source=\"crc\",{line}")), "{metrics}");
    }
    assert_eq!(service.stop("TERM"), Some(0));
    // The audit says how it was queried, and nothing of what it said.
    let database = rusqlite::Connection::open(bench.path("lender.sqlite")).unwrap();
    let mut rows = database.prepare("SELECT detail FROM audit WHERE event LIKE 'decided%' ORDER BY seq").unwrap();
    let details: Vec<String> = rows.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(details.len(), 3, "{details:?}");
    for (detail, result) in details.iter().zip(["answered", "answered", "unavailable"]) {
        assert!(detail.contains(&format!("sources: crc {result} in ")), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_of_what_no_policy_reads_or_the_book_knows_is_refused() {
    let bench = Bench::new("").await;
    for (policy, fields, why) in [
        (POLICY.to_owned(), "bureau.score", "is an input that no policy declares"),
        (format!("{POLICY}\n[own]\nloans_open = \"count\"\n"), "own.loans_open", "are those of the loan book"),
    ] {
        bench.write("policy.toml", &policy);
        bench.configure(&source("http://127.0.0.1:1/").replace("bureau.score", fields));
        let said = command(bench.folder.path()).arg("--check").output().unwrap();
        let text = String::from_utf8(said.stderr).unwrap();
        assert!(said.status.code() == Some(1) && text.contains(why), "{text}");
    }
}
