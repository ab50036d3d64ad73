//! The page of an explanation in a real browser, if there is one: on a phone and on paper-wide screens, light and dark.
//! Every part is unfolded. Nothing is squeezed, nothing is wider than the screen, nothing is asked of a network.

use lendwright::base::date::Day;
use lendwright::decision::{Request, explain, reading};
use lendwright::generate::{Options, statement_json};
use lendwright::{Policy, load_policy, read_json, report};

use crate::fixtures::page_checks::{audit, wrong};

fn starter() -> Policy {
    let rules = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/starter.toml");
    load_policy(rules, &[]).unwrap()
}

/// The page of a statement in the provider's JSON.
fn page(policy: &Policy, json: &str) -> String {
    let statements = read_json(json.as_bytes(), "statement", &reading(policy)).unwrap();
    let request = Request::on(Day::parse_iso("2026-10-12").unwrap());
    report::render_explanation_page(&explain(policy, &statements, &request).unwrap())
}

/// Records on both sides with balances, months without any, and texts without a blank to break at.
fn long_statement() -> String {
    let mut records = Vec::new();
    let (mut balance, unbroken) = (5_000_000_i64, "REF0123456789".repeat(9));
    for number in 0..240 {
        let (month, day) = (number / 20 % 12 + 1, number % 20 + 1);
        if [3, 8].contains(&month) {
            continue;
        }
        let (credit, debit) = if number % 3 == 0 { (0, 91_234_500) } else { (187_654_300, 0) };
        balance += credit - debit;
        let narration = ["ATM WITHDRAWAL", "NIP/GTB/ACME LIMITED/SALARY", unbroken.as_str()][number % 3];
        records.push(format!(
            r#"{{"id": "6ace6fdca40ee748{number:08}", "customer": "c", "trans_date": "2025-{month:02}-{day:02}",
            "credit": {credit}, "debit": {debit}, "balance": {balance}, "notes": {{"desc": "{narration}"}}}}"#
        ));
    }
    format!("[{}]", records.join(","))
}

/// Pages of every outcome: unknowns, nothing at all, and a long statement.
fn pages() -> Vec<(&'static str, String)> {
    let policy = starter();
    let person = |number: u64| {
        let json = statement_json(3, number, &Options::default()).unwrap();
        page(&policy, &String::from_utf8(json).unwrap())
    };
    let pages = vec![
        ("offer", person(1)),
        ("refer", person(25)),
        ("decline", page(&policy, "[]")),
        ("refer", page(&policy, &long_statement())),
    ];
    for (outcome, page) in &pages {
        assert!(page.contains(&format!("<span class=\"badge {outcome}\">")), "no {outcome}");
    }
    pages
}

#[test]
fn a_page_is_readable_on_a_phone_and_a_desk_light_and_dark() {
    let audit = audit();
    for (name, page) in pages() {
        // An audit takes seconds, so that each scheme has one.
        for (width, scheme, audit) in [(420, "light", audit.as_str()), (800, "dark", &audit), (1400, "light", "")] {
            let Some(wrong) = wrong(&page, width, scheme, audit) else { return };
            assert!(wrong.is_empty(), "{name}, {width} px, {scheme}: {wrong:#?}");
        }
    }
}

/// The test above can fail: each of these is found.
#[test]
fn what_is_wrong_with_a_page_is_found() {
    let page = |body: &str| {
        format!("<!doctype html><html lang=en><title>t</title><body><details>d</details>{body}</body></html>")
    };
    let text = "<p>some words that stand in a column</p>";
    let Some(fine) = wrong(&page(text), 420, "light", "") else { return };
    assert_eq!(fine, [""; 0]);
    let squeezed = "<p style='width: 20px; overflow-wrap: anywhere'>letters</p>";
    for (body, named) in [
        (squeezed, "letters"),
        ("<p style='width: 900px'>wide</p>", "px of 420"),
        ("<script>missing()</script>", "missing is not defined"),
        ("<img src='http://127.0.0.1:9/x.png'>", "asks for http://127.0.0.1:9/x.png"),
    ] {
        let found = wrong(&page(body), 420, "light", "").unwrap();
        assert!(found.iter().any(|line| line.contains(named)), "{named}: {found:#?}");
    }
    let audit = audit();
    if !audit.is_empty() {
        let found = wrong(&page("<main><img src='data:,'></main>"), 420, "light", &audit).unwrap();
        assert!(found.iter().any(|line| line.starts_with("image-alt")), "{found:#?}");
    }
}

#[test]
fn a_page_opens_with_the_statement_in_a_few_figures() {
    let page = page(&starter(), &long_statement());
    for shown in [
        "<h1>starter 2026.11: refer, 2026-10-12</h1>",
        "<dt>Period</dt><dd>2025-01-01 to 2025-12-20, 354 days; ends 296 days before the decision</dd>",
        "<dt>Records</dt><dd>200</dd>",
        "<dt>Gaps</dt><dd>no records in 2025-03, 2025-08</dd>",
        "<th scope=\"row\">2025-03</th><td colspan=\"4\">no records</td>",
    ] {
        assert!(page.contains(shown), "{shown}: {}", &page[page.find("<h1>").unwrap()..][..3000]);
    }
    // The months are marked in the wide picture and in the narrow one.
    assert_eq!(page.matches("<rect class=\"gap\"").count(), 4);
    // A requirement that is met shows what it compared, while it is folded.
    let compared = "<span class=\"compared\"><span><code>full_months</code> = 11</span> \
        <span><code>days_shown</code> = 354</span> <span><code>may_cover_more</code> = no</span> \
        <span><code>$min_full_months</code> = 3</span> </span>";
    assert!(page.contains(compared), "{}", &page[page.find("<span class=\"compared").unwrap()..][..500]);
}
