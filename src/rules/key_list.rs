//! A list of keys that rules ask: `in_list(blocked, request.phone)`, such as a block list or an allow list. Keys are
//! personal: nothing here shows one, not even `Debug`. Knows no file and no data.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;

use crate::base::digest::{Digest, Hasher as DigestHasher};

/// A list of a policy. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct KeyList {
    /// Its whole name.
    pub name: String,
    /// The path of its file from the policy's folder.
    pub path: String,
    /// How its file is read.
    pub reading: ListReading,
    pub keys: Arc<KeySet>,
    /// For people; empty if there is none.
    pub doc: String,
}

/// How the file of a list is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListReading {
    /// The column of the keys; the first one without it.
    pub key: Option<String>,
    /// The column with the last day of each entry.
    pub until: Option<String>,
    pub ignores_case: bool,
}

impl KeyList {
    /// The digest of what the list says: of its file, and of how that is read.
    pub(crate) fn content_digest(&self) -> Digest {
        let ListReading { key, until, ignores_case } = &self.reading;
        let mut hasher = DigestHasher::new();
        hasher.update(self.keys.digest.as_bytes());
        hasher.update(format!("{key:?} {until:?} {ignores_case}").as_bytes());
        hasher.finish()
    }
}

/// What a list says about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    No,
    Always,
    /// Up to and including this day, as days since 1970-01-01.
    Until(i32),
}

/// The day of an entry that never ends.
const NO_END: i32 = i32::MAX;

/// A place of the hash table without a key.
const FREE: u32 = u32::MAX;

/// The keys of a list, in a hash table that is made once. A lookup compares whole keys and allocates nothing.
pub(crate) struct KeySet {
    /// The digest of the file's text.
    pub digest: Digest,
    ignores_case: bool,
    /// All keys, one after the other, and where each ends.
    texts: String,
    ends: Vec<u32>,
    /// The last day of each key; empty if entries have none.
    untils: Vec<i32>,
    /// The number of a key at its hash or at one of the next places. At most half of the places are taken.
    places: Vec<u32>,
    state: RandomState,
    /// The line of the first key that is not written as a whole number is.
    first_text: Option<u64>,
    /// The line of the first key with a capital letter.
    first_capital: Option<u64>,
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeySet").field("digest", &self.digest).field("keys", &self.ends.len()).finish_non_exhaustive()
    }
}

impl KeySet {
    /// An empty set with room for `most` keys of so many bytes in all. With `has_until` each key has a last day.
    pub(in crate::rules) fn new(digest: Digest, ignores_case: bool, most: usize, bytes: usize) -> Self {
        let places = vec![FREE; most.saturating_mul(2).max(8).next_power_of_two()];
        Self {
            digest,
            ignores_case,
            texts: String::with_capacity(bytes),
            ends: Vec::with_capacity(most),
            untils: Vec::new(),
            places,
            state: RandomState::default(),
            first_text: None,
            first_capital: None,
        }
    }

    /// Adds a key from a line. Of a key that is there already, the later last day counts. Returns whether it was new.
    pub(in crate::rules) fn add(&mut self, key: &str, until: Option<Option<i32>>, line: u64) -> bool {
        let until = until.map(|day| day.unwrap_or(NO_END));
        match self.find(key) {
            Ok(number) => {
                if let (Some(known), Some(until)) = (self.untils.get_mut(number), until) {
                    *known = until.max(*known);
                }
                false
            }
            Err(place) => {
                // The text is shorter than 4 GB, because no file is longer.
                self.places[place] = self.ends.len() as u32;
                self.texts.push_str(key);
                self.ends.push(self.texts.len() as u32);
                self.untils.extend(until);
                self.first_text = self.first_text.or_else(|| (!is_whole(key)).then_some(line));
                let has_capital = || key.chars().any(char::is_uppercase);
                self.first_capital = self.first_capital.or_else(|| has_capital().then_some(line));
                true
            }
        }
    }

    /// Gives back what was reserved and not needed.
    pub(in crate::rules) fn finish(mut self) -> Self {
        self.texts.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.untils.shrink_to_fit();
        self
    }

    /// How many keys there are.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// Whether entries may have a last day.
    pub(crate) fn has_days(&self) -> bool {
        !self.untils.is_empty()
    }

    /// The line of the first key that is not written as a whole number is.
    pub(in crate::rules) fn first_text(&self) -> Option<u64> {
        self.first_text
    }

    /// The line of the first key with a capital letter that counts.
    pub(in crate::rules) fn first_capital(&self) -> Option<u64> {
        self.first_capital.filter(|_| !self.ignores_case)
    }

    /// What the list says about a text, without the blanks at its ends.
    pub(crate) fn find_text(&self, text: &str) -> Listed {
        match self.find(text.trim()) {
            Err(_) => Listed::No,
            Ok(number) => match self.untils.get(number) {
                None | Some(&NO_END) => Listed::Always,
                Some(until) => Listed::Until(*until),
            },
        }
    }

