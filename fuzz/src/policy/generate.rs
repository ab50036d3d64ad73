//! Random policies. Computes no values.

use super::book::{Book, Challenger, Version};
use super::expressions::{Maker, Scope, decimal};
use super::model::{
    Cell, Condition, Effect, Expr, INPUTS, Item, Kind, Member, Method, Offer, Op, Parameter, Policy, Quota,
    Requirement, Score, Value,
};
use super::names::{Homes, Names};
use super::numbers::holds;
use super::rows::{cell, table, tested};
use crate::exact;
use crate::random::Source;

/// Choices made before a policy is generated.
struct Shape {
    version: String,
    is_ready: bool,
    /// Whether parameters may be given from outside.
    given: bool,
    bureau: Vec<bool>,
}

const SALTS: [&str; 2] = ["2026-q4", "again"];

/// A policy, sometimes with a challenger, sometimes in versions, and the constants in them.
pub fn book(source: &mut Source) -> (Book, Vec<(Kind, Value)>) {
    let mut constants = Vec::new();
    let (is_plain, some_bureau) = (source.below(3) > 0, source.below(2) == 0);
    let bureau: Vec<bool> = INPUTS.iter().map(|_| some_bureau && source.once_in(3)).collect();
    let shape = |version: String, is_ready| Shape { version, is_ready, given: is_plain, bureau: bureau.clone() };
    if is_plain {
        let shape = shape("1".to_owned(), source.below(2) == 0);
        let policy = policy(source, shape, &mut constants);
        return (Book { versions: vec![Version { policy, challenger: None }] }, constants);
    }
    let count = source.one(&[1, 1, 2, 3]);
    let mut versions = Vec::new();
    let mut begins = None;
    for number in 1..=count {
        let mut policy = policy(source, shape(number.to_string(), false), &mut constants);
        // Versions follow each other, some at once, some after a gap.
        if count > 1 {
            let ends = begins.unwrap_or(20_400) + source.below(120) as i64;
            policy.valid_from = begins;
            policy.valid_to = (number < count || source.once_in(3)).then_some(ends);
            begins = Some(ends + 1 + source.one(&[0, 0, 1, 30]));
        }
        let challenger = (count == 1 || source.once_in(3)).then(|| Challenger {
            policy: self::policy(source, shape(format!("{number}c"), false), &mut constants),
            share: source.one(&[0.0, 0.1, 0.5, 0.5, 0.9, 1.0]),
            salt: source.one(&SALTS),
        });
        let at = source.below(versions.len() + 1);
        versions.insert(at, Version { policy, challenger });
    }
    (Book { versions }, constants)
}

