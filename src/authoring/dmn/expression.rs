//! Translates FEEL expressions into expressions of the rule language, with names resolved in a scope.

use super::feel::{Feel, Test};
use super::translate::{Scope, Translated, Translator, list_of};
use super::value::{Scalar, Ty, Val};

/// Evaluates an expression to text of the rule language.
pub(super) fn translate_expression(
    translator: &mut Translator,
    feel: &Feel,
    scope: &Scope,
    hint: &str,
) -> Translated<Val> {
    Ok(match feel {
        Feel::Number(digits) => Val::Scalar(Scalar::number(digits)),
        Feel::Text(text) => Val::Scalar(Scalar::text(text)),
        Feel::Boolean(value) => Val::Scalar(Scalar::boolean(*value)),
        Feel::Null => Val::Null,
        Feel::Name(name) => translator.named(name, scope)?,
        Feel::Part(whole, part) => return part_of(translator, whole, part, scope, hint),
        Feel::Call(name, arguments) => return translate_feel_call(translator, name, arguments, scope, hint),
        Feel::Binary(op, left, right) => {
            let (left, right) = (
                translate_expression(translator, left, scope, hint)?,
                translate_expression(translator, right, scope, hint)?,
            );
            Val::Scalar(translate_binary(op, left, right)?)
        }
        Feel::Negate(inner) => {
            let inner = expect_scalar(translate_expression(translator, inner, scope, hint)?)?;
            Val::Scalar(Scalar::made(format!("-{}", text_of_type(&inner, Ty::Number)?), Ty::Number))
        }
        Feel::If(condition, then, otherwise) => {
            let condition = expect_scalar(translate_expression(translator, condition, scope, hint)?)?;
            let condition = text_of_type(&condition, Ty::Boolean)?;
            let then = translate_expression(translator, then, scope, hint)?;
            let otherwise = translate_expression(translator, otherwise, scope, hint)?;
            translate_conditional(&condition, then, otherwise)?
        }
        Feel::List(items) => {
            let items = items.iter().map(|item| translate_expression(translator, item, scope, hint));
            Val::List(items.collect::<Translated<_>>()?)
        }
        Feel::Context(entries) => {
            let mut inner = scope.clone();
            let mut parts = Vec::new();
            for (name, entry) in entries {
                let entry = translate_expression(translator, entry, &inner, &format!("{hint} {name}"))?;
                inner.push((name.clone(), entry.clone()));
                parts.push((name.clone(), entry));
            }
            Val::Context(parts)
        }
        Feel::In(inner, tests) => {
            let inner = translate_expression(translator, inner, scope, hint)?;
            Val::Scalar(translator.tests(&inner, tests, scope)?)
        }
    })
}

fn part_of(translator: &mut Translator, whole: &Feel, part: &str, scope: &Scope, hint: &str) -> Translated<Val> {
    // A parameter may have the name of a path, and imported names have their model's name as a prefix.
    if let Feel::Name(name) = whole {
        let path = format!("{name}.{part}");
        if scope.iter().any(|(known, _)| *known == path) {
            return translator.named(&path, scope);
        }
    }
    match translate_expression(translator, whole, scope, hint)? {
        Val::Context(parts) => {
            let found = parts.into_iter().find(|(name, _)| name == part);
            match found {
                Some((_, Val::Untranslatable(why))) => Err(why),
                Some((_, value)) => Ok(value),
                None => Err(format!("there is no part `{part}`")),
            }
        }
        Val::Rows(parts) => match parts.into_iter().find(|(name, _)| name == part) {
            Some((_, list)) => Ok(Val::ListOf(list, Ty::Text)),
            None => Err(format!("there is no part `{part}`")),
        },
        Val::Scalar(date) if date.ty == Ty::Date && ["year", "month", "day", "weekday"].contains(&part) => {
            Ok(Val::Scalar(Scalar::named(format!("{}({})", part.to_uppercase(), date.bare()), Ty::Number)))
        }
        _ => Err(format!("`{part}` is taken from a value that has no parts")),
    }
}

