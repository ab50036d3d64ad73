//! Decision tables: every hit policy, lists, computed cells, rows in a file. And long tables with an index give the
//! same as their rows one by one.

use lendwright::compile;
use lendwright::decision::{Decision, Request, decide, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use proptest::prelude::*;
use serde_json::{Value, json};

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    [request]\nage = \"count\"\nincome = \"money\"\nkind = \"text\"\nshare = \"number\"\n";

fn compiled(body: &str, csv: &str) -> Result<Policy, String> {
    let mut read = |name: &str| if name == "rows.csv" { Ok(csv.to_string()) } else { Err("no such file".to_string()) };
    compile("x.toml", &format!("{HEADER}{body}"), &mut read, &[]).map_err(|refused| refused.to_string())
}

fn decided(policy: &Policy, request: &Value) -> Decision {
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record, "inline", &reading(policy)).unwrap();
    decide(policy, &statements, &Request::from_json(policy, request.to_string().as_bytes()).unwrap()).unwrap().remove(0)
}

/// The outputs of a table for a request; the reason if one is unknown.
fn outputs(body: &str, request: Value) -> Value {
    let decision = decided(&compiled(body, "").unwrap_or_else(|error| panic!("{error}")), &request);
    let value = |(name, value): (&String, &Value)| match decision.unknown.get(name) {
        Some(reason) => (name.clone(), json!({"unknown": reason})),
        None => (name.clone(), value.clone()),
    };
    decision.grade.iter().map(value).collect::<serde_json::Map<_, _>>().into()
}

fn discount(hit: &str) -> String {
    format!(
        "[table.t]\nhit = \"{hit}\"\ninputs = [\"request.age\", \"request.kind\"]\n\
         outputs = {{ grade = {{ type = \"text\", values = [\"high\", \"middle\", \"low\"] }} }}\nrows = [\n\
         [\"> 18\", \"-\", \"low\"],\n[\"> 30\", \"-\", \"high\"],\n[\"> 30\", \"A, B\", \"middle\"],\n\
         [\"> 60\", \"not(A)\", \"high\"],\n]\n"
    )
}

#[test]
fn each_hit_policy_takes_the_rows_it_says() {
    let of =
        |hit: &str, age: i64, kind: &str| outputs(&discount(hit), json!({"age": age, "kind": kind}))["grade"].clone();
    assert_eq!(of("first", 40, "A"), json!("low"));
    assert_eq!(of("priority", 40, "A"), json!("high"));
    assert_eq!(of("priority", 20, "A"), json!("low"));
    assert_eq!(of("priority", 10, "A"), json!({"unknown": "no_row_in_t"}));
    assert_eq!(of("rule_order", 40, "A"), json!(["low", "high", "middle"]));
    assert_eq!(of("output_order", 40, "A"), json!(["high", "middle", "low"]));
    assert_eq!(of("output_order", 70, "B"), json!(["high", "high", "middle", "low"]));
    assert_eq!(of("collect", 40, "C"), json!(["low", "high"]));
    assert_eq!(of("collect", 10, "C"), json!([]));
    assert_eq!(of("collect_count", 40, "A"), json!(3));
    assert_eq!(of("collect_count", 10, "A"), json!(0));
}

#[test]
fn what_cannot_be_decided_makes_every_policy_unknown_but_first_after_a_hit() {
    let of = |hit: &str| outputs(&discount(hit), json!({"age": 40}))["grade"].clone();
    let unknown = json!({"unknown": "missing_request_kind"});
    assert_eq!(of("first"), json!("low"));
    for hit in ["priority", "rule_order", "output_order", "collect", "collect_count"] {
        assert_eq!(of(hit), unknown, "{hit}");
    }
    // A row that another cell excludes does not matter.
    assert_eq!(outputs(&discount("collect"), json!({"age": 20}))["grade"], json!(["low"]));
}

