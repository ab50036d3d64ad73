//! Rows as aligned columns, for people. Knows nothing of what is in them.

use crate::base::text::escape_terminal;

/// A column's title; titles that begin with `>` belong to columns that are aligned to the right.
pub fn format_aligned_table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let shown: Vec<String> = titles.iter().map(|title| title.trim_start_matches('>').to_owned()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&shown).chain(rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&shown).chain(rows) {
        let cells = row.iter().zip(&widths).zip(titles).map(|((cell, width), title)| match title.starts_with('>') {
            true => format!("{cell:>width$}"),
            false => format!("{cell:<width$}"),
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Names and values, one per line.
pub fn format_fact_lines(facts: &[(&str, String)]) -> String {
    let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    facts.iter().map(|(name, value)| format!("{name:<width$}  {value}\n")).collect()
}

/// A text of others, on one line, which cannot steer the terminal.
pub fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    escape_terminal(&line).into_owned()
}
