//! `import dmn` on the command line: what it overwrites, what it refuses, and how policies use its result.

use crate::fixtures::desk::{Desk, POLICY};

const MODEL: &str = include_str!("../../../testdata/dmn/loan.dmn");

#[test]
fn an_import_writes_over_nothing_unless_it_is_told_to() {
    let desk = Desk::new();
    desk.write("loan.dmn", MODEL);
    let said = desk.run(&["import", "dmn", "loan.dmn", "--out", "rules/small.toml"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert_eq!(said.err, "error: `rules/small.toml` already exists; give another name, or --force\n");
    assert_eq!(desk.read("rules/small.toml"), POLICY);
    let said = desk.run(&["import", "dmn", "loan.dmn", "--out", "rules/small.toml", "--force"]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(desk.read("rules/small.toml").contains("name = \"loan-check\""));
}

#[test]
fn an_import_never_writes_over_its_model() {
    let desk = Desk::new();
    desk.write("loan.dmn", MODEL);
    let said = desk.run(&["import", "dmn", "loan.dmn", "--out", "rules/../loan.dmn", "--force"]);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    let wanted =
        "error: `--out rules/../loan.dmn` would overwrite the input `loan.dmn`; nothing was done: name another file\n";
    assert_eq!(said.err, wanted);
    assert_eq!(desk.read("loan.dmn"), MODEL);
}

#[test]
fn an_import_refuses_what_check_would() {
    let desk = Desk::new();
    desk.write("loan.dmn", MODEL);
    for (option, value, says) in [
        ("--currency", "999999", "it is not a currency; ISO 4217 numeric, such as \"566\" for the naira"),
        ("--currency", "NGN", "it is not a currency; use its numeric code: \"566\""),
        ("--time-zone", "Foo/Bar", "it is not a time zone; an IANA name such as \"Africa/Lagos\""),
    ] {
        let said = desk.run(&["import", "dmn", "loan.dmn", option, value]);
        assert!(said.status != 0 && said.out.is_empty() && said.err.contains(says), "{}", said.err);
    }
    desk.write(
        "empty.dmn",
        "<definitions xmlns=\"https://www.omg.org/spec/DMN/20191111/MODEL/\" name=\"m\" namespace=\"x\"/>",
    );
    let said = desk.run(&["import", "dmn", "empty.dmn"]);
    let whole = "error: empty.dmn: nothing of the model can be carried over:\n  it has no decisions\n";
    assert_eq!((said.status, said.err.as_str()), (1, whole));
}

/// The page about models, step by step: hand-written rules stay when the model is imported again.
#[test]
fn a_policy_of_ones_own_uses_what_was_imported() {
    let page = include_str!("../../../docs/guides/dmn.md");
    let policy = page.split("```toml\n# loan.toml\n").nth(1).unwrap().split("\n```").next().unwrap();
    let desk = Desk::new();
    desk.write("loan.dmn", MODEL);
    desk.write("rules/loan.toml", policy);
    desk.write("nothing.json", "[]");
    let request = r#"{"applicant_age": 30, "applicant_employer_s_name": "Acme, Ltd", "applicant_born": "1996-01-01",
        "bureau_codes": ["R1"], "amount": 1200}"#;
    desk.write("request.json", request);
    for rates in ["0.12", "0.13"] {
        desk.write("loan.dmn", &MODEL.replace("0.12", rates));
        let said = desk.run(&["import", "dmn", "loan.dmn", "--shared", "--out", "rules/loan-model.toml", "--force"]);
        assert_eq!(said.status, 0, "{}", said.err);
        let said = desk.run(&["check", "rules/loan.toml", "rules/loan-model.toml", "--deny", "warnings"]);
        assert_eq!(said.status, 0, "{}", said.err);
        let decide = [
            "decide",
            "--policy",
            "rules/loan.toml",
            "--as-of",
            "2026-06-30",
            "--request",
            "request.json",
            "nothing.json",
        ];
        let said = desk.run(&decide);
        let decision: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(decision["offers"][0]["amountOffered"], 120_000, "{}", said.out);
        assert_eq!(decision["offers"][0]["interest"], 100.0 * rates.parse::<f64>().unwrap());
    }
}

#[test]
fn an_imported_policy_declines_everybody_as_its_first_lines_say() {
    let desk = Desk::new();
    desk.write("loan.dmn", MODEL);
    desk.run(&["import", "dmn", "loan.dmn", "--out", "loan.toml"]);
    assert!(desk.read("loan.toml").contains("everybody is declined with NO_OFFER"));
    let said = desk.run(&["decide", "--policy", "loan.toml", "in/statement-000001.json"]);
    assert!(said.out.contains("\"outcome\":\"decline\",\"reasons\":[{\"id\":\"NO_OFFER\""), "{}", said.out);
}
