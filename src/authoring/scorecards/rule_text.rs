//! A scorecard as the `[score]` of a rule file.

use std::fmt::Write;

use super::cells::write_rule_cell;
use super::model::{Scorecard, ScorecardItem, ScorecardKind};
use crate::base::toml_text::quote_toml_text;

impl Scorecard {
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
            let was =
                if *name == item.metric { String::new() } else { format!(", which was `{}`", comment(&item.metric)) };
            let _ = writeln!(text, "# - {name}: {kind}{was}");
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

/// Names that a rule file can have: lower case letters, digits and `_`. Names that become the same get a number.
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