/// One value.
pub(super) fn expect_scalar(value: Val) -> Translated<Scalar> {
    match value {
        Val::Scalar(scalar) => Ok(scalar),
        // A list of one value counts as this value.
        Val::List(mut items) if items.len() == 1 => expect_scalar(items.remove(0)),
        Val::Null => Err("null where a value is expected".to_owned()),
        Val::Untranslatable(why) => Err(why),
        _ => Err("a list or a structure where one value is expected".to_owned()),
    }
}

fn text_of_type(scalar: &Scalar, ty: Ty) -> Translated<String> {
    if scalar.ty == ty {
        Ok(scalar.text.clone())
    } else {
        Err(format!("`{}` is not of type {}", scalar.bare(), ty.word()))
    }
}

fn translate_binary(op: &str, left: Val, right: Val) -> Translated<Scalar> {
    if matches!(op, "=" | "<>") {
        let word = if op == "=" { "IS NULL" } else { "IS NOT NULL" };
        match (&left, &right) {
            (Val::Null, Val::Null) => return Ok(Scalar::boolean(op == "=")),
            (Val::Null, Val::Scalar(known)) | (Val::Scalar(known), Val::Null) => {
                return Ok(Scalar::made(format!("{} {word}", known.text), Ty::Boolean));
            }
            _ => {}
        }
    }
    let (left, right) = (expect_scalar(left)?, expect_scalar(right)?);
    match op {
        "AND" | "OR" => {
            let (left, right) = (text_of_type(&left, Ty::Boolean)?, text_of_type(&right, Ty::Boolean)?);
            Ok(Scalar::made(format!("{left} {op} {right}"), Ty::Boolean))
        }
        "=" | "<>" | "<" | "<=" | ">" | ">=" => {
            if left.ty != right.ty {
                return Err(format!("`{}` and `{}` are of different types", left.bare(), right.bare()));
            }
            Ok(Scalar::made(format!("{} {op} {}", left.text, right.text), Ty::Boolean))
        }
        "+" if left.ty == Ty::Text && right.ty == Ty::Text => {
            let inner = |text: &Scalar| match text.text.strip_prefix("CONCAT(").and_then(|rest| rest.strip_suffix(')'))
            {
                Some(inner) => inner.to_owned(),
                None => text.bare().to_owned(),
            };
            Ok(Scalar::named(format!("CONCAT({}, {})", inner(&left), inner(&right)), Ty::Text))
        }
        "**" => {
            let (left, right) = (text_of_type(&left, Ty::Number)?, text_of_type(&right, Ty::Number)?);
            Ok(Scalar::named(format!("POWER({left}, {right})"), Ty::Number))
        }
        _ => match super::times::translate_time_arithmetic(op, &left, &right) {
            Some(made) => Ok(made),
            None => {
                let (left, right) = (text_of_type(&left, Ty::Number)?, text_of_type(&right, Ty::Number)?);
                Ok(Scalar::made(format!("{left} {op} {right}"), Ty::Number))
            }
        },
    }
}

fn translate_conditional(condition: &str, then: Val, otherwise: Val) -> Translated<Val> {
    if condition == "TRUE" {
        return Ok(then);
    }
    if condition == "FALSE" {
        return Ok(otherwise);
    }
    match (then, otherwise) {
        (Val::Null, Val::Null) => Ok(Val::Null),
        (Val::Null, otherwise) => {
            let otherwise = expect_scalar(otherwise)?;
            let text = format!("CASE WHEN {condition} IS TRUE THEN NULL ELSE {} END", otherwise.text);
            Err(format!("`{text}`: null as a result cannot come before another"))
        }
        (then, Val::Null) => {
            let then = expect_scalar(then)?;
            Ok(Val::Scalar(Scalar::made(format!("CASE WHEN {condition} THEN {} END", then.text), then.ty)))
        }
        (Val::Context(then), Val::Context(otherwise)) => {
            let mut parts = Vec::new();
            for (name, value) in then {
                let Some((_, other)) = otherwise.iter().find(|(known, _)| *known == name) else {
                    return Err(format!("`{name}` is in only one of two structures"));
                };
                parts.push((name, translate_conditional(condition, value, other.clone())?));
            }
            Ok(Val::Context(parts))
        }
        (then, otherwise) => {
            let (then, otherwise) = (expect_scalar(then)?, expect_scalar(otherwise)?);
            if then.ty != otherwise.ty {
                return Err(format!("`{}` and `{}` are of different types", then.bare(), otherwise.bare()));
            }
            let text = format!("CASE WHEN {condition} THEN {} ELSE {} END", then.text, otherwise.text);
            Ok(Val::Scalar(Scalar::made(text, then.ty)))
        }
    }
}

