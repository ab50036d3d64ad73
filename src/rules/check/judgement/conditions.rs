//! The columns of a table: its inputs, and the conditions of cells that no constant decides.

use crate::rules::check::judgement::computed::{ComputedCondition, TableInput};
use crate::rules::check::symbols::symbol::Typed;
use crate::rules::graph::NodeId;
use crate::rules::program::DecisionTableRow;
use crate::rules::types::Type;
use crate::rules::value::{Test, Value};

/// A column of a table: an input, or a condition of its cells.
pub(super) struct TableColumn {
    pub text: String,
    pub node: NodeId,
    pub ty: Type,
    pub is_condition: bool,
}

/// Most conditions of a table. Each is a column of all rows.
pub(super) const CONDITIONS_MAX: usize = 200;

/// Puts the conditions of cells into columns of their own. `asked` has those of each row's cells.
pub(super) fn with_conditions(
    inputs: Vec<TableInput>,
    rows: &mut [DecisionTableRow],
    mut asked: Vec<Vec<Vec<ComputedCondition>>>,
) -> Vec<TableColumn> {
    let mut columns = Vec::new();
    let (mut tests, mut texts): (Vec<Vec<Test>>, Vec<Vec<String>>) =
        rows.iter_mut().map(|row| (std::mem::take(&mut row.tests), std::mem::take(&mut row.texts))).unzip();
    for (at, input) in inputs.into_iter().enumerate().rev() {
        let column: Vec<Vec<ComputedCondition>> = asked.iter_mut().map(|row| std::mem::take(&mut row[at])).collect();
        let own: Vec<Test> = tests.iter_mut().map(|tests| tests.pop().unwrap_or(Test::Anything)).collect();
        // An unknown that another cell expects is not what this one asks for.
        let expected = own.iter().any(Test::expects_unknown);
        let mut conditions: Vec<(String, NodeId)> = Vec::new();
        for one in column.iter().flatten() {
            if !conditions.iter().any(|(_, node)| *node == one.node) {
                conditions.push((one.text.clone(), one.node));
            }
        }
        for (((row, own), asked), texts) in rows.iter_mut().zip(own).zip(column).zip(&mut texts) {
            let own = if expected && !asked.is_empty() && own == Test::Anything {
                Test::Not(Box::new(Test::Unknown))
            } else {
                own
            };
            // Columns are put together from the last to the first.
            for (_, node) in conditions.iter().rev() {
                let holds = asked.iter().find(|one| one.node == *node).map(|one| one.holds);
                row.tests.push(holds.map_or(Test::Anything, |holds| Test::Equal(Value::Boolean(holds))));
                let shown = |holds| if holds { "yes" } else { "no" };
                row.texts.push(holds.map_or("-", shown).to_owned());
            }
            row.tests.push(own);
            row.texts.push(texts.pop().unwrap_or_default());
        }
        let condition = |(text, node)| TableColumn { text, node, ty: Type::BOOLEAN, is_condition: true };
        columns.extend(conditions.into_iter().rev().map(condition));
        let (text, Typed { node, ty, .. }) = (input.text.value().to_string(), input.typed);
        columns.push(TableColumn { text, node, ty, is_condition: false });
    }
    for row in rows {
        row.tests.reverse();
        row.texts.reverse();
    }
    columns.reverse();
    columns
}
