//! Declared date patterns, such as `DD/MM/YYYY hh:mm`. One pattern reads all dates of a column; nothing is guessed row
//! by row.

use crate::base::date::{Day, IsoMoment, split_serial_second};
use crate::statement::cells::month_names::MonthNames;

/// How the dates of a column are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The pattern as declared.
    text: String,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Parts {
        parts: Vec<DatePatternPart>,
        /// How many digits a date has, if it has nothing else.
        digits: Option<usize>,
        century: Century,
        months: MonthNames,
    },
    /// Serial days of a spreadsheet.
    Serial(Calendar),
    /// An ISO date or moment that names its day as it is written, whatever its offset.
    IsoDay,
}

/// The first day of a spreadsheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Calendar {
    From1900,
    From1904,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DatePatternPart {
    Year4,
    Year2,
    MonthName,
    /// With two digits, or else one or two.
    Month {
        is_long: bool,
    },
    Day {
        is_long: bool,
    },
    /// The hour may always lack its leading zero.
    Hour,
    Minute,
    Second,
    /// `AM` or `PM`.
    Half,
    /// The name of a weekday, which is not read.
    Weekday,
    Same(char),
}

/// The parts by their letters. Of those that begin alike, the longest is first.
const PARTS: [(&str, DatePatternPart); 21] = [
    ("YYYY", DatePatternPart::Year4),
    ("YY", DatePatternPart::Year2),
    ("MMMM", DatePatternPart::MonthName),
    ("MMM", DatePatternPart::MonthName),
    ("MM", DatePatternPart::Month { is_long: true }),
    ("M", DatePatternPart::Month { is_long: false }),
    ("DDDD", DatePatternPart::Weekday),
    ("dddd", DatePatternPart::Weekday),
    ("DDD", DatePatternPart::Weekday),
    ("ddd", DatePatternPart::Weekday),
    ("DD", DatePatternPart::Day { is_long: true }),
    ("D", DatePatternPart::Day { is_long: false }),
    ("hh", DatePatternPart::Hour),
    ("HH", DatePatternPart::Hour),
    ("h", DatePatternPart::Hour),
    ("H", DatePatternPart::Hour),
    ("mm", DatePatternPart::Minute),
    ("ss", DatePatternPart::Second),
    ("AM/PM", DatePatternPart::Half),
    ("AM", DatePatternPart::Half),
    ("PM", DatePatternPart::Half),
];

/// The century of years that are written with two digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Century {
    /// No century was declared, so two digits are not enough.
    #[default]
    Undeclared,
    /// Every year is of this century, such as 1900.
    Fixed(i32),
    /// Years from this one on are 19xx, the others 20xx.
    Pivot(i32),
}

impl Pattern {
    /// Parses a pattern. The error says what is wrong with it.
    pub(crate) fn parse(text: &str, century: Century, months: &MonthNames) -> Result<Pattern, String> {
        let form = match text.to_ascii_lowercase().as_str() {
            "excel" | "excel 1900" => Form::Serial(Calendar::From1900),
            "excel 1904" => Form::Serial(Calendar::From1904),
            "iso day" => Form::IsoDay,
            _ => {
                let parts = parse_pattern_parts(text)?;
                check_pattern_parts(text, &parts, century)?;
                let digits = parts.iter().map(|part| part.digits()).sum();
                Form::Parts { parts, digits, century, months: months.clone() }
            }
        };
        Ok(Pattern { text: text.to_owned(), form })
    }

    /// The pattern as declared.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether a moment counts by the day that is written, not by the local one.
    pub(crate) fn is_day_as_written(&self) -> bool {
        self.form == Form::IsoDay
    }

    /// The day that a text names, and the second of that day. Blanks around it do not count.
    pub(crate) fn read(&self, text: &str) -> Option<(Day, i64)> {
        let text = text.trim();
        match &self.form {
            Form::Parts { parts, century, months, .. } => read_parts(parts, *century, months, text),
            Form::Serial(calendar) => calendar.read(text),
            Form::IsoDay => {
                let moment = IsoMoment::parse(text)?;
                let day = Day::parse_iso(text.get(..10)?)?;
                // 24:00 ends the day that is written.
                let second = if moment.written == day { moment.time.map_or(0, |(second, _)| second) } else { 86_399 };
                Some((day, i64::from(second)))
            }
        }
    }

