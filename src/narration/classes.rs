//! What the word lists say about a word. Knows no narration.

use std::collections::HashMap;
use std::ops::{BitOr, BitOrAssign};

use crate::text_search::ascii_words::{Word, WordTable};

/// What is known of a word; a word can be of several classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Class(u32);

impl Class {
    pub const CHANNEL: Self = Self(1);
    pub const BANK: Self = Self(1 << 1);
    pub const FORWARDER: Self = Self(1 << 2);
    pub const REMARK: Self = Self(1 << 3);
    /// Around a name: a title, a legal form.
    pub const EXTRA: Self = Self(1 << 4);
    pub const PLACE: Self = Self(1 << 5);
    /// Ends a terminal's narration.
    pub const CODE: Self = Self(1 << 6);
    pub const MONTH: Self = Self(1 << 7);
    /// A month that people are called by.
    pub const NAME_MONTH: Self = Self(1 << 8);
    pub const FROM: Self = Self(1 << 9);
    pub const TO: Self = Self(1 << 10);
    pub const BY: Self = Self(1 << 11);
    /// What follows is no name: for, via.
    pub const ASIDE: Self = Self(1 << 12);
    /// `FRM`: people write `from`, only banks write it so.
    pub const FRM: Self = Self(1 << 13);
    /// `NIP`: the name has its own place behind it.
    pub const NIP: Self = Self(1 << 14);
    /// No word at all: a number, a date, a reference.
    pub const NUMBER: Self = Self(1 << 15);

    /// A terminal or a counter: its narrations end with places.
    pub const TERMINAL: Self = Self(1 << 16);

    /// A bank of others that lends too: a name, unless it stands where the sender's bank does.
    pub const LENDING: Self = Self(1 << 17);

    /// Begins a name of several words that stay together.
    pub const BEGINS: Self = Self(1 << 18);

    pub const LINK: Self = Self(Self::FROM.0 | Self::TO.0 | Self::BY.0 | Self::ASIDE.0);
    /// How the money moved.
    pub const WAY: Self = Self(Self::CHANNEL.0 | Self::TERMINAL.0);
    /// In no name.
    pub const REMARKED: Self = Self(Self::REMARK.0 | Self::LINK.0 | Self::MONTH.0 | Self::WAY.0);
    /// Taken away wherever it stands.
    pub const AWAY: Self =
        Self(Self::WAY.0 | Self::REMARK.0 | Self::EXTRA.0 | Self::LINK.0 | Self::NUMBER.0 | Self::MONTH.0);
    /// No name by itself, but may be a part of one.
    pub const WEAK: Self = Self(Self::BANK.0 | Self::FORWARDER.0 | Self::PLACE.0 | Self::CODE.0 | Self::NAME_MONTH.0);

    /// What is left without those of another.
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether the two have a class in common.
    pub fn is(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl BitOr for Class {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Class {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// What holds of every narration in English, whatever the lists say.
pub(super) const BUILT_IN: &[(&[&str], Class)] = &[
    (&["from"], Class::FROM),
    (&["frm"], Class(Class::FROM.0 | Class::FRM.0)),
    (&["to"], Class::TO),
    (&["by"], Class::BY),
    (&["for", "via"], Class::ASIDE),
    (&["nip"], Class(Class::NIP.0 | Class::CHANNEL.0)),
    (&["january", "february", "july", "september", "october", "november", "december"], Class::MONTH),
    (&["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"], Class::MONTH),
    (&["march", "april", "may", "june", "august"], Class::NAME_MONTH),
];

/// The classes of all words that have any.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    short: WordTable<Class>,
    /// Words of other letters than ASCII's, or of more than make a number.
    others: HashMap<Box<str>, Class>,
}

impl Classes {
    pub fn new(classes: HashMap<Box<str>, Class>) -> Self {
        let number = |word: &str| Word::whole(word.as_bytes());
        let (short, others): (Vec<_>, _) = classes.into_iter().partition(|(word, _)| number(word).is_some());
        let short: Vec<(Word, Class)> =
            short.into_iter().filter_map(|(word, class)| Some((number(&word)?, class))).collect();
        Self { short: WordTable::new(short.into_iter()), others: others.into_iter().collect() }
    }

    #[inline]
    pub fn of_short(&self, word: Word) -> Class {
        self.short.get(word).unwrap_or_default()
    }

    /// Of a word in small letters.
    pub fn class_of(&self, word: &str) -> Class {
        match Word::whole(word.as_bytes()) {
            Some(word) => self.of_short(word),
            None => self.others.get(word).copied().unwrap_or_default(),
        }
    }
}
