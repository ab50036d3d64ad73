//! Where numbers come from, in the output of `explain`.

use lendwright::decision::{Counted, Explanation, Number, Request, evidence, explain};
use lendwright::generate::{Options, statement_json};
use lendwright::report::{self, Listing};
use lendwright::{Policy, PolicySet, Statements};

use crate::engine::decision::{RECORDS, policy, statements};

fn told(metric: &str) -> String {
    let policy = policy(&[]);
    let told = evidence(&policy, &statements(&policy, RECORDS), &Request::default(), metric).unwrap().unwrap();
    report::render_evidence_text(&told[0], 20)
}

/// How the decision on the first statement came about, as `explain` prints it.
pub(crate) fn text(policy: &dyn PolicySet, statements: &Statements, request: &Request) -> String {
    report::render_explanation_text(&explain(policy, statements, request).unwrap()[0], Listing::Problems(3))
}

#[test]
fn a_ratio_leads_to_its_parts_and_their_records() {
    insta::assert_snapshot!(told("salary_share"));
}

#[test]
fn a_filter_that_uses_a_metric_leads_to_it() {
    insta::assert_snapshot!(told("large"));
}

#[test]
fn months_and_unknowns_are_told() {
    insta::assert_snapshot!(told("steady"));
    insta::assert_snapshot!(told("debit_total"));
}

#[test]
fn no_such_metric_is_nothing() {
    let policy = policy(&[]);
    assert_eq!(evidence(&policy, &statements(&policy, RECORDS), &Request::default(), "nope").unwrap(), None);
}

#[test]
fn the_decision_is_told_rule_by_rule() {
    let policy = policy(&[("min_credits", "5")]);
    insta::assert_snapshot!(text(&policy, &statements(&policy, RECORDS), &Request::default()));
}

#[test]
fn a_narration_does_not_steer_the_terminal() {
    let policy = policy(&[]);
    let nasty = r#"{"id": "\u001b[2J", "customer": "c\u0007", "trans_date": "2026-04-30", "credit": 1,
        "notes": {"desc": "A\u001b[31mB\nC"}}"#;
    let told = evidence(&policy, &statements(&policy, nasty), &Request::default(), "credit_total").unwrap().unwrap();
    let told = report::render_evidence_text(&told[0], 20);
    assert!(told.chars().all(|letter| letter == '\n' || !letter.is_control()), "{}", told.escape_debug());
    assert_eq!(told.lines().count(), 5, "{told}");
}

