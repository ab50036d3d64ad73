//! The names that an expression refers to, resolved in its file, because the same word may mean different things in two
//! files.

use crate::rules::graph::NodeId;
use crate::rules::names::Sort;

/// The whole names in an expression, each once, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    /// Names of values.
    pub names: Vec<String>,
    pub parameters: Vec<String>,
    /// Names of word lists.
    pub words: Vec<String>,
    /// Names of lists of keys.
    pub lists: Vec<String>,
}

/// An expression as written, on one line, with its references and its node.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub text: String,
    pub references: References,
    pub node: NodeId,
}

impl References {
    pub(crate) fn note(&mut self, sort: Sort, name: &str) {
        let list = match sort {
            Sort::Value => &mut self.names,
            Sort::Parameter => &mut self.parameters,
            Sort::Words => &mut self.words,
            Sort::List => &mut self.lists,
        };
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
    }
}

/// An expression on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
