//! Rule files -> [`Policy`]: reads the header, brings in what it uses, declares every name, checks every expression, and
//! puts the program together. Reads no file itself: the caller hands texts in.

use super::check::{Checked, Checker, Reported};
use super::file::{self, RuleFile};
use super::header::header;
use super::ir::Type;
use super::policy::Policy;
use super::program::{OfferRule, Parameter, Program, Schedule};
use super::source::Name;
use crate::words::diagnostic::{Diagnostic, Refused, Severity, Sources, Span};
use crate::words::digest::Hasher;
use crate::words::money::Currency;

/// Compiles the rule file `name`. `read` gives the text of a file by the name that `use` names it by; `overrides` are
/// parameters given from outside.
///
/// # Errors
/// Every mistake found in any of the files, with its place.
pub fn compile(
    name: &str,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    overrides: &[(String, String)],
) -> Result<Policy, Refused> {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let policy = assemble(name, text, read, overrides, &mut sources, &mut diagnostics);
    for diagnostic in &mut diagnostics {
        if let Some((span, source)) = diagnostic.elsewhere.and_then(|span| Some((span, sources.of(span)?))) {
            diagnostic.message += &format!(", at {}:{}", source.name, sources.line_column(span).0);
        }
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span.source, diagnostic.span.start));
    diagnostics.dedup();
    let refused = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    match policy {
        Ok(mut policy) if !refused => {
            policy.warnings = diagnostics;
            policy.sources = sources;
            Ok(policy)
        }
        _ => Err(Refused { diagnostics, sources }),
    }
}

