//! The scorecard for the Berka loans, on loans with a known outcome: every value and point equals the result of the
//! search in SQL.
//!
//! How well it does on other loans is in docs/explanation/berka.md; here it is only compared with the search.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lendwright::decision::{Decision, Outcome, Request, decide};
use lendwright::files::{read_columns, read_statements};
use lendwright::load_policy;
use serde_json::Value;

use crate::statement::tables::berka::{data, koruna};

fn project(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(file)
}

/// The loan table's data for an account: the day of its loan, and whether the loan went bad, if known.
struct Loan {
    day: String,
    bad: Option<bool>,
}

fn loans(folder: &Path) -> BTreeMap<String, Loan> {
    let text = std::fs::read_to_string(folder.join("loan.csv")).expect("the loans");
    let rows = text.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let [_, account, day, _, _, _, status] = cells[..] else { panic!("seven columns: {line}") };
        let day = format!("19{}-{}-{}", &day[..2], &day[2..4], &day[4..]);
        let bad = (!status.is_empty()).then_some(status == "B" || status == "D");
        (account.to_owned(), Loan { day, bad })
    });
    rows.collect()
}

fn decisions(folder: &Path, request: &Request) -> Vec<Decision> {
    let policy = load_policy(project("rules/examples/berka.toml"), &[]).expect("the policy");
    let columns = read_columns(project("rules/examples/berka.columns.toml")).expect("the columns file");
    let table = folder.join("trans_preloan.parquet");
    let statements = read_statements(&table, &koruna(), Some(&columns)).expect("the statements");
    decide(&policy, &statements, request).expect("decisions")
}

/// How often a bad loan has a lower score than a good one; equals count half.
fn auc(scores: &[(f64, bool)]) -> f64 {
    let of = |bad: bool| scores.iter().filter(move |score| score.1 == bad).map(|score| score.0);
    let wins: f64 = of(true)
        .flat_map(|low| of(false).map(move |high| f64::from(u8::from(low < high) + u8::from(low <= high)) / 2.0))
        .sum();
    wins / (of(true).count() * of(false).count()) as f64
}

fn near(told: f64, found: &Value, what: &str) {
    let found = found.as_f64().expect("a number");
    assert!((told - found).abs() <= 1e-9 * found.abs(), "{what}: {told} here, {found} by the search");
}

#[test]
fn the_scorecard_gives_every_loan_what_the_search_found() {
    let Some(folder) = data() else { return };
    let loans = loans(&folder);
    let found = std::fs::read_to_string(project("tests/berka/found.json")).expect("what was found");
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let decisions = decisions(&folder, &Request::default());
    assert_eq!((decisions.len(), loans.len()), (682, 682));
    let mut known = Vec::new();
    for decision in &decisions {
        let account = decision.customer.as_deref().expect("a customer");
        let loan = &loans[account];
        let last = decision.metrics["last_date"].as_str().expect("a last day");
        assert!(last < loan.day.as_str(), "account {account}: a record of {last}, a loan of {}", loan.day);
        let score = decision.score.unwrap_or_else(|| panic!("account {account} has no score"));
        if let Some(bad) = loan.bad {
            known.push((decision, score, bad));
        }
    }
    assert_eq!(found["loans"], known.len());
    assert_eq!(found["bad"], known.iter().filter(|known| known.2).count());
    let scores: Vec<(f64, bool)> = known.iter().map(|known| (known.1, known.2)).collect();
    near(scores.iter().map(|score| score.0).sum(), &found["score"]["sum"], "the sum of scores");
    near(scores.iter().map(|score| score.0 * score.0).sum(), &found["score"]["squares"], "the sum of their squares");
    near(scores.iter().map(|score| score.0).fold(f64::MAX, f64::min), &found["score"]["least"], "the least score");
    near(scores.iter().map(|score| score.0).fold(f64::MIN, f64::max), &found["score"]["most"], "the greatest score");
    near(auc(&scores), &found["auc"], "AUC");
    assert!(auc(&scores) > 0.9, "on the loans it was found on");
    for (name, found) in found["metrics"].as_object().expect("metrics") {
        // Money is in minor units here, and in major units in the search.
        let money = ["balance_q02", "balance_at_hand", "interest_q10", "cash_in_spread"].contains(&name.as_str());
        let unit = if money { 100.0 } else { 1.0 };
        let values: Vec<f64> =
            known.iter().filter_map(|known| known.0.metrics[name].as_f64()).map(|value| value / unit).collect();
        assert_eq!(found["known"], values.len(), "{name}");
        near(values.iter().sum(), &found["sum"], name);
        near(values.iter().copied().fold(f64::MIN, f64::max), &found["most"], name);
    }
}

#[test]
fn the_day_of_asking_does_not_move_the_score() {
    let Some(folder) = data() else { return };
    let at_once = decisions(&folder, &Request::default());
    let later = decisions(&folder, &Request::on("1998-12-31".parse().expect("a day")));
    for (at_once, later) in at_once.iter().zip(&later) {
        assert_eq!((&at_once.customer, at_once.score), (&later.customer, later.score));
    }
}

#[test]
fn worse_scores_are_worse_loans_grade_by_grade() {
    let Some(folder) = data() else { return };
    let loans = loans(&folder);
    let mut grades: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for decision in decisions(&folder, &Request::default()) {
        let Some(bad) = loans[decision.customer.as_deref().expect("a customer")].bad else { continue };
        assert!(decision.outcome != Outcome::Offer || decision.score >= Some(580.0));
        let grade = grades.entry(decision.grade["grade"].as_str().expect("a grade").to_owned()).or_default();
        *grade = (grade.0 + 1, grade.1 + usize::from(bad));
    }
    println!("{grades:?}");
    let rates: Vec<f64> = grades.values().map(|(all, bad)| *bad as f64 / *all as f64).collect();
    assert!(rates.len() == 4 && rates.is_sorted(), "{grades:?}");
}

#[test]
fn the_cases_of_the_scorecard_come_out_as_they_say() {
    let policy = project("rules/examples/berka.toml");
    let file = lendwright::portfolio::Cases::beside(&policy);
    let cases = lendwright::portfolio::Cases::read(&file).expect("the cases");
    let trial = lendwright::portfolio::try_cases(&policy, &file, &cases).expect("a trial");
    let wrong: Vec<_> = trial.tried.iter().filter(|tried| !tried.differences.is_empty()).collect();
    assert!(wrong.is_empty() && trial.tried.len() >= 7, "{wrong:#?}");
}
