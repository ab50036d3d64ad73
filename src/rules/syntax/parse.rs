//! Parses the text of an expression into an [`ast::Expr`](crate::rules::syntax::ast::Expr), through `sqlparser`.
//! Resolves nothing. SQL that the rule language does not have is an error at its place, with what to write instead.

use sqlparser::ast::{self as sql, Spanned};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Location, Token, Tokenizer};

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::syntax::ast::{Binary, Call, Expr, ExprKind, Like, Unary};
use crate::rules::syntax::deep::with_stack;
use crate::rules::syntax::digit_groups::join_digit_groups;
use crate::rules::syntax::source::Text;
use crate::rules::syntax::{advice, depth};

/// Most tokens of an expression, more than anyone writes by hand. Limits the depth of its trees.
const TOKENS_MAX: usize = 2_000;

/// Most bytes of an expression. A longer one is not tokenized.
const BYTES_MAX: usize = 100_000;

/// Deepest recursion of the parser.
const DEPTH_MAX: usize = 100;

/// Longest pattern. Matching takes one step per letter of a text for each 64 letters of the pattern.
const PATTERN_MAX: usize = 1_000;

/// Parses one expression.
pub(crate) fn parse_rule_expression(text: &Text) -> Result<Expr, Diagnostic> {
    with_stack(|| parse_expression_text(text, Quoted::Refused))
}

/// Parses a condition on the rows of a table. A name in double quotes is a name, as it is written.
pub(crate) fn row_condition(text: &Text) -> Result<Expr, Diagnostic> {
    with_stack(|| parse_expression_text(text, Quoted::Name))
}

/// What a name in double quotes is.
#[derive(Clone, Copy, PartialEq)]
enum Quoted {
    /// Probably a text, which has single quotes.
    Refused,
    Name,
}

fn parse_expression_text(text: &Text, quoted: Quoted) -> Result<Expr, Diagnostic> {
    let dialect = GenericDialect {};
    let whole = text.span();
    if text.value().trim().is_empty() {
        return Err(Diagnostic::error("syntax", whole, "the expression is empty").help("such as SUM(credit)"));
    }
    let syntax = |message: String| {
        let (message, span) = locate_parser_message(text, &message);
        let diagnostic = Diagnostic::error("syntax", span, message).label("not understood");
        advice::add_syntax_advice(diagnostic, text, span)
    };
    if text.value().len() > BYTES_MAX {
        let message = format!("this expression is longer than {BYTES_MAX} letters");
        return Err(Diagnostic::error("too-long", whole, message).help("give parts of it their own names"));
    }
    let tokens =
        Tokenizer::new(&dialect, text.value()).tokenize_with_location().map_err(|error| syntax(error.to_string()))?;
    let tokens = join_digit_groups(tokens);
    let words = tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).count();
    if words > TOKENS_MAX {
        let message = format!("this expression has {words} words and symbols; at most {TOKENS_MAX} are allowed");
        return Err(Diagnostic::error("too-long", whole, message).help("give parts of it their own names"));
    }
    if let Some(range) = crate::rules::syntax::amounts::with_commas(text.value()) {
        let number = &text.value()[range.clone()];
        let message = format!("`{number}` would be read as {} numbers", number.split(',').count());
        let help = format!(
            "write one number without commas: {}; separate several numbers with a comma and a space",
            number.replace(',', "")
        );
        let span = text.locate(range.start, range.end);
        return Err(Diagnostic::error("number", span, message).label("one number, or several?").help(help));
    }
    if let Some(range) = crate::rules::syntax::amounts::with_decimal_comma_in_call(text.value()) {
        let number = &text.value()[range.clone()];
        let message = format!("`{number}` would be read as 2 numbers");
        let point = number.replace(',', ".");
        let help = format!("use a decimal point: {point}; separate two numbers with a comma and a space");
        let span = text.locate(range.start, range.end);
        let wrong = Diagnostic::error("number", span, message).label("one number, or two?").help(help);
        return Err(wrong.meant(number, Some(point)));
    }
    let is_deep = depth::negated_to(&tokens) >= DEPTH_MAX - 2;
    let too_deep =
        || Diagnostic::error("syntax", whole, "this expression is nested too deeply").label("not understood");
    let mut parser = Parser::new(&dialect).with_recursion_limit(DEPTH_MAX).with_tokens_with_locations(tokens);
    let parsed = parser.parse_expr().map_err(|error| if is_deep { too_deep() } else { syntax(error.to_string()) })?;
    let rest = parser.peek_token();
    if rest.token != Token::EOF {
        if is_deep {
            return Err(too_deep());
        }
        let span = text.locate(
            byte_offset_of_location(text.value(), rest.span.start),
            byte_offset_of_location(text.value(), rest.span.end),
        );
        let message = format!("unexpected `{}` after the expression", rest.token);
        let diagnostic = Diagnostic::error("syntax", span, message).label("not expected here");
        return Err(if rest.token.to_string().eq_ignore_ascii_case("where") {
            diagnostic.help("write FILTER (WHERE ...), with the brackets")
        } else {
            advice::add_syntax_advice(diagnostic, text, span)
        });
    }
    Lower { text, quoted }.expr(&parsed)
}

