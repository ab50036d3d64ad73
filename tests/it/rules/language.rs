//! What single expressions and cells of tables give, from the cases of `testdata/rules/language.toml`.

use std::fmt::Write as _;

use lendwright::compile;
use lendwright::decision::{Decision, ReadyPlan, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use polars::prelude::df;
use serde::Deserialize;
use serde_json::{Map, Value};

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    [request]\namount = \"money\"\nincome = \"money\"\nlender = \"text\"\npurpose = \"text\"\nborn = \"date\"\n\
    since = \"date\"\ncode = \"text\"\nshare = \"text\"\nnothing = \"text\"\nmarks = \"list of text\"\n\
    scores = \"list of count\"\ntimes = \"count\"\n[bureau]\nlimit = \"money\"\n[input.bureau.loans]\n\
    amount = \"money\"\noverdue = \"days\"\nlender = \"text\"\nopened = \"date\"\nopen = \"boolean\"\n\
    [input.request.cards]\nused = \"money\"\n";

#[derive(Deserialize)]
struct Cases {
    request: Map<String, Value>,
    value: Vec<OneValue>,
    cell: Vec<OneCell>,
}

#[derive(Deserialize)]
struct OneValue {
    is: String,
    gives: Option<Value>,
    unknown: Option<String>,
    refused: Option<String>,
}

#[derive(Deserialize)]
struct OneCell {
    input: String,
    cell: String,
    matches: Option<Value>,
    refused: Option<String>,
}

fn cases() -> Cases {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/rules/language.toml"));
    toml::from_str(&text.unwrap()).unwrap()
}

fn compiled(body: &str) -> Result<Policy, String> {
    let refused = compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("no files".into()), &[]);
    refused.map_err(|refused| {
        let mut all = String::new();
        for found in &refused.diagnostics {
            let _ = writeln!(all, "{}: {}", found.code, found.message);
        }
        all
    })
}

/// One credit of 4,000.00, without debits and balances.
fn decided(policy: &Policy, request: &Map<String, Value>) -> Decision {
    let record = r#"[{"id": "1", "customer": "c", "trans_date": "2026-03-10", "credit": 4000}]"#;
    let statements = read_json(record.as_bytes(), "inline", &reading(policy)).unwrap();
    let request = Request::from_json(policy, &serde_json::to_vec(request).unwrap()).unwrap();
    decide(policy, &statements, &request).unwrap().remove(0)
}

/// What differs from what is expected, if anything.
fn difference(
    compiled: Result<Policy, String>,
    refused: Option<&str>,
    found: impl Fn(&Policy) -> Option<String>,
) -> Option<String> {
    match (compiled, refused) {
        (Err(message), Some(part)) if message.contains(part) => None,
        (Err(message), _) => Some(format!("refused: {message}")),
        (Ok(_), Some(part)) => Some(format!("not refused: {part}")),
        (Ok(policy), None) => found(&policy),
    }
}

