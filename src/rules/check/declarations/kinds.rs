//! Declares the kinds of records, and checks the corrections that say of which kind records are.

use std::collections::HashMap;

use crate::base::diagnostic::{Diagnostic, nearest_candidate};
use crate::base::narration::Normaliser;
use crate::rules::check::checker::Checker;
use crate::rules::check::symbols::mistakes::Mistakes;
use crate::rules::check::symbols::symbol::Symbol;
use crate::rules::corrections::{Correction, CorrectionTarget, RecordKind};
use crate::rules::grain::Grain;
use crate::rules::syntax::corrections::WrittenCorrection;
use crate::rules::syntax::file::{RuleFile, WrittenKind};
use crate::rules::syntax::source::Text;

impl Checker<'_> {
    /// Declares the kinds of all files, after every definition was declared.
    pub(in crate::rules) fn declare_kinds(&mut self, files: &[RuleFile]) {
        let mut places = HashMap::new();
        for written in files.iter().flat_map(|file| &file.kinds) {
            let name = &written.name;
            if let Some(first) = places.insert(name.text.clone(), name.span) {
                let message = format!("the kind `{}` is already defined", name.text);
                let wrong = Diagnostic::error("shadowing", name.span, message).help("give it another name");
                self.mistakes.push(wrong.elsewhere(first));
                continue;
            }
            let kind = self.kind(written);
            self.kinds.add(kind);
        }
    }

    fn kind(&mut self, written: &WrittenKind) -> RecordKind {
        let space = self.spaces.enter(written.name.span);
        let mut flags = |texts: &Option<Vec<Text>>| {
            texts.as_ref().map(|texts| texts.iter().filter_map(|text| self.flag(text)).collect::<Vec<usize>>())
        };
        let (credit, debit) = (flags(&written.credit), flags(&written.debit));
        self.spaces.leave(space);
        RecordKind { name: written.name.text.clone(), credit, debit }
    }

    /// The number of a flag. Reports what does not define a value of records.
    fn flag(&mut self, text: &Text) -> Option<usize> {
        let name = text.value();
        self.note_name(name, text.span());
        match self.find_symbol(name) {
            Some(Symbol::Definition(index)) if self.definitions.grain(*index) == Grain::Transaction => {
                let index = *index;
                Some(self.kinds.number_flag(index))
            }
            found => {
                let (is_known, names) = (found.is_some(), self.symbols.names());
                let near = self.mistakes.nearest_name(name, names).map(str::to_owned);
                let message = match is_known {
                    true => format!("[transaction] does not define `{name}`"),
                    false => format!("unknown name `{name}`"),
                };
                let help = match &near {
                    Some(near) if !is_known => format!("did you mean `{near}`?"),
                    _ => "a kind names conditions of [transaction], such as is_income".to_owned(),
                };
                let wrong = Diagnostic::error("kind", text.span(), message).help(help);
                self.mistakes.push(wrong.meant_at(text.content(), name, near.filter(|_| !is_known)));
                None
            }
        }
    }
}

/// The corrections with what their texts mean here.
pub(in crate::rules) fn check_corrections(
    mistakes: &mut Mistakes,
    kinds: &[RecordKind],
    normaliser: &Normaliser,
    written: &[WrittenCorrection],
) -> Vec<Correction> {
    let mut checked = Vec::new();
    for correction in written {
        let kind = match &correction.kind {
            None => None,
            Some(text) => match find_kind(mistakes, kinds, text) {
                None => continue,
                found => found,
            },
        };
        let counterparty = correction.counterparty.as_ref().map(|text| text.value().trim().to_owned());
        let Some(target) = target(mistakes, normaliser, correction) else { continue };
        if let Some(text) = correction.counterparty.as_ref()
            && normaliser.key(None, Some(text.value()), true).is_none()
        {
            let message = "this counterparty has no letter".to_owned();
            mistakes.push(Diagnostic::error("correction", text.span(), message).help("write its name"));
            continue;
        }
        let customer = correction.customer.as_ref().map(|text| text.value().to_owned());
        let (by, on, why) = (correction.by.value().to_owned(), correction.on, correction.why.value().to_owned());
        checked.push(Correction { target, customer, kind, counterparty, by, on, why, span: correction.span });
    }
    warn_of_contradictions(mistakes, kinds, &checked);
    checked
}

fn find_kind(mistakes: &mut Mistakes, kinds: &[RecordKind], text: &Text) -> Option<usize> {
    let name = text.value().trim();
    let found = kinds.iter().position(|kind| kind.name == name);
    if found.is_none() {
        let near = nearest_candidate(name, kinds.iter().map(|kind| kind.name.as_str()));
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "define kinds under [kind]".to_owned(),
            None => format!("one of: {}", names.join(", ")),
        };
        let wrong = Diagnostic::error("correction", text.span(), format!("the policy has no kind `{name}`")).help(help);
        mistakes.push(wrong.meant_at(text.content(), name, near));
    }
    found
}

/// A payer by the key that its name has, so that it may be written as people write it.
fn target(mistakes: &mut Mistakes, normaliser: &Normaliser, written: &WrittenCorrection) -> Option<CorrectionTarget> {
    let (key, text) = &written.target;
    let value = text.value().trim();
    let mut refuse = |message: &str, help: &str| {
        mistakes.push(Diagnostic::error("correction", text.span(), message).help(help));
        None
    };
    match *key {
        "id" => Some(CorrectionTarget::Id(value.to_owned())),
        "payer" => match normaliser.key(None, Some(value), true) {
            Some(key) => Some(CorrectionTarget::Payer(key)),
            None => refuse("this payer has no letter", "write the counterparty as `lendwright records` shows it"),
        },
        _ if value.chars().filter(|letter| letter.is_alphanumeric()).count() < NARRATION_LETTERS => {
            refuse("so few letters are in many narrations", "write more of the narration, three letters or more")
        }
        _ => Some(CorrectionTarget::Narration(value.split_whitespace().collect::<Vec<_>>().join(" "))),
    }
}

/// The fewest letters and digits of words that stand for narrations.
const NARRATION_LETTERS: usize = 3;

/// Two corrections of the same records that say different things are a mistake; the same twice is a warning.
fn warn_of_contradictions(mistakes: &mut Mistakes, kinds: &[RecordKind], corrections: &[Correction]) {
    let mut first: HashMap<(String, Option<&str>, bool), &Correction> = HashMap::new();
    for correction in corrections {
        let (key, text) = correction.target.parts();
        let said = [
            (false, correction.kind.map(|kind| kinds[kind].name.clone())),
            (true, correction.counterparty.as_ref().map(|name| name.to_lowercase())),
        ];
        for (is_payer, said) in said {
            let Some(said) = said else { continue };
            let place = (format!("{key}={}", text.to_lowercase()), correction.customer.as_deref(), is_payer);
            let Some(before) = first.get(&place) else {
                first.insert(place, correction);
                continue;
            };
            let said_before = match is_payer {
                false => before.kind.map(|kind| kinds[kind].name.clone()),
                true => before.counterparty.as_ref().map(|name| name.to_lowercase()),
            };
            let wrong = match said_before.as_deref() == Some(&said) {
                true => Diagnostic::warning("correction", correction.span, "this was already said").help("delete one"),
                false => {
                    let (what, before) = (if is_payer { "of" } else { "a" }, said_before.unwrap_or_default());
                    let message = format!("these records are {what} `{said}` here and {what} `{before}` elsewhere");
                    Diagnostic::error("correction", correction.span, message).help("keep the one that is right")
                }
            };
            mistakes.push(wrong.elsewhere(before.span));
        }
    }
}
