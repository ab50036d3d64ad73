//! What a policy would have done on a portfolio (the champion), and what another would have done instead (the
//! challenger): rates, amounts, reasons, the swap set and its causes, and bad rates where outcomes are known. Must not
//! know how results are shown.

mod causes;
mod champion_delta;
pub(crate) mod count;
mod decisions;
mod effects;
mod judged;
mod loan_ages;
mod measured;
mod policy;
mod portfolio;
mod segments;
mod stability;
pub mod summary;
mod sweep_summary;

use std::sync::Arc;

use self::causes::Causes;
pub use self::count::{count_by_outcome as outcome_rows, count_by_reason as reason_rows, swap_cells};
pub use self::decisions::{DecidedRow, Decisions, OUTCOMES};
pub use self::effects::{CHANGES_MAX, CompileBlend, measure_change_effects};
pub use self::judged::Judged;
pub use self::measured::{StatisticsRequest, compare_contender, outcome_statistics};
use self::policy::CountedPolicy;
pub use self::portfolio::Portfolio;
pub(crate) use self::portfolio::key_of_name;
pub use self::segments::Segments;
pub use self::stability::{adverse_impact_of, list_distributions, stability_since_day};
pub use self::summary::Summary;
use self::summary::{FlipRow, InputRecord, SwapSet};
use crate::base::date::Day;
use crate::base::engine::describe_engine;
use crate::engine::decision::{CacheError, MetricsCache, Request};
use crate::portfolio::outcomes::KnownRows;
use crate::rules::Policy;

/// How many flips a summary lists; the file of all flips has the others.
const FLIPS_SHOWN: usize = 500;

/// Backtests a policy, beside the one in force if there is one. What is the same as in an earlier call is not computed
/// again.
///
/// # Errors
/// If a policy needs values that the portfolio does not have.
pub fn backtest_policy(
    portfolio: &mut Portfolio,
    policy: &Policy,
    champion: Option<&Policy>,
    request: &Request,
) -> Result<Summary, CacheError> {
    let before = champion.map(|champion| Judged::new(champion, &mut portfolio.cache, request)).transpose()?;
    let judged = Judged::new(policy, &mut portfolio.cache, request)?;
    let known = KnownRows::none(portfolio.customers.len());
    let question = Question { policy: &judged, champion: before.as_ref(), known: &known, segments: &[] };
    let kept = std::mem::take(&mut portfolio.summaries);
    let (summary, counted) = summarize_keeping(portfolio, &question, &kept);
    // The champion of this call is often that of the next.
    portfolio.summaries = counted;
    Ok(summary)
}

/// What a backtest compares, and by what it divides customers.
pub struct Question<'q> {
    /// The policy, or the challenger.
    pub policy: &'q Judged<'q>,
    /// The policy in force, if there is one.
    pub champion: Option<&'q Judged<'q>>,
    /// What is known of customers.
    pub known: &'q KnownRows,
    /// By what customers are divided.
    pub segments: &'q [Segments],
}

/// Answers the question.
pub fn summarize_backtest(portfolio: &Portfolio, question: &Question) -> Summary {
    summarize_keeping(portfolio, question, &[]).0
}

/// As [`summarize_backtest`], but what was counted of the same judgements is not counted again. Also returns what
/// was counted.
fn summarize_keeping(
    portfolio: &Portfolio,
    question: &Question,
    kept: &[CountedPolicy],
) -> (Summary, Vec<CountedPolicy>) {
    let cache = &portfolio.cache;
    let mut summary = Summary {
        engine: describe_engine().to_owned(),
        inputs: portfolio
            .inputs
            .iter()
            .map(|(name, digest)| InputRecord { name: name.clone(), digest: digest.clone() })
            .collect(),
        customers: cache.rows() as u64,
        days: first_and_last_day(cache.days()),
        ..Summary::default()
    };
    let currency = &question.policy.policy.header().currency;
    summary.currency = (currency.numeric().to_string(), currency.exponent());
    let (counted, swap_set) = rayon::join(
        || count_question_policies(cache, question, kept),
        || question.champion.map(|champion| swap_set(portfolio, champion, question)),
    );
    summary.swap_set = swap_set;
    let judged = question.champion.into_iter().chain([question.policy]);
    let decisions: Vec<_> = judged.map(|judged| &judged.decisions).collect();
    summary.policies = counted.iter().map(|counted| counted.summary.clone()).collect();
    summary.segments = question.segments.iter().map(|by| by.summary(&decisions, question.known)).collect();
    (summary, counted)
}

