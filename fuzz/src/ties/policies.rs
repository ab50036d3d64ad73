//! Random policies full of limits: requirements, cells, bins, scores and offers. Some person can meet each limit
//! exactly. Computes no values.

use super::terms::{Terms, call, literal, of, whole};
use crate::exact::{self, Exact};
use crate::policy::model::{
    Bound, Cell, Condition, Effect, Expr, HitPolicy, INPUTS, Item, Kind, Method, Offer, Op, Output, Policy,
    Requirement, Said, Score, Table, Value,
};
use crate::policy::names::{Homes, Names};
use crate::policy::{doubles, places};
use crate::random::Source;

/// A policy of one file, whose people bring metrics or requests.
pub fn policy(source: &mut Source, is_ready: bool) -> Policy {
    let mut terms = Terms { source, is_ready, parameters: Vec::new() };
    let metrics = metrics(&mut terms);
    let score = (terms.source.below(3) > 0).then(|| score(&mut terms, &metrics));
    let tables = (0..1 + terms.source.below(2)).map(|_| table(&mut terms, &metrics, score.as_ref())).collect();
    let mut requirements: Vec<Requirement> =
        (0..terms.source.below(3)).map(|_| requirement(&mut terms, &metrics)).collect();
    if let Some(score) = score.as_ref().filter(|_| terms.source.below(2) == 0) {
        requirements.push(at_the_score(terms.source, score));
    }
    let exposure = terms.source.once_in(6).then(|| (terms.scaled(1), Some(terms.money(1))));
    let offers = (0..terms.source.below(3)).map(|_| offer(&mut terms)).collect();
    let parameters = terms.parameters;
    let mut policy = Policy {
        is_ready,
        files: Vec::new(),
        homes: Homes::default(),
        names: Names::default(),
        version: "1".to_owned(),
        declared: vec![true; INPUTS.len()],
        bureau: vec![false; INPUTS.len()],
        required: vec![false; INPUTS.len()],
        valid_from: None,
        valid_to: None,
        tenure_unit: "days",
        fee_deducted: source.once_in(4),
        parameters,
        metrics,
        requirements,
        score,
        tables,
        exposure,
        ask: None,
        offers,
    };
    doubles::settle(&mut policy);
    places::alone(&mut policy);
    policy
}

fn metrics(terms: &mut Terms) -> Vec<Expr> {
    let one = |terms: &mut Terms| match terms.source.below(5) {
        0 => terms.scaled(2),
        1 | 2 => terms.ratio(2),
        3 => terms.test(1),
        _ => terms.money(2),
    };
    (0..1 + terms.source.below(4)).map(|_| one(terms)).collect()
}

/// A metric of the policy, or a new expression.
fn asked(terms: &mut Terms, metrics: &[Expr]) -> Expr {
    let at = terms.source.below(metrics.len());
    match terms.source.below(4) {
        0 | 1 if metrics[at].kind != Kind::Truth => Expr::new(metrics[at].kind, Op::Metric(at)),
        2 => terms.scaled(1),
        _ => terms.ratio(1),
    }
}

/// The bound of a cell for a kind of value.
fn bound(terms: &mut Terms, kind: Kind) -> Bound {
    let value = match kind {
        Kind::Money | Kind::MoneyMean => Value::Whole(terms.amount()),
        _ => Value::Exact(terms.percent()),
    };
    if terms.source.once_in(4) {
        let kind = if kind == Kind::MoneyMean { Kind::Money } else { kind };
        if let Op::Parameter(at) = terms.parameter(kind, value.clone()).op {
            return Bound::Parameter(at);
        }
    }
    Bound::Here(value)
}

