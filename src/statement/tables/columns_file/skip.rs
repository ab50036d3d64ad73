//! Which rows of a table are no records, as `skip` of a columns file says in the rule language. Must not read a table.

use crate::rules::{Binary, Expr, Kind, Text, Unary, row_condition};
use crate::statement::normalize::amount_notation::AmountNotation;
use crate::statement::normalize::cell::Cell;
use crate::text_search::like::Pattern;
use crate::words::money::{AmountUnit, parse_amount};

/// Numbers are compared with this many decimals.
const DECIMALS: u32 = 6;

const ALLOWED: &str = "`skip` compares columns with texts or numbers by =, <>, <, <=, >, >=, IN, LIKE and IS NULL, \
    joined by AND, OR and NOT";

/// A condition on the cells of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
    /// As it was written.
    text: String,
    condition: Condition,
    /// The columns that it reads.
    names: Vec<Name>,
}

/// A column of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    text: String,
    /// Whether it was written in double quotes, and so is exact. Others match in any case.
    is_exact: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    IsNull(usize),
    /// The column is one of these.
    In(usize, Vec<Constant>),
    /// The column and the pattern, and whether it ignores case.
    Like(usize, String, bool),
    Compare(usize, Comparison, Constant),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Constant {
    Text(String),
    /// With [`DECIMALS`] decimals.
    Number(i64),
}

impl Skip {
    /// Parses a condition. The error says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Skip, String> {
        let parsed = row_condition(&Text::alone(text)).map_err(|wrong| {
            let help = wrong.help.map(|help| format!("; {help}")).unwrap_or_default();
            format!("skip: {}{help}", wrong.message)
        })?;
        let mut parser = Parser { text, names: Vec::new() };
        let condition = parser.condition(&parsed).map_err(|what| format!("skip: {what}"))?;
        Ok(Skip { text: text.to_owned(), condition, names: parser.names })
    }

    /// The place of each column that it reads, or the name that the header lacks.
    pub(crate) fn places(&self, header: &[&str]) -> Result<Vec<usize>, &str> {
        let mut places = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let exact = header.iter().position(|column| *column == name.text);
            let place = exact.or_else(|| header.iter().position(|column| name.matches(column)));
            places.push(place.ok_or(name.text.as_str())?);
        }
        Ok(places)
    }

    /// The columns that it reads.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| name.text.as_str())
    }

    /// Whether the row is no record. `cell` gives the cells of [`Skip::names`]. As in SQL, a comparison with nothing is
    /// unknown, and an unknown condition leaves no row out.
    pub(crate) fn holds<'c>(&self, cell: impl Fn(usize) -> Cell<'c>, notation: &AmountNotation) -> bool {
        self.condition.value(&cell, notation) == Some(true)
    }
}

impl Name {
    fn matches(&self, column: &str) -> bool {
        if self.is_exact { column == self.text } else { column.eq_ignore_ascii_case(&self.text) }
    }
}

struct Parser<'t> {
    text: &'t str,
    names: Vec<Name>,
}

