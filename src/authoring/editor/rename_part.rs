//! Renames what no expression names: the id of a requirement, and a decision table. Both are mentioned in the cases
//! beside a policy, which are renamed too.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};
use toml_parser::parser::EventKind;

use super::find::Location;
use super::place::{CursorPlace, Spot, find_cursor_place};
use super::rename::{Edits, RenameError, may_be_named, meanings_of_uses};
use super::under::{is_letter, range_inside_quotes};
use super::workspace::{Disk, Workspace, is_rules, normalize_path};
use crate::base::diagnostic::Span;
use crate::rules::{Text, read_file};

/// A part of a policy that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RenamablePart {
    /// A requirement, by its id.
    Requirement(String),
    /// A table.
    Table(String),
}

/// The reasons why the outputs of a table are unknown, before its name.
const TABLE_REASONS: [&str; 2] = ["no_row_in_", "many_rows_in_"];

impl Workspace {
    /// The part whose name is at a byte of a rule file, and the bytes of the name.
    pub(super) fn part_at(&self, path: &str, at: usize) -> Option<(RenamablePart, Range<usize>)> {
        let text = self.text(path).filter(|_| is_rules(path))?;
        let mut tables = table_names(text).into_iter();
        if let Some((name, range)) = tables.find(|(_, range)| range.start <= at && at <= range.end) {
            return Some((RenamablePart::Table(name), range));
        }
        let CursorPlace { path: keys, spot: Spot::Value(range) } = find_cursor_place(text, at) else { return None };
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let range = range_inside_quotes(text, &range);
        let id = text.get(range.clone())?.to_owned();
        let is_id = match keys[..] {
            ["require", "id"] => true,
            ["property", "of"] => self.home(path, &RenamablePart::Requirement(id.clone())).is_some(),
            _ => false,
        };
        is_id.then_some((RenamablePart::Requirement(id), range))
    }

    /// The file that defines a part.
    fn home(&self, path: &str, part: &RenamablePart) -> Option<String> {
        let known = self.known(path)?;
        let defines = |text: &str| match part {
            RenamablePart::Requirement(id) => requirement_ids(text).iter().any(|known| known.value() == id),
            RenamablePart::Table(name) => table_names(text).iter().any(|(known, _)| known == name),
        };
        // The file itself first: another file of the policy may have a table of that name in a namespace.
        let names =
            known.sources.iter().filter(|source| defines(&source.text)).map(|source| normalize_path(&source.name));
        let all: Vec<String> = names.collect();
        all.iter().find(|name| *name == path).or(all.first()).cloned()
    }

    /// The edits that rename a part. `beside` are files that are not open and may use it.
    pub(super) fn rename_part(
        &self,
        path: &str,
        part: &RenamablePart,
        new: &str,
        beside: &[String],
        disk: Disk,
    ) -> Result<Edits, RenameError> {
        let old = match part {
            RenamablePart::Requirement(id) if may_be_id(new) => id,
            RenamablePart::Table(name) if may_be_named(new) => name,
            RenamablePart::Requirement(_) => return Err(RenameError::BadId(new.to_owned())),
            RenamablePart::Table(_) => return Err(RenameError::BadName(new.to_owned())),
        };
        let home = self.home(path, part).ok_or(RenameError::NoName)?;
        let readers = self.readers(&home, old, beside, disk)?;
        let mut found: BTreeSet<Location> = BTreeSet::new();
        let mut wanted = Vec::new();
        for (file, analysis) in readers.iter().map(|(file, held)| (file, held.get())) {
            if analysis.errors().next().is_some() {
                return Err(RenameError::Mistakes(file.clone()));
            }
            for source in analysis.known.sources.iter() {
                let name = normalize_path(&source.name);
                let places = find_part_places(part, &source.text, name == home);
                if is_taken(part, &source.text, new, name == home) {
                    return Err(RenameError::Taken(new.to_owned()));
                }
                found.extend(places.into_iter().map(|range| Location { path: name.clone(), range }));
            }
            for cases in cases_of(file) {
                let Some(text) = self.current(&cases, disk) else { continue };
                let places = in_cases(part, &text).ok_or_else(|| RenameError::Mistakes(cases.clone()))?;
                found.extend(places.into_iter().map(|range| Location { path: cases.clone(), range }));
            }
            wanted.push((file, meanings_of_uses(analysis, None)));
        }
        // A file without `[policy]` is read through one that is invented, which is in no file.
        found.retain(|place| self.current(&place.path, disk).is_some());
        let edits = self.edits(&found, old, new, disk)?;
        self.try_out(&edits, &wanted, disk)?;
        Ok(edits)
    }
}

