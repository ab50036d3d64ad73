//! Which pattern all dates of a column are written in, and the days that they then are.

use super::grid::{CellKind, FileCell};
use super::months::{self, MonthNames};
use crate::base::date::{Day, IsoMoment};

/// Years that a statement may be of.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=2099;
/// Two digits of a year from this one on are of the last century.
pub(crate) const PIVOT: u32 = 70;
/// Serial days of spreadsheets from 1990 to 2063, and the day they count from.
const SERIALS: std::ops::RangeInclusive<i32> = 32_874..=59_900;
const SERIAL_EPOCH: i32 = -25_569;
/// Days from the epoch of 1900 to that of 1904.
const TO_1904: i32 = 1_462;

/// The order of day, month and year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DateOrder {
    Day,
    Month,
    Year,
}

/// How a column may be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DateReading {
    /// The pattern of a columns file; `None` for ISO and for days that the file has as days.
    pub(crate) pattern: Option<String>,
    pub(crate) order: DateOrder,
    pub(crate) two_digit_years: bool,
    pub(crate) months: Option<MonthNames>,
    /// The day of each cell; `None` where it is blank.
    pub(crate) days: Vec<Option<i32>>,
    /// The time of the day of each cell, in seconds, if it is written.
    pub(crate) seconds: Vec<Option<u32>>,
}

/// A field of a written date.
#[derive(Clone, Debug, PartialEq, Eq)]
enum DateField {
    Digits(String),
    Word(String),
}

/// A written date in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct DateParts {
    fields: [DateField; 3],
    gaps: [String; 2],
    /// What follows, as a pattern such as ` hh:mm:ss`.
    time: String,
    second: Option<u32>,
}

/// Whether a cell is written like a date: three parts, or a day of the file.
pub(crate) fn looks_like_date(cell: &FileCell) -> bool {
    match cell.kind {
        CellKind::Day => true,
        CellKind::Number | CellKind::Uncalculated => false,
        CellKind::Text if IsoMoment::parse(cell.trimmed()).is_some() => true,
        CellKind::Text => split_written_date(cell.trimmed()).is_some_and(|written| {
            let one = [Some(written)];
            [DateOrder::Day, DateOrder::Month, DateOrder::Year]
                .into_iter()
                .any(|order| read_in_order(&one, order).is_some())
        }),
    }
}

/// Every reading of one date: its pattern and its day.
pub(crate) fn readings_of_one(text: &str) -> Vec<(String, i32)> {
    let cell = FileCell::text(text);
    let readings = possible_date_readings(&[&cell], false, DateContext::default());
    let day = |reading: DateReading| Some((reading.pattern.unwrap_or_default(), (*reading.days.first()?)?));
    readings.into_iter().filter_map(day).collect()
}

/// What is known beside the cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DateContext {
    /// Whether the workbook counts its days from 1904.
    pub(crate) is_1904: bool,
    pub(crate) today: Option<i32>,
}

/// All readings under which every filled cell is a day. `is_named` says that the column's name is one of dates, so that
/// bare digits count too.
pub(crate) fn possible_date_readings(cells: &[&FileCell], is_named: bool, context: DateContext) -> Vec<DateReading> {
    let filled: Vec<&&FileCell> = cells.iter().filter(|cell| !cell.is_blank()).collect();
    if filled.is_empty() {
        return Vec::new();
    }
    if filled.iter().all(|cell| cell.kind == CellKind::Day || IsoMoment::parse(cell.trimmed()).is_some()) {
        return vec![iso_reading(cells, &filled)];
    }
    if filled.iter().all(|cell| cell.trimmed().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')) && is_named {
        let digits = without_scattered(digit_readings(cells, &filled, context.is_1904), context.today);
        if !digits.is_empty() {
            return digits;
        }
    }
    if filled.iter().any(|cell| cell.kind != CellKind::Text) {
        return Vec::new();
    }
    let written: Option<Vec<Option<DateParts>>> = cells
        .iter()
        .map(|cell| if cell.is_blank() { Some(None) } else { split_written_date(cell.trimmed()).map(Some) })
        .collect();
    let Some(written) = written else { return Vec::new() };
    let orders = [DateOrder::Day, DateOrder::Month, DateOrder::Year];
    let readings = orders.into_iter().filter_map(|order| read_in_order(&written, order)).collect();
    without_scattered(readings, context.today)
}

