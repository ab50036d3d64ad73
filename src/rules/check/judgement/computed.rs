//! Cells that no constant decides: they compare with another value, or look into a text or a list. Each becomes a
//! condition in a column of its own, next to the column it is written in.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::judgement::cell::{note_parameters, parse_cell_value};
use crate::rules::check::judgement::cell_shape::{Shape, called, is_field, known_sign, shape};
use crate::rules::check::operands::align::{add, alike, compared, expect};
use crate::rules::check::operands::record_texts::{clean_item, clean_sought};
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Typed};
use crate::rules::graph::{Grain, NodeId, Op, TextPlace};
use crate::rules::references::on_one_line;
use crate::rules::syntax::ast::{Binary, Expr, ExprKind};
use crate::rules::syntax::mentioned_names::mentioned_names;
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type};
use crate::rules::value::{Test, Value};

/// An input of a table.
pub(super) struct TableInput {
    pub text: Text,
    pub typed: Typed,
}

/// What a cell asks: a test of its own column, and conditions.
pub(super) struct Computed {
    pub test: Test,
    pub asked: Vec<ComputedCondition>,
}

/// A condition, and whether it must hold.
pub(super) struct ComputedCondition {
    pub text: String,
    pub node: NodeId,
    pub holds: bool,
}

/// Reads a cell that no constant decides; `None` for every other cell.
pub(super) fn check_computed_cell(checker: &mut Checker, cell: &Text, input: &TableInput) -> Checked<Option<Computed>> {
    let ty = input.typed.ty;
    let Ok(asked) = shape(cell.value().trim(), ty, 0) else { return Ok(None) };
    if ty.repr != Repr::List && !is_computed(checker, &asked, ty) {
        return Ok(None);
    }
    note_parameters(checker, cell);
    let mut reader = ComputedCellReader { checker, cell, input };
    if let Err(message) = known_sign(cell.value()) {
        return reader.wrong(message);
    }
    Ok(Some(match &asked {
        Shape::Anything => Computed { test: Test::Anything, asked: Vec::new() },
        Shape::Unknown => Computed { test: Test::Unknown, asked: Vec::new() },
        Shape::Range { low, high, .. } if !reader.is_expression(low.0) || !reader.is_expression(high.0) => {
            reader.range(*low, *high)?
        }
        Shape::Not(inner) => match &**inner {
            single if is_single(single) => reader.alone(single, false)?,
            _ => reader.whole(&asked)?,
        },
        single if is_single(single) => reader.alone(single, true)?,
        _ => reader.whole(&asked)?,
    }))
}

/// Refuses a bin of a score that names other values: a bin has only constants.
pub(super) fn refuse_names(checker: &mut Checker, bin: &Text, ty: Type) -> Checked<()> {
    let Ok(asked) = shape(bin.value().trim(), ty, 0) else { return Ok(()) };
    if !is_computed(checker, &asked, ty) || matches!(asked, Shape::Has { .. }) {
        return Ok(());
    }
    let message = format!("`{}` is not constant, but a bin compares only with constants", bin.value().trim());
    let help = "compare in what the item is on: on = \"request.amount / bureau.limit\"";
    checker.mistakes.report(Diagnostic::error("cell", bin.span(), message).help(help))
}

/// The expressions that a cell may compare with, if its column is not one of texts.
pub(super) fn mentioned_expressions(cell: &Text) -> Vec<Text> {
    fn add(cell: &Text, asked: &Shape, found: &mut Vec<Text>) {
        match asked {
            Shape::Anything | Shape::Unknown | Shape::Equals { signed: false, .. } => {}
            Shape::Not(inner) => add(cell, inner, found),
            Shape::OneOf(all) => all.iter().for_each(|one| add(cell, one, found)),
            Shape::Range { low, high, .. } => found.extend([part_of(cell, low.0), part_of(cell, high.0)]),
            Shape::Bound { text, .. } | Shape::Differs(text) | Shape::Equals { text, .. } | Shape::Has { text, .. } => {
                found.push(part_of(cell, text));
            }
        }
    }
    let mut found = Vec::new();
    if let Ok(asked) = shape(cell.value().trim(), Type::NUMBER, 0) {
        add(cell, &asked, &mut found);
    }
    found.retain(|text| text.value().contains(|letter: char| letter.is_ascii_lowercase()));
    found
}

