//! Tests of commands, by the name of the command.

mod check;
mod command_groups;
mod connection;
mod corrections;
mod decide;
mod demo;
mod explain;
mod generate;
mod help;
mod import;
mod key_lists;
mod logging;
mod manual_and_completions;
mod metrics;
mod period;
mod private_statement;
mod provider;
mod pull;
pub(crate) mod records;
mod replay;
mod send;
mod signals;
mod spreadsheet_formulas;
mod test;
mod usage_mistakes;

use serde_json::Value;

const FILES: [&str; 3] = ["in/statement-000001.json", "in/statement-000002.json", "in/statement-000003.json"];
const DECIDE: [&str; 3] = ["decide", "--policy", "rules/small.toml"];
const METRICS: [&str; 3] = ["metrics", "--policy", "rules/small.toml"];

fn values(lines: &str) -> Vec<Value> {
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