    /// The day of a whole number: a serial day, or digits after restoring leading zeros: 102 is 000102 under `YYMMDD`.
    pub(crate) fn read_number(&self, number: i128) -> Option<(Day, i64)> {
        match &self.form {
            Form::Parts { digits: Some(width), .. } if number >= 0 => self.read(&format!("{number:0width$}")),
            Form::Serial(_) => self.read(&number.to_string()),
            Form::Parts { .. } | Form::IsoDay => None,
        }
    }

    /// Whether a number with decimals is a moment.
    pub(crate) fn reads_fractions(&self) -> bool {
        matches!(self.form, Form::Serial(_))
    }
}

impl DatePatternPart {
    /// How many digits it always has, if it has nothing else.
    fn digits(self) -> Option<usize> {
        match self {
            DatePatternPart::Year4 => Some(4),
            DatePatternPart::Year2
            | DatePatternPart::Month { is_long: true }
            | DatePatternPart::Day { is_long: true } => Some(2),
            DatePatternPart::Hour | DatePatternPart::Minute | DatePatternPart::Second => Some(2),
            DatePatternPart::Month { is_long: false } | DatePatternPart::Day { is_long: false } => None,
            DatePatternPart::MonthName
            | DatePatternPart::Half
            | DatePatternPart::Weekday
            | DatePatternPart::Same(_) => None,
        }
    }
}

