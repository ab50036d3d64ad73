//! Search in short texts such as narrations: word lists, patterns of `LIKE`, words of ASCII, near names.
//! Knows no rule file, no narration's meaning and no statement.

pub(crate) mod ascii_search;
pub(crate) mod ascii_words;
pub(crate) mod like;
pub(crate) mod lower;
pub(crate) mod number_masking;
mod prefix_index;
pub(crate) mod suggest;
mod trie;
pub(crate) mod word_matcher;
