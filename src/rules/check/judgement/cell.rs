//! Reads the tests in cells of tables and bins of scores, and the values in them. Knows nothing of tables or scores.

use crate::base::diagnostic::Diagnostic;
use crate::rules::check::checker::Checker;
use crate::rules::check::functions::function_names::{AGGREGATES, FUNCTIONS};
use crate::rules::check::judgement::cell_shape::{Shape, known_sign, shape};
use crate::rules::check::operands::constant::Constants;
use crate::rules::check::operands::letter_case::warn_of_cell_in_other_case;
use crate::rules::check::operands::record_texts::record_text_of;
use crate::rules::check::symbols::symbol::{Checked, Typed};
use crate::rules::graph::TextPlace;
use crate::rules::names::Sort;
use crate::rules::program::axis::format_typed_value;
use crate::rules::syntax::amounts;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::{Test, Value, compare_values};

/// Reads a cell that tests a value.
pub(in crate::rules) fn check_test_cell(checker: &mut Checker, cell: &Text, tested: &Typed) -> Checked<Test> {
    let ty = tested.ty;
    note_parameters(checker, cell);
    let beside = record_text_of(&checker.nodes, tested.node);
    let constants = Constants { beside, ..checker.constants() };
    match refuse_ambiguous_cell(cell.value(), ty).and_then(|()| parse_cell_test(&constants, cell.value().trim(), ty)) {
        Ok(test) => {
            if let Some(value) = hardly_ever(&test, ty) {
                let message = format!(
                    "this matches only the exact value {}",
                    format_typed_value(value, ty, &checker.terms.currency())
                );
                let help = "test a share or a number with a range or a comparison: >= 0.10, 0.10..0.30";
                checker.mistakes.push(Diagnostic::warning("hardly-ever", cell.span(), message).help(help));
            }
            warn_of_cell_in_other_case(&mut checker.operands(), tested, &test, cell.span());
            Ok(test)
        }
        Err(message) => {
            let help = "a cell is -, unknown, a value, < <= > >= value, low..high, a list A, B or not(...)";
            checker.mistakes.report(Diagnostic::error("cell", cell.span(), message).help(help))
        }
    }
}

/// Refuses numbers with commas, which would be lists, and comparison signs of other languages.
fn refuse_ambiguous_cell(text: &str, ty: Type) -> Result<(), String> {
    if let Some(range) = amounts::with_commas(text).filter(|_| ty.is_numeric()) {
        let (number, plain) = (&text[range.clone()], text[range].replace(',', ""));
        return Err(format!("`{number}` would be a list; write {plain} for a number, or put spaces in a list: 1, 200"));
    }
    if let Some((whole, decimals)) = amounts::with_decimal_comma(text).filter(|_| ty.is_numeric()) {
        return Err(format!(
            "`{whole},{decimals}` may be a number or a list; write {whole}.{decimals} for a number, or {whole}, \
             {decimals} for a list"
        ));
    }
    known_sign(text)
}

/// A fraction that a computed number is compared with for equality.
fn hardly_ever(test: &Test, ty: Type) -> Option<&Value> {
    match test {
        Test::Equal(value) if ty.repr != Repr::Int && value.rational().is_some_and(|value| !value.is_whole()) => {
            Some(value)
        }
        Test::Equal(_) => None,
        Test::OneOf(tests) => tests.iter().find_map(|test| hardly_ever(test, ty)),
        Test::Not(test) => hardly_ever(test, ty),
        _ => None,
    }
}

/// Notes the parameters in a cell, and their places.
pub(in crate::rules) fn note_parameters(checker: &mut Checker, cell: &Text) {
    let mut quoted = false;
    for (at, sign) in cell.value().char_indices() {
        quoted ^= sign == '\'';
        if sign != '$' || quoted {
            continue;
        }
        let rest = cell.value().get(at + 1..).unwrap_or_default();
        let ends = |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.';
        let name = rest.split(ends).next().unwrap_or_default();
        // In a range two dots follow.
        let name = name.split("..").next().unwrap_or_default();
        if let Some(whole) = checker.parameters.resolve(&checker.spaces, name) {
            checker.uses.note(Sort::Parameter, &whole, cell.locate(at, at + 1 + name.len()));
            checker.parameters.note_used(&whole);
        }
    }
}

fn parse_cell_test(constants: &Constants, text: &str, ty: Type) -> Result<Test, String> {
    build_test_of_shape(constants, shape(text, ty, 0)?, ty)
}

