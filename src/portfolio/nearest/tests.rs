//! Answers are confirmed by the engine, minimal on small grids, and never touch what was not declared.

use super::*;
use crate::engine::decision::Changed;
use crate::portfolio::backtest::Portfolio;
use crate::portfolio::metrics_table::BookPlan;
use crate::rules::program::Value;
use crate::rules::{Policies, Policy, compile};
use crate::statement::{Statements, read_json};

/// Credits make income, their number and the largest share; the score and a table look at them.
const RULES: &str = r#"
[policy]
name = "small"
version = "1"
currency = "566"
time_zone = "Africa/Lagos"

[metric]
income = "SUM(credit)"
payments = "COUNT(*)"
largest = "MAX(credit)"
share = "largest / income"
salaried = "COUNT(*) FILTER (WHERE mentions(salary)) > 0"
unused = "COUNT(DISTINCT trans_date)"

[words]
salary = ["salary"]

[[require]]
id = "INCOME"
when = "income >= 5000"
reason = "too little: {income}"
unknown = "refer"

[[require]]
id = "SHARE"
when = "share <= 0.5"
reason = "one payment is {share} of all"
unknown = "refer"

[[require]]
id = "SCORE"
when = "score >= 50"
reason = "{score} points"
unknown = "refer"

[score]
base = 10
[[score.item]]
on = "payments"
points = [["< 3", 0], ["3..6", 20], [">= 6", 40]]
[[score.item]]
on = "salaried"
points = [["true", 30], ["false", 0]]

[table.grade]
hit = "first"
inputs = ["income", "payments"]
outputs = { cap = "money" }
rows = [[">= 8000", ">= 4", 4000], ["-", "-", 1000]]

[[offer]]
id = "o"
tenure = 30
amount = "cap"
interest = 5
"#;

fn policy() -> Policy {
    compile("small.toml", RULES, &mut |_| Err("none".into()), &[]).expect("it compiles")
}

/// A generator of whole numbers below a bound, the same in every run.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn people(policy: &Policy, count: u64) -> Portfolio {
    let mut chance = Chance(11);
    let reading = crate::engine::decision::reading(&Policies::from(policy.clone()));
    let plan = BookPlan::new(&[policy], None);
    let mut table: Option<polars::prelude::DataFrame> = None;
    for person in 0..count {
        let records: Vec<String> = (0..1 + chance.below(8))
            .map(|id| {
                let desc = if chance.below(4) == 0 { "SALARY" } else { "TRANSFER" };
                let credit = 200 + 100 * chance.below(20);
                format!(
                    r#"{{"id": "{id}", "credit": {credit}, "trans_date": "{}", "notes": {{"desc": "{desc}"}}}}"#,
                    format_args!("2026-06-{:02}", id + 1)
                )
            })
            .collect();
        let body = format!("[{}]", records.join(","));
        let statements: Statements = read_json(body.as_bytes(), &format!("p{person}"), &reading).expect("it reads");
        let part = plan.table(&statements, None).expect("metrics");
        match &mut table {
            None => table = Some(part),
            Some(table) => drop(table.vstack_mut_owned(part).expect("the same columns")),
        }
    }
    let mut table = table.expect("somebody");
    table.rechunk_mut();
    Portfolio::from_frame(table, plan.keys(), None, Vec::new()).expect("a portfolio")
}

fn looking(order: Order) -> Looking<'static> {
    Looking { order, tries_max: 1_000_000, after_each: &|| {} }
}

fn find(
    portfolio: &mut Portfolio,
    policy: &Policy,
    text: &str,
    rows: &[usize],
    order: Order,
) -> Result<Vec<Nearest>, NearestError> {
    let declared = Actionable::parse(text)?;
    find_nearest_offers(portfolio, policy, &Request::default(), &declared, rows, looking(order))
}

const SMALL: &str = "[actionable]\n\
    income = { max = 9000, step = 1000, direction = \"up\", scale = 1000 }\n\
    payments = { max = 9, direction = \"up\", scale = 2 }\n\
    largest = { min = 100, step = 200, direction = \"down\", scale = 500, cost = 2 }\n\
    [forbidden]\nmetrics = [\"salaried\"]\n";

