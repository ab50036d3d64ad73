//! Bins that an analyst chose, special values, and points that must go one way.

use super::binning::{Bin, Binning, Ground, Numbers, bin_by_rank, count_runs_by_cut, of_cuts};
use super::choices::Sign;
use super::counting::Count;
use super::optimum::{Trend, weight_of_evidence};
use super::settings::BinShape;
use super::sorted::Run;

/// Special values with their rows.
pub(super) type SpecialCounts = Vec<(f64, Count)>;

/// The rows of special values, and the others.
pub(super) fn split_off_special_values(runs: Vec<Run>, special: &[f64]) -> (SpecialCounts, Vec<Run>) {
    if special.is_empty() {
        return (Vec::new(), runs);
    }
    let mut counts: SpecialCounts = special.iter().map(|value| (*value, Count::default())).collect();
    let mut others = Vec::with_capacity(runs.len());
    for run in runs {
        match counts.iter_mut().find(|(value, _)| *value == run.value) {
            Some((_, count)) => *count = count.and(run.count),
            None => others.push(run),
        }
    }
    (counts, others)
}

/// Bins at cuts that were chosen, whatever their size.
pub(super) fn bin_at_chosen_cuts(ground: &Ground, numbers: &Numbers, cuts: &[f64]) -> Binning {
    if ground.settings.shape == BinShape::Even {
        return bin_by_rank(ground, numbers, cuts.to_vec());
    }
    let counts = count_runs_by_cut(&numbers.runs, cuts);
    let trend = trend_of_counts(&counts);
    let mut found = of_cuts(ground, cuts.to_vec(), &counts, trend, &numbers.special);
    hold_to_sign(ground, &mut found, counts.len(), numbers.choice.sign);
    count_free_parts(&mut found, counts.len());
    found
}

/// How bad rates go along bins, those without rows left out.
pub(super) fn trend_of_counts(counts: &[Count]) -> Trend {
    let counts: Vec<Count> = counts.iter().copied().filter(|count| count.rows() > 0).collect();
    let steps: Vec<_> = counts.windows(2).map(|pair| pair[0].compare_rates(pair[1])).collect();
    let (rises, falls) = (steps.iter().any(|step| step.is_lt()), steps.iter().any(|step| step.is_gt()));
    match (rises, falls) {
        (true, false) => Trend::Ascending,
        (false, true) => Trend::Descending,
        _ => Trend::None,
    }
}

/// Makes the first bins of a binning follow a sign, if one was chosen.
pub(super) fn hold_to_sign(ground: &Ground, binning: &mut Binning, ordered: usize, sign: Option<Sign>) {
    if let Some(more_is_better) = sign.and_then(Sign::more_is_better) {
        pool_against_sign(ground, &mut binning.bins[..ordered], more_is_better);
        binning.trend = if more_is_better { Trend::Descending } else { Trend::Ascending };
    }
}

/// Where chosen bins have no direction of their own, what they tell may be chance, as of texts that are sorted by their
/// rates.
pub(super) fn count_free_parts(binning: &mut Binning, ordered: usize) {
    binning.parts = binning.bins[..ordered].iter().filter(|bin| bin.count.rows() > 0).count();
    binning.goes_anywhere = binning.trend == Trend::None;
}

/// Neighbours that go against a sign count as one: the pooling of adjacent violators (Ayer, Brunk, Ewing, Reid and
/// Silverman 1955). Each bin keeps its own weight of evidence; a bin without rows counts as its neighbour.
fn pool_against_sign(ground: &Ground, bins: &mut [Bin], more_is_better: bool) {
    let evidence = |count: Count| weight_of_evidence(count, ground.all, ground.settings.smoothing);
    let mut blocks: Vec<(Count, usize)> = Vec::new();
    for (at, bin) in bins.iter().enumerate() {
        blocks.push((bin.count, at + 1));
        while let [.., before, last] = blocks.as_slice() {
            // Evidence and not rates: smoothing may turn two of them round.
            let (left, right) = (evidence(before.0), evidence(last.0));
            let is_against = if more_is_better { left > right } else { left < right };
            if !is_against && before.0.rows() > 0 && last.0.rows() > 0 {
                break;
            }
            let joined = (before.0.and(last.0), last.1);
            blocks.truncate(blocks.len() - 2);
            blocks.push(joined);
        }
    }
    let mut begin = 0;
    for (count, end) in blocks {
        let value = evidence(count);
        let is_alone = bins[begin..end].iter().filter(|bin| bin.count.rows() > 0).count() <= 1;
        for bin in &mut bins[begin..end] {
            bin.value = if is_alone && bin.count.rows() > 0 { bin.woe } else { value };
        }
        begin = end;
    }
}
