//! Expressions, conditions and cells as people write them: with only the necessary brackets. Computes no values.

use std::fmt::Write;

use super::entries::{FIELDS, LIST};
use super::model::{Bound, Cell, Condition, Expr, INPUTS, Kind, Member, Op, Policy, Quota, Value};
use super::names::Sort;
use super::values::{bare, source};

/// The precedence of operators, as in SQL: a part with less than its place requires gets brackets.
const OR: u8 = 1;
const AND: u8 = 2;
const NOT: u8 = 3;
const TEST: u8 = 4;
const SUM: u8 = 5;
const PRODUCT: u8 = 6;
const SIGN: u8 = 7;
const WORD: u8 = 8;

/// The writer for one file of a policy.
#[derive(Clone, Copy)]
pub struct Writer<'p> {
    pub policy: &'p Policy,
    pub file: usize,
}

impl Writer<'_> {
    /// An expression.
    pub fn sql(self, expr: &Expr) -> String {
        self.at(expr, 0)
    }

    /// As text of a rule file.
    pub fn quoted(self, expr: &Expr) -> String {
        format!("'''{}'''", self.sql(expr))
    }

    /// `when = ...` or a block, with `between` between its parts.
    pub fn condition(self, condition: &Condition, between: &str) -> String {
        match condition {
            Condition::When(expr) => format!("when = {}", self.quoted(expr)),
            Condition::Block(least, quota, members) => {
                let members: Vec<String> = members.iter().map(|one| self.member(one)).collect();
                let members = members.join(", ");
                match quota {
                    Quota::All => format!("all = [{members}]"),
                    Quota::Any => format!("any = [{members}]"),
                    Quota::AtLeast => format!("at_least = {least}{between}of = [{members}]"),
                }
            }
        }
    }

    fn member(self, member: &Member) -> String {
        let unknown = match member.unknown_holds {
            None => "",
            Some(true) => ", unknown = \"holds\"",
            Some(false) => ", unknown = \"fails\"",
        };
        match &member.condition {
            Condition::When(expr) if unknown.is_empty() => self.quoted(expr),
            other => format!("{{ {}{unknown} }}", self.condition(other, ", ")),
        }
    }

    fn bound(self, kind: Kind, bound: &Bound) -> String {
        match bound {
            Bound::Here(value) => bare(kind, value),
            Bound::Parameter(at) => format!("${}", self.policy.said_name(self.file, Sort::Parameter, *at)),
            Bound::Worked(expr) => self.sql(expr),
        }
    }

    /// A cell that tests a value of a kind.
    pub fn cell(self, kind: Kind, test: &Cell) -> String {
        let list = |cells: &[Cell]| cells.iter().map(|part| self.cell(kind, part)).collect::<Vec<_>>().join(", ");
        match test {
            Cell::Anything => "-".into(),
            Cell::Unknown => "unknown".into(),
            // Both spellings are valid.
            Cell::Sign("=", Bound::Here(Value::Whole(value))) if value % 2 == 1 => {
                format!("= {}", bare(kind, &Value::Whole(*value)))
            }
            Cell::Sign("=", Bound::Worked(expr)) => format!("= {}", self.sql(expr)),
            Cell::Sign("=", value) => self.bound(kind, value),
            Cell::Sign(sign, value) => format!("{sign} {}", self.bound(kind, value)),
            Cell::Range(low, true, high, false) => format!("{}..{}", self.bound(kind, low), self.bound(kind, high)),
            Cell::Range(low, low_in, high, high_in) => {
                let (open, close) = (if *low_in { '[' } else { '(' }, if *high_in { ']' } else { ')' });
                format!("{open}{}..{}{close}", self.bound(kind, low), self.bound(kind, high))
            }
            Cell::Any(cells) => list(cells),
            Cell::None(cells) => format!("not({})", list(cells)),
            Cell::Has(name, part) => format!("{name}({})", self.bound(kind.item().unwrap_or(kind), part)),
        }
    }

    /// In a place that requires this precedence.
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
            Op::Metric(at) => (self.policy.said_name(self.file, Sort::Metric, *at), WORD),
            Op::Output(table, column) => {
                (format!("{}_{column}", self.policy.said_name(self.file, Sort::Table, *table)), WORD)
            }
            Op::Score => ("score".into(), WORD),
            Op::Parameter(at) => (format!("${}", self.policy.said_name(self.file, Sort::Parameter, *at)), WORD),
            Op::AsOf => ("as_of".into(), WORD),
            Op::Own(name) => ((*name).into(), WORD),
            Op::Field(at) => (format!("{LIST}.{}", FIELDS[*at].0), WORD),
            Op::Over(name, arguments, filter) => (self.aggregate(name, arguments, filter.as_deref()), WORD),
            Op::Literal(value) => literal(expr.kind, value),
            Op::Null => ("NULL".into(), WORD),
            Op::Arithmetic(sign, parts) => {
                let holds = if matches!(sign, '+' | '-') { SUM } else { PRODUCT };
                // Left-associative: a right side of equal precedence gets brackets.
                let (left, right) = (self.at(&parts[0], holds), self.at(&parts[1], holds + 1));
                (format!("{left} {sign} {right}"), holds)
            }
            Op::Negate(inner) => (format!("- {}", self.at(inner, WORD)), SIGN),
            Op::Compare(sign, parts) => {
                // Not a choice of the generator's, so that seeds give the same policies as before.
                let twice = *sign == "=" && self.joined(parts, "", SUM).len().is_multiple_of(4);
                (self.joined(parts, &format!(" {} ", if twice { "==" } else { sign }), SUM), TEST)
            }
            Op::And(parts) => (self.joined(parts, " AND ", AND), AND),
            Op::Or(parts) => (self.joined(parts, " OR ", OR), OR),
            Op::Not(inner) => match &inner.op {
                Op::In(_) | Op::Between(_) | Op::Like(..) | Op::IsTruth(..) => (self.test(inner, "NOT "), TEST),
                _ => (format!("NOT {}", self.at(inner, NOT)), NOT),
            },
            Op::Between(_) | Op::In(_) | Op::Like(..) | Op::IsTruth(..) => (self.test(expr, ""), TEST),
            Op::IsNull(inner, wanted) => {
                let inner = self.at(inner, SUM);
                let (not, null) =
                    (if *wanted { "" } else { "NOT " }, if inner.len().is_multiple_of(3) { "UNKNOWN" } else { "NULL" });
                (format!("{inner} IS {not}{null}"), TEST)
            }
            Op::Case(arms, otherwise) => (self.case(String::from("CASE"), arms, otherwise.as_deref()), WORD),
            Op::Switch(what, arms, otherwise) => {
                let what = format!("CASE {}", self.at(what, SUM));
                (self.case(what, arms, otherwise.as_deref()), WORD)
            }
            Op::Call(name, parts) => (format!("{name}({})", self.joined(parts, ", ", 0)), WORD),
        }
    }

    fn aggregate(&self, name: &str, arguments: &[Expr], filter: Option<&Expr>) -> String {
        let inside = match (name, arguments) {
            (_, []) => "*".to_owned(),
            ("count_distinct", arguments) => format!("DISTINCT {}", self.joined(arguments, ", ", 0)),
            (_, arguments) => self.joined(arguments, ", ", 0),
        };
        let name = name.trim_end_matches("_distinct");
        let filter = filter.map(|filter| format!(" FILTER (WHERE {})", self.at(filter, 0))).unwrap_or_default();
        format!("{name}({inside}){filter}")
    }

    /// A test with an optional NOT in its middle.
    fn test(&self, expr: &Expr, not: &str) -> String {
        match &expr.op {
            Op::Between(parts) => {
                let [value, low, high] = [0, 1, 2].map(|at| self.at(&parts[at], SUM));
                format!("{value} {not}BETWEEN {low} AND {high}")
            }
            Op::In(parts) => format!("{} {not}IN ({})", self.at(&parts[0], SUM), self.joined(&parts[1..], ", ", 0)),
            Op::Like(text, pattern, any_case) => {
                let escape = if pattern.contains('!') { " ESCAPE '!'" } else { "" };
                format!("{} {not}{} '{pattern}'{escape}", self.at(text, SUM), if *any_case { "ILIKE" } else { "LIKE" })
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