#[test]
fn answers_are_confirmed_and_nothing_else_changes() {
    let policy = policy();
    let mut portfolio = people(&policy, 1_000);
    let request = Request::default();
    let rows: Vec<usize> = (0..1_000).collect();
    let actionable = Actionable::parse(SMALL).expect("a declaration");
    let found = find(&mut portfolio, &policy, SMALL, &rows, Order::Smallest).expect("answers");
    let levers = actionable.levers(&policy).expect("levers");
    let supposing = Supposing::new(&mut portfolio.cache, &policy, &request, &levers.nodes()).expect("it is judged");
    let declared = ["income", "payments", "largest"];
    let mut confirmed = 0;
    for (row, one) in found.iter().enumerate().filter(|(_, one)| one.answer == "found" && !one.changes.is_empty()) {
        assert!(one.changes.iter().all(|change| declared.contains(&change.metric.as_str())), "{one:?}");
        let changed: Changed = levers
            .all
            .iter()
            .map(|lever| {
                let change = one.changes.iter().find(|change| change.metric == lever.name)?;
                Some(Value::Int((change.to * lever.minor).round() as i64))
            })
            .collect();
        let decided = supposing.decide(&portfolio.cache, row, &levers.nodes(), &[changed]).expect("a decision");
        let offer = one.offer.as_ref().map(|offer| (offer.amount_minor, offer.tenure));
        assert_eq!((decided[0].outcome, decided[0].offer), (Outcome::Offer, offer), "{one:?}");
        let shown = one.offer.as_ref().map(|offer| (offer.amount * 100.0, offer.currency));
        assert_eq!(shown, decided[0].offer.map(|(amount, _)| (amount as f64, "NGN")), "{one:?}");
        confirmed += 1;
    }
    assert!(confirmed > 300, "only {confirmed} answers");
    let summary = sum_up(&found);
    assert_eq!(summary.found + summary.impossible + summary.not_found, 1_000);
}

/// Every combination, and the distance of the nearest that makes an offer.
fn by_enumeration(ladders: &[Ladder], order: Order, decide: &search::Decide) -> Option<(usize, f64)> {
    let mut all: Vec<(Changed, usize, f64)> = vec![(Vec::new(), 0, 0.0)];
    for ladder in ladders {
        all = all
            .into_iter()
            .flat_map(|(changed, count, cost)| {
                ladder.steps.iter().map(move |step| {
                    let mut changed = changed.clone();
                    changed.push(step.value.clone());
                    (changed, count + usize::from(step.value.is_some()), cost + step.cost)
                })
            })
            .collect();
    }
    let changes: Vec<Changed> = all.iter().map(|(changed, ..)| changed.clone()).collect();
    let decided = decide(&changes).expect("decisions");
    let offers = all.iter().zip(decided).filter(|(_, decided)| decided.outcome == Outcome::Offer);
    offers.map(|((_, count, cost), _)| (*count, *cost)).filter(|(count, _)| *count > 0).min_by(|one, other| match order
    {
        Order::Fewest => one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)),
        Order::Smallest => one.1.total_cmp(&other.1),
    })
}

#[test]
fn answers_are_minimal_on_small_grids() {
    let policy = policy();
    let mut portfolio = people(&policy, 60);
    let request = Request::default();
    let actionable = Actionable::parse(SMALL).expect("a declaration");
    let levers = actionable.levers(&policy).expect("levers");
    let supposing = Supposing::new(&mut portfolio.cache, &policy, &request, &levers.nodes()).expect("it is judged");
    let scales = levers.scales(&mut portfolio, &policy, &request).expect("scales");
    let cuts = cut_points::cut_points(&policy, &levers.nodes());
    let nodes = levers.nodes();
    let reach = Reach::new(&policy, &nodes);
    let mut compared = 0;
    for row in 0..60 {
        let own: Vec<_> = nodes.iter().map(|node| supposing.value(&portfolio.cache, *node, row)).collect();
        let ladders: Vec<Ladder> = (0..levers.all.len())
            .map(|at| Ladder::new(&levers.all[at], own[at].as_ref(), &cuts[at], scales[at]))
            .collect();
        assert!(ladders.iter().all(|ladder| ladder.is_whole));
        let decide = |changes: &[Changed]| supposing.decide(&portfolio.cache, row, &nodes, changes);
        let now = decide(&[vec![None; nodes.len()]]).expect("a decision").remove(0);
        if now.outcome == Outcome::Offer {
            continue;
        }
        for order in [Order::Smallest, Order::Fewest] {
            let answer = search_combinations(&ladders, &reach, &now, looking(order), &decide).expect("an answer");
            let wanted = by_enumeration(&ladders, order, &decide);
            assert!(answer.is_exhausted, "row {row}");
            match (answer.found.map(|found| (found.changed, found.distance)), wanted) {
                (Some((count, cost)), Some((wanted_count, wanted_cost))) => {
                    compared += 1;
                    assert!((cost - wanted_cost).abs() < 1e-9, "row {row}: {cost} and {wanted_cost}");
                    assert!(order == Order::Smallest || count == wanted_count, "row {row}");
                }
                (None, None) => {}
                other => panic!("row {row}: {other:?}"),
            }
        }
    }
    assert!(compared > 40, "only {compared} answers");
}

