//! Which rows of a table are no records, as `skip` of a columns file says in the rule language. Must not read a table.

use std::borrow::Cow;
use std::sync::Arc;

use crate::base::clean_text::{clean_part, clean_text};
use crate::base::diagnostic::Span;
use crate::base::money::{AmountUnit, parse_amount};
use crate::base::text_search::like;
use crate::rules::{Binary, Expr, ExprKind, Like, Text, Unary, row_condition};
use crate::statement::cells::amount_notation::AmountNotation;
use crate::statement::cells::cell::Cell;
use crate::statement::columns_file::skip_days::SkipDay;
use crate::statement::columns_file::skip_texts::ColumnKind;

/// Numbers are compared with this many decimals.
pub(super) const DECIMALS: u32 = 6;

const ALLOWED: &str = "`skip` compares columns with texts or numbers by =, <>, <, <=, >, >=, IN, LIKE and IS NULL, \
    joined by AND, OR and NOT";

/// A condition on the cells of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Skip {
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

/// A condition on the columns by their index in [`Skip::names`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Condition {
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    IsNull(usize),
    /// The column is one of these.
    In(usize, Vec<Constant>),
    Like(usize, Likeness),
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
pub(super) enum Constant {
    Text(String),
    /// With [`DECIMALS`] decimals.
    Number(i64),
    Day(SkipDay),
}

/// A pattern of `LIKE`, or of `ILIKE`, which ignores case.
#[derive(Clone, Debug)]
struct Likeness {
    like: Like,
    pattern: Arc<like::Pattern>,
}

impl PartialEq for Likeness {
    fn eq(&self, other: &Likeness) -> bool {
        self.like == other.like
    }
}

impl Eq for Likeness {}

impl Skip {
    /// Parses a condition. The error says where and what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Skip, String> {
        let at = |span: Span| {
            let before = text.get(..span.start as usize).unwrap_or_default();
            format!("skip, character {}", before.chars().count() + 1)
        };
        let parsed = row_condition(&Text::alone(text)).map_err(|wrong| {
            let help = wrong.help.map(|help| format!("; {help}")).unwrap_or_default();
            format!("{}: {}{help}", at(wrong.span), wrong.message)
        })?;
        let mut parser = Parser { text, names: Vec::new() };
        let condition = parser.condition(&parsed).map_err(|wrong| format!("{}: {}", at(wrong.span), wrong.what))?;
        Ok(Skip { condition, names: parser.names })
    }

    /// Gives each text its meaning: a day where the column is one of days or the text is a day of this file, else
    /// letters. `kind` says what the columns file declares of a column.
    ///
    /// # Errors
    /// A text that names no day where days are compared, and a number in quotes, which would be compared by letters.
    pub(crate) fn settle_texts(&mut self, kind: impl Fn(&Name) -> ColumnKind) -> Result<(), String> {
        for (at, name) in self.names.iter().enumerate() {
            self.condition.settle_texts(at, &name.text, &kind(name))?;
        }
        Ok(())
    }

    /// Either of both conditions.
    pub(crate) fn or(&self, other: &Skip) -> Skip {
        let mut names = self.names.clone();
        let moved: Vec<usize> = other
            .names
            .iter()
            .map(|name| {
                names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name.clone());
                    names.len() - 1
                })
            })
            .collect();
        let mut condition = other.condition.clone();
        condition.rename(&moved);
        Skip { condition: Condition::Or(vec![self.condition.clone(), condition]), names }
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
    /// Whether the column of this name is meant.
    pub(crate) fn matches(&self, column: &str) -> bool {
        if self.is_exact { column.trim() == self.text.trim() } else { column.trim().eq_ignore_ascii_case(&self.text) }
    }
}

/// What is wrong with a part of the condition.
struct Wrong {
    span: Span,
    what: String,
}

fn refuse_skip_expression<T>(expr: &Expr, what: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { span: expr.span, what: what.into() })
}

