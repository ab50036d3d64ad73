//! Which constructs of the language a rule file uses, found in its text: functions by name and number of arguments,
//! operators, kinds of cells, hit policies, sections and their keys, built-in names. Knows no value, and not whether
//! the file is right.

use std::collections::BTreeSet;

use super::book::Book;
use super::sql::Writer;
use super::walk;

/// Built-in names.
const NAMES: [&str; 50] = [
    "credit",
    "debit",
    "balance",
    "trans_date",
    "cleared_date",
    "id",
    "code",
    "branch",
    "bank",
    "reference",
    "desc",
    "topics",
    "people",
    "places",
    "actions",
    "date_was_repaired",
    "date_was_in_conflict",
    "date_was_out_of_order",
    "month_start",
    "month_number",
    "month_is_full",
    "full_months_ago",
    "month_records",
    "week_start",
    "week_number",
    "week_is_full",
    "week_records",
    "day_date",
    "day_number",
    "day_records",
    "counterparty_records",
    "counterparty",
    "change",
    "as_of",
    "has_debit",
    "has_balance",
    "has_row_order",
    "balance_verdict",
    "period_start",
    "period_end",
    "duplicates_dropped",
    "dates_in_conflict",
    "dates_repaired",
    "score",
    "tenure",
    "instalments",
    "amount",
    "interest",
    "request",
    "bureau",
];

/// The constructs of a book beyond those in its files.
pub fn of_book(book: &Book, files: &[(String, String)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in files {
        if path.ends_with(".toml") {
            found.extend(of_text(text));
        }
    }
    for policy in book.policies() {
        found.extend(policy.tables.iter().map(|table| format!("hit {}", table.hit.word())));
        for (file, kind, cell) in walk::cells(policy) {
            found.insert(format!("cell {}", of_cell(&Writer { policy, file }.cell(kind, cell))));
        }
    }
    found
}

/// The constructs of a rule file, except its cells.
pub fn of_text(text: &str) -> BTreeSet<String> {
    let (expressions, rest) = apart(text);
    let mut found = BTreeSet::new();
    expressions.iter().for_each(|expression| of_expression(expression, &mut found));
    let mut section = String::from("use");
    for line in rest.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let name = match name.rsplit_once('.') {
                Some(("input.bureau", _)) => "input.bureau.NAME",
                _ if name.starts_with("table.") => "table.NAME",
                _ if name.starts_with("list.") => "list.NAME",
                _ => name,
            };
            section = if name.starts_with('[') { format!("[{name}]]") } else { format!("[{name}]") };
            found.insert(format!("section {section}"));
        } else {
            of_line(line, &section, &mut found);
        }
    }
    found
}

/// The keys of a line, also those in braces, and its types.
fn of_line(line: &str, section: &str, found: &mut BTreeSet<String>) {
    let names_things = [
        "[parameters]",
        "[request]",
        "[bureau]",
        "[transaction]",
        "[month]",
        "[week]",
        "[day]",
        "[counterparty]",
        "[metric]",
        "[words]",
        "[input.bureau.NAME]",
    ];
    for (at, _) in line.match_indices(" = ") {
        let before = &line[..at];
        let key = before.rsplit(|letter: char| !(letter.is_alphanumeric() || letter == '_')).next().unwrap_or_default();
        // Names that a section defines are not the language's, nor are days and table outputs.
        // Nor are the names of a used file's parameters, which its namespace precedes.
        let is_override = section == "[parameters]" && !before.contains('{');
        let is_inner = before.len() > key.len() && !is_override;
        let is_output = is_inner && section == "[table.NAME]" && key.contains(|letter: char| letter.is_ascii_digit());
        let is_key = key.starts_with(|first: char| first.is_ascii_lowercase()) && !is_output;
        if is_key && (is_inner || !names_things.contains(&section)) {
            found.insert(format!("key {section} {key}"));
        }
    }
    for kind in ["money", "count", "days", "number", "ratio", "date", "text", "boolean"] {
        if line.contains(&format!("\"{kind}\"")) {
            found.insert(format!("type {kind}"));
        }
        if line.contains(&format!("\"list of {kind}\"")) {
            found.insert("type list".to_owned());
        }
    }
}

/// Texts in triple quotes, and the rest without them.
fn apart(text: &str) -> (Vec<&str>, String) {
    let (mut expressions, mut rest, mut left) = (Vec::new(), String::new(), text);
    loop {
        let quotes = ["\"\"\"", "'''"].into_iter().filter_map(|quote| Some((left.find(quote)?, quote))).min();
        let Some((start, quote)) = quotes else { break };
        rest.push_str(&left[..start]);
        let inner = &left[start + 3..];
        let end = inner.find(quote).unwrap_or(inner.len());
        expressions.push(&inner[..end]);
        left = inner.get(end + 3..).unwrap_or_default();
    }
    rest.push_str(left);
    (expressions, rest)
}

