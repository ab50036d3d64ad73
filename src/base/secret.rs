//! A text that must not be shown: tokens and passwords.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::ser::{Error, Serialize, Serializer};

/// A secret text. `Debug` and `Display` print `[secret]`, and it cannot be serialized. Only [`Secret::expose`] returns
/// the text, so a search for that word finds every use.
///
/// ```
/// use lendwright::base::secret::Secret;
/// let token = Secret::new("abc");
/// assert_eq!(format!("{token} {token:?}"), "[secret] [secret]");
/// assert!(token.matches("abc"));
/// ```
#[derive(Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text itself, only for code that sends or compares it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `candidate` is the same text, in constant time.
    pub fn matches(&self, candidate: &str) -> bool {
        // Digests have the same length, and `blake3::Hash` compares them in constant time.
        blake3::hash(self.0.as_bytes()) == blake3::hash(candidate.as_bytes())
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Secret) -> bool {
        self.matches(&other.0)
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[secret]")
    }
}

/// `serialize_with` for a secret: always an error, so that none is written by accident.
pub(crate) fn refuse_to_serialize<S: Serializer>(_: &Secret, _: S) -> Result<S::Ok, S::Error> {
    Err(S::Error::custom("a secret is not serialized: take it out of the value first"))
}

/// As [`refuse_to_serialize`]; nothing is written as nothing.
pub(crate) fn refuse_some<S: Serializer>(secret: &Option<Secret>, serializer: S) -> Result<S::Ok, S::Error> {
    match secret {
        Some(secret) => refuse_to_serialize(secret, serializer),
        None => serializer.serialize_none(),
    }
}

/// As [`refuse_to_serialize`], for the arguments of a program: one of them may be a password.
pub(crate) fn refuse_arguments<S: Serializer>(_: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    refuse_to_serialize(&Secret::default(), serializer)
}

/// As [`refuse_to_serialize`]; an empty map is written as such.
pub(crate) fn refuse_values<S: Serializer>(
    secrets: &BTreeMap<String, Secret>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match secrets.values().next() {
        Some(secret) => refuse_to_serialize(secret, serializer),
        None => BTreeMap::<String, String>::new().serialize(serializer),
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Secret(text)
    }
}
