//! Functions and aggregates: what each asks of its arguments and what it returns. Must not know names, operators or
//! definitions: [`arguments::CheckArguments`] is the way to them.

pub(in crate::rules) mod aggregates;
pub(in crate::rules) mod arguments;
pub(in crate::rules) mod calendar;
pub(in crate::rules) mod call;
pub(in crate::rules) mod function_names;
pub(in crate::rules) mod key_lists;
pub(in crate::rules) mod neighbours;
pub(in crate::rules) mod texts;
pub(in crate::rules) mod windows;
pub(in crate::rules) mod word_search;
