//! Operations of each type off a tape. Evaluates nothing.

use super::generator::{Place, Writer, literal};
use crate::properties::reference::Val;
use crate::properties::reference::expression::{Grain, Node, Op, Type};

impl Writer<'_, '_> {
    pub fn operation(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        match ty {
            Type::Money => self.money(place, depth),
            Type::MoneyFloat => self.money_float(place, depth),
            Type::Count => self.count(place, depth),
            Type::Plain => self.plain(place, depth),
            Type::Days => self.days(place, depth),
            Type::Date => self.date(place, depth),
            Type::Text => Node::new(Op::Call("lower"), vec![self.node(ty, place, depth)], ty),
            Type::Bool => self.boolean(place, depth),
        }
    }

    fn pair(&mut self, left: Type, right: Type, place: Place, depth: usize) -> Vec<Node> {
        vec![self.node(left, place, depth), self.node(right, place, depth)]
    }

    fn signed(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        let op = self.tape.pick(&[Op::Neg, Op::Call("abs")].each_ref()).clone();
        Node::new(op, vec![self.node(ty, place, depth)], ty)
    }

    /// A sum, a difference or a remainder of two of a kind.
    fn sum(&mut self, ty: Type, place: Place, depth: usize) -> Node {
        let sign = self.tape.pick(&['+', '-', '%']);
        let args = vec![self.node(ty, place, depth), self.beside(ty, place, depth)];
        Node::new(Op::Arithmetic(sign), args, ty)
    }

    fn money(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Money;
        match self.tape.below(5) {
            0 | 1 => self.sum(ty, place, depth),
            2 => self.signed(ty, place, depth),
            3 => {
                let mut args = self.pair(ty, Type::Count, place, depth);
                if self.tape.chance(5) {
                    args.reverse();
                }
                Node::new(Op::Arithmetic('*'), args, ty)
            }
            _ => {
                let name = self.tape.pick(&["round", "round_down", "round_up"]);
                let of = self.tape.pick(&[Type::Money, Type::MoneyFloat]);
                let mut args = vec![self.node(of, place, depth)];
                if self.tape.chance(6) {
                    args.push(self.node(Type::Money, place, depth));
                }
                Node::new(Op::Call(name), args, ty)
            }
        }
    }

    fn money_float(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::MoneyFloat;
        let other = self.tape.pick(&[Type::Money, Type::MoneyFloat]);
        match self.tape.below(4) {
            0 => {
                let sign = self.tape.pick(&['+', '-', '%']);
                let mut args = self.pair(ty, other, place, depth);
                if self.tape.chance(5) {
                    args.reverse();
                }
                Node::new(Op::Arithmetic(sign), args, ty)
            }
            1 => self.signed(ty, place, depth),
            2 => Node::new(Op::Arithmetic('*'), self.pair(other, Type::Plain, place, depth), ty),
            _ => {
                let by = self.tape.pick(&[Type::Count, Type::Plain]);
                Node::new(Op::Arithmetic('/'), self.pair(other, by, place, depth), ty)
            }
        }
    }

    fn count(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Count;
        match self.tape.below(6) {
            0 => self.sum(ty, place, depth),
            1 => self.signed(ty, place, depth),
            2 => Node::new(Op::Arithmetic('*'), self.pair(ty, ty, place, depth), ty),
            3 => Node::new(Op::Call("length"), vec![self.node(Type::Text, place, depth)], ty),
            4 => {
                let name = self.tape.pick(&["round", "floor", "ceil"]);
                Node::new(Op::Call(name), vec![self.node(Type::Plain, place, depth)], ty)
            }
            _ => {
                let part = self.tape.pick(&["year", "month", "day", "weekday"]);
                Node::new(Op::Call(part), vec![self.node(Type::Date, place, depth)], ty)
            }
        }
    }

    fn plain(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Plain;
        let other = self.tape.pick(&[Type::Plain, Type::Count]);
        match self.tape.below(6) {
            0 => {
                let sign = self.tape.pick(&['+', '-', '%', '*']);
                Node::new(Op::Arithmetic(sign), self.pair(ty, other, place, depth), ty)
            }
            1 => self.signed(ty, place, depth),
            2 => Node::new(Op::Arithmetic('/'), self.pair(ty, other, place, depth), ty),
            3 => Node::new(Op::Arithmetic('/'), self.pair(Type::Count, other, place, depth), ty),
            4 => {
                let (left, right) = (self.tape.pick(&[Type::Money, Type::MoneyFloat]), Type::Money);
                Node::new(Op::Arithmetic('/'), self.pair(left, right, place, depth), ty)
            }
            _ => {
                let step = literal("0.25", Val::Float(0.25, 0.0), ty);
                let name = self.tape.pick(&["round", "round_down", "round_up"]);
                Node::new(Op::Call(name), vec![self.node(ty, place, depth), step], ty)
            }
        }
    }

