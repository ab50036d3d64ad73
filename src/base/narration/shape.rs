//! Finds the counterparty's name in a narration. Knows words only by their class.

use std::ops::Range;

use super::classes::Class;
use super::codes::Codes;
use super::section::{Words, find_name_in_part, marked_name, narration_parts};
use super::token::{Token, Tokens};
use super::{AfterKey, CODE_WORDS};

/// The side that the following words belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartySide {
    /// Not known yet.
    Open,
    /// The counterparty's: after `from` on a credit, after `to` on a debit.
    Counterparty,
    /// The account holder's, or a remark.
    Holder,
}

/// The key: the first name, else the forwarding firm, else the bank, else the remaining words. Also returns whether it
/// is a name.
pub(super) fn counterparty_key(tokens: &Tokens, is_credit: bool) -> Option<(Words, bool)> {
    let fee = find_fee_payee(tokens, is_credit);
    if fee.is_none()
        && let Some(name) = find_placed_name(tokens, is_credit)
    {
        return Some((name, true));
    }
    Some((fee.or_else(|| words_without_name(tokens, is_credit))?, false))
}

/// What is the key where no one is named.
fn words_without_name(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    find_forwarding_firm(tokens, is_credit)
        .or_else(|| find_bank_words(tokens, is_credit))
        .or_else(|| first_part_words(tokens, is_credit, is_content))
        .or_else(|| all_words(tokens, |class| class.is(Class::WAY)))
        .or_else(|| all_words(tokens, |class| class.is(Class::LINK) && !class.is(Class::NUMBER)))
        .or_else(|| all_words(tokens, |class| !class.is(Class::NUMBER)))
        .or_else(|| all_words(tokens, |class| class.is(Class::ASIDE)))
}

/// What a bank takes for a transfer, as in `COMM NIP TRANSFER TO X` and `QTM X COMM & VAT`. Whoever is named was paid
/// by the transfer.
#[inline]
fn find_fee_payee(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if is_credit || !tokens.classes.is(Class::FEE) || !tokens.classes.is(Class::WAY) {
        return None;
    }
    let is_fee = |token: &Token| token.class.is(Class::FEE);
    let first = tokens.list.iter().position(|token| !token.class.is(Class::NUMBER))?;
    let part = narration_parts(&tokens.list, first).next()?;
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
    let mut parts = narration_parts(&tokens.list, last).skip(1);
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
    is_name.then(|| find_name_in_part(tokens, part, is_credit))?
}

/// The name when `codes` are known to be codes.
pub(super) fn name_after_codes(tokens: &mut Tokens, codes: &Codes<'_>, is_credit: bool) -> Option<Words> {
    tokens.mark(codes, Class::CHANNEL);
    find_placed_name(tokens, is_credit)
}

/// The key as text.
pub(super) fn key_text(tokens: &Tokens, is_credit: bool) -> Option<String> {
    Some(text(tokens, &counterparty_key(tokens, is_credit)?.0))
}

