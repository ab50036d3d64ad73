//! The names of values that an expression mentions. Resolves none of them.

use super::ast::{Call, Expr, Kind};

/// Every name of a value in an expression, from left to right.
pub(in crate::rules) fn mentioned_names(expr: &Expr, visit: &mut impl FnMut(&str)) {
    match &expr.kind {
        Kind::Name(name) => visit(name),
        Kind::Qualified(space, name) => visit(&format!("{space}.{name}")),
        Kind::Unary(_, inner) | Kind::IsNull(inner) | Kind::IsBoolean(inner, _) | Kind::Like(inner, ..) => {
            mentioned_names(inner, visit)
        }
        Kind::Binary(_, left, right) => [left, right].into_iter().for_each(|part| mentioned_names(part, visit)),
        Kind::In(value, list) => std::iter::once(&**value).chain(list).for_each(|part| mentioned_names(part, visit)),
        Kind::Case(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(condition, result)| [condition, result]);
            arms.chain(otherwise.as_deref()).for_each(|part| mentioned_names(part, visit));
        }
        Kind::Call(call) => names_in_call(call, visit),
        Kind::Parameter(_) | Kind::Number(_) | Kind::Text(_) | Kind::Boolean(_) | Kind::Null => {}
        Kind::Date(_) | Kind::Time(_) | Kind::Timestamp(_) | Kind::Interval(_) => {}
    }
}

fn names_in_call(call: &Call, visit: &mut impl FnMut(&str)) {
    match call.name.as_str() {
        // It takes the name of a word list.
        "mentioned" | "mentions" | "named" => return,
        "within" => visit("trans_date"),
        _ => {}
    }
    call.args.iter().chain(call.filter.as_deref()).for_each(|part| mentioned_names(part, visit));
}
