//! A strict JSON scanner. Must not know what a statement is.

pub(crate) mod prefix_compare;
pub(crate) mod scanner;
pub(crate) mod text;
pub(crate) mod utf8;
