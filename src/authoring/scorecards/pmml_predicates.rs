//! Predicates of PMML as cells.

use roxmltree::Node;

use super::model::{ScorecardCell, ScorecardKind, ScorecardRange};

/// Text within an attribute or an element.
pub(super) fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// What a predicate says of one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldTest {
    /// The field; `None` of `True`.
    pub field: Option<String>,
    /// What it matches: several cells of the same points.
    pub cells: Vec<ScorecardCell>,
}

/// Reads the predicate of an attribute. `kind_of` says what the values of a field are.
///
/// # Errors
/// If a row of a scorecard cannot say it.
pub(super) fn read_predicate(
    node: Node,
    kind_of: &dyn Fn(&str) -> Result<ScorecardKind, String>,
) -> Result<FieldTest, String> {
    let tag = node.tag_name().name();
    match tag {
        "True" => Ok(FieldTest { field: None, cells: vec![ScorecardCell::Other] }),
        "False" => Ok(FieldTest { field: None, cells: Vec::new() }),
        "SimplePredicate" => {
            let field = attribute(node, "field")?;
            let kind = kind_of(field)?;
            Ok(FieldTest { field: Some(field.to_owned()), cells: vec![cell_of_simple_predicate(node, kind)?] })
        }
        "SimpleSetPredicate" => {
            let field = attribute(node, "field")?;
            if attribute(node, "booleanOperator")? != "isIn" {
                return Err(format!("`{field}`: a set that a value is not in has no like in a scorecard"));
            }
            let array = node.children().find(|child| child.tag_name().name() == "Array");
            let values = read_array(array.and_then(|array| array.text()).unwrap_or_default());
            let cells = match kind_of(field)? {
                ScorecardKind::Text => vec![ScorecardCell::Texts(values)],
                kind => values.iter().map(|value| cell_of_value(value, kind)).collect::<Result<_, _>>()?,
            };
            Ok(FieldTest { field: Some(field.to_owned()), cells })
        }
        "CompoundPredicate" => join_predicates(node, kind_of),
        tag => Err(format!("<{tag}> is not a predicate that a scorecard can have")),
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, String> {
    node.attribute(name).ok_or_else(|| format!("<{}> has no attribute `{name}`", node.tag_name().name()))
}

fn cell_of_simple_predicate(node: Node, kind: ScorecardKind) -> Result<ScorecardCell, String> {
    let operator = attribute(node, "operator")?;
    match operator {
        "isMissing" => return Ok(ScorecardCell::Unknown),
        "isNotMissing" => return Ok(ScorecardCell::Range(ScorecardRange::default())),
        _ => {}
    }
    let value = attribute(node, "value")?;
    if operator == "equal" {
        return cell_of_value(value, kind);
    }
    let end = |belongs: bool| read_pmml_number(value).map(|number| Some((number, belongs)));
    let range = ScorecardRange::default();
    let range = match operator {
        "lessThan" => ScorecardRange { high: end(false)?, ..range },
        "lessOrEqual" => ScorecardRange { high: end(true)?, ..range },
        "greaterThan" => ScorecardRange { low: end(false)?, ..range },
        "greaterOrEqual" => ScorecardRange { low: end(true)?, ..range },
        operator => return Err(format!("the operator `{operator}` has no like in a scorecard")),
    };
    match kind {
        ScorecardKind::Number => Ok(ScorecardCell::Range(range)),
        _ => Err(format!("`{operator}` needs numbers")),
    }
}

fn cell_of_value(value: &str, kind: ScorecardKind) -> Result<ScorecardCell, String> {
    match kind {
        ScorecardKind::Text => Ok(ScorecardCell::Texts(vec![value.to_owned()])),
        ScorecardKind::Boolean => match value {
            "true" | "1" => Ok(ScorecardCell::Truth(true)),
            "false" | "0" => Ok(ScorecardCell::Truth(false)),
            _ => Err(format!("`{value}` is neither true nor false")),
        },
        ScorecardKind::Number => {
            let end = Some((read_pmml_number(value)?, true));
            Ok(ScorecardCell::Range(ScorecardRange { low: end, high: end }))
        }
    }
}

pub(super) fn read_pmml_number(text: &str) -> Result<f64, String> {
    let number: Result<f64, _> = text.trim().parse();
    number.ok().filter(|number| number.is_finite()).ok_or_else(|| format!("`{text}` is not a number"))
}

/// Values between blanks, in quotes where they have blanks themselves.
fn read_array(text: &str) -> Vec<String> {
    let (mut values, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let mut value = String::new();
        let quoted = first == '"';
        let mut signs = rest.char_indices().skip(usize::from(quoted));
        let mut end = rest.len();
        while let Some((at, sign)) = signs.next() {
            match sign {
                '\\' if quoted => value.extend(signs.next().map(|(_, sign)| sign)),
                '"' if quoted => {
                    end = at + 1;
                    break;
                }
                sign if !quoted && sign.is_whitespace() => {
                    end = at;
                    break;
                }
                sign => value.push(sign),
            }
        }
        values.push(value);
        rest = rest[end..].trim_start();
    }
    values
}

/// `and` narrows a range; `or` is several cells of the same points.
fn join_predicates(node: Node, kind_of: &dyn Fn(&str) -> Result<ScorecardKind, String>) -> Result<FieldTest, String> {
    let operator = attribute(node, "booleanOperator")?;
    let parts = node.children().filter(Node::is_element).filter(|child| child.tag_name().name() != "Extension");
    let parts: Vec<FieldTest> = parts.map(|child| read_predicate(child, kind_of)).collect::<Result<_, _>>()?;
    let field = parts.first().and_then(|part| part.field.clone());
    if field.is_none() || parts.iter().any(|part| part.field != field) {
        return Err("a predicate tests several fields, and a row of a scorecard tests one".to_owned());
    }
    let cells: Vec<ScorecardCell> = parts.into_iter().flat_map(|part| part.cells).collect();
    match operator {
        "or" => Ok(FieldTest { field, cells }),
        "and" => {
            let mut range = ScorecardRange::default();
            for cell in &cells {
                let ScorecardCell::Range(part) = cell else {
                    return Err("`and` joins something else than ranges of numbers".to_owned());
                };
                range = range.narrowed_by(*part);
            }
            Ok(FieldTest { field, cells: vec![ScorecardCell::Range(range)] })
        }
        operator => Err(format!("the boolean operator `{operator}` has no like in a scorecard")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_values_in_quotes_or_without() {
        assert_eq!(read_array(r#" A  "b c" "say \"x\"" 'd "#), ["A", "b c", "say \"x\"", "'d"]);
        assert!(read_array("  ").is_empty());
        assert_eq!(read_array("\"open"), ["open"]);
    }
}
