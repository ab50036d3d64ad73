//! Lists of keys: what `in_list` says, and every mistake of a list with its place and what to do. No key is shown.

use std::collections::BTreeMap;
use std::fmt::Write;

use lendwright::analysis::{analyse, dictionary};
use lendwright::rules::Policy;
use lendwright::{Request, compile, decide, load_policies, read_json, reading};

const RULES: &str = r#"
[policy]
name = "listed"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[list.blocked]
file = "lists/blocked.csv"
key = "phone"
until = "until"
doc = "Phones of fraud cases"

[request]
phone = "text"
device = "count"

[metric]
is_blocked = "in_list(blocked, request.phone)"
"#;

/// A phone that no message may show.
const PHONE: &str = "08031234567";

fn blocked() -> String {
    format!("phone,until,why\n{PHONE},,fraud\n 0900 ,2026-06-30,late\n")
}

/// The policy with these files; a mistake with its line, its code and its help.
fn compiled(rules: &str, files: &[(&str, &str)]) -> Result<Policy, String> {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let mut read = |path: &str| files.get(path).map(|text| (*text).to_owned()).ok_or_else(|| "no such file".to_owned());
    compile("listed.toml", rules, &mut read, &[]).map_err(|refused| mistakes(&refused.diagnostics, &refused.sources))
}

fn mistakes(
    found: &[lendwright::base::diagnostic::Diagnostic],
    sources: &lendwright::base::diagnostic::Sources,
) -> String {
    let mut told = String::new();
    for one in found {
        let help = one.help.as_deref().unwrap_or_default();
        let line = sources.line_column(one.span).0;
        writeln!(told, "{line} {} {:?}: {}\n    {help}", one.code, one.severity, one.message).unwrap();
    }
    told
}

/// What is told about a policy, mistakes or warnings.
fn told(rules: &str, files: &[(&str, &str)]) -> String {
    let told = match compiled(rules, files) {
        Ok(policy) => mistakes(policy.warnings(), policy.sources()),
        Err(told) => told,
    };
    assert!(!told.contains(PHONE), "{told}");
    told
}

fn told_of(list: &str) -> String {
    told(RULES, &[("lists/blocked.csv", list)])
}

#[test]
fn a_list_without_mistakes_has_none() {
    assert_eq!(told_of(&blocked()), "");
    assert_eq!(told_of(&blocked().replace('\n', "\r\n")), "");
    // Its name may be written in quotes too.
    for name in ["'blocked'", "\"blocked\""] {
        let rules =
            RULES.replace("\"in_list(blocked, request.phone)\"", &format!("'''in_list({name}, request.phone)'''"));
        assert_eq!(told(&rules, &[("lists/blocked.csv", &blocked())]), "", "{name}");
    }
}

