//! The ledger: a folder with one file per transaction that moves money. A file is written before the order is sent, and
//! outcomes are appended to it. Nothing is ever removed. Knows nothing of how orders are sent.

mod durable_files;
mod entry;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use serde_json::{Value as Json, json};

pub(crate) use self::entry::{LedgerEntry, LedgerOrder, TransactionOutcome};
use crate::provider::wire::lending::{PersistedTransactionId, TransactionId};
use crate::run::whole_file::{Access, write_new};

/// A folder of transactions.
pub(crate) struct Ledger {
    folder: PathBuf,
}

impl Ledger {
    pub(crate) fn new(folder: &Path) -> Self {
        Ledger { folder: folder.to_owned() }
    }

    /// The folder, for messages.
    pub(crate) fn display(&self) -> std::path::Display<'_> {
        self.folder.display()
    }

    /// Records an order on disk before it is sent. Refuses a transaction that was ordered before, unless that certainly
    /// did nothing. Also refuses an order if another transaction of the same loan may still be carried out.
    pub(crate) fn order(&self, id: TransactionId, order: &LedgerOrder) -> Result<PersistedTransactionId, String> {
        let path = self.path(id.as_str())?;
        durable_files::create_folder(&self.folder).map_err(|error| match error.kind() {
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists => format!(
                "`{}` is not a folder, so nothing can be recorded in it; nothing has been sent. Give `--ledger` a \
                 folder",
                self.folder.display()
            ),
            _ => format!(
                "the folder `{}` cannot be synced to disk: {error}; nothing has been sent",
                self.folder.display()
            ),
        })?;
        // Until the order is written, no other process checks for open transactions.
        let _lock = self.lock()?;
        self.refuse_conflicts(order)?;
        let persisted = id.persist(|_| match self.entry(&order.transaction_id)? {
            None => self.create(&path, order),
            Some(before) => self.order_again(&path, &before, order),
        })?;
        tracing::info!(call = order.call, transaction = order.transaction_id, host = order.host, "order recorded");
        Ok(persisted)
    }

    /// Appends the outcome of a transaction, with the time, the host and the details.
    pub(crate) fn record_outcome(
        &self,
        id: &str,
        outcome: TransactionOutcome,
        host: &str,
        detail: &Json,
    ) -> Result<(), String> {
        let path = self.path(id)?;
        let line = json!({ "outcome": outcome, "at": ledger_time_now(), "host": host, "detail": detail }).to_string();
        let written =
            durable_files::open_for_append(&path).and_then(|mut file| durable_files::append_line(&mut file, &line));
        tracing::info!(transaction = id, ?outcome, host, is_written = written.is_ok(), "outcome recorded");
        written.map_err(|error| format!("cannot write to `{}`: {error}; the outcome is {line}", path.display()))
    }

    /// The recorded transaction. `None` if it was never ordered.
    pub(crate) fn entry(&self, id: &str) -> Result<Option<LedgerEntry>, String> {
        let path = self.path(id)?;
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read `{}`: {error}; nothing has been sent", path.display())),
            Ok(text) => LedgerEntry::read(&text).map(Some).map_err(|problem| {
                format!(
                    "`{}` is damaged: {problem}. Nothing has been sent, because it may be about this loan. Restore the \
                     file. If that is not possible, ask the provider what became of transaction `{id}`, then move the \
                     file elsewhere",
                    path.display()
                )
            }),
        }
    }

    /// Refuses an order while another transaction of the same kind may have moved the loan's money. Also refuses a
    /// second payout of a loan.
    fn refuse_conflicts(&self, order: &LedgerOrder) -> Result<(), String> {
        let cannot = |error: io::Error| {
            format!("cannot read the ledger `{}`: {error}; nothing has been sent", self.folder.display())
        };
        for file in fs::read_dir(&self.folder).map_err(cannot)? {
            let name = file.map_err(cannot)?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".ndjson")) else { continue };
            if id == order.transaction_id || id.starts_with('.') {
                continue;
            }
            let missing =
                || format!("`{id}.ndjson` in `{}` leads to no file; nothing has been sent", self.folder.display());
            let other = self.entry(id)?.ok_or_else(missing)?;
            if !other.order.has_same_loan_and_call(order) {
                continue;
            }
            // Repayments come in instalments; a loan is paid out once.
            if order.call == "fund" && other.outcome.is_carried_out() {
                return Err(format!(
                    "the loan `{}` was paid out by transaction `{id}`. Nothing has been sent, because a loan is paid \
                     out once. For another payout, let the customer accept another offer: `accept` prints the id of \
                     its loan",
                    order.loan_id
                ));
            }
            if other.outcome.is_open() {
                return Err(format!(
                    "transaction `{id}` of the same loan is open: {}. Nothing has been sent, because both might be \
                     carried out. Ask first: lendwright provider requery {id} --ledger {}",
                    other.outcome,
                    self.folder.display()
                ));
            }
        }
        Ok(())
    }

    /// Creates the file of an order. It gets its name when it is complete, so that a crash leaves no half file.
    fn create(&self, path: &Path, order: &LedgerOrder) -> Result<(), String> {
        write_new(path, Access::Private, format!("{}\n", json!(order)).as_bytes())
            .map_err(|error| format!("cannot write `{}`: {error}; nothing has been sent", path.display()))
    }

    /// Records the same order once more. Allowed only if the one before certainly did nothing.
    fn order_again(&self, path: &Path, before: &LedgerEntry, order: &LedgerOrder) -> Result<(), String> {
        let (id, loan) = (&before.order.transaction_id, &before.order.loan_id);
        if before.outcome != TransactionOutcome::NotDone {
            return Err(format!(
                "`{}` exists: transaction `{id}` was ordered before, for the loan `{loan}`, and {}. Ask what became of \
                 it: lendwright provider requery {id} --ledger {}",
                path.display(),
                before.outcome,
                self.folder.display()
            ));
        }
        if !before.order.is_same_as(order) {
            return Err(format!(
                "`{}` exists: transaction `{id}` was ordered before as another order, for the loan `{loan}`, which did \
                 nothing. Nothing has been sent; use another id",
                path.display()
            ));
        }
        let line = json!(order).to_string();
        durable_files::open_for_append(path)
            .and_then(|mut file| durable_files::append_line(&mut file, &line))
            .map_err(|error| format!("cannot write `{}`: {error}; nothing has been sent", path.display()))
    }

    /// Lets one process at a time check the ledger and record an order.
    fn lock(&self) -> Result<File, String> {
        let path = self.folder.join(".turn");
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let locked = file.and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| format!("cannot lock `{}`: {error}; nothing has been sent", path.display()))
    }

    fn path(&self, id: &str) -> Result<PathBuf, String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        match id.starts_with('.') || !id.chars().all(plain) {
            true => {
                Err("the transaction id does not make a file name; use letters, digits, `-`, `_` and `.`".to_owned())
            }
            false => Ok(self.folder.join(format!("{id}.ndjson"))),
        }
    }
}

/// The current time, as the ledger writes it.
pub(crate) fn ledger_time_now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests;
