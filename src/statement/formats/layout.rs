//! How a table is laid out in a text or a sheet, as `[file]` of a columns file declares it.

use std::borrow::Cow;

use serde::Deserialize;

use crate::base::clean_text::compose_letters;

/// Where the table is within a file, and how its text is written. By default: UTF-8, commas, the header first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Layout {
    /// What separates the fields of a CSV: one character, or `tab`. A line `sep=;` of the file counts too.
    pub(crate) delimiter: Option<String>,
    /// `utf-8`, `utf-16` or `windows-1252`.
    pub(crate) encoding: Option<String>,
    /// How many lines stand before the header.
    pub(crate) skip_lines: Option<u32>,
    /// Instead: the header is the first line that has all of these names.
    pub(crate) header: Vec<String>,
    /// Lines that begin with this mark are no rows.
    pub(crate) comment: Option<String>,
    /// A row whose first filled cell begins with one of these ends the table.
    pub(crate) footer: Vec<String>,
    /// The sheet of a workbook; by default its only one.
    pub(crate) sheet: Option<String>,
}

/// How the characters of a text are written as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    /// The mark at the beginning of the file says in which order its bytes are.
    Utf16,
    Utf16Le,
    Utf16Be,
    Windows1252,
}

/// The most lines before the header, where it is found by its names.
pub(crate) const HEADER_WITHIN: usize = 1_000;

impl Layout {
    /// A file that declares nothing.
    pub(crate) const DEFAULT: Layout = Layout {
        delimiter: None,
        encoding: None,
        skip_lines: None,
        header: Vec::new(),
        comment: None,
        footer: Vec::new(),
        sheet: None,
    };

    /// Checks a declaration. The error says what is wrong and what to write instead.
    pub(crate) fn check(&self) -> Result<(), String> {
        let delimiter = self.delimiter_byte()?;
        self.declared_encoding()?;
        if self.skip_lines.is_some() && !self.header.is_empty() {
            return Err("`skip_lines` and `header` both say where the header is; declare one of them".into());
        }
        let lists = [("header", &self.header), ("footer", &self.footer)];
        for (key, texts) in lists {
            if texts.iter().any(|text| is_blank(text)) {
                return Err(format!("`{key}` has an empty text, which every line has; leave it out"));
            }
        }
        if let Some(comment) = &self.comment {
            if is_blank(comment) {
                return Err("`comment` is empty, so that every line would be a comment; leave it out".into());
            }
            if comment.contains(['\r', '\n', '"']) {
                return Err("`comment` cannot have a quote or a line break".into());
            }
            if delimiter.is_some_and(|delimiter| comment.starts_with(char::from(delimiter))) {
                return Err("`comment` begins with the delimiter, so that a row with an empty first field would be a \
                    comment"
                    .into());
            }
        }
        match &self.sheet {
            Some(sheet) if sheet.is_empty() => Err("`sheet` is empty; name the sheet, or leave it out".into()),
            _ => Ok(()),
        }
    }

    /// The declared delimiter.
    pub(crate) fn delimiter_byte(&self) -> Result<Option<u8>, String> {
        let Some(declared) = self.delimiter.as_deref() else { return Ok(None) };
        if declared.eq_ignore_ascii_case("tab") {
            return Ok(Some(b'\t'));
        }
        let words = [("comma", ","), ("semicolon", ";"), ("pipe", "|"), ("bar", "|"), ("\\t", "tab")];
        if let Some((_, instead)) = words.iter().find(|(word, _)| declared.eq_ignore_ascii_case(word)) {
            return Err(format!("delimiter = \"{}\": write \"{instead}\"", declared.escape_default()));
        }
        match declared.as_bytes() {
            [byte] => delimiter_of_byte(*byte).map(Some).ok_or_else(|| {
                let shown = declared.escape_default();
                format!("delimiter = \"{shown}\" cannot separate fields, because texts and numbers have it")
            }),
            _ => Err(format!(
                "delimiter = \"{}\" must be one character, such as \";\", or \"tab\"",
                declared.escape_default()
            )),
        }
    }

    /// The declared encoding.
    pub(crate) fn declared_encoding(&self) -> Result<Option<Encoding>, String> {
        let Some(declared) = self.encoding.as_deref() else { return Ok(None) };
        Ok(Some(match declared.to_ascii_lowercase().as_str() {
            "utf-8" => Encoding::Utf8,
            "utf-16" => Encoding::Utf16,
            "utf-16le" => Encoding::Utf16Le,
            "utf-16be" => Encoding::Utf16Be,
            "windows-1252" => Encoding::Windows1252,
            other => {
                let instead = match other.replace(['-', '_', ' '], "").as_str() {
                    "utf8" => "; write \"utf-8\"",
                    "utf16" | "ucs2" | "unicode" => "; write \"utf-16\"",
                    "cp1252" | "windows1252" | "latin1" | "iso88591" | "iso885915" | "ansi" => {
                        "; write \"windows-1252\", which has all letters of Latin-1"
                    }
                    _ => "; export the file as UTF-8",
                };
                return Err(format!(
                    "encoding = \"{}\" is not known: it is utf-8, utf-16 or windows-1252{instead}",
                    other.escape_default()
                ));
            }
        }))
    }

    /// The names of the declared header that these cells of a line do not have.
    pub(crate) fn missing_names<'c>(&self, cells: impl Iterator<Item = &'c str> + Clone) -> Vec<&str> {
        let is_missing = |name: &&str| !cells.clone().any(|cell| same_name(cell, name));
        self.header.iter().map(String::as_str).filter(is_missing).collect()
    }
}

