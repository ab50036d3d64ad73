//! The report of a backtest in a real browser, if there is one: on a phone and on a desk, light and dark, and its table
//! of changed customers as somebody sorts and filters it.

use crate::fixtures::desk::Desk;
use crate::fixtures::page_checks::{audit, seen, wrong};

/// A backtest of twenty customers who lose their offer and twenty who keep it; the outcomes of the first are known.
fn report() -> String {
    let desk = Desk::new();
    for (records, seed, folder) in [("40", "1", "few"), ("120", "2", "many")] {
        let more = ["--records", records, "--seed", seed, "--format", "parquet", "--out", folder];
        let made = desk.run(&[&["generate", "--statements", "20"][..], &more].concat());
        assert_eq!(made.status, 0, "{}", made.err);
    }
    let change = ["backtest", "--policy", "rules/small.toml", "--param", "min_records=100"];
    let against = ["--against", "rules/small.toml", "--as-of", "2026-10-31", "--by", "month"];
    let inputs = ["few/statements.parquet", "many/statements.parquet"];
    let found = desk.run(&[&change[..], &against, &inputs, &["--format", "json"]].concat());
    let found: serde_json::Value =
        serde_json::from_str(&found.out).unwrap_or_else(|error| panic!("{error}: {found:?}"));
    let flips = found["swap_set"]["flips"].as_array().expect("flips");
    assert_eq!(flips.len(), 20);
    let mut outcomes = "customer,bad\n".to_owned();
    for (at, flip) in flips.iter().enumerate() {
        outcomes += &format!("{},{}\n", flip["customer"].as_str().expect("a customer"), at % 4 / 3);
    }
    desk.write("outcomes.csv", &outcomes);
    let more = ["--outcomes", "outcomes.csv", "--report", "report.html"];
    let made = desk.run(&[&change[..], &against, &inputs, &more].concat());
    assert_eq!(made.status, 0, "{}", made.err);
    desk.read("report.html")
}

#[test]
fn a_report_is_readable_on_a_phone_and_a_desk_light_and_dark() {
    let (page, audit) = (report(), audit());
    for (width, scheme) in [(320, "light"), (800, "dark"), (1400, "light")] {
        let Some(wrong) = wrong(&page, width, scheme, &audit) else { return };
        assert!(wrong.is_empty(), "{width} px, {scheme}: {wrong:#?}");
    }
}

/// Sorts by a click, filters by a text, and counts what is drawn.
const USE: &str = r#"
const table = document.querySelector(".flips table");
const [customer] = table.tHead.rows[0].cells;
const shown = () => [...table.tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.cells[0].textContent);
const first = shown();
const sorted = [...first].sort((one, other) => one.localeCompare(other, "en", { numeric: true }));
customer.querySelector("button").click();
seen.push(`${customer.ariaSort} ${shown().join() === sorted.join()}`);
customer.querySelector("button").click();
seen.push(`${customer.ariaSort} ${shown().join() === sorted.reverse().join()}`);
const form = document.querySelector("form.filters");
const filter = (text, group) => {
  form.elements.text.value = text;
  form.elements.group.value = group;
  form.dispatchEvent(new Event("input"));
  seen.push(`${form.querySelector("output").value}, ${shown().length} shown`);
};
filter("", "offer → decline");
filter(first[0].toUpperCase(), "");
filter("nobody", "");
const charts = [...document.querySelectorAll("svg.chart")].filter((chart) => chart.getBoundingClientRect().height > 40);
seen.push(charts.length >= 6 ? "charts" : `only ${charts.length} charts`);
seen.push(charts.every((chart) => chart.ariaLabel) ? "named" : "nameless");
"#;

#[test]
fn the_table_of_changed_customers_sorts_and_filters() {
    let Some(seen) = seen(&report(), USE) else { return };
    let expected = [
        "ascending true",
        "descending true",
        "20 of 20, 20 shown",
        "1 of 20, 1 shown",
        "0 of 20, 0 shown",
        "charts",
        "named",
    ];
    assert_eq!(seen, expected);
}