/// The key, but `None` if it would be only a bank or a channel: the money went through these, and the counterparty is
/// not named. At a terminal they are the counterparty.
pub(super) fn counterparty_name(tokens: &Tokens, is_credit: bool) -> Option<String> {
    let terminal = || all_words(tokens, |class| class.is(Class::TERMINAL));
    let unnamed = || match find_bank_words(tokens, is_credit) {
        Some(bank) => Some(bank).filter(|_| tokens.classes.is(Class::TERMINAL)),
        None => first_part_words(tokens, is_credit, is_content).or_else(terminal),
    };
    let found = find_fee_payee(tokens, is_credit)
        .or_else(|| find_placed_name(tokens, is_credit))
        .or_else(|| find_forwarding_firm(tokens, is_credit))
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
fn find_placed_name(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let has_links = tokens.classes.is(Class::LINK);
    let linked = if has_links { name_by_links(tokens, is_credit) } else { None };
    linked
        .or_else(|| name_before_bank(tokens, is_credit))
        .or_else(|| name_in_parts(tokens, is_credit))
        .or_else(|| name_of_reversal(tokens, is_credit))
}

/// The payer of what is taken back: `REV APP PAYMENT FROM ADA OBI` on a debit, where nobody else is named.
fn name_of_reversal(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let first = tokens.list.iter().find(|token| !token.class.is(Class::NUMBER))?;
    let marked = |part| marked_name(tokens, part, !is_credit);
    first.class.is(Class::BACK).then(|| narration_parts(&tokens.list, 0).find_map(marked))?
}

/// The name in `UPI/12345/rent/NAME/BANK` and `IMPS/12345/NAME/BANK/rent`: last before the bank, or last of all without
/// a bank. A number comes first; `UPI/NAME/...` has the name at once.
fn name_before_bank(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if !tokens.classes.is(Class::LATE) || !tokens.list.first().is_some_and(|token| token.class.is(Class::LATE)) {
        return None;
    }
    let all = |part: &Range<usize>, class: Class| {
        tokens.list.get(part.clone()).unwrap_or_default().iter().all(|token| token.class.is(class))
    };
    let mut parts = narration_parts(&tokens.list, 0).skip_while(|part| all(part, Class::WAY));
    if !all(&parts.next()?, Class::NUMBER) {
        return None;
    }
    let before = parts.take_while(|part| !all(part, Class::BANK | Class::NUMBER) || all(part, Class::NUMBER));
    before.filter_map(|part| find_name_in_part(tokens, part, is_credit)).last()
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
pub(super) fn both_sides(tokens: &Tokens, is_credit: bool) -> Option<(Words, Words)> {
    if !(tokens.classes.is(Class::FROM) && tokens.classes.is(Class::TO)) {
        return None;
    }
    let names = |part: Range<usize>| {
        Some((marked_name(tokens, part.clone(), is_credit)?, marked_name(tokens, part, !is_credit)?))
    };
    let differ = |(other, own): &(Words, Words)| other.places != own.places;
    narration_parts(&tokens.list, 0).filter_map(names).find(differ)
}

/// The payee in `MOBILE TRF TO GTB/REMARK/NAME`: if only the bank is behind `TO`, the name comes last.
fn behind_bank(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if is_credit || !tokens.classes.is(Class::TO) {
        return None;
    }
    let to = tokens.list.iter().position(|token| token.class.is(Class::TO))?;
    let mut parts = narration_parts(&tokens.list, 0).skip_while(|part| part.end <= to);
    let payee = parts.next()?;
    // `TO TRANSFER-UPI/...`: a channel is no bank.
    let is_channel = |part: &[Token]| !part.is_empty() && part.iter().all(|token| token.class.is(Class::CHANNEL));
    if tokens.list.get(to + 1..payee.end).is_some_and(is_channel)
        || find_name_in_part(tokens, payee, is_credit).is_some()
    {
        return None;
    }
    parts.filter_map(|part| find_name_in_part(tokens, part, is_credit)).last()
}

/// The name of the first part that has one. A bank that also lends may be first: in `NIP/CARBON/ADA OBI` and `TRF FROM
/// CARBON/ADA OBI` it is the sender's bank, but in `NIP/WEMA/CARBON` it is the sender.
fn name_in_parts(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let of_part =
        |(place, part): (usize, Range<usize>)| Some((place, part.end, find_name_in_part(tokens, part, is_credit)?));
    let mut names = narration_parts(&tokens.list, 0).enumerate().filter_map(of_part);
    let (place, end, first) = names.next()?;
    if !(is_credit && tokens.classes.is(Class::LENDING) && first.lend(tokens)) {
        return Some(first);
    }
    let person = match tokens.list.first().is_some_and(|token| token.class.is(Class::NIP)) {
        true if place == 1 => names.map(|(_, _, name)| name).find(|name| !name.lend(tokens)),
        false if tokens.classes.is(Class::FROM) => {
            narration_parts(&tokens.list, end).next().and_then(|part| possible_name(tokens, part, is_credit))
        }
        _ => None,
    };
    person.or(Some(first))
}

fn find_bank_words(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let is_bank = |class: Class| class.is(Class::BANK) && !class.is(Class::DROPPED);
    tokens.classes.is(Class::BANK).then(|| first_part_words(tokens, is_credit, is_bank))?
}

fn find_forwarding_firm(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    let is_forwarder = |class: Class| class.is(Class::FORWARDER);
    is_forwarder(tokens.classes).then(|| first_part_words(tokens, is_credit, is_forwarder))?
}

fn text(tokens: &Tokens, found: &Words) -> String {
    let mut text = String::new();
    append_found_words(tokens, found, &mut text);
    text
}

/// Appends the words to a text, separated by blanks.
pub(super) fn append_found_words(tokens: &Tokens, found: &Words, text: &mut String) {
    for (place, token) in found.iter(tokens).enumerate() {
        if place > 0 {
            text.push(' ');
        }
        text.push_str(tokens.word(token));
    }
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
    find_name_in_part(tokens, narration_parts(&tokens.list, frm).next()?, is_credit)
}

/// The payer X in `NIP/ZENITH/Paystack/Salary payment for May 2026 By X`, where Paystack only forwards.
fn payer_after_forwarder(tokens: &Tokens, is_credit: bool) -> Option<Words> {
    if !tokens.classes.is(Class::BY) {
        return None;
    }
    let forwarder = tokens.list.iter().position(|token| token.class.is(Class::FORWARDER)).filter(|_| is_credit)?;
    let rest = tokens.list.get(forwarder..)?;
    let by = rest.iter().position(|token| token.class.is(Class::BY))?;
    find_name_in_part(tokens, narration_parts(&tokens.list, forwarder + by).next()?, is_credit)
}

/// Visits the words of a part that do not belong to the account holder, up to the word that ends the name.
#[inline]
fn counterparty_words(part: &[Token], is_credit: bool, mut take: impl FnMut(usize, &Token)) {
    let mut side = PartySide::Open;
    let mut named = false;
    for (place, token) in part.iter().enumerate() {
        if token.class.is(Class::LINK) {
            if named {
                return;
            }
            side = if token.class.is(Class::BY) || token.class.is(if is_credit { Class::FROM } else { Class::TO }) {
                PartySide::Counterparty
            } else {
                PartySide::Holder
            };
        } else if side != PartySide::Holder {
            named |= !token.class.is(Class::DROPPED) && !token.class.is(Class::NAME_MONTH);
            take(place, token);
        }
    }
}

/// Whether a word is neither a channel, a terminal nor part of a date. Such words remain if nobody is named.
fn is_content(class: Class) -> bool {
    !class.is(Class::WAY) && !class.is(Class::NUMBER) && !class.is(Class::MONTH) && !class.is(Class::NAME_MONTH)
}

/// The wanted words of the first part that has any.
fn first_part_words(tokens: &Tokens, is_credit: bool, wanted: impl Fn(Class) -> bool) -> Option<Words> {
    narration_parts(&tokens.list, 0).find_map(|part| {
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
