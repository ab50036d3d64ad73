//! Reads the keys of a list from its CSV text. Keys are personal, so every message names lines and repeats no cell.

use std::borrow::Cow;

use crate::base::csv_line::unguarded_text;
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::base::digest::Digest;
use crate::rules::key_list::{KeySet, ListReading};
use crate::rules::syntax::csv::{CsvFault, CsvRows, DamagedRow};

/// A message names so many lines at most.
const LINES_SHOWN: usize = 3;

/// Which key of `[list.NAME]` a mistake is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum ListPart {
    File,
    Key,
    Until,
}

/// What is wrong with the file of a list.
#[derive(Debug)]
pub(in crate::rules) struct ListFault {
    pub part: ListPart,
    pub message: String,
    pub help: String,
    /// The column that was probably meant.
    pub near: Option<String>,
}

impl ListFault {
    fn new(part: ListPart, message: impl Into<String>, help: impl Into<String>) -> ListFault {
        ListFault { part, message: message.into(), help: help.into(), near: None }
    }

    fn damaged(row: DamagedRow) -> ListFault {
        let DamagedRow { line, fault: CsvFault { message, help, .. } } = row;
        ListFault::new(ListPart::File, format!("line {line}: {message}"), help)
    }
}

/// The keys of a list, and what is odd about its file; or its first mistake.
pub(in crate::rules) fn read_list_csv(
    text: &str,
    reading: &ListReading,
) -> Result<(KeySet, Vec<ListFault>), ListFault> {
    let mut rows = CsvRows::new(text);
    let mut cells = Vec::new();
    let columns = loop {
        match rows.next_row(&mut cells).map_err(ListFault::damaged)? {
            None => {
                let help = "its first line names its columns, such as phone,until; each further line is a key";
                return Err(ListFault::new(ListPart::File, "the file is empty", help));
            }
            Some(_) if is_empty_line(&cells) => {}
            Some(_) => break find_columns(&cells, reading)?,
        }
    };
    // Every row has a line of its own.
    let most = memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()).count() + 1;
    let digest = Digest::compute(text.as_bytes());
    let mut keys = KeySet::new(digest, reading.ignores_case, most, text.len());
    let mut odd = OddLines::default();
    while let Some(line) = rows.next_row(&mut cells).map_err(ListFault::damaged)? {
        if is_empty_line(&cells) {
            continue;
        }
        if cells.len() != columns.count {
            let noun = if cells.len() == 1 { "cell" } else { "cells" };
            let message = format!("line {line} has {} {noun}, but the first line has {}", cells.len(), columns.count);
            let help = "a cell with a comma is in double quotes";
            return Err(ListFault::new(ListPart::File, message, help));
        }
        odd.take_row(&cells, line, &columns, &mut keys);
    }
    odd.report(&keys, reading).map(|warnings| (keys.finish(), warnings))
}

/// Spreadsheets leave lines of commas.
fn is_empty_line(cells: &[Cow<'_, str>]) -> bool {
    cells.iter().all(|cell| cell.trim().is_empty())
}

/// The columns of a list's file.
struct ListColumns {
    key: usize,
    until: Option<usize>,
    count: usize,
}

/// Finds the columns in the first line. Names a column only if the rule file does, because the line may be a key.
fn find_columns(titles: &[Cow<'_, str>], reading: &ListReading) -> Result<ListColumns, ListFault> {
    let titles: Vec<&str> = titles.iter().map(|title| title.trim()).collect();
    let help = "write the names of the columns into the first line, such as phone,until";
    if let [only] = titles.as_slice()
        && let Some(sign) = [';', '\t', '|'].into_iter().find(|sign| only.contains(*sign))
    {
        let shown = if sign == '\t' { "tabs".to_owned() } else { format!("`{sign}`") };
        let message = format!("its columns are separated by {shown}");
        return Err(ListFault::new(ListPart::File, message, "save the file with commas between the columns"));
    }
    let is_name = |title: &str| {
        title.chars().all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | '_' | '-')) && !title.is_empty()
    };
    if reading.key.is_none() && !is_name(titles[0]) {
        let help = format!("{help}; or name the column of the keys by `key`");
        return Err(ListFault::new(ListPart::File, "its first line seems to be a key, not the name of a column", help));
    }
    let find = |wanted: &Option<String>, part: ListPart| -> Result<Option<usize>, ListFault> {
        let Some(wanted) = wanted else { return Ok(None) };
        let mut found = titles.iter().enumerate().filter(|(_, title)| **title == wanted.trim()).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(at), None) => Ok(Some(at)),
            (Some(_), Some(_)) => {
                let message = format!("the file has two columns `{wanted}`, so it can be read in two ways");
                Err(ListFault::new(part, message, "give one of them another name"))
            }
            (None, _) => {
                let near = nearest_candidate(wanted, titles.iter().copied()).map(str::to_owned);
                let help = near.as_ref().map_or(help.to_owned(), |near| format!("did you mean `{near}`?"));
                let message = format!("the first line of the file names no column `{wanted}`");
                Err(ListFault { near, ..ListFault::new(part, message, help) })
            }
        }
    };
    let (key, until) = (find(&reading.key, ListPart::Key)?.unwrap_or(0), find(&reading.until, ListPart::Until)?);
    if until == Some(key) {
        let message = "the keys and the days are in one column, so it can be read in two ways";
        return Err(ListFault::new(ListPart::Until, message, "name the column of the keys by `key`"));
    }
    Ok(ListColumns { key, until, count: titles.len() })
}

/// Lines that are odd for one reason: the first few, and how many there are.
#[derive(Default)]
struct Lines {
    first: Vec<u64>,
    count: usize,
}