/// A value that a cell compares with.
fn parse_tested_value(constants: &Constants, text: &str, ty: Type) -> Result<Value, String> {
    let text = text.trim();
    if ty.repr == Repr::Text && !text.starts_with(['\'', '$']) {
        plain_text(text)?;
    }
    let value = parse_cell_value(constants, text, ty)?;
    Ok(match (&value, constants.beside) {
        (Value::Text(text), Some(beside)) => beside.clean(text).map_or(value, Value::Text),
        _ => value,
    })
}

fn build_test_of_shape(constants: &Constants, shape: Shape, ty: Type) -> Result<Test, String> {
    match shape {
        Shape::Anything => Ok(Test::Anything),
        Shape::Unknown => Ok(Test::Unknown),
        Shape::Not(inner) => Ok(Test::Not(Box::new(build_test_of_shape(constants, *inner, ty)?))),
        Shape::OneOf(items) => {
            let tests: Result<Vec<Test>, String> =
                items.into_iter().map(|item| build_test_of_shape(constants, item, ty)).collect();
            Ok(Test::OneOf(tests?))
        }
        Shape::Bound { text, is_low, closed } => {
            require_ordered_type(ty)?;
            let bound = Some((parse_tested_value(constants, text, ty)?, closed));
            Ok(if is_low { Test::Range(bound, None) } else { Test::Range(None, bound) })
        }
        Shape::Range { text, low, high } => {
            require_ordered_type(ty)?;
            let (from, to) = (parse_tested_value(constants, low.0, ty)?, parse_tested_value(constants, high.0, ty)?);
            let order = compare_values(&from, &to);
            if order == Some(std::cmp::Ordering::Greater)
                || (order == Some(std::cmp::Ordering::Equal) && !(low.1 && high.1))
            {
                return Err(format!("the range `{text}` is empty"));
            }
            Ok(Test::Range(Some((from, low.1)), Some((to, high.1))))
        }
        Shape::Differs(text) => Ok(Test::Not(Box::new(Test::Equal(parse_tested_value(constants, text, ty)?)))),
        Shape::Has { place: TextPlace::Start, text } if ty.repr == Repr::Text => {
            match parse_tested_value(&Constants { beside: None, ..*constants }, text, ty)? {
                Value::Text(beginning) => {
                    let clean = constants.beside.and_then(|kind| kind.clean_at(&beginning, TextPlace::Start));
                    Ok(starting_with(clean.as_deref().unwrap_or(&beginning)))
                }
                other => Ok(Test::Equal(other)),
            }
        }
        Shape::Has { .. } => {
            Err("contains(x) and its siblings are for the inputs of tables with texts or lists".into())
        }
        Shape::Equals { text, .. } => {
            let equal = parse_tested_value(constants, text, ty)?;
            match (&equal, ty.repr) {
                (Value::Rational(fraction), Repr::Int) if !fraction.is_whole() => Err(format!(
                    "{} is whole, so it is never {fraction}; write a range as 40..65",
                    crate::rules::types::describe_type(ty)
                )),
                _ => Ok(Test::Equal(equal)),
            }
        }
    }
}

/// Texts with one beginning are those from it to before the next letter in its last place.
fn starting_with(beginning: &str) -> Test {
    let mut letters: Vec<char> = beginning.chars().collect();
    let mut after = None;
    while let Some(last) = letters.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            letters.push(next);
            after = Some((Value::Text(letters.into_iter().collect()), false));
            break;
        }
    }
    Test::Range(Some((Value::Text(beginning.to_owned()), true)), after)
}

fn require_ordered_type(ty: Type) -> Result<(), String> {
    match ty.repr {
        Repr::Boolean => Err("true and false have no order".into()),
        _ => Ok(()),
    }
}

const EMPTY: &str = "this cell is empty; write - for a test that matches anything; an output needs a value";

