//! The score and the tables in any order: dependencies are found, and a cycle is reported.

use lendwright::compile;
use lendwright::decision::{Decision, Request, decide, explain, reading};
use lendwright::rules::Policy;
use lendwright::statement::read_json;
use proptest::prelude::*;
use serde_json::json;

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

/// Errors are `code: message` and the help, as lines.
fn compiled(files: &[(&str, &str)]) -> Result<Policy, String> {
    let read = |name: &str| files.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned());
    let text = read("x.toml").unwrap();
    compile("x.toml", &text, &mut |name| read(name).ok_or("no such file".to_owned()), &[]).map_err(|refused| {
        let told = refused.diagnostics.iter().map(|one| format!("{}: {}\n{:?}\n", one.code, one.message, one.help));
        told.collect()
    })
}

fn decided(policy: &Policy) -> Decision {
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record, "inline", &reading(policy)).unwrap();
    decide(policy, &statements, &Request::default()).unwrap().remove(0)
}

fn of_one(body: &str) -> Decision {
    decided(&compiled(&[("x.toml", &format!("{HEADER}{body}"))]).unwrap_or_else(|told| panic!("{told}")))
}

fn told(body: &str) -> String {
    compiled(&[("x.toml", &format!("{HEADER}{body}"))]).unwrap_err()
}

fn table(name: &str, input: &str, outputs: &str, rows: &str) -> String {
    format!("[table.{name}]\nhit = \"first\"\ninputs = [\"{input}\"]\noutputs = {{ {outputs} }}\nrows = {rows}\n")
}

#[test]
fn score_and_tables_use_each_other_in_any_order() {
    let score = "[score]\nbase = 100\n[[score.item]]\non = \"grade\"\npoints = [[\"A\", 5], [\"-\", 1]]\n\
                 code = \"S01\"\n\
                 reason = \"{grade} gives {score}, {priced} asks {price}\"\n";
    let last = table("last", "priced", "step = \"number\"", "[[\"-\", \"= price * 2\"]]");
    let grade = table("grading", "came", "grade = \"text\"", "[[\"> 1000\", \"B\"], [\"-\", \"C\"]]");
    let price = table("pricing", "score", "price = \"number\"", "[[\">= 101\", 1.5], [\"-\", 3]]");
    let metric = "[metric]\npriced = \"price + score\"\ncame = \"SUM(credit)\"\n";
    for parts in [[&last, &price, &grade], [&grade, &price, &last], [&price, &last, &grade]] {
        let decision = of_one(&format!("{metric}{score}{}", parts.map(String::as_str).concat()));
        let grade = json!({"grade": "B", "price": 1.5, "step": 3.0});
        assert_eq!((json!(decision.grade), decision.score), (grade, Some(101.0)));
        assert_eq!(decision.points_lost[0].text, "B gives 101, 102.5 asks 1.5");
    }
}

#[test]
fn outputs_are_told_as_they_are_written() {
    let rows = "[[\"-\", 1]]";
    let body =
        ["a", "b", "c"].map(|name| table(name, &format!("{name}_needs"), &format!("{name}_is = \"count\""), rows));
    let metric = "[metric]\na_needs = \"c_is + b_is\"\nb_needs = \"c_is\"\nc_needs = \"COUNT(*)\"\n";
    let policy = compiled(&[("x.toml", &format!("{HEADER}{metric}{}", body.concat()))]).unwrap();
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let statements = read_json(record, "inline", &reading(&policy)).unwrap();
    let told = explain(&policy, &statements, &Request::default()).unwrap().remove(0);
    let names: Vec<&str> = told.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
}

#[test]
fn names_of_files_are_found_in_their_spaces() {
    let shared =
        format!("[request]\nn = \"count\"\n{}", table("later", "request.n", "grade = \"text\"", "\"later.csv\""));
    // Each file has its own `grade`, and names not defined in a file are looked up in the files around it.
    let first = format!(
        "{}[metric]\ndays = \"deadline\"\n",
        table("early", "days", "grade = \"text\"", "[[\"> 5\", \"= other.grade\"], [\"-\", \"low\"]]")
    );
    let own = format!(
        "{HEADER}use = [{{ file = \"first.toml\", as = \"first\" }}, {{ file = \"shared.toml\", as = \"other\" }}]\n\
         {}{}",
        table("deadlines", "is_good", "deadline = \"count\"", "[[\"true\", 9], [\"-\", 4]]"),
        "[metric]\nis_good = \"other.grade = 'good'\"\n"
    );
    let csv = "request.n,grade\n-,good\n";
    let files = [("x.toml", own.as_str()), ("first.toml", &first), ("shared.toml", &shared), ("later.csv", csv)];
    let decision = decided(&compiled(&files).unwrap_or_else(|told| panic!("{told}")));
    assert_eq!(json!(decision.grade), json!({"first.grade": "good", "deadline": 9, "other.grade": "good"}));
}

