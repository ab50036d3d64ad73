//! Units and representations of values. Units that are not written as numbers, such as days and times, are read as ISO
//! 8601.

use std::ops::RangeInclusive;

use crate::base::date::Day;
use crate::base::time::{self, Duration, TimeOfDay, Timestamp};

/// What a value measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// Minor units of the policy's currency.
    Money,
    /// A plain number.
    Number,
    /// A number of things.
    Count,
    /// One quantity over another of its kind.
    Ratio,
    /// A length of time in days of the calendar.
    Days,
    /// A length of time in calendar months, which has no fixed length in days.
    Months,
    /// A length of time by the clock.
    Duration,
    /// A calendar day.
    Date,
    /// A time of day.
    Time,
    /// A moment in time, independent of time zones.
    Timestamp,
    /// Text.
    Text,
    /// True or false.
    Boolean,
}

/// The representation of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// Exact 64-bit integer: money, counts, days, months. A date is in days since 1970-01-01, a time of day in
    /// milliseconds since midnight, a timestamp in milliseconds since 1970-01-01T00:00:00Z, a duration in milliseconds.
    Int,
    /// Exact fraction: means, ratios, shares, numbers with decimals.
    Rational,
    /// 64-bit float, for approximate values such as a standard deviation.
    Float,
    /// True or false.
    Boolean,
    /// Text.
    Text,
    /// Several values of one unit.
    List,
}

/// Unit and representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// What it measures.
    pub unit: Unit,
    /// Its representation.
    pub repr: Repr,
}

impl Repr {
    /// Whether its values are numbers on a line.
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Repr::Int | Repr::Rational | Repr::Float)
    }
}

impl Type {
    pub(crate) const BOOLEAN: Type = Type { unit: Unit::Boolean, repr: Repr::Boolean };
    pub(crate) const TEXT: Type = Type { unit: Unit::Text, repr: Repr::Text };
    pub(crate) const DATE: Type = Type { unit: Unit::Date, repr: Repr::Int };
    pub(crate) const TIME: Type = Type { unit: Unit::Time, repr: Repr::Int };
    pub(crate) const TIMESTAMP: Type = Type { unit: Unit::Timestamp, repr: Repr::Int };
    pub(crate) const DURATION: Type = Type { unit: Unit::Duration, repr: Repr::Int };
    pub(crate) const MONTHS: Type = Type { unit: Unit::Months, repr: Repr::Int };
    pub(crate) const MONEY: Type = Type { unit: Unit::Money, repr: Repr::Int };
    pub(crate) const COUNT: Type = Type { unit: Unit::Count, repr: Repr::Int };
    pub(crate) const DAYS: Type = Type { unit: Unit::Days, repr: Repr::Int };
    pub(crate) const RATIO: Type = Type { unit: Unit::Ratio, repr: Repr::Rational };
    pub(crate) const NUMBER: Type = Type { unit: Unit::Number, repr: Repr::Rational };

    /// The type of a value with a declared unit.
    pub(crate) fn declared(unit: Unit) -> Type {
        match unit {
            Unit::Money => Type::MONEY,
            Unit::Number => Type::NUMBER,
            Unit::Count => Type::COUNT,
            Unit::Ratio => Type::RATIO,
            Unit::Days => Type::DAYS,
            Unit::Months => Type::MONTHS,
            Unit::Duration => Type::DURATION,
            Unit::Date => Type::DATE,
            Unit::Time => Type::TIME,
            Unit::Timestamp => Type::TIMESTAMP,
            Unit::Text => Type::TEXT,
            Unit::Boolean => Type::BOOLEAN,
        }
    }

    /// Every type that a declaration may name, with its words: `money`, `list of money`.
    pub(crate) fn declarable() -> Vec<(String, Type)> {
        let single = Unit::ALL.map(|unit| (unit.word().to_owned(), Type::declared(unit)));
        let lists = Unit::ALL.map(|unit| (format!("list of {}", unit.word()), Type::declared(unit).with(Repr::List)));
        single.into_iter().chain(lists).collect()
    }

