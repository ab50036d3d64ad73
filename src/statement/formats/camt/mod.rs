//! ISO 20022 camt.052 and camt.053 of any version. Elements are found by their local names, so that namespaces,
//! prefixes and versions make no difference. Must not know what a value means.

mod elements;
mod entry;
mod rows;
mod spans;
mod statement;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use self::elements::Name::{self, *};
use self::elements::{Element, Elements};
use self::statement::{Page, Statement};
use super::entry::entry_names;
use super::repeats::{COUNTS_TWICE, Repeats};
use super::{Fault, RowNoun, RowReader, TakeRow};

/// Opens a file.
pub(crate) fn open_camt_file(bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    Ok(Box::new(Camt { text: decode_declared_text(bytes)?, names: entry_names() }))
}

struct Camt<'b> {
    text: Cow<'b, str>,
    names: Vec<String>,
}

/// The text, in the encoding that its first line declares; UTF-8 without one.
fn decode_declared_text(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return with_encoding(bytes, encoding_rs::UTF_16LE);
    }
    let first = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let first = first.split(|byte| *byte == b'>').next().unwrap_or_default();
    let declared = String::from_utf8_lossy(first);
    let label = declared.split_once("encoding=").map(|(_, label)| label.trim_start_matches(['"', '\'']));
    let label = label.and_then(|label| label.split(['"', '\'']).next()).unwrap_or("utf-8");
    match encoding_rs::Encoding::for_label(label.as_bytes()) {
        Some(encoding) if encoding == encoding_rs::UTF_8 => std::str::from_utf8(bytes)
            .map(Cow::Borrowed)
            .map_err(|wrong| Fault::at(format!("byte {}", wrong.valid_up_to()), "the text is not UTF-8")),
        Some(encoding) => with_encoding(bytes, encoding),
        None => Err(Fault::new("its first line declares an encoding that is not known; save it as UTF-8")),
    }
}

fn with_encoding<'b>(bytes: &'b [u8], encoding: &'static encoding_rs::Encoding) -> Result<Cow<'b, str>, Fault> {
    match encoding.decode(bytes) {
        (text, _, false) => Ok(text),
        (_, used, true) => Err(Fault::new(format!("some of its bytes are no text in {}", used.name()))),
    }
}

impl RowReader for Camt<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn noun(&self) -> RowNoun {
        RowNoun::Entry
    }

    fn read(&mut self, take: &mut TakeRow<'_>) -> Result<(), Fault> {
        let mut elements = Elements::new(&self.text);
        let mut reading = CamtReading::default();
        while let Some(element) = elements.next()? {
            // The place is worked out once something is wrong: it takes a look at all lines before.
            match reading.take(element, take) {
                Ok(ControlFlow::Continue(())) => {}
                Ok(ControlFlow::Break(())) => return Ok(()),
                Err(Wrong { at: Some(at), what }) => return Err(elements.fault_at(at, what)),
                Err(Wrong { at: None, what }) => return Err(Fault::new(what)),
            }
        }
        reading.refuse_missing_page()?;
        match (reading.is_message, reading.statements) {
            (false, _) => Err(Fault::new("it is no camt message: its Document holds no message")),
            (true, 0) => Err(Fault::new("its message holds no statement (Stmt or Rpt)")),
            (true, _) => Ok(()),
        }
    }
}

/// What is wrong, and the byte where it is.
struct Wrong {
    at: Option<usize>,
    what: String,
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Wrong {
        Wrong { at: None, what: fault.what }
    }
}

#[derive(Default)]
struct CamtReading {
    statement: Option<Statement>,
    is_message: bool,
    /// The statements that were passed on.
    statements: u64,
    ordinal: u32,
    repeats: Repeats,
    /// Which page of a message this is.
    page: Page,
    /// The last page so far of each account with more to come.
    unended: BTreeMap<String, String>,
}

impl CamtReading {
    /// Refuses a message or a statement without its last page.
    fn refuse_missing_page(&self) -> Result<(), Fault> {
        let message = Some(&self.page).filter(|page| page.has_next()).map(Page::name);
        match message.as_ref().or(self.unended.values().next()) {
            None => Ok(()),
            Some(page) => Err(Fault::new(format!(
                "it ends with {page}, which is not the last one (LastPgInd); ask the bank for the whole statement in \
                 one file"
            ))),
        }
    }

    /// Notes whether the account's statement has more pages.
    fn note_page(&mut self, statement: &Statement) {
        match statement.page.has_next() {
            true => drop(self.unended.insert(statement.account.clone(), statement.page.name())),
            false => drop(self.unended.remove(&statement.account)),
        }
    }

    fn take(&mut self, element: Element<'_>, take: &mut TakeRow<'_>) -> Result<ControlFlow<()>, Wrong> {
        match element {
            Element::Start([Document], _) => {}
            Element::Start([_], at) => {
                let what = "it is no camt message: its root is not Document".to_owned();
                return Err(Wrong { at: Some(at), what });
            }
            Element::Start([Document, name], at) => {
                message_kind(*name).map_err(|what| Wrong { at: Some(at), what })?;
                self.is_message = true;
            }
            Element::Start([Document, _, kind @ (Stmt | Rpt)], _) => {
                self.statement = Some(Statement { is_report: matches!(kind, Rpt), ..Statement::default() });
            }
            Element::Start([Document, _, Stmt | Rpt, rest @ ..], at) => {
                if let Some(statement) = &mut self.statement {
                    statement.begin(rest, at);
                }
            }
            Element::Leaf { path: [Document, _, Stmt | Rpt], .. } => {
                return Err(Wrong { at: None, what: "a statement (Stmt or Rpt) is empty".to_owned() });
            }
            Element::Leaf { path: [Document, _, Stmt | Rpt, rest @ ..], text, currency } => {
                if let Some(statement) = &mut self.statement {
                    statement.set(rest, text, currency);
                    statement.end(rest)?;
                }
            }
            Element::Leaf { path: [Document, _, GrpHdr, MsgPgntn, name], text, .. } => self.page.set(*name, text),
            Element::End([Document, _, Stmt | Rpt]) => {
                if let Some(statement) = self.statement.take() {
                    self.statements += 1;
                    self.note_page(&statement);
                    if !statement.entries.is_empty()
                        && let Some(before) = self.repeats.before(&statement.content(), self.statements)
                    {
                        let what = format!("statement {} repeats statement {before}, {COUNTS_TWICE}", self.statements);
                        return Err(Wrong { at: None, what });
                    }
                    return Ok(statement.pass(&mut self.ordinal, take)?);
                }
            }
            Element::End([Document, _, Stmt | Rpt, rest @ ..]) => {
                if let Some(statement) = &mut self.statement {
                    statement.end(rest)?;
                }
            }
            Element::Start(..) | Element::Leaf { .. } | Element::End(_) => {}
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Whether a message with this element holds statements.
fn message_kind(name: Name) -> Result<(), String> {
    match name {
        // Before it was an ISO message, camt.053 had names of its own version.
        BkToCstmrStmt | BkToCstmrAcctRpt | BkToCstmrStmtV01 | BkToCstmrAcctRptV01 => Ok(()),
        BkToCstmrDbtCdtNtfctn => Err("it is a camt.054, which lists single bookings without balances; ask the bank \
            for camt.053"
            .to_owned()),
        _ => Err("it is an ISO 20022 message of another kind than camt.052 and camt.053".to_owned()),
    }
}