fn cell(terms: &mut Terms, kind: Kind) -> Cell {
    match terms.source.below(6) {
        0 => Cell::Anything,
        1 => {
            let (low, wide) = (terms.percent(), terms.percent());
            let [low, high] = match kind {
                Kind::Money | Kind::MoneyMean => {
                    let low = terms.amount();
                    [low, low + 1 + terms.source.below(100_000) as i64].map(Value::Whole)
                }
                _ => [low.clone(), low + wide].map(Value::Exact),
            };
            let ends = [terms.source.below(2) == 0, terms.source.below(2) == 0];
            Cell::Range(Bound::Here(low), ends[0], Bound::Here(high), ends[1])
        }
        2 => Cell::None(vec![Cell::Sign(terms.source.one(&["=", "<", ">="]), bound(terms, kind))]),
        _ => Cell::Sign(terms.source.one(&["<", "<=", ">", ">=", "<", "<=", ">", ">=", "=", "!="]), bound(terms, kind)),
    }
}

/// Points with up to three decimals, whose sums no sum of doubles equals.
fn points(source: &mut Source) -> Exact {
    exact::decimal(source.one(&["0", "0.1", "0.2", "0.3", "10", "-15.7", "2.675", "0.07", "33.3", "0.001"]))
}

fn score(terms: &mut Terms, metrics: &[Expr]) -> Score {
    let item = |terms: &mut Terms| {
        let on = asked(terms, metrics);
        let mut bins: Vec<(Cell, Exact)> =
            (0..1 + terms.source.below(3)).map(|_| (cell(terms, on.kind), points(terms.source))).collect();
        bins.push((Cell::Anything, points(terms.source)));
        bins.insert(0, (Cell::Unknown, points(terms.source)));
        let weight = terms.source.once_in(3).then(|| exact::decimal(terms.source.one(&["1.5", "0.1", "-0.7", "3"])));
        Item { on, weight, has_code: terms.source.below(2) == 0, bins }
    };
    let items = (0..1 + terms.source.below(3)).map(|_| item(terms)).collect();
    let scale = terms.source.once_in(8).then_some((600.0, 50.0, 20.0));
    Score { base: points(terms.source), scale, reasons: None, items }
}

/// A score that some bins add up to.
fn attained(source: &mut Source, score: &Score) -> Exact {
    let gained = score.items.iter().map(|item| {
        let (_, points) = source.one(&item.bins);
        points * item.weight.as_ref().unwrap_or(&Exact::ONE)
    });
    gained.fold(score.base.clone(), |sum, gained| sum + gained)
}

fn at_the_score(source: &mut Source, score: &Score) -> Requirement {
    let parts = vec![Expr::new(Kind::Number, Op::Score), literal(Kind::Number, attained(source, score))];
    let when = Expr::new(Kind::Truth, Op::Compare(source.one(&["<", "<=", ">", ">=", "="]), parts));
    Requirement { condition: Condition::When(when), otherwise: None, unknown: Some(Effect::Pass), is_told: false }
}

fn requirement(terms: &mut Terms, metrics: &[Expr]) -> Requirement {
    let otherwise = terms.source.one(&[None, Some(Effect::Refer)]);
    let unknown = terms.source.one(&[None, Some(Effect::Pass)]);
    let told = if terms.source.below(2) == 0 { named(terms, metrics) } else { None };
    let is_told = told.is_some();
    let when = told.unwrap_or_else(|| terms.test(2));
    Requirement { condition: Condition::When(when), otherwise, unknown, is_told }
}

/// A metric compared with another of its kind, or with a parameter.
fn named(terms: &mut Terms, metrics: &[Expr]) -> Option<Expr> {
    let name = |at: usize| Expr::new(metrics[at].kind, Op::Metric(at));
    let at = terms.source.below(metrics.len());
    let kind = metrics[at].kind;
    let others: Vec<usize> = (0..metrics.len()).filter(|other| *other != at && metrics[*other].kind == kind).collect();
    let other = match kind {
        Kind::Truth => return None,
        _ if !others.is_empty() && terms.source.below(2) == 0 => name(terms.source.one(&others)),
        Kind::Money | Kind::MoneyMean => {
            let amount = terms.amount();
            terms.parameter(Kind::Money, Value::Whole(amount))
        }
        kind => {
            let share = terms.percent();
            terms.parameter(kind, Value::Exact(share))
        }
    };
    let sides = vec![name(at), other];
    Some(Expr::new(Kind::Truth, Op::Compare(terms.source.one(&["<", "<=", ">", ">=", "=", "!="]), sides)))
}