    /// Whether it measures a size. A point in time has none.
    pub(crate) fn is_numeric(self) -> bool {
        self.repr.is_number() && !self.unit.is_place_in_time()
    }

    pub(crate) fn with(self, repr: Repr) -> Type {
        Type { repr, ..self }
    }
}

impl Unit {
    /// The word used in rule files.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Money => "money",
            Unit::Number => "number",
            Unit::Count => "count",
            Unit::Ratio => "ratio",
            Unit::Days => "days",
            Unit::Months => "months",
            Unit::Duration => "duration",
            Unit::Date => "date",
            Unit::Time => "time",
            Unit::Timestamp => "timestamp",
            Unit::Text => "text",
            Unit::Boolean => "boolean",
        }
    }

    /// All units by their words.
    pub const ALL: [Unit; 12] = [
        Unit::Money,
        Unit::Number,
        Unit::Count,
        Unit::Ratio,
        Unit::Days,
        Unit::Months,
        Unit::Duration,
        Unit::Date,
        Unit::Time,
        Unit::Timestamp,
        Unit::Text,
        Unit::Boolean,
    ];

    /// Whether it is a count, a ratio or a plain number, which may be combined.
    pub(crate) fn is_plain(self) -> bool {
        matches!(self, Unit::Number | Unit::Count | Unit::Ratio)
    }

    pub(crate) fn is_place_in_time(self) -> bool {
        matches!(self, Unit::Date | Unit::Time | Unit::Timestamp)
    }

    /// Whether its values are written as ISO 8601, not as numbers.
    pub(crate) fn is_iso(self) -> bool {
        self.is_place_in_time() || self == Unit::Duration
    }

    /// Reads a value in ISO 8601. Months may also be written as a number.
    pub(crate) fn read_iso(self, text: &str) -> Option<i64> {
        match self {
            Unit::Date => Day::parse_iso(text).map(|day| i64::from(day.days())),
            Unit::Time => TimeOfDay::parse_iso(text).map(TimeOfDay::milliseconds),
            Unit::Timestamp => Timestamp::parse_iso(text).map(Timestamp::milliseconds),
            Unit::Duration => Duration::parse_iso(text).map(Duration::milliseconds),
            Unit::Months => time::months(text),
            _ => None,
        }
    }

    /// An example of a value in a request or a cell.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Unit::Date => "2026-01-31",
            Unit::Time => "22:30",
            Unit::Timestamp => "2026-01-31T22:30:00+01:00",
            Unit::Duration => "PT1H30M",
            Unit::Months => "P1Y6M",
            _ => "3",
        }
    }

    /// The least and the greatest whole number that is a valid value; `None` if every one is.
    pub(crate) fn extent(self) -> Option<RangeInclusive<i64>> {
        // Called for every node of every decision, so computes nothing for other units.
        let day = |days: i32| i64::from(Day::from_days(days).days());
        match self {
            Unit::Date => Some(day(i32::MIN)..=day(i32::MAX)),
            Unit::Time => Some(0..=time::DAY - 1),
            Unit::Timestamp => Some(day(i32::MIN) * time::DAY..=(day(i32::MAX) + 1) * time::DAY - 1),
            _ => None,
        }
    }
}

/// The type that the word of a unit declares; a number if there is no such unit.
pub(crate) fn type_of_unit_word(word: &str) -> Type {
    Unit::ALL.into_iter().find(|unit| unit.word() == word).map_or(Type::NUMBER, Type::declared)
}

/// The name of a type, with its article if it takes one.
pub(in crate::rules) fn describe_type(ty: Type) -> &'static str {
    if ty.repr == Repr::List {
        return "a list";
    }
    match ty.unit {
        Unit::Number => "a number",
        Unit::Count => "a count",
        Unit::Ratio => "a ratio",
        Unit::Date => "a date",
        Unit::Time => "a time of day",
        Unit::Timestamp => "a timestamp",
        Unit::Duration => "a duration",
        Unit::Boolean => "true or false",
        unit @ (Unit::Money | Unit::Days | Unit::Months | Unit::Text) => unit.word(),
    }
}
