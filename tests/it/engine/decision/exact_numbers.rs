//! Numbers are exact: what a rule says in decimals is decided in decimals, and the numbers shown agree with the
//! decision.

use lendwright::base::rational::{Rational, Rounding};
use lendwright::compile;
use lendwright::decision::{Decision, Outcome, Request, decide, explain, reading};
use lendwright::rules::Policy;
use lendwright::statement::{Statements, read_json};
use serde_json::{Value, json};

use crate::fixtures::campaign;

const HEADER: &str = "[policy]\nname = \"x\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\n\
    [request]\ninstalment = \"money\"\nincome = \"money\"\namount = \"money\"\nshare = \"ratio\"\nx = \"number\"\n\
    y = \"number\"\n\
    n = \"count\"\n";

const OFFER: &str = "[[offer]]\nid = \"o\"\ntenure = 30\namount = 100\ninterest = 1\n";

fn compiled(body: &str) -> Policy {
    let text = format!("{HEADER}{body}");
    compile("x.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_or_else(|refused| panic!("{refused}"))
}

fn statements(policy: &Policy, credits: &[&str]) -> Statements {
    let record = |(index, credit): (usize, &&str)| {
        format!(r#"{{"id": "{index}", "customer": "c", "trans_date": "2026-06-{:02}", "credit": {credit}}}"#, index + 1)
    };
    let records: Vec<String> = credits.iter().enumerate().map(record).collect();
    read_json(format!("[{}]", records.join(",")).as_bytes(), "inline", &reading(policy)).unwrap()
}

fn decided_on(policy: &Policy, statements: &Statements, request: &str) -> Decision {
    let request = Request::from_json(policy, request.as_bytes()).unwrap();
    decide(policy, statements, &request).unwrap().remove(0)
}

fn decided(body: &str, request: Value) -> Decision {
    let policy = compiled(body);
    decided_on(&policy, &statements(&policy, &["4000"]), &request.to_string())
}

/// A policy with one requirement, and an offer if it is met.
fn require(when: &str, reason: &str) -> String {
    format!(
        "[[require]]\nid = \"R\"\nwhen = \"{when}\"\nelse = \"decline\"\nunknown = \"refer\"\nreason = \"{reason}\"\n\
         {OFFER}"
    )
}

#[test]
fn a_limit_that_is_hit_exactly_is_kept() {
    let policy = compiled(&require(
        "request.instalment <= 0.35 * request.income",
        "An instalment of {request.instalment} is above 35% of {request.income}",
    ));
    let statements = statements(&policy, &["4000"]);
    let outcome = |instalment: i64| {
        decided_on(&policy, &statements, &json!({"instalment": instalment, "income": 5_500_000}).to_string()).outcome
    };
    assert_eq!([1_924_999, 1_925_000, 1_925_001].map(outcome), [Outcome::Offer, Outcome::Offer, Outcome::Decline]);
}

/// Every round income from 50,000 to 1,000,000 under every limit from 1% to 60% in steps of half a percent: at the
/// limit, one kobo below it and one above. The limit is a literal, or a field of the request.
#[test]
fn no_round_income_fails_at_its_limit() {
    let (mut wrong, mut all) = (Vec::new(), 0);
    let step = campaign::size(7, 1);
    for halves in (2..=120_i64).step_by(step) {
        let limit = format!("0.{:03}", halves * 5);
        let policy = compiled(&require(
            &format!(
                "request.instalment <= {limit} * request.income AND request.instalment / request.income <= \
                 request.share"
            ),
            "no",
        ));
        let statements = statements(&policy, &["4000"]);
        for income in (50_000..=1_000_000_i64).step_by(5_000).map(|major| major * 100) {
            // Whole kobo, because incomes are whole thousands.
            let at = income * halves * 5 / 1_000;
            for instalment in [at - 1, at, at + 1] {
                all += 1;
                let request = format!(r#"{{"instalment": {instalment}, "income": {income}, "share": {limit}}}"#);
                let outcome = decided_on(&policy, &statements, &request).outcome;
                if (outcome == Outcome::Offer) != (instalment <= at) {
                    wrong.push(request);
                }
            }
        }
    }
    assert_eq!((wrong.len(), all), (0, 119_usize.div_ceil(step) * 191 * 3), "{:?}", wrong.first());
}

#[test]
fn a_score_of_decimals_adds_up() {
    let body = format!(
        "[score]\nbase = 0.7\n[[score.item]]\non = \"request.x\"\npoints = [[\"<= 0.3\", 0.1], [\"-\", 0.2]]\n{}",
        require("score >= 0.8", "A score of {score}")
    );
    for (x, score) in [("0.3", 0.8), ("0.30000000000000004", 0.9), ("0.1", 0.8)] {
        let policy = compiled(&body);
        let decision = decided_on(&policy, &statements(&policy, &["4000"]), &format!(r#"{{"x": {x}}}"#));
        assert_eq!((decision.outcome, decision.score), (Outcome::Offer, Some(score)), "{x}");
    }
}

#[test]
fn an_amount_is_worked_out_to_the_kobo() {
    let body = "[[offer]]\nid = \"o\"\ntenure = 30\namount = \"0.29 * request.amount\"\ninterest = 1\n";
    for (amount, offered) in
        [(3_500_000_000_i64, 1_015_000_000_i64), (1_000_000_000_000_000, 290_000_000_000_000), (7, 2), (10, 2), (11, 3)]
    {
        assert_eq!(decided(body, json!({"amount": amount})).offers[0].amount_offered, offered, "{amount}");
    }
}

#[test]
fn prices_round_what_was_worked_out_exactly() {
    let body = "[[offer]]\nid = \"o\"\ntenure = 30\namount = 1000\ninterest = \"request.x + request.y\"\n\
        fee = \"request.share * request.amount\"\n";
    let offer = |x: f64, y: f64, share: f64, amount: i64| {
        decided(body, json!({"x": x, "y": y, "share": share, "amount": amount})).offers.remove(0)
    };
    assert_eq!(offer(0.1, 0.2, 0.0, 0).interest, 0.3);
    // A half kobo goes up: 0.015 times 100 is 1.5, though no double times another is.
    assert_eq!(offer(1.0, 0.0, 0.015, 100).fee, 2);
    assert_eq!(offer(1.0, 0.0, 0.01499999999, 100).fee, 1);
    assert_eq!(offer(1.0, 0.000_000_000_5, 0.0, 0).interest, 1.000_000_001);
}

/// The worked examples of docs/reference/numbers.md.
#[test]
fn the_worked_examples_hold() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/reference/numbers.md")).unwrap();
    let (_, examples) = page.split_once("## Worked examples").unwrap();
    let mut seen = 0;
    for line in examples.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let [when, holds] = cells[..] else { panic!("{line}") };
        let when = when.trim_matches('`');
        let decision = decided(&require(when, "no"), json!({}));
        let wanted = if holds == "yes" { Outcome::Offer } else { Outcome::Decline };
        assert_eq!(decision.outcome, wanted, "{when}: {:?}", decision.reasons);
        seen += 1;
    }
    assert!(seen > 20, "{seen} examples");
}

#[test]
fn aggregates_are_exact() {
    let credits = ["0.10", "0.20", "0.40", "1000000.01"];
    for (when, holds) in [
        ("4 * AVG(credit) = 1000000.71", true),
        ("AVG(credit) * COUNT(*) = SUM(credit)", true),
        ("MEDIAN(credit) = 0.3", true),
        ("QUANTILE(credit, 0.1) = 0.13", true),
        ("SUM(0.1 * credit) * 10 = SUM(credit)", true),
        ("SUM(credit / SUM_BEFORE(credit, 1)) > 1", true),
        ("AVG(CASE WHEN credit < 1 THEN 0.1 ELSE 0.3 END) = 0.15", true),
        ("MAX(credit / 3) * 3 = 1000000.01", true),
        ("COUNT(*) FILTER (WHERE RANK(credit * 0.1) <= 2) = 2", true),
        ("SUM(credit) FILTER (WHERE RANK(credit / 3) = 1) = 1000000.01", true),
        ("COUNT(DISTINCT ROUND(credit * 0.001)) = 2", true),
        ("REGR_SLOPE(day(trans_date), day(trans_date)) = 1", true),
        ("REGR_SLOPE(0.1 * day(trans_date), day(trans_date)) = 0.1", true),
    ] {
        let policy = compiled(&require(when, "no"));
        let decision = decided_on(&policy, &statements(&policy, &credits), "{}");
        assert_eq!(decision.outcome == Outcome::Offer, holds, "{when}: {:?}", decision.reasons);
    }
}

/// A computed cell has the type of its column: a whole parameter in a column of numbers was 0.
#[test]
fn whole_parameters_and_decimals_come_out_as_what_they_are() {
    let table = |output: &str, cell: &str| {
        format!(
            "[parameters]\nwhole = 3\nhalf = 0.5\n[table.t]\nhit = \"first\"\ninputs = [\"request.n\"]\n\
             outputs = {{ out = \"{output}\" }}\n\
             rows = [[\"-\", \"{cell}\"]]\n{}",
            require("$whole > 0 AND $half > 0", "no")
        )
    };
    for (output, cell, value) in [
        ("number", "$whole", json!(3.0)),
        ("ratio", "$half", json!(0.5)),
        ("count", "$whole", json!(3)),
        ("count", "2.0", json!(2)),
    ] {
        assert_eq!(decided(&table(output, cell), json!({"n": 1})).grade["out"], value, "{output} {cell}");
    }
    for cell in ["2.5", "$half"] {
        let text = format!("{HEADER}{}", table("count", cell));
        let refused = compile("x.toml", &text, &mut |_| Err("none".into()), &[]).unwrap_err().to_string();
        assert!(refused.contains("is not whole, but a count must be"), "{refused}");
    }
}

/// Table outputs of many statements are stored otherwise than those of one.
#[test]
fn aggregates_look_at_what_a_table_gives() {
    let policy = compiled(&format!(
        "[table.t]\nhit = \"first\"\ninputs = [\"request.n\"]\noutputs = {{ rate = \"number\" }}\n\
         rows = [[\"-\", 0.1]]\n\
         [metric]\nlast = \"ARG_MAX(trans_date, rate)\"\nusual = \"MODE(rate)\"\nmost = \"MAX(rate)\"\n\
         kinds = \"COUNT(DISTINCT rate)\"\nall = \"SUM(rate)\"\n{OFFER}"
    ));
    let record = |number: usize| {
        format!(
            r#"{{"id": "{number}", "customer": "c{}", "trans_date": "2026-06-0{}", "credit": 5}}"#,
            number / 2,
            number % 2 + 1
        )
    };
    let lines: String = (0..40).map(|number| record(number) + "\n").collect();
    let statements = read_json(lines.as_bytes(), "inline", &reading(&policy)).unwrap();
    let request = Request::from_json(&policy, br#"{"n": 1}"#).unwrap();
    for decision in decide(&policy, &statements, &request).unwrap() {
        let told = ["last", "usual", "most", "kinds", "all"].map(|name| decision.metrics[name].clone());
        assert_eq!(told, [json!("2026-06-01"), json!(0.1), json!(0.1), json!(1), json!(0.2)]);
    }
}

#[test]
fn a_sum_with_weights_stays_short() {
    let numbers: Vec<Rational> =
        (0..20_000).map(|at| Rational::ratio(at * 7 + 1, if at * at % 11 < 5 { 10 } else { 1 }).unwrap()).collect();
    let policy =
        compiled(&require("SUM(CASE WHEN day(trans_date) % 3 = 0 THEN credit ELSE 0.5 * credit END) = 650", "no"));
    let credits = ["100"; 10];
    let decision = decided_on(&policy, &statements(&policy, &credits), "{}");
    assert_eq!(decision.outcome, Outcome::Offer, "{:?}", decision.reasons);
    let sum = numbers.iter().try_fold(Rational::ZERO, |sum, number| sum.plus(number)).unwrap();
    assert!(sum.decimals().is_some_and(|decimals| decimals <= 1), "{sum}");
}

#[test]
fn a_deviation_is_approximate_and_says_so() {
    let policy = compiled(&format!("[metric]\nspread = \"STDDEV(credit)\"\n{}", require("spread <= 500", "{spread}")));
    let found: Vec<(String, String)> =
        policy.warnings().iter().map(|found| (found.code.to_string(), found.message.clone())).collect();
    assert_eq!(found, [("approximate".to_owned(), "money is decided here by an approximate number".to_owned())]);
    let statements = statements(&policy, &["100", "300.50"]);
    let explained = explain(&policy, &statements, &Request::default()).unwrap().remove(0);
    assert!(explained.requirements[0].approximate);
    assert!(explained.numbers.iter().any(|number| number.name == "spread" && number.figure.approximate));

    let rounded =
        compiled(&format!("[metric]\nspread = \"ROUND(STDDEV(credit))\"\n{}", require("spread <= 500", "no")));
    assert_eq!(rounded.warnings().len(), 0, "rounded it is exact again");
    let explained = explain(&rounded, &statements, &Request::default()).unwrap().remove(0);
    assert!(!explained.requirements[0].approximate);
}

#[test]
fn numbers_of_a_request_are_read_by_their_digits_or_refused() {
    let policy = compiled(&require("request.x >= 0.1", "no"));
    let one = statements(&policy, &["4000"]);
    for (written, outcome) in [
        ("0.1", Outcome::Offer),
        ("0.10", Outcome::Offer),
        ("1e-1", Outcome::Offer),
        ("0.09999999999999999", Outcome::Decline),
        ("9007199254740993", Outcome::Offer),
    ] {
        assert_eq!(decided_on(&policy, &one, &format!(r#"{{"x": {written}}}"#)).outcome, outcome, "{written}");
    }
    for long in ["0.1000000000000000055511151231257827", "[0.12345678901234567890]", "123456789012345678901"] {
        let refused = Request::from_json(&policy, format!(r#"{{"x": {long}}}"#).as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("has more digits than a JSON number keeps"), "{refused}");
    }
    // Digits within a text are not a number.
    assert!(Request::from_json(&policy, br#"{"customer": "c \" 0.1000000000000000055511151231257827"}"#).is_ok());
}

/// Every reason that shows both sides: what it shows must agree with the decision.
#[test]
fn a_reason_never_contradicts_the_outcome() {
    let number = |text: &str| {
        let digits: String = text.chars().filter(|c| c.is_ascii_digit() || matches!(c, '.' | '-')).collect();
        Rational::parse(&digits).unwrap_or_else(|| panic!("{text}"))
    };
    let policy = compiled(&format!(
        "[metric]\nmost = \"request.share * request.income\"\nburden = \"request.instalment / request.income\"\n\
         [[require]]\nid = \"A\"\nwhen = \"request.instalment <= most\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"{{request.instalment}}|{{most}}\"\n\
         [[require]]\nid = \"B\"\nwhen = \"burden <= request.share\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"{{burden}}|{{request.share}}\"\n{OFFER}"
    ));
    let one = statements(&policy, &["4000"]);
    let mut seen = 0;
    let mut seed = 7_u64;
    let mut random = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    for _ in 0..3_000 {
        let (digits, times, places) = (1 + random(9) as u32, random(3) as usize, 2 + random(6) as usize);
        let income = 1 + random(10_u64.pow(digits)) as i64 * [1, 100, 1_000_003][times];
        let share = format!("0.{:0places$}", 1 + random(99));
        let limit = Rational::parse(&share).unwrap().times(&Rational::from(income)).unwrap();
        let near = limit.rounded_to_i64(Rounding::Down).unwrap() + random(3) as i64 - 1;
        let request = format!(r#"{{"instalment": {near}, "income": {income}, "share": {share}}}"#);
        let decision = decided_on(&policy, &one, &request);
        let is_above = Rational::from(near) > limit;
        let reasons: Vec<_> =
            decision.reasons.iter().filter(|reason| matches!(reason.id.as_str(), "A" | "B")).collect();
        assert_eq!(reasons.len(), if is_above { 2 } else { 0 }, "{request}");
        for reason in reasons {
            let (left, right) = reason.text.split_once('|').unwrap();
            assert!(number(left) > number(right), "{request}: {}", reason.text);
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen} reasons");
}
