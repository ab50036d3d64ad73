//! `:61:`, one entry: `6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]`.

use crate::base::date::Day;
use crate::statement::formats::exact::Exact;
use crate::statement::formats::text_lines::shorten_for_message;

/// A statement line. What banks write beside the standard is read where only one meaning is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StatementLine<'t> {
    pub(super) value_date: Day,
    pub(super) entry_date: Option<Day>,
    /// Above 0 for a credit, and for a debit that is reversed.
    pub(super) amount: Exact,
    /// Announced, but not booked: `EC` and `ED`.
    pub(super) is_expected: bool,
    /// `NTRF`.
    pub(super) kind: &'t str,
    pub(super) reference: &'t str,
    pub(super) bank_reference: &'t str,
    /// What follows a reference that blanks fill up to its 16 letters.
    pub(super) rest: &'t str,
}

impl StatementLine<'_> {
    /// The day on which the entry counts: that of the booking, or else the value date.
    pub(super) fn day(&self) -> Day {
        self.entry_date.unwrap_or(self.value_date)
    }
}

/// Characters of a reference, and of the account number that some banks write in its place.
const REFERENCE: usize = 16;
const REFERENCE_MAX: usize = 35;

/// An entry is booked at most so many days from its value date. The entry date has no year.
const BOOKED_WITHIN: u32 = 183;

/// Reads the first line of the field. The error says what is wrong.
pub(super) fn statement_line(text: &str) -> Result<StatementLine<'_>, String> {
    let (value, rest) = text.split_at_checked(6).ok_or("the value date is missing; it is YYMMDD")?;
    let value_date = short_date(value)?;
    let (entry_date, rest) = match rest.split_at_checked(4) {
        Some((entry, rest)) if entry.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(nearest_booking_day(value_date, entry)?), rest)
        }
        Some(("    ", rest)) => (None, rest),
        _ => (None, rest),
    };
    let (is_credit, is_expected, rest) = read_debit_mark(rest)?;
    let rest = rest.strip_prefix(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(rest);
    let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != ',').unwrap_or(rest.len());
    let (digits, rest) = rest.split_at(digits);
    let amount = read_comma_amount(digits)?;
    let (kind, rest) = rest.split_at_checked(4).filter(|(kind, _)| is_kind(kind)).ok_or_else(|| {
        "after the amount a type such as `NTRF` is missing: a letter and three letters or digits".to_owned()
    })?;
    let (reference, bank_reference, rest) = split_references(rest)?;
    Ok(StatementLine {
        value_date,
        entry_date,
        amount: if is_credit { amount } else { amount.negated() },
        is_expected,
        kind: kind.trim_end(),
        reference,
        bank_reference,
        rest,
    })
}

/// A day as `YYMMDD`: from 80 on of 19xx, else of 20xx.
pub(super) fn short_date(text: &str) -> Result<Day, String> {
    let number = |at: std::ops::Range<usize>| -> Option<u32> {
        text.get(at).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
    };
    let read = || {
        let (year, month, day) = (number(0..2)?, number(2..4)?, number(4..6)?);
        let year = if year >= 80 { 1900 + year } else { 2000 + year };
        Day::from_ymd(i32::try_from(year).ok()?, month, day)
    };
    let day = if text.len() == 6 { read() } else { None };
    day.ok_or_else(|| format!("`{}` is not a day written YYMMDD", shorten_for_message(text)))
}

/// The day `MMDD` that is nearest to the value date. Entries are booked across the turn of the year too.
fn nearest_booking_day(value: Day, text: &str) -> Result<Day, String> {
    let (month, day) = text.split_at_checked(2).unwrap_or((text, ""));
    let (month, day) = (month.parse().unwrap_or(0), day.parse().unwrap_or(0));
    let year = value.ymd().0;
    let days = [year - 1, year, year + 1].into_iter().filter_map(|year| Day::from_ymd(year, month, day));
    let distance = |day: &Day| day.days().abs_diff(value.days());
    days.min_by_key(distance)
        .filter(|day| distance(day) <= BOOKED_WITHIN)
        .ok_or_else(|| format!("the entry date `{text}` is not a day written MMDD near the value date"))
}

/// Whether money comes in, and whether it is only expected. The reversal of a credit takes it back.
fn read_debit_mark(text: &str) -> Result<(bool, bool, &str), String> {
    let marks = [
        ("RC", false, false),
        ("RD", true, false),
        ("EC", true, true),
        ("ED", false, true),
        ("C", true, false),
        ("D", false, false),
    ];
    let found = marks
        .into_iter()
        .find_map(|(mark, is_credit, is_expected)| text.strip_prefix(mark).map(|rest| (is_credit, is_expected, rest)));
    found.ok_or_else(|| "after the dates one of C, D, RC, RD, EC and ED is missing".to_owned())
}

/// An amount with its decimal comma. A point or no comma at all could hide lost digits.
pub(super) fn read_comma_amount(digits: &str) -> Result<Exact, String> {
    Exact::read(digits, ',').filter(|_| digits.contains(',')).ok_or_else(|| {
        format!(
            "`{}` is not an amount: up to 15 digits with a decimal comma, such as `12,50` or `12,`",
            shorten_for_message(digits)
        )
    })
}

/// A letter and three letters or digits. Three blanks stand for none.
fn is_kind(kind: &str) -> bool {
    let is_code = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    match kind.split_at_checked(1) {
        Some((letter, code)) => {
            letter.bytes().all(|byte| byte.is_ascii_uppercase()) && (code == "   " || code.bytes().all(is_code))
        }
        None => false,
    }
}

/// The customer's reference, the bank's, and what follows a reference that is filled up with blanks.
fn split_references(text: &str) -> Result<(&str, &str, &str), String> {
    if let Some((reference, bank)) = text.split_once("//") {
        return Ok((require_short_reference(reference)?, require_short_reference(bank)?, ""));
    }
    let end = text.char_indices().nth(REFERENCE).map_or(text.len(), |(end, _)| end);
    match text.split_at_checked(end) {
        Some((reference, rest)) if reference.ends_with(' ') => Ok((reference.trim(), "", rest.trim())),
        _ => Ok((require_short_reference(text)?, "", "")),
    }
}

fn require_short_reference(reference: &str) -> Result<&str, String> {
    let reference = reference.trim();
    if reference.chars().count() > REFERENCE_MAX {
        return Err(format!("a reference has more than {REFERENCE_MAX} characters; it has up to {REFERENCE}"));
    }
    Ok(reference)
}
