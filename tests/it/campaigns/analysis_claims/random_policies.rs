//! Random policies with tables, scores, requirements and properties, decided on thousands of random metrics. What the
//! analysis excludes must not happen, and what it proves must hold.

use std::fmt::Write;

use lendwright::analysis::{analyse, list_value_ranges};
use lendwright::base::date::Day;
use lendwright::compile;
use lendwright::decision::{Decision, Outcome, ReadyPlan, Request};
use lendwright::rules::{Policy, Value};

use crate::fixtures::campaign;

const METRICS: [&str; 3] = ["records", "income", "share"];

/// Repeatable random choices.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }

    pub fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }
}

/// A value to compare an input with, as written.
fn bound(chance: &mut Chance, input: &str) -> String {
    match input {
        "share" => format!("{:.1}", chance.below(11) as f64 / 10.0),
        "score" => format!("{}", 260 + 10 * chance.below(14)),
        "income" => format!("{}", 100 * chance.below(9)),
        _ => format!("{}", chance.below(9)),
    }
}

fn cell(chance: &mut Chance, input: &str) -> String {
    let (low, high) = (bound(chance, input), bound(chance, input));
    let (less, more) =
        if low.parse::<f64>().unwrap() < high.parse::<f64>().unwrap() { (low, high) } else { (high, low) };
    match chance.below(10) {
        0 | 1 => "-".into(),
        2 => format!("< {more}"),
        3 => format!(">= {less}"),
        4 | 5 if less != more => format!("{less}..{more}"),
        6 => format!("<= {more}"),
        7 => format!("not({more})"),
        8 if chance.below(3) == 0 => "unknown".into(),
        _ => format!("> {less}"),
    }
}

fn policy(chance: &mut Chance) -> String {
    let mut text = String::from(
        "[policy]\nname = \"random\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\n[metric]\n\
         records = \"COUNT(*)\"\n\
         income = \"SUM(credit)\"\nshare = \"COUNT(DISTINCT bank) / COUNT(DISTINCT id)\"\n\
         part = \"income * share\"\nrest = \"GREATEST(records - 3, 0)\"\n\n[score]\nbase = 300\n",
    );
    for input in &METRICS[..1 + chance.below(3)] {
        let points: Vec<String> = (0..1 + chance.below(4))
            .map(|_| format!("[\"{}\", {}]", cell(chance, input), 10 * chance.below(9)))
            .collect();
        let rest = if chance.below(3) > 0 { ", [\"-\", 20]" } else { "" };
        write!(text, "\n[[score.item]]\non = \"{input}\"\npoints = [{}{rest}]\n", points.join(", ")).unwrap();
    }
    let first = chance.one(&["score", "records", "rest"]);
    let second = chance.one(&["share", "income", "records"]);
    let count = 1 + chance.below(7);
    let rows: Vec<String> = (0..count)
        .map(|row| {
            let (a, b) = (cell(chance, if first == "rest" { "records" } else { first }), cell(chance, second));
            format!("  [\"{a}\", \"{b}\", \"r{}\", {}],", row + 1, 1 + chance.below(6))
        })
        .collect();
    let grades: Vec<String> = (0..=count).map(|row| format!("\"r{row}\"")).collect();
    let hit = chance.one(&["first", "first", "first", "priority"]);
    let otherwise = if chance.below(4) == 0 { "otherwise = [\"r0\", 3]\n" } else { "" };
    write!(
        text,
        "\n[table.grade]\nhit = \"{hit}\"\ninputs = [\"{first}\", \"{second}\"]\n\
         outputs = {{ grade = {{ type = \"text\", values = [{}] }}, \
         rate = \"number\" }}\nrows = [\n{}\n]\n{otherwise}",
        grades.join(", "),
        rows.join("\n")
    )
    .unwrap();
    let input = chance.one(&METRICS);
    let sign = chance.one(&["<", "<=", ">", ">="]);
    let (less, more) = (bound(chance, input), bound(chance, "records"));
    let otherwise = chance.one(&["decline", "refer"]);
    write!(
        text,
        "\n[[require]]\nid = \"R01\"\nwhen = \"{input} {sign} {less} OR rest * 2 >= {more}\"\nelse = \"{otherwise}\"\n\
         unknown = \"refer\"\nreason = \"r\"\n\
         \n[[offer]]\nid = \"o\"\ntenure = 30\nwhen = \"grade <> 'r1'\"\namount = \"LEAST(part, 70000) / rate\"\n\
         interest = \"rate\"\n"
    )
    .unwrap();
    for of in ["score", "grade", "rate", "R01", "outcome", "o.amount", "part"] {
        let way = chance.one(&["increasing", "increasing", "decreasing"]);
        write!(text, "\n[[property]]\n{way} = \"{}\"\nof = \"{of}\"\n", chance.one(&METRICS)).unwrap();
    }
    text
}

