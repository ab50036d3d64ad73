//! Declares `[parameters]`: reads each value and the day from which it holds, checks its bounds, and makes it
//! available to rules as `$name`. Knows nothing of the expressions that use it.

use std::cmp::Ordering;

use crate::base::date::Day;
use crate::base::diagnostic::{Diagnostic, Span, nearest_candidate};
use crate::base::money::Currency;
use crate::base::rational::Rational;
use crate::rules::check::operands::constant::parse_constant;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::parameter_list::{ForeignAmount, Parameters};
use crate::rules::check::symbols::symbol::Known;
use crate::rules::parameter_variant::{Bound, ParameterVariant};
use crate::rules::program::inputs::{Parameter, ParameterValue};
use crate::rules::syntax::file;
use crate::rules::syntax::source::Text;
use crate::rules::types::{Repr, Type, Unit};
use crate::rules::value::{Value, compare_values};

/// Declares every parameter. `main` is the source of the policy itself.
pub(in crate::rules) fn declare_parameters(
    known: &mut Parameters,
    mistakes: &mut Mistakes,
    currency: Currency,
    written: &[file::Parameter],
    overrides: &[(String, String)],
    main: u32,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for written in written {
        let name = &written.name.text;
        if known.is_declared(name) {
            let message = format!("the parameter `{name}` is already defined");
            let value = written.value.as_ref().map_or("...", Text::value);
            let help = format!("change the parameter of a used file: {name} = {{ override = {value} }}");
            let diagnostic = Diagnostic::error("shadowing", written.name.span, message).help(help);
            mistakes.push(diagnostic.elsewhere(known.place_of(name)));
            continue;
        }
        known.note_place(name, written.name.span);
        let reader = ValueReader { mistakes, variant: known.variant(), currency, name, unit: None, failed: false };
        let Some(parameter) = reader.read_parameter(written, overrides) else {
            known.add_broken(name);
            continue;
        };
        let value = match parameter.values.as_slice() {
            [always] if always.from.is_none() && is_anywhere(known.variant(), &parameter) => {
                Known::Anywhere(always.value.clone(), parameters.len(), parameter.ty)
            }
            [always] if always.from.is_none() => Known::Constant(always.value.clone(), parameter.ty),
            _ => Known::Dated(parameters.len(), parameter.ty),
        };
        if overrides.iter().all(|(given, _)| given != name)
            && let Some(amount) = foreign_amount(mistakes, written, &parameter, currency)
        {
            known.note_foreign_amount(amount);
        }
        known.add(name, value);
        parameters.push(parameter);
    }
    for (name, _) in overrides {
        if !known.is_declared(name) {
            let near = nearest_candidate(name, known.names().map(String::as_str));
            let help =
                near.map_or("the policy has no such parameter".to_string(), |near| format!("did you mean `{near}`?"));
            let message = format!("unknown parameter `{name}` given from outside");
            mistakes.push(Diagnostic::error("unknown-parameter", Span::new(main, 0, 0), message).help(help));
        }
    }
    parameters
}

/// An amount in another currency than the policy's. Nothing is nothing in every currency.
fn foreign_amount(
    mistakes: &mut Mistakes,
    written: &file::Parameter,
    parameter: &Parameter,
    currency: Currency,
) -> Option<ForeignAmount> {
    let text = written.currency.as_ref()?;
    let wrong = |message: String, help: &str| {
        Diagnostic::error("parameter", text.span(), format!("parameter `{}`: {message}", parameter.name)).help(help)
    };
    let Some(of_amount) = Currency::from_numeric(text.value()) else {
        let message = format!("`{}` is not a currency", text.value());
        mistakes.push(wrong(message, "write the numeric code of ISO 4217: \"566\" is the naira"));
        return None;
    };
    if parameter.ty.unit != Unit::Money {
        mistakes.push(wrong("only money has a currency".into(), "add unit = \"money\", or delete the currency"));
        return None;
    }
    let is_something = parameter.values.iter().any(|value| value.value != Value::Int(0));
    let values = parameter.values.iter().map(|value| value.text.as_str()).collect::<Vec<_>>().join(", ");
    (of_amount != currency && is_something).then(|| ForeignAmount {
        name: parameter.name.clone(),
        values,
        currency: of_amount.alphabetic(),
        span: written.name.span,
    })
}

