//! The values that can be completed: in the cells of tables, and beside a comparison. Works in incomplete text too.

use std::collections::BTreeSet;
use std::ops::Range;

use toml_parser::parser::EventKind;

use super::complete::{Proposal, ProposalKind};
use super::workspace::{KnownNames, Workspace};
use crate::rules::names::Sort;
use crate::rules::{DecisionTable, RuleFile, TableRowsSource, Text, Type, Unit, read_file};

/// Most values that are proposed.
const VALUES_MAX: usize = 200;

/// A cell, or one of the values listed in it.
pub(super) struct CellItem {
    /// The bytes of the value.
    pub range: Range<usize>,
    /// Whether it is the whole cell.
    pub is_whole: bool,
    /// Whether it is only a value, without an operator or the beginning of a parameter.
    pub is_value: bool,
}

/// The value around a byte of a cell.
pub(super) fn cell_item_at(text: &str, inner: &Range<usize>, at: usize) -> CellItem {
    let (before, after) = (text.get(inner.start..at).unwrap_or(""), text.get(at..inner.end).unwrap_or(""));
    let start = before.rfind([',', '(']).map_or(0, |sign| sign + 1);
    let blanks = before[start..].len() - before[start..].trim_start().len();
    let end = after.find([',', ')']).unwrap_or(after.len());
    let end = after[..end].trim_end().len();
    let range = inner.start + start + blanks..at + end;
    let written = text.get(range.clone()).unwrap_or("");
    let is_value = !written.contains(['<', '>', '=', '!', '$', '\'']) && !written.contains("..");
    CellItem { is_whole: text.get(inner.clone()).unwrap_or("").trim() == written, range, is_value }
}

/// What a cell may hold.
#[derive(Default)]
struct CellChoices {
    /// Whether it is a condition.
    is_test: bool,
    is_boolean: bool,
    /// The name of the value.
    name: String,
    texts: Vec<String>,
}

impl Workspace {
    /// The values that fit the cell at a byte of a rule file. `keys` lead to it.
    pub(super) fn cell_values(
        &self,
        path: &str,
        keys: &[String],
        at: usize,
        item: &CellItem,
        quote: bool,
    ) -> Vec<Proposal> {
        let Some(text) = self.text(path).filter(|_| item.is_value) else { return Vec::new() };
        let Some(cell) = self.cell_at(path, text, keys, at) else { return Vec::new() };
        let typed = text.get(item.range.clone()).unwrap_or("");
        let propose = |label: &str, written: &str, detail: String| Proposal {
            label: label.to_owned(),
            kind: ProposalKind::Word,
            detail,
            doc: String::new(),
            insert: if quote { format!("\"{written}\"") } else { written.to_owned() },
            replace: item.range.clone(),
        };
        let mut proposals = Vec::new();
        if cell.is_test && item.is_whole {
            proposals.push(propose("-", "-", "matches everything, known or not".to_owned()));
            proposals.push(propose("unknown", "unknown", "matches an unknown value".to_owned()));
        }
        if cell.is_boolean {
            let truths = ["TRUE", "FALSE"];
            proposals.extend(truths.map(|truth| propose(truth, truth, format!("a value of `{}`", cell.name))));
        }
        let plain = cell.texts.iter().filter(|text| !text.contains(['"', '\\']) && !text.contains(char::is_control));
        // The cell itself is among those of its column.
        for text in plain.filter(|text| *text != typed).take(VALUES_MAX) {
            // In a condition, these signs would mean something else.
            let is_bare =
                !cell.is_test || !(text.contains([',', '(', ')', '\'']) || text.starts_with(['<', '>', '=', '!', '-']));
            let written = if is_bare { text.clone() } else { format!("'{text}'") };
            proposals.push(propose(text, &written, format!("a value of `{}`", cell.name)));
        }
        proposals
    }

