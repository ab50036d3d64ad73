//! Quicken Interchange Format.

#[cfg(test)]
mod tests;

use super::entry::at;
use super::entry_rows::{EntryRow, EntryRows, join_narration_texts, single_blanks};
use super::exact::Exact;
use super::text_lines::{decode_bank_text, line_place, numbered_lines, shorten_for_message};
use super::{Fault, RowNoun, RowReader};

/// Opens a file.
pub(crate) fn open_qif_file(bytes: &[u8]) -> Result<Box<dyn RowReader + '_>, Fault> {
    let text = decode_bank_text(bytes, None);
    let mut file = File::default();
    for (number, line) in numbered_lines(&text) {
        let line = line.trim();
        if !line.is_empty() {
            file.take(line, number).map_err(|what| Fault::at(line_place(number), what))?;
        }
    }
    file.end()?;
    Ok(Box::new(EntryRows::new(RowNoun::Line, file.rows)))
}

/// What the records of the file are at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum QifSection {
    /// Nothing yet: a `!Type:` comes first.
    #[default]
    None,
    /// `!Account`: a list of accounts, the last of which is that of the entries that follow.
    Accounts,
    /// `!Type:Bank`, `!Type:CCard` or `!Type:Cash`.
    Entries,
}

#[derive(Default)]
struct File {
    part: QifSection,
    account: String,
    record: QifRecord,
    rows: Vec<EntryRow>,
}

/// The fields of a record until its `^`, each a letter and a text.
#[derive(Default)]
struct QifRecord {
    /// Of its first field, from 1; 0 before it.
    line: u32,
    date: Option<String>,
    amount: Option<String>,
    /// The same amount again, which Quicken writes with more digits.
    again: Option<String>,
    payee: String,
    memo: String,
    number: String,
    category: String,
    split_amounts: Vec<String>,
    split_memos: Vec<String>,
}

impl File {
    fn take(&mut self, line: &str, number: u32) -> Result<(), String> {
        if let Some(header) = line.strip_prefix('!') {
            return self.header(header.trim());
        }
        if line == "^" {
            let record = std::mem::take(&mut self.record);
            return self.finish(record);
        }
        let mut letters = line.chars();
        let field = letters.next().unwrap_or_default();
        let value = letters.as_str().trim();
        if self.record.line == 0 {
            self.record.line = number;
        }
        match self.part {
            QifSection::None => {
                Err("the file does not begin with `!Type:Bank`, `!Type:CCard` or `!Type:Cash`".to_owned())
            }
            QifSection::Accounts => {
                if field == 'N' {
                    self.account = value.to_owned();
                }
                Ok(())
            }
            QifSection::Entries => self.record.field(field, value),
        }
    }

    fn header(&mut self, header: &str) -> Result<(), String> {
        if self.record.line > 0 {
            return Err("the record before has no `^` at its end".to_owned());
        }
        let lower = header.to_ascii_lowercase();
        let kind = lower.strip_prefix("type:").map(str::trim);
        self.part = match (lower.as_str(), kind) {
            (_, Some("bank" | "ccard" | "cash")) => QifSection::Entries,
            ("account", _) => QifSection::Accounts,
            // Switches that say nothing of entries.
            _ if lower.starts_with("option:") || lower.starts_with("clear:") => return Ok(()),
            _ => {
                return Err(format!(
                    "`!{}` is not read; `!Type:Bank`, `CCard` and `Cash` are",
                    shorten_for_message(header)
                ));
            }
        };
        Ok(())
    }

    fn finish(&mut self, record: QifRecord) -> Result<(), String> {
        if self.part != QifSection::Entries || record.line == 0 {
            return Ok(());
        }
        let date = record.date.as_deref().ok_or("the entry that ends here has no date (`D`)")?;
        let amount = record.amount.as_deref().or(record.again.as_deref());
        let has_digit = |amount: &&str| amount.bytes().any(|byte| byte.is_ascii_digit());
        let amount = amount.filter(has_digit).ok_or("the entry that ends here has no amount (`T`)")?;
        record.check(amount)?;
        let mut row = EntryRow::new(record.line.saturating_sub(1));
        row.text(at::ACCOUNT, self.account.as_str());
        row.text(at::TRANS_DATE, date);
        let plain = normalize_amount_text(amount);
        match plain.strip_prefix('-') {
            Some(digits) => row.text(at::DEBIT, digits),
            None => row.text(at::CREDIT, plain),
        }
        row.text(at::CODE, record.category);
        row.text(at::REFERENCE, record.number);
        let texts = [record.payee.as_str(), record.memo.as_str()];
        row.text(
            at::DESC,
            join_narration_texts(texts.into_iter().chain(record.split_memos.iter().map(String::as_str))),
        );
        row.text(at::PEOPLE, single_blanks(&record.payee));
        self.rows.push(row);
        Ok(())
    }

