//! The names that an expression refers to, resolved where it stands: the same word may mean different things in two
//! files. Knows no value.

use crate::rules::graph::NodeId;
use crate::rules::names::Sort;

/// The whole names that an expression says, each once, in its order.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
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
    pub references: References,
    pub node: NodeId,
}

impl References {
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

/// An expression on one line.
pub(crate) fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
