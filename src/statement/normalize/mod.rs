//! The one meaning of a record: raw records of every format become rows, by declared rules. Must not know any format.

pub(crate) mod amount_sides;
pub(crate) mod raw_record;
pub(crate) mod record;
pub(crate) mod record_amounts;
