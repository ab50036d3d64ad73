//! Resolves a name in an expression to its node, and reports unknown names and parameters. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::built_in::OFFER_NAMES;
use crate::rules::check::symbols::input_list::InputList;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Known, Reported, Symbol, Typed};
use crate::rules::graph::{Fact, Grain, Group, GroupColumn, NodeId, Op, STREAM_PERIODS, StreamColumn};
use crate::rules::names::Sort;
use crate::rules::types::Type;

impl Checker<'_> {
    /// Resolves a name to its node.
    pub(in crate::rules) fn name(&mut self, name: &str, span: Span, context: ExpressionContext) -> Checked<Typed> {
        let Some(symbol) = self.find_symbol(name).cloned() else {
            return self.unknown_name(name, span);
        };
        let node = self.node_of(name, &symbol, span)?;
        let typed = self.nodes.typed(node);
        if !context.in_aggregate && !typed.grain.serves(context.target) {
            let each = typed.grain.word();
            let message =
                format!("`{name}` has one value per {each}, but one per {} is needed here", context.target.word());
            let help = match typed.ty {
                Type::BOOLEAN => format!("count the rows: COUNT(*) FILTER (WHERE {name})"),
                Type::TEXT => format!("count the matching rows: COUNT(*) FILTER (WHERE {name} LIKE '%...%') > 0"),
                ty if ty.unit.is_place_in_time() => format!("aggregate it, such as MAX({name}) for the last one"),
                _ if name == OFTEN_OF_LENDERS => {
                    let own = declare_own_column(name, "number");
                    format!(
                        "aggregate it, such as SUM({name}) or MAX({name}); or for a column of your own table, {own}"
                    )
                }
                _ => format!("aggregate it, such as SUM({name}) or MAX({name})"),
            };
            return self.mistakes.report(Diagnostic::error("grain", span, message).help(help));
        }
        Ok(self.nodes.by_record(typed, context))
    }

    /// The node of a symbol, which checks a definition first if needed.
    fn node_of(&mut self, name: &str, symbol: &Symbol, span: Span) -> Checked<NodeId> {
        let nodes = &mut self.nodes;
        Ok(match *symbol {
            Symbol::Column(column, ty) => nodes.add(Op::Column(column), vec![], ty, Grain::Transaction),
            Symbol::GroupColumn(group, column, ty) => {
                if group == Group::Stream {
                    self.parameters.note_streams(&mut self.uses);
                }
                let node = nodes.add(Op::GroupColumn(column), vec![], ty, Grain::Group(group));
                let is_period = column == GroupColumn::Stream(StreamColumn::Period);
                nodes.note_texts(node, is_period.then(|| STREAM_PERIODS.map(str::to_owned).into()));
                node
            }
            Symbol::Fact(fact, ty) => nodes.fact(fact, ty),
            Symbol::Definition(index) => self.definition(index)?,
            Symbol::Input(index) => nodes.add(Op::Input(index), vec![], self.inputs.type_of(index), Grain::Statement),
            Symbol::Entry(index, field) => {
                let ty = self.inputs.type_of_entry(index, field);
                nodes.add(Op::Entry(index, field), vec![], ty, Grain::Entry(index))
            }
            // Part of a cycle, which was reported at its beginning.
            Symbol::Later(_) if self.mistakes.has_cycle() => return Err(Reported),
            Symbol::Later(_) => {
                let message = format!("`{name}` depends on itself");
                let help = "a table cannot use its own outputs, also not through other values";
                return self.mistakes.report(Diagnostic::error("cycle", span, message).help(help));
            }
            Symbol::Node(node) => node,
        })
    }

    fn unknown_name(&mut self, name: &str, span: Span) -> Checked<Typed> {
        let is_parameter = self.knows_parameter(name);
        let near = self.mistakes.nearest_name(name, self.symbols.names()).map(str::to_owned).filter(|_| !is_parameter);
        let (help, meant) = match (is_parameter, near) {
            (true, _) => (format!("a parameter is written `${name}`"), Some(format!("${name}"))),
            (false, Some(near)) => (format!("did you mean `{near}`?"), Some(near)),
            (false, None) if OFFER_NAMES.contains(&name) => {
                let own = declare_own_column(name, "money");
                (format!("it is known in offers only; for a column of your own table, {own}"), None)
            }
            (false, None) => ("define it under [transaction], [metric] or a group such as [month]".to_owned(), None),
        };
        let message = format!("unknown name `{name}`");
        let wrong = Diagnostic::error("unknown-name", span, message).label("not known").help(help);
        self.mistakes.report(wrong.meant(name, meant))
    }
}