    /// What the cell at a byte may hold.
    fn cell_at(&self, path: &str, text: &str, keys: &[String], at: usize) -> Option<CellChoices> {
        let known = self.known(path);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let (depth, column) = open_list_position(text, at)?;
        // A text that is half written is read as it last was.
        let mut file = read_file(0, text, &mut Vec::new());
        if file.unread {
            let before = known?.sources.iter().find(|source| super::workspace::normalize_path(&source.name) == path)?;
            file = read_file(0, &before.text, &mut Vec::new());
        }
        match keys[..] {
            ["table", name, "rows"] if depth == 2 => {
                let table = file.tables.iter().find(|table| table.name.text == name)?;
                cell_of_table(table, column, known, Some(&file), path)
            }
            ["table", name, "otherwise"] => {
                let table = file.tables.iter().find(|table| table.name.text == name)?;
                cell_of_table(table, table.inputs.len() + column, known, Some(&file), path)
            }
            ["score", "item", "points"] if depth == 2 && column == 0 => {
                let before = text.get(..at)?.matches("[[score.item]]").count().checked_sub(1)?;
                let on = &file.score.as_ref()?.items.get(before)?.on;
                Some(test_of(known, Some(&file), path, on.value(), Vec::new()))
            }
            _ => None,
        }
    }

    /// The texts that a value may be that `before`, which ends in an open quote, compares.
    pub(super) fn compared_texts(&self, path: &str, before: &str) -> Option<(String, Vec<String>)> {
        let name = compared(before.strip_suffix('\'')?)?;
        let known = self.known(path)?;
        let own = self.text(path).map(|text| read_file(0, text, &mut Vec::new()));
        let texts = texts_of(known, own.as_ref(), path, &name);
        (!texts.is_empty()).then_some((name, texts))
    }
}

/// How many lists are open at a byte, and how many values of the innermost are before it.
pub(super) fn open_list_position(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut open: Vec<usize> = Vec::new();
    for event in super::format::parse_toml_events(text) {
        if event.span().start() >= at {
            break;
        }
        match event.kind() {
            EventKind::ArrayOpen => open.push(0),
            // One that is not written yet has no bytes.
            EventKind::ArrayClose if event.span().start() < event.span().end() => drop(open.pop()),
            EventKind::ValueSep => open.last_mut().into_iter().for_each(|count| *count += 1),
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => open.clear(),
            _ => {}
        }
    }
    open.last().map(|column| (open.len(), *column))
}

fn cell_of_table(
    table: &DecisionTable,
    column: usize,
    known: Option<&KnownNames>,
    file: Option<&RuleFile>,
    path: &str,
) -> Option<CellChoices> {
    if let Some(input) = table.inputs.get(column) {
        return Some(test_of(known, file, path, input.value(), written(table, column)));
    }
    let output = table.outputs.get(column - table.inputs.len())?;
    let is_text = output.kind.value() == Unit::Text.word();
    let texts = match output.values.is_empty() {
        false => output.values.iter().map(|value| value.value().to_owned()).collect(),
        true if is_text => written(table, column),
        true => Vec::new(),
    };
    let is_boolean = output.kind.value() == Unit::Boolean.word();
    Some(CellChoices { is_test: false, is_boolean, name: output.name.text.clone(), texts })
}

/// The texts of a column's other cells: in a condition, those of its lists.
fn written(table: &DecisionTable, column: usize) -> Vec<String> {
    let TableRowsSource::Here(rows) = &table.rows else { return Vec::new() };
    let cells = rows.iter().filter_map(|(cells, _)| cells.get(column)).map(Text::value);
    let items: BTreeSet<String> = match column < table.inputs.len() {
        false => cells.map(|cell| cell.trim().to_owned()).collect(),
        true => cells.filter(|cell| !cell.contains('\'')).flat_map(items_of).collect(),
    };
    let is_text = |text: &String| !text.is_empty() && !text.starts_with(['$', '=', '<', '>', '!']);
    items.into_iter().filter(|text| is_text(text) && text != "-" && text != "unknown").collect()
}

/// The values that a condition lists.
fn items_of(cell: &str) -> Vec<String> {
    let inner = cell.trim().strip_prefix("not(").and_then(|rest| rest.strip_suffix(')')).unwrap_or(cell);
    inner.split(',').map(|item| item.trim().to_owned()).collect()
}

/// Every text that a name may be. A table with a mistake gives those that it declares, or that its rows give.
fn texts_of(known: &KnownNames, own: Option<&RuleFile>, path: &str, name: &str) -> Vec<String> {
    let named = known.resolve(path, Sort::Value, name);
    if let Some(named) = named.filter(|named| !named.texts.is_empty()) {
        return named.texts.clone();
    }
    let mut tables = own.into_iter().flat_map(|file| &file.tables);
    let column = |table: &DecisionTable| {
        let output = table.outputs.iter().position(|output| output.name.text == name)?;
        let cell = cell_of_table(table, table.inputs.len() + output, None, None, path)?;
        Some(cell.texts)
    };
    tables.find_map(column).unwrap_or_default()
}

