//! Compiles rule files into a [`Policy`]: reads the header and the files it uses, declares every name, checks every
//! expression, and assembles the program. Reads no file itself: the caller supplies the texts.

use std::collections::HashSet;
use std::path::Path;

use super::policy::{Challenger, Policy};
use crate::base::date::Zone;
use crate::base::diagnostic::{Diagnostic, Refused, Severity, Sources, Span};
use crate::base::digest::{Digest, Hasher};
use crate::base::money::Currency;
use crate::base::pricing::TenureUnit;
use crate::rules::check::checker::Checker;
use crate::rules::check::declarations::file_overrides::{apply_overrides, warn_of_foreign_amounts};
use crate::rules::check::declarations::inputs::declare_inputs;
use crate::rules::check::declarations::key_lists::{ListFiles, declare_key_lists};
use crate::rules::check::declarations::kinds::check_corrections;
use crate::rules::check::declarations::narration_lists;
use crate::rules::check::declarations::parameters::declare_parameters;
use crate::rules::check::declarations::tolerance::declare_tolerance;
use crate::rules::check::declarations::unused::warn_of_unused;
use crate::rules::check::declarations::word_lists::declare_word_lists;
use crate::rules::check::expressions::definitions::CheckedDefinitions;
use crate::rules::check::judgement::order::{self, Judged};
use crate::rules::check::judgement::{offer, property, requirement, template};
use crate::rules::check::symbols::nodes::FinishedNodes;
use crate::rules::check::symbols::symbol::{Checked, Reported};
use crate::rules::check::symbols::terms::PolicyTerms;
use crate::rules::corrections::Corrections;
use crate::rules::key_list::KeyList;
use crate::rules::names::Names;
use crate::rules::parameter_variant::ParameterVariant;
use crate::rules::policy::header::check_policy_header;
use crate::rules::policy::split::Split;
use crate::rules::program::inputs::Parameter;
use crate::rules::program::schedule::Schedule;
use crate::rules::program::{Places, Program, Requirement};
use crate::rules::syntax::corrections::{self, WrittenCorrection};
use crate::rules::syntax::deep::with_stack;
use crate::rules::syntax::file::{self, Market, RuleFile};
use crate::rules::syntax::front::Challenger as Written;
use crate::rules::syntax::source::Text;
use crate::rules::syntax::uses::{self, Brought, Read, UsedFile};

/// Compiles the rule file `name`. `read` returns the text of a file by its name under `use`. `overrides` are parameters
/// set from outside.
///
/// ```
/// use lendwright::compile;
/// let text = "[policy]\nname = 'small'\nversion = '1'\ncurrency = '566'\ntime_zone = 'Africa/Lagos'\n";
/// let policy = compile("small.toml", text, &mut |_| Err("no other files".into()), &[])?;
/// assert_eq!(policy.header().version, "1");
///
/// let wrong = text.replace("time_zone", "zone");
/// let refused = compile("small.toml", &wrong, &mut |_| Err("no other files".into()), &[]).unwrap_err();
/// assert!(refused.to_string().contains("time_zone"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every mistake found in any of the files, with its place.
pub fn compile(
    name: &str,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    overrides: &[(String, String)],
) -> Result<Policy, Refused> {
    let _span = tracing::debug_span!("compile", file = name).entered();
    inspect_rule_file(name, text, read, overrides).into_policy()
}

