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
pub(super) fn bin_categories(ground: &Ground, name: &str, values: &Values) -> (Binning, f64) {
    let size = match values {
        Values::Text { words, .. } => words.len(),
        _ => 2,
    };
    let mut counts = vec![Count::default(); size];
    for row in ground.rows {
        if let Some(count) = values.code(*row).and_then(|code| counts.get_mut(code as usize)) {
            count.add(ground.table.sample.is_bad(*row));
        }
    }
    match values {
        Values::Text { words, .. } => match ground.settings.orders.get(name) {
            Some(order) => bin_ordered_texts(ground, words, &counts, order),
            None => bin_text_values(ground, words, &counts),
        },
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
    let starts = ground.merge_texts(&prebins).map_or_else(Vec::new, |merged| merged.starts);
    let mut binning = bins_of_parts(ground, words, counts, &parts, &starts, unseen);
    binning.sorted_texts = parts.len();
    let mut known: Vec<_> = binning.bins[..binning.bins.len() - 1].iter().map(|bin| (bin.woe, bin.count)).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    let auc = sorted::auc_of_sorted_runs(known.iter().map(|(_, count)| *count));
    (binning, auc)
}

/// Texts in a declared order, neighbours merged like numbers. The first text counts as the least.
fn bin_ordered_texts(ground: &Ground, words: &[String], counts: &[Count], order: &[String]) -> (Binning, f64) {
    let codes = order.iter().filter_map(|text| words.iter().position(|word| word == text));
    let one = |code: usize| Category { codes: vec![code], count: counts[code] };
    let parts: Vec<Category> = codes.map(one).filter(|part| part.count.rows() > 0).collect();
    let prebins: Vec<Count> = parts.iter().map(|part| part.count).collect();
    let ways = [Trend::Ascending, Trend::Descending].map(|trend| (trend, ground.merge(&prebins, trend)));
    let best = ways.into_iter().filter_map(|(trend, found)| Some((trend, found?)));
    let best = best.reduce(|a, b| if b.1.iv > a.1.iv + 1e-12 { b } else { a });
    let (trend, starts) = match best {
        Some((trend, merged)) if merged.starts.len() > 1 => (trend, merged.starts),
        _ => (Trend::None, Vec::from([0]).into_iter().filter(|_| !parts.is_empty()).collect()),
    };
    let named = sum_bin_counts(prebins.iter().copied());
    let all = sum_bin_counts(counts.iter().copied());
    let unseen = Count { bads: all.bads - named.bads, goods: all.goods - named.goods };
    let mut binning = bins_of_parts(ground, words, counts, &parts, &starts, unseen);
    binning.trend = trend;
    (binning, sorted::auc_of_sorted_runs(prebins.iter().copied()))
}

/// The bins of parts that begin at some places, then values never seen, which are neutral, and the unknown.
fn bins_of_parts(
    ground: &Ground,
    words: &[String],
    counts: &[Count],
    parts: &[Category],
    starts: &[usize],
    mut unseen: Count,
) -> Binning {
    let others = starts.len();
    if others == 0 {
        unseen = unseen.and(sum_bin_counts(parts.iter().map(|part| part.count)));
    }
    let mut codes = vec![others; words.len()];
    let mut bins = Vec::new();
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(parts.len());
        let held: Vec<usize> = parts[*start..end].iter().flat_map(|part| &part.codes).copied().collect();
        held.iter().for_each(|code| codes[*code] = place);
        let mut held: Vec<String> = held.iter().map(|code| words[*code].clone()).collect();
        held.sort();
        bins.push(ground.bin(Holds::Words(held), sum_bin_counts(parts[*start..end].iter().map(|part| part.count))));
    }
    bins.push(ground.bin_of_any_size(Holds::Other, unseen));
    bins.push(ground.unknown(sum_bin_counts(counts.iter().copied())));
    let iv = bins.iter().map(|bin| bin.iv).sum();
    let pure_bads = counts.iter().filter(|count| count.goods == 0).map(|count| count.bads).max().unwrap_or(0);
    Binning { bins, trend: Trend::None, iv, pure_bads, sorted_texts: 0, places: Places::Codes(codes) }
}