struct Parser<'t> {
    text: &'t str,
    names: Vec<Name>,
}

impl Parser<'_> {
    fn condition(&mut self, expr: &Expr) -> Result<Condition, Wrong> {
        Ok(match &expr.kind {
            ExprKind::Unary(Unary::Not, inner) => Condition::Not(Box::new(self.condition(inner)?)),
            ExprKind::Binary(Binary::And, ..) => Condition::And(self.chain(expr, Binary::And)?),
            ExprKind::Binary(Binary::Or, ..) => Condition::Or(self.chain(expr, Binary::Or)?),
            ExprKind::IsNull(column) => Condition::IsNull(self.column(column)?),
            ExprKind::In(column, all) => {
                let all = all.iter().map(|item| self.constant(item)).collect::<Result<_, _>>()?;
                Condition::In(self.column(column)?, all)
            }
            ExprKind::Like(column, like) => {
                let clean = clean_part(&like.pattern, true, true);
                let text = clean.as_deref().unwrap_or(&like.pattern);
                let pattern = Arc::new(like::Pattern::new(text, like.escape, like.any_case));
                Condition::Like(self.column(column)?, Likeness { like: like.clone(), pattern })
            }
            ExprKind::Binary(op, left, right) => {
                let Some(comparison) = Comparison::from_operator(*op) else {
                    return refuse_skip_expression(
                        expr,
                        format!("`{}` is not possible here; {ALLOWED}", self.source(expr)),
                    );
                };
                // A constant may stand first.
                match is_column(right) && !is_column(left) {
                    false => Condition::Compare(self.column(left)?, comparison, self.constant(right)?),
                    true => Condition::Compare(self.column(right)?, comparison.mirrored(), self.constant(left)?),
                }
            }
            _ => {
                return refuse_skip_expression(
                    expr,
                    format!("`{}` is not possible here; {ALLOWED}", self.source(expr)),
                );
            }
        })
    }

    /// The conditions of a chain of `AND` or `OR`, which may be long.
    fn chain(&mut self, expr: &Expr, op: Binary) -> Result<Vec<Condition>, Wrong> {
        let (mut all, mut rest) = (Vec::new(), expr);
        while let ExprKind::Binary(of_rest, left, right) = &rest.kind
            && *of_rest == op
        {
            all.push(&**right);
            rest = left;
        }
        all.push(rest);
        all.into_iter().rev().map(|one| self.condition(one)).collect()
    }

    fn column(&mut self, expr: &Expr) -> Result<usize, Wrong> {
        let source = self.source(expr);
        let name = match &expr.kind {
            ExprKind::Name(name) if source.starts_with('"') => Name { text: name.clone(), is_exact: true },
            // As it was written: keys of JSON have one spelling.
            ExprKind::Name(_) => Name { text: source.to_owned(), is_exact: false },
            // A path into nested objects.
            ExprKind::Qualified(..) if !source.contains(['"', ' ']) => {
                Name { text: source.to_owned(), is_exact: false }
            }
            ExprKind::Qualified(..) => {
                return refuse_skip_expression(expr, format!("write `{source}` as one name in double quotes"));
            }
            _ => return refuse_skip_expression(expr, format!("`{source}` is no column of the table; {ALLOWED}")),
        };
        Ok(self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        }))
    }

    fn constant(&self, expr: &Expr) -> Result<Constant, Wrong> {
        let source = self.source(expr);
        let number = |digits: &str, sign: i64| match parse_amount(digits.as_bytes(), AmountUnit::Major, DECIMALS) {
            Ok(number) => Ok(Constant::Number(sign * number)),
            Err(what) => refuse_skip_expression(expr, format!("`{digits}` {what}")),
        };
        match &expr.kind {
            ExprKind::Text(text) => Ok(Constant::Text(clean_text(text).unwrap_or_else(|| text.clone()))),
            ExprKind::Number(digits) => number(digits, 1),
            // JSON and Parquet have such values; the cell's text is the same word.
            ExprKind::Boolean(value) => Ok(Constant::Text(value.to_string())),
            ExprKind::Unary(Unary::Negate, inner) if matches!(inner.kind, ExprKind::Number(_)) => match &inner.kind {
                ExprKind::Number(digits) => number(digits, -1),
                _ => refuse_skip_expression(expr, ALLOWED),
            },
            ExprKind::Name(_) => refuse_skip_expression(
                expr,
                format!(
                    "`{source}` stands where a text or a number belongs; write text in single quotes: '{}'",
                    source.trim_matches('"')
                ),
            ),
            _ => refuse_skip_expression(expr, format!("`{source}` is neither a text nor a number; {ALLOWED}")),
        }
    }

    /// The part as it was written.
    fn source(&self, expr: &Expr) -> String {
        let part = self.text.get(expr.span.start as usize..expr.span.end as usize);
        part.unwrap_or(self.text).trim().to_owned()
    }
}

