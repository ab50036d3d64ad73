//! A column of values at one grain, which of them are known, and why the others are not. Knows no operation.

mod bits;
mod buffer;
mod gather;
mod input_gap;
mod reason;
mod texts;
mod validity;

use std::borrow::Cow;
use std::ops::Deref;

pub(crate) use self::bits::Bits;
pub(crate) use self::buffer::{Few, Ints, collect_few};
pub(crate) use self::gather::{NO_ROW, RowIndices, gather_rows};
pub use self::input_gap::InputGap;
pub use self::reason::Reason;
pub(crate) use self::texts::{NAMELESS, Texts};
pub(crate) use self::validity::validity_bits;
use crate::base::rational::Rational;
use crate::rules::Repr;
use crate::rules::program::Value;

/// The values. Where a value is unknown, its slot is meaningless.
#[derive(Clone, Debug)]
pub(crate) enum Data<'a> {
    Int(Ints<'a>),
    Rational(Few<Rational>),
    /// Exact numbers, stored as the doubles whose shortest decimals they are.
    Decimals(Few<f64>),
    Float(Few<f64>),
    Boolean(Bits),
    Text(Texts<'a>),
    List(Vec<Vec<Value>>),
}

/// A column. A single value serves every row.
#[derive(Clone, Debug)]
pub(crate) struct ValueColumn<'a> {
    pub data: Data<'a>,
    /// `None` if all are known.
    pub valid: Option<Bits>,
    /// At the grain of statements: why a value is unknown.
    pub reasons: Few<Reason>,
    /// Statements in which a finer value overflowed, sorted.
    pub failed: Vec<u32>,
}

/// A column, or one that is kept elsewhere. As `Cow`, but it may stand for one of a shorter lifetime.
#[derive(Clone)]
pub(crate) enum CowColumn<'a> {
    Owned(ValueColumn<'a>),
    Borrowed(&'a ValueColumn<'a>),
}

impl<'a> Deref for CowColumn<'a> {
    type Target = ValueColumn<'a>;

    fn deref(&self) -> &ValueColumn<'a> {
        match self {
            CowColumn::Owned(column) => column,
            CowColumn::Borrowed(column) => column,
        }
    }
}

impl<'a> ValueColumn<'a> {
    pub(crate) fn known(data: Data<'a>) -> Self {
        Self { data, valid: None, reasons: Few::new(), failed: Vec::new() }
    }

    /// Known where `valid` is set.
    pub(crate) fn partly(data: Data<'a>, valid: Bits) -> Self {
        Self { valid: some_unknown(valid), ..Self::known(data) }
    }

