//! Booleans and texts in bins: rare texts are one, and all stand in the order of their smoothed bad rates.

use super::binning::{Binning, Ground, Holds, Places};
use super::input::Values;
use super::optimum::{Count, Trend};
use super::sorted;

/// So many texts stand for themselves at most; the search takes time by the cube.
const MOST_WORDS: usize = 100;

/// So many rare texts are listed at most; more would make a cell that cannot be read.
const MOST_RARE_WORDS: usize = 200;

/// A text, or all rare ones.
struct Category {
    codes: Vec<usize>,
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
    let bin = |truth: bool| ground.bin_of_any_size(Holds::Truth(truth), counts[usize::from(truth)]);
    let mut bins = vec![bin(false), bin(true)];
    bins.push(ground.unknown(sum_bin_counts(counts.iter().copied())));
    let trend = match (bins[0].woe, bins[1].woe) {
        (no, yes) if no < yes => Trend::Descending,
        (no, yes) if no > yes => Trend::Ascending,
        _ => Trend::None,
    };
    let iv = bins.iter().map(|bin| bin.iv).sum();
    (
        Binning { bins, trend, iv, pure_bads: 0, sorted_texts: 0, places: Places::Codes(vec![0, 1]) },
        sorted::auc_of_sorted_runs(counts.iter().copied()),
    )
}

/// The texts that stand for themselves, and one category of all rare ones.
fn part_rare_texts(ground: &Ground, words: &[String], counts: &[Count]) -> (Vec<Category>, Category) {
    let mut seen: Vec<usize> = (0..counts.len()).filter(|code| counts[*code].rows() > 0).collect();
    seen.sort_by(|a, b| counts[*b].rows().cmp(&counts[*a].rows()).then_with(|| words[*a].cmp(&words[*b])));
    let least = ground.settings.least_text_rows;
    let common = seen.iter().take(MOST_WORDS).filter(|code| counts[**code].rows() >= least).count();
    let rare = seen.split_off(common);
    let count = sum_bin_counts(rare.iter().map(|code| counts[*code]));
    let one = |code: usize| Category { codes: vec![code], count: counts[code] };
    (seen.into_iter().map(one).collect(), Category { codes: rare, count })
}

/// The bad rate with some rows of the average kind added: the m-estimate of Cestnik (1990).
fn smooth_bad_rate(ground: &Ground, count: Count) -> f64 {
    let smoothing = ground.settings.smoothing;
    (count.bads as f64 + smoothing * ground.all.rate()) / (count.rows() as f64 + smoothing).max(f64::MIN_POSITIVE)
}

/// Texts from the worst smoothed rate to the best, neighbours merged to the least size and to the best information.
/// Then values never seen, which are neutral, and the unknown.
fn bin_text_values(ground: &Ground, words: &[String], counts: &[Count]) -> (Binning, f64) {
    let (mut parts, rare) = part_rare_texts(ground, words, counts);
    let mut unseen = Count::default();
    match rare.codes.len() {
        0 => {}
        1..=MOST_RARE_WORDS => parts.push(rare),
        _ => unseen = rare.count,
    }
    // By rate, then by the word: the order of codes must not matter.
    let first = |part: &Category| part.codes.iter().map(|code| &words[*code]).min();
    parts.sort_by(|a, b| {
        let (left, right) = (smooth_bad_rate(ground, a.count), smooth_bad_rate(ground, b.count));
        right.total_cmp(&left).then_with(|| first(a).cmp(&first(b)))
    });
    let prebins: Vec<Count> = parts.iter().map(|one| one.count).collect();
    let merged = ground.merge_texts(&prebins).map_or_else(Vec::new, |merged| merged.starts);
    let others = merged.len();
    if others == 0 {
        unseen = unseen.and(sum_bin_counts(prebins.iter().copied()));
    }
    let mut codes = vec![others; words.len()];
    let mut bins = Vec::new();
    for (place, start) in merged.iter().enumerate() {
        let end = merged.get(place + 1).copied().unwrap_or(parts.len());
        let held: Vec<usize> = parts[*start..end].iter().flat_map(|part| &part.codes).copied().collect();
        held.iter().for_each(|code| codes[*code] = place);
        let mut held: Vec<String> = held.iter().map(|code| words[*code].clone()).collect();
        held.sort();
        bins.push(ground.bin(Holds::Words(held), sum_bin_counts(parts[*start..end].iter().map(|part| part.count))));
    }
    bins.push(ground.bin_of_any_size(Holds::Other, unseen));
    bins.push(ground.unknown(sum_bin_counts(counts.iter().copied())));
    let iv = bins.iter().map(|bin| bin.iv).sum();
    let mut known: Vec<_> = bins[..bins.len() - 1].iter().map(|bin| (bin.woe, bin.count)).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let auc = sorted::auc_of_sorted_runs(known.iter().map(|(_, count)| *count));
    let pure_bads = counts.iter().filter(|count| count.goods == 0).map(|count| count.bads).max().unwrap_or(0);
    (Binning { bins, trend: Trend::None, iv, pure_bads, sorted_texts: parts.len(), places: Places::Codes(codes) }, auc)
}
