//! Rule files of unreasonable size: each is refused or accepted in bounded time and memory. The bound is far
//! above what any machine needs for linear work, and far below what quadratic work would need.

use std::time::{Duration, Instant};

use lendwright::analysis::analyse;
use lendwright::base::diagnostic::Refused;
use lendwright::compile;
use lendwright::decision::{Request, decide, explain, reading};
use lendwright::diff::compare_policies;
use lendwright::metrics;
use lendwright::rules::Policy;
use lendwright::statement::read_json;

use crate::fixtures::campaign;

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n";

pub(crate) const BOUND: Duration = Duration::from_secs(120);

pub(crate) fn compiled(body: &str) -> Result<Policy, Refused> {
    compile("x.toml", &format!("{HEADER}{body}"), &mut |_| Err("no files".into()), &[])
}

/// Lines made from their numbers.
pub(crate) fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|number| line(number) + "\n").collect()
}

pub(crate) fn listed(count: usize, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(", ")
}

fn table(inputs: &str, rows: &str) -> String {
    format!(
        "[request]\nn = \"count\"\nk = \"text\"\n[table.t]\nhit = \"first\"\ninputs = {inputs}\n\
         outputs = {{ o = \"text\" }}\nrows = [\n{rows}]\n"
    )
}

/// A name, the text, and the code of the first error: none if it is accepted.
type Case = (&'static str, String, Option<&'static str>);

const BIG: usize = 1 << 20;

fn metric(expression: &str) -> String {
    format!("[metric]\nm = '''{expression}'''\n")
}

fn nested(open: &str, close: &str, times: usize) -> String {
    format!("{}1{}", open.repeat(times), close.repeat(times))
}

/// Spaces and new lines are not words.
#[test]
fn an_expression_is_counted_by_its_words() {
    let sum = |words: usize, gap: &str| metric(&format!("1{}", format!("{gap}+{gap}1").repeat(words / 2)));
    for gap in ["", " ", "\n  "] {
        assert!(compiled(&sum(1_998, gap)).is_ok(), "{gap:?}");
        let refused = compiled(&sum(2_000, gap)).unwrap_err().to_string();
        assert!(refused.contains("2001 words and symbols; at most 2000"), "{refused}");
    }
}

/// A file refused for its depth says so, whatever nests.
#[test]
fn what_is_too_deep_says_so() {
    for (open, close) in
        [("NOT ", ""), ("NOT (", ")"), ("(", ")"), ("NOT (NOT ", ")"), ("((NOT ", "))"), ("not not(", ")")]
    {
        let mut refused_at = 0;
        for times in 1..150 {
            let text = format!("{}TRUE{}", open.repeat(times), close.repeat(times));
            if let Err(refused) = compiled(&metric(&text)) {
                refused_at = if refused_at == 0 { times } else { refused_at };
                assert!(refused.to_string().contains("nested too deeply"), "{open}{times}: {refused}");
            }
        }
        let levels = refused_at * open.to_lowercase().matches(['n', '(']).count();
        assert!((90..=110).contains(&levels), "{open}: {levels}");
    }
}

fn expressions() -> Vec<Case> {
    let long = "x".repeat(BIG);
    vec![
        ("an expression in 10,000 brackets", metric(&nested("(", ")", 10_000)), Some("too-long")),
        ("NOT a hundred thousand times", metric(&format!("{}TRUE", "NOT ".repeat(100_000))), Some("too-long")),
        (
            "a list of a million",
            metric(&format!("COUNT(*) IN ({})", listed(600_000, |n| n.to_string()))),
            Some("too-long"),
        ),
        ("three megabytes of spaces", metric(&format!("COUNT(*){}", " ".repeat(3 * BIG))), Some("too-long")),
        ("a text of a megabyte", metric(&format!("LAST(desc) = '{long}'")), Some("too-long")),
        ("a number of a megabyte", metric(&format!("COUNT(*) > {}", "9".repeat(BIG))), Some("too-long")),
        ("a name of a megabyte", format!("[metric]\n{long} = \"COUNT(*)\"\nm = \"{long}y + 1\"\n"), Some("too-long")),
        (
            "a name of a megabyte, misspelt",
            format!("[metric]\n{long} = \"COUNT(*)\"\nm = \"{}y + 1\"\n", "x".repeat(50_000)),
            Some("unknown-name"),
        ),
        ("a key of a megabyte", format!("{long} = 1\n"), Some("unknown-key")),
        (
            "a pattern of a megabyte",
            metric(&format!("COUNT(*) FILTER (WHERE desc LIKE '%{}b%')", "a".repeat(2_000))),
            Some("too-long"),
        ),
    ]
}