/// Whether one test holds for a value.
pub(super) fn translate_test(
    translator: &mut Translator,
    tested: &Val,
    test: &Test,
    scope: &Scope,
) -> Translated<Scalar> {
    match test {
        Test::Compare(sign, feel) => {
            let sign = if *sign == "!=" { "<>" } else { sign };
            let right = translate_expression(translator, feel, scope, "test")?;
            translate_binary(sign, tested.clone(), right)
        }
        Test::Interval(low, low_belongs, high, high_belongs) => {
            let (low, high) = (
                translate_expression(translator, low, scope, "low")?,
                translate_expression(translator, high, scope, "high")?,
            );
            let above = translate_binary(if *low_belongs { ">=" } else { ">" }, tested.clone(), low)?;
            let below = translate_binary(if *high_belongs { "<=" } else { "<" }, tested.clone(), high)?;
            Ok(Scalar::made(format!("{} AND {}", above.text, below.text), Ty::Boolean))
        }
        Test::Value(feel) => match (tested, translate_expression(translator, feel, scope, "test")?) {
            (_, Val::Null) => translate_binary("=", tested.clone(), Val::Null),
            (Val::Scalar(tested), Val::ListOf(list, ty)) if tested.ty == ty => {
                Ok(Scalar::named(format!("list_contains({list}, {})", tested.bare()), Ty::Boolean))
            }
            (Val::Scalar(tested), Val::List(items)) => {
                let items = items.into_iter().map(|item| translate_binary("=", Val::Scalar(tested.clone()), item));
                let texts = items.map(|item| item.map(|item| item.text)).collect::<Translated<Vec<_>>>()?;
                Ok(Scalar::made(if texts.is_empty() { "FALSE".to_owned() } else { texts.join(" OR ") }, Ty::Boolean))
            }
            // A condition by itself, usually about `?`.
            (Val::Scalar(tested), Val::Scalar(condition))
                if condition.ty == Ty::Boolean && (tested.ty != Ty::Boolean || feel.mentions_tested()) =>
            {
                Ok(condition)
            }
            (Val::ListOf(..) | Val::List(_), Val::Scalar(condition)) if condition.ty == Ty::Boolean => Ok(condition),
            (_, right) => translate_binary("=", tested.clone(), right),
        },
    }
}

fn translate_feel_call(
    translator: &mut Translator,
    name: &str,
    arguments: &[(Option<String>, Feel)],
    scope: &Scope,
    hint: &str,
) -> Translated<Val> {
    let mut values = Vec::new();
    for (named, argument) in arguments {
        values.push((named.clone(), translate_expression(translator, argument, scope, hint)?));
    }
    let plain: Vec<Val> = values.iter().map(|(_, value)| value.clone()).collect();
    match built_in(name, plain)? {
        Some(value) => Ok(value),
        None => translator.call(name, values, hint),
    }
}

/// Functions of FEEL that rule files do not have.
const UNSUPPORTED: [&str; 28] = [
    "years and months duration",
    "get value",
    "sort",
    "substring",
    "upper case",
    "replace",
    "matches",
    "split",
    "number",
    "modulo",
    "sqrt",
    "exp",
    "log",
    "now",
    "today",
    "union",
    "distinct values",
    "index of",
    "insert before",
    "remove",
    "reverse",
    "sublist",
    "mean",
    "median",
    "mode",
    "stddev",
    "product",
    "odd",
];

/// Most decimals of a number in FEEL.
const DIGITS_MAX: i32 = 34;

/// Translates a built-in function of FEEL; `None` for a function of the model.
fn built_in(name: &str, values: Vec<Val>) -> Translated<Option<Val>> {
    if UNSUPPORTED.contains(&name) {
        return Err(format!("`{name}` cannot be expressed in a rule file"));
    }
    match name {
        "floor" | "ceiling" | "abs" | "decimal" | "max" | "min" | "sum" | "count" => of_numbers(name, values),
        "flatten" | "concatenate" | "append" | "list contains" => of_lists(name, values),
        _ => of_texts(name, values),
    }
}

