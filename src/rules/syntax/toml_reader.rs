//! Reads TOML value by value with places, and reports values of the wrong kind.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::rules::syntax::advice::known_word_for;
use crate::rules::syntax::source::{Name, Text};
use crate::rules::syntax::toml_advice;

/// Largest rule file.
const BYTES_MAX: usize = 4 << 20;

pub(crate) struct TomlReader<'a> {
    source: u32,
    text: &'a str,
    diagnostics: &'a mut Vec<Diagnostic>,
}

/// The syntax errors of a TOML text, in the words of `check`. Places are in source 0.
pub(crate) fn toml_mistakes(text: &str) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    TomlReader::new(0, text, &mut diagnostics).document();
    diagnostics
}

/// A value and its place.
pub(crate) struct TomlValue<'a>(Spanned<DeValue<'a>>);

impl TomlValue<'_> {
    pub(crate) fn is_table(&self) -> bool {
        self.0.get_ref().is_table()
    }

    pub(crate) fn is_text(&self) -> bool {
        self.0.get_ref().is_str()
    }
}

/// A table from which keys are taken. Keys left at the end are unknown.
pub(crate) struct TomlTable<'a> {
    entries: Vec<(Name, TomlValue<'a>)>,
    asked: Vec<&'static str>,
    /// Missing required keys, with what to do.
    missed: Vec<(&'static str, String)>,
    span: Span,
}

impl<'a> TomlReader<'a> {
    pub(crate) fn new(source: u32, text: &'a str, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Self { source, text, diagnostics }
    }

    pub(crate) fn document(&mut self) -> Option<TomlTable<'a>> {
        if self.text.len() > BYTES_MAX {
            let start = Span::new(self.source, 0, 0);
            self.error("too-long", start, "the rule file is larger than 4 MiB", "split it with `use`");
            return None;
        }
        match DeTable::parse(self.text) {
            Ok(table) => {
                let span = Span::new(self.source, 0, 0);
                Some(self.entries_of(table.into_inner(), span))
            }
            Err(error) => {
                let range = error.span().unwrap_or(0..0);
                self.diagnostics.push(toml_advice::explain_toml_mistake(
                    self.source,
                    self.text,
                    error.message(),
                    range,
                ));
                None
            }
        }
    }

    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    /// The place of a value.
    pub(crate) fn place(&self, value: &TomlValue) -> Span {
        self.span(&value.0)
    }

    fn span<T>(&self, spanned: &Spanned<T>) -> Span {
        Span::new(self.source, spanned.span().start, spanned.span().end)
    }

    fn entries_of(&self, table: DeTable<'a>, span: Span) -> TomlTable<'a> {
        let entries = table
            .into_iter()
            .map(|(key, value)| (Name { text: key.get_ref().to_string(), span: self.span(&key) }, TomlValue(value)))
            .collect();
        TomlTable { entries, asked: Vec::new(), missed: Vec::new(), span }
    }

    fn mismatch(&mut self, value: &TomlValue, expected: &str) {
        let span = self.span(&value.0);
        let message = format!("expected {expected}, found {}", in_words(value.0.get_ref()));
        self.diagnostics.push(Diagnostic::error("shape", span, message));
    }

    pub(crate) fn table_of(&mut self, value: TomlValue<'a>) -> Option<TomlTable<'a>> {
        let span = self.span(&value.0);
        match value.0.into_inner() {
            DeValue::Table(table) => Some(self.entries_of(table, span)),
            other => {
                self.mismatch(&TomlValue(Spanned::new(span.start as usize..span.end as usize, other)), "a table");
                None
            }
        }
    }

    /// The entries of a table whose keys are names.
    pub(crate) fn named_of(&mut self, value: TomlValue<'a>) -> Vec<(Name, TomlValue<'a>)> {
        self.table_of(value).map(|table| table.entries).unwrap_or_default()
    }

    pub(crate) fn text_of(&mut self, value: TomlValue<'a>) -> Option<Text> {
        let range = value.0.span();
        match value.0.get_ref().as_str() {
            Some(text) => Some(Text::from_toml(text, self.source, self.text, range)),
            None => {
                self.mismatch(&value, "text in quotes");
                None
            }
        }
    }

    /// Text, a number or a boolean, as it would be written in an expression.
    pub(crate) fn literal_of(&mut self, value: TomlValue<'a>) -> Option<Text> {
        let span = self.span(&value.0);
        match value.0.get_ref() {
            DeValue::Integer(number) if number.radix() == 10 => Some(Text::bare(number.as_str(), span)),
            DeValue::Float(number) => Some(Text::bare(number.as_str(), span)),
            DeValue::Boolean(boolean) => Some(Text::bare(if *boolean { "true" } else { "false" }, span)),
            DeValue::Datetime(moment) => Some(Text::bare(&moment.to_string(), span)),
            DeValue::String(_) => self.text_of(value),
            _ => {
                self.mismatch(&value, "text, a number, a date, a time or true/false");
                None
            }
        }
    }

    pub(crate) fn literals_of(&mut self, value: TomlValue<'a>) -> Vec<Text> {
        if !value.0.get_ref().is_array() {
            return self.literal_of(value).into_iter().collect();
        }
        self.items_of(value).into_iter().filter_map(|item| self.literal_of(item)).collect()
    }

    pub(crate) fn texts_of(&mut self, value: TomlValue<'a>) -> Vec<Text> {
        self.items_of(value).into_iter().filter_map(|item| self.text_of(item)).collect()
    }

    /// A list of lists, each with its place.
    pub(crate) fn arrays_of(&mut self, value: TomlValue<'a>) -> Vec<(Vec<TomlValue<'a>>, Span)> {
        let rows = self.items_of(value).into_iter();
        rows.map(|row| (self.span(&row.0), row))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(span, row)| (self.items_of(row), span))
            .collect()
    }

    pub(crate) fn items_of(&mut self, value: TomlValue<'a>) -> Vec<TomlValue<'a>> {
        if !value.0.get_ref().is_array() {
            self.mismatch(&value, "a list");
            return Vec::new();
        }
        match value.0.into_inner() {
            DeValue::Array(array) => array.into_iter().map(TomlValue).collect(),
            _ => Vec::new(),
        }
    }
}

/// The key that an unknown one probably is.
fn nearest_of(name: &str, known: &[&'static str]) -> Option<&'static str> {
    known_word_for(name, known.iter().copied()).or_else(|| nearest_candidate(name, known.iter().copied()))
}

/// The kind of a value, for people.
fn in_words(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date or a time",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

impl<'a> TomlTable<'a> {
    pub(crate) fn span(&self) -> Span {
        self.span
    }

    pub(crate) fn take(&mut self, key: &'static str) -> Option<TomlValue<'a>> {
        self.asked.push(key);
        let index = self.entries.iter().position(|(name, _)| name.text == key)?;
        Some(self.entries.remove(index).1)
    }

    pub(crate) fn text(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<Text> {
        let value = self.take(key)?;
        reader.text_of(value)
    }

    /// A date, written bare or in quotes.
    pub(crate) fn date(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<Text> {
        self.literal(key, reader)
    }

    pub(crate) fn literal(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<Text> {
        let value = self.take(key)?;
        reader.literal_of(value)
    }

    pub(crate) fn texts(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Vec<Text> {
        self.take(key).map(|value| reader.texts_of(value)).unwrap_or_default()
    }

    /// The items of a list, of any kind.
    pub(crate) fn values(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Vec<TomlValue<'a>> {
        self.take(key).map(|value| reader.items_of(value)).unwrap_or_default()
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| name.text == key)
    }

    /// Whether it has entries, all of them tables, and none with one of these names.
    pub(crate) fn holds_only_tables_except(&self, names: &[&str]) -> bool {
        let is_table = |(name, value): &(Name, TomlValue)| value.is_table() && !names.contains(&name.text.as_str());
        !self.entries.is_empty() && self.entries.iter().all(is_table)
    }

    pub(crate) fn into_entries(self) -> Vec<(Name, TomlValue<'a>)> {
        self.entries
    }

    pub(crate) fn boolean(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<bool> {
        let value = self.take(key)?;
        let boolean = value.0.get_ref().as_bool();
        if boolean.is_none() {
            reader.mismatch(&value, "true or false");
        }
        boolean
    }

    pub(crate) fn required<T>(
        &mut self,
        key: &'static str,
        reader: &mut TomlReader<'a>,
        read: impl FnOnce(TomlValue<'a>, &mut TomlReader<'a>) -> Option<T>,
    ) -> Option<T> {
        match self.take(key) {
            Some(value) => read(value, reader),
            None => {
                self.missing(key, "add it");
                None
            }
        }
    }

    /// Notes that `key` is missing. It is reported at the end, unless it is there misspelt.
    pub(crate) fn missing(&mut self, key: &'static str, help: &str) {
        self.missed.push((key, help.to_string()));
    }

    /// Whether an unknown key is probably this one. Call it after all keys are taken.
    pub(crate) fn has_misspelt(&self, key: &str) -> bool {
        self.entries.iter().any(|(name, _)| self.nearest_key(&name.text) == Some(key))
    }

    fn nearest_key(&self, name: &str) -> Option<&'static str> {
        nearest_of(name, &self.asked)
    }

    pub(crate) fn required_text(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<Text> {
        self.required(key, reader, |value, reader| reader.text_of(value))
    }

    pub(crate) fn table(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Option<TomlTable<'a>> {
        let value = self.take(key)?;
        reader.table_of(value)
    }

    pub(crate) fn entries(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Vec<(Name, TomlValue<'a>)> {
        self.table(key, reader).map(|table| table.entries).unwrap_or_default()
    }

    pub(crate) fn tables(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Vec<TomlTable<'a>> {
        let Some(value) = self.take(key) else { return Vec::new() };
        if value.is_table() {
            let help = format!("a section that may repeat has double brackets, even if there is only one: [[{key}]]");
            reader.error("shape", reader.place(&value), "expected a list, found a table", &help);
            return Vec::new();
        }
        reader.items_of(value).into_iter().filter_map(|item| reader.table_of(item)).collect()
    }

    pub(crate) fn arrays(&mut self, key: &'static str, reader: &mut TomlReader<'a>) -> Vec<(Vec<TomlValue<'a>>, Span)> {
        self.take(key).map(|value| reader.arrays_of(value)).unwrap_or_default()
    }

    /// Reports unknown keys and missing ones.
    pub(crate) fn finish(self, reader: &mut TomlReader) {
        for (key, help) in self.missed.iter().filter(|(key, _)| !self.has_misspelt(key)) {
            reader.error("missing-key", self.span, format!("`{key}` is missing"), help);
        }
        for (name, _) in self.entries {
            let longer =
                |asked: &&&str| asked.len() >= 4 && (name.text.starts_with(**asked) || asked.starts_with(&name.text));
            let near = nearest_of(&name.text, &self.asked);
            let near = near.or_else(|| self.asked.iter().find(longer).copied());
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("known here: {}", self.asked.join(", ")),
            };
            let message = format!("unknown key `{}`", name.text);
            let wrong = Diagnostic::error("unknown-key", name.span, message).help(help);
            reader.diagnostics.push(wrong.meant(&name.text, near));
        }
    }
}
