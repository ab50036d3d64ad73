//! DMN models as rule files: what a model becomes, what is reported of the rest, and what is not a model.

mod tck;

use std::path::{Path, PathBuf};
use std::process::Command;

use lendwright::dmn::{HeaderWords, import_dmn_model};
use lendwright::statement::read_json;
use lendwright::{Request, compile, decide, reading};
use serde_json::{Value, json};

fn model() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/dmn/loan.dmn")
}

fn header() -> HeaderWords {
    HeaderWords { currency: "566".into(), time_zone: "Africa/Lagos".into() }
}

/// The results of a model's rules for a request.
fn decided(rules: &str, request: Value) -> Value {
    let policy = compile("model.toml", rules, &mut |_| Err("none".into()), &[])
        .unwrap_or_else(|refused| panic!("{refused}\n{rules}"));
    let statements = read_json(b"[]", "none", &reading(&policy)).unwrap();
    let request = Request::from_json(&policy, request.to_string().as_bytes()).unwrap();
    let decision = decide(&policy, &statements, &request).unwrap().remove(0);
    decision.grade.into_iter().chain(decision.metrics).collect::<serde_json::Map<_, _>>().into()
}

#[test]
fn a_model_becomes_a_rule_file_and_the_rest_is_said() {
    let output = Command::new(env!("CARGO_BIN_EXE_lendwright")).args(["import", "dmn"]).arg(model()).output().unwrap();
    assert!(output.status.success());
    let said = format!("{}{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    insta::assert_snapshot!("import_dmn", said);
}

#[test]
fn what_is_made_decides_as_the_model_says() {
    let imported = import_dmn_model(&std::fs::read_to_string(model()).unwrap(), &[], &header()).unwrap();
    let of = |request: Value| decided(&imported.rules, request);
    let first = of(json!({"applicant_age": 30, "applicant_employer_s_name": "Acme, Ltd", "bureau_codes": ["R1"],
            "applicant_born": "1996-01-01", "amount": 1200}));
    assert_eq!(
        (&first["grade"], &first["offer_rate"], &first["offer_note"]),
        (&json!("A"), &json!(0.12), &json!("grade A, 1200"))
    );
    assert!((first["offer_instalment"].as_f64().unwrap() - 112.0).abs() < 1e-9);
    let second = of(json!({"applicant_age": 30, "applicant_employer_s_name": "Shop", "bureau_codes": ["R7"],
            "applicant_born": "1996-01-01", "amount": 1200}));
    assert_eq!((&second["grade"], &second["offer_rate"]), (&json!("B"), &json!(0.24)));
    let third = of(json!({"applicant_age": 17, "applicant_employer_s_name": "Bank", "bureau_codes": [],
            "applicant_born": "2009-01-01", "amount": 1}));
    assert_eq!(third["grade"], json!("C"));
}

#[test]
fn every_version_of_dmn_is_read() {
    let text = std::fs::read_to_string(model()).unwrap();
    let now = import_dmn_model(&text, &[], &header()).unwrap().rules;
    let versions = [
        "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
        "http://www.omg.org/spec/DMN/20180521/MODEL/",
        "https://www.omg.org/spec/DMN/20191111/MODEL/",
        "https://www.omg.org/spec/DMN/20211108/MODEL/",
    ];
    for version in versions {
        let older = text.replace("https://www.omg.org/spec/DMN/20230324/MODEL/", version);
        assert_eq!(import_dmn_model(&older, &[], &header()).unwrap().rules, now, "{version}");
    }
}

#[test]
fn every_hit_policy_is_carried_over() {
    let table = |hit: &str, cells: [&str; 2]| {
        format!(
            "<definitions xmlns=\"https://www.omg.org/spec/DMN/20230324/MODEL/\" name=\"m\" namespace=\"n\">\
             <inputData name=\"x\"><variable name=\"x\" typeRef=\"number\"/></inputData>\
             <decision name=\"out\"><variable name=\"out\"/><decisionTable {hit}>\
             <input><inputExpression><text>x</text></inputExpression></input>\
             <output><outputValues><text>9, 7</text></outputValues></output>\
             <rule><inputEntry><text>{}</text></inputEntry><outputEntry><text>7</text></outputEntry></rule>\
             <rule><inputEntry><text>{}</text></inputEntry><outputEntry><text>9</text></outputEntry></rule>\
             </decisionTable></decision></definitions>",
            cells[0], cells[1]
        )
    };
    let of = |hit: &str, cells: [&str; 2]| {
        let imported = import_dmn_model(&table(hit, cells), &[], &header()).unwrap();
        decided(&imported.rules, json!({"x": 5}))["out"].clone()
    };
    let both = ["&gt; 1", "&gt; 2"];
    assert_eq!(of("hitPolicy=\"UNIQUE\"", ["&gt; 4", "&lt;= 4"]), json!(7.0));
    assert_eq!(of("", ["&gt; 4", "&lt;= 4"]), json!(7.0), "without a word it is unique");
    assert_eq!(of("hitPolicy=\"ANY\"", ["&gt; 4", "&lt; 4"]), json!(7.0));
    assert_eq!(of("hitPolicy=\"FIRST\"", both), json!(7.0));
    assert_eq!(of("hitPolicy=\"PRIORITY\"", both), json!(9.0));
    assert_eq!(of("hitPolicy=\"RULE ORDER\"", both), json!([7.0, 9.0]));
    assert_eq!(of("hitPolicy=\"OUTPUT ORDER\"", both), json!([9.0, 7.0]));
    assert_eq!(of("hitPolicy=\"COLLECT\"", both), json!([7.0, 9.0]));
    assert_eq!(of("hitPolicy=\"COLLECT\" aggregation=\"SUM\"", both), json!(16.0));
    assert_eq!(of("hitPolicy=\"COLLECT\" aggregation=\"MIN\"", both), json!(7.0));
    assert_eq!(of("hitPolicy=\"COLLECT\" aggregation=\"MAX\"", both), json!(9.0));
    assert_eq!(of("hitPolicy=\"COLLECT\" aggregation=\"COUNT\"", both), json!(2));
    let told = import_dmn_model(&table("hitPolicy=\"LAST\"", both), &[], &header()).unwrap_err().to_string();
    assert!(told.contains("the hit policy `LAST` is not known"), "{told}");
}

#[test]
fn what_is_no_model_is_told_and_ends_in_time() {
    let told = |text: &str| import_dmn_model(text, &[], &header()).unwrap_err().to_string();
    let whole = std::fs::read_to_string(model()).unwrap();
    assert!(told("").starts_with("not a DMN model"));
    assert!(told("a,b\n1,2\n").starts_with("not a DMN model"));
    assert!(told(&whole[..whole.len() / 2]).starts_with("not a DMN model"));
    assert!(told("<definitions/>").contains("the namespace is not one of DMN"));
    assert!(told("<html xmlns=\"http://www.omg.org/spec/DMN/1\"/>").contains("the root is <html>"));
    let bomb =
        "<!DOCTYPE d [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;\">]><definitions>&b;</definitions>";
    assert!(told(bomb).starts_with("not a DMN model"));
    let deep = "<context><contextEntry>".repeat(5_000) + &"</contextEntry></context>".repeat(5_000);
    let model = |inner: &str| {
        format!(
            "<definitions xmlns=\"https://www.omg.org/spec/DMN/20230324/MODEL/\" name=\"m\" namespace=\"n\">\
             <decision name=\"d\">{inner}</decision></definitions>"
        )
    };
    // However deep, it is an answer and no overflow.
    assert!(told(&model(&deep)).contains("nested more than 60 deep"));
    let brackets =
        format!("<literalExpression><text>{}1{}</text></literalExpression>", "(".repeat(10_000), ")".repeat(10_000));
    assert!(told(&model(&brackets)).contains("nested more than 60 deep"));
    let itself = model("<literalExpression><text>d + 1</text></literalExpression>");
    assert!(told(&itself).contains("the decision `d` depends on itself"));
    let minus = format!("<literalExpression><text>{}1</text></literalExpression>", "- ".repeat(10_000));
    assert!(told(&model(&minus)).contains("nested more than 60 deep"));
}

#[test]
fn what_is_said_of_a_long_expression_is_short() {
    let model = std::fs::read_to_string(model()).unwrap();
    let long = "é".repeat(40_000);
    let told = |text: &str| {
        let decision = format!(
            "<decision name=\"long\" id=\"long\"><variable name=\"long\"/>\
             <literalExpression><text>{text}</text></literalExpression></decision></definitions>"
        );
        let imported = import_dmn_model(&model.replace("</definitions>", &decision), &[], &header()).unwrap();
        assert_eq!(imported.rules.matches(&long[..402]).count(), 0);
        imported.left_out.into_iter().find(|why| why.starts_with("the decision `long`")).unwrap()
    };
    let shown = format!("`\"{}...`", "é".repeat(99));
    assert!(told(&format!("\"{long}\" ?")).contains(&shown));
    for text in [format!("\"{long}\" + 1"), format!("nobody({long})"), format!("\"`{long}` `\" ?")] {
        let why = told(&text);
        assert!(why.chars().count() < 500, "{why}");
    }
}

#[test]
fn times_and_durations_are_carried_over() {
    let model = |of: &str, cells: [&str; 2], literal: &str| {
        format!(
            "<definitions xmlns=\"https://www.omg.org/spec/DMN/20230324/MODEL/\" name=\"m\" namespace=\"n\">\
             <inputData name=\"x\"><variable name=\"x\" typeRef=\"{of}\"/></inputData>\
             <decision name=\"out\"><variable name=\"out\"/><decisionTable>\
             <input><inputExpression><text>x</text></inputExpression></input><output/>\
             <rule><inputEntry><text>{}</text></inputEntry><outputEntry><text>1</text></outputEntry></rule>\
             <rule><inputEntry><text>{}</text></inputEntry><outputEntry><text>2</text></outputEntry></rule>\
             </decisionTable></decision>\
             <decision name=\"more\"><variable name=\"more\"/>\
             <literalExpression><text>{literal}</text></literalExpression></decision></definitions>",
            cells[0], cells[1]
        )
    };
    let of = |of: &str, cells: [&str; 2], literal: &str, given: &str| {
        let imported = import_dmn_model(&model(of, cells, literal), &[], &header()).unwrap();
        assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
        let found = decided(&imported.rules, json!({"x": given}));
        (found["out"].clone(), found["more"].clone())
    };
    let night = ["[time(\"22:00:00\")..@\"23:30:00\")", "&lt; @\"22:00:00\""];
    assert_eq!(of("time", night, "x - @\"20:00:00\"", "22:00:00"), (json!(1.0), json!("PT2H")));
    let new = ["&gt;= date and time(\"2026-01-01T00:00:00Z\")", "&lt; @\"2026-01-01T00:00:00Z\""];
    let later = "x + duration(\"PT36H\") - @\"PT1H\"";
    assert_eq!(of("dateTime", new, later, "2025-12-31T23:30:00+01:00"), (json!(2.0), json!("2026-01-02T09:30:00Z")));
    let waits = ["duration(\"PT1H\"), duration(\"PT2H\")", "&gt; duration(\"P1D\")"];
    assert_eq!(of("days and time duration", waits, "x / @\"PT30M\"", "PT120M"), (json!(1.0), json!(4.0)));
    let stays = ["&lt; duration(\"P1Y\")", "[duration(\"P1Y\")..@\"P2Y\"]"];
    let longer = "date(\"2026-01-31\") + x";
    assert_eq!(of("yearMonthDuration", stays, longer, "P1Y1M"), (json!(2.0), json!("2027-02-28")));
    let left_out = |of: &str, literal: &str| {
        let imported = import_dmn_model(&model(of, ["-", "-"], literal), &[], &header()).unwrap();
        imported.left_out.join("; ")
    };
    assert!(left_out("time", "x &gt; time(\"10:00:00Z\")").contains("not a time of day without a zone"));
    assert!(left_out("dateTime", "x &gt; @\"2026-01-01T00:00:00\"").contains("date and time with its offset"));
    assert!(left_out("dateTime", "string(x)").contains("an offset, which is not kept"));
    assert!(left_out("dayTimeDuration", "x &gt; @\"P1M\"").contains("of different types"));
    assert!(left_out("time", "x + @\"PT1H\"").contains("is not of type number"));
}

/// A model of one decision table, as its inner XML.
fn one_table(before: &str, table: &str) -> String {
    format!(
        "<definitions xmlns=\"https://www.omg.org/spec/DMN/20191111/MODEL/\" name=\"m\" namespace=\"n\">{before}\
         <decision id=\"out\" name=\"out\"><variable name=\"out\"/>{table}</decision></definitions>"
    )
}

const NUMBER: &str = "<inputData name=\"n\"><variable name=\"n\" typeRef=\"number\"/></inputData>";

#[test]
fn halves_go_to_the_even_neighbour() {
    let of = |call: &str, value: Value| {
        let text = one_table(NUMBER, &format!("<literalExpression><text>{call}</text></literalExpression>"));
        decided(&import_dmn_model(&text, &[], &header()).unwrap().rules, json!({ "n": value }))["out"].clone()
    };
    for (call, value, wanted) in [
        ("decimal(n, 2)", "0.125", 0.12),
        ("decimal(n, 2)", "1.005", 1.0),
        ("decimal(n, 2)", "0.375", 0.38),
        ("decimal(n, 2)", "-0.125", -0.12),
        ("decimal(n, 2)", "0.1250000001", 0.13),
        ("decimal(n, 0)", "2.5", 2.0),
        ("decimal(n, 0)", "3.5", 4.0),
        ("decimal(n, 0)", "-2.5", -2.0),
        ("decimal(n, 0)", "-0.5", 0.0),
        ("decimal(n, 0)", "-4.5", -4.0),
        ("decimal(n, -2)", "250", 200.0),
        ("decimal(n, -2)", "350", 400.0),
        ("decimal(n, 8)", "0.000000005", 0.0),
        ("decimal(n, 8)", "0.000000015", 0.000_000_02),
        ("floor(n, 1)", "-1.56", -1.6),
        ("ceiling(n, 1)", "-1.56", -1.5),
    ] {
        let value: Value = serde_json::from_str(value).unwrap();
        assert_eq!(of(call, value.clone()).as_f64(), Some(wanted), "{call} of {value}");
    }
}

#[test]
fn an_empty_text_is_a_text() {
    let code = "<inputData name=\"code\"><variable name=\"code\" typeRef=\"string\"/></inputData>";
    let table = |entry: &str, output: &str| {
        format!(
            "<decisionTable hitPolicy=\"FIRST\"><input><inputExpression typeRef=\"string\"><text>code</text>\
             </inputExpression></input><output/><rule><inputEntry><text>{entry}</text></inputEntry><outputEntry>\
             <text>{output}</text></outputEntry></rule><rule><inputEntry><text>-</text></inputEntry><outputEntry>\
             <text>\"other\"</text></outputEntry></rule></decisionTable>"
        )
    };
    for (entry, output, code_is, wanted) in [
        ("\"\"", "\"none\"", "", "none"),
        ("\"\"", "\"none\"", "A", "other"),
        ("not(\"\")", "\"some\"", "A", "some"),
        ("not(\"\")", "\"some\"", "", "other"),
        ("\"\", \"A\"", "\"either\"", "", "either"),
        ("\"A\"", "\"\"", "A", ""),
    ] {
        let rules = import_dmn_model(&one_table(code, &table(entry, output)), &[], &header()).unwrap().rules;
        assert_eq!(decided(&rules, json!({ "code": code_is }))["out"], json!(wanted), "{entry} of {code_is:?}");
    }
}

#[test]
fn a_table_that_says_nothing_is_not_carried_over() {
    for table in ["<decisionTable/>", "<decisionTable><output name=\"x\"/></decisionTable>"] {
        let refused = import_dmn_model(&one_table(NUMBER, table), &[], &header()).unwrap_err().to_string();
        assert!(refused.contains("has no rules or no outputs"), "{refused}");
    }
}

#[test]
fn the_sum_of_no_row_is_null() {
    let table = |aggregation: &str| {
        format!(
            "<decisionTable hitPolicy=\"COLLECT\" aggregation=\"{aggregation}\"><input><inputExpression><text>n</text>\
             </inputExpression></input><output/><rule><inputEntry><text>&gt; 100</text></inputEntry><outputEntry>\
             <text>10</text></outputEntry></rule></decisionTable>"
        )
    };
    for (aggregation, nothing, something) in
        [("SUM", Value::Null, json!(10.0)), ("MAX", Value::Null, json!(10.0)), ("COUNT", json!(0), json!(1))]
    {
        let rules = import_dmn_model(&one_table(NUMBER, &table(aggregation)), &[], &header()).unwrap().rules;
        assert_eq!(decided(&rules, json!({"n": 2}))["out"], nothing, "{aggregation}");
        assert_eq!(decided(&rules, json!({"n": 200}))["out"].as_f64(), something.as_f64(), "{aggregation}");
    }
}

/// The style of modelers for process engines: undeclared variables, types of the engine, results under other names.
#[test]
fn a_model_of_a_process_engine_is_carried_over() {
    let text = std::fs::read_to_string(model().with_file_name("process.dmn")).unwrap();
    let imported = import_dmn_model(&text, &[], &header()).unwrap();
    insta::assert_snapshot!("import_dmn_process", imported.rules);
    let of = |age: i64, status: &str, amount: f64| {
        decided(&imported.rules, json!({"applicant_age": age, "status": status, "amount": amount}))
    };
    assert_eq!(of(30, "employed", 99.5)["limit"], json!(500.0));
    assert_eq!(of(17, "employed", 99.5)["limit"], json!(0.0));
    assert_eq!(of(30, "student", 99.5)["limit"], json!(50.0));
}

#[test]
fn a_variable_without_a_type_or_with_two_is_refused() {
    let input = |of: &str| format!("<input><inputExpression{of}><text>season</text></inputExpression></input>");
    let table = |inputs: &str, entries: usize| {
        let entries = "<inputEntry><text>-</text></inputEntry>".repeat(entries);
        let rule = format!("<rule>{entries}<outputEntry><text>1</text></outputEntry></rule>");
        one_table("", &format!("<decisionTable>{inputs}<output/>{rule}</decisionTable>"))
    };
    let refused = |text: &str| import_dmn_model(text, &[], &header()).unwrap_err().to_string();
    assert!(
        refused(&table(&input(""), 1)).contains("`season` is not declared, and its inputExpression has no typeRef")
    );
    let two = format!("{}{}", input(" typeRef=\"string\""), input(" typeRef=\"integer\""));
    assert!(refused(&table(&two, 2)).contains("`season` is of type `string` and of type `integer`"));
    let groovy = input(" typeRef=\"string\" expressionLanguage=\"groovy\"");
    assert!(refused(&table(&groovy, 1)).contains("a decision table with an expression in groovy"));
}

/// A first-hit table of one input: an entry and its output, else the text `other`.
fn first_hit(input: &str, entry: &str, output: &str) -> String {
    format!(
        "<decisionTable hitPolicy=\"FIRST\"><input><inputExpression><text>{input}</text></inputExpression></input>\
         <output/><rule><inputEntry><text>{entry}</text></inputEntry><outputEntry><text>{output}</text></outputEntry>\
         </rule><rule><inputEntry><text>-</text></inputEntry><outputEntry><text>\"other\"</text></outputEntry></rule>\
         </decisionTable>"
    )
}

#[test]
fn a_condition_about_the_tested_value_is_one() {
    let of = |before: &str, input: &str, entry: &str, request: Value| {
        let text = one_table(before, &first_hit(input, entry, "\"fits\""));
        let rules =
            import_dmn_model(&text, &[], &header()).unwrap_or_else(|refused| panic!("{entry}: {refused}")).rules;
        decided(&rules, request)["out"].clone()
    };
    for (input, entry, n, fits) in [
        ("n", "? &gt; 5", 6, true),
        ("n", "? &gt; 5", 5, false),
        ("n", "? &gt; 5 and ? &lt; 9", 9, false),
        ("n", "? * 2 = 12", 6, true),
        ("n + 1", "? = 7 or ? = 9", 6, true),
        ("n + 1", "? = 7 or ? = 9", 7, false),
        ("n", "not(? &gt; 5)", 5, true),
        ("n", "? in [3..4[", 3, true),
        ("n", "? in [3..4[", 4, false),
    ] {
        let wanted = if fits { "fits" } else { "other" };
        assert_eq!(of(NUMBER, input, entry, json!({ "n": n })), json!(wanted), "{entry} of {n}");
    }
    let flag = "<inputData name=\"flag\"><variable name=\"flag\" typeRef=\"boolean\"/></inputData>";
    for (flag_is, wanted) in [(true, "other"), (false, "fits")] {
        assert_eq!(of(flag, "flag", "? = false", json!({ "flag": flag_is })), json!(wanted), "{flag_is}");
    }
    let text = "<inputData name=\"t\"><variable name=\"t\" typeRef=\"string\"/></inputData>";
    assert_eq!(of(text, "t", "starts with(?, \"GB\")", json!({ "t": "GB12" })), json!("fits"));
    assert_eq!(of(text, "t", "starts with(?, \"GB\")", json!({ "t": "IE12" })), json!("other"));
}

#[test]
fn an_interval_may_be_open_by_either_bracket() {
    let fits = |entry: &str, n: i64| {
        let text = one_table(NUMBER, &first_hit("n", entry, "\"fits\""));
        decided(&import_dmn_model(&text, &[], &header()).unwrap().rules, json!({ "n": n }))["out"] == json!("fits")
    };
    for (entry, low, high) in [
        ("[3..4[", true, false),
        ("]3..4]", false, true),
        ("]3..4[", false, false),
        ("(3..4)", false, false),
        ("[3..4]", true, true),
        ("[3..4[, 4", true, true),
        ("not([3..4[)", false, true),
    ] {
        assert_eq!((fits(entry, 3), fits(entry, 4)), (low, high), "{entry}");
    }
    for entry in ["[10..5]", "]5..5]", "[5..5[", "(10..10)", "7, [10..5]", "not([10..5])", "[1.50..1.5[", "[-1..-2]"] {
        let text = one_table(NUMBER, &first_hit("n", entry, "\"fits\""));
        let refused = import_dmn_model(&text, &[], &header()).unwrap_err().to_string();
        assert!(refused.contains("the interval is empty"), "{entry}: {refused}");
    }
    assert!(fits("[3..3]", 3));
}

#[test]
fn a_text_has_the_escapes_of_feel() {
    let of = |entry: &str| {
        let text = one_table(NUMBER, &format!("<literalExpression><text>{entry}</text></literalExpression>"));
        import_dmn_model(&text, &[], &header())
            .map(|imported| decided(&imported.rules, json!({ "n": 1 }))["out"].clone())
    };
    for (entry, wanted) in [
        (r#""caf\u00e9""#, "café"),
        (r#""\U01F600""#, "😀"),
        (r#""a\"b""#, "a\"b"),
        (r#""it\'s""#, "it's"),
        (r#""a\\d""#, "a\\d"),
        (r#""a\tb""#, "a\tb"),
    ] {
        assert_eq!(of(entry).map_err(|refused| refused.to_string()), Ok(json!(wanted)), "{entry}");
    }
    for (entry, says) in
        [(r#""a\d""#, "no escape"), (r#""\u00g9""#, "names no character"), (r#""\uD800""#, "names no character")]
    {
        let refused = of(entry).map(drop).unwrap_err().to_string();
        assert!(refused.contains(says), "{entry}: {refused}");
    }
}
