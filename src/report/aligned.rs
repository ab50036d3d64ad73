//! Rows as aligned columns, for people. Knows nothing of what is in them.

use unicode_width::UnicodeWidthStr;

use crate::base::text::escape_terminal;

/// A column's title; titles that begin with `>` belong to columns that are aligned to the right.
pub fn format_aligned_table(titles: &[&str], rows: &[Vec<String>]) -> String {
    let shown: Vec<String> = titles.iter().map(|title| title.trim_start_matches('>').to_owned()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&shown).chain(rows).filter_map(|row| row.get(column));
        cells.map(|cell| measure_text_width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..titles.len()).map(width).collect();
    let mut text = String::new();
    for row in std::iter::once(&shown).chain(rows) {
        let cells = row.iter().zip(&widths).zip(titles).map(|((cell, width), title)| match title.starts_with('>') {
            true => pad_text_start(cell, *width),
            false => pad_text_end(cell, *width),
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// Names and values, one per line.
pub fn format_fact_lines(facts: &[(&str, String)]) -> String {
    let width = facts.iter().map(|(name, _)| measure_text_width(name)).max().unwrap_or(0);
    facts.iter().map(|(name, value)| format!("{}  {value}\n", pad_text_end(name, width))).collect()
}

/// How many columns of a terminal a text takes: a Chinese letter takes two, an accent in parts none.
pub fn measure_text_width(text: &str) -> usize {
    text.width()
}

/// The text with blanks before it, up to a width.
pub fn pad_text_start(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text with blanks after it, up to a width.
pub fn pad_text_end(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// The text, at most so wide, with `dots` where some of it is missing.
pub fn cut_text_to_width(text: &str, width: usize, dots: &str) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(dots.width());
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let fitting = ends.map_while(|end| text.get(..end)).take_while(|start| start.width() <= room);
    format!("{}{dots}", fitting.last().unwrap_or_default().trim_end())
}

/// A text of others, on one line, which cannot steer the terminal.
pub fn one_line(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    escape_terminal(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stay_straight_under_letters_of_any_width() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        // Letters of two columns, letters in parts, an emoji of several characters.
        let rows = [
            row(["王小明", "1", "x"]),
            row(["Ọlá", "10", "x"]),
            row(["A\u{301}ko\u{0323}", "100", "x"]),
            row(["👩\u{200d}🌾 Ltd", "7", "x"]),
            row(["Ada Obi", "9", "x"]),
        ];
        assert_eq!(
            format_aligned_table(&["name", ">n", ""], &rows),
            "name       n\n\
             王小明     1  x\n\
             Ọlá       10  x\n\
             A\u{301}ko\u{0323}      100  x\n\
             👩\u{200d}🌾 Ltd     7  x\n\
             Ada Obi    9  x\n"
        );
        assert_eq!(cut_text_to_width("王小明", 6, "…"), "王小明");
        assert_eq!(cut_text_to_width("王小明", 5, "…"), "王小…");
        assert_eq!(cut_text_to_width("王小明", 4, "…"), "王…");
        assert_eq!(cut_text_to_width("Ade\u{301} Obi", 5, "…"), "Ade\u{301}…");
        assert_eq!(cut_text_to_width("Ada", 0, ""), "");
        let facts = [("名", "x".to_owned()), ("abc", "y".to_owned())];
        assert_eq!(format_fact_lines(&facts), "名   x\nabc  y\n");
    }
}
