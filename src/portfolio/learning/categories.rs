//! Booleans and texts in bins: rare texts are one, and all stand in the order of their smoothed bad rates.

use super::binning::{Bin, Binning, Ground, Holds, Places, trend_of_two_bins};
use super::choices::{ChosenBins, Sign};
use super::chosen_bins::{count_free_parts, hold_to_sign, trend_of_counts};
use super::counting::Count;
use super::input::Values;
use super::optimum::Trend;

/// So many texts stand for themselves at most; the search takes time by the cube.
const MOST_WORDS: usize = 100;

/// So many rare texts are listed at most; more would make a cell that cannot be read.
const MOST_RARE_WORDS: usize = 200;

/// A text, or all rare ones.
struct Category {
    codes: Vec<usize>,
    count: Count,
}

/// A metric of booleans or texts in bins, and the rows of its known values, texts in the order of their bad rates.
pub(super) fn bin_categories(ground: &Ground, name: &str, values: &Values) -> (Binning, Vec<Count>) {
    let size = match values {
        Values::Text { words, .. } => words.len(),
        _ => 2,
    };
    let mut counts = vec![Count::default(); size];
    for row in ground.rows {
        if let Some(count) = values.code(*row).and_then(|code| counts.get_mut(code as usize)) {
            count.add(ground.table.sample.is_bad(*row), ground.table.sample.weight(*row));
        }
    }
    match values {
        Values::Text { words, .. } => {
            let choice = ground.choice(name);
            match (ground.settings.orders.get(name), &choice.bins) {
                (Some(order), _) => bin_ordered_texts(ground, words, &counts, order, choice.sign),
                (None, Some(ChosenBins::Groups(groups))) => {
                    bin_grouped_texts(ground, words, &counts, groups, choice.sign)
                }
                (None, _) => bin_text_values(ground, words, &counts),
            }
        }
        _ => bin_boolean_values(ground, &counts, ground.choice(name).sign),
    }
}

fn sum_bin_counts(counts: impl Iterator<Item = Count>) -> Count {
    counts.fold(Count::default(), Count::and)
}

fn bin_boolean_values(ground: &Ground, counts: &[Count], sign: Option<Sign>) -> (Binning, Vec<Count>) {
    let bin = |truth: bool| ground.bin_of_any_size(Holds::Truth(truth), counts[usize::from(truth)]);
    let bins = vec![bin(false), bin(true)];
    let trend = trend_of_two_bins(&bins);
    let mut binning = Binning::new(ground, bins, trend, Places::Codes(vec![0, 1]));
    hold_to_sign(ground, &mut binning, 2, sign);
    (binning, counts.to_vec())
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
    (count.bad_weight + smoothing * ground.all.rate()) / (count.weight() + smoothing).max(f64::MIN_POSITIVE)
}

/// Texts from the worst smoothed rate to the best, neighbours merged to the least size and to the best information.
fn bin_text_values(ground: &Ground, words: &[String], counts: &[Count]) -> (Binning, Vec<Count>) {
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
    (binning.parts, binning.goes_anywhere) = (parts.len(), true);
    let mut known: Vec<_> = binning.bins[..binning.bins.len() - 1].iter().map(|bin| (bin.woe, bin.count)).collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    (binning, known.into_iter().map(|(_, count)| count).collect())
}

/// Texts in a declared order, neighbours merged like numbers. The first text counts as the least.
fn bin_ordered_texts(
    ground: &Ground,
    words: &[String],
    counts: &[Count],
    order: &[String],
    sign: Option<Sign>,
) -> (Binning, Vec<Count>) {
    let codes = order.iter().filter_map(|text| words.iter().position(|word| word == text));
    let one = |code: usize| Category { codes: vec![code], count: counts[code] };
    let parts: Vec<Category> = codes.map(one).filter(|part| part.count.rows() > 0).collect();
    let prebins: Vec<Count> = parts.iter().map(|part| part.count).collect();
    // Two texts are a truth value: a bin each, however few rows one has.
    let are_two = parts.len() == 2;
    let (trend, starts) = if are_two { (Trend::None, vec![0, 1]) } else { merge_ordered_texts(ground, &prebins, sign) };
    let named = sum_bin_counts(prebins.iter().copied());
    let all = sum_bin_counts(counts.iter().copied());
    let unseen = all.without(named);
    let mut binning = bins_of_parts(ground, words, counts, &parts, &starts, unseen);
    binning.trend = if are_two { trend_of_two_bins(&binning.bins) } else { trend };
    binning.parts = parts.len();
    match sign {
        Some(Sign::Any) if !are_two => binning.goes_anywhere = true,
        sign => hold_to_sign(ground, &mut binning, starts.len(), sign),
    }
    (binning, prebins)
}