fn policy(source: &mut Source, shape: Shape, constants: &mut Vec<(Kind, Value)>) -> Policy {
    let Shape { version, is_ready, given, bureau } = shape;
    // Ready metrics come from nobody in particular.
    let bureau: Vec<bool> = bureau.into_iter().map(|one| one && !is_ready).collect();
    let mut maker = Maker { is_ready, source, constants: std::mem::take(constants), compared: None, fixed: Vec::new() };
    let parameters: Vec<Parameter> =
        (0..2 + maker.source.below(3)).map(|at| parameter(&mut maker, at, given)).collect();
    let some_required = !is_ready && maker.source.below(3) == 0;
    let required: Vec<bool> = INPUTS.iter().map(|_| some_required && maker.source.once_in(6)).collect();
    let mut scope = Scope { parameters: parameters.iter().map(|one| one.kind).collect(), ..Scope::default() };
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
    let (exposure, ask) = limits(&mut maker, &scope);
    let requirements = (0..maker.source.one(&[0, 0, 1, 1, 2, 3])).map(|_| requirement(&mut maker, &scope)).collect();
    let tenure_unit = maker.source.one(&["days", "days", "days", "days", "weeks", "months"]);
    let offers =
        (0..maker.source.one(&[0, 1, 1, 2, 2, 3])).map(|_| offer(&mut maker, &scope, tenure_unit == "days")).collect();
    let day = |maker: &mut Maker| maker.source.once_in(8).then(|| 20_453 + maker.source.below(200) as i64);
    let (valid_from, valid_to) = (day(&mut maker), day(&mut maker));
    let fee_deducted = maker.source.once_in(3);
    *constants = std::mem::take(&mut maker.constants);
    let valid_to = valid_to.filter(|to| valid_from.is_none_or(|from| from <= *to));
    let mut policy = Policy {
        is_ready,
        files: Vec::new(),
        homes: Homes::default(),
        names: Names::default(),
        version,
        declared: vec![true; INPUTS.len()],
        bureau,
        required,
        valid_from,
        valid_to,
        tenure_unit,
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
    super::doubles::settle(&mut policy);
    super::places::spread(source, &mut policy);
    policy
}

/// An exposure limit with its existing debt, and the amount and tenure asked for.
type Limits = (Option<(Expr, Option<Expr>)>, Option<(Option<Expr>, Option<Expr>)>);

fn limits(maker: &mut Maker, scope: &Scope) -> Limits {
    let money = |maker: &mut Maker| {
        let kind = maker.source.one(&[Kind::Money, Kind::MoneyMean]);
        maker.make(kind, scope, 2)
    };
    let exposure = maker.source.once_in(3).then(|| {
        let existing = maker.source.below(2) == 0;
        (money(maker), existing.then(|| money(maker)))
    });
    let ask = maker.source.once_in(3).then(|| {
        let tenure = maker.source.below(2) == 0;
        let kind = maker.source.one(&[Kind::Days, Kind::Count]);
        let amount = (!tenure || maker.source.below(3) > 0).then(|| money(maker));
        (amount, tenure.then(|| maker.make(kind, scope, 1)))
    });
    (exposure, ask)
}

fn parameter(maker: &mut Maker, at: usize, may_be_given: bool) -> Parameter {
    let kind = maker.source.one(&[
        Kind::Money,
        Kind::Count,
        Kind::Days,
        Kind::Number,
        Kind::Ratio,
        Kind::Money,
        Kind::Number,
        Kind::Date,
        Kind::Text,
        Kind::Truth,
    ]);
    let mut dated: Vec<(i64, Value)> = Vec::new();
    if maker.source.once_in(3) {
        for _ in 0..1 + maker.source.below(3) {
            let day = 20_400 + maker.source.below(300) as i64;
            if dated.iter().all(|(known, _)| *known != day) {
                dated.push((day, maker.constant(kind)));
            }
        }
    }
    let value = (dated.is_empty() || maker.source.below(2) == 0).then(|| maker.constant(kind));
    let given = (may_be_given && maker.source.once_in(6)).then(|| maker.constant(kind));
    // Bounds that hold, because a policy with others is refused.
    let ordered = !matches!(kind, Kind::Text | Kind::Truth);
    let bounds = (ordered && maker.source.once_in(4)).then(|| {
        let all: Vec<&Value> = dated.iter().map(|(_, value)| value).chain(&value).chain(&given).collect();
        let end = |sign: &str| {
            let end = |one, other| if holds(sign, one, other) { one } else { other };
            all.iter().copied().reduce(end).expect("a parameter has a value").clone()
        };
        (end("<="), end(">="))
    });
    if let Some(fixed) = given.as_ref().or(value.as_ref().filter(|_| dated.is_empty())) {
        maker.fixed.push((at, kind, fixed.clone()));
    }
    // An override is one value or values by date, not both.
    let is_overridden = at % 3 != 1 && (value.is_none() || dated.is_empty());
    Parameter { kind, value, dated, bounds, given, is_overridden }
}

fn requirement(maker: &mut Maker, scope: &Scope) -> Requirement {
    let effect = |maker: &mut Maker, list: &[Effect]| (maker.source.below(3) > 0).then(|| maker.source.one(list));
    Requirement {
        condition: condition(maker, scope, 2),
        otherwise: effect(maker, &[Effect::Refer, Effect::Decline]),
        unknown: effect(maker, &[Effect::Refer, Effect::Pass, Effect::Decline]),
        is_told: false,
    }
}

/// A condition, or a block of at most this depth.
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
    let base = exact::decimal(maker.source.one(&["0", "300", "-20.5", "0.2"]));
    let scale = maker.source.once_in(4).then(|| maker.source.one(&[(600.0, 50.0, 20.0), (500.0, 1.5, 40.0)]));
    let items: Vec<Item> = (0..1 + maker.source.below(4)).map(|_| item(maker, scope)).collect();
    let has_code = items.iter().any(|item| item.has_code);
    let reasons = (has_code && maker.source.below(3) == 0).then(|| maker.source.below(4));
    Score { base, scale, reasons, items }
}

fn item(maker: &mut Maker, scope: &Scope) -> Item {
    let kind = tested(maker);
    let on = maker.make(kind, scope, 2);
    let mut bins: Vec<(Cell, exact::Exact)> = Vec::new();
    for _ in 0..1 + maker.source.below(4) {
        bins.push((cell(maker, kind, false), exact::decimal(maker.source.one(&["0", "10", "40", "-15", "2.5"]))));
    }
    if maker.source.below(2) == 0 {
        bins.push((Cell::Anything, exact::decimal("20")));
    }
    if maker.source.below(2) == 0 {
        let at = maker.source.below(bins.len() + 1);
        bins.insert(at, (Cell::Unknown, exact::decimal(maker.source.one(&["0", "5"]))));
    }
    let weight = maker.source.once_in(3).then(|| exact::decimal(maker.source.one(&["1.5", "0.25", "-1", "0"])));
    Item { on, weight, has_code: maker.source.below(2) == 0, bins }
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
            let share = Expr::new(Kind::Ratio, Op::Literal(decimal(maker.source.one(&["0.01", "0.015", "0.5"]))));
            Expr::new(Kind::MoneyMean, Op::Arithmetic('*', vec![share, amount]))
        }
        _ => maker.make(money, &scope, 2),
    });
    let tenures = maker.source.one(&[vec![30], vec![30, 90], vec![1, 3, 12]]);
    let method = maker.source.one(&[Method::Flat, Method::Reducing, Method::Bullet]);
    let valid_for_days = (maker.source.below(3) == 0).then(|| maker.source.one(&[1, 14, 3_650]));
    let part_payment = maker.source.once_in(4);
    let terms = maker.source.one(&["", "", "", "Equal instalments"]);
    Offer {
        when,
        tenures,
        instalments,
        amount,
        caps,
        step,
        floor,
        interest,
        method,
        fee,
        valid_for_days,
        part_payment,
        terms,
    }
}
