//! Findings about tables and score items: rows and bins that are never reached, and values that match no row.
//! Rows that overlap are an error of the file: `rules/check/judgement/overlap`.

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::tables;
use crate::authoring::analysis::abstract_eval::tables::{Domain, possible_pieces, table_search_budget};
use crate::authoring::analysis::names::NodeNames;
use crate::authoring::analysis::ranges::describe_value_set;
use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::Policy;
use crate::rules::axis::{Axis, Fits, format_typed_value, intersect_pieces, subtract_pieces};
use crate::rules::grid::{GaveUp, Grid};
use crate::rules::program::{DecisionTable, DecisionTableRow, HitPolicy, Output, OutputCell, ScoreItem};

/// Bins whose values the item never has, and values that no bin takes. The compiler reports bins covered by others.
pub(in crate::authoring::analysis) fn find_unreached_bins(
    policy: &Policy,
    item: &ScoreItem,
    eval: &AbstractEval,
    names: &NodeNames,
) -> Vec<Diagnostic> {
    let ty = policy.type_of(item.on);
    let axis = Axis::new(ty, item.bins.iter().map(|bin| (bin.text.as_str(), &bin.test)));
    let may_be = possible_pieces(&axis, ty, eval.at(item.on));
    let mut found = Vec::new();
    for (index, bin) in item.bins.iter().enumerate() {
        // A bin for unknown values is prudent, even if there are none.
        let known = intersect_pieces(axis.row(index), &[(0, axis.unknown())]);
        if !known.is_empty() && intersect_pieces(&known, &may_be).is_empty() {
            let name = names.name(item.on).unwrap_or(&item.text);
            let is = describe_value_set(eval.at(item.on), ty, &policy.header.currency);
            let message = format!("this bin is never reached: `{name}` is {is}");
            let diagnostic = Diagnostic::warning("unreachable", bin.span, message);
            found.push(diagnostic.label("never reached").help("delete it, or fix its bounds"));
        }
    }
    for (index, bin) in item.bins.iter().enumerate().filter(|_| !axis.expects_unknown) {
        let left = (0..index).fold(axis.row(index).clone(), |left, earlier| subtract_pieces(&left, axis.row(earlier)));
        // The bins before it take all known values. Unknown ones remain, but no bin mentions them.
        if left == [(axis.unknown(), axis.unknown() + 1)] {
            let name = names.name(item.on).unwrap_or(&item.text);
            let message = format!("this bin is never reached: earlier bins match every known `{name}`");
            let diagnostic = Diagnostic::warning("unreachable", bin.span, message);
            let help = "it does not match unknown values either: write `unknown` to match them, or delete it";
            found.push(diagnostic.label("never reached").help(help));
        }
    }
    let known = intersect_pieces(&may_be, &[(0, axis.unknown())]);
    let left = (0..item.bins.len()).fold(known, |left, index| subtract_pieces(&left, axis.row(index)));
    if let Some((piece, _)) = left.first() {
        let value = tables::example_in_piece(&axis.pieces[*piece as usize], ty, eval.at(item.on));
        let value =
            value.map_or("unknown".to_string(), |value| format_typed_value(&value, ty, &policy.header.currency));
        let message = format!("no bin matches {} = {value}", item.text);
        let help = "the score is unknown there; add a bin, for example - as the last one";
        found.push(Diagnostic::warning("gap", item.span, message).label("has a gap").help(help));
    }
    found
}

/// Rows that no value reaches: their inputs never have such values, or earlier rows take all of them.
pub(in crate::authoring::analysis) fn find_unreached_rows(
    policy: &Policy,
    index: usize,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let table = &policy.program.tables[index];
    let Some(domain) = eval.domain(index) else { return };
    for (number, row) in table.rows.iter().enumerate() {
        if let Some(column) = domain.impossible_column(number) {
            let ((name, node), place) = (&table.inputs[column], number + 1);
            let is = describe_value_set(eval.at(*node), policy.type_of(*node), &policy.header.currency);
            let asked = &row.texts[column];
            let message = format!(
                "row {place} of `{}` is never reached: it needs {name} `{asked}`, but {name} is {is}",
                table.name
            );
            let diagnostic = Diagnostic::warning("unreachable", row.span, message);
            found.push(diagnostic.label("never reached").help("delete it, or fix its cells"));
        }
    }
    if table.hit_policy == HitPolicy::First && find_shadowed_rows(table, domain, found) == Err(GaveUp) {
        found.push(not_searched(table, "rows that earlier rows cover"));
    }
    if table.hit_policy == HitPolicy::Priority && find_outranked_rows(table, domain, found) == Err(GaveUp) {
        found.push(not_searched(table, "rows that rows of a better rank cover"));
    }
    if table.hit_policy != HitPolicy::First && domain.grid.meetings().is_err() {
        found.push(not_searched(table, "rows that overlap"));
    }
}

