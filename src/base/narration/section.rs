//! Finds a name in a part of a narration, or in the section of it behind a word such as `from`.

use std::ops::Range;

use super::classes::Class;
use super::limits::{KEY_WORDS, NAME_LETTERS, READ_BYTES};
use super::token::{Token, Tokens};

/// The places of a name's words in the narration, at most as many as a key has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    pub places: [u16; KEY_WORDS],
    pub count: u16,
}

// Every byte that is read may be a word.
const _: () = assert!(READ_BYTES <= u16::MAX as usize);

impl Words {
    #[inline]
    pub fn push(&mut self, place: usize) {
        if let Some(free) = self.places.get_mut(usize::from(self.count)) {
            *free = place as u16;
            self.count += 1;
        }
    }

    /// Whether the word at a place of the narration is one of them.
    pub fn has_place(&self, at: usize) -> bool {
        self.places.iter().take(usize::from(self.count)).any(|place| usize::from(*place) == at)
    }

    pub fn iter<'t>(&self, tokens: &'t Tokens) -> impl Iterator<Item = &'t Token> {
        let places = self.places.into_iter().take(usize::from(self.count));
        places.filter_map(|place| tokens.list.get(usize::from(place)))
    }

    pub fn non_empty(self) -> Option<Self> {
        (self.count > 0).then_some(self)
    }

    /// Whether it is a bank that also lends, and nothing more.
    pub fn lend(&self, tokens: &Tokens) -> bool {
        self.iter(tokens).all(|token| token.class.is(Class::LENDING) || token.class.is(Class::BANK))
    }

    /// Removes the bank at the beginning of `OPAY ADA OBI`, as banks print it after a channel, in a section that begins
    /// at `from`.
    #[inline]
    fn drop_bank(&mut self, tokens: &Tokens, from: usize, is_marked: bool) {
        let first = tokens.list.get(usize::from(self.places[0]));
        if self.count < 3 || !first.is_some_and(|token| token.class.is(Class::WHOLE_BANK)) {
            return;
        }
        let way = |range: Range<usize>| {
            tokens.list.get(range).unwrap_or_default().iter().any(|token| token.class.is(Class::WAY))
        };
        // The customer's bank before its channel: `FNB OB PMT ADA OBI`.
        let is_before_way = way(usize::from(self.places[0])..usize::from(self.places[1]));
        let is_after_way = is_marked || is_before_way || way(from..usize::from(self.places[0]));
        if !is_after_way || tokens.classes.is(Class::TERMINAL) {
            return;
        }
        let banks = self.iter(tokens).take_while(|token| token.class.is(Class::BANK)).count();
        if self.iter(tokens).skip(banks).filter(|token| !token.class.is(Class::WEAK)).count() > 1 {
            self.drop_first(banks);
        }
    }

    /// Removes the payer's or the payee's bank behind a name of two words: `FROM ADA OBI AXIS BANK`.
    #[inline]
    fn drop_last_bank(&mut self, tokens: &Tokens, mark: Mark) {
        if mark == Mark::None || self.count < 3 || tokens.classes.is(Class::TERMINAL) {
            return;
        }
        let is_bank = |place: &&u16| tokens.list.get(usize::from(**place)).is_some_and(|of| of.class.is(Class::BANK));
        let places = self.places.get(..usize::from(self.count)).unwrap_or_default();
        let banks = places.iter().rev().take_while(is_bank).count();
        let says_bank = self.iter(tokens).last().is_some_and(|token| tokens.word(token).ends_with("bank"));
        let strong = self.iter(tokens).filter(|token| !token.class.is(Class::WEAK)).count();
        if banks > 0 && says_bank && strong > 1 {
            self.count -= banks as u16;
        }
    }

    fn drop_first(&mut self, count: usize) {
        self.places.rotate_left(count);
        self.count -= count as u16;
    }

    /// Removes months and kinds of records at the end. At a terminal, also places and codes at the end, and the letter
    /// in `T ADA OBI`.
    #[inline]
    fn drop_ends(&mut self, tokens: &Tokens) {
        let is_terminal = tokens.classes.is(Class::TERMINAL);
        while self.count > 1 {
            let last = usize::from(self.places[usize::from(self.count) - 1]);
            let Some(class) = tokens.list.get(last).map(|token| token.class) else { break };
            let is_place = class.is(Class::CODE) || class.is(Class::PLACE) && self.count > 2;
            if !(class.is(Class::NAME_MONTH) || class.is(Class::HEADING) || is_terminal && is_place) {
                break;
            }
            self.count -= 1;
        }
        let letters = self.iter(tokens).next().map(|token| tokens.letters(token));
        let is_hyphened = self.iter(tokens).nth(1).is_some_and(|token| token.dashed);
        if is_terminal && letters == Some(1) && !is_hyphened && self.strong_letters(tokens) > NAME_LETTERS {
            self.drop_first(1);
        }
    }

    /// The letters of the words that are a name by themselves.
    #[inline]
    fn strong_letters(&self, tokens: &Tokens) -> usize {
        let strong = self.iter(tokens).filter(|token| !token.class.is(Class::WEAK));
        strong.map(|token| tokens.letters(token)).sum()
    }
}

