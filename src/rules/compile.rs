//! Rule files -> [`Policy`]: reads the header, brings in what it uses, declares every name, checks every expression, and
//! puts the program together. Reads no file itself: the caller hands texts in.

use std::path::Path;

use super::check::{Checked, Checker, Place, Reported, Symbol};
use super::file::{self, RuleFile};
use super::front::Challenger as Written;
use super::header::header;
use super::ir::{Grain, NodeId, Type, Unit};
use super::policy::{Challenger, Policy};
use super::program::{Effect, Metric, OfferRule, Parameter, Part, Program, Requirement, Schedule, Template};
use super::source::{Name, Text, word};
use super::split::Split;
use super::uses::{Brought, Read};
use crate::words::diagnostic::{Diagnostic, Refused, Severity, Sources, Span};
use crate::words::digest::Hasher;
use crate::words::money::Currency;
use crate::words::pricing::Method;

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
    let mut compiler = Compiler { name, read, overrides, sources: Sources::default(), diagnostics: Vec::new() };
    let policy = compiler.with_challenger(text);
    let Compiler { sources, mut diagnostics, .. } = compiler;
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
            if let Some(challenger) = &mut policy.challenger {
                challenger.policy.sources = sources.clone();
            }
            policy.warnings = diagnostics;
            policy.sources = sources;
            Ok(policy)
        }
        _ => Err(Refused { diagnostics, sources }),
    }
}

struct Compiler<'c> {
    name: &'c str,
    read: Read<'c>,
    overrides: &'c [(String, String)],
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
}

impl Compiler<'_> {
    /// A policy and, where it has one, the challenger that is tried beside it.
    fn with_challenger(&mut self, text: &str) -> Checked<Policy> {
        let name = Path::new(self.name).file_name();
        let path = name.map_or_else(|| self.name.to_owned(), |name| name.to_string_lossy().into_owned());
        let (champion, written) = self.policy(&path, text);
        let Some(written) = written else { return champion };
        let (span, shown) = (written.file.span(), written.file.value());
        let other = match super::uses::path_from(&path, shown) {
            Ok(other) => other,
            Err(help) => return self.wrong(span, format!("`{shown}` is not a path from this file"), help),
        };
        if other == path {
            let help = "name the file of another version";
            return self.wrong(span, "a policy cannot challenge itself".into(), help);
        }
        let text = match (self.read)(&other) {
            Ok(text) => text,
            Err(why) => {
                return self.wrong(
                    span,
                    format!("`{shown}` cannot be read: {why}"),
                    "the path is relative to this file",
                );
            }
        };
        let split = Split::new(&written, &mut self.diagnostics);
        let (challenger, more) = self.policy(&other, &text);
        let (mut champion, mut policy) = (champion?, challenger?);
        if let Some(more) = more {
            let help = "two policies share the customers; end one trial before the next";
            return self.wrong(more.file.span(), "a challenger has no challenger of its own".into(), help);
        }
        if let Some(key) = champion.header.reads_otherwise(&policy.header) {
            let message = format!("this policy and `{shown}` read statements differently: `{key}`");
            return self.wrong(span, message, "a statement is read once; let both say the same");
        }
        // What a decision names is the file that was given: it leads to both.
        policy.file.clone_from(&champion.file);
        champion.challenger = Some(Box::new(Challenger { policy, split: split? }));
        Ok(champion)
    }

    fn wrong<T>(&mut self, span: Span, message: String, help: &str) -> Checked<T> {
        self.diagnostics.push(Diagnostic::error("challenger", span, message).help(help));
        Err(Reported)
    }

    /// The policy at `path` from the folder of what was given, and the challenger that it names.
    fn policy(&mut self, path: &str, text: &str) -> (Checked<Policy>, Option<Written>) {
        let shown = Path::new(self.name).parent().unwrap_or(Path::new("")).join(path);
        let source = self.sources.add(shown.to_string_lossy(), text);
        let main = file::read(source, text, &mut self.diagnostics);
        let challenger = main.header.as_ref().and_then(|header| header.challenger.clone());
        (self.assemble(path, source, main), challenger)
    }

    fn assemble(&mut self, path: &str, source: u32, main: RuleFile) -> Checked<Policy> {
        let Some(written) = main.header.clone() else {
            let diagnostic = Diagnostic::error("missing-policy", Span::new(source, 0, 0), "`[policy]` is missing");
            let help = "a policy begins with [policy] and its name, version and currency";
            self.diagnostics.push(diagnostic.help(help));
            return Err(Reported);
        };
        let Brought { files, spaces, listed } =
            super::uses::bring_in(main, path, self.name, self.read, &mut self.sources, &mut self.diagnostics);
        let header = header(&written, &mut self.diagnostics);
        // With a mistake in its head the rest of the file is looked at all the same, so that all is told at once.
        let declared = written.currency.as_ref().and_then(|text| Currency::from_numeric(text.value()));
        let currency = declared.or(Currency::from_numeric("566")).ok_or(Reported)?;
        let mut checker = Checker::new(currency, &mut self.diagnostics);
        checker.spaces = spaces;
        if written.tenure_unit.as_ref().is_none_or(|unit| unit.value() == "days") {
            checker.tenure = Type::DAYS;
        }
        let parameters = declare(&mut checker, &files, self.overrides, source);
        let program = program(&mut checker, &files, parameters);
        unused(&mut checker, &files);
        let mut hasher = Hasher::new();
        for source in self.sources.iter().skip(source as usize) {
            hasher.update(&(source.text.len() as u64).to_le_bytes()).update(source.text.as_bytes());
        }
        Ok(Policy::new(self.name.to_string(), header?, program?, listed, self.overrides, hasher.finish()))
    }
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

