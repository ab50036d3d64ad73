//! A portfolio is judged as its statements are decided, whatever was judged before, and from a file as from memory.

use std::num::NonZeroI64;

use super::*;
use crate::engine::decision::{Outcome, Request, decide};
use crate::engine::metrics::Bits;
use crate::portfolio::backtest::summary::PolicySummary;
use crate::portfolio::backtest::{Judged, KnownRows, Question, backtest_policy, summarize_backtest};
use crate::portfolio::metrics_table::{BookNote, BookPlan, values_path};
use crate::provider::generate::{Options, statement_json};
use crate::rules::{Policies, Policy, compile};
use crate::run::files::load_policy;
use crate::statement::{Statements, read_json};

const POLICIES: [&str; 3] = ["starter", "salary-advance", "small-business"];

fn shipped(name: &str) -> Policy {
    load_policy(format!("{}/rules/{name}.toml", env!("CARGO_MANIFEST_DIR")), &[]).expect("it ships")
}

/// A shipped policy with one place of its text changed.
fn edited(name: &str, from: &str, to: &str) -> Policy {
    let path = format!("{}/rules/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("it ships");
    let changed = text.replacen(from, to, 1);
    assert_ne!(changed, text, "`{from}` is not in it");
    compiled(&path, &changed)
}

fn compiled(path: &str, text: &str) -> Policy {
    let folder = Path::new(path).parent().expect("a folder").to_owned();
    let mut read = |used: &str| std::fs::read_to_string(folder.join(used)).map_err(|error| error.to_string());
    compile(path, text, &mut read, &[]).expect("it compiles")
}

fn statements(policy: &Policy, people: u64) -> Vec<Statements> {
    let options = Options { records: 120, debits: true, ..Options::default() };
    let reading = crate::engine::decision::reading(&Policies::from(policy.clone()));
    let one = |person: u64| {
        let json = statement_json(person, 5, &options).expect("a statement");
        read_json(&json, &format!("statement {person}"), &reading).expect("it reads")
    };
    (0..people).map(one).collect()
}

fn portfolio(policies: &[&Policy], statements: &[Statements], as_of: Option<Day>) -> Portfolio {
    let plan = BookPlan::new(policies, None);
    let mut tables = statements.iter().map(|part| plan.table(part, as_of).expect("metrics"));
    let mut table = tables.next().expect("a statement");
    for part in tables {
        table.vstack_mut(&part).expect("the same columns");
    }
    table.rechunk_mut();
    Portfolio::from_frame(table, plan.keys(), as_of, Vec::new()).expect("a portfolio")
}

/// What is compared: outcome, greatest amount, its tenure, reasons.
type Found = (Outcome, Option<i64>, u32, Vec<String>);

fn judged(policy: &Policy, portfolio: &mut Portfolio, request: &Request) -> Vec<Found> {
    let judged: Judged = Judged::new(policy, &mut portfolio.cache, request).expect("it is judged");
    let found = |row: usize| {
        let decisions = &judged.decisions;
        let amount = decisions.amounts[row].map(NonZeroI64::get);
        (decisions.outcome(row), amount, decisions.tenures[row], decisions.reasons_of(row))
    };
    (0..portfolio.customers.len()).map(found).collect()
}

fn decided(policy: &Policy, statements: &[Statements], request: &Request) -> Vec<Found> {
    let mut all = Vec::new();
    for part in statements {
        for decision in decide(policy, part, request).expect("it decides") {
            let best = decision
                .offers
                .iter()
                .map(|offer| &offer.offer)
                .reduce(|best, offer| if offer.amount_offered > best.amount_offered { offer } else { best });
            let reasons = decision.reasons.iter().map(|reason| reason.id.clone()).collect();
            all.push((
                decision.outcome,
                best.map(|offer| offer.amount_offered),
                best.map_or(0, |offer| offer.tenure),
                reasons,
            ));
        }
    }
    all
}

#[test]
fn a_portfolio_is_judged_as_its_statements_are_decided() {
    for name in POLICIES {
        let policy = shipped(name);
        let statements = statements(&policy, 60);
        for request in [Request::default(), Request::on("2026-10-31".parse().expect("a day"))] {
            let mut portfolio = portfolio(&[&policy], &statements, request.as_of);
            let (found, wanted) = (judged(&policy, &mut portfolio, &request), decided(&policy, &statements, &request));
            assert_eq!(found, wanted, "{name} {:?}", request.as_of);
        }
    }
}

#[test]
fn every_outcome_occurs_in_the_test_above() {
    let policy = shipped("starter");
    let request = Request::on("2026-10-31".parse().expect("a day"));
    let found = decided(&policy, &statements(&policy, 60), &request);
    for outcome in [Outcome::Offer, Outcome::Refer, Outcome::Decline] {
        assert!(found.iter().any(|(found, ..)| *found == outcome), "{outcome:?}");
    }
}

#[test]
fn an_edit_is_judged_as_if_nothing_had_been_before() {
    let champion = shipped("starter");
    let statements = statements(&champion, 40);
    let request = Request::on("2026-10-31".parse().expect("a day"));
    let of_three = |at: usize| Bits::from_fn(statements.len(), |row| row % 3 == at || row % 3 == 1);
    let known = KnownRows { known: of_three(0), bad: of_three(1) };
    let mut by_difference = 0;
    let mut fresh = portfolio(&[&champion], &statements, request.as_of);
    let mut portfolio = portfolio(&[&champion], &statements, request.as_of);
    judged(&champion, &mut portfolio, &request);
    let edits = [
        ("min_full_months = { value = 3", "min_full_months = { value = 5"),
        ("[\">= 340\"", "[\">= 420\""),
        ("[\">= 0.50\", 70]", "[\">= 0.50\", 20]"),
        (
            "$income_multiple * lasting_income, principal_for(instalment_left / 1.01",
            "0.1 * lasting_income, \
          principal_for(instalment_left / 1.01",
        ),
        ("\"B\", 4.5, 250_000", "\"B\", 9.5, 30_000"),
        ("else = \"decline\"", "else = \"refer\""),
        ("unknown = \"refer\"", "unknown = \"decline\""),
        ("hit = \"first\"", "title = \"grades\"\nhit = \"first\""),
        ("tenure = 30\n", "tenure = 60\n"),
        ("valid_for_days = 7", "valid_for_days = 9"),
        ("on = \"zero_inflow_months\"\npoints = [[\"0\", 30]", "on = \"zero_inflow_months\"\npoints = [[\"0\", 30.5]"),
    ];
    for (from, to) in edits {
        let challenger = edited("starter", from, to);
        let found = judged(&challenger, &mut portfolio, &request);
        assert_eq!(found, decided(&challenger, &statements, &request), "{to}");
        // What is counted beside the champion is what is counted alone.
        let beside = backtest_policy(&mut portfolio, &challenger, Some(&champion), &request).expect("it counts");
        let alone = backtest_policy(&mut fresh, &challenger, None, &request).expect("it counts");
        let counted = PolicySummary { role: "policy".to_owned(), ..beside.policies[1].clone() };
        assert_eq!(counted, alone.policies[0], "{to}");
        by_difference += usize::from(portfolio.summaries.iter().any(|counted| counted.amounts.is_none()));
        // Also where outcomes are known.
        let before = Judged::new(&champion, &mut portfolio.cache, &request).expect("it is judged");
        let after = Judged::new(&challenger, &mut portfolio.cache, &request).expect("it is judged");
        let policies = |champion| {
            let question = Question { policy: &after, champion, known: &known, segments: &[] };
            summarize_backtest(&portfolio, &question).policies
        };
        let beside = policies(Some(&before));
        let counted = PolicySummary { role: "policy".to_owned(), ..beside[1].clone() };
        assert_eq!(counted, policies(None)[0], "{to}");
        // The champion's own values are still there.
        assert_eq!(judged(&champion, &mut portfolio, &request), decided(&champion, &statements, &request), "{to}");
    }
    assert!(by_difference >= 3, "nearly everybody was counted anew: {by_difference}");
}

#[test]
fn a_changed_metric_is_asked_for_by_name_and_computed_alone() {
    let champion = shipped("starter");
    let statements = statements(&champion, 20);
    let request = Request::default();
    let mut first = portfolio(&[&champion], &statements, None);
    let challenger = edited("starter", "[metric]\n", "[metric]\nlatest = \"MAX(credit)\"\n");
    assert!(Judged::new(&challenger, &mut first.cache, &request).is_ok(), "nothing judges by the new metric");
    let text = std::fs::read_to_string(challenger.file()).expect("it ships");
    let text = text.replacen("[metric]\n", "[metric]\nlatest = \"MAX(credit)\"\n", 1).replacen(
        "[[require]]",
        "[[require]]\nid = \"NEW\"\nwhen = \"latest > 0\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"nothing came in\"\n\n[[require]]",
        1,
    );
    let challenger = compiled(challenger.file(), &text);
    let error = Judged::new(&challenger, &mut first.cache, &request).map(|_| ()).expect_err("it needs records");
    assert_eq!(error.to_string(), "a value cannot be judged from metrics: `latest`");

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.parquet");
    let plan = BookPlan::new(&[&champion], None);
    let table = plan.table(&statements[0], None).expect("metrics");
    let whole = plan.whole(table, None).expect("a table");
    Book::write(&whole, &plan, &BookNote::new(None, Vec::new()), &path).expect("it is written");
    let book = Book::open(&path).expect("it is read").expect("a table of metrics");
    let next = BookPlan::new(&[&challenger], Some(&book));
    assert_eq!(next.computed().collect::<Vec<_>>(), ["latest"]);
    // The table has the metrics of the rules alone: other programs read it.
    let names: Vec<String> =
        crate::run::files::parquet_shape(&path).expect("a file").map(|shape| shape.names).expect("Parquet");
    let metrics = champion.program.metrics.iter().map(|metric| metric.name.as_str());
    assert_eq!(names, HEAD.into_iter().chain(metrics).collect::<Vec<_>>());
    // A table of the champion is enough for the champion, and opens as it was written.
    let mut opened = Portfolio::open(&path).expect("it opens").expect("a table of metrics");
    assert_eq!(judged(&champion, &mut opened, &request), decided(&champion, &statements[..1], &request));
}

#[test]
fn values_of_other_statements_are_not_taken() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.parquet");
    // It asks for a value of the records that has no name.
    let policy = edited(
        "starter",
        "[[require]]",
        "[[require]]\nid = \"NEW\"\nwhen = \"MAX(credit) > 0\"\nelse = \"decline\"\nunknown = \"refer\"\n\
         reason = \"nothing came in\"\n\n[[require]]",
    );
    let write = |person: &Statements, input: &str, path: &Path| {
        let plan = BookPlan::new(&[&policy], None);
        let whole = plan.whole(plan.table(person, None).expect("metrics"), None).expect("a table");
        let inputs = vec![(input.to_owned(), "digest".to_owned())];
        Book::write(&whole, &plan, &BookNote::new(None, inputs), path).expect("it is written");
    };
    let people = statements(&policy, 2);
    let other = folder.path().join("other.parquet");
    write(&people[0], "a", &path);
    write(&people[1], "b", &other);
    let mut own = Portfolio::open(&path).expect("it opens").expect("a table of metrics");
    assert_eq!(judged(&policy, &mut own, &Request::default()), decided(&policy, &people[..1], &Request::default()));
    std::fs::copy(values_path(&other), values_path(&path)).expect("it is copied");
    let mut opened = Portfolio::open(&path).expect("it opens").expect("a table of metrics");
    let error =
        Judged::new(&policy, &mut opened.cache, &Request::default()).map(|_| ()).expect_err("values are missing");
    assert!(error.to_string().contains("cannot be judged from metrics"), "{error}");
}

