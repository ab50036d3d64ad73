//! A period in a text that people write: `Statement Period: 01/08/2026 to 31/10/2026`.

use crate::base::date::Day;
use crate::statement::base::period::{PeriodSource, StatementPeriod};
use crate::statement::cells::date_pattern::Pattern;
use crate::statement::cells::month_names::MonthNames;

/// The longest period of a statement, in days.
const PERIOD_DAYS_MAX: i32 = 3_700;

/// What a line with a period says, in lower case.
const LABELS: [&str; 6] = ["period", "from", "between", "date range", "duration", "statement of"];

/// What a line with the first day alone says, and the line after it with the last.
const START_LABELS: [&str; 4] = ["from", "start", "begin", "since"];
const END_LABELS: [&str; 4] = ["to", "end", "until", "through"];

/// Which of two numbers before a year is the day.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DayOrder {
    DayFirst,
    MonthFirst,
}

/// The period that a text states: it has two days and no other. `pattern` is that of the records, and says whether a
/// day comes before its month. Without it, a period that two readings allow is none.
pub(crate) fn find_period(text: &str, pattern: Option<&Pattern>) -> Option<StatementPeriod> {
    let tokens = split_into_tokens(text);
    let mut read = orders_of(pattern).filter_map(|order| match read_days(&tokens, order).as_slice() {
        [from, to] if (0..=PERIOD_DAYS_MAX).contains(&(to.days() - from.days())) => {
            Some(StatementPeriod::new(*from, *to, PeriodSource::File))
        }
        _ => None,
    });
    let first = read.next()?;
    read.all(|other| other == first).then_some(first)
}

/// The period that the lines of a text state, if they state one. Each line has its cells.
pub(crate) fn period_above(lines: &[Vec<String>], pattern: Option<&Pattern>) -> Option<StatementPeriod> {
    let texts: Vec<String> = lines.iter().map(|cells| cells.join(" ")).collect();
    let lower: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut found: Option<StatementPeriod> = None;
    for (at, text) in texts.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| lower.get(before));
        let here = lower.get(at).map_or("", String::as_str);
        let is_label = |text: &str| LABELS.iter().any(|label| text.contains(label));
        // A label may stand in a line of its own.
        let is_labelled = is_label(here) || before.is_some_and(|before| is_label(before) && !has_digit(before));
        let of_line = find_period(text, pattern).filter(|_| is_labelled);
        let of_two = || {
            let next = texts.get(at + 1)?;
            let is_start = has_word(here, &START_LABELS) && has_word(lower.get(at + 1)?, &END_LABELS);
            find_period(&format!("{text} ; {next}"), pattern).filter(|_| is_start)
        };
        let Some(period) = of_line.or_else(of_two) else { continue };
        if found.is_some_and(|other| other != period) {
            return None;
        }
        found = Some(period);
    }
    found
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|letter: char| !letter.is_alphabetic()).any(|word| words.contains(&word))
}

/// The orders that the records' own pattern allows.
fn orders_of(pattern: Option<&Pattern>) -> impl Iterator<Item = DayOrder> {
    let text = pattern.map_or("", Pattern::text);
    let places = text.find('D').zip(text.find('M')).filter(|_| !text.starts_with('Y'));
    let allowed =
        move |order: &DayOrder| places.is_none_or(|(day, month)| (day < month) == (*order == DayOrder::DayFirst));
    [DayOrder::DayFirst, DayOrder::MonthFirst].into_iter().filter(allowed)
}

/// A run of digits or of letters, and the marks before it.
struct PeriodToken<'t> {
    before: &'t str,
    text: &'t str,
}

impl PeriodToken<'_> {
    /// The number of its digits, if it has nothing else.
    fn digits(&self) -> usize {
        if self.text.bytes().all(|byte| byte.is_ascii_digit()) { self.text.len() } else { 0 }
    }

    fn number(&self) -> Option<u32> {
        self.text.parse().ok()
    }

    /// The month that it names.
    fn month(&self) -> Option<u32> {
        let names = MonthNames::default();
        names.take(self.text).filter(|(_, rest)| rest.is_empty()).map(|(month, _)| month)
    }

    fn is_after(&self, marks: &[&str]) -> bool {
        marks.contains(&self.before.trim()) && self.before.len() <= 3
    }
}

fn split_into_tokens(text: &str) -> Vec<PeriodToken<'_>> {
    let mut tokens: Vec<PeriodToken<'_>> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (before, after) = rest.split_at(start);
        let is_number = after.starts_with(|first: char| first.is_ascii_digit());
        let is_same = |letter: char| letter.is_ascii_digit() == is_number && (is_number || letter.is_alphanumeric());
        let end = after.find(|letter| !is_same(letter)).unwrap_or(after.len());
        // Digits of other scripts are passed over one by one.
        let end = if end == 0 { after.chars().next().map_or(1, char::len_utf8) } else { end };
        let (token, following) = after.split_at(end);
        let is_ordinal = before.is_empty() && ["st", "nd", "rd", "th"].contains(&token);
        if !is_ordinal {
            tokens.push(PeriodToken { before, text: token });
        }
        rest = following;
    }
    tokens
}

