//! Expressions: names, operators and calls, and the definitions that names lead to. A name's definition is checked when
//! it is needed, so these files call one another. Must not know declarations or judgement.

pub(in crate::rules) mod definitions;
pub(in crate::rules) mod names;
pub(in crate::rules) mod typing;