fn parse_pattern_parts(text: &str) -> Result<Vec<DatePatternPart>, String> {
    const MADE_OF: &str =
        "a pattern is made of YYYY or YY, MM or M, MMM for names, DD or D, hh, mm, ss, AM and separators";
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let known = PARTS.iter().find(|(name, _)| rest.starts_with(name));
        let length = match known {
            Some((name, part)) => {
                parts.push(*part);
                name.len()
            }
            None if first == '\'' => {
                let quoted = rest.get(1..).and_then(|rest| rest.split_once('\''));
                let Some((quoted, _)) = quoted else {
                    return Err(format!("date pattern `{text}` has a quote that is not closed"));
                };
                parts.extend(if quoted.is_empty() { "'" } else { quoted }.chars().map(DatePatternPart::Same));
                quoted.len() + 2
            }
            None if first.is_alphanumeric() => {
                let help = match first {
                    'y' => "years are YYYY or YY".to_owned(),
                    'd' => "days are DD or D".to_owned(),
                    'm' => "minutes are mm, months are MM or M".to_owned(),
                    _ => format!("{MADE_OF}; put other letters in quotes: '{first}'"),
                };
                return Err(format!("date pattern `{text}` has `{first}`; {help}"));
            }
            None => {
                parts.push(DatePatternPart::Same(first));
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    Ok(parts)
}

/// Refuses a pattern that lacks a part, has one twice, or would read a text in two ways.
fn check_pattern_parts(text: &str, parts: &[DatePatternPart], century: Century) -> Result<(), String> {
    let count = |is_wanted: fn(&DatePatternPart) -> bool| parts.iter().filter(|part| is_wanted(part)).count();
    let short_years = count(|part| *part == DatePatternPart::Year2);
    let years = short_years + count(|part| *part == DatePatternPart::Year4);
    let months = count(|part| matches!(part, DatePatternPart::Month { .. } | DatePatternPart::MonthName));
    let days = count(|part| matches!(part, DatePatternPart::Day { .. }));
    let [hours, minutes, seconds, halves] =
        [DatePatternPart::Hour, DatePatternPart::Minute, DatePatternPart::Second, DatePatternPart::Half]
            .map(|wanted| parts.iter().filter(|p| **p == wanted).count());
    if minutes > 0 && hours == 0 {
        return Err(format!("date pattern `{text}` has minutes (mm) without hours (hh); months are MM"));
    }
    if years != 1 || months != 1 || days != 1 {
        return Err(format!(
            "date pattern `{text}` needs a year (YYYY or YY), a month (MM, M or MMM) and a day (DD or D), each once"
        ));
    }
    if [hours, minutes, seconds, halves].iter().any(|count| *count > 1) || seconds > minutes || halves > hours {
        return Err(format!("date pattern `{text}` needs hh before mm, ss and AM, each once at most"));
    }
    let is_open = |pair: &&[DatePatternPart]| match pair {
        [DatePatternPart::Month { is_long: false } | DatePatternPart::Day { is_long: false }, next] => {
            next.digits().is_some()
                || matches!(next, DatePatternPart::Month { .. } | DatePatternPart::Day { .. })
                || matches!(next, DatePatternPart::Same(same) if same.is_ascii_digit())
        }
        _ => false,
    };
    if parts.windows(2).any(|pair| is_open(&pair)) {
        return Err(format!(
            "date pattern `{text}` has M or D with digits behind it, so nobody can tell where it ends; write MM or DD"
        ));
    }
    if short_years == 1 && century == Century::Undeclared {
        return Err(format!(
            "date pattern `{text}` has years of two digits; declare `century = 1900` or `pivot = 70` beside it"
        ));
    }
    Ok(())
}

/// The date and time by the parts of a pattern.
fn read_parts(parts: &[DatePatternPart], century: Century, months: &MonthNames, text: &str) -> Option<(Day, i64)> {
    let mut rest = text;
    let (mut year, mut month, mut day) = (0, 0, 0);
    let (mut hour, mut minute, mut second, mut is_afternoon) = (0, 0, 0, None);
    for (at, part) in parts.iter().enumerate() {
        match part {
            DatePatternPart::Year4 => year = take_pattern_number(&mut rest, 4, 4)? as i32,
            DatePatternPart::Year2 => year = century.year(take_pattern_number(&mut rest, 2, 2)? as i32)?,
            DatePatternPart::Month { is_long } => {
                month = take_pattern_number(&mut rest, if *is_long { 2 } else { 1 }, 2)?
            }
            DatePatternPart::Day { is_long } => day = take_pattern_number(&mut rest, if *is_long { 2 } else { 1 }, 2)?,
            DatePatternPart::Hour => {
                let is_fixed = parts.get(at + 1).is_some_and(|next| next.digits().is_some());
                hour = take_pattern_number(&mut rest, if is_fixed { 2 } else { 1 }, 2)?;
            }
            DatePatternPart::Minute => minute = take_pattern_number(&mut rest, 2, 2).filter(|minute| *minute < 60)?,
            DatePatternPart::Second => second = take_pattern_number(&mut rest, 2, 2).filter(|second| *second < 60)?,
            DatePatternPart::MonthName => {
                (month, rest) = months.take(rest)?;
                rest = without_point(rest, parts.get(at + 1));
            }
            DatePatternPart::Weekday => {
                let after = rest.trim_start_matches(char::is_alphabetic);
                if after.len() == rest.len() {
                    return None;
                }
                rest = without_point(after, parts.get(at + 1));
            }
            DatePatternPart::Half => is_afternoon = Some(take_am_or_pm(&mut rest)?),
            DatePatternPart::Same(same) if is_space(*same) => {
                let after = rest.trim_start_matches(is_space);
                if after.len() == rest.len() {
                    return None;
                }
                rest = after;
            }
            DatePatternPart::Same(same) => rest = rest.strip_prefix(*same)?,
        }
    }
    let hour = match (is_afternoon, hour) {
        (Some(false), 12) => 0,
        (Some(true), 1..=11) => hour + 12,
        (Some(true), 0) | (Some(false), 13..) => return None,
        _ => hour,
    };
    if !rest.is_empty() || hour > 23 {
        return None;
    }
    Some((Day::from_ymd(year, month, day)?, i64::from(hour * 3_600 + minute * 60 + second)))
}

/// Removes from `rest` a number of so many digits.
fn take_pattern_number(rest: &mut &str, least: usize, most: usize) -> Option<u32> {
    let digits = rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
    let (number, after) = rest.split_at_checked(digits).filter(|_| digits >= least)?;
    *rest = after;
    Some(number.bytes().fold(0, |number, byte| number * 10 + u32::from(byte - b'0')))
}

/// Removes `AM` or `PM` from `rest`, also `a.m.`. True for the afternoon.
fn take_am_or_pm(rest: &mut &str) -> Option<bool> {
    for (word, is_afternoon) in [("am", false), ("a.m.", false), ("pm", true), ("p.m.", true)] {
        if let Some((start, after)) = rest.split_at_checked(word.len())
            && start.eq_ignore_ascii_case(word)
        {
            *rest = after;
            return Some(is_afternoon);
        }
    }
    None
}

/// The rest without the point that shortens a name, unless the pattern has one there.
fn without_point<'t>(rest: &'t str, next: Option<&DatePatternPart>) -> &'t str {
    if next == Some(&DatePatternPart::Same('.')) { rest } else { rest.strip_prefix('.').unwrap_or(rest) }
}

/// A blank of any kind. Programs write several where a number is short, and no-break ones before `AM`.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

