//! The parts of the checker together, for expressions and for what is made of them. A check that needs one part takes
//! that part.

use std::collections::{BTreeSet, HashMap};

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::operands::Operands;
use crate::rules::check::operands::constant::Constants;
use crate::rules::check::symbols::definition_list::Definitions;
use crate::rules::check::symbols::input_list::InputList;
use crate::rules::check::symbols::key_lists::KeyLists;
use crate::rules::check::symbols::kind_list::KindList;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::check::symbols::nodes::{Nodes, texts_of_fact};
use crate::rules::check::symbols::parameter_list::Parameters;
use crate::rules::check::symbols::symbol::{Checked, Symbol};
use crate::rules::check::symbols::symbol_table::SymbolTable;
use crate::rules::check::symbols::terms::PolicyTerms;
use crate::rules::check::symbols::uses::Uses;
use crate::rules::check::symbols::word_list::WordLists;
use crate::rules::graph::{Grain, NodeId};
use crate::rules::names::{NamedSymbol, Sort};
use crate::rules::parameter_variant::ParameterVariant;
use crate::rules::references::{Expression, References, on_one_line};
use crate::rules::syntax::source::Text;
use crate::rules::types::Type;

/// The parts. Each one's fields are its own; several may be borrowed at once.
pub(in crate::rules) struct Checker<'a> {
    pub terms: PolicyTerms,
    pub mistakes: Mistakes<'a>,
    pub spaces: Namespaces,
    pub symbols: SymbolTable,
    pub parameters: Parameters,
    pub words: WordLists,
    pub lists: KeyLists,
    pub inputs: InputList,
    pub kinds: KindList,
    pub definitions: Definitions,
    pub nodes: Nodes,
    pub uses: Uses,
}

impl<'a> Checker<'a> {
    pub(in crate::rules) fn new(
        terms: PolicyTerms,
        spaces: HashMap<u32, String>,
        variant: ParameterVariant,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> Self {
        Self {
            terms,
            mistakes: Mistakes::new(diagnostics),
            spaces: Namespaces::new(spaces),
            symbols: SymbolTable::new(),
            parameters: Parameters::new(variant),
            words: WordLists::default(),
            lists: KeyLists::default(),
            inputs: InputList::default(),
            kinds: KindList::default(),
            definitions: Definitions::default(),
            nodes: Nodes::default(),
            uses: Uses::default(),
        }
    }

    /// The parts that bring operands together.
    pub(in crate::rules) fn operands(&mut self) -> Operands<'_, 'a> {
        Operands { nodes: &mut self.nodes, mistakes: &mut self.mistakes, currency: self.terms.currency() }
    }

    /// The parts that read a constant.
    pub(in crate::rules) fn constants(&self) -> Constants<'_> {
        Constants { parameters: &self.parameters, spaces: &self.spaces, currency: self.terms.currency(), beside: None }
    }

    /// The symbol of a name as written here.
    pub(in crate::rules) fn find_symbol(&self, name: &str) -> Option<&Symbol> {
        self.symbols.find(&self.spaces, name)
    }

    pub(in crate::rules) fn knows_name(&self, name: &str) -> bool {
        self.symbols.resolve(&self.spaces, name).is_some()
    }

    pub(in crate::rules) fn knows_parameter(&self, name: &str) -> bool {
        self.parameters.resolve(&self.spaces, name).is_some()
    }

    /// The type and the grain of a symbol; no type if it is not checked yet or has a mistake.
    pub(in crate::rules) fn kind_of(&self, symbol: &Symbol) -> (Option<Type>, Grain) {
        let of_node = |node: NodeId| {
            let node = self.nodes.node(node);
            (Some(node.ty), node.grain)
        };
        match symbol {
            Symbol::Column(_, ty) => (Some(*ty), Grain::Transaction),
            Symbol::GroupColumn(group, _, ty) => (Some(*ty), Grain::Group(*group)),
            Symbol::Fact(_, ty) => (Some(*ty), Grain::Statement),
            Symbol::Input(index) => (Some(self.inputs.type_of(*index)), Grain::Statement),
            Symbol::Entry(index, field) => (Some(self.inputs.type_of_entry(*index, *field)), Grain::Entry(*index)),
            Symbol::Later(_) => (None, Grain::Statement),
            Symbol::Node(node) => of_node(*node),
            Symbol::Definition(index) => match self.definitions.node(*index) {
                Some(node) => of_node(node),
                None => (None, self.definitions.grain(*index)),
            },
        }
    }

    /// The grain of a name; the statement if the name is unknown.
    pub(in crate::rules) fn grain_of_name(&self, name: &str) -> Grain {
        self.find_symbol(name).map_or(Grain::Statement, |symbol| self.kind_of(symbol).1)
    }

    /// Every text that a value may be, if they are known.
    fn texts_of(&self, symbol: &Symbol) -> Vec<String> {
        let of_node = |node: NodeId| self.nodes.texts_of(node).cloned();
        let texts: Option<BTreeSet<String>> = match symbol {
            Symbol::Fact(fact, _) => texts_of_fact(*fact),
            Symbol::Node(node) => of_node(*node),
            Symbol::Definition(index) => self.definitions.node(*index).and_then(of_node),
            _ => None,
        };
        texts.into_iter().flatten().collect()
    }

    /// Notes the use of a value's name, as written here.
    pub(in crate::rules) fn note_name(&mut self, name: &str, span: Span) {
        if let Some(whole) = self.symbols.resolve(&self.spaces, name) {
            self.uses.note(Sort::Value, &whole, span);
        }
    }

    /// Completes the names after everything was checked.
    pub(in crate::rules) fn complete_names(&mut self) {
        let values = self.symbols.iter().map(|(name, symbol, span)| {
            let (ty, grain) = self.kind_of(symbol);
            let span = (span != Span::default()).then_some(span);
            NamedSymbol { sort: Sort::Value, name: name.clone(), span, ty, grain, texts: self.texts_of(symbol) }
        });
        let constant = |sort, name: &String, span, ty| {
            let (name, span, texts) = (name.clone(), Some(span), Vec::new());
            NamedSymbol { sort, name, span, ty, grain: Grain::Constant, texts }
        };
        let parameters = self.parameters.places();
        let parameters =
            parameters.map(|(name, span)| constant(Sort::Parameter, name, span, self.parameters.type_of(name)));
        let words = self.words.places().map(|(name, span)| constant(Sort::Words, name, span, None));
        let lists = self.lists.places().map(|(name, span)| constant(Sort::List, name, span, None));
        let defined: Vec<NamedSymbol> = values.chain(parameters).chain(words).chain(lists).collect();
        self.uses.complete(defined, self.spaces.of_sources().clone());
    }

    /// Collects the names that an expression itself refers to, without those of its definitions.
    pub(in crate::rules) fn collecting_references<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> (T, References) {
        let outer = self.uses.begin_expression();
        let checked = check(self);
        (checked, self.uses.end_expression(outer))
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
