//! Warns about unused parameters, word lists and lists of keys, which are usually slips.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::declarations::narration_lists::narration_list;
use crate::rules::check::symbols::key_lists::KeyLists;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::parameter_list::Parameters;
use crate::rules::check::symbols::word_list::WordLists;
use crate::rules::syntax::file::{RuleFile, WordList, WrittenList};
use crate::rules::syntax::source::Name;

/// Looks at the policy's own file, which is the last one.
pub(in crate::rules) fn warn_of_unused(
    mistakes: &mut Mistakes,
    parameters: &Parameters,
    words: &WordLists,
    lists: &KeyLists,
    files: &[RuleFile],
) {
    let Some(main) = files.last() else { return };
    let mut warn = |kind: &str, name: &Name, sign: &str| {
        let message = format!("the {kind} `{sign}{}` is never used", name.text);
        mistakes.push(Diagnostic::warning("unused", name.span, message).help("use it or delete it"));
    };
    for parameter in &main.parameters {
        // An override of nothing was reported.
        let is_there = !parameter.overrides || parameters.is_declared(&parameter.name.text);
        if is_there && !parameters.was_used(&parameter.name.text) {
            warn("parameter", &parameter.name, "$");
        }
    }
    for WordList { name, .. } in &main.words {
        if !words.was_used(&name.text) && narration_list(&name.text).is_none() {
            warn("word list", name, "");
        }
    }
    for WrittenList { name, .. } in &main.lists {
        if !lists.was_used(&name.text) {
            warn("list", name, "");
        }
    }
}
