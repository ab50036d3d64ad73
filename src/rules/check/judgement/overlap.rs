//! Finds rows of a table that overlap where they must not, and bins of a score that are never reached.

use crate::base::diagnostic::Diagnostic;
use crate::base::money::Currency;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::program::axis::{Axis, Fits, format_typed_value, intersect_pieces, subtract_pieces};
use crate::rules::program::grid::Grid;
use crate::rules::program::{Bin, DecisionTableRow, HitPolicy};
use crate::rules::types::Type;

/// Reports rows that both fit a value although the hit policy forbids it.
pub(in crate::rules) fn report_overlapping_rows(
    mistakes: &mut Mistakes,
    currency: Currency,
    table: &str,
    policy: HitPolicy,
    inputs: &[(String, Type)],
    rows: &[DecisionTableRow],
) {
    let help = match policy {
        HitPolicy::First
        | HitPolicy::Priority
        | HitPolicy::RuleOrder
        | HitPolicy::OutputOrder
        | HitPolicy::Collect(_) => return,
        HitPolicy::Unique => "change the cells so that they do not overlap, or set hit = \"first\"",
        HitPolicy::Any => {
            "give the rows the same outputs, change the cells so that they do not overlap, or set hit = \"first\""
        }
    };
    let grid = Grid::new(inputs.iter().map(|(_, ty)| *ty), rows);
    // The analysis reports tables that are too long to search. Two fitting rows make their outputs unknown.
    let Ok(meetings) = grid.meetings() else { return };
    for later in 1..rows.len() {
        let disagrees =
            |earlier: &u32| policy == HitPolicy::Unique || rows[*earlier as usize].values != rows[later].values;
        let Some(earlier) = meetings.before(later).into_iter().find(disagrees) else { continue };
        let values = example_of_overlap(currency, &grid, inputs, earlier as usize, later);
        let (first, second) = (earlier + 1, later + 1);
        let message = format!("rows {first} and {second} of `{table}` both match {values}");
        let diagnostic = Diagnostic::error("overlap", rows[later].span, message);
        mistakes.push(diagnostic.label(format!("overlaps row {first}")).help(help));
    }
}

/// Values that both rows fit, for people.
fn example_of_overlap(
    currency: Currency,
    grid: &Grid,
    inputs: &[(String, Type)],
    earlier: usize,
    later: usize,
) -> String {
    let column = |(axis, (name, ty)): (&Axis, &(String, Type))| {
        let both = intersect_pieces(axis.row(earlier), axis.row(later));
        if both == axis.all() || both == [(0, axis.unknown())] {
            return None;
        }
        Some(format!("{name} = {}", of_piece(currency, axis, &both, *ty)?))
    };
    let values: Vec<String> = grid.axes.iter().zip(inputs).filter_map(column).collect();
    if values.is_empty() { "everything".to_string() } else { values.join(", ") }
}

fn of_piece(currency: Currency, axis: &Axis, fits: &Fits, ty: Type) -> Option<String> {
    let pieces = fits.iter().flat_map(|(start, end)| *start..*end).map(|piece| &axis.pieces[piece as usize]);
    // A value from a cell is easier to recognize than one in between.
    let named =
        |piece: &&crate::rules::program::axis::Piece| matches!(piece, crate::rules::program::axis::Piece::At(_));
    let piece = pieces.clone().find(named).or(pieces.clone().next())?;
    Some(piece.example(ty).map_or("unknown".to_string(), |value| format_typed_value(&value, ty, &currency)))
}

/// Reports bins that no value reaches.
pub(in crate::rules) fn warn_of_unreached_bins(mistakes: &mut Mistakes, bins: &[Bin], ty: Type) {
    let axis = Axis::new(ty, bins.iter().map(|bin| (bin.text.as_str(), &bin.test)));
    let mut left: Fits = axis.all();
    for (index, bin) in bins.iter().enumerate() {
        let fits = axis.row(index);
        if intersect_pieces(&left, fits).is_empty() {
            let message = "this bin is never reached: earlier bins match everything it matches";
            let diagnostic = Diagnostic::warning("unreachable", bin.span, message);
            mistakes.push(diagnostic.label("never reached").help("the first bin that matches counts"));
        }
        left = subtract_pieces(&left, fits);
    }
}
