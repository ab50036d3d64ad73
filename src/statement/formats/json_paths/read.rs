//! Reads documents by the levels of a plan: the values of each row, and of what is around the row.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::base::text::escape_terminal;
use crate::statement::formats::json::scanner::{Flaw, FlawKind, Scanner};
use crate::statement::formats::json_paths::masked_accounts::Accounts;
use crate::statement::formats::json_paths::plan::{Level, PlanNode, PlannedField};
use crate::statement::formats::{Fault, RowValue, TakeRow};

/// Reads rows and passes them on.
pub(crate) struct JsonRowReader<'b, 'r, 't> {
    /// What joins the items of a list in each column.
    pub(crate) joiners: &'r [String],
    /// The value of each column, in the row that is read.
    pub(crate) slots: Vec<Slot<'b>>,
    /// The accounts of the rows so far.
    pub(crate) accounts: Accounts,
    /// The number of rows so far.
    pub(crate) ordinal: u32,
    pub(crate) take: &'r mut TakeRow<'t>,
}

/// A value that was read.
#[derive(Clone, Debug)]
pub(crate) enum Slot<'b> {
    Empty,
    Text(Cow<'b, str>),
    Digits(&'b str),
}

/// A list of the next level: where it begins, and its key.
struct FoundList {
    at: usize,
    key: String,
}

/// Whether to continue with the next row.
type Flow = Result<ControlFlow<()>, Fault>;

impl<'b> JsonRowReader<'b, '_, '_> {
    /// Reads the next document: an object, or a list whose items are the rows if `is_flat`.
    pub(crate) fn document(&mut self, levels: &mut [Level], scanner: &mut Scanner<'b>, is_flat: bool) -> Flow {
        if is_flat && scanner.peek().map_err(fault_of_json_flaw)? == b'[' {
            return self.items(levels, scanner, None);
        }
        self.item(levels, scanner)
    }

    /// Reads an item of a list, or the document.
    fn item(&mut self, levels: &mut [Level], scanner: &mut Scanner<'b>) -> Flow {
        let Some((level, inner)) = levels.split_first_mut() else { return Ok(ControlFlow::Continue(())) };
        for column in &level.columns {
            // The key of the list was set before.
            if let Some(slot) = self.slots.get_mut(*column).filter(|_| !level.list_keys.contains(column)) {
                *slot = Slot::Empty;
            }
        }
        let first = scanner.peek().map_err(fault_of_json_flaw)?;
        let at = scanner.at();
        match (first, level.is_list) {
            (b'[', true) => return self.items(inner, scanner, None),
            (b'{', false) => {}
            (_, true) => {
                let place = if level.lists_text == "[]" { "at the top of the document" } else { "in the list" };
                return Err(wrong_kind(at, &level.lists_text, &format!("a list {place}"), first));
            }
            (_, false) => {
                let what = match first {
                    b'[' => "an object, found a list; the paths into a list have `[]`: `[].amount`".to_owned(),
                    _ => format!("an object, found {}", describe_json_kind(first)),
                };
                return Err(Fault::at(format!("byte {at}"), format!("expected {what}")));
            }
        }
        let mut lists = Vec::new();
        self.object(&mut level.node, scanner, &mut lists)?;
        if inner.is_empty() {
            return self.row();
        }
        if let Some(column) = self.accounts.column().filter(|column| level.columns.contains(column))
            && let Some(Slot::Text(account)) = self.slots.get(column)
        {
            self.accounts.take(account).map_err(|what| Fault::at(format!("byte {at}"), what))?;
        }
        if lists.is_empty() {
            let help = level.help_with_list();
            let path = escape_terminal(&level.lists_text);
            let what = format!("this object has no list `{path}`, and so it is no statement{help}");
            return Err(Fault::at(format!("byte {at}"), what));
        }
        for list in &lists {
            // Values after the list belong to its rows too, so the list is read when its object was read to the end.
            let mut inside = scanner.at_place(list.at);
            if self.items(inner, &mut inside, Some(&list.key))?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Reads the items of a list whose `[` was peeked.
    fn items(&mut self, levels: &mut [Level], scanner: &mut Scanner<'b>, key: Option<&str>) -> Flow {
        if let (Some(key), Some(level)) = (key, levels.first()) {
            for column in &level.list_keys {
                if let Some(slot) = self.slots.get_mut(*column) {
                    *slot = Slot::Text(Cow::Owned(key.to_owned()));
                }
            }
        }
        let mut list = scanner.open_array().map_err(fault_of_json_flaw)?;
        while scanner.next_item(&mut list).map_err(fault_of_json_flaw)? {
            if self.item(levels, scanner)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn row(&mut self) -> Flow {
        let values: Vec<RowValue<'_>> = self.slots.iter().map(Slot::value).collect();
        let flow = (self.take)(self.ordinal, &values);
        let next = self.ordinal.checked_add(1);
        self.ordinal = next.ok_or_else(|| Fault::new("more than 4,294,967,295 rows; split the file"))?;
        Ok(flow)
    }

    /// Reads an object whose `{` was peeked.
    fn object(
        &mut self,
        node: &mut PlanNode,
        scanner: &mut Scanner<'b>,
        lists: &mut Vec<FoundList>,
    ) -> Result<(), Fault> {
        node.objects += 1;
        let mut misnamed = None;
        let mut object = scanner.open_object().map_err(fault_of_json_flaw)?;
        while let Some(key) = scanner.next_key(&mut object).map_err(fault_of_json_flaw)? {
            scanner.watch(key);
            let place = key.at;
            let key = key.decode(&mut 0);
            scanner.peek().map_err(fault_of_json_flaw)?;
            match node.fields.iter_mut().position(|field| *field.key == *key) {
                Some(at) => {
                    // The position is that of a field.
                    let Some(field) = node.fields.get_mut(at) else { continue };
                    field.is_seen = true;
                    self.field(field, scanner, lists)?;
                }
                None => {
                    misnamed = misnamed.or_else(|| Some((place, key.to_string(), node.near_list(&key)?.to_owned())));
                    node.note_unread(&key);
                    scanner.skip_value().map_err(fault_of_json_flaw)?;
                }
            }
        }
        // Of several lists one may be missing, but not because its name is damaged: its rows would be lost.
        match misnamed.filter(|(.., near)| !lists.iter().any(|list| list.key == *near)) {
            None => Ok(()),
            Some((at, key, near)) => {
                let (key, near) = (escape_terminal(&key), escape_terminal(&near));
                let what = format!("there is `{key}` where the list `{near}` should be; correct the path, or the file");
                Err(Fault::at(format!("byte {at}"), what))
            }
        }
    }

    fn field(
        &mut self,
        field: &mut PlannedField,
        scanner: &mut Scanner<'b>,
        lists: &mut Vec<FoundList>,
    ) -> Result<(), Fault> {
        let first = scanner.peek().map_err(fault_of_json_flaw)?;
        let at = scanner.at();
        let is_null = first == b'n';
        let is_value = !matches!(first, b'{' | b'[');
        if field.is_list {
            if first == b'[' {
                lists.push(FoundList { at, key: field.key.clone() });
            } else if !is_null {
                return Err(wrong_kind(at, &field.path, "a list", first));
            }
            return scanner.skip_value().map_err(fault_of_json_flaw);
        }
        if let Some(inner) = &mut field.inner
            && !is_null
        {
            if first != b'{' {
                return Err(wrong_kind(at, &field.path, "an object", first));
            }
            if field.values.is_empty() && field.joined.is_empty() {
                return self.object(inner, scanner, lists);
            }
        }
        if !field.values.is_empty() && !is_value {
            return Err(wrong_kind(at, &field.path, "text or a number", first));
        }
        if !field.joined.is_empty() && first != b'[' && !is_null {
            return Err(wrong_kind(at, &field.path, "a list", first));
        }
        if first == b'[' {
            return self.join(field, scanner);
        }
        let value = read_scalar_value(scanner, first)?;
        for column in &field.values {
            if let Some(slot) = self.slots.get_mut(*column) {
                slot.clone_from(&value);
            }
        }
        Ok(())
    }

    /// Reads a list whose items make one text.
    fn join(&mut self, field: &PlannedField, scanner: &mut Scanner<'b>) -> Result<(), Fault> {
        let mut items = Vec::new();
        let mut list = scanner.open_array().map_err(fault_of_json_flaw)?;
        while scanner.next_item(&mut list).map_err(fault_of_json_flaw)? {
            let first = scanner.peek().map_err(fault_of_json_flaw)?;
            if matches!(first, b'{' | b'[') {
                let path = format!("{}[]", field.path);
                return Err(wrong_kind(scanner.at(), &path, "text or a number", first));
            }
            match read_scalar_value(scanner, first)? {
                Slot::Empty => {}
                Slot::Text(text) => items.push(text),
                Slot::Digits(digits) => items.push(Cow::Borrowed(digits)),
            }
        }
        for column in &field.joined {
            let joiner = self.joiners.get(*column).map_or(" ", String::as_str);
            if let Some(slot) = self.slots.get_mut(*column).filter(|_| !items.is_empty()) {
                *slot = Slot::Text(Cow::Owned(items.join(joiner)));
            }
        }
        Ok(())
    }
}

impl Slot<'_> {
    fn value(&self) -> RowValue<'_> {
        match self {
            Slot::Empty => RowValue::Empty,
            Slot::Text(text) => RowValue::Text(text),
            Slot::Digits(digits) => RowValue::Digits(digits),
        }
    }
}

/// A value that is neither an object nor a list.
pub(crate) fn read_scalar_value<'b>(scanner: &mut Scanner<'b>, first: u8) -> Result<Slot<'b>, Fault> {
    Ok(match first {
        b'"' => Slot::Text(scanner.string().map_err(fault_of_json_flaw)?.decode(&mut 0)),
        b'-' | b'0'..=b'9' => Slot::Digits(scanner.number().map_err(fault_of_json_flaw)?),
        _ => match scanner.literal().map_err(fault_of_json_flaw)? {
            "null" => Slot::Empty,
            boolean => Slot::Text(Cow::Borrowed(boolean)),
        },
    })
}

fn wrong_kind(at: usize, path: &str, expected: &str, first: u8) -> Fault {
    let what = format!("`{}`: expected {expected}, found {}", escape_terminal(path), describe_json_kind(first));
    Fault::at(format!("byte {at}"), what)
}

/// What begins with this byte.
fn describe_json_kind(first: u8) -> &'static str {
    match first {
        b'{' => "an object",
        b'[' => "a list",
        b'"' => "text",
        b't' | b'f' => "true or false",
        b'n' => "null",
        b'-' | b'0'..=b'9' => "a number",
        _ => "no JSON",
    }
}

/// The fault of a scanner's flaw.
#[expect(clippy::boxed_local, reason = "the scanner's errors are boxed")]
pub(crate) fn fault_of_json_flaw(flaw: Box<Flaw>) -> Fault {
    let what = match flaw.kind {
        FlawKind::Malformed => format!("malformed JSON: {}", flaw.what),
        FlawKind::Refused => format!("refused JSON: {}", flaw.what),
    };
    Fault::at(format!("byte {}", flaw.at), what)
}