fn texts(ty: Ty, values: Vec<Val>) -> Translated<Vec<String>> {
    let text = |value| expect_scalar(value).and_then(|value| text_of_type(&value, ty).map(|_| value.bare().to_owned()));
    values.into_iter().map(text).collect()
}

fn of_numbers(name: &str, values: Vec<Val>) -> Translated<Option<Val>> {
    let ours = match (name, values.len()) {
        ("floor", 1) => "FLOOR",
        ("ceiling", 1) => "CEIL",
        ("abs", 1) => "ABS",
        ("decimal", 2) => return translate_decimal_call(values),
        ("floor" | "ceiling", 2) => {
            let mut values = values;
            let step = rounding_step_of(values.remove(1), name)?;
            let ours = if name == "floor" { "ROUND_DOWN" } else { "ROUND_UP" };
            let text = format!("{ours}({}, {step})", texts(Ty::Number, values)?[0]);
            return Ok(Some(Val::Scalar(Scalar::named(text, Ty::Number))));
        }
        ("max" | "min" | "sum" | "count", _) => return translate_list_function(name, values).map(Some),
        _ => return Ok(None),
    };
    let text = format!("{ours}({})", texts(Ty::Number, values)?[0]);
    Ok(Some(Val::Scalar(Scalar::named(text, Ty::Number))))
}

fn of_texts(name: &str, mut values: Vec<Val>) -> Translated<Option<Val>> {
    let scalar_of = |text: String, ty: Ty| Ok(Some(Val::Scalar(Scalar::named(text, ty))));
    match (name, values.len()) {
        ("not", 1) => {
            let text = format!("NOT {}", text_of_type(&expect_scalar(values.remove(0))?, Ty::Boolean)?);
            Ok(Some(Val::Scalar(Scalar::made(text, Ty::Boolean))))
        }
        ("string", 1) => {
            let value = expect_scalar(values.remove(0))?;
            super::times::has_same_literals(value.ty)?;
            let text = if value.ty == Ty::Text { value.text.clone() } else { format!("text_of({})", value.bare()) };
            scalar_of(text, Ty::Text)
        }
        ("string length", 1) => scalar_of(format!("LENGTH({})", texts(Ty::Text, values)?[0]), Ty::Number),
        ("lower case", 1) => scalar_of(format!("LOWER({})", texts(Ty::Text, values)?[0]), Ty::Text),
        ("contains" | "starts with" | "ends with", 2) => translate_text_match(name, values).map(Some),
        ("date", 1) => match expect_scalar(values.remove(0))? {
            date if date.ty == Ty::Date => Ok(Some(Val::Scalar(date))),
            Scalar { ty: Ty::Text, constant: Some(day), .. } => {
                Ok(Some(Val::Scalar(Scalar::date(day.trim_matches('\'')))))
            }
            _ => Err("a date from a text that is not a literal".to_owned()),
        },
        ("time" | "date and time" | "duration" | "@", 1) => match expect_scalar(values.remove(0))? {
            Scalar { ty: Ty::Text, constant: Some(text), .. } => {
                super::times::translate_time_literal(name, text.trim_matches('\''))
                    .map(|constant| Some(Val::Scalar(constant)))
            }
            _ => Err(format!("`{name}` of a value that is not a text literal")),
        },
        ("date and time", _) => Err("`date and time` of a date and a time in no zone".to_owned()),
        _ => Ok(None),
    }
}

fn of_lists(name: &str, mut values: Vec<Val>) -> Translated<Option<Val>> {
    let mut flat = Vec::new();
    match (name, values.len()) {
        ("flatten" | "concatenate", _) => values.into_iter().for_each(|value| flatten_list_values(value, &mut flat)),
        ("append", 2..) => {
            flatten_list_values(values.remove(0), &mut flat);
            flat.extend(values);
        }
        ("list contains", 2) => {
            let value = expect_scalar(values.remove(1))?;
            return match values.remove(0) {
                Val::ListOf(list, _) => {
                    let text = format!("list_contains({list}, {})", value.bare());
                    Ok(Some(Val::Scalar(Scalar::named(text, Ty::Boolean))))
                }
                Val::List(items) => {
                    let items = items.into_iter().map(|item| translate_binary("=", Val::Scalar(value.clone()), item));
                    let texts = items.map(|item| item.map(|item| item.text)).collect::<Translated<Vec<_>>>()?;
                    let text = if texts.is_empty() { "FALSE".to_owned() } else { texts.join(" OR ") };
                    Ok(Some(Val::Scalar(Scalar::made(text, Ty::Boolean))))
                }
                _ => Err("`list contains` of a value that is not a list".to_owned()),
            };
        }
        _ => return Ok(None),
    }
    Ok(Some(Val::List(flat)))
}