/// A part of a cell's text, at its place.
fn part_of(cell: &Text, part: &str) -> Text {
    let start = (part.as_ptr() as usize).saturating_sub(cell.value().as_ptr() as usize);
    cell.part(start, start + part.len())
}

fn bound_sign(is_low: bool, closed: bool) -> Binary {
    match (is_low, closed) {
        (true, true) => Binary::GreaterEqual,
        (true, false) => Binary::Greater,
        (false, true) => Binary::LessEqual,
        (false, false) => Binary::Less,
    }
}

/// The sign of a comparison, and what is on its other side.
fn comparison_of<'t>(shape: &Shape<'t>) -> Option<(Binary, &'t str)> {
    match shape {
        Shape::Bound { text, is_low, closed } => Some((bound_sign(*is_low, *closed), text)),
        Shape::Differs(text) => Some((Binary::NotEqual, text)),
        Shape::Equals { text, .. } => Some((Binary::Equal, text)),
        _ => None,
    }
}

/// Whether it asks one thing.
fn is_single(shape: &Shape) -> bool {
    comparison_of(shape).is_some() || matches!(shape, Shape::Has { .. })
}

fn asks_unknown(asked: &Shape) -> bool {
    match asked {
        Shape::Unknown => true,
        Shape::Not(inner) => asks_unknown(inner),
        Shape::OneOf(all) => all.iter().any(asks_unknown),
        _ => false,
    }
}

fn is_computed(checker: &Checker, asked: &Shape, ty: Type) -> bool {
    let value = |text: &str| is_expression(checker, text, ty);
    match asked {
        Shape::Anything | Shape::Unknown => false,
        Shape::Not(inner) => is_computed(checker, inner, ty),
        Shape::OneOf(all) => all.iter().any(|one| is_computed(checker, one, ty)),
        Shape::Bound { text, .. } => value(text),
        Shape::Range { low, high, .. } => value(low.0) || value(high.0),
        // A word without a sign is a text.
        Shape::Equals { text, signed } => match text.trim() {
            text if *signed => value(text),
            text => is_field(text) || checker.constants().has_dates(text),
        },
        Shape::Differs(text) => value(text),
        // The texts with one beginning are a range.
        Shape::Has { place: TextPlace::Start, text } if ty.repr == Repr::Text => value(text),
        Shape::Has { .. } => true,
    }
}

/// Whether a value in a cell is not a constant. A misspelt name counts, so that its mistake is shown.
fn is_expression(checker: &Checker, text: &str, ty: Type) -> bool {
    if ty.repr == Repr::Text {
        return is_field(text.trim()) || checker.constants().has_dates(text.trim());
    }
    if parse_cell_value(&checker.constants(), text, ty).is_ok() {
        return false;
    }
    let Ok(parsed) = parse::parse_rule_expression(&Text::alone(text)) else {
        // Its mistake is that of an expression if it mentions a name.
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '.';
        return text.split(|letter| !is_part(letter)).any(|word| checker.find_symbol(word).is_some());
    };
    // A parameter with values by date has none that a cell could be read with.
    if text.contains('$') {
        return !matches!(parsed.kind, ExprKind::Parameter(_)) || checker.constants().has_dates(text.trim());
    }
    let (mut names, mut known, mut near) = (0, 0, 0);
    mentioned_names(&parsed, &mut |name| {
        names += 1;
        known += usize::from(checker.find_symbol(name).is_some());
        near += usize::from(checker.mistakes.nearest_name(name, checker.symbols.names()).is_some());
    });
    // An aggregate such as COUNT(*) names nothing.
    known > 0
        || text.contains('(')
        || (names > 0 && near == names && checker.constants().parameter(text.trim()).is_err())
}

