//! Texts with values in them: the reasons of requirements and of score items.

use crate::base::rational::Rational;
use crate::rules::graph::NodeId;

/// Text with values in it.
#[derive(Clone, Debug)]
pub(crate) struct Template(pub Vec<Part>);

#[derive(Clone, Debug)]
pub(crate) enum Part {
    Text(String),
    Value(TemplateValue),
}

/// A value in a text.
#[derive(Clone, Debug)]
pub(crate) struct TemplateValue {
    pub node: NodeId,
    /// Whether it is a written number, which is shown with all its digits.
    pub is_written: bool,
    /// Values it is compared with. Rounded, it must not look equal to one of them.
    pub beside: Vec<NodeId>,
    /// The ends of the cells and bins that test it, ascending.
    pub ends: Option<std::sync::Arc<[Rational]>>,
}

impl Template {
    /// The values in it.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.0.iter().filter_map(|part| match part {
            Part::Value(value) => Some(value.node),
            Part::Text(_) => None,
        })
    }
}