#[test]
fn a_truth_value_may_become_true() {
    let policy = policy();
    let mut portfolio = people(&policy, 200);
    let rows: Vec<usize> = (0..200).collect();
    let text = "[actionable]\nsalaried = { to = true }\n";
    let found = find(&mut portfolio, &policy, text, &rows, Order::Fewest).expect("answers");
    let with_change = found.iter().filter(|one| one.answer == "found" && one.changes.len() == 1).count();
    assert!(with_change > 0 && found.iter().all(|one| one.changes.iter().all(|change| change.to == 1.0)));
}

#[test]
fn what_cannot_be_declared_is_refused() {
    let policy = policy();
    let mut portfolio = people(&policy, 3);
    for (text, wrong) in [
        ("[actionable]\nincom = { max = 1 }", "no metric of this name; did you mean `income`?"),
        ("[actionable]\nshare = { max = 1 }", "it follows from `income`"),
        ("[actionable]\nincome = { direction = \"up\" }", "it may grow without end"),
        ("[actionable]\nincome = { min = 5, max = 1 }", "`min` is above `max`"),
        ("[actionable]\nincome = { max = 5, min = 0, step = 0 }", "`step` is not above 0"),
        ("[actionable]\nincome = { max = 5, min = 0, step = 0.001 }", "`step` is finer than its unit"),
        ("[actionable]\npayments = { max = 5, min = 0, step = 0.5 }", "`step` is finer than its unit"),
        ("[actionable]\nsalaried = { max = 1 }", "say what it may become"),
        ("[actionable]\nunused = { min = 0, max = 5 }", "no rule looks at it"),
        ("[actionable]\nincome = { to = true }", "`to` is for truth values"),
        ("[actionable]\n", "names no metric"),
        (
            "[actionable]\nincome = { max = 5, min = 0 }\n[forbidden]\nmetrics = [\"income\"]",
            "it is under [forbidden] too",
        ),
        ("[actionable]\nincome = { min = 0, max = 5 }\n[forbidden]\nmetrics = [\"x\"]", "no metric of this name"),
        (
            "[actionable]\nincome = { min = 0, max = 5 }\n[forbidden]\nmetrics = [\"share\"]",
            "`share` follows from it, and is forbidden to change",
        ),
    ] {
        let error = find(&mut portfolio, &policy, text, &[0], Order::Smallest).expect_err(text).to_string();
        assert!(error.contains(wrong), "{text}: {error}");
    }
    assert!(Actionable::parse("[actionable]\nincome = { maximum = 1 }").is_err());
}

/// Six metrics may change: no failed requirement follows from one, two count only in a product.
#[test]
fn more_freedom_finds_no_fewer_answers() {
    let policy = policy();
    let mut portfolio = people(&policy, 300);
    let rows: Vec<usize> = (0..300).collect();
    let two = "[actionable]\nincome = { max = 9000, step = 0.01, direction = \"up\" }\n\
        payments = { max = 90, direction = \"up\" }\n";
    let more = format!(
        "{two}largest = {{ min = 1, step = 0.01, direction = \"down\" }}\nsalaried = {{ to = true }}\n\
         [forbidden]\nmetrics = [\"unused\"]\n"
    );
    for order in [Order::Smallest, Order::Fewest] {
        let few = find(&mut portfolio, &policy, two, &rows, order).expect("answers");
        let many = find(&mut portfolio, &policy, &more, &rows, order).expect("answers");
        for (few, many) in few.iter().zip(&many).filter(|(few, _)| few.answer == "found") {
            assert_eq!(many.answer, "found", "{few:?}");
            let farther = many.distance.expect("a distance") > few.distance.expect("a distance") + 1e-9;
            assert!(order == Order::Fewest || !farther, "{few:?} {many:?}");
            assert!(many.changes.len() <= few.changes.len() || order == Order::Smallest);
        }
        assert!(few.iter().filter(|one| one.answer == "found" && !one.changes.is_empty()).count() > 40);
    }
}

