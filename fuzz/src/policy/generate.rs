//! Random policies, and people near their thresholds. Works nothing out.

use super::expressions::{Maker, Scope};
use super::model::{
    Cell, Condition, Effect, Expr, Hit, INPUTS, Item, Kind, Member, Method, Offer, Op, Output, Person, Policy, Quota,
    Requirement, Said, Score, TEXTS, Table, Value,
};
use crate::random::Source;

/// A policy, and the constants in it.
pub fn policy(source: &mut Source) -> (Policy, Vec<(Kind, Value)>) {
    let is_ready = source.below(2) == 0;
    let mut maker = Maker { is_ready, source, constants: Vec::new() };
    let parameters: Vec<(Kind, Value)> = (0..2 + maker.source.below(3))
        .map(|_| {
            let kind = maker.source.one(&[Kind::Money, Kind::Count, Kind::Days, Kind::Number, Kind::Ratio]);
            (kind, maker.constant(kind))
        })
        .collect();
    let mut scope = Scope { parameters: parameters.iter().map(|(kind, _)| *kind).collect(), ..Scope::default() };
    let metrics = (0..1 + maker.source.below(5))
        .map(|_| {
            let kind = if maker.source.once_in(8) { maker.kind().listed() } else { maker.kind() };
            let metric = maker.make(kind, &scope, 3);
            scope.metrics.push(kind);
            metric
        })
        .collect();
    let score = (maker.source.below(3) > 0).then(|| score(&mut maker, &scope));
    scope.score = score.is_some();
    let mut tables = Vec::new();
    for number in 0..maker.source.below(3) {
        let table = table(&mut maker, &scope);
        for column in 0..table.outputs.len() {
            let named = (number, column, table.kind(column));
            scope.outputs.push(named);
        }
        tables.push(table);
    }
    let money = |maker: &mut Maker, scope: &Scope| {
        let kind = maker.source.one(&[Kind::Money, Kind::MoneyMean]);
        maker.make(kind, scope, 2)
    };
    let exposure = maker.source.once_in(3).then(|| {
        let existing = maker.source.below(2) == 0;
        (money(&mut maker, &scope), existing.then(|| money(&mut maker, &scope)))
    });
    let ask = maker.source.once_in(3).then(|| {
        let tenure = maker.source.below(2) == 0;
        let kind = maker.source.one(&[Kind::Days, Kind::Count]);
        let amount = (!tenure || maker.source.below(3) > 0).then(|| money(&mut maker, &scope));
        (amount, tenure.then(|| maker.make(kind, &scope, 1)))
    });
    let requirements = (0..maker.source.one(&[0, 0, 1, 1, 2, 3])).map(|_| requirement(&mut maker, &scope)).collect();
    let tenure_in_days = maker.source.below(3) > 0;
    let offers =
        (0..maker.source.one(&[0, 1, 1, 2, 2, 3])).map(|_| offer(&mut maker, &scope, tenure_in_days)).collect();
    let day = |maker: &mut Maker| maker.source.once_in(8).then(|| 20_453 + maker.source.below(200) as i64);
    let (valid_from, valid_to) = (day(&mut maker), day(&mut maker));
    let fee_deducted = maker.source.once_in(3);
    let constants = std::mem::take(&mut maker.constants);
    let valid_to = valid_to.filter(|to| valid_from.is_none_or(|from| from <= *to));
    let policy = Policy {
        is_ready,
        valid_from,
        valid_to,
        tenure_in_days,
        fee_deducted,
        parameters,
        metrics,
        requirements,
        score,
        tables,
        exposure,
        ask,
        offers,
    };
    (policy, constants)
}

fn requirement(maker: &mut Maker, scope: &Scope) -> Requirement {
    let effect = |maker: &mut Maker, list: &[Effect]| (maker.source.below(3) > 0).then(|| maker.source.one(list));
    Requirement {
        condition: condition(maker, scope, 2),
        otherwise: effect(maker, &[Effect::Refer, Effect::Decline]),
        unknown: effect(maker, &[Effect::Refer, Effect::Pass, Effect::Decline]),
    }
}