fn is_column(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Name(_) | ExprKind::Qualified(..))
}

impl Condition {
    /// Exchanges each column's number for that in `moved`.
    fn rename(&mut self, moved: &[usize]) {
        let rename = |column: &mut usize| *column = moved.get(*column).copied().unwrap_or(*column);
        match self {
            Condition::Not(inner) => inner.rename(moved),
            Condition::And(all) | Condition::Or(all) => all.iter_mut().for_each(|one| one.rename(moved)),
            Condition::IsNull(column)
            | Condition::In(column, _)
            | Condition::Like(column, _)
            | Condition::Compare(column, ..) => rename(column),
        }
    }

    /// Gives the texts that a column is compared with their meaning.
    fn settle_texts(&mut self, of: usize, name: &str, kind: &ColumnKind) -> Result<(), String> {
        match self {
            Condition::Not(inner) => inner.settle_texts(of, name, kind),
            Condition::And(all) | Condition::Or(all) => {
                all.iter_mut().try_for_each(|one| one.settle_texts(of, name, kind))
            }
            Condition::In(column, all) if *column == of => {
                all.iter_mut().try_for_each(|one| one.settle(name, kind, false))
            }
            Condition::Compare(column, comparison, constant) if *column == of => {
                constant.settle(name, kind, !matches!(comparison, Comparison::Equal | Comparison::NotEqual))
            }
            Condition::IsNull(_) | Condition::In(..) | Condition::Like(..) | Condition::Compare(..) => Ok(()),
        }
    }

    fn value<'c>(&self, cell: &impl Fn(usize) -> Cell<'c>, notation: &AmountNotation) -> Option<bool> {
        match self {
            Condition::Not(inner) => inner.value(cell, notation).map(|value| !value),
            Condition::And(all) => {
                any_known_match(all.iter().map(|one| one.value(cell, notation).map(|value| !value))).map(|no| !no)
            }
            Condition::Or(all) => any_known_match(all.iter().map(|one| one.value(cell, notation))),
            Condition::IsNull(column) => Some(is_nothing(&cell(*column))),
            Condition::In(column, all) => {
                let cell = cell(*column);
                any_known_match(all.iter().map(|constant| Comparison::Equal.holds(&cell, constant, notation)))
            }
            Condition::Like(column, likeness) => text_of(&cell(*column)).map(|text| likeness.pattern.matches(&text)),
            Condition::Compare(column, comparison, constant) => comparison.holds(&cell(*column), constant, notation),
        }
    }
}

/// `OR` of SQL.
fn any_known_match(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(false);
    for one in all {
        match one {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = None,
        }
    }
    known
}

impl Comparison {
    fn from_operator(op: Binary) -> Option<Comparison> {
        Some(match op {
            Binary::Equal => Comparison::Equal,
            Binary::NotEqual => Comparison::NotEqual,
            Binary::Less => Comparison::Less,
            Binary::LessEqual => Comparison::LessEqual,
            Binary::Greater => Comparison::Greater,
            Binary::GreaterEqual => Comparison::GreaterEqual,
            _ => return None,
        })
    }

