//! Extracts the counterparty of a record from its narration, as a key that stays the same from month to
//! month. Text in, key out: knows no statement, no rule file and no money. Word lists for bank codes and remarks
//! are arguments; only the order in which narrations are built, the months and the little words (from, to, by, for)
//! are known here. See docs/explanation/narration.md.

mod classes;
mod codes;
mod limits;
mod parts;
mod people;
mod section;
mod shape;
mod standing;
mod token;

use std::collections::HashMap;

use classes::{Class, Classes};
pub(crate) use codes::Codes;
pub(crate) use parts::Part;
pub(crate) use standing::Standing;
use token::Tokens;

/// The word lists that [`Normaliser::new`] reads, and what each contains.
pub const LISTS: [(&str, &str); 12] = [
    ("banks", "names and codes of banks"),
    ("wallets", "names of wallets and payment banks"),
    ("forwarders", "firms that pass a payment on for somebody else"),
    ("lending_banks", "banks and wallets that lend under the same name"),
    ("narration_channels", "how the money moved: NIP, TRF, POS, WEB"),
    ("narration_remarks", "what people and tills write beside a name: PAYMENT, GOODS"),
    ("narration_extras", "titles and legal forms around a name: MRS, LTD"),
    ("narration_places", "cities"),
    ("narration_codes", "ends of terminal narrations: LANG, NG"),
    ("narration_headings", "kinds of records in the place of a name: BILLS, DATA"),
    ("narration_terminals", "words of terminals and counters: POS, ATM, CASH"),
    ("legal_forms", "legal forms of firms: LTD, PLC"),
];

/// The two parties that a record names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parties {
    /// The counterparty.
    pub other: Option<String>,
    /// The account's holder.
    pub own: Option<String>,
}

/// Most words of a code, which stands before names.
const CODE_WORDS: u16 = 3;

/// What follows a key whose words are in no list. A name is a digest: only how many differ matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AfterKey {
    /// Nothing that may be a name, or the key has other words.
    Nothing,
    /// A possible name, and no word after it.
    Name(u32),
    /// A possible name, and a remark after it.
    NameAndMore(u32),
}

/// What a narration says of its counterparty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading<'s> {
    pub key: &'s str,
    pub after_key: AfterKey,
    pub standing: Standing,
}

/// Buffers for reading narrations, reused so that reading allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    tokens: Tokens,
    key: String,
}

/// Makes counterparty keys.
///
/// ```
/// use lendwright::base::narration::Normaliser;
/// let lists = [("narration_channels", vec!["NIP".to_owned(), "MOB".to_owned()]), ("banks", vec!["GTB".to_owned()])];
/// let words = |name: &str| lists.iter().find(|(list, _)| *list == name).map_or(&[][..], |(_, words)| &words[..]);
/// let normaliser = Normaliser::new(words);
/// let key = normaliser.key(Some("NIP/GTB/ADEBAYO JOHN /MOB/ME /12345"), None, true);
/// assert_eq!(key.as_deref(), Some("adebayo john"));
/// ```
#[derive(Clone, Debug)]
pub struct Normaliser {
    classes: Classes,
    /// Names that would lose a word, because a list has it as a remark or a channel.
    names: Vec<Box<[Box<str>]>>,
}