#[test]
fn members_of_blocks_near_misses_and_bounds_are_told() {
    let rules = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
        [request]\namount = \"money\"\nconfirmed = \"boolean\"\n\
        [metric]\nincome = \"SUM(credit)\"\nrecords = \"COUNT(*)\"\n\
        [[require]]\nid = \"R1\"\nat_least = 2\nof = [\"income > 100\", \"records > 5\", \
        { any = [\"request.confirmed\", \"income > 50\"] }]\nreason = \"too few signs\"\n\
        [table.grade]\nhit = \"first\"\ninputs = [\"income\", \"records\"]\noutputs = { grade = \"text\" }\n\
        rows = [[\">= 9000\", \"-\", \"A\"], [\">= 100\", \">= 3\", \"B\"], [\">= 9000\", \">= 9\", \"X\"], \
        [\"-\", \"-\", \"C\"]]\n\
        [ask]\namount = \"request.amount\"\n\
        [[offer]]\nid = \"o\"\ntenure = 30\namount = \"0.5 * income\"\ncap = [700, \"income\"]\nstep = 100\n\
        floor = 50\ninterest = 1\n";
    let policy = lendwright::compile("x.toml", rules, &mut |_| Err("none".into()), &[]).unwrap();
    let record = r#"[{"id": "1", "customer": "ada", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = lendwright::read_json(record.as_bytes(), "one", &lendwright::reading(&policy)).unwrap();
    let request = Request::from_json(&policy, br#"{"amount": 90000}"#).unwrap();
    insta::assert_snapshot!("members_and_bounds", text(&policy, &statements, &request));
}

fn of(metric: &str) -> (Policy, Statements, Vec<Number>) {
    let policy = policy(&[]);
    let statements = statements(&policy, RECORDS);
    let told = evidence(&policy, &statements, &Request::default(), metric).unwrap().unwrap().remove(0);
    (policy, statements, told.numbers)
}

#[test]
fn what_was_counted_adds_up_to_the_number() {
    let (_, statements, numbers) = of("salary_total");
    let Counted::Records(records) = &numbers[0].counted[0] else { panic!("{numbers:#?}") };
    let credits = statements.frame().column("credit").unwrap().i64().unwrap();
    let sum: i64 = records.iter().map(|record| credits.get(record.row - 1).unwrap()).sum();
    assert_eq!(numbers[0].figure.value, sum, "{numbers:#?}");
}

#[test]
fn months_name_the_records_behind_them() {
    let (_, _, numbers) = of("steady");
    let Counted::Groups(months) = &numbers[0].counted[0] else { panic!("{numbers:#?}") };
    assert_eq!(
        months.groups.iter().map(|month| (month.name.as_str(), month.rows.len())).collect::<Vec<_>>(),
        [("2026-05", 1)]
    );
}

/// The shipped policies on generated people: each explanation agrees with itself and with the decision.
#[test]
fn explanations_agree_with_the_decisions_they_explain() {
    for file in ["starter.toml", "salary-advance.toml", "small-business.toml"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules").join(file);
        let policy = lendwright::load_policy(&path, &[]).unwrap();
        for seed in 0..12 {
            let options = Options { records: 150, debits: seed % 2 == 1, noise: 0.3, ..Options::default() };
            let bytes = statement_json(7, seed, &options).unwrap();
            let statements = lendwright::read_json(&bytes, file, &lendwright::reading(&policy)).unwrap();
            let told = explain(&policy, &statements, &Request::default()).unwrap().remove(0);
            let decided = lendwright::decide(&policy, &statements, &Request::default()).unwrap().remove(0);
            assert_eq!(told.decision, decided);
            agrees(&told);
        }
    }
}

fn agrees(told: &Explanation) {
    let by_name = |name: &str| told.numbers.iter().find(|number| number.name == name).expect("a number that is named");
    let rows: Vec<usize> = told.records.iter().map(|record| record.row).collect();
    assert!(rows.is_sorted_by(|a, b| a < b));
    for number in &told.numbers {
        assert!(number.made_of.iter().all(|part| by_name(part).name == *part));
        if let Some(value) = told.decision.metrics.get(&number.name) {
            assert_eq!(*value, number.figure.value, "{}", number.name);
        }
        for counted in &number.counted {
            let used: Vec<usize> = match counted {
                Counted::Records(records) => records.iter().map(|record| record.row).collect(),
                Counted::Groups(counted) => counted.groups.iter().flat_map(|group| group.rows.clone()).collect(),
            };
            assert!(used.iter().all(|row| rows.binary_search(row).is_ok()));
        }
    }
    let unmet = told.requirements.iter().filter(|asked| asked.effect != lendwright::rules::Effect::Pass);
    for requirement in unmet {
        assert!(told.decision.reasons.iter().any(|reason| reason.id == requirement.id), "{}", requirement.id);
    }
    if let Some(score) = &told.score {
        let points: f64 = score.items.iter().filter_map(|item| item.points.value.as_f64()).sum();
        assert!((score.base + points - told.decision.score.unwrap()).abs() < 1e-9);
    }
    for offer in &told.offers {
        let owed: i64 = offer.schedule.iter().map(|due| due.principal).sum();
        let amount = told.decision.offers.iter().find(|made| (made.tenure, &made.terms) == (offer.tenure, &made.terms));
        if let (Some(made), "made") = (amount, serde_json::to_value(offer.making).unwrap().as_str().unwrap()) {
            assert_eq!(owed, made.amount_offered);
        }
    }
}

#[test]
fn a_page_escapes_all_that_comes_from_outside() {
    let policy = policy(&[]);
    let nasty = r#"{"id": "\"><script>alert(1)</script>", "customer": "<img src=x onerror=alert(2)>",
        "trans_date": "2026-04-30", "credit": 1,
        "notes": {"desc": "</title></svg><script>alert(3)</script>\u202e"}}"#;
    let told = explain(&policy, &statements(&policy, nasty), &Request::default()).unwrap();
    let page = report::render_explanation_page(&told);
    assert_eq!(page.matches("<script>").count(), 1, "the page's own");
    assert!(!page.contains("<img") && !page.contains('\u{202e}'), "{page}");
    assert!(page.contains("&lt;img src=x") && page.contains("&lt;script&gt;alert(3)"), "{page}");
    assert!(
        !page.contains("http://")
            && !page.contains("https://")
            && !page.contains("src=\"")
            && !page.contains("href=\"h"),
        "needs nothing else"
    );
}