#[test]
fn what_is_collected_is_added_up_exactly() {
    let table = |hit: &str, unit: &str, cells: [&str; 3]| {
        format!(
            "[table.t]\nhit = \"{hit}\"\ninputs = [\"request.age\"]\noutputs = {{ x = \"{unit}\" }}\n\
             rows = [[\"> 1\", {}], [\"> 2\", {}], [\"> 3\", {}]]\n",
            cells[0], cells[1], cells[2]
        )
    };
    let of =
        |hit: &str, unit: &str, cells, age: i64| outputs(&table(hit, unit, cells), json!({"age": age}))["x"].clone();
    let money = ["0.10", "\"1_000.20\"", "5"];
    assert_eq!(of("collect_sum", "money", money, 9), json!(100_530));
    assert_eq!(of("collect_min", "money", money, 9), json!(10));
    assert_eq!(of("collect_max", "money", money, 9), json!(100_020));
    assert_eq!(of("collect_sum", "money", money, 1), json!(0));
    assert_eq!(of("collect_min", "money", money, 1), json!({"unknown": "no_value"}));
    assert_eq!(of("collect_sum", "number", ["0.5", "0.25", "\"= request.age / 4\""], 4), json!(1.75));
    let huge = "92_233_720_368_547_758";
    assert_eq!(of("collect_sum", "money", [huge, huge, "1"], 9), json!({"unknown": "overflow"}));
}

#[test]
fn a_cell_may_be_worked_out_and_otherwise_takes_who_fits_no_row() {
    let table = |hit: &str| {
        format!(
            "[metric]\ncame = \"SUM(credit)\"\n[table.t]\nhit = \"{hit}\"\ninputs = [\"request.age\"]\n\
             outputs = {{ grade = \"text\", cap = \"money\" }}\n\
             rows = [[\"18..30\", \"A\", \"= round(0.5 * request.income)\"], [\"30..40\", \"B\", 100]]\n\
             otherwise = [\"C\", \"= came\"]\n"
        )
    };
    assert_eq!(outputs(&table("first"), json!({"age": 20, "income": 333})), json!({"grade": "A", "cap": 167}));
    assert_eq!(outputs(&table("unique"), json!({"age": 30})), json!({"grade": "B", "cap": 10_000}));
    assert_eq!(outputs(&table("first"), json!({"age": 40})), json!({"grade": "C", "cap": 400_000}));
    assert_eq!(outputs(&table("collect"), json!({"age": 40})), json!({"grade": ["C"], "cap": [400_000]}));
    // The cell of the hit row is unknown; those of other rows do not matter.
    let unknown = json!({"grade": "A", "cap": {"unknown": "missing_request_income"}});
    assert_eq!(outputs(&table("first"), json!({"age": 20})), unknown);
}

#[test]
fn lists_are_asked_and_said() {
    let body = format!(
        "{}[metric]\nhow_many = \"list_length(grade)\"\n[[require]]\nid = \"R\"\n\
         when = \"NOT list_contains(grade, 'high')\"\nreason = \"found {{grade}}\"\n",
        discount("rule_order")
    );
    let decision = decided(&compiled(&body, "").unwrap(), &json!({"age": 40, "kind": "A"}));
    assert_eq!(decision.metrics["how_many"], json!(3));
    assert_eq!(decision.reasons[0].text, "found low, high, middle");
    let none = decided(&compiled(&body, "").unwrap(), &json!({"age": 10, "kind": "A"}));
    assert_eq!((none.reasons[0].id.as_str(), &none.metrics["how_many"]), ("NO_OFFER", &json!(0)));
}

const IN_A_FILE: &str = "[table.t]\nhit = \"unique\"\ninputs = [\"request.age\", \"request.kind\"]\n\
    outputs = { grade = \"text\" }\nrows = \"rows.csv\"\n";

