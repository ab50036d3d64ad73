//! A JSON document becomes lines of cells: the list whose objects have days and amounts, with a path for each value.

use serde_json::Value;

use super::grid::{CellKind, FileCell, Line};

/// The deepest nesting that is looked at.
const DEPTH_MAX: usize = 12;

/// One JSON value, or one value a line.
pub(crate) fn parse_json_values(text: &str) -> Result<Vec<Value>, String> {
    serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<Vec<Value>, _>>()
        .map_err(|error| error.to_string())
}

/// Each list of objects in a document, as lines. The first line holds the paths.
pub(crate) fn find_object_lists(values: &[Value]) -> Vec<Vec<Line>> {
    let mut paths: Vec<String> = Vec::new();
    let whole = Value::Array(values.to_vec());
    match values {
        [one] => find_lists(one, "", 0, &mut paths),
        _ => paths.push(String::new()),
    }
    let root = if let [one] = values { one } else { &whole };
    paths.iter().filter_map(|path| lines_of_json_list(root, path, values.len() != 1)).collect()
}

/// The paths of all lists of objects, such as `accounts[].transactions[]`.
fn find_lists(value: &Value, path: &str, depth: usize, found: &mut Vec<String>) {
    if depth > DEPTH_MAX {
        return;
    }
    match value {
        Value::Array(items) => {
            let path = format!("{path}[]");
            if items.iter().any(Value::is_object) && !found.contains(&path) {
                found.push(path.clone());
            }
            items.iter().for_each(|item| find_lists(item, &path, depth + 1, found));
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                find_lists(field, &join_json_path(path, name), depth + 1, found);
            }
        }
        _ => {}
    }
}

/// The path of the first values that may be moments: whole numbers of seconds or milliseconds since 1970, from the year
/// 2000 on.
pub(crate) fn find_epoch_moments(values: &[Value]) -> Option<String> {
    const SECONDS: std::ops::Range<i64> = 946_684_800..4_102_444_800;
    const IDENTIFIERS: [&str; 4] = ["id", "number", "account", "reference"];
    let is_moment = |cell: &FileCell| {
        let number = cell.text.parse::<i64>().ok().filter(|_| cell.kind == CellKind::Number);
        number.is_some_and(|number| SECONDS.contains(&number) || SECONDS.contains(&(number / 1_000)))
    };
    find_object_lists(values).into_iter().find_map(|lines| {
        let (names, rows) = lines.split_first()?;
        let is_column = |at: usize| {
            let mut cells = rows.iter().filter_map(|row| row.cell(at)).peekable();
            cells.peek().is_some() && cells.all(is_moment)
        };
        let is_named = |name: &FileCell| {
            let name = name.text.to_ascii_lowercase();
            !IDENTIFIERS.iter().any(|word| name.ends_with(word))
        };
        let mut columns = names.cells.iter().enumerate();
        columns.find(|(at, name)| is_named(name) && is_column(*at)).map(|(_, name)| name.text.clone())
    })
}

/// The values of an answer that stand in none of its lists, by their paths.
pub(crate) fn values_around_lists(answer: &Value) -> Vec<(String, FileCell)> {
    let mut cells = Vec::new();
    collect_leaf_values(answer, "", 0, &mut cells);
    cells
}

fn join_json_path(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The objects of a list as lines: their own values, and those of the objects around them.
fn lines_of_json_list(root: &Value, path: &str, is_lines: bool) -> Option<Vec<Line>> {
    let mut objects: Vec<Vec<(String, FileCell)>> = Vec::new();
    if is_lines {
        for item in root.as_array()? {
            let mut cells = Vec::new();
            collect_leaf_values(item, "", 0, &mut cells);
            objects.push(cells);
        }
    } else {
        walk_to_objects(root, "", path, &[], &mut objects);
    }
    let mut names: Vec<&String> = Vec::new();
    for (name, _) in objects.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let header = Line { number: 0, cells: names.iter().map(|name| FileCell::text(name.as_str())).collect() };
    let row = |(at, object): (usize, &Vec<(String, FileCell)>)| {
        let cell = |name: &&String| object.iter().find(|(own, _)| own == *name).map(|(_, cell)| cell.clone());
        Line { number: at + 1, cells: names.iter().map(|name| cell(name).unwrap_or_default()).collect() }
    };
    let rows: Vec<Line> = objects.iter().enumerate().map(row).collect();
    Some(std::iter::once(header).chain(rows).collect())
}

/// Follows a path to its objects, and takes the values around along.
fn walk_to_objects(
    value: &Value,
    at: &str,
    path: &str,
    around: &[(String, FileCell)],
    objects: &mut Vec<Vec<(String, FileCell)>>,
) {
    let is_end = at == path;
    match value {
        Value::Array(items) if !is_end => {
            let next = format!("{at}[]");
            items.iter().for_each(|item| walk_to_objects(item, &next, path, around, objects));
        }
        Value::Object(fields) => {
            let mut cells = around.to_vec();
            if is_end {
                collect_leaf_values(value, at, 0, &mut cells);
                objects.push(cells);
                return;
            }
            for (name, field) in fields {
                if !path_leads_through(&join_json_path(at, name), path) {
                    collect_leaf_values(field, &join_json_path(at, name), 0, &mut cells);
                }
            }
            for (name, field) in fields {
                let next = join_json_path(at, name);
                if path_leads_through(&next, path) {
                    walk_to_objects(field, &next, path, &cells, objects);
                }
            }
        }
        _ => {}
    }
}

/// Whether a path goes through another one.
fn path_leads_through(prefix: &str, path: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The values of an object by their paths. Lists within it are another matter.
fn collect_leaf_values(value: &Value, path: &str, depth: usize, cells: &mut Vec<(String, FileCell)>) {
    if depth > DEPTH_MAX {
        return;
    }
    let mut push = |text: String, kind| cells.push((path.to_owned(), FileCell { text, kind }));
    match value {
        Value::Object(fields) => {
            fields
                .iter()
                .for_each(|(name, field)| collect_leaf_values(field, &join_json_path(path, name), depth + 1, cells));
        }
        Value::String(text) => push(text.clone(), CellKind::Text),
        Value::Number(number) => push(number.to_string(), CellKind::Number),
        Value::Bool(is_true) => push(is_true.to_string(), CellKind::Text),
        Value::Null | Value::Array(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_within_a_list_has_paths() {
        let text = r#"{"accounts": [{"id": "A1", "transactions": [
            {"amount": {"amount": "5.00"}, "date": "2026-03-01", "tags": ["x"]}]}], "n": 1}"#;
        let lists = find_object_lists(&parse_json_values(text).expect("JSON"));
        let texts = |line: &Line| line.cells.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>();
        let inner = lists.last().expect("a list");
        let header = inner.first().map(texts).unwrap_or_default();
        let row = inner.last().map(texts).unwrap_or_default();
        let mut pairs: Vec<(String, String)> = header.into_iter().zip(row).collect();
        pairs.sort();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(
            pairs,
            [
                ("accounts[].id", "A1"),
                ("accounts[].transactions[].amount.amount", "5.00"),
                ("accounts[].transactions[].date", "2026-03-01"),
                ("n", "1"),
            ]
        );
    }
}
