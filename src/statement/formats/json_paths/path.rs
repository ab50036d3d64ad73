//! A path to a value in a JSON document, such as `accounts[].transactions[].amount`.
//!
//! | written | leads to |
//! |---|---|
//! | `a.b` | the value under `b` in the object under `a` |
//! | `a[].b` | the value under `b` in each item of the list under `a` |
//! | `[].b` | the same, where the list is the whole document |
//! | `(a\|b)[].c` | the items of the list under `a` and of the list under `b` |
//! | `(a\|b)[].@key` | which of the two lists the item is in: `a` or `b` |
//! | `a[].b[]` | the items of the list under `b`, joined to one text |
//! | `a.b?` | a value that no object may have |
//! | `"a.b".c` | a key with points or brackets; `""` is a quote in it |

use crate::base::text::escape_terminal;
use crate::statement::formats::Fault;
use crate::statement::formats::json::scanner::DEPTH_LIMIT;

/// Where a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Path {
    /// As it was written.
    pub(crate) text: String,
    /// The lists on the way, outermost first.
    pub(crate) lists: Vec<ListStep>,
    pub(crate) target: PathTarget,
    /// Whether all objects may lack it.
    pub(crate) is_optional: bool,
}

/// The way from an object, or from an item of a list, to a list in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListStep {
    /// The keys of the objects on the way.
    pub(crate) keys: Vec<String>,
    /// The key of the list, or the keys of several. None where the value itself is the list.
    pub(crate) last: Vec<String>,
}

/// What is read from an item of the innermost list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PathTarget {
    /// The value under these keys.
    Value(Vec<String>),
    /// The items of the list under these keys, joined.
    Joined(Vec<String>),
    /// The key of the list that the item is in.
    ListKey,
}

/// A part of a path between two points.
struct Segment {
    keys: Vec<String>,
    /// How many lists nest there: one for each `[]`.
    lists: usize,
    is_quoted: bool,
}

impl Path {
    /// Parses a path.
    pub(crate) fn parse(text: &str) -> Result<Path, Fault> {
        parse_json_path(text).map_err(|what| Fault::new(format!("the path `{}` {what}", escape_terminal(text))))
    }

    /// The lists on the way, as they are written.
    pub(crate) fn lists_text(lists: &[ListStep]) -> String {
        let mut text = String::new();
        for list in lists {
            list.keys.iter().for_each(|key| push_key(&mut text, key));
            match list.last.as_slice() {
                [] => {}
                [key] => push_key(&mut text, key),
                keys => {
                    push_point(&mut text);
                    let keys: Vec<String> = keys.iter().map(|key| quote_path_key(key)).collect();
                    text.push_str(&format!("({})", keys.join("|")));
                }
            }
            text.push_str("[]");
        }
        text
    }
}

/// Appends a key to a path as it is written.
pub(crate) fn push_key(path: &mut String, key: &str) {
    push_point(path);
    path.push_str(&quote_path_key(key));
}

fn push_point(path: &mut String) {
    if !path.is_empty() {
        path.push('.');
    }
}

/// A key as it is written in a path: in quotes if it must be.
fn quote_path_key(key: &str) -> String {
    let is_plain = !key.is_empty() && !key.starts_with('(') && !key.contains(['.', '[', ']', '"', '|', ')', '?']);
    if is_plain { key.to_owned() } else { format!("\"{}\"", key.replace('"', "\"\"")) }
}