/// Each definition uses the one before it twice: shared parts are visited once.
#[test]
fn shared_definitions_cost_nothing() {
    let mut rules = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[month]\n\
        a0 = \"SUM(credit) / 1000\"\n"
        .to_owned();
    for number in 1..60 {
        rules += &format!("a{number} = \"a{0} + a{0}\"\n", number - 1);
    }
    rules += "[metric]\nm = \"MAX(a59)\"\n[[require]]\nid = \"R\"\nwhen = \"m > 1\"\nreason = \"x\"\n";
    let policy = lendwright::compile("x.toml", &rules, &mut |_| Err("none".into()), &[]).unwrap();
    assert!(text(&policy, &statements(&policy, RECORDS), &Request::default()).contains("m = "));
}

const SPACED: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    use = [{ file = \"credit.toml\", as = \"credit\" }]\n\
    [parameters]\nlimit = { value = 7, unit = \"count\" }\n[transaction]\nflagged = \"credit > 15000\"\n\
    [request]\ntenure = \"days\"\n[ask]\ntenure = \"request.tenure\"\n\
    [[require]]\nid = \"R01\"\nwhen = \"COUNT(*) FILTER (WHERE flagged) <= $limit\"\nreason = \"x\"\n\
    [[offer]]\nid = \"o\"\ntenure = [30, 90]\namount = \"0.001 * tenure * SUM(credit)\"\ninterest = 1\n";

#[test]
fn what_is_told_is_what_was_decided_by() {
    let used = "[parameters]\nlimit = { value = 3, unit = \"count\" }\n[transaction]\nflagged = \"credit > 1\"\n\
        [[require]]\nid = \"C01\"\nwhen = \"COUNT(*) FILTER (WHERE flagged) <= $limit + 9\"\nreason = \"x\"\n\
        [[require]]\nid = \"C02\"\nwhen = \"COUNT(*) FILTER (WHERE flagged) <= $limit\"\n\
        reason = \"more than {$limit}\"\n";
    let policy = lendwright::compile("x.toml", SPACED, &mut |_| Ok(used.to_owned()), &[]).unwrap();
    let request = Request::from_json(&policy, br#"{"tenure": 30}"#).unwrap();
    let told = explain(&policy, &statements(&policy, RECORDS), &request).unwrap().remove(0);
    // The same words in two files: each with its own records.
    let rows = |id: &str| told.requirements.iter().find(|asked| asked.id == id).unwrap().rows.len();
    assert_eq!((rows("C02"), rows("R01")), (3, 2), "{told:#?}");
    // Two files have a `$limit`: each its own.
    let text = report::render_explanation_text(&told, Listing::Everything(9));
    let limit = |id: &str| {
        let asked = told.requirements.iter().find(|asked| asked.id == id).unwrap();
        asked.parameters.iter().map(|named| (named.name.as_str(), named.figure.text.as_str())).collect::<Vec<_>>()
    };
    assert_eq!((limit("C02"), limit("R01")), (vec![("$credit.limit", "3")], vec![("$limit", "7")]));
    // The other tenure is not made, and its amount is its own.
    let made: Vec<u32> = told.decision.offers.iter().map(|offer| offer.tenure).collect();
    assert_eq!(made, [30]);
    assert!(text.contains("o over 90 days: not made, another tenure was asked for"), "{text}");
}

/// Policies in files, each with the explanation of one statement.
#[test]
fn what_is_told_of_small_policies() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/report/explained");
    let records = std::fs::read(folder.join("records.json")).unwrap();
    for name in ["spaces", "closely", "counter", "dates", "near", "deciding", "scored", "too_little"] {
        let rules = std::fs::read_to_string(folder.join(format!("{name}.toml"))).unwrap();
        let mut read = |file: &str| std::fs::read_to_string(folder.join(file)).map_err(|error| error.to_string());
        let policy = lendwright::compile("x.toml", &rules, &mut read, &[]);
        let policy = policy.unwrap_or_else(|refused| panic!("{name}: {:#?}", refused.diagnostics));
        let given = rules.lines().find_map(|line| line.strip_prefix("# request ")).unwrap_or("{}");
        let request = Request::from_json(&policy, given.as_bytes()).unwrap();
        let statements = lendwright::read_json(&records, "one", &lendwright::reading(&policy)).unwrap();
        let told = explain(&policy, &statements, &request).unwrap().remove(0);
        agrees(&told);
        insta::assert_snapshot!(
            format!("told_of_{name}"),
            report::render_explanation_text(&told, Listing::Problems(3))
        );
    }
}

/// Records after the day of the decision do not count. Names are found only for a policy that asks for them.
#[test]
fn a_statement_is_summed_up() {
    let record = |day: &str, amounts: &str, narration: &str| {
        format!(r#"{{"id": "{day}", "trans_date": "2026-{day}", {amounts}, "notes": {{"desc": "{narration}"}}}}"#)
    };
    let salary = "NIP/GTB/ACME LIMITED/SALARY";
    let records = [
        record("01-31", r#""credit": 500, "debit": 0"#, salary),
        record("03-01", r#""credit": 700, "debit": 0"#, salary),
        record("06-02", r#""credit": 0, "debit": 90"#, "NIP/UBA/OBI STORES/GOODS"),
        record("07-01", r#""credit": 1000, "debit": 0"#, salary),
    ];
    let records = records.join(",");
    let header = "[policy]\nname = \"p\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n[metric]\n";
    let summary = |metric: &str, json: &str, day: &str| {
        let policy = lendwright::compile("p.toml", &format!("{header}{metric}"), &mut |_| Err("none".into()), &[])
            .unwrap_or_else(|refused| panic!("{refused}"));
        let day = lendwright::base::date::Day::parse_iso(day).unwrap();
        let told = explain(&policy, &statements(&policy, json), &Request::on(day)).unwrap();
        serde_json::to_value(&told[0].summary).unwrap()
    };
    let names = "payers = \"COUNT(DISTINCT counterparty) FILTER (WHERE credit > 0)\"\n";
    let of_june = summary(names, &records, "2026-06-30");
    let expected = serde_json::json!({
        "first_day": "2026-01-31", "last_day": "2026-06-02", "records": 3, "later_records": 1, "inflow": 120_000,
        "outflow": 9_000, "payers": 1, "months_without_records": ["2026-02-01", "2026-04-01", "2026-05-01"]
    });
    assert_eq!(of_june, expected);
    let of_march = summary("n = \"COUNT(*)\"\n", &records, "2026-03-31");
    let expected = serde_json::json!({
        "first_day": "2026-01-31", "last_day": "2026-03-01", "records": 2, "later_records": 2, "inflow": 120_000,
        "outflow": null, "payers": null, "months_without_records": ["2026-02-01"]
    });
    assert_eq!(of_march, expected);
    let nothing = summary(names, "", "2026-03-31");
    let expected = serde_json::json!({
        "first_day": null, "last_day": null, "records": 0, "later_records": 0, "inflow": 0, "outflow": null,
        "payers": 0, "months_without_records": []
    });
    assert_eq!(nothing, expected);
}