struct ComputedCellReader<'r, 'c> {
    checker: &'r mut Checker<'c>,
    cell: &'r Text,
    input: &'r TableInput,
}

impl ComputedCellReader<'_, '_> {
    /// A single test. A comparison and its opposite share a column, so that rows with both never overlap.
    fn alone(&mut self, single: &Shape, holds: bool) -> Checked<Computed> {
        let Some((written, text)) = comparison_of(single) else {
            let condition = self.condition(single)?;
            let shown = self.cell.value().trim();
            let text = format!("{} {}", self.name(), called(shown, "not").unwrap_or(shown).trim());
            return Ok(self.computed(condition, text, holds));
        };
        let (sign, holds) = match written {
            Binary::GreaterEqual | Binary::LessEqual | Binary::NotEqual => (written.opposite(), !holds),
            sign => (sign, holds),
        };
        let condition = self.compare(sign, written, text)?;
        let text = format!("{} {} {}", self.name(), sign.symbol(), on_one_line(text.trim()));
        Ok(self.computed(condition, text, holds))
    }

    /// `low..high`: an end that is a constant stays a test of the column.
    fn range(&mut self, low: (&str, bool), high: (&str, bool)) -> Checked<Computed> {
        self.no_list()?;
        let ty = self.input.typed.ty;
        let (mut constants, mut asked) = ([None, None], Vec::new());
        for (at, (text, closed)) in [low, high].into_iter().enumerate() {
            if self.is_expression(text) {
                let bound = Shape::Bound { text, is_low: at == 0, closed };
                asked.extend(self.alone(&bound, true)?.asked);
                continue;
            }
            match parse_cell_value(&self.checker.constants(), text, ty) {
                Ok(value) => constants[at] = Some((value, closed)),
                Err(message) => return self.wrong(message),
            }
        }
        let test = match constants {
            [None, None] => Test::Anything,
            [low, high] => Test::Range(low, high),
        };
        Ok(Computed { test, asked })
    }

    /// Everything else, as one condition.
    fn whole(&mut self, asked: &Shape) -> Checked<Computed> {
        let condition = self.condition(asked)?;
        let text = format!("{} {}", self.name(), on_one_line(self.cell.value().trim()));
        let computed = self.computed(condition, text, true);
        // Its column expects unknowns, whatever the condition makes of them.
        let whatever = || Test::OneOf(vec![Test::Unknown, Test::Not(Box::new(Test::Unknown))]);
        Ok(if asks_unknown(asked) { Computed { test: whatever(), ..computed } } else { computed })
    }

    fn condition(&mut self, asked: &Shape) -> Checked<Typed> {
        let input = self.input.typed.clone();
        Ok(match asked {
            Shape::Anything => return self.wrong("`-` stands alone: it matches everything".into()),
            Shape::Unknown => add(&mut self.checker.nodes, Op::IsNull, &[input], Type::BOOLEAN),
            Shape::Not(inner) => {
                let inner = self.condition(inner)?;
                add(&mut self.checker.nodes, Op::Not, &[inner], Type::BOOLEAN)
            }
            Shape::OneOf(all) => {
                let conditions = all.iter().map(|one| self.condition(one)).collect::<Checked<Vec<_>>>()?;
                self.joined(Op::Or, conditions)
            }
            Shape::Range { low, high, .. } => {
                let signs = (bound_sign(true, low.1), bound_sign(false, high.1));
                let low = self.compare(signs.0, signs.0, low.0)?;
                let high = self.compare(signs.1, signs.1, high.0)?;
                self.joined(Op::And, vec![low, high])
            }
            Shape::Has { place, text } => self.has(*place, text)?,
            Shape::Bound { .. } | Shape::Differs(_) | Shape::Equals { .. } => {
                let (sign, text) = comparison_of(asked).expect("INVARIANT: these shapes compare");
                self.compare(sign, sign, text)?
            }
        })
    }