fn parse_json_path(text: &str) -> Result<Path, String> {
    let (mut rest, is_optional) = match text.strip_suffix('?') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let mut segments = Vec::new();
    loop {
        let (segment, after) = parse_path_segment(rest, segments.is_empty())?;
        segments.push(segment);
        if segments.len() > DEPTH_LIMIT as usize {
            return Err(format!("is longer than {DEPTH_LIMIT} keys, and no document nests so deep"));
        }
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None => break,
        }
    }
    let is_after_choice = segments.iter().rev().nth(1).is_some_and(|list| list.keys.len() > 1);
    let is_list_key = |last: &Segment| is_after_choice && !last.is_quoted && last.keys == ["@key"] && last.lists == 0;
    let target_is_key = segments.pop_if(|last| is_list_key(last)).is_some();
    let (mut lists, mut keys) = (Vec::new(), Vec::new());
    for segment in segments {
        if segment.lists == 0 {
            keys.extend(segment.keys);
            continue;
        }
        lists.push(ListStep { keys: std::mem::take(&mut keys), last: segment.keys });
        lists.extend((1..segment.lists).map(|_| ListStep { keys: Vec::new(), last: Vec::new() }));
    }
    let target = match (target_is_key, keys.is_empty()) {
        (true, _) => PathTarget::ListKey,
        (false, false) => PathTarget::Value(keys),
        (false, true) => match lists.pop() {
            Some(ListStep { mut keys, last }) if last.len() == 1 => {
                keys.extend(last);
                PathTarget::Joined(keys)
            }
            _ => return Err("names lists and no value in their items".to_owned()),
        },
    };
    Ok(Path { text: text.to_owned(), lists, target, is_optional })
}

/// The first segment, and what follows it.
fn parse_path_segment(text: &str, is_first: bool) -> Result<(Segment, &str), String> {
    let is_quoted = text.starts_with('"');
    let (keys, mut rest) = match text.strip_prefix('(') {
        Some(choices) => parse_key_choice(choices)?,
        None if is_first && text.starts_with("[]") => (Vec::new(), text),
        None => {
            let (key, rest) = parse_path_key(text, &['.', '['])?;
            (vec![key], rest)
        }
    };
    let mut lists = 0;
    while let Some(after) = rest.strip_prefix("[]") {
        (rest, lists) = (after, lists + 1);
        if lists > DEPTH_LIMIT as usize {
            return Err(format!("has more than {DEPTH_LIMIT} lists in one another"));
        }
    }
    if !rest.is_empty() && !rest.starts_with('.') {
        return Err("has brackets that are not `[]`; a key with brackets stands in double quotes".to_owned());
    }
    if keys.len() > 1 && lists == 0 {
        return Err("has a choice of keys that is not followed by `[]`: only lists can be chosen".to_owned());
    }
    Ok((Segment { keys, lists, is_quoted }, rest))
}

/// The keys of a choice after its parenthesis, and what follows it.
fn parse_key_choice(mut text: &str) -> Result<(Vec<String>, &str), String> {
    let mut keys = Vec::new();
    loop {
        let (key, rest) = parse_path_key(text, &['|', ')'])?;
        if keys.contains(&key) {
            return Err(format!("has a choice with `{}` twice", escape_terminal(&key)));
        }
        keys.push(key);
        match (rest.strip_prefix('|'), rest.strip_prefix(')')) {
            (Some(after), _) => text = after,
            (None, Some(_)) if keys.len() == 1 => return Err("has a choice of one key".to_owned()),
            (None, Some(after)) => return Ok((keys, after)),
            (None, None) => return Err("has a choice that is not closed by `)`".to_owned()),
        }
    }
}