/// Values of the three metrics that a statement could have.
fn metrics(chance: &mut Chance) -> [Option<Value>; 3] {
    let share = [0.0, 0.1, 0.2, 0.35, 0.5, 0.8, 0.95, 1.0][chance.below(8)];
    [
        Some(Value::Int(chance.below(11) as i64)),
        Some(Value::Int((chance.below(9) as i64 * 10_000 + chance.below(3) as i64 - 1).max(0))),
        (chance.below(6) > 0).then_some(Value::Float(share)),
    ]
}

fn decided(policy: &Policy, rows: &[[Option<Value>; 3]]) -> Vec<Decision> {
    let plan = ReadyPlan::new(policy, &METRICS).unwrap();
    let mut ready = plan.rows();
    for (number, row) in rows.iter().enumerate() {
        ready.push(&number.to_string(), None, row.to_vec()).unwrap();
    }
    plan.decide(ready, &Request::on(Day::from_ymd(2026, 6, 30).unwrap())).unwrap()
}

/// The rank of a value for a property; `None` if it is unknown.
fn place(decision: &Decision, of: &str) -> Option<f64> {
    match of {
        "score" => decision.score,
        "grade" => decision.grade["grade"].as_str().map(|grade| -grade[1..].parse::<f64>().unwrap()),
        "rate" => decision.grade["rate"].as_f64(),
        "part" => decision.metrics["part"].as_f64(),
        "outcome" => Some(f64::from(u8::from(decision.outcome == Outcome::Offer))),
        "R01" => Some(match decision.reasons.iter().find(|reason| reason.id == "R01") {
            None => 2.0,
            Some(reason) if reason.effect == lendwright::rules::Effect::Refer => 1.0,
            Some(_) => 0.0,
        }),
        _ => decision.offers.first().map(|offer| offer.amount_offered as f64),
    }
}

#[test]
fn nothing_that_is_ruled_out_happens() {
    let mut chance = Chance(11);
    let (mut unreachable, mut covered) = (0, 0);
    for _ in 0..campaign::size(40, 300) {
        let text = policy(&mut chance);
        let policy = compile("random", &text, &mut |_| Err("no files".into()), &[])
            .unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
        let found = analyse(&policy);
        let of = |code: &'static str| {
            found.iter().filter(move |finding| finding.code == code).map(|finding| finding.message.as_str())
        };
        let rows: Vec<_> = (0..60).map(|_| metrics(&mut chance)).collect();
        let ranges = list_value_ranges(&policy);
        for decision in decided(&policy, &rows) {
            for range in &ranges {
                let json = match range.name.as_str() {
                    "score" => &decision.score.into(),
                    name => match decision.metrics.get(name).or(decision.grade.get(name)) {
                        Some(json) => json,
                        None => continue,
                    },
                };
                let value = lendwright_fuzz::metrics::ranges::value(range, json);
                assert!(
                    range.holds(value.as_ref()),
                    "{} is {value:?}, said {range}\n{text}\n{:?}",
                    range.name,
                    decision.metrics
                );
            }
            let grade = decision.grade["grade"].as_str();
            if let Some(row) = grade.and_then(|grade| grade.strip_prefix('r')).filter(|row| *row != "0") {
                let said = format!("row {row} of `grade` is never reached");
                let ruled_out = of("unreachable").find(|message| message.starts_with(&said));
                assert!(ruled_out.is_none(), "{ruled_out:?}\n{text}\n{:?}", decision.metrics);
            }
            let known = decision.metrics.values().all(|value| !value.is_null()) && decision.score.is_some();
            if known && of("gap").next().is_none() {
                assert!(grade.is_some(), "no gap was told\n{text}\n{:?}", decision.metrics);
                covered += 1;
            }
            if of("always-met").any(|message| message.contains("can never fail")) {
                assert!(decision.reasons.iter().all(|reason| reason.id != "R01"), "{text}\n{:?}", decision.metrics);
            }
            if of("never-met").next().is_some() {
                assert!(decision.reasons.iter().any(|reason| reason.id == "R01"), "{text}\n{:?}", decision.metrics);
            }
        }
        unreachable += of("unreachable").count();
    }
    let (rows, statements) = campaign::size((5, 100), (50, 1_000));
    assert!(unreachable > rows && covered > statements, "{unreachable} {covered}");
}

