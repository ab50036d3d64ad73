//! Declares `[request]`, `[bureau]` and `[own]`, the inputs given with the statement.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::symbols::input_list::InputList;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::Symbol;
use crate::rules::check::symbols::symbol_table::SymbolTable;
use crate::rules::program::inputs::{EntryField, Input, InputSource};
use crate::rules::syntax::file::RuleFile;
use crate::rules::syntax::front::InputKind;
use crate::rules::syntax::source::{Name, Text};
use crate::rules::types::{Repr, Type};

/// Fields of every request. The policy cannot declare fields with these names.
const TAKEN: [&str; 5] = ["as_of", "customer", "bureau", "own", "given"];

/// Declares all inputs. Several files may declare the same input if their declarations agree.
pub(in crate::rules) fn declare_inputs(
    inputs: &mut InputList,
    symbols: &mut SymbolTable,
    mistakes: &mut Mistakes,
    files: &[RuleFile],
) {
    for written in files.iter().flat_map(|file| &file.inputs) {
        let types = Type::declarable();
        let types: Vec<(&str, Type)> = types.iter().map(|(word, ty)| (word.as_str(), *ty)).collect();
        let doc = |doc: &Option<Text>| doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default();
        let (ty, fields) = match &written.kind {
            InputKind::Value(kind) => (mistakes.read_word(Some(kind), &types, Type::NUMBER), Vec::new()),
            InputKind::Entries(fields) => {
                let field = |(name, kind, about): &(Name, Text, Option<Text>)| EntryField {
                    name: name.text.clone(),
                    ty: mistakes.read_word(Some(kind), &types, Type::NUMBER),
                    doc: doc(about),
                };
                (Type::COUNT.with(Repr::List), fields.iter().map(field).collect())
            }
        };
        let input = Input {
            source: written.source,
            name: written.name.text.clone(),
            ty,
            fields,
            required: written.required,
            doc: doc(&written.doc),
            column: written.column.as_ref().map(|column| column.value().to_owned()),
        };
        if written.source == InputSource::Request && TAKEN.contains(&input.name.as_str()) {
            let message = format!("`{}` is already part of every request", input.name);
            let help = "give the field another name; `as_of` needs no declaration";
            mistakes.push(Diagnostic::error("shadowing", written.name.span, message).help(help));
            continue;
        }
        let path = input.path();
        let first = symbols.place_of(&path).map(|span| span.source);
        if inputs.has_same(&input) && first.is_some_and(|first| first != written.name.span.source) {
            continue;
        }
        let index = inputs.next_index();
        let symbol = if input.fields.is_empty() { Symbol::Input(index) } else { Symbol::Entry(index, None) };
        symbols.declare(mistakes, &Name { text: path.clone(), span: written.name.span }, symbol);
        if let InputKind::Entries(fields) = &written.kind {
            for (at, (name, ..)) in fields.iter().enumerate() {
                let text = format!("{path}.{}", name.text);
                symbols.declare(mistakes, &Name { text, span: name.span }, Symbol::Entry(index, Some(at)));
            }
        }
        inputs.add(input);
    }
}
