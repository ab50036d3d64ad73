//! Reads a scorecard from PMML 4.1 to 4.4.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::model::{Scorecard, ScorecardCell, ScorecardItem, ScorecardKind, ScorecardRow};
use super::pmml_predicates::{FieldTest, read_pmml_number, read_predicate};

/// How many reasons a decision lists if the model does not say.
const REASONS: usize = 4;

/// Reads the scorecard of a PMML file.
///
/// # Errors
/// If it is not PMML, has no scorecard, or points depend on what a rule file's scorecard cannot say.
pub fn read_pmml_scorecard(text: &str) -> Result<Scorecard, String> {
    let options = roxmltree::ParsingOptions { allow_dtd: false, nodes_limit: 1_000_000, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(text, options).map_err(|error| error.to_string())?;
    let root = document.root_element();
    if root.tag_name().name() != "PMML" {
        return Err(format!("the root is <{}>, that of PMML is <PMML>", root.tag_name().name()));
    }
    let card = child(root, "Scorecard").ok_or_else(|| {
        let models: Vec<&str> =
            elements(root).map(|node| node.tag_name().name()).filter(|tag| tag.ends_with("Model")).collect();
        format!(
            "it has no <Scorecard>, but {}",
            if models.is_empty() { "no model".to_owned() } else { models.join(", ") }
        )
    })?;
    let fields = read_field_kinds(root, card);
    let mut found = Scorecard {
        name: card.attribute("modelName").map(str::to_owned),
        base: card.attribute("initialScore").map_or(Ok(0.0), read_pmml_number)?,
        reasons: REASONS,
        ..Scorecard::default()
    };
    refuse_replaced_values(card)?;
    refuse_other_values(root, card)?;
    let derived = derived_fields(root, card);
    let uses_codes = card.attribute("useReasonCodes").is_none_or(|uses| uses == "true");
    let characteristics = child(card, "Characteristics").ok_or("the scorecard has no <Characteristics>")?;
    for node in elements(characteristics).filter(|node| node.tag_name().name() == "Characteristic") {
        let name = node.attribute("name").unwrap_or("without a name").to_owned();
        let mut item =
            read_characteristic(node, &fields).map_err(|what| format!("the characteristic `{name}`: {what}"))?;
        item.code = item.code.filter(|_| uses_codes);
        if derived.contains(&item.metric) {
            found.left_out.push(format!("`{}` is derived in the file: give the metric the same formula", item.metric));
        }
        note_of_baseline(card, node, &item, &mut found.left_out);
        found.items.push(item);
    }
    if found.items.is_empty() {
        return Err("the scorecard has no characteristic".to_owned());
    }
    let algorithm = card.attribute("reasonCodeAlgorithm").unwrap_or("pointsBelow");
    if uses_codes && algorithm != "pointsBelow" {
        found.left_out.push(format!("`{algorithm}`: reasons here are the points lost against the best row"));
    }
    Ok(found)
}

fn elements<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(Node::is_element)
}

fn child<'a, 'i>(node: Node<'a, 'i>, tag: &str) -> Option<Node<'a, 'i>> {
    elements(node).find(|child| child.tag_name().name() == tag)
}

/// What the values of each field are: of the data and of derived fields.
fn read_field_kinds(root: Node, card: Node) -> BTreeMap<String, ScorecardKind> {
    let mut kinds = BTreeMap::new();
    let places =
        [child(root, "DataDictionary"), child(root, "TransformationDictionary"), child(card, "LocalTransformations")];
    for node in places.into_iter().flatten().flat_map(elements) {
        let kind = match (node.attribute("dataType"), node.attribute("optype")) {
            (Some("boolean"), _) => ScorecardKind::Boolean,
            (Some("string"), _) | (None, Some("categorical")) => ScorecardKind::Text,
            _ => ScorecardKind::Number,
        };
        if let Some(name) = node.attribute("name") {
            kinds.insert(name.to_owned(), kind);
        }
    }
    kinds
}

/// A value put in the place of a missing one changes points, and a rule file has no like.
fn refuse_replaced_values(card: Node) -> Result<(), String> {
    let mut fields = child(card, "MiningSchema").into_iter().flat_map(elements);
    match fields.find(|field| field.attribute("missingValueReplacement").is_some()) {
        Some(field) => Err(format!(
            "missing values of `{}` are replaced: give them points of their own by `isMissing`",
            field.attribute("name").unwrap_or_default()
        )),
        None => Ok(()),
    }
}