/// Drops readings of two-digit years that scatter the days over years, if another keeps them together: `02-03-26` and
/// `17-03-26` are of one month, not of 2002 and 2017. Years of a long history in their order are no such scatter, and
/// days in the future are no better reading.
fn without_scattered(readings: Vec<DateReading>, today: Option<i32>) -> Vec<DateReading> {
    const TOGETHER: i32 = 2 * 366;
    const HISTORY: i32 = 6 * 366;
    let days = |reading: &DateReading| reading.days.iter().flatten().copied().collect::<Vec<i32>>();
    let is_scattered = |reading: &DateReading| {
        let days = days(reading);
        let span = days.iter().max().zip(days.iter().min()).map_or(0, |(last, first)| last - first);
        let is_ordered = days.is_sorted() || days.is_sorted_by(|one, next| one >= next);
        reading.two_digit_years && (span > HISTORY || span > TOGETHER && !is_ordered)
    };
    let is_future = |reading: &DateReading| days(reading).iter().any(|day| today.is_some_and(|today| *day > today + 1));
    // Nobody writes a year of two digits before the name of a month.
    let is_odd =
        |reading: &DateReading| reading.two_digit_years && reading.months.is_some() && reading.order == DateOrder::Year;
    let (odd, readings): (Vec<DateReading>, Vec<DateReading>) = readings.into_iter().partition(is_odd);
    if readings.is_empty() {
        return odd;
    }
    let has_better = readings.iter().any(|reading| !is_scattered(reading) && !is_future(reading));
    readings.into_iter().filter(|reading| !has_better || !is_scattered(reading)).collect()
}

fn iso_reading(cells: &[&FileCell], filled: &[&&FileCell]) -> DateReading {
    let moments = |cell: &&FileCell| IsoMoment::parse(cell.trimmed());
    let is_midnight = |cell: &&&FileCell| {
        moments(cell).is_some_and(|moment| matches!(moment.time, Some((0, 0))) && moment.offset.is_some())
    };
    DateReading {
        // Midnights with a zone are days that a program wrote as moments.
        pattern: filled.iter().all(is_midnight).then(|| "ISO day".to_owned()),
        order: DateOrder::Year,
        two_digit_years: false,
        months: None,
        days: cells.iter().map(|cell| moments(cell).map(|moment| moment.written.days())).collect(),
        seconds: cells.iter().map(|cell| moments(cell)?.time.map(|(second, _)| second)).collect(),
    }
}

