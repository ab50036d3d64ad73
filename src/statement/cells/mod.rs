//! What a single cell says: amounts, dates, currencies, identifiers and names of balances, in the notations that banks
//! write. Must not know formats, columns files, nor the other cells of a record.

pub(crate) mod amount_advice;
pub(crate) mod amount_notation;
pub(crate) mod balance_names;
pub(crate) mod cell;
pub(crate) mod currency;
pub(crate) mod date_pattern;
pub(crate) mod date_resolution;
pub(crate) mod identity;
pub(crate) mod month_names;
pub(crate) mod period_text;
pub(crate) mod timestamp_cache;
