//! Classes of words from the word lists.

use std::collections::HashMap;
use std::ops::{BitOr, BitOrAssign};

use crate::base::text_search::ascii_words::{Word, WordTable};

/// The classes of a word, which may be several.
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
    /// A month that is also a given name.
    pub const NAME_MONTH: Self = Self(1 << 8);
    pub const FROM: Self = Self(1 << 9);
    pub const TO: Self = Self(1 << 10);
    pub const BY: Self = Self(1 << 11);
    /// Words that no name follows: for, via.
    pub const ASIDE: Self = Self(1 << 12);
    /// `FRM`, which only banks write; people write `from`.
    pub const FRM: Self = Self(1 << 13);
    /// `NIP`, which the name follows at a fixed place.
    pub const NIP: Self = Self(1 << 14);
    /// Not a word: a number, a date, a reference.
    pub const NUMBER: Self = Self(1 << 15);

    /// A terminal or a counter, whose narrations end with places.
    pub const TERMINAL: Self = Self(1 << 16);

    /// A bank that also lends: a name, unless it is at the place of the sender's bank.
    pub const LENDING: Self = Self(1 << 17);

    /// The first word of a name whose words stay together.
    pub const NAME_START: Self = Self(1 << 18);

    /// A bank whose name in a list is this word alone.
    pub const WHOLE_BANK: Self = Self(1 << 19);

    /// The kind of a record, in the place of a name: bills, data.
    pub const HEADING: Self = Self(1 << 20);

    /// What a bank takes for a record: commission, VAT.
    pub const FEE: Self = Self(1 << 21);

    /// A channel whose narrations have the name before the bank, behind a remark: `UPI/123/rent/NAME/BANK`.
    pub const LATE: Self = Self(1 << 22);

    /// The money came back: who was paid is now the payer.
    pub const BACK: Self = Self(1 << 23);

    /// A name with digits, which stay: BET365.
    pub const NUMBERED: Self = Self(1 << 24);

    /// A legal form, which makes a firm of the name before it.
    pub const LEGAL: Self = Self(1 << 25);

    pub const LINK: Self = Self(Self::FROM.0 | Self::TO.0 | Self::BY.0 | Self::ASIDE.0);
    /// How the money moved.
    pub const WAY: Self = Self(Self::CHANNEL.0 | Self::TERMINAL.0);
    /// Never part of a name.
    pub const NEVER_NAME: Self = Self(Self::REMARK.0 | Self::LINK.0 | Self::MONTH.0 | Self::WAY.0);
    /// Removed wherever it occurs.
    pub const DROPPED: Self =
        Self(Self::WAY.0 | Self::REMARK.0 | Self::EXTRA.0 | Self::LINK.0 | Self::NUMBER.0 | Self::MONTH.0);
    /// Not a name by itself, but possibly part of one.
    pub const WEAK: Self =
        Self(Self::BANK.0 | Self::FORWARDER.0 | Self::PLACE.0 | Self::CODE.0 | Self::NAME_MONTH.0 | Self::HEADING.0);

    /// Both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These classes without those of another.
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

/// Words of English narrations that do not depend on the lists.
pub(super) const BUILT_IN: &[(&[&str], Class)] = &[
    (&["from"], Class::FROM),
    (&["frm"], Class(Class::FROM.0 | Class::FRM.0)),
    // In favour of.
    (&["to", "ifo"], Class::TO),
    (&["sender"], Class::FROM),
    (&["by"], Class::BY),
    (&["for", "via", "remark", "reference"], Class::ASIDE),
    (&["comm", "commission", "vat", "charge", "charges"], Class::FEE),
    (&["upi", "imps", "mmt", "inf"], Class::LATE),
    (&["rev", "reversal", "reversals", "reversed", "rvsl", "rvrsl", "rsvl"], Class::BACK),
    (&["nip"], Class(Class::NIP.0 | Class::CHANNEL.0)),
    (&["january", "february", "july", "september", "october", "november", "december"], Class::MONTH),
    (&["jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"], Class::MONTH),
    (&["march", "april", "may", "june", "august"], Class::NAME_MONTH),
];

/// The classes of all words that have any.
#[derive(Clone, Debug)]
pub(super) struct Classes {
    short: WordTable<Class>,
    /// Words that are not ASCII, or too long for a [`Word`].
    others: HashMap<Box<str>, Class>,
    has_numbered: bool,
}

impl Classes {
    pub fn new(classes: HashMap<Box<str>, Class>) -> Self {
        let number = |word: &str| Word::whole(word.as_bytes());
        let has_numbered = classes.values().any(|class| class.is(Class::NUMBERED));
        let (short, others): (Vec<_>, _) = classes.into_iter().partition(|(word, _)| number(word).is_some());
        let short: Vec<(Word, Class)> =
            short.into_iter().filter_map(|(word, class)| Some((number(&word)?, class))).collect();
        Self { short: WordTable::new(short.into_iter()), others: others.into_iter().collect(), has_numbered }
    }

    /// Whether a word that would lose digits is a name with them.
    #[inline]
    pub fn is_numbered(&self, class: impl FnOnce(&Self) -> Class) -> bool {
        self.has_numbered && class(self).is(Class::NUMBERED)
    }

    #[inline]
    pub fn of_short(&self, word: Word) -> Class {
        self.short.get(word).unwrap_or_default()
    }

    /// The class of a lowercase word.
    pub fn class_of(&self, word: &str) -> Class {
        match Word::whole(word.as_bytes()) {
            Some(word) => self.of_short(word),
            None => self.others.get(word).copied().unwrap_or_default(),
        }
    }
}