fn nested_files() -> Vec<Case> {
    vec![
        ("lists in lists", format!("[metric]\nm = {}\n", nested("[", "]", 100_000)), Some("toml")),
        ("tables in tables", format!("[metric]\nm = {}\n", nested("{ a = ", " }", 100_000)), Some("toml")),
        ("a key of a hundred thousand parts", format!("a{} = 1\n", ".a".repeat(100_000)), Some("toml")),
        ("a header of a hundred thousand parts", format!("[a{}]\n", ".a".repeat(100_000)), Some("toml")),
        (
            "a cell of not(not(",
            table("[\"request.n\"]", &format!("[\"{}\", \"A\"],\n", nested("not(", ")", 100_000))),
            Some("cell"),
        ),
        (
            "a cell of a hundred thousand values",
            table(
                "[\"request.n\"]",
                &format!(
                    "[\"{}\", \"A\"],\n[\"{}\", \"B\"],\n",
                    listed(100_000, |n| n.to_string()),
                    listed(100_000, |n| (n + 50_000).to_string())
                ),
            ),
            None,
        ),
        (
            "a cell of a hundred thousand brackets",
            table("[\"request.k\"]", &format!("[\"{}\", \"A\"],\n", "(".repeat(100_000))),
            None,
        ),
    ]
}

fn long_tables() -> Vec<Case> {
    vec![
        (
            "a hundred thousand rows",
            table("[\"request.n\"]", &lines(100_000, |n| format!("[\"{n}\", \"grade {n}\"],"))),
            None,
        ),
        (
            "a hundred thousand rows of ranges",
            table("[\"request.n\", \"request.k\"]", &lines(80_000, |n| format!("[\"{n}..{}\", \"-\", \"A\"],", n + 2))),
            None,
        ),
        (
            "a hundred thousand wrong rows",
            table("[\"request.n\"]", &lines(100_000, |n| format!("[\"x{n}\", \"A\"],"))),
            Some("cell"),
        ),
        (
            "ten thousand bins",
            format!(
                "[score]\nbase = 0\n[[score.item]]\non = \"request.n\"\npoints = [{}]\n[request]\nn = \"count\"\n",
                listed(10_000, |n| format!("[\"{n}\", 1]"))
            ),
            None,
        ),
        (
            "ten thousand bins of ratios",
            format!(
                "[score]\nbase = 0\n[[score.item]]\non = \"request.n / 3\"\npoints = [{}]\n[request]\nn = \"count\"\n",
                listed(10_000, |n| format!("[\"{n}..{}\", 1]", n + 2))
            ),
            None,
        ),
    ]
}

fn many_names() -> Vec<Case> {
    vec![
        (
            "two hundred thousand values of an output",
            format!(
                "[request]\nn = \"count\"\n[table.t]\nhit = \"first\"\ninputs = [\"request.n\"]\n\
                 outputs = {{ o = {{ type = \"text\", values = [{}] }} }}\nrows = [[\"-\", \"v1\"]]\n",
                listed(200_000, |n| format!("\"v{n}\""))
            ),
            Some("too-long"),
        ),
        ("forty thousand unknown keys", lines(40_000, |n| format!("key_{n} = 1")), Some("unknown-key")),
        (
            "fifty thousand unknown names",
            format!("[metric]\n{}", lines(50_000, |n| format!("metric_{n} = \"nobody_{n} + 1\""))),
            Some("unknown-name"),
        ),
        (
            "fifty thousand metrics",
            format!(
                "[metric]\n{}",
                lines(50_000, |n| format!("metric_{n} = \"COUNT(*) FILTER (WHERE credit > {n})\""))
            ),
            None,
        ),
        ("names on names", chain(50_000, true), None),
        ("names on names, the first first", chain(50_000, false), None),
        (
            "names in a ring",
            format!("[metric]\n{}", lines(50_000, |n| format!("m{n} = \"m{} + 1\"", (n + 1) % 50_000))),
            Some("cycle"),
        ),
        (
            "names that need those before and behind them",
            format!("[metric]\n{}m50001 = \"1\"\n", lines(50_000, |n| format!("m{} = \"m{n} + m{}\"", n + 1, n + 2))),
            Some("cycle"),
        ),
        ("values of the statement in each record", rows_on_values(20_000, true), Some("too-deep")),
        ("values of the statement in each record, the first first", rows_on_values(20_000, false), Some("too-deep")),
        ("values of the statement in each record, fewer", rows_on_values(900, true), None),
        ("tables on tables", tables_on_tables(10_000, "COUNT(*)", true), None),
        ("tables on tables, the first first", tables_on_tables(10_000, "COUNT(*)", false), None),
        ("tables in a ring", tables_on_tables(10_000, "t0", true), Some("cycle")),
        ("forty thousand parameters", format!("[parameters]\n{}", lines(40_000, |n| format!("p{n} = {n}"))), None),
    ]
}

