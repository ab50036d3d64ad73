//! Finds items of the score without a bin for an unknown that a statement may well bring: the whole score is unknown
//! then.

use crate::authoring::analysis::dictionary::unknown_reasons::Reasons;
use crate::authoring::analysis::names::NodeNames;
use crate::base::diagnostic::Diagnostic;
use crate::engine::metrics::Reason;
use crate::rules::Policy;
use crate::rules::axis::Axis;
use crate::rules::program::ScoreItem;

pub(in crate::authoring::analysis) fn find_bins_without_unknown(
    policy: &Policy,
    names: &NodeNames,
    found: &mut Vec<Diagnostic>,
) {
    let items: Vec<&ScoreItem> =
        policy.program.score_items.iter().filter(|item| !takes_unknown(policy, item)).collect();
    if items.is_empty() {
        return;
    }
    let reasons = Reasons::new(&policy.program);
    // A statement without records or narrations shows nothing else either.
    let is_likely = |reason: &Reason| !matches!(reason, Reason::NoRecords | Reason::NeedsNarration | Reason::NeedsAsOf);
    for item in items {
        let Some(reason) = reasons.at(item.on).iter().copied().find(is_likely) else { continue };
        let name = names.name(item.on).unwrap_or(&item.text);
        let code = reason.code(&policy.program);
        let message = format!("the whole score is unknown where `{name}` is ({code}): no bin takes an unknown");
        let help = "add a bin such as [\"unknown\", 0], unless the score should then be unknown";
        found.push(Diagnostic::note("unknown-bin", item.span, message).label("no bin for unknown").help(help));
    }
}

/// Whether a bin takes an unknown: one that says so, or a first one that takes everything.
fn takes_unknown(policy: &Policy, item: &ScoreItem) -> bool {
    let ty = policy.type_of(item.on);
    let axis = Axis::new(ty, item.bins.iter().map(|bin| (bin.text.as_str(), &bin.test)));
    axis.expects_unknown || item.bins.first().is_some_and(|bin| bin.text.trim() == "-")
}
