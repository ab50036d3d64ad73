//! What a narration says of its counterparty apart from the name: whether it is a name at all, whether a legal form
//! goes with it, and whether the bank only repeats a payment that went out. Knows words by their class alone.

use super::classes::Class;
use super::section::{Words, marked_name, narration_parts};
use super::shape::both_sides;
use super::token::{Token, Tokens};

/// What goes with a counterparty's name, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Standing(u8);

impl Standing {
    /// There is somebody's name in a place for names.
    pub const NAMED: Self = Self(1);
    /// A legal form such as LTD belongs to the name.
    pub const LEGAL_FORM: Self = Self(1 << 1);
    /// The bank repeats a payment that went out: the text begins with a word for taking back, or tells whom a transfer
    /// went to and not who sent it.
    pub const REPEATED: Self = Self(1 << 2);
    /// A remark is within the words of the name, as in no person's: `TRUSTLINE PENSION MANAGERS`.
    pub const BROKEN: Self = Self(1 << 3);
    /// The text names one person on both sides: `FRM ADA OBI TO ADA OBI`.
    pub const ONESELF: Self = Self(1 << 4);

    /// Whether it has a bit of the other.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn with(self, other: Self, is_so: bool) -> Self {
        if is_so { Self(self.0 | other.0) } else { self }
    }
}

/// The standing of a key that the narration gave; `is_placed` says that it was found in a place for names.
#[inline]
pub(super) fn standing(tokens: &Tokens, key: &Words, is_placed: bool, is_credit: bool) -> Standing {
    let has_form = is_placed && tokens.classes.is(Class::LEGAL) && has_legal_form(tokens, key);
    let is_repeated = is_credit && repeats_payment(tokens);
    Standing::default()
        .with(Standing::NAMED, is_placed)
        .with(Standing::LEGAL_FORM, has_form)
        .with(Standing::REPEATED, is_repeated)
        .with(
            Standing::ONESELF,
            tokens.classes.is(Class::FROM) && tokens.classes.is(Class::TO) && is_oneself(tokens, is_credit),
        )
        .with(Standing::BROKEN, is_placed && tokens.classes.is(Class::REMARK) && has_remark_within(tokens, key))
}

/// Whether a legal form is among the words of the name or right behind them, with no remark between: in `ADA OBI MY
/// LTD MONEY` it belongs to no name.
fn has_legal_form(tokens: &Tokens, key: &Words) -> bool {
    let first = usize::from(key.places[0]);
    let rest = tokens.list.get(first..).unwrap_or_default();
    let belongs = |at: usize, class: Class| key.has_place(first + at) || class.is(Class::EXTRA | Class::LEGAL);
    let words =
        rest.iter().enumerate().take_while(|(at, token)| (*at == 0 || !token.opens) && belongs(*at, token.class));
    words.map(|(_, token)| token).any(|token| token.class.is(Class::LEGAL))
}

/// Whether both sides have one name.
fn is_oneself(tokens: &Tokens, is_credit: bool) -> bool {
    let Some((other, own)) = both_sides(tokens, is_credit) else { return false };
    let word = |token: &Token| tokens.word(token);
    other.count > 1 && other.iter(tokens).map(word).eq(own.iter(tokens).map(word))
}

/// Whether a remark is between two words of the name.
fn has_remark_within(tokens: &Tokens, key: &Words) -> bool {
    let count = usize::from(key.count);
    let (Some(first), Some(last)) = (key.places.first(), key.places.get(count.saturating_sub(1))) else { return false };
    let within = tokens.list.get(usize::from(*first)..usize::from(*last)).unwrap_or_default();
    count > 1 && within.iter().any(|token| token.class.is(Class::REMARK))
}

