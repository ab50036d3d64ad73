//! What an answer says about its other pages: a link to the next one, or how many rows there are. A part of an answer
//! must not pass for all of it.

use crate::base::text::escape_terminal;
use crate::statement::formats::Fault;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::formats::json_paths::path::{Path, PathTarget};
use crate::statement::formats::json_paths::read::{Slot, fault_of_json_flaw, read_scalar_value};

/// What a mark says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageMark {
    /// Another page follows.
    Next,
    /// There is a page before.
    Previous,
    /// The number of rows on all pages.
    Rows,
    /// The number of pages.
    Pages,
}

/// The marks that a columns file declares: where they stand, and what they say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageMarks {
    marks: Vec<(PageMark, String, Vec<String>)>,
}

impl PageMarks {
    /// No marks.
    pub(crate) const NONE: PageMarks = PageMarks { marks: Vec::new() };

    /// Adds a mark at this path. The error says what is wrong with the path.
    pub(crate) fn declare(&mut self, mark: PageMark, text: &str) -> Result<(), String> {
        let path = Path::parse(text).map_err(|fault| fault.what)?;
        match path.target {
            PathTarget::Value(keys) if path.lists.is_empty() => {
                self.marks.push((mark, text.to_owned(), keys));
                Ok(())
            }
            _ => Err(format!("`{}` leads into a list; a mark is a value outside the lists", escape_terminal(text))),
        }
    }
}

/// What the documents read so far say of their pages.
pub(crate) struct PagesSeen<'m> {
    marks: &'m PageMarks,
    documents: u64,
    /// The mark of the first document that says that a page is missing before it.
    before: Option<usize>,
    /// The mark of the last document that says that a page follows.
    after: Option<usize>,
    /// The largest announced numbers, with their marks.
    rows: Option<(u64, usize)>,
    pages: Option<(u64, usize)>,
}

impl<'m> PagesSeen<'m> {
    pub(crate) fn new(marks: &'m PageMarks) -> PagesSeen<'m> {
        PagesSeen { marks, documents: 0, before: None, after: None, rows: None, pages: None }
    }

    /// Reads the marks of the document that begins here.
    pub(crate) fn look_at(&mut self, mut document: Scanner<'_>) -> Result<(), Fault> {
        if self.marks.marks.is_empty() {
            return Ok(());
        }
        self.documents += 1;
        self.after = None;
        let marks = self.marks;
        let all: Vec<(usize, &[String])> =
            marks.marks.iter().enumerate().map(|(at, (_, _, keys))| (at, keys.as_slice())).collect();
        self.walk(&mut document, &all)
    }

    fn walk(&mut self, scanner: &mut Scanner<'_>, marks: &[(usize, &[String])]) -> Result<(), Fault> {
        if scanner.peek().map_err(fault_of_json_flaw)? != b'{' {
            return scanner.skip_value().map_err(fault_of_json_flaw);
        }
        let mut object = scanner.open_object().map_err(fault_of_json_flaw)?;
        while let Some(key) = scanner.next_key(&mut object).map_err(fault_of_json_flaw)? {
            let key = key.decode(&mut 0);
            let first = scanner.peek().map_err(fault_of_json_flaw)?;
            let below = |(at, keys): &(usize, &[String])| {
                let (head, rest) = keys.split_first()?;
                (*head == *key).then_some((*at, rest.len()))
            };
            let here: Vec<(usize, usize)> = marks.iter().filter_map(below).collect();
            let ends = here.iter().find(|(_, left)| *left == 0);
            match ends {
                Some((at, _)) if !matches!(first, b'{' | b'[') => {
                    let value = read_scalar_value(scanner, first)?;
                    self.note(*at, &value);
                }
                Some((at, _)) => {
                    self.note(*at, &Slot::Text("an object".into()));
                    scanner.skip_value().map_err(fault_of_json_flaw)?;
                }
                None if here.is_empty() => scanner.skip_value().map_err(fault_of_json_flaw)?,
                None => {
                    let inner = marks.iter().filter(|(at, _)| here.iter().any(|(known, _)| known == at));
                    let inner: Vec<(usize, &[String])> =
                        inner.filter_map(|(at, keys)| Some((*at, keys.split_first()?.1))).collect();
                    self.walk(scanner, &inner)?;
                }
            }
        }
        Ok(())
    }

    fn note(&mut self, at: usize, value: &Slot<'_>) {
        let Some((mark, ..)) = self.marks.marks.get(at) else { return };
        let (is_said, number) = match value {
            Slot::Empty => (false, None),
            Slot::Text(text) => (!matches!(text.trim(), "" | "false" | "null"), text.trim().parse::<u64>().ok()),
            Slot::Digits(digits) => (*digits != "0", digits.parse().ok()),
        };
        let largest = |known: Option<(u64, usize)>| match (known, number) {
            (Some((known, _)), Some(number)) if number > known => Some((number, at)),
            (None, Some(number)) => Some((number, at)),
            _ => known,
        };
        match mark {
            PageMark::Next if is_said => self.after = Some(at),
            PageMark::Previous if is_said && self.documents == 1 => self.before = Some(at),
            PageMark::Next | PageMark::Previous => {}
            PageMark::Rows => self.rows = largest(self.rows),
            PageMark::Pages => self.pages = largest(self.pages),
        }
    }

    /// Refuses documents that are not all pages of their answer. `rows` is how many rows they have.
    pub(crate) fn check(&self, rows: u32) -> Result<(), Fault> {
        let name = |at: usize| self.marks.marks.get(at).map_or("", |(_, text, _)| text.trim_end_matches('?'));
        let (rows, documents) = (u64::from(rows), self.documents);
        let what = match (self.after, self.before, self.rows, self.pages) {
            (Some(at), ..) => format!("`{}` says that another page follows the last one", escape_terminal(name(at))),
            (_, Some(at), ..) => format!("`{}` says that a page comes before the first one", escape_terminal(name(at))),
            (_, _, Some((all, at)), _) if all > rows => {
                format!("`{}` announces {all} rows, and there are {rows}", escape_terminal(name(at)))
            }
            (_, _, _, Some((all, at))) if all > documents => {
                format!("`{}` announces {all} pages, and there are {documents}", escape_terminal(name(at)))
            }
            _ => return Ok(()),
        };
        Err(Fault::new(format!(
            "the answer is not complete: {what}; put all of its pages into one file, one after another in their order"
        )))
    }
}
