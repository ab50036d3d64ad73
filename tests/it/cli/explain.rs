//! `explain` on the command line: its formats, its options, and which statement it takes.

use super::FILES;
use crate::fixtures::desk::Desk;

#[test]
fn explain_prints_its_data_beside_the_page() {
    let desk = Desk::new();
    let ask = |more: &[&str]| desk.run(&[&["explain", "--policy", "rules/small.toml", FILES[0]], more].concat());
    let (data, page) = (ask(&["--format", "json"]), ask(&["--html", "page.html"]));
    assert_eq!((page.status, page.out.as_str(), page.err.as_str()), (0, "", ""));
    let html = desk.read("page.html");
    let both = ask(&["--html", "both.html", "--format", "json"]);
    assert_eq!((both.status, both.err.as_str()), (0, ""));
    assert_eq!((both.out, desk.read("both.html")), (data.out, html));
}

#[test]
fn explain_takes_no_statement_of_one_customer_for_the_request_of_another() {
    let desk = Desk::new();
    let one = |customer: &str| {
        format!(r#"{{"id": "{customer}", "customer": "{customer}", "trans_date": "2026-06-10", "credit": 4000}}"#)
    };
    desk.write("two.ndjson", &format!("{}\n{}\n", one("ada"), one("obi")));
    let ask = |customer: &str, request: &str| {
        desk.write("request.json", request);
        desk.run(&[
            "explain",
            "--policy",
            "rules/small.toml",
            "two.ndjson",
            "--only-customer",
            customer,
            "--request",
            "request.json",
        ])
    };
    let refused = ask("ada", r#"{"customer": "obi", "amount": 1}"#);
    assert_eq!((refused.status, refused.out.as_str()), (1, ""));
    assert_eq!(
        refused.err,
        "error: `--only-customer` is `ada`, but the request is about the customer `obi`; \
         omit `--only-customer`, or give the request of that customer\n"
    );
    for request in [r#"{"customer": "ada", "amount": 1}"#, r#"{"amount": 1}"#] {
        let taken = ask("ada", request);
        assert_eq!((taken.status, taken.err.as_str()), (0, ""), "{request}");
        assert!(taken.out.contains("ada") && !taken.out.contains("obi"), "{}", taken.out);
    }
}

#[test]
fn explain_names_a_metric_or_says_why_it_is_unknown() {
    let desk = Desk::new();
    let ask = |metric: &str| desk.run(&["explain", "--policy", "rules/small.toml", FILES[0], "--metric", metric]);
    let records = ask("records");
    assert_eq!(records.status, 0, "{}", records.err);
    assert!(
        records.out.contains("\nrecords = 40\n  = COUNT(*)\n  40 records, the last 20 of them:\n"),
        "{}",
        records.out
    );
    assert!(ask("largest_debit").out.contains("largest_debit = unknown (needs_debit)"), "{}", ask("largest_debit").out);
    let typo = ask("recods");
    assert_eq!((typo.status, typo.out.as_str()), (1, ""));
    assert_eq!(typo.err, "error: `rules/small.toml` has no metric `recods`; did you mean `records`?\n");
    let whole = desk.run(&["explain", "--policy", "rules/small.toml", FILES[0]]);
    assert_eq!(whole.status, 0);
    assert!(whole.out.contains("R01"), "{}", whole.out);
}