#[test]
fn mistakes_of_a_list_say_what_to_do() {
    let mut all = String::new();
    let mut note = |what: &str, told: String| write!(all, "---- {what}\n{told}").unwrap();
    let rules = |from: &str, to: &str| {
        assert!(RULES.contains(from), "{from}");
        told(&RULES.replace(from, to), &[("lists/blocked.csv", &blocked()), ("numbers.csv", "device\n007\n8\n")])
    };
    note("an unknown list", rules("in_list(blocked", "in_list(bloked"));
    note("a list of none", rules("in_list(blocked", "in_list(employers"));
    note("no list", rules("in_list(blocked,", "in_list(1 + 1,"));
    note("no value", rules("in_list(blocked, request.phone)", "in_list(blocked)"));
    note("a list that is never used", rules("in_list(blocked, request.phone)", "request.phone = 'a'"));
    note("a missing file", rules("lists/blocked.csv", "lists/missing.csv"));
    note("a path from elsewhere", rules("lists/blocked.csv", "/etc/blocked.csv"));
    note("another kind of file", rules("lists/blocked.csv", "lists/blocked.xlsx"));
    note("a missing column", rules("key = \"phone\"", "key = \"phones\""));
    note("a missing column of days", rules("until = \"until\"", "until = \"expires\""));
    note("keys that are days", rules("key = \"phone\"", "key = \"until\""));
    note("no file", rules("file = \"lists/blocked.csv\"\n", ""));
    note("a misspelt key", rules("until = \"until\"", "untill = \"until\""));
    note("a bad name", rules("[list.blocked]", "[list.Blocked]"));
    note("money on a list", rules("phone = \"text\"", "phone = \"money\""));
    note("a number on a list of texts", rules("in_list(blocked, request.phone)", "in_list(blocked, request.device)"));
    let numbers = "until\"\n\n[list.numbers]\nfile = \"numbers.csv\"";
    let policy = RULES.replace("until\"\n", &format!("{numbers}\n")).replace("doc = \"Phones of fraud cases\"", "");
    let policy = policy + "is_known = \"in_list(numbers, request.device)\"\n";
    note(
        "numbers with zeros before them",
        told(&policy, &[("lists/blocked.csv", &blocked()), ("numbers.csv", "device\n7\n007\n")]),
    );
    note("an empty file", told_of(""));
    note("an empty list", told_of("phone,until\n"));
    note(
        "no first line",
        told(
            &RULES.replace("key = \"phone\"\nuntil = \"until\"", ""),
            &[("lists/blocked.csv", &format!("{PHONE}\n0900\n"))],
        ),
    );
    note("two columns of one name", told_of("phone,until,phone\n1,,2\n"));
    note("another separator", told_of(&blocked().replace(',', ";")));
    note("a cell too few", told_of(&format!("phone,until\n{PHONE}\n")));
    note("a quote that is not closed", told_of(&format!("phone,until\n0900,\n\"{PHONE},\n")));
    note("a bad day", told_of(&format!("phone,until\n{PHONE},30/06/2026\n1,2026-06-31\n")));
    note("a repeated key", told_of(&format!("phone,until\n{PHONE},\n1,\n {PHONE},2026-06-30\n")));
    note("a row without a key", told_of("phone,until\n1,\n,2026-06-30\n"));
    insta::assert_snapshot!("list_mistakes", all);
}

#[test]
fn a_text_in_lower_case_is_not_on_a_list_in_capitals() {
    let rules = RULES.replace("[metric]", "[list.employers]\nfile = \"e.csv\"\n\n[metric]");
    let rules = rules + "of_work = \"SUM(credit) FILTER (WHERE in_list(employers, counterparty))\"\n";
    let files = [("lists/blocked.csv", blocked()), ("e.csv", "name\nacme\nShell\n".to_owned())];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let told_of_case = told(&rules, &files);
    assert!(told_of_case.contains("never-said") && told_of_case.contains("line 3"), "{told_of_case}");
    let told_of_none = told(&rules.replace("\"e.csv\"", "\"e.csv\"\nignore_case = true"), &files);
    assert!(!told_of_none.contains("never-said"), "{told_of_none}");
}

