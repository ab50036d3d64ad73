//! Who wrote which words of a narration: the bank, the other side by its name, or somebody who may be anybody. For
//! people who ask why a record is what it is; the hot path knows the same as the bits of `standing`.

use std::fmt::{self, Display, Formatter};

use super::classes::Class;
use super::section::Words;
use super::token::{Token, Tokens};

/// Who wrote the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Words that banks write: channels, banks, terminals, fees. All words, where no one is named.
    Bank,
    /// The counterparty's name, with its legal form and titles.
    Name,
    /// What no list knows to be the bank's, next to a name.
    Remark,
}

impl Display for Source {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bank => "bank",
            Self::Name => "name",
            Self::Remark => "remark",
        })
    }
}

/// Words next to each other with one source, in lower case and without numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub source: Source,
    pub words: String,
}

/// The parts of a narration in their order. `key` has the places of the counterparty's name, if somebody is named.
pub(super) fn parts(tokens: &Tokens, key: Option<&Words>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for (at, token) in tokens.list.iter().enumerate().filter(|(_, token)| !token.class.is(Class::NUMBER)) {
        let source = key.map_or(Source::Bank, |key| source(parts.last(), at, token, key));
        match parts.last_mut() {
            Some(last) if last.source == source => {
                last.words.push(' ');
                last.words.push_str(tokens.word(token));
            }
            _ => parts.push(Part { source, words: tokens.word(token).to_owned() }),
        }
    }
    parts
}

fn source(before: Option<&Part>, at: usize, token: &Token, key: &Words) -> Source {
    let is_behind_name = !token.opens && before.is_some_and(|part| part.source == Source::Name);
    let is_of_bank = Class::WAY | Class::BANK | Class::LINK | Class::FEE | Class::CODE | Class::FORWARDER | Class::BACK;
    match token.class {
        _ if key.has_place(at) => Source::Name,
        class if class.is(Class::EXTRA | Class::LEGAL) && (is_behind_name || key.has_place(at + 1)) => Source::Name,
        class if class.is(is_of_bank) => Source::Bank,
        _ => Source::Remark,
    }
}