/// The column of records that tables of lenders often have, too, with one value for each customer.
const OFTEN_OF_LENDERS: &str = "balance";

/// How a column of a lender's table becomes a metric with a free name.
fn declare_own_column(name: &str, unit: &str) -> String {
    format!("declare the metric own_{name} = {{ given = \"{unit}\", column = \"{name}\" }}")
}

pub(in crate::rules) fn parameter(checker: &mut Checker, name: &str, span: Span) -> Checked<Typed> {
    let parameters = &checker.parameters;
    let Some(whole) = checker.spaces.whole_name(name, |whole| parameters.is_declared(whole)) else {
        let near = checker.mistakes.nearest_name(name, parameters.names());
        let near = near.map(|near| format!("${near}"));
        let help =
            near.as_ref().map_or("define it under [parameters]".to_string(), |near| format!("did you mean `{near}`?"));
        let message = format!("unknown parameter `${name}`");
        let wrong = Diagnostic::error("unknown-parameter", span, message).label("not known").help(help);
        return checker.mistakes.report(wrong.meant(&format!("${name}"), near));
    };
    let found = checker.parameters.get(&whole).cloned();
    checker.uses.note(Sort::Parameter, &whole, span);
    checker.parameters.note_used(&whole);
    match found {
        Some(Known::Constant(value, ty)) => Ok(checker.nodes.literal(value, ty)),
        Some(Known::Dated(index, ty) | Known::Anywhere(_, index, ty)) => {
            let day = checker.nodes.add(Op::Fact(Fact::WindowEnd), vec![], Type::DATE, Grain::Statement);
            Ok(checker.nodes.add_typed(Op::Dated(index), vec![day], ty, Grain::Statement))
        }
        // Its own mistake was reported where it is defined.
        None => Err(Reported),
    }
}

/// A name with a dot: an input, or a definition of a file that is used `as` something.
pub(in crate::rules) fn qualified(
    checker: &mut Checker,
    space: &str,
    name: &str,
    span: Span,
    context: ExpressionContext,
) -> Checked<Typed> {
    let whole = format!("{space}.{name}");
    if checker.knows_name(&whole) {
        checker.note_name(&whole, span);
        return checker.name(&whole, span, context);
    }
    if checker.spaces.is_space(space) {
        return checker.unknown_name(&whole, span);
    }
    let (message, help, meant) = advise_on_field(&checker.inputs, space, name);
    let wrong = Diagnostic::error("unknown-name", span, message).label("not known").help(help);
    checker.mistakes.report(wrong.meant(&whole, meant))
}

/// What is wrong with an unknown name that has a dot, how to help, and the name that was probably meant.
fn advise_on_field(inputs: &InputList, space: &str, name: &str) -> (String, String, Option<String>) {
    match space {
        "request" | "bureau" | "own" => {
            let fields = inputs.all().iter().filter(|input| input.source.word() == space);
            let near = nearest_candidate(name, fields.map(|input| input.name.as_str()));
            let near = near.map(|near| format!("{space}.{near}"));
            let help = near
                .as_ref()
                .map_or(format!("declare it: [{space}] {name} = \"money\""), |near| format!("did you mean `{near}`?"));
            (format!("unknown {space} field `{name}`"), help, near)
        }
        space if inputs.all().iter().any(|input| !input.fields.is_empty() && input.path() == space) => {
            let fields = inputs.all().iter().filter(|input| input.path() == space).flat_map(|input| &input.fields);
            let fields: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
            let near = nearest_candidate(name, fields.iter().copied()).map(|near| format!("{space}.{near}"));
            let help = near.as_ref().map(|near| format!("did you mean `{near}`?"));
            let help = help.unwrap_or_else(|| format!("its fields are {}", fields.join(", ")));
            (format!("the entries of `{space}` have no field `{name}`"), help, near)
        }
        _ => {
            let help = "a dot may follow only `request`, `bureau` or the `as` name of a used file";
            (format!("unknown name `{space}.{name}`"), help.to_owned(), None)
        }
    }
}
