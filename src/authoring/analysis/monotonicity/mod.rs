//! The direction in which every value of a statement moves when one of them grows and everything independent of it
//! stays. Uses the signs of operations, and is exact for step functions. Returns `Unknown` for operations it cannot
//! follow. Truth values are ordered false, unknown, true. Other values are compared where both are known.

pub(super) mod direction;
mod steps;

use std::collections::{BTreeSet, HashMap};

use crate::authoring::analysis::abstract_eval::AbstractEval;
use crate::authoring::analysis::monotonicity::direction::{Direction, Sign};
use crate::rules::Binary;
use crate::rules::graph::{DatePart, Grain, Node, NodeId, Op, Repr};
use crate::rules::program::{OutputCell, Program, Value};

/// The directions of all nodes.
#[derive(Debug)]
pub(in crate::authoring::analysis) struct Monotonicity<'p> {
    program: &'p Program,
    eval: &'p AbstractEval,
    directions: Vec<Direction>,
    /// Whether the input never changes if the node is known.
    steady: Vec<bool>,
    tables: Vec<Tables>,
}

/// The tables whose outputs a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tables {
    None,
    One(usize),
    Many,
}

impl Tables {
    fn and(self, other: Tables) -> Tables {
        match (self, other) {
            (Tables::None, tables) | (tables, Tables::None) => tables,
            (one, other) if one == other => one,
            _ => Tables::Many,
        }
    }
}

