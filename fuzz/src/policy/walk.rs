//! Walks a policy expression by expression and cell by cell. Understands none of it.

use super::model::{Bound, Cell, Condition, Expr, Kind, Op, Policy, Said};
use super::names::Sort;

/// The parts that an expression is made of.
pub fn parts(expr: &Expr) -> Vec<&Expr> {
    match &expr.op {
        Op::Arithmetic(_, parts)
        | Op::Compare(_, parts)
        | Op::And(parts)
        | Op::Or(parts)
        | Op::Between(parts)
        | Op::In(parts)
        | Op::Call(_, parts) => parts.iter().collect(),
        Op::Over(_, arguments, filter) => arguments.iter().chain(filter.as_deref()).collect(),
        Op::Negate(inner) | Op::Not(inner) | Op::Like(inner, ..) | Op::IsNull(inner, _) | Op::IsTruth(inner, _) => {
            vec![inner]
        }
        Op::Case(arms, otherwise) => {
            arms.iter().flat_map(|(when, then)| [when, then]).chain(otherwise.as_deref()).collect()
        }
        Op::Switch(what, arms, otherwise) => {
            let arms = arms.iter().flat_map(|(when, then)| [when, then]);
            [what.as_ref()].into_iter().chain(arms).chain(otherwise.as_deref()).collect()
        }
        _ => Vec::new(),
    }
}

/// An expression and all its parts.
pub fn all(expr: &Expr) -> Vec<&Expr> {
    let mut all = vec![expr];
    let mut at = 0;
    while at < all.len() {
        all.extend(parts(all[at]));
        at += 1;
    }
    all
}

/// Every expression of a policy, with its file.
pub fn expressions(policy: &Policy) -> Vec<(usize, &Expr)> {
    let homes = &policy.homes;
    let mut found: Vec<(usize, &Expr)> = homes.metrics.iter().copied().zip(&policy.metrics).collect();
    for (home, requirement) in homes.requirements.iter().zip(&policy.requirements) {
        found.extend(conditions(&requirement.condition).into_iter().map(|expr| (*home, expr)));
    }
    let items = policy.score.iter().flat_map(|score| &score.items);
    found.extend(items.map(|item| (homes.score, &item.on)));
    for (home, table) in homes.tables.iter().zip(&policy.tables) {
        let said = table.rows.iter().map(|(_, said)| said).chain(&table.otherwise).flatten();
        let worked = said.filter_map(|said| if let Said::Worked(expr) = said { Some(expr) } else { None });
        let compared = table.rows.iter().flat_map(|(cells, _)| cells).flat_map(compared);
        found.extend(table.inputs.iter().chain(worked).chain(compared).map(|expr| (*home, expr)));
    }
    let exposure = policy.exposure.iter().flat_map(|(limit, existing)| [Some(limit), existing.as_ref()]);
    found.extend(exposure.flatten().map(|expr| (homes.exposure, expr)));
    let ask = policy.ask.iter().flat_map(|(amount, tenure)| [amount.as_ref(), tenure.as_ref()]);
    found.extend(ask.flatten().map(|expr| (homes.ask, expr)));
    for (home, offer) in homes.offers.iter().zip(&policy.offers) {
        let some = [&offer.when, &offer.instalments, &offer.step, &offer.floor, &offer.fee];
        let all = some.into_iter().flatten().chain(&offer.caps).chain([&offer.amount, &offer.interest]);
        found.extend(all.map(|expr| (*home, expr)));
    }
    found
}

/// The expressions that a cell compares with.
fn compared(cell: &Cell) -> Vec<&Expr> {
    let bounds = match cell {
        Cell::Sign(_, one) | Cell::Has(_, one) => vec![one],
        Cell::Range(low, _, high, _) => vec![low, high],
        Cell::Any(cells) | Cell::None(cells) => return cells.iter().flat_map(compared).collect(),
        Cell::Anything | Cell::Unknown => vec![],
    };
    bounds.into_iter().filter_map(|one| if let Bound::Worked(expr) = one { Some(&**expr) } else { None }).collect()
}

fn conditions(condition: &Condition) -> Vec<&Expr> {
    match condition {
        Condition::When(expr) => vec![expr],
        Condition::Block(_, _, members) => members.iter().flat_map(|member| conditions(&member.condition)).collect(),
    }
}

/// Every cell of a policy, with its file and what it tests; cells of lists too.
pub fn cells(policy: &Policy) -> Vec<(usize, Kind, &Cell)> {
    let items = policy.score.iter().flat_map(|score| &score.items);
    let bins = items.flat_map(|item| item.bins.iter().map(|(cell, _)| (policy.homes.score, item.on.kind, cell)));
    let mut found: Vec<(usize, Kind, &Cell)> = bins.collect();
    for (home, table) in policy.homes.tables.iter().zip(&policy.tables) {
        let rows = table.rows.iter().flat_map(|(cells, _)| cells.iter().zip(&table.inputs));
        found.extend(rows.map(|(cell, input)| (*home, input.kind, cell)));
    }
    let mut at = 0;
    while at < found.len() {
        if let (home, kind, Cell::Any(inner) | Cell::None(inner)) = found[at] {
            found.extend(inner.iter().map(|cell| (home, kind, cell)));
        }
        at += 1;
    }
    found
}

/// Every reference in a file to something the policy defines.
pub fn names_said(policy: &Policy) -> Vec<(usize, Sort, usize)> {
    let mut said = Vec::new();
    for (home, expr) in expressions(policy) {
        for one in all(expr) {
            match &one.op {
                Op::Parameter(at) => said.push((home, Sort::Parameter, *at)),
                Op::Metric(at) => said.push((home, Sort::Metric, *at)),
                Op::Output(table, _) => said.push((home, Sort::Table, *table)),
                _ => {}
            }
        }
    }
    for (home, _, cell) in cells(policy) {
        let bounds = match cell {
            Cell::Sign(_, bound) | Cell::Has(_, bound) => vec![bound],
            Cell::Range(low, _, high, _) => vec![low, high],
            _ => vec![],
        };
        let parameters =
            bounds.into_iter().filter_map(|one| if let Bound::Parameter(at) = one { Some(*at) } else { None });
        said.extend(parameters.map(|at| (home, Sort::Parameter, at)));
    }
    said
}
