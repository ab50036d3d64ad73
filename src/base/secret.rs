//! A text that must not be shown: tokens and passwords.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::ser::{Error, Serialize, Serializer};
use zeroize::Zeroizing;

/// A secret text. `Debug` and `Display` print `[secret]`, and it cannot be serialized. Only [`Secret::expose`] returns
/// the text, so a search for that word finds every use. Its memory is overwritten when it is dropped.
///
/// ```
/// use lendwright::base::secret::Secret;
/// let token = Secret::new("abc");
/// assert_eq!(format!("{token} {token:?}"), "[secret] [secret]");
/// assert!(token.matches("abc"));
/// ```
#[derive(Clone, Default, Deserialize)]
#[serde(from = "String")]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps a text.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(Zeroizing::new(text.into()))
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
        Secret::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes at an address of this process.
    #[cfg(target_os = "linux")]
    fn read_own_memory(address: u64, length: usize) -> Option<Vec<u8>> {
        use std::os::unix::fs::FileExt;
        let mut bytes = vec![0; length];
        let memory = std::fs::File::open("/proc/self/mem").ok()?;
        memory.read_exact_at(&mut bytes, address).ok().map(|()| bytes)
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_dropped_secret_leaves_nothing_behind() {
        let text: String = (0..400).map(|at| char::from(b'a' + (at % 26) as u8)).collect();
        let secret = Secret::new(text.clone());
        let (address, length) = (secret.expose().as_ptr().addr() as u64, text.len());
        if read_own_memory(address, length).as_deref() != Some(text.as_bytes()) {
            println!("SKIPPED: this system does not let a process read its own memory");
            return;
        }
        drop(secret);
        let Some(left) = read_own_memory(address, length) else { return };
        // The allocator writes into the first bytes of what is free.
        assert!(!String::from_utf8_lossy(&left).contains("abcdefgh"), "{}", String::from_utf8_lossy(&left));
    }
}
