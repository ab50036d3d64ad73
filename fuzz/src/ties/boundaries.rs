//! Where a policy changes its decision: two sides of a comparison, a cell's bound, the edge of a rounding; and how to
//! bring a person there by one input, exactly or as near as the input may be. Decides nothing.

use std::cmp::Ordering;

use crate::exact::{self, Exact, Way};
use crate::policy::evaluate::{Case, Known, Why};
use crate::policy::model::{Bound, Cell, Expr, INPUTS, Kind, Op, Person, Policy, Said, Value};
use crate::policy::numbers::exactly;
use crate::policy::walk;

/// A place at which something changes.
#[derive(Clone, Debug)]
pub struct Boundary {
    value: Expr,
    at: At,
    /// The inputs that can reach it, and the metrics in between.
    pub inputs: Vec<usize>,
    metrics: Vec<bool>,
}

#[derive(Clone, Debug)]
enum At {
    Other(Expr),
    Bound(Bound),
    /// A multiple of a step, or half way to the next.
    Multiple(Option<Expr>, bool),
}

/// No input goes beyond this.
const INPUT_MAX: i64 = 4_000_000_000_000_000_000;

/// All the boundaries of a policy.
pub fn boundaries(policy: &Policy) -> Vec<Boundary> {
    let mut found: Vec<(Expr, At)> = Vec::new();
    for (_, expr) in walk::expressions(policy) {
        walk::all(expr).into_iter().for_each(|one| of_expression(one, &mut found));
    }
    let items = policy.score.iter().flat_map(|score| &score.items);
    items.for_each(|item| item.bins.iter().for_each(|(cell, _)| of_cell(&item.on, cell, &mut found)));
    for table in &policy.tables {
        for (cells, _) in &table.rows {
            cells.iter().zip(&table.inputs).for_each(|(cell, input)| of_cell(input, cell, &mut found));
        }
    }
    of_offers(policy, &mut found);
    found.into_iter().filter_map(|(value, at)| Boundary::new(policy, value, at)).collect()
}

fn of_expression(expr: &Expr, found: &mut Vec<(Expr, At)>) {
    let mut meets = |left: &Expr, right: &Expr| found.push((left.clone(), At::Other(right.clone())));
    match &expr.op {
        Op::Compare(_, parts) => meets(&parts[0], &parts[1]),
        Op::Between(parts) | Op::In(parts) => parts[1..].iter().for_each(|part| meets(&parts[0], part)),
        Op::Call("least" | "greatest", parts) => meets(&parts[0], &parts[1]),
        Op::Call(name @ ("round" | "round_half_even" | "round_down" | "round_up" | "floor" | "ceil"), parts) => {
            found.push((
                parts[0].clone(),
                At::Multiple(parts.get(1).cloned(), matches!(*name, "round" | "round_half_even")),
            ));
        }
        Op::Arithmetic('%', parts) => found.push((parts[0].clone(), At::Multiple(Some(parts[1].clone()), false))),
        _ => {}
    }
}

fn of_cell(input: &Expr, cell: &Cell, found: &mut Vec<(Expr, At)>) {
    let mut bound = |bound: &Bound| found.push((input.clone(), At::Bound(bound.clone())));
    match cell {
        Cell::Sign(_, one) => bound(one),
        Cell::Range(low, _, high, _) => [low, high].into_iter().for_each(bound),
        Cell::Any(cells) | Cell::None(cells) => cells.iter().for_each(|cell| of_cell(input, cell, found)),
        Cell::Anything | Cell::Unknown | Cell::Has(..) => {}
    }
}

/// Amounts, caps and limits at whole minor units and whole steps, and where they meet each other.
fn of_offers(policy: &Policy, found: &mut Vec<(Expr, At)>) {
    for offer in &policy.offers {
        let limits = policy.exposure.iter().map(|(limit, _)| limit);
        let amounts: Vec<&Expr> = [&offer.amount].into_iter().chain(&offer.caps).chain(limits).collect();
        for amount in &amounts {
            found.push(((*amount).clone(), At::Multiple(offer.step.clone(), false)));
            let others = amounts.iter().copied().chain(&offer.floor);
            found.extend(others.map(|other| ((*amount).clone(), At::Other(other.clone()))));
        }
        // In a fee, the amount is that of the offer, if nothing else bounds it.
        for fee in offer.fee.iter().filter(|_| offer.caps.is_empty() && policy.exposure.is_none()) {
            let parts: Vec<Expr> = [Some(&offer.amount), offer.step.as_ref()].into_iter().flatten().cloned().collect();
            let amount = Expr::new(Kind::Money, Op::Call("round_down", parts));
            found.push((with_amount(fee, &amount), At::Multiple(None, true)));
        }
    }
    for (_, said) in policy.tables.iter().flat_map(|table| &table.rows) {
        said.iter().for_each(|said| {
            if let Said::Worked(expr) = said {
                found.push((expr.clone(), At::Multiple(None, false)));
            }
        });
    }
}

fn with_amount(expr: &Expr, amount: &Expr) -> Expr {
    match &expr.op {
        Op::Own("amount") => amount.clone(),
        Op::Arithmetic(sign, parts) => {
            let parts = parts.iter().map(|part| with_amount(part, amount)).collect();
            Expr { op: Op::Arithmetic(*sign, parts), ..expr.clone() }
        }
        _ => expr.clone(),
    }
}

