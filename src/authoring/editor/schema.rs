//! JSON Schema (2020-12) of rule files and cases files, generated from the register of keys, for editors that
//! complete and check TOML.

use serde_json::{Map, Value, json};

use super::keys::{CASES, Key, RULES, Section, Shape, Word};

/// The schema of rule files.
pub fn rules() -> Value {
    schema(&RULES, "A lendwright rule file")
}

/// The schema of cases files, `NAME.cases.toml`.
pub fn cases() -> Value {
    schema(&CASES, "Cases of a lendwright policy")
}

fn schema(root: &'static Section, title: &str) -> Value {
    let mut parts = Map::new();
    define(root, &mut parts);
    let mut whole = Map::new();
    whole.insert("$schema".into(), json!("https://json-schema.org/draft/2020-12/schema"));
    whole.insert("title".into(), json!(title));
    if let Some(Value::Object(root)) = parts.remove(root.name) {
        whole.extend(root);
    }
    whole.insert("$defs".into(), Value::Object(parts));
    Value::Object(whole)
}

/// Adds a section, and the sections it leads to, to the parts.
fn define(section: &'static Section, parts: &mut Map<String, Value>) {
    if parts.contains_key(section.name) {
        return;
    }
    // Added before it is complete, because conditions contain conditions.
    parts.insert(section.name.to_owned(), Value::Null);
    let properties: Map<String, Value> =
        section.keys.iter().map(|key| (key.name.to_owned(), property(key, parts))).collect();
    let required: Vec<&str> = section.keys.iter().filter(|key| key.needed).map(|key| key.name).collect();
    let mut object = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    parts.insert(section.name.to_owned(), object);
}

fn property(key: &'static Key, parts: &mut Map<String, Value>) -> Value {
    let mut shape = shape(&key.shape, parts);
    let mut description = key.doc.to_owned();
    for (word, says) in words(&key.shape) {
        description += &format!("\n- `{word}`: {says}");
    }
    if let Some(object) = shape.as_object_mut() {
        object.insert("description".into(), Value::String(description));
    }
    shape
}

/// The words that a key takes, by themselves or in a list.
pub(super) fn words(shape: &Shape) -> &'static [Word] {
    match shape {
        Shape::Words(words) => words,
        Shape::List(shape) | Shape::Names(shape) => words(shape),
        Shape::Either(shapes) => shapes.iter().map(words).find(|words| !words.is_empty()).unwrap_or(&[]),
        _ => &[],
    }
}

fn shape(shape: &'static Shape, parts: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Text | Shape::Sentence => json!({"type": "string"}),
        Shape::Expression | Shape::Cell => json!({"type": ["string", "number", "boolean"]}),
        Shape::Number => json!({"type": "number"}),
        Shape::Whole => json!({"type": "integer"}),
        Shape::Boolean => json!({"type": "boolean"}),
        Shape::False => json!({"enum": [false]}),
        Shape::Date => json!({"type": "string", "format": "date"}),
        Shape::Words(words) => json!({"enum": words.iter().map(|(word, _)| *word).collect::<Vec<_>>()}),
        Shape::List(item) => json!({"type": "array", "items": self::shape(item, parts)}),
        Shape::Row(count, item) => {
            // No `prefixItems`, because editors that know only older drafts would misread the rule.
            json!({"type": "array", "items": self::shape(item, parts), "minItems": count, "maxItems": count})
        }
        Shape::Either(shapes) => {
            json!({"anyOf": shapes.iter().map(|one| self::shape(one, parts)).collect::<Vec<_>>()})
        }
        Shape::Table(section) => reference(section, parts),
        Shape::Tables(section) => json!({"type": "array", "items": reference(section, parts)}),
        Shape::Names(each) => json!({"type": "object", "additionalProperties": self::shape(each, parts)}),
        Shape::Anything => json!({}),
    }
}

fn reference(section: &'static Section, parts: &mut Map<String, Value>) -> Value {
    define(section, parts);
    json!({"$ref": format!("#/$defs/{}", section.name)})
}