/// Decides the two inputs in a finding: the target goes the wrong way between them. False if they are impossible,
/// because fixed inputs follow from metrics that say otherwise.
fn is_a_pair(policy: &Policy, message: &str, (way, input, of): (&str, &str, &str), text: &str) -> bool {
    let (_, shown) = message.split_once(": it is ").unwrap();
    let (pair, held) = shown.split_once(", with ").unwrap_or((shown, ""));
    let value = |name: &str, shown: &str| match name {
        "records" | "rest" => Value::Int(shown.parse().unwrap()),
        "income" | "part" => Value::Int((shown.replace(',', "").parse::<f64>().unwrap() * 100.0).round() as i64),
        _ => Value::Float(shown.parse().unwrap()),
    };
    let inputs: Vec<&str> = pair.split(" at ").skip(1).map(|rest| rest.split(" and ").next().unwrap()).collect();
    let held: Vec<(&str, &str)> = held.split(", ").filter_map(|one| one.split_once(" = ")).collect();
    if held.iter().any(|(name, _)| !METRICS.contains(name)) {
        return false;
    }
    let row = |at: usize| {
        METRICS.map(|name| match name == input {
            true => Some(value(name, inputs[at])),
            false => held.iter().find(|(held, _)| *held == name).map(|(_, shown)| value(name, shown)),
        })
    };
    let decisions = decided(policy, &[row(0), row(1)]);
    let (Some(less), Some(more)) = (place(&decisions[0], of), place(&decisions[1], of)) else {
        // An amount is reported even if the offer is not made.
        assert_eq!(of, "o.amount", "{message}\n{text}");
        return false;
    };
    let is_wrong = if way == "increasing" { less > more } else { less < more };
    assert!(is_wrong, "{message}\n{less} {more}\n{text}");
    true
}

/// A proof must hold for all inputs tried, and a reported violation must be real.
#[test]
fn what_is_proved_holds() {
    let mut chance = Chance(23);
    let (mut proved, mut broken, mut pairs, mut open) = (0, 0, 0, 0);
    for _ in 0..campaign::size(25, 200) {
        let text = policy(&mut chance);
        let policy = compile("random", &text, &mut |_| Err("no files".into()), &[]).unwrap();
        let found = analyse(&policy);
        let mut rows = Vec::new();
        for _ in 0..40 {
            let (row, other) = (metrics(&mut chance), metrics(&mut chance));
            for (index, value) in other.into_iter().enumerate() {
                let mut changed = row.clone();
                changed[index] = value;
                rows.extend([row.clone(), changed]);
            }
        }
        let decisions = decided(&policy, &rows);
        for declared in text.split("\n[[property]]\n").skip(1) {
            let (way, rest) = declared.split_once(" = \"").unwrap();
            let (input, rest) = rest.split_once('"').unwrap();
            let of = rest.split('"').nth(1).unwrap();
            let said = format!("`{of}`");
            let verb = if way == "increasing" { "fall" } else { "rise" };
            let about = |code: &str| {
                let with = format!("when `{input}` rises");
                found.iter().any(|finding| {
                    let text = &finding.message;
                    finding.code == code && text.contains(&with) && text.contains(&said) && text.contains(verb)
                })
            };
            if about("not-monotone") {
                broken += 1;
                let code = |finding: &&lendwright::base::diagnostic::Diagnostic| finding.code == "not-monotone";
                let start = format!("`{of}` can {verb} when `{input}` rises: ");
                let told = found.iter().filter(code).find(|finding| finding.message.starts_with(&start)).unwrap();
                pairs += usize::from(is_a_pair(&policy, &told.message, (way, input, of), &text));
                continue;
            }
            if about("not-proved") {
                open += 1;
                continue;
            }
            proved += 1;
            let index = METRICS.iter().position(|name| *name == input).unwrap();
            for pair in (0..rows.len()).step_by(2).filter(|pair| pair / 2 % 3 == index) {
                let number = |row: &[Option<Value>; 3]| row[index].as_ref().and_then(Value::float);
                let (Some(a), Some(b)) = (number(&rows[pair]), number(&rows[pair + 1])) else { continue };
                let (less, more) = if a <= b { (pair, pair + 1) } else { (pair + 1, pair) };
                let places = (place(&decisions[less], of), place(&decisions[more], of));
                let (Some(less_place), Some(more_place)) = places else { continue };
                let holds = if way == "increasing" { less_place <= more_place } else { less_place >= more_place };
                assert!(
                    holds,
                    "{way} {input} of {of} was proved: {:?} {:?}\n{text}",
                    decisions[less].metrics, decisions[more].metrics
                );
            }
        }
    }
    let (claims, shown) = campaign::size((8, 4), (100, 50));
    assert!(
        proved > claims && broken > claims && pairs > shown,
        "{proved} proved, {broken} broken, {pairs} of them tried, {open} open"
    );
}
