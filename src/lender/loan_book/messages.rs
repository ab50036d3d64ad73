//! Messages to customers (E7): stored with the step that they report, and sent apart from it, so that money never waits
//! for them. Each is sent at most once.

use super::LoanBook;
use super::claims::read_loan;
use super::rows::{LoanRow, damaged_row};
use crate::base::time::Timestamp;
use crate::lender::loan::Message;
use crate::lender::store::database::{InstanceId, read_transaction, write_transaction};
use crate::lender::store::error::StoreError;

/// A message that is this process's to send.
#[derive(Clone, Debug)]
pub(crate) struct MessageClaim {
    /// Its number in the book.
    pub(crate) id: i64,
    /// Which message.
    pub(crate) message: Message,
    /// How often it was tried in vain.
    pub(crate) tries: i64,
    /// The loan.
    pub(crate) row: LoanRow,
    instance: InstanceId,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MessageOutcome {
    /// The provider took it.
    Sent,
    /// It may or may not have been sent. It is not sent again.
    Unknown(String),
    /// It was not sent, and will not be.
    Failed(String),
    /// It certainly did not leave. To be tried again at this moment.
    Again(Timestamp),
}

impl LoanBook {
    /// Claims messages, oldest first, at most so many.
    pub(crate) fn claim_messages(
        &self,
        instance: InstanceId,
        now: Timestamp,
        most: i64,
    ) -> Result<Vec<MessageClaim>, StoreError> {
        let claimed = write_transaction(&*self.database, |tx| {
            let sql = "UPDATE messages SET standing = 'sending', instance = $1 WHERE id IN (SELECT id FROM messages \
                       WHERE standing = 'waiting' AND wake_at <= $2 ORDER BY wake_at, id LIMIT $3) AND \
                       standing = 'waiting' RETURNING id, loan, message, tries";
            let rows = tx.query(sql, &[instance.0.into(), now.milliseconds().into(), most.into()])?;
            let read = rows.iter().map(|row| {
                Ok((row.integer("id")?, row.integer("loan")?, row.text("message")?.to_owned(), row.integer("tries")?))
            });
            read.collect::<Result<Vec<_>, StoreError>>()
        })?;
        let mut claims = Vec::with_capacity(claimed.len());
        for (id, loan, word, tries) in claimed {
            let message = Message::ALL.into_iter().find(|message| message.word() == word);
            let message = message.ok_or_else(|| damaged_row("a message"))?;
            let row = self.load_loan(loan)?.ok_or_else(|| damaged_row("the loan of a message"))?;
            claims.push(MessageClaim { id, message, tries, row, instance });
        }
        claims.sort_by_key(|claim| claim.id);
        Ok(claims)
    }

    /// Records what became of a claimed message.
    pub(crate) fn settle_message(
        &self,
        claim: &MessageClaim,
        outcome: &MessageOutcome,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (standing, reason, wake) = match outcome {
            MessageOutcome::Sent => ("sent", None, None),
            MessageOutcome::Unknown(reason) => ("unknown", Some(reason.as_str()), None),
            MessageOutcome::Failed(reason) => ("failed", Some(reason.as_str()), None),
            MessageOutcome::Again(at) => ("waiting", None, Some(at.milliseconds())),
        };
        let settled = wake.is_none().then(|| now.milliseconds());
        let sql = "UPDATE messages SET standing = $1, reason = $2, wake_at = $3, tries = tries + 1, instance = NULL, \
                   settled_at = $4 WHERE id = $5 AND instance = $6 AND standing = 'sending'";
        let values =
            [standing.into(), reason.into(), wake.into(), settled.into(), claim.id.into(), claim.instance.0.into()];
        write_transaction(&*self.database, |tx| tx.execute(sql, &values).map(drop))
    }

    /// When the next message is to be sent.
    pub(crate) fn next_message_wake(&self) -> Result<Option<Timestamp>, StoreError> {
        let sql = "SELECT MIN(wake_at) AS wake_at FROM messages WHERE standing = 'waiting'";
        let wake = read_transaction(&*self.database, |tx| match tx.query(sql, &[])?.first() {
            Some(row) => row.integer_if_any("wake_at"),
            None => Ok(None),
        })?;
        Ok(wake.and_then(Timestamp::from_milliseconds))
    }

    /// How many messages wait to be sent.
    pub(crate) fn count_waiting_messages(&self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) AS messages FROM messages WHERE standing = 'waiting'";
        read_transaction(&*self.database, |tx| tx.query(sql, &[])?.first().map_or(Ok(0), |row| row.integer("messages")))
    }

    /// A loan by its number.
    pub(crate) fn load_loan(&self, id: i64) -> Result<Option<LoanRow>, StoreError> {
        read_transaction(&*self.database, |tx| read_loan(tx, id))
    }
}