/// A cell that tests an expression.
fn test_of(
    known: Option<&KnownNames>,
    file: Option<&RuleFile>,
    path: &str,
    on: &str,
    beside: Vec<String>,
) -> CellChoices {
    let on = on.trim();
    let named = known.and_then(|known| known.resolve(path, Sort::Value, &on.to_lowercase()));
    let is_boolean = match named {
        Some(named) => named.ty == Some(Type::BOOLEAN),
        None => looks_boolean(on),
    };
    let is_text = named.is_some_and(|named| named.ty.is_some_and(|ty| ty.unit == Unit::Text));
    let mut texts = known.map(|known| texts_of(known, file, path, &on.to_lowercase())).unwrap_or_default();
    texts.extend(beside.into_iter().filter(|text| is_text && !texts.contains(text)).collect::<Vec<_>>());
    CellChoices { is_test: true, is_boolean, name: on.to_owned(), texts }
}

/// Whether an expression is a condition, as far as its words say.
fn looks_boolean(expression: &str) -> bool {
    let upper = expression.to_uppercase();
    let words = [" AND ", " OR ", "NOT ", " IN ", " LIKE ", "FALSE", "TRUE"];
    expression.contains(['<', '>', '=']) || words.iter().any(|word| upper.contains(word))
}

/// The name that is compared with the text that follows: `NAME = `, `NAME IN ('a', ` or `list_contains(NAME, `.
fn compared(before: &str) -> Option<String> {
    let mut rest = before.trim_end();
    while let Some(list) = rest.strip_suffix(',').map(str::trim_end) {
        match list.strip_suffix('\'').and_then(|inner| inner.rfind('\'').map(|open| &inner[..open])) {
            Some(outer) => rest = outer.trim_end(),
            None => {
                let name = last_name(list)?;
                let call = list[..list.len() - name.len()].trim_end().to_lowercase();
                return call.ends_with("list_contains(").then(|| name.to_lowercase());
            }
        }
    }
    if let Some(list) = rest.strip_suffix('(').map(str::trim_end) {
        let outer = without_word(list, "in")?;
        rest = without_word(outer, "not").unwrap_or(outer);
        return last_name(rest).map(str::to_lowercase);
    }
    let sign = ["<>", "!=", "="].into_iter().find_map(|sign| rest.strip_suffix(sign))?;
    last_name(sign.trim_end()).map(str::to_lowercase)
}

fn without_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let at = text.len().checked_sub(word.len())?;
    let is_word = text.get(at..)?.eq_ignore_ascii_case(word);
    let rest = text.get(..at)?;
    (is_word && rest.ends_with(char::is_whitespace)).then(|| rest.trim_end())
}

/// The name at the end of a text.
fn last_name(text: &str) -> Option<&str> {
    let is_part = |letter: char| super::under::is_letter(letter) || letter == '.';
    let name = &text[text.trim_end_matches(is_part).len()..];
    name.starts_with(|letter: char| letter.is_ascii_alphabetic()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compared_name_is_the_one_beside_the_sign() {
        for (before, wanted) in [
            ("grade = ", Some("grade")),
            ("x > 3 AND request.sector <> ", Some("request.sector")),
            ("grade IN (", Some("grade")),
            ("Grade NOT IN ('A', 'B', ", Some("grade")),
            ("list_contains(check, ", Some("check")),
            ("coalesce(grade, ", None),
            ("'A' = ", None),
            ("grade < ", None),
            ("", None),
        ] {
            assert_eq!(compared(before).as_deref(), wanted, "{before}");
        }
    }

    #[test]
    fn a_cell_has_its_column_also_while_it_is_written() {
        for (marked, wanted) in [
            ("rows = [[\"|", Some((2, 0))),
            ("rows = [\n[\"a\", \"b\"],\n[\"a, b\", \"|\"]]", Some((2, 1))),
            ("otherwise = [1, |", Some((1, 1))),
            ("a = [1]\nb = \"|\"", None),
        ] {
            let at = marked.find('|').expect("a cursor");
            assert_eq!(open_list_position(&marked.replacen('|', "", 1), at), wanted, "{marked}");
        }
    }
}
