//! Ids of loans and of transactions of money. The provider carries out each id at most once, so a book that was lost
//! must give the same ids to the same loans: they derive from a key that is kept apart from the book and from the
//! provider's references. Loans from before there was a key keep the book's own salt, and so their ids.

use std::sync::Arc;

use super::LoanBook;
use super::rows::LoanRow;
use crate::base::digest::Hasher;
use crate::lender::loan::Order;
use crate::lender::store::database::write_transaction;
use crate::lender::store::error::StoreError;

/// What ids derive from in a book with a key.
#[derive(Clone)]
pub(super) struct OrderKey {
    /// `None` in a book that was opened without it, which may be read and plans nothing.
    key: Option<Arc<str>>,
    /// The number of the last loan from before there was a key.
    after: i64,
}

impl OrderKey {
    /// The key of a book that has not been given it yet.
    pub(super) fn missing(after: i64) -> OrderKey {
        OrderKey { key: None, after }
    }
}

impl LoanBook {
    /// Ids of further loans derive from this key. Without one they derive from the book's salt, and a lost book gives
    /// other ids.
    ///
    /// # Errors
    /// No key for a book that had one.
    pub(crate) fn with_order_key(mut self, key: Option<[u8; 32]>) -> Result<LoanBook, StoreError> {
        let Some(key) = key else {
            return match &self.order_key {
                None => Ok(self),
                Some(_) => Err(StoreError::WrongKeys("it was kept with keys, and none are given".to_owned())),
            };
        };
        let after = write_transaction(&*self.database, |tx| {
            let sql = "UPDATE house SET keyed_after = COALESCE(keyed_after, (SELECT COALESCE(MAX(id), 0) FROM loans)) \
                       WHERE id = 1 RETURNING keyed_after";
            let rows = tx.query(sql, &[])?;
            let row = rows.first().ok_or_else(|| StoreError::Damaged("the table `house` is empty".to_owned()))?;
            row.integer("keyed_after")
        })?;
        let key: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        self.order_key = Some(OrderKey { key: Some(key.into()), after });
        Ok(self)
    }

    /// Refuses to give an id to a loan if its key is missing.
    pub(super) fn require_order_key(&self, loan: i64) -> Result<(), StoreError> {
        match &self.order_key {
            Some(OrderKey { key: None, after }) if loan > *after => {
                Err(StoreError::Programming(format!("loan {loan} has its ids by a key, which was not given")))
            }
            _ => Ok(()),
        }
    }

    /// The id under which the provider carries out a transaction of money: one for each loan, kind, instalment, attempt
    /// and amount, always the same. By it the provider carries the transaction out at most once. With the amount, a
    /// debit that a restored book plans anew does not pass for another one that was made.
    pub(super) fn derive_transaction_id(&self, row: &LoanRow, order: &Order) -> String {
        let [instalment, attempt] = [order.instalment, order.attempt].map(|number| number.to_string());
        let (kind, amount) = (order.kind.word(), order.amount_minor.to_string());
        let digest = match self.key_of_loan(row.id) {
            Some(key) => digest_texts(key, &["transaction", kind, &row.reference, &instalment, &attempt, &amount]),
            // Never change this: it is what was sent for loans from before there was a key. The reference is in it,
            // because after a backup was restored, the number may be another request's.
            None => {
                self.derive_digest(&["transaction", kind, &row.reference, &row.id.to_string(), &instalment, &attempt])
            }
        };
        format!("LW-{}-{}", kind.to_uppercase(), &digest[..24])
    }

    /// The id of a loan that the provider gave none.
    pub(super) fn derive_loan_id(&self, row: &LoanRow) -> String {
        let digest = match self.key_of_loan(row.id) {
            Some(key) => digest_texts(key, &["loan", &row.reference]),
            None => self.derive_digest(&["loan", &row.reference, &row.id.to_string()]),
        };
        format!("LN-{}", &digest[..20])
    }

    fn key_of_loan(&self, loan: i64) -> Option<&str> {
        self.order_key.as_ref().filter(|keyed| loan > keyed.after)?.key.as_deref()
    }
}

/// A digest that is the same for the same secret and texts. Lengths keep `a`, `bc` apart from `ab`, `c`.
pub(super) fn digest_texts(secret: &str, texts: &[&str]) -> String {
    let mut hasher = Hasher::new();
    for text in std::iter::once(&secret).chain(texts) {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finish().to_string()
}
