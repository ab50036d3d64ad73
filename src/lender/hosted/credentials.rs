//! Authentication: compares user name and password with those of the configuration; a wrong one is refused (401). Knows
//! nothing of what is called.

use axum::http::HeaderMap;

use crate::base::secret::Secret;
use crate::lender::config::{CREDENTIALS_MAX, fits_header};
use crate::provider::wire::lender::{PASSWORD_HEADER, USERNAME_HEADER};

/// The live credentials, as hashes under a key of this process. The comparison takes the same time whichever of them
/// is right, and whatever is wrong.
#[derive(Clone)]
pub struct Credentials {
    key: [u8; 32],
    /// A user name is not a secret, but its budget of failed logins is its own.
    names: Vec<String>,
    /// Those that are not configured are random, so that there is always the same work.
    hashes: [blake3::Hash; CREDENTIALS_MAX],
}

impl std::fmt::Debug for Credentials {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Credentials")
    }
}

impl Credentials {
    /// Takes up to two pairs of user name and password.
    ///
    /// # Errors
    /// None or more than two, one that no header carries, or a system without random numbers.
    pub fn new(pairs: &[(String, Secret)]) -> Result<Self, String> {
        if pairs.is_empty() || pairs.len() > CREDENTIALS_MAX {
            return Err("give one credential, or two while a password is replaced".to_owned());
        }
        let is_unfit = |(name, password): &(String, Secret)| !fits_header(name) || !fits_header(password.expose());
        if let Some(index) = pairs.iter().position(is_unfit) {
            return Err(format!(
                "`credentials[{index}]`: user name and password must be ASCII letters, digits and punctuation, without \
                 a blank at their ends"
            ));
        }
        let mut random = [[0_u8; 32]; CREDENTIALS_MAX + 1];
        for bytes in &mut random {
            getrandom::fill(bytes).map_err(|error| format!("the system has no random numbers: {error}"))?;
        }
        let [key, unused @ ..] = random;
        let mut hashes = unused.map(blake3::Hash::from_bytes);
        for (hash, (name, password)) in hashes.iter_mut().zip(pairs) {
            *hash = hash_credentials(&key, name.as_bytes(), password.expose().as_bytes());
        }
        let names = pairs.iter().map(|(name, _)| name.clone()).collect();
        Ok(Credentials { key, names, hashes })
    }

    /// The number of the user name that the headers carry, which two credentials may share; [`CREDENTIALS_MAX`] for one
    /// that is not configured.
    pub(super) fn find_name(&self, headers: &HeaderMap) -> usize {
        let given = one_value(headers, USERNAME_HEADER);
        self.names.iter().position(|name| name.as_bytes() == given).unwrap_or(CREDENTIALS_MAX)
    }

    /// Which credential the headers carry, counted from 0; `None` for a missing, repeated or wrong one.
    pub(super) fn identify(&self, headers: &HeaderMap) -> Option<usize> {
        let (name, password) = (one_value(headers, USERNAME_HEADER), one_value(headers, PASSWORD_HEADER));
        let given = hash_credentials(&self.key, name, password);
        // All are compared, each in constant time.
        let matches = self.hashes.map(|hash| hash == given);
        matches.iter().position(|is_same| *is_same)
    }
}

/// The value of a header that comes once. Nothing that is configured is empty.
fn one_value<'h>(headers: &'h HeaderMap, name: &str) -> &'h [u8] {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.as_bytes(),
        _ => b"",
    }
}

/// The length separates the two, so that no part of one passes for a part of the other.
fn hash_credentials(key: &[u8; 32], name: &[u8], password: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new_keyed(key);
    hasher.update(&(name.len() as u64).to_le_bytes()).update(name).update(password);
    hasher.finalize()
}