/// Counts the policies of a question, unless they were counted before: the champion, if there is one, and the policy.
fn count_question_policies(cache: &MetricsCache, question: &Question, kept: &[CountedPolicy]) -> Vec<CountedPolicy> {
    let known = question.known;
    let find = |judged: &Judged, role: &str| {
        let mut found = kept.iter().find(|kept| Arc::ptr_eq(&kept.judgement, &judged.judgement))?.clone();
        found.summary.role = role.to_owned();
        Some(found)
    };
    let Some(champion) = question.champion else {
        let count = || policy::count_policy_decisions("policy", question.policy, cache, known);
        return vec![find(question.policy, "policy").unwrap_or_else(count)];
    };
    // A challenger of before that is the champion now has no amounts to count others from.
    let before = find(champion, "champion").filter(|before| before.amounts.is_some());
    let before = before.unwrap_or_else(|| policy::count_policy_decisions("champion", champion, cache, known));
    let count = || champion_delta::count_from_champion((champion, &before), question.policy, cache, known);
    let challenger = find(question.policy, "challenger").unwrap_or_else(count);
    vec![before, challenger]
}

fn swap_set(portfolio: &Portfolio, champion: &Judged, question: &Question) -> SwapSet {
    let (before, after) = (&champion.decisions, &question.policy.decisions);
    let causes = Causes::new(&portfolio.cache, champion.side(), question.policy.side());
    let (raised, lowered, changed) = count::count_offer_changes(before, after);
    let moved = decisions::rows_with_new_outcome(before, after);
    let concentration = question.segments.iter().flat_map(|by| by.concentration(&moved)).collect();
    let flip = |row: usize| flip_row_of_customer(portfolio, champion, question, &causes, row);
    let flips = changed.ones(0..changed.len()).take(FLIPS_SHOWN).map(flip).collect();
    SwapSet {
        cells: count::swap_cells(before, after, question.known),
        raised,
        lowered,
        causes: causes::count_change_causes(&causes, before, after, &changed),
        effects: None,
        concentration,
        changed: changed.count(0..changed.len()) as u64,
        flips,
    }
}

/// Every customer with another outcome or another greatest offer, in order.
pub fn list_flipped_customers<'f>(
    portfolio: &'f Portfolio,
    champion: &'f Judged,
    question: &'f Question,
) -> impl Iterator<Item = FlipRow> + 'f {
    let causes = Causes::new(&portfolio.cache, champion.side(), question.policy.side());
    let (_, _, changed) = count::count_offer_changes(&champion.decisions, &question.policy.decisions);
    let rows: Vec<usize> = changed.ones(0..changed.len()).collect();
    rows.into_iter().map(move |row| flip_row_of_customer(portfolio, champion, question, &causes, row))
}

fn flip_row_of_customer(
    portfolio: &Portfolio,
    champion: &Judged,
    question: &Question,
    causes: &Causes,
    row: usize,
) -> FlipRow {
    let (before, after) = (&champion.decisions, &question.policy.decisions);
    let (was, is) = (before.outcome(row), after.outcome(row));
    FlipRow {
        customer: portfolio.customers[row].clone(),
        champion: was.word().to_owned(),
        challenger: is.word().to_owned(),
        champion_amount: before.amount(row),
        challenger_amount: after.amount(row),
        champion_reasons: before.reasons_of(row),
        challenger_reasons: after.reasons_of(row),
        causes: causes.of_row(row, was != is),
        bad: question.known.bad(row),
    }
}

fn first_and_last_day(days: &[Option<Day>]) -> Option<(String, String)> {
    let known = || days.iter().flatten();
    Some((known().min()?.to_string(), known().max()?.to_string()))
}

#[cfg(test)]
mod tests;
