//! The rule files that are compiled into the program, so that it can decide anywhere.

use crate::rules::{Policy, compile};
use crate::words::diagnostic::Refused;

const STARTER: &str = include_str!("../../rules/starter.toml");
const METRICS: &str = include_str!("../../rules/metrics.toml");
const WORDS: &str = include_str!("../../rules/words.toml");

/// The starter policy.
pub(crate) fn starter() -> Result<Policy, Refused> {
    let mut read = |name: &str| match name {
        "metrics.toml" => Ok(METRICS.to_owned()),
        "words.toml" => Ok(WORDS.to_owned()),
        _ => Err("it is not compiled into the program".to_owned()),
    };
    compile("rules/starter.toml", STARTER, &mut read, &[])
}
