//! JSON of any shape, by paths such as `accounts[].transactions[].amount`. Must not know what a value means.
//!
//! A row is an item of the innermost list. A value beside or above that list is the same for all rows within its
//! object. A file may hold several documents, each on lines of its own.

mod masked_accounts;
pub(crate) mod page_marks;
pub(crate) mod path;
mod plan;
mod read;
#[cfg(test)]
mod tests;

use crate::base::text::escape_terminal;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::formats::json_paths::masked_accounts::Accounts;
use crate::statement::formats::json_paths::page_marks::{PageMarks, PagesSeen};
use crate::statement::formats::json_paths::path::Path;
use crate::statement::formats::json_paths::plan::Level;
use crate::statement::formats::json_paths::read::{JsonRowReader, Slot, fault_of_json_flaw};
use crate::statement::formats::{Fault, RowNoun, RowReader, TakeRow};

/// A path that is read, which becomes the name of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RequestedPath<'p> {
    pub(crate) path: &'p str,
    /// What joins the items of a list that is read as one text.
    pub(crate) joiner: &'p str,
    /// Whether the value names the account.
    pub(crate) is_account: bool,
    /// Whether the value must be one of the row itself: an amount around the rows would count for each of them.
    pub(crate) is_of_row: bool,
}

/// Opens documents, which must be all pages of their answer as `marks` tell. Without a list on the way of the paths, a
/// document is a row, or a list of rows.
pub(crate) fn open_json_documents<'b>(
    bytes: &'b [u8],
    asked: &[RequestedPath<'_>],
    marks: &PageMarks,
) -> Result<Box<dyn RowReader + 'b>, Fault> {
    let paths = asked.iter().map(|asked| Path::parse(asked.path)).collect::<Result<Vec<_>, _>>()?;
    let mut scanner = Scanner::new(bytes).map_err(fault_of_json_flaw)?;
    if scanner.at_end() {
        return Err(Fault::new("the file is empty"));
    }
    Ok(Box::new(Documents {
        levels: plan::plan_list_levels(&paths, asked)?,
        names: asked.iter().map(|asked| asked.path.to_owned()).collect(),
        joiners: asked.iter().map(|asked| asked.joiner.to_owned()).collect(),
        account: asked.iter().position(|asked| asked.is_account),
        paths,
        marks: marks.clone(),
        scanner,
    }))
}

struct Documents<'b> {
    names: Vec<String>,
    joiners: Vec<String>,
    paths: Vec<Path>,
    levels: Vec<Level>,
    /// The column of the account.
    account: Option<usize>,
    marks: PageMarks,
    scanner: Scanner<'b>,
}

impl RowReader for Documents<'_> {
    fn names(&self) -> &[String] {
        &self.names
    }

    fn noun(&self) -> RowNoun {
        RowNoun::Row
    }

    fn read(&mut self, take: &mut TakeRow<'_>) -> Result<(), Fault> {
        let mut scanner = self.scanner.clone();
        let slots = vec![Slot::Empty; self.names.len()];
        let accounts = Accounts::new(self.account);
        let mut rows = JsonRowReader { joiners: &self.joiners, slots, accounts, ordinal: 0, take };
        let is_flat = self.levels.len() == 1;
        let mut pages = PagesSeen::new(&self.marks);
        while !scanner.at_end() {
            let from = scanner.at();
            pages.look_at(scanner.clone())?;
            rows.accounts.clear();
            if rows.document(&mut self.levels, &mut scanner, is_flat)?.is_break() {
                return Ok(());
            }
            scanner.lines_of_record(from).map_err(fault_of_json_flaw)?;
        }
        pages.check(rows.ordinal)?;
        if rows.ordinal == 0 { Ok(()) } else { self.check_presence() }
    }
}

impl Documents<'_> {
    /// Refuses a path that no object has: a misspelt column would look like a statement without debits.
    fn check_presence(&self) -> Result<(), Fault> {
        for path in self.paths.iter().filter(|path| !path.is_optional) {
            let level = self.levels.get(path.lists.len());
            if let Some(help) = level.and_then(|level| level.absence(path)) {
                let text = escape_terminal(&path.text);
                return Err(Fault::new(format!(
                    "nothing in the file has `{text}`{help}; write `{text}?` if it may be missing in every row"
                )));
            }
        }
        Ok(())
    }
}
