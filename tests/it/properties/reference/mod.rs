//! The reference evaluator: plain, slow, one row at a time, written from the language's definition and not from the
//! engine. It knows the engine's inputs (the frame) and nothing of how the engine computes.
//!
//! Its rules, in short. A value is known or unknown. Unknown is SQL's null: an operation over it is unknown, AND and OR are
//! decided by one decided side, CASE takes the first condition that is true, COALESCE the first known value. An integer that
//! does not fit 64 bits, a float that is not finite and a date outside of the years 1900 to 2200 are unknown as *overflow*.
//! An aggregate passes over rows whose argument is unknown. It is unknown itself where something overflows in any record or
//! month of the statement, counted or not; where a constant or a value of the statement that it uses is unknown; and where
//! the statement lacks the debits or the balances that it reads.

pub mod aggregate;
pub mod data;
pub mod evaluate;
pub mod expression;
pub mod scalar;
pub mod text;

/// A value; a float carries how far the engine's may lie from it, where rounding is not prescribed to the last bit.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    Int(i64),
    Float(f64, f64),
    Bool(bool),
    Text(String),
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Why {
    Unknown,
    Overflow,
}

pub type Out = Result<Val, Why>;

impl Val {
    pub fn float(&self) -> (f64, f64) {
        match self {
            Val::Int(value) => (*value as f64, 0.0),
            Val::Float(value, error) => (*value, *error),
            other => panic!("{other:?} is no number"),
        }
    }

    pub fn int(&self) -> i64 {
        match self {
            Val::Int(value) => *value,
            other => panic!("{other:?} is no integer"),
        }
    }

    pub fn text(&self) -> &str {
        match self {
            Val::Text(value) => value,
            other => panic!("{other:?} is no text"),
        }
    }
}

/// An integer that fits, or an overflow.
pub fn fits(value: i128) -> Out {
    i64::try_from(value).map(Val::Int).map_err(|_| Why::Overflow)
}

/// A finite float, or an overflow.
pub fn finite(value: f64, error: f64) -> Out {
    if value.is_finite() { Ok(Val::Float(value, error)) } else { Err(Why::Overflow) }
}

/// Unknown because any of them is: an overflow wins, whatever the order.
pub fn all(values: impl IntoIterator<Item = Out>) -> Result<Vec<Val>, Why> {
    let (mut known, mut why) = (Vec::new(), None);
    for value in values {
        match value {
            Ok(value) => known.push(value),
            Err(Why::Overflow) => why = Some(Why::Overflow),
            Err(Why::Unknown) => why = why.or(Some(Why::Unknown)),
        }
    }
    why.map_or(Ok(known), Err)
}
