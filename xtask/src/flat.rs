//! Flat JSON, as the benches print it: one object of names and numbers or plain texts. Knows nothing of what they mean.

use std::collections::BTreeMap;

/// The numbers of a flat object; everything else is ignored.
pub fn numbers(json: &str) -> BTreeMap<String, f64> {
    let mut found = BTreeMap::new();
    for line in json.split([',', '{', '}', '\n']) {
        let Some((name, value)) = line.trim().split_once(':') else { continue };
        if let Ok(value) = value.trim().parse() {
            found.insert(name.trim().trim_matches('"').to_owned(), value);
        }
    }
    found
}

/// The text after `"key":` in JSON without escapes; `None` for `null`.
pub fn text_of(json: &str, key: &str) -> Option<String> {
    let rest = json.split_once(&format!("\"{key}\":"))?.1.trim_start().strip_prefix('"')?;
    rest.split_once('"').map(|(text, _)| text.to_string())
}

/// A flat object of numbers.
pub fn object(numbers: &BTreeMap<String, f64>) -> String {
    let lines: Vec<String> = numbers.iter().map(|(name, value)| format!("  \"{name}\": {value}")).collect();
    format!("{{\n{}\n}}\n", lines.join(",\n"))
}

#[test]
fn what_is_written_is_read() {
    let all = BTreeMap::from([("a_s".to_owned(), 0.25), ("b".to_owned(), 2e9)]);
    assert_eq!(numbers(&object(&all)), all);
    assert_eq!(numbers(r#"{"a_s": 0.25, "b": 2000000000, "c": "no"}"#), all);
}