/// Whether it may be anywhere within its bounds.
fn is_anywhere(variant: &ParameterVariant, parameter: &Parameter) -> bool {
    *variant == ParameterVariant::Anywhere
        && (parameter.min.is_some() || parameter.max.is_some())
        && parameter.ty.repr.is_number()
}

/// A value as written: its first day, its text, its place.
type WrittenValue<'w> = (Option<Day>, &'w str, Span);

/// A bound, its type, and as it was written.
type Limit = (Value, Type, Text);

/// The common type. Whole numbers together with fractions are fractions.
fn one_type(types: impl Iterator<Item = Type>) -> Type {
    let all: Vec<Type> = types.collect();
    let decimal = all.iter().find(|ty| ty.repr == Repr::Rational);
    decimal.or(all.first()).copied().unwrap_or(Type::NUMBER)
}

/// `10%`
fn is_percent(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|share| Rational::parse(share.trim()).is_some())
}

/// Reads the values and bounds of one parameter.
struct ValueReader<'r, 'c> {
    mistakes: &'r mut Mistakes<'c>,
    variant: &'r ParameterVariant,
    currency: Currency,
    name: &'r str,
    unit: Option<Unit>,
    failed: bool,
}

impl ValueReader<'_, '_> {
    /// One parameter; `None` where a mistake was reported.
    fn read_parameter(mut self, written: &file::Parameter, overrides: &[(String, String)]) -> Option<Parameter> {
        let units = Unit::ALL.map(|unit| (unit.word(), Some(unit)));
        self.unit = self.mistakes.read_word(written.unit.as_ref(), &units, None);
        let own = self.in_order(written);
        let own = self.values(&own);
        let given = overrides.iter().rev().find(|(known, _)| known == self.name).map(|(_, text)| text.as_str());
        let values = match given {
            None => own,
            Some(text) => {
                let place = written.value.as_ref().map_or(written.name.span, Text::span);
                let outside = self.values(&[(None, text, place)]);
                // An override must be of the same kind as the written value, or the mistake would show up elsewhere.
                match (outside.first(), own.first()) {
                    (Some((_, outside, _)), Some((_, first, _)))
                        if compare_values(&outside.value, &first.value).is_none() =>
                    {
                        self.bad(
                            place,
                            format!("`{text}`, given from outside, has a different type from {}", first.text),
                        );
                        // The bounds match the written value, so keep that to check them.
                        own
                    }
                    _ => outside,
                }
            }
        };
        // Bounds in another currency say nothing about an amount in the policy's.
        let is_foreign = written.currency.as_ref().is_some_and(|text| text.value() != self.currency.numeric());
        let (min, max) = match given.is_some() && is_foreign {
            true => (None, None),
            false => (self.bound(written.min.as_ref()), self.bound(written.max.as_ref())),
        };
        let turned_to = match self.variant {
            ParameterVariant::At(variant, Bound::Min) if variant == self.name => min.as_ref(),
            ParameterVariant::At(variant, Bound::Max) if variant == self.name => max.as_ref(),
            _ => None,
        };
        let values = match turned_to {
            Some((value, ty, text)) => {
                let value = ParameterValue { from: None, value: value.clone(), text: text.value().to_owned() };
                vec![(*ty, value, text.span())]
            }
            None => values,
        };
        self.hold(&values, &min, &max);
        if self.failed || values.is_empty() {
            return None;
        }
        let ty = one_type(values.iter().map(|(ty, ..)| *ty));
        let held = |value: Value| match ty.repr {
            Repr::Rational => value.rational().map_or(value, Value::Rational),
            _ => value,
        };
        let values = values.into_iter().map(|(_, value, _)| ParameterValue { value: held(value.value), ..value });
        Some(Parameter {
            name: self.name.to_owned(),
            ty,
            values: values.collect(),
            min: min.map(|(value, ..)| value),
            max: max.map(|(value, ..)| value),
            doc: written.doc.as_ref().map(|doc| doc.value().to_owned()).unwrap_or_default(),
        })
    }