#[test]
fn who_is_kept_back_by_what_nobody_may_change_is_not_searched_for() {
    let policy = policy();
    let mut portfolio = people(&policy, 100);
    let rows: Vec<usize> = (0..100).collect();
    let text = "[actionable]\npayments = { max = 90, direction = \"up\" }\n";
    let found = find(&mut portfolio, &policy, text, &rows, Order::Smallest).expect("answers");
    let poor = found.iter().filter(|one| one.reasons.iter().any(|(id, _)| id == "INCOME"));
    let poor: Vec<&Nearest> = poor.collect();
    assert!(!poor.is_empty() && poor.iter().all(|one| one.answer == "impossible" && one.tries == 0));
    // Who has an offer needs no change.
    let offered = found.iter().filter(|one| one.outcome == Outcome::Offer);
    assert!(offered.clone().count() > 0 && offered.clone().all(|one| one.changes.is_empty() && one.tries == 0));
}

/// From an unknown value the direction bounds nothing, and steps to a far bound are not counted to the end.
#[test]
fn bounds_that_are_missing_or_far_away_do_not_panic() {
    let policy = policy();
    let mut portfolio = people(&policy, 40);
    let rows: Vec<usize> = (0..40).collect();
    for (known, direction) in [("max = 9000", "up"), ("min = 0", "down")] {
        let text =
            format!("[actionable]\nincome = {{ {known}, direction = \"{direction}\", may_become_known = true }}\n");
        let refused = find(&mut portfolio, &policy, &text, &rows, Order::Smallest).expect_err("no bound");
        assert!(refused.to_string().contains("give it a `min` and a `max`"), "{refused}");
    }
    let far = "[actionable]\nincome = { min = -1e300, max = 1e300, step = 0.01, may_become_known = true }\n";
    let found = find(&mut portfolio, &policy, far, &rows, Order::Smallest).expect("answers");
    let near = "[actionable]\nincome = { min = 0, max = 90000, step = 0.01, may_become_known = true }\n";
    let wanted = find(&mut portfolio, &policy, near, &rows, Order::Smallest).expect("answers");
    assert_eq!(found.len(), wanted.len());
}

#[test]
fn a_metric_of_records_and_others_may_change() {
    let rules = RULES.replace("share = \"largest / income\"", "share = \"COUNT(DISTINCT trans_date) / payments\"");
    let policy = compile("small.toml", &rules, &mut |_| Err("none".into()), &[]).expect("it compiles");
    let mut portfolio = people(&policy, 3);
    let text = "[actionable]\nshare = { min = 0, max = 1, direction = \"down\" }\n";
    let refused = find(&mut portfolio, &policy, text, &[0], Order::Smallest).expect_err("only of metrics");
    assert!(refused.to_string().contains("it follows from `"), "{refused}");
    let rules = RULES.replace("share = \"largest / income\"", "share = \"MIN(credit) / income\"");
    let policy = compile("small.toml", &rules, &mut |_| Err("none".into()), &[]).expect("it compiles");
    let mut portfolio = people(&policy, 3);
    find(&mut portfolio, &policy, text, &[0], Order::Smallest).expect("records have a part in it");
}

/// Between two values that are tried there may be one that makes an offer, where a rule compares metrics with each
/// other.
#[test]
fn nothing_is_impossible_where_not_every_value_was_tried() {
    let narrow = "when = \"income - 3 * largest >= 0 AND income - 3 * largest < 1\"";
    let rules = RULES.replace("when = \"income >= 5000\"", narrow);
    let policy = compile("small.toml", &rules, &mut |_| Err("none".into()), &[]).expect("it compiles");
    let mut portfolio = people(&policy, 60);
    let rows: Vec<usize> = (0..60).collect();
    let find = |portfolio: &mut Portfolio, step: &str| {
        let text = format!("[actionable]\nincome = {{ max = 90000, step = {step}, direction = \"up\" }}\n");
        let found = find(portfolio, &policy, &text, &rows, Order::Smallest).expect("answers");
        let only: Vec<Nearest> =
            found.into_iter().filter(|one| one.reasons.iter().all(|(id, _)| id == "INCOME")).collect();
        assert!(!only.is_empty());
        only
    };
    let sampled = find(&mut portfolio, "0.01");
    assert!(sampled.iter().all(|one| one.answer != "impossible"), "{sampled:?}");
    // Every step of a small grid was tried.
    assert!(find(&mut portfolio, "50000").iter().any(|one| one.answer == "impossible"));
}
