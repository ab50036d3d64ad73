//! The meaning of rule files where it is easily got wrong: unknowns in bins and cells, bare numbers, names in reasons,
//! places in used files.

use lendwright::compile;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;

const HEADER: &str =
    "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\nstatement_unit = \"major\"\ntime_zone = \"UTC\"\n";

fn policy(body: &str) -> Policy {
    compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("no files".into()), &[])
        .unwrap_or_else(|refused| panic!("{refused}"))
}

/// The codes of errors and warnings.
fn codes(body: &str) -> Vec<String> {
    match compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("no files".into()), &[]) {
        Ok(policy) => policy.warnings().iter().map(|found| found.code.to_string()).collect(),
        Err(refused) => refused.diagnostics.iter().map(|found| found.code.to_string()).collect(),
    }
}

/// One credit of 4,000.00, without debits and balances.
fn decided(policy: &Policy, request: &str) -> Decision {
    let record = r#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record.as_bytes(), "inline", &reading(policy)).unwrap();
    decide(policy, &statements, &Request::from_json(policy, request.as_bytes()).unwrap()).unwrap().remove(0)
}

/// Neighbouring letters do not affect lower-casing, so that `ILIKE` finds all that `LIKE` does.
#[test]
fn case_is_told_letter_by_letter() {
    let tests = [
        "request.name LIKE '%ΟΔΟΣ%'",
        "request.name ILIKE '%ΟΔΟΣ%'",
        "request.name ILIKE '%οδος%'",
        "LOWER(request.name) = LOWER('οδοςα')",
    ];
    for test in tests {
        let body = format!("[request]\nname = \"text\"\n[metric]\nx = \"{test}\"\n");
        assert_eq!(decided(&policy(&body), r#"{"name": "ΟΔΟΣΑ"}"#).metrics["x"], true, "{test}");
    }
}

/// The names in a definition are resolved before it is checked; the name of a word list is not one of a value.
#[test]
fn definitions_may_stand_in_any_order() {
    let lines = ["salary = \"mentions(salary)\"", "pay = \"salary AND credit > 0\""];
    for lines in [lines, [lines[1], lines[0]]] {
        let body = format!(
            "[words]\nsalary = [\"salary\"]\n[transaction]\n{}\n[metric]\npaid = \"COUNT(*) FILTER (WHERE pay)\"\n",
            lines.join("\n")
        );
        assert_eq!(codes(&body), [""; 0], "{body}");
    }
    // A mistake within a cycle is reported as well, and the cycle once, though two meet in it.
    for (lines, expected) in [
        ("a = \"b + c + nobody\"\nb = \"a\"\nc = \"a\"\n", vec!["cycle", "unknown-name"]),
        ("b = \"a\"\na = \"a + 1\"\n", vec!["cycle"]),
        ("a = \"b +\"\nb = \"a\"\n", vec!["syntax"]),
    ] {
        assert_eq!(codes(&format!("[metric]\n{lines}")), expected, "{lines}");
    }
}

/// If a filter uses several unknown values, the first one in it gives the reason, wherever they are defined.
#[test]
fn the_first_unknown_of_a_filter_says_why_in_any_order_of_lines() {
    let lines = ["a = \"SUM(debit)\"", "b = \"AVG(credit) FILTER (WHERE credit > 9999)\""];
    for lines in [lines, [lines[1], lines[0]]] {
        for (filter, why) in [("credit > a AND credit > b", "needs_debit"), ("credit > b AND credit > a", "no_records")]
        {
            let body = format!("[metric]\n{}\nm = \"COUNT(*) FILTER (WHERE {filter})\"\n", lines.join("\n"));
            assert_eq!(decided(&policy(&body), "{}").unknown["m"], why, "{body}");
        }
    }
}

#[test]
fn a_bin_for_unknown_is_reached_wherever_it_stands() {
    let score = |points: &str| {
        let body = format!(
            "[metric]\nspent = \"SUM(debit) / SUM(credit)\"\n[score]\nbase = 100\n[[score.item]]\non = \"spent\"\n\
             points = {points}\n"
        );
        let decision = decided(&policy(&body), "{}");
        (decision.score, decision.unknown.get("score").cloned())
    };
    assert_eq!(score(r#"[["< 0.5", 50], [">= 0.5", 0], ["unknown", 7]]"#), (Some(107.0), None));
    assert_eq!(score(r#"[["unknown", 7], ["< 0.5", 50], [">= 0.5", 0]]"#), (Some(107.0), None));
    assert_eq!(score(r#"[["not(0.5)", 50], ["unknown, 0.5", 7]]"#), (Some(107.0), None));
    // The points for unknown are not given.
    assert_eq!(score(r#"[["< 0.5", 50], [">= 0.5", 0]]"#), (None, Some("needs_debit".into())));
}

#[test]
fn a_cell_for_unknown_is_reached_and_nothing_slips_past_a_cell_that_asks() {
    let grade = |rows: &str| {
        let body = format!(
            "[metric]\nspent = \"SUM(debit) / SUM(credit)\"\ncame = \"SUM(credit)\"\n[table.grade]\nhit = \"first\"\n\
             inputs = [\"spent\", \"came\"]\noutputs = {{ grade = \"text\" }}\nrows = {rows}\n"
        );
        let decision = decided(&policy(&body), "{}");
        (decision.grade["grade"].clone(), decision.unknown.get("grade").cloned())
    };
    let text = |text: &str| serde_json::Value::from(text);
    assert_eq!(grade(r#"[["< 0.5", "-", "A"], ["unknown", "> 5000", "B"], ["unknown", "-", "C"]]"#), (text("C"), None));
    assert_eq!(grade(r#"[["< 0.5", "> 5000", "A"], ["-", "-", "C"]]"#), (text("C"), None));
    let unknown = (serde_json::Value::Null, Some("needs_debit".to_string()));
    assert_eq!(grade(r#"[["< 0.5", "-", "A"], ["-", "-", "C"]]"#), unknown);
}

#[test]
fn bare_numbers_keep_taking_the_unit_of_their_neighbour() {
    let policy = policy(
        "[metric]\nover = \"COUNT(*) FILTER (WHERE credit > 3 * 1000)\"\n\
         under = \"COUNT(*) FILTER (WHERE credit > 5 * 1000 - 1)\"\n\
         old = \"as_of - DATE '2026-06-01' > 2 * 4\"\nhalf = \"5 / 2\"\n",
    );
    let metrics = decided(&policy, r#"{"as_of": "2026-06-30"}"#).metrics;
    assert_eq!((metrics["over"].as_i64(), metrics["under"].as_i64()), (Some(1), Some(0)));
    assert_eq!((metrics["old"].as_bool(), metrics["half"].as_f64()), (Some(true), Some(2.5)));
    for (expression, code) in
        [("COUNT(*) + 99999999999999999999", "number"), ("COUNT(*) * -9223372036854775809", "number")]
    {
        assert_eq!(codes(&format!("[metric]\nx = \"{expression}\"\n")), [code], "{expression}");
    }
    assert_eq!(codes("[metric]\nx = \"COUNT(*) - 9223372036854775807\"\n"), [""; 0]);
}

#[test]
fn a_reason_names_metrics_parameters_and_request_fields_apart() {
    let policy = policy(
        "[parameters]\nlimit = { value = 9, unit = \"count\" }\n[request]\namount = \"money\"\nwhen = \"date\"\n\
         [metric]\nlimits = \"COUNT(*)\"\n\
         [[require]]\nid = \"R\"\nwhen = \"limits >= $limit\"\n\
         reason = \"{limits} of {$limit} for {request.amount} on {request.when}\"\n",
    );
    // In a sentence `{limit}` is also the parameter, if no metric has that name.
    assert_eq!(
        codes(
            "[parameters]\nlimit = 9\n[[require]]\nid = \"R\"\nwhen = \"COUNT(*) >= $limit\"\n\
             reason = \"{limit} are needed\"\n"
        ),
        [""; 0]
    );
    let reason = |request: &str| decided(&policy, request).reasons[0].text.clone();
    assert_eq!(reason(r#"{"amount": 5000050, "when": "2026-07-01"}"#), "1 of 9 for NGN 50,000.50 on 2026-07-01");
    assert_eq!(reason("{}"), "1 of 9 for ? on ?");
}

#[test]
fn rows_that_only_touch_do_not_overlap() {
    let table = |hit: &str, input: &str, rows: &str| {
        let body = format!(
            "[request]\nkind = \"text\"\nagreed = \"boolean\"\nday = \"date\"\n[metric]\nn = \"COUNT(*)\"\n\
             r = \"COUNT(*) / 3\"\n\
             [table.t]\nhit = \"{hit}\"\ninputs = [\"{input}\"]\noutputs = {{ o = \"count\" }}\nrows = {rows}\n"
        );
        codes(&body)
    };
    let apart = [
        ("n", r#"[["< 3", 1], ["3..6", 2], ["[6..9]", 3], ["> 9", 4], ["unknown", 5]]"#),
        // No whole number is between 2 and 3.
        ("n", r#"[["> 2", 1], ["< 3", 2]]"#),
        ("r", r#"[["<= 0.5", 1], ["(0.5..1)", 2], [">= 1", 3]]"#),
        ("request.kind", r#"[["rent, school", 1], ["not(rent, school)", 2], ["unknown", 3]]"#),
        ("request.agreed", r#"[["true", 1], ["not(true)", 2]]"#),
        ("request.day", r#"[["< 2026-01-01", 1], [">= 2026-01-01", 2]]"#),
    ];
    for (input, rows) in apart {
        assert_eq!(table("unique", input, rows), [""; 0], "{input} {rows}");
    }
    let together = [
        ("n", r#"[["<= 3", 1], ["3..6", 2]]"#),
        ("r", r#"[["> 2", 1], ["< 3", 2]]"#),
        ("request.kind", r#"[["not(rent)", 1], ["school", 2]]"#),
        ("request.agreed", r#"[["not(true)", 1], ["false", 2]]"#),
        ("request.day", r#"[["<= 2026-01-01", 1], [">= 2026-01-01", 2]]"#),
        ("n", r#"[["-", 1], ["unknown", 2]]"#),
    ];
    for (input, rows) in together {
        assert_eq!(table("unique", input, rows), ["overlap"], "{input} {rows}");
        let agreed = rows.replace(", 2]", ", 1]");
        assert_eq!(table("any", input, &agreed), [""; 0], "{input} {agreed}");
    }
}

#[test]
fn a_mistake_in_a_file_that_is_used_is_told_where_that_file_lies() {
    let text = format!("{HEADER}use = [\"shared.toml\"]\n[score]\nbase = 1\n");
    let shared = "[metric]\nx = \"nobody\"\n[score]\nbase = 2\n".to_string();
    let refused = compile("rules/own/x.toml", &text, &mut |_| Ok(shared.clone()), &[]).unwrap_err();
    let told = refused.to_string();
    assert!(told.contains("rules/own/shared.toml:2:6: unknown name `nobody`"), "{told}");
    assert!(told.contains("rules/own/x.toml:9:8: there is already a [score]"), "{told}");
}

#[test]
fn a_mistake_in_the_head_hides_none_below() {
    let body = "valid_from = \"2026-02-30\"\n[metric]\nx = \"nobody\"\n";
    assert_eq!(codes(body), ["policy", "unknown-name"]);
    // A use of a wrong parameter is not itself wrong.
    let body = "[parameters]\nlimit = { value = 7, min = 9, max = 1 }\n[metric]\nx = \"COUNT(*) > $limit\"\n";
    assert_eq!(codes(body), ["parameter"]);
}

#[test]
fn of_several_unknowns_the_first_says_why() {
    let why = |body: &str, name: &str| {
        let body = format!("[request]\na = \"money\"\nb = \"money\"\n{body}");
        decided(&policy(&body), "{}").unknown[name].clone()
    };
    for expression in ["request.a + request.b", "COALESCE(request.a, request.b)", "LEAST(request.a, request.b)"] {
        assert_eq!(why(&format!("[metric]\nx = \"{expression}\"\n"), "x"), "missing_request_a", "{expression}");
    }
    // Patterns that are matched together.
    let asked = "[request]\nbank = \"text\"\n[metric]\nx = \"request.bank LIKE 'GT%' OR request.bank ILIKE '%uba%'\"\n";
    assert_eq!(decided(&policy(asked), "{}").unknown["x"], "missing_request_bank");
    let chosen = "COALESCE(CASE WHEN request.a > 5 THEN 1 END, request.b / 5)";
    assert_eq!(why(&format!("[metric]\nx = \"{}\"\n", chosen.replace("THEN 1", "THEN request.b")), "x"), "no_value");
    let table = "[table.t]\nhit = \"first\"\ninputs = [\"request.a\", \"request.b\"]\noutputs = { x = \"count\" }\n\
                 rows = [[\"> 5\", \"> 5\", 1], [\"-\", \"-\", 2]]\n";
    assert_eq!(why(table, "x"), "missing_request_a");
}

#[test]
fn an_offer_speaks_of_its_amount_as_it_is_offered() {
    let offer = |rest: &str| {
        let body =
            "[request]\na = \"money\"\n[[offer]]\nid = \"o\"\ntenure = 30\namount = \"request.a / 3\"\ninterest = 0\n";
        decided(&policy(&format!("{body}{rest}")), r#"{"a": 101}"#)
    };
    // Of 33.67 kobo 33 are offered, and the fee is computed from those: 15.345, not 15.655.
    let decision = offer("fee = \"0.465 * amount\"\n");
    assert_eq!((decision.offers[0].amount_offered, decision.offers[0].fee), (33, 15));
    // Two instalments and a half cannot be paid, here as in `principal_for`.
    let decision = offer("instalments = \"5 / 2\"\n");
    assert_eq!((decision.offers.len(), decision.reasons[0].id.as_str()), (0, "OFFER_UNKNOWN"));
    let text = &decision.reasons[0].text;
    assert!(text.contains("its instalments is unknown: these numbers give no price"), "{text}");
}
