//! Finds prices out of order: a table that gives a better score or grade a worse price or a smaller amount. Grades are
//! outputs whose `values` are listed from the best. Reports only what is certain.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::abstract_eval::conversions::skip_conversions;
use crate::authoring::analysis::abstract_eval::tables::{Domain, example_in_piece, may_hold};
use crate::authoring::analysis::findings::grades::{
    Graded, Price, format_output_value, letter_grade_order, price_effect_of,
};
use crate::authoring::analysis::findings::{offer_order, price_columns};
use crate::authoring::analysis::monotonicity::Monotonicity;
use crate::authoring::analysis::monotonicity::direction::Direction;
use crate::base::diagnostic::Diagnostic;
use crate::rules::Policy;
use crate::rules::axis::{Piece, format_typed_value, intersect_pieces};
use crate::rules::graph::{NodeId, Repr};
use crate::rules::program::{DecisionTable, HitPolicy, Output, OutputCell, Program, Value};

/// Most pieces that the search of one table examines.
const STEPS_MAX: usize = 200_000;

/// Finds all prices out of order.
pub(in crate::authoring::analysis) fn check_price_order(
    policy: &Policy,
    eval: &AbstractEval,
    found: &mut Vec<Diagnostic>,
) {
    let graded = list_graded_values(&policy.program, eval);
    let mut reported = HashSet::new();
    for (index, table) in policy.program.tables.iter().enumerate() {
        let Some(domain) = eval.domain(index) else { continue };
        for (along, (_, node)) in table.inputs.iter().enumerate() {
            for grade in graded.iter().filter(|grade| grade.node == skip_conversions(&policy.program.graph, *node)) {
                check_table(policy, eval, (table, domain, along), grade, &mut reported, found);
            }
        }
    }
    for (table, grade) in policy.program.tables.iter().flat_map(|table| graded.iter().map(move |grade| (table, grade)))
    {
        price_columns::check_price_columns(policy, eval, (table, grade), &mut reported, found);
    }
    for grade in &graded {
        offer_order::check_offer_order(policy, eval, grade, &reported, found);
    }
}

/// The score, text outputs whose values are listed, and the grades A, B, C.
fn list_graded_values<'p>(program: &'p Program, eval: &AbstractEval) -> Vec<Graded<'p>> {
    let score = program.score.as_ref();
    let mut graded: Vec<Graded<'p>> = score
        .map(|score| Graded {
            name: "score".into(),
            node: score.node,
            values: Cow::default(),
            first_is_best: Some(true),
        })
        .into_iter()
        .collect();
    for table in &program.tables {
        for (column, output) in table.outputs.iter().enumerate().filter(|(_, output)| output.ty.repr == Repr::Text) {
            let of =
                |values, first_is_best| Graded { name: output.name.clone(), node: output.node, values, first_is_best };
            if output.values.len() > 1 {
                let is_first = first_is_best(program, eval, table, output, &output.values);
                graded.push(of(Cow::Borrowed(&*output.values), is_first));
            } else if let Some(letters) = letter_grade_order(table, column, &output.name)
                // Where a higher score gives the later letter, the letters may mean something else.
                && first_is_best(program, eval, table, output, &letters) == Some(true)
            {
                graded.push(of(Cow::Owned(letters), Some(true)));
            }
        }
    }
    graded
}

/// Whether the first grade is the best. A higher score gets the better grade. Without a score, or one that moves
/// the grade in no known direction, the first is the best, except where the order only says which row wins.
fn first_is_best(
    program: &Program,
    eval: &AbstractEval,
    table: &DecisionTable,
    output: &Output,
    values: &[Value],
) -> Option<bool> {
    let by_score = program.score.as_ref().map(|score| {
        let directions = Monotonicity::along(program, eval, score.node);
        directions.ranked(output.node, values)
    });
    match by_score {
        Some(Direction::Increasing) => Some(true),
        Some(Direction::Decreasing) => Some(false),
        Some(Direction::Constant | Direction::Unknown) | None => match table.hit_policy {
            HitPolicy::Priority | HitPolicy::OutputOrder => None,
            HitPolicy::First | HitPolicy::Unique | HitPolicy::Any | HitPolicy::RuleOrder | HitPolicy::Collect(_) => {
                Some(true)
            }
        },
    }
}

