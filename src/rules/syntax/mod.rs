//! Rule files and expressions as they were written: TOML and expression text -> sections and syntax trees, with the
//! place of every value. Resolves no name and knows no program.

pub(super) mod advice;
pub(super) mod amounts;
pub(super) mod ast;
mod csv;
mod depth;
pub(super) mod file;
pub(super) mod front;
pub(super) mod identifier;
pub(super) mod judgement;
pub(super) mod mentioned_names;
pub(super) mod parse;
pub(super) mod property;
pub(super) mod source;
mod toml_advice;
pub(super) mod toml_reader;
pub(super) mod uses;