/// The key that begins here, and what follows it: one of the marks, or nothing.
fn parse_path_key<'t>(text: &'t str, ends: &[char]) -> Result<(String, &'t str), String> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (key, rest) = text.split_at(text.find(ends).unwrap_or(text.len()));
        if key.is_empty() {
            return Err("has an empty key; write it as `\"\"` if that is the key".to_owned());
        }
        if !ends.contains(&')') && key.contains(['"', ']']) {
            return Err("has a key with quotes or brackets, which stands in double quotes".to_owned());
        }
        return Ok((key.to_owned(), rest));
    };
    let (mut key, mut rest) = (String::new(), quoted);
    loop {
        let Some((before, after)) = rest.split_once('"') else {
            return Err("has a quote that is not closed".to_owned());
        };
        key.push_str(before);
        match after.strip_prefix('"') {
            Some(after) => {
                key.push('"');
                rest = after;
            }
            None if after.is_empty() || after.starts_with(ends) => return Ok((key, after)),
            None => return Err("has letters after a closing quote".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists with the target after them, each key in quotes.
    fn parts(text: &str) -> Result<String, String> {
        let path = Path::parse(text).map_err(|fault| fault.what)?;
        let lists = path.lists.iter().map(|list| format!("{:?}+{:?}", list.keys, list.last)).collect::<Vec<_>>();
        Ok(format!("{} {:?}{}", lists.join(" "), path.target, if path.is_optional { "?" } else { "" }))
    }

    #[test]
    fn a_path_is_its_lists_and_a_target() {
        for (text, expected) in [
            ("amount", r#" Value(["amount"])"#),
            ("a.b.c", r#" Value(["a", "b", "c"])"#),
            ("[].date", r#"[]+[] Value(["date"])"#),
            ("[][].date", r#"[]+[] []+[] Value(["date"])"#),
            ("a.b[].c.d", r#"["a"]+["b"] Value(["c", "d"])"#),
            ("a[].b[].c", r#"[]+["a"] []+["b"] Value(["c"])"#),
            ("a[][].c", r#"[]+["a"] []+[] Value(["c"])"#),
            ("a[].b.c[]", r#"[]+["a"] Joined(["b", "c"])"#),
            ("t.(booked|pending)[].x", r#"["t"]+["booked", "pending"] Value(["x"])"#),
            ("t.(booked|pending)[].@key", r#"["t"]+["booked", "pending"] ListKey"#),
            ("(a|\"b|)\")[].\"@key\"", r#"[]+["a", "b|)"] Value(["@key"])"#),
            ("t[].@key", r#"[]+["t"] Value(["@key"])"#),
            ("a.b?", r#" Value(["a", "b"])?"#),
            ("\"a.b\"[].\"c\"\"d\"", r#"[]+["a.b"] Value(["c\"d"])"#),
            ("\"a?\"", r#" Value(["a?"])"#),
            ("Amount (NGN)", r#" Value(["Amount (NGN)"])"#),
        ] {
            assert_eq!(parts(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_path_that_leads_nowhere_is_explained() {
        for (text, expected) in [
            ("", "has an empty key; write it as `\"\"` if that is the key"),
            ("a..b", "has an empty key; write it as `\"\"` if that is the key"),
            ("a.", "has an empty key; write it as `\"\"` if that is the key"),
            ("[]", "names lists and no value in their items"),
            ("a[][]", "names lists and no value in their items"),
            ("(a|b)[]", "names lists and no value in their items"),
            ("a[0].b", "has brackets that are not `[]`; a key with brackets stands in double quotes"),
            ("a[]b", "has brackets that are not `[]`; a key with brackets stands in double quotes"),
            ("a.[].b", "has an empty key; write it as `\"\"` if that is the key"),
            ("(a|b).c", "has a choice of keys that is not followed by `[]`: only lists can be chosen"),
            ("(a)[].c", "has a choice of one key"),
            ("(a|a)[].c", "has a choice with `a` twice"),
            ("(a|b[].c", "has a choice that is not closed by `)`"),
            ("\"a", "has a quote that is not closed"),
            ("\"a\"b", "has letters after a closing quote"),
            ("a\"b", "has a key with quotes or brackets, which stands in double quotes"),
        ] {
            assert_eq!(parts(text), Err(format!("the path `{text}` {expected}")), "{text}");
        }
        for long in ["a.".repeat(70) + "a", "a".to_owned() + &"[]".repeat(100_000) + ".b"] {
            assert!(Path::parse(&long).is_err());
        }
    }

    #[test]
    fn lists_are_written_as_they_are_read() {
        for text in ["[].x", "a.b[].c[].x", "t.(booked|\"p.q\")[].x", "\"a.b\"[][].x", "a[].\"\"[].x"] {
            let path = Path::parse(text).expect(text);
            assert_eq!(Path::lists_text(&path.lists) + ".x", text);
        }
    }
}
