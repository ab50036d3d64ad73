//! The parameter values with which a policy is compiled for an analysis. Compiles nothing.

/// The values of parameters that declare bounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParameterVariant {
    #[default]
    AsWritten,
    /// Each anywhere from its min to its max. Cells, which need one value, use the written one.
    Anywhere,
    /// One parameter, by name, at a bound; the others as written.
    At(String, Bound),
}

/// A bound of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Min,
    Max,
}
