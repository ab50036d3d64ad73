//! One entry of a statement and the transactions within it, as they are written.

use std::hash::{Hash, Hasher};

use compact_str::CompactString;

use super::elements::Name::{self, *};
use crate::base::money::{AmountUnit, parse_amount};

/// The decimals with which sums are checked: five, as the standard allows.
const DECIMALS: u32 = 5;

/// A part of an entry, or what an entry says itself. Most of its texts are short enough to stand in place.
#[derive(Debug, Default, Hash)]
pub(super) struct Details {
    pub(super) amount: CompactString,
    pub(super) currency: CompactString,
    pub(super) side: CompactString,
    pub(super) servicer_reference: CompactString,
    pub(super) transaction_id: CompactString,
    pub(super) end_to_end: CompactString,
    pub(super) code: CompactString,
    pub(super) narration: Vec<CompactString>,
    pub(super) debtor: CompactString,
    pub(super) creditor: CompactString,
    pub(super) debtor_bank: CompactString,
    pub(super) creditor_bank: CompactString,
}

/// An entry.
#[derive(Debug, Default)]
pub(super) struct CamtEntry {
    /// The byte at which it begins.
    pub(super) at: usize,
    pub(super) own: Details,
    pub(super) status: CompactString,
    pub(super) booked: CompactString,
    pub(super) valued: CompactString,
    pub(super) parts: Vec<Details>,
    /// Said beside the parts.
    pub(super) remark: CompactString,
    /// An element that it has twice: then it is probably two entries.
    pub(super) twice: Option<Name>,
}

/// An amount with its sign, with five decimals. `None` if it is no such number.
pub(super) fn parse_signed_amount(amount: &str, side: &str) -> Option<i64> {
    // XML's decimals have no exponent.
    if amount.contains(['e', 'E']) {
        return None;
    }
    let minor = parse_amount(amount.as_bytes(), AmountUnit::Major, DECIMALS).ok().filter(|minor| *minor >= 0)?;
    match side {
        "CRDT" => Some(minor),
        "DBIT" => Some(-minor),
        _ => None,
    }
}

/// The amount as text again.
pub(super) fn format_signed_amount(amount: i64) -> String {
    let (sign, magnitude) = (if amount < 0 { "-" } else { "" }, amount.unsigned_abs());
    let text = format!("{sign}{}.{:05}", magnitude / 100_000, magnitude % 100_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Details {
    /// Takes a text within `TxDtls`.
    fn set(&mut self, path: &[Name], text: &str, currency: Option<&str>) {
        let put = |slot: &mut CompactString| {
            if slot.is_empty() {
                slot.push_str(text);
            }
        };
        match path {
            [Amt] | [AmtDtls, TxAmt, Amt] => {
                put(&mut self.amount);
                if self.currency.is_empty() {
                    self.currency.push_str(currency.unwrap_or_default());
                }
            }
            [CdtDbtInd] => put(&mut self.side),
            [Refs, AcctSvcrRef] => put(&mut self.servicer_reference),
            [Refs, TxId] => put(&mut self.transaction_id),
            // What banks write where there is none.
            [Refs, EndToEndId] if text == "NOTPROVIDED" || text == "NOTAVAILABLE" => {}
            [Refs, EndToEndId] => put(&mut self.end_to_end),
            [RltdPties, Dbtr | UltmtDbtr, Nm] | [RltdPties, Dbtr | UltmtDbtr, Pty, Nm] => {
                put(&mut self.debtor);
            }
            [RltdPties, Cdtr | UltmtCdtr, Nm] | [RltdPties, Cdtr | UltmtCdtr, Pty, Nm] => {
                put(&mut self.creditor);
            }
            [RltdAgts, DbtrAgt, FinInstnId, BIC | BICFI | Nm] => put(&mut self.debtor_bank),
            [RltdAgts, CdtrAgt, FinInstnId, BIC | BICFI | Nm] => put(&mut self.creditor_bank),
            [RmtInf, Ustrd]
            | [RmtInf, Strd, CdtrRefInf, Ref]
            | [RmtInf, Strd, AddtlRmtInf]
            | [RmtInf, Strd, RfrdDocInf, Nb]
            | [AddtlTxInf] => add_text(&mut self.narration, text),
            [BkTxCd, rest @ ..] => set_code(&mut self.code, rest, text),
            _ => {}
        }
    }
}

fn add_text(texts: &mut Vec<CompactString>, text: &str) {
    if !text.is_empty() && !texts.iter().any(|known| known == text) {
        texts.push(text.into());
    }
}

/// `PMNT-RCDT-ESCT`, or the bank's own code if there is none of the standard.
fn set_code(code: &mut CompactString, path: &[Name], text: &str) {
    match path {
        [Domn, Cd] => *code = text.into(),
        [Domn, Fmly, Cd | SubFmlyCd] => {
            code.push('-');
            code.push_str(text);
        }
        [Prtry, Cd] if code.is_empty() => code.push_str(text),
        _ => {}
    }
}

/// What it says, wherever it stands.
impl Hash for CamtEntry {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let CamtEntry { at: _, own, status, booked, valued, parts, remark, twice: _ } = self;
        (own, status, booked, valued, parts, remark).hash(hasher);
    }
}

impl CamtEntry {
    /// Takes a text within `Ntry`.
    pub(super) fn set(&mut self, path: &[Name], text: &str, currency: Option<&str>) {
        let twice = &mut self.twice;
        let mut put = |slot: &mut CompactString, name: Name| {
            if slot.is_empty() {
                slot.push_str(text);
            } else {
                *twice = Some(name);
            }
        };
        match path {
            [NtryDtls, TxDtls, rest @ ..] => {
                if let Some(part) = self.parts.last_mut() {
                    part.set(rest, text, currency);
                }
            }
            [Amt] => {
                put(&mut self.own.amount, Amt);
                self.own.currency = currency.unwrap_or_default().into();
            }
            [CdtDbtInd] => put(&mut self.own.side, CdtDbtInd),
            [Sts] | [Sts, Cd] => put(&mut self.status, Sts),
            [BookgDt, Dt | DtTm] => put(&mut self.booked, BookgDt),
            [ValDt, Dt | DtTm] => put(&mut self.valued, ValDt),
            [AcctSvcrRef] => put(&mut self.own.servicer_reference, AcctSvcrRef),
            [AddtlNtryInf] => put(&mut self.remark, AddtlNtryInf),
            [BkTxCd, rest @ ..] => set_code(&mut self.own.code, rest, text),
            _ => {}
        }
    }

    /// The entry's movement, with five decimals.
    pub(super) fn movement(&self) -> Option<i64> {
        parse_signed_amount(&self.own.amount, &self.own.side)
    }

    /// The side of a part: its own, or the entry's.
    pub(super) fn side<'e>(&'e self, part: &'e Details) -> &'e str {
        if part.side.is_empty() { &self.own.side } else { &part.side }
    }

    /// The movement of a part, with five decimals.
    pub(super) fn part_movement(&self, part: &Details) -> Option<i64> {
        parse_signed_amount(&part.amount, self.side(part))
    }

    /// Whether it moved the booked balance.
    pub(super) fn is_booked(&self) -> bool {
        self.status == "BOOK"
    }

    /// Whether its parts are payments of their own: each has its amount, and together they are the entry's.
    pub(super) fn is_batch(&self) -> bool {
        let amount = |part: &Details| self.part_movement(part).filter(|_| part.currency == self.own.currency);
        let sum = self.parts.iter().try_fold(0_i64, |sum, part| sum.checked_add(amount(part)?));
        self.parts.len() > 1 && sum.is_some() && sum == self.movement()
    }
}
