//! Reads lines of JSON as rows under a columns file: which keys are its columns, and which of them no line has. Must
//! not know what a column means.

use std::borrow::Cow;

use crate::base::text_search::suggest::suggest_near_name;
use crate::statement::base::error::{Error, show_source_text};
use crate::statement::base::unread::Unread;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::Columns;
use crate::statement::formats::json::scanner::Scanner;
use crate::statement::provider::record::kind_of;
use crate::statement::rows::collector::Places;

/// A value of a line.
pub(crate) enum LineValue<'s> {
    Absent,
    Null,
    Text(Cow<'s, str>),
    Number(&'s str),
}

impl LineValue<'_> {
    pub(crate) fn cell(&self) -> Cell<'_> {
        match self {
            LineValue::Absent | LineValue::Null => Cell::Null,
            LineValue::Text(text) => Cell::Text(text),
            LineValue::Number(digits) => Cell::from_digits(digits),
        }
    }
}

/// The columns that a columns file names, and which of them the lines read so far have.
pub(crate) struct Keys<'n> {
    names: &'n [&'n str],
    seen: Vec<bool>,
    lines: u64,
    pub(crate) unread: Unread,
}

impl<'n> Keys<'n> {
    pub(crate) fn new(names: &'n [&'n str]) -> Keys<'n> {
        Keys { names, seen: vec![false; names.len()], lines: 0, unread: Unread::default() }
    }

    /// Marks the column as present: its only value is known from elsewhere.
    pub(crate) fn give(&mut self, name: &str) {
        for (known, seen) in self.names.iter().zip(&mut self.seen) {
            *seen |= *known == name;
        }
    }

    /// Marks all columns as present, because not all lines can be read.
    pub(crate) fn give_all(&mut self) {
        self.seen.fill(true);
    }

    /// Whether a column's name leads into the object with this name.
    fn lead_into(&self, object: &str) -> bool {
        let is_below = |name: &&&str| name.strip_prefix(object).is_some_and(|rest| rest.starts_with('.'));
        self.names.iter().any(|name| is_below(&name))
    }

    /// Refuses a name that no line has. All its cells would be null, so a misspelt column would look like a statement
    /// without debits.
    pub(crate) fn check(&self, columns: &Columns) -> Result<(), Error> {
        let pairs = || self.names.iter().zip(&self.seen);
        // A column with several meanings is listed for each, and is read for the first.
        let is_absent = |name: &&&str| !pairs().any(|(known, seen)| *seen && known == *name);
        let absent = self.names.iter().find(is_absent).copied();
        let Some(name) = absent.filter(|_| self.lines > 0) else { return Ok(()) };
        let meaning = columns.names.iter().find(|(_, names)| names.iter().any(|known| known == name));
        let meaning = match meaning {
            Some((meaning, _)) => format!("which the columns file calls `{meaning}`"),
            None => "which `skip` of the columns file reads".to_owned(),
        };
        let help = match suggest_near_name(name, self.unread.names()) {
            Some(near) => format!("did you mean `{}`?", show_source_text(near)),
            None => "correct the name, or write null on lines without a value".to_owned(),
        };
        let name = show_source_text(name);
        Err(Error::columns(format!("no line has `{name}`, {meaning}; {help}")))
    }
}

/// Reads a line's object: a value for each of the names. A name with dots leads into nested objects, unless a key
/// equals the whole name.
pub(crate) fn read_line<'s>(
    scanner: &mut Scanner<'s>,
    keys: &mut Keys<'_>,
    values: &mut Vec<LineValue<'s>>,
    line: u32,
) -> Result<(), Error> {
    values.clear();
    values.resize_with(keys.names.len(), || LineValue::Absent);
    if scanner.peek()? != b'{' {
        scanner.skip_value()?;
        return Err(Error::table(format!("{}: a row is an object", Places::Lines.name(line))));
    }
    keys.lines += 1;
    read_object(scanner, keys, values, "", line)
}

/// Reads an object whose keys follow this part of a name.
fn read_object<'s>(
    scanner: &mut Scanner<'s>,
    keys: &mut Keys<'_>,
    values: &mut [LineValue<'s>],
    before: &str,
    line: u32,
) -> Result<(), Error> {
    let mut object = scanner.open_object()?;
    while let Some(key) = scanner.next_key(&mut object)? {
        scanner.watch(key);
        let key = key.decode(&mut 0);
        let name = if before.is_empty() { key } else { Cow::Owned(format!("{before}{key}")) };
        let first = scanner.peek()?;
        // A column with several meanings is listed for each. The first is read, as in a header.
        let Some(at) = keys.names.iter().position(|known| **known == name) else {
            if first == b'{' && keys.lead_into(&name) {
                read_object(scanner, keys, values, &format!("{name}."), line)?;
            } else {
                keys.unread.add(&name);
                scanner.skip_value()?;
            }
            continue;
        };
        let is_second = values.get(at).is_some_and(|value| !matches!(value, LineValue::Absent));
        let value = read_value(scanner, first).ok_or_else(|| {
            let path = Places::Lines.field(line, &show_source_text(&name));
            let into = match first {
                b'{' => format!("; name a key within it, such as `{}.value`", show_source_text(&name)),
                b'[' => format!("; name a key of its items, such as `{}[].value`", show_source_text(&name)),
                _ => String::new(),
            };
            Error::table(format!("{path}: expected text or a number, found {}{into}", kind_of(first)))
        });
        let value = match value {
            Ok(value) => value?,
            Err(wrong) => {
                scanner.skip_value()?;
                return Err(wrong);
            }
        };
        if is_second {
            let path = Places::Lines.field(line, &show_source_text(&name));
            return Err(Error::table(format!("{path}: the line has it twice, as one key and as nested keys")));
        }
        if let (Some(slot), Some(seen)) = (values.get_mut(at), keys.seen.get_mut(at)) {
            (*slot, *seen) = (value, true);
        }
    }
    Ok(())
}

/// `None` if the value is an object or a list. Booleans are texts.
fn read_value<'s>(scanner: &mut Scanner<'s>, first: u8) -> Option<Result<LineValue<'s>, Error>> {
    Some(match first {
        b'"' => scanner.string().map(|text| LineValue::Text(text.decode(&mut 0))).map_err(Error::from),
        b'-' | b'0'..=b'9' => scanner.number().map(LineValue::Number).map_err(Error::from),
        b't' | b'f' => scanner.literal().map(|word| LineValue::Text(Cow::Borrowed(word))).map_err(Error::from),
        b'n' => scanner.literal().map(|_| LineValue::Null).map_err(Error::from),
        _ => return None,
    })
}