    /// A column that borrows nothing. Texts become numbers of their distinct values.
    pub(crate) fn into_owned(self) -> ValueColumn<'static> {
        let data = match self.data {
            Data::Int(values) => Data::Int(values.into_owned()),
            Data::Rational(values) => Data::Rational(values),
            Data::Decimals(values) => Data::Decimals(values),
            Data::Float(values) => Data::Float(values),
            Data::Boolean(values) => Data::Boolean(values),
            Data::Text(texts) => Data::Text(texts.into_owned()),
            Data::List(values) => Data::List(values),
        };
        ValueColumn { data, valid: self.valid, reasons: self.reasons, failed: self.failed }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.data {
            Data::Int(values) => values.len(),
            Data::Rational(values) => values.len(),
            Data::Decimals(values) | Data::Float(values) => values.len(),
            Data::Boolean(values) => values.len(),
            Data::Text(values) => values.len(),
            Data::List(values) => values.len(),
        }
    }

    /// The index of a row's value: a single value serves every row.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> usize {
        if self.len() == 1 { 0 } else { row }
    }

    #[inline]
    pub(crate) fn is_known(&self, row: usize) -> bool {
        self.valid.as_ref().is_none_or(|valid| valid.get(self.at(row)))
    }

    pub(crate) fn reason(&self, row: usize) -> Reason {
        self.reasons.get(self.at(row)).copied().unwrap_or_default()
    }

    /// The value of a row, or why it is unknown.
    pub(crate) fn value(&self, row: usize) -> Result<Value, Reason> {
        if !self.is_known(row) {
            return Err(self.reason(row));
        }
        let at = self.at(row);
        Ok(match &self.data {
            Data::Int(values) => Value::Int(values[at]),
            Data::Rational(values) => Value::Rational(values[at].clone()),
            Data::Decimals(values) => Value::Rational(decimal(values[at])),
            // Never prints -0.
            Data::Float(values) => Value::Float(values[at] + 0.0),
            Data::Boolean(values) => Value::Boolean(values.get(at)),
            Data::Text(values) => Value::Text(values.get(at).to_string()),
            Data::List(values) => Value::List(values[at].clone()),
        })
    }

    pub(crate) fn ints(&self) -> &[i64] {
        match &self.data {
            Data::Int(values) => values,
            _ => &[],
        }
    }

    /// Whether it holds numbers that are not whole.
    pub(crate) fn is_number(&self) -> bool {
        matches!(self.data, Data::Rational(_) | Data::Decimals(_) | Data::Float(_))
    }

    /// A reader of whole numbers, `None` where unknown. Cheaper than [`Column::value`] for many rows.
    pub(crate) fn known_ints(&self) -> impl Fn(usize) -> Option<i64> + '_ {
        let (values, single) = (self.ints(), self.len() == 1);
        let known = self.valid.as_ref().map(Bits::reader);
        move |row| {
            let at = if single { 0 } else { row };
            known.as_ref().is_none_or(|known| known(at)).then(|| values[at])
        }
    }

    /// A reader of whether a whole number is known and positive. For credits: whether money came in.
    pub(in crate::engine::metrics) fn is_positive(&self) -> impl Fn(usize) -> bool + '_ {
        let value = self.known_ints();
        move |row| value(row).is_some_and(|value| value > 0)
    }

    /// The nearest double of a row's exact number; `None` if it is unknown or of another type.
    pub(crate) fn double(&self, row: usize) -> Option<f64> {
        if !self.is_known(row) {
            return None;
        }
        match &self.data {
            Data::Rational(values) => Some(values[self.at(row)].to_f64()),
            Data::Decimals(values) => Some(values[self.at(row)] + 0.0),
            _ => None,
        }
    }

    /// The exact number of a row, or why it is unknown.
    pub(crate) fn rational(&self, row: usize) -> Result<Rational, Reason> {
        if !self.is_known(row) {
            return Err(self.reason(row));
        }
        let at = self.at(row);
        match &self.data {
            Data::Int(values) => Ok(Rational::from(values[at])),
            Data::Rational(values) => Ok(values[at].clone()),
            Data::Decimals(values) => Ok(decimal(values[at])),
            _ => Err(Reason::NoValue),
        }
    }

    /// Exact numbers; empty for a column of another type.
    pub(crate) fn rationals(&self) -> Cow<'_, [Rational]> {
        match &self.data {
            Data::Rational(values) => Cow::Borrowed(values),
            Data::Decimals(values) => values.iter().map(|value| decimal(*value)).collect(),
            Data::Int(values) => values.iter().map(|value| Rational::from(*value)).collect(),
            _ => Cow::Borrowed(&[]),
        }
    }

    /// Approximate numbers; empty for a column of another type.
    pub(crate) fn floats(&self) -> &[f64] {
        match &self.data {
            Data::Float(values) => values,
            _ => &[],
        }
    }

    /// Truth values; all false for a column of another type.
    pub(crate) fn booleans(&self) -> Cow<'_, Bits> {
        match &self.data {
            Data::Boolean(values) => Cow::Borrowed(values),
            _ => Cow::Owned(Bits::all(self.len(), false)),
        }
    }

    /// Rows that are known and true.
    pub(crate) fn holds(&self, rows: usize) -> Cow<'_, Bits> {
        match (&self.data, &self.valid) {
            (Data::Boolean(values), None) => values.spread(rows),
            (Data::Boolean(values), Some(valid)) if values.len() == valid.len() => {
                Cow::Owned(values.and(valid).spread(rows).into_owned())
            }
            _ => Cow::Owned(Bits::all(rows, false)),
        }
    }

    pub(crate) fn lists(&self) -> &[Vec<Value>] {
        match &self.data {
            Data::List(values) => values,
            _ => &[],
        }
    }

    pub(crate) fn texts(&self) -> Option<&Texts<'a>> {
        match &self.data {
            Data::Text(values) => Some(values),
            _ => None,
        }
    }
}

/// The slot of an unknown value may not be a number.
fn decimal(value: f64) -> Rational {
    Rational::from_f64(value).unwrap_or_default()
}

/// The validity to store: `None` if every row is known.
pub(crate) fn some_unknown(valid: Bits) -> Option<Bits> {
    (!valid.is_full()).then_some(valid)
}

/// The rows with an unknown input, and why.
pub(crate) fn first_unknown(inputs: &[&ValueColumn], rows: usize) -> Vec<(usize, Reason)> {
    let Some(unknown) = some_input_unknown(inputs, rows) else { return Vec::new() };
    unknown.ones(0..rows).map(|row| (row, first_reason(inputs, row))).collect()
}

/// Why a row with an unknown input is unknown: the first such input says so.
pub(crate) fn first_reason(inputs: &[&ValueColumn], row: usize) -> Reason {
    inputs.iter().find(|input| !input.is_known(row)).map_or(Reason::NoValue, |input| input.reason(row))
}

/// The rows with an unknown input; `None` if there is none.
pub(crate) fn some_input_unknown(inputs: &[&ValueColumn], rows: usize) -> Option<Bits> {
    let unknown = inputs.iter().filter_map(|input| Some(input.valid.as_ref()?.spread(rows).not()));
    unknown.reduce(|all, unknown| all.or(&unknown))
}