impl Parser<'_> {
    fn condition(&mut self, expr: &Expr) -> Result<Condition, String> {
        let boxed = |condition| Box::new(condition);
        Ok(match &expr.kind {
            Kind::Unary(Unary::Not, inner) => Condition::Not(boxed(self.condition(inner)?)),
            Kind::Binary(Binary::And, left, right) => {
                Condition::And(boxed(self.condition(left)?), boxed(self.condition(right)?))
            }
            Kind::Binary(Binary::Or, left, right) => {
                Condition::Or(boxed(self.condition(left)?), boxed(self.condition(right)?))
            }
            Kind::IsNull(column) => Condition::IsNull(self.column(column)?),
            Kind::In(column, all) => {
                let all = all.iter().map(|item| self.constant(item)).collect::<Result<_, _>>()?;
                Condition::In(self.column(column)?, all)
            }
            Kind::Like(column, pattern, any_case) => Condition::Like(self.column(column)?, pattern.clone(), *any_case),
            Kind::Binary(op, left, right) if op.is_comparison() => {
                // A constant may stand first.
                let is_column = |side: &Expr| matches!(side.kind, Kind::Name(_) | Kind::Qualified(..));
                match is_column(left) {
                    true => Condition::Compare(self.column(left)?, comparison(*op)?, self.constant(right)?),
                    false => Condition::Compare(self.column(right)?, comparison(op.mirrored())?, self.constant(left)?),
                }
            }
            _ => return Err(format!("`{}` is not possible here; {ALLOWED}", self.source(expr))),
        })
    }

    fn column(&mut self, expr: &Expr) -> Result<usize, String> {
        let source = self.source(expr);
        let name = match &expr.kind {
            // As it was written: the parser has other names in lower case.
            Kind::Name(name) if source.starts_with('"') => Name { text: name.clone(), is_exact: true },
            Kind::Name(_) => Name { text: source.to_owned(), is_exact: false },
            // A path into nested objects.
            Kind::Qualified(..) => Name { text: source.to_owned(), is_exact: false },
            _ => {
                return Err(format!("`{source}` is no column of the table; {ALLOWED}"));
            }
        };
        Ok(self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        }))
    }

    fn constant(&self, expr: &Expr) -> Result<Constant, String> {
        let number = |digits: &str, sign: i64| {
            let read = parse_amount(digits.as_bytes(), AmountUnit::Major, DECIMALS);
            read.map(|number| Constant::Number(sign * number)).map_err(|wrong| format!("`{digits}` {wrong}"))
        };
        match &expr.kind {
            Kind::Text(text) => Ok(Constant::Text(text.clone())),
            Kind::Number(digits) => number(digits, 1),
            Kind::Unary(Unary::Negate, inner) => match &inner.kind {
                Kind::Number(digits) => number(digits, -1),
                _ => Err(format!("`{}` is neither a text nor a number; {ALLOWED}", self.source(expr))),
            },
            Kind::Boolean(value) => Ok(Constant::Text(value.to_string())),
            Kind::Name(_) => Err(format!(
                "`{}` stands where a text or a number belongs; write text in single quotes: '{}'",
                self.source(expr),
                self.source(expr).trim_matches('"')
            )),
            _ => Err(format!("`{}` is neither a text nor a number; {ALLOWED}", self.source(expr))),
        }
    }

    /// The part as it was written.
    fn source(&self, expr: &Expr) -> &str {
        self.text.get(expr.span.start as usize..expr.span.end as usize).unwrap_or(self.text)
    }
}

fn comparison(op: Binary) -> Result<Comparison, String> {
    Ok(match op {
        Binary::Equal => Comparison::Equal,
        Binary::NotEqual => Comparison::NotEqual,
        Binary::Less => Comparison::Less,
        Binary::LessEqual => Comparison::LessEqual,
        Binary::Greater => Comparison::Greater,
        Binary::GreaterEqual => Comparison::GreaterEqual,
        other => return Err(format!("`{}` is no comparison; {ALLOWED}", other.symbol())),
    })
}

