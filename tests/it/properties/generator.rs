//! Well-typed definitions off a tape: which names and which operations may stand where. Evaluates nothing.

use super::tape::Tape;
use crate::properties::reference::Val;
use crate::properties::reference::expression::{Aggregate, Definition, Grain, Node, Op, PARAMETERS, Type};

/// Where an expression is being written.
#[derive(Clone, Copy)]
pub struct Place {
    /// The grain of the definition.
    pub target: Grain,
    /// Inside of an aggregate, and the finest grain that it may read.
    pub inside: Option<Grain>,
}

pub struct Writer<'a, 't> {
    pub tape: &'a mut Tape<'t>,
    pub defined: Vec<Definition>,
}

/// How deep an expression goes at the most.
const DEPTH: usize = 4;

const ROW: [(&str, Type); 13] = [
    ("credit", Type::Money),
    ("debit", Type::Money),
    ("balance", Type::Money),
    ("trans_date", Type::Date),
    ("cleared_date", Type::Date),
    ("desc", Type::Text),
    ("code", Type::Text),
    ("id", Type::Text),
    ("topics", Type::Text),
    ("people", Type::Text),
    ("reference", Type::Text),
    ("date_was_repaired", Type::Bool),
    ("date_was_in_conflict", Type::Bool),
];
const MONTH: [(&str, Type); 5] = [
    ("month_start", Type::Date),
    ("month_number", Type::Count),
    ("month_records", Type::Count),
    ("full_months_ago", Type::Count),
    ("month_is_full", Type::Bool),
];
const STATEMENT: [(&str, Type); 4] = [
    ("as_of", Type::Date),
    ("duplicates_dropped", Type::Count),
    ("has_debit", Type::Bool),
    ("has_balance", Type::Bool),
];

pub fn literal(text: &str, value: Val, ty: Type) -> Node {
    Node::new(Op::Literal(text.into(), value), vec![], ty)
}

pub fn text_literal(text: &str) -> Node {
    literal(&format!("'{}'", text.replace('\'', "''")), Val::Text(text.into()), Type::Text)
}

/// Some definitions at different grains; the last ones are metrics.
pub fn definitions(tape: &mut Tape) -> Vec<Definition> {
    let mut writer = Writer { tape, defined: vec![] };
    let names = writer.tape.below(5);
    for index in 0..names {
        let grain = writer.tape.pick(&[Grain::Row, Grain::Month, Grain::Statement]);
        writer.define(format!("n{index}"), grain);
    }
    writer.define("answer".into(), Grain::Statement);
    writer.defined
}

impl Writer<'_, '_> {
    fn define(&mut self, name: String, grain: Grain) {
        let ty = self.tape.pick(&[
            Type::Bool,
            Type::Money,
            Type::Count,
            Type::Plain,
            Type::MoneyFloat,
            Type::Days,
            Type::Date,
            Type::Text,
        ]);
        let place = Place { target: grain, inside: None };
        let mut node = self.node(ty, place, DEPTH);
        if grain == Grain::Statement && self.tape.chance(1) {
            node = Node::new(Op::NeedsMonths(self.tape.below(4) as i64), vec![node], ty);
        }
        self.defined.push(Definition { name, grain, node });
    }

    /// An expression of a type, at most so deep.
    pub fn node(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        if depth == 0 || self.tape.done() {
            return self.leaf(ty, place);
        }
        // Without an aggregate a metric or a month says little of its records.
        let by_rows = place.inside.is_none() && place.target != Grain::Row;
        match self.tape.below(12) {
            0..=2 if depth < DEPTH => self.leaf(ty, place),
            3..=6 if by_rows => self.aggregate(ty, place, depth),
            3 if place.inside.is_none() => self.aggregate(ty, place, depth),
            7 => self.choice(ty, place, depth - 1),
            _ => self.operation(ty, place, depth - 1),
        }
    }

    /// The finest grain of a name that may stand here.
    fn finest(place: Place) -> Grain {
        place.inside.unwrap_or(place.target)
    }

