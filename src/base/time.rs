//! Times of day, timestamps and durations in ISO 8601, to the millisecond.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::date::{Day, IsoMoment, clock_at, parse_milliseconds};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// A local time of day.
///
/// ```
/// use lendwright::base::time::TimeOfDay;
/// let time = TimeOfDay::parse_iso("22:30").unwrap();
/// assert_eq!(time.to_string(), "22:30:00");
/// assert!(time < TimeOfDay::parse_iso("22:30:00.001").unwrap());
/// assert_eq!(TimeOfDay::parse_iso("24:00"), None);
/// assert_eq!(TimeOfDay::parse_iso("22:30Z"), None); // a time of day is in no zone
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeOfDay(i64);

impl TimeOfDay {
    /// Reads `HH:MM[:SS[.fraction]]`; digits below a millisecond are dropped.
    pub fn parse_iso(text: &str) -> Option<TimeOfDay> {
        match clock_at(text.as_bytes())? {
            (second, milliseconds, []) => Some(TimeOfDay(i64::from(second) * SECOND + i64::from(milliseconds))),
            _ => None,
        }
    }

    /// The time this many milliseconds after midnight; `None` outside of a day.
    pub fn from_milliseconds(milliseconds: i64) -> Option<TimeOfDay> {
        (0..DAY).contains(&milliseconds).then_some(TimeOfDay(milliseconds))
    }

    /// Milliseconds after midnight.
    pub const fn milliseconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:02}:{:02}:{:02}", self.0 / HOUR, self.0 % HOUR / MINUTE, self.0 % MINUTE / SECOND)?;
        match self.0 % SECOND {
            0 => Ok(()),
            rest => write!(out, ".{rest:03}"),
        }
    }
}

/// A moment in UTC, within the range of [`Day`].
///
/// ```
/// use lendwright::base::time::Timestamp;
/// let moment = Timestamp::parse_iso("2026-06-30T22:30:00+01:00").unwrap();
/// assert_eq!(moment.to_string(), "2026-06-30T21:30:00Z");
/// assert_eq!(Timestamp::parse_iso("2026-06-30T22:30:00"), None); // where?
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Reads a day, `T` and a time of day, then `Z` or an offset such as `+01:00`.
    pub fn parse_iso(text: &str) -> Option<Timestamp> {
        let moment = IsoMoment::parse(text)?;
        moment.time.and(moment.offset)?;
        Timestamp::from_milliseconds(moment.utc_milliseconds())
    }

    /// The moment this many milliseconds after 1970-01-01T00:00:00Z; `None` outside the range of [`Day`].
    pub fn from_milliseconds(milliseconds: i64) -> Option<Timestamp> {
        let day = i32::try_from(milliseconds.div_euclid(DAY)).ok()?;
        Day::checked_from_days(day).map(|_| Timestamp(milliseconds))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn milliseconds(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let day = i32::try_from(self.0.div_euclid(DAY)).expect("INVARIANT: a timestamp is in the range of days");
        let day = Day::from_days(day);
        write!(out, "{day}T{}Z", TimeOfDay(self.0.rem_euclid(DAY)))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        Timestamp::parse_iso(&text).ok_or_else(|| de::Error::custom("not a moment such as 2026-06-30T21:30:00Z"))
    }
}

/// A duration in days, hours, minutes and seconds. A day has 24 hours.
///
/// ```
/// use lendwright::base::time::Duration;
/// let duration = Duration::parse_iso("PT90M").unwrap();
/// assert_eq!(duration.to_string(), "PT1H30M");
/// assert_eq!(duration.in_words(), "1 h 30 min");
/// assert_eq!(Duration::parse_iso("P1M"), None); // a month has no length of its own
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

impl Duration {
    /// Reads `P2DT3H4M5.6S`, with at least one part and an optional `-` in front.
    pub fn parse_iso(text: &str) -> Option<Duration> {
        let (negative, rest) = after_sign(text)?;
        let (days, clock) = rest.split_once('T').map_or((rest, None), |(days, clock)| (days, Some(clock)));
        let (days, after_days) = parts(days.as_bytes(), &[(b'D', DAY)])?;
        let (hours, after_hours) = parts(clock.unwrap_or("").as_bytes(), &[(b'H', HOUR), (b'M', MINUTE)])?;
        let seconds = if after_hours.is_empty() { None } else { Some(parse_second_part(after_hours)?) };
        let is_empty = hours.is_none() && seconds.is_none();
        if !after_days.is_empty() || is_empty && (clock.is_some() || days.is_none()) {
            return None;
        }
        let mut sum = 0i64;
        for part in [days, hours, seconds].into_iter().flatten() {
            sum = sum.checked_add(part)?;
        }
        Some(Duration(if negative { -sum } else { sum }))
    }

    /// A duration of this many milliseconds.
    pub const fn from_milliseconds(milliseconds: i64) -> Duration {
        Duration(milliseconds)
    }

    /// The duration in milliseconds.
    pub const fn milliseconds(self) -> i64 {
        self.0
    }

