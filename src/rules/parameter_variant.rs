//! Which values the parameters of a policy have when it is compiled for an analysis. Compiles nothing.

/// Where the parameters that declare bounds stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum ParameterVariant {
    #[default]
    AsWritten,
    /// Each anywhere from its min to its max; where a cell needs one value, as written.
    Anywhere,
    /// One of them, by name, at a bound; the others as written.
    At(String, Bound),
}

/// An end of what a parameter may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Min,
    Max,
}