/// What the word before a name says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// There is no such word.
    None,
    /// It is the payer of a credit.
    Payer,
    /// It is the payee of a debit, or who stands behind a bank.
    Payee,
}

/// The parts between strokes, from a word on.
pub(super) fn narration_parts(list: &[Token], mut from: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let rest = list.get(from + 1..)?;
        let part = from..from + 1 + rest.iter().position(|next| next.opens).unwrap_or(rest.len());
        from = part.end;
        Some(part)
    })
}

/// The name in a part, if there is one. What a word such as `from` marks as the counterparty's counts more than what is
/// before it, which may be a remark.
pub(super) fn find_name_in_part(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
    if !tokens.classes.is(Class::LINK) {
        return name_of_section(tokens, part, Mark::None);
    }
    marked_name(tokens, part.clone(), is_credit).or_else(|| {
        let words = tokens.list.get(part.clone())?;
        let end = words.iter().position(|token| token.class.is(Class::LINK)).unwrap_or(words.len());
        name_of_section(tokens, part.start..part.start + end, Mark::None)
    })
}

/// The first name in a part behind a word for the counterparty's side.
pub(super) fn marked_name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
    let (from, part) = (part.start, tokens.list.get(part)?);
    let side = Class::BY | if is_credit { Class::FROM } else { Class::TO };
    let other = Class::BY | if is_credit { Class::TO } else { Class::FROM };
    let mut links = part.iter().enumerate().filter(|(_, token)| token.class.is(Class::LINK)).peekable();
    while let Some((place, link)) = links.next() {
        let section = from + place + 1..from + links.peek().map_or(part.len(), |(next, _)| *next);
        let found = match link.class.is(side) {
            true => name_of_section(tokens, section, if is_credit { Mark::Payer } else { Mark::Payee }),
            false if link.class.is(other) => name_behind_bank(tokens, section),
            false => None,
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The counterparty in `TO HOLDER-BANK-NAME`: behind a bank between dashes.
fn name_behind_bank(tokens: &Tokens, section: Range<usize>) -> Option<Words> {
    let words = tokens.list.get(section.clone())?;
    let bank = words.iter().position(|token| token.dashed && token.class.is(Class::BANK))?;
    let name = bank + 1 + words.get(bank + 1..)?.iter().position(|token| token.dashed)?;
    let is_bank = words.get(bank..name)?.iter().all(|token| token.class.is(Class::BANK));
    name_of_section(tokens, section.start + name..section.end, Mark::Payee).filter(|_| is_bank && bank > 0)
}

/// The name in a section, which is a part without words that mark sides.
#[inline]
fn name_of_section(tokens: &Tokens, section: Range<usize>, mark: Mark) -> Option<Words> {
    let (from, part) = (section.start, tokens.list.get(section)?);
    if let [token] = part {
        let mut words = Words::default();
        words.push(from);
        let is_name = !token.class.is(Class::DROPPED) && !token.class.is(Class::WEAK);
        return (is_name && tokens.letters(token) >= NAME_LETTERS).then_some(words);
    }
    let mut words = match tokens.has_dashes || tokens.classes.is(Class::HEADING) {
        true => words_between_dashes(tokens, part, from, mark),
        false => Words::default(),
    };
    let mut letters = 0;
    if words.count > 0 {
        letters = words.strong_letters(tokens);
    } else {
        let mut strong = 0;
        for (place, token) in part.iter().enumerate() {
            // A phone or a reference behind a full name; what follows is a remark.
            if strong > 1 && token.class.is(Class::NUMBER) && !tokens.classes.is(Class::TERMINAL) {
                break;
            }
            if is_of_name(part, place, token) {
                strong += usize::from(!token.class.is(Class::WEAK));
                letters += if token.class.is(Class::WEAK) { 0 } else { tokens.letters(token) };
                words.push(from + place);
            }
        }
    }
    // Most sections are no names.
    if letters < NAME_LETTERS {
        return None;
    }
    let count = words.count;
    if count > 1 {
        words.drop_bank(tokens, from, mark != Mark::None);
        words.drop_last_bank(tokens, mark);
        words.drop_ends(tokens);
    }
    (words.count == count && usize::from(count) < KEY_WORDS || words.strong_letters(tokens) >= NAME_LETTERS)
        .then_some(words)
}

/// Whether a word may be of a name.
#[inline]
fn is_of_name(part: &[Token], place: usize, token: &Token) -> bool {
    !token.class.is(Class::DROPPED) && (!token.class.is(Class::NAME_MONTH) || is_given_name(part, place))
}

/// As above, without a bank before a dash, a kind of record before a channel, and what follows the dash behind a name.
fn words_between_dashes(tokens: &Tokens, part: &[Token], from: usize, mark: Mark) -> Words {
    let (mut words, mut strong) = (Words::default(), 0);
    for (place, token) in part.iter().enumerate() {
        if token.dashed && words.count > 0 {
            match strong {
                0 if mark != Mark::None || names_follow(part, place) => words = Words::default(),
                0 => {}
                // `ACH D- ACME MILLS`: the side, not an initial.
                1 if is_side_letter(tokens, part, place) => (words, strong) = Default::default(),
                // The sender's bank, which also lends.
                1 if mark == Mark::Payer && words.lend(tokens) && names_follow(part, place) => {
                    (words, strong) = Default::default()
                }
                1 if !is_bank_segment(part, place) => {}
                _ if words.strong_letters(tokens) >= NAME_LETTERS => break,
                _ => {}
            }
        }
        if is_of_name(part, place, token) {
            strong += usize::from(!token.class.is(Class::WEAK));
            words.push(from + place);
        } else if token.class.is(Class::WAY) && words.iter(tokens).all(|token| token.class.is(Class::HEADING)) {
            words = Words::default();
        }
    }
    words
}

/// Whether two words or more of a name follow, the first with a dash before it.
fn names_follow(part: &[Token], dash: usize) -> bool {
    let rest = part.get(dash..).unwrap_or_default();
    rest.iter().filter(|token| !token.class.is(Class::DROPPED) && !token.class.is(Class::WEAK)).count() > 1
}

/// Whether only a letter is between a channel and this dash.
fn is_side_letter(tokens: &Tokens, part: &[Token], dash: usize) -> bool {
    let [way, letter] = part.get(dash.saturating_sub(2)..dash).unwrap_or_default() else { return false };
    way.class.is(Class::WAY) && tokens.letters(letter) == 1
}

/// Whether only a bank is between this dash and the next.
fn is_bank_segment(part: &[Token], dash: usize) -> bool {
    let rest = part.get(dash..).unwrap_or_default();
    let end = rest.iter().skip(1).position(|token| token.dashed).map_or(rest.len(), |next| next + 1);
    rest.iter().take(end).all(|token| token.class.is(Class::BANK))
}

/// A month before a name is a given name, but not after a number or a remark.
fn is_given_name(part: &[Token], place: usize) -> bool {
    let before = place.checked_sub(1).and_then(|place| part.get(place));
    let dated = before.is_some_and(|token| {
        token.class.is(Class::NUMBER)
            || token.class.is(Class::REMARK)
            || token.class.is(Class::MONTH)
            || token.class.is(Class::NAME_MONTH)
    });
    let next = part.get(place + 1);
    !dated && next.is_some_and(|token| !token.class.is(Class::DROPPED) && !token.class.is(Class::WEAK))
}