fn table(terms: &mut Terms, metrics: &[Expr], score: Option<&Score>) -> Table {
    let hit = terms.source.one(&[
        HitPolicy::First,
        HitPolicy::First,
        HitPolicy::Collect,
        HitPolicy::CollectCount,
        HitPolicy::CollectSum,
    ]);
    let mut inputs: Vec<Expr> = (0..1 + terms.source.below(2)).map(|_| asked(terms, metrics)).collect();
    if score.is_some() {
        inputs.push(Expr::new(Kind::Number, Op::Score));
    }
    // Long tables use an index.
    let count = if terms.source.once_in(10) { 30 } else { 1 + terms.source.below(5) };
    let outputs = vec![Output { kind: terms.source.one(&[Kind::Number, Kind::Money]), values: Vec::new() }];
    let row = |terms: &mut Terms| {
        let cells = inputs.iter().map(|input| match (&input.op, score) {
            (Op::Score, Some(score)) => {
                let sum = Bound::Here(Value::Exact(attained(terms.source, score)));
                Cell::Sign(terms.source.one(&["<", "<=", ">", ">=", "="]), sum)
            }
            _ => cell(terms, input.kind),
        });
        (cells.collect(), vec![output_value(terms, outputs[0].kind)])
    };
    let rows = (0..count).map(|_| row(terms)).collect();
    let otherwise = terms.source.once_in(3).then(|| vec![output_value(terms, outputs[0].kind)]);
    Table { hit, inputs, outputs, rows, otherwise, in_csv: false }
}

fn output_value(terms: &mut Terms, kind: Kind) -> Said {
    match (kind, terms.source.below(4)) {
        (Kind::Money, 0) => Said::Worked(terms.money(1)),
        (Kind::Money, _) => Said::Value(Value::Whole(terms.amount())),
        (_, 0) => Said::Worked(terms.ratio(1)),
        _ => Said::Value(Value::Exact(terms.percent())),
    }
}

fn offer(terms: &mut Terms) -> Offer {
    let percent = |terms: &mut Terms| {
        let (share, ratio) = (terms.percent(), terms.ratio(1));
        of(Kind::Number, '*', literal(Kind::Ratio, share), ratio)
    };
    let fee = (terms.source.below(3) > 0).then(|| {
        let share = literal(Kind::Ratio, terms.percent());
        of(Kind::MoneyMean, '*', share, Expr::new(Kind::Money, Op::Own("amount")))
    });
    let instalments = terms.source.one(&[1, 1, 3, 12]);
    let amount = match terms.source.below(5) {
        0 => {
            let parts = vec![terms.scaled(1), percent(terms), whole(Kind::Count, instalments)];
            call(Kind::Money, "principal_for", parts)
        }
        _ => terms.scaled(2),
    };
    Offer {
        when: terms.source.once_in(3).then(|| terms.test(1)),
        tenures: vec![30],
        instalments: Some(whole(Kind::Count, instalments)),
        amount,
        caps: (0..terms.source.one(&[0, 0, 1])).map(|_| terms.scaled(1)).collect(),
        step: terms.source.once_in(3).then(|| terms.step()),
        floor: terms.source.once_in(3).then(|| terms.scaled(1)),
        interest: percent(terms),
        method: terms.source.one(&[Method::Flat, Method::Flat, Method::Reducing, Method::Bullet]),
        fee,
        valid_for_days: None,
        part_payment: false,
        terms: "",
    }
}
