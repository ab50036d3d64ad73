//! An expression as a tree, and as the text of a rule file. Nothing here evaluates.

use super::Val;

/// What an expression is, as far as the language tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Money,
    MoneyFloat,
    Count,
    Plain,
    Days,
    Date,
    Text,
    Bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grain {
    Constant,
    Statement,
    Month,
    Row,
}

#[derive(Clone, Debug)]
pub enum Op {
    /// The text and what it means where it stands.
    Literal(String, Val),
    /// A built-in name.
    Leaf(&'static str, Grain),
    /// An earlier definition, by its index.
    Defined(usize),
    Parameter(&'static str),
    Neg,
    Not,
    /// `+ - * / %`
    Arithmetic(char),
    Compare(&'static str),
    And,
    Or,
    /// `IS [NOT] NULL`
    IsNull(bool),
    /// `IS [NOT] TRUE/FALSE`: what is asked for, and whether it is turned round.
    IsBool(bool, bool),
    In(bool),
    Between(bool),
    /// Pattern, any case, turned round.
    Like(String, bool, bool),
    /// Whether an operand comes first, and whether an ELSE comes last.
    Case(bool, bool),
    /// A function by its name.
    Call(&'static str),
    /// `within(n)`; the argument is `as_of`, then n.
    Within,
    Mentions(&'static str),
    /// Instalments of history.
    NeedsMonths(i64),
    Aggregate(Aggregate),
}

#[derive(Clone, Debug)]
pub struct Aggregate {
    pub name: &'static str,
    pub star: bool,
    pub distinct: bool,
    /// Of `quantile`.
    pub fraction: &'static str,
    /// The last argument is the filter.
    pub filtered: bool,
    pub target: Grain,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub op: Op,
    pub args: Vec<Node>,
    pub ty: Type,
}

/// A name under `[transaction]`, `[month]` or `[metric]`.
#[derive(Clone, Debug)]
pub struct Definition {
    pub name: String,
    pub grain: Grain,
    pub node: Node,
}

pub const PARAMETERS: [(&str, &str, Type, i64); 6] = [
    ("money", r#"{ value = 12.34, unit = "money" }"#, Type::Money, 1234),
    ("small", r#"{ value = 0.05, unit = "money" }"#, Type::Money, 5),
    ("three", r#"{ value = 3, unit = "count" }"#, Type::Count, 3),
    ("zero", r#"{ value = 0, unit = "count" }"#, Type::Count, 0),
    ("huge", r#"{ value = 9000000000000000000, unit = "count" }"#, Type::Count, 9_000_000_000_000_000_000),
    ("month", r#"{ value = 30, unit = "days" }"#, Type::Days, 30),
];

pub const WORDS: [(&str, &[&str]); 2] = [("salary", &["salary", "sal for"]), ("odd", &["é", "x-y", "2go"])];

impl Node {
    pub fn new(op: Op, args: Vec<Node>, ty: Type) -> Node {
        Node { op, args, ty }
    }

    pub fn is_float(&self) -> bool {
        matches!(self.ty, Type::MoneyFloat | Type::Plain)
    }

    /// How fine the value is.
    pub fn grain(&self, defined: &[Definition]) -> Grain {
        match &self.op {
            Op::Literal(..) | Op::Parameter(_) => Grain::Constant,
            Op::Leaf(_, grain) => *grain,
            Op::Defined(index) => defined[*index].grain,
            Op::Aggregate(aggregate) => aggregate.target,
            Op::NeedsMonths(_) => Grain::Statement,
            Op::Within | Op::Mentions(_) => Grain::Row,
            _ => self.args.iter().map(|arg| arg.grain(defined)).max().unwrap_or(Grain::Constant),
        }
    }

    /// How tightly the text holds together: 0 OR, 1 AND, 2 NOT, 3 tests, 4 sums, 5 products, 6 signs, 7 what needs no brackets.
    fn level(&self) -> u8 {
        match &self.op {
            Op::Or => 0,
            Op::And => 1,
            Op::Not => 2,
            Op::Compare(_) | Op::IsNull(_) | Op::IsBool(..) | Op::In(_) | Op::Between(_) | Op::Like(..) => 3,
            Op::Arithmetic('+' | '-') => 4,
            Op::Arithmetic(_) => 5,
            Op::Neg => 6,
            Op::Literal(text, _) if text.starts_with('-') => 6,
            _ => 7,
        }
    }

    fn at(&self, level: u8, defined: &[Definition]) -> String {
        let text = self.sql(defined);
        if self.level() < level { format!("({text})") } else { text }
    }

    /// As written in a rule file, with no more brackets than are needed.
    pub fn sql(&self, defined: &[Definition]) -> String {
        let arg = |index: usize, level: u8| self.args[index].at(level, defined);
        let list = |from: usize| self.args[from..].iter().map(|arg| arg.sql(defined)).collect::<Vec<_>>().join(", ");
        let not = |turned: bool| if turned { "NOT " } else { "" };
        match &self.op {
            Op::Literal(text, _) => text.clone(),
            Op::Leaf(name, _) => name.to_string(),
            Op::Defined(index) => defined[*index].name.clone(),
            Op::Parameter(name) => format!("${name}"),
            Op::Neg => format!("-{}", arg(0, 7)),
            Op::Not => format!("NOT {}", arg(0, 2)),
            Op::And => format!("{} AND {}", arg(0, 1), arg(1, 2)),
            Op::Or => format!("{} OR {}", arg(0, 0), arg(1, 1)),
            Op::Compare(sign) => format!("{} {sign} {}", arg(0, 4), arg(1, 4)),
            Op::Arithmetic(sign) => {
                let level = self.level();
                format!("{} {sign} {}", arg(0, level), arg(1, level + 1))
            }
            Op::IsNull(turned) => format!("{} IS {}NULL", arg(0, 4), not(*turned)),
            Op::IsBool(wanted, turned) => {
                format!("{} IS {}{}", arg(0, 4), not(*turned), if *wanted { "TRUE" } else { "FALSE" })
            }
            Op::In(turned) => format!("{} {}IN ({})", arg(0, 4), not(*turned), list(1)),
            Op::Between(turned) => format!("{} {}BETWEEN {} AND {}", arg(0, 4), not(*turned), arg(1, 4), arg(2, 4)),
            Op::Like(pattern, any_case, turned) => {
                let word = if *any_case { "ILIKE" } else { "LIKE" };
                format!("{} {}{word} '{}'", arg(0, 4), not(*turned), pattern.replace('\'', "''"))
            }
            Op::Case(..) => self.case(defined),
            Op::Call(name) => format!("{name}({})", list(0)),
            Op::Within => format!("within({})", list(1)),
            Op::Mentions(words) => format!("mentions({words})"),
            Op::NeedsMonths(months) => format!("needs_months({months}, {})", list(0)),
            Op::Aggregate(aggregate) => self.aggregate(aggregate, defined),
        }
    }

    fn case(&self, defined: &[Definition]) -> String {
        let Op::Case(operand, otherwise) = self.op else { unreachable!() };
        let mut args = self.args.iter().map(|arg| arg.sql(defined));
        let mut text = "CASE".to_string();
        if operand {
            text += &format!(" {}", args.next().unwrap());
        }
        let arms = (self.args.len() - usize::from(operand) - usize::from(otherwise)) / 2;
        for _ in 0..arms {
            text += &format!(" WHEN {} THEN {}", args.next().unwrap(), args.next().unwrap());
        }
        args.next().map_or(format!("{text} END"), |otherwise| format!("{text} ELSE {otherwise} END"))
    }

    fn aggregate(&self, aggregate: &Aggregate, defined: &[Definition]) -> String {
        let given = self.args.len() - usize::from(aggregate.filtered);
        let mut args: Vec<String> = self.args[..given].iter().map(|arg| arg.sql(defined)).collect();
        if aggregate.star {
            args.push("*".into());
        }
        if aggregate.name == "quantile" {
            args.push(aggregate.fraction.into());
        }
        let distinct = if aggregate.distinct { "DISTINCT " } else { "" };
        let text = format!("{}({distinct}{})", aggregate.name.to_uppercase(), args.join(", "));
        match aggregate.filtered {
            true => format!("{text} FILTER (WHERE {})", self.args[given].sql(defined)),
            false => text,
        }
    }
}

/// The whole rule file.
pub fn rule_file(defined: &[Definition]) -> String {
    let mut text = String::from(
        "[policy]\nname = \"any\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"Africa/Lagos\"\nstatement_unit = \"minor\"\nempty_amount = \"drop\"\n\n[parameters]\n",
    );
    for (name, written, ..) in PARAMETERS {
        text += &format!("{name} = {written}\n");
    }
    text += "\n[words]\n";
    for (name, words) in WORDS {
        text += &format!("{name} = {words:?}\n");
    }
    for (section, grain) in [("transaction", Grain::Row), ("month", Grain::Month), ("metric", Grain::Statement)] {
        text += &format!("\n[{section}]\n");
        for definition in defined.iter().filter(|definition| definition.grain == grain) {
            text += &format!("{} = '''{}'''\n", definition.name, definition.node.sql(defined));
        }
    }
    text
}
