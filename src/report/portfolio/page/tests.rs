//! The page of made-up results: which parts it has, that nothing in it can break it, and that it says what is absent.

use super::sample::{HOSTILE, sample_one_policy, sample_sweep_summary, sample_two_policies};
use super::{backtest_page, sweep_page};
use crate::portfolio::summary::{Summary, SweepSummary};

const EXPLAIN: &str = "lendwright explain book.parquet --policy rules/new.toml --only-customer";

/// The ids of the sections of a page, in order.
fn sections(page: &str) -> Vec<&str> {
    page.split("<section id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

fn naira() -> (String, u32) {
    ("566".to_owned(), 2)
}

#[test]
fn two_policies_have_every_section_and_the_contents_lead_to_it() {
    let page = backtest_page(&sample_two_policies(), EXPLAIN);
    let expected = [
        "headline",
        "changes",
        "reasons",
        "offers",
        "scores",
        "outcomes",
        "profit",
        "vintages",
        "segments",
        "stability",
        "impact",
        "unknown",
        "tables",
        "flips",
        "inputs",
    ];
    assert_eq!(sections(&page), expected);
    for section in expected {
        assert!(page.contains(&format!("href=\"#{section}\"")), "{section}");
    }
    assert!(page.contains("<b>59.2%</b>") && page.contains("<b>61.8%</b>"));
    assert!(page.contains("▲ 2.6 points more"));
    assert!(page.contains("NGN 1,"));
    assert!(page.contains("unknown: between 0.0% and 100.0%"));
}

#[test]
fn one_policy_has_only_what_is_known_of_it() {
    let page = backtest_page(&sample_one_policy(), "");
    assert_eq!(sections(&page), ["headline", "reasons", "offers", "scores", "segments", "unknown", "tables", "inputs"]);
    assert!(!page.contains("challenger</span>") && !page.contains("class=\"warnings\""));
    assert!(!page.contains("bad rate"));
}

#[test]
fn nothing_decided_is_said_in_words() {
    let page = backtest_page(&Summary::default(), EXPLAIN);
    assert_eq!(sections(&page), ["inputs"]);
    assert!(page.contains("No customer was decided.") && page.contains("No input is recorded."));
    let page = sweep_page(&SweepSummary::default(), &naira());
    assert!(page.contains("There is nothing to show."));
}

#[test]
fn texts_from_data_cannot_break_the_page() {
    let page = backtest_page(&sample_two_policies(), EXPLAIN);
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<b>Kano") && !page.contains('\u{202e}'));
    assert!(page.contains("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; O'Neil\\u{202e}"));
    let mut quoted = sample_two_policies();
    let name = HOSTILE.replace('\u{202e}', "");
    quoted.swap_set.as_mut().expect("a swap set").flips[0].customer = name;
    let page = backtest_page(&quoted, EXPLAIN);
    assert!(page.contains("--only-customer</span> '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; O'\\''Neil'"));
}

#[test]
fn every_chart_has_a_name_and_its_numbers() {
    for page in [
        backtest_page(&sample_two_policies(), ""),
        backtest_page(&sample_one_policy(), ""),
        sweep_page(&sample_sweep_summary(2), &naira()),
    ] {
        let figures: Vec<&str> = page.split("<figure>").skip(1).collect();
        assert!(figures.len() > 5);
        for figure in figures {
            let figure = figure.split("</figure>").next().unwrap_or_default();
            assert!(figure.contains("<figcaption><b>") && figure.contains("<details class=\"data\">"), "{figure}");
            assert_eq!(figure.matches("role=\"img\" aria-label=\"Chart: ").count(), 2, "{figure}");
            assert!(!figure.contains("NaN") && !figure.contains("inf\""), "{figure}");
        }
    }
}

#[test]
fn a_page_needs_nothing_else() {
    for page in [backtest_page(&sample_two_policies(), EXPLAIN), sweep_page(&sample_sweep_summary(1), &naira())] {
        for outside in ["http://", "https://", "src=", "@import", "url("] {
            assert!(!page.contains(outside), "{outside}");
        }
        assert!(page.contains("default-src 'none'"));
    }
}

#[test]
fn a_customer_has_the_command_that_explains_it() {
    let page = backtest_page(&sample_two_policies(), EXPLAIN);
    assert!(page.contains("rules/new.toml <span class=\"option\">--only-customer</span> NG-007919</code>"));
    assert_eq!(page.matches("<code class=\"command\">").count(), 119);
    assert!(page.contains("the name has invisible characters"));
    assert!(page.contains("<option value=\"decline → offer\">decline → offer (30)</option>"));
    assert!(page.contains("120 of 120"));
    assert!(!backtest_page(&sample_two_policies(), "").contains("explained by"));
}

#[test]
fn a_sweep_shows_what_its_parameters_allow() {
    assert_eq!(sections(&sweep_page(&sample_sweep_summary(1), &naira())), ["curves", "frontier", "tornado", "points"]);
    assert_eq!(sections(&sweep_page(&sample_sweep_summary(2), &naira())), ["maps", "frontier", "tornado", "points"]);
    let random = SweepSummary { search: "random".to_owned(), ..sample_sweep_summary(2) };
    assert_eq!(sections(&sweep_page(&random, &naira())), ["frontier", "tornado", "points"]);
    let alone =
        SweepSummary { points: Vec::new(), parameters: Vec::new(), frontier: Vec::new(), ..sample_sweep_summary(1) };
    assert_eq!(sections(&sweep_page(&alone, &naira())), ["tornado"]);
    let bare = sample_sweep_summary(1).points.into_iter().map(|mut point| {
        (point.bad_rate, point.profit) = (None, None);
        point
    });
    let bare = SweepSummary { points: bare.collect(), tornado: Vec::new(), ..sample_sweep_summary(1) };
    assert_eq!(sections(&sweep_page(&bare, &naira())), ["curves", "points"]);
    assert!(!sweep_page(&sample_sweep_summary(1), &naira()).contains("not tried"));
    let less = SweepSummary { left_out: vec!["salary_gap".to_owned()], ..sample_sweep_summary(1) };
    assert!(sweep_page(&less, &naira()).contains("<dt>not tried</dt><dd>salary_gap: values over records"));
}

#[test]
fn the_same_numbers_make_the_same_page() {
    assert_eq!(backtest_page(&sample_two_policies(), EXPLAIN), backtest_page(&sample_two_policies(), EXPLAIN));
}

/// Writes the pages to look at: `PAGES=/tmp/pages cargo test write_pages -- --ignored`.
#[test]
#[ignore = "writes files to look at"]
fn write_pages() {
    let folder = std::path::PathBuf::from(std::env::var_os("PAGES").expect("a folder in PAGES"));
    let pages = [
        ("two.html", backtest_page(&sample_two_policies(), EXPLAIN)),
        ("one.html", backtest_page(&sample_one_policy(), "")),
        ("none.html", backtest_page(&Summary::default(), "")),
        ("sweep1.html", sweep_page(&sample_sweep_summary(1), &naira())),
        ("sweep2.html", sweep_page(&sample_sweep_summary(2), &naira())),
    ];
    for (name, page) in pages {
        std::fs::write(folder.join(name), page).expect("written");
    }
}
