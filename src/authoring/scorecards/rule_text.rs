//! A scorecard as the `[score]` of a rule file.

use std::fmt::Write;

use super::cells::write_rule_cell;
use super::model::{Scorecard, ScorecardItem, ScorecardKind};
use crate::base::toml_text::quote_toml_text;
use crate::rules::taken_names;

impl Scorecard {
    /// What to know before the scorecard is used: the warnings, and metrics with names that are taken in rule files.
    pub fn remarks(&self) -> Vec<String> {
        let names = metric_names(&self.items);
        let named = self.items.iter().zip(&names).filter(|(_, name)| name.starts_with("own_"));
        let renamed = named.filter(|(item, name)| format!("own_{}", item.metric.to_ascii_lowercase()) == **name);
        let remark = |(item, name): (&ScorecardItem, &String)| {
            let declared = declare_metric(item, name);
            format!("`{}` has another meaning in rule files, so the metric is `{name}`: {declared}", item.metric)
        };
        self.warnings.iter().cloned().chain(renamed.map(remark)).collect()
    }

    /// The `[score]` of a rule file, with comments. The policy must have the metrics.
    pub fn rule_text(&self) -> String {
        let mut text = String::new();
        let comment =
            |text: &str| text.chars().map(|sign| if sign.is_control() { ' ' } else { sign }).collect::<String>();
        // Writing to a string cannot fail.
        if let Some(name) = &self.name {
            let _ = writeln!(text, "# From the scorecard {}.", comment(name));
        }
        let names = metric_names(&self.items);
        let _ = writeln!(text, "# The policy must have these metrics:");
        for (item, name) in self.items.iter().zip(&names) {
            let kind = match item.kind {
                ScorecardKind::Number => "a number",
                ScorecardKind::Boolean => "true or false",
                ScorecardKind::Text => "a text",
            };
            let was = match *name == item.metric {
                true => String::new(),
                false => format!(", which was `{}`: {}", comment(&item.metric), comment(&declare_metric(item, name))),
            };
            let _ = writeln!(text, "# - {name}: {kind}{was}");
        }
        if !self.warnings.is_empty() {
            let _ = writeln!(text, "# To look at:");
            self.warnings.iter().for_each(|what| {
                let _ = writeln!(text, "# - {}", comment(what));
            });
        }
        if !self.left_out.is_empty() {
            let _ = writeln!(text, "# Not carried over:");
            self.left_out.iter().for_each(|what| {
                let _ = writeln!(text, "# - {}", comment(what));
            });
        }
        let _ = writeln!(text, "[score]\nbase = {}", self.base);
        if self.items.iter().any(|item| item.code.is_some()) {
            let _ = writeln!(text, "reasons = {}", self.reasons.max(1));
        }
        for (item, name) in self.items.iter().zip(&names) {
            let _ = writeln!(text, "\n[[score.item]]\non = {}", quote_toml_text(name));
            if let Some(code) = &item.code {
                let _ = writeln!(text, "code = {}", quote_toml_text(code));
                let _ = writeln!(text, "reason = {}", quote_toml_text(&format!("{name} is {{{name}}}")));
            }
            let row = |row: &super::model::ScorecardRow| {
                format!("[{}, {}]", quote_toml_text(&write_rule_cell(&row.cell)), row.points)
            };
            let rows: Vec<String> = item.rows.iter().map(row).collect();
            let _ = writeln!(text, "points = [{}]", rows.join(", "));
        }
        text
    }
}

/// How the policy declares a column of the lender's own table under another name.
fn declare_metric(item: &ScorecardItem, name: &str) -> String {
    let kind = match item.kind {
        ScorecardKind::Number => "number",
        ScorecardKind::Boolean => "boolean",
        ScorecardKind::Text => "text",
    };
    format!("{name} = {{ given = \"{kind}\", column = {} }}", quote_toml_text(&item.metric))
}

/// Names that a rule file can have: lower case letters, digits and `_`. Names that become the same get a number, and
/// names with another meaning there, such as `balance`, begin with `own_`.
fn metric_names(items: &[ScorecardItem]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, item) in items.iter().enumerate() {
        // A dot leads into the request or the bureau.
        let plain = item.metric.chars().map(|sign| match sign.to_ascii_lowercase() {
            sign if sign.is_ascii_alphanumeric() || sign == '.' => sign,
            _ => '_',
        });
        let mut name: String = plain.collect();
        if !name.starts_with(|sign: char| sign.is_ascii_lowercase()) {
            name.insert_str(0, "m_");
        }
        if taken_names().contains(&name.as_str()) {
            name.insert_str(0, "own_");
        }
        let is_taken = |name: &String| {
            items[..at].iter().zip(&names).any(|(other, taken)| taken == name && other.metric != item.metric)
        };
        let plain = name.clone();
        let mut number = 2;
        while is_taken(&name) {
            name = format!("{plain}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}
