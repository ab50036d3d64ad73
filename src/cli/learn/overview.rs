//! What `learn` found, as text for a terminal.

use crate::base::text::escape_terminal;
use crate::portfolio::learned_from::LearnedFrom;
use crate::portfolio::learning::{BesidePresent, LaterTest, Proposal, Screened, ScreeningResult};
use crate::portfolio::model_evidence::{SignHolds, StabilityByPeriod, measure_periods};
use crate::report::aligned::format_aligned_table;

/// What was found, for a terminal.
pub(super) fn overview_of_proposal(proposal: &Proposal, from: &LearnedFrom) -> String {
    let rows_are = if from.loans.is_empty() { "customers" } else { "loans" };
    let mut text = format!(
        "{} {rows_are} with an outcome, {} of them bad; {} looked at, {}\n",
        proposal.rows,
        proposal.bads,
        count_words(proposal.screened.len(), "metric"),
        count_words(proposal.items.len(), "item")
    );
    if proposal.customers < proposal.rows {
        text += &format!("the rows are loans of {} customers, and folds never part a customer's\n", proposal.customers);
    }
    if proposal.is_weighted {
        text += &format!("rows count by their weights: {:.1}% bad\n", proposal.bad_rate * 100.0);
    }
    for (metric, choice) in &proposal.settings.chosen {
        text += &format!("chosen for {}: {}\n", escape_terminal(metric), escape_terminal(&choice.words()));
    }
    if let Some(found) = &proposal.validation {
        let auc = &found.auc;
        text += &format!(
            "AUC of {rows_are} not seen: {:.3} (95%: {:.3} to {:.3}), Gini {:.3}, KS {:.3}; mean of folds {:.3}\n",
            auc.auc, auc.low, auc.high, found.gini, found.ks, found.fold_mean
        );
    }
    text += &proposal
        .validation
        .iter()
        .filter_map(|found| found.beside_present)
        .map(|both| beside_present(both, rows_are))
        .collect::<String>();
    text += &proposal.later.iter().map(|later| later_test(later, rows_are)).collect::<String>();
    text += &measure_periods(proposal, from).iter().map(over_time).collect::<String>();
    let items: Vec<Vec<String>> = proposal
        .items
        .iter()
        .map(|item| {
            let error = item.certainty.map_or("-".to_owned(), |sure| format!("{:.3}", sure.standard_error));
            let name = item.name.clone();
            vec![name, format!("{:.3}", item.iv), format!("{:.3}", item.weight), error, item.needs.words().to_owned()]
        })
        .collect();
    text += &format!("\n{}", format_aligned_table(&["item", ">IV", ">weight", ">error", "looks at"], &items));
    text + &not_used(&proposal.screened, from)
}

fn count_words(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// The metrics that are not items, and why.
fn not_used(screened: &[Screened], from: &LearnedFrom) -> String {
    let others = screened.iter().filter(|one| one.verdict != ScreeningResult::Kept);
    let refused: Vec<(String, String)> =
        others.map(|one| (one.name.clone(), format!("{}; {}", one.verdict.words(), one.why))).collect();
    list_refused(&refused, from)
}

pub(super) fn list_refused(refused: &[(String, String)], from: &LearnedFrom) -> String {
    let left_out = from.left_out.iter().map(|(name, why)| vec![name.clone(), format!("left out; {why}")]);
    let out: Vec<Vec<String>> =
        refused.iter().map(|(name, why)| vec![name.clone(), why.clone()]).chain(left_out).collect();
    if out.is_empty() { String::new() } else { format!("\n{}", format_aligned_table(&["not used", "why"], &out)) }
}

fn beside_present(both: BesidePresent, rows_are: &str) -> String {
    let (difference, low, high) = (both.difference, both.low, both.high);
    format!(
        "the present score on {} of the same {rows_are}: AUC {:.3}; the proposal {:.3}, {difference:+.3} \
         (95%: {low:+.3} to {high:+.3})\n",
        both.rows, both.present, both.proposal
    )
}

/// How far items moved, and which weights keep their signs.
fn over_time(found: &StabilityByPeriod) -> String {
    let largest = found.items.iter().filter_map(|item| Some((item, item.largest_psi(&found.periods)?)));
    let largest = largest.max_by(|a, b| a.1.1.total_cmp(&b.1.1));
    let moved = largest.map_or_else(String::new, |(item, (at, psi))| {
        format!("largest PSI {psi:.3} ({}, {}); ", item.metric, found.periods[at].name)
    });
    let names = |wanted: SignHolds| -> Vec<&str> {
        found.items.iter().filter(|item| item.sign_holds == wanted).map(|item| item.metric.as_str()).collect()
    };
    let held = names(SignHolds::Yes).len();
    let mut signs = format!("signs of {held} of {} hold in every part", count_words(found.items.len(), "item"));
    for wanted in [SignHolds::PerhapsNot, SignHolds::No, SignHolds::NotKnown] {
        let names = names(wanted);
        if !names.is_empty() {
            signs += &format!("; {}: {}", wanted.words(), names.join(", "));
        }
    }
    format!("by {}, {} of them: {moved}{signs}\n", found.length.word(), found.periods.len())
}

fn later_test(later: &LaterTest, rows_are: &str) -> String {
    let auc = later.auc.map_or_else(
        || "AUC is not known, because there is one outcome only".to_owned(),
        |auc| format!("AUC {:.3} (95%: {:.3} to {:.3})", auc.auc, auc.low, auc.high),
    );
    let said = later.said_bad_rate * 100.0;
    let both = later.beside_present.map(|both| beside_present(both, rows_are)).unwrap_or_default();
    let (rows, bads) = (later.rows, later.bads);
    format!(
        "later loans: {rows} {rows_are}, {bads} of them bad ({:.1}%), {said:.1}% expected; {auc}\n{both}",
        later.bad_rate * 100.0
    )
}
