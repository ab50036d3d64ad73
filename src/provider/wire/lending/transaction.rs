//! Ids of transactions that move money. An id is made, stored, and only then sent, once. Knows nothing of where it is
//! stored.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::provider::wire::Unsendable;

/// The longest id. The interface shows no limit.
const CHARS_MAX: usize = 128;

/// The id of a transaction of money, E6 or E8, that has not been sent. It must be stored before it is sent, and cannot
/// be copied.
///
/// ```
/// use lendwright::wire::lending::TransactionId;
/// assert!(TransactionId::new("FUND-2026-0001").is_ok());
/// assert!(TransactionId::new("").is_err());
/// ```
#[derive(Debug, PartialEq, Eq)]
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

    /// Stores the id with `insert_new` and turns it into the right to move money once. `insert_new` must return only
    /// after the id is safe from a crash of this process. **It must fail if it already has the id**, as a database's
    /// unique key or `OpenOptions::create_new` does: an id that was sent before may only be asked about, by
    /// [`Requery`](super::Requery).
    ///
    /// # Errors
    /// Those of `insert_new`.
    pub fn persist<E>(
        self,
        insert_new: impl FnOnce(&TransactionId) -> Result<(), E>,
    ) -> Result<PersistedTransactionId, E> {
        insert_new(&self)?;
        Ok(PersistedTransactionId(self))
    }
}

impl fmt::Display for TransactionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The right to move money once under a stored id. It cannot be copied, and a call that moves money consumes it. It is
/// returned only if the call certainly did nothing.
///
/// Sending twice does not compile:
///
/// ```compile_fail,E0382
/// # async fn example(client: lendwright::Client, fund: lendwright::wire::lending::Fund) {
/// # use lendwright::wire::lending::TransactionId;
/// # let id = TransactionId::new("T-1").unwrap();
/// let right = id.persist(|_| Ok::<(), ()>(())).unwrap();
/// let first = client.fund(&fund, right).await;
/// let second = client.fund(&fund, right).await;
/// # }
/// ```
///
/// Nor does sending an uncertain transaction again, which can only be requeried:
///
/// ```compile_fail,E0308
/// # use lendwright::client::MoneyError;
/// # use lendwright::wire::lending::Fund;
/// # async fn example(client: lendwright::Client, fund: Fund, error: MoneyError) {
/// if let MoneyError::Uncertain { transaction_id, .. } = error {
///     let again = client.fund(&fund, transaction_id).await;
/// }
/// # }
/// ```
///
/// Nor does sending an id that was not stored:
///
/// ```compile_fail,E0308
/// # async fn example(client: lendwright::Client, fund: lendwright::wire::lending::Fund) {
/// # use lendwright::wire::lending::TransactionId;
/// # let id = TransactionId::new("T-1").unwrap();
/// let first = client.fund(&fund, id).await;
/// # }
/// ```
///
/// This compiles:
///
/// ```no_run
/// # async fn example(client: lendwright::Client, fund: lendwright::wire::lending::Fund) {
/// # use lendwright::wire::lending::TransactionId;
/// # let id = TransactionId::new("T-1").unwrap();
/// let right = id.persist(|_| Ok::<(), ()>(())).unwrap();
/// let first = client.fund(&fund, right).await;
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct PersistedTransactionId(TransactionId);

impl PersistedTransactionId {
    /// The id.
    pub fn id(&self) -> &TransactionId {
        &self.0
    }

    /// Gives up the right to send, and keeps the id to ask about.
    pub fn into_sent(self) -> SentTransactionId {
        SentTransactionId(self.0.0)
    }
}

/// The id of a transaction that was sent, or may have been. It can be asked about, by [`Requery`](super::Requery), and
/// never sent again.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SentTransactionId(String);

impl SentTransactionId {
    /// An id that was stored before it was sent.
    ///
    /// # Errors
    /// A text that is not an id.
    pub fn recall(text: impl Into<String>) -> Result<Self, Unsendable> {
        TransactionId::new(text).map(|id| SentTransactionId(id.0))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SentTransactionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl TryFrom<String> for SentTransactionId {
    type Error = Unsendable;

    fn try_from(text: String) -> Result<Self, Unsendable> {
        SentTransactionId::recall(text)
    }
}

impl From<SentTransactionId> for String {
    fn from(id: SentTransactionId) -> String {
        id.0
    }
}
