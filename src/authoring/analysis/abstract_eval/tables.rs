//! Decision tables and score items on the value sets of their inputs: which rows and bins can be reached, and which
//! values match none.

use std::cell::OnceCell;

use crate::authoring::analysis::abstract_eval::interval::Interval;
use crate::authoring::analysis::abstract_eval::node_values::NodeValues;
use crate::authoring::analysis::abstract_eval::values::{KnownValues, Values};
use crate::rules::axis::{Axis, Fits, Piece, intersect_pieces};
use crate::rules::grid::{Budget, GaveUp, Grid};
use crate::rules::program::{Collected, DecisionTable, HitPolicy, OutputCell, Program, ScoreItem, Value};
use crate::rules::{Repr, Type};

/// Most steps that the search of one table may take.
const STEPS_MAX: usize = 2_000_000;

/// A table as a grid, and the pieces of each column that its input may have.
#[derive(Clone, Debug)]
pub(in crate::authoring::analysis) struct Domain {
    pub grid: Grid,
    pub fits: Vec<Fits>,
    pub types: Vec<Type>,
    /// A possible point that no row fits, with and without unknown inputs. Searched on first use.
    gaps: [OnceCell<Gap>; 2],
}

/// A point that no row fits: one piece per column.
type Gap = Result<Option<Vec<u32>>, GaveUp>;

impl Domain {
    pub(in crate::authoring::analysis) fn new(program: &Program, values: &NodeValues, table: usize) -> Domain {
        let table = &program.tables[table];
        let types: Vec<Type> = table.inputs.iter().map(|(_, node)| program.graph.node(*node).ty).collect();
        let grid = Grid::new(types.iter().copied(), &table.rows);
        let inputs = grid.axes.iter().zip(&table.inputs).zip(&types);
        let fits = inputs.map(|((axis, (_, node)), ty)| possible_pieces(axis, *ty, values.at(*node))).collect();
        Domain { grid, fits, types, gaps: Default::default() }
    }

    /// The possible pieces that a row fits.
    pub(in crate::authoring::analysis) fn row(&self, row: usize) -> Vec<Fits> {
        self.fits.iter().zip(&self.grid.axes).map(|(fits, axis)| intersect_pieces(fits, axis.row(row))).collect()
    }

    /// The first column whose cell in this row no possible value fits.
    pub(in crate::authoring::analysis) fn impossible_column(&self, row: usize) -> Option<usize> {
        self.row(row).iter().position(Vec::is_empty)
    }

    /// The possible pieces without the unknown ones.
    fn known(&self) -> Vec<Fits> {
        let known = |(axis, fits): (&Axis, &Fits)| intersect_pieces(fits, &[(0, axis.unknown())]);
        self.grid.axes.iter().zip(&self.fits).map(known).collect()
    }

    /// A possible point that no row fits, including unknown inputs.
    pub(in crate::authoring::analysis) fn gap(&self) -> &Gap {
        self.gaps[0].get_or_init(|| self.left_over(&self.fits))
    }

    /// A possible point that no row fits, for known inputs only.
    pub(in crate::authoring::analysis) fn gap_of_known(&self) -> &Gap {
        self.gaps[1].get_or_init(|| self.left_over(&self.known()))
    }

    fn left_over(&self, target: &[Fits]) -> Gap {
        let rows: Vec<u32> = (0..self.grid.rows as u32).collect();
        self.grid.left_over(target, &rows, &mut table_search_budget())
    }
}

/// The steps that all searches of one table share.
pub(in crate::authoring::analysis) fn table_search_budget() -> Budget {
    Budget(STEPS_MAX)
}

/// The pieces of a column that its input may have.
pub(in crate::authoring::analysis) fn possible_pieces(axis: &Axis, ty: Type, values: &Values) -> Fits {
    let mut fits: Fits = Vec::new();
    for (number, piece) in axis.pieces.iter().enumerate() {
        if !may_be(piece, ty, values) {
            continue;
        }
        let number = number as u32;
        match fits.last_mut() {
            Some(last) if last.1 == number => last.1 += 1,
            _ => fits.push((number, number + 1)),
        }
    }
    fits
}

fn may_be(piece: &Piece, ty: Type, values: &Values) -> bool {
    match piece {
        Piece::Unknown => values.unknown,
        // A whole number in a cell may mean a fraction, so compare numbers whatever their representation.
        Piece::At(value) => match (&values.known, value.float()) {
            (KnownValues::Numbers(interval), Some(number)) => {
                interval.is_some_and(|interval| interval.contains(number))
            }
            _ => values.holds(Some(value)),
        },
        Piece::Between(low, high) => match &values.known {
            KnownValues::Numbers(None) => false,
            KnownValues::Numbers(Some(interval)) => {
                let met = interval.meet(open_interval_between(low, high));
                if ty.repr == Repr::Int { met.and_then(Interval::of_whole).is_some() } else { met.is_some() }
            }
            KnownValues::Texts(Some(texts)) => texts.iter().any(|text| lies_between(text, low, high)),
            KnownValues::Texts(None) | KnownValues::Anything => true,
            KnownValues::Truth { .. } => false,
        },
    }
}

fn open_interval_between(low: &Option<Value>, high: &Option<Value>) -> Interval {
    let end = |end: &Option<Value>, open: f64| end.as_ref().and_then(Value::float).unwrap_or(open);
    let (low, high) = (end(low, f64::NEG_INFINITY), end(high, f64::INFINITY));
    Interval { low, high, low_closed: false, high_closed: false }
}