impl Normaliser {
    /// `words_of` returns the words of a list by its name, one of [`LISTS`]; a missing list is empty. Each word of an
    /// entry counts by itself.
    pub fn new<'a>(words_of: impl Fn(&str) -> &'a [String]) -> Self {
        Self::knowing(words_of, std::iter::empty())
    }

    /// As [`Normaliser::new`], for callers that search the keys for these names. Their words stay together even if a
    /// list would remove some, as CREDIT in CREDIT DIRECT is a remark, and a word keeps its digits: BET365.
    pub(crate) fn knowing<'a>(words_of: impl Fn(&str) -> &'a [String], names: impl Iterator<Item = &'a str>) -> Self {
        let mut classes = HashMap::new();
        let mut add = |word: &str, class: Class| {
            *classes.entry(word.into()).or_insert(Class::default()) |= class;
        };
        for (words, class) in classes::BUILT_IN {
            for word in *words {
                add(word, *class);
            }
        }
        let listed = [
            Class::BANK,
            Class::BANK,
            Class::FORWARDER,
            Class::LENDING,
            Class::CHANNEL,
            Class::REMARK,
            Class::EXTRA,
            Class::PLACE,
            Class::CODE,
            Class::HEADING,
            Class::TERMINAL,
            Class::LEGAL,
        ];
        let (mut tokens, unknown) = (Tokens::default(), Classes::new(HashMap::new()));
        for ((list, _), class) in LISTS.iter().zip(listed) {
            for words in words_of(list) {
                tokens.read(words, &unknown);
                let whole =
                    if class == Class::BANK && tokens.words().nth(1).is_none() { Class::WHOLE_BANK } else { class };
                for word in tokens.words() {
                    add(word, class | whole);
                }
            }
        }
        let mut kept = Vec::new();
        for name in names {
            if !name.contains(|c: char| !c.is_alphanumeric()) {
                if name.contains(char::is_numeric) && name.contains(char::is_alphabetic) {
                    *classes.entry(name.to_lowercase().into()).or_default() |= Class::NUMBERED;
                }
                continue;
            }
            tokens.read(name, &unknown);
            tokens.classify(|word| classes.get(word).copied().unwrap_or_default());
            let words: Box<[Box<str>]> = tokens.words().map(Box::from).collect();
            if tokens.is_name_cut() {
                *classes.entry(words[0].clone()).or_default() |= Class::NAME_START;
                kept.push(words);
            }
        }
        kept.sort_unstable();
        kept.dedup();
        Self { classes: Classes::new(classes), names: kept }
    }

    /// Whether an entry of a list has any word.
    pub(crate) fn reads_word(&self, entry: &str) -> bool {
        let mut tokens = Tokens::default();
        tokens.read(entry, &self.classes);
        tokens.words().next().is_some()
    }

    #[inline]
    fn read(&self, tokens: &mut Tokens, text: &str) {
        tokens.read(token::truncate_narration(text), &self.classes);
        if tokens.classes.is(Class::NAME_START) {
            tokens.keep_names(&self.names);
        }
    }

    /// The key of a record's counterparty: from `people` (the tagger's names, joined by U+001F) if there are any, else
    /// from the narration. `None` if there are no letters. The key of a key is that key.
    pub fn key(&self, desc: Option<&str>, people: Option<&str>, is_credit: bool) -> Option<String> {
        self.key_in(&mut Scratch::default(), desc, people, is_credit).map(|reading| reading.key.to_owned())
    }

    /// As [`Normaliser::key`], with reused buffers. Also returns what goes with the key.
    pub(crate) fn key_in<'s>(
        &self,
        scratch: &'s mut Scratch,
        desc: Option<&str>,
        people: Option<&str>,
        is_credit: bool,
    ) -> Option<Reading<'s>> {
        let Scratch { tokens, key } = scratch;
        let key_of_desc = || {
            let mut tokens = Tokens::default();
            self.read(&mut tokens, desc?);
            shape::key_text(&tokens, is_credit)
        };
        key.clear();
        if people::append_tagged_name_key(people, key_of_desc, key) {
            let has_form = key.split(' ').any(|word| self.classes.class_of(word).is(Class::LEGAL));
            let standing = Standing::NAMED.with(Standing::LEGAL_FORM, has_form);
            return Some(Reading { key, after_key: AfterKey::Nothing, standing });
        }
        key.clear();
        self.read(tokens, desc?);
        let (words, is_placed) = shape::counterparty_key(tokens, is_credit)?;
        shape::append_found_words(tokens, &words, key);
        let standing = standing::standing(tokens, &words, is_placed, is_credit);
        Some(Reading { key, after_key: shape::after_key(tokens, &words, is_credit), standing })
    }

    /// The name in a narration when some of its words are known to be codes, as if they were in the list of channels,
    /// and what goes with it. `None` if that leaves no name.
    pub(crate) fn key_after_codes<'s>(
        &self,
        scratch: &'s mut Scratch,
        desc: &str,
        codes: &Codes<'_>,
        is_credit: bool,
    ) -> Option<Reading<'s>> {
        let Scratch { tokens, key } = scratch;
        self.read(tokens, desc);
        let words = shape::name_after_codes(tokens, codes, is_credit)?;
        key.clear();
        shape::append_found_words(tokens, &words, key);
        let standing = standing::standing(tokens, &words, true, is_credit);
        Some(Reading { key, after_key: shape::after_key(tokens, &words, is_credit), standing })
    }

    /// Who wrote which words of a narration.
    pub(crate) fn parts(&self, desc: &str, is_credit: bool) -> Vec<Part> {
        let mut tokens = Tokens::default();
        self.read(&mut tokens, desc);
        let key = shape::counterparty_key(&tokens, is_credit);
        parts::parts(&tokens, key.filter(|(_, is_placed)| *is_placed).map(|(words, _)| words).as_ref())
    }

    /// The parties that a record names. The counterparty is as in [`Normaliser::key`], with two exceptions. It is
    /// `None` if the narration says only how the money moved, and it is cash for a cash deposit, whoever paid it in.
    /// The account's holder is known if the narration names both parties.
    pub fn parties(&self, desc: Option<&str>, people: Option<&str>, is_credit: bool) -> Parties {
        let mut tokens = Tokens::default();
        let people_key = |key_of_text: &dyn Fn() -> Option<String>| {
            let mut key = String::new();
            people::append_tagged_name_key(people, key_of_text, &mut key).then_some(key)
        };
        let Some(text) = desc else { return Parties { other: people_key(&|| None), own: None } };
        self.read(&mut tokens, text);
        let key_of_text = || shape::key_text(&tokens, is_credit);
        let other = shape::cash_deposit(&tokens, is_credit)
            .or_else(|| people_key(&key_of_text))
            .or_else(|| shape::counterparty_name(&tokens, is_credit));
        Parties { other, own: shape::account_holder(&tokens, is_credit) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LISTS, Normaliser};
    use crate::base::text_search::number_masking::tests::pair;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn narrations_with_one_masked_form_have_one_key((one, other) in pair(), is_credit: bool) {
            let words = |words: &[&str]| words.iter().map(|word| word.to_string()).collect::<Vec<String>>();
            let lists = LISTS.map(|(name, _)| match name {
                "banks" => words(&["GTB", "12345"]),
                "narration_channels" => words(&["NIP", "TRF 2024"]),
                _ => Vec::new(),
            });
            let place = |name: &str| LISTS.iter().position(|(list, _)| *list == name).expect("a list");
            let normaliser = Normaliser::new(|name| &lists[place(name)]);
            prop_assert_eq!(normaliser.key(Some(&one), None, is_credit), normaliser.key(Some(&other), None, is_credit));
        }
    }
}