    fn end(&self) -> Result<(), Fault> {
        if self.record.line > 0 {
            let what = "the record that begins here has no `^` at its end; the file may be cut off";
            return Err(Fault::at(line_place(self.record.line), what));
        }
        match self.part {
            QifSection::Entries => Ok(()),
            _ => {
                Err(Fault::new("there is no `!Type:Bank`, `!Type:CCard` or `!Type:Cash`, so this is no QIF of entries"))
            }
        }
    }
}

impl QifRecord {
    fn field(&mut self, field: char, value: &str) -> Result<(), String> {
        let once = |kept: &mut Option<String>, value: String| match kept.replace(value) {
            None => Ok(()),
            Some(_) => Err(format!("`{field}` is there twice in an entry; a `^` may be missing")),
        };
        match field {
            // Quicken fills days and years up with blanks: `1/ 5' 4`.
            'D' => once(&mut self.date, value.split_whitespace().collect())?,
            'T' => once(&mut self.amount, value.to_owned())?,
            'U' => once(&mut self.again, value.to_owned())?,
            'P' => self.payee = value.to_owned(),
            'M' => self.memo = value.to_owned(),
            'N' => self.number = value.to_owned(),
            'L' => self.category = value.to_owned(),
            '$' => self.split_amounts.push(value.to_owned()),
            'E' => self.split_memos.push(value.to_owned()),
            // Cleared or not, the address, categories and shares of a split, the flag of a refund, and details of
            // Quicken's own bills.
            'C' | 'A' | 'S' | '%' | 'F' | 'X' => {}
            _ => return Err(format!("`{field}` is no field of an entry")),
        }
        Ok(())
    }

    /// Checks that both writings of the amount agree, and that a split adds up to it.
    fn check(&self, amount: &str) -> Result<(), String> {
        let again = self.again.as_deref().unwrap_or(amount);
        if parts_disagree_with_sum(amount, &[again.to_owned()]) {
            return Err(format!("`T` is {} and `U` is {}", shorten_for_message(amount), shorten_for_message(again)));
        }
        if !self.split_amounts.is_empty() && parts_disagree_with_sum(amount, &self.split_amounts) {
            let parts = self.split_amounts.iter().map(|part| shorten_for_message(part)).collect::<Vec<_>>().join(" + ");
            return Err(format!(
                "the parts of the split, {}, do not add up to {}",
                shorten_for_message(&parts),
                shorten_for_message(amount)
            ));
        }
        Ok(())
    }
}

/// Whether the parts are not the whole, however their marks are read. What is no amount is for the columns file.
fn parts_disagree_with_sum(whole: &str, parts: &[String]) -> bool {
    let readings = [('.', ','), (',', '.')].map(|(mark, grouping)| {
        let read = |text: &str| read_signed_amount(&text.replace(grouping, ""), mark);
        let sum = parts.iter().try_fold(Exact::default(), |sum, part| read(part).map(|part| sum.plus(part)));
        Some(read(whole)? == sum?)
    });
    readings.contains(&Some(false)) && !readings.contains(&Some(true))
}

fn read_signed_amount(text: &str, mark: char) -> Option<Exact> {
    match text.strip_prefix('-') {
        Some(digits) => Exact::read(digits, mark).map(Exact::negated),
        None => Exact::read(text.strip_prefix('+').unwrap_or(text), mark),
    }
}

/// The amount without a plus, and without commas if they can only group: `1,234.56`, by threes before a point.
fn normalize_amount_text(amount: &str) -> String {
    let unsigned = amount.strip_prefix('+').unwrap_or(amount);
    let digits = unsigned.strip_prefix('-').unwrap_or(unsigned);
    let groups = digits.split_once('.').map(|(whole, _)| whole.split(',').map(str::len).collect::<Vec<_>>());
    match groups.as_deref() {
        Some([1..=3, rest @ ..]) if !rest.is_empty() && rest.iter().all(|length| *length == 3) => {
            unsigned.replace(',', "")
        }
        _ => unsigned.to_owned(),
    }
}
