//! Finds the counterparty's name in a narration. Knows words only by their class.

use std::ops::Range;

use super::classes::Class;
use super::token::{Token, Tokens};
use super::{AfterKey, CODE_WORDS, KEY_WORDS, NAME_LETTERS, READ_BYTES};

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

    /// Whether it is a bank that also lends, and nothing more.
    fn lend(&self, tokens: &Tokens) -> bool {
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
        let before = tokens.list.get(from..usize::from(self.places[0])).unwrap_or_default();
        let is_after_way = is_marked || before.iter().any(|token| token.class.is(Class::WAY));
        if !is_after_way || tokens.classes.is(Class::TERMINAL) {
            return;
        }
        let banks = self.iter(tokens).take_while(|token| token.class.is(Class::BANK)).count();
        if self.iter(tokens).skip(banks).filter(|token| !token.class.is(Class::WEAK)).count() > 1 {
            self.drop_first(banks);
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

/// The key: the first name, else the forwarding firm, else the bank, else the remaining words.
pub(super) fn key(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    fee(tokens, is_credit)
        .or_else(|| named(tokens, is_credit))
        .or_else(|| forwarder(tokens, is_credit))
        .or_else(|| bank(tokens, is_credit))
        .or_else(|| first_part_words(tokens, is_credit, is_content))
        .or_else(|| all_words(tokens, |class| class.is(Class::WAY)))
        .or_else(|| all_words(tokens, |class| class.is(Class::LINK) && !class.is(Class::NUMBER)))
        .or_else(|| all_words(tokens, |class| !class.is(Class::NUMBER)))
}

/// What a bank takes for a transfer, as in `COMM NIP TRANSFER TO X` and `QTM X COMM & VAT`. Whoever is named was paid
/// by the transfer.
#[inline]
fn fee(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if is_credit || !tokens.classes.is(Class::FEE) || !tokens.classes.is(Class::WAY) {
        return None;
    }
    let is_fee = |token: &Token| token.class.is(Class::FEE);
    let first = tokens.list.iter().position(|token| !token.class.is(Class::NUMBER))?;
    let part = parts(&tokens.list, first).next()?;
    let words = tokens.list.get(part)?;
    let pair = words.windows(2).position(|pair| pair.iter().all(is_fee));
    let from = if words.first().is_some_and(is_fee) { Some(0) } else { pair }?;
    let mut fees = Words::default();
    let run = words.iter().enumerate().skip(from).take_while(|(_, token)| is_fee(token));
    run.for_each(|(place, _)| fees.push(first + place));
    Some(fees)
}

/// What follows a key whose words are in no list. A code may come before the name: `MOB/UTU/ADA OBI/FOOD`. Only many
/// narrations show whether it is a code. Words that may be codes too can come between: `MOB/UTU/ZAP/ADA OBI`.
#[inline]
pub(super) fn after_key(tokens: &Tokens, key: &Words, is_credit: bool) -> AfterKey {
    let last = usize::from(key.places[usize::from(key.count.clamp(1, CODE_WORDS)) - 1]);
    if key.count > CODE_WORDS || last + 1 >= tokens.list.len() || is_ordered_differently(tokens.classes) {
        return AfterKey::Nothing;
    }
    // Most narrations end here: a code of several words is followed by another part of several words.
    let rest = tokens.list.get(last + 1..).unwrap_or_default();
    let is_short = |next: usize| rest.get(next + 1).is_none_or(|token| token.opens);
    if key.count > 1 && rest.iter().position(|token| token.opens).is_none_or(is_short)
        || !key.iter(tokens).all(|token| token.class == Class::default())
    {
        return AfterKey::Nothing;
    }
    let mut parts = parts(&tokens.list, last).skip(1);
    let may_be_code = |part: &Range<usize>| key.count == 1 && is_one_word(tokens, part);
    let Some(part) = parts.find(|part| !has_no_content(tokens, part) && !may_be_code(part)) else {
        return AfterKey::Nothing;
    };
    let Some(name) = possible_name(tokens, part, is_credit) else { return AfterKey::Nothing };
    let words = name.iter(tokens).flat_map(|token| tokens.word(token).bytes().chain([b' ']));
    let digest = words.fold(0xcbf2_9ce4, |digest: u32, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let mut rest = parts.flat_map(|part| tokens.list.get(part).unwrap_or_default());
    match rest.any(|token| !token.class.is(Class::NUMBER)) {
        true => AfterKey::NameAndMore(digest),
        false => AfterKey::Name(digest),
    }
}

/// Whether a part is one word that no list has, perhaps with numbers.
fn is_one_word(tokens: &Tokens, part: &Range<usize>) -> bool {
    let mut words = tokens.list.get(part.clone()).unwrap_or_default().iter();
    words.by_ref().find(|token| !token.class.is(Class::NUMBER)).is_some_and(|token| token.class == Class::default())
        && words.all(|token| token.class.is(Class::NUMBER))
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

/// The name in a part of two words or more, none of them a remark. Titles and legal forms count, because remarks have
/// neither.
fn possible_name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
    let words = tokens.list.get(part.clone())?;
    let count = words.iter().filter(|token| !token.class.is(Class::NUMBER)).count();
    let is_name = count > 1 && !words.iter().any(|token| token.class.is(Class::NEVER_NAME));
    is_name.then(|| name(tokens, part, is_credit))?
}

/// The name when `codes` are known to be codes.
pub(super) fn name_after_codes<'c>(
    tokens: &mut Tokens,
    codes: impl Iterator<Item = &'c str>,
    is_credit: bool,
) -> Option<Words> {
    codes.for_each(|code| tokens.mark(code, Class::CHANNEL));
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
    let found = fee(tokens, is_credit)
        .or_else(|| named(tokens, is_credit))
        .or_else(|| forwarder(tokens, is_credit))
        .or_else(unnamed)?;
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

/// The account's holder, if the narration names both parties.
pub(super) fn account_holder(tokens: &Tokens, is_credit: bool) -> Option<String> {
    let (other, own) = both_sides(tokens, is_credit)?;
    let (other, own) = (text(tokens, &other), text(tokens, &own));
    (own != other).then_some(own)
}

/// The first name at a place for names.
fn named(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let has_links = tokens.classes.is(Class::LINK);
    let linked = if has_links { name_by_links(tokens, is_credit) } else { None };
    linked.or_else(|| name_in_parts(tokens, is_credit))
}

/// The name where words such as `from` and `to` decide.
fn name_by_links(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    after_frm(tokens, is_credit)
        .or_else(|| payer_after_forwarder(tokens, is_credit))
        .or_else(|| Some(both_sides(tokens, is_credit).filter(|_| !is_nip(tokens))?.0))
        .or_else(|| behind_bank(tokens, is_credit))
}

/// Whether the narration begins with `NIP`, so that the name has a fixed place.
fn is_nip(tokens: &Tokens) -> bool {
    let first = tokens.list.iter().find(|token| !token.class.is(Class::NUMBER));
    first.is_some_and(|token| token.class.is(Class::NIP))
}

/// The counterparty and the account's holder, in the first part that names both: `FROM X TO Y`.
fn both_sides(tokens: &Tokens, is_credit: bool) -> Option<(Words, Words)> {
    if !(tokens.classes.is(Class::FROM) && tokens.classes.is(Class::TO)) {
        return None;
    }
    let names = |part: Range<usize>| {
        Some((marked_name(tokens, part.clone(), is_credit)?, marked_name(tokens, part, !is_credit)?))
    };
    let differ = |(other, own): &(Words, Words)| other.places != own.places;
    parts(&tokens.list, 0).filter_map(names).find(differ)
}

/// The payee in `MOBILE TRF TO GTB/REMARK/NAME`: if only the bank is behind `TO`, the name comes last.
fn behind_bank(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if is_credit || !tokens.classes.is(Class::TO) {
        return None;
    }
    let to = tokens.list.iter().position(|token| token.class.is(Class::TO))?;
    let mut parts = parts(&tokens.list, 0).skip_while(|part| part.end <= to);
    if name(tokens, parts.next()?, is_credit).is_some() {
        return None;
    }
    parts.filter_map(|part| name(tokens, part, is_credit)).last()
}

/// The name of the first part that has one. A bank that also lends may be first: in `NIP/CARBON/ADA OBI` and `TRF FROM
/// CARBON/ADA OBI` it is the sender's bank, but in `NIP/WEMA/CARBON` it is the sender.
fn name_in_parts(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let of_part = |(place, part): (usize, Range<usize>)| Some((place, part.end, name(tokens, part, is_credit)?));
    let mut names = parts(&tokens.list, 0).enumerate().filter_map(of_part);
    let (place, end, first) = names.next()?;
    if !(is_credit && tokens.classes.is(Class::LENDING) && first.lend(tokens)) {
        return Some(first);
    }
    let person = match tokens.list.first().is_some_and(|token| token.class.is(Class::NIP)) {
        true if place == 1 => names.map(|(_, _, name)| name).find(|name| !name.lend(tokens)),
        false if tokens.classes.is(Class::FROM) => {
            parts(&tokens.list, end).next().and_then(|part| possible_name(tokens, part, is_credit))
        }
        _ => None,
    };
    person.or(Some(first))
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

/// The name in a part, if there is one. What a word such as `from` marks as the counterparty's counts more than what is
/// before it, which may be a remark.
fn name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
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
fn marked_name(tokens: &Tokens, part: Range<usize>, is_credit: bool) -> Option<Words> {
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
        for (place, token) in part.iter().enumerate() {
            if is_of_name(part, place, token) {
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