/// Metrics of which each needs the next, and the last a field of the request; in either order.
fn chain(count: usize, needed_last: bool) -> String {
    let line = |n: usize| format!("m{n} = \"m{} + 1\"\n", n + 1);
    let last = format!("m{count} = \"COUNT(*) + request.n\"\n");
    let mut all: Vec<String> = (0..count).map(line).chain([last]).collect();
    if !needed_last {
        all.reverse();
    }
    let judged = "[[require]]\nid = \"R\"\nwhen = \"m0 > 10\"\nreason = \"{m0}\"\n";
    format!("[request]\nn = \"count\"\n[metric]\n{}{judged}", all.concat())
}

/// Tables of which each needs the next through a metric, and the last something else; in either order.
fn tables_on_tables(count: usize, last: &str, needed_last: bool) -> String {
    let table = |n: usize| {
        let rows = format!("[[\"> 3\", 1], [\"-\", \"= m{n} + 1\"]]");
        format!("[table.x{n}]\nhit = \"first\"\ninputs = [\"m{n}\"]\noutputs = {{ t{n} = \"count\" }}\nrows = {rows}\n")
    };
    let mut all: Vec<String> = (0..count).map(table).collect();
    if !needed_last {
        all.reverse();
    }
    let metrics = lines(count - 1, |n| format!("m{n} = \"t{}\"", n + 1));
    format!("[metric]\n{metrics}m{} = \"{last}\"\n{}", count - 1, all.concat())
}

/// Conditions on records, each based on the one before and another value of the statement.
fn rows_on_values(count: usize, needed_last: bool) -> String {
    let line = |n: usize| format!("t{n} = \"t{} AND credit > k{n}\"\n", n + 1);
    let mut all: Vec<String> = (0..count).map(line).chain([format!("t{count} = \"credit > 3\"\n")]).collect();
    if !needed_last {
        all.reverse();
    }
    let values = lines(count, |n| format!("k{n} = \"SUM(credit) + {n}\""));
    format!("[transaction]\n{}[metric]\n{values}m = \"COUNT(*) FILTER (WHERE t0)\"\n", all.concat())
}