/// Rounds halves to the even neighbour.
fn translate_decimal_call(mut values: Vec<Val>) -> Translated<Option<Val>> {
    let step = rounding_step_of(values.remove(1), "decimal")?;
    let value = texts(Ty::Number, values)?.remove(0);
    Ok(Some(Val::Scalar(Scalar::named(format!("ROUND_HALF_EVEN({value}, {step})"), Ty::Number))))
}

/// The rounding step for a number of decimals; negative ones mean tens, hundreds and so on.
fn rounding_step_of(scale: Val, name: &str) -> Translated<String> {
    let digits = expect_scalar(scale)?.constant.and_then(|digits| digits.parse::<i32>().ok());
    match digits.filter(|digits| (-DIGITS_MAX..=DIGITS_MAX).contains(digits)) {
        Some(digits @ ..=0) => Ok(format!("1{}", "0".repeat(digits.unsigned_abs() as usize))),
        Some(digits) => Ok(format!("0.{}1", "0".repeat(digits as usize - 1))),
        None => Err(format!("`{name}` with digits that are not a literal, or more than {DIGITS_MAX}")),
    }
}

fn translate_list_function(name: &str, values: Vec<Val>) -> Translated<Val> {
    let mut flat = Vec::new();
    values.into_iter().for_each(|value| flatten_list_values(value, &mut flat));
    if let (1, Some(Val::ListOf(list, _))) = (flat.len(), flat.first()) {
        return match name {
            "count" => Ok(Val::Scalar(Scalar::named(format!("list_length({list})"), Ty::Number))),
            _ => Err(format!("`{name}` of a list whose length is not known")),
        };
    }
    if name == "count" {
        return Ok(Val::Scalar(Scalar::number(&flat.len().to_string())));
    }
    let texts = flat.into_iter().map(|value| expect_scalar(value).and_then(|value| text_of_type(&value, Ty::Number)));
    let texts = texts.collect::<Translated<Vec<_>>>()?;
    if texts.is_empty() {
        return Ok(Val::Null);
    }
    Ok(Val::Scalar(match name {
        "sum" => Scalar::made(texts.join(" + "), Ty::Number),
        "max" => Scalar::named(format!("GREATEST({})", texts.join(", ")), Ty::Number),
        _ => Scalar::named(format!("LEAST({})", texts.join(", ")), Ty::Number),
    }))
}

fn flatten_list_values(value: Val, into: &mut Vec<Val>) {
    match value {
        Val::List(items) => items.into_iter().for_each(|item| flatten_list_values(item, into)),
        value => into.push(value),
    }
}

fn translate_text_match(name: &str, mut values: Vec<Val>) -> Translated<Val> {
    let part = expect_scalar(values.remove(1))?;
    let whole = expect_scalar(values.remove(0))?;
    let whole = text_of_type(&whole, Ty::Text)?;
    let Some(part) = part.constant.filter(|text| part.ty == Ty::Text && !text.contains(['%', '_'])) else {
        return Err(format!("`{name}` of a text that is not a literal"));
    };
    let part = part.trim_matches('\'');
    let pattern = match name {
        "contains" => format!("%{part}%"),
        "starts with" => format!("{part}%"),
        _ => format!("%{part}"),
    };
    Ok(Val::Scalar(Scalar::made(format!("{whole} LIKE '{pattern}'"), Ty::Boolean)))
}

/// Turns a list into one of the rule language, where possible.
pub(super) fn as_list(value: Val) -> Val {
    match value {
        Val::List(items) => match list_of(&items) {
            Some((text, ty)) => Val::ListOf(text, ty),
            None => Val::List(items),
        },
        value => value,
    }
}
