//! JSON Schema (2020-12) of rule files and cases files, generated from the register of keys, for editors that
//! complete and check TOML.

use serde_json::{Map, Value, json};

use super::keys::{CASES, Key, KeySection, RULES, ValueShape, Word};

/// The schema of rule files.
pub fn rule_file_schema() -> Value {
    build_json_schema(&RULES, "A lendwright rule file")
}

/// The schema of cases files, `NAME.cases.toml`.
pub fn cases_file_schema() -> Value {
    build_json_schema(&CASES, "Cases of a lendwright policy")
}

fn build_json_schema(root: &'static KeySection, title: &str) -> Value {
    let mut parts = Map::new();
    define_section_schema(root, &mut parts);
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
fn define_section_schema(section: &'static KeySection, parts: &mut Map<String, Value>) {
    if parts.contains_key(section.name) {
        return;
    }
    // Added before it is complete, because conditions contain conditions.
    parts.insert(section.name.to_owned(), Value::Null);
    let properties: Map<String, Value> =
        section.keys.iter().map(|key| (key.name.to_owned(), property_schema(key, parts))).collect();
    let required: Vec<&str> = section.keys.iter().filter(|key| key.needed).map(|key| key.name).collect();
    let mut object = json!({"type": "object", "additionalProperties": false, "properties": properties});
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    parts.insert(section.name.to_owned(), object);
}

fn property_schema(key: &'static Key, parts: &mut Map<String, Value>) -> Value {
    let mut shape = value_shape_schema(&key.shape, parts);
    let mut description = key.doc.to_owned();
    for (word, says) in words_of_shape(&key.shape) {
        description += &format!("\n- `{word}`: {says}");
    }
    if let Some(object) = shape.as_object_mut() {
        object.insert("description".into(), Value::String(description));
    }
    shape
}

/// The words that a key takes, by themselves or in a list.
pub(super) fn words_of_shape(shape: &ValueShape) -> &'static [Word] {
    match shape {
        ValueShape::Words(words) => words,
        ValueShape::List(shape) | ValueShape::Names(shape) => words_of_shape(shape),
        ValueShape::Either(shapes) => shapes.iter().map(words_of_shape).find(|words| !words.is_empty()).unwrap_or(&[]),
        _ => &[],
    }
}

fn value_shape_schema(shape: &'static ValueShape, parts: &mut Map<String, Value>) -> Value {
    match shape {
        ValueShape::Text | ValueShape::Sentence => json!({"type": "string"}),
        ValueShape::Expression | ValueShape::Cell => json!({"type": ["string", "number", "boolean"]}),
        ValueShape::Number => json!({"type": "number"}),
        ValueShape::Whole => json!({"type": "integer"}),
        ValueShape::Boolean => json!({"type": "boolean"}),
        ValueShape::False => json!({"enum": [false]}),
        ValueShape::Date => json!({"type": "string", "format": "date"}),
        ValueShape::Words(words) => json!({"enum": words.iter().map(|(word, _)| *word).collect::<Vec<_>>()}),
        ValueShape::List(item) => json!({"type": "array", "items": value_shape_schema(item, parts)}),
        ValueShape::Row(count, item) => {
            // No `prefixItems`, because editors that know only older drafts would misread the rule.
            let items = value_shape_schema(item, parts);
            json!({"type": "array", "items": items, "minItems": count, "maxItems": count})
        }
        ValueShape::Either(shapes) => {
            json!({"anyOf": shapes.iter().map(|one| value_shape_schema(one, parts)).collect::<Vec<_>>()})
        }
        ValueShape::Table(section) => section_schema_reference(section, parts),
        ValueShape::Tables(section) => json!({"type": "array", "items": section_schema_reference(section, parts)}),
        ValueShape::Names(each) => {
            json!({"type": "object", "additionalProperties": value_shape_schema(each, parts)})
        }
        ValueShape::Anything => json!({}),
    }
}

fn section_schema_reference(section: &'static KeySection, parts: &mut Map<String, Value>) -> Value {
    define_section_schema(section, parts);
    json!({"$ref": format!("#/$defs/{}", section.name)})
}
