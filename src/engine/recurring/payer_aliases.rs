//! Finds keys of the same payer. A truncated narration gives a prefix of another key, or a key without one of its
//! words. Keys are joined only if exactly one longer key can be meant. Knows keys as texts.

/// Fewest letters of a prefix that identifies a payer.
const PREFIX_LETTERS_MIN: usize = 6;
/// Most words of a key that is searched for a missing word.
const WORDS_MAX: usize = 12;

/// The payer of each key, from 1, and the key's rank among the texts. An empty key has payer 0. Equal texts have equal
/// ranks.
pub(super) fn payer_aliases(keys: &[&str]) -> Vec<(u32, u32)> {
    let mut sorted: Vec<(&str, usize)> = keys.iter().enumerate().map(|(at, key)| (*key, at)).collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    let mut texts: Vec<&str> = Vec::with_capacity(keys.len());
    let mut found = vec![(0, 0); keys.len()];
    for (key, at) in sorted {
        if texts.last() != Some(&key) {
            texts.push(key);
        }
        found[at].1 = texts.len() as u32 - 1;
    }
    let mut meant: Vec<usize> = (0..texts.len()).collect();
    join_missing_words(&texts, &mut meant);
    join_prefixes(&texts, &mut meant);
    for (payer, rank) in &mut found {
        let at = *rank as usize;
        if !texts[at].chars().all(char::is_whitespace) {
            *payer = last_meant(&meant, at) as u32 + 1;
        }
    }
    found
}

/// Follows a key to the longest key that it means. Each step leads to a longer text, so it ends.
fn last_meant(meant: &[usize], mut at: usize) -> usize {
    while meant[at] != at {
        at = meant[at];
    }
    at
}

/// A key means the next longer one if the keys that it is a prefix of form one chain of prefixes.
fn join_prefixes(texts: &[&str], meant: &mut [usize]) {
    // Goes backwards. The keys that a text is a prefix of follow it directly. `ends[at]` is the last of them, and
    // `forked[at]` is true if they are not one chain.
    let mut ends: Vec<usize> = (0..texts.len()).collect();
    let mut forked = vec![false; texts.len()];
    for at in (0..texts.len()).rev() {
        let Some(next) = texts.get(at + 1) else { continue };
        if texts[at].is_empty() || !next.starts_with(texts[at]) {
            continue;
        }
        let end = ends[at + 1];
        let beyond = texts.get(end + 1).is_some_and(|text| text.starts_with(texts[at]));
        forked[at] = forked[at + 1] || beyond;
        ends[at] = if beyond { last_begun(texts, at, end + 1) } else { end };
        let is_telling = texts[at].chars().filter(|letter| letter.is_alphabetic()).count() >= PREFIX_LETTERS_MIN;
        if !forked[at] && is_telling && meant[at] == at {
            meant[at] = at + 1;
        }
    }
}

fn last_begun(texts: &[&str], at: usize, from: usize) -> usize {
    from + texts[from..].partition_point(|text| text.starts_with(texts[at])) - 1
}

/// A key of at least two words means another key if it lacks exactly one word of it and of no other key.
fn join_missing_words(texts: &[&str], meant: &mut [usize]) {
    let sums: Vec<u32> = texts.iter().map(|text| sum(text.as_bytes())).collect();
    let known = KeySumFilter::new(&sums);
    let mut several = vec![false; texts.len()];
    let mut rest = String::new();
    for (at, (text, whole)) in texts.iter().zip(&sums).enumerate() {
        let words = 1 + text.bytes().filter(|letter| *letter == b' ').count();
        if !(3..=WORDS_MAX).contains(&words) {
            continue;
        }
        let mut from = 0;
        for word in text.as_bytes().split(|letter| *letter == b' ') {
            let until = from + word.len();
            // The word with the blank after it, or before it if it is the last.
            let (left, right) = if until < text.len() { (from, until + 1) } else { (from - 1, until) };
            from = until + 1;
            if !known.may_hold(whole.wrapping_sub(sum(&text.as_bytes()[left..right]))) {
                continue;
            }
            rest.clear();
            rest.push_str(&text[..left]);
            rest.push_str(&text[right..]);
            if let Ok(place) = texts.binary_search(&rest.as_str()) {
                several[place] |= meant[place] != place && meant[place] != at;
                meant[place] = at;
            }
        }
    }
    for (place, _) in several.iter().enumerate().filter(|(_, several)| **several) {
        meant[place] = place;
    }
}

/// A filter of the sums of all keys. A key without one word is rarely another key, and the sum usually shows that
/// without building the text.
struct KeySumFilter {
    bits: Vec<u64>,
}

impl KeySumFilter {
    fn new(sums: &[u32]) -> Self {
        // Half a word per sum, so that false positives are rare.
        let mut known = Self { bits: vec![0; (sums.len() / 2 + 1).next_power_of_two()] };
        for sum in sums {
            let (word, bit) = known.place(*sum);
            known.bits[word] |= bit;
        }
        known
    }

    fn may_hold(&self, sum: u32) -> bool {
        let (word, bit) = self.place(sum);
        self.bits[word] & bit != 0
    }

    fn place(&self, sum: u32) -> (usize, u64) {
        let mixed = (sum.wrapping_mul(0x9e37_79b1) >> 6) as usize;
        (mixed & (self.bits.len() - 1), 1 << (sum % 64))
    }
}

/// A hash of a text's bytes that ignores their order. The hash of a text is the sum of the hashes of its parts.
fn sum(text: &[u8]) -> u32 {
    text.iter().fold(0, |sum, letter| sum.wrapping_add(u32::from(*letter).pow(3)))
}
