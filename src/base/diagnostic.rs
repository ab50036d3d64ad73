//! What is wrong with a rule file, and where: code, place, message and help.

use std::fmt;

/// A place in a source text: which source, and which bytes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Index of the source in the [`Sources`] it came from.
    pub source: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span of `start..end` in source number `source`.
    pub fn new(source: u32, start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { source, start: clamp(start), end: clamp(end.max(start)) }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is used nevertheless.
    Warning,
    /// It may be meant. `--deny warnings` lets it pass.
    Note,
}

/// One thing that is wrong with a rule file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, such as `unknown-name`.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub span: Span,
    /// A few words shown under the place.
    pub label: Box<str>,
    /// What to do about it.
    pub help: Option<String>,
    /// A related place, such as a first definition; the message mentions it.
    pub elsewhere: Option<Span>,
    /// What was meant, where there is little doubt: editors offer it.
    pub replacement: Option<Box<Replacement>>,
}

/// A text to write instead of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Where the other text is.
    pub span: Span,
    /// The other text. In a string with escapes, the place may hold something else.
    pub old: String,
    /// The text to write.
    pub new: String,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            span,
            label: "here".into(),
            help: None,
            elsewhere: None,
            replacement: None,
        }
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// A note at `span`.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Note, ..Self::error(code, span, message) }
    }

    /// Sets the words under the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into().into_boxed_str();
        self
    }

    /// Sets the related place.
    #[must_use]
    pub fn elsewhere(mut self, span: Span) -> Self {
        self.elsewhere = Some(span);
        self
    }

    /// Sets what was meant at its place instead of `old`, if that is known.
    #[must_use]
    #[doc(hidden)]
    pub fn meant(self, old: &str, new: Option<impl Into<String>>) -> Self {
        let span = self.span;
        self.meant_at(span, old, new)
    }

    /// Sets what was meant at a place instead of `old`, if that is known.
    #[must_use]
    #[doc(hidden)]
    pub fn meant_at(mut self, span: Span, old: &str, new: Option<impl Into<String>>) -> Self {
        self.replacement = new.map(|new| Box::new(Replacement { span, old: old.to_owned(), new: new.into() }));
        self
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The texts that spans point into, in the order in which they were read.
#[derive(Clone, Debug, Default)]
pub struct Sources(Vec<Source>);

/// A text and its name.
#[derive(Clone, Debug)]
pub struct Source {
    /// File name as given.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> u32 {
        self.0.push(Source { name: name.into(), text: text.into() });
        (self.0.len() - 1) as u32
    }

    /// All texts in order.
    pub fn iter(&self) -> impl Iterator<Item = &Source> {
        self.0.iter()
    }

    /// The text that `span` points into.
    pub fn get(&self, span: Span) -> Option<&Source> {
        self.0.get(span.source as usize)
    }

    /// The 1-based line and column (in characters) where `span` starts.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let Some(source) = self.get(span) else { return (1, 1) };
        let before = source.text.get(..span.start as usize).unwrap_or(&source.text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

/// Why a rule file is refused: all its errors, and the texts that they point into.
#[derive(Debug)]
pub struct Refused {
    /// At least one error, and perhaps warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that the spans point into.
    pub sources: Sources,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            let (line, column) = self.sources.line_column(diagnostic.span);
            let name = self.sources.get(diagnostic.span).map_or("rule file", |source| &source.name);
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{name}:{line}:{column}: {} [{}]", diagnostic.message, diagnostic.code)?;
            if let Some(help) = &diagnostic.help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// The candidate nearest to `name`, if one is near enough: what "did you mean" suggests.
#[doc(hidden)]
pub fn nearest_candidate<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Comparing takes the product of the lengths, and no name is that long.
    const LETTERS_MAX: usize = 100;
    let letters = name.chars().count();
    if letters > LETTERS_MAX {
        return None;
    }
    let (limit, name) = ((letters / 3).max(1), name.to_lowercase());
    let letters = name.chars().count();
    candidates
        .into_iter()
        // Each letter that is missing counts.
        .filter(|candidate| candidate.len() <= 4 * LETTERS_MAX && candidate.chars().count().abs_diff(letters) <= limit)
        .map(|candidate| (strsim::damerau_levenshtein(&name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}
