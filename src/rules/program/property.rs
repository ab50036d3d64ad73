//! A declared property of a policy. Whether it holds is for the analysis to find out.

use crate::rules::graph::NodeId;
use crate::rules::value::Value;
use crate::words::diagnostic::Span;

/// One `[[property]]`.
#[derive(Clone, Debug)]
pub(crate) struct Property {
    /// More of the input gives more of the target, or the same; otherwise less, or the same.
    pub is_increasing: bool,
    /// As written.
    pub input_text: String,
    pub input: NodeId,
    /// As written.
    pub of_text: String,
    pub of: Target,
    pub span: Span,
}

/// What must not fall, or not rise.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// A value; for text, all of its values from the greatest to the least.
    Value(NodeId, Vec<Value>),
    /// A requirement by its index: whether it declines, refers or passes.
    Requirement(usize),
    /// The amounts of these offers, by index.
    Amounts(Vec<usize>),
    /// Offer, referral or decline.
    Outcome,
}
