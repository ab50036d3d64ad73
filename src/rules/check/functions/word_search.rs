//! Checks `mentions`, `mentioned` and `named`, which look for the words of a list in a record.

use crate::base::diagnostic::{Diagnostic, nearest_candidate};
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::check_argument_count;
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::{Grain, Op};
use crate::rules::names::Sort;
use crate::rules::syntax::ast::{Call, ExprKind};
use crate::rules::types::Type;

/// The first word of a list that a record mentions.
pub(in crate::rules) fn mentioned(checker: &mut Checker, call: &Call) -> Checked<Typed> {
    let list = word_list(checker, call)?;
    let node = checker.nodes.add(Op::Mentioned(list), vec![], Type::TEXT, Grain::Transaction);
    Ok(checker.nodes.typed(node))
}

/// Whether a record has a word of the list that the call names. The operation decides where to look.
pub(in crate::rules) fn has_words(checker: &mut Checker, call: &Call, op: fn(usize) -> Op) -> Checked<Typed> {
    let list = word_list(checker, call)?;
    let node = checker.nodes.add(op(list), vec![], Type::BOOLEAN, Grain::Transaction);
    Ok(checker.nodes.typed(node))
}

/// The word list that a call names.
fn word_list(checker: &mut Checker, call: &Call) -> Checked<usize> {
    check_argument_count(&mut checker.mistakes, call, 1..=1, "the name of one word list")?;
    let list = match &call.args[0].kind {
        ExprKind::Name(list) => list.clone(),
        ExprKind::Qualified(space, list) => format!("{space}.{list}"),
        _ => {
            let message = format!("`{}` takes the name of a word list", call.name);
            let diagnostic = Diagnostic::error("type", call.args[0].span, message);
            return checker.mistakes.report(diagnostic.help(format!("such as {}(salary)", call.name)));
        }
    };
    let list = checker.words.resolve(&checker.spaces, &list).unwrap_or(list);
    checker.words.note_used(&list);
    checker.uses.note(Sort::Words, &list, call.args[0].span);
    let Some(index) = checker.words.find(&list) else {
        let near = nearest_candidate(&list, checker.words.names());
        let help =
            near.map_or(format!("define it: [words] {list} = [\"...\"]"), |near| format!("did you mean `{near}`?"));
        let message = format!("unknown word list `{list}`");
        let diagnostic = Diagnostic::error("unknown-words", call.args[0].span, message).meant(&list, near);
        return checker.mistakes.report(diagnostic.label("not known").help(help));
    };
    Ok(index)
}
