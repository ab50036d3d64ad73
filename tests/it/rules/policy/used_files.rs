//! The files that a policy uses: how names are qualified, that each file is used once, and locks by digest.

use lendwright::base::digest::Digest;
use lendwright::decision::{Request, decide, reading};
use lendwright::statement::read_json;
use serde_json::json;

use super::{HEAD, decided, policy_with, refused};
use crate::fixtures::desk::Desk;

const BUREAU: &str = r#"
[parameters]
limit = 3

[words]
salary = ["credit agency"]

[transaction]
is_known = "mentions(salary)"

[metric]
records = "COUNT(*) + 100"
few = "records < $limit"
known = "COUNT(*) FILTER (WHERE is_known)"

[table.grade]
hit = "first"
inputs = ["records"]
outputs = { grade = "text" }
rows = [["< $limit", "few"], ["-", "many"]]
"#;

const USER: &str = r#"
use = [{ file = "bureau.toml", as = "b" }]

[parameters]
limit = 7

[words]
salary = ["salary"]

[metric]
records = "COUNT(*)"
all = "records + b.records + $limit * 1000 + $b.limit * 10000"
mentioned = "COUNT(*) FILTER (WHERE mentions(b.salary) OR mentions(salary))"

[table.own]
hit = "first"
inputs = ["b.grade", "records"]
outputs = { own = "text" }
rows = [["many", "<= $b.limit", "as it should be"], ["-", "-", "otherwise"]]

[[require]]
id = "R01"
when = "b.records < $b.limit"
else = "refer"
reason = "{b.records} and {$b.limit} beside {records} and {$limit}, {b.grade}"
"#;

#[test]
fn the_names_of_a_file_are_its_own_inside_and_said_with_its_name_outside() {
    let text = format!("{}{USER}", HEAD);
    let policy = policy_with(&text, &[("bureau.toml", BUREAU)], &[]);
    let decision = decided(&policy, &Request::default());
    assert_eq!(decision.metrics["all"], json!(37_102));
    assert_eq!(decision.metrics["b.few"], json!(false));
    assert_eq!(
        (decision.grade["b.grade"].clone(), decision.grade["own"].clone()),
        (json!("many"), json!("as it should be"))
    );
    assert_eq!(decision.reasons[0].text, "101 and 3 beside 1 and 7, many");
    let policy = policy_with(&text, &[("bureau.toml", BUREAU)], &[("b.limit", "200")]);
    let decision = decided(&policy, &Request::default());
    assert_eq!((decision.metrics["b.few"].clone(), decision.grade["b.grade"].clone()), (json!(true), json!("few")));
}

#[test]
fn without_a_name_of_its_own_a_file_may_not_say_what_is_said() {
    let text = format!("{}{}", HEAD, USER.replace("{ file = \"bureau.toml\", as = \"b\" }", "\"bureau.toml\""));
    let wrong = refused(&text, &[("bureau.toml", BUREAU)]);
    for name in
        ["the parameter `limit` is already defined", "the word list `salary` is", "`records` is already defined"]
    {
        assert!(wrong.contains(name), "{wrong}");
    }
}

