//! The file of `learn --choices`. Checks nothing itself.

use std::collections::BTreeMap;

use super::LearnArgs;
use crate::cli::output::Failure;
use crate::portfolio::learning::MetricChoice;
use crate::portfolio::learning_choices::read_learning_choices;

/// What was chosen for each metric; nothing without a file.
pub(super) fn read_choices(args: &LearnArgs) -> Result<BTreeMap<String, MetricChoice>, Failure> {
    let Some(path) = &args.choices else { return Ok(BTreeMap::new()) };
    let wrong = |what: String| Failure::Message(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
    read_learning_choices(&text).map_err(wrong)
}
