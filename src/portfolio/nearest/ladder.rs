//! The values that one metric of one customer may have, by how far they are from its own.

use super::actionable::{Direction, Lever};
use crate::base::rational::Rational;
use crate::rules::Repr;
use crate::rules::program::Value;

/// Grids up to this size are tried whole.
const WHOLE: usize = 256;

/// How many values of a larger grid are tried besides those around cut points.
const COARSE: usize = 48;

/// So many steps away at most: beyond, doubles cannot tell one step from the next.
const FARTHEST: i64 = 1 << 53;

/// How many values in between are kept where few are tried.
const BETWEEN: usize = 4;

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LadderRung {
    /// The value; `None` for the customer's own.
    pub value: Option<Value>,
    /// As rule files write it.
    pub shown: f64,
    /// How far it is, by cost and scale.
    pub cost: f64,
    /// Between which cut points of the metric it lies, or on which; unknown values are in none.
    class: Option<usize>,
}

/// All values, the customer's own first, then by distance.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    pub steps: Vec<LadderRung>,
    /// The customer's own value, as rule files write it.
    pub from: Option<f64>,
    /// Whether every value of the grid is there.
    pub is_whole: bool,
}

impl Ladder {
    pub(super) fn new(lever: &Lever, own: Option<&Value>, cuts: &[f64], scale: f64) -> Ladder {
        let from = own.and_then(|own| value_in_written_unit(own, lever));
        let class = |value: &Value| class_of_value(value, cuts);
        let stay = LadderRung { value: None, shown: from.unwrap_or(f64::NAN), cost: 0.0, class: own.and_then(class) };
        let mut ladder = Ladder { steps: vec![stay], from, is_whole: true };
        if own.is_none() && !lever.may_become_known {
            return ladder;
        }
        if let Some(to) = lever.to {
            if own != Some(&Value::Boolean(to)) {
                let (value, shown) = (Value::Boolean(to), f64::from(u8::from(to)));
                let class = class(&value);
                ladder.steps.push(LadderRung { value: Some(value), shown, cost: lever.cost, class });
            }
            return ladder;
        }
        let places = grid_places_to_try(lever, from, cuts, &mut ladder.is_whole);
        for place in places {
            let Some((value, shown)) = value_steps_away(lever, own, place) else { continue };
            let distance = (shown - from.unwrap_or(0.0)).abs();
            let (cost, class) = (lever.cost * distance / scale, class(&value));
            ladder.steps.push(LadderRung { value: Some(value), shown, cost, class });
        }
        // Equal costs keep the smaller value first.
        ladder.steps[1..].sort_by(|one, other| one.cost.total_cmp(&other.cost).then(one.shown.total_cmp(&other.shown)));
        ladder
    }

    /// The nearest place between each two cut points, and on each.
    pub(super) fn first_of_each_class(&self) -> Vec<usize> {
        let mut seen = std::collections::HashSet::new();
        (0..self.steps.len()).filter(|place| seen.insert(self.steps[*place].class)).collect()
    }

    /// Few of some places: the nearest between each two cut points, both ends, and some in between.
    pub(super) fn thin_out(&self, places: &[usize]) -> Vec<usize> {
        let shown = |place: &&usize| self.steps[**place].shown;
        let least = places.iter().min_by(|one, other| shown(one).total_cmp(&shown(other)));
        let greatest = places.iter().max_by(|one, other| shown(one).total_cmp(&shown(other)));
        let between = (0..BETWEEN).filter_map(|part| places.get(places.len() * part / BETWEEN));
        let first = self.first_of_each_class();
        let first = places.iter().filter(|place| first.contains(place));
        let mut few: Vec<usize> = least.into_iter().chain(greatest).chain(between).chain(first).copied().collect();
        few.sort_unstable();
        few.dedup();
        few
    }
}

/// Twice the number of cut points below a value, and one more if it lies on one.
fn class_of_value(value: &Value, cuts: &[f64]) -> Option<usize> {
    if let Value::Boolean(truth) = value {
        return Some(usize::from(*truth));
    }
    let value = value.float()?;
    let below = cuts.partition_point(|cut| *cut < value);
    Some(2 * below + usize::from(cuts.get(below) == Some(&value)))
}

fn value_in_written_unit(value: &Value, lever: &Lever) -> Option<f64> {
    match value {
        Value::Boolean(truth) => Some(f64::from(u8::from(*truth))),
        value => value.float().map(|value| value / lever.minor),
    }
}

/// The places on the grid to try: whole numbers of steps from the customer's own value, or from 0 if it is unknown.
fn grid_places_to_try(lever: &Lever, from: Option<f64>, cuts: &[f64], is_whole: &mut bool) -> Vec<i64> {
    let origin = from.unwrap_or(0.0);
    // A bound on the grid is within it, whatever doubles make of it.
    let slack = 1e-9;
    let is_bound = |direction: Direction| lever.direction == direction && from.is_some();
    let least = (lever.min - origin) / lever.step;
    let low = if is_bound(Direction::Up) { least.max(0.0) } else { least };
    let most = (lever.max - origin) / lever.step;
    let high = if is_bound(Direction::Down) { most.min(0.0) } else { most };
    // Bounds may be infinite, or so far that a whole number cannot count the steps to them.
    let low = ((low - slack).ceil() as i64).max(-FARTHEST);
    let high = ((high + slack).floor() as i64).min(FARTHEST);
    if low > high {
        return Vec::new();
    }
    let size = (high - low) as u64 + 1;
    let mut places: Vec<i64> = if size <= WHOLE as u64 {
        (low..=high).collect()
    } else {
        *is_whole = false;
        let mut places: Vec<i64> = (0..=COARSE as i64)
            .map(|part| low + ((high - low) as i128 * i128::from(part) / COARSE as i128) as i64)
            .collect();
        for cut in cuts {
            let place = (cut / lever.minor - origin) / lever.step;
            let before = (place.floor() as i64).clamp(-FARTHEST, FARTHEST);
            places.extend([before - 1, before, before + 1]);
            places.push(place.ceil() as i64);
        }
        places.retain(|place| (low..=high).contains(place));
        places
    };
    places.retain(|place| *place != 0 || from.is_none());
    places.sort_unstable();
    places.dedup();
    places
}

/// The value so many steps away, exactly.
fn value_steps_away(lever: &Lever, own: Option<&Value>, place: i64) -> Option<(Value, f64)> {
    let step = Rational::from_f64(lever.step)?.times(&Rational::from_f64(lever.minor)?)?;
    let origin = match own {
        None => Rational::from(0),
        Some(own) => own.rational().or_else(|| Rational::from_f64(own.float()?))?,
    };
    let value = origin.plus(&step.times(&Rational::from(place))?)?;
    let shown = value.to_f64() / lever.minor;
    let value = match lever.repr {
        Repr::Int => Value::Int(value.to_i64()?),
        Repr::Float => Value::Float(value.to_f64()),
        _ => Value::Rational(value),
    };
    Some((value, shown))
}