/// Rows that the rows before them cover together.
fn find_shadowed_rows(table: &DecisionTable, domain: &Domain, found: &mut Vec<Diagnostic>) -> Result<(), GaveUp> {
    let meetings = domain.grid.meetings()?;
    // Only unknowns that leave cells undecided can stop at a row that they do not fit.
    let may_stop = |(axis, fits): (&Axis, &Fits)| !axis.expects_unknown && tables::may_hold(fits, axis.unknown());
    let stops = match domain.grid.axes.iter().zip(&domain.fits).any(may_stop) {
        true => Some(stopping(&domain.grid)),
        false => None,
    };
    let (mut budget, mut for_unknown) = (table_search_budget(), table_search_budget());
    for (number, row) in table.rows.iter().enumerate().skip(1) {
        let target = domain.row(number);
        if target.iter().any(Vec::is_empty) {
            continue;
        }
        let before = meetings.before(number);
        let left = match before.is_empty() {
            true => continue,
            false => domain.grid.left_over(&target, &before, &mut budget)?,
        };
        let unknown = match (left, &stops) {
            (None, _) => None,
            (Some(_), None) => continue,
            (Some(point), Some(grid)) => {
                let is_unknown = |(piece, axis): (&u32, &Axis)| *piece == axis.unknown() && !axis.expects_unknown;
                let earlier: Vec<u32> = (0..number as u32).collect();
                // Known values that are left over reach the row. Only unknown ones may have stopped before.
                let column = point.iter().zip(&domain.grid.axes).position(is_unknown);
                if column.is_none() || grid.left_over(&target, &earlier, &mut for_unknown)?.is_some() {
                    continue;
                }
                column
            }
        };
        let alone = before.iter().find(|earlier| domain.grid.left_over(&target, &[**earlier], &mut budget) == Ok(None));
        let (by, help) = match (unknown, alone) {
            (Some(column), _) => (
                format!(
                    "earlier rows match all known values that it matches, and where {} is unknown they make the \
                     outputs unknown",
                    table.inputs[column].0
                ),
                "if it is meant for unknown values, write `unknown` in its cell",
            ),
            (None, Some(earlier)) => {
                (format!("row {} already matches everything it matches", earlier + 1), "move it up or delete it")
            }
            (None, None) => {
                ("earlier rows together already match everything it matches".to_string(), "move it up or delete it")
            }
        };
        let message = format!("row {} of `{}` is never reached: {by}", number + 1, table.name);
        let diagnostic = Diagnostic::warning("unreachable", row.span, message);
        found.push(diagnostic.label("never reached").help(help));
    }
    Ok(())
}

/// The table with unknowns fitting every cell that they leave undecided, because no later row is reached then.
fn stopping(grid: &Grid) -> Grid {
    let mut grid = grid.clone();
    for axis in grid.axes.iter_mut().filter(|axis| !axis.expects_unknown) {
        let unknown = axis.unknown();
        for cell in &mut axis.cells {
            if !tables::may_hold(cell, unknown) {
                cell.push((unknown, unknown + 1));
            }
        }
    }
    grid
}