/// The value of an input at which a person is at a boundary.
pub struct Root {
    pub at: Exact,
    target: Option<Exact>,
}

impl Boundary {
    /// `None` if no numeric input affects it, or if it depends on something that is unknown before the tables are.
    fn new(policy: &Policy, value: Expr, at: At) -> Option<Boundary> {
        let mut boundary = Boundary { value, at, inputs: Vec::new(), metrics: vec![false; policy.metrics.len()] };
        let is_number = |kind: Kind| !matches!(kind, Kind::Text | Kind::Truth | Kind::List(_));
        if !is_number(boundary.value.kind) {
            return None;
        }
        let other = match &boundary.at {
            At::Other(other) | At::Multiple(Some(other), _) => Some(other.clone()),
            At::Bound(Bound::Worked(other)) => Some((**other).clone()),
            _ => None,
        };
        let mut open: Vec<Expr> = [boundary.value.clone()].into_iter().chain(other).collect();
        while let Some(expr) = open.pop() {
            for part in walk::all(&expr) {
                match part.op {
                    Op::Input(at) | Op::Given(at) if is_number(INPUTS[at].1) => boundary.inputs.push(at),
                    Op::Metric(at) if !boundary.metrics[at] => {
                        boundary.metrics[at] = true;
                        open.push(policy.metrics[at].clone());
                    }
                    Op::Score | Op::Output(..) | Op::Own(_) | Op::Call("principal_for", _) => return None,
                    _ => {}
                }
            }
        }
        boundary.inputs.sort_unstable();
        boundary.inputs.dedup();
        (!boundary.inputs.is_empty()).then_some(boundary)
    }

    /// The distance of a person from it, if known; `target` is the multiple in question.
    fn gap(&self, policy: &Policy, person: &Person, target: Option<&Exact>) -> Option<Exact> {
        let mut case = Case::begun(policy, person);
        for (metric, is_needed) in policy.metrics.iter().zip(&self.metrics) {
            let value: Known<Value> = if *is_needed { case.value(metric) } else { Err(Why::Said("not asked")) };
            case.metrics.push(value);
        }
        let value = exactly(&case.value(&self.value).ok()?);
        match (&self.at, target) {
            (At::Other(other), _) => Some(value - exactly(&case.value(other).ok()?)),
            (At::Bound(bound), _) => Some(value - exactly(&case.bound(bound).ok()?)),
            (At::Multiple(step, is_half), target) => {
                let step = step.as_ref().map_or(Ok(Value::Whole(1)), |step| case.value(step));
                let steps = value / Some(exactly(&step.ok()?)).filter(|step| *step > Exact::ZERO)?;
                let half = if *is_half { Exact::ONE / Exact::from(2) } else { Exact::ZERO };
                match target {
                    Some(target) => Some(steps - target),
                    // The multiple itself, for people who have none yet.
                    None => Some(exact::whole(&steps, Way::Down) + half),
                }
            }
        }
    }

    /// For a rounding, the multiple that a person is brought to.
    fn target(&self, policy: &Policy, person: &Person) -> Option<Exact> {
        matches!(self.at, At::Multiple(..)).then(|| self.gap(policy, person, None))?
    }

    /// The value of an input at the boundary, and the multiple. Exact if the input has a linear effect, else near.
    pub fn root(&self, policy: &Policy, person: &mut Person, input: usize) -> Option<Root> {
        let (kind, target) = (INPUTS[input].1, self.target(policy, person));
        let mut before = exactly(person.inputs[input].as_ref()?);
        let mut gap = |at: &Exact| {
            person.inputs[input] = Some(held(kind, at)?);
            self.gap(policy, person, target.as_ref())
        };
        let mut gap_before = gap(&before)?;
        let mut here = &before + little(kind, &before);
        for _ in 0..3 {
            let gap_here = gap(&here)?;
            if gap_here.is_zero() || gap_here == gap_before {
                break;
            }
            let slope = (&here - &before) / (&gap_here - &gap_before);
            let root = &here - &gap_here * slope;
            (before, gap_before) = (here, gap_here);
            here = if kind.is_fraction() { root.clone() } else { exact::whole(&root, Way::Nearest) };
            if here == before || here.to_string().len() > 60 {
                return Some(Root { at: root, target });
            }
        }
        Some(Root { at: here, target })
    }

    /// The side on which a person is.
    pub fn side(&self, policy: &Policy, person: &Person, root: &Root) -> Option<Ordering> {
        Some(self.gap(policy, person, root.target.as_ref())?.cmp(&Exact::ZERO))
    }
}

/// A number as an input of a kind, if valid.
pub fn held(kind: Kind, number: &Exact) -> Option<Value> {
    let range = match kind {
        kind if kind.is_fraction() => return Some(Value::Exact(number.clone())),
        // Within the calendar.
        Kind::Date => -25_000..=84_000,
        // Powers of larger counts take long.
        Kind::Count => -50_000..=50_000,
        _ => -INPUT_MAX..=INPUT_MAX,
    };
    exact::int(number).filter(|number| range.contains(number)).map(Value::Whole)
}

/// The smallest step that changes something.
fn little(kind: Kind, number: &Exact) -> Exact {
    match kind {
        Kind::Money => exact::whole(&(exact::absolute(number) / Exact::from(16)), Way::Down) + Exact::from(1_000),
        kind if kind.is_fraction() => Exact::ONE / Exact::from(64),
        _ => Exact::ONE,
    }
}
