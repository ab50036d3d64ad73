//! What each change of a policy does alone, what is lost if it is left out, and what only several do together. Each
//! mixture of the two policies is judged by the engine.

use super::count::sum_offer_amounts;
use super::decisions::Decisions;
use super::judged::Judged;
use super::summary::{ChangeEffect, ChangeEffects, OfferEffect};
use crate::engine::decision::{CacheError, MetricsCache, Request};
use crate::engine::metrics::Bits;
use crate::rules::Policy;

/// The most changes that are tried one by one.
pub const CHANGES_MAX: usize = 60;

/// Compiles the policy in force with some of the changes.
pub type CompileBlend<'c> = dyn Fn(&[bool]) -> Result<Policy, String> + 'c;

/// The effects of changes, by their names. `None` if the changes together do not make the challenger, so that they do
/// not tell all.
///
/// # Errors
/// If the engine fails.
pub fn measure_change_effects(
    cache: &mut MetricsCache,
    champion: &Decisions,
    challenger: &Decisions,
    changes: &[String],
    compile: &CompileBlend,
    request: &Request,
) -> Result<Option<ChangeEffects>, CacheError> {
    let mut judge = |chosen: &[bool]| -> Result<Option<Decisions>, CacheError> {
        // A change may need another to compile, or values that only records give.
        let Ok(policy) = compile(chosen) else { return Ok(None) };
        match Judged::new(&policy, cache, request) {
            Ok(judged) => Ok(Some(judged.decisions)),
            Err(CacheError::NeedsRecords(_) | CacheError::NotGiven(_)) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let all = vec![true; changes.len()];
    let is_same = |one: &Decisions, other: &Decisions| one.outcomes == other.outcomes && one.amounts == other.amounts;
    let (Some(whole), Some(none)) = (judge(&all)?, judge(&vec![false; changes.len()])?) else { return Ok(None) };
    if !is_same(&whole, challenger) || !is_same(&none, champion) {
        return Ok(None);
    }
    let (before, after) = (&champion.outcomes[0], &challenger.outcomes[0]);
    let (gained, lost) = (after.without(before), before.without(after));
    let (mut alone_gained, mut alone_lost) = (Bits::all(before.len(), false), Bits::all(before.len(), false));
    let mut rows = Vec::new();
    for (at, name) in changes.iter().enumerate() {
        let only: Vec<bool> = (0..changes.len()).map(|other| other == at).collect();
        let others: Vec<bool> = only.iter().map(|chosen| !chosen).collect();
        let alone = judge(&only)?;
        if let Some(alone) = &alone {
            alone_gained = alone_gained.or(&alone.outcomes[0].without(before));
            alone_lost = alone_lost.or(&before.without(&alone.outcomes[0]));
        }
        let left_out = if changes.len() > 1 { judge(&others)? } else { Some(none.clone()) };
        rows.push(ChangeEffect {
            change: name.clone(),
            alone: alone.map(|alone| effect(champion, &alone)),
            left_out: left_out.map(|left_out| effect(&left_out, challenger)),
        });
    }
    let count = |rows: &Bits| rows.count(0..rows.len()) as u64;
    Ok(Some(ChangeEffects {
        together_gained: count(&gained.without(&alone_gained)),
        together_lost: count(&lost.without(&alone_lost)),
        whole: effect(champion, challenger),
        changes: rows,
    }))
}

fn effect(before: &Decisions, after: &Decisions) -> OfferEffect {
    let (old, new) = (&before.outcomes[0], &after.outcomes[0]);
    let count = |rows: &Bits| rows.count(0..rows.len()) as u64;
    OfferEffect {
        gained: count(&new.without(old)),
        lost: count(&old.without(new)),
        amount: sum_offer_amounts(new, after) - sum_offer_amounts(old, before),
    }
}
