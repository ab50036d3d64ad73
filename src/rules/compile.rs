//! Rule files -> [`Policy`]: reads the header, brings in what it uses, declares every name, checks every expression, and
//! puts the program together. Reads no file itself: the caller hands texts in.

use super::check::{Checked, Checker, Place, Reported, Symbol};
use super::file::{self, RuleFile};
use super::header::header;
use super::ir::{Grain, NodeId, Type, Unit};
use super::policy::Policy;
use super::program::{Effect, Metric, OfferRule, Parameter, Part, Program, Requirement, Schedule, Template};
use super::source::{Name, Text, word};
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
        let diagnostic = Diagnostic::error("missing-policy", Span::new(source, 0, 0), "`[policy]` is missing");
        diagnostics.push(diagnostic.help("a policy begins with [policy] and its name, version and currency"));
        return Err(Reported);
    };
    let mut files = super::uses::used_files(&written, name, read, sources, diagnostics);
    files.push(main);
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
        match requirement(checker, require, &requirements) {
            Ok(requirement) => requirements.push(requirement),
            Err(Reported) => failed = true,
        }
    }
    let mut offers = Vec::new();
    for written in files.iter().flat_map(|file| &file.offers) {
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
        request: checker.request.clone(),
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
    let typed = match (inner.strip_prefix('$'), inner.split_once('.')) {
        (Some(parameter), _) => super::typing::parameter(checker, parameter, span)?,
        (None, Some((table, field))) => super::typing::request_field(checker, table, field, span)?,
        // In a sentence the `$` may be left out, where no other name is meant.
        (None, None) if !checker.symbols.contains_key(inner) && checker.parameters.contains_key(inner) => {
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
