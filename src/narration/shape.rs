//! Finds the counterparty's name in a narration. Knows words only by their class.

use std::ops::Range;

use super::classes::Class;
use super::token::{Token, Tokens};
use super::{AfterKey, KEY_WORDS, NAME_LETTERS, READ_BYTES};

/// The places of a name's words in the narration, at most as many as a key has.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    places: [u16; KEY_WORDS],
    count: u16,
}

// Every byte that is read may be a word.
const _: () = assert!(READ_BYTES <= u16::MAX as usize);

impl Words {
    #[inline]
    fn push(&mut self, place: usize) {
        if let Some(free) = self.places.get_mut(usize::from(self.count)) {
            *free = place as u16;
            self.count += 1;
        }
    }

    fn iter<'t>(&self, tokens: &'t Tokens) -> impl Iterator<Item = &'t Token> {
        let places = self.places.into_iter().take(usize::from(self.count));
        places.filter_map(|place| tokens.list.get(usize::from(place)))
    }

    fn non_empty(self) -> Option<Self> {
        (self.count > 0).then_some(self)
    }
}

/// The side that the following words belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Not known yet.
    Open,
    /// The counterparty's: after `from` on a credit, after `to` on a debit.
    Counterparty,
    /// The account holder's, or a remark.
    Holder,
}

/// The key: the first name, else the forwarding firm, else the bank, else the remaining words.
pub(super) fn key(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    named(tokens, is_credit)
        .or_else(|| forwarder(tokens, is_credit))
        .or_else(|| bank(tokens, is_credit))
        .or_else(|| first_part_words(tokens, is_credit, is_content))
        .or_else(|| all_words(tokens, |class| !class.is(Class::NUMBER)))
}

/// What follows a key that is a single word in no list. A code may come before the name: `MOB/UTU/ADA OBI/FOOD`. Only
/// many narrations show whether it is a code.
#[inline]
pub(super) fn after_key(tokens: &Tokens, key: &Words, is_credit: bool) -> AfterKey {
    let place = usize::from(key.places[0]);
    let is_unknown = |token: &Token| token.class == Class::default();
    if key.count != 1 || !tokens.list.get(place).is_some_and(is_unknown) || is_ordered_differently(tokens.classes) {
        return AfterKey::Nothing;
    }
    let mut parts = parts(&tokens.list, place).skip(1).skip_while(|part| has_no_content(tokens, part));
    if !parts.next().is_some_and(|part| may_be_name(tokens, part, is_credit)) {
        return AfterKey::Nothing;
    }
    let mut rest = parts.flat_map(|part| tokens.list.get(part).unwrap_or_default());
    if rest.any(|token| !token.class.is(Class::NUMBER)) { AfterKey::NameAndMore } else { AfterKey::Name }
}

/// Whether the order of the parts does not lead to the name: terminals end with places, and `FRM` and `BY` mark names.
fn is_ordered_differently(classes: Class) -> bool {
    classes.is(Class::TERMINAL) || classes.is(Class::FRM) || (classes.is(Class::BY) && classes.is(Class::FORWARDER))
}

/// Whether a part has only numbers, channels, banks and the like, which may be between a code and a name.
fn has_no_content(tokens: &Tokens, part: &Range<usize>) -> bool {
    let part = tokens.list.get(part.clone()).unwrap_or_default();
    part.iter().all(|token| token.class.is(Class::NUMBER) || token.class.is(Class::WAY) || token.class.is(Class::WEAK))
}

/// Whether a part has two words or more, none of them a remark. Titles and legal forms count, because remarks have
/// neither.
fn may_be_name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> bool {
    let words = tokens.list.get(part.clone()).unwrap_or_default();
    let count = words.iter().filter(|token| !token.class.is(Class::NUMBER)).count();
    count > 1 && !words.iter().any(|token| token.class.is(Class::NEVER_NAME)) && name(tokens, part, is_credit).is_some()
}

/// The name when `code` is known to be a code.
pub(super) fn name_after_code(tokens: &mut Tokens, code: &str, is_credit: bool) -> Option<Words> {
    tokens.mark(code, Class::CHANNEL);
    named(tokens, is_credit)
}

