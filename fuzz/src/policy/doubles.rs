//! Which expressions of a policy are approximate, as docs/reference/rules.md defines it for types: all others are
//! exact. Computes no values.

use super::model::{Bound, Cell, Condition, Expr, Kind, Op, Parameter, Policy, Said, Value};
use super::numbers::exactly;

/// What is known of the names in an expression.
struct Names<'p> {
    parameters: &'p [Parameter],
    metrics: Vec<bool>,
    score: bool,
    instalments: bool,
    interest: bool,
}

/// Marks every expression as approximate or exact.
pub fn settle(policy: &mut Policy) {
    let score = policy.score.as_ref().is_some_and(|score| score.scale.is_some());
    let parameters = policy.parameters.clone();
    let mut names = Names { parameters: &parameters, metrics: Vec::new(), score, instalments: false, interest: false };
    for metric in &mut policy.metrics {
        let is_double = names.settle(metric);
        names.metrics.push(is_double);
    }
    policy.score.iter_mut().flat_map(|score| &mut score.items).for_each(|item| names.all([&mut item.on]));
    for table in &mut policy.tables {
        names.all(&mut table.inputs);
        for (cells, _) in &mut table.rows {
            cells.iter_mut().for_each(|cell| names.cell(cell));
        }
        for said in table.rows.iter_mut().map(|(_, said)| said).chain(&mut table.otherwise).flatten() {
            if let Said::Worked(expr) = said {
                names.settle(expr);
            }
        }
    }
    policy.requirements.iter_mut().for_each(|one| names.condition(&mut one.condition));
    policy.exposure.iter_mut().for_each(|(limit, existing)| names.all([limit].into_iter().chain(existing)));
    policy.ask.iter_mut().for_each(|(amount, tenure)| names.all(amount.iter_mut().chain(tenure)));
    for offer in &mut policy.offers {
        names.instalments = offer.instalments.as_mut().is_some_and(|count| names.settle(count));
        names.all(offer.when.iter_mut().chain([&mut offer.amount]).chain(&mut offer.caps));
        names.all(offer.step.iter_mut().chain(&mut offer.floor));
        names.interest = names.settle(&mut offer.interest);
        names.all(&mut offer.fee);
    }
}

impl Names<'_> {
    fn all<'e>(&self, exprs: impl IntoIterator<Item = &'e mut Expr>) {
        exprs.into_iter().for_each(|expr| {
            self.settle(expr);
        });
    }

    fn condition(&self, condition: &mut Condition) {
        match condition {
            Condition::When(expr) => self.all([expr]),
            Condition::Block(_, _, members) => members.iter_mut().for_each(|one| self.condition(&mut one.condition)),
        }
    }

    /// Marks the expressions that a cell compares with.
    fn cell(&self, cell: &mut Cell) {
        let bound = |bound: &mut Bound| {
            if let Bound::Worked(expr) = bound {
                self.settle(expr);
            }
        };
        match cell {
            Cell::Sign(_, one) | Cell::Has(_, one) => bound(one),
            Cell::Range(low, _, high, _) => [low, high].into_iter().for_each(bound),
            Cell::Any(cells) | Cell::None(cells) => cells.iter_mut().for_each(|cell| self.cell(cell)),
            Cell::Anything | Cell::Unknown => {}
        }
    }

    /// Marks an expression and its parts.
    fn settle(&self, expr: &mut Expr) -> bool {
        let is_double = match &mut expr.op {
            Op::Metric(at) => self.metrics[*at],
            Op::Score => self.score,
            Op::Own("instalments") => self.instalments,
            Op::Own("interest") => self.interest,
            Op::Negate(inner) => self.settle(inner),
            Op::Arithmetic(_, parts) => self.any(parts),
            Op::Case(arms, otherwise) => self.chosen(arms, otherwise),
            Op::Switch(what, arms, otherwise) => {
                self.settle(what);
                self.chosen(arms, otherwise)
            }
            Op::Call(name, parts) => {
                let any = self.any(parts);
                match *name {
                    "coalesce" | "least" | "greatest" => any,
                    "abs" | "nullif" => parts[0].is_double,
                    "sqrt" | "ln" | "exp" => true,
                    "power" => parts[0].is_double || !self.is_whole(&parts[1]),
                    _ => false,
                }
            }
            Op::Compare(_, parts) | Op::And(parts) | Op::Or(parts) | Op::Between(parts) | Op::In(parts) => {
                self.any(parts);
                false
            }
            Op::Over(_, arguments, filter) => {
                self.any(arguments);
                filter.iter_mut().for_each(|filter| {
                    self.settle(filter);
                });
                false
            }
            Op::Not(inner) | Op::Like(inner, ..) | Op::IsNull(inner, _) | Op::IsTruth(inner, _) => {
                self.settle(inner);
                false
            }
            Op::Input(_)
            | Op::Given(_)
            | Op::Output(..)
            | Op::Parameter(_)
            | Op::AsOf
            | Op::Own(_)
            | Op::Field(_)
            | Op::Literal(_)
            | Op::Null => false,
        };
        expr.is_double = is_double;
        is_double
    }

    fn any(&self, parts: &mut [Expr]) -> bool {
        // Every part is marked.
        let settled: Vec<bool> = parts.iter_mut().map(|part| self.settle(part)).collect();
        settled.contains(&true)
    }

    /// A choice among values is approximate where one of them is.
    fn chosen(&self, arms: &mut [(Expr, Expr)], otherwise: &mut Option<Box<Expr>>) -> bool {
        let mut any = false;
        for (when, then) in arms {
            self.settle(when);
            any |= self.settle(then);
        }
        otherwise.iter_mut().fold(any, |any, otherwise| self.settle(otherwise) || any)
    }

    /// An exponent that is whole by its type, or a constant that is whole.
    fn is_whole(&self, exponent: &Expr) -> bool {
        let is_whole = |value: &Value| exactly(value).is_int();
        match &exponent.op {
            Op::Literal(value) => is_whole(value),
            Op::Parameter(at) => {
                let Parameter { value, dated, given, .. } = &self.parameters[*at];
                let constant = given.as_ref().or(value.as_ref().filter(|_| dated.is_empty()));
                exponent.kind == Kind::Count || constant.is_some_and(is_whole)
            }
            _ => exponent.kind == Kind::Count,
        }
    }
}
