//! Documents of every shape, their rows and their damage.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::path::ListStep;
use super::*;
use crate::statement::formats::RowValue;

type Row = Vec<Option<String>>;

/// The rows, with text in quotes and numbers by their digits; or the fault's place and words.
fn rows(text: impl AsRef<[u8]>, paths: &[&str]) -> Result<Vec<Row>, String> {
    let asked = |path| RequestedPath { path, joiner: "|", is_account: false, is_of_row: false };
    let asked: Vec<_> = paths.iter().copied().map(asked).collect();
    read(text.as_ref(), &asked).map_err(|fault| match fault.place {
        Some(place) => format!("{place}: {}", fault.what),
        None => fault.what,
    })
}

fn read(bytes: &[u8], asked: &[RequestedPath<'_>]) -> Result<Vec<Row>, Fault> {
    let mut reader = open_json_documents(bytes, asked, &PageMarks::default())?;
    assert_eq!(reader.names(), asked.iter().map(|asked| asked.path).collect::<Vec<_>>());
    let mut rows = Vec::new();
    reader.read(&mut |ordinal, values| {
        assert_eq!(ordinal as usize, rows.len());
        rows.push(values.iter().map(shown).collect());
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

fn shown(value: &RowValue<'_>) -> Option<String> {
    match value {
        RowValue::Empty => None,
        RowValue::Text(text) => Some(format!("'{text}'")),
        RowValue::Digits(digits) => Some((*digits).to_owned()),
        other => panic!("no value of JSON: {other:?}"),
    }
}

/// The rows in one text: `1 'a' - / 2 'b' -`.
fn line(text: &str, paths: &[&str]) -> String {
    match rows(text, paths) {
        Ok(rows) => {
            let row = |row: &Row| row.iter().map(|cell| cell.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(" ");
            rows.iter().map(row).collect::<Vec<_>>().join(" / ")
        }
        Err(what) => what,
    }
}

#[test]
fn a_row_is_an_item_of_the_innermost_list() {
    let accounts = r#"{"accounts": [
        {"transactions": [{"amount": -1.50, "id": "a"}, {"id": "b", "amount": 2}], "id": "A", "x": [[{}]]},
        {"id": "B", "transactions": []},
        {"transactions": [{"amount": 1e2, "id": null, "more": {"y": true}}], "id": "C"}], "owner": {"name": "N"}}"#;
    for (document, paths, expected) in [
        (
            accounts,
            &["accounts[].transactions[].amount", "accounts[].id", "owner.name", "accounts[].transactions[].id"][..],
            "-1.50 'A' 'N' 'a' / 2 'A' 'N' 'b' / 1e2 'C' 'N' -",
        ),
        (accounts, &["accounts[].transactions[].more.y", "accounts[].id"], "- 'A' / - 'A' / 'true' 'C'"),
        // The rows are those of the innermost list that a path has.
        (accounts, &["accounts[].id"], "'A' / 'B' / 'C'"),
        (accounts, &["owner.name"], "'N'"),
        (r#"[{"a": 1}, {"a": 2}]"#, &["[].a"], "1 / 2"),
        // Without a list in the paths, a document is a row, or a list of rows.
        (r#"[{"a": 1}, {"a": 2}]"#, &["a"], "1 / 2"),
        (r#"{"a": 1}"#, &["a"], "1"),
        ("{\"a\": 1}\n{\"a\": 2}\n\n", &["a"], "1 / 2"),
        ("\u{feff}{\"l\": [{\"a\": 1}]}\r\n{\"l\": [{\"a\": 2}, {\"a\": 3}]}", &["l[].a"], "1 / 2 / 3"),
        (r#"[[{"a": 1}], [], [{"a": 2}]]"#, &["[][].a"], "1 / 2"),
        (r#"{"l": [[{"a": 1}, {"a": 2}]], "b": 0}"#, &["l[][].a", "b"], "1 0 / 2 0"),
        (r#"[{"l": [{"a": 1}], "b": 3}]"#, &["[].l[].a", "[].b"], "1 3"),
        (
            r#"{"a.b": [{"c[]": 1, "d\"\n": 2, "": 3}]}"#,
            &["\"a.b\"[].\"c[]\"", "\"a.b\"[].\"d\"\"\n\"", "\"a.b\"[].\"\""],
            "1 2 3",
        ),
        (r#"{"l": []}"#, &["l[].a", "b"], ""),
        (r#"[]"#, &["[].a"], ""),
    ] {
        assert_eq!(line(document, paths), expected, "{paths:?} in {document}");
    }
}

#[test]
fn lists_of_the_same_rows_are_read_as_one() {
    let both = r#"{"t": {"pending": [{"x": 1}], "_links": {}, "booked": [{"x": 2}, {"x": 3}]}, "iban": "I"}"#;
    let paths = ["t.(booked|pending)[].x", "t.(booked|pending)[].@key", "iban"];
    assert_eq!(line(both, &paths), "1 'pending' 'I' / 2 'booked' 'I' / 3 'booked' 'I'");
    assert_eq!(line(r#"{"iban": 1, "t": {"booked": [{"x": 2}], "pending": null}}"#, &paths), "2 'booked' 1");
    assert_eq!(line(r#"{"iban": 1, "t": {"booked": []}}"#, &paths), "");
    assert_eq!(
        line(r#"{"iban": 1, "t": {"information": []}}"#, &paths),
        "byte 0: this object has no list `t.(booked|pending)[]`, and so it is no statement; there is `t.information`"
    );
}

#[test]
fn a_list_within_a_row_is_joined() {
    let list = |list: &str| line(&format!(r#"[{{"a": 1, "l": {list}}}]"#), &["[].a", "[].l[]"]);
    assert_eq!(list(r#"["x", 2, true, null, "y z"]"#), "1 'x|2|true|y z'");
    assert_eq!(list("[]"), "1 -");
    assert_eq!(list("null"), "1 -");
    assert_eq!(list("\"x\""), "byte 15: `[].l`: expected a list, found text");
    assert_eq!(list("[\"x\", {}]"), "byte 21: `[].l[]`: expected text or a number, found an object");
    let document = r#"{"a": 1, "l": ["x", "y"]}"#;
    assert_eq!(line(document, &["a", "l[]"]), "1 'x|y'");
}

#[test]
fn values_are_read_as_they_are_written() {
    let digits = ["0", "-0.10", "123456789012345678901234567890.00", "1E+2", "1.50"];
    for digits in digits {
        assert_eq!(line(&format!(r#"{{"a": {digits}}}"#), &["a"]), digits);
    }
    assert_eq!(line(r#"{"a": "\u20a6 \"1\"\n", "b": false}"#, &["a", "b"]), "'\u{20a6} \"1\"\n' 'false'");
    assert_eq!(line(r#"{"a": {"b": 1}, "c": null}"#, &["a.b", "c"]), "1 -");
    // Null in place of an object is null within it.
    assert_eq!(line(r#"[{"a": null}, {"a": null}]"#, &["[].a.b"]), "- / -");
}

#[test]
fn a_path_that_nothing_has_is_refused() {
    let document = r#"{"l": [{"id": 1, "amount": 2}, {"id": 3, "b": {"c": 1}}], "iban": "I"}"#;
    for (path, expected) in [
        (
            "l[].amout",
            "nothing in the file has `l[].amout`; did you mean `l[].amount`?; \
             write `l[].amout?` if it may be missing in every row",
        ),
        (
            "l[].b.d",
            "nothing in the file has `l[].b.d`; there is `l[].b.c`; write `l[].b.d?` if it may be missing in every row",
        ),
        (
            "ibann",
            "nothing in the file has `ibann`; did you mean `iban`?; write `ibann?` if it may be missing in every row",
        ),
        ("l[].amout?", "1 - / 3 -"),
        ("l[].b.c", "1 - / 3 1"),
        ("l[].b.d?", "1 - / 3 -"),
    ] {
        assert_eq!(line(document, &["l[].id", path]), expected);
    }
}

#[test]
fn an_error_page_is_no_empty_statement() {
    let paths = ["accounts[].transactions[].x"];
    for (document, expected) in [
        (
            r#"{"error_code": "E", "error_message": "m"}"#,
            "byte 0: this object has no list `accounts[]`, and so it is no statement; \
             there is `error_code`, `error_message`",
        ),
        (
            r#"{"acounts": []}"#,
            "byte 1: there is `acounts` where the list `accounts` should be; correct the path, or the file",
        ),
        (
            r#"{"accounts": [{"error": 1}]}"#,
            "byte 14: this object has no list `accounts[].transactions[]`, and so it is no statement; \
             there is `accounts[].error`",
        ),
        (r#"{"accounts": null}"#, "byte 0: this object has no list `accounts[]`, and so it is no statement"),
        (r#"{"accounts": "none"}"#, "byte 13: `accounts`: expected a list, found text"),
        (r#"{"accounts": [7]}"#, "byte 14: expected an object, found a number"),
        (r#"[]"#, "byte 0: expected an object, found a list; the paths into a list have `[]`: `[].amount`"),
        ("", "the file is empty"),
        ("<html>", "byte 0: expected an object, found no JSON"),
        (r#""no""#, "byte 0: expected an object, found text"),
    ] {
        assert_eq!(line(document, &paths), expected, "{document}");
    }
    assert_eq!(
        line(r#"{"a": 1}"#, &["[].a"]),
        "byte 0: `[]`: expected a list at the top of the document, found an object"
    );
    assert_eq!(
        line(r#"{"error": 1}"#, &["a"]),
        "nothing in the file has `a`; there is `error`; write `a?` if it may be missing in every row"
    );
}

#[test]
fn what_is_no_single_meaning_is_refused() {
    let deep = "[".repeat(65) + &"]".repeat(65);
    for (document, expected) in [
        (r#"{"l": [{"a": 1, "a": 2}]}"#, "byte 16: refused JSON: the key `a` occurs twice in one object"),
        (r#"{"l": [{"a": 1}], "l": []}"#, "byte 18: refused JSON: the key `l` occurs twice in one object"),
        (
            r#"{"l": [{"a": 1, "b": {"c": 1, "c": 1}}]}"#,
            "byte 30: refused JSON: the key `c` occurs twice in one object",
        ),
        (r#"{"l": [{"a": [1]}]}"#, "byte 13: `l[].a`: expected text or a number, found a list"),
        (r#"{"l": [{"a": {}}]}"#, "byte 13: `l[].a`: expected text or a number, found an object"),
        (r#"{"l": [{"a": 1}"#, "byte 15: malformed JSON: the text ends inside an array"),
        (r#"{"l": [{"a": 1}]} {"l": []}"#, "byte 18: malformed JSON: expected a new line before the next record"),
        (r#"{"l": [{"a": 01}]}"#, "byte 14: malformed JSON: expected `,` or `}`"),
        (&format!(r#"{{"l": [{{"a": 1, "x": {deep}}}]}}"#), "byte 82: refused JSON: values nest deeper than 64"),
    ] {
        assert_eq!(line(document, &["l[].a"]), expected, "{document}");
    }
    assert!(rows(b"{\"a\": \"\xff\"}", &["a"]).unwrap_err().contains("not UTF-8"));
}

#[test]
fn paths_that_do_not_fit_together_are_refused() {
    let refused = |paths: &[&str]| rows("{}", paths).expect_err("refused");
    assert_eq!(
        refused(&["a[].x", "b[].y"]),
        "`a[].x` is not on the way of `b[].y`: rows are the items of one list, and other values stand in that list's \
         items or around them"
    );
    assert!(refused(&["(a|b)[].x", "a[].y"]).starts_with("`(a|b)[].x` is not on the way of `a[].y`"));
    assert_eq!(refused(&["a[].b.x", "a.b"]), "`a.b` is within the list of the rows; write `[]` after that list's key");
    assert_eq!(refused(&["a[].x", "a"]), "`a` is a list of the rows; name a value of its items");
    assert_eq!(refused(&["a[].x", "a[]"]), "`a[]` is a list of the rows; name a value of its items");
    assert_eq!(refused(&["[][].x", "[].y"]), "`[].y` is read from an object that other paths read as a list");
    let asked = |path, is_of_row| RequestedPath { path, joiner: " ", is_account: false, is_of_row };
    let fault = read(b"{}", &[asked("t[].amount", true), asked("t[].parties[].name", false)]).expect_err("refused");
    assert_eq!(
        fault.what,
        "`t[].amount` would count once for each item of `t[].parties[]`, whose items are the rows: name an amount of \
         the items, or leave out the columns of the inner list"
    );
}

#[test]
fn reading_stops_where_it_is_told_to() {
    let bytes = br#"{"l": [{"a": 1}, {"a": 2}, {"a": 3}]}"#;
    let mut reader = open_json_documents(
        bytes,
        &[RequestedPath { path: "l[].a", joiner: " ", is_account: false, is_of_row: true }],
        &PageMarks::default(),
    )
    .expect("a reader");
    let mut seen = 0;
    let stop_at_two = &mut |_: u32, _: &[RowValue<'_>]| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    reader.read(stop_at_two).expect("no fault");
    assert_eq!(seen, 2);
}

/// Draws a document around rows that are known.
struct Draw {
    state: u64,
    rows: Vec<Row>,
}

/// A list on the way: the keys before it, its own keys, and how many columns stand beside it.
#[derive(Debug, Clone)]
struct Step {
    keys: Vec<String>,
    last: Vec<String>,
    columns: usize,
}

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % end
    }

    fn space(&mut self) -> &'static str {
        ["", "", " ", "\n  ", "\t", "\r\n"][self.below(6) as usize]
    }

    /// A value as it is written, and as it is read.
    fn value(&mut self) -> (String, Option<String>) {
        let number = self.below(100_000);
        match self.below(7) {
            0 => ("null".to_owned(), None),
            1 => ("true".to_owned(), Some("'true'".to_owned())),
            2 => (format!("-{number}.50"), Some(format!("-{number}.50"))),
            3 => (format!("7{number}0000000000000000000"), Some(format!("7{number}0000000000000000000"))),
            4 => (r#""a \"b\" \u20a6, [{}]:""#.to_owned(), Some("'a \"b\" \u{20a6}, [{}]:'".to_owned())),
            5 => (format!("\"{number} \u{1f4b0}\""), Some(format!("'{number} \u{1f4b0}'"))),
            _ => (number.to_string(), Some(number.to_string())),
        }
    }

    /// An object of these fields in some order, among others that are not read.
    fn object(&mut self, mut fields: Vec<(String, String)>) -> String {
        for extra in 0..self.below(3) {
            let odd =
                ["[]", "{}", "[[{\"l\": []}], 1]", "{\"k\": {\"c0\": [1, \"]\"]}}", "\"\\\\\""][self.below(5) as usize];
            fields.push((format!("extra {extra}"), odd.to_owned()));
        }
        for at in (1..fields.len()).rev() {
            let other = self.below(at as u64 + 1) as usize;
            fields.swap(at, other);
        }
        let mut text = "{".to_owned();
        for (at, (key, value)) in fields.iter().enumerate() {
            let (before, after, end) = (self.space(), self.space(), self.space());
            let key = serde_json::to_string(key).expect("a key");
            text.push_str(&format!("{}{before}{key}{after}:{before}{value}{end}", if at > 0 { "," } else { "" }));
        }
        text + self.space() + "}"
    }

    /// The item of a level, with the rows in it. `around` holds the values around it.
    fn item(&mut self, steps: &[Step], around: &Row) -> String {
        let Some((step, inner)) = steps.split_first() else { return String::new() };
        let mut values = around.clone();
        let mut fields = Vec::new();
        for column in 0..step.columns {
            let (written, read) = self.value();
            fields.push((format!("c{column}"), written));
            values.push(read);
        }
        if inner.is_empty() {
            self.rows.push(values);
            return self.object(fields);
        }
        let mut held = Vec::new();
        for (at, last) in step.last.iter().enumerate() {
            // One of the lists is always there.
            if at > 0 && self.below(2) == 0 {
                continue;
            }
            let mut values = values.clone();
            if step.last.len() > 1 {
                values.push(Some(format!("'{last}'")));
            }
            held.push((last.clone(), values));
        }
        for at in (1..held.len()).rev() {
            let other = self.below(at as u64 + 1) as usize;
            held.swap(at, other);
        }
        // Their order in the file is the order of the rows, so they are not shuffled again.
        let mut lists = String::new();
        for (last, values) in held {
            let items: Vec<String> = (0..self.below(4)).map(|_| self.item(inner, &values)).collect();
            let space = self.space();
            let key = serde_json::to_string(&last).expect("a key");
            lists.push_str(&format!("{space},{key}:{space}[{space}{}]", items.join(&format!("{space},"))));
        }
        let mut text = format!("{{\"other\":0{lists}}}");
        for key in step.keys.iter().skip(1).rev() {
            text = self.object(vec![(key.clone(), text)]);
        }
        // The lists stand in the object of the columns, or in one under the first key.
        if let Some(first) = step.keys.first() {
            fields.push((first.clone(), text));
            return self.object(fields);
        }
        let object = self.object(fields);
        let body = object.strip_prefix('{').expect("an object");
        let comma = if body.trim_ascii() == "}" { "" } else { "," };
        match self.below(2) {
            0 => format!("{}{comma}{body}", text.strip_suffix('}').expect("an object")),
            _ => format!("{}{comma}{}", object.strip_suffix('}').expect("an object"), &text[1..]).replace("{,", "{"),
        }
    }
}

/// The paths of the columns, in the order in which [`Draw::item`] fills them.
fn paths_to(steps: &[Step]) -> Vec<String> {
    let (mut paths, mut before) = (Vec::new(), String::new());
    for (at, step) in steps.iter().enumerate() {
        let point = if before.is_empty() { "" } else { "." };
        paths.extend((0..step.columns).map(|column| format!("{before}{point}c{column}?")));
        if at + 1 == steps.len() {
            break;
        }
        let list = ListStep { keys: step.keys.clone(), last: step.last.clone() };
        before = format!("{before}{point}{}", Path::lists_text(&[list]));
        if step.last.len() > 1 {
            paths.push(format!("{before}.@key"));
        }
    }
    paths
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = proptest::sample::select(vec!["k", "Data", "a.b", "x[]", "(y)", "q\"r", "n\u{20a6}", "", "@key"]);
    let lists = prop_oneof![
        proptest::sample::select(vec!["list", "l.s", "booked|"]).prop_map(|list| vec![list.to_owned()]),
        Just(vec!["booked".to_owned(), "pending".to_owned()]),
        Just(vec!["added".to_owned(), "modified)".to_owned(), "removed".to_owned()]),
    ];
    let step = (proptest::collection::vec(key.prop_map(str::to_owned), 0..3), lists, 0_usize..3);
    let step = step.prop_map(|(keys, last, columns)| Step { keys, last, columns });
    proptest::collection::vec(step, 1..5).prop_map(|mut steps| {
        // A row has something.
        steps.iter_mut().last().expect("a step").columns += 1;
        steps
    })
}

/// Documents of these levels, their paths and their rows.
fn drawn(steps: &[Step], seed: u64, documents: usize) -> (String, Vec<String>, Vec<Row>) {
    let mut draw = Draw { state: seed | 1, rows: Vec::new() };
    let texts: Vec<String> = (0..documents).map(|_| draw.item(steps, &Vec::new())).collect();
    (texts.join("\n"), paths_to(steps), draw.rows)
}

proptest! {
    /// Rows that are written into a document of random shape, with other values among them, are read back.
    #[test]
    fn rows_in_a_document_of_any_shape_are_read_back(steps in steps(), seed: u64, documents in 1_usize..4) {
        let (text, paths, rows_written) = drawn(&steps, seed, documents);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        prop_assert_eq!(rows(&text, &paths), Ok(rows_written), "{:?} in {}", paths, text);
    }

    /// A document that is cut anywhere is refused. One with another byte is refused, or has as many rows.
    #[test]
    fn damage_is_refused_or_harmless(
        steps in steps(), seed: u64, damage in proptest::collection::vec((any::<usize>(), any::<u8>()), 40),
    ) {
        let (text, paths, rows_written) = drawn(&steps, seed, 1);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        for (at, byte) in damage {
            let at = at % text.len();
            prop_assert!(rows(&text.as_bytes()[..at], &paths).is_err(), "cut at {} of {}", at, text);
            let mut bytes = text.clone().into_bytes();
            bytes[at] = byte;
            if let Ok(read) = rows(&bytes, &paths) {
                prop_assert_eq!(read.len(), rows_written.len(), "{} at {} of {}", byte, at, text);
            }
        }
    }
}