/// A condition, or a block so deep.
fn condition(maker: &mut Maker, scope: &Scope, depth: usize) -> Condition {
    if depth == 0 || maker.source.below(3) > 0 {
        return Condition::When(maker.make(Kind::Truth, scope, depth + 1));
    }
    let members: Vec<Member> = (0..1 + maker.source.below(4))
        .map(|_| Member {
            condition: condition(maker, scope, depth - 1),
            unknown_holds: maker.source.one(&[None, None, Some(true), Some(false)]),
        })
        .collect();
    match maker.source.one(&[Quota::All, Quota::Any, Quota::AtLeast]) {
        Quota::All => Condition::Block(members.len(), Quota::All, members),
        Quota::Any => Condition::Block(1, Quota::Any, members),
        Quota::AtLeast => Condition::Block(1 + maker.source.below(members.len()), Quota::AtLeast, members),
    }
}

fn score(maker: &mut Maker, scope: &Scope) -> Score {
    let base = maker.source.one(&[0.0, 300.0, -20.5, 0.2]);
    let scale = maker.source.once_in(4).then(|| maker.source.one(&[(600.0, 50.0, 20.0), (500.0, 1.5, 40.0)]));
    let items: Vec<Item> = (0..1 + maker.source.below(4)).map(|_| item(maker, scope)).collect();
    let has_code = items.iter().any(|item| item.has_code);
    let reasons = (has_code && maker.source.below(3) == 0).then(|| maker.source.below(4));
    Score { base, scale, reasons, items }
}

/// A kind that cells may ask about.
fn tested(maker: &mut Maker) -> Kind {
    let kinds = [
        Kind::Money,
        Kind::Count,
        Kind::Ratio,
        Kind::Number,
        Kind::MoneyMean,
        Kind::Text,
        Kind::Days,
        Kind::Date,
        Kind::Truth,
    ];
    maker.source.one(&kinds)
}

fn item(maker: &mut Maker, scope: &Scope) -> Item {
    let kind = tested(maker);
    let on = maker.make(kind, scope, 2);
    let mut bins: Vec<(Cell, f64)> = Vec::new();
    for _ in 0..1 + maker.source.below(4) {
        bins.push((cell(maker, kind, false), maker.source.one(&[0.0, 10.0, 40.0, -15.0, 2.5])));
    }
    if maker.source.below(2) == 0 {
        bins.push((Cell::Anything, 20.0));
    }
    if maker.source.below(2) == 0 {
        let at = maker.source.below(bins.len() + 1);
        bins.insert(at, (Cell::Unknown, maker.source.one(&[0.0, 5.0])));
    }
    let weight = maker.source.once_in(3).then(|| maker.source.one(&[1.5, 0.25, -1.0, 0.0]));
    Item { on, weight, has_code: maker.source.below(2) == 0, bins }
}

fn cell(maker: &mut Maker, kind: Kind, inner: bool) -> Cell {
    let signs = ["<", "<=", ">", ">=", "=", "!="];
    let has_order = !matches!(kind, Kind::Text | Kind::Truth);
    match maker.source.below(if inner { 4 } else { 8 }) {
        0..=1 if has_order => Cell::Sign(maker.source.one(&signs), maker.constant(kind)),
        2..=3 if has_order => range(maker, kind),
        4 => Cell::Anything,
        5 if maker.source.below(2) == 0 => Cell::Unknown,
        6 => Cell::Any((0..2 + maker.source.below(2)).map(|_| listed(maker, kind)).collect()),
        7 => Cell::None((0..1 + maker.source.below(2)).map(|_| listed(maker, kind)).collect()),
        _ => Cell::Sign(maker.source.one(&["=", "!="]), maker.constant(kind)),
    }
}

fn listed(maker: &mut Maker, kind: Kind) -> Cell {
    if maker.source.once_in(6) {
        return Cell::Unknown;
    }
    if maker.source.once_in(5) {
        return cell(maker, kind, true);
    }
    Cell::Sign("=", maker.constant(kind))
}

fn range(maker: &mut Maker, kind: Kind) -> Cell {
    let (one, other) = (maker.constant(kind), maker.constant(kind));
    let (low, high) = if super::evaluate::holds("<=", &one, &other) { (one, other) } else { (other, one) };
    if low == high {
        return Cell::Range(low, true, high, true);
    }
    Cell::Range(low, maker.source.below(3) > 0, high, maker.source.once_in(3))
}