/// A possible value in the piece; `None` for unknown.
pub(in crate::authoring::analysis) fn example_in_piece(piece: &Piece, ty: Type, values: &Values) -> Option<Value> {
    let usual = piece.example(ty);
    if usual.as_ref().is_none_or(|usual| values.holds(Some(usual))) {
        return usual;
    }
    match (piece, &values.known) {
        (Piece::Between(low, high), KnownValues::Texts(Some(texts))) => {
            let found = texts.iter().find(|text| lies_between(text, low, high));
            found.cloned().map(Value::Text).or(usual)
        }
        (Piece::Between(low, high), KnownValues::Numbers(Some(interval))) => {
            interval.meet(open_interval_between(low, high)).and_then(|met| number_in_interval(met, ty)).or(usual)
        }
        _ => usual,
    }
}

/// A number of an interval.
fn number_in_interval(interval: Interval, ty: Type) -> Option<Value> {
    if ty.repr == Repr::Int {
        let whole = interval.of_whole()?;
        let end = if whole.low.is_finite() { whole.low } else { whole.high };
        return Some(Value::Int(if end.is_finite() { end as i64 } else { 0 }));
    }
    let (low, high) = (interval.low, interval.high);
    let number = match (low.is_finite(), high.is_finite()) {
        (true, true) => low + (high - low) / 2.0,
        (true, false) => low + 1.0,
        (false, true) => high - 1.0,
        (false, false) => 0.0,
    };
    Some(Value::from_double(number, ty.repr))
}

fn lies_between(text: &str, low: &Option<Value>, high: &Option<Value>) -> bool {
    let above = !matches!(low, Some(Value::Text(low)) if text <= low.as_str());
    above && !matches!(high, Some(Value::Text(high)) if text >= high.as_str())
}

/// The possible indexes of the row that counts; `otherwise` is one past the last row.
pub(in crate::authoring::analysis) fn possible_hit_rows(
    table: &DecisionTable,
    domain: Option<&Domain>,
    ty: Type,
) -> Values {
    let Some(domain) = domain else { return Values::any(ty) };
    // An unknown in a column without a cell for unknowns may leave that cell undecided.
    let undecided = domain.grid.axes.iter().zip(&domain.fits).any(|(axis, fits)| {
        let speaks_of_all = axis.cells.iter().all(|cell| *cell == axis.all());
        may_hold(fits, axis.unknown()) && !axis.expects_unknown && !speaks_of_all
    });
    if table.hit_policy.is_many() {
        return Values { unknown: undecided, known: KnownValues::Anything };
    }
    let covered = table.otherwise.is_some() || *domain.gap() == Ok(None);
    // Overlapping rows of these hit policies were refused, unless the search gave up.
    let apart = !matches!(table.hit_policy, HitPolicy::Unique | HitPolicy::Any) || domain.grid.meetings().is_ok();
    let last = Interval::closed(0.0, table.rows.len() as f64);
    Values::numbers(last, undecided || !covered || !apart)
}

pub(in crate::authoring::analysis) fn may_hold(fits: &Fits, piece: u32) -> bool {
    fits.iter().any(|(start, end)| (*start..*end).contains(&piece))
}

/// One output: the values of the reachable rows and of `otherwise`.
pub(in crate::authoring::analysis) fn output_value_set(
    table: &DecisionTable,
    domain: Option<&Domain>,
    (column, ty): (usize, Type),
    hit: &Values,
    cell_values: impl Fn(&OutputCell) -> Values,
) -> Values {
    let reached = |index: &usize| domain.is_none_or(|domain| domain.impossible_column(*index).is_none());
    let rows = (0..table.rows.len()).filter(reached).filter_map(|index| table.rows[index].values.get(column));
    let cells: Vec<Values> =
        rows.chain(table.otherwise.iter().filter_map(|cells| cells.get(column))).map(cell_values).collect();
    let unknown = hit.unknown || cells.iter().any(|cell| cell.unknown);
    let union = || cells.iter().fold(Values::none(ty), |all, cell| all.or(cell));
    match table.hit_policy {
        HitPolicy::First | HitPolicy::Unique | HitPolicy::Any | HitPolicy::Priority => Values { unknown, ..union() },
        HitPolicy::Collect(Collected::Count) => Values::numbers(Interval::closed(0.0, cells.len() as f64), unknown),
        HitPolicy::Collect(Collected::Sum) => {
            let of = |cell: &Values| cell.interval().unwrap_or(Interval::point(0.0));
            // In the order of the rows, so that rounding is the same. Any row may be missing from the sum.
            let low = cells.iter().fold(0.0, |sum, cell| sum + of(cell).low.min(0.0));
            let high = cells.iter().fold(0.0, |sum, cell| sum + of(cell).high.max(0.0));
            Values::numbers(Interval::closed(low, high).widened(), unknown)
        }
        // Without collected rows there is no least and no greatest.
        HitPolicy::Collect(Collected::Min | Collected::Max) => Values { unknown: true, ..union() },
        HitPolicy::RuleOrder | HitPolicy::OutputOrder | HitPolicy::Collect(Collected::List) => {
            Values { unknown, known: KnownValues::Anything }
        }
    }
}

/// The points of a score item.
pub(in crate::authoring::analysis) fn points_value_set(item: &ScoreItem, ty: Type, on: &Values) -> Values {
    let axis = Axis::new(ty, item.bins.iter().map(|bin| (bin.text.as_str(), &bin.test)));
    let mut left = possible_pieces(&axis, ty, on);
    let mut points = Values::numbers(None, false);
    for index in 0..item.bins.len() {
        let fits = axis.row(index);
        if !intersect_pieces(&left, fits).is_empty() {
            points = points.or(&Values::value(&item.bins[index].gain));
        }
        left = crate::rules::axis::subtract_pieces(&left, fits);
    }
    Values { unknown: !left.is_empty() || (on.unknown && !axis.expects_unknown), ..points }
}
