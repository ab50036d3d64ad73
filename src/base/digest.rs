//! Digests: 32 bytes that identify a statement, a policy or a decision.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A BLAKE3 digest, written as 64 hexadecimal digits.
///
/// ```
/// use lendwright::base::digest::Digest;
/// let digest = Digest::compute(b"lendwright");
/// assert_eq!(digest.to_string().len(), 64);
/// assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    pub fn compute(bytes: &[u8]) -> Digest {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The id of every offer is a digest; formatting digit by digit was measurably slower.
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = [0u8; 64];
        for (pair, byte) in text.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        out.write_str(std::str::from_utf8(&text).expect("INVARIANT: hexadecimal digits are ASCII"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Digest, String> {
        let bytes = decode_hex_digest(text);
        bytes.map(Digest).ok_or_else(|| format!("`{text}` is not a digest; it has 64 hexadecimal digits"))
    }
}

/// 32 bytes that are written as 64 hexadecimal digits.
pub(crate) fn decode_hex_digest(text: &str) -> Option<[u8; 32]> {
    blake3::Hash::from_hex(text).ok().map(|bytes| *bytes.as_bytes())
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Digest, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Digests bytes incrementally.
#[derive(Clone, Default)]
pub struct Hasher(blake3::Hasher);

impl Hasher {
    /// A hasher without any bytes.
    pub fn new() -> Hasher {
        Hasher::default()
    }

    /// Adds the next bytes.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Hasher {
        self.0.update(bytes);
        self
    }

    /// The digest of all bytes added.
    pub fn finish(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Hasher")
    }
}
