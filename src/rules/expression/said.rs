//! Which names an expression says, as they were resolved where it stands: two files may say the same word and mean different things. Knows
//! no value.

use super::names::Sort;
use crate::rules::check::{Checked, Checker};
use crate::rules::file::source::Text;
use crate::rules::ir::NodeId;

/// The whole names that an expression says, each once, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Said {
    /// Of values.
    pub names: Vec<String>,
    pub parameters: Vec<String>,
    /// Of word lists.
    pub words: Vec<String>,
}

/// An expression as it is written, on one line, with what it says and its value.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub text: String,
    pub said: Said,
    pub node: NodeId,
}

impl Said {
    pub(crate) fn note(&mut self, sort: Sort, name: &str) {
        let list = match sort {
            Sort::Value => &mut self.names,
            Sort::Parameter => &mut self.parameters,
            Sort::Words => &mut self.words,
        };
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }
}

impl Checker<'_> {
    /// What is said while something is checked, and by nothing that it needs.
    pub(in crate::rules) fn saying<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (T, Said) {
        let outer = std::mem::take(&mut self.said);
        let checked = check(self);
        (checked, std::mem::replace(&mut self.said, outer))
    }

    /// Checks an expression and keeps it as it is written.
    pub(in crate::rules) fn written<T>(
        &mut self,
        text: &Text,
        check: impl FnOnce(&mut Self, &Text) -> Checked<T>,
        node: impl FnOnce(&T) -> NodeId,
    ) -> Checked<(T, Expression)> {
        let (checked, said) = self.saying(|checker| check(checker, text));
        let checked = checked?;
        let node = node(&checked);
        Ok((checked, Expression { text: on_one_line(text.value()), said, node }))
    }
}

/// An expression on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
