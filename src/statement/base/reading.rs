//! The declared rules for reading a source: nothing about a statement is guessed record by record.

use serde::{Deserialize, Serialize};

use crate::base::date::Zone;
use crate::base::money::{AmountUnit, Currency};

/// How a statement is to be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The currency of every amount. It determines how many decimals an amount may have.
    pub currency: Currency,
    /// What an amount counts: major units with decimals, or minor units.
    pub unit: AmountUnit,
    /// The time zone of the calendar days.
    pub zone: Zone,
    /// What to do when the two forms of a date disagree.
    pub date_conflict: DateConflict,
    /// Which of its dates is a record's day.
    pub record_day: RecordDay,
    /// What a negative credit or debit means.
    pub negative: NegativeRule,
    /// What to do with a record whose credit and debit are both null.
    pub empty_amount: EmptyAmount,
}

impl Reading {
    /// The strictest reading: major units, and an error wherever a rule must be declared.
    pub fn new(currency: Currency, zone: Zone) -> Reading {
        Reading {
            currency,
            unit: AmountUnit::Major,
            zone,
            date_conflict: DateConflict::Error,
            record_day: RecordDay::TransDate,
            negative: NegativeRule::Error,
            empty_amount: EmptyAmount::Error,
        }
    }

    /// The first part in which the other reading differs. What the source's columns file `declares` takes precedence
    /// over both.
    pub(crate) fn mismatch(&self, other: &Reading, declares: Declared) -> Option<ReadingMismatch> {
        if self == other {
            return None;
        }
        let (own, other) = (self.keys(), other.keys());
        let is_declared = |key| (key == UNIT && declares.unit) || (key == SIGNS && declares.signs);
        let differs = |((key, read), (_, expected)): &((&'static str, String), (&str, String))| {
            !is_declared(*key) && read != expected
        };
        let ((key, read), (_, expected)) = own.into_iter().zip(other).find(differs)?;
        Some(ReadingMismatch { key, read, expected })
    }

    /// Its parts, as the header of a policy writes them.
    fn keys(&self) -> [(&'static str, String); 7] {
        // Each is an enum without content, written as its name.
        let name = |value: serde_json::Result<serde_json::Value>| {
            value.ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
        };
        [
            ("currency", self.currency.numeric().to_owned()),
            (UNIT, name(serde_json::to_value(self.unit))),
            ("time_zone", self.zone.name().to_owned()),
            ("record_day", name(serde_json::to_value(self.record_day))),
            ("date_conflict", name(serde_json::to_value(self.date_conflict))),
            (SIGNS, name(serde_json::to_value(self.negative))),
            ("empty_amount", name(serde_json::to_value(self.empty_amount))),
        ]
    }

    /// The unit of amounts, for error messages.
    pub(crate) fn amounts_in(&self) -> String {
        match self.unit {
            AmountUnit::Major => self.currency.alphabetic().to_owned(),
            AmountUnit::Minor => format!("minor units of {}", self.currency.alphabetic()),
        }
    }
}

/// The keys of a policy that a columns file may declare instead.
const UNIT: &str = "statement_unit";
const SIGNS: &str = "negative_amount";

/// Statements were read otherwise than a policy reads them, so their amounts or days may mean something else.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "these statements were read with {key} = \"{read}\", but the policy says {key} = \"{expected}\"; read them again \
     for this policy"
)]
pub struct ReadingMismatch {
    key: &'static str,
    read: String,
    expected: String,
}

impl ReadingMismatch {
    /// The same of two sources, neither of which is a policy.
    pub(crate) fn between_sources(&self) -> String {
        let Self { key, read, expected } = self;
        format!("one with {key} = \"{read}\" and one with {key} = \"{expected}\"")
    }
}

/// Which parts of a reading a columns file declares itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    pub(crate) unit: bool,
    pub(crate) signs: bool,
}

/// What to do when the ISO date and the bank's own date name different days, and the time zone does not explain it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateConflict {
    /// Refuse the statement, naming the record and both values.
    #[default]
    Error,
    /// Take the ISO date, in the time zone.
    PreferIso,
    /// Take the bank's own date.
    PreferUnformatted,
}

/// Which of its dates is a record's day: the day used by windows, months and the order of balances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordDay {
    /// The day of the transaction.
    #[default]
    TransDate,
    /// The day on which it cleared, for banks whose balances follow it. A record without one counts by the day of the
    /// transaction, and `warnings` says how many there are.
    ClearedDate,
}

/// What a negative credit or debit means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NegativeRule {
    /// Refuse the statement.
    #[default]
    Error,
    /// A negative credit is a debit, and the reverse. Refused where the balances contradict it, and where every debit
    /// is negative and no balance proves that they are credits.
    SwapSides,
    /// A negative debit is a debit: the bank writes each debit with a minus. Negative credits are refused. So is a
    /// statement whose balances contradict it, or where only some debits have a minus.
    SameSide,
}

/// What to do with a record whose credit and debit are both null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmptyAmount {
    /// Refuse the statement.
    #[default]
    Error,
    /// Drop the record and count it.
    Drop,
}

/// How the rows of each customer follow each other in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RowOrder {
    OldestFirst,
    NewestFirst,
}