/// The direction of ordered texts, and the first part of each bin.
fn merge_ordered_texts(ground: &Ground, prebins: &[Count], sign: Option<Sign>) -> (Trend, Vec<usize>) {
    let trends: &[Trend] = match sign {
        None => &[Trend::Ascending, Trend::Descending],
        Some(Sign::Rising) => &[Trend::Descending],
        Some(Sign::Falling) => &[Trend::Ascending],
        Some(Sign::Any) => &[Trend::None],
    };
    let ways = trends.iter().map(|trend| (*trend, ground.merge(prebins, *trend)));
    let best = ways.filter_map(|(trend, found)| Some((trend, found?)));
    let best = best.reduce(|a, b| if b.1.iv > a.1.iv + 1e-12 { b } else { a });
    match best {
        Some((trend, merged)) if merged.starts.len() > 1 => (trend, merged.starts),
        _ => (Trend::None, Vec::from([0]).into_iter().filter(|_| !prebins.is_empty()).collect()),
    }
}

/// Texts in groups that were chosen, whatever their size, in the order in which they were written.
fn bin_grouped_texts(
    ground: &Ground,
    words: &[String],
    counts: &[Count],
    groups: &[Vec<String>],
    sign: Option<Sign>,
) -> (Binning, Vec<Count>) {
    let mut codes = vec![groups.len(); words.len()];
    let mut of_groups = vec![Count::default(); groups.len()];
    for (code, word) in words.iter().enumerate() {
        if let Some(group) = groups.iter().position(|group| group.contains(word)) {
            codes[code] = group;
            of_groups[group] = of_groups[group].and(counts[code]);
        }
    }
    let all = sum_bin_counts(counts.iter().copied());
    let named = sum_bin_counts(of_groups.iter().copied());
    let groups = groups.iter().zip(&of_groups);
    let mut bins: Vec<Bin> =
        groups.map(|(group, count)| ground.bin_of_any_size(Holds::Words(group.clone()), *count)).collect();
    bins.push(ground.bin_of_any_size(Holds::Other, all.without(named)));
    // Which groups are better, outcomes decide, so without a sign their information may be chance.
    let trend = if sign.is_some() { trend_of_counts(&of_groups) } else { Trend::None };
    let mut binning = Binning::new(ground, bins, trend, Places::Codes(codes)).with_single_texts(ground, counts);
    hold_to_sign(ground, &mut binning, of_groups.len(), sign);
    count_free_parts(&mut binning, of_groups.len());
    let mut known: Vec<_> = binning.bins[..of_groups.len()].iter().map(|bin| (bin.value, bin.count)).collect();
    if binning.trend == Trend::None {
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    (binning, known.into_iter().map(|(_, count)| count).collect())
}

impl Binning {
    /// Adds what single texts tell, which bins of several hide.
    fn with_single_texts(mut self, ground: &Ground, counts: &[Count]) -> Self {
        (self.pure_bads, self.worst_text) = (most_pure_bads(counts), find_worst_text(ground, counts));
        self
    }
}

/// The text of the highest bad rate, of those that stand for themselves.
fn find_worst_text(ground: &Ground, counts: &[Count]) -> Count {
    let frequent = counts.iter().filter(|count| count.rows() >= ground.settings.least_text_rows.max(1));
    frequent.copied().max_by(|a, b| a.compare_rates(*b).then(a.rows().cmp(&b.rows()))).unwrap_or_default()
}

/// The most rows of a text that has bad rows only.
fn most_pure_bads(counts: &[Count]) -> u64 {
    counts.iter().filter(|count| count.goods == 0).map(|count| count.bads).max().unwrap_or(0)
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
        let count = sum_bin_counts(parts[*start..end].iter().map(|part| part.count));
        bins.push(ground.bin_of_any_size(Holds::Words(held), count));
    }
    bins.push(ground.bin_of_any_size(Holds::Other, unseen));
    Binning::new(ground, bins, Trend::None, Places::Codes(codes)).with_single_texts(ground, counts)
}