/// The key as text.
pub(super) fn key_text(tokens: &Tokens, is_credit: bool) -> Option<String> {
    Some(text(tokens, &key(tokens, is_credit)?))
}

/// The key, but `None` if it would be only a bank or a channel: the money went through these, and the counterparty is
/// not named. At a terminal they are the counterparty.
pub(super) fn counterparty(tokens: &Tokens, is_credit: bool) -> Option<String> {
    let terminal = || all_words(tokens, |class| class.is(Class::TERMINAL));
    let unnamed = || match bank(tokens, is_credit) {
        Some(bank) => Some(bank).filter(|_| tokens.classes.is(Class::TERMINAL)),
        None => first_part_words(tokens, is_credit, is_content).or_else(terminal),
    };
    let found = named(tokens, is_credit).or_else(|| forwarder(tokens, is_credit)).or_else(unnamed)?;
    Some(text(tokens, &found))
}

/// The key of a cash deposit at a counter, which comes from no account, whoever pays it in. Such a narration begins
/// with the counter and mentions no channel.
pub(super) fn cash_deposit(tokens: &Tokens, is_credit: bool) -> Option<String> {
    let first = tokens.list.iter().find(|token| !token.class.is(Class::NUMBER))?;
    let is_cash = is_credit && first.class.is(Class::TERMINAL) && !tokens.classes.is(Class::CHANNEL);
    let words = all_words(tokens, |class| is_cash && class.is(Class::TERMINAL))?;
    Some(text(tokens, &words))
}

/// The account's holder, if the narration names both parties: the name that would be the counterparty if credit and
/// debit were swapped.
pub(super) fn account_holder(tokens: &Tokens, is_credit: bool) -> Option<String> {
    let [other, own] = [is_credit, !is_credit].map(|is_credit| named(tokens, is_credit));
    let (other, own) = (text(tokens, &other?), text(tokens, &own?));
    (own != other).then_some(own)
}

/// The first name at a place for names.
fn named(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    after_frm(tokens, is_credit)
        .or_else(|| payer_after_forwarder(tokens, is_credit))
        .or_else(|| name_in_parts(tokens, is_credit))
}

/// The name of the first part that has one. A bank that also lends may be first: in `NIP/CARBON/ADA OBI` it is the
/// sender's bank, but in `NIP/WEMA/CARBON` it is the sender.
fn name_in_parts(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let of_part = |(place, part)| Some((place, name(tokens, part, is_credit)?));
    let mut names = parts(&tokens.list, 0).enumerate().filter_map(of_part);
    let (place, first) = names.next()?;
    let lends =
        |name: &Words| name.iter(tokens).all(|token| token.class.is(Class::LENDING) || token.class.is(Class::BANK));
    let is_nip = tokens.list.first().is_some_and(|token| token.class.is(Class::NIP));
    if !(is_credit && is_nip && place == 1 && lends(&first)) {
        return Some(first);
    }
    names.map(|(_, name)| name).find(|name| !lends(name)).or(Some(first))
}

fn bank(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let is_bank = |class: Class| class.is(Class::BANK) && !class.is(Class::DROPPED);
    tokens.classes.is(Class::BANK).then(|| first_part_words(tokens, is_credit, is_bank))?
}

fn forwarder(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let is_forwarder = |class: Class| class.is(Class::FORWARDER);
    is_forwarder(tokens.classes).then(|| first_part_words(tokens, is_credit, is_forwarder))?
}

fn text(tokens: &Tokens, found: &Words) -> String {
    let mut text = String::new();
    write(tokens, found, &mut text);
    text
}

/// Appends the words to a text, separated by blanks.
pub(super) fn write(tokens: &Tokens, found: &Words, text: &mut String) {
    for (place, token) in found.iter(tokens).enumerate() {
        if place > 0 {
            text.push(' ');
        }
        text.push_str(tokens.word(token));
    }
}

/// The parts between strokes, from a word on.
fn parts(list: &[Token], mut from: usize) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let rest = list.get(from + 1..)?;
        let part = from..from + 1 + rest.iter().position(|next| next.opens).unwrap_or(rest.len());
        from = part.end;
        Some(part)
    })
}