#[test]
fn rows_may_lie_in_a_file() {
    let csv = "\u{feff}request.age,request.kind,grade\r\n18..30,\"A, B\",\"one \"\"way\"\"\"\r\n\r\n>= 30,-,other\r\n";
    let policy = compiled(IN_A_FILE, csv).unwrap();
    let grade = |age: i64| decided(&policy, &json!({"age": age, "kind": "B"})).grade["grade"].clone();
    assert_eq!((grade(20), grade(30)), (json!("one \"way\""), json!("other")));
    let other = compiled(IN_A_FILE, &csv.replace("other", "others")).unwrap();
    assert_ne!(policy.digest(), other.digest(), "what the file says is part of the policy");
}

#[test]
fn a_mistake_in_a_file_of_rows_is_told_at_its_cell() {
    let told = |csv: &str| compiled(IN_A_FILE, csv).unwrap_err();
    assert!(
        told("request.age,request.kind,grade\n18..30,A,x\n\"30 .. 20\",A,x\n").starts_with("rows.csv:3:1: the range")
    );
    assert!(
        told("request.age,request.kind,grade\nabc,A,x\n").contains("rows.csv:2:1: `abc`"),
        "{}",
        told("request.age,request.kind,grade\nabc,A,x\n")
    );
    let named = told("request.age,grade\n");
    assert!(named.starts_with("rows.csv:1:13: this column is `grade`, but the table has `request.kind`"), "{named}");
    assert!(told("request.age,request.kind,grade,more\n").starts_with("rows.csv:1:1: this line has 4 columns"));
    assert!(told("request.age,request.kind,grade\n1,A\n").starts_with("rows.csv:2:1: this row has 2 cells"));
    assert!(told("request.age,request.kind,grade\n\"1,A,x\n").starts_with("rows.csv:2:1: this quote is never closed"));
    assert!(told("request.age,request.kind,grade\n\"1\"2,A,x\n").contains("a comma is missing"));
    assert!(told("").contains("the file is empty"));
    let gone = compile("x.toml", &format!("{HEADER}{IN_A_FILE}"), &mut |_| Err("not there".into()), &[]).unwrap_err();
    assert!(gone.to_string().contains("`rows.csv` cannot be read: not there"), "{gone}");
}