/// As [`compile`], for a file without `[policy]` that other files use.
pub(crate) fn compile_shared(
    path: &Path,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<Policy, Refused> {
    inspect_shared(path, text, read).into_policy()
}

/// Everything known about a rule file, even if it has mistakes.
pub(crate) struct Inspected {
    /// `None` if there are errors.
    pub policy: Option<Policy>,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: Sources,
    /// `None` if the file could not be read as far as its names.
    pub names: Option<Names>,
    /// Every list of keys that was read, also for the challenger.
    lists: Vec<KeyList>,
}

impl Inspected {
    pub(super) fn into_policy(self) -> Result<Policy, Refused> {
        let Inspected { policy, diagnostics, sources, lists, .. } = self;
        let Some(mut policy) = policy else { return Err(Refused { diagnostics, sources }) };
        if let Some(challenger) = &mut policy.challenger {
            challenger.policy.sources = sources.clone();
            challenger.policy.read_lists.clone_from(&lists);
        }
        policy.read_lists = lists;
        policy.warnings = diagnostics;
        policy.sources = sources;
        Ok(policy)
    }
}

/// As [`compile`], but also returns what is known about a file with mistakes.
pub(crate) fn inspect_rule_file(
    name: &str,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    overrides: &[(String, String)],
) -> Inspected {
    inspect_variant(name, text, read, overrides, ParameterVariant::AsWritten, &[])
}

/// As [`inspect_rule_file`], with a variant of the parameters, and lists of keys that were read before.
pub(super) fn inspect_variant(
    name: &str,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
    overrides: &[(String, String)],
    variant: ParameterVariant,
    known: &[KeyList],
) -> Inspected {
    let (sources, diagnostics, lists) = (Sources::default(), Vec::new(), known.to_vec());
    let mut compiler = Compiler { name, read, overrides, variant, sources, diagnostics, lists, names: None };
    let policy = with_stack(|| compiler.with_challenger(text));
    let Compiler { sources, mut diagnostics, lists, names, .. } = compiler;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.span.source, diagnostic.span.start));
    // An expression may be checked more than once.
    let mut known = HashSet::new();
    diagnostics.retain(|found| known.insert((found.code, found.span, found.message.clone())));
    if diagnostics.len() > SHOWN_MAX {
        let more = diagnostics.len() - SHOWN_MAX;
        diagnostics.truncate(SHOWN_MAX);
        let last =
            diagnostics.last().map(|last| (last.severity, last.span)).unwrap_or((Severity::Warning, Span::default()));
        let message = format!("{more} more mistakes are not shown");
        let help = "fix the first ones: most of the others follow from them";
        diagnostics.push(Diagnostic { severity: last.0, ..Diagnostic::error("too-many", last.1, message).help(help) });
    }
    for diagnostic in &mut diagnostics {
        if let Some((span, source)) = diagnostic.elsewhere.and_then(|span| Some((span, sources.get(span)?))) {
            diagnostic.message += &format!(", at {}:{}", source.name, sources.line_column(span).0);
        }
    }
    let refused = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    Inspected { policy: policy.ok().filter(|_| !refused), diagnostics, sources, names, lists }
}

/// Compiles the policy again from its own texts, with a variant of the parameters. Every place stays the same. The
/// result is for analysis, not for decisions.
pub(crate) fn with_parameters(policy: &Policy, variant: ParameterVariant) -> Result<Policy, Refused> {
    let mut sources = policy.sources.iter();
    // The compiler adds the text of the policy itself before it reads any other.
    let main = sources.next().expect("INVARIANT: a compiled policy keeps its own source first");
    let (name, text) = (main.name.as_str(), main.text.as_str());
    let folder = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut read = |used: &str| {
        let shown = folder.join(used);
        let found = policy.sources.iter().skip(1).find(|source| Path::new(&source.name) == shown);
        found.map(|source| source.text.clone()).ok_or_else(|| "it was not read before".to_string())
    };
    inspect_variant(name, text, &mut read, &policy.overrides, variant, &policy.read_lists).into_policy()
}

/// Inspects a file without `[policy]` that other files use. The first source is an invented policy that uses it.
pub(crate) fn inspect_shared(
    path: &Path,
    text: &str,
    read: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Inspected {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    // A policy that only uses the file. No mistake in an expression depends on the currency or the zone.
    let user = format!(
        "[policy]\nname = \"user\"\nversion = \"1\"\ncurrency = \"566\"\ntime_zone = \"UTC\"\nuse = [{}]\n",
        serde_json::Value::from(name.as_str())
    );
    let mut used = |used: &str| if used == name { Ok(text.to_owned()) } else { read(used) };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut inspected = inspect_rule_file(&folder.join("user").to_string_lossy(), &user, &mut used, &[]);
    // The real users have these lists, and their own currency.
    inspected.diagnostics.retain(|diagnostic| !matches!(diagnostic.code, "missing-words" | "currency"));
    inspected
}

/// Whether a file without `[policy]` has anything to use. An empty one is a policy still to be written.
pub(crate) fn is_for_use(text: &str) -> bool {
    !file::read_rule_file(0, text, &mut Vec::new()).is_empty()
}

/// Most diagnostics shown. Each costs a search for its line, and nobody reads more.
const SHOWN_MAX: usize = 1_000;

struct Compiler<'c> {
    name: &'c str,
    read: Read<'c>,
    overrides: &'c [(String, String)],
    variant: ParameterVariant,
    sources: Sources,
    diagnostics: Vec<Diagnostic>,
    /// The lists of keys that were read.
    lists: Vec<KeyList>,
    /// The names of the policy itself, not of its challenger.
    names: Option<Names>,
}

