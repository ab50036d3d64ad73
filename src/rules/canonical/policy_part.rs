//! The parts of a policy that can be compared with those of another.

use crate::rules::canonical::expression;
use crate::rules::syntax::source::Text;
use crate::rules::types::Type;

/// A text from a rule file.
#[derive(Clone, Debug)]
pub(crate) struct CanonicalText {
    /// For people.
    pub text: String,
    /// The canonical text, equal for all texts of the same meaning.
    meaning: String,
}

impl CanonicalText {
    /// A literal text.
    pub(in crate::rules) fn exactly(text: &str) -> Self {
        Self { text: text.to_owned(), meaning: text.to_owned() }
    }

    pub(in crate::rules) fn number(text: &str) -> Self {
        Self { text: text.to_owned(), meaning: expression::canonical_number(text) }
    }

    /// A number that is a fraction only if written as one.
    pub(in crate::rules) fn digits(text: &str) -> Self {
        Self { text: text.to_owned(), meaning: expression::canonical_digits(text) }
    }

    pub(in crate::rules) fn expression(text: &Text) -> Self {
        Self { text: fold_onto_one_line(text.value()), meaning: expression::canonical_expression(text) }
    }

    /// A number, or an expression for it.
    pub(in crate::rules) fn quantity(text: &Text) -> Self {
        Self { text: fold_onto_one_line(text.value()), meaning: expression::canonical_quantity(text) }
    }

    /// A cell that tests.
    pub(in crate::rules) fn test(text: &Text, ty: Type) -> Self {
        Self { text: text.value().trim().to_owned(), meaning: expression::canonical_test_cell(text.value(), ty) }
    }

    /// A cell that gives.
    pub(in crate::rules) fn given(text: &Text, ty: Type) -> Self {
        Self { text: fold_onto_one_line(text.value()), meaning: expression::canonical_output_cell(text, ty) }
    }

    /// Several values, joined.
    pub(in crate::rules) fn all(value: impl IntoIterator<Item = CanonicalText>, between: &str) -> Self {
        let (texts, meanings): (Vec<String>, Vec<String>) =
            value.into_iter().map(|value| (value.text, value.meaning)).unzip();
        Self { text: texts.join(between), meaning: meanings.join("\u{1e}") }
    }

    /// A value within other words, which do not change its meaning.
    pub(in crate::rules) fn within(self, before: &str, after: &str) -> Self {
        Self { text: format!("{before}{}{after}", self.text), meaning: format!("{before}{}{after}", self.meaning) }
    }

    /// Whether both have the same meaning. Equal texts do, whatever their types, because a changed type is reported at
    /// its own place.
    pub(crate) fn same(&self, other: &CanonicalText) -> bool {
        self.text == other.text || self.meaning == other.meaning
    }

    pub(crate) fn meaning(&self) -> &str {
        &self.meaning
    }
}

/// An expression on one line.
fn fold_onto_one_line(text: &str) -> String {
    let (mut out, mut quoted, mut gap) = (String::new(), false, false);
    for c in text.trim().chars() {
        quoted ^= c == '\'';
        if c.is_whitespace() && !quoted {
            gap = true;
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

/// One part of a policy: a parameter, a requirement, a table.
#[derive(Clone, Debug)]
pub(crate) struct PolicyPart {
    /// The section it is in.
    pub section: &'static str,
    /// Its name or id; empty for sections that occur once.
    pub name: String,
    /// Identifies it in the other policy; usually its name.
    pub key: String,
    /// Its attributes by key; the key is empty for its own value.
    pub attributes: Vec<Attribute>,
    /// Its rows, bins, words or conditions, if it has any.
    pub lines: Option<PartLines>,
}

/// One key of a part.
#[derive(Clone, Debug)]
pub(crate) struct Attribute {
    pub key: String,
    pub value: CanonicalText,
    /// Whether this is the default.
    pub is_default: bool,
}

/// The lines of a part.
#[derive(Clone, Debug)]
pub(crate) struct PartLines {
    /// `row`, `bin`, `word` or `condition`.
    pub what: &'static str,
    pub lines: Vec<PartLine>,
}

/// One row, bin, word or condition.
#[derive(Clone, Debug)]
pub(crate) struct PartLine {
    pub cells: Vec<PartCell>,
}

/// One cell of a line.
#[derive(Clone, Debug)]
pub(crate) struct PartCell {
    /// The name of its column; empty if there is only one.
    pub column: CanonicalText,
    pub value: CanonicalText,
    /// Whether it tests; otherwise it gives a result.
    pub is_test: bool,
}

impl PolicyPart {
    pub(in crate::rules) fn new(section: &'static str, name: &str) -> Self {
        Self { section, name: name.to_owned(), key: name.to_owned(), attributes: Vec::new(), lines: None }
    }

    pub(in crate::rules) fn with(mut self, key: &str, value: CanonicalText) -> Self {
        self.attributes.push(Attribute { key: key.to_owned(), value, is_default: false });
        self
    }

    /// An optional key without a default.
    pub(in crate::rules) fn maybe(
        self,
        key: &str,
        text: Option<&Text>,
        value: impl FnOnce(&Text) -> CanonicalText,
    ) -> Self {
        match text {
            Some(text) => self.with(key, value(text)),
            None => self,
        }
    }

    /// An optional key with the default `otherwise`.
    pub(in crate::rules) fn or(mut self, key: &str, value: Option<CanonicalText>, otherwise: &str) -> Self {
        let value = value.unwrap_or_else(|| CanonicalText::exactly(otherwise));
        let is_default = value.same(&CanonicalText::exactly(otherwise));
        self.attributes.push(Attribute { key: key.to_owned(), value, is_default });
        self
    }

    pub(in crate::rules) fn lines(mut self, what: &'static str, lines: Vec<PartLine>) -> Self {
        self.lines = Some(PartLines { what, lines });
        self
    }
}

impl PartLine {
    /// A line that is one text.
    pub(in crate::rules) fn single(value: CanonicalText) -> Self {
        Self { cells: vec![PartCell { column: CanonicalText::exactly(""), value, is_test: false }] }
    }
}

impl PartCell {
    /// Whether it tests nothing.
    pub(crate) fn is_open(&self) -> bool {
        self.is_test && self.value.meaning == "-"
    }
}
