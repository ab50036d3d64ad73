//! Kinds and corrections as people write them: every mistake is told with its place and what to do.

use std::fmt::Write;

use lendwright::rules::compile;

const RULES: &str = r#"
[policy]
name = "corrected"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"
corrections = "FILE"

[kind]
salary = { credit = ["is_salary"] }
gift = { credit = [], debit = [] }

[transaction]
is_salary = "credit > 0"

[metric]
salaries = "COUNT(*) FILTER (WHERE is_salary)"
"#;

/// The mistakes of a policy with a file of corrections: each with its line and its help.
fn mistakes(rules: &str, file: &str, corrections: Option<&str>) -> String {
    let mut read = |path: &str| corrections.map(str::to_owned).ok_or_else(|| format!("no file {path}"));
    let found = match compile("corrected.toml", &rules.replace("FILE", file), &mut read, &[]) {
        Ok(policy) => (policy.warnings().to_vec(), policy.sources().clone()),
        Err(refused) => (refused.diagnostics, refused.sources),
    };
    let mut told = String::new();
    for one in &found.0 {
        let place = found.1.get(one.span).map(|source| format!("{}:{}", source.name, found.1.line_column(one.span).0));
        let help = one.help.as_deref().unwrap_or_default();
        writeln!(told, "{} {}: {}\n    {help}", place.unwrap_or_default(), one.code, one.message).unwrap();
    }
    told
}

const ENTRY: &str = "[[correction]]\nid = \"a\"\nkind = \"salary\"\nby = \"amina\"\non = 2026-11-02\nwhy = \"seen\"\n";

#[test]
fn a_file_without_mistakes_has_none() {
    let csv = "id,customer,kind,by,on,why\na,,salary,amina,2026-11-02,seen\n,,,,,\n";
    for (file, text) in [("c.toml", ""), ("c.toml", ENTRY), ("c.csv", ""), ("c.csv", csv), ("c.CSV", csv)] {
        assert_eq!(mistakes(RULES, file, Some(text)), "", "{file} {text}");
    }
}

#[test]
fn mistakes_of_corrections_say_what_to_do() {
    let without = |line: &str| ENTRY.replace(line, "");
    let files: Vec<(&str, String)> = vec![
        ("c.toml", without("id = \"a\"\n")),
        ("c.toml", without("kind = \"salary\"\n")),
        ("c.toml", without("by = \"amina\"\n")),
        ("c.toml", without("on = 2026-11-02\n")),
        ("c.toml", without("why = \"seen\"\n")),
        ("c.toml", ENTRY.replace("kind", "payer = \"ada\"\nkind")),
        ("c.toml", ENTRY.replace("\"salary\"", "\"salery\"")),
        ("c.toml", ENTRY.replace("2026-11-02", "\"2.11.2026\"")),
        ("c.toml", ENTRY.replace("kind", "kinds")),
        ("c.toml", ENTRY.replace("\"seen\"", "\" \"")),
        ("c.toml", ENTRY.replace("id = \"a\"", "narration = \"of\"")),
        ("c.toml", ENTRY.replace("id = \"a\"", "payer = \"...\"")),
        ("c.toml", ENTRY.replace("kind = \"salary\"", "counterparty = \"---\"")),
        ("c.toml", ENTRY.replace("[[correction]]", "[correction]")),
        ("c.toml", format!("{ENTRY}{ENTRY}")),
        ("c.toml", format!("{ENTRY}{}", ENTRY.replace("\"salary\"", "\"gift\""))),
        (
            "c.toml",
            format!("{ENTRY}{}", ENTRY.replace("kind", "customer = \"obi\"\nkind").replace("\"salary\"", "\"gift\"")),
        ),
        ("c.csv", "id,kinds,by,on,why\n".to_owned()),
        ("c.csv", "id,kind,by,on,why\na,salary,amina,2026-11-02\n".to_owned()),
        ("c.csv", "id,kind,by,on,why\na,salary,amina,02/11/2026,seen\n".to_owned()),
    ];
    let mut told = String::new();
    for (file, text) in &files {
        write!(told, "---- {file}\n{text}----\n{}\n", mistakes(RULES, file, Some(text))).unwrap();
    }
    told += &format!("---- no file\n{}\n", mistakes(RULES, "c.toml", None));
    told += &format!("---- a path from the root\n{}", mistakes(RULES, "/c.toml", Some("")));
    insta::assert_snapshot!("corrections", told);
}

#[test]
fn mistakes_of_kinds_say_what_to_do() {
    let kinds = [
        "salary = { credit = [\"is_salery\"] }",
        "salary = { credit = [\"salaries\"] }",
        "salary = { credit = [\"credit\"] }",
        "salary = { credit = [\"is_paid\"] }",
        "salary = { doc = \"pay\" }",
        "salary = { credits = [\"is_salary\"] }",
        "salary = [\"is_salary\"]",
    ];
    let mut told = String::new();
    for kind in kinds {
        let rules = RULES.replace("salary = { credit = [\"is_salary\"] }", kind);
        let rules = rules.replace("[transaction]", "[transaction]\nis_paid = \"credit * 2\"");
        write!(told, "---- {kind}\n{}", mistakes(&rules, "c.toml", Some(""))).unwrap();
    }
    insta::assert_snapshot!("kinds", told);
}
