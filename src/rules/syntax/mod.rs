//! Rule files and expressions as written: text in, sections and syntax trees out, with the place of every value.
//! Resolves no names. Must not know programs.

pub(super) mod advice;
pub(super) mod amounts;
pub(super) mod ast;
pub(in crate::rules) mod corrections;
pub(in crate::rules) mod csv;
pub(crate) mod deep;
mod depth;
mod digit_groups;
pub(super) mod file;
pub(super) mod front;
pub(super) mod identifier;
pub(super) mod judgement;
pub(in crate::rules) mod list_csv;
pub(super) mod mentioned_names;
pub(super) mod parse;
pub(super) mod property;
pub(super) mod source;
mod toml_advice;
pub(super) mod toml_reader;
pub(super) mod uses;
