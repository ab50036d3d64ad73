//! The best way to merge prebins: exact, by dynamic programming over the last bin, whatever trend is asked.

use serde::Serialize;

use super::counting::Count;
use crate::portfolio::statistics::special::natural_logarithm;

/// How the bad rate goes along the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Trend {
    /// More is worse.
    Ascending,
    /// More is better.
    Descending,
    /// The worst are in the middle.
    Peak,
    /// The best are in the middle.
    Valley,
    /// Neither: one bin, or categories.
    None,
}

impl Trend {
    /// In words, for reports.
    pub fn words(self) -> &'static str {
        match self {
            Trend::Ascending => "more is worse",
            Trend::Descending => "more is better",
            Trend::Peak => "the middle is worst",
            Trend::Valley => "the middle is best",
            Trend::None => "no order",
        }
    }

    /// Whether the bad rate rises, in each phase one after another.
    fn phases(self) -> &'static [Option<bool>] {
        match self {
            Trend::Ascending => &[Some(true)],
            Trend::Descending => &[Some(false)],
            Trend::Peak => &[Some(true), Some(false)],
            Trend::Valley => &[Some(false), Some(true)],
            Trend::None => &[None],
        }
    }
}

/// What every bin must have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Rows at least.
    pub rows: u64,
    /// Bad rows at least.
    pub bads: u64,
    /// Good rows at least.
    pub goods: u64,
    /// Bins at most.
    pub bins: usize,
}

impl Limits {
    /// Whether a bin has enough of everything.
    pub fn met_by(&self, count: Count) -> bool {
        count.rows() >= self.rows && count.bads >= self.bads && count.goods >= self.goods
    }
}

/// Weight of evidence: `ln((goods / all goods + share) / (bads / all bads + share))`, where `share` is
/// `smoothing / all rows`.
///
/// It is as if `smoothing` rows of the average kind were added to every bin: weights shrink towards 0, and are finite.
/// Without smoothing, a bin that lacks an outcome has 0, as in `optbinning`. Source: Good (1950); Siddiqi (2017).
pub fn weight_of_evidence(bin: Count, all: Count, smoothing: f64) -> f64 {
    let share = smoothing / all.weight().max(f64::MIN_POSITIVE);
    let (good, bad) =
        (share_of(bin.good_weight, all.good_weight) + share, share_of(bin.bad_weight, all.bad_weight) + share);
    if good > 0.0 && bad > 0.0 { natural_logarithm(good / bad) } else { 0.0 }
}

/// What a bin adds to the information value: `(goods / all goods - bads / all bads) * woe`.
pub fn information_of_bin(bin: Count, all: Count, smoothing: f64) -> f64 {
    let (good, bad) = (share_of(bin.good_weight, all.good_weight), share_of(bin.bad_weight, all.bad_weight));
    (good - bad) * weight_of_evidence(bin, all, smoothing)
}

fn share_of(part: f64, all: f64) -> f64 {
    if all > 0.0 { part / all } else { 0.0 }
}

/// A way to merge, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// The information value of the bins.
    pub iv: f64,
    /// The first prebin of each bin; the first is 0.
    pub starts: Vec<usize>,
}

/// The last bin of a partial answer: its first prebin, and its phase.
type Last = (usize, usize);

struct BinningSearch<'a> {
    phases: &'a [Option<bool>],
    size: usize,
    /// Of bins by first and last prebin: the counts, and the worth if it may be one.
    bins: Vec<(Count, Option<f64>)>,
    /// By number of bins, last prebin, first prebin of the last bin and phase: the best worth, and the bin before.
    best: Vec<Option<(f64, Option<Last>)>>,
}

impl BinningSearch<'_> {
    fn bin(&self, first: usize, last: usize) -> (Count, Option<f64>) {
        self.bins[first * self.size + last]
    }

    fn place(&self, number: usize, last: usize, first: usize, phase: usize) -> usize {
        ((number * self.size + last) * self.size + first) * self.phases.len() + phase
    }

    /// Whether the bad rate may go from one bin to the next in a phase.
    fn goes(&self, before: Count, after: Count, phase: usize) -> bool {
        match self.phases[phase] {
            None => true,
            Some(true) => before.compare_rates(after).is_le(),
            Some(false) => before.compare_rates(after).is_ge(),
        }
    }

    /// The best partial answer of `number + 1` bins whose last one is `first..=last`, in a phase.
    fn extend(&self, number: usize, first: usize, last: usize, phase: usize) -> Option<(f64, Option<Last>)> {
        let (count, worth) = self.bin(first, last);
        let worth = worth?;
        let mut found: Option<(f64, Option<Last>)> = None;
        for begin in 0..first {
            let (before, Some(_)) = self.bin(begin, first - 1) else { continue };
            if !self.goes(before, count, phase) {
                continue;
            }
            for earlier in 0..=phase {
                let Some((sum, _)) = self.best[self.place(number - 1, first - 1, begin, earlier)] else { continue };
                if found.is_none_or(|(best, _)| sum + worth > best) {
                    found = Some((sum + worth, Some((begin, earlier))));
                }
            }
        }
        found
    }

    fn fill(&mut self, most: usize) {
        for last in 0..self.size {
            let (at, worth) = (self.place(0, last, 0, 0), self.bin(0, last).1);
            self.best[at] = worth.map(|worth| (worth, None));
        }
        for number in 1..most {
            for last in number..self.size {
                for first in number..=last {
                    for phase in 0..self.phases.len() {
                        let at = self.place(number, last, first, phase);
                        self.best[at] = self.extend(number, first, last, phase);
                    }
                }
            }
        }
    }

    /// The best whole answer: of equals, to rounding, the one of fewer bins.
    fn answer(&self, most: usize) -> Option<Merged> {
        let end = self.size - 1;
        let mut best: Option<(f64, usize, Last)> = None;
        for number in 0..most {
            for first in number..self.size {
                for phase in 0..self.phases.len() {
                    let Some((worth, _)) = self.best[self.place(number, end, first, phase)] else { continue };
                    if best.is_none_or(|(so_far, ..)| worth > so_far + 1e-12) {
                        best = Some((worth, number, (first, phase)));
                    }
                }
            }
        }
        let (iv, number, mut last) = best?;
        let (mut starts, mut end) = (vec![last.0], end);
        for number in (1..=number).rev() {
            let before = self.best[self.place(number, end, last.0, last.1)].and_then(|(_, before)| before)?;
            end = last.0 - 1;
            last = before;
            starts.push(last.0);
        }
        starts.reverse();
        Some(Merged { iv, starts })
    }
}