    /// With its sides exchanged.
    fn mirrored(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
            same => same,
        }
    }

    /// `None` if the cell is nothing, or no number where one is compared.
    fn holds(self, cell: &Cell<'_>, constant: &Constant, notation: &AmountNotation) -> Option<bool> {
        let order = match constant {
            Constant::Text(text) => (*text_of(cell)?).cmp(text.as_str()),
            Constant::Number(number) => {
                let value = match cell {
                    Cell::Text(text) => {
                        notation.read(text, AmountUnit::Major, DECIMALS).ok().map(|written| written.minor)
                    }
                    cell => cell.amount(AmountUnit::Major, DECIMALS).ok(),
                };
                value?.cmp(number)
            }
            Constant::Day(day) => match (day.compare_cell(cell), self) {
                (Some(order), _) => order,
                (None, Comparison::Equal | Comparison::NotEqual) => (*text_of(cell)?).cmp(day.text.as_str()),
                (None, _) => return None,
            },
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

/// The text of a cell as it is compared, like a narration.
fn text_of<'c>(cell: &Cell<'c>) -> Option<Cow<'c, str>> {
    match cell {
        _ if is_nothing(cell) => None,
        Cell::Text(text) => Some(clean_text(text).map_or(Cow::Borrowed(*text), Cow::Owned)),
        cell => Some(Cow::Owned(cell.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::date::Day;
    use crate::statement::cells::date_pattern::{Century, Pattern};
    use crate::statement::cells::month_names::MonthNames;

    const ROW: [(&str, &str); 7] = [
        ("status", "PENDING"),
        ("Amount", "1,337.50"),
        ("Post Date", ""),
        ("kind", "FEE (card)"),
        ("a.b", "x"),
        ("type", " DR "),
        ("date", "2026-02-28"),
    ];

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
            ("\"a.b\" = 'x'", true),
            ("kind BETWEEN 'FA' AND 'FF'", true),
            ("amount BETWEEN 1000 AND 2000", true),
            ("amount IN (5, 1337.50)", true),
            ("(status = 'x' OR kind = 'x') AND amount > 0", false),
            ("NOT (status = 'x' OR \"Post Date\" = 'x')", false),
            ("NOT (status = 'x' AND \"Post Date\" = 'x')", true),
            ("type = 'DR' OR date < '2026-03-01'", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused_with_its_place() {
        for (text, place, reason) in [
            ("status = PENDING", 10, "write text in single quotes: 'PENDING'"),
            ("status = \"PENDING\"", 10, "write text in single quotes: 'PENDING'"),
            ("kind = 'x' OR UPPER(status) = 'X'", 15, "is no column of the table"),
            ("status", 1, "is not possible here"),
            ("amount + 1 = 2", 1, "is no column of the table"),
            ("SUM(amount) > 5", 1, "is no column of the table"),
            ("status IN ('A', NULL)", 17, "is neither a text nor a number"),
            ("status = ", 1, "expected"),
            ("status = 'A' AND", 1, "expected"),
            ("status = 'A' status", 14, "unexpected `status`"),
            ("'A' = 'B'", 1, "is no column of the table"),
            ("status = DATE '2026-01-01'", 15, "is neither a text nor a number"),
            ("data.\"Post Date\" = 'x'", 1, "as one name in double quotes"),
            ("amount > 1,337", 10, "would be read as 2 numbers"),
            ("", 1, ""),
        ] {
            let wrong = Skip::parse(text).expect_err(text);
            assert!(wrong.starts_with("skip, character ") && wrong.contains(reason), "{text}: {wrong}");
            let is_there = wrong.starts_with(&format!("skip, character {place}: "));
            assert!(is_there || reason == "expected", "{text}: {wrong}");
        }
        assert_eq!(holds("absent = 'x'"), Err("no column absent".to_owned()));
    }

    #[test]
    fn a_long_condition_needs_no_deep_stack() {
        for joint in [" OR ", " AND "] {
            let all: Vec<String> = (0..450).map(|at| format!("kind <> 'x{at}'")).collect();
            assert_eq!(holds(&all.join(joint)), Ok(true));
        }
    }

    #[test]
    fn a_column_of_days_is_compared_with_days() {
        let pattern =
            |text: &str| Pattern::parse(text, Century::Undeclared, &MonthNames::default()).expect("a pattern");
        let holds = |text: &str, cell: Cell<'_>, of: &str| {
            let mut skip = Skip::parse(text)?;
            let pattern = (of != "ISO").then(|| pattern(of));
            skip.settle_texts(|_| ColumnKind::Days(pattern.clone().map(Arc::new)))?;
            Ok::<bool, String>(skip.holds(|_| cell, &AmountNotation::PLAIN))
        };
        let day = |text: &str| Day::parse_iso(text).expect("a day").days();
        for (text, cell, of, wanted) in [
            ("date BETWEEN '01/02/2026' AND '28/02/2026'", Cell::Text("03/03/2026"), "DD/MM/YYYY", false),
            ("date BETWEEN '01/02/2026' AND '28/02/2026'", Cell::Text("15/02/2026"), "DD/MM/YYYY", true),
            ("date < '01/02/2026'", Cell::Text("31/01/2026"), "DD/MM/YYYY", true),
            ("'01/02/2026' > date", Cell::Text("31/01/2026"), "DD/MM/YYYY", true),
            ("NOT date >= '2026-02-01'", Cell::Text("31/01/2026"), "DD/MM/YYYY", true),
            ("date IN ('1/2/2026', 'soon')", Cell::Text("01/02/2026"), "D/M/YYYY", true),
            ("date IN ('1/2/2026', 'soon')", Cell::Text("soon"), "D/M/YYYY", true),
            ("date = 'Pending'", Cell::Text("Pending"), "DD/MM/YYYY", true),
            // A cell that is a day of a spreadsheet, a serial day, a moment.
            ("date = '01/02/2026'", Cell::Day(day("2026-02-01")), "DD/MM/YYYY", true),
            ("date < '2026-03-01'", Cell::Whole(46_081), "EXCEL", true),
            ("date < '2026-03-01'", Cell::Float(46_082.5), "EXCEL", false),
            ("date <= '01/02/2026 10:00'", Cell::Text("01/02/2026 10:01"), "DD/MM/YYYY hh:mm", false),
            ("date <= '2026-02-01'", Cell::Text("01/02/2026 10:01"), "DD/MM/YYYY hh:mm", true),
            ("date <= '2026-02-28'", Cell::Text("2026-02-28T22:00:00Z"), "ISO", true),
            // A text that names no day is neither before nor after one.
            ("date < '01/02/2026'", Cell::Text("Total"), "DD/MM/YYYY", false),
            ("NOT date < '01/02/2026'", Cell::Text("Total"), "DD/MM/YYYY", false),
        ] {
            assert_eq!(holds(text, cell, of), Ok(wanted), "{text} {cell:?} {of}");
        }
        for (text, of) in [
            ("date < 'Feb'", "DD/MM/YYYY"),
            ("date BETWEEN '01/02/2026' AND '31/02/2026'", "DD/MM/YYYY"),
            ("date > '28/02/2026'", "ISO"),
        ] {
            let wrong = holds(text, Cell::Null, of).expect_err(text);
            assert!(wrong.contains("is not a day") && wrong.contains("`date` is a column of days"), "{wrong}");
        }
    }

    #[test]
    fn names_of_keys_stay_as_they_are_written() {
        let skip = Skip::parse("isPending = true AND data.Status = 'x' AND \"is it\" = 'y'").expect("a condition");
        assert_eq!(skip.names().collect::<Vec<_>>(), ["isPending", "data.Status", "is it"]);
    }
}