/// All days in a text, in their order.
fn read_days(tokens: &[PeriodToken<'_>], order: DayOrder) -> Vec<Day> {
    let (mut days, mut at) = (Vec::new(), 0);
    while let Some(rest) = tokens.get(at..).filter(|rest| !rest.is_empty()) {
        match read_day(rest, order) {
            Some((day, length)) => {
                days.push(day);
                at += length;
            }
            None => at += 1,
        }
    }
    days
}

/// The day with which the tokens begin, and how many tokens it has.
fn read_day(tokens: &[PeriodToken<'_>], order: DayOrder) -> Option<(Day, usize)> {
    if let [one, ..] = tokens
        && one.digits() == 8
    {
        let number = one.number()?;
        let day = Day::from_ymd((number / 10_000) as i32, number / 100 % 100, number % 100);
        return day.map(|day| (day, 1));
    }
    let [first, second, third, ..] = tokens else { return None };
    const MARKS: [&str; 4] = ["-", "/", ".", ""];
    const WORD_MARKS: [&str; 6] = ["-", "/", ".", ",", "", "'"];
    let is_short = |token: &PeriodToken<'_>| (1..=2).contains(&token.digits());
    let year = |token: &PeriodToken<'_>| match token.digits() {
        4 => token.number().map(|year| year as i32),
        2 => token.number().map(|year| 2_000 + year as i32),
        _ => None,
    };
    let is_numeric = second.before.trim() == third.before.trim() && second.is_after(&MARKS) && third.is_after(&MARKS);
    let has_gap = |token: &PeriodToken<'_>| !token.before.is_empty();
    let parts = if let Some(month) = second.month().filter(|_| is_short(first)) {
        let is_date = second.is_after(&WORD_MARKS) && third.is_after(&WORD_MARKS);
        (year(third)?, month, first.number()?, is_date)
    } else if let Some(month) = first.month().filter(|_| is_short(second) && third.digits() == 4) {
        let is_date = second.is_after(&WORD_MARKS) && third.is_after(&WORD_MARKS) && has_gap(third);
        (year(third)?, month, second.number()?, is_date)
    } else if first.digits() == 4 && is_short(second) && is_short(third) {
        (year(first)?, second.number()?, third.number()?, is_numeric && has_gap(second))
    } else if is_short(first) && is_short(second) {
        let (day, month) = match order {
            DayOrder::DayFirst => (first, second),
            DayOrder::MonthFirst => (second, first),
        };
        (year(third)?, month.number()?, day.number()?, is_numeric && has_gap(second))
    } else {
        return None;
    };
    let (year, month, day, is_date) = parts;
    Day::from_ymd(year, month, day).filter(|_| is_date).map(|day| (day, 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::cells::date_pattern::Century;

    fn pattern(text: &str) -> Pattern {
        Pattern::parse(text, Century::Pivot(50), &MonthNames::default()).expect("a pattern")
    }

    fn found(text: &str, order: Option<&str>) -> Option<String> {
        find_period(text, order.map(pattern).as_ref()).map(|period| period.name())
    }

    #[test]
    fn a_period_is_two_days_in_any_usual_form() {
        let wanted = Some("2026-08-01 to 2026-10-31".to_owned());
        for text in [
            "Statement Period: 01/08/2026 to 31/10/2026",
            "01/08/2026-31/10/2026",
            "01.08.2026 – 31.10.2026",
            "01-08-2026 00:00 - 31-10-2026 23:59",
            "1st August 2026 to 31st October 2026",
            "01-Aug-2026 to 31-Oct-2026",
            "Aug 1, 2026 - Oct 31, 2026",
            "August 01, 2026 through October 31, 2026",
            "2026-08-01 to 2026-10-31",
            "20260801 - 20261031",
            "From 1 Aug 26 to 31 Oct 26",
        ] {
            assert_eq!(found(text, None), wanted, "{text}");
        }
        assert_eq!(found("08/01/2026 to 10/31/2026", Some("MM/DD/YYYY")), wanted);
        assert_eq!(found("08/01/2026 to 10/31/2026", None), wanted, "no other reading is a day");
    }

    #[test]
    fn what_may_be_read_in_two_ways_is_read_as_the_records_are() {
        let text = "01/08/2026 to 05/10/2026";
        assert_eq!(found(text, None), None);
        assert_eq!(found(text, Some("YYYY-MM-DD")), None);
        assert_eq!(found(text, Some("DD/MM/YYYY hh:mm")).as_deref(), Some("2026-08-01 to 2026-10-05"));
        assert_eq!(found(text, Some("M/D/YYYY")).as_deref(), Some("2026-01-08 to 2026-05-10"));
        for text in [
            "",
            "31/10/2026",
            "31/10/2026 to 01/08/2026",
            "1/8/2026 1/9/2026 1/10/2026",
            "Ⅳ 12 ½",
            "99/99/2026 to 1/1/2026",
        ] {
            assert_eq!(found(text, Some("DD/MM/YYYY")), None, "{text}");
        }
    }

    #[test]
    fn a_line_with_a_label_states_the_period_of_a_file() {
        let above = |text: &str| {
            let lines: Vec<Vec<String>> =
                text.lines().map(|line| line.split('|').map(str::to_owned).collect()).collect();
            period_above(&lines, None).map(|period| period.name())
        };
        let wanted = Some("2026-08-01 to 2026-10-31".to_owned());
        assert_eq!(above("FIRST BANK\nStatement Period|01/08/2026|31/10/2026\nOpening balance|1"), wanted);
        assert_eq!(above("From Date:|01/08/2026\nTo Date:|31/10/2026"), wanted);
        assert_eq!(above("Start date|01-Aug-2026|Account|0123456789\nEnd date|31-Oct-2026"), wanted);
        assert_eq!(above("Statement period\n01/08/2026 - 31/10/2026"), wanted);
        assert_eq!(above("Opened 13/02/2016, printed 14/11/2026"), None, "no label");
        assert_eq!(above("Period 01/08/2026 - 31/10/2026\nPeriod 01/08/2026 - 30/09/2026"), None, "two periods");
    }
}