/// Whether a byte may separate fields.
pub(crate) fn delimiter_of_byte(byte: u8) -> Option<u8> {
    let is_one = byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n\0.-+_".contains(&byte);
    is_one.then_some(byte)
}

/// Whether a cell shows nothing.
pub(crate) fn is_blank(cell: &str) -> bool {
    cell.chars().all(char::is_whitespace)
}

/// A name of a column without blanks around it, with one blank for each run of blanks and line breaks inside, and with
/// composed letters.
pub(crate) fn normal_name(name: &str) -> Cow<'_, str> {
    if let Some(composed) = compose_letters(name) {
        return Cow::Owned(normal_name(&composed).into_owned());
    }
    let trimmed = name.trim();
    let mut before = ' ';
    let is_normal = trimmed.chars().all(|letter| {
        let is_odd = letter.is_whitespace() && (letter != ' ' || before == ' ');
        before = letter;
        !is_odd
    });
    if is_normal {
        return Cow::Borrowed(trimmed);
    }
    Cow::Owned(trimmed.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn same_name(left: &str, right: &str) -> bool {
    left == right || normal_name(left) == normal_name(right)
}

/// The cells after a label in one line, once for each place of it: the next filled cell, or the rest of
/// the cell if the label ends in a mark such as `:`.
pub(crate) fn cells_after<'c>(label: &str, cells: impl Iterator<Item = &'c str>) -> Vec<&'c str> {
    let label = label.trim();
    let is_marked = label.ends_with(|last: char| !last.is_alphanumeric());
    let mut found = Vec::new();
    let mut is_next = false;
    for cell in cells.map(str::trim) {
        match cell.strip_prefix(label).map(str::trim_start) {
            Some("") => is_next = true,
            Some(rest) if is_marked => found.push(rest),
            _ if is_next && !cell.is_empty() => {
                found.push(cell);
                is_next = false;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Result<Layout, String> {
        let layout: Layout = toml::from_str(text).map_err(|wrong| wrong.message().to_owned())?;
        layout.check().map(|()| layout)
    }

    #[test]
    fn a_delimiter_is_one_mark_or_tab() {
        for (text, wanted) in [(";", b';'), ("tab", b'\t'), ("\\t", b'\t'), ("|", b'|'), ("^", b'^'), (" ", b' ')] {
            let read = layout(&format!("delimiter = \"{text}\"")).expect(text);
            assert_eq!(read.delimiter_byte(), Ok(Some(wanted)), "{text}");
        }
        for (text, says) in [
            ("", "must be one character"),
            (";;", "must be one character"),
            ("¦", "must be one character"),
            ("semicolon", "write \";\""),
            ("a", "cannot separate fields"),
            ("5", "cannot separate fields"),
            ("-", "cannot separate fields"),
            ("\\\"", "cannot separate fields"),
            ("\\n", "cannot separate fields"),
            ("\\\\t", "write \"tab\""),
        ] {
            let wrong = layout(&format!("delimiter = \"{text}\"")).expect_err(text);
            assert!(wrong.contains(says), "{text}: {wrong}");
        }
    }

    #[test]
    fn a_wrong_declaration_is_explained() {
        for (text, says) in [
            ("encoding = \"latin1\"", "write \"windows-1252\""),
            ("encoding = \"utf8\"", "write \"utf-8\""),
            ("encoding = \"shift_jis\"", "export the file as UTF-8"),
            ("skip_lines = 2\nheader = [\"Date\"]", "declare one of them"),
            ("skip_lines = -1", "invalid value"),
            ("header = [\" \"]", "`header` has an empty text"),
            ("footer = [\"\"]", "`footer` has an empty text"),
            ("comment = \"\"", "`comment` is empty"),
            ("comment = \";\"\ndelimiter = \";\"", "begins with the delimiter"),
            ("comment = \"\\\"\"", "cannot have a quote"),
            ("sheet = \"\"", "`sheet` is empty"),
            ("seperator = \";\"", "unknown field"),
        ] {
            let wrong = layout(text).expect_err(text);
            assert!(wrong.contains(says), "{text}: {wrong}");
        }
        for text in ["encoding = \"UTF-16\"", "encoding = \"Windows-1252\"", "skip_lines = 0", "comment = \"//\""] {
            assert!(layout(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_name_counts_without_its_blanks() {
        for (name, wanted) in [
            ("Date", "Date"),
            (" Date ", "Date"),
            ("Value\nDate", "Value Date"),
            ("Value \r\n  Date", "Value Date"),
            ("Value\u{a0}Date", "Value Date"),
            ("\u{a0}Date\t", "Date"),
            ("a b c", "a b c"),
            ("", ""),
        ] {
            assert_eq!(normal_name(name), wanted, "{name:?}");
        }
    }

    #[test]
    fn the_cells_after_a_label() {
        let cases: [(&str, &str, &[&str]); 9] = [
            ("Account:", "Account:|123", &["123"]),
            ("Account:", " Account: | | 123 |x", &["123"]),
            ("Account:", "Owner|Account: 123|x", &["123"]),
            ("Account", "Account holder|Mary|Account|123", &["123"]),
            ("Account", "Account 123", &[]),
            ("Account:", "Account:| ", &[]),
            ("Account:", "account:|123", &[]),
            ("Account:", "Account:|Savings|Account:|123", &["Savings", "123"]),
            ("Account:", "Account: Savings|x|Account: 123", &["Savings", "123"]),
        ];
        for (label, line, wanted) in cases {
            assert_eq!(cells_after(label, line.split('|')), wanted, "{label} {line}");
        }
    }
}
