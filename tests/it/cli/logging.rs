//! Logs: lines of JSON without personal data, and `--quiet`.

use super::private_statement::{desk, lendwright, text};

#[test]
fn logs_are_lines_of_json_and_hold_nothing_personal() {
    let desk = desk();
    for arguments in [
        vec!["decide", "--policy", "policy.toml", "s.ndjson"],
        vec!["batch", "--policy", "policy.toml", "--out", "out", "s.ndjson"],
        vec!["metrics", "--policy", "policy.toml", "s.ndjson", "none.csv"],
    ] {
        let said = lendwright(&[arguments.as_slice(), &["-vvv", "--log-format", "json"]].concat(), desk.path());
        let log = text(&said.stderr);
        assert!(!log.is_empty(), "{arguments:?}");
        for line in log.lines() {
            let event: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            for key in ["timestamp", "level", "target", "fields"] {
                assert!(!event[key].is_null(), "{line}");
            }
            assert!(event["target"].as_str().unwrap().starts_with("lendwright"), "{line}");
        }
        assert!(!log.contains("CANARY") && !log.contains("7654321"), "{log}");
        let plain = lendwright(&[arguments.as_slice(), &["-vvv"]].concat(), desk.path());
        assert!(!text(&plain.stderr).contains("CANARY"), "{}", text(&plain.stderr));
    }
}

#[test]
fn quiet_says_nothing_but_errors() {
    let desk = desk();
    let batch = ["batch", "--policy", "policy.toml", "--out", "out", "s.ndjson", "--quiet"];
    let said = lendwright(&batch, desk.path());
    assert_eq!((said.status.code(), text(&said.stderr).as_str()), (Some(0), ""));
    let said = lendwright(&["--quiet", "decide", "--policy", "none.toml", "s.ndjson"], desk.path());
    assert_eq!(said.status.code(), Some(1));
    assert!(text(&said.stderr).contains("none.toml"), "{}", text(&said.stderr));
    assert_eq!(lendwright(&["--quiet", "-v", "schema"], desk.path()).status.code(), Some(2));
}
