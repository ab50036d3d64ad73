//! The parameters of a policy as expressions and cells see them, and which of them were used.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::base::diagnostic::Span;
use crate::rules::check::symbols::namespaces::Namespaces;
use crate::rules::check::symbols::symbol::{Known, Tolerance};
use crate::rules::check::symbols::uses::Uses;
use crate::rules::names::Sort;
use crate::rules::parameter_variant::ParameterVariant;
use crate::rules::types::Type;
use crate::rules::value::Value;

/// Parameters by their whole names.
#[derive(Default)]
pub(in crate::rules) struct Parameters {
    known: HashMap<String, Known>,
    /// Parameters with a mistake, which have no value.
    broken: HashSet<String>,
    /// Where each was declared first.
    places: HashMap<String, Span>,
    /// Parameters that were looked up.
    used: RefCell<HashSet<String>>,
    /// The values of parameters with bounds.
    variant: ParameterVariant,
    /// Parameters that cells use as written, although they may be anywhere within their bounds.
    used_as_written: RefCell<BTreeSet<String>>,
    /// The tolerance of streams, if a parameter sets it.
    tolerance: Option<Tolerance>,
    /// Amounts in another currency than the policy's.
    foreign: Vec<ForeignAmount>,
}

/// An amount in another currency than the policy's.
pub(in crate::rules) struct ForeignAmount {
    pub name: String,
    /// Its values as written.
    pub values: String,
    /// The three letters of its currency.
    pub currency: &'static str,
    pub span: Span,
}

impl Parameters {
    pub(in crate::rules) fn new(variant: ParameterVariant) -> Self {
        Self { variant, ..Self::default() }
    }

    pub(in crate::rules) fn variant(&self) -> &ParameterVariant {
        &self.variant
    }

    /// Notes where a name is declared first.
    pub(in crate::rules) fn note_place(&mut self, name: &str, span: Span) {
        self.places.insert(name.to_owned(), span);
    }

    pub(in crate::rules) fn place_of(&self, name: &str) -> Span {
        self.places.get(name).copied().unwrap_or_default()
    }

    pub(in crate::rules) fn places(&self) -> impl Iterator<Item = (&String, Span)> {
        self.places.iter().map(|(name, span)| (name, *span))
    }

    pub(in crate::rules) fn add(&mut self, name: &str, known: Known) {
        self.known.insert(name.to_owned(), known);
    }

    /// Adds a parameter with a mistake, so that its uses are not reported too.
    pub(in crate::rules) fn add_broken(&mut self, name: &str) {
        self.broken.insert(name.to_owned());
    }

    pub(in crate::rules) fn note_foreign_amount(&mut self, amount: ForeignAmount) {
        self.foreign.push(amount);
    }

    pub(in crate::rules) fn foreign_amounts(&self) -> &[ForeignAmount] {
        &self.foreign
    }

    pub(in crate::rules) fn is_known(&self, whole: &str) -> bool {
        self.known.contains_key(whole)
    }

    /// Whether it is declared, with or without a mistake.
    pub(in crate::rules) fn is_declared(&self, whole: &str) -> bool {
        self.is_known(whole) || self.broken.contains(whole)
    }

    pub(in crate::rules) fn get(&self, whole: &str) -> Option<&Known> {
        self.known.get(whole)
    }

    pub(in crate::rules) fn type_of(&self, whole: &str) -> Option<Type> {
        self.known.get(whole).map(|(Known::Constant(_, ty) | Known::Dated(_, ty) | Known::Anywhere(_, _, ty))| *ty)
    }

    /// Every name that has a value.
    pub(in crate::rules) fn names(&self) -> impl ExactSizeIterator<Item = &String> {
        self.known.keys()
    }

    /// The whole name of a parameter as written here, if it has a value.
    pub(in crate::rules) fn resolve(&self, spaces: &Namespaces, name: &str) -> Option<String> {
        spaces.whole_name(name, |whole| self.is_known(whole))
    }

    pub(in crate::rules) fn note_used(&self, whole: &str) {
        self.used.borrow_mut().insert(whole.to_owned());
    }

    pub(in crate::rules) fn was_used(&self, whole: &str) -> bool {
        self.used.borrow().contains(whole)
    }

    /// The one value of a parameter, for where a constant is needed.
    pub(in crate::rules) fn find_constant(&self, spaces: &Namespaces, name: &str) -> Result<(Value, Type), String> {
        let whole = self.resolve(spaces, name);
        self.used.borrow_mut().extend(whole.clone());
        match whole.as_ref().and_then(|whole| self.known.get(whole)) {
            Some(Known::Anywhere(value, _, ty)) => {
                self.used_as_written.borrow_mut().extend(whole);
                Ok((value.clone(), *ty))
            }
            Some(Known::Constant(value, ty)) => Ok((value.clone(), *ty)),
            Some(Known::Dated(..)) => Err(format!(
                "`${name}` has values by date, but a constant is needed here; an output may be an expression, \
                 `= ${name}`, and a bin compares in what its item is on: `value - ${name}`"
            )),
            None => Err(format!("unknown parameter `${name}`")),
        }
    }

    /// If parameters may be anywhere within their bounds: those that cells still use as written.
    pub(in crate::rules) fn take_used_as_written(&mut self) -> Option<BTreeSet<String>> {
        (self.variant == ParameterVariant::Anywhere).then(|| self.used_as_written.take())
    }

    /// Sets the tolerance of streams, unless it is set.
    pub(in crate::rules) fn set_tolerance(&mut self, tolerance: Tolerance) {
        self.tolerance.get_or_insert(tolerance);
    }

    /// The tolerance of streams in thousandths.
    pub(in crate::rules) fn tolerance(&self) -> Option<u32> {
        self.tolerance.as_ref().and_then(|tolerance| tolerance.thousandths)
    }

    /// Notes that the expression being checked uses streams, which depend on their tolerance.
    pub(in crate::rules) fn note_streams(&self, uses: &mut Uses) {
        let Some(Tolerance { name, .. }) = &self.tolerance else { return };
        self.note_used(name);
        uses.note_reference(Sort::Parameter, name);
    }
}
