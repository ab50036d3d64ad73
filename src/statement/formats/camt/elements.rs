//! The elements of an XML text with the local names above them.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::statement::formats::Fault;

/// Deeper nesting is no message.
const DEPTH_MAX: usize = 32;

/// An element begins, ends, or is complete because it holds only text.
pub(super) enum Element<'e> {
    /// Its path from the root, and the byte at which it begins.
    Start(&'e [Name], usize),
    Leaf {
        path: &'e [Name],
        text: &'e str,
        currency: Option<&'e str>,
    },
    End(&'e [Name]),
}

pub(super) struct Elements<'b> {
    source: &'b str,
    reader: Reader<&'b [u8]>,
    names: HashMap<&'static str, Name, FixedState>,
    path: Vec<Name>,
    text: String,
    currency: Option<String>,
    /// Whether the innermost open element holds only text so far.
    is_leaf: bool,
    /// An element without content, which ends where it begins.
    is_empty: bool,
    /// Whether the last element is to be removed from the path.
    is_ended: bool,
    is_after_root: bool,
}

/// The elements that mean something, by their local names. All others are `Other`.
macro_rules! names {
    ($($name:ident)*) => {
        #[allow(clippy::upper_case_acronyms, reason = "the standard's own names")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Name { $($name,)* Other }

        const NAMES: [(&str, Name); 75] = [$((stringify!($name), Name::$name)),*];
    };
}

names! {
    TxsSummry TtlNtries NbOfNtries Document BkToCstmrStmt BkToCstmrAcctRpt BkToCstmrStmtV01
    BkToCstmrAcctRptV01 BkToCstmrDbtCdtNtfctn Stmt Rpt Acct Id IBAN Othr Ccy Bal Tp CdOrPrtry Cd Amt
    CdtDbtInd Dt DtTm Ntry Sts BookgDt ValDt AcctSvcrRef BkTxCd Domn Fmly SubFmlyCd Prtry NtryDtls
    TxDtls Refs EndToEndId TxId AmtDtls TxAmt RltdPties Dbtr UltmtDbtr Cdtr UltmtCdtr Pty Nm
    RltdAgts DbtrAgt CdtrAgt FinInstnId BIC BICFI RmtInf Ustrd Strd CdtrRefInf Ref AddtlRmtInf
    RfrdDocInf Nb AddtlTxInf AddtlNtryInf GrpHdr MsgPgntn StmtPgntn RptPgntn PgNb LastPgInd
    FrToDt FrDtTm ToDtTm FrDt ToDt
}

impl<'b> Elements<'b> {
    pub(super) fn new(source: &'b str) -> Elements<'b> {
        let mut reader = Reader::from_str(source);
        reader.config_mut().enable_all_checks(true);
        Elements {
            source,
            reader,
            names: NAMES.into_iter().collect(),
            path: Vec::new(),
            text: String::new(),
            currency: None,
            is_leaf: false,
            is_empty: false,
            is_ended: false,
            is_after_root: false,
        }
    }

    /// The line of a byte, from 1.
    pub(super) fn line_of(&self, byte: usize) -> usize {
        let before = self.source.as_bytes().get(..byte.min(self.source.len())).unwrap_or_default();
        memchr::memchr_iter(b'\n', before).count() + 1
    }

    pub(super) fn fault_at(&self, byte: usize, what: impl Into<String>) -> Fault {
        Fault::at(format!("line {}", self.line_of(byte)), what)
    }

    fn fault(&self, what: impl Into<String>) -> Fault {
        // The library's own errors have a place before the end of what was read.
        let at = match self.reader.error_position() {
            0 => self.reader.buffer_position(),
            at => at,
        };
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        self.fault_at(at, what)
    }

    /// The next element; `None` after the root.
    pub(super) fn next(&mut self) -> Result<Option<Element<'_>>, Fault> {
        if std::mem::take(&mut self.is_ended) {
            self.path.pop();
            self.is_after_root = self.path.is_empty();
        }
        if std::mem::take(&mut self.is_empty) {
            return Ok(Some(self.ended()));
        }
        loop {
            let at = usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX);
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(wrong) => return Err(self.fault(format!("the XML is damaged: {wrong}"))),
            };
            match event {
                Event::Start(start) => {
                    self.begin(&start, at)?;
                    return Ok(Some(Element::Start(&self.path, at)));
                }
                Event::Empty(start) => {
                    self.begin(&start, at)?;
                    self.is_empty = true;
                    return Ok(Some(Element::Start(&self.path, at)));
                }
                Event::End(_) => return Ok(Some(self.ended())),
                Event::Text(text) if self.is_leaf => self.text.push_str(&text.xml10_content()),
                Event::CData(text) if self.is_leaf => self.text.push_str(&text.xml10_content()),
                Event::GeneralRef(reference) if self.is_leaf => self.push_reference(&reference)?,
                Event::Text(text) if !text.xml10_content().trim().is_empty() => {
                    return Err(self.fault("there is text between elements"));
                }
                Event::GeneralRef(_) => return Err(self.fault("there is text between elements")),
                Event::DocType(_) => return Err(self.fault("it has a document type, which no statement has")),
                Event::Eof if self.is_after_root => return Ok(None),
                Event::Eof => return Err(self.fault("the XML ends before its elements do; is the file cut off?")),
                Event::Text(_) | Event::CData(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
    }

    fn begin(&mut self, start: &quick_xml::events::BytesStart<'_>, at: usize) -> Result<(), Fault> {
        if self.is_after_root {
            return Err(self.fault_at(at, "a second root follows the first; one file holds one message"));
        }
        if self.path.len() == DEPTH_MAX {
            return Err(self.fault_at(at, "elements nest deeper than in any message"));
        }
        if self.is_leaf && !self.text.trim().is_empty() {
            return Err(self.fault_at(at, "there is text between elements"));
        }
        self.path.push(self.names.get(start.local_name().into_inner()).copied().unwrap_or(Name::Other));
        self.text.clear();
        self.is_leaf = true;
        self.currency = None;
        if let Some(Name::Amt | Name::TxAmt) = self.path.last() {
            let currency = start.try_get_attribute("Ccy").map_err(|wrong| self.fault_at(at, wrong.to_string()))?;
            self.currency = currency.map(|currency| currency.value.to_string());
        }
        Ok(())
    }

    fn ended(&mut self) -> Element<'_> {
        self.is_ended = true;
        match std::mem::take(&mut self.is_leaf) {
            true => Element::Leaf { path: &self.path, text: self.text.trim(), currency: self.currency.as_deref() },
            false => Element::End(&self.path),
        }
    }

    fn push_reference(&mut self, reference: &quick_xml::events::BytesRef<'_>) -> Result<(), Fault> {
        let letter: Option<Cow<'_, str>> = match reference.resolve_char_ref() {
            Ok(Some(letter)) => Some(letter.to_string().into()),
            Ok(None) => quick_xml::escape::resolve_predefined_entity(&reference.xml10_content()).map(Cow::Borrowed),
            Err(_) => None,
        };
        match letter {
            Some(letter) => {
                self.text.push_str(&letter);
                Ok(())
            }
            None => Err(self.fault("the text has an entity that no XML knows by itself")),
        }
    }
}
