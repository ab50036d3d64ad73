//! One canonical text for all texts with the same meaning: `>=3` and `>= 3.0`, `a<>b` and `(A != b)`. Computes nothing.

use crate::base::rational::Rational;
use crate::rules::check::judgement::cell_shape::{self, Shape};
use crate::rules::graph::TextPlace;
use crate::rules::syntax::ast::{Call, Expr, ExprKind, Unary};
use crate::rules::syntax::parse;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type};

/// An expression without its layout, redundant brackets and letter case.
pub(in crate::rules) fn canonical_expression(text: &Text) -> String {
    let Ok(expr) = parse::parse_rule_expression(text) else { return text.value().to_owned() };
    let mut out = String::new();
    write_canonical_expr(&expr, &mut out);
    out
}

/// A number, or an expression for it.
pub(in crate::rules) fn canonical_quantity(text: &Text) -> String {
    canonical_decimal(text.value()).unwrap_or_else(|| canonical_expression(text))
}

/// A number; any other text stays.
pub(in crate::rules) fn canonical_number(text: &str) -> String {
    canonical_decimal(text).unwrap_or_else(|| text.to_owned())
}

/// A cell that tests a value of type `ty`.
pub(in crate::rules) fn canonical_test_cell(text: &str, ty: Type) -> String {
    match cell_shape::shape(text.trim(), ty, 0) {
        Ok(shape) => of_shape(&shape, ty),
        Err(_) => text.to_owned(),
    }
}

/// A cell that gives a value of type `ty`, or an expression after a `=`.
pub(in crate::rules) fn canonical_output_cell(text: &Text, ty: Type) -> String {
    let whole = text.value();
    match whole.trim_start().strip_prefix('=') {
        Some(formula) => format!("= {}", canonical_quantity(&text.part(whole.len() - formula.len(), whole.len()))),
        None => canonical_cell_value(whole, ty),
    }
}

fn of_shape(shape: &Shape, ty: Type) -> String {
    match shape {
        Shape::Anything => "-".to_owned(),
        Shape::Unknown => "unknown".to_owned(),
        Shape::Not(inner) => format!("not({})", of_shape(inner, ty)),
        Shape::OneOf(items) => {
            let mut items: Vec<String> = items.iter().map(|item| of_shape(item, ty)).collect();
            items.sort();
            items.dedup();
            items.join(", ")
        }
        Shape::Bound { text, is_low, closed } => {
            format!(
                "{}{}{}",
                if *is_low { '>' } else { '<' },
                if *closed { "=" } else { "" },
                canonical_cell_value(text, ty)
            )
        }
        Shape::Range { low, high, .. } => {
            let (open, close) = (if low.1 { '[' } else { '(' }, if high.1 { ']' } else { ')' });
            format!("{open}{}..{}{close}", canonical_cell_value(low.0, ty), canonical_cell_value(high.0, ty))
        }
        Shape::Differs(text) => format!("not({})", canonical_cell_value(text, ty)),
        Shape::Equals { text, .. } => canonical_cell_value(text, ty),
        Shape::Has { place, text } => {
            let word = match place {
                TextPlace::Start => "starts_with",
                TextPlace::End => "ends_with",
                TextPlace::Anywhere => "contains",
            };
            format!("{word}({})", canonical_cell_value(text, Type::declared(ty.unit)))
        }
    }
}

/// A value of a cell: a parameter, a number, or a literal text.
fn canonical_cell_value(text: &str, ty: Type) -> String {
    let text = text.trim();
    if text.starts_with('$') {
        return text.to_owned();
    }
    let plain = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).unwrap_or(text);
    // A test of a list tests its values.
    match ty.repr {
        Repr::Text if cell_shape::is_field(text) => text.to_owned(),
        Repr::Text => format!("{plain:?}"),
        _ => match (canonical_decimal(plain), parse::parse_rule_expression(&Text::alone(text))) {
            (Some(number), _) => number,
            // A word alone may be a constant, such as TRUE.
            (None, Ok(parsed)) if !matches!(parsed.kind, ExprKind::Name(_) | ExprKind::Text(_)) => {
                canonical_quantity(&Text::alone(text))
            }
            _ => format!("{plain:?}"),
        },
    }
}

/// A number by its digits, because a float would lose some.
fn canonical_decimal(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.replace('_', "");
    if digits.contains(['e', 'E']) {
        return Rational::parse(&digits).map(|read| format!("{sign}{read}"));
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    if digits.len() <= usize::from(digits.contains('.'))
        || !(whole.to_owned() + fraction).bytes().all(|c| c.is_ascii_digit())
    {
        return None;
    }
    let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match (fraction, whole) {
        ("", "0") => whole.to_owned(),
        ("", _) => format!("{sign}{whole}"),
        _ => format!("{sign}{whole}.{fraction}"),
    })
}

/// The digits of a number in an expression, or of a parameter without a unit. A fraction stays one, because `1.0` and
/// `1` have different types.
pub(in crate::rules) fn canonical_digits(text: &str) -> String {
    match canonical_decimal(text) {
        Some(plain) if text.contains('.') && !plain.contains('.') => plain + ".0",
        Some(plain) if !text.contains(['e', 'E']) => plain,
        _ => text.to_owned(),
    }
}