fn check_table(
    policy: &Policy,
    eval: &AbstractEval,
    (table, domain, along): (&DecisionTable, &Domain, usize),
    grade: &Graded<'_>,
    reported: &mut HashSet<NodeId>,
    found: &mut Vec<Diagnostic>,
) {
    if !matches!(table.hit_policy, HitPolicy::First | HitPolicy::Unique | HitPolicy::Any) {
        return;
    }
    let steps = ordered_pieces(domain, along, grade);
    for (column, output) in table.outputs.iter().enumerate() {
        let number = |row: usize| match table.rows.get(row)?.values.get(column)? {
            OutputCell::Value(value) if !matches!(value, Value::Text(_) | Value::Boolean(_)) => value.float(),
            _ => None,
        };
        let values: Vec<Option<f64>> = (0..table.rows.len()).map(number).collect();
        if values.iter().all(Option::is_none) {
            continue;
        }
        let Some(price) = price_effect_of(&policy.program, eval, output.node) else { continue };
        let search = |first_is_best: bool| {
            let mut search = PriceSearch {
                domain,
                along,
                steps: &steps,
                values: &values,
                first_is_best,
                price,
                left: STEPS_MAX,
                point: Vec::new(),
            };
            let rows = (0..table.rows.len() as u32).collect();
            search.column(0, rows)
        };
        let wrong = match grade.first_is_best {
            Some(first_is_best) => search(first_is_best),
            // Both directions are an order, so only prices that are in neither are reported.
            None => search(false).and(search(true)),
        };
        let Some(wrong) = wrong else { continue };
        reported.insert(output.node);
        let message =
            describe_wrong_prices((policy, eval), (table, domain, along), grade, (output, price, &values), &wrong);
        let better = wrong.better.0;
        let label = match (price, grade.values.is_empty()) {
            (Price::Dearer, true) => "dearer with a better score",
            (Price::Dearer, false) => "dearer with a better grade",
            (Price::Larger, _) => "less for a better customer",
        };
        let help = "put the rows in order, or allow it: # check allow price-order: why";
        found.push(Diagnostic::warning("price-order", table.rows[better].span, message).label(label).help(help));
    }
}

/// Describes the two rows, their prices, and values that hit them.
fn describe_wrong_prices(
    (policy, eval): (&Policy, &AbstractEval),
    (table, domain, along): (&DecisionTable, &Domain, usize),
    grade: &Graded<'_>,
    (output, price, values): (&Output, Price, &[Option<f64>]),
    wrong: &Wrong,
) -> String {
    let row = |row: usize| {
        let amount = format_output_value(policy, output, values[row].unwrap_or(0.0));
        format!("row {} (`{}`) has {amount}", row + 1, table.rows[row].texts[along])
    };
    let at = |column: usize, piece: u32| {
        format!("{} = {}", table.inputs[column].0, example_of(policy, eval, table, domain, column, piece))
    };
    let is_asked = |(column, _): &&(usize, u32)| domain.grid.axes[*column].cells.len() > 1;
    let others: Vec<String> = wrong.point.iter().filter(is_asked).map(|(column, piece)| at(*column, *piece)).collect();
    let with = if others.is_empty() { String::new() } else { format!(", with {}", others.join(", ")) };
    let more = if price == Price::Dearer { "higher" } else { "smaller" };
    let graded = if grade.values.is_empty() { "score".to_string() } else { format!("`{}`", grade.name) };
    let (better, worse) = (row(wrong.better.0), row(wrong.worse.0));
    let (high, low) = (at(along, wrong.better.1), at(along, wrong.worse.1));
    format!(
        "a better {graded} may get a {more} `{}`: {better}, {worse}; for example at {high} and {low}{with}",
        output.name
    )
}