impl Compiler<'_> {
    /// A policy, with its challenger if it has one.
    fn with_challenger(&mut self, text: &str) -> Checked<Policy> {
        let name = Path::new(self.name).file_name();
        let path = name.map_or_else(|| self.name.to_owned(), |name| name.to_string_lossy().into_owned());
        let (champion, written) = self.policy(&path, text);
        let Some(written) = written else { return champion };
        let (span, shown) = (written.file.span(), written.file.value());
        let other = match uses::path_from(&path, shown) {
            Ok(other) => other,
            Err(help) => return self.wrong(span, format!("`{shown}` is not a path from this file"), help),
        };
        if other == path {
            let help = "name the file of another version";
            return self.wrong(span, "a policy cannot challenge itself".into(), help);
        }
        let text = match uses::read_written_file(self.read, &other) {
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
            let help = "a trial splits the customers between two policies: end one trial before the next";
            return self.wrong(more.file.span(), "a challenger cannot have its own challenger".into(), help);
        }
        if let Some(key) = champion.header.reads_otherwise(&policy.header) {
            let message = format!("this policy and `{shown}` read statements differently: `{key}`");
            return self.wrong(span, message, "a statement is read once, so both must read it in the same way");
        }
        // Decisions name the given file, which leads to both policies.
        policy.file.clone_from(&champion.file);
        champion.challenger = Some(Box::new(Challenger { policy, split: split? }));
        Ok(champion)
    }

    fn wrong<T>(&mut self, span: Span, message: String, help: &str) -> Checked<T> {
        self.diagnostics.push(Diagnostic::error("challenger", span, message).help(help));
        Err(Reported)
    }

    /// The policy at `path`, relative to the folder of the given file, and the challenger that it names.
    fn policy(&mut self, path: &str, text: &str) -> (Checked<Policy>, Option<Written>) {
        let shown = Path::new(self.name).parent().unwrap_or(Path::new("")).join(path);
        let source = self.sources.add(shown.to_string_lossy(), text);
        let main = file::read_rule_file(source, text, &mut self.diagnostics);
        let challenger = main.header.as_ref().and_then(|header| header.challenger.clone());
        (self.assemble(path, source, main), challenger)
    }

    fn assemble(&mut self, path: &str, source: u32, main: RuleFile) -> Checked<Policy> {
        let Some(mut written) = main.header.clone() else {
            if main.unread {
                return Err(Reported);
            }
            let diagnostic = Diagnostic::error("missing-policy", Span::new(source, 0, 0), "`[policy]` is missing");
            let help = "a policy begins with [policy] and its name, version and currency";
            self.diagnostics.push(diagnostic.help(help));
            return Err(Reported);
        };
        let Brought { files, spaces, mut listed } =
            uses::bring_in(main, path, self.name, self.read, &mut self.sources, &mut self.diagnostics);
        // The definitions of an unreadable file are unknown, so every use of one would be reported as a mistake.
        if files.iter().any(|file| file.unread) {
            return Err(Reported);
        }
        let market = self.one_market(&files);
        if let Some(market) = market {
            written.currency = written.currency.or_else(|| market.currency.clone());
            written.time_zone = written.time_zone.or_else(|| market.time_zone.clone());
        }
        let header = check_policy_header(&written, market, &mut self.diagnostics);
        // Checks the rest of the file even if the header has a mistake, to report everything at once.
        let declared = written.currency.as_ref().and_then(|text| Currency::from_numeric(text.value()));
        let currency = declared.or(Currency::from_numeric("566")).ok_or(Reported)?;
        let units = [TenureUnit::Days, TenureUnit::Weeks, TenureUnit::Months];
        let unit =
            written.tenure_unit.as_ref().and_then(|text| units.into_iter().find(|unit| unit.name() == text.value()));
        let terms = PolicyTerms::new(currency, unit.unwrap_or(TenureUnit::Days));
        let corrections = match &written.corrections {
            Some(named) => Some(self.read_corrections(path, named, &mut listed)?),
            None => None,
        };
        let mut checker = Checker::new(terms, spaces, self.variant.clone(), &mut self.diagnostics);
        if corrections.as_ref().is_some_and(|corrections| !corrections.all.is_empty()) {
            checker.kinds.note_corrections();
        }
        let from = ListFiles { read: self.read, known: &mut self.lists };
        declare_key_lists(&mut checker.lists, &mut checker.mistakes, &files, from, &mut listed);
        let parameters = declare_all_names(&mut checker, &files, self.overrides, source);
        let zone = header.as_ref().ok().map(|header| header.zone.clone());
        let program = assemble_program(&mut checker, &files, parameters, zone, corrections);
        let written = written.currency.as_ref();
        warn_of_foreign_amounts(&mut checker.mistakes, &checker.parameters, currency, written);
        warn_of_unused(&mut checker.mistakes, &checker.parameters, &checker.words, &checker.lists, &files);
        let names = checker.uses.take_names();
        self.names.get_or_insert(names);
        let mut hasher = Hasher::new();
        for source in self.sources.iter().skip(source as usize) {
            hasher.update(&(source.text.len() as u64).to_le_bytes()).update(source.text.as_bytes());
        }
        // The keys are personal, so they are no source that a message may show.
        for list in program.iter().flat_map(|program| &program.lists) {
            hasher.update(list.keys.digest.as_bytes());
        }
        let policy = Policy::new(self.name.to_string(), header?, program?, listed, self.overrides, hasher.finish());
        Ok(Policy { main: source, ..policy })
    }

    /// The market of the files, which are of one at most.
    fn one_market<'f>(&mut self, files: &'f [RuleFile]) -> Option<&'f Market> {
        let mut markets = files.iter().filter_map(|file| file.market.as_ref());
        let first = markets.next()?;
        for other in markets {
            let wrong = Diagnostic::error("shadowing", other.span, "there is another [market] already");
            let help = "a policy is of one market: use one file of markets";
            self.diagnostics.push(wrong.help(help).elsewhere(first.span));
        }
        Some(first)
    }

    /// Reads the file of corrections that the rule file `by` names.
    fn read_corrections(&mut self, by: &str, named: &Text, listed: &mut Vec<UsedFile>) -> Checked<ReadCorrections> {
        let (span, shown) = (named.span(), named.value());
        let (path, text) = match uses::path_from(by, shown) {
            Ok(path) => match uses::read_written_file(self.read, &path) {
                Ok(text) => (path, text),
                Err(why) => {
                    let message = format!("`{shown}` cannot be read: {why}");
                    let help = "an empty file has no correction; `lendwright records --correct` writes the first one";
                    return self.wrong_corrections(span, message, help);
                }
            },
            Err(help) => return self.wrong_corrections(span, format!("`{shown}` is not a path from this file"), help),
        };
        let digest = Digest::compute(text.as_bytes());
        listed.push(UsedFile { path: path.clone(), digest });
        let folder = Path::new(self.name).parent().unwrap_or(Path::new(""));
        let source = self.sources.add(folder.join(&path).to_string_lossy(), text.clone());
        let all = corrections::read_corrections(&path, source, &text, &mut self.diagnostics);
        Ok(ReadCorrections { digest, all })
    }

    fn wrong_corrections<T>(&mut self, span: Span, message: String, help: &str) -> Checked<T> {
        self.diagnostics.push(Diagnostic::error("correction", span, message).help(help));
        Err(Reported)
    }
}