fn write_canonical_expr(expr: &Expr, out: &mut String) {
    match &expr.kind {
        ExprKind::Name(name) => out.push_str(name),
        ExprKind::Qualified(space, name) => *out += &format!("{space}.{name}"),
        ExprKind::Parameter(name) => *out += &format!("${name}"),
        ExprKind::Number(number) => *out += &canonical_digits(number),
        ExprKind::Text(text) => *out += &format!("{text:?}"),
        ExprKind::Date(day) => *out += &format!("date {day:?}"),
        ExprKind::Time(time) => *out += &format!("time {time:?}"),
        ExprKind::Timestamp(at) => *out += &format!("timestamp {at:?}"),
        ExprKind::Interval(long) => *out += &format!("interval {long:?}"),
        ExprKind::Boolean(boolean) => *out += &boolean.to_string(),
        ExprKind::Null => out.push_str("null"),
        ExprKind::Unary(Unary::Not, inner) => write_node("not", [&**inner], out),
        ExprKind::Unary(Unary::Negate, inner) => write_node("minus", [&**inner], out),
        ExprKind::Binary(sign, left, right) => write_node(sign.symbol(), [&**left, &**right], out),
        ExprKind::IsNull(inner) => write_node("is null", [&**inner], out),
        ExprKind::IsBoolean(inner, wanted) => write_node(if *wanted { "is true" } else { "is false" }, [&**inner], out),
        ExprKind::In(inner, items) => write_node("in", std::iter::once(&**inner).chain(items), out),
        ExprKind::Like(inner, like) => {
            write_node(if like.any_case { "ilike" } else { "like" }, [&**inner], out);
            *out += &format!(" {:?}", like.pattern);
            if let Some(escape) = like.escape {
                *out += &format!(" escape {escape:?}");
            }
        }
        ExprKind::Case(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(condition, result)| [condition, result]);
            write_node("case", arms, out);
            write_node("else", otherwise.as_deref(), out);
        }
        ExprKind::Call(call) => call_of(call, out),
    }
}

fn call_of(call: &Call, out: &mut String) {
    let name = match (call.distinct, call.star) {
        (true, _) => format!("{} distinct", call.name),
        (_, true) => format!("{} all", call.name),
        _ => call.name.clone(),
    };
    write_node(&name, &call.args, out);
    write_node("filter", call.filter.as_deref(), out);
}

fn write_node<'e>(what: &str, of: impl IntoIterator<Item = &'e Expr>, out: &mut String) {
    *out += &format!("({what}");
    for part in of {
        out.push(' ');
        write_canonical_expr(part, out);
    }
    out.push(')');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::diagnostic::Span;

    fn text(value: &str) -> Text {
        Text::bare(value, Span::default())
    }

    #[test]
    fn layout_case_and_brackets_mean_nothing_in_an_expression() {
        let same = [
            ("n+1", " N  + 1 "),
            ("a AND (b OR c)", "A and ( b or\n c )"),
            ("a <> 'X'", "(a != 'X')"),
            ("SUM(credit) FILTER (WHERE credit>0.10)", "sum( credit ) filter(where (credit > 0.1))"),
            ("a - -1", "a - (-1)"),
        ];
        for (one, other) in same {
            assert_eq!(canonical_expression(&text(one)), canonical_expression(&text(other)), "{other}");
        }
        let others = [("a = 'x'", "a = 'X'"), ("(a OR b) AND c", "a OR b AND c"), ("x / 2", "x / 2.0"), ("$a", "a")];
        for (one, other) in others {
            assert_ne!(canonical_expression(&text(one)), canonical_expression(&text(other)), "{other}");
        }
    }

    #[test]
    fn cells_mean_what_they_ask() {
        let same = [
            (">= 450", ">=450.0"),
            ("1..3", "[ 1 .. 3 )"),
            ("500_000", "500000"),
            ("2, 1", "1,2"),
            ("!= 5", "not( 5 )"),
        ];
        for (one, other) in same {
            assert_eq!(canonical_test_cell(one, Type::NUMBER), canonical_test_cell(other, Type::NUMBER), "{other}");
        }
        assert_ne!(canonical_test_cell("[1..3]", Type::NUMBER), canonical_test_cell("1..3", Type::NUMBER));
        assert_eq!(canonical_test_cell("A", Type::TEXT), canonical_test_cell(" 'A' ", Type::TEXT));
        assert_ne!(canonical_test_cell("A", Type::TEXT), canonical_test_cell("a", Type::TEXT));
        assert_ne!(canonical_test_cell("1", Type::TEXT), canonical_test_cell("1.0", Type::TEXT));
    }

    #[test]
    fn a_number_is_its_digits() {
        for (one, other) in
            [("8.0", "8"), ("007", "7"), ("+.5", "0.50"), ("-0", "0"), ("60_000", "60000"), ("1e2", "100")]
        {
            assert_eq!(canonical_number(one), canonical_number(other));
        }
        for text in ["", ".", "-", "x", "1.2.3", "9007199254740993"] {
            assert_eq!(canonical_number(text), text);
        }
    }
}
