//! Random people, most of them near a policy's limits. Knows only the constants of the policy.

use super::model::{INPUTS, Kind, Person, TEXTS, Value};
use crate::exact::{self, Exact};
use crate::random::Source;

/// A person: mostly near the policy's constants, sometimes far off, sometimes unknown.
pub fn person(source: &mut Source, constants: &[(Kind, Value)]) -> Person {
    let unknown_once_in = source.one(&[4, 12, 40]);
    let inputs = INPUTS
        .iter()
        .map(|(_, kind)| {
            if source.once_in(unknown_once_in) {
                return None;
            }
            let near: Vec<&Value> =
                constants.iter().filter(|(known, _)| alike(*known, *kind)).map(|(_, value)| value).collect();
            if !near.is_empty() && source.below(2) == 0 {
                let value = near[source.below(near.len())].clone();
                return Some(beside(source, *kind, value));
            }
            Some(anything(source, *kind))
        })
        .collect();
    let as_of = (!source.once_in(20)).then(|| 20_400 + source.below(300) as i64);
    let customer = (!source.once_in(5)).then(|| format!("c{}", source.below(500)));
    Person { as_of, customer, inputs, debts: super::entries::debts(source) }
}

fn alike(constant: Kind, input: Kind) -> bool {
    let plain = [Kind::Number, Kind::Ratio];
    constant == input || plain.contains(&constant) && plain.contains(&input)
}

/// The value, or its neighbour.
fn beside(source: &mut Source, kind: Kind, value: Value) -> Value {
    match value {
        Value::Whole(whole) if kind.is_fraction() => Value::Exact(whole.into()),
        Value::Whole(whole) => Value::Whole(whole + source.one(&[0, 1, -1])),
        Value::Exact(value) => {
            let little = exact::decimal("0.01");
            let next = exact::shortest(exact::nearest(&value).next_up());
            Value::Exact(source.one(&[value.clone(), &value + &little, &value - &little, next]))
        }
        value => value,
    }
}

fn anything(source: &mut Source, kind: Kind) -> Value {
    match kind {
        Kind::Money | Kind::MoneyMean => Value::Whole(match source.below(40) {
            38 => 4_000_000_000_000_000_000,
            39 => i64::MAX - source.below(3) as i64,
            37 => -(source.below(1_000_000) as i64),
            _ => source.below(30_000_000) as i64,
        }),
        Kind::Count => Value::Whole(if source.once_in(60) { i64::MAX } else { source.below(14) as i64 }),
        Kind::Days => Value::Whole(if source.once_in(60) { 3_000_000_000 } else { source.below(120) as i64 }),
        Kind::Number => Value::Exact(Exact::from(source.below(1_000)) / Exact::from(40)),
        Kind::Ratio => Value::Exact(Exact::from(source.below(1_200)) / Exact::from(1_000)),
        Kind::Date => Value::Whole(20_000 + source.below(700) as i64),
        Kind::Text => Value::Text(source.one(&TEXTS).to_owned()),
        Kind::Truth => Value::Truth(source.below(2) == 0),
        Kind::List(item) => Value::List((0..source.below(4)).map(|_| anything(source, *item)).collect()),
    }
}
