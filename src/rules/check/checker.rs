//! The state of the checker: symbols, parameters, the graph under construction, and the diagnostics. Resolves names
//! and adapts literals; all mistakes are collected. Evaluates nothing.

use std::collections::HashMap;

use crate::base::diagnostic::{Diagnostic, Span, nearest};
use crate::base::money::Currency;
use crate::base::rational::Rational;
use crate::rules::check::built_in::{OFFER_NAMES, built_in};
use crate::rules::check::definition_list::Definitions;
use crate::rules::check::symbols::{Checked, ExpressionContext, Known, Reported, Symbol, Typed};
use crate::rules::graph::{BALANCE_VERDICTS, Fact, Grain, Graph, Group, NodeId, Op};
use crate::rules::names::{Named, Names, Sort};
use crate::rules::program::Places;
use crate::rules::program::inputs::Input;
use crate::rules::references::{Expression, References, on_one_line};
use crate::rules::syntax::amounts;
use crate::rules::syntax::identifier::{is_name, snake_case};
use crate::rules::syntax::source::{Name, Text};
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::Value;

pub(in crate::rules) struct Checker<'a> {
    pub graph: Graph,
    pub diagnostics: &'a mut Vec<Diagnostic>,
    pub currency: Currency,
    pub symbols: HashMap<String, (Symbol, Span)>,
    pub parameters: HashMap<String, Known>,
    pub words: Vec<(String, Vec<String>)>,
    /// Where parameters (`$name`) and word lists (`mentions name`) were defined first.
    pub first_places: HashMap<String, Span>,
    pub inputs: Vec<Input>,
    /// The namespace of each source's names, unless it is the common one.
    pub spaces: HashMap<u32, String>,
    /// The namespace being checked; empty for the common one.
    space: String,
    /// The type of `tenure` in an offer: days, or a count of longer periods.
    pub tenure: Type,
    /// Parameters with a mistake, which have no value.
    pub broken_parameters: std::collections::HashSet<String>,
    /// Parameters that were looked up.
    pub used_parameters: std::cell::RefCell<std::collections::HashSet<String>>,
    /// The values of parameters with bounds, and the parameters that cells use as written even so.
    pub variant: crate::rules::parameter_variant::ParameterVariant,
    pub held_parameters: std::cell::RefCell<std::collections::BTreeSet<String>>,
    /// The tolerance of streams, if a parameter sets it.
    pub tolerance: Option<crate::rules::check::symbols::Tolerance>,
    pub used_words: std::collections::HashSet<String>,
    /// The possible texts of a table's output or of a fact, by its node.
    pub texts: HashMap<NodeId, std::collections::BTreeSet<String>>,
    pub names: Names,
    /// The references of the expression being checked.
    pub references: References,
    pub places: Places,
    pub definitions: Definitions,
}

impl<'a> Checker<'a> {
    pub(in crate::rules) fn new(currency: Currency, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        let mut checker = Self {
            graph: Graph::default(),
            diagnostics,
            currency,
            symbols: HashMap::new(),
            parameters: HashMap::new(),
            words: Vec::new(),
            first_places: HashMap::new(),
            inputs: Vec::new(),
            spaces: HashMap::new(),
            space: String::new(),
            tenure: Type::COUNT,
            broken_parameters: Default::default(),
            used_parameters: Default::default(),
            variant: Default::default(),
            held_parameters: Default::default(),
            tolerance: None,
            used_words: Default::default(),
            texts: HashMap::new(),
            names: Names::default(),
            references: References::default(),
            places: Places::default(),
            definitions: Definitions::default(),
        };
        for (name, symbol) in built_in() {
            checker.symbols.insert(name.to_string(), (symbol, Span::default()));
        }
        checker
    }

