//! Checks `in_list`, which asks whether a value is on a list of keys. Evaluates nothing.

use crate::base::diagnostic::{Diagnostic, nearest_candidate};
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::arguments::{CheckArguments, check_argument_count};
use crate::rules::check::operands::align::add;
use crate::rules::check::operands::letter_case::is_in_lower_case;
use crate::rules::check::symbols::symbol::{Checked, ExpressionContext, Reported, Typed};
use crate::rules::graph::{Fact, Grain, Op};
use crate::rules::names::Sort;
use crate::rules::syntax::ast::{Call, ExprKind};
use crate::rules::types::{Repr, Type, describe_type};

/// `in_list(blocked, request.phone)`: whether a text or a whole number is a key of the list.
pub(in crate::rules) fn in_list(checker: &mut Checker, call: &Call, context: ExpressionContext) -> Checked<Typed> {
    check_argument_count(&mut checker.mistakes, call, 2..=2, "the name of a list and a value")?;
    let list = find_list(checker, call);
    let value = checker.check_argument(&call.args[1], context)?;
    // Its mistake was reported, and the value has been checked all the same.
    let list = list?;
    let span = call.args[1].span;
    let is_whole = value.ty.repr == Repr::Int && value.ty.unit.is_plain();
    if value.ty != Type::TEXT && !is_whole {
        let message = format!("a list has texts or whole numbers, but this is {}", describe_type(value.ty));
        return checker.mistakes.report(Diagnostic::error("type", span, message));
    }
    let (name, keys) = (checker.lists.get(list).name.clone(), checker.lists.get(list).keys.clone());
    if let Some(line) = keys.first_text().filter(|_| is_whole) {
        let message = format!("this is a whole number, but the key in line {line} of `{name}` is written otherwise");
        let help = "compare a text: declare the field as text, or write text_of(...)";
        return checker.mistakes.report(Diagnostic::error("list", span, message).help(help));
    }
    if let Some(line) = keys.first_capital().filter(|_| is_in_lower_case(&checker.nodes, value.node)) {
        let message = format!("the text is always in lower case, but the key in line {line} of `{name}` is not");
        let help = format!("write ignore_case = true under [list.{name}]");
        checker.mistakes.push(Diagnostic::warning("never-said", span, message).label("never").help(help));
    }
    let mut inputs = vec![value];
    if keys.has_days() {
        let day = checker.nodes.add(Op::Fact(Fact::AsOf), vec![], Type::DATE, Grain::Statement);
        inputs.push(checker.nodes.typed(day));
    }
    Ok(add(&mut checker.nodes, Op::InList(list), &inputs, Type::BOOLEAN))
}

/// The list that a call names.
fn find_list(checker: &mut Checker, call: &Call) -> Checked<usize> {
    let span = call.args[0].span;
    let written = match &call.args[0].kind {
        ExprKind::Name(list) => list.clone(),
        ExprKind::Qualified(space, list) => format!("{space}.{list}"),
        _ => {
            let wrong = Diagnostic::error("type", span, "`in_list` takes the name of a list first");
            return checker.mistakes.report(wrong.help("such as in_list(blocked, request.phone)"));
        }
    };
    let whole = checker.lists.resolve(&checker.spaces, &written);
    let list = whole.clone().unwrap_or_else(|| written.clone());
    checker.lists.note_used(&list);
    checker.uses.note(Sort::List, &list, span);
    if whole.is_some() {
        // Without keys it has a mistake, which was reported.
        return checker.lists.find(&list).ok_or(Reported);
    }
    let near = nearest_candidate(&list, checker.lists.places().map(|(name, _)| name.as_str())).map(str::to_owned);
    let help = match &near {
        Some(near) => format!("did you mean `{near}`?"),
        None if checker.words.resolve(&checker.spaces, &written).is_some() => {
            format!("`{written}` is a word list: mentions({written}) looks for its words")
        }
        None => format!("define it: [list.{list}] file = \"{list}.csv\""),
    };
    let wrong = Diagnostic::error("unknown-list", span, format!("unknown list `{list}`")).label("not known").help(help);
    checker.mistakes.report(wrong.meant(&list, near))
}
