//! Random cells and tables. Knows nothing of their evaluation.

use super::expressions::{Maker, Scope};
use super::model::{Bound, Cell, Expr, HitPolicy, Kind, Op, Output, Said, TEXTS, Table, Value};
use crate::exact::Exact;

/// A kind that bins may test.
pub fn tested(maker: &mut Maker) -> Kind {
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

pub fn cell(maker: &mut Maker, kind: Kind, inner: bool) -> Cell {
    let signs = ["<", "<=", ">", ">=", "=", "!="];
    if let Kind::List(item) = kind {
        return of_list(maker, *item);
    }
    if kind == Kind::Text && maker.source.once_in(4) {
        return within(maker, inner);
    }
    if let Some(bound) = worked(maker, kind) {
        let sign = maker.source.one(if kind == Kind::Truth { &signs[4..] } else { &signs });
        return match maker.source.below(4) {
            0 if kind != Kind::Truth && kind != Kind::Text => {
                let other = match maker.source.below(3) {
                    0 => worked(maker, kind).unwrap_or_else(|| maker.bound(kind).0),
                    _ => maker.bound(kind).0,
                };
                let ends = if maker.source.below(2) == 0 { (bound, other) } else { (other, bound) };
                Cell::Range(ends.0, maker.source.below(2) == 0, ends.1, maker.source.below(2) == 0)
            }
            1 if !inner => Cell::None(vec![Cell::Sign(sign, bound)]),
            _ => Cell::Sign(sign, bound),
        };
    }
    let has_order = !matches!(kind, Kind::Text | Kind::Truth);
    match maker.source.below(if inner { 4 } else { 8 }) {
        0..=1 if has_order => Cell::Sign(maker.source.one(&signs), maker.bound(kind).0),
        2..=3 if has_order => range(maker, kind),
        4 => Cell::Anything,
        5 if maker.source.below(2) == 0 => Cell::Unknown,
        6 => Cell::Any((0..2 + maker.source.below(2)).map(|_| listed(maker, kind)).collect()),
        7 => Cell::None((0..1 + maker.source.below(2)).map(|_| listed(maker, kind)).collect()),
        _ => Cell::Sign(maker.source.one(&["=", "!="]), maker.bound(kind).0),
    }
}

/// A value that no constant gives, in a cell of a table.
fn worked(maker: &mut Maker, kind: Kind) -> Option<Bound> {
    let scope = maker.compared.clone().filter(|_| maker.source.once_in(5))?;
    // In a column of texts only fields of the request and the bureau are names.
    let scope = if kind == Kind::Text { Scope::default() } else { scope };
    if kind == Kind::Text && maker.is_ready {
        return None;
    }
    // A leaf needs no brackets, which a range would take for its own.
    Some(Bound::Worked(Box::new(maker.make(kind, &scope, 0))))
}

/// A cell that looks into a text.
fn within(maker: &mut Maker, inner: bool) -> Cell {
    let parts = ["s", "ent", "KU", "o", "rent", "a b"].map(|part| Value::Text(part.to_owned()));
    // Bins know only beginnings.
    let names = ["starts_with", "contains", "ends_with"];
    let name = maker.source.one(if maker.compared.is_some() { &names } else { &names[..1] });
    let part = worked(maker, Kind::Text).unwrap_or_else(|| Bound::Here(maker.source.one(&parts)));
    match maker.source.below(4) {
        0 if !inner => Cell::None(vec![Cell::Has(name, part)]),
        1 if !inner => Cell::Any(vec![Cell::Has(name, part), listed(maker, Kind::Text)]),
        _ => Cell::Has(name, part),
    }
}

/// A cell that asks what a list holds.
fn of_list(maker: &mut Maker, item: Kind) -> Cell {
    let has = |maker: &mut Maker| {
        let part = worked(maker, item).unwrap_or_else(|| maker.bound(item).0);
        Cell::Has("contains", part)
    };
    match maker.source.below(6) {
        0 => Cell::Anything,
        1 => Cell::Unknown,
        2 => Cell::None(vec![has(maker)]),
        3 => Cell::Any(vec![has(maker), has(maker)]),
        4 => Cell::Any(vec![Cell::Unknown, has(maker)]),
        _ => has(maker),
    }
}

fn listed(maker: &mut Maker, kind: Kind) -> Cell {
    if maker.source.once_in(6) {
        return Cell::Unknown;
    }
    if maker.source.once_in(5) {
        return cell(maker, kind, true);
    }
    Cell::Sign("=", maker.bound(kind).0)
}

fn range(maker: &mut Maker, kind: Kind) -> Cell {
    let (one, other) = (maker.bound(kind), maker.bound(kind));
    let (low, high) = if super::numbers::holds("<=", &one.1, &other.1) { (one, other) } else { (other, one) };
    let is_one = low.1 == high.1;
    let (low, high) = (low.0, high.0);
    if is_one {
        return Cell::Range(low, true, high, true);
    }
    Cell::Range(low, maker.source.below(3) > 0, high, maker.source.once_in(3))
}

pub fn table(maker: &mut Maker, scope: &Scope) -> Table {
    let hit = if maker.source.once_in(3) { HitPolicy::First } else { maker.source.one(&HitPolicy::ALL) };
    let inputs: Vec<_> = (0..1 + maker.source.below(3))
        .map(|_| {
            let kind = match maker.source.below(8) {
                0 => maker.source.one(&[Kind::Text, Kind::Count]).listed(),
                _ => tested(maker),
            };
            maker.make(kind, scope, 2)
        })
        .collect();
    maker.compared = Some(scope.clone());
    let outputs = outputs(maker, hit);
    // Long tables use an index.
    let count = if maker.source.once_in(16) { 24 + maker.source.below(30) } else { 1 + maker.source.below(5) };
    // Rows that must not overlap differ in their first cell; some overlap anyway and are refused.
    let apart = matches!(hit, HitPolicy::Unique | HitPolicy::Any) || count > 20 && maker.source.below(2) == 0;
    let apart = apart && inputs[0].kind.item().is_none();
    let mut rows: Vec<_> = (0..count)
        .map(|row| {
            let mut cells: Vec<Cell> = inputs.iter().map(|input| cell(maker, input.kind, false)).collect();
            if apart {
                cells[0] = slice(inputs[0].kind, row, count);
            }
            (cells, output_values(maker, scope, hit, &outputs))
        })
        .collect();
    if matches!(hit, HitPolicy::First | HitPolicy::Priority) && maker.source.below(2) == 0 {
        rows.push((vec![Cell::Anything; inputs.len()], output_values(maker, scope, hit, &outputs)));
    }
    let otherwise = maker.source.once_in(3).then(|| output_values(maker, scope, hit, &outputs));
    maker.compared = None;
    let in_csv = maker.source.once_in(5);
    let mut table = Table { hit, inputs, outputs, rows, otherwise, in_csv };
    if table.hit == HitPolicy::Any && table.rows.len() > 1 && maker.source.below(2) == 0 {
        // Two rows that may both match, with equal outputs.
        let said = table.rows[0].1.clone();
        table.rows[1].1 = said;
        table.rows[1].0[0] = cell(maker, table.inputs[0].kind, false);
    }
    table
}

fn outputs(maker: &mut Maker, hit: HitPolicy) -> Vec<Output> {
    let mut kinds = vec![Kind::Money, Kind::Count, Kind::Days, Kind::Number, Kind::Ratio];
    if hit != HitPolicy::CollectSum {
        kinds.push(Kind::Date);
    }
    if !matches!(hit, HitPolicy::CollectSum | HitPolicy::CollectMin | HitPolicy::CollectMax) {
        kinds.extend([Kind::Text, Kind::Text, Kind::Truth]);
    }
    let ranked = matches!(hit, HitPolicy::Priority | HitPolicy::OutputOrder);
    let mut outputs: Vec<Output> = (0..1 + maker.source.below(2))
        .map(|_| {
            let is_one = matches!(hit, HitPolicy::First | HitPolicy::Unique | HitPolicy::Any);
            if is_one && maker.source.once_in(6) {
                return Output { kind: maker.source.one(&[Kind::Text, Kind::Days]).listed(), values: Vec::new() };
            }
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

/// A row's value for each output.
fn output_values(maker: &mut Maker, scope: &Scope, hit: HitPolicy, outputs: &[Output]) -> Vec<Said> {
    let one = |output: &Output| {
        if maker.source.once_in(12) {
            return Said::Worked(Expr::new(output.kind, Op::Null));
        }
        if output.kind.item().is_some() {
            return Said::Worked(maker.make(output.kind, scope, 2));
        }
        if !output.values.is_empty() {
            return Said::Value(maker.source.one(&output.values));
        }
        // A count is a count, whatever it counts: only whole kinds are always accepted.
        if hit != HitPolicy::Any && maker.source.once_in(5) {
            return Said::Worked(maker.make(output.kind, scope, 2));
        }
        Said::Value(maker.constant(output.kind))
    };
    outputs.iter().map(one).collect()
}

/// One of `rows` slices of all the values of a kind.
fn slice(kind: Kind, row: usize, rows: usize) -> Cell {
    let value = |at: usize| match kind {
        Kind::Text => Value::Text(TEXTS[at % TEXTS.len()].to_owned()),
        Kind::Truth => Value::Truth(at == 0),
        Kind::Money => Value::Whole(at as i64 * 250_000),
        Kind::MoneyMean => Value::Whole(at as i64 * 250_000),
        Kind::Date => Value::Whole(20_300 + at as i64 * 100),
        Kind::Count | Kind::Days => Value::Whole(at as i64 * 3),
        Kind::Number | Kind::Ratio => Value::Exact(Exact::from(at) / Exact::from(4)),
        Kind::List(_) => panic!("no cell asks for a list"),
    };
    if matches!(kind, Kind::Text | Kind::Truth) {
        return Cell::Sign("=", Bound::Here(value(row)));
    }
    let value = |at: usize| Bound::Here(value(at));
    match (row, row + 1 == rows) {
        (0, false) => Cell::Sign("<", value(1)),
        (0, true) => Cell::Anything,
        (_, true) => Cell::Sign(">=", value(row)),
        _ => Cell::Range(value(row), true, value(row + 1), false),
    }
}