/// Turns the ` at Line: 1, Column: 7` of the parser's message into a place.
fn locate_parser_message(text: &Text, message: &str) -> (String, Span) {
    let plain = message.trim_start_matches("sql parser error: ");
    let Some((head, tail)) = plain.split_once(" at Line: ") else {
        if plain.contains("recursion limit") {
            return ("this expression is nested too deeply".into(), text.span());
        }
        // Without a place the parser reached the end.
        if let Some((expected, "EOF")) = plain.split_once(", found: ") {
            let end = text.value().len();
            let last = text.value().char_indices().next_back().map_or(end, |(start, _)| start);
            let expected = expected.trim_start_matches("Expected: ");
            return (format!("expected {expected}, but the expression ends here"), text.locate(last, end));
        }
        return (plain.to_lowercase(), text.span());
    };
    let mut numbers = tail.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<u64>().ok());
    let (line, column) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
    let start = byte_offset_of_location(text.value(), Location::new(line, column));
    let length = text.value()[start..].chars().next().map_or(0, char::len_utf8);
    let head = head.replacen("Expected: ", "expected ", 1).replace(", found: ", ", found ");
    (head, text.locate(start, start + length))
}

/// The byte at a 1-based line and column.
fn byte_offset_of_location(text: &str, at: Location) -> usize {
    let mut start = 0;
    if at.line == 1 && text.is_ascii() {
        return usize::try_from(at.column).map_or(text.len(), |column| text.len().min(column.saturating_sub(1)));
    }
    for _ in 1..at.line {
        start += text[start..].find('\n').map_or(0, |newline| newline + 1);
    }
    let column = usize::try_from(at.column).unwrap_or(1).saturating_sub(1);
    text[start..].char_indices().nth(column).map_or(text.len(), |(index, _)| start + index)
}

/// All parts but the last, and the last.
fn join_name_parts(parts: &[sql::Ident]) -> Option<(String, String)> {
    let (last, before) = parts.split_last()?;
    let before: Vec<String> = before.iter().map(|part| part.value.to_lowercase()).collect();
    (!before.is_empty()).then(|| (before.join("."), last.value.to_lowercase()))
}

/// Whether the next argument of a call is the name of a list.
fn is_first_of_list(call: &Call) -> bool {
    call.name == "in_list" && call.args.is_empty()
}

struct Lower<'a> {
    text: &'a Text,
    quoted: Quoted,
}