/// Words, numbers, texts and signs.
fn words(expression: &str) -> Vec<&str> {
    let (mut words, mut left) = (Vec::new(), expression.trim_start());
    while let Some(first) = left.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.' || letter == '$';
        let length = match first {
            '\'' => left[1..].find('\'').map_or(left.len(), |end| end + 2),
            first if is_word(first) => left.find(|letter| !is_word(letter)).unwrap_or(left.len()),
            '<' | '>' | '!' | '=' if left[1..].starts_with(['=', '>']) => 2,
            first => first.len_utf8(),
        };
        words.push(&left[..length]);
        left = left[length..].trim_start();
    }
    words
}

fn of_expression(expression: &str, found: &mut BTreeSet<String>) {
    let words = words(expression);
    let next = |at: usize| words.get(at).copied().unwrap_or_default();
    for (at, word) in words.iter().enumerate() {
        let ends_value = |word: &str| word == ")" || word == "END" || !word.is_empty() && is_value(word);
        let label = match *word {
            "-" if at == 0 || !ends_value(words[at - 1]) => "operator - x".to_owned(),
            "+" | "-" | "*" | "/" | "%" | "=" | "==" | "<>" | "!=" | "<" | "<=" | ">" | ">=" => {
                format!("operator {word}")
            }
            "AND" | "OR" | "NOT" | "BETWEEN" | "LIKE" | "ILIKE" | "IN" | "ELSE" => format!("operator {word}"),
            "IS" if next(at + 1) == "NOT" => format!("operator IS NOT {}", next(at + 2)),
            "IS" => format!("operator IS {}", next(at + 1)),
            "CASE" if next(at + 1) == "WHEN" => "operator CASE WHEN".to_owned(),
            "CASE" => "operator CASE x WHEN".to_owned(),
            "FILTER" => "operator FILTER".to_owned(),
            name if next(at + 1) == "(" && is_value(name) => {
                format!("function {}{}", name.to_lowercase(), arguments(&words[at + 1..]))
            }
            name if name.starts_with('$') => "name $parameter".to_owned(),
            name => {
                let first = name.split('.').next().unwrap_or_default().to_lowercase();
                if !NAMES.contains(&first.as_str()) {
                    continue;
                }
                format!("name {first}")
            }
        };
        found.insert(label);
    }
}

/// Whether it is a name, a number or a text, and not a word of the language.
fn is_value(word: &str) -> bool {
    let keywords = [
        "AND", "OR", "NOT", "BETWEEN", "LIKE", "ILIKE", "IN", "IS", "CASE", "WHEN", "THEN", "ELSE", "END", "FILTER",
        "WHERE", "DISTINCT",
    ];
    !keywords.contains(&word) && word.starts_with(|first: char| first.is_alphanumeric() || "_$'".contains(first))
}

/// How a call is made: `/2` of two arguments, `(*)`, `(DISTINCT)`.
fn arguments(words: &[&str]) -> String {
    match words.get(1) {
        Some(&"*") => return "(*)".to_owned(),
        Some(&"DISTINCT") => return "(DISTINCT)".to_owned(),
        _ => {}
    }
    let (mut depth, mut count) = (0, 1);
    for word in words {
        match *word {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 1 => count += 1,
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    format!("/{count}")
}

/// The kind of a cell, as shown on the page.
pub fn of_cell(cell: &str) -> &'static str {
    let signs = [("<= ", "<= 5"), (">= ", ">= 5"), ("!= ", "!= 5"), ("< ", "< 5"), ("> ", "> 5"), ("= ", "= 5")];
    let is_range = cell.contains("..");
    match cell {
        "-" => "-",
        "unknown" => "unknown",
        _ if cell.starts_with("not(") => "not(A, B)",
        _ if cell.starts_with("contains(") => "contains(A)",
        _ if cell.starts_with("starts_with(") => "starts_with(A)",
        _ if cell.starts_with("ends_with(") => "ends_with(A)",
        _ if cell.contains(',') => "A, B",
        _ if is_range && cell.starts_with('[') && cell.ends_with(']') => "[2..5]",
        _ if is_range && cell.starts_with('(') && cell.ends_with(']') => "(2..5]",
        _ if is_range && cell.starts_with('(') => "(2..5)",
        _ if is_range => "2..5",
        _ => match signs.iter().find(|(sign, _)| cell.starts_with(sign)) {
            Some((_, label)) => label,
            None if cell.contains('$') => "$parameter",
            None if cell.starts_with(|first: char| first.is_ascii_digit() || first == '-') => "5",
            None => "TRF",
        },
    }
}