impl Lines {
    fn note(&mut self, line: u64) {
        if self.first.len() < LINES_SHOWN {
            self.first.push(line);
        }
        self.count += 1;
    }

    /// `line 7`, or `lines 3, 5, 9 and 20 more`; `None` without any.
    fn in_words(&self) -> Option<String> {
        let numbers: Vec<String> = self.first.iter().map(ToString::to_string).collect();
        match (numbers.as_slice(), self.count - self.first.len()) {
            ([], _) => None,
            ([one], 0) => Some(format!("line {one}")),
            ([before @ .., last], 0) => Some(format!("lines {} and {last}", before.join(", "))),
            (all, more) => Some(format!("lines {} and {more} more", all.join(", "))),
        }
    }
}

/// What is odd about the rows of a list.
#[derive(Default)]
struct OddLines {
    keyless: Lines,
    repeated: Lines,
    bad_days: Lines,
}

impl OddLines {
    fn take_row(&mut self, cells: &[Cow<'_, str>], line: u64, columns: &ListColumns, keys: &mut KeySet) {
        let text = |at: usize| cells.get(at).map_or("", |cell| unguarded_text(cell.trim()).trim());
        let key = text(columns.key);
        if key.is_empty() {
            return self.keyless.note(line);
        }
        let until = columns.until.map(text).map(|day| match day {
            "" => None,
            day => {
                let read = Day::parse_iso(day).map(Day::days);
                if read.is_none() {
                    self.bad_days.note(line);
                }
                read
            }
        });
        if !keys.add(key, until, line) {
            self.repeated.note(line);
        }
    }

    /// The warnings, or a mistake.
    fn report(self, keys: &KeySet, reading: &ListReading) -> Result<Vec<ListFault>, ListFault> {
        if let Some(lines) = self.bad_days.in_words() {
            let message = format!("the last day of an entry is not a date: {lines}");
            let help = "write days such as 2026-11-30; without one an entry never ends";
            return Err(ListFault::new(ListPart::Until, message, help));
        }
        let mut warnings = Vec::new();
        if let Some(lines) = self.keyless.in_words() {
            let help = "write its key or delete the line; if another column has the keys, name it by `key`";
            let part = if reading.key.is_some() { ListPart::Key } else { ListPart::File };
            warnings.push(ListFault::new(part, format!("an entry has no key: {lines}"), help));
        }
        if keys.count() == 0 {
            let help = "nothing is on the list, so `in_list` is never true";
            warnings.push(ListFault::new(ListPart::File, "the list is empty", help));
        }
        if let Some(lines) = self.repeated.in_words() {
            let help = match reading.until {
                Some(_) => "the entry with the latest day counts, or one without any; delete the others",
                None => "delete all but one",
            };
            warnings.push(ListFault::new(ListPart::File, format!("a key is on the list already: {lines}"), help));
        }
        Ok(warnings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::key_list::Listed;

    fn said(text: &str, reading: &ListReading) -> String {
        match read_list_csv(text, reading) {
            Err(fault) => format!("{}; {}", fault.message, fault.help),
            Ok((keys, odd)) => {
                let odd: Vec<String> = odd.into_iter().map(|fault| fault.message).collect();
                format!("{} keys {}", keys.count(), odd.join(", ")).trim_end().to_owned()
            }
        }
    }

    fn reading(key: &str, until: &str) -> ListReading {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ListReading { key: some(key), until: some(until), ignores_case: false }
    }

    #[test]
    fn keys_are_read_as_spreadsheets_write_them() {
        let text = "\u{feff}note,phone,until\r\n\"a, \"\"b\"\"\r\nc\", 0803 ,2026-01-31\r\n\r\n,,\r\n,'+44 20,\r\n";
        let (keys, odd) = read_list_csv(text, &reading("phone", "until")).expect("a list");
        assert!(odd.is_empty() && keys.has_days() && keys.count() == 2);
        let until = Day::from_ymd(2026, 1, 31).expect("a day").days();
        assert_eq!([keys.find_text("0803"), keys.find_text("+44 20")], [Listed::Until(until), Listed::Always]);
    }

    #[test]
    fn mistakes_name_lines_and_no_key() {
        let (plain, days) = (reading("", ""), reading("phone", "until"));
        for (text, reading, wanted) in [
            ("", &plain, "the file is empty"),
            ("\n\r\n", &plain, "the file is empty"),
            ("0803\n0804\n", &plain, "its first line seems to be a key"),
            ("phone\n", &plain, "0 keys the list is empty"),
            ("phone;until\n0803;\n", &plain, "separated by `;`"),
            ("phones,until\n0803,\n", &days, "no column `phone`; did you mean `phones`?"),
            ("phone,phone,until\n", &days, "two columns `phone`"),
            ("phone,until\n0803\n", &days, "line 2 has 1 cell, but the first line has 2"),
            ("phone,until\n\"0803,\n0804,\n", &days, "line 2: this quote is never closed"),
            ("phone,until\n0803,31/01/2026\n1,2\n3,\n4,x\n5,y\n", &days, "not a date: lines 2, 3, 5 and 1 more"),
            ("phone,until\n0803,\n,2026-01-31\n0803,2026-01-31\n", &days, "no key: line 3, a key is on the list"),
            ("phone\n\"08\n03\"\n0803\n0803\n", &plain, "2 keys a key is on the list already: line 5"),
        ] {
            let said = said(text, reading);
            assert!(said.contains(wanted) && !said.contains("0803"), "{text:?}: {said}");
        }
    }
}