/// Cells of three columns: whole numbers, decimals and text.
fn cell(column: usize) -> BoxedStrategy<String> {
    let number = -4i64..12;
    let value = move || match column {
        0 => number.clone().prop_map(|n| n.to_string()).boxed(),
        1 => number.clone().prop_map(|n| format!("{}", n as f64 / 4.0)).boxed(),
        _ => prop::sample::select(vec!["A", "B", "C", "D"]).prop_map(str::to_string).boxed(),
    };
    let sign = prop::sample::select(vec!["", "= ", "< ", "<= ", "> ", ">= ", "!= "]);
    let one = (sign, value()).prop_map(|(sign, value)| format!("{sign}{value}"));
    let range = (value(), value(), any::<(bool, bool)>()).prop_map(|(low, high, (open, close))| {
        let ordered = match (low.parse::<f64>(), high.parse::<f64>()) {
            (Ok(a), Ok(b)) if a < b => Some((low.clone(), high.clone())),
            (Ok(a), Ok(b)) if b < a => Some((high.clone(), low.clone())),
            _ => None,
        };
        let signs = (if open { '(' } else { '[' }, if close { ')' } else { ']' });
        ordered.map_or(format!("= {low}"), |(low, high)| format!("{}{low}..{high}{}", signs.0, signs.1))
    });
    let list = (value(), value()).prop_map(|(a, b)| format!("{a}, {b}"));
    let plain =
        prop_oneof![3 => one, 3 => range, 1 => list, 2 => Just("-".to_string()), 1 => Just("unknown".to_string())]
            .boxed();
    let negated = plain.clone().prop_filter("not of -", |cell| cell != "-").prop_map(|cell| format!("not({cell})"));
    prop_oneof![6 => plain, 1 => negated].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn a_long_table_says_what_its_rows_say_one_by_one(
        rows in prop::collection::vec((cell(0), cell(1), cell(2)), 25..90),
        requests in prop::collection::vec(
            (prop::option::of(-6i64..14), prop::option::of(-8i64..20), prop::option::of(0usize..6)),
            12,
        ),
    ) {
        type Row = (String, String, String);
        let line = |(index, (a, b, c)): (usize, &Row)| format!("[{a:?}, {b:?}, {c:?}, {index}],\n");
        let whole: String = rows.iter().enumerate().map(line).collect();
        let table = |name: &str, hit: &str, rows: &str| format!(
            "[table.{name}]\nhit = \"{hit}\"\ninputs = [\"request.age\", \"request.share\", \"request.kind\"]\n\
             outputs = {{ {name}_row = \"count\" }}\nrows = [{rows}]\n"
        );
        // The same rows in tables too short for an index. All must expect an unknown in the same columns. So each gets
        // a row that does, matches every known value and is dropped from the comparison.
        let expects = |column: usize| rows.iter().any(|row| [&row.0, &row.1, &row.2][column].contains("unknown"));
        let cell = |column: usize| if expects(column) { "not(unknown)" } else { "-" };
        let marker = format!("[{:?}, {:?}, {:?}, 9999],\n", cell(0), cell(1), cell(2));
        let mut body = table("whole", "collect", &whole) + &table("early", "first", &whole);
        let parts: Vec<_> = rows.iter().enumerate().collect::<Vec<_>>().chunks(20).map(<[_]>::to_vec).collect();
        for (number, part) in parts.iter().enumerate() {
            let lines: String = part.iter().map(|(index, row)| line((*index, row))).collect();
            body += &table(&format!("part{number}"), "collect", &(lines + &marker));
        }
        let policy = compiled(&body, "").map_err(TestCaseError::fail)?;
        for (age, quarters, kind) in requests {
            let kinds = ["A", "B", "C", "D", "E", ""];
            let share = quarters.map(|quarters| quarters as f64 / 4.0);
            let request = json!({"age": age, "share": share, "kind": kind.map(|kind| kinds[kind])});
            let decision = decided(&policy, &request);
            let mut expected = Vec::new();
            let mut unknown = false;
            for number in 0..parts.len() {
                match &decision.grade[&format!("part{number}_row")] {
                    Value::Array(found) => expected.extend(found.iter().filter(|row| **row != json!(9999)).cloned()),
                    _ => unknown = true,
                }
            }
            let whole = &decision.grade["whole_row"];
            if unknown {
                prop_assert_eq!(whole, &Value::Null, "{}", request);
            } else {
                prop_assert_eq!(whole, &json!(expected), "{}", request);
                let first = expected.first().cloned().unwrap_or(Value::Null);
                prop_assert_eq!(&decision.grade["early_row"], &first, "{}", request);
            }
        }
    }
}