/// No part of a policy's processing recurses once per dependent name.
#[test]
fn a_long_chain_of_names_is_carried_out_in_either_order() {
    let count = campaign::size(4_000, 20_000);
    let from = Instant::now();
    let [one, other] =
        [true, false].map(|order| compiled(&chain(count, order)).unwrap_or_else(|refused| panic!("{refused}")));
    assert_eq!(compare_policies(&one, &other), []);
    let record = br#"[{"id": "1", "customer": "c", "trans_date": "2026-06-10", "credit": 4000}]"#;
    let mut decided = Vec::new();
    for policy in [&one, &other] {
        let request = Request::from_json(policy, br#"{"n": 4}"#).unwrap();
        let statements = read_json(record, "inline", &reading(policy)).unwrap();
        let decision = decide(policy, &statements, &request).unwrap().remove(0);
        assert_eq!(decision.metrics["m0"], count + 5);
        let told = explain(policy, &statements, &request).unwrap().remove(0);
        assert!(told.numbers.len() > count, "{}", told.numbers.len());
        assert_eq!(metrics::table(policy, &statements, None).unwrap().width(), count + 4);
        assert_eq!(analyse(policy), []);
        assert_eq!(policy.judged_by(), ["m0"]);
        decided.push((decision.outcome, decision.metrics, decision.unknown));
    }
    assert_eq!(decided[0], decided[1]);
    assert!(from.elapsed() < BOUND, "{:?}", from.elapsed());
}

fn many_things() -> Vec<Case> {
    vec![
        (
            "three hundred thousand words",
            format!(
                "[words]\nw = [{}]\n[metric]\nm = \"COUNT(*) FILTER (WHERE mentions(w))\"\n",
                listed(300_000, |n| format!("\"w{n}\""))
            ),
            Some("too-long"),
        ),
        (
            "twenty thousand requirements",
            lines(20_000, |n| {
                format!("[[require]]\nid = \"R{n}\"\nwhen = \"as_of > DATE '2026-01-01'\"\nreason = \"no\"")
            }),
            None,
        ),
        (
            "twenty thousand offers",
            lines(20_000, |n| format!("[[offer]]\nid = \"o{n}\"\ntenure = 30\namount = 100\ninterest = 1")),
            None,
        ),
        (
            "an offer over thirty thousand tenures",
            format!(
                "[[offer]]\nid = \"o\"\ntenure = [{}]\namount = 100\ninterest = 1\n",
                listed(30_000, |n| (n + 1).to_string())
            ),
            None,
        ),
        (
            "a reason of a megabyte of brackets",
            format!(
                "[[require]]\nid = \"R\"\nwhen = \"as_of > DATE '2026-01-01'\"\nreason = \"{}\"\n",
                "{as_of}".repeat(150_000)
            ),
            None,
        ),
        (
            "a reason of opening brackets",
            format!(
                "[[require]]\nid = \"R\"\nwhen = \"as_of > DATE '2026-01-01'\"\nreason = \"{}\"\n",
                "{".repeat(BIG)
            ),
            Some("syntax"),
        ),
        ("a hundred megabytes", format!("# {}\n", "x".repeat(100 << 20)), Some("too-long")),
    ]
}

#[test]
fn what_is_beyond_reason_is_refused_or_taken_in_bounded_time() {
    let mut wrong = Vec::new();
    let cases = [expressions(), nested_files(), long_tables(), many_names(), many_things()].concat();
    for (name, body, expected) in cases.into_iter().step_by(campaign::size(10, 1)) {
        let from = Instant::now();
        let told = match compiled(&body) {
            Ok(_) => None,
            Err(refused) => {
                let text = refused.to_string();
                assert!(text.len() < 4 << 20, "{name}: {} bytes are told", text.len());
                Some(refused.diagnostics[0].code)
            }
        };
        let took = from.elapsed();
        println!("{name}: {told:?} in {} ms", took.as_millis());
        if told != expected || took > BOUND {
            wrong.push(format!("{name}: {told:?} in {took:?}, expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sixty lines, each of which uses the next one twice: following each path separately never ends.
#[test]
fn values_that_stand_on_each_other_twice_are_looked_at_once() {
    let doubled = |sign: &str, last: &str| {
        lines(60, |n| format!("a{n} = \"a{} {sign} a{}\"", n + 1, n + 2))
            + &format!("a60 = \"{last}\"\na61 = \"{last}\"\n")
    };
    let asks = |when: &str| format!("[[require]]\nid = \"R\"\nwhen = \"{when}\"\nreason = \"no\"\n");
    let rows = "[table.t]\nhit = \"first\"\ninputs = [\"n\"]\noutputs = { o = \"text\" }\n\
        rows = [[\">= 3\", \"A\"], [\"-\", \"B\"]]\n";
    let rises = "[[property]]\nincreasing = \"n\"\nof = \"R\"\n";
    let cases = [
        format!("[month]\n{}{}", doubled("+", "SUM(credit)"), asks("MAX(a0) > 3")),
        format!("[transaction]\n{}{}", doubled("+", "credit"), asks("SUM(a0) > 3")),
        format!("[transaction]\n{}{}", doubled("AND", "credit > 5"), asks("COUNT(*) FILTER (WHERE a0) > 3")),
        format!(
            "[transaction]\n{}[metric]\nshare = \"COUNT(*) FILTER (WHERE a0) / COUNT(*) FILTER (WHERE a1)\"\n{}",
            doubled("AND", "credit > 5"),
            asks("share > 0.5")
        ),
        format!("[metric]\n{}{}", doubled("+", "COUNT(*)"), asks("a0 > 3")),
        format!("[metric]\nn = \"COUNT(*)\"\n{}{rows}{}{rises}", doubled("AND", "o = 'A'"), asks("a0")),
        format!("[metric]\nn = \"COUNT(*)\"\n{}{rows}{}{rises}", doubled("OR", "o = 'A'"), asks("NOT a0")),
    ];
    for body in cases {
        let (done, wait) = std::sync::mpsc::channel();
        let policy = compiled(&body).unwrap_or_else(|refused| panic!("{refused}"));
        std::thread::spawn(move || done.send(analyse(&policy).len()));
        assert!(wait.recv_timeout(BOUND).is_ok(), "{body}");
    }
}
