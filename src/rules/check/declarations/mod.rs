//! Declares parameters, word lists, lists of keys and inputs before any expression is checked, and warns of those that
//! no expression uses. Each declaration takes the parts that it writes. Must not know judgement.

pub(in crate::rules) mod file_overrides;
pub(in crate::rules) mod inputs;
pub(in crate::rules) mod key_lists;
pub(in crate::rules) mod kinds;
pub(in crate::rules) mod narration_lists;
pub(in crate::rules) mod parameters;
pub(in crate::rules) mod tolerance;
pub(in crate::rules) mod unused;
pub(in crate::rules) mod word_lists;
