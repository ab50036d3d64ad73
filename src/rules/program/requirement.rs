//! Requirements and the conditions in them. Decides nothing.

use crate::base::diagnostic::Span;
use crate::rules::graph::NodeId;
use crate::rules::program::template::Template;
use crate::rules::references::References;

/// The effect of an unmet requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Nothing.
    Pass,
    /// A person looks at it.
    Refer,
    /// No offer is made.
    Decline,
}

/// One `[[require]]`.
#[derive(Clone, Debug)]
pub(crate) struct Requirement {
    pub id: String,
    /// For people, next to the id.
    pub title: Option<String>,
    /// As written.
    pub text: String,
    pub references: References,
    pub when: NodeId,
    /// The condition, with the members of its block.
    pub asked: Asked,
    pub otherwise: Effect,
    pub unknown: Effect,
    pub reason: Template,
    /// The place of its id.
    pub span: Span,
}

/// The condition of a requirement, member by member.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub what: Condition,
    /// Whether that holds, which may be unknown.
    pub alone: NodeId,
    /// Whether it counts as holding. A member may say what it counts as if it is unknown.
    pub node: NodeId,
}

/// One condition, or a block of them.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// As written.
    When(String),
    Block(Quota, Vec<Asked>),
}

/// How many members of a block must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quota {
    All,
    Any,
    AtLeast(usize),
}

impl Asked {
    /// Every node in it.
    pub(in crate::rules) fn nodes(&self, nodes: &mut Vec<NodeId>) {
        nodes.push(self.node);
        if let Condition::Block(_, members) = &self.what {
            members.iter().for_each(|member| member.nodes(nodes));
        }
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (quota, members) = match &self.what {
            Condition::When(text) => return out.write_str(text),
            Condition::Block(quota, members) => (quota, members),
        };
        match quota {
            Quota::All => out.write_str("all of (")?,
            Quota::Any => out.write_str("any of (")?,
            Quota::AtLeast(least) => write!(out, "at least {least} of (")?,
        }
        for (index, member) in members.iter().enumerate() {
            write!(out, "{}{member}", if index > 0 { "; " } else { "" })?;
        }
        out.write_str(")")
    }
}
