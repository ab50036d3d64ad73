//! The customer that a plain value names, in any table about customers.

use serde_json::Value;

use crate::statement::cells::identity::spell_name;

/// The customer that a value names, or what is wrong with it.
pub(crate) fn customer_of(value: &Value) -> Result<String, &'static str> {
    let name = match value {
        Value::Null => "",
        Value::String(name) => &spell_name(name),
        // As a floating number an identifier has another text (12.0 for 12), and a long one is rounded.
        Value::Number(number) if !number.is_f64() => return Ok(number.to_string()),
        _ => return Err("`customer` is neither a text nor a whole number; write the identifier as text"),
    };
    if name.is_empty() { Err("it names no `customer`") } else { Ok(name.to_owned()) }
}