fn example_of(
    policy: &Policy,
    eval: &AbstractEval,
    table: &DecisionTable,
    domain: &Domain,
    column: usize,
    piece: u32,
) -> String {
    let (axis, ty) = (&domain.grid.axes[column], domain.types[column]);
    let value = example_in_piece(&axis.pieces[piece as usize], ty, eval.at(table.inputs[column].1));
    value.map_or("unknown".to_string(), |value| format_typed_value(&value, ty, &policy.header.currency))
}

/// The possible pieces of the graded column, in order: descending for a score, as listed for a grade.
fn ordered_pieces(domain: &Domain, along: usize, grade: &Graded<'_>) -> Vec<u32> {
    let axis = &domain.grid.axes[along];
    let known = intersect_pieces(&domain.fits[along], &[(0, axis.unknown())]);
    let pieces: Vec<u32> = known.iter().flat_map(|(start, end)| *start..*end).collect();
    if grade.values.is_empty() {
        return pieces.into_iter().rev().collect();
    }
    let rank = |piece: u32| match &axis.pieces[piece as usize] {
        Piece::At(value) => grade.values.iter().position(|known| known == value),
        _ => None,
    };
    let mut ranked: Vec<(usize, u32)> = pieces.into_iter().filter_map(|piece| Some((rank(piece)?, piece))).collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, piece)| piece).collect()
}

/// Two rows, each with the piece of the graded column at which it counts, and the pieces of the other columns.
struct Wrong {
    better: (usize, u32),
    worse: (usize, u32),
    point: Vec<(usize, u32)>,
}

struct PriceSearch<'d> {
    domain: &'d Domain,
    along: usize,
    steps: &'d [u32],
    values: &'d [Option<f64>],
    first_is_best: bool,
    price: Price,
    left: usize,
    point: Vec<(usize, u32)>,
}

impl PriceSearch<'_> {
    /// Fixes a piece of this column, then of those after it. Examines the graded column last.
    fn column(&mut self, column: usize, rows: Vec<u32>) -> Option<Wrong> {
        if column == self.domain.fits.len() {
            return self.along(&rows);
        }
        if column == self.along {
            return self.column(column + 1, rows);
        }
        let axis = &self.domain.grid.axes[column];
        let speaks_of_all = axis.cells.iter().all(|cell| *cell == axis.all());
        let mut before: Option<Vec<u32>> = None;
        for piece in self.domain.fits[column].iter().flat_map(|(start, end)| *start..*end) {
            // An undecided cell makes all outputs unknown.
            if piece == axis.unknown() && !axis.expects_unknown && !speaks_of_all {
                continue;
            }
            self.left = self.left.checked_sub(rows.len() + 1)?;
            let fitting = |row: &u32| may_hold(axis.row(*row as usize), piece);
            let inner: Vec<u32> = rows.iter().copied().filter(fitting).collect();
            if before.as_ref() == Some(&inner) {
                continue;
            }
            self.point.push((column, piece));
            let wrong = self.column(column + 1, inner.clone());
            if wrong.is_some() {
                return wrong;
            }
            self.point.pop();
            before = Some(inner);
        }
        None
    }

    fn along(&mut self, rows: &[u32]) -> Option<Wrong> {
        self.left = self.left.checked_sub((rows.len() + 1) * self.steps.len())?;
        let axis = &self.domain.grid.axes[self.along];
        let hit = |piece: u32| rows.iter().copied().find(|row| may_hold(axis.row(*row as usize), piece));
        // A worse grade must not be cheaper than the dearest of the better ones so far.
        let mut worst: Option<(f64, usize, u32)> = None;
        let steps: Vec<u32> =
            if self.first_is_best { self.steps.to_vec() } else { self.steps.iter().rev().copied().collect() };
        for piece in steps {
            let Some(row) = hit(piece) else { continue };
            let Some(value) = self.values[row as usize] else { continue };
            let cost = if self.price == Price::Dearer { value } else { -value };
            match worst {
                Some((before, better, at)) if before > cost => {
                    let point = std::mem::take(&mut self.point);
                    return Some(Wrong { better: (better, at), worse: (row as usize, piece), point });
                }
                Some((before, ..)) if before >= cost => {}
                _ => worst = Some((cost, row as usize, piece)),
            }
        }
        None
    }
}