impl Condition {
    fn value<'c>(&self, cell: &impl Fn(usize) -> Cell<'c>, notation: &AmountNotation) -> Option<bool> {
        match self {
            Condition::Not(inner) => inner.value(cell, notation).map(|value| !value),
            Condition::And(left, right) => match (left.value(cell, notation), right.value(cell, notation)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Condition::Or(left, right) => match (left.value(cell, notation), right.value(cell, notation)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
            Condition::IsNull(column) => Some(is_nothing(&cell(*column))),
            Condition::In(column, all) => {
                let cell = cell(*column);
                let found = all.iter().map(|constant| Comparison::Equal.holds(&cell, constant, notation));
                found.fold(Some(false), |all, one| match (all, one) {
                    (Some(true), _) | (_, Some(true)) => Some(true),
                    (Some(false), Some(false)) => Some(false),
                    _ => None,
                })
            }
            Condition::Like(column, pattern, any_case) => {
                text_of(&cell(*column)).map(|text| Pattern::new(pattern, *any_case).matches(&text))
            }
            Condition::Compare(column, comparison, constant) => comparison.holds(&cell(*column), constant, notation),
        }
    }
}

impl Comparison {
    /// `None` if the cell is nothing, or no number where one is compared.
    fn holds(self, cell: &Cell<'_>, constant: &Constant, notation: &AmountNotation) -> Option<bool> {
        let order = match constant {
            Constant::Text(text) => text_of(cell)?.as_str().cmp(text.as_str()),
            Constant::Number(number) => {
                let value = match cell {
                    Cell::Text(text) => {
                        notation.read(text, AmountUnit::Major, DECIMALS).ok().map(|written| written.minor)
                    }
                    cell => cell.amount(AmountUnit::Major, DECIMALS).ok(),
                };
                value?.cmp(number)
            }
        };
        Some(match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterEqual => order.is_ge(),
        })
    }
}

fn is_nothing(cell: &Cell<'_>) -> bool {
    match cell {
        Cell::Null => true,
        Cell::Text(text) => text.trim().is_empty(),
        _ => false,
    }
}

/// The text of a cell, without blanks around it.
fn text_of(cell: &Cell<'_>) -> Option<String> {
    if is_nothing(cell) {
        return None;
    }
    let mut text = String::new();
    match cell {
        Cell::Text(plain) => text.push_str(plain.trim()),
        cell => text.push_str(&cell.display()),
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: [(&str, &str); 5] =
        [("status", "PENDING"), ("Amount", "1,337.50"), ("Post Date", ""), ("kind", "FEE (card)"), ("a.b", "x")];

    fn holds(text: &str) -> Result<bool, String> {
        let skip = Skip::parse(text)?;
        let header: Vec<&str> = ROW.iter().map(|(name, _)| *name).collect();
        let places = skip.places(&header).map_err(|name| format!("no column {name}"))?;
        let notation = AmountNotation { thousands: vec![",".to_owned()], ..AmountNotation::PLAIN };
        Ok(skip.holds(|at| Cell::Text(ROW[places[at]].1), &notation))
    }

    #[test]
    fn a_condition_holds_as_in_sql() {
        for (text, expected) in [
            ("status = 'PENDING'", true),
            ("STATUS = 'PENDING'", true),
            ("status = 'pending'", false),
            ("'PENDING' = status", true),
            ("status IN ('PENDING', 'REVERTED')", true),
            ("status NOT IN ('PENDING')", false),
            ("status <> 'DONE' AND kind LIKE 'FEE%'", true),
            ("kind ILIKE '%CARD%'", true),
            ("NOT kind LIKE 'FEE%'", false),
            ("amount > 1337", true),
            ("amount = 1337.5", true),
            ("amount < -5", false),
            ("1337 < amount", true),
            ("\"Post Date\" IS NULL", true),
            ("\"Post Date\" IS NOT NULL", false),
            ("\"Post Date\" = 'x' OR status = 'PENDING'", true),
            // Unknown leaves no row out, nor does its opposite.
            ("\"Post Date\" = 'x'", false),
            ("NOT \"Post Date\" = 'x'", false),
            ("\"Post Date\" NOT IN ('x')", false),
            ("kind > 5", false),
            ("a.b = 'x'", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_the_reason() {
        for (text, reason) in [
            ("status = PENDING", "write text in single quotes: 'PENDING'"),
            ("UPPER(status) = 'X'", "is no column of the table"),
            ("status", "is not possible here"),
            ("amount + 1 = 2", "is no column of the table"),
            ("SUM(amount) > 5", "is no column of the table"),
            ("status = ", "expected"),
            ("status = 'A' AND", "expected"),
            ("absent = 'x'", "no column absent"),
        ] {
            let wrong = holds(text).expect_err(text);
            assert!(wrong.contains(reason), "{text}: {wrong}");
        }
    }
}
