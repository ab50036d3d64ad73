//! How outcomes change from week to week, and with the months that a statement shows.

use lendwright::Policy;
use lendwright::base::date::Day;
use lendwright::decision::{Outcome, Request, decide};
use lendwright::statement::Statements;

use super::{END, People, percent, policy};

const POLICIES: [&str; 3] = ["starter", "salary-advance", "small-business"];
const WEEKS: i32 = 13;

fn outcomes(policy: &Policy, statements: &Statements, day: Day) -> Vec<Outcome> {
    let decisions = decide(policy, statements, &Request::on(day)).expect("decisions");
    decisions.iter().map(|decision| decision.outcome).collect()
}

/// Of the outcomes a week apart, how many differ; and of those, how many are back a week later.
pub(super) fn weeks(people: &People) -> String {
    let end: Day = END.parse().expect("a day");
    let mut table = format!(
        "| policy | outcomes a week apart | differ | differ in whether there is an offer | back a week later |\n{}\n",
        "|---".repeat(5) + "|"
    );
    for name in POLICIES {
        let policy = policy(name);
        let statements = people.statements(&policy, "");
        let by_week: Vec<Vec<Outcome>> = (0..WEEKS)
            .map(|week| outcomes(&policy, &statements, Day::from_days(end.days() - 7 * (WEEKS - 1 - week))))
            .collect();
        let (mut pairs, mut differ, mut offers, mut back) = (0, 0, 0, 0);
        for (week, (before, after)) in by_week.iter().zip(&by_week[1..]).enumerate() {
            for (person, (before, after)) in before.iter().zip(after).enumerate() {
                pairs += 1;
                if before == after {
                    continue;
                }
                differ += 1;
                offers += usize::from((*before == Outcome::Offer) != (*after == Outcome::Offer));
                back += usize::from(by_week.get(week + 2).is_some_and(|later| later[person] == *before));
            }
        }
        let share = |part: usize| format!("{:.1}%", 100.0 * part as f64 / pairs as f64);
        table += &format!("| {name} | {pairs} | {} | {} | {} |\n", share(differ), share(offers), percent(back, differ));
    }
    table
}

/// What statements of three, six and nine months change, compared with twelve.
pub(super) fn months(people: &People) -> String {
    let end: Day = END.parse().expect("a day");
    let mut table =
        format!("| policy | months | offer | refer | decline | as with twelve |\n{}\n", "|---".repeat(6) + "|");
    for name in POLICIES {
        let policy = policy(name);
        let whole = outcomes(&policy, &people.statements(&policy, ""), end);
        for (months, since) in [(3, "2026-08-01"), (6, "2026-05-01"), (9, "2026-02-01"), (12, "")] {
            let found = outcomes(&policy, &people.statements(&policy, since), end);
            let of = |wanted| percent(found.iter().filter(|outcome| **outcome == wanted).count(), found.len());
            let same = found.iter().zip(&whole).filter(|(one, other)| one == other).count();
            let [offer, refer, decline] = [of(Outcome::Offer), of(Outcome::Refer), of(Outcome::Decline)];
            let same = percent(same, found.len());
            table += &format!("| {name} | {months} | {offer} | {refer} | {decline} | {same} |\n");
        }
    }
    table + "\n" + &incomes(people)
}

/// How far a month's income of a shorter statement lies from that of the whole year.
fn incomes(people: &People) -> String {
    let policy = policy("starter");
    let request = Request::on(END.parse().expect("a day"));
    let monthly = |since: &str| -> Vec<f64> {
        let decisions = decide(&policy, &people.statements(&policy, since), &request).expect("decisions");
        decisions.iter().map(|one| one.metrics["income_month_median"].as_f64().unwrap_or(0.0)).collect()
    };
    let truth: Vec<f64> = {
        let mut people: Vec<_> = people.people.iter().collect();
        people.sort_by(|one, other| one.customer.cmp(&other.customer));
        people.iter().map(|person| median_month(person)).collect()
    };
    let mut table = String::from("| months | half of people's median month lies within |\n|---|---|\n");
    for (months, since) in [(3, "2026-08-01"), (6, "2026-05-01"), (12, "")] {
        let mut errors: Vec<f64> =
            monthly(since).iter().zip(&truth).map(|(found, truth)| (found - truth).abs() / truth.max(1.0)).collect();
        errors.sort_by(f64::total_cmp);
        table += &format!("| {months} | {:.0}% of the year's |\n", 100.0 * errors[errors.len() / 2]);
    }
    table
}

/// The true income of the median month of the year.
fn median_month(person: &super::Person) -> f64 {
    let mut months = std::collections::BTreeMap::<&str, i64>::new();
    for truth in person.truth.values().filter(|truth| truth.is_income()) {
        *months.entry(&truth.day[..7]).or_default() += truth.credit;
    }
    let mut sums: Vec<f64> = months.values().map(|kobo| *kobo as f64).collect();
    sums.resize(12, 0.0);
    sums.sort_by(f64::total_cmp);
    (sums[5] + sums[6]) / 2.0
}
