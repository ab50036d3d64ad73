//! Rounding and LIKE. Knows no expression.

use super::evaluate::{Known, Why, fits, float, whole};
use super::model::{Kind, Value};

/// To a step: down, up, or to the nearest with halves away from zero. A float is first taken to a millionth of the step.
pub fn rounded(name: &str, values: &[Value], kind: Kind) -> Known<Value> {
    let step = values.get(1).cloned().unwrap_or(Value::Whole(1));
    if float(&step) <= 0.0 {
        return Err(Why::Said("zero_denominator"));
    }
    if let (Value::Whole(value), Value::Whole(step)) = (&values[0], &step) {
        let (value, step) = (i128::from(*value), i128::from(*step));
        let down = value.div_euclid(step) * step;
        let over = value - down;
        let up = if over == 0 { down } else { down + step };
        return whole(match name {
            "round_down" | "floor" => down,
            "round_up" | "ceil" => up,
            _ if 2 * over > step || 2 * over == step && value > 0 => up,
            _ => down,
        });
    }
    let step = float(&step);
    let steps = float(&values[0]) / step;
    let steps = if steps.abs() < 1e9 { (steps * 1e6).round() / 1e6 } else { steps };
    let value = step
        * match name {
            "round_down" | "floor" => steps.floor(),
            "round_up" | "ceil" => steps.ceil(),
            _ => steps.round(),
        };
    // What is rounded to whole numbers is whole, and money is whole minor units.
    if values.len() == 1 || matches!(kind, Kind::Money | Kind::MoneyMean) {
        return if fits(value) { Ok(Value::Whole(value as i64)) } else { Err(Why::Said("overflow")) };
    }
    if value.is_finite() { Ok(Value::Float(value)) } else { Err(Why::Said("overflow")) }
}

/// In small letters, each letter by itself; the sigma that ends a word is one as others.
pub fn small(text: &str) -> String {
    let letters = text.chars().map(|letter| if letter == 'ς' { 'Σ' } else { letter });
    letters.flat_map(char::to_lowercase).collect()
}

/// Letter by letter, with every way to split what `%` takes.
pub fn like(text: &str, pattern: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('%') => {
            let rest = &pattern[1..];
            (0..=text.len()).filter(|at| text.is_char_boundary(*at)).any(|at| like(&text[at..], rest))
        }
        Some(wanted) => {
            let mut letters = text.chars();
            let fits = letters.next().is_some_and(|letter| wanted == '_' || wanted == letter);
            fits && like(letters.as_str(), &pattern[wanted.len_utf8()..])
        }
    }
}
