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
                Part::Line(picture) => text += &format!("{}\n", picture.elsewhere),
                Part::Curve(_) => text += "The reliability curve has these points:\n",
            }
        }
    }
    text
}

/// Text in a cell: no sign of it makes a table, a tag or a link. What is between two backticks is code, where only bars
/// would end a cell.
fn plain_cell(text: &str) -> String {
    let text = visible_text(text);
    let pieces: Vec<&str> = text.split('`').collect();
    // Without a partner for each backtick, and something between, it is not known what is code.
    let is_empty_code = pieces.iter().skip(1).step_by(2).any(|piece| piece.trim().is_empty());
    if pieces.len().is_multiple_of(2) || is_empty_code {
        return escape_signs(&text);
    }
    let piece = |(at, piece): (usize, &&str)| match at % 2 {
        0 => escape_signs(piece),
        _ => format!("`{}`", piece.replace('|', "\\|").replace('\n', " ")),
    };
    pieces.iter().enumerate().map(piece).collect()
}

fn escape_signs(text: &str) -> String {
    let mut plain = String::new();
    for sign in text.chars() {
        if "|\\`*_<[]".contains(sign) {
            plain.push('\\');
        }
        plain.push(if sign == '\n' { ' ' } else { sign });
    }
    plain
}

fn render_table(text: &mut String, table: &DocumentTable) {
    let titles: Vec<String> =
        table.head.iter().map(|title| plain_cell(title.trim_start_matches('>').trim_start())).collect();
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

#[cfg(test)]
mod tests {
    use super::plain_cell;

    #[test]
    fn code_stays_code_and_other_signs_are_plain() {
        for (text, wanted) in [
            ("no `--only` here", "no `--only` here"),
            ("`a_b|c` and a_b|c", "`a_b\\|c` and a\\_b\\|c"),
            ("one ` alone", "one \\` alone"),
            ("none in ``", "none in \\`\\`"),
            ("<b> [x] *y*", "\\<b> \\[x\\] \\*y\\*"),
        ] {
            assert_eq!(plain_cell(text), wanted);
        }
    }
}