/// Whether an id needs no escapes within quotes.
fn may_be_id(id: &str) -> bool {
    !id.is_empty() && id.trim() == id && !id.contains(['"', '\'', '\\']) && !id.contains(char::is_control)
}

fn is_taken(part: &RenamablePart, text: &str, new: &str, is_home: bool) -> bool {
    match part {
        RenamablePart::Requirement(_) => requirement_ids(text).iter().any(|id| id.value() == new),
        RenamablePart::Table(_) => is_home && table_names(text).iter().any(|(name, _)| name == new),
    }
}

/// The cases files of a policy: beside it, and beside its folder if that holds the versions of one.
fn cases_of(policy: &str) -> Vec<String> {
    let own = policy.strip_suffix(".toml").map(|stem| format!("{stem}.cases.toml"));
    let folder = policy.rfind(['/', '\\']).map(|end| format!("{}.cases.toml", &policy[..end]));
    own.into_iter().chain(folder).collect()
}

/// The first byte and the one past the last.
type Bytes = (usize, usize);

/// Where a rule file writes the name of a part.
fn find_part_places(part: &RenamablePart, text: &str, is_home: bool) -> Vec<Bytes> {
    match part {
        RenamablePart::Requirement(id) => {
            let file = read_file(0, text, &mut Vec::new());
            let ids = file.requires.iter().map(|require| &require.id);
            let mentions = file.properties.iter().map(|property| &property.of);
            ids.chain(mentions).filter(|text| text.value() == id).map(|text| bytes(text.content())).collect()
        }
        RenamablePart::Table(name) => {
            let own = table_names(text).into_iter().filter(|(known, _)| is_home && known == name);
            own.map(|(_, range)| (range.start, range.end)).chain(find_reason_mentions(name, text)).collect()
        }
    }
}

fn bytes(span: Span) -> Bytes {
    (span.start as usize, span.end as usize)
}

fn requirement_ids(text: &str) -> Vec<Text> {
    read_file(0, text, &mut Vec::new()).requires.into_iter().map(|require| require.id).collect()
}

/// Where a cases file mentions a part; `None` if it is not TOML.
fn in_cases(part: &RenamablePart, text: &str) -> Option<Vec<Bytes>> {
    let root = DeTable::parse(text).ok()?;
    let id = match part {
        RenamablePart::Requirement(id) => id,
        RenamablePart::Table(name) => return Some(find_reason_mentions(name, text)),
    };
    let mut found = Vec::new();
    let cases = get(root.get_ref(), "case").and_then(DeValue::as_array);
    for case in cases.into_iter().flat_map(|cases| cases.iter()) {
        let expect = case.get_ref().as_table().and_then(|case| get(case, "expect")).and_then(DeValue::as_table);
        let reasons = expect.and_then(|expect| get(expect, "reasons")).and_then(DeValue::as_array);
        let reasons = reasons.into_iter().flat_map(|reasons| reasons.iter());
        found.extend(reasons.filter(|reason| reason.get_ref().as_str() == Some(id)).map(|reason| {
            let range = range_inside_quotes(text, &reason.span());
            (range.start, range.end)
        }));
    }
    Some(found)
}

fn get<'t, 'a>(table: &'t DeTable<'a>, key: &str) -> Option<&'t DeValue<'a>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value.get_ref())
}

