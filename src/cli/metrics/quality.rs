//! What a person should know of the statements that metrics are worked out of, on the terminal. Changes no result.

use std::collections::BTreeMap;

use super::super::output::remark;
use crate::statement::Statements;

/// Warnings that are shown of an input.
const SHOWN: usize = 5;

/// Warnings of an input's statements, each with how many statements have it.
#[derive(Debug, Default)]
pub(super) struct Warnings(BTreeMap<String, u64>);

impl Warnings {
    pub(super) fn of(statements: &Statements) -> Warnings {
        let mut warnings = Warnings::default();
        for head in statements.heads() {
            for warning in &head.quality.warnings {
                warnings.add(format!("{}: {warning}", head.label), 1);
            }
        }
        warnings
    }

    fn add(&mut self, warning: String, statements: u64) {
        *self.0.entry(warning).or_default() += statements;
    }

    /// Says those of all parts of an input, what most statements have first.
    pub(super) fn say(parts: impl IntoIterator<Item = Warnings>) {
        let mut all = Warnings::default();
        parts.into_iter().flat_map(|part| part.0).for_each(|(warning, statements)| all.add(warning, statements));
        let mut sorted: Vec<(String, u64)> = all.0.into_iter().collect();
        sorted.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        let more = sorted.split_off(sorted.len().min(SHOWN));
        for (warning, statements) in sorted {
            let statements = if statements == 1 { String::new() } else { format!(" ({statements} statements)") };
            remark(format!("warning: {warning}{statements}\n"));
        }
        if !more.is_empty() {
            remark(format!(
                "warning: and {} more of the kind, which `quality.warnings` of decisions has\n",
                more.len()
            ));
        }
    }
}