    /// Days, hours, minutes, and the remaining milliseconds, without the sign.
    fn to_parts(self) -> [u64; 4] {
        let [day, hour, minute] = [DAY, HOUR, MINUTE].map(i64::unsigned_abs);
        let all = self.0.unsigned_abs();
        [all / day, all % day / hour, all % hour / minute, all % minute]
    }

    /// For people: `2 d 3 h`.
    pub fn in_words(self) -> String {
        let [days, hours, minutes, rest] = self.to_parts();
        let parts = [(days, "d"), (hours, "h"), (minutes, "min")].into_iter().filter(|(count, _)| *count > 0);
        let mut words: Vec<String> = parts.map(|(count, unit)| format!("{count} {unit}")).collect();
        if rest > 0 || words.is_empty() {
            words.push(format!("{} s", in_seconds(rest)));
        }
        format!("{}{}", if self.0 < 0 { "-" } else { "" }, words.join(" "))
    }
}

impl fmt::Display for Duration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [days, hours, minutes, rest] = self.to_parts();
        out.write_str(if self.0 < 0 { "-P" } else { "P" })?;
        if days > 0 {
            write!(out, "{days}D")?;
        }
        if hours + minutes + rest > 0 || days == 0 {
            out.write_str("T")?;
        }
        for (count, unit) in [(hours, 'H'), (minutes, 'M')] {
            if count > 0 {
                write!(out, "{count}{unit}")?;
            }
        }
        if rest > 0 || self.0 == 0 {
            write!(out, "{}S", in_seconds(rest))?;
        }
        Ok(())
    }
}

/// The number of months in `P1Y6M`, with an optional `-` in front.
///
/// ```
/// # use lendwright::base::time::months;
/// assert_eq!(months("P1Y6M"), Some(18));
/// assert_eq!(months("P30D"), None);
/// ```
pub fn months(text: &str) -> Option<i64> {
    let (negative, rest) = after_sign(text)?;
    match parts(rest.as_bytes(), &[(b'Y', 12), (b'M', 1)])? {
        (Some(months), []) => Some(if negative { -months } else { months }),
        _ => None,
    }
}

fn after_sign(text: &str) -> Option<(bool, &str)> {
    match text.strip_prefix('-') {
        Some(rest) => rest.strip_prefix('P').map(|rest| (true, rest)),
        None => text.strip_prefix('P').map(|rest| (false, rest)),
    }
}

/// The sum of `3H4M`, with each unit at most once and in order, and the rest of the text. The sum is `None` if no unit
/// is present.
fn parts<'t>(text: &'t [u8], units: &[(u8, i64)]) -> Option<(Option<i64>, &'t [u8])> {
    let (mut sum, mut rest) = (None, text);
    for (letter, length) in units {
        let digits = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        if digits > 0 && rest.get(digits) == Some(letter) {
            let count = parse_whole_number(&rest[..digits])?;
            sum = Some(count.checked_mul(*length)?.checked_add(sum.unwrap_or(0))?);
            rest = &rest[digits + 1..];
        }
    }
    Some((sum, rest))
}

/// Milliseconds of `5S` or `5.6S`, with nothing after it.
fn parse_second_part(text: &[u8]) -> Option<i64> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).filter(|digits| *digits > 0)?;
    let whole = parse_whole_number(&text[..digits])?.checked_mul(SECOND)?;
    match &text[digits..] {
        [b'S'] => Some(whole),
        [b'.' | b',', rest @ ..] => match parse_milliseconds(rest)? {
            (milliseconds, [b'S']) => whole.checked_add(i64::from(milliseconds)),
            _ => None,
        },
        _ => None,
    }
}

fn parse_whole_number(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn in_seconds(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    if rest == 0 { seconds.to_string() } else { format!("{seconds}.{rest:03}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_and_written() {
        for (text, written) in [
            ("P1D", "P1D"),
            ("PT36H", "P1DT12H"),
            ("PT0S", "PT0S"),
            ("P0D", "PT0S"),
            ("-PT5M", "-PT5M"),
            ("P1DT2H3M4.5678S", "P1DT2H3M4.567S"),
            ("PT0.25S", "PT0.250S"),
        ] {
            assert_eq!(Duration::parse_iso(text).map(|found| found.to_string()).as_deref(), Some(written), "{text}");
        }
        for wrong in
            ["", "P", "PT", "P1DT", "1H", "PT1", "PT5M3H", "P1M", "P1Y", "P1H", "PT1.S", "P99999999999999D", "PT-1H"]
        {
            assert_eq!(Duration::parse_iso(wrong), None, "{wrong}");
        }
        assert_eq!(Duration::from_milliseconds(i64::MIN).to_parts()[0], i64::MIN.unsigned_abs() / DAY as u64);
        assert_eq!(Duration::from_milliseconds(-90_061_500).in_words(), "-1 d 1 h 1 min 1.500 s");
        for wrong in ["P", "P1D", "P1M1Y", "PT1M", "P1.5Y", "5"] {
            assert_eq!(months(wrong), None, "{wrong}");
        }
        assert_eq!((months("-P2Y"), months("P0M")), (Some(-24), Some(0)));
    }
}