/// The merging of neighbouring prebins with the highest information value under limits, whose bad rates follow a trend.
/// Neighbours may have the same rate. `all` counts the rows of all bins and of the unknown ones.
///
/// It takes `bins * prebins^3` steps. `None` if even one bin of everything is too small.
pub fn merge_prebins(prebins: &[Count], all: Count, smoothing: f64, limits: &Limits, trend: Trend) -> Option<Merged> {
    let size = prebins.len();
    let most = limits.bins.min(size);
    let phases = trend.phases();
    if most == 0 {
        return None;
    }
    let mut bins = vec![(Count::default(), None); size * size];
    for first in 0..size {
        let mut count = Count::default();
        for last in first..size {
            count = count.and(prebins[last]);
            let worth = limits.met_by(count).then(|| information_of_bin(count, all, smoothing));
            bins[first * size + last] = (count, worth);
        }
    }
    let best = vec![None; most * size * size * phases.len()];
    let mut search = BinningSearch { phases, size, bins, best };
    search.fill(most);
    search.answer(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to merge, one bit for each border.
    fn exhaustive(prebins: &[Count], all: Count, smoothing: f64, limits: &Limits, trend: Trend) -> Option<f64> {
        let borders = prebins.len() - 1;
        let mut best: Option<f64> = None;
        for ways in 0..1_u32 << borders {
            let mut bins = vec![prebins[0]];
            for (border, prebin) in prebins[1..].iter().enumerate() {
                match (ways >> border & 1, bins.last_mut()) {
                    (0, Some(last)) => *last = last.and(*prebin),
                    _ => bins.push(*prebin),
                }
            }
            let rises: Vec<_> = bins.windows(2).map(|pair| pair[0].compare_rates(pair[1])).collect();
            let (up, down) = (std::cmp::Ordering::is_le, std::cmp::Ordering::is_ge);
            let turns = |first: fn(std::cmp::Ordering) -> bool, then: fn(std::cmp::Ordering) -> bool| {
                (0..=rises.len())
                    .any(|turn| rises[..turn].iter().all(|x| first(*x)) && rises[turn..].iter().all(|x| then(*x)))
            };
            let follows = match trend {
                Trend::Ascending => turns(up, up),
                Trend::Descending => turns(down, down),
                Trend::Peak => turns(up, down),
                Trend::Valley => turns(down, up),
                Trend::None => true,
            };
            if follows && bins.len() <= limits.bins && bins.iter().all(|bin| limits.met_by(*bin)) {
                let iv = bins.iter().map(|bin| information_of_bin(*bin, all, smoothing)).sum();
                best = Some(best.map_or(iv, |so_far| so_far.max(iv)));
            }
        }
        best
    }

    #[test]
    fn equals_full_enumeration() {
        let mut state = 41_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..600 {
            let size = 2 + next(8) as usize;
            let prebins: Vec<Count> = (0..size).map(|_| Count::of(next(6), next(30))).collect();
            let known = prebins.iter().fold(Count::default(), |sum, bin| sum.and(*bin));
            let all = known.and(Count::of(1 + next(3), 1 + next(3)));
            let limits = Limits { rows: next(25), bads: next(3), goods: 1 + next(3), bins: 1 + next(7) as usize };
            for trend in [Trend::Ascending, Trend::Descending, Trend::Peak, Trend::Valley, Trend::None] {
                for smoothing in [0.0, 10.0] {
                    let found = merge_prebins(&prebins, all, smoothing, &limits, trend);
                    let wanted = exhaustive(&prebins, all, smoothing, &limits, trend);
                    assert_eq!(found.is_some(), wanted.is_some());
                    let (Some(found), Some(wanted)) = (found, wanted) else { continue };
                    assert!((found.iv - wanted).abs() < 1e-9, "{} {wanted} {trend:?} {prebins:?}", found.iv);
                }
            }
        }
    }

    /// The worked example of docs/reference/statistics/information-value.md.
    #[test]
    fn the_example_by_hand() {
        let all = Count::of(40, 160);
        let bins = [(20, 20), (12, 60), (8, 80)].map(|(bads, goods)| Count::of(bads, goods));
        let woes = bins.map(|bin| weight_of_evidence(bin, all, 0.0));
        // 0.125 / 0.5, 0.375 / 0.3, 0.5 / 0.2
        for (found, wanted) in woes.iter().zip([-1.386_294_361, 0.223_143_551, 0.916_290_732]) {
            assert!((found - wanted).abs() < 1e-9);
        }
        let iv: f64 = bins.iter().map(|bin| information_of_bin(*bin, all, 0.0)).sum();
        assert!((iv - 0.811_483_371).abs() < 1e-9);
        // Ten rows of the average kind in every bin: 0.175 / 0.55.
        assert!((weight_of_evidence(bins[0], all, 10.0) - natural_logarithm(0.175 / 0.55)).abs() < 1e-15);
    }
}
