//! The reference for expressions that look from one row at others: each row is compared with every other.

use super::evaluator::{Place, Run, Value, int_of};
use super::expression::{Expression, Grain};
use super::numbers::compare;
use super::statement::Record;

impl Run<'_> {
    /// The value of an expression with its own rows, at the row that a place belongs to.
    pub(super) fn elsewhere(&self, expression: &Expression, grain: Grain, place: Place) -> Option<Value> {
        let column = self.statement.column(expression, grain);
        if column.too_large {
            self.too_large.set(true);
        }
        column.values[self.row(grain, place)?].clone()
    }

    fn row(&self, grain: Grain, place: Place) -> Option<usize> {
        match (grain, place) {
            (Grain::Group(level), place) => self.statement.group_at(level, place),
            (Grain::Record, Place::Record(record)) => Some(record),
            _ => panic!("there is no row here"),
        }
    }

    /// The record of a place.
    pub(super) fn record(&self, place: Place) -> &Record {
        match place {
            Place::Record(record) => self.statement.records[record],
            _ => panic!("this is asked of records"),
        }
    }

    /// `previous`, `next`, `carried`, `rank`.
    pub(super) fn among(&self, name: &str, inner: &Expression, place: Place) -> Option<Value> {
        let own = if let Place::Group(level, _) = place { Grain::Group(level) } else { Grain::Coarse };
        let grain = inner.grain(own);
        let column = self.statement.column(inner, grain);
        if column.too_large {
            self.too_large.set(true);
        }
        let (values, row) = (&column.values, self.row(grain, place)?);
        match name {
            "previous" => row.checked_sub(1).and_then(|before| values[before].clone()),
            "next" => values.get(row + 1)?.clone(),
            "carried" => values[..=row].iter().flatten().next_back().cloned(),
            _ => {
                let own = values[row].clone()?;
                let is_before = |at: usize, other: &Value| {
                    let holds = |sign| compare(sign, Some(other.clone()), Some(own.clone())) == Some(true);
                    holds(">") || at < row && holds("=")
                };
                let others = values.iter().enumerate().filter_map(|(at, other)| Some((at, other.as_ref()?)));
                Some(Value::Int(1 + others.filter(|(at, other)| is_before(*at, other)).count() as i64))
            }
        }
    }

    /// `sum_after`, `sum_before`.
    pub(super) fn sum_near(&self, name: &str, inner: &Expression, days: Option<Value>, place: Place) -> Option<Value> {
        let column = self.statement.column(inner, Grain::Record);
        if column.too_large {
            self.too_large.set(true);
        }
        let (days, row) = (i128::from(int_of(&days?)), self.row(Grain::Record, place)?);
        let date = |record: usize| i128::from(self.statement.records[record].date);
        let is_near = |other: &usize| match name {
            "sum_after" => *other > row && date(*other) - date(row) <= days,
            _ => *other < row && date(row) - date(*other) <= days,
        };
        let near = (0..column.values.len()).filter(is_near).filter_map(|other| column.values[other].as_ref());
        self.whole(near.map(|value| i128::from(int_of(value))).sum())
    }

    /// Whether a record of the other side has the same amount and counterparty, at most `days` days away.
    pub(super) fn mirrored(&self, days: Option<Value>, place: Place) -> Option<Value> {
        let (days, own) = (i128::from(int_of(&days?)), self.record(place));
        let is_mirror = |other: &Record| {
            let same = |one: Option<i64>, two: Option<i64>| one.is_some_and(|amount| amount > 0) && one == two;
            let is_near = i128::from((other.date - own.date).abs()) <= days;
            let is_other_side = same(own.credit, other.debit) || same(own.debit, other.credit);
            own.counterparty().is_some() && own.counterparty() == other.counterparty() && is_near && is_other_side
        };
        Some(Value::Truth(self.statement.records.iter().any(|other| is_mirror(other))))
    }

    /// The first word of the list that occurs in the narration.
    pub(super) fn mentioned(&self, place: Place) -> Option<String> {
        let narration = self.record(place).desc.unwrap_or_default().to_lowercase();
        let mut words = narration.split(|letter: char| !letter.is_alphanumeric());
        words.find(|word| ["salary", "pos"].contains(word)).map(str::to_owned)
    }

    /// Whether a word of the list occurs in the counterparty's name.
    pub(super) fn named(&self, place: Place) -> bool {
        let name = self.record(place).counterparty().unwrap_or_default();
        name.split(|letter: char| !letter.is_alphanumeric()).any(|word| ["salary", "pos"].contains(&word))
    }
}
