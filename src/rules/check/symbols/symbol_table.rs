//! The table of symbols: every name of a value, what it means and where it was declared.

use std::collections::HashMap;

use crate::base::diagnostic::{Diagnostic, Span};
use crate::rules::check::symbols::built_in::{OFFER_NAMES, built_in};
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::check::symbols::symbol::Symbol;
use crate::rules::graph::NodeId;
use crate::rules::syntax::identifier::{is_name, snake_case};
use crate::rules::syntax::source::Name;

/// Symbols by their whole names. The place of a built-in name is the default one.
pub(in crate::rules) struct SymbolTable {
    symbols: HashMap<String, (Symbol, Span)>,
}

impl SymbolTable {
    /// The built-in names.
    pub(in crate::rules) fn new() -> Self {
        let symbols = built_in().into_iter().map(|(name, symbol)| (name.to_owned(), (symbol, Span::default())));
        Self { symbols: symbols.collect() }
    }

    /// Declares `name`. Refuses a name that is already declared.
    pub(in crate::rules) fn declare(&mut self, mistakes: &mut Mistakes, name: &Name, symbol: Symbol) {
        if let Some((_, first)) = self.symbols.get(&name.text) {
            let built_in = *first == Span::default();
            let what = if built_in { "is built in" } else { "is already defined" };
            let message = format!("`{}` {what}", name.text);
            let diagnostic = Diagnostic::error("shadowing", name.span, message).help("give it another name");
            mistakes.push(if built_in { diagnostic } else { diagnostic.elsewhere(*first) });
            return;
        }
        refuse_reserved(mistakes, name, &OFFER_NAMES, "offers");
        if !is_name(name.text.rsplit('.').next().unwrap_or_default()) {
            let message = format!("`{}` cannot be a name", name.text);
            let help = match snake_case(&name.text) {
                Some(better) => format!("call it {better}: lower case letters, digits and _, beginning with a letter"),
                None => "use lower case letters, digits and _, beginning with a letter".to_owned(),
            };
            mistakes.push(Diagnostic::error("bad-name", name.span, message).help(help));
            // Expressions ignore case, so declare it in lower case, or each use would be another mistake.
            self.symbols.entry(name.text.to_lowercase()).or_insert((symbol.clone(), name.span));
        }
        self.symbols.insert(name.text.clone(), (symbol, name.span));
    }

    /// Declares a name that only the offer being checked knows. [`SymbolTable::forget`] removes it.
    pub(in crate::rules) fn declare_for_offer(&mut self, name: &str, node: NodeId) {
        self.symbols.insert(name.to_owned(), (Symbol::Node(node), Span::default()));
    }

    pub(in crate::rules) fn forget(&mut self, name: &str) {
        self.symbols.remove(name);
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

    /// The whole name of a name as written here.
    pub(in crate::rules) fn resolve(&self, spaces: &Namespaces, name: &str) -> Option<String> {
        spaces.whole_name(name, |whole| self.symbols.contains_key(whole))
    }

    /// The symbol of a name as written here.
    pub(in crate::rules) fn find(&self, spaces: &Namespaces, name: &str) -> Option<&Symbol> {
        let whole = self.resolve(spaces, name)?;
        self.symbols.get(&whole).map(|(symbol, _)| symbol)
    }

    /// Where a whole name was declared.
    pub(in crate::rules) fn place_of(&self, whole: &str) -> Option<Span> {
        self.symbols.get(whole).map(|(_, span)| *span)
    }

    /// Every name, built-in ones included.
    pub(in crate::rules) fn names(&self) -> impl ExactSizeIterator<Item = &String> {
        self.symbols.keys()
    }

    /// Every name with its symbol and its place.
    pub(in crate::rules) fn iter(&self) -> impl Iterator<Item = (&String, &Symbol, Span)> {
        self.symbols.iter().map(|(name, (symbol, span))| (name, symbol, *span))
    }
}

/// Refuses a name that is one of these.
pub(in crate::rules) fn refuse_reserved(mistakes: &mut Mistakes, name: &Name, names: &[&str], what: &str) {
    if names.contains(&name.text.as_str()) {
        let message = format!("`{}` is reserved for {what}", name.text);
        mistakes.push(Diagnostic::error("shadowing", name.span, message).help("give it another name"));
    }
}
