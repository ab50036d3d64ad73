//! The configuration file: what `--check` says of it, and the sample beside the code.

use std::collections::BTreeSet;
use std::process::Command;

use lendwright::lender::config::Config;

use crate::fixtures::lender_service::{Bench, command};

const SAMPLE: &str = include_str!("../../../../docs/guides/serve.toml");

/// The names in the answer to an unknown key.
fn known_at(text: &str, path: &str) -> Vec<String> {
    let mistakes = Config::read(text).unwrap_err();
    let found = mistakes.into_iter().find(|mistake| mistake.path == path);
    let problem = found.unwrap_or_else(|| panic!("{path}")).problem;
    let (_, list) = problem.split_once("expected").or_else(|| problem.split_once("there are")).unwrap();
    list.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The sections and keys that the code knows. Those of a source are on a page of their own.
fn known() -> BTreeSet<(String, String)> {
    let mut known = BTreeSet::new();
    for section in known_at("[unheard]", "unheard").into_iter().filter(|section| section != "source") {
        let (text, path) = match section.as_str() {
            "credentials" => ("[[credentials]]\nunheard = 1".to_owned(), "credentials[0].unheard".to_owned()),
            _ => (format!("[{section}]\nunheard = 1"), format!("{section}.unheard")),
        };
        known.extend(known_at(&text, &path).into_iter().map(|key| (section.clone(), key)));
    }
    known
}

#[test]
fn the_page_about_sources_has_every_key() {
    let page = include_str!("../../../../docs/guides/sources.md").split_once("## All keys").unwrap().1;
    let first_cells = page.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').nth(1).unwrap());
    let shown: BTreeSet<String> =
        first_cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).map(str::to_owned).collect();
    assert_eq!(shown, known_at("[source.x]\nunheard = 1", "source.x.unheard").into_iter().collect());
}

/// A line of the sample: its section and key, and the line without its comment sign.
fn keys() -> Vec<(String, String, String, bool)> {
    let mut section = String::new();
    let mut keys = Vec::new();
    for line in SAMPLE.lines() {
        if let Some(name) = line.strip_prefix('[') {
            section = name.trim_start_matches('[').split(']').next().unwrap().to_owned();
        }
        let bare = line.strip_prefix("# ").unwrap_or(line);
        let Some((key, _)) = bare.split_once(" = ") else { continue };
        let is_key = key.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
        if is_key && !section.is_empty() {
            keys.push((section.clone(), key.to_owned(), bare.to_owned(), line.starts_with('#')));
        }
    }
    keys
}

#[test]
fn the_sample_has_every_key_of_the_code_and_no_other() {
    let shown: BTreeSet<(String, String)> = keys().into_iter().map(|(section, key, ..)| (section, key)).collect();
    assert_eq!(shown, known(), "left: docs/guides/serve.toml, right: the code");
}

#[test]
fn the_sample_is_a_good_configuration_and_shows_the_defaults() {
    let plain = Config::read(SAMPLE).unwrap();
    // Those without a default show an example.
    let examples = [
        "url",
        "url_from",
        "root_certificates",
        "seen_file",
        "keys_command",
        "parameters",
        "base_url",
        "provider_code",
        "book",
        "shadows",
        "api_address",
        "api_keys_file",
    ];
    for (section, key, line, is_comment) in keys() {
        if !is_comment || examples.contains(&key.as_str()) || key == "clock_ahead" {
            continue;
        }
        let text = SAMPLE.replacen(&format!("# {line}"), &line, 1);
        assert_ne!(text, SAMPLE, "{section}.{key}");
        let with = Config::read(&text).unwrap_or_else(|mistakes| panic!("{section}.{key}: {mistakes:?}"));
        assert_eq!(with, plain, "{section}.{key} does not show the default");
    }
    let said = Command::new(env!("CARGO_BIN_EXE_lendwright")).args(["serve", "--sample"]).output().unwrap();
    assert_eq!(String::from_utf8(said.stdout).unwrap(), SAMPLE);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_shows_what_would_be_served_and_changes_nothing() {
    let bench = Bench::new("").await;
    let check = || {
        let said = command(bench.folder.path()).arg("--check").output().unwrap();
        let text = String::from_utf8(said.stdout).unwrap() + &String::from_utf8(said.stderr).unwrap();
        (said.status.code(), text)
    };
    let (status, text) = check();
    assert_eq!(status, Some(1), "{text}");
    assert!(
        text.contains("lender.sqlite` is missing: if") && text.contains("`lendwright serve --init` makes a new"),
        "{text}"
    );
    assert!(!bench.path("lender.sqlite").exists());
    let service = bench.serve();
    let (status, text) = check();
    assert_eq!(status, Some(0), "{text}");
    assert!(text.contains("at migration 3, the newest"), "{text}");
    assert!(service.lines.iter().any(|line| line.starts_with("policy     small 1 (")), "{:?}", service.lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn check_lists_every_mistake_of_what_the_file_names() {
    let bench = Bench::new("[testing]\nclock_ahead = \"P1D\"\n").await;
    for name in ["token", "password"] {
        std::fs::remove_file(bench.path(name)).unwrap();
    }
    bench.write("keys", "1:abc\n");
    bench.write("policy.toml", "[policy]\nname = 5\n");
    let text = std::fs::read_to_string(bench.path("lender.toml")).unwrap();
    let text = text.replace(&bench.sandbox.sandbox.base_url(), "https://provider.example");
    bench.write("lender.toml", &text.replace("lender.sqlite", "nowhere/lender.sqlite"));
    let said = command(bench.folder.path()).arg("--check").output().unwrap();
    assert_eq!(said.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(said.stderr).unwrap());
}

/// Each case would lack the metric.
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_with_given_metrics_is_refused_at_the_start() {
    let bench = Bench::new("").await;
    let policy = crate::fixtures::lender_service::POLICY;
    bench.write("policy.toml", &policy.replace("[metric]\n", "[metric]\nfico = { given = \"count\" }\n"));
    let said = command(bench.folder.path()).arg("--check").output().unwrap();
    let text = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.contains("policy.path") && text.contains("declares the given metric `fico`"), "{text}");
}

#[test]
fn a_file_that_is_missing_or_empty_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let program = env!("CARGO_BIN_EXE_lendwright");
        let said = Command::new(program).arg("serve").args(arguments).current_dir(folder.path()).output().unwrap();
        (said.status.code(), String::from_utf8(said.stderr).unwrap())
    };
    let (status, missing) = said(&["--config", "lender.toml"]);
    assert_eq!(status, Some(1), "{missing}");
    std::fs::write(folder.path().join("lender.toml"), "").unwrap();
    let (status, empty) = said(&["--config", "lender.toml"]);
    assert_eq!(status, Some(1), "{empty}");
    insta::assert_snapshot!(format!("{missing}\n{empty}"));
    assert_eq!(said(&[]).0, Some(2));
    assert_eq!(said(&["--sample", "--check"]).0, Some(2));
}