    pub fn leaf(&mut self, ty: Type, place: Place) -> Node {
        let finest = Self::finest(place);
        let mut found: Vec<Node> = Vec::new();
        for index in (0..self.defined.len()).filter(|index| self.defined[*index].node.ty == ty) {
            let node = Node::new(Op::Defined(index), vec![], ty);
            // A name under [transaction] may turn out to be coarser.
            let grain = node.grain(&self.defined);
            if grain <= finest && (grain != Grain::Month || self.may_month(place)) {
                found.push(node);
            }
        }
        let names = |names: &[(&'static str, Type)], grain: Grain| -> Vec<Node> {
            let of = names.iter().filter(|(_, known)| *known == ty);
            of.map(|(name, _)| Node::new(Op::Leaf(name, grain), vec![], ty)).collect()
        };
        if finest == Grain::Row {
            let columns = names(&ROW, Grain::Row);
            // Mostly what the records say.
            if !columns.is_empty() && self.tape.chance(5) {
                found = columns;
                let index = self.tape.below(found.len());
                return found.swap_remove(index);
            }
            found.extend(columns);
        }
        if finest >= Grain::Month && self.may_month(place) {
            found.extend(names(&MONTH, Grain::Month));
        }
        found.extend(names(&STATEMENT, Grain::Statement));
        let parameters = PARAMETERS.iter().filter(|known| known.2 == ty);
        found.extend(parameters.map(|known| Node::new(Op::Parameter(known.0), vec![], ty)));
        match ty {
            Type::Plain => found.extend(
                [("0.5", 0.5), ("2.5", 2.5), ("0.0", 0.0), ("-1.25", -1.25)]
                    .map(|(text, value)| literal(text, Val::Float(value, 0.0), ty)),
            ),
            Type::MoneyFloat => found.push(Node::new(
                Op::Arithmetic('*'),
                vec![self.leaf(Type::Money, place), literal("0.5", Val::Float(0.5, 0.0), Type::Plain)],
                ty,
            )),
            Type::Bool => found
                .extend([("TRUE", true), ("FALSE", false)].map(|(text, value)| literal(text, Val::Bool(value), ty))),
            Type::Text => found.extend(["salary", "a%b_'c", "É", ""].map(text_literal)),
            Type::Date => found.extend(
                [("DATE '2024-02-29'", 19_782), ("DATE '1900-01-01'", -25_567)]
                    .map(|(text, days)| literal(text, Val::Int(days), ty)),
            ),
            _ => {}
        }
        let index = self.tape.below(found.len());
        found.swap_remove(index)
    }

    /// An aggregate for a month reads transactions; a month's own values would stand at its own grain.
    fn may_month(&self, place: Place) -> bool {
        !(place.inside.is_some() && place.target == Grain::Month)
    }

    fn aggregate(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        let target = if place.target == Grain::Month { Grain::Month } else { Grain::Statement };
        let finest = if target == Grain::Month || self.tape.chance(7) { Grain::Row } else { Grain::Month };
        let inside = Place { target: place.target, inside: Some(finest) };
        let same = ["sum", "min", "max", "first", "last", "arg_max", "arg_min"];
        let (name, argument): (&'static str, Type) = match ty {
            Type::Money => (self.tape.pick(&same), ty),
            Type::Days if self.tape.chance(3) => ("max_gap", Type::Date),
            Type::Days => (self.tape.pick(&same), ty),
            Type::Count if self.tape.chance(7) => {
                ("count", self.tape.pick(&[Type::Bool, Type::Money, Type::Plain, Type::Text, Type::Date]))
            }
            Type::Count => (self.tape.pick(&same), ty),
            Type::MoneyFloat => {
                let name = self.tape.pick(&["avg", "median", "quantile", "stddev", "regr_slope", "sum", "min", "last"]);
                (
                    name,
                    if name == "sum" || name == "min" || name == "last" {
                        ty
                    } else {
                        self.tape.pick(&[Type::Money, Type::MoneyFloat])
                    },
                )
            }
            Type::Plain => {
                let name = self.tape.pick(&["avg", "median", "quantile", "stddev", "sum", "max", "first"]);
                (
                    name,
                    if name == "sum" || name == "max" || name == "first" {
                        ty
                    } else {
                        self.tape.pick(&[Type::Count, Type::Plain])
                    },
                )
            }
            _ => (self.tape.pick(&same[1..]), ty),
        };
        let star = name == "count" && self.tape.chance(5);
        let distinct = name == "count" && !star && self.tape.chance(4);
        let mut args = if star { vec![] } else { vec![self.node(argument, inside, depth - 1)] };
        if name.starts_with("arg_") {
            let by = self.tape.pick(&[Type::Money, Type::Count, Type::Plain, Type::Date, Type::Days]);
            args.push(self.node(by, inside, depth - 1));
        }
        if name == "regr_slope" {
            args.push(self.leaf(Type::Count, inside));
        }
        let filtered = self.tape.chance(5);
        if filtered {
            // Months are kept by what is known of months.
            let given = args.iter().map(|arg| arg.grain(&self.defined)).max();
            let inside = if given == Some(Grain::Month) { Place { inside: given, ..inside } } else { inside };
            args.push(self.node(Type::Bool, inside, depth - 1));
        }
        let fraction = self.tape.pick(&["0.5", "0", "1", "0.1", "0.95"]);
        Node::new(Op::Aggregate(Aggregate { name, star, distinct, fraction, filtered, target }), args, ty)
    }

    /// CASE, COALESCE, LEAST, GREATEST, NULLIF: what any type has.
    fn choice(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        match self.tape.below(6) {
            0 => {
                let args = vec![self.node(ty, place, depth), self.beside(ty, place, depth)];
                Node::new(Op::Call("coalesce"), args, ty)
            }
            1 | 2 if ty != Type::Bool => {
                let name = self.tape.pick(&["least", "greatest"]);
                let args = vec![self.node(ty, place, depth), self.beside(ty, place, depth)];
                Node::new(Op::Call(name), args, ty)
            }
            3 => {
                let args = vec![self.node(ty, place, depth), self.beside(ty, place, depth)];
                Node::new(Op::Call("nullif"), args, ty)
            }
            4 => {
                let tested = self.tape.pick(&[Type::Count, Type::Money, Type::Text, Type::Date, Type::Plain]);
                let mut args = vec![self.node(tested, place, depth)];
                for _ in 0..=self.tape.below(2) {
                    args.extend([self.beside(tested, place, depth), self.node(ty, place, depth)]);
                }
                Node::new(Op::Case(true, false), args, ty)
            }
            _ => {
                let mut args = Vec::new();
                for _ in 0..=self.tape.below(2) {
                    args.extend([self.node(Type::Bool, place, depth), self.node(ty, place, depth)]);
                }
                let otherwise = self.tape.chance(6);
                if otherwise {
                    args.push(self.beside(ty, place, depth));
                }
                Node::new(Op::Case(false, otherwise), args, ty)
            }
        }
    }

    /// Something to stand beside a value of a type: often a bare number, which takes the type of its neighbour.
    pub fn beside(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        if !self.tape.chance(5) {
            return self.node(ty, place, depth);
        }
        let whole = |text: &str, value: i64| literal(text, Val::Int(value), ty);
        match ty {
            Type::Money | Type::MoneyFloat => {
                let (text, minor) =
                    self.tape.pick(&[("0", 0), ("100", 10_000), ("12.34", 1_234), ("-5.5", -550), ("1e3", 100_000)]);
                let bare = literal(text, Val::Int(minor), Type::Money);
                // The neighbour is a float: so becomes the amount.
                if ty == Type::Money {
                    bare
                } else {
                    Node { ty, op: Op::Literal(text.into(), Val::Float(minor as f64, 0.0)), ..bare }
                }
            }
            Type::Count | Type::Days => {
                let (text, value) =
                    self.tape.pick(&[("0", 0), ("1", 1), ("-2", -2), ("30", 30), ("9223372036854775807", i64::MAX)]);
                whole(text, value)
            }
            Type::Plain => {
                let (text, value) = self.tape.pick(&[("0", 0.0), ("1", 1.0), ("-3", -3.0), ("7.25", 7.25)]);
                literal(text, Val::Float(value, 0.0), ty)
            }
            Type::Date => literal("'2024-03-05'", Val::Int(19_787), ty),
            Type::Text => text_literal(self.tape.pick(&["salary", "NIP/SALARY", "x"])),
            Type::Bool => self.node(ty, place, depth),
        }
    }
}