/// A file of corrections, as written.
struct ReadCorrections {
    digest: Digest,
    all: Vec<WrittenCorrection>,
}

/// Declares every name before any expression is checked.
fn declare_all_names(
    checker: &mut Checker,
    files: &[RuleFile],
    overrides: &[(String, String)],
    main: u32,
) -> Vec<Parameter> {
    let Checker { terms, mistakes, spaces, symbols, parameters: known, words, inputs, uses, .. } = &mut *checker;
    let written = apply_overrides(mistakes, uses, terms.currency(), files, main);
    let parameters = declare_parameters(known, mistakes, terms.currency(), &written, overrides, main);
    declare_tolerance(known, mistakes, files, &parameters);
    declare_word_lists(words, spaces, uses, mistakes, files);
    declare_inputs(inputs, symbols, mistakes, files);
    for file in files {
        checker.define(file);
    }
    checker.declare_kinds(files);
    parameters
}

/// The requirements, and whether all of them could be read.
fn check_requirements(checker: &mut Checker, files: &[RuleFile]) -> (Vec<Requirement>, bool) {
    let (mut requirements, mut are_whole) = (Vec::new(), true);
    for require in files.iter().flat_map(|file| &file.requires) {
        checker.spaces.enter(require.id.span());
        match requirement::check_requirement(checker, require, &requirements) {
            Ok(requirement) => requirements.push(requirement),
            Err(Reported) => are_whole = false,
        }
    }
    (requirements, are_whole)
}