impl<'p> Monotonicity<'p> {
    /// The directions when `input` grows.
    pub(in crate::authoring::analysis) fn along(
        program: &'p Program,
        eval: &'p AbstractEval,
        input: NodeId,
    ) -> Monotonicity<'p> {
        let mut directions =
            Monotonicity { program, eval, directions: Vec::new(), steady: Vec::new(), tables: Vec::new() };
        for (index, node) in program.graph.nodes().iter().enumerate() {
            let id = NodeId(index as u32);
            let direction = if id == input { Direction::Increasing } else { directions.node(node) };
            let held = node.grain > Grain::Statement || matches!(node.op, Op::Aggregate { .. });
            let steady = id == input || held || directions.is_steady(node, direction) || !eval.at(id).unknown;
            directions.directions.push(direction);
            directions.steady.push(steady);
            let tables = directions.tables_below(node);
            directions.tables.push(tables);
        }
        directions
    }

    pub(in crate::authoring::analysis) fn at(&self, node: NodeId) -> Direction {
        self.directions[node.index()]
    }

    pub(in crate::authoring::analysis) fn steady(&self, node: NodeId) -> bool {
        self.steady[node.index()]
    }

    /// Whether it is unknown exactly where its inputs are, and they never change whether they are known.
    fn is_steady(&self, node: &Node, direction: Direction) -> bool {
        let inputs_are = node.inputs.iter().all(|input| self.steady(*input));
        let flat = node.inputs.iter().all(|input| self.at(*input) == Direction::Constant);
        match node.op {
            _ if flat && direction == Direction::Constant => inputs_are,
            Op::Spread | Op::ToRational | Op::ToFloat | Op::Negate | Op::Abs | Op::Not | Op::Compare(_) => inputs_are,
            Op::Arithmetic(Binary::Add | Binary::Subtract | Binary::Multiply) => inputs_are,
            Op::Arithmetic(Binary::Divide | Binary::Remainder) | Op::Round(_) => {
                let divisor = self.eval.at(node.inputs[1]).interval();
                let never_zero = divisor.is_none_or(|divisor| !divisor.contains(0.0));
                inputs_are && (never_zero || self.at(node.inputs[1]) == Direction::Constant)
            }
            Op::Least | Op::Greatest | Op::Score | Op::Length | Op::DatePart(_) => inputs_are,
            Op::Letters(_) | Op::HasText(_) | Op::Elapsed(_) => inputs_are,
            Op::Coalesce => inputs_are,
            Op::NeedsMonths(_) => inputs_are && self.at(node.inputs[0]) == Direction::Constant,
            _ => false,
        }
    }

    fn node(&self, node: &Node) -> Direction {
        let at = |index: usize| self.at(node.inputs[index]);
        let all = || node.inputs.iter().fold(Direction::Constant, |all, input| all.and(self.at(*input)));
        // Finer values and aggregates stay, and so does a node whose inputs all stay.
        if node.grain > Grain::Statement || matches!(node.op, Op::Aggregate { .. }) {
            return Direction::Constant;
        }
        if node.inputs.iter().all(|input| self.at(*input) == Direction::Constant && self.steady(*input)) {
            return Direction::Constant;
        }
        // Known here and unknown there: nothing but the tests of it and truths can be followed.
        let steady = node.inputs.iter().all(|input| self.steady(*input));
        match &node.op {
            Op::Spread | Op::ToRational | Op::ToFloat => at(0),
            Op::Negate | Op::Not => at(0).flipped(),
            Op::Abs => at(0).times(self.sign(node.inputs[0])),
            Op::Arithmetic(op) => self.arithmetic(*op, node.inputs[0], node.inputs[1]),
            Op::Compare(op) => {
                let truth = self.of_rows(node);
                let compared = if steady { self.comparison(*op, at(0), at(1)) } else { Direction::Unknown };
                truth.filter(|_| compared == Direction::Unknown).unwrap_or(compared)
            }
            Op::And | Op::Or | Op::AtLeast(_) => match all() {
                Direction::Unknown => self.of_rows(node).unwrap_or(Direction::Unknown),
                direction => direction,
            },
            Op::IsBoolean(true) => at(0),
            Op::IsBoolean(false) => at(0).flipped(),
            Op::IsNull => {
                if steady {
                    Direction::Constant
                } else {
                    Direction::Unknown
                }
            }
            Op::Choose => self.choose(node),
            Op::Coalesce if steady => all(),
            Op::Least | Op::Greatest | Op::Score => all(),
            Op::Round(_) => {
                let step = self.eval.at(node.inputs[1]).interval();
                let stays = at(1) == Direction::Constant && step.is_some_and(|step| step.low > 0.0);
                if stays { at(0) } else { Direction::Unknown }
            }
            Op::DatePart(DatePart::Year | DatePart::MonthStart) => at(0),
            Op::AddMonths => all(),
            Op::Elapsed(_) => at(0).flipped().and(at(1)),
            Op::NeedsMonths(_) if at(0) == Direction::Constant => at(1),
            // A larger instalment allows more, a higher rate less. The number of instalments must stay.
            Op::PrincipalFor(_) if at(2) == Direction::Constant => at(0).and(at(1).flipped()),
            Op::Points(item) if steady => {
                let on = node.inputs[0];
                let ty = self.program.graph.node(on).ty;
                at(0).through(steps::of_points(&self.program.score_items[*item], ty, self.eval.at(on)))
            }
            Op::Hit(_) => Direction::Unknown,
            Op::Output(table, column) => self.output(*table, *column),
            _ => Direction::Unknown,
        }
    }

    fn sign(&self, node: NodeId) -> Sign {
        match self.eval.at(node).interval() {
            Some(interval) if interval.low >= 0.0 => Sign::NotNegative,
            Some(interval) if interval.high <= 0.0 => Sign::NotPositive,
            _ => Sign::Either,
        }
    }

    fn arithmetic(&self, op: Binary, left: NodeId, right: NodeId) -> Direction {
        let (a, b) = (self.at(left), self.at(right));
        match op {
            Binary::Add => a.and(b),
            Binary::Subtract => a.and(b.flipped()),
            Binary::Multiply => a.times(self.sign(right)).and(b.times(self.sign(left))),
            Binary::Divide => {
                // Only for a divisor that keeps its sign.
                let by_divisor = match (b, self.sign(right)) {
                    (Direction::Constant, _) => Direction::Constant,
                    (_, Sign::Either) => Direction::Unknown,
                    _ => b.flipped().times(self.sign(left)),
                };
                a.times(self.sign(right)).and(by_divisor)
            }
            Binary::Remainder | Binary::And | Binary::Or => Direction::Unknown,
            Binary::Equal | Binary::NotEqual | Binary::Less => Direction::Unknown,
            Binary::LessEqual | Binary::Greater | Binary::GreaterEqual => Direction::Unknown,
        }
    }

    fn comparison(&self, op: Binary, left: Direction, right: Direction) -> Direction {
        match op {
            Binary::Greater | Binary::GreaterEqual => left.and(right.flipped()),
            Binary::Less | Binary::LessEqual => left.flipped().and(right),
            _ => Direction::Unknown,
        }
    }

    /// CASE: arms that move one way under constant conditions, or one condition that moves from an arm to another that
    /// is never less.
    fn choose(&self, node: &Node) -> Direction {
        let arms: Vec<&[NodeId]> = node.inputs.chunks(2).collect();
        let conditions = || arms.iter().filter(|arm| arm.len() == 2).map(|arm| self.at(arm[0]));
        let stays = |arm: &&[NodeId]| arm.len() < 2 || (self.at(arm[0]) == Direction::Constant && self.steady(arm[0]));
        let results = || arms.iter().filter_map(|arm| arm.last()).copied();
        let together = results().fold(Direction::Constant, |all, result| all.and(self.at(result)));
        if arms.iter().all(stays) {
            return together;
        }
        let (Some(condition), [_, then, otherwise]) = (conditions().next(), &node.inputs[..]) else {
            return Direction::Unknown;
        };
        let (then, otherwise) = (self.eval.at(*then).interval(), self.eval.at(*otherwise).interval());
        let moved = match (then, otherwise) {
            (Some(then), Some(otherwise)) if then.low >= otherwise.high => condition,
            (Some(then), Some(otherwise)) if then.high <= otherwise.low => condition.flipped(),
            _ => Direction::Unknown,
        };
        together.and(moved)
    }

    fn output(&self, table: usize, column: usize) -> Direction {
        let program = self.program;
        let number = |cells: &[OutputCell]| match cells.get(column)? {
            OutputCell::Value(value) => value.float(),
            OutputCell::Expression(..) => None,
        };
        self.table(table, &|row| number(cells_of(program, table, row)?))
    }

    /// The direction of a text whose values are given from the greatest to the least.
    pub(in crate::authoring::analysis) fn ranked(&self, node: NodeId, values: &[Value]) -> Direction {
        let Op::Output(table, column) = self.program.graph.node(node).op else { return Direction::Unknown };
        let program = self.program;
        let rank = |cells: &[OutputCell]| match cells.get(column)? {
            OutputCell::Value(value) => values.iter().position(|known| known == value).map(|place| -(place as f64)),
            OutputCell::Expression(..) => None,
        };
        self.table(table, &|row| rank(cells_of(program, table, row)?))
    }

    /// The direction of the rows' values over all inputs that move.
    fn table(&self, table: usize, row_value: &dyn Fn(usize) -> Option<f64>) -> Direction {
        let (written, Some(domain)) = (&self.program.tables[table], self.eval.domain(table)) else {
            return Direction::Unknown;
        };
        let inputs = || written.inputs.iter().map(|(_, node)| *node);
        let moving: Vec<usize> = (0..written.inputs.len())
            .filter(|index| {
                let node = written.inputs[*index].1;
                self.at(node) != Direction::Constant || !self.steady(node)
            })
            .collect();
        if inputs().any(|node| !self.steady(node)) {
            return Direction::Unknown;
        }
        // If several inputs move across a value that no row takes, nothing is known about the whole move.
        if moving.len() > 1 && self.eval.at(written.node).unknown {
            return Direction::Unknown;
        }
        moving.into_iter().fold(Direction::Constant, |all, along| {
            all.and(self.at(written.inputs[along].1).through(steps::of_table(written, domain, along, row_value)))
        })
    }

    /// The direction of a truth value that depends only on the outputs of one table and is never unknown.
    fn of_rows(&self, node: &Node) -> Option<Direction> {
        let below = node.inputs.iter().fold(Tables::None, |all, input| all.and(self.tables[input.index()]));
        let Tables::One(table) = below else { return None };
        if self.eval.at(self.program.tables[table].node).unknown {
            return None;
        }
        let parts = self.parts(node);
        let truth = |row: usize| {
            let mut known = HashMap::new();
            for part in &parts {
                if let Some(truth) = self.truth(self.program.graph.node(*part), &known, (table, row)) {
                    known.insert(*part, truth);
                }
            }
            self.truth(node, &known, (table, row)).map(|truth| f64::from(u8::from(truth)))
        };
        Some(self.table(table, &truth))
    }

    fn tables_below(&self, node: &Node) -> Tables {
        match node.op {
            Op::Output(table, _) => Tables::One(table),
            _ => node.inputs.iter().fold(Tables::None, |all, input| all.and(self.tables[input.index()])),
        }
    }

    /// The truth values that one is made of, each once, after those it is made of.
    fn parts(&self, node: &Node) -> BTreeSet<NodeId> {
        let (mut parts, mut open) = (BTreeSet::new(), vec![node]);
        while let Some(node) = open.pop() {
            if matches!(node.op, Op::And | Op::Or | Op::Not) {
                let fresh = node.inputs.iter().filter(|input| parts.insert(**input));
                open.extend(fresh.map(|input| self.program.graph.node(*input)));
            }
        }
        parts
    }

    /// The truth value for a row of the table.
    fn truth(&self, node: &Node, known: &HashMap<NodeId, bool>, (table, row): (usize, usize)) -> Option<bool> {
        let below = |index: usize| known.get(&node.inputs[index]).copied();
        match &node.op {
            Op::And => Some(below(0)? && below(1)?),
            Op::Or => Some(below(0)? || below(1)?),
            Op::Not => Some(!below(0)?),
            Op::Boolean(value) => Some(*value),
            Op::Compare(op) => {
                let value = |index: usize| self.value(node.inputs[index], table, row);
                let order = crate::rules::program::compare_values(&value(0)?, &value(1)?)?;
                Some(match op {
                    Binary::Equal => order.is_eq(),
                    Binary::NotEqual => order.is_ne(),
                    Binary::Less => order.is_lt(),
                    Binary::LessEqual => order.is_le(),
                    Binary::Greater => order.is_gt(),
                    Binary::GreaterEqual => order.is_ge(),
                    _ => return None,
                })
            }
            _ => None,
        }
    }

    fn value(&self, node: NodeId, table: usize, row: usize) -> Option<Value> {
        let found = self.program.graph.node(node);
        match &found.op {
            Op::Output(of, column) if *of == table => match cells_of(self.program, table, row)?.get(*column)? {
                OutputCell::Value(value) => Some(value.clone()),
                OutputCell::Expression(..) => None,
            },
            Op::Spread => self.value(found.inputs[0], table, row),
            Op::Int(value) if found.ty.repr == Repr::Int => Some(Value::Int(*value)),
            Op::Rational(value) => Some(Value::Rational(value.clone())),
            Op::Text(text) => Some(Value::Text(text.clone())),
            Op::Boolean(value) => Some(Value::Boolean(*value)),
            _ => None,
        }
    }
}

/// The cells of a row. The index after the last row is that of `otherwise`.
fn cells_of(program: &Program, table: usize, row: usize) -> Option<&[OutputCell]> {
    let table = program.tables.get(table)?;
    table.rows.get(row).map(|row| &row.values).or(table.otherwise.as_ref()).map(Vec::as_slice)
}
