//! Step functions: the points of a score item over its value, the outputs of a table over one of its inputs.
//! Examined piece by piece for every combination of pieces of the other inputs, so the answer is exact.

use crate::authoring::analysis::abstract_eval::tables::{Domain, possible_pieces};
use crate::authoring::analysis::abstract_eval::values::Values;
use crate::authoring::analysis::monotonicity::Direction;
use crate::rules::Type;
use crate::rules::axis::{Axis, Fits, intersect_pieces, subtract_pieces};
use crate::rules::program::{DecisionTable, HitPolicy, ScoreItem};

/// Most pieces that the search of one table examines.
const STEPS_MAX: usize = 2_000_000;

/// The direction of the points over the possible values.
pub(in crate::authoring::analysis) fn of_points(item: &ScoreItem, ty: Type, on: &Values) -> Direction {
    let axis = Axis::new(ty, item.bins.iter().map(|bin| (bin.text.as_str(), &bin.test)));
    let known = intersect_pieces(&possible_pieces(&axis, ty, on), &[(0, axis.unknown())]);
    let mut gains: Vec<(u32, f64)> = Vec::new();
    let mut left = known;
    for index in 0..item.bins.len() {
        let taken = intersect_pieces(&left, axis.row(index));
        let gain = item.bins[index].gain.float().unwrap_or(f64::NAN);
        gains.extend(taken.iter().map(|(start, _)| (*start, gain)));
        left = subtract_pieces(&left, axis.row(index));
    }
    gains.sort_by_key(|(start, _)| *start);
    sequence_direction(gains.into_iter().map(|(_, gain)| gain))
}

/// The direction of a sequence.
fn sequence_direction(values: impl Iterator<Item = f64>) -> Direction {
    let (mut least, mut most, mut direction) = (f64::INFINITY, f64::NEG_INFINITY, Direction::Constant);
    for value in values {
        if value < most {
            direction = direction.and(Direction::Decreasing);
        }
        if value > least {
            direction = direction.and(Direction::Increasing);
        }
        (least, most) = (least.min(value), most.max(value));
    }
    direction
}

/// The direction of `row_value` when the input of one column grows and everything else stays. The index after the last
/// row is that of `otherwise`.
pub(in crate::authoring::analysis) fn of_table(
    table: &DecisionTable,
    domain: &Domain,
    along: usize,
    row_value: &dyn Fn(usize) -> Option<f64>,
) -> Direction {
    // With other hit policies, the output does not follow from the first fitting row.
    if !matches!(table.hit_policy, HitPolicy::First | HitPolicy::Unique | HitPolicy::Any) {
        return Direction::Unknown;
    }
    let values: Vec<Option<f64>> = (0..table.rows.len()).map(row_value).collect();
    let otherwise = table.otherwise.as_ref().and_then(|_| row_value(table.rows.len()));
    if values.iter().any(Option::is_none) || (table.otherwise.is_some() && otherwise.is_none()) {
        return Direction::Unknown;
    }
    let rows = (0..table.rows.len() as u32).collect();
    let mut slices = Slices { domain, along, values, otherwise, direction: Direction::Constant, left: STEPS_MAX };
    slices.column(0, rows);
    slices.direction
}

struct Slices<'d> {
    domain: &'d Domain,
    along: usize,
    values: Vec<Option<f64>>,
    otherwise: Option<f64>,
    direction: Direction,
    left: usize,
}

impl Slices<'_> {
    fn spend(&mut self, steps: usize) -> bool {
        match self.left.checked_sub(steps) {
            Some(left) => self.left = left,
            // Pieces that were not examined may move either way.
            None => self.direction = Direction::Unknown,
        }
        self.direction != Direction::Unknown
    }

    /// Fixes a piece of this column, then of those after it.
    fn column(&mut self, column: usize, rows: Vec<u32>) {
        if column == self.domain.fits.len() {
            return self.along(&rows);
        }
        if column == self.along {
            return self.column(column + 1, rows);
        }
        let mut before: Option<Vec<u32>> = None;
        let axis = &self.domain.grid.axes[column];
        for piece in pieces(&self.domain.fits[column]) {
            if !self.spend(rows.len() + 1) {
                return;
            }
            let fitting =
                |row: &u32| crate::authoring::analysis::abstract_eval::tables::may_hold(axis.row(*row as usize), piece);
            let inner: Vec<u32> = rows.iter().copied().filter(fitting).collect();
            if before.as_ref() != Some(&inner) {
                self.column(column + 1, inner.clone());
                before = Some(inner);
            }
        }
    }

    /// With everything else fixed, the results from the least piece to the greatest.
    fn along(&mut self, rows: &[u32]) {
        let axis = &self.domain.grid.axes[self.along];
        let known = intersect_pieces(&self.domain.fits[self.along], &[(0, axis.unknown())]);
        let pieces: Vec<u32> = pieces(&known).collect();
        if !self.spend((rows.len() + 1) * pieces.len()) {
            return;
        }
        let value = |piece: u32| {
            let row = rows.iter().find(|row| {
                crate::authoring::analysis::abstract_eval::tables::may_hold(axis.row(**row as usize), piece)
            });
            row.map_or(self.otherwise, |row| self.values[*row as usize])
        };
        let direction = sequence_direction(pieces.into_iter().filter_map(value));
        self.direction = self.direction.and(direction);
    }
}

fn pieces(fits: &Fits) -> impl Iterator<Item = u32> + '_ {
    fits.iter().flat_map(|(start, end)| *start..*end)
}