/// Names in `123456 TRF/REMARK/FRM X TO Y` and `TRF FRM X TO Y |REMARK`. The remark may come first, so this looks for
/// `FRM`.
fn after_frm(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if !tokens.classes.is(Class::FRM)
        || tokens.list.iter().find(|token| !token.class.is(Class::NUMBER))?.class.is(Class::NIP)
    {
        return None;
    }
    let frm = tokens.list.iter().position(|token| token.class.is(Class::FRM))?;
    name(tokens, parts(&tokens.list, frm).next()?, is_credit)
}

/// The payer X in `NIP/ZENITH/Paystack/Salary payment for May 2026 By X`, where Paystack only forwards.
fn payer_after_forwarder(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if !tokens.classes.is(Class::BY) {
        return None;
    }
    let forwarder = tokens.list.iter().position(|token| token.class.is(Class::FORWARDER)).filter(|_| is_credit)?;
    let rest = tokens.list.get(forwarder..)?;
    let by = rest.iter().position(|token| token.class.is(Class::BY))?;
    name(tokens, parts(&tokens.list, forwarder + by).next()?, is_credit)
}

/// Visits the words of a part that do not belong to the account holder, up to the word that ends the name.
#[inline]
fn counterparty_words(part: &[Token], is_credit: bool, mut take: impl FnMut(usize, &Token)) {
    let mut side = Side::Open;
    let mut named = false;
    for (place, token) in part.iter().enumerate() {
        if token.class.is(Class::LINK) {
            if named {
                return;
            }
            side = if token.class.is(Class::BY) || token.class.is(if is_credit { Class::FROM } else { Class::TO }) {
                Side::Counterparty
            } else {
                Side::Holder
            };
        } else if side != Side::Holder {
            named |= !token.class.is(Class::DROPPED) && !token.class.is(Class::NAME_MONTH);
            take(place, token);
        }
    }
}

/// The name in a part, if there is one.
fn name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
    let (from, part) = (part.start, tokens.list.get(part)?);
    let mut words = Words::default();
    counterparty_words(part, is_credit, |place, token| {
        if !token.class.is(Class::DROPPED) && (!token.class.is(Class::NAME_MONTH) || is_given_name(part, place)) {
            words.push(from + place);
        }
    });
    while let 2.. = words.count {
        let last = tokens.list.get(usize::from(words.places[usize::from(words.count - 1)]))?;
        let places = last.class.is(Class::CODE) || last.class.is(Class::PLACE) && words.count > 2;
        if !(last.class.is(Class::NAME_MONTH) || places && tokens.classes.is(Class::TERMINAL)) {
            break;
        }
        words.count -= 1;
    }
    let strong = words.iter(tokens).filter(|token| !token.class.is(Class::WEAK));
    let letters: usize = strong.map(|token| tokens.letters(token)).sum();
    (letters >= NAME_LETTERS).then_some(words)
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

/// Whether a word is neither a channel, a terminal nor part of a date. Such words remain if nobody is named.
fn is_content(class: Class) -> bool {
    !class.is(Class::WAY) && !class.is(Class::NUMBER) && !class.is(Class::MONTH) && !class.is(Class::NAME_MONTH)
}

/// The wanted words of the first part that has any.
fn first_part_words(tokens: &Tokens, is_credit: bool, wanted: impl Fn(Class) -> bool) -> Option<Words> {
    parts(&tokens.list, 0).find_map(|part| {
        let (from, mut words) = (part.start, Words::default());
        counterparty_words(tokens.list.get(part)?, is_credit, |place, token| {
            if wanted(token.class) {
                words.push(from + place);
            }
        });
        words.non_empty()
    })
}

/// All wanted words.
fn all_words(tokens: &Tokens, wanted: impl Fn(Class) -> bool) -> Option<Words> {
    let mut words = Words::default();
    let places = tokens.list.iter().enumerate().filter(|(_, token)| wanted(token.class));
    places.for_each(|(place, _)| words.push(place));
    words.non_empty()
}
