//! The personal data of a loan, and its encryption at rest. Knows nothing of keys.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::digest::Digest;

/// Personal data of an acceptance.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Private {
    /// The account to which the loan is paid.
    pub(crate) account_number: String,
    /// That account's bank.
    pub(crate) bank_code: String,
    /// The customer's telephone number, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) msisdn: Option<String>,
}

impl fmt::Debug for Private {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[personal]")
    }
}

/// Encrypts and decrypts. `context` names the place of the data; data of another place cannot be opened there.
pub(crate) trait Vault: Send + Sync {
    /// Encrypts.
    ///
    /// # Errors
    /// If the system has no random numbers.
    fn seal(&self, context: &str, plain: &[u8]) -> Result<Vec<u8>, String>;

    /// Decrypts.
    ///
    /// # Errors
    /// A key that is not known, or data that was changed or moved.
    fn open(&self, context: &str, sealed: &[u8]) -> Result<Vec<u8>, String>;

    /// Whether data should be encrypted again, because its key is not the current one.
    fn is_outdated(&self, _sealed: &[u8]) -> bool {
        false
    }

    /// A digest from which nothing can be learned without the keys; `None` if there are no keys.
    fn digest(&self, _purpose: &str, _plain: &[u8]) -> Option<[u8; 32]> {
        None
    }

    /// What is sealed to check the keys later: the same for the same line `lookup`. The keys that seal show by opening
    /// it.
    fn keys_check(&self, purpose: &str) -> Vec<u8> {
        self.digest(purpose, b"").map_or_else(|| b"without keys".to_vec(), |digest| digest.to_vec())
    }

    /// A text by which requests can be compared. With keys, nothing can be learned from it without them.
    fn fingerprint(&self, text: &str) -> String {
        match self.digest("fingerprint", text.as_bytes()) {
            Some(digest) => Digest::compute(&digest).to_string(),
            None => Digest::compute(text.as_bytes()).to_string(),
        }
    }
}

impl Private {
    /// Encrypts it for the acceptance of this reference.
    pub(crate) fn seal(&self, vault: &dyn Vault, loan_reference_id: &str) -> Result<Vec<u8>, String> {
        let plain = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        vault.seal(&private_data_context(loan_reference_id), &plain)
    }

    /// Decrypts it.
    pub(crate) fn open(vault: &dyn Vault, loan_reference_id: &str, sealed: &[u8]) -> Result<Private, String> {
        let plain = vault.open(&private_data_context(loan_reference_id), sealed)?;
        serde_json::from_slice(&plain).map_err(|_| "personal data cannot be read".to_owned())
    }
}

/// The place of the personal data of an acceptance.
fn private_data_context(loan_reference_id: &str) -> String {
    format!("loans.private/{loan_reference_id}")
}

/// The place of a decision's record.
pub(super) fn record_context(reference: &str) -> String {
    format!("decisions.record/{reference}")
}

/// Decrypts a stored value: a decision's record, or else the personal data of an acceptance.
///
/// # Errors
/// As [`Vault::open`].
pub(crate) fn open_sealed_value(
    vault: &dyn Vault,
    is_record: bool,
    reference: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, String> {
    vault.open(&context_of_value(is_record, reference), sealed)
}

fn context_of_value(is_record: bool, reference: &str) -> String {
    if is_record { record_context(reference) } else { private_data_context(reference) }
}

/// Encrypts a stored value again with the current key; `None` if that has been done. `is_record` says whether it is a
/// decision's record, or else the personal data of an acceptance.
///
/// # Errors
/// As [`Vault::open`].
pub(crate) fn reseal_value(
    vault: &dyn Vault,
    is_record: bool,
    reference: &str,
    sealed: &[u8],
) -> Result<Option<Vec<u8>>, String> {
    if !vault.is_outdated(sealed) {
        return Ok(None);
    }
    let place = context_of_value(is_record, reference);
    let plain = vault.open(&place, sealed)?;
    vault.seal(&place, &plain).map(Some)
}