#[test]
fn a_list_decides_by_key_and_day_and_an_unknown_stays_unknown() {
    let policy = compiled(RULES, &[("lists/blocked.csv", &blocked())]).unwrap();
    let body = br#"{"status": "success", "data": {"transactions": []}}"#;
    let statements = read_json(body, "reference 1", &reading(&policy)).unwrap();
    let is_blocked = |json: &str| {
        let request = Request::from_json(&policy, json.as_bytes()).unwrap();
        let decision = decide(&policy, &statements, &request).unwrap().remove(0);
        match &decision.metrics["is_blocked"] {
            serde_json::Value::Null => decision.unknown["is_blocked"].clone(),
            truth => truth.to_string(),
        }
    };
    for (request, wanted) in [
        (r#"{"phone": "08031234567", "as_of": "2026-07-01"}"#, "true"),
        (r#"{"phone": " 08031234567 "}"#, "true"),
        (r#"{"phone": "8031234567", "as_of": "2026-07-01"}"#, "false"),
        // Whoever is not on the list is not on it on any day.
        (r#"{"phone": "other"}"#, "false"),
        (r#"{"phone": "0900", "as_of": "2026-06-30"}"#, "true"),
        (r#"{"phone": "0900", "as_of": "2026-07-01"}"#, "false"),
        (r#"{"phone": "0900"}"#, "needs_as_of"),
        ("{}", "missing_request_phone"),
        (r#"{"as_of": "2026-07-01"}"#, "missing_request_phone"),
    ] {
        assert_eq!(is_blocked(request), wanted, "{request}");
    }
}

#[test]
fn the_bytes_of_a_list_are_part_of_the_policy() {
    let digest = |list: &str| {
        let policy = compiled(RULES, &[("lists/blocked.csv", list)]).unwrap();
        let of_list = policy.list_digests()["blocked"];
        assert!(policy.used_files().iter().any(|file| file.path == "lists/blocked.csv" && file.digest == of_list));
        (policy.digest(), of_list)
    };
    let (one, same, other) = (digest(&blocked()), digest(&blocked()), digest(&format!("{}0901,,\n", blocked())));
    assert_eq!(one, same);
    assert!(one.0 != other.0 && one.1 != other.1);
}

#[test]
fn a_list_of_a_used_file_has_the_name_of_that_file() {
    let shared = "[list.blocked]\nfile = \"blocked.csv\"\n\n[request]\nphone = \"text\"\n\n[metric]\n\
                  own = \"in_list(blocked, request.phone)\"\n";
    let head = RULES.split("[list.blocked]").next().unwrap();
    let rules = format!(
        "{head}use = [{{ file = \"shared/fraud.toml\", as = \"fraud\" }}]\n\n[metric]\n\
         there = \"in_list(fraud.blocked, request.phone)\"\n"
    );
    let policy = compiled(&rules, &[("shared/fraud.toml", shared), ("shared/blocked.csv", "phone\n1\n")]).unwrap();
    assert_eq!(policy.list_digests().keys().collect::<Vec<_>>(), ["fraud.blocked"]);
    assert_eq!(mistakes(policy.warnings(), policy.sources()), "");
}

#[test]
fn analysis_and_the_dictionary_know_lists() {
    let rules = RULES.replace("device = \"count\"\n", "")
        + "\n[[require]]\nid = \"B01\"\nwhen = \"NOT in_list(blocked, request.phone)\"\nunknown = \"pass\"\n\
           reason = \"No loan on this phone\"\n\n[[offer]]\nid = \"any\"\ntenure = 30\namount = 1000\ninterest = 1\n";
    let policy = compiled(&rules, &[("lists/blocked.csv", &blocked())]).unwrap();
    let found: Vec<&str> = analyse(&policy).iter().map(|one| one.code).collect();
    assert_eq!(found, [""; 0], "nothing is odd: the list may hold the phone or not");
    let dictionary = dictionary(&policy);
    let metric = dictionary.entry("is_blocked").unwrap();
    assert_eq!(metric.says, ["request.phone", "in_list(blocked)"]);
    let codes: Vec<&str> = metric.unknown.iter().map(|one| one.code.as_str()).collect();
    assert_eq!(codes, ["missing_request_phone", "needs_as_of"]);
    let list = dictionary.entry("blocked").unwrap();
    assert_eq!((list.formula.as_str(), list.doc.as_str()), ("2 keys of lists/blocked.csv", "Phones of fraud cases"));
    let shown = format!("{policy:?}");
    assert!(!shown.contains(PHONE), "Debug shows a key");
}

/// A million phones: a couple of seconds in a build without optimization, too.
#[test]
fn a_million_keys_are_read_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..1_000_000).fold("phone,until\n".to_owned(), |mut text, row| {
        writeln!(text, "080{row:08},").unwrap();
        text
    });
    std::fs::create_dir(folder.path().join("lists")).unwrap();
    std::fs::write(folder.path().join("lists/blocked.csv"), rows).unwrap();
    std::fs::write(folder.path().join("listed.toml"), RULES).unwrap();
    let from = std::time::Instant::now();
    load_policies(folder.path().join("listed.toml"), &[]).unwrap();
    assert!(from.elapsed().as_secs() < 30, "{:?}", from.elapsed());
}