#[test]
fn files_use_files_and_each_is_read_once() {
    let text = format!(
        "{HEAD}use = [\"a/one.toml\", {{ file = \"a/two.toml\", as = \"two\" }}]\n[metric]\n\
         all = \"one + two.two + two.deep.deep + shared\"\n"
    );
    let files = [
        ("a/one.toml", "use = [\"../shared.toml\"]\n[metric]\none = \"shared\"\n"),
        (
            "a/two.toml",
            "use = [\"../shared.toml\", { file = \"deep/deep.toml\", as = \"deep\" }]\n[metric]\n\
             two = \"shared + deep.deep\"\n",
        ),
        ("a/deep/deep.toml", "use = [\"../../shared.toml\"]\n[metric]\ndeep = \"shared * 10\"\n"),
        ("shared.toml", "[metric]\nshared = \"COUNT(*)\"\n"),
    ];
    let mut asked = Vec::new();
    let mut read = |name: &str| {
        asked.push(name.to_owned());
        files.iter().find(|(path, _)| *path == name).map(|(_, text)| text.to_string()).ok_or(format!("no {name}"))
    };
    let policy = lendwright::compile("whole.toml", &text, &mut read, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
    asked.sort();
    assert_eq!(asked, ["a/deep/deep.toml", "a/one.toml", "a/two.toml", "shared.toml"]);
    assert_eq!(policy.used_files().len(), 4);
    assert_eq!(decided(&policy, &Request::default()).metrics["all"], json!(23));
}

#[test]
fn a_change_of_any_file_that_was_read_changes_the_digest() {
    let text = format!(
        "{HEAD}use = [\"one.toml\"]\n[table.t]\nhit = \"first\"\ninputs = [\"two\"]\noutputs = {{ g = \"text\" }}\n\
         rows = \"t.csv\"\n"
    );
    let digest = |one: &str, two: &str, csv: &str| {
        policy_with(&text, &[("one.toml", one), ("two.toml", two), ("t.csv", csv)], &[]).digest()
    };
    let (one, two, csv) = ("use = [\"two.toml\"]\n", "[metric]\ntwo = \"COUNT(*)\"\n", "two,g\n-,A\n");
    let all = [
        digest(one, two, csv),
        digest("use = [\"two.toml\"] \n", two, csv),
        digest(one, "[metric]\ntwo = \"COUNT(*) + 0\"\n", csv),
        digest(one, two, "two,g\n-,B\n"),
    ];
    for (index, digest) in all.iter().enumerate() {
        assert!(!all[..index].contains(digest));
    }
}

#[test]
fn a_file_is_locked_by_its_digest() {
    let shared = "[metric]\nshared = \"COUNT(*)\"\n";
    let locked = Digest::compute(shared.as_bytes());
    let text = format!("{HEAD}use = [{{ file = \"shared.toml\", digest = \"{locked}\" }}]\n");
    policy_with(&text, &[("shared.toml", shared)], &[]);
    let changed = format!("{shared}# changed\n");
    let wrong = refused(&text, &[("shared.toml", &changed)]);
    let found = Digest::compute(changed.as_bytes());
    assert!(wrong.contains("`shared.toml` is not the file that was locked"), "{wrong}");
    assert!(wrong.contains(&locked.to_string()) && wrong.contains(&found.to_string()), "{wrong}");
}

#[test]
fn check_prints_what_locks_the_files_and_the_lock_holds() {
    let desk = Desk::new();
    let said = desk.run(&["check", "--digests", "rules/small.toml"]);
    assert_eq!(said.status, 0, "{said:?}");
    let line = said.out.lines().nth(1).unwrap().trim().to_owned();
    let text = desk.read("rules/small.toml").replace("use = [\"shared.toml\"]", &format!("use = [{line}]"));
    assert!(text.contains("digest"), "{line}");
    desk.write("rules/small.toml", &text);
    assert_eq!(desk.run(&["check", "rules/small.toml"]).status, 0);
    desk.write("rules/shared.toml", &format!("{}\n", desk.read("rules/shared.toml")));
    let said = desk.run(&["check", "rules/small.toml"]);
    assert_eq!(said.status, 1);
    assert!(said.err.contains("is not the file that was locked"), "{}", said.err);
}

#[test]
fn check_shows_the_parameters_as_they_are_on_a_day() {
    let desk = Desk::new();
    let parameters = "[parameters]\nmin_records = { value = 5, min = 1, max = 12, unit = \"count\", \
        doc = \"fewer are too few\" }\n\
        max_share = { values = { 2025-01-01 = 0.335, 2026-07-01 = 0.30 }, min = 0.1, max = 0.6 }\n\
        least = { value = 1_250.50, values = { 2026-01-01 = 2000 }, unit = \"money\" }\n";
    let text = desk.read("rules/small.toml").replace("[parameters]\nmin_records = 5\n", parameters);
    let used = "[[require]]\nid = \"P\"\nwhen = \"all > 0 AND COALESCE(request.amount, 1) < least\"\nreason = \"p\"\n";
    desk.write(
        "rules/small.toml",
        &format!("{text}\n[metric]\nall = \"$max_share + records\"\nleast = \"$least\"\n{used}"),
    );
    let said = |arguments: &[&str]| {
        let said = desk.run(&[&["check", "--params", "rules/small.toml"], arguments].concat());
        assert_eq!((said.status, said.err.as_str()), (0, ""));
        said.out
    };
    let shown = [said(&[]), said(&["--as-of", "2026-06-30"]), said(&["--as-of", "2024-06-30", "--format", "json"])];
    insta::assert_snapshot!(shown.join("\n"));
}

/// A file that changes a list sees its change under its own name, whether or not others use the list too; the others
/// see the list unchanged.
#[test]
fn a_list_that_a_file_changes_is_its_own_where_others_bring_it_in_too() {
    let base = "[words]\ns = [\"alpha\", \"beta\"]\n";
    let changing = "use = [\"base.toml\"]\n[words]\ns = { add = [\"delta\"], remove = [\"alpha\"] }\n\
                    [transaction]\nhas = \"mentions(s)\"\n";
    let files = [("base.toml", base), ("b.toml", changing)];
    let found = |uses: &str, rules: &str, narration: &str| {
        let count = |list: &str| format!("COUNT(*) FILTER (WHERE {list})");
        let text = format!(
            "{HEAD}use = [{uses}]\n{rules}[metric]\nown = \"{}\"\ninside = \"{}\"\n{}",
            count("mentions(b.s)"),
            count("b.has"),
            if uses.contains("\"base") { format!("shared = \"{}\"\n", count("mentions(s)")) } else { String::new() }
        );
        let policy = policy_with(&text, &files, &[]);
        let notes = json!({"desc": narration});
        let record = json!([{"id": "1", "customer": "c", "trans_date": "2026-03-05", "credit": "1", "notes": notes}]);
        let statements = read_json(record.to_string().as_bytes(), "inline", &reading(&policy)).unwrap();
        let decision = decide(&policy, &statements, &Request::default()).unwrap().remove(0);
        ["own", "inside", "shared"].map(|name| decision.metrics.get(name).and_then(|value| value.as_u64()))
    };
    let aliased = "{ file = \"b.toml\", as = \"b\" }";
    assert_eq!(found(aliased, "", "alpha"), [Some(0), Some(0), None]);
    assert_eq!(found(aliased, "", "delta"), [Some(1), Some(1), None]);
    for uses in [format!("{aliased}, \"base.toml\""), format!("\"base.toml\", {aliased}")] {
        assert_eq!(found(&uses, "", "alpha"), [Some(0), Some(0), Some(1)], "{uses}");
        assert_eq!(found(&uses, "", "beta"), [Some(1), Some(1), Some(1)], "{uses}");
        assert_eq!(found(&uses, "", "delta"), [Some(1), Some(1), Some(0)], "{uses}");
        // The policy's own change of the list applies to all.
        let rules = "[words]\ns = { add = [\"eps\"] }\n";
        assert_eq!(found(&uses, rules, "eps"), [Some(1), Some(1), Some(1)], "{uses}");
    }
    let text = format!("{HEAD}use = [{aliased}]\n");
    let nothing = refused(&text, &[("b.toml", "[words]\ns = { add = [\"x\"] }\n")]);
    assert!(nothing.contains("there is no word list `b.s` to change"), "{nothing}");
}
