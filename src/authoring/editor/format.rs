//! Formats a rule file or a cases file, keeping every comment, and checks that its meaning is unchanged. Knows no
//! key of a rule file.

use toml::de::{DeTable, DeValue};
use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, parse_document};

use crate::base::diagnostic::Diagnostic;

/// Why a text cannot be formatted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// It is not TOML. The diagnostics say where, in source 0.
    #[error("it is not valid TOML")]
    Toml(Vec<Diagnostic>),
    /// The new layout would change the meaning, which is a bug in this program.
    #[error("formatting would change its meaning, so it was left unchanged; please report this bug")]
    Changed,
}

/// Formats `text`.
///
/// # Errors
/// If the text is not TOML, or formatting would change its meaning.
pub fn format_rule_file(text: &str) -> Result<String, FormatError> {
    let mistakes = crate::rules::toml_mistakes(text);
    if !mistakes.is_empty() {
        return Err(FormatError::Toml(mistakes));
    }
    let formatted = super::layout::lay_out(text, &parse_toml_events(text));
    if has_same_meaning(text, &formatted) { Ok(formatted) } else { Err(FormatError::Changed) }
}

/// The syntax events of a text.
pub(super) fn parse_toml_events(text: &str) -> Vec<Event> {
    let tokens = Source::new(text).lex().into_vec();
    let mut events: Vec<Event> = Vec::with_capacity(tokens.len());
    let mut mistakes = Vec::new();
    parse_document(&tokens, &mut events, &mut mistakes);
    events
}

/// Whether both texts have the same keys in the same order, the same values as written, and the same comments.
fn has_same_meaning(before: &str, after: &str) -> bool {
    let (Ok(one), Ok(other)) = (DeTable::parse(before), DeTable::parse(after)) else { return false };
    same_tables(one.get_ref(), other.get_ref()) && comments(before).eq(comments(after))
}

fn comments(text: &str) -> impl Iterator<Item = &str> {
    let comments = parse_toml_events(text).into_iter().filter(|event| event.kind() == EventKind::Comment);
    comments.map(|event| text.get(event.span().start()..event.span().end()).unwrap_or("").trim_end())
}

fn same_tables(one: &DeTable, other: &DeTable) -> bool {
    let same = |((key, value), (other_key, other_value)): ((&_, &_), (&_, &_))| {
        let (key, other_key): (&toml::Spanned<_>, &toml::Spanned<_>) = (key, other_key);
        let (value, other_value): (&toml::Spanned<DeValue>, &toml::Spanned<DeValue>) = (value, other_value);
        let keys: (&std::borrow::Cow<str>, &std::borrow::Cow<str>) = (key.get_ref(), other_key.get_ref());
        keys.0 == keys.1 && same_values(value.get_ref(), other_value.get_ref())
    };
    one.len() == other.len() && one.iter().zip(other.iter()).all(same)
}

fn same_values(one: &DeValue, other: &DeValue) -> bool {
    match (one, other) {
        (DeValue::Table(one), DeValue::Table(other)) => same_tables(one, other),
        (DeValue::Array(one), DeValue::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other.iter()).all(|(one, other)| same_values(one.get_ref(), other.get_ref()))
        }
        (DeValue::String(one), DeValue::String(other)) => one == other,
        // Numbers are compared as they are written.
        (DeValue::Integer(one), DeValue::Integer(other)) => {
            (one.radix(), one.as_str()) == (other.radix(), other.as_str())
        }
        (DeValue::Float(one), DeValue::Float(other)) => one.as_str() == other.as_str(),
        (DeValue::Boolean(one), DeValue::Boolean(other)) => one == other,
        (DeValue::Datetime(one), DeValue::Datetime(other)) => one == other,
        _ => false,
    }
}