impl Lower<'_> {
    fn span(&self, span: sqlparser::tokenizer::Span) -> Span {
        if span.start.line == 0 {
            return self.text.span();
        }
        let text = self.text.value();
        self.text.locate(byte_offset_of_location(text, span.start), byte_offset_of_location(text, span.end))
    }

    fn unsupported(&self, span: Span, what: &str, help: &str) -> Diagnostic {
        Diagnostic::error("unsupported", span, format!("{what} is not part of the rule language"))
            .label("not supported")
            .help(help)
    }

    fn boxed(&self, expr: &sql::Expr) -> Result<Box<Expr>, Diagnostic> {
        self.expr(expr).map(Box::new)
    }

    fn all(&self, list: &[sql::Expr]) -> Result<Vec<Expr>, Diagnostic> {
        list.iter().map(|item| self.expr(item)).collect()
    }

    fn expr(&self, expr: &sql::Expr) -> Result<Expr, Diagnostic> {
        use sql::Expr as E;
        let span = self.span(expr.span());
        let new = |kind| Ok(Expr::new(kind, span));
        match expr {
            E::Identifier(name) if name.quote_style == Some('"') && self.quoted == Quoted::Name => {
                new(ExprKind::Name(name.value.clone()))
            }
            E::Identifier(name) if name.quote_style == Some('"') => {
                Err(self.unsupported(span, "a name in double quotes", "write text in single quotes: 'a'"))
            }
            E::Identifier(name) => new(ExprKind::Name(name.value.to_lowercase())),
            E::CompoundIdentifier(parts) => match join_name_parts(parts) {
                Some((space, name)) => new(ExprKind::Qualified(space, name)),
                None => {
                    Err(self.unsupported(span, "this", "docs/reference/rules.md lists what an expression may contain"))
                }
            },
            E::CompoundFieldAccess { root, access_chain } => self.spaced_parameter(root, access_chain, span),
            E::Value(value) => self.value(&value.value, span),
            E::TypedString(typed) => self.typed_string(typed, span),
            E::Interval(interval) => self.interval(interval, span),
            E::Nested(inner) => Ok(Expr { span, ..self.expr(inner)? }),
            E::UnaryOp { op, expr } => self.unary(*op, expr, span),
            E::BinaryOp { left, op, right } => self.binary(left, op, right, span),
            E::IsNull(inner) | E::IsUnknown(inner) => new(ExprKind::IsNull(self.boxed(inner)?)),
            E::IsTrue(inner) => new(ExprKind::IsBoolean(self.boxed(inner)?, true)),
            E::IsFalse(inner) => new(ExprKind::IsBoolean(self.boxed(inner)?, false)),
            E::IsNotNull(_) | E::IsNotUnknown(_) | E::IsNotTrue(_) | E::IsNotFalse(_) => self.is_not(expr, span),
            E::In { expr, target: sql::InTarget::List(list), negated, global: false } => {
                let inside = new(ExprKind::In(self.boxed(expr)?, self.all(list)?))?;
                Ok(inside.negated_if(*negated))
            }
            E::Between { expr, negated, low, high } => {
                let value = self.expr(expr)?;
                let low = Expr::binary(Binary::GreaterEqual, value.clone(), self.expr(low)?);
                let high = Expr::binary(Binary::LessEqual, value, self.expr(high)?);
                Ok(Expr { span, ..Expr::binary(Binary::And, low, high) }.negated_if(*negated))
            }
            E::Like { negated, any: false, expr, pattern, escape_char } => {
                Ok(self.like(expr, pattern, escape_char.as_deref(), false, span)?.negated_if(*negated))
            }
            E::ILike { negated, any: false, expr, pattern, escape_char } => {
                Ok(self.like(expr, pattern, escape_char.as_deref(), true, span)?.negated_if(*negated))
            }
            E::Case { operand, conditions, else_result, .. } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref(), span)
            }
            E::Function(function) => self.call(function, span),
            E::Floor { .. } | E::Ceil { .. } | E::Extract { .. } | E::Substring { .. } | E::Trim { .. } => {
                self.function_of_its_own(expr, span)
            }
            E::Cast { .. } => Err(self.unsupported(
                span,
                "CAST",
                "values have units instead of SQL types; ROUND makes a number whole",
            )),
            E::Subquery(_) | E::Exists { .. } | E::In { target: sql::InTarget::Subquery(_), .. } => {
                Err(self.unsupported(span, "a subquery", "give the inner value a name under [month] or [metric]"))
            }
            _ => Err(self.unsupported(span, "this", "docs/reference/rules.md lists what an expression may contain")),
        }
    }

    /// `x IS NOT ...`
    fn is_not(&self, expr: &sql::Expr, span: Span) -> Result<Expr, Diagnostic> {
        use sql::Expr as E;
        let kind = match expr {
            E::IsNotNull(inner) | E::IsNotUnknown(inner) => ExprKind::IsNull(self.boxed(inner)?),
            E::IsNotTrue(inner) => ExprKind::IsBoolean(self.boxed(inner)?, true),
            E::IsNotFalse(inner) => ExprKind::IsBoolean(self.boxed(inner)?, false),
            _ => return self.expr(expr),
        };
        Ok(Expr::new(kind, span).negated_if(true))
    }

    /// A function that the parser knows by its own syntax.
    fn function_of_its_own(&self, expr: &sql::Expr, span: Span) -> Result<Expr, Diagnostic> {
        use sql::Expr as E;
        match expr {
            E::Floor { expr, .. } => self.plain_call("floor", &[expr], span),
            E::Ceil { expr, .. } => self.plain_call("ceil", &[expr], span),
            E::Extract { field, expr, .. } => self.plain_call(&field.to_string().to_lowercase(), &[expr], span),
            E::Substring { expr, substring_from: Some(from), substring_for, .. } => {
                let parts: Vec<&sql::Expr> = [&**expr, from].into_iter().chain(substring_for.as_deref()).collect();
                self.plain_call("substring", &parts, span)
            }
            E::Trim { expr, trim_where: None, trim_what: None, trim_characters: None } => {
                self.plain_call("trim", &[expr], span)
            }
            E::Trim { .. } => {
                let help = "TRIM(text) removes the blanks at both ends; REPLACE(text, 'x', '') removes every x";
                Err(self.unsupported(span, "this form of TRIM", help))
            }
            _ => Err(self.unsupported(span, "this", "docs/reference/rules.md lists what an expression may contain")),
        }
    }

    /// `$space.name`, which the parser reads as the field of a value.
    fn spaced_parameter(&self, root: &sql::Expr, chain: &[sql::AccessExpr], span: Span) -> Result<Expr, Diagnostic> {
        let root = self.expr(root)?;
        let parts: Option<Vec<&str>> = chain
            .iter()
            .map(|access| match access {
                sql::AccessExpr::Dot(sql::Expr::Identifier(name)) => Some(name.value.as_str()),
                _ => None,
            })
            .collect();
        match (root.kind, parts) {
            (ExprKind::Parameter(space), Some(parts)) => {
                Ok(Expr::new(ExprKind::Parameter(format!("{space}.{}", parts.join("."))), span))
            }
            _ => Err(self.unsupported(span, "this", "docs/reference/rules.md lists what an expression may contain")),
        }
    }

    /// A call that SQL writes in its own way.
    fn plain_call(&self, name: &str, args: &[&sql::Expr], span: Span) -> Result<Expr, Diagnostic> {
        let call = Call {
            name: name.into(),
            name_span: span,
            args: args.iter().map(|arg| self.expr(arg)).collect::<Result<_, _>>()?,
            star: false,
            distinct: false,
            filter: None,
        };
        Ok(Expr::new(ExprKind::Call(call), span))
    }

    fn value(&self, value: &sql::Value, span: Span) -> Result<Expr, Diagnostic> {
        let kind = match value {
            sql::Value::Number(digits, _) => ExprKind::Number(digits.clone()),
            sql::Value::SingleQuotedString(text) => ExprKind::Text(text.clone()),
            sql::Value::Boolean(value) => ExprKind::Boolean(*value),
            sql::Value::Null => ExprKind::Null,
            sql::Value::Placeholder(name) if name.len() > 1 && name.starts_with('$') => {
                ExprKind::Parameter(name[1..].to_string())
            }
            _ => return Err(self.unsupported(span, "this literal", "write text in 'single quotes'")),
        };
        Ok(Expr::new(kind, span))
    }

    fn typed_string(&self, typed: &sql::TypedString, span: Span) -> Result<Expr, Diagnostic> {
        let sql::Value::SingleQuotedString(text) = &typed.value.value else {
            return Err(self.unsupported(span, "this literal", "a date is written DATE '2026-01-31'"));
        };
        let kind = match &typed.data_type {
            sql::DataType::Date => ExprKind::Date(text.clone()),
            sql::DataType::Time(None, sql::TimezoneInfo::None) => ExprKind::Time(text.clone()),
            sql::DataType::Timestamp(None, sql::TimezoneInfo::None) => ExprKind::Timestamp(text.clone()),
            _ => return Err(self.unsupported(span, "this literal", "a date is written DATE '2026-01-31'")),
        };
        Ok(Expr::new(kind, span))
    }

    /// Reads lengths of time, which are written as ISO 8601 without SQL's units.
    fn interval(&self, interval: &sql::Interval, span: Span) -> Result<Expr, Diagnostic> {
        match (&*interval.value, &interval.leading_field) {
            (sql::Expr::Value(value), None) => match &value.value {
                sql::Value::SingleQuotedString(text) => Ok(Expr::new(ExprKind::Interval(text.clone()), span)),
                _ => Err(self.unsupported(span, "this INTERVAL", "write INTERVAL 'PT1H30M'")),
            },
            _ => {
                Err(self.unsupported(span, "this INTERVAL", "write INTERVAL 'PT1H30M', or INTERVAL 'P1Y6M' for months"))
            }
        }
    }

    fn unary(&self, op: sql::UnaryOperator, inner: &sql::Expr, span: Span) -> Result<Expr, Diagnostic> {
        let op = match op {
            sql::UnaryOperator::Not => Unary::Not,
            sql::UnaryOperator::Minus => Unary::Negate,
            sql::UnaryOperator::Plus => return self.expr(inner),
            _ => return Err(self.unsupported(span, "this sign", "use NOT or -")),
        };
        Ok(Expr::new(ExprKind::Unary(op, self.boxed(inner)?), span))
    }

    fn binary(
        &self,
        left: &sql::Expr,
        op: &sql::BinaryOperator,
        right: &sql::Expr,
        span: Span,
    ) -> Result<Expr, Diagnostic> {
        use sql::BinaryOperator as B;
        let op = match op {
            B::Plus => Binary::Add,
            B::Minus => Binary::Subtract,
            B::Multiply => Binary::Multiply,
            B::Divide => Binary::Divide,
            B::Modulo => Binary::Remainder,
            B::Eq => Binary::Equal,
            B::NotEq => Binary::NotEqual,
            B::Lt => Binary::Less,
            B::LtEq => Binary::LessEqual,
            B::Gt => Binary::Greater,
            B::GtEq => Binary::GreaterEqual,
            B::And => Binary::And,
            B::Or => Binary::Or,
            other => {
                let what = format!("the operator `{other}`");
                let help = "use + - * / % = <> < <= > >= AND OR";
                let Some(instead) = advice::sign_instead_of(&other.to_string()) else {
                    return Err(self.unsupported(span, &what, help));
                };
                let place = self.place_of_sign(left, &other.to_string(), right).unwrap_or(span);
                let wrong = self.unsupported(place, &what, &format!("`{other}` is written {instead} here"));
                return Err(wrong.meant(&other.to_string(), Some(instead)));
            }
        };
        Ok(Expr::new(ExprKind::Binary(op, self.boxed(left)?, self.boxed(right)?), span))
    }

    /// The place of an operator between its operands.
    fn place_of_sign(&self, left: &sql::Expr, sign: &str, right: &sql::Expr) -> Option<Span> {
        let text = self.text.value();
        let from = byte_offset_of_location(text, left.span().end);
        let to = byte_offset_of_location(text, right.span().start);
        let start = from + text.get(from..to)?.find(sign)?;
        Some(self.text.locate(start, start + sign.len()))
    }

    fn like(
        &self,
        value: &sql::Expr,
        pattern: &sql::Expr,
        escape: Option<&sql::Expr>,
        any_case: bool,
        span: Span,
    ) -> Result<Expr, Diagnostic> {
        let pattern = self.expr(pattern)?;
        let pattern_span = pattern.span;
        let ExprKind::Text(pattern) = pattern.kind else {
            let help = "write it as text: desc LIKE '%salary%'; contains(text, part) takes a part that is computed";
            return Err(self.unsupported(pattern_span, "a pattern that is computed", help));
        };
        let letters = pattern.chars().count();
        if letters > PATTERN_MAX {
            let message = format!("this pattern has {letters} characters; at most {PATTERN_MAX} are allowed");
            return Err(Diagnostic::error("too-long", span, message));
        }
        let escape = escape.map(|escape| self.escape(escape)).transpose()?;
        let like = Like { pattern, escape, any_case };
        if let Some(wrong) = like.wrongly_escaped() {
            let message = format!("the escape sign stands before {wrong}");
            let help = "it stands before %, _ or itself: '50!%' ESCAPE '!' is the text 50%";
            return Err(Diagnostic::error("syntax", pattern_span, message).help(help));
        }
        Ok(Expr::new(ExprKind::Like(self.boxed(value)?, like), span))
    }

    /// The sign after `ESCAPE`.
    fn escape(&self, escape: &sql::Expr) -> Result<char, Diagnostic> {
        let escape = self.expr(escape)?;
        let sign = match &escape.kind {
            ExprKind::Text(text) => {
                let mut signs = text.chars();
                signs.next().filter(|sign| signs.next().is_none() && !matches!(sign, '%' | '_'))
            }
            _ => None,
        };
        sign.ok_or_else(|| {
            let message = "ESCAPE takes one sign other than % and _";
            Diagnostic::error("syntax", escape.span, message).help("such as LIKE '50!%' ESCAPE '!'")
        })
    }

    fn case(
        &self,
        operand: Option<&sql::Expr>,
        arms: &[sql::CaseWhen],
        otherwise: Option<&sql::Expr>,
        span: Span,
    ) -> Result<Expr, Diagnostic> {
        let operand = operand.map(|operand| self.expr(operand)).transpose()?;
        let mut lowered = Vec::with_capacity(arms.len());
        for arm in arms {
            let condition = self.expr(&arm.condition)?;
            let condition = match &operand {
                Some(operand) => Expr::binary(Binary::Equal, operand.clone(), condition),
                None => condition,
            };
            lowered.push((condition, self.expr(&arm.result)?));
        }
        let otherwise = otherwise.map(|otherwise| self.boxed(otherwise)).transpose()?;
        Ok(Expr::new(ExprKind::Case(lowered, otherwise), span))
    }

    /// The name of a list in quotes, which means the same as without them.
    fn quoted_list(&self, arg: &sql::Expr) -> Option<Expr> {
        let name = match arg {
            sql::Expr::Identifier(name) if name.quote_style == Some('"') => &name.value,
            sql::Expr::Value(value) => match &value.value {
                sql::Value::SingleQuotedString(name) => name,
                _ => return None,
            },
            _ => return None,
        };
        let Span { source, start, end } = self.span(arg.span());
        let is_plain = (end - start) as usize == name.len() + 2;
        let span = if is_plain { Span { source, start: start + 1, end: end - 1 } } else { Span { source, start, end } };
        let kind = match name.rsplit_once('.') {
            Some((space, name)) => ExprKind::Qualified(space.to_lowercase(), name.to_lowercase()),
            None => ExprKind::Name(name.to_lowercase()),
        };
        Some(Expr::new(kind, span))
    }

    fn call(&self, function: &sql::Function, span: Span) -> Result<Expr, Diagnostic> {
        let name_span = self.span(function.name.span());
        let refuse = |what| Err(self.unsupported(span, what, "an aggregate takes only FILTER (WHERE ...)"));
        if function.over.is_some() {
            return refuse("a window (OVER)");
        }
        if !function.within_group.is_empty() || function.null_treatment.is_some() {
            return refuse("this clause");
        }
        let mut call = Call {
            name: function.name.to_string().to_lowercase(),
            name_span,
            args: Vec::new(),
            star: false,
            distinct: false,
            filter: function.filter.as_deref().map(|filter| self.boxed(filter)).transpose()?,
        };
        match &function.args {
            sql::FunctionArguments::None => {}
            sql::FunctionArguments::Subquery(_) => return refuse("a subquery"),
            sql::FunctionArguments::List(list) => {
                if !list.clauses.is_empty() {
                    return refuse("this clause");
                }
                call.distinct = list.duplicate_treatment == Some(sql::DuplicateTreatment::Distinct);
                for arg in &list.args {
                    match arg {
                        sql::FunctionArg::Unnamed(sql::FunctionArgExpr::Wildcard) => call.star = true,
                        sql::FunctionArg::Unnamed(sql::FunctionArgExpr::Expr(arg)) => {
                            let list = if is_first_of_list(&call) { self.quoted_list(arg) } else { None };
                            call.args.push(list.map_or_else(|| self.expr(arg), Ok)?);
                        }
                        _ => return refuse("a named argument"),
                    }
                }
            }
        }
        // The parser's span of a call may end before its bracket, but always contains the name.
        Ok(Expr::new(ExprKind::Call(call), span.to(name_span)))
    }
}