/// Where texts mention the reasons of a table, also with the namespace that another file gives it: the bytes of its
/// name.
fn find_reason_mentions(name: &str, text: &str) -> Vec<Bytes> {
    let scalars = super::format::parse_toml_events(text).into_iter().filter(|event| event.kind() == EventKind::Scalar);
    let mut found = Vec::new();
    for event in scalars {
        let (start, end) = (event.span().start(), event.span().end());
        let value = text.get(start..end).unwrap_or("");
        for reason in TABLE_REASONS {
            for (at, _) in value.match_indices(reason) {
                let rest = &value[at + reason.len()..];
                let is_part = |letter: char| is_letter(letter) || letter == '.';
                let whole = &rest[..rest.len() - rest.trim_start_matches(is_part).len()];
                let is_word = !value[..at].ends_with(is_letter);
                if is_word && whole.rsplit('.').next() == Some(name) {
                    let end = start + at + reason.len() + whole.len();
                    found.push((end - name.len(), end));
                }
            }
        }
    }
    found
}

/// The names of the tables of a text with their places: in headers such as `[table.grade]` and `[table.grade.outputs]`,
/// and in keys.
fn table_names(text: &str) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let mut section: Vec<String> = Vec::new();
    let mut header: Option<Vec<(String, Range<usize>)>> = None;
    // The parts of a key that is being read, unless within brackets.
    let (mut keys, mut depth, mut is_key): (Vec<(String, Range<usize>)>, usize, bool) = (Vec::new(), 0, true);
    for event in super::format::parse_toml_events(text) {
        let range = event.span().start()..event.span().end();
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => header = Some(Vec::new()),
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                let path = header.take().unwrap_or_default();
                section = path.iter().map(|(name, _)| name.clone()).collect();
                found.extend(named_table(&[], &path));
            }
            EventKind::SimpleKey => {
                let name = text.get(range.clone()).unwrap_or("").to_owned();
                match &mut header {
                    Some(path) => path.push((name, range)),
                    None if depth == 0 && is_key => keys.push((name, range)),
                    // `table = { grade = { ... } }`
                    None => {}
                }
            }
            EventKind::KeyValSep => is_key = false,
            EventKind::ArrayOpen | EventKind::InlineTableOpen => depth += 1,
            EventKind::ArrayClose | EventKind::InlineTableClose => depth = depth.saturating_sub(1),
            EventKind::Newline if depth == 0 => {
                found.extend(named_table(&section, &keys));
                keys.clear();
                is_key = true;
            }
            _ => {}
        }
    }
    found.extend(named_table(&section, &keys));
    found
}

/// The name in a path that begins with `table`, unless it is in `before`.
fn named_table(before: &[String], path: &[(String, Range<usize>)]) -> Option<(String, Range<usize>)> {
    let before = before.iter().map(|name| (name, None));
    let mut whole = before.chain(path.iter().map(|(name, range)| (name, Some(range))));
    let (first, _) = whole.next()?;
    let (name, range) = whole.next()?;
    let range = range.filter(|_| first == "table")?;
    Some((name.clone(), range.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_in_every_form() {
        let names = |text: &str| -> Vec<String> {
            table_names(text).into_iter().map(|(name, range)| format!("{}:{name}", range.start)).collect()
        };
        assert_eq!(names("[table.a]\nhit = \"first\"\n[table.a.outputs]\nb = \"text\"\n"), ["7:a", "31:a"]);
        assert_eq!(names("[table]\na.hit = \"first\"\nb = { hit = \"any\" }"), ["8:a", "24:b"]);
        assert_eq!(names("table.a.hit = \"first\""), ["6:a"]);
        assert_eq!(names("[metric]\ntable = \"1\"\n[[require]]\nid = \"table\""), [""; 0]);
    }

    #[test]
    fn reasons_of_a_table_are_whole_words() {
        let text = "a = \"why(x) = 'no_row_in_grade' OR why(y) = 'no_row_in_grades'\" # no_row_in_grade\n\
                    b = 'many_rows_in_b.grade'";
        let found: Vec<&str> =
            find_reason_mentions("grade", text).into_iter().map(|(start, end)| &text[start - 3..end]).collect();
        assert_eq!(found, ["in_grade", "_b.grade"]);
    }
}
