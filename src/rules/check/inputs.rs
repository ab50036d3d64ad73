//! Declares `[request]` and `[bureau]`, the inputs given with the statement. Must not know values.

use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::Symbol;
use crate::rules::program::inputs::{Input, InputSource};
use crate::rules::syntax::file::RuleFile;
use crate::rules::syntax::source::{Name, word};
use crate::rules::types::Type;
use crate::words::diagnostic::Diagnostic;

/// Fields of every request. The policy cannot declare fields with these names.
const TAKEN: [&str; 3] = ["as_of", "customer", "bureau"];

/// Declares all inputs. Several files may declare the same input if their declarations agree.
pub(in crate::rules) fn declare(checker: &mut Checker, files: &[RuleFile]) {
    for written in files.iter().flat_map(|file| &file.inputs) {
        let types = Type::declarable();
        let types: Vec<(&str, Type)> = types.iter().map(|(word, ty)| (word.as_str(), *ty)).collect();
        let ty = word(Some(&written.kind), &types, Type::NUMBER, checker.diagnostics);
        let input = Input {
            source: written.source,
            name: written.name.text.clone(),
            ty,
            required: written.required,
            doc: written.doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default(),
        };
        if written.source == InputSource::Request && TAKEN.contains(&input.name.as_str()) {
            let message = format!("`{}` is already part of every request", input.name);
            let help = "give the field another name; `as_of` needs no declaration";
            checker.diagnostics.push(Diagnostic::error("shadowing", written.name.span, message).help(help));
            continue;
        }
        let path = input.path();
        let same = checker.inputs.iter().any(|known| {
            (known.source, &known.name, known.ty, known.required)
                == (input.source, &input.name, input.ty, input.required)
        });
        let first = checker.symbols.get(&path).map(|(_, span)| span.source);
        if same && first.is_some_and(|first| first != written.name.span.source) {
            continue;
        }
        checker.declare(&Name { text: path, span: written.name.span }, Symbol::Input(checker.inputs.len()));
        checker.inputs.push(input);
    }
}