#[test]
fn every_expression_gives_what_it_should() {
    let cases = cases();
    let mut wrong = String::new();
    for one in &cases.value {
        let policy = compiled(&format!("[metric]\nx = {}\n", Value::from(one.is.as_str())));
        let different = difference(policy, one.refused.as_deref(), |policy| {
            let decision = decided(policy, &cases.request);
            let (value, why) = (decision.metrics.get("x"), decision.unknown.get("x"));
            let is_right = match (&one.gives, &one.unknown) {
                (Some(gives), _) => value == Some(gives),
                (None, expected) => why == expected.as_ref() && why.is_some(),
            };
            (!is_right).then(|| format!("{value:?} {why:?}"))
        });
        different.into_iter().for_each(|different| wrong += &format!("{}: {different}\n", one.is));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn every_cell_matches_what_it_should() {
    let cases = cases();
    let mut wrong = String::new();
    for one in &cases.cell {
        let body = format!(
            "[table.t]\nhit = \"first\"\ninputs = [{}]\noutputs = {{ hits = \"boolean\" }}\n\
             rows = [[{}, true]]\notherwise = [false]\n[metric]\nx = \"hits\"\n",
            Value::from(one.input.as_str()),
            Value::from(one.cell.as_str())
        );
        let different = difference(compiled(&body), one.refused.as_deref(), |policy| {
            let decision = decided(policy, &cases.request);
            let found = decision.metrics.get("x").filter(|value| !value.is_null()).cloned();
            let found = found.unwrap_or_else(|| Value::from("unknown"));
            (Some(&found) != one.matches.as_ref()).then(|| found.to_string())
        });
        different.into_iter().for_each(|different| wrong += &format!("{} {}: {different}\n", one.input, one.cell));
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A comparison with another value and its opposite never overlap, so a table may have one row for each.
#[test]
fn rows_with_opposite_comparisons_do_not_overlap() {
    let table = |hit: &str, cells: [&str; 2]| {
        let [one, other] = cells;
        format!(
            "[table.t]\nhit = \"{hit}\"\ninputs = [\"request.amount\", \"request.times\"]\n\
             outputs = {{ grade = \"text\" }}\nrows = [[\"{one}\", \"-\", \"A\"], [\"{other}\", \"-\", \"B\"]]\n"
        )
    };
    for cells in [
        ["<= request.income", "> request.income"],
        ["< request.income", ">= request.income"],
        ["= request.income", "!= request.income"],
        ["request.income..500_000", "< request.income"],
    ] {
        compiled(&table("unique", cells)).unwrap_or_else(|refused| panic!("{cells:?}: {refused}"));
    }
    let overlap = compiled(&table("unique", ["<= request.income", ">= request.income"])).unwrap_err();
    assert!(overlap.contains("rows 1 and 2 of `t` both match"), "{overlap}");
}

/// What a cell names is judged before its table, and a table that names itself is a cycle.
#[test]
fn a_cell_may_name_the_output_of_a_later_table() {
    let body = "[table.a]\nhit = \"first\"\ninputs = [\"request.amount\"]\noutputs = { first = \"text\" }\n\
        rows = [[\"<= most\", \"small\"], [\"-\", \"large\"]]\n\
        [table.b]\nhit = \"first\"\ninputs = [\"request.times\"]\noutputs = { most = \"money\" }\n\
        rows = [[\"> 3\", 60_000], [\"-\", 10_000]]\n[metric]\nx = \"first\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(decided(&policy, &cases().request).metrics["x"], "small");
    // A text that reads like the name of an output is a text, and a list of numbers may be asked for a later value.
    let texts = body.replace("\"request.amount\"", "\"request.lender\"").replace("\"<= most\"", "\"= first\"");
    compiled(&texts).unwrap_or_else(|refused| panic!("{refused}"));
    let list = body.replace("\"request.amount\"", "\"request.scores\"").replace("<= most", "contains(many)");
    let list = list.replace("most = \"money\"", "many = \"count\"").replace("60_000", "7").replace("10_000", "9");
    let policy = compiled(&list).unwrap_or_else(|refused| panic!("{refused}"));
    assert_eq!(decided(&policy, &cases().request).metrics["x"], "small");
    let own = compiled(&body.replace("<= most", "<= most + 1").replace("\"request.times\"", "\"length(first)\""));
    assert!(own.unwrap_err().contains("depends on itself"));
}

/// Where another cell of the column expects an unknown, a comparison is not undecided for it.
#[test]
fn an_expected_unknown_is_no_comparison() {
    let body = "[table.t]\nhit = \"first\"\ninputs = [\"request.income\"]\noutputs = { grade = \"text\" }\n\
        rows = [[\">= request.amount\", \"A\"], [\"unknown\", \"B\"], [\"-\", \"C\"]]\n[metric]\nx = \"grade\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    let mut request = cases().request;
    for (income, expected) in [(None, "B"), (Some(6_000_000), "A"), (Some(4_000_000), "C")] {
        request.remove("income");
        income.map(|income: i64| request.insert("income".into(), income.into()));
        assert_eq!(decided(&policy, &request).metrics["x"], expected, "{income:?}");
    }
}

/// A list, and no value, may be the output of a row.
#[test]
fn an_output_may_be_a_list_or_nothing() {
    let body = "[table.t]\nhit = \"first\"\ninputs = [\"request.times\"]\n\
        outputs = { documents = \"list of text\", days = \"list of days\", cap = \"money\" }\n\
        rows = [[\"< 4\", \"= list_of('id')\", \"= list_of(30, 60)\", 500],\n\
        [\"4\", \"= request.marks\", \"= list_of()\", \"= NULL\"]]\n\
        otherwise = [\"= NULL\", \"= list_of(7)\", 0]\n\
        [metric]\nwanted = \"documents\"\nof_days = \"days\"\nmost = \"cap\"\n\
        knows = \"list_contains(documents, 'vip')\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    let mut request = cases().request;
    let mut at = |times: i64| {
        request.insert("times".into(), times.into());
        let decision = decided(&policy, &request);
        let why = |name: &str| decision.unknown.get(name).cloned();
        (decision.metrics["wanted"].clone(), decision.metrics["of_days"].clone(), why("wanted"), why("most"))
    };
    let (none, json) = (None::<String>, |text: &str| serde_json::from_str::<Value>(text).unwrap());
    assert_eq!(at(3), (json("[\"id\"]"), json("[30, 60]"), none.clone(), none.clone()));
    assert_eq!(at(4), (json("[\"vip\", \"staff\"]"), json("[]"), none.clone(), Some("no_value".into())));
    assert_eq!(at(5), (Value::Null, json("[7]"), Some("no_value".into()), none));
    for (outputs, row, message) in [
        ("{ x = \"list of text\" }", "'id'", "`x` is a list of text"),
        ("{ x = \"list of text\" }", "\"= list_of(1)\"", "a list holds one kind: text and number"),
        ("{ x = \"list of days\" }", "\"= request.marks\"", "expected a list of days, found a list of text"),
        ("{ x = { type = \"list of text\", values = [\"a\"] } }", "\"= list_of('a')\"", "lists have no rank"),
    ] {
        let body = format!(
            "[table.t]\nhit = \"first\"\ninputs = [\"request.times\"]\noutputs = {outputs}\nrows = [[\"-\", {row}]]\n"
        );
        let refused = compiled(&body).unwrap_err();
        assert!(refused.contains(message), "{message}: {refused}");
        let collected = compiled(&body.replace("first", "collect")).unwrap_err();
        assert!(collected.contains("would be a list of lists") || outputs.contains("values"), "{collected}");
    }
}

/// A list of entries is checked field by field, and amounts are in the units of the request.
#[test]
fn entries_of_a_request_are_checked_at_their_place() {
    let policy = compiled("[metric]\nx = \"SUM(bureau.loans.amount)\"\n").unwrap_or_else(|refused| panic!("{refused}"));
    let read = |loans: &str| Request::from_json(&policy, format!("{{\"bureau\":{{\"loans\":{loans}}}}}").as_bytes());
    for (loans, message) in [
        ("{}", "`bureau.loans`: expected a list of entries, each an object with the fields amount, overdue, lender"),
        ("[5]", "entry 1: expected an object with the fields"),
        ("[{}, {\"amount\": 5, \"overdew\": 3}]", "entry 2: `overdew` is not declared; did you mean `overdue`?"),
        ("[{\"amount\": 5.5}]", "entry 1: `amount`: money is a whole number of minor units"),
        ("[{\"opened\": \"31.01.2026\"}]", "entry 1: `opened`: expected a date such as"),
        ("[{\"open\": \"yes\"}]", "entry 1: `open`: expected true or false"),
    ] {
        let refused = read(loans).unwrap_err().to_string();
        assert!(refused.contains(message), "{loans}: {refused}");
    }
    let record = r#"[{"id": "1", "customer": "c", "trans_date": "2026-03-10", "credit": 4000}]"#;
    let statements = read_json(record.as_bytes(), "inline", &reading(&policy)).unwrap();
    let sum = |request: &Request| {
        let decision = decide(&policy, &statements, request).unwrap().remove(0);
        (decision.metrics["x"].clone(), decision.unknown.get("x").cloned())
    };
    let missing = Some("missing_bureau_loans".to_owned());
    assert_eq!(sum(&read("[]").unwrap()), (0.into(), None));
    assert_eq!(sum(&read("null").unwrap()), (Value::Null, missing.clone()));
    assert_eq!(sum(&Request::default()), (Value::Null, missing));
    // Whoever fetches the report says why there is none.
    for (word, code) in
        [("late", "bureau_late"), ("unavailable", "bureau_unavailable"), ("not_found", "bureau_not_found")]
    {
        let unknown = read(&format!("{{\"unknown\": \"{word}\"}}")).unwrap();
        assert_eq!(sum(&unknown), (Value::Null, Some(code.to_owned())));
    }
    assert!(read("{\"unknown\": \"lost\"}").is_err());
    assert_eq!(
        sum(&read("[{\"amount\": 12345}, {\"lender\": \"x\"}, {\"amount\": null}]").unwrap()),
        (12_345.into(), None)
    );
    // People write major units, and a table for each entry if they like.
    for text in
        ["bureau.loans = [{ amount = 123.45 }]", "[[bureau.loans]]\namount = 100\n[[bureau.loans]]\namount = 23.45\n"]
    {
        assert_eq!(sum(&Request::from_toml(&policy, text).unwrap()), (12_345.into(), None), "{text}");
    }
    // Several statements are decided with one request, and each has all entries.
    let two = "{\"id\": \"1\", \"customer\": \"c\", \"trans_date\": \"2026-03-10\", \"credit\": 4000}\n\
        {\"id\": \"2\", \"customer\": \"d\", \"trans_date\": \"2026-03-10\", \"credit\": 1}\n";
    let policy =
        compiled("[metric]\nincome = \"SUM(credit)\"\nx = \"COUNT(*) FILTER (WHERE bureau.loans.amount > income)\"\n");
    let policy = policy.unwrap_or_else(|refused| panic!("{refused}"));
    let statements = read_json(two.as_bytes(), "inline", &reading(&policy)).unwrap();
    let request = Request::from_toml(&policy, "bureau.loans = [{ amount = 2 }, { amount = 5000 }, {}]").unwrap();
    let counts: Vec<Value> =
        decide(&policy, &statements, &request).unwrap().iter().map(|one| one.metrics["x"].clone()).collect();
    assert_eq!(counts, [1, 2]);
}

/// A list may not be given, so what is made of it may always be unknown.
#[test]
fn the_analysis_knows_that_a_list_may_be_missing() {
    let body = "[metric]\nn = \"COUNT(bureau.loans)\"\n[table.t]\nhit = \"first\"\ninputs = [\"n\"]\n\
        outputs = { g = \"text\" }\nrows = [[\"unknown\", \"manual\"], [\"-\", \"plain\"]]\n\
        [[require]]\nid = \"R1\"\nwhen = \"g <> 'manual'\"\nreason = \"x\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    let found = lendwright::analysis::analyse(&policy);
    let codes: Vec<&str> = found.iter().map(|found| found.code).collect();
    assert!(!codes.contains(&"unreachable") && !codes.contains(&"always-met"), "{codes:?}");
    assert_eq!(decided(&policy, &Map::new()).reasons[0].id, "R1");
}

/// Rows that share the line between their ranges leave no gap, whatever the other value is.
#[test]
fn bands_around_another_value_have_no_gap() {
    let body = "[table.t]\nhit = \"first\"\ninputs = [\"request.amount\"]\noutputs = { g = \"text\" }\n\
        rows = [[\"<= request.income\", \"A\"], [\"(request.income..2 * request.income]\", \"B\"],\n\
        [\"> 2 * request.income\", \"C\"]]\n[metric]\nx = \"g\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    let found = lendwright::analysis::analyse(&policy);
    assert!(found.iter().all(|found| found.code != "gap"), "{found:?}");
}

/// Bins of a score have only constants, and say so.
#[test]
fn a_bin_names_no_other_value() {
    for (on, bin) in [("request.amount", "<= request.income"), ("request.lender", "= request.purpose")] {
        let body = format!("[score]\nbase = 1\n[[score.item]]\non = \"{on}\"\npoints = [[\"{bin}\", 1], [\"-\", 0]]\n");
        let refused = compiled(&body).unwrap_err();
        assert!(refused.contains("a bin compares only with constants"), "{refused}");
    }
}

/// A table of one row per value of the request would be searched column by column.
#[test]
fn a_table_compares_with_a_bounded_number_of_values() {
    let rows = |count: usize| {
        let rows: String = (0..count).map(|row| format!("[\"<= {row} * request.income\", {row}],\n")).collect();
        let head = "[table.t]\nhit = \"first\"\ninputs = [\"request.amount\"]\noutputs = { g = \"count\" }";
        format!("{head}\nrows = [\n{rows}]\n")
    };
    compiled(&rows(200)).unwrap_or_else(|refused| panic!("{refused}"));
    assert!(compiled(&rows(201)).unwrap_err().contains("201 different values; at most 200 are possible"));
}

/// With ready metrics there are no records, but a list that the request brings is there.
#[test]
fn ready_metrics_see_the_entries_of_a_request() {
    let body = "[metric]\nincome = \"SUM(credit)\"\n[[require]]\nid = \"R1\"\n\
        when = \"SUM(bureau.loans.amount) <= income\"\nreason = \"too much is owed\"\n";
    let policy = compiled(body).unwrap_or_else(|refused| panic!("{refused}"));
    let plan = ReadyPlan::new(&policy, &["income"]).unwrap();
    let judged = |loans: &str| {
        let request = Request::from_json(&policy, format!("{{\"bureau\":{{\"loans\":{loans}}}}}").as_bytes()).unwrap();
        let income = df!("income" => [500_i64]).unwrap();
        plan.judge(&income, &request).unwrap().decided_by(0).map(str::to_owned)
    };
    assert_eq!(judged("[]").as_deref(), Some("NO_OFFER"));
    assert_eq!(judged("[{\"amount\": 500}]").as_deref(), Some("NO_OFFER"));
    assert_eq!(judged("[{\"amount\": 501}]").as_deref(), Some("R1"));
}

/// An explanation shows which entries counted, what they say, and which comparison of a cell failed.
#[test]
fn an_explanation_shows_entries_and_comparisons() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/report/explained/entries.toml"))
        .unwrap();
    let policy = compile("entries.toml", &text, &mut |_| Err("no files".into()), &[]).unwrap();
    let record = r#"[{"id": "1", "customer": "c", "trans_date": "2026-03-10", "credit": 4000}]"#;
    let statements = read_json(record.as_bytes(), "inline", &reading(&policy)).unwrap();
    let loans = r#"[{"amount": 100000, "lender": "KUDA", "overdue": 3}, {"amount": 200000, "overdue": 45}, {}]"#;
    let request = |limit: u32| {
        let request = format!("{{\"amount\": 500000, \"bureau\": {{\"limit\": {limit}, \"loans\": {loans}}}}}");
        Request::from_json(&policy, request.as_bytes()).unwrap()
    };
    for limit in [900_000, 400_000] {
        insta::assert_snapshot!(
            format!("limit-{limit}"),
            crate::report::explain::text(&policy, &statements, &request(limit))
        );
    }
}
