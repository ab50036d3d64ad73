//! Rule files -> [`Policy`]: reads the header, brings in what it uses, declares every name, checks every expression, and
//! puts the program together. Reads no file itself: the caller hands texts in.

use std::path::Path;

use super::check::{Checked, Checker, Place, Reported, Symbol, constant};
use super::file::{self, RuleFile};
use super::header::header;
use super::ir::{Grain, NodeId, Op, Repr, Rounding, Type, Unit};
use super::policy::Policy;
use super::program::{
    Effect, Metric, OfferRule, Parameter, Part, Program, RequestField, Requirement, Schedule, Template,
};
use super::source::{Name, Text, word};
use crate::words::diagnostic::{Diagnostic, Refused, Severity, Sources, Span, nearest};
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
    let mut files = used_files(&written, name, read, sources, diagnostics);
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

/// The files that the policy `name` uses.
fn used_files(
    written: &file::Header,
    name: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    sources: &mut Sources,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<RuleFile> {
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut files = Vec::new();
    for (index, used) in written.uses.iter().enumerate() {
        let mut wrong = |message: String, help: &str| {
            diagnostics.push(Diagnostic::error("use", used.span(), message).help(help));
        };
        let shown = folder.join(used.value());
        if shown == Path::new(name) {
            wrong("a policy cannot use itself".into(), "name the file that holds what several policies share");
            continue;
        }
        if written.uses[..index].iter().any(|before| before.value() == used.value()) {
            wrong(format!("`{}` is used already", used.value()), "once is enough");
            continue;
        }
        match read(used.value()) {
            Ok(text) => {
                let source = sources.add(shown.to_string_lossy(), text.clone());
                let file = file::read(source, &text, diagnostics);
                if let Some(header) = &file.header {
                    let message = "a file that is used brings no [policy] of its own";
                    let help = "put what both need into a file without [policy], and let both use that";
                    diagnostics.push(Diagnostic::error("shadowing", header.span, message).help(help));
                }
                files.push(file);
            }
            Err(why) => {
                wrong(format!("`{}` cannot be read: {why}", used.value()), "the path is relative to this file");
            }
        }
    }
    files
}

/// Makes every name known before any expression is looked at.
fn declare(checker: &mut Checker, files: &[RuleFile], overrides: &[(String, String)], main: u32) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for written in files.iter().flat_map(|file| &file.parameters) {
        parameters.extend(parameter(checker, written, overrides));
    }
    for (name, _) in overrides {
        if !checker.parameters.contains_key(name) {
            let near = nearest(name, checker.parameters.keys().map(String::as_str));
            let help =
                near.map_or("the policy has no such parameter".to_string(), |near| format!("did you mean `{near}`?"));
            let message = format!("unknown parameter `{name}` given from outside");
            checker.diagnostics.push(Diagnostic::error("unknown-parameter", Span::new(main, 0, 0), message).help(help));
        }
    }
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
    for (name, kind) in files.iter().flat_map(|file| &file.request) {
        let units = Unit::ALL.map(|unit| (unit.word(), unit));
        let unit = word(Some(kind), &units, Unit::Number, checker.diagnostics);
        checker.request.push(RequestField { name: name.text.clone(), ty: Type::declared(unit) });
    }
    for file in files {
        checker.define(file);
    }
    parameters
}

fn parameter(checker: &mut Checker, written: &file::Parameter, overrides: &[(String, String)]) -> Option<Parameter> {
    let name = written.name.text.clone();
    if checker.parameters.contains_key(&name) {
        let message = format!("the parameter `{name}` is defined already");
        let diagnostic = Diagnostic::error("shadowing", written.name.span, message);
        let first = checker.first_places.get(&format!("${name}")).copied().unwrap_or_default();
        checker.diagnostics.push(diagnostic.elsewhere(first));
        return None;
    }
    checker.first_places.insert(format!("${name}"), written.name.span);
    let unit = written.unit.as_ref().and_then(|unit| {
        let units = Unit::ALL.map(|unit| (unit.word(), Some(unit)));
        word(Some(unit), &units, None, checker.diagnostics)
    });
    let given = overrides.iter().rev().find(|(known, _)| *known == name).map(|(_, text)| text.as_str());
    let text = given.unwrap_or(written.value.value());
    let mut bad = |span: Span, message: String| {
        checker.diagnostics.push(Diagnostic::error("parameter", span, format!("parameter `{name}`: {message}")));
    };
    let parsed = constant(checker.currency, text, unit);
    let (value, ty) = match parsed {
        Ok(parsed) => parsed,
        Err(message) => {
            bad(written.value.span(), message);
            checker.broken_parameters.insert(name);
            return None;
        }
    };
    // What is given from outside is of the kind that the policy wrote, or the mistake would show somewhere else.
    if let (Some(_), Ok((own, _))) = (given, constant(checker.currency, written.value.value(), unit))
        && super::program::compare(&value, &own).is_none()
    {
        bad(
            written.value.span(),
            format!("`{text}`, given from outside, is not of the kind of {}", written.value.value()),
        );
        checker.broken_parameters.insert(name);
        return None;
    }
    if let (Some(min), Some(max)) = (&written.min, &written.max)
        && let (Ok((low, _)), Ok((high, _))) =
            (constant(checker.currency, min.value(), unit), constant(checker.currency, max.value(), unit))
        && super::program::compare(&low, &high) == Some(std::cmp::Ordering::Greater)
    {
        bad(min.span(), format!("its min {} lies above its max {}", min.value(), max.value()));
        checker.broken_parameters.insert(name);
        return None;
    }
    for (bound, wrong, says) in [
        (&written.min, std::cmp::Ordering::Less, "below its min"),
        (&written.max, std::cmp::Ordering::Greater, "above its max"),
    ] {
        let Some(bound) = bound else { continue };
        match constant(checker.currency, bound.value(), unit) {
            Ok((limit, _)) if super::program::compare(&value, &limit) == Some(wrong) => {
                bad(bound.span(), format!("{text} is {says} {}", bound.value()));
            }
            Ok(_) => {}
            Err(message) => bad(bound.span(), message),
        }
    }
    checker.parameters.insert(name.clone(), (value.clone(), ty));
    Some(Parameter { name, value, ty, text: text.to_string() })
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
    let amount = scope.money(&written.amount, place).map(|node| scope.whole(node));
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

    /// Money as it is offered: the fee and the interest are worked out from that.
    fn whole(&mut self, money: NodeId) -> NodeId {
        if self.checker.graph.node(money).ty == Type::MONEY {
            return money;
        }
        let step = self.checker.literal(super::program::Value::Float(1.0), Type::MONEY.with(Repr::Float)).node;
        let op = Op::Round(Rounding::Down);
        self.checker.graph.add(op, vec![money, step], Type::MONEY, Grain::Statement)
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