    fn bad(&mut self, span: Span, message: String) {
        self.failed = true;
        let message = format!("parameter `{}`: {message}", self.name);
        self.mistakes.push(Diagnostic::error("parameter", span, message));
    }

    /// The values in order of their days, the one without a day first.
    fn in_order<'w>(&mut self, written: &'w file::Parameter) -> Vec<WrittenValue<'w>> {
        let mut values: Vec<WrittenValue<'w>> = Vec::new();
        values.extend(written.value.as_ref().map(|value| (None, value.value(), value.span())));
        for (from, value) in &written.dated {
            match Day::parse_iso(&from.text) {
                Some(day) => values.push((Some(day), value.value(), value.span())),
                None => self.bad(from.span, format!("`{}` is not a date such as 2026-07-01", from.text)),
            }
        }
        values.sort_by_key(|(from, ..)| *from);
        values
    }

    fn values(&mut self, written: &[WrittenValue]) -> Vec<(Type, ParameterValue, Span)> {
        let mut values: Vec<(Type, ParameterValue, Span)> = Vec::new();
        for (from, text, span) in written {
            match parse_constant(self.currency, text, self.unit) {
                Ok((Value::Text(_), _)) if is_percent(text) => {
                    self.bad(*span, format!("`{text}` is text: write a share as a fraction such as 0.10"));
                }
                Ok((value, ty)) => {
                    if let Some((_, first, _)) = values.first()
                        && compare_values(&first.value, &value).is_none()
                    {
                        let message = format!("`{text}` has a different type from the first value, {}", first.text);
                        self.bad(*span, message);
                    }
                    values.push((ty, ParameterValue { from: *from, value, text: (*text).to_owned() }, *span));
                }
                Err(message) => self.bad(*span, message),
            }
        }
        values
    }

    fn bound(&mut self, bound: Option<&Text>) -> Option<Limit> {
        let bound = bound?;
        match parse_constant(self.currency, bound.value(), self.unit) {
            Ok((value, ty)) => Some((value, ty, bound.clone())),
            Err(message) => {
                self.bad(bound.span(), message);
                None
            }
        }
    }

    /// Checks that every value is within the bounds.
    fn hold(&mut self, values: &[(Type, ParameterValue, Span)], min: &Option<Limit>, max: &Option<Limit>) {
        if let (Some((low, _, min)), Some((high, _, max))) = (min, max)
            && compare_values(low, high) == Some(Ordering::Greater)
        {
            return self.bad(min.span(), format!("its min {} is above its max {}", min.value(), max.value()));
        }
        let bounds = [(min, Ordering::Less, "below its min"), (max, Ordering::Greater, "above its max")];
        for (_, ParameterValue { from, value, text }, span) in values {
            for (bound, wrong, says) in &bounds {
                let Some((limit, _, written)) = bound else { continue };
                match compare_values(value, limit) {
                    Some(order) if order == *wrong => {
                        // A dated value is reported at its own place, and so is one of another file than the bound's.
                        // For a single value, the bound may be the mistake.
                        let is_elsewhere = span.source != written.span().source;
                        let place = if from.is_some() || is_elsewhere { *span } else { written.span() };
                        self.bad(place, format!("{text} is {says} {}", written.value()));
                    }
                    Some(_) => {}
                    None => self.bad(written.span(), format!("{} has a different type from {text}", written.value())),
                }
            }
        }
    }
}
