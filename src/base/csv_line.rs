//! CSV as the program writes it, for people who open it in a spreadsheet. There a text that begins with `=`, `+`, `-`
//! or `@` is a formula, and a narration is anybody's text. So such a text gets an apostrophe in front, and our readers
//! take it away again.
//!
//! The `csv` crate reads, and does not write: it cannot tell a missing value from an empty text.

use std::borrow::Cow;

use serde_json::Value;

use super::clean_text::is_hidden;

/// What begins a formula, also in the full width of East Asian keyboards.
const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// A line of a CSV table, cell by cell.
#[derive(Default)]
pub(crate) struct CsvLine {
    text: String,
    has_cells: bool,
}

impl CsvLine {
    /// A text, which is guarded and quoted if it must be. An empty one is `""`.
    pub(crate) fn push_text(&mut self, text: &str) {
        match is_formula(text) {
            true => self.push_plain(&quoted_text(&format!("'{text}"))),
            false => self.push_plain(&quoted_text(text)),
        }
    }

    /// A number, a day or a truth value; empty for a missing value.
    pub(crate) fn push_plain(&mut self, text: &str) {
        if std::mem::replace(&mut self.has_cells, true) {
            self.text.push(',');
        }
        self.text.push_str(text);
    }

    /// Texts, of which an empty one is a missing value.
    pub(crate) fn push_given<'t>(&mut self, texts: impl IntoIterator<Item = &'t str>) {
        texts.into_iter().for_each(|text| if text.is_empty() { self.push_plain("") } else { self.push_text(text) });
    }

    /// A value of JSON: null is a missing value, and lists are texts.
    pub(crate) fn push_json(&mut self, value: &Value) {
        match value {
            Value::Null => self.push_plain(""),
            Value::String(text) => self.push_text(text),
            Value::Array(_) | Value::Object(_) => self.push_text(&value.to_string()),
            Value::Bool(_) | Value::Number(_) => self.push_plain(&value.to_string()),
        }
    }

    /// The line with its end. The next cell begins another line.
    pub(crate) fn take_line(&mut self) -> String {
        self.has_cells = false;
        self.text.push('\n');
        std::mem::take(&mut self.text)
    }
}

/// A text as a cell, in quotes if it needs them. It is not guarded.
pub(crate) fn quoted_text(text: &str) -> Cow<'_, str> {
    match text.is_empty() || text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        true => format!("\"{}\"", text.replace('"', "\"\"")).into(),
        false => text.into(),
    }
}

/// Whether a spreadsheet may compute this text. It passes over blanks, quotes and apostrophes before a formula. Numbers
/// and dashes are none.
fn is_formula(text: &str) -> bool {
    let shown = text.trim_start_matches('\'');
    if shown.starts_with(['\t', '\r', '\n']) {
        return true;
    }
    let is_passed_over = |letter: char| letter.is_whitespace() || is_hidden(letter) || matches!(letter, '"' | '\'');
    let formula = shown.trim_start_matches(is_passed_over).trim_end();
    formula.starts_with(SIGNS) && !is_number(formula) && !formula.bytes().all(|byte| byte == b'-')
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.parse::<f64>().is_ok()
}

/// The text of a cell that was read from CSV, without the apostrophe that guards a formula.
pub fn unguarded_text(text: &str) -> &str {
    text.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> String {
        let mut line = CsvLine::default();
        line.push_text(text);
        line.take_line()
    }

    #[test]
    fn a_formula_is_a_text_and_all_else_stays() {
        for (text, cell) in [
            ("=1+1", "'=1+1"),
            ("+1-2", "'+1-2"),
            ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            (" =1", "' =1"),
            ("\u{a0}\u{200b}=1", "'\u{a0}\u{200b}=1"),
            ("\t1", "'\t1"),
            ("\r1", "\"'\r1\""),
            ("\"=1\"", "\"'\"\"=1\"\"\""),
            ("'=1", "''=1"),
            ("＝1", "'＝1"),
            ("--1", "'--1"),
            ("-A1", "'-A1"),
            ("-1e", "'-1e"),
            ("-inf", "'-inf"),
            ("+44 20", "'+44 20"),
            ("-12.50", "-12.50"),
            ("+2348012345678", "+2348012345678"),
            ("-1e-7", "-1e-7"),
            ("-", "-"),
            ("--", "--"),
            ("a=1", "a=1"),
            ("'tis", "'tis"),
            ("#REF!", "#REF!"),
            ("", "\"\""),
            (" a", "\" a\""),
            ("a,b", "\"a,b\""),
            ("a\nb", "\"a\nb\""),
        ] {
            assert_eq!(written(text), format!("{cell}\n"), "{text:?}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["=1", "'=1", "''=1", "'", "''", "-", "'-", "'-1", "-1", " =", "'\t", "\t", "'a", "=", "＠x", "\"="]
        {
            let line = written(text);
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
            let cell = reader.records().next().expect("a line").expect("csv");
            assert_eq!(unguarded_text(&cell[0]), text);
        }
    }

    #[test]
    fn missing_values_and_empty_texts_differ() {
        let mut line = CsvLine::default();
        line.push_json(&Value::Null);
        line.push_json(&Value::from(""));
        line.push_json(&Value::from(-5));
        line.push_json(&serde_json::json!(["=a", 1]));
        line.push_given(["", "x"]);
        assert_eq!(line.take_line(), ",\"\",-5,\"[\"\"=a\"\",1]\",,x\n");
        line.push_plain("1");
        assert_eq!(line.take_line(), "1\n");
    }
}
