//! The folder in which the command line keeps the transactions of money that it ordered: one file each, written before
//! anything is sent, and added to with what is learned of it. Nothing is ever taken out of it. Knows nothing of how
//! orders are sent.

mod entry;
mod lasting;

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use chrono::{SecondsFormat, Utc};
use serde_json::{Value as Json, json};

pub(crate) use self::entry::{Entry, Order, Outcome};
use super::output;
use crate::wire::lending::{PersistedTransactionId, TransactionId};

/// A folder of ordered transactions.
pub(crate) struct Ledger {
    folder: PathBuf,
}

impl Ledger {
    pub(crate) fn new(folder: &Path) -> Self {
        Ledger { folder: folder.to_owned() }
    }

    /// The folder, for showing.
    pub(crate) fn place(&self) -> std::path::Display<'_> {
        self.folder.display()
    }

    /// Writes down what is about to be ordered, so that it is on disk before it is sent. Refused is what was ordered
    /// before, unless that surely did nothing, and what another transaction of the same loan may still do.
    pub(crate) fn order(&self, id: TransactionId, order: &Order) -> Result<PersistedTransactionId, String> {
        let path = self.path(id.as_str())?;
        lasting::folder(&self.folder).map_err(|error| match error.kind() {
            ErrorKind::NotADirectory | ErrorKind::AlreadyExists => format!(
                "`{}` is no folder, so that nothing can be written down in it; nothing has been sent. Give `--ledger` a folder",
                self.folder.display()
            ),
            _ => format!(
                "the folder `{}` cannot be brought to disk: {error}; nothing has been sent",
                self.folder.display()
            ),
        })?;
        // Until the order is written no other process looks for what is open.
        let _turn = self.turn()?;
        self.refuse_beside(order)?;
        let right = id.persist(|_| match self.entry(&order.transaction_id)? {
            None => self.create(&path, order),
            Some(before) => self.again(&path, &before, order),
        })?;
        tracing::info!(call = order.call, transaction = order.transaction_id, host = order.host, "order written down");
        Ok(right)
    }

    /// Adds what is known now of a transaction: when, of which host, and in which words.
    pub(crate) fn settle(&self, id: &str, outcome: Outcome, host: &str, detail: &Json) -> Result<(), String> {
        let path = self.path(id)?;
        let line = json!({ "outcome": outcome, "at": now(), "host": host, "detail": detail }).to_string();
        let written = lasting::open(&path).and_then(|mut file| lasting::add(&mut file, &line));
        tracing::info!(transaction = id, ?outcome, host, is_written = written.is_ok(), "outcome learned");
        written.map_err(|error| format!("`{}` lacks the outcome, which is {line}: {error}", path.display()))
    }

    /// What is written down of a transaction; nothing where it was never ordered.
    pub(crate) fn entry(&self, id: &str) -> Result<Option<Entry>, String> {
        let path = self.path(id)?;
        match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(format!("cannot read `{}`: {error}; nothing has been sent", path.display())),
            Ok(text) => Entry::read(&text).map(Some).map_err(|problem| {
                format!(
                    "`{}` is damaged: {problem}. Nothing has been sent, for it may be about this loan. Restore the file; if it \
                     cannot be restored, find out from the provider what became of transaction `{id}`, then move the file elsewhere",
                    path.display()
                )
            }),
        }
    }

    /// Refuses an order while another transaction of the same kind may have moved the loan's money, and a second payout
    /// of a loan.
    fn refuse_beside(&self, order: &Order) -> Result<(), String> {
        let cannot = |error: io::Error| {
            format!("cannot read the ledger `{}`: {error}; nothing has been sent", self.folder.display())
        };
        for file in fs::read_dir(&self.folder).map_err(cannot)? {
            let name = file.map_err(cannot)?.file_name();
            let Some(id) = name.to_str().and_then(|name| name.strip_suffix(".ndjson")) else { continue };
            if id == order.transaction_id || id.starts_with('.') {
                continue;
            }
            let lost = || format!("`{id}.ndjson` in `{}` leads nowhere; nothing has been sent", self.folder.display());
            let other = self.entry(id)?.ok_or_else(lost)?;
            if !other.order.is_beside(order) {
                continue;
            }
            // Repayments come in instalments; a loan is paid out once.
            if order.call == "fund" && other.outcome.is_carried_out() {
                return Err(format!(
                    "the loan `{}` was paid out by transaction `{id}`. Nothing has been sent, for a loan is paid out once. For another \
                     payout let the customer accept another offer: `accept` gives the id of its loan",
                    order.loan_id
                ));
            }
            if other.outcome.is_open() {
                return Err(format!(
                    "transaction `{id}` of the same loan is open: {}. Nothing has been sent, for both might be carried out. Ask first: \
                     lendwright requery {id} --ledger {}",
                    other.outcome,
                    self.folder.display()
                ));
            }
        }
        Ok(())
    }

    /// The file gets its name once its line is whole, so that a crash leaves no half of one.
    fn create(&self, path: &Path, order: &Order) -> Result<(), String> {
        let cannot = |error: io::Error| format!("cannot write `{}`: {error}; nothing has been sent", path.display());
        let draft = self.folder.join(".new");
        let write = || {
            if draft.exists() {
                fs::remove_file(&draft)?;
            }
            let mut file = output::new_file(&draft)?;
            io::Write::write_all(&mut file, format!("{}\n", json!(order)).as_bytes())?;
            file.sync_all()
        };
        write().map_err(cannot)?;
        let named = fs::rename(&draft, path).and_then(|()| lasting::synced(&self.folder));
        if named.is_err() {
            // What is not wholly on disk was not ordered.
            let _ = fs::remove_file(path);
        }
        named.map_err(cannot)
    }

    /// The same order once more, where the one before surely did nothing.
    fn again(&self, path: &Path, before: &Entry, order: &Order) -> Result<(), String> {
        let (id, loan) = (&before.order.transaction_id, &before.order.loan_id);
        if before.outcome != Outcome::NotDone {
            return Err(format!(
                "`{}` is there: transaction `{id}` was ordered before, for the loan `{loan}`, and {}. Ask what became of it: \
                 lendwright requery {id} --ledger {}",
                path.display(),
                before.outcome,
                self.folder.display()
            ));
        }
        if !before.order.is_same_as(order) {
            return Err(format!(
                "`{}` is there: transaction `{id}` was ordered before as another order, for the loan `{loan}`, which did nothing. \
                 Nothing has been sent; take another id",
                path.display()
            ));
        }
        let line = json!(order).to_string();
        lasting::open(path)
            .and_then(|mut file| lasting::add(&mut file, &line))
            .map_err(|error| format!("cannot write `{}`: {error}; nothing has been sent", path.display()))
    }

    /// One process at a time looks at what is there and writes its order.
    fn turn(&self) -> Result<File, String> {
        let path = self.folder.join(".turn");
        let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let locked = file.and_then(|file| file.lock().map(|()| file));
        locked.map_err(|error| format!("cannot lock `{}`: {error}; nothing has been sent", path.display()))
    }

    fn path(&self, id: &str) -> Result<PathBuf, String> {
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
        match id.starts_with('.') || !id.chars().all(plain) {
            true => {
                Err("the transaction id does not make a file name; take letters, digits, `-`, `_` and `.`".to_owned())
            }
            false => Ok(self.folder.join(format!("{id}.ndjson"))),
        }
    }
}

/// The moment, as the ledger writes it.
pub(crate) fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true)
}

#[cfg(test)]
mod tests;