fn table(maker: &mut Maker, scope: &Scope) -> Table {
    let hit = if maker.source.once_in(3) { Hit::First } else { maker.source.one(&Hit::ALL) };
    let inputs: Vec<_> = (0..1 + maker.source.below(3))
        .map(|_| {
            let kind = tested(maker);
            maker.make(kind, scope, 2)
        })
        .collect();
    let outputs = outputs(maker, hit);
    // Long tables are searched by an index.
    let count = if maker.source.once_in(16) { 24 + maker.source.below(30) } else { 1 + maker.source.below(5) };
    // Rows that must not overlap are told apart by their first cell; some overlap all the same and are refused.
    let apart = matches!(hit, Hit::Unique | Hit::Any) || count > 20 && maker.source.below(2) == 0;
    let mut rows: Vec<_> = (0..count)
        .map(|row| {
            let mut cells: Vec<Cell> = inputs.iter().map(|input| cell(maker, input.kind, false)).collect();
            if apart {
                cells[0] = slice(inputs[0].kind, row, count);
            }
            (cells, said(maker, scope, hit, &outputs))
        })
        .collect();
    if matches!(hit, Hit::First | Hit::Priority) && maker.source.below(2) == 0 {
        rows.push((vec![Cell::Anything; inputs.len()], said(maker, scope, hit, &outputs)));
    }
    let otherwise = maker.source.once_in(3).then(|| said(maker, scope, hit, &outputs));
    let mut table = Table { hit, inputs, outputs, rows, otherwise };
    if table.hit == Hit::Any && table.rows.len() > 1 && maker.source.below(2) == 0 {
        // Two rows that may both fit, and say the same.
        let said = table.rows[0].1.clone();
        table.rows[1].1 = said;
        table.rows[1].0[0] = cell(maker, table.inputs[0].kind, false);
    }
    table
}