impl Calendar {
    /// The day of a serial number, and the second that its decimals give.
    fn read(self, text: &str) -> Option<(Day, i64)> {
        let (whole, decimals) = text.split_once('.').map_or((text, ""), |(whole, decimals)| (whole, decimals));
        let is_number = !whole.is_empty()
            && text.len() <= 32
            && whole.bytes().chain(decimals.bytes()).all(|byte| byte.is_ascii_digit());
        if !is_number || text.ends_with('.') {
            return None;
        }
        let serial: i32 = whole.parse().ok()?;
        let days = match self {
            // This calendar has a 29 February 1900, which there never was.
            Calendar::From1900 if serial == 60 || serial == 0 => return None,
            Calendar::From1900 if serial < 60 => serial.checked_sub(25_568)?,
            Calendar::From1900 => serial.checked_sub(25_569)?,
            Calendar::From1904 => serial.checked_sub(24_107)?,
        };
        let (whole, second) = split_serial_second(format!("0.{decimals}0").parse().ok()?);
        Some((Day::checked_from_days(days.checked_add(whole)?)?, second))
    }
}

impl Century {
    fn year(self, two_digits: i32) -> Option<i32> {
        match self {
            Century::Undeclared => None,
            Century::Fixed(century) => Some(century + two_digits),
            Century::Pivot(pivot) => Some(if two_digits >= pivot { 1900 + two_digits } else { 2000 + two_digits }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, text: &str) -> Option<String> {
        let pattern = Pattern::parse(pattern, Century::Pivot(70), &MonthNames::default()).expect(pattern);
        let (day, second) = pattern.read(text)?;
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        Some(format!("{day} {hour:02}:{minute:02}:{second:02}"))
    }

    #[test]
    fn a_pattern_reads_what_it_says_and_nothing_else() {
        for (pattern, text, day) in [
            ("YYMMDD", "930105", "1993-01-05 00:00:00"),
            ("YYMMDD", "000105", "2000-01-05 00:00:00"),
            ("DD/MM/YYYY", "05/03/2024", "2024-03-05 00:00:00"),
            ("DD/MM/YYYY", " 05/03/2024\u{a0}", "2024-03-05 00:00:00"),
            ("DD-MMM-YYYY", "02-Mar-2026", "2026-03-02 00:00:00"),
            ("DD-MMM-YYYY", "02-MARCH-2026", "2026-03-02 00:00:00"),
            ("DDMMMYYYY", "02mar2026", "2026-03-02 00:00:00"),
            ("D MMMM YYYY", "2 September 2026", "2026-09-02 00:00:00"),
            ("D MMM. YYYY", "2 Sept. 2026", "2026-09-02 00:00:00"),
            ("D MMM YYYY", "2 Sept. 2026", "2026-09-02 00:00:00"),
            ("MMM D, YYYY", "Mar  2, 2026", "2026-03-02 00:00:00"),
            ("ddd, D MMM YYYY", "Mon, 2 Mar 2026", "2026-03-02 00:00:00"),
            ("D/M/YYYY", "2/3/2026", "2026-03-02 00:00:00"),
            ("D/M/YYYY", "12/11/2026", "2026-11-12 00:00:00"),
            ("D/M/YYYY", "02/03/2026", "2026-03-02 00:00:00"),
            ("D/M/YYYY hh:mm", "2/3/2026 14:22", "2026-03-02 14:22:00"),
            ("DD/MM/YYYY H:mm", "02/03/2026 9:05", "2026-03-02 09:05:00"),
            ("YYYYMMDDhhmmss", "20260302142233", "2026-03-02 14:22:33"),
            ("YYYY-MM-DD'T'hh:mm:ss", "2026-03-02T14:22:33", "2026-03-02 14:22:33"),
            ("MM/DD/YYYY hh:mm AM/PM", "03/02/2026 2:22 PM", "2026-03-02 14:22:00"),
            ("MM/DD/YYYY hh:mm AM", "03/02/2026 12:22\u{202f}a.m.", "2026-03-02 00:22:00"),
            ("MM/DD/YYYY hh:mmAM", "03/02/2026 12:22pm", "2026-03-02 12:22:00"),
            ("EXCEL", "46083", "2026-03-02 00:00:00"),
            ("excel", "46083.599305556", "2026-03-02 14:23:00"),
            ("EXCEL", "46083.999999", "2026-03-02 23:59:59"),
            ("EXCEL", "1", "1900-01-01 00:00:00"),
            ("EXCEL", "59", "1900-02-28 00:00:00"),
            ("EXCEL", "61", "1900-03-01 00:00:00"),
            ("EXCEL 1904", "44621", "2026-03-02 00:00:00"),
            ("ISO day", "2026-03-01T00:00:00.000Z", "2026-03-01 00:00:00"),
            ("ISO day", "2026-03-01T23:30:00-05:00", "2026-03-01 23:30:00"),
            ("ISO day", "2026-03-01T24:00:00Z", "2026-03-01 23:59:59"),
            ("ISO day", "2026-03-01", "2026-03-01 00:00:00"),
        ] {
            assert_eq!(read(pattern, text).as_deref(), Some(day), "{pattern}: {text}");
        }
        for (pattern, text) in [
            ("DD/MM/YYYY", "05-03-2024"),
            ("DD/MM/YYYY", "2/3/2026"),
            ("DD/MM/YYYY", "02/03/2026 14:22"),
            ("DD/MM/YYYY", "02/03/26"),
            ("D/M/YYYY", "112/3/2026"),
            ("D/M/YYYY", "2/13/2026"),
            ("D/M/YYYY", "/3/2026"),
            ("YYYYMMDD", "20240230"),
            ("YYYYMMDD", "202402281"),
            ("DD-MMM-YYYY", "02-Mrz-2026"),
            ("DD-MMM-YYYY", "02-03-2026"),
            ("DD-MMM-YYYY", "02-Marz-2026"),
            ("D/M/YYYY hh:mm", "2/3/2026 24:00"),
            ("D/M/YYYY hh:mm", "2/3/2026 14:60"),
            ("D/M/YYYY hh:mm", "2/3/2026 14:2"),
            ("D/M/YYYY hh:mm AM", "2/3/2026 13:22 AM"),
            ("D/M/YYYY hh:mm AM", "2/3/2026 0:22 PM"),
            ("D/M/YYYY hh:mm AM", "2/3/2026 2:22"),
            ("YYYYMMDDhhmmss", "2026030291500"),
            ("EXCEL", "60"),
            ("EXCEL", "0"),
            ("EXCEL", "-5"),
            ("EXCEL", "46083."),
            ("EXCEL", "46083,5"),
            ("EXCEL", "20260302"),
            ("EXCEL", "4.6e4"),
            ("EXCEL", "2026-03-02"),
            ("EXCEL", ""),
            ("ISO day", "02/03/2026"),
            ("ISO day", "2026-03-01T25:00:00Z"),
        ] {
            assert_eq!(read(pattern, text), None, "{pattern}: {text}");
        }
    }

    #[test]
    fn numbers_are_dates_with_leading_zeros_or_serial_days() {
        let parse = |text: &str| Pattern::parse(text, Century::Fixed(1900), &MonthNames::default()).expect(text);
        let day = |year, month, day| Day::from_ymd(year, month, day).map(|day| (day, 0));
        assert_eq!(parse("YYMMDD").read_number(102), day(1900, 1, 2));
        assert_eq!(parse("YYMMDD").read_number(-930_101), None);
        assert_eq!(parse("DD/MM/YY").read_number(930_101), None);
        assert_eq!(parse("EXCEL").read_number(46_083), day(2026, 3, 2));
        assert_eq!(parse("ISO day").read_number(20_260_302), None);
    }

    #[test]
    fn a_wrong_pattern_is_explained() {
        for (pattern, what) in [
            ("YYMMDD", "has years of two digits; declare `century = 1900` or `pivot = 70` beside it"),
            ("MM-DD", "needs a year (YYYY or YY), a month (MM, M or MMM) and a day (DD or D), each once"),
            ("DD/MM/YYYY DD", "each once"),
            ("dd/MM/YYYY", "has `d`; days are DD or D"),
            ("DD/mm/YYYY", "has minutes (mm) without hours (hh); months are MM"),
            ("DD/MM/yyyy", "has `y`; years are YYYY or YY"),
            ("DMYYYY", "nobody can tell where it ends"),
            ("YYYY-MM-DDT00:00", "has `T`; a pattern is made of"),
            ("YYYY-MM-DD'T", "has a quote that is not closed"),
            ("YYYY-MM-DD hh:ss", "needs hh before mm, ss and AM"),
            ("YYYY-MM-DD AM", "needs hh before mm, ss and AM"),
        ] {
            let wrong = Pattern::parse(pattern, Century::Undeclared, &MonthNames::default()).expect_err(pattern);
            assert!(wrong.starts_with(&format!("date pattern `{pattern}` ")) && wrong.contains(what), "{wrong}");
        }
    }
}
