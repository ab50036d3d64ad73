//! Booleans and texts in bins: rare texts are merged, the others stand in the order of their bad rates.

use super::binning::{Binning, Ground, Holds, Places};
use super::input::Values;
use super::optimum::{Count, Trend};
use super::sorted;

/// So many texts stand for themselves at most; the search takes time by the cube.
const MOST_WORDS: usize = 100;

/// A category.
struct Category {
    code: usize,
    count: Count,
}

/// A metric of booleans or texts in bins, and AUC of its known values in the order of their bad rates.
pub(super) fn bin_categories(ground: &Ground, values: &Values) -> (Binning, f64) {
    let size = match values {
        Values::Text { words, .. } => words.len(),
        _ => 2,
    };
    let mut counts = vec![Count::default(); size];
    for row in ground.rows {
        if let Some(count) = values.code(*row).and_then(|code| counts.get_mut(code as usize)) {
            count.add(ground.sample.is_bad(*row));
        }
    }
    match values {
        Values::Text { words, .. } => bin_text_values(ground, words, &counts),
        _ => bin_boolean_values(ground, &counts),
    }
}

fn sum_bin_counts(counts: impl Iterator<Item = Count>) -> Count {
    counts.fold(Count::default(), Count::and)
}

fn bin_boolean_values(ground: &Ground, counts: &[Count]) -> (Binning, f64) {
    let bin = |truth: bool| ground.neutral_if_small(Holds::Truth(truth), counts[usize::from(truth)]);
    let mut bins = vec![bin(false), bin(true)];
    bins.push(ground.unknown(sum_bin_counts(counts.iter().copied())));
    let trend = match (bins[0].woe, bins[1].woe) {
        (no, yes) if no < yes => Trend::Descending,
        (no, yes) if no > yes => Trend::Ascending,
        _ => Trend::None,
    };
    let iv = bins.iter().map(|bin| bin.iv).sum();
    (Binning { bins, trend, iv, places: Places::Codes(vec![0, 1]) }, sorted::auc_of_sorted_runs(counts.iter().copied()))
}

/// Texts with enough rows, from the worst; neighbours are merged where the limits ask for it. Then the others, and the
/// unknown.
fn bin_text_values(ground: &Ground, words: &[String], counts: &[Count]) -> (Binning, f64) {
    let whole = counts.iter().enumerate().map(|(code, count)| Category { code, count: *count });
    let (mut common, mut rare): (Vec<Category>, Vec<Category>) = whole.partition(|one| ground.limits.met_by(one.count));
    common.sort_by(|a, b| b.count.rows().cmp(&a.count.rows()).then_with(|| words[a.code].cmp(&words[b.code])));
    rare.extend(common.drain(MOST_WORDS.min(common.len())..));
    // By rate without rounding, then by the word: the order of codes must not matter.
    common.sort_by(|a, b| {
        let (left, right) = (
            u128::from(a.count.bads) * u128::from(b.count.rows()),
            u128::from(b.count.bads) * u128::from(a.count.rows()),
        );
        right.cmp(&left).then_with(|| words[a.code].cmp(&words[b.code]))
    });
    let prebins: Vec<Count> = common.iter().map(|one| one.count).collect();
    let merged = ground.merge(&prebins, Trend::Descending).map_or_else(Vec::new, |merged| merged.starts);
    let others = merged.len();
    let mut codes = vec![others; words.len()];
    let mut bins = Vec::new();
    for (place, start) in merged.iter().enumerate() {
        let end = merged.get(place + 1).copied().unwrap_or(common.len());
        let part = &common[*start..end];
        part.iter().for_each(|one| codes[one.code] = place);
        let mut held: Vec<String> = part.iter().map(|one| words[one.code].clone()).collect();
        held.sort();
        bins.push(ground.bin(Holds::Words(held), sum_bin_counts(part.iter().map(|one| one.count))));
    }
    bins.push(ground.neutral_if_small(Holds::Other, sum_bin_counts(rare.iter().map(|one| one.count))));
    bins.push(ground.unknown(sum_bin_counts(counts.iter().copied())));
    let iv = bins.iter().map(|bin| bin.iv).sum();
    let mut known: Vec<_> = bins[..bins.len() - 1].iter().map(|bin| (bin.woe, bin.count)).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let auc = sorted::auc_of_sorted_runs(known.iter().map(|(_, count)| *count));
    (Binning { bins, trend: Trend::None, iv, places: Places::Codes(codes) }, auc)
}