/// A value in a cell, of the tested type; money is in major units. `$name` is a parameter.
pub(in crate::rules) fn parse_cell_value(constants: &Constants, text: &str, ty: Type) -> Result<Value, String> {
    let text = text.trim();
    if let Some(name) = text.strip_prefix('$') {
        let (value, found) = constants.parameter(name)?;
        return match found.unit == ty.unit || (found.unit.is_plain() && ty.unit.is_plain()) {
            true => Ok(represent(value, ty)),
            false => Err(format!("`${name}` is {}, but {} is needed here", found.unit.word(), ty.unit.word())),
        };
    }
    // Within quotes two of them are one, as in expressions.
    let quoted = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).map(|inner| inner.replace("''", "'"));
    let unquoted = quoted.as_deref().unwrap_or(text);
    if unquoted.is_empty() {
        return match ty.repr {
            Repr::Text if text == "''" => Ok(Value::Text(String::new())),
            Repr::Text => Err(format!("{EMPTY}; write '' for an empty text")),
            _ => Err(EMPTY.into()),
        };
    }
    // A count may be compared with a fraction, such as a mean.
    let unit = match ty.unit {
        Unit::Count | Unit::Days | Unit::Months if ty.repr != Repr::Int || unquoted.contains('.') => Unit::Number,
        unit => unit,
    };
    let plain = if ty.is_numeric() { strip_digit_groups(unquoted) } else { unquoted.into() };
    let value = constants.literal(&plain, unit).map(|(value, _)| represent(value, ty));
    value.map_err(|message| {
        if constants.parameter(unquoted).is_ok() {
            format!("a parameter is written `${unquoted}`")
        } else if ty.is_numeric() {
            with_advice(message, unquoted)
        } else {
            message
        }
    })
}

/// Refuses a text without quotes that was probably meant as an expression.
fn plain_text(text: &str) -> Result<(), String> {
    let before = text.split_once('(').map(|(before, _)| before.trim_end());
    let word = before.and_then(|before| before.rsplit(|sign: char| !(sign.is_alphanumeric() || sign == '_')).next());
    let calls = word.map(str::to_lowercase).filter(|word| {
        let functions = FUNCTIONS.iter().chain(AGGREGATES);
        word == "not" || functions.chain(&["contains", "starts_with", "ends_with"]).any(|known| known == word)
    });
    // A field by itself is read where cells may name values: here it would be a text.
    let names = ["request.", "bureau."].iter().find(|space| text.contains(**space));
    let what = match (calls, names) {
        (Some(word), _) => format!("`{word}(...)`"),
        (None, Some(_)) => "an expression".to_owned(),
        (None, None) => return Ok(()),
    };
    Err(format!(
        "`{text}` looks like {what}; a cell of texts compares with texts, in a table also with a field such as \
         `request.lender`, and asks contains(x), starts_with(x), ends_with(x) or not(...); put a text in quotes: \
         '{text}'"
    ))
}

/// Converts a value to the representation it is compared in: a fraction, or a double for approximate values.
fn represent(value: Value, ty: Type) -> Value {
    match ty.repr {
        Repr::Rational | Repr::Float => value.held_as(ty.repr),
        _ => value,
    }
}

/// The output value of a cell in the representation of its column; any other would be read as 0.
pub(in crate::rules) fn parse_output_cell(constants: &Constants, text: &str, ty: Type) -> Result<Value, String> {
    let value = parse_cell_value(constants, text, ty)?;
    let value = match (&value, ty.repr) {
        (Value::Rational(number), Repr::Int) => number.to_i64().map_or(value, Value::Int),
        _ => value,
    };
    match value.is(ty.repr) {
        true => Ok(value),
        false => Err(format!("`{}` is not whole, but {} must be", text.trim(), crate::rules::types::describe_type(ty))),
    }
}

/// Advice for a text that is not a number.
fn with_advice(message: String, text: &str) -> String {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let advice = match (text.split_once('-'), text.strip_suffix('%')) {
        (Some((low, high)), _) if digits(low) && digits(high) => format!("write a range as {low}..{high}"),
        (_, Some(share)) if digits(share.trim()) => {
            "write it without %: a share is a fraction such as 0.04; interest is already in percent".to_owned()
        }
        _ if amounts::with_commas(text).is_none() && amounts::with_decimal_comma(text).is_some() => {
            format!("use a decimal point: {}", text.replace(',', "."))
        }
        _ if text.contains(',') && digits(&text.replace(',', "")) => {
            format!("write it without commas: {}", text.replace(',', ""))
        }
        _ => return message,
    };
    format!("{message}; {advice}")
}

/// `500_000`, as TOML writes its numbers.
fn strip_digit_groups(text: &str) -> std::borrow::Cow<'_, str> {
    let digit = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let grouped = text.contains('_') && text.match_indices('_').all(|(at, _)| at > 0 && digit(at - 1) && digit(at + 1));
    if grouped { text.replace('_', "").into() } else { text.into() }
}