#[test]
fn a_table_by_another_engine_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book.parquet");
    let policy = shipped("starter");
    let plan = BookPlan::new(&[&policy], None);
    let table = plan.table(&statements(&policy, 1)[0], None).expect("metrics");
    let note = BookNote { engine: "lendwright 0.0.1".into(), ..BookNote::new(None, Vec::new()) };
    Book::write(&table, &plan, &note, &path).expect("it is written");
    let error = Book::open(&path).expect_err("another engine").to_string();
    assert!(error.contains("`lendwright 0.0.1` computed these metrics"), "{error}");
}

#[test]
fn a_customer_with_two_rows_is_refused() {
    let policy = shipped("starter");
    let plan = BookPlan::new(&[&policy], None);
    let mut table = plan.table(&statements(&policy, 1)[0], None).expect("metrics");
    table.vstack_mut(&table.clone()).expect("the same columns");
    let error = Portfolio::from_frame(table, plan.keys(), None, Vec::new()).map(|_| ()).expect_err("twice");
    assert!(error.contains("has several rows, and a backtest counts customers"), "{error}");
}

#[test]
fn columns_of_policies_that_nobody_asks_about_are_forgotten() {
    let champion = shipped("starter");
    let statements = statements(&champion, 40);
    let request = Request::on("2026-10-31".parse().expect("a day"));
    let mut portfolio = portfolio(&[&champion], &statements, request.as_of);
    let before = Judged::new(&champion, &mut portfolio.cache, &request).expect("it is judged");
    let with_points = |points: i32| {
        let points = format!("[\">= 0.50\", {points}]");
        edited("starter", "[\">= 0.50\", 70]", &points)
    };
    let mut bytes = Vec::new();
    for points in 20..40 {
        judged(&with_points(points), &mut portfolio, &request);
        bytes.push(portfolio.bytes());
    }
    assert_eq!(bytes[8], bytes[19], "a policy more must not be memory more");
    // The champion is held, so everything that explains a change of it is there.
    let challenger = with_points(-160);
    let after = Judged::new(&challenger, &mut portfolio.cache, &request).expect("it is judged");
    let known = crate::portfolio::KnownRows::none(40);
    let question = crate::portfolio::Question { policy: &after, champion: Some(&before), known: &known, segments: &[] };
    let late = crate::portfolio::summarize_backtest(&portfolio, &question);
    let mut fresh = self::portfolio(&[&champion], &statements, request.as_of);
    let early =
        crate::portfolio::backtest_policy(&mut fresh, &challenger, Some(&champion), &request).expect("a backtest");
    assert!(late.swap_set.as_ref().is_some_and(|swap| !swap.causes.is_empty()));
    assert_eq!(late, early);
}