/// Whether a credit's narration is that of a payment that went out.
fn repeats_payment(tokens: &Tokens) -> bool {
    if !tokens.classes.is(Class::BACK | Class::TO) {
        return false;
    }
    let mut words = tokens.list.iter().enumerate().filter(|(_, token)| !token.class.is(Class::NUMBER));
    let is_of_bank =
        |class: Class| class.is(Class::WAY | Class::BANK | Class::FEE) && !class.is(Class::LATE | Class::BACK);
    let is_before = |(at, token): &(usize, &Token)| is_of_bank(token.class) && (*at == 0 || !token.opens);
    if words
        .find(|word| !is_before(word))
        .is_some_and(|(at, word)| word.class.is(Class::BACK) && (at == 0 || !word.opens))
    {
        // The bank's own text follows; a payer, where none does, wrote the word: `REVERSAL FROM ADA OBI`.
        return !tokens.classes.is(Class::FROM) || words.next().is_some_and(|(_, next)| next.class.is(Class::WAY));
    }
    if tokens.classes.is(Class::FROM | Class::BY) {
        return false;
    }
    let Some(to) = tokens.list.iter().position(|token| token.class.is(Class::TO)) else { return false };
    // In `ADA OBI|MOB: To FCMB|REVERSAL` the payer comes first.
    let is_first = tokens.list.iter().take(to).all(|token| token.class != Class::default());
    is_first || narration_parts(&tokens.list, 0).any(|part| marked_name(tokens, part, false).is_some())
}

#[cfg(test)]
mod tests {
    use super::Standing;
    use crate::base::narration::{Normaliser, Scratch};

    fn normaliser() -> Normaliser {
        let lists: [(&str, &[&str]); 5] = [
            ("banks", &["GTB", "FCMB"]),
            ("narration_channels", &["NIP", "MOB", "TRF", "RVSL"]),
            ("narration_remarks", &["SALARY", "LOAN", "PENSION", "MONEY", "MY"]),
            ("narration_extras", &["LTD", "MR"]),
            ("legal_forms", &["LTD"]),
        ];
        let lists = lists.map(|(name, words)| (name, words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()));
        Normaliser::new(|name| lists.iter().find(|(list, _)| *list == name).map_or(&[], |(_, words)| words.as_slice()))
    }

    #[test]
    fn the_standing_says_whose_words_they_are() {
        let bits = [
            (Standing::NAMED, "named"),
            (Standing::LEGAL_FORM, "form"),
            (Standing::REPEATED, "repeated"),
            (Standing::BROKEN, "broken"),
            (Standing::ONESELF, "oneself"),
        ];
        for (text, wanted) in [
            ("SALARY 2026", ""),
            ("NIP/GTB/SALARY", ""),
            ("RIDWAN OYEBODE|MOB: To FCMB|SALARY", "named"),
            ("NIP/GTB/ACME MILLS LTD/SALARY", "named form"),
            ("RIDWAN OYEBODE/MY LTD MONEY", "named"),
            ("TRF FROM RIDWAN OYEBODE MY LTD MONEY", "named"),
            ("RVSL TRF TO RIDWAN OYEBODE", "named repeated"),
            ("TRF TO RIDWAN OYEBODE REVERSAL", "repeated"),
            ("REVERSAL FROM RIDWAN OYEBODE", "named"),
            ("RIDWAN OYEBODE|MOB: To FCMB|REVERSAL", "named"),
            ("TRUSTLINE PENSION MANAGERS", "named broken"),
            ("TRF FRM ADA OBI TO ADA OBI", "named oneself"),
            ("TRF FRM ADA OBI TO EMEKA EZE", "named"),
        ] {
            let mut scratch = Scratch::default();
            let normaliser = normaliser();
            let read = normaliser.key_in(&mut scratch, Some(text), None, true);
            let standing = read.map(|read| read.standing).unwrap_or_default();
            let found: Vec<&str> = bits.iter().filter(|(bit, _)| standing.has(*bit)).map(|(_, name)| *name).collect();
            assert_eq!(found.join(" "), wanted, "{text}");
        }
    }

    #[test]
    fn parts_say_who_wrote_what() {
        let parts = normaliser().parts("NIP/GTB/MR ADA OBI LTD/SALARY 12", true);
        let parts: Vec<String> = parts.iter().map(|part| format!("{} {}", part.source, part.words)).collect();
        assert_eq!(parts, ["bank nip gtb", "name mr ada obi ltd", "remark salary"]);
        assert_eq!(normaliser().parts("SALARY 2026", true)[0].source.to_string(), "bank");
    }
}