/// The column with some rows unknown.
pub(crate) fn with_failures<'a>(column: ValueColumn<'a>, failures: Vec<(usize, Reason)>) -> ValueColumn<'a> {
    if failures.is_empty() {
        return column;
    }
    let rows = column.len();
    let (mut valid, mut reasons) = (Bits::all(rows, true), Few::from_elem(Reason::NoValue, rows));
    for (row, reason) in failures {
        valid.unset(row);
        reasons[row] = reason;
    }
    ValueColumn { valid: Some(valid), reasons, ..column }
}

/// Builds a column value by value.
pub(crate) fn from_values<'a>(
    values: impl IntoIterator<Item = Result<Value, Reason>, IntoIter: ExactSizeIterator>,
    repr: Repr,
) -> ValueColumn<'a> {
    let mut values = values.into_iter();
    match (values.len(), repr) {
        (1, Repr::Int | Repr::Rational | Repr::Float | Repr::Boolean) => {
            values.next().map_or_else(|| from_many(Vec::new(), repr), |value| from_one(value, repr))
        }
        _ => from_many(values.collect(), repr),
    }
}

/// A number or a truth value. A value of another type becomes a meaningless slot.
fn from_one<'a>(value: Result<Value, Reason>, repr: Repr) -> ValueColumn<'a> {
    let data = match (repr, &value) {
        (Repr::Rational, Ok(Value::Rational(value))) => Data::Rational(collect_few([value.clone()].into_iter())),
        (Repr::Rational, _) => Data::Rational(collect_few([Rational::ZERO].into_iter())),
        (Repr::Float, Ok(Value::Float(value))) => Data::Float(collect_few([*value].into_iter())),
        (Repr::Float, _) => Data::Float(collect_few([0.0].into_iter())),
        (Repr::Boolean, value) => Data::Boolean(Bits::all(1, *value == Ok(Value::Boolean(true)))),
        (_, Ok(Value::Int(value))) => Data::Int([*value].into_iter().collect()),
        _ => Data::Int([0].into_iter().collect()),
    };
    let (valid, reasons) = match value {
        Ok(_) => (None, Few::new()),
        Err(reason) => (Some(Bits::all(1, false)), collect_few([reason].into_iter())),
    };
    ValueColumn { data, valid, reasons, failed: Vec::new() }
}

fn from_many<'a>(values: Vec<Result<Value, Reason>>, repr: Repr) -> ValueColumn<'a> {
    let any_unknown = values.iter().any(Result::is_err);
    let valid = any_unknown.then(|| Bits::from_fn(values.len(), |row| values[row].is_ok()));
    let reasons = match any_unknown {
        true => collect_few(values.iter().map(|value| value.as_ref().err().copied().unwrap_or_default())),
        false => Few::new(),
    };
    let data = match repr {
        Repr::Int => Data::Int(values.iter().map(|v| if let Ok(Value::Int(v)) = v { *v } else { 0 }).collect()),
        Repr::Rational => Data::Rational(collect_few(values.iter().map(|v| match v {
            Ok(Value::Rational(v)) => v.clone(),
            _ => Rational::ZERO,
        }))),
        Repr::Float => {
            Data::Float(collect_few(values.iter().map(|v| if let Ok(Value::Float(v)) = v { *v } else { 0.0 })))
        }
        Repr::Boolean => Data::Boolean(Bits::from_fn(values.len(), |row| values[row] == Ok(Value::Boolean(true)))),
        Repr::Text => {
            let text = |value| if let Ok(Value::Text(text)) = value { Cow::Owned(text) } else { Cow::Borrowed("") };
            Data::Text(Texts::Owned(values.into_iter().map(text).collect()))
        }
        Repr::List => {
            let list = |value| if let Ok(Value::List(list)) = value { list } else { Vec::new() };
            Data::List(values.into_iter().map(list).collect())
        }
    };
    ValueColumn { data, valid, reasons, failed: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::{from_many, from_values};
    use crate::base::rational::Rational;
    use crate::engine::metrics::column::Reason;
    use crate::rules::Repr;
    use crate::rules::program::Value;

    #[test]
    fn one_value_reads_as_many_do() {
        let values = [
            Ok(Value::Int(-7)),
            Ok(Value::Rational(Rational::ratio(1, 3).unwrap())),
            Ok(Value::Float(-0.0)),
            Ok(Value::Float(0.25)),
            Ok(Value::Boolean(true)),
            Ok(Value::Boolean(false)),
            Ok(Value::Text("uber".into())),
            Ok(Value::List(vec![Value::Int(1)])),
            Err(Reason::NeedsMonths(3)),
        ];
        for repr in [Repr::Int, Repr::Rational, Repr::Float, Repr::Boolean, Repr::Text, Repr::List] {
            for value in &values {
                let (one, many) = (from_values([value.clone()], repr), from_many(vec![value.clone(); 3], repr));
                assert_eq!((one.len(), many.len()), (1, 3));
                for row in 0..3 {
                    assert_eq!(one.value(row), many.value(row), "{repr:?} {value:?}");
                    assert_eq!(one.is_known(row), value.is_ok());
                }
            }
        }
    }
}
