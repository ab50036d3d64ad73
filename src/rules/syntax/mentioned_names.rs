//! The names of values that an expression mentions. Resolves none of them.

use super::ast::{Call, Expr, ExprKind};

/// Every name of a value in an expression, from left to right.
pub(in crate::rules) fn mentioned_names(expr: &Expr, visit: &mut impl FnMut(&str)) {
    match &expr.kind {
        ExprKind::Name(name) => visit(name),
        ExprKind::Qualified(space, name) => visit(&format!("{space}.{name}")),
        ExprKind::Unary(_, inner)
        | ExprKind::IsNull(inner)
        | ExprKind::IsBoolean(inner, _)
        | ExprKind::Like(inner, ..) => mentioned_names(inner, visit),
        ExprKind::Binary(_, left, right) => [left, right].into_iter().for_each(|part| mentioned_names(part, visit)),
        ExprKind::In(value, list) => {
            std::iter::once(&**value).chain(list).for_each(|part| mentioned_names(part, visit))
        }
        ExprKind::Case(arms, otherwise) => {
            let arms = arms.iter().flat_map(|(condition, result)| [condition, result]);
            arms.chain(otherwise.as_deref()).for_each(|part| mentioned_names(part, visit));
        }
        ExprKind::Call(call) => names_in_call(call, visit),
        ExprKind::Parameter(_) | ExprKind::Number(_) | ExprKind::Text(_) | ExprKind::Boolean(_) | ExprKind::Null => {}
        ExprKind::Date(_) | ExprKind::Time(_) | ExprKind::Timestamp(_) | ExprKind::Interval(_) => {}
    }
}

fn names_in_call(call: &Call, visit: &mut impl FnMut(&str)) {
    match call.name.as_str() {
        // It takes the name of a word list.
        "mentioned" | "mentions" | "named" => return,
        "within" => visit("trans_date"),
        // The first is the name of a list.
        "in_list" => return call.args.iter().skip(1).for_each(|part| mentioned_names(part, visit)),
        _ => {}
    }
    call.args.iter().chain(call.filter.as_deref()).for_each(|part| mentioned_names(part, visit));
}
