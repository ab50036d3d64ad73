//! What the checker knows and makes, in parts: mistakes, symbols and their namespaces, parameters, word lists, inputs,
//! uses of names, definitions, and the nodes of the program. Only a part itself writes its fields.
//!
//! Must not know operands, expressions or declarations: it checks no text of a rule file.

pub(in crate::rules) mod built_in;
pub(in crate::rules) mod definition_list;
pub(in crate::rules) mod input_list;
pub(in crate::rules) mod key_lists;
pub(in crate::rules) mod kind_list;
pub(in crate::rules) mod mistakes;
pub(in crate::rules) mod namespaces;
pub(in crate::rules) mod nodes;
pub(in crate::rules) mod parameter_list;
pub(in crate::rules) mod symbol;
pub(in crate::rules) mod symbol_table;
pub(in crate::rules) mod terms;
pub(in crate::rules) mod uses;
pub(in crate::rules) mod word_list;