/// What changes values before they are compared, or the sum after, has no like in a rule file.
fn refuse_other_values(root: Node, card: Node) -> Result<(), String> {
    if card.attribute("isScorable") == Some("false") {
        return Err("it says of itself that it does not score (isScorable=\"false\")".to_owned());
    }
    let name = |node: Node| node.attribute("name").or(node.attribute("field")).unwrap_or_default().to_owned();
    let mut mining = child(card, "MiningSchema").into_iter().flat_map(elements);
    if let Some(field) = mining.find(|field| field.attribute("outliers").is_some_and(|outliers| outliers != "asIs")) {
        return Err(format!("outliers of `{}` are replaced: give them points of their own", name(field)));
    }
    // An interval or a list of values says which are valid; the rest would count as missing.
    let mut mining = child(card, "MiningSchema").into_iter().flat_map(elements);
    let replaces = |field: &Node| {
        let limits = child(root, "DataDictionary").into_iter().flat_map(elements);
        let mut limits = limits.filter(|declared| name(*declared) == name(*field)).flat_map(elements);
        field.attribute("invalidValueTreatment") == Some("asMissing") && limits.next().is_some()
    };
    if let Some(field) = mining.find(replaces) {
        return Err(format!(
            "values of `{}` outside of those listed count as missing (invalidValueTreatment=\"asMissing\"): give them \
             points of their own",
            name(field)
        ));
    }
    let is_other = |value: &Node| value.attribute("property").is_some_and(|property| property != "valid");
    let mut data = child(root, "DataDictionary").into_iter().flat_map(elements);
    if let Some(field) = data.find(|field| elements(*field).any(|value| is_other(&value))) {
        return Err(format!(
            "some values of `{}` count as missing or invalid: give them points of their own",
            name(field)
        ));
    }
    let changes = ["rescaleConstant", "rescaleFactor", "castInteger", "min", "max"];
    let mut targets = child(card, "Targets").into_iter().flat_map(elements);
    match targets.find(|target| changes.iter().any(|change| target.attribute(*change).is_some())) {
        Some(_) => Err("its <Targets> change the score after it is summed: change the points instead".to_owned()),
        None => Ok(()),
    }
}

/// The fields that are computed in the file.
fn derived_fields(root: Node, card: Node) -> Vec<String> {
    let places = [child(root, "TransformationDictionary"), child(card, "LocalTransformations")];
    let fields = places.into_iter().flatten().flat_map(elements);
    fields.filter_map(|field| field.attribute("name").map(str::to_owned)).collect()
}

fn read_characteristic(node: Node, fields: &BTreeMap<String, ScorecardKind>) -> Result<ScorecardItem, String> {
    let kind_of =
        |field: &str| fields.get(field).copied().ok_or_else(|| format!("the field `{field}` is not declared"));
    let (mut metric, mut rows, mut code) =
        (None::<String>, Vec::new(), node.attribute("reasonCode").map(str::to_owned));
    for attribute in elements(node).filter(|node| node.tag_name().name() == "Attribute") {
        if child(attribute, "ComplexPartialScore").is_some() {
            return Err("its points are computed (<ComplexPartialScore>)".to_owned());
        }
        let points = attribute.attribute("partialScore").ok_or("an <Attribute> has no `partialScore`")?;
        let points = read_pmml_number(points)?;
        let predicate = elements(attribute).find(|node| node.tag_name().name() != "Extension");
        let FieldTest { field, cells } = read_predicate(predicate.ok_or("an <Attribute> has no predicate")?, &kind_of)?;
        match (&metric, field) {
            (Some(before), Some(field)) if *before != field => {
                return Err(format!("it tests `{before}` and `{field}`, and an item has one metric"));
            }
            (None, field) => metric = field,
            _ => {}
        }
        code = code.or_else(|| attribute.attribute("reasonCode").map(str::to_owned));
        for cell in cells {
            let knows_unknown = rows.iter().any(|row: &ScorecardRow| row.cell == ScorecardCell::Unknown);
            // `True` matches a missing value whatever was tested before; `-` does so only if no row tested it.
            if cell == ScorecardCell::Other && !knows_unknown {
                rows.push(ScorecardRow { cell: ScorecardCell::Unknown, points });
            }
            let cell = match cell {
                // After a test, `-` is what remains of known values.
                ScorecardCell::Range(range)
                    if range == Default::default() && !rows.is_empty() && !is_number(&metric, fields) =>
                {
                    ScorecardCell::Other
                }
                cell => cell,
            };
            rows.push(ScorecardRow { cell, points });
        }
    }
    let metric = metric.ok_or("no row tests a field")?;
    let kind = kind_of(&metric)?;
    Ok(ScorecardItem { metric, code, kind, rows })
}

fn is_number(metric: &Option<String>, fields: &BTreeMap<String, ScorecardKind>) -> bool {
    metric.as_ref().is_none_or(|metric| fields.get(metric) == Some(&ScorecardKind::Number))
}

/// Reasons of rule files compare with the best row.
fn note_of_baseline(card: Node, node: Node, item: &ScorecardItem, left_out: &mut Vec<String>) {
    let best = item.rows.iter().map(|row| row.points).fold(f64::NEG_INFINITY, f64::max);
    let baseline = node.attribute("baselineScore").or_else(|| card.attribute("baselineScore"));
    let Some(baseline) = baseline.and_then(|text| text.parse::<f64>().ok()) else { return };
    if item.code.is_some() && baseline != best {
        left_out.push(format!(
            "`{}`: the baseline {baseline}; reasons here are the points lost against the best row, {best}",
            item.metric
        ));
    }
}
