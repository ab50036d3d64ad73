//! Ids of transactions that move money: an id is made, stored, and only then sent, once. Knows nothing of where it is
//! stored.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::wire::Unsendable;

/// The longest id; the interface shows no bound.
const CHARS_MAX: usize = 128;

/// Identifies one transaction of money, E6 or E8, for as long as anyone may ask about it.
///
/// ```
/// use lendwright::wire::lending::TransactionId;
/// assert!(TransactionId::new("FUND-2026-0001").is_ok());
/// assert!(TransactionId::new("").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TransactionId(String);

impl TransactionId {
    /// Takes a text of 1 to 128 visible ASCII characters, without spaces.
    ///
    /// # Errors
    /// Any other text.
    pub fn new(text: impl Into<String>) -> Result<Self, Unsendable> {
        let text = text.into();
        match !text.is_empty() && text.len() <= CHARS_MAX && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            true => Ok(TransactionId(text)),
            false => Err(Unsendable::new(format!(
                "a transaction id is not of 1 to {CHARS_MAX} visible ASCII characters without spaces"
            ))),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Stores the id by `store` and, once that says that it will outlive this process, makes of it the right to move money
    /// once. `store` must fail where it knows the id already: what was sent before may only be asked about, by
    /// [`Requery`](super::Requery).
    ///
    /// # Errors
    /// Those of `store`.
    pub fn persist<E>(self, store: impl FnOnce(&TransactionId) -> Result<(), E>) -> Result<PersistedTransactionId, E> {
        store(&self)?;
        Ok(PersistedTransactionId(self))
    }

    /// [`TransactionId::persist`] with a store that is waited for.
    ///
    /// # Errors
    /// Those of `store`.
    pub async fn persist_async<E>(
        self,
        store: impl AsyncFnOnce(&TransactionId) -> Result<(), E>,
    ) -> Result<PersistedTransactionId, E> {
        store(&self).await?;
        Ok(PersistedTransactionId(self))
    }
}

impl fmt::Display for TransactionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for TransactionId {
    type Error = Unsendable;

    fn try_from(text: String) -> Result<Self, Unsendable> {
        TransactionId::new(text)
    }
}

impl From<TransactionId> for String {
    fn from(id: TransactionId) -> String {
        id.0
    }
}

/// The right to move money once under an id that is stored. It cannot be copied, and a call that moves money consumes it:
/// it comes back only where the call surely did nothing.
///
/// ```compile_fail,E0382
/// # use lendwright::wire::lending::{PersistedTransactionId, TransactionId};
/// # fn fund(_: PersistedTransactionId) {}
/// # let id = TransactionId::new("T-1").unwrap();
/// let right = id.persist(|_| Ok::<(), ()>(())).unwrap();
/// fund(right);
/// fund(right); // a second time: no
/// ```
///
/// Nor can it be made without storing:
///
/// ```compile_fail,E0423
/// # use lendwright::wire::lending::{PersistedTransactionId, TransactionId};
/// # let id = TransactionId::new("T-1").unwrap();
/// let right = PersistedTransactionId(id);
/// ```
///
/// What does compile:
///
/// ```
/// # use lendwright::wire::lending::{PersistedTransactionId, TransactionId};
/// # fn fund(_: PersistedTransactionId) {}
/// # let id = TransactionId::new("T-1").unwrap();
/// let right = id.persist(|_| Ok::<(), ()>(())).unwrap();
/// fund(right);
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct PersistedTransactionId(TransactionId);

impl PersistedTransactionId {
    /// The id.
    pub fn id(&self) -> &TransactionId {
        &self.0
    }

    /// Gives up the right to send, and keeps the id to ask about.
    pub fn into_id(self) -> TransactionId {
        self.0
    }
}