    fn joined(&mut self, op: Op, conditions: Vec<Typed>) -> Typed {
        let all = conditions
            .into_iter()
            .reduce(|all, more| add(&mut self.checker.nodes, op.clone(), &[all, more], Type::BOOLEAN));
        all.unwrap_or_else(|| self.checker.nodes.literal(Value::Boolean(false), Type::BOOLEAN))
    }

    /// A comparison, `written` with this or the opposite sign.
    fn compare(&mut self, sign: Binary, written: Binary, text: &str) -> Checked<Typed> {
        self.no_list()?;
        let (input, span) = ((self.input.typed.clone(), self.input.text.span()), self.cell.span());
        let side = self.side(text, self.input.typed.ty)?;
        compared(&mut self.checker.operands(), (sign, written), input, (side, span), span)
    }

    /// `contains(x)` and its siblings, in a text or a list.
    fn has(&mut self, place: TextPlace, text: &str) -> Checked<Typed> {
        let (input, span) = (self.input.typed.clone(), self.cell.span());
        let ty = Type::declared(input.ty.unit);
        if input.ty.repr == Repr::List {
            if place != TextPlace::Anywhere {
                return self.wrong("a list has no beginning or end to compare; write contains(x)".into());
            }
            let side = self.side(text, ty)?;
            let item = Typed { ty, ..input.clone() };
            let (_, side) = alike(&mut self.checker.operands(), (item, span), (side, span), span, "in")?;
            let side = clean_item(&mut self.checker.nodes, input.node, side);
            return Ok(add(&mut self.checker.nodes, Op::ListContains, &[input, side], Type::BOOLEAN));
        }
        if ty != Type::TEXT {
            let message = "looks into texts and lists, and this column has neither";
            return self.wrong(format!("`{}` {message}", self.cell.value().trim()));
        }
        let side = self.side(text, ty)?;
        expect(&mut self.checker.mistakes, &side, Type::TEXT, span)?;
        let side = clean_sought(&mut self.checker.nodes, input.node, side, place);
        Ok(add(&mut self.checker.nodes, Op::HasText(place), &[input, side], Type::BOOLEAN))
    }

    /// The value that the input is compared with.
    fn side(&mut self, text: &str, ty: Type) -> Checked<Typed> {
        if is_expression(self.checker, text, ty) {
            let parsed = self.parsed(text)?;
            return self.checker.expr(&parsed, ExpressionContext::STATEMENT);
        }
        // Numbers in rule files are exact, whatever they are compared with.
        let exact = if ty.repr == Repr::Float { ty.with(Repr::Rational) } else { ty };
        match parse_cell_value(&self.checker.constants(), text, exact) {
            Ok(value) => {
                let ty = exact.with(value.repr());
                Ok(self.checker.nodes.literal(value, ty))
            }
            Err(message) => self.wrong(message),
        }
    }

    /// An expression within the cell, at its place.
    fn parsed(&mut self, text: &str) -> Checked<Expr> {
        parse::parse_rule_expression(&part_of(self.cell, text))
            .or_else(|diagnostic| self.checker.mistakes.report(diagnostic))
    }

    fn computed(&mut self, condition: Typed, text: String, holds: bool) -> Computed {
        let node = self.checker.nodes.at_least(condition, Grain::Statement);
        Computed { test: Test::Anything, asked: vec![ComputedCondition { text, node, holds }] }
    }

    fn is_expression(&self, text: &str) -> bool {
        is_expression(self.checker, text, self.input.typed.ty)
    }

    fn name(&self) -> String {
        on_one_line(self.input.text.value())
    }

    fn no_list(&mut self) -> Checked<()> {
        if self.input.typed.ty.repr != Repr::List {
            return Ok(());
        }
        self.wrong("a cell asks a list only contains(x), not(contains(x)), - or unknown".into())
    }

    fn wrong<T>(&mut self, message: String) -> Checked<T> {
        let help = "a cell is -, unknown, a value, < <= > >= value, low..high, a list A, B, contains(x) or not(...)";
        self.checker.mistakes.report(Diagnostic::error("cell", self.cell.span(), message).help(help))
    }
}
