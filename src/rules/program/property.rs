//! A declared property of a policy. The analysis finds out whether it holds.

use crate::base::diagnostic::Span;
use crate::rules::graph::NodeId;
use crate::rules::value::Value;

/// One `[[property]]`.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// Whether more of the input never gives less of the target; otherwise never more.
    pub is_increasing: bool,
    /// As written.
    pub input_text: String,
    pub input: NodeId,
    /// As written.
    pub of_text: String,
    pub of: Target,
    pub span: Span,
}

/// What must not fall, or must not rise.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A value; for a text, with all its values from the greatest to the least.
    Value(NodeId, Vec<Value>),
    /// A requirement by its index: whether it declines, refers or passes.
    Requirement(usize),
    /// The amounts of these offers, by index.
    Amounts(Vec<usize>),
    /// The outcome: offer, referral or decline.
    Outcome,
}
