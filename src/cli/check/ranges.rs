//! `check --ranges`: the possible values of each name of a policy.

use serde_json::json;

use super::{CheckArgs, CheckFormat};
use crate::authoring::analysis::{Range, list_value_ranges, policy_within_bounds};
use crate::cli::output::{self, Failure};
use crate::rules::Policy;

/// Prints every range: a table for people, JSON lines for programs.
pub(super) fn print_value_ranges(policy: &Policy, args: &CheckArgs) -> Result<(), Failure> {
    let within_bounds = args.bounds.then(|| policy_within_bounds(policy)).flatten();
    let ranges = list_value_ranges(within_bounds.as_ref().unwrap_or(policy));
    if args.format == CheckFormat::Json {
        return output::write_stdout_bytes(ranges.iter().map(json_line).collect::<String>().as_bytes());
    }
    let width = ranges.iter().map(|range| range.name.chars().count()).max().unwrap_or(0);
    let lines: String = ranges.iter().map(|range| format!("  {:width$}  {range}\n", range.name)).collect();
    output::write_stdout_bytes(lines.as_bytes())
}

fn json_line(range: &Range) -> String {
    let (low, high) = range.bounds();
    let text = range.to_string();
    let unit = range.ty.unit.word();
    let unknown = range.may_be_unknown();
    format!(
        "{}\n",
        json!({"range": range.name, "unit": unit, "low": low, "high": high, "unknown": unknown, "said": text})
    )
}