/// Rows that never win, because rows of a better rank fit all that they fit.
fn find_outranked_rows(table: &DecisionTable, domain: &Domain, found: &mut Vec<Diagnostic>) -> Result<(), GaveUp> {
    let ranks: Vec<Vec<usize>> = table.rows.iter().map(|row| rank_of_table_row(table, row)).collect();
    let mut budget = table_search_budget();
    for (number, row) in table.rows.iter().enumerate() {
        let target = domain.row(number);
        let better: Vec<u32> = (0..table.rows.len())
            .filter(|other| ranks[*other] < ranks[number] || (ranks[*other] == ranks[number] && *other < number))
            .map(|other| other as u32)
            .collect();
        if better.is_empty() || target.iter().any(Vec::is_empty) {
            continue;
        }
        if domain.grid.left_over(&target, &better, &mut budget)?.is_none() {
            let place = number + 1;
            let message = format!(
                "row {place} of `{}` is never reached: rows ranked before it already match everything it matches",
                table.name
            );
            let diagnostic = Diagnostic::warning("unreachable", row.span, message);
            found.push(diagnostic.label("never wins").help("delete it, or fix the cells or the order of `values`"));
        }
    }
    Ok(())
}

/// The rank as in the evaluator: by the outputs that list values, the first output first.
fn rank_of_table_row(table: &DecisionTable, row: &DecisionTableRow) -> Vec<usize> {
    let ranked = table.outputs.iter().zip(&row.values).filter(|(output, _)| !output.values.is_empty());
    let place = |(output, cell): (&Output, &OutputCell)| match cell {
        OutputCell::Value(value) => output.values.iter().position(|known| known == value).unwrap_or(usize::MAX),
        OutputCell::Expression(..) => usize::MAX,
    };
    ranked.map(place).collect()
}

/// Possible values that no row matches, with an example.
pub(in crate::authoring::analysis) fn find_table_gaps(
    policy: &Policy,
    index: usize,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    // Conditions are searched as if each could hold or not, which would show gaps that cannot be.
    if policy.program.tables[index].conditions.contains(&true) {
        return;
    }
    let table = &policy.program.tables[index];
    let Some(domain) = eval.domain(index).filter(|_| table.otherwise.is_none() && !table.hit_policy.is_many()) else {
        return;
    };
    match domain.gap_of_known() {
        Err(GaveUp) => return found.push(not_searched(table, "values that no row matches")),
        Ok(Some(point)) => {
            let values = example_input_values(policy, table, (domain, eval), point);
            let message = format!("no row of `{}` matches {values}", table.name);
            let help = "its outputs are unknown there; add a row, for example one with - in every column";
            found.push(Diagnostic::warning("gap", table.span, message).label("has a gap").help(help));
        }
        Ok(None) => {}
    }
    // If no cell of a column mentions unknowns, an unknown makes the outputs unknown on purpose. If one does, a row
    // should take it.
    let speaks = domain.grid.axes.iter().any(|axis| axis.expects_unknown);
    if let Ok(Some(point)) = domain.gap()
        && speaks
        && point.iter().zip(&domain.grid.axes).any(|(piece, axis)| *piece == axis.unknown() && axis.expects_unknown)
        && *domain.gap_of_known() == Ok(None)
    {
        let values = example_input_values(policy, table, (domain, eval), point);
        let message = format!("no row of `{}` matches {values}", table.name);
        let help = "some row tests for `unknown`, but none matches here; add a row for it";
        found.push(Diagnostic::warning("gap", table.span, message).label("has a gap").help(help));
    }
}

/// `name = value` for every input that matters.
fn example_input_values(
    policy: &Policy,
    table: &DecisionTable,
    (domain, eval): (&Domain, &AbstractEval),
    point: &[u32],
) -> String {
    let mut values = Vec::new();
    for (column, (name, node)) in table.inputs.iter().enumerate() {
        let (axis, ty) = (&domain.grid.axes[column], domain.types[column]);
        if axis.cells.iter().all(|cell| *cell == axis.all()) {
            continue;
        }
        let value = tables::example_in_piece(&axis.pieces[point[column] as usize], ty, eval.at(*node));
        let value =
            value.map_or("unknown".to_string(), |value| format_typed_value(&value, ty, &policy.header.currency));
        values.push(format!("{name} = {value}"));
    }
    if values.is_empty() { "anything".to_string() } else { values.join(", ") }
}

fn not_searched(table: &DecisionTable, what: &str) -> Diagnostic {
    let message = format!("the table `{}` is too large to be searched completely for {what}", table.name);
    let span: Span = table.span;
    let help = "nothing was found in the part that was searched; a smaller table can be searched completely";
    Diagnostic::warning("not-searched", span, message).label("not searched completely").help(help)
}
