//! People exactly at a boundary of a policy, one minor unit or one digit off on either side, or somewhere else.

use std::cmp::Ordering;

use super::boundaries::{Boundary, held};
use crate::exact::{self, Exact, Way};
use crate::policy::model::{INPUTS, Kind, Person, Policy, TEXTS, Value};
use crate::random::Source;

/// A person, and their side of the boundary.
pub struct Placed {
    pub person: Person,
    pub side: Option<Ordering>,
}

/// A person whose amounts are all of one size.
fn anybody(source: &mut Source, day: Option<i64>) -> Person {
    let size = 10_usize.pow(3 + source.below(13) as u32);
    let inputs = INPUTS.iter().map(|(_, kind)| (!source.once_in(90)).then(|| anything(source, *kind, size)));
    Person { as_of: day, customer: None, inputs: inputs.collect(), debts: None }
}

fn anything(source: &mut Source, kind: Kind, size: usize) -> Value {
    let decimals = |source: &mut Source, most: usize| {
        let parts = 10_usize.pow(source.below(7) as u32);
        Value::Exact(Exact::from(source.below(most * parts)) / Exact::from(parts))
    };
    match kind {
        Kind::Money | Kind::MoneyMean => Value::Whole(1 + source.below(size) as i64),
        Kind::Count => Value::Whole(source.below(30) as i64),
        Kind::Days => Value::Whole(source.below(200) as i64),
        Kind::Number => decimals(source, 20),
        Kind::Ratio => decimals(source, 2),
        Kind::Date => Value::Whole(20_000 + source.below(700) as i64),
        Kind::Text => Value::Text(source.one(&TEXTS).to_owned()),
        Kind::Truth => Value::Truth(source.below(2) == 0),
        Kind::List(item) => Value::List((0..source.below(3)).map(|_| anything(source, *item, size)).collect()),
    }
}

/// `count` people, decided for one day.
pub fn people(source: &mut Source, policy: &Policy, boundaries: &[Boundary], count: usize) -> Vec<Placed> {
    let day = (!source.once_in(20)).then(|| 20_400 + source.below(300) as i64);
    let mut placed: Vec<Placed> = Vec::with_capacity(count + 8);
    while placed.len() < count {
        let person = anybody(source, day);
        if boundaries.is_empty() {
            placed.push(Placed { person, side: None });
            continue;
        }
        let boundary = &boundaries[source.below(boundaries.len())];
        brought(source, policy, boundary, person, &mut placed);
    }
    placed.truncate(count);
    placed
}

/// A person at a boundary and beside it; unchanged if it cannot be reached.
fn brought(source: &mut Source, policy: &Policy, boundary: &Boundary, mut person: Person, placed: &mut Vec<Placed>) {
    let input = boundary.inputs[source.below(boundary.inputs.len())];
    let before = person.clone();
    let Some(root) = boundary.root(policy, &mut person, input) else {
        placed.push(Placed { person: before, side: None });
        return;
    };
    for number in near(INPUTS[input].1, &root.at, policy.is_ready) {
        if let Some(value) = held(INPUTS[input].1, &number) {
            let mut person = before.clone();
            person.inputs[input] = Some(value);
            let side = boundary.side(policy, &person, &root);
            placed.push(Placed { person, side });
        }
    }
}

/// A number and its neighbours, as an input may have them.
fn near(kind: Kind, root: &Exact, is_ready: bool) -> Vec<Exact> {
    if !kind.is_fraction() {
        let down = exact::whole(root, Way::Down);
        return [-1, 0, 1].into_iter().map(|off| &down + Exact::from(off)).collect();
    }
    let double = exact::nearest(root);
    if double.abs() > 1e15 || double != 0.0 && double.abs() < 1e-12 {
        return vec![Exact::ZERO];
    }
    let mut near = vec![exact::shortest(double)];
    if double != 0.0 {
        near.extend([double.next_down(), double.next_up()].map(exact::shortest));
    }
    let millionth = exact::decimal("0.000001");
    near.extend([Way::Down, Way::Up].map(|way| exact::stepped(root, &millionth, way)));
    near.push(root.clone());
    // A request brings doubles; ready metrics may have decimals without end.
    let fits = |part: String| part.len() < 18;
    near.retain(|one| {
        exact::shortest(exact::nearest(one)) == *one
            || is_ready && fits(one.numerator().to_string()) && fits(one.denominator().to_string())
    });
    near.sort();
    near.dedup();
    near
}