fn assemble(
    name: &str,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    overrides: &[(String, String)],
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Checked<Policy> {
    let source = sources.add(name, text);
    let main = file::read(source, text, diagnostics);
    let Some(written) = main.header.clone() else {
        if main.unread {
            return Err(Reported);
        }
        let diagnostic = Diagnostic::error("missing-policy", Span::new(source, 0, 0), "`[policy]` is missing");
        diagnostics.push(diagnostic.help("a policy begins with [policy] and its name, version and currency"));
        return Err(Reported);
    };
    let mut files = super::uses::used_files(&written, name, read, sources, diagnostics);
    files.push(main);
    // Of what a file may define nothing is known while it cannot be read: every use of it would be told for a mistake.
    if files.iter().any(|file| file.unread) {
        return Err(Reported);
    }
    for file in &mut files {
        super::uses::table_files(file, name, read, sources, diagnostics);
    }
    let header = header(&written, diagnostics);
    // With a mistake in its head the rest of the file is looked at all the same, so that all is told at once.
    let declared = written.currency.as_ref().and_then(|text| Currency::from_numeric(text.value()));
    let currency = declared.or(Currency::from_numeric("566")).ok_or(Reported)?;
    let mut checker = Checker::new(currency, diagnostics);
    if written.tenure_unit.as_ref().is_none_or(|unit| unit.value() == "days") {
        checker.tenure = Type::DAYS;
    }
    let parameters = declare(&mut checker, &files, overrides, source);
    let program = program(&mut checker, &files);
    unused(&mut checker, &files);
    let mut hasher = Hasher::new();
    for source in sources.iter() {
        hasher.update(&(source.text.len() as u64).to_le_bytes()).update(source.text.as_bytes());
    }
    Ok(Policy::new(name.to_string(), header?, program?, parameters, overrides, hasher.finish()))
}

/// Makes every name known before any expression is looked at.
fn declare(checker: &mut Checker, files: &[RuleFile], overrides: &[(String, String)], main: u32) -> Vec<Parameter> {
    let parameters = super::parameters::declare(checker, files, overrides, main);
    for (name, words) in files.iter().flat_map(|file| &file.words) {
        let words = words.iter().map(|word| word.value().to_lowercase()).collect();
        if checker.words.iter().any(|(known, _)| *known == name.text) {
            let message = format!("the word list `{}` is defined already", name.text);
            let diagnostic = Diagnostic::error("shadowing", name.span, message);
            let first = checker.first_places.get(&format!("mentions {}", name.text)).copied().unwrap_or_default();
            checker.diagnostics.push(diagnostic.elsewhere(first));
        }
        checker.first_places.entry(format!("mentions {}", name.text)).or_insert(name.span);
        if checker.words.len() == super::words::LISTS_MAX {
            let message = format!("more than {} word lists", super::words::LISTS_MAX);
            checker.diagnostics.push(Diagnostic::error("too-long", name.span, message).help("put lists together"));
        }
        checker.words.push((name.text.clone(), words));
    }
    super::inputs::declare(checker, files);
    for file in files {
        checker.define(file);
    }
    parameters
}

fn program(checker: &mut Checker, files: &[RuleFile]) -> Checked<Program> {
    // The score and the tables may use each other and the metrics, in the order in which they are written.
    let mut scores = files.iter().filter_map(|file| file.score.as_ref());
    let score = scores.next();
    for other in scores {
        let diagnostic =
            Diagnostic::error("shadowing", other.base.span(), "there is a [score] already, in a file that is used");
        checker.diagnostics.push(diagnostic.help("keep one of them"));
    }
    let mut score_items = Vec::new();
    let score = score.map(|score| super::score::check(checker, score, &mut score_items)).transpose();
    let mut tables = Vec::new();
    let mut failed = false;
    for table in files.iter().flat_map(|file| &file.tables) {
        match super::table::check(checker, table, tables.len()) {
            Ok(table) => tables.push(table),
            Err(Reported) => failed = true,
        }
    }
    let metrics = checker.check_definitions();
    let mut requirements = Vec::new();
    for require in files.iter().flat_map(|file| &file.requires) {
        match super::requirement::check(checker, require, &requirements) {
            Ok(requirement) => requirements.push(requirement),
            Err(Reported) => failed = true,
        }
    }
    let around = super::offer::around(checker, files);
    failed |= around.is_err();
    let (around, asking) = around.unwrap_or_default();
    let mut offers = Vec::new();
    for written in files.iter().flat_map(|file| &file.offers) {
        for tenure in &written.tenures {
            match super::offer::check(checker, written, tenure, &around) {
                Ok(offer)
                    if offers
                        .iter()
                        .any(|known: &OfferRule| (&known.id, known.tenure) == (&offer.id, offer.tenure)) =>
                {
                    let message = format!("the offer `{}` over {} is there already", offer.id, offer.tenure);
                    let diagnostic = Diagnostic::error("shadowing", tenure.span(), message);
                    checker.diagnostics.push(diagnostic.help("id and tenure together tell one offer from another"));
                    failed = true;
                }
                Ok(offer) => offers.push(offer),
                Err(Reported) => failed = true,
            }
        }
    }
    let words = super::words::WordMatcher::new(&checker.words);
    let (false, Ok(words), Ok(score)) = (failed, words, score) else { return Err(Reported) };
    let graph = std::mem::take(&mut checker.graph);
    let mut program = Program {
        graph,
        metrics,
        request: checker.request.clone(),
        words,
        schedule: Schedule::default(),
        requirements,
        score,
        score_items,
        tables,
        offers,
        asking,
    };
    program.schedule = Schedule::new(&program.graph, program.roots());
    Ok(program)
}

/// What is written and never used is most often a slip.
fn unused(checker: &mut Checker, files: &[RuleFile]) {
    let Some(main) = files.last() else { return };
    let mut warn = |kind: &str, name: &Name, sign: &str| {
        let message = format!("the {kind} `{sign}{}` is never used", name.text);
        checker.diagnostics.push(Diagnostic::warning("unused", name.span, message).help("use it or delete it"));
    };
    for parameter in &main.parameters {
        if !checker.used_parameters.contains(&parameter.name.text) {
            warn("parameter", &parameter.name, "$");
        }
    }
    for (name, _) in &main.words {
        if !checker.used_words.contains(&name.text) {
            warn("word list", name, "");
        }
    }
}
