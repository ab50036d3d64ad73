//! An expression as people write it: with the brackets that it needs and no more. Works nothing out.

use std::fmt::Write;

use super::model::{Expr, INPUTS, Kind, Op, Policy, Value};
use super::text::{bare, source};

/// How firmly the parts of an expression hold together, as in SQL: what holds less firmly than its place asks needs brackets.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const TEST: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const WORD: u8 = 8;

/// An expression as the policy writes it.
pub fn sql(policy: &Policy, expr: &Expr) -> String {
    Writer { policy }.at(expr, 0)
}

struct Writer<'p> {
    policy: &'p Policy,
}

impl Writer<'_> {
    /// In a place that asks for so much.
    fn at(&self, expr: &Expr, asks: u8) -> String {
        let (text, holds) = self.written(expr);
        if holds < asks { format!("({text})") } else { text }
    }

    fn joined(&self, parts: &[Expr], between: &str, asks: u8) -> String {
        parts.iter().map(|part| self.at(part, asks)).collect::<Vec<_>>().join(between)
    }

    fn written(&self, expr: &Expr) -> (String, u8) {
        match &expr.op {
            Op::Input(at) => (format!("{}.{}", source(self.policy.bureau[*at]), INPUTS[*at].0), WORD),
            Op::Given(at) => (INPUTS[*at].0.into(), WORD),
            Op::Metric(at) => (format!("m{at}"), WORD),
            Op::Output(table, column) => (format!("t{table}_{column}"), WORD),
            Op::Score => ("score".into(), WORD),
            Op::Parameter(at) => (format!("$p{at}"), WORD),
            Op::AsOf => ("as_of".into(), WORD),
            Op::Own(name) => ((*name).into(), WORD),
            Op::Literal(value) => literal(expr.kind, value),
            Op::Arithmetic(sign, parts) => {
                let holds = if matches!(sign, '+' | '-') { SUM } else { PRODUCT };
                // From left to right: what stands right and holds as firmly is a thing of its own.
                let (left, right) = (self.at(&parts[0], holds), self.at(&parts[1], holds + 1));
                (format!("{left} {sign} {right}"), holds)
            }
            Op::Negate(inner) => (format!("- {}", self.at(inner, WORD)), SIGN),
            Op::Compare(sign, parts) => (self.joined(parts, &format!(" {sign} "), SUM), TEST),
            Op::And(parts) => (self.joined(parts, " AND ", AND), AND),
            Op::Or(parts) => (self.joined(parts, " OR ", OR), OR),
            Op::Not(inner) => match &inner.op {
                Op::In(_) | Op::Between(_) | Op::Like(..) | Op::IsTruth(..) => (self.test(inner, "NOT "), TEST),
                _ => (format!("NOT {}", self.at(inner, NOT)), NOT),
            },
            Op::Between(_) | Op::In(_) | Op::Like(..) | Op::IsTruth(..) => (self.test(expr, ""), TEST),
            Op::IsNull(inner, true) => (format!("{} IS NULL", self.at(inner, SUM)), TEST),
            Op::IsNull(inner, false) => (format!("{} IS NOT NULL", self.at(inner, SUM)), TEST),
            Op::Case(arms, otherwise) => (self.case(String::from("CASE"), arms, otherwise.as_deref()), WORD),
            Op::Switch(what, arms, otherwise) => {
                let what = format!("CASE {}", self.at(what, SUM));
                (self.case(what, arms, otherwise.as_deref()), WORD)
            }
            Op::Call(name, parts) => (format!("{name}({})", self.joined(parts, ", ", 0)), WORD),
        }
    }

    /// A test that may say NOT in its middle.
    fn test(&self, expr: &Expr, not: &str) -> String {
        match &expr.op {
            Op::Between(parts) => {
                let [value, low, high] = [0, 1, 2].map(|at| self.at(&parts[at], SUM));
                format!("{value} {not}BETWEEN {low} AND {high}")
            }
            Op::In(parts) => format!("{} {not}IN ({})", self.at(&parts[0], SUM), self.joined(&parts[1..], ", ", 0)),
            Op::Like(text, pattern, any_case) => {
                format!("{} {not}{} '{pattern}'", self.at(text, SUM), if *any_case { "ILIKE" } else { "LIKE" })
            }
            Op::IsTruth(inner, wanted) => {
                format!("{} IS {not}{}", self.at(inner, SUM), if *wanted { "TRUE" } else { "FALSE" })
            }
            other => panic!("{other:?} has no middle"),
        }
    }

    fn case(&self, mut text: String, arms: &[(Expr, Expr)], otherwise: Option<&Expr>) -> String {
        for (when, then) in arms {
            let _ = write!(text, " WHEN {} THEN {}", self.at(when, 0), self.at(then, 0));
        }
        if let Some(otherwise) = otherwise {
            let _ = write!(text, " ELSE {}", self.at(otherwise, 0));
        }
        text + " END"
    }
}

fn literal(kind: Kind, value: &Value) -> (String, u8) {
    match (kind, value) {
        (Kind::Date, value) => (format!("DATE '{}'", bare(Kind::Date, value)), WORD),
        (Kind::Text, value) => (format!("'{}'", bare(Kind::Text, value)), WORD),
        (kind, value) => {
            let text = bare(kind, value);
            let holds = if text.starts_with('-') { SIGN } else { WORD };
            (text, holds)
        }
    }
}