/// Readings of bare digits: eight or six of them, or the serial days of a spreadsheet.
fn digit_readings(cells: &[&FileCell], filled: &[&&FileCell], is_1904: bool) -> Vec<DateReading> {
    let read = |pattern: &str, order: DateOrder, day: &dyn Fn(&str) -> Option<i32>| {
        let days: Option<Vec<Option<i32>>> =
            cells.iter().map(|cell| if cell.is_blank() { Some(None) } else { day(cell.trimmed()).map(Some) }).collect();
        Some(DateReading {
            pattern: Some(pattern.to_owned()),
            order,
            two_digit_years: !pattern.contains("YYYY") && !pattern.starts_with("EXCEL"),
            months: None,
            seconds: vec![None; cells.len()],
            days: days?,
        })
    };
    let lengths = |wanted: usize| filled.iter().all(|cell| cell.trimmed().len() == wanted);
    let number = |text: &str, from: usize, to: usize| text.get(from..to)?.parse::<u32>().ok();
    // Where year, month and day begin, by pattern.
    let patterns: &[(&str, DateOrder, [usize; 3])] = if lengths(8) {
        &[
            ("YYYYMMDD", DateOrder::Year, [0, 4, 6]),
            ("DDMMYYYY", DateOrder::Day, [4, 2, 0]),
            ("MMDDYYYY", DateOrder::Month, [4, 0, 2]),
        ]
    } else if lengths(6) {
        &[
            ("YYMMDD", DateOrder::Year, [0, 2, 4]),
            ("DDMMYY", DateOrder::Day, [4, 2, 0]),
            ("MMDDYY", DateOrder::Month, [4, 0, 2]),
        ]
    } else {
        &[]
    };
    if !patterns.is_empty() {
        let in_pattern = |(pattern, order, [year, month, date]): &(&str, DateOrder, [usize; 3])| {
            let digits = pattern.len() - 4;
            let day_of = |text: &str| {
                let written = number(text, *year, year + digits)?;
                let year = if digits == 2 { full_year(written) } else { written as i32 };
                day_number_in_range(year, number(text, *month, month + 2)?, number(text, *date, date + 2)?)
            };
            read(pattern, *order, &day_of)
        };
        return patterns.iter().filter_map(in_pattern).collect();
    }
    let serial = |text: &str| {
        let whole: i32 = text.split('.').next()?.parse().ok()?;
        let shift = if is_1904 { TO_1904 } else { 0 };
        SERIALS.contains(&(whole + shift)).then_some(whole + shift + SERIAL_EPOCH)
    };
    read(if is_1904 { "EXCEL 1904" } else { "EXCEL" }, DateOrder::Year, &serial).into_iter().collect()
}

fn day_number_in_range(year: i32, month: u32, day: u32) -> Option<i32> {
    YEARS.contains(&year).then(|| Day::from_ymd(year, month, day).map(Day::days))?
}

fn full_year(two_digits: u32) -> i32 {
    if two_digits >= PIVOT { 1900 + two_digits as i32 } else { 2000 + two_digits as i32 }
}

/// Takes a date apart: three fields with gaps, then perhaps a time.
fn split_written_date(text: &str) -> Option<DateParts> {
    let mut rest = text;
    let mut fields = Vec::with_capacity(3);
    let mut gaps = Vec::with_capacity(2);
    loop {
        let first = rest.chars().next()?;
        let is_digit = first.is_ascii_digit();
        let end = rest
            .find(|other: char| if is_digit { !other.is_ascii_digit() } else { !other.is_alphabetic() })
            .unwrap_or(rest.len());
        let (field, after) = rest.split_at(end);
        fields.push(match is_digit {
            true if matches!(field.len(), 1 | 2 | 4) => DateField::Digits(field.to_owned()),
            false if months::is_month(field) => DateField::Word(field.to_owned()),
            _ => return None,
        });
        rest = after;
        if fields.len() == 3 {
            break;
        }
        let end = rest.find(char::is_alphanumeric)?;
        let (gap, after) = rest.split_at(end);
        if gap.chars().count() > 2 || !gap.chars().all(|gap| matches!(gap, '/' | '-' | '.' | ' ' | ',')) {
            // Month names may touch the digits: 02Mar2026.
            if !(gap.is_empty() && fields.iter().chain(months_next(after).as_ref()).any(is_word)) {
                return None;
            }
        }
        gaps.push(gap.to_owned());
        rest = after;
    }
    let (time, second) = parse_time_pattern(rest)?;
    Some(DateParts { fields: fields.try_into().ok()?, gaps: gaps.try_into().ok()?, time, second })
}

fn is_word(field: &DateField) -> bool {
    matches!(field, DateField::Word(_))
}

/// The word that a text begins with.
fn months_next(text: &str) -> Option<DateField> {
    let end = text.find(|other: char| !other.is_alphabetic()).unwrap_or(text.len());
    let word = text.get(..end)?;
    (!word.is_empty()).then(|| DateField::Word(word.to_owned()))
}

