//! One statement of a message: its account, balances and entries.

use std::hash::Hash;
use std::ops::ControlFlow;

use super::elements::Name::{self, *};
use super::entry::{CamtEntry, Details, parse_signed_amount};
use super::{Wrong, rows};
use crate::statement::formats::{Fault, TakeRow};

/// A balance of the statement.
#[derive(Debug, Default, Hash)]
pub(super) struct Balance {
    pub(super) kind: String,
    pub(super) amount: String,
    pub(super) side: String,
    pub(super) day: String,
    pub(super) currency: String,
}

impl Balance {
    pub(super) fn value(&self) -> Option<i64> {
        parse_signed_amount(&self.amount, &self.side)
    }
}

#[derive(Debug, Default)]
pub(super) struct Statement {
    pub(super) account: String,
    pub(super) currency: String,
    pub(super) balances: Vec<Balance>,
    pub(super) entries: Vec<CamtEntry>,
    /// Whether it is a report that comes before the statement.
    pub(super) is_report: bool,
    /// How many entries it says that it has.
    pub(super) count: String,
    pub(super) page: Page,
    /// The first and the last day that it says it covers, as the bank wrote them.
    pub(super) from: String,
    pub(super) to: String,
}

/// Which page of a message or of a statement it is.
#[derive(Debug, Default)]
pub(super) struct Page {
    number: String,
    is_last: String,
}

impl Page {
    /// Takes a text of a pagination.
    pub(super) fn set(&mut self, name: Name, text: &str) {
        match name {
            PgNb => text.clone_into(&mut self.number),
            LastPgInd => text.clone_into(&mut self.is_last),
            _ => {}
        }
    }

    /// Whether more pages follow, as it says.
    pub(super) fn has_next(&self) -> bool {
        matches!(self.is_last.trim(), "false" | "0")
    }

    /// The page as messages name it.
    pub(super) fn name(&self) -> String {
        if self.number.is_empty() { "a page".to_owned() } else { format!("page {}", self.number.trim()) }
    }
}

impl Statement {
    /// An element within the statement begins.
    pub(super) fn begin(&mut self, path: &[Name], at: usize) {
        match path {
            [Ntry] => self.entries.push(CamtEntry { at, ..CamtEntry::default() }),
            [Ntry, NtryDtls, TxDtls] => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.parts.push(Details::default());
                }
            }
            [Bal] => self.balances.push(Balance::default()),
            _ => {}
        }
    }

    /// Takes a text within the statement.
    pub(super) fn set(&mut self, path: &[Name], text: &str, currency: Option<&str>) {
        match path {
            [Ntry, rest @ ..] => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.set(rest, text, currency);
                }
            }
            [Bal, rest @ ..] => {
                let Some(balance) = self.balances.last_mut() else { return };
                match rest {
                    [Tp, CdOrPrtry, Cd] => text.clone_into(&mut balance.kind),
                    [Amt] => {
                        text.clone_into(&mut balance.amount);
                        currency.unwrap_or_default().clone_into(&mut balance.currency);
                    }
                    [CdtDbtInd] => text.clone_into(&mut balance.side),
                    [Dt, Dt | DtTm] => text.clone_into(&mut balance.day),
                    _ => {}
                }
            }
            [Acct, Id, IBAN] | [Acct, Id, Othr, Id] if self.account.is_empty() => {
                text.clone_into(&mut self.account);
            }
            [TxsSummry, TtlNtries, NbOfNtries] => text.clone_into(&mut self.count),
            [Acct, Ccy] => text.clone_into(&mut self.currency),
            [FrToDt, FrDtTm | FrDt] => text.clone_into(&mut self.from),
            [FrToDt, ToDtTm | ToDt] => text.clone_into(&mut self.to),
            [StmtPgntn | RptPgntn, name] => self.page.set(*name, text),
            _ => {}
        }
    }

    /// An element within the statement ends. An entry must then be whole.
    pub(super) fn end(&mut self, path: &[Name]) -> Result<(), Wrong> {
        let ([Ntry], Some(entry)) = (path, self.entries.last()) else { return Ok(()) };
        let wrong = |what: String| Err(Wrong { at: Some(entry.at), what });
        if let Some(name) = entry.twice {
            return wrong(format!("an entry has {name:?} twice; is the end of an entry missing?"));
        }
        if entry.movement().is_none() {
            return wrong(format!(
                "an entry needs an amount (Amt) and CRDT or DBIT (CdtDbtInd); found `{}` and `{}`",
                entry.own.amount, entry.own.side
            ));
        }
        if entry.booked.is_empty() && entry.valued.is_empty() {
            return wrong("an entry has neither a booking date (BookgDt) nor a value date (ValDt)".to_owned());
        }
        if entry.own.currency.is_empty() && self.currency.is_empty() {
            return wrong("neither the entry (Amt Ccy) nor its account (Acct/Ccy) names a currency".to_owned());
        }
        match entry.status.as_str() {
            "BOOK" | "PDNG" | "INFO" | "FUTR" => Ok(()),
            "" => wrong("an entry has no status (Sts), so nobody knows whether it is booked".to_owned()),
            other => wrong(format!("an entry's status is `{other}`, which is not BOOK, PDNG, INFO or FUTR")),
        }
    }

    /// What is the same in two statements of one account with the same balances and entries.
    pub(super) fn content(&self) -> impl Hash {
        (&self.account, &self.balances, &self.entries)
    }

    /// Passes the statement's rows on.
    pub(super) fn pass(&self, ordinal: &mut u32, take: &mut TakeRow<'_>) -> Result<ControlFlow<()>, Fault> {
        if self.account.is_empty() {
            return Err(Fault::new("a statement names no account (Acct/Id)"));
        }
        let counted = self.entries.len();
        match self.count.trim().parse::<usize>() {
            Ok(said) if said != counted => Err(Fault::new(format!(
                "a statement says that it has {said} entries (TxsSummry), but there are {counted}; the file may be cut"
            ))),
            _ => rows::pass_statement_rows(self, ordinal, take),
        }
    }
}
