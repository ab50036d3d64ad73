//! The syntax tree of an expression, with the place of every part. Knows no types and resolves no names.

use crate::base::diagnostic::Span;

/// An expression and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A column, a metric, an output.
    Name(String),
    /// `request.amount`: everything before the last dot, and the part after it.
    Qualified(String, String),
    /// `$name`
    Parameter(String),
    /// The digits as written.
    Number(String),
    Text(String),
    /// `DATE '2026-01-31'`
    Date(String),
    /// `TIME '22:30'`
    Time(String),
    /// `TIMESTAMP '2026-01-31T22:30:00Z'`
    Timestamp(String),
    /// `INTERVAL 'PT1H30M'`
    Interval(String),
    Boolean(bool),
    Null,
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    IsNull(Box<Expr>),
    /// `x IS TRUE`, `x IS FALSE`: never unknown.
    IsBoolean(Box<Expr>, bool),
    In(Box<Expr>, Vec<Expr>),
    Like(Box<Expr>, Like),
    /// Arms of condition and result. The tests of an operand are expanded into conditions.
    Case(Vec<(Expr, Expr)>, Option<Box<Expr>>),
    Call(Call),
}

/// A pattern of `LIKE` or `ILIKE`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Like {
    /// As written.
    pub pattern: String,
    /// The sign before a `%` or `_` that means itself.
    pub escape: Option<char>,
    pub any_case: bool,
}

/// A function call, plain or aggregate.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: String,
    pub name_span: Span,
    pub args: Vec<Expr>,
    /// `COUNT(*)`
    pub star: bool,
    pub distinct: bool,
    pub filter: Option<Box<Expr>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Not,
    Negate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Like {
    /// What the escape sign stands before, if it may not stand there.
    pub fn wrongly_escaped(&self) -> Option<String> {
        let escape = self.escape?;
        let mut signs = self.pattern.chars();
        while signs.by_ref().any(|sign| sign == escape) {
            match signs.next() {
                None => return Some("nothing".into()),
                Some(sign) if sign == '%' || sign == '_' || sign == escape => {}
                Some(sign) => return Some(format!("`{sign}`")),
            }
        }
        None
    }
}

impl Expr {
    pub fn new(kind: ExprKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// `NOT self`, or `self`.
    pub fn negated_if(self, negated: bool) -> Self {
        if !negated {
            return self;
        }
        let span = self.span;
        Self::new(ExprKind::Unary(Unary::Not, Box::new(self)), span)
    }

    pub fn binary(op: Binary, left: Expr, right: Expr) -> Self {
        let span = left.span.to(right.span);
        Self::new(ExprKind::Binary(op, Box::new(left), Box::new(right)), span)
    }
}

impl Binary {
    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual)
    }

    /// The comparison that holds exactly where this one does not. Other operators stay.
    pub fn opposite(self) -> Self {
        use Binary::*;
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterEqual,
            LessEqual => Greater,
            Greater => LessEqual,
            GreaterEqual => Less,
            other => other,
        }
    }

    /// The comparison with the same meaning when its sides are swapped.
    pub fn mirrored(self) -> Self {
        use Binary::*;
        match self {
            Less => Greater,
            LessEqual => GreaterEqual,
            Greater => Less,
            GreaterEqual => LessEqual,
            other => other,
        }
    }

    pub fn symbol(self) -> &'static str {
        use Binary::*;
        match self {
            Add => "+",
            Subtract => "-",
            Multiply => "*",
            Divide => "/",
            Remainder => "%",
            Equal => "=",
            NotEqual => "<>",
            Less => "<",
            LessEqual => "<=",
            Greater => ">",
            GreaterEqual => ">=",
            And => "AND",
            Or => "OR",
        }
    }
}