fn outputs(maker: &mut Maker, hit: Hit) -> Vec<Output> {
    let mut kinds = vec![Kind::Money, Kind::Count, Kind::Days, Kind::Number, Kind::Ratio];
    if hit != Hit::CollectSum {
        kinds.push(Kind::Date);
    }
    if !matches!(hit, Hit::CollectSum | Hit::CollectMin | Hit::CollectMax) {
        kinds.extend([Kind::Text, Kind::Text, Kind::Truth]);
    }
    let ranked = matches!(hit, Hit::Priority | Hit::OutputOrder);
    let mut outputs: Vec<Output> = (0..1 + maker.source.below(2))
        .map(|_| {
            let kind = maker.source.one(&kinds);
            let mut values = Vec::new();
            if ranked && maker.source.below(3) > 0 || maker.source.once_in(8) {
                for value in (0..4).map(|_| maker.constant(kind)) {
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
            }
            Output { kind, values }
        })
        .collect();
    if ranked && outputs.iter().all(|output| output.values.is_empty()) {
        outputs[0].values = vec![maker.constant(outputs[0].kind)];
    }
    outputs
}

/// What a row says of each output.
fn said(maker: &mut Maker, scope: &Scope, hit: Hit, outputs: &[Output]) -> Vec<Said> {
    let one = |output: &Output| {
        if !output.values.is_empty() {
            return Said::Value(maker.source.one(&output.values));
        }
        // A count is a count, whatever it is of: whole kinds alone are sure to be taken.
        if hit != Hit::Any && maker.source.once_in(5) {
            return Said::Worked(maker.make(output.kind, scope, 2));
        }
        Said::Value(maker.constant(output.kind))
    };
    outputs.iter().map(one).collect()
}

/// One of so many slices of all the values of a kind.
fn slice(kind: Kind, row: usize, rows: usize) -> Cell {
    let value = |at: usize| match kind {
        Kind::Text => Value::Text(TEXTS[at % TEXTS.len()].to_owned()),
        Kind::Truth => Value::Truth(at == 0),
        Kind::Money => Value::Whole(at as i64 * 250_000),
        Kind::MoneyMean => Value::Float(at as f64 * 250_000.0),
        Kind::Date => Value::Whole(20_300 + at as i64 * 100),
        Kind::Count | Kind::Days => Value::Whole(at as i64 * 3),
        Kind::Number | Kind::Ratio => Value::Float(at as f64 * 0.25),
        Kind::List(_) => panic!("no cell asks for a list"),
    };
    if matches!(kind, Kind::Text | Kind::Truth) {
        return Cell::Sign("=", value(row));
    }
    match (row, row + 1 == rows) {
        (0, false) => Cell::Sign("<", value(1)),
        (0, true) => Cell::Anything,
        (_, true) => Cell::Sign(">=", value(row)),
        _ => Cell::Range(value(row), true, value(row + 1), false),
    }
}

fn offer(maker: &mut Maker, scope: &Scope, tenure_in_days: bool) -> Offer {
    let mut scope = scope.clone();
    scope.own.push(("tenure", if tenure_in_days { Kind::Days } else { Kind::Count }));
    let instalments = (maker.source.below(2) == 0).then(|| {
        let kind = maker.source.one(&[Kind::Count, Kind::Number]);
        if maker.source.below(4) == 0 {
            maker.make(kind, &scope, 1)
        } else {
            Expr::new(Kind::Count, Op::Literal(Value::Whole(3)))
        }
    });
    scope.own.push(("instalments", instalments.as_ref().map_or(Kind::Count, |count| count.kind)));
    scope.principal_for = true;
    let when = (maker.source.below(2) == 0).then(|| maker.make(Kind::Truth, &scope, 2));
    let money = maker.source.one(&[Kind::Money, Kind::MoneyMean]);
    let amount = maker.make(money, &scope, 3);
    let extra = |maker: &mut Maker, scope: &Scope| {
        let kind = maker.source.one(&[Kind::Money, Kind::MoneyMean]);
        maker.make(kind, scope, 1)
    };
    let caps = (0..maker.source.one(&[0, 0, 1, 2])).map(|_| extra(maker, &scope)).collect();
    let whole = |minor: i64| Expr::new(Kind::Money, Op::Literal(Value::Whole(minor)));
    let step = maker.source.once_in(3).then(|| match maker.source.below(3) {
        0 => extra(maker, &scope),
        _ => whole(maker.source.one(&[100, 50_000, 12_345])),
    });
    let floor = maker.source.once_in(4).then(|| match maker.source.below(2) {
        0 => extra(maker, &scope),
        _ => whole(maker.source.one(&[0, 100_000, 5_000_000])),
    });
    scope.own.push(("amount", Kind::Money));
    let plain = maker.source.one(&[Kind::Number, Kind::Ratio, Kind::Count]);
    let interest = maker.make(plain, &scope, 1);
    scope.own.push(("interest", plain));
    let money = maker.source.one(&[Kind::Money, Kind::MoneyMean]);
    let fee = (maker.source.below(2) == 0).then(|| match maker.source.below(2) {
        0 => {
            let amount = Expr::new(Kind::Money, Op::Own("amount"));
            let share = Expr::new(Kind::Ratio, Op::Literal(Value::Float(maker.source.one(&[0.01, 0.015, 0.5]))));
            Expr::new(Kind::MoneyMean, Op::Arithmetic('*', vec![share, amount]))
        }
        _ => maker.make(money, &scope, 2),
    });
    let tenures = maker.source.one(&[vec![30], vec![30, 90], vec![1, 3, 12]]);
    let method = maker.source.one(&[Method::Flat, Method::Reducing, Method::Bullet]);
    let valid_for_days = (maker.source.below(3) == 0).then(|| maker.source.one(&[1, 14, 0]));
    Offer { when, tenures, instalments, amount, caps, step, floor, interest, method, fee, valid_for_days }
}

/// A person: mostly near what the policy asks about, sometimes far off, sometimes unknown.
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
    Person { as_of, inputs }
}

fn alike(constant: Kind, input: Kind) -> bool {
    let plain = [Kind::Number, Kind::Ratio];
    constant == input || plain.contains(&constant) && plain.contains(&input)
}

/// The value, or its neighbour.
fn beside(source: &mut Source, kind: Kind, value: Value) -> Value {
    match value {
        Value::Whole(whole) if kind.is_float() => Value::Float(whole as f64),
        Value::Whole(whole) => Value::Whole(whole + source.one(&[0, 1, -1])),
        Value::Float(float) => Value::Float(source.one(&[float, float + 0.01, float - 0.01, float.next_up()])),
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
        Kind::Number => Value::Float(source.below(1_000) as f64 / 40.0),
        Kind::Ratio => Value::Float(source.below(1_200) as f64 / 1_000.0),
        Kind::Date => Value::Whole(20_000 + source.below(700) as i64),
        Kind::Text => Value::Text(source.one(&TEXTS).to_owned()),
        Kind::Truth => Value::Truth(source.below(2) == 0),
        Kind::List(item) => Value::List((0..source.below(4)).map(|_| anything(source, *item)).collect()),
    }
}
