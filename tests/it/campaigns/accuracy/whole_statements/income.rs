//! The income that the rules count, compared with the true one, by its size and by what people live on; and who gets an
//! offer of those that could bear a loan.

use std::collections::HashMap;

use lendwright::decision::{Outcome, Request, decide};
use lendwright::generate::Profile;
use lendwright::metrics;
use lendwright::rules::Value;

use super::{END, People, Person, percent, policy};

/// The errors of some people's income, as shares of it.
#[derive(Default)]
struct Errors(Vec<f64>);

impl Errors {
    fn quantile(&self, share: f64) -> String {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let at = ((sorted.len() - 1) as f64 * share).round() as usize;
        // No `-0.0%`.
        format!("{:+.1}%", (1000.0 * sorted[at]).round() / 10.0 + 0.0)
    }

    fn row(&self, name: &str) -> String {
        let within = self.0.iter().filter(|error| error.abs() <= 0.10).count();
        let [low, middle, high] = [0.1, 0.5, 0.9].map(|share| self.quantile(share));
        format!("| {name} | {} | {middle} | {low} to {high} | {} |\n", self.0.len(), percent(within, self.0.len()))
    }
}

const HEAD: &str = "people | median error | 8 of 10 lie in | within 10% |\n|---|---|---|---|---|\n";

/// The error of each person's income over the whole statement, in the order of the people.
fn errors(people: &People) -> Vec<(&Person, f64)> {
    let policy = policy("starter");
    let end = Some(END.parse().expect("a day"));
    let found = metrics::values(&policy, &people.statements(&policy, ""), end).expect("metrics");
    let counted: HashMap<&str, i64> = found
        .iter()
        .map(|one| match &one.values["income_total"] {
            Ok(Value::Int(kobo)) => (one.customer.as_deref().expect("a customer"), *kobo),
            other => panic!("income is money: {other:?}"),
        })
        .collect();
    let error = |person: &Person| {
        let (counted, truth) = (counted[person.customer.as_str()], person.income());
        (counted - truth) as f64 / truth.max(1) as f64
    };
    people.people.iter().map(|person| (person, error(person))).collect()
}

pub(super) fn tables(people: &People) -> String {
    let mut errors = errors(people);
    let mut by_profile = format!("| lives on | {HEAD}");
    for profile in Profile::ALL {
        let own: Vec<f64> =
            errors.iter().filter(|(person, _)| person.profile == profile).map(|(_, error)| *error).collect();
        if !own.is_empty() {
            by_profile += &Errors(own).row(&profile.name().replace('_', " "));
        }
    }
    errors.sort_by_key(|(person, _)| person.income());
    let mut by_decile = format!("| a year's income | {HEAD}");
    for decile in errors.chunks(errors.len().div_ceil(10)) {
        let of = |at: Option<&(&Person, f64)>| at.map_or(0, |(person, _)| person.income() / 100);
        let [low, high] = [of(decile.first()), of(decile.last())].map(|naira| naira as f64 / 1e6);
        let all = Errors(decile.iter().map(|(_, error)| *error).collect());
        by_decile += &all.row(&format!("NGN {low:.2} to {high:.2} million"));
    }
    let all = Errors(errors.iter().map(|(_, error)| *error).collect());
    by_decile += &all.row("everybody");
    [by_decile, by_profile, offers(people)].join("\n")
}

/// Who gets an offer by `starter`, of the people with an income that bears a loan.
fn offers(people: &People) -> String {
    let policy = policy("starter");
    let request = Request::on(END.parse().expect("a day"));
    let decisions = decide(&policy, &people.statements(&policy, ""), &request).expect("decisions");
    let outcome: HashMap<&str, Outcome> =
        decisions.iter().map(|one| (one.customer.as_deref().expect("a customer"), one.outcome)).collect();
    let mut table =
        String::from("| able people who live on | people | offer | refer | decline |\n|---|---|---|---|---|\n");
    for profile in Profile::ALL {
        let able: Vec<Outcome> = people
            .people
            .iter()
            .filter(|person| person.profile == profile && is_able(person))
            .map(|person| outcome[person.customer.as_str()])
            .collect();
        if able.is_empty() {
            continue;
        }
        let of = |wanted| percent(able.iter().filter(|outcome| **outcome == wanted).count(), able.len());
        let [offer, refer, decline] = [of(Outcome::Offer), of(Outcome::Refer), of(Outcome::Decline)];
        let name = profile.name().replace('_', " ");
        table += &format!("| {name} | {} | {offer} | {refer} | {decline} |\n", able.len());
    }
    table
}

/// As docs/explanation/policies.md defines it for `starter`, over the whole year.
fn is_able(person: &Person) -> bool {
    let sum = |wanted: &dyn Fn(&super::Truth) -> i64| person.truth.values().map(wanted).sum::<i64>() as f64;
    let sources = ["salary", "bonus", "gig", "pension", "business", "dividend", "rent"];
    let income = sum(&|truth| if sources.contains(&truth.label.as_str()) { truth.credit } else { 0 }) / 12.0;
    let won = sum(&|truth| if truth.label == "betting_win" { truth.credit } else { 0 });
    let repaid = sum(&|truth| if truth.label == "loan_repayment" { truth.debit } else { 0 }) / 12.0;
    income >= 7_000_000.0 && won <= 0.10 * sum(&|truth| truth.credit) && repaid <= 0.33 * income
}
