//! What is personal about a loan, and is encrypted where it is stored. Knows nothing of keys.

use std::fmt;

use serde::{Deserialize, Serialize};

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

    /// A digest by which texts can be compared and not found out, as long as the keys are secret.
    fn digest(&self, text: &str) -> String;
}

impl Private {
    /// Encrypts it for the acceptance of this reference.
    pub(crate) fn seal(&self, vault: &dyn Vault, loan_reference_id: &str) -> Result<Vec<u8>, String> {
        let plain = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        vault.seal(&context(loan_reference_id), &plain)
    }

    /// Decrypts it.
    pub(crate) fn open(vault: &dyn Vault, loan_reference_id: &str, sealed: &[u8]) -> Result<Private, String> {
        let plain = vault.open(&context(loan_reference_id), sealed)?;
        serde_json::from_slice(&plain).map_err(|_| "personal data cannot be read".to_owned())
    }
}

fn context(loan_reference_id: &str) -> String {
    format!("loans.private/{loan_reference_id}")
}
