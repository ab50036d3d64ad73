//! A document as Markdown.

use std::fmt::Write;

use super::parts::{DocumentTable, Part, Section};
use crate::report::page::visible_text;

/// How many signs the longest bar has on either side.
const BAR: usize = 10;

pub(super) fn render_document_markdown(title: &str, introduction: &str, sections: &[Section]) -> String {
    let mut text = format!("# {}\n\n{}\n", plain_cell(title), plain_cell(introduction));
    // Writing to a string cannot fail.
    for (at, section) in sections.iter().enumerate() {
        let _ = writeln!(text, "\n## {}. {}\n\n*{}*", at + 1, section.title, section.topic);
        for part in &section.parts {
            text.push('\n');
            match part {
                Part::Paragraph(words) => text += &format!("{}\n", plain_cell(words)),
                Part::Heading(words) => text += &format!("### {}\n", plain_cell(words)),
                Part::List(words) => words.iter().for_each(|words| text += &format!("- {}\n", plain_cell(words))),
                Part::Table(table) => render_table(&mut text, table),
                // The table after a curve has its points.
                Part::Curve(_) => text += "The reliability curve has these points:\n",
            }
        }
    }
    text
}

/// Text in a cell: no sign of it makes a table, a tag or a link.
fn plain_cell(text: &str) -> String {
    let mut plain = String::new();
    for sign in visible_text(text).chars() {
        if "|\\`*_<[]".contains(sign) {
            plain.push('\\');
        }
        plain.push(if sign == '\n' { ' ' } else { sign });
    }
    plain
}

fn render_table(text: &mut String, table: &DocumentTable) {
    let titles: Vec<String> = table.head.iter().map(|title| plain_cell(title.trim_start_matches('>'))).collect();
    let rule: Vec<&str> = table.head.iter().map(|title| if title.starts_with('>') { "--:" } else { "---" }).collect();
    let _ = writeln!(text, "| {} |\n| {} |", titles.join(" | "), rule.join(" | "));
    for (at, row) in table.rows.iter().enumerate() {
        let mut cells: Vec<String> = row.iter().map(|cell| plain_cell(cell)).collect();
        cells.extend(table.bars.get(at).map(|bar| bar_as_text(*bar)));
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
}

/// A bar to the left or to the right of a line.
fn bar_as_text(bar: f64) -> String {
    let length = (bar.abs().min(1.0) * BAR as f64).round() as usize;
    let signs = "\u{2588}".repeat(length);
    if bar < 0.0 { format!("`{signs:>BAR$}|{:BAR$}`", "") } else { format!("`{:BAR$}|{signs:<BAR$}`", "") }
}
