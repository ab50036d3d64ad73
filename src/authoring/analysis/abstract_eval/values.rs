//! The set of values that one node may have before any statement is seen. Knows no program. Overflow, which may
//! make any number unknown, is ignored everywhere.

use std::collections::BTreeSet;

use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::rules::program::Value;
use crate::rules::{Repr, Type, Unit};

/// Most texts in a set; a larger set becomes any text.
const TEXTS_MAX: usize = 200;

/// A set that contains every value a node may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    /// Whether it may be unknown.
    pub unknown: bool,
    pub known: KnownValues,
}

/// The known values; empty if the value is never known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum KnownValues {
    Numbers(Option<Interval>),
    Truth {
        yes: bool,
        no: bool,
    },
    /// `None` for any text.
    Texts(Option<BTreeSet<String>>),
    /// Lists, and anything that is not tracked.
    Anything,
}

impl Values {
    /// Everything a type can hold.
    pub(crate) fn any(ty: Type) -> Values {
        let known = match ty.repr {
            Repr::Int | Repr::Rational | Repr::Float => {
                KnownValues::Numbers(Some(unit_value_interval(ty.unit).unwrap_or(Interval::ALL)))
            }
            Repr::Boolean => KnownValues::Truth { yes: true, no: true },
            Repr::Text => KnownValues::Texts(None),
            Repr::List => KnownValues::Anything,
        };
        Values { unknown: true, known }
    }

    /// Nothing at all.
    pub(crate) fn none(ty: Type) -> Values {
        let known = match ty.repr {
            Repr::Int | Repr::Rational | Repr::Float => KnownValues::Numbers(None),
            Repr::Boolean => KnownValues::Truth { yes: false, no: false },
            Repr::Text => KnownValues::Texts(Some(BTreeSet::new())),
            Repr::List => KnownValues::Anything,
        };
        Values { unknown: false, known }
    }

    pub(crate) fn known(ty: Type) -> Values {
        Values { unknown: false, ..Values::any(ty) }
    }

    pub(crate) fn numbers(interval: impl Into<Option<Interval>>, unknown: bool) -> Values {
        Values { unknown, known: KnownValues::Numbers(interval.into()) }
    }

    pub(crate) fn truth(yes: bool, no: bool, unknown: bool) -> Values {
        Values { unknown, known: KnownValues::Truth { yes, no } }
    }

    pub(crate) fn text(text: &str) -> Values {
        Values { unknown: false, known: KnownValues::Texts(Some(BTreeSet::from([text.to_string()]))) }
    }

    pub(crate) fn texts<const COUNT: usize>(texts: [&str; COUNT]) -> Values {
        Values { unknown: false, known: KnownValues::Texts(Some(texts.map(str::to_owned).into())) }
    }

    pub(crate) fn value(value: &Value) -> Values {
        match value {
            Value::Int(value) => Values::numbers(Interval::whole(*value), false),
            Value::Rational(value) => Values::numbers(Interval::exact(value), false),
            Value::Float(value) => Values::numbers(Interval::point(*value), false),
            Value::Boolean(value) => Values::truth(*value, !*value, false),
            Value::Text(text) => Values::text(text),
            Value::List(_) | Value::Entry(_) => Values { unknown: false, known: KnownValues::Anything },
        }
    }

    pub(crate) fn interval(&self) -> Option<Interval> {
        match self.known {
            KnownValues::Numbers(interval) => interval,
            KnownValues::Anything => Some(Interval::ALL),
            KnownValues::Truth { .. } | KnownValues::Texts(_) => None,
        }
    }

    /// Whether it may be true, and whether it may be false.
    pub(crate) fn may_be(&self) -> (bool, bool) {
        match self.known {
            KnownValues::Truth { yes, no } => (yes, no),
            KnownValues::Numbers(_) | KnownValues::Texts(_) | KnownValues::Anything => (true, true),
        }
    }

    /// Whether it is never known.
    pub(crate) fn is_never_known(&self) -> bool {
        match &self.known {
            KnownValues::Numbers(interval) => interval.is_none(),
            KnownValues::Truth { yes, no } => !yes && !no,
            KnownValues::Texts(texts) => texts.as_ref().is_some_and(BTreeSet::is_empty),
            KnownValues::Anything => false,
        }
    }

    /// The union of both.
    pub(crate) fn or(&self, other: &Values) -> Values {
        let known = match (&self.known, &other.known) {
            (KnownValues::Numbers(a), KnownValues::Numbers(b)) => KnownValues::Numbers(match (a, b) {
                (Some(a), Some(b)) => Some(a.hull(*b)),
                (a, b) => a.or(*b),
            }),
            (KnownValues::Truth { yes, no }, KnownValues::Truth { yes: other_yes, no: other_no }) => {
                KnownValues::Truth { yes: *yes || *other_yes, no: *no || *other_no }
            }
            (KnownValues::Texts(Some(a)), KnownValues::Texts(Some(b))) => {
                let both: BTreeSet<String> = a.union(b).cloned().collect();
                KnownValues::Texts((both.len() <= TEXTS_MAX).then_some(both))
            }
            (KnownValues::Texts(_), KnownValues::Texts(_)) => KnownValues::Texts(None),
            _ => KnownValues::Anything,
        };
        Values { unknown: self.unknown || other.unknown, known }
    }

    /// Whether the set contains this value; `None` is unknown.
    pub(crate) fn holds(&self, value: Option<&Value>) -> bool {
        match (value, &self.known) {
            (None, _) => self.unknown,
            (Some(_), KnownValues::Anything) => true,
            (Some(Value::Int(value)), KnownValues::Numbers(Some(interval))) => interval.contains(*value as f64),
            (Some(Value::Rational(value)), KnownValues::Numbers(Some(interval))) => interval.contains(value.to_f64()),
            (Some(Value::Float(value)), KnownValues::Numbers(Some(interval))) => interval.contains(*value),
            (Some(Value::Boolean(value)), KnownValues::Truth { yes, no }) => {
                if *value {
                    *yes
                } else {
                    *no
                }
            }
            (Some(Value::Text(text)), KnownValues::Texts(texts)) => {
                texts.as_ref().is_none_or(|texts| texts.contains(text))
            }
            _ => false,
        }
    }
}

/// The valid values of a unit, if not every number is valid.
pub(crate) fn unit_value_interval(unit: Unit) -> Option<Interval> {
    unit.extent().map(|extent| Interval::closed(*extent.start() as f64, *extent.end() as f64))
}

/// All valid days.
pub(crate) fn valid_day_interval() -> Interval {
    unit_value_interval(Unit::Date).unwrap_or(Interval::ALL)
}
