//! Alerts, dashboard and runbook belong together: each alert has a section, and each metric that they use is one of the
//! reference page, which `tests/it/lender/process/metrics.rs` compares with the service.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The metrics of the reference page, as queries name them.
fn known_samples() -> BTreeSet<String> {
    let page = read("docs/reference/service-metrics.md");
    let rows = page.lines().filter(|line| line.starts_with("| `lendwright_"));
    rows.flat_map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        let endings: &[&str] = if cells[2] == "histogram" { &["_bucket", "_count", "_sum"] } else { &[""] };
        endings.iter().map(|ending| format!("{name}{ending}")).collect::<Vec<_>>()
    })
    .collect()
}

/// The metrics that a text names. The service's own begin with its name, and every word of a query that does is one.
fn named_metrics(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.filter(|word| word.starts_with("lendwright_")).map(str::to_owned).collect()
}

/// The values of a key in the rules: one to a line, or in quotes.
fn values<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let lines = text.lines().map(|line| line.trim_start().trim_start_matches("- "));
    lines.filter_map(|line| line.strip_prefix(key)).map(str::trim).collect()
}

#[test]
fn each_alert_has_a_section_and_a_test_and_uses_metrics_that_exist() {
    let (rules, tests, runbook) =
        (read("packaging/alerts.yml"), read("packaging/alerts.test.yml"), read("docs/guides/runbook.md"));
    let alerts = values(&rules, "alert:");
    assert!(alerts.len() > 15, "{alerts:?}");
    let sections: Vec<&str> =
        runbook.lines().filter_map(|line| line.strip_prefix("## ")).filter(|title| title.starts_with("Lend")).collect();
    assert_eq!(sections, alerts, "the runbook has a section for each alert, in their order");
    let links: Vec<String> =
        alerts.iter().map(|alert| format!("docs/guides/runbook.md#{}", alert.to_lowercase())).collect();
    assert_eq!(values(&rules, "runbook:"), links);
    let tried = values(&tests, "alertname:");
    for alert in &alerts {
        assert_eq!(tried.iter().filter(|name| *name == alert).count(), 2, "{alert} fires once and is silent once");
    }
    let known = known_samples();
    for (name, text) in [("alerts.yml", &rules), ("alerts.test.yml", &tests)] {
        let unknown: Vec<String> = named_metrics(text).difference(&known).cloned().collect();
        assert!(unknown.is_empty(), "{name} names {unknown:?}, which are not in the reference page");
    }
}

/// A condition without an alert is only seen by those who look.
#[test]
fn each_condition_is_in_the_runbook_and_has_an_alert() {
    let (rules, runbook) = (read("packaging/alerts.yml"), read("docs/guides/runbook.md"));
    for condition in lendwright::lender::hosted::Condition::ALL {
        let fatal = if condition.is_fatal() { "yes" } else { "no" };
        let row = format!("| `{}` | {fatal} |", condition.name());
        assert!(runbook.contains(&row), "the runbook has no row `{row}`");
        let is_watched = rules.contains(condition.name());
        assert_eq!(is_watched, condition.name() != "stopping", "{}", condition.name());
    }
}

#[test]
fn the_dashboard_shows_every_metric_that_exists_and_no_other() {
    let text = read("packaging/dashboard.json");
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let (known, shown) = (known_samples(), named_metrics(&text));
    let unknown: Vec<_> = shown.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    // Of a histogram, buckets and counts are enough.
    let missing: Vec<_> = known.difference(&shown).filter(|name| !name.ends_with("_sum")).collect();
    assert!(missing.iter().all(|name| name.ends_with("_count")), "{missing:?}");
    let (mut ids, mut places) = (BTreeSet::new(), BTreeSet::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        let place = &panel["gridPos"];
        let number = |name: &str| place[name].as_u64().unwrap();
        assert!(number("x") + number("w") <= 24, "{panel}");
        assert!(ids.insert(panel["id"].as_u64().unwrap()) && places.insert((number("x"), number("y"))), "{panel}");
        assert!(!panel["title"].as_str().unwrap().is_empty());
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            assert!(!named_metrics(query).is_empty() && query.contains("$instance"), "{query}");
            let open = |letter: char| query.chars().filter(|other| *other == letter).count();
            assert!(open('(') == open(')') && open('{') == open('}') && open('[') == open(']'), "{query}");
        }
    }
}