/// The pattern of what follows a date, and the second of the day.
fn parse_time_pattern(text: &str) -> Option<(String, Option<u32>)> {
    if text.trim_end_matches(['.', ' ']).is_empty() {
        return Some((text.trim_end().to_owned(), None));
    }
    let start = text.find(|first: char| first.is_ascii_digit())?;
    let (gap, rest) = text.split_at(start);
    if gap.is_empty() || gap.len() > 3 || !gap.chars().all(|gap| matches!(gap, ' ' | ',' | 'T' | '-')) {
        return None;
    }
    let end = rest.find(|other: char| !other.is_ascii_digit() && other != ':').unwrap_or(rest.len());
    let (clock, after) = rest.split_at(end);
    let numbers: Option<Vec<u32>> =
        clock.split(':').map(|part| if part.len() <= 2 { part.parse().ok() } else { None }).collect();
    let (mut hour, minute, second, shape) = match numbers?.as_slice() {
        [hour, minute] => (*hour, *minute, 0, "hh:mm"),
        [hour, minute, second] => (*hour, *minute, *second, "hh:mm:ss"),
        _ => return None,
    };
    let half = after.trim();
    if half.eq_ignore_ascii_case("pm") && hour < 12 {
        hour += 12;
    } else if half.eq_ignore_ascii_case("am") && hour == 12 {
        hour = 0;
    } else if !half.is_empty() && !half.eq_ignore_ascii_case("am") && !half.eq_ignore_ascii_case("pm") {
        return None;
    }
    let blank = if after.starts_with(' ') { " " } else { "" };
    let half = if half.is_empty() { String::new() } else { format!("{blank}AM") };
    (hour < 24 && minute < 60 && second < 61)
        .then(|| (format!("{}{shape}{half}", gap.replace('T', "'T'")), Some(hour * 3_600 + minute * 60 + second)))
}

/// Reads dates in an order. `None` if they are not written alike, or one of them is no day.
fn read_in_order(dates: &[Option<DateParts>], order: DateOrder) -> Option<DateReading> {
    let first = dates.iter().flatten().next()?;
    let places = match order {
        DateOrder::Day => [0, 1, 2],
        DateOrder::Month => [1, 0, 2],
        DateOrder::Year => [2, 1, 0],
    };
    let words = dates.iter().flatten().flat_map(|date| &date.fields).filter_map(|field| match field {
        DateField::Word(word) => Some(word.as_str()),
        DateField::Digits(_) => None,
    });
    let months = words.clone().next().map(|_| months::names_of(words));
    let months = match months {
        Some(names) => Some(names?),
        None => None,
    };
    let mut days = Vec::with_capacity(dates.len());
    for date in dates {
        let Some(date) = date else {
            days.push(None);
            continue;
        };
        let same_years = year_digits(&date.fields, places[2]) == year_digits(&first.fields, places[2]);
        if date.gaps != first.gaps || date.time != first.time || !same_years {
            return None;
        }
        days.push(Some(day_of(&date.fields, places, months.as_ref())?));
    }
    let two_digit_years = year_digits(&first.fields, places[2]) == 2;
    Some(DateReading {
        pattern: Some(pattern_of_dates(dates, first, places, two_digit_years, months.as_ref())),
        order,
        two_digit_years,
        months,
        days,
        seconds: dates.iter().map(|date| date.as_ref()?.second).collect(),
    })
}

fn year_digits(fields: &[DateField; 3], place: usize) -> usize {
    match fields.get(place) {
        Some(DateField::Digits(digits)) => digits.len(),
        _ => 0,
    }
}