    /// What the list says about a whole number, as its digits.
    pub(crate) fn find_whole(&self, number: i64) -> Listed {
        let mut digits = [0_u8; DIGITS_MAX];
        let mut at = DIGITS_MAX;
        let mut rest = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        std::str::from_utf8(&digits[at..]).map_or(Listed::No, |digits| self.find_text(digits))
    }

    /// The number of a key, or the free place that it would take.
    fn find(&self, key: &str) -> Result<usize, usize> {
        let mask = self.places.len() - 1;
        let mut place = self.hash(key) as usize & mask;
        // At most half of the places are taken, so a free one comes.
        loop {
            match self.places[place] {
                FREE => return Err(place),
                number if self.is_same(self.key(number as usize), key) => return Ok(number as usize),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn key(&self, number: usize) -> &str {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before] as usize);
        &self.texts[start..self.ends[number] as usize]
    }

    fn hash(&self, key: &str) -> u64 {
        let mut hasher = self.state.build_hasher();
        match self.ignores_case {
            false => hasher.write(key.as_bytes()),
            true => lowercase_letters(key).for_each(|letter| hasher.write_u32(letter as u32)),
        }
        hasher.finish()
    }

    fn is_same(&self, known: &str, key: &str) -> bool {
        match self.ignores_case {
            false => known == key,
            true => lowercase_letters(known).eq(lowercase_letters(key)),
        }
    }
}

/// The most characters of a whole number.
const DIGITS_MAX: usize = 20;

/// Whether a key is written as a whole number is: digits without zeros before them, and perhaps a minus.
fn is_whole(key: &str) -> bool {
    let digits = key.strip_prefix('-').unwrap_or(key);
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_plain
        && (digits == key || digits != "0")
        && (digits == "0" || !digits.starts_with('0'))
        && key.parse::<i64>().is_ok()
}

/// The letters in lower case, each by itself, as in `lowercase_each_letter`.
fn lowercase_letters(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::text_search::lower::lowercase_each_letter;

    fn set(keys: &[&str], ignores_case: bool) -> KeySet {
        let mut set = KeySet::new(Digest::compute(b""), ignores_case, keys.len(), 0);
        keys.iter().zip(1..).for_each(|(key, line)| {
            set.add(key, None, line);
        });
        set.finish()
    }

    #[test]
    fn a_key_is_found_as_it_is_written() {
        let blocked = set(&["0803", "Ada", "", "ÇA", "-5", "7"], false);
        for (text, found) in [("0803", true), (" 0803\u{a0}", true), ("803", false), ("ada", false), ("", true)] {
            assert_eq!(blocked.find_text(text) == Listed::Always, found, "{text}");
        }
        for (number, found) in [(7, true), (-5, true), (803, false), (5, false), (i64::MIN, false), (0, false)] {
            assert_eq!(blocked.find_whole(number) == Listed::Always, found, "{number}");
        }
    }

    #[test]
    fn every_whole_number_is_found_by_its_digits() {
        let numbers = [0, 1, -1, 10, 99, i64::MAX, i64::MIN, 1_000_000_007];
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let all = set(&texts, false);
        assert!(numbers.iter().all(|number| all.find_whole(*number) == Listed::Always));
        assert_eq!(all.first_text(), None);
        for text in ["00", "-0", "01", "-", "", "1.0", "+1", "9223372036854775808", " 1"] {
            assert!(!is_whole(text), "{text}");
        }
    }

    #[test]
    fn letters_are_alike_in_any_case_where_the_list_says_so() {
        let texts = ["Shell", "ÇA ΟΔΟΣ", "İ", "STRASSE"];
        let all = set(&texts, true);
        for text in texts {
            for written in [text.to_uppercase(), text.to_lowercase(), lowercase_each_letter(text).into_owned()] {
                assert_eq!(all.find_text(&written), Listed::Always, "{written}");
            }
        }
        assert_eq!(all.find_text("shel"), Listed::No);
        assert_eq!(set(&["Shell"], false).first_capital(), Some(1));
        assert_eq!(all.first_capital(), None);
    }

    #[test]
    fn the_later_day_of_a_repeated_key_counts() {
        let mut set = KeySet::new(Digest::compute(b""), false, 4, 0);
        assert!(set.add("a", Some(Some(10)), 1) && set.add("b", Some(None), 2));
        assert!(!set.add("a", Some(Some(30)), 3) && !set.add("a", Some(Some(20)), 4));
        assert_eq!([set.find_text("a"), set.find_text("b")], [Listed::Until(30), Listed::Always]);
        assert!(!set.add("a", Some(None), 5));
        assert_eq!((set.find_text("a"), set.count()), (Listed::Always, 2));
    }

    #[test]
    fn no_key_is_shown() {
        let shown = format!("{:?}", set(&["08031234567"], false));
        assert!(!shown.contains("0803") && shown.contains("keys: 1"), "{shown}");
    }
}
