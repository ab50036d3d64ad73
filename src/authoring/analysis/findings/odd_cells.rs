//! Finds a number in an output's column that is far from all others: a share among percents, kobo among naira.

use crate::authoring::analysis::findings::offers::INTEREST_LOW;
use crate::base::diagnostic::Diagnostic;
use crate::rules::Policy;
use crate::rules::axis::format_typed_value;
use crate::rules::program::{DecisionTable, Output, OutputCell, Value};

/// How many times the others a number is, or they are it. One of them was then written in another unit.
const FAR: f64 = 50.0;

/// Fewest numbers of a column that say what is usual.
const USUAL_MIN: usize = 3;

pub(in crate::authoring::analysis) fn find_odd_cells(policy: &Policy, found: &mut Vec<Diagnostic>) {
    for table in &policy.program.tables {
        for (column, output) in table.outputs.iter().enumerate() {
            found.extend(odd_cell_of(policy, table, column, output));
        }
    }
}

fn odd_cell_of(policy: &Policy, table: &DecisionTable, column: usize, output: &Output) -> Option<Diagnostic> {
    let number = |(row, cell): (usize, Option<&'_ OutputCell>)| match cell? {
        OutputCell::Value(value @ (Value::Int(_) | Value::Rational(_) | Value::Float(_))) => {
            let of = value.float()?;
            (of > 0.0).then_some(())?;
            Some((row, of))
        }
        _ => None,
    };
    let cells: Vec<(usize, f64)> =
        table.rows.iter().map(|row| row.values.get(column)).enumerate().filter_map(number).collect();
    let is_interest =
        policy.program.offers.iter().any(|offer| policy.program.graph.carried(offer.interest) == output.node);
    let (row, is_low) = (0..cells.len()).find_map(|at| {
        let (row, value) = cells[at];
        let others = || cells.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (_, value))| *value);
        let (least, greatest) = (others().fold(f64::MAX, f64::min), others().fold(0.0, f64::max));
        let is_share = is_interest && cells.len() > 1 && value <= INTEREST_LOW && least >= 1.0;
        let is_usual = cells.len() >= USUAL_MIN && greatest / least < FAR;
        let is_low = is_share || (is_usual && value * FAR <= least);
        (is_low || (is_usual && value >= greatest * FAR)).then_some((row, is_low))
    })?;
    let row_of = &table.rows[row];
    let shown = |row: usize| match table.rows[row].values.get(column) {
        Some(OutputCell::Value(value)) => format_typed_value(value, output.ty, &policy.header.currency),
        _ => String::new(),
    };
    let others = cells.iter().filter(|(other, _)| *other != row).map(|(other, _)| shown(*other)).take(5);
    let others = others.collect::<Vec<_>>().join(", ");
    let (far, help) = match (is_low, is_interest) {
        (true, true) => ("far below", "interest is in percent: 1.5 % is written 1.5, not 0.015"),
        (true, false) => {
            ("far below", "write it in the same unit as the others, or allow it: # check allow odd-cell: why")
        }
        (false, _) => ("far above", "write it in the same unit as the others: money is in major units"),
    };
    let message = format!(
        "`{}` of row {} in `{}` is {}, {far} all others: {others}",
        output.name,
        row + 1,
        table.name,
        shown(row)
    );
    Some(Diagnostic::warning("odd-cell", row_of.span, message).label(far).help(help))
}