fn program(checker: &mut Checker, files: &[RuleFile], parameters: Vec<Parameter>) -> Checked<Program> {
    // The score and the tables may use each other and the metrics, in the order in which they are written.
    let mut scores = files.iter().filter_map(|file| file.score.as_ref());
    let score = scores.next();
    for other in scores {
        let diagnostic =
            Diagnostic::error("shadowing", other.base.span(), "there is a [score] already, in a file that is used");
        checker.diagnostics.push(diagnostic.help("keep one of them"));
    }
    let mut score_items = Vec::new();
    let score = score.map(|score| {
        checker.enter(score.base.span());
        super::score::check(checker, score, &mut score_items)
    });
    let score = score.transpose();
    let mut tables = Vec::new();
    let mut failed = false;
    for table in files.iter().flat_map(|file| &file.tables) {
        checker.enter(table.name.span);
        match super::table::check(checker, table, tables.len()) {
            Ok(table) => tables.push(table),
            Err(Reported) => failed = true,
        }
    }
    let metrics = checker.check_definitions();
    let mut requirements = Vec::new();
    for require in files.iter().flat_map(|file| &file.requires) {
        checker.enter(require.id.span());
        match requirement(checker, require, &requirements) {
            Ok(requirement) => requirements.push(requirement),
            Err(Reported) => failed = true,
        }
    }
    let mut offers = Vec::new();
    for written in files.iter().flat_map(|file| &file.offers) {
        checker.enter(written.span);
        for tenure in &written.tenures {
            match offer(checker, written, tenure) {
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
    let schedule = Schedule::new(&graph, roots(&metrics, &requirements, &score, &score_items, &tables, &offers));
    Ok(Program {
        graph,
        metrics,
        inputs: checker.inputs.clone(),
        parameters,
        words,
        schedule,
        requirements,
        score,
        score_items,
        tables,
        offers,
    })
}

/// Everything that is read off the graph.
fn roots(
    metrics: &[Metric],
    requirements: &[Requirement],
    score: &Option<(f64, NodeId)>,
    items: &[super::program::ScoreItem],
    tables: &[super::program::DecisionTable],
    offers: &[OfferRule],
) -> Vec<NodeId> {
    let mut roots: Vec<NodeId> = metrics.iter().map(|metric| metric.node).collect();
    for requirement in requirements {
        roots.push(requirement.when);
        roots.extend(requirement.reason.0.iter().filter_map(|part| match part {
            Part::Value(node) => Some(*node),
            Part::Text(_) => None,
        }));
    }
    roots.extend(score.iter().map(|(_, node)| *node));
    roots.extend(items.iter().flat_map(|item| [item.on, item.node]));
    for table in tables {
        roots.push(table.node);
        roots.extend(table.outputs.iter().map(|(_, _, node)| *node));
    }
    for offer in offers {
        roots.extend([offer.amount, offer.interest, offer.instalments]);
        roots.extend(offer.when);
        roots.extend(offer.fee);
    }
    roots
}

fn requirement(checker: &mut Checker, written: &file::Require, before: &[Requirement]) -> Checked<Requirement> {
    if before.iter().any(|requirement| requirement.id == written.id.value()) {
        let message = format!("the requirement `{}` is there already", written.id.value());
        checker.diagnostics.push(Diagnostic::error("shadowing", written.id.span(), message));
    }
    let when = checker.condition(&written.when, Place::STATEMENT);
    let effects = [("decline", Effect::Decline), ("refer", Effect::Refer)];
    let otherwise = word(written.otherwise.as_ref(), &effects, Effect::Decline, checker.diagnostics);
    let effects = [("decline", Effect::Decline), ("refer", Effect::Refer), ("pass", Effect::Pass)];
    let unknown = word(written.unknown.as_ref(), &effects, Effect::Refer, checker.diagnostics);
    let reason = template(checker, &written.reason);
    Ok(Requirement {
        id: written.id.value().to_string(),
        text: written.when.value().to_string(),
        when: when?,
        otherwise,
        unknown,
        reason: reason?,
        span: written.id.span(),
    })
}

/// Text with `{name}`, `{$parameter}` and `{request.field}` in it.
fn template(checker: &mut Checker, text: &Text) -> Checked<Template> {
    let value = text.value();
    let mut parts = Vec::new();
    let mut failed = false;
    let mut at = 0;
    while let Some(open) = value[at..].find('{').map(|open| at + open) {
        let Some(close) = value[open..].find('}').map(|close| open + close) else {
            let span = text.locate(open, value.len());
            let help = "write {name}, {$parameter} or {request.field}";
            return checker.report(Diagnostic::error("syntax", span, "`{` without `}`").help(help));
        };
        parts.push(Part::Text(value[at..open].to_string()));
        match placeholder(checker, &value[open + 1..close], text.locate(open + 1, close), text.locate(open, close + 1))
        {
            Ok(node) => parts.push(Part::Value(node)),
            Err(Reported) => failed = true,
        }
        at = close + 1;
    }
    parts.push(Part::Text(value[at..].to_string()));
    if failed { Err(Reported) } else { Ok(Template(parts)) }
}

/// What stands between the brackets, at `span`; `whole` is the place with them.
fn placeholder(checker: &mut Checker, inner: &str, span: Span, whole: Span) -> Checked<NodeId> {
    if inner.trim().is_empty() {
        let help = "write {name}, {$parameter} or {request.field}";
        return checker.report(Diagnostic::error("syntax", whole, "`{}` names nothing").help(help));
    }
    let typed = match (inner.strip_prefix('$'), inner.rsplit_once('.')) {
        (Some(parameter), _) => super::typing::parameter(checker, parameter, span)?,
        (None, Some((table, field))) => super::typing::qualified(checker, table, field, span, Place::STATEMENT)?,
        // In a sentence the `$` may be left out, where no other name is meant.
        (None, None) if !checker.knows_name(inner) && checker.knows_parameter(inner) => {
            super::typing::parameter(checker, inner, span)?
        }
        (None, None) => checker.name(inner, span, Place::STATEMENT)?,
    };
    Ok(checker.at_least(typed, Grain::Statement))
}

fn offer(checker: &mut Checker, written: &file::Offer, tenure: &Text) -> Checked<OfferRule> {
    let tenure_value = tenure.value().parse::<u32>().ok().filter(|tenure| (1..=36_500).contains(tenure));
    if tenure_value.is_none() {
        let message = "a tenure is a whole number from 1 to 36,500";
        checker.diagnostics.push(Diagnostic::error("offer", tenure.span(), message));
    }
    let methods = [("flat", Method::Flat), ("reducing", Method::Reducing), ("bullet", Method::Bullet)];
    let method = word(written.method.as_ref(), &methods, Method::Flat, checker.diagnostics);
    let place = Place { method: Some(method), ..Place::STATEMENT };
    let tenure_node =
        checker.literal(super::program::Value::Int(i64::from(tenure_value.unwrap_or(1))), checker.tenure).node;
    let mut scope = OfferScope { checker, names: Vec::new() };
    scope.name("tenure", tenure_node);
    let instalments = match &written.instalments {
        Some(text) => scope.number(text, place, "instalments"),
        None => Ok(scope.checker.literal(super::program::Value::Int(1), Type::COUNT).node),
    };
    if let Ok(node) = instalments {
        scope.name("instalments", node);
    }
    let when = written.when.as_ref().map(|when| scope.checker.condition(when, place)).transpose();
    let amount = scope.money(&written.amount, place);
    if let Ok(node) = amount {
        scope.name("amount", node);
    }
    let interest = scope.number(&written.interest, place, "interest");
    if let Ok(node) = interest {
        scope.name("interest", node);
    }
    let fee = written.fee.as_ref().map(|fee| scope.money(fee, place)).transpose();
    scope.close();
    let valid = written.valid_for_days.as_ref().map_or(Some(7), |days| days.value().parse::<u32>().ok());
    let Some(valid_for_days) = valid.filter(|days| *days <= 3_650) else {
        let span = written.valid_for_days.as_ref().map_or(written.span, Text::span);
        let message = "valid_for_days is a whole number of days, up to 3,650";
        return checker.report(Diagnostic::error("offer", span, message));
    };
    Ok(OfferRule {
        id: written.id.value().to_string(),
        tenure: tenure_value.ok_or(Reported)?,
        when: when?,
        amount: amount?,
        interest: interest?,
        instalments: instalments?,
        fee: fee?,
        method,
        valid_for_days,
        part_payment: written.part_payment.unwrap_or(false),
        terms: written.terms.as_ref().map(|terms| terms.value().to_string()).unwrap_or_default(),
        span: tenure.span(),
    })
}

/// The names that only an offer knows, taken back when it is done.
struct OfferScope<'c, 'd> {
    checker: &'c mut Checker<'d>,
    names: Vec<&'static str>,
}

impl OfferScope<'_, '_> {
    fn name(&mut self, name: &'static str, node: NodeId) {
        self.checker.symbols.insert(name.to_string(), (Symbol::Node(node), Span::default()));
        self.names.push(name);
    }

    fn close(self) {
        for name in self.names {
            self.checker.symbols.remove(name);
        }
    }

    fn number(&mut self, text: &Text, place: Place, what: &str) -> Checked<NodeId> {
        let typed = self.checker.expression(text, place)?;
        if !typed.ty.is_numeric() || !(typed.ty.unit.is_plain()) {
            let message = format!("`{what}` must be a number, but this is {}", super::typing::describe(typed.ty));
            return self.checker.report(Diagnostic::error("type", text.span(), message));
        }
        Ok(self.checker.at_least(typed, Grain::Statement))
    }

    fn money(&mut self, text: &Text, place: Place) -> Checked<NodeId> {
        let typed = self.checker.expression(text, place)?;
        let typed = self.checker.adapt(typed, Unit::Money, text.span())?;
        if typed.ty.unit != Unit::Money {
            let message = format!("this must be money, but it is {}", super::typing::describe(typed.ty));
            return self.checker.report(Diagnostic::error("type", text.span(), message));
        }
        Ok(self.checker.at_least(typed, Grain::Statement))
    }
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
