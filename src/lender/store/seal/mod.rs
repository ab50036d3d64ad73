//! Encryption of single values at rest, and keyed digests to look them up by. Must not know what the values are.
//!
//! A sealed value is a version byte, the number of its key, a random nonce, and the text with its tag, by
//! ChaCha20-Poly1305. Its table, column and row are authenticated with it, so a value that was copied to another place
//! does not open. Nonces are random: a key should seal fewer than 2^32 values, which takes a lender decades.

pub(crate) mod keys;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroizing;

use super::error::StoreError;
use super::value::SqlValue;

const VERSION: u8 = 1;
/// The version, and the number of the key.
const HEADER: usize = 1 + 4;
const KEY: usize = 32;
/// Each use has a key of its own, derived from the one in the file.
const SEALING: &str = "lendwright 2026 sealing of values at rest";
const LOOKUP: &str = "lendwright 2026 digests for looking values up";

/// Where a sealed value is kept. It opens nowhere else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SealedPlace<'a> {
    pub(crate) table: &'a str,
    pub(crate) column: &'a str,
    /// What identifies the row, and never changes.
    pub(crate) row: &'a str,
}

/// A value that only a [`KeyRing`] can read.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sealed(Vec<u8>);

impl Sealed {
    /// As it was stored.
    pub(crate) fn from_stored(bytes: &[u8]) -> Sealed {
        Sealed(bytes.to_vec())
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[sealed]")
    }
}

impl From<Sealed> for SqlValue {
    fn from(sealed: Sealed) -> SqlValue {
        SqlValue::Bytes(sealed.0)
    }
}

/// Numbered keys: the highest number seals, and all of them open. To rotate, add a key, and seal again what
/// [`KeyRing::is_outdated`]; then the old key can go.
pub(crate) struct KeyRing {
    keys: BTreeMap<u32, LessSafeKey>,
    current: u32,
    /// Of its own, because digests that are stored must outlive the other keys.
    lookup: Zeroizing<[u8; KEY]>,
    random: SystemRandom,
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[keys]")
    }
}

impl KeyRing {
    fn new(keys: &BTreeMap<u32, Zeroizing<[u8; KEY]>>, lookup: &[u8; KEY]) -> Result<KeyRing, StoreError> {
        let (current, _) =
            keys.last_key_value().ok_or_else(|| StoreError::Unsuitable("there is no key to seal with".to_string()))?;
        let keys = keys.iter().map(|(number, key)| {
            let derived = Zeroizing::new(blake3::derive_key(SEALING, &**key));
            let key = UnboundKey::new(&CHACHA20_POLY1305, &*derived);
            // Derived keys have the length that the algorithm takes.
            (*number, LessSafeKey::new(key.expect("INVARIANT: a derived key has 32 bytes")))
        });
        Ok(KeyRing {
            keys: keys.collect(),
            current: *current,
            lookup: Zeroizing::new(blake3::derive_key(LOOKUP, lookup)),
            random: SystemRandom::new(),
        })
    }

    /// Encrypts a value for its place.
    pub(crate) fn seal(&self, place: SealedPlace<'_>, plain: &[u8]) -> Result<Sealed, StoreError> {
        let mut nonce = [0; NONCE_LEN];
        self.random
            .fill(&mut nonce)
            .map_err(|_| StoreError::Unavailable("the system has no random numbers".to_string()))?;
        let mut blob = vec![VERSION];
        blob.extend(self.current.to_be_bytes());
        let bound = authenticated_place_bytes(&blob, place);
        blob.extend(nonce);
        let mut text = plain.to_vec();
        self.key(self.current)?
            .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::from(bound), &mut text)
            .map_err(|_| StoreError::Sealed(format!("a value of `{}` is too long", place.table)))?;
        blob.extend(text);
        Ok(Sealed(blob))
    }

    /// Decrypts a value.
    ///
    /// # Errors
    /// If its key is missing, if a bit of it changed, and if it was sealed for another place.
    pub(crate) fn open(&self, place: SealedPlace<'_>, sealed: &Sealed) -> Result<Vec<u8>, StoreError> {
        let unreadable = || {
            StoreError::Sealed(format!(
                "a value of `{}.{}` was changed, or moved from another row",
                place.table, place.column
            ))
        };
        let (header, rest) = sealed.0.split_at_checked(HEADER).ok_or_else(unreadable)?;
        let (nonce, text) = rest.split_at_checked(NONCE_LEN).ok_or_else(unreadable)?;
        let key = self.key(key_number(header).ok_or_else(unreadable)?)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| unreadable())?;
        let mut text = text.to_vec();
        let plain = key
            .open_in_place(nonce, Aad::from(authenticated_place_bytes(header, place)), &mut text)
            .map_err(|_| unreadable())?;
        Ok(plain.to_vec())
    }

    /// Whether a value should be sealed again, because its key is not the current one.
    pub(crate) fn is_outdated(&self, sealed: &Sealed) -> bool {
        sealed.0.get(..HEADER).and_then(key_number) != Some(self.current)
    }

    /// A digest by which equal values of one `purpose` are found. Nothing can be learned from it without the key.
    pub(crate) fn digest(&self, purpose: &str, plain: &[u8]) -> [u8; KEY] {
        let mut hasher = blake3::Hasher::new_keyed(&self.lookup);
        append_with_length(purpose.as_bytes(), &mut |bytes| {
            hasher.update(bytes);
        });
        hasher.update(plain);
        *hasher.finalize().as_bytes()
    }

    fn key(&self, number: u32) -> Result<&LessSafeKey, StoreError> {
        self.keys
            .get(&number)
            .ok_or_else(|| StoreError::Sealed(format!("a value is sealed with key {number}, which is not given")))
    }
}

/// `None` for another version.
fn key_number(header: &[u8]) -> Option<u32> {
    let (version, number) = header.split_first()?;
    (*version == VERSION).then(|| number.try_into().ok().map(u32::from_be_bytes)).flatten()
}

/// What is authenticated together with the text. Lengths keep `a`, `bc` apart from `ab`, `c`.
fn authenticated_place_bytes(header: &[u8], place: SealedPlace<'_>) -> Vec<u8> {
    let mut bound = header.to_vec();
    for part in [place.table, place.column, place.row] {
        append_with_length(part.as_bytes(), &mut |bytes| bound.extend(bytes));
    }
    bound
}

fn append_with_length(part: &[u8], to: &mut dyn FnMut(&[u8])) {
    to(&(part.len() as u64).to_be_bytes());
    to(part);
}
