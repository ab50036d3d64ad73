//! The one meaning of a record: raw records of every format become rows, by declared rules. Must not know any format.

pub(crate) mod amount_advice;
pub(crate) mod amount_notation;
pub(crate) mod amount_sides;
pub(crate) mod cell;
pub(crate) mod currency;
pub(crate) mod date_pattern;
pub(crate) mod date_resolution;
pub(crate) mod identity;
pub(crate) mod month_names;
pub(crate) mod raw_record;
pub(crate) mod record;
pub(crate) mod record_amounts;
pub(crate) mod timestamp_cache;
