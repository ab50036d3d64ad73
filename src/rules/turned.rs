//! A policy compiled once more with its parameters turned within the bounds that they declare, for an analysis. Out of the texts that
//! were read before: reads no file.

use std::path::Path;

use super::compile::inspect_turned;
use super::policy::Policy;
use crate::words::diagnostic::Refused;

/// Where the parameters that declare bounds stand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Turned {
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

/// The policy with its parameters turned; every place in it is the same. What can only be evaluated as written is not to be decided with.
pub(crate) fn turned(policy: &Policy, turned: Turned) -> Result<Policy, Refused> {
    let mut sources = policy.sources.iter();
    let main = sources.next();
    let (name, text) = main.map_or(("", ""), |main| (main.name.as_str(), main.text.as_str()));
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut read = |used: &str| {
        let shown = folder.join(used);
        let found = policy.sources.iter().skip(1).find(|source| Path::new(&source.name) == shown);
        found.map(|source| source.text.clone()).ok_or_else(|| "it was not read before".to_string())
    };
    inspect_turned(name, text, &mut read, &policy.overrides, turned).into_policy()
}
