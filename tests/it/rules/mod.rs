//! Tests of `src/rules`: what a rule file may say, what it means, and the policies that ship.

mod corrections;
mod definition_order;
mod diagnostics;
mod key_lists;
mod language;
pub(crate) mod limits;
mod policy;
mod record_texts;
mod semantics;
mod shipped;
mod times;
mod titles;
