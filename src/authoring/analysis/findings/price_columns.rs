//! Finds prices out of order within one table that outputs both grade and price: a row with a better grade that is
//! dearer than a row with a worse one, where only one column differs.

use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::findings::grades::{Graded, Price, format_output_value, price_effect_of};
use crate::base::diagnostic::Diagnostic;
use crate::rules::Policy;
use crate::rules::graph::NodeId;
use crate::rules::program::{DecisionTable, HitPolicy, OutputCell, Value};

/// Most pairs of rows that are compared.
const PAIRS_MAX: usize = 1_000_000;

pub(in crate::authoring::analysis) fn check_price_columns(
    policy: &Policy,
    eval: &AbstractEval,
    (table, grade): (&DecisionTable, &Graded<'_>),
    reported: &mut HashSet<NodeId>,
    found: &mut Vec<Diagnostic>,
) {
    let Some(of_grade) = table.outputs.iter().position(|output| output.node == grade.node) else { return };
    let (Some(first_is_best), HitPolicy::First | HitPolicy::Unique | HitPolicy::Any) =
        (grade.first_is_best, table.hit_policy)
    else {
        return;
    };
    if table.rows.len().pow(2) > PAIRS_MAX {
        return;
    }
    let rank = |row: usize| {
        let OutputCell::Value(value) = table.rows[row].values.get(of_grade)? else { return None };
        let at = grade.values.iter().position(|known| known == value)?;
        Some(if first_is_best { at } else { grade.values.len() - at })
    };
    for (column, output) in table.outputs.iter().enumerate() {
        if column == of_grade || reported.contains(&output.node) {
            continue;
        }
        let number = |row: usize| match table.rows[row].values.get(column)? {
            OutputCell::Value(value) if !matches!(value, Value::Text(_) | Value::Boolean(_)) => value.float(),
            _ => None,
        };
        let rows: Vec<(usize, usize, f64)> =
            (0..table.rows.len()).filter_map(|row| Some((row, rank(row)?, number(row)?))).collect();
        let Some(price) = (!rows.is_empty()).then(|| price_effect_of(&policy.program, eval, output.node)).flatten()
        else {
            continue;
        };
        let cost = |value: f64| if price == Price::Dearer { value } else { -value };
        let pairs = rows.iter().flat_map(|better| rows.iter().map(move |worse| (better, worse)));
        let wrong = pairs.into_iter().find(|((row, rank, value), (other, below, less))| {
            rank < below && cost(*value) > cost(*less) && ask_alike(table, *row, *other)
        });
        let Some(((better, _, high), (worse, _, low))) = wrong else { continue };
        reported.insert(output.node);
        let row = |row: usize, value: f64| {
            let Some(OutputCell::Value(Value::Text(grade))) = table.rows[row].values.get(of_grade) else {
                return String::new();
            };
            format!("row {} (`{grade}`) has {}", row + 1, format_output_value(policy, output, value))
        };
        let more = if price == Price::Dearer { "higher" } else { "smaller" };
        let (better_row, worse_row) = (row(*better, *high), row(*worse, *low));
        let message = format!("a better `{}` gets a {more} `{}`: {better_row}, {worse_row}", grade.name, output.name);
        let label = if price == Price::Dearer { "dearer with a better grade" } else { "less for a better customer" };
        let help = "give the better grade the better price, or allow it: # check allow price-order: why";
        found.push(Diagnostic::warning("price-order", table.rows[*better].span, message).label(label).help(help));
    }
}

/// Whether two rows differ in at most one test, so that nothing else explains a different price.
fn ask_alike(table: &DecisionTable, one: usize, other: usize) -> bool {
    let pairs = table.rows[one].tests.iter().zip(&table.rows[other].tests);
    pairs.filter(|(one, other)| one != other).count() <= 1
}