fn day_of(fields: &[DateField; 3], places: [usize; 3], names: Option<&MonthNames>) -> Option<i32> {
    let digits = |place: usize, lengths: &[usize]| match fields.get(place)? {
        DateField::Digits(digits) if lengths.contains(&digits.len()) => digits.parse::<u32>().ok(),
        _ => None,
    };
    let year = digits(places[2], &[2, 4])?;
    let year = if year_digits(fields, places[2]) == 2 { full_year(year) } else { year as i32 };
    let month = match fields.get(places[1])? {
        DateField::Word(word) => names?.month(word)?,
        DateField::Digits(_) => digits(places[1], &[1, 2])?,
    };
    day_number_in_range(year, month, digits(places[0], &[1, 2])?)
}

/// The pattern of dates that are written alike.
fn pattern_of_dates(
    dates: &[Option<DateParts>],
    first: &DateParts,
    places: [usize; 3],
    two_digit_years: bool,
    names: Option<&MonthNames>,
) -> String {
    // One date without a leading zero says that none has one.
    let is_short = |place: usize| {
        dates.iter().flatten().any(|date| matches!(date.fields.get(place), Some(DateField::Digits(d)) if d.len() == 1))
    };
    let part = |place: usize| match (place, names) {
        _ if place == places[2] => {
            if two_digit_years {
                "YY"
            } else {
                "YYYY"
            }
        }
        (_, Some(names)) if place == places[1] => {
            if names.long {
                "MMMM"
            } else {
                "MMM"
            }
        }
        _ if place == places[1] => {
            if is_short(place) {
                "M"
            } else {
                "MM"
            }
        }
        _ => {
            if is_short(place) {
                "D"
            } else {
                "DD"
            }
        }
    };
    let [left, right] = &first.gaps;
    format!("{}{left}{}{right}{}{}", part(0), part(1), part(2), first.time)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The patterns under which all of these are days.
    fn patterns(texts: &[&str]) -> Vec<String> {
        let cells: Vec<FileCell> = texts.iter().map(|text| FileCell::text(*text)).collect();
        let readings = possible_date_readings(&cells.iter().collect::<Vec<_>>(), true, DateContext::default());
        readings.into_iter().map(|reading| reading.pattern.unwrap_or_else(|| "ISO".to_owned())).collect()
    }

    #[test]
    fn a_column_has_one_pattern_or_several() {
        for (texts, wanted) in [
            (&["2026-03-02", ""][..], &["ISO"][..]),
            (&["2026-03-02T10:00:00Z"], &["ISO"]),
            (&["2026-03-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"], &["ISO day"]),
            (&["02/03/2026", "13/03/2026"], &["DD/MM/YYYY"]),
            (&["02/03/2026", "03/13/2026"], &["MM/DD/YYYY"]),
            (&["02/03/2026"], &["DD/MM/YYYY", "MM/DD/YYYY"]),
            (&["2/3/2026", "13/03/2026"], &["D/M/YYYY"]),
            (&["02-Mar-26", "17-Apr-26"], &["DD-MMM-YY"]),
            (&["2 March 2026 14:22"], &["D MMMM YYYY hh:mm"]),
            (&["Mar 2, 2026"], &["MMM D, YYYY"]),
            (&["2 ene 2026", "3 dic 2026"], &["D MMM YYYY"]),
            (&["17.03.26", "02.04.26"], &["DD.MM.YY"]),
            (&["20260302"], &["YYYYMMDD"]),
            (&["03022026", "03112026"], &["DDMMYYYY", "MMDDYYYY"]),
            (&["13022026"], &["DDMMYYYY"]),
            (&["030226", "130226"], &["DDMMYY"]),
            // Three years in their order may be so, too.
            (&["23-01-24", "24-01-24", "25-12-24"], &["DD-MM-YY", "YY-MM-DD"]),
            (&["46083", "46084.5"], &["EXCEL"]),
            (&["02/03/2026", "2026-03-02"], &[]),
            (&["31/02/2026"], &[]),
            (&["02/03/2026", "02/03/2026 10:00"], &[]),
            (&["99/99/9999", "soon"], &[]),
        ] {
            assert_eq!(patterns(texts), wanted, "{texts:?}");
        }
    }
}