    /// The name nearest to an unknown one. It is compared with all names, so among very many names only the first
    /// mistakes get this advice.
    pub(in crate::rules) fn nearest<'n>(
        &self,
        name: &str,
        known: impl ExactSizeIterator<Item = &'n String>,
    ) -> Option<&'n str> {
        const MISTAKES_MAX: usize = 100;
        const COMPARED_MAX: usize = 500_000;
        let mistakes = self.diagnostics.len();
        let is_worth_it = mistakes <= MISTAKES_MAX && mistakes.saturating_mul(known.len()) <= COMPARED_MAX;
        if is_worth_it { nearest(name, known.map(String::as_str)) } else { None }
    }

    /// Where a name was declared.
    pub(in crate::rules) fn place_of(&self, name: &str) -> Span {
        self.symbols.get(name).map(|(_, span)| *span).unwrap_or_default()
    }

    pub(in crate::rules) fn report<T>(&mut self, diagnostic: Diagnostic) -> Checked<T> {
        self.diagnostics.push(diagnostic);
        Err(Reported)
    }

    /// Declares `name`. Refuses a name that is already declared.
    pub(in crate::rules) fn declare(&mut self, name: &Name, symbol: Symbol) {
        if let Some((_, first)) = self.symbols.get(&name.text) {
            let built_in = *first == Span::default();
            let what = if built_in { "is built in" } else { "is already defined" };
            let message = format!("`{}` {what}", name.text);
            let diagnostic = Diagnostic::error("shadowing", name.span, message).help("give it another name");
            let first = *first;
            self.diagnostics.push(if built_in { diagnostic } else { diagnostic.elsewhere(first) });
            return;
        }
        self.reserve(name, &OFFER_NAMES, "offers");
        if !is_name(name.text.rsplit('.').next().unwrap_or_default()) {
            let message = format!("`{}` cannot be a name", name.text);
            let help = match snake_case(&name.text) {
                Some(better) => format!("call it {better}: lower case letters, digits and _, beginning with a letter"),
                None => "use lower case letters, digits and _, beginning with a letter".to_owned(),
            };
            self.diagnostics.push(Diagnostic::error("bad-name", name.span, message).help(help));
            // Expressions ignore case, so declare it in lower case, or each use would be another mistake.
            self.symbols.entry(name.text.to_lowercase()).or_insert((symbol.clone(), name.span));
        }
        self.symbols.insert(name.text.clone(), (symbol, name.span));
    }

    /// Refuses a name that is one of these.
    pub(in crate::rules) fn reserve(&mut self, name: &Name, names: &[&str], what: &str) {
        if names.contains(&name.text.as_str()) {
            let message = format!("`{}` is reserved for {what}", name.text);
            self.diagnostics.push(Diagnostic::error("shadowing", name.span, message).help("give it another name"));
        }
    }

    /// Sets the node of the score or an output, which was declared before it was checked.
    pub(in crate::rules) fn set_node(&mut self, name: &Name, node: NodeId) {
        // The name may belong to something else, which was reported.
        if let Some((symbol @ Symbol::Later(_), span)) = self.symbols.get_mut(&name.text)
            && *span == name.span
        {
            *symbol = Symbol::Node(node);
        }
    }

    /// Enters the namespace of the file of `span`, and returns the previous one.
    pub(in crate::rules) fn enter(&mut self, span: Span) -> String {
        let space = self.spaces.get(&span.source).cloned().unwrap_or_default();
        std::mem::replace(&mut self.space, space)
    }

    /// Returns to a namespace.
    pub(in crate::rules) fn leave(&mut self, before: String) {
        self.space = before;
    }

    /// Resolves a name as written here to the whole name: in its own namespace first, then outwards to the common one.
    pub(in crate::rules) fn whole_name(&self, name: &str, known: impl Fn(&str) -> bool) -> Option<String> {
        let mut space = self.space.as_str();
        while !space.is_empty() {
            let whole = format!("{space}.{name}");
            if known(&whole) {
                return Some(whole);
            }
            space = space.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
        known(name).then(|| name.to_owned())
    }

    /// The symbol of a name as written here.
    pub(in crate::rules) fn symbol(&self, name: &str) -> Option<&Symbol> {
        let whole = self.whole_name(name, |whole| self.symbols.contains_key(whole))?;
        self.symbols.get(&whole).map(|(symbol, _)| symbol)
    }

    pub(in crate::rules) fn knows_name(&self, name: &str) -> bool {
        self.whole_name(name, |whole| self.symbols.contains_key(whole)).is_some()
    }

    pub(in crate::rules) fn knows_parameter(&self, name: &str) -> bool {
        self.whole_name(name, |whole| self.parameters.contains_key(whole)).is_some()
    }

    pub(in crate::rules) fn at_least(&mut self, typed: Typed, grain: Grain) -> NodeId {
        if typed.grain < grain { self.spread(typed.node, grain) } else { typed.node }
    }

    /// Spreads a node to every row of `grain`.
    pub(in crate::rules) fn spread(&mut self, node: NodeId, grain: Grain) -> NodeId {
        let ty = self.graph.node(node).ty;
        self.graph.add(Op::Spread, vec![node], ty, grain)
    }

    pub(in crate::rules) fn typed(&self, node: NodeId) -> Typed {
        let found = self.graph.node(node);
        Typed { node, ty: found.ty, grain: found.grain, bare: None }
    }

    pub(in crate::rules) fn literal(&mut self, value: Value, ty: Type) -> Typed {
        let op = match value {
            Value::Int(value) => Some(Op::Int(value)),
            Value::Rational(value) => Some(Op::Rational(value)),
            Value::Boolean(value) => Some(Op::Boolean(value)),
            Value::Text(value) => Some(Op::Text(value)),
            Value::List(_) | Value::Entry(_) | Value::Float(_) => None,
        };
        // Numbers in rule files are exact, and there is no syntax for a literal list.
        let op = op.expect("INVARIANT: a literal is neither a list nor a float");
        let node = self.graph.add(op, Vec::new(), ty, Grain::Constant);
        self.typed(node)
    }

    /// No value of this type.
    pub(in crate::rules) fn unknown(&mut self, ty: Type) -> Typed {
        let node = self.graph.add(Op::Unknown, Vec::new(), ty, Grain::Constant);
        self.typed(node)
    }

    /// Resolves a name to its node.
    pub(in crate::rules) fn name(&mut self, name: &str, span: Span, context: ExpressionContext) -> Checked<Typed> {
        let Some(symbol) = self.symbol(name).cloned() else {
            return self.unknown_name(name, span);
        };
        let node = match symbol {
            Symbol::Column(column, ty) => self.graph.add(Op::Column(column), vec![], ty, Grain::Transaction),
            Symbol::GroupColumn(group, column, ty) => {
                if group == Group::Stream {
                    self.looks_at_streams();
                }
                self.graph.add(Op::GroupColumn(column), vec![], ty, Grain::Group(group))
            }
            Symbol::Fact(fact, ty) => {
                let node = self.graph.add(Op::Fact(fact), vec![], ty, Grain::Statement);
                self.texts.extend(texts_of_fact(fact).map(|texts| (node, texts)));
                node
            }
            Symbol::Definition(index) => self.definition(index)?,
            Symbol::Input(index) => {
                let ty = self.inputs[index].ty;
                self.graph.add(Op::Input(index), vec![], ty, Grain::Statement)
            }
            Symbol::Entry(index, field) => {
                let ty = field.map_or(Type::COUNT, |field| self.inputs[index].fields[field].ty);
                self.graph.add(Op::Entry(index, field), vec![], ty, Grain::Entry(index))
            }
            // Part of a cycle, which was reported at its beginning.
            Symbol::Later(_) if self.diagnostics.iter().any(|found| found.code == "cycle") => return Err(Reported),
            Symbol::Later(_) => {
                let message = format!("`{name}` depends on itself");
                let help = "a table cannot use its own outputs, also not through other values";
                return self.report(Diagnostic::error("cycle", span, message).help(help));
            }
            Symbol::Node(node) => node,
        };
        let typed = self.typed(node);
        if !context.in_aggregate && !typed.grain.serves(context.target) {
            let each = typed.grain.word();
            let message =
                format!("`{name}` has one value per {each}, but one per {} is needed here", context.target.word());
            let help = match typed.ty {
                Type::BOOLEAN => format!("count the rows: COUNT(*) FILTER (WHERE {name})"),
                Type::TEXT => format!("count the matching rows: COUNT(*) FILTER (WHERE {name} LIKE '%...%') > 0"),
                _ => format!("aggregate it, such as SUM({name}) or MAX({name})"),
            };
            return self.report(Diagnostic::error("grain", span, message).help(help));
        }
        Ok(self.by_record(typed, context))
    }

    /// The grain of a name; the statement if the name is unknown.
    pub(in crate::rules) fn grain_of_name(&self, name: &str) -> Grain {
        self.symbol(name).map_or(Grain::Statement, |symbol| self.kind_of(symbol).1)
    }

    /// Spreads a value of counterparties or streams to records, if the context evaluates record by record.
    pub(in crate::rules) fn by_record(&mut self, typed: Typed, context: ExpressionContext) -> Typed {
        let by_record = context.by_record || (context.target == Grain::Transaction && !context.in_aggregate);
        if by_record && matches!(typed.grain, Grain::Group(group) if !group.is_ordered()) {
            let spread = self.spread(typed.node, Grain::Transaction);
            return self.typed(spread);
        }
        typed
    }

    pub(in crate::rules) fn unknown_name(&mut self, name: &str, span: Span) -> Checked<Typed> {
        let is_parameter = self.whole_name(name, |whole| self.parameters.contains_key(whole)).is_some();
        let near = self.nearest(name, self.symbols.keys()).map(str::to_owned).filter(|_| !is_parameter);
        let (help, meant) = match (is_parameter, near) {
            (true, _) => (format!("a parameter is written `${name}`"), Some(format!("${name}"))),
            (false, Some(near)) => (format!("did you mean `{near}`?"), Some(near)),
            (false, None) => ("define it under [transaction], [metric] or a group such as [month]".to_owned(), None),
        };
        let message = format!("unknown name `{name}`");
        let wrong = Diagnostic::error("unknown-name", span, message).label("not known").help(help);
        self.report(wrong.meant(name, meant))
    }

    /// Gives a bare number the unit of its other operand: money in major units, whole days, or a plain number.
    pub(in crate::rules) fn adapt(&mut self, typed: Typed, unit: Unit, span: Span) -> Checked<Typed> {
        let Some(digits) = typed.bare.clone() else { return Ok(typed) };
        match unit {
            Unit::Money => match amounts::minor(self.currency, &digits) {
                Ok(minor) => Ok(self.literal(Value::Int(minor), Type::MONEY)),
                Err(message) => self.report(Diagnostic::error("money", span, message)),
            },
            Unit::Days | Unit::Months | Unit::Count if typed.ty.repr == Repr::Int => {
                let Op::Int(value) = self.graph.node(typed.node).op else { return Ok(typed) };
                Ok(self.literal(Value::Int(value), Type { unit, repr: Repr::Int }))
            }
            Unit::Days | Unit::Months | Unit::Ratio | Unit::Number | Unit::Count => {
                let ty = Type { unit, repr: typed.ty.repr };
                match Rational::parse(&digits).filter(|_| typed.ty.repr == Repr::Rational) {
                    Some(value) => Ok(self.literal(Value::Rational(value), ty)),
                    None => Ok(Typed { bare: None, ..typed }),
                }
            }
            _ => Ok(typed),
        }
    }

    /// Notes the use of a value's name, as written here.
    pub(in crate::rules) fn note_name(&mut self, name: &str, span: Span) {
        if let Some(whole) = self.whole_name(name, |whole| self.symbols.contains_key(whole)) {
            self.used(Sort::Value, &whole, span);
        }
    }

    /// Notes the use of a name, for editors and for explanations of the expression.
    pub(in crate::rules) fn used(&mut self, sort: Sort, name: &str, span: Span) {
        self.names.used(sort, name, span);
        self.references.note(sort, name);
    }

    /// Completes the names after everything was checked.
    pub(in crate::rules) fn complete_names(&mut self) {
        let mut names = std::mem::take(&mut self.names);
        for (name, (symbol, span)) in &self.symbols {
            let (ty, grain) = self.kind_of(symbol);
            let span = (*span != Span::default()).then_some(*span);
            let texts = self.texts_of(symbol);
            names.defined.push(Named { sort: Sort::Value, name: name.clone(), span, ty, grain, texts });
        }
        for (place, span) in &self.first_places {
            let (sort, name) = match (place.strip_prefix('$'), place.strip_prefix("mentions ")) {
                (Some(name), _) => (Sort::Parameter, name),
                (_, Some(name)) => (Sort::Words, name),
                _ => continue,
            };
            let known = self.parameters.get(name).filter(|_| sort == Sort::Parameter);
            let ty = known.map(|(Known::Constant(_, ty) | Known::Dated(_, ty) | Known::Anywhere(_, _, ty))| *ty);
            let (name, span, texts) = (name.to_owned(), Some(*span), Vec::new());
            names.defined.push(Named { sort, name, span, ty, grain: Grain::Constant, texts });
        }
        names.spaces = self.spaces.clone();
        names.sort();
        self.names = names;
    }

    /// Every text that a value may be, if they are known.
    fn texts_of(&self, symbol: &Symbol) -> Vec<String> {
        let of_node = |node: NodeId| self.texts.get(&node).cloned();
        let texts = match symbol {
            Symbol::Fact(fact, _) => texts_of_fact(*fact),
            Symbol::Node(node) => of_node(*node),
            Symbol::Definition(index) => self.definitions.node(*index).and_then(of_node),
            _ => None,
        };
        texts.into_iter().flatten().collect()
    }

    pub(in crate::rules) fn kind_of(&self, symbol: &Symbol) -> (Option<Type>, Grain) {
        let of_node = |node: NodeId| {
            let node = self.graph.node(node);
            (Some(node.ty), node.grain)
        };
        match symbol {
            Symbol::Column(_, ty) => (Some(*ty), Grain::Transaction),
            Symbol::GroupColumn(group, _, ty) => (Some(*ty), Grain::Group(*group)),
            Symbol::Fact(_, ty) => (Some(*ty), Grain::Statement),
            Symbol::Input(index) => (Some(self.inputs[*index].ty), Grain::Statement),
            Symbol::Entry(index, field) => {
                let ty = field.map_or(Type::COUNT, |field| self.inputs[*index].fields[field].ty);
                (Some(ty), Grain::Entry(*index))
            }
            Symbol::Later(_) => (None, Grain::Statement),
            Symbol::Node(node) => of_node(*node),
            Symbol::Definition(index) => match self.definitions.node(*index) {
                Some(node) => of_node(node),
                None => (None, self.definitions.grain(*index)),
            },
        }
    }

    /// Collects the names that an expression itself refers to, without those of its definitions.
    pub(in crate::rules) fn collecting_references<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (T, References) {
        let outer = std::mem::take(&mut self.references);
        let checked = check(self);
        (checked, std::mem::replace(&mut self.references, outer))
    }

    /// Checks an expression and keeps its text.
    pub(in crate::rules) fn written<T>(
        &mut self,
        text: &Text,
        check: impl FnOnce(&mut Self, &Text) -> Checked<T>,
        node: impl FnOnce(&T) -> NodeId,
    ) -> Checked<(T, Expression)> {
        let (checked, references) = self.collecting_references(|checker| check(checker, text));
        let checked = checked?;
        let node = node(&checked);
        Ok((checked, Expression { text: on_one_line(text.value()), references, node }))
    }
}

/// The possible texts of a fact, if it is one of a few.
fn texts_of_fact(fact: Fact) -> Option<std::collections::BTreeSet<String>> {
    match fact {
        Fact::BalanceVerdict => Some(BALANCE_VERDICTS.map(str::to_owned).into()),
        _ => None,
    }
}
