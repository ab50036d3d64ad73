//! A strict JSON scanner, which reads the provider's records too. Must not know what a statement is.

pub(crate) mod prefix_compare;
pub(crate) mod scanner;
pub(crate) mod text;
pub(crate) mod utf8;