fn assemble_program(
    checker: &mut Checker,
    files: &[RuleFile],
    parameters: Vec<Parameter>,
    zone: Option<Zone>,
    corrections: Option<ReadCorrections>,
) -> Checked<Program> {
    // Metrics, the score and the tables may use each other in any order.
    let Judged { score, items: mut score_items, tables, whole } = order::check_score_and_tables(checker, files);
    let mut failed = !whole;
    let CheckedDefinitions { metrics, of_groups, finer, references } = checker.check_definitions();
    let (mut requirements, are_whole) = check_requirements(checker, files);
    failed |= !are_whole;
    let offers = offer::check_all_offers(checker, files);
    let parts =
        offers.as_ref().map(|(offers, _)| property::Parts { requirements: &requirements, tables: &tables, offers });
    let mut properties = Vec::new();
    for written in files.iter().flat_map(|file| &file.properties) {
        match parts.as_ref().map(|parts| property::resolve_property(checker, written, parts)) {
            Ok(Ok(property)) => properties.push(property),
            _ => failed = true,
        }
    }
    checker.complete_names();
    let (false, Ok(score)) = (failed, score) else { return Err(Reported) };
    let (offers, asking) = offers?;
    let FinishedNodes { graph, aggregates, cells } = checker.nodes.finish();
    let words = narration_lists::make_matcher(&checker.words, &graph);
    template::note_ends(&graph, &mut requirements, &mut score_items, &tables);
    let mut by_name: Vec<usize> = (0..metrics.len()).collect();
    by_name.sort_by_key(|metric| &metrics[*metric].name);
    let normaliser = narration_lists::make_normaliser(&checker.words, &graph);
    let Checker { mistakes, words: lists, lists: key_lists, symbols, parameters: known, inputs, kinds, .. } = checker;
    let kinds = kinds.take_kinds();
    let corrections = corrections.map(|ReadCorrections { digest, all }| {
        Corrections::new(digest, check_corrections(mistakes, &kinds, &normaliser, &all))
    });
    narration_lists::warn_of_missing_lists(mistakes, lists, symbols, &graph, &metrics);
    narration_lists::warn_of_unfindable_words(mistakes, lists, &graph, files, &normaliser, &words);
    let mut program = Program {
        zone: zone.ok_or(Reported)?,
        graph,
        metrics,
        by_name,
        places: Places { aggregates, of_groups, cells, finer, references },
        input_spans: inputs.all().iter().map(|input| symbols.place_of(&input.path()).unwrap_or_default()).collect(),
        inputs: inputs.all().to_vec(),
        stream_tolerance: known.tolerance(),
        parameters,
        anywhere: known.take_used_as_written(),
        words,
        normaliser,
        kinds,
        corrections,
        word_lists: lists.take_lists(),
        lists: key_lists.take_lists(),
        schedule: Schedule::default(),
        quick: Schedule::default(),
        requirements,
        score,
        score_items,
        tables,
        offers,
        asking,
        properties,
    };
    program.schedule = Schedule::new(&program.graph, program.roots());
    program.quick = Schedule::quick(&program.graph, program.roots());
    Ok(program)
}
