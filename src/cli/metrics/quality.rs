//! Prints quality warnings of the statements that metrics are computed from. Changes no result.

use std::collections::BTreeMap;

use super::super::output::print_stderr_remark;
use crate::statement::Statements;

/// How many warnings are shown per input.
const SHOWN: usize = 5;

/// Warnings of an input's statements, each with the number of statements that have it.
#[derive(Debug, Default)]
pub(super) struct Warnings(BTreeMap<String, u64>);

impl Warnings {
    pub(super) fn from_statements(statements: &Statements) -> Warnings {
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

    /// Prints the warnings of all parts of an input, the most frequent first.
    pub(super) fn print(parts: impl IntoIterator<Item = Warnings>) {
        let mut all = Warnings::default();
        parts.into_iter().flat_map(|part| part.0).for_each(|(warning, statements)| all.add(warning, statements));
        let mut sorted: Vec<(String, u64)> = all.0.into_iter().collect();
        sorted.sort_by(|left, right| right.1.cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
        let more = sorted.split_off(sorted.len().min(SHOWN));
        for (warning, statements) in sorted {
            let statements = if statements == 1 { String::new() } else { format!(" ({statements} statements)") };
            print_stderr_remark(format!("warning: {warning}{statements}\n"));
        }
        if !more.is_empty() {
            print_stderr_remark(format!(
                "warning: and {} more of this kind; `quality.warnings` of decisions lists all\n",
                more.len()
            ));
        }
    }
}