#[test]
fn a_name_of_the_own_space_is_meant_before_one_around_it_wherever_it_is_written() {
    let used = [
        table("early", "grade", "found = \"text\"", "[[\"own\", \"own\"], [\"-\", \"around\"]]"),
        table("late", "COUNT(*)", "grade = \"text\"", "[[\"-\", \"own\"]]"),
    ]
    .concat();
    let own = format!("{HEADER}use = [{{ file = \"used.toml\", as = \"used\" }}]\n[metric]\ngrade = \"'around'\"\n");
    let decision = decided(&compiled(&[("x.toml", &own), ("used.toml", &used)]).unwrap());
    assert_eq!(decision.grade["used.found"], json!("own"));
}

#[test]
fn mistakes_of_a_later_table_are_told_once() {
    let early = table("early", "grade", "price = \"number\"", "[[\"A\", \"= cap / 2\"], [\"-\", 1]]");
    let late = table("late", "missing", "grade = \"text\", cap = \"number\"", "[[\"> 3\", \"A\", 1]]");
    let told = told(&format!("{early}{late}"));
    assert_eq!((told.matches("unknown name `missing`").count(), told.lines().count()), (1, 2), "{told}");
}

#[test]
fn what_needs_itself_is_told_once_with_the_way_round() {
    let one = |name: &str, input: &str| table(name, input, &format!("{name}_is = \"count\""), "[[\"-\", 1]]");
    let metric = "[metric]\nm = \"b_is + 1\"\nuses = \"m + a_is + c_is\"\n";
    let circle = told(&format!("{metric}{}{}{}", one("a", "m"), one("b", "a_is"), one("c", "a_is + m")));
    let help = "each needs the next: table `a`, `m`, table `b`, table `a`";
    assert_eq!(circle, format!("cycle: table `a` depends on itself\n{:?}\n", Some(help)));
    let score = "[score]\nbase = 1\n[[score.item]]\non = \"score\"\npoints = [[\"-\", 1]]\n";
    let help = "the score cannot use its own value";
    assert_eq!(told(score), format!("cycle: `score` depends on itself\n{:?}\n", Some(help)));
    let help = "a table cannot use its own outputs";
    let own = told(&one("a", "a_is"));
    assert_eq!(own, format!("cycle: table `a` depends on itself\n{:?}\n", Some(help)));
    // One with only definitions, which a table uses.
    let own = told(&format!("[metric]\nm = \"n\"\nn = \"m\"\n{}", one("a", "m")));
    assert_eq!(own, format!("cycle: `m` depends on itself\n{:?}\n", Some("each needs the next: `m`, `n`, `m`")));
}

#[test]
fn a_thousand_tables_of_which_each_needs_the_next_are_carried_out() {
    let input = |n: usize| if n == 999 { "COUNT(*)".to_owned() } else { format!("t{}", n + 1) };
    let rows = |n: usize| format!("[[\"-\", \"= {} + 1\"]]", input(n));
    let one = |n: usize| table(&format!("x{n}"), &input(n), &format!("t{n} = \"count\""), &rows(n));
    let decision = of_one(&(0..1_000).map(one).collect::<String>());
    assert_eq!((&decision.grade["t999"], &decision.grade["t0"]), (&json!(2), &json!(1_001)));
}

/// Tables of which each asks for some before it, by itself or by a metric of its own.
fn random_tables(needs: &[(u32, u32)]) -> (String, Vec<String>) {
    let (mut metrics, mut tables) = ("[metric]\nm0 = \"COUNT(*)\"\n".to_owned(), Vec::new());
    for (at, (one, other)) in needs.iter().enumerate() {
        let before =
            |pick: u32, kind: &str| if at == 0 { "m0".to_owned() } else { format!("{kind}{}", pick as usize % at) };
        metrics += &format!("m{} = \"{} + {}\"\n", at + 1, before(*one, "m"), before(*other, "t"));
        let input = if one % 2 == 0 { format!("m{}", at + 1) } else { before(*one, "t") };
        let rows = format!("[[\"{}..90\", 1], [\"-\", \"= {} + 1\"]]", other % 7, before(*other, "t"));
        tables.push(table(&format!("x{at}"), &input, &format!("t{at} = \"count\""), &rows));
    }
    (metrics, tables)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_tables_changes_no_value(
        needs in prop::collection::vec(any::<(u32, u32)>(), 1..12),
        keys in prop::collection::vec(any::<u32>(), 12),
    ) {
        let (metrics, tables) = random_tables(&needs);
        let score = "[score]\nbase = 1\n[[score.item]]\non = \"t0\"\npoints = [[\"> 1\", 2], [\"-\", 3]]\n";
        let mut order: Vec<usize> = (0..tables.len()).collect();
        order.sort_by_key(|at| keys[*at]);
        let shuffled: String = order.iter().map(|at| tables[*at].as_str()).collect();
        let [one, other] = [tables.concat(), shuffled].map(|tables| {
            let decision = of_one(&format!("{metrics}{score}{tables}"));
            (decision.metrics, decision.grade, decision.score, decision.unknown)
        });
        prop_assert_eq!(one, other);
    }
}