#[test]
fn a_request_may_bring_lists() {
    let body = "[bureau]\ncodes = \"list of text\"\ndates = \"list of date\"\n[metric]\n\
        how_many = \"list_length(bureau.codes)\"\nlate = \"list_contains(bureau.dates, DATE '2026-01-31')\"\n\
        [table.t]\nhit = \"first\"\ninputs = [\"list_contains(bureau.codes, 'R7')\"]\noutputs = { grade = \"text\" }\n\
        rows = [[\"true\", \"C\"], [\"false\", \"A\"]]\n";
    let policy = compiled(body, "").unwrap();
    let decision = decided(&policy, &json!({"bureau": {"codes": ["R1", "R7"], "dates": ["2026-01-31"]}}));
    assert_eq!(decision.metrics, [("how_many".to_string(), json!(2)), ("late".to_string(), json!(true))].into());
    assert_eq!(decision.grade["grade"], json!("C"));
    let unknown = decided(&policy, &json!({"bureau": {"codes": []}}));
    assert_eq!((&unknown.metrics["how_many"], &unknown.metrics["late"]), (&json!(0), &Value::Null));
    let refused = Request::from_json(&policy, br#"{"bureau": {"codes": ["R1", 7]}}"#).unwrap_err();
    assert!(refused.to_string().contains("expected a list"), "{refused}");
    let refused = compiled(
        "[bureau]\ncodes = \"list of text\"\n[score]\nbase = 1\n[[score.item]]\non = \"bureau.codes\"\n\
         points = [[\"-\", 1]]\n",
        "",
    );
    assert!(refused.unwrap_err().contains("this is a list, but a single value is needed"));
    assert!(
        compiled("[bureau]\ncodes = \"list of texts\"\n", "").unwrap_err().contains("did you mean `list of text`?")
    );
}

#[test]
fn a_sum_is_as_exact_on_the_way_as_at_its_end() {
    let body = "[table.t]\nhit = \"collect_sum\"\ninputs = [\"request.age\"]\noutputs = { n = \"count\" }\nrows = [\n\
                [\"> 1\", 9223372036854775807],\n[\"> 2\", 5],\n[\"> 3\", -7],\n]\n";
    assert_eq!(outputs(body, json!({"age": 4})), json!({"n": 9_223_372_036_854_775_805_i64}));
    assert_eq!(outputs(body, json!({"age": 3})), json!({"n": {"unknown": "overflow"}}));
}

#[test]
fn texts_lists_and_powers_are_put_together() {
    let metrics = |body: &str, request: Value| {
        let decision =
            decided(&compiled(&format!("[metric]\n{body}"), "").unwrap_or_else(|error| panic!("{error}")), &request);
        (decision.metrics["x"].clone(), decision.unknown.get("x").cloned())
    };
    let known = |body: &str| metrics(body, json!({"age": 30, "share": 0.5, "kind": "A", "as_of": "2026-06-10"})).0;
    assert_eq!(
        known("x = \"concat('is ', text_of(request.age), ', ', request.kind, text_of(request.share))\""),
        json!("is 30, A0.5")
    );
    assert_eq!(known("x = \"text_of(as_of)\""), json!("2026-06-10"));
    assert_eq!(known("x = \"text_of(request.age > 3)\""), json!("true"));
    assert_eq!(known("x = \"text_of(-0.0 * request.share)\""), json!("0"));
    assert_eq!(known("x = \"power(2, request.age / 3)\""), json!(1024.0));
    assert_eq!(
        metrics("x = \"power(0 - request.age, 0.5)\"", json!({"age": 3})),
        (Value::Null, Some("overflow".into()))
    );
    assert_eq!(
        metrics("x = \"concat('a', request.kind)\"", json!({})),
        (Value::Null, Some("missing_request_kind".into()))
    );
    assert_eq!(known("x = \"list_of(request.age, 2, list_of(1.5, request.share))\""), json!([30.0, 2.0, 1.5, 0.5]));
    assert_eq!(known("x = \"list_of('a', request.kind)\""), json!(["a", "A"]));
    // Found by `cargo xtask differential`: next to counts a bare number is a count, and is compared to the last digit.
    assert_eq!(known("x = \"list_of(request.age, 2)\"").to_string(), "[30,2]");
    let large = "9223372036854775777 + request.age";
    let near = format!("x = \"list_contains(list_of({large}, 2), {large} - 1)\"");
    assert_eq!(known(&near), json!(false));
    let told = |body: &str| compiled(&format!("[metric]\nx = {body}"), "").unwrap_err();
    assert!(told("\"concat('a', request.age)\"").contains("text_of(x) makes text"));
    assert!(told("\"list_of('a', request.age)\"").contains("a list holds one kind"));
    assert!(told("\"text_of(request.income)\"").contains("money cannot become text"));
    assert!(told("\"power(request.income, 2)\"").contains("expected a number"));
}