    fn days(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Days;
        match self.tape.below(4) {
            0 => Node::new(Op::Arithmetic('-'), self.pair(Type::Date, Type::Date, place, depth), ty),
            1 => self.sum(ty, place, depth),
            2 => self.signed(ty, place, depth),
            _ => Node::new(Op::Arithmetic('*'), self.pair(ty, Type::Count, place, depth), ty),
        }
    }

    fn date(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Date;
        match self.tape.below(3) {
            0 => {
                let sign = self.tape.pick(&['+', '-']);
                let args = vec![self.node(ty, place, depth), self.beside(Type::Days, place, depth)];
                Node::new(Op::Arithmetic(sign), args, ty)
            }
            1 => Node::new(Op::Call("month_start_of"), vec![self.node(ty, place, depth)], ty),
            _ => {
                let months = self.beside(Type::Count, place, depth);
                Node::new(Op::Call("add_months"), vec![self.node(ty, place, depth), months], ty)
            }
        }
    }

    fn boolean(&mut self, place: Place, depth: usize) -> Node {
        let ty = Type::Bool;
        let turned = self.tape.chance(3);
        let any = self.tape.pick(&[
            Type::Money,
            Type::Count,
            Type::Date,
            Type::Text,
            Type::Plain,
            Type::Days,
            Type::MoneyFloat,
            Type::Bool,
        ]);
        let at_rows = place.inside.unwrap_or(place.target) == Grain::Row;
        if at_rows && self.tape.chance(2) {
            return self.within(place);
        }
        match self.tape.below(11) {
            0..=2 => {
                let sign = self.tape.pick(&[">", ">=", "=", "<>", "<", "<="]);
                let left = self.node(any, place, depth);
                let right = match any {
                    Type::MoneyFloat if self.tape.chance(5) => self.node(Type::Money, place, depth),
                    Type::Plain if self.tape.chance(5) => self.node(Type::Count, place, depth),
                    _ => self.beside(any, place, depth),
                };
                Node::new(Op::Compare(sign), vec![left, right], ty)
            }
            3 | 4 => {
                let op = self.tape.pick(&[Op::And, Op::Or].each_ref()).clone();
                Node::new(op, self.pair(ty, ty, place, depth), ty)
            }
            5 => Node::new(Op::Not, vec![self.node(ty, place, depth)], ty),
            6 if turned => Node::new(Op::Call("is_unknown"), vec![self.node(any, place, depth)], ty),
            6 => Node::new(Op::IsNull(self.tape.chance(5)), vec![self.node(any, place, depth)], ty),
            7 => Node::new(Op::IsBool(self.tape.chance(5), turned), vec![self.node(ty, place, depth)], ty),
            8 => {
                let mut args = vec![self.node(any, place, depth)];
                for _ in 0..=self.tape.below(3) {
                    args.push(self.beside(any, place, depth));
                }
                Node::new(Op::In(turned), args, ty)
            }
            9 if any != Type::Bool => {
                let args =
                    vec![self.node(any, place, depth), self.beside(any, place, depth), self.beside(any, place, depth)];
                Node::new(Op::Between(turned), args, ty)
            }
            10 if at_rows && self.tape.chance(5) => {
                Node::new(Op::Mentions(self.tape.pick(&["salary", "odd"])), vec![], ty)
            }
            10 if at_rows => self.within(place),
            _ => {
                let pattern = self.tape.pick(&["%salary%", "_a%", "%É%", "a\\%b", "", "%", "%a_b%", "S%Y"]);
                Node::new(
                    Op::Like(pattern.into(), self.tape.chance(5), turned),
                    vec![self.node(Type::Text, place, depth)],
                    ty,
                )
            }
        }
    }

    fn within(&mut self, place: Place) -> Node {
        let as_of = Node::new(Op::Leaf("as_of", Grain::Statement), vec![], Type::Date);
        let outer = Place { target: Grain::Statement, inside: None };
        let span = match self.tape.chance(3) {
            true if place.inside.is_none() => self.node(Type::Count, outer, 1),
            _ => {
                let (text, days) = self.tape.pick(&[("30", 30), ("7", 7), ("2", 2), ("1", 1), ("0", 0), ("-1", -1)]);
                literal(text, Val::Int(days), Type::Days)
            }
        };
        Node::new(Op::Within, vec![as_of, span], Type::Bool)
    }
}
