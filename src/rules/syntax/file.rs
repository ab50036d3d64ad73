//! Reads a rule file: TOML in, sections with the place of every value out. Continues after a mistake, so that one run
//! shows all of them.

use super::front::{self, Front, InputKind, InputSource};
pub(crate) use super::front::{Header, Input, Market, Parameter, Use};
use super::judgement::{self, Ask, DecisionTable, Exposure, Judgement, Offer, Require, Score};
use super::property;
use crate::base::diagnostic::Diagnostic;
use crate::rules::grain::{Grain, Group};
use crate::rules::syntax::source::{Name, Text};
use crate::rules::syntax::toml_reader::{TomlReader, TomlTable, TomlValue};

/// The sections of definitions, one per grain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefinitionSection {
    Transaction,
    Group(Group),
    Metric,
}

impl DefinitionSection {
    /// Every section of definitions, in the usual order of files.
    pub(crate) fn all() -> impl Iterator<Item = DefinitionSection> {
        let groups = Group::ALL.map(DefinitionSection::Group);
        std::iter::once(DefinitionSection::Transaction).chain(groups).chain([DefinitionSection::Metric])
    }

    /// Its key in a file.
    pub(crate) fn key(self) -> &'static str {
        match self {
            DefinitionSection::Transaction => "transaction",
            DefinitionSection::Group(group) => group.word(),
            DefinitionSection::Metric => "metric",
        }
    }

    /// The section with that key.
    pub(crate) fn from_key(key: &str) -> Option<DefinitionSection> {
        DefinitionSection::all().find(|section| section.key() == key)
    }
}

impl DefinitionSection {
    /// The grain of its definitions.
    pub(crate) fn grain(self) -> Grain {
        match self {
            DefinitionSection::Transaction => Grain::Transaction,
            DefinitionSection::Group(group) => Grain::Group(group),
            DefinitionSection::Metric => Grain::Statement,
        }
    }
}

/// The sections of a policy's file, in the order of the reference.
pub(crate) fn rule_file_sections() -> impl Iterator<Item = &'static str> {
    let given = ["policy", "market", "parameters", "words", "list", "kind", "request", "bureau", "own", "input"];
    let judged = ["require", "score", "table", "exposure", "ask", "offer", "property"];
    // Corrections are in a file of their own.
    let judged = judged.into_iter().chain(["correction"]);
    given.into_iter().chain(DefinitionSection::all().map(DefinitionSection::key)).chain(judged)
}

/// One entry of `[transaction]`, `[metric]` or a group such as `[month]`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub section: DefinitionSection,
    pub name: Name,
    pub expression: Text,
    /// For people.
    pub doc: Option<Text>,
}

/// An entry of `[words]`.
#[derive(Clone, Debug)]
pub(crate) struct WordList {
    pub name: Name,
    /// The words of the list, or the words to add to it.
    pub words: Vec<Text>,
    /// The words to remove, if this changes a list of another file.
    pub without: Option<Vec<Text>>,
}

/// `[list.NAME]`: keys in a file of their own.
#[derive(Clone, Debug)]
pub(crate) struct WrittenList {
    pub name: Name,
    /// `None` if a mistake in it was reported.
    pub file: Option<Text>,
    /// The column of the keys; the first one without it.
    pub key: Option<Text>,
    /// The column with the last day of each entry.
    pub until: Option<Text>,
    pub ignores_case: bool,
    /// For people.
    pub doc: Option<Text>,
    /// The path of the file from the policy's folder; `None` if a mistake in it was reported.
    pub path: Option<String>,
}

/// An entry of `[kind]`: what a person may say that a record is. The flags are true of records of that side; every
/// other flag that some kind of the side names is false.
#[derive(Clone, Debug)]
pub(crate) struct WrittenKind {
    pub name: Name,
    /// The flags of money that came in; a kind without them lacks that side.
    pub credit: Option<Vec<Text>>,
    /// The flags of money that went out.
    pub debit: Option<Vec<Text>>,
}

/// One rule file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleFile {
    pub header: Option<Header>,
    pub market: Option<Market>,
    /// Parts of it could not be read, so what seems to be missing may be there.
    pub unread: bool,
    /// The files it uses, whether it is a policy or not.
    pub uses: Vec<Use>,
    pub parameters: Vec<Parameter>,
    pub words: Vec<WordList>,
    pub lists: Vec<WrittenList>,
    pub kinds: Vec<WrittenKind>,
    pub inputs: Vec<Input>,
    pub definitions: Vec<Definition>,
    pub requires: Vec<Require>,
    pub score: Option<Score>,
    pub tables: Vec<DecisionTable>,
    pub offers: Vec<Offer>,
    pub exposure: Option<Exposure>,
    pub ask: Option<Ask>,
    pub properties: Vec<property::WrittenProperty>,
}

impl RuleFile {
    /// Whether it has nothing that a policy may use.
    pub fn is_empty(&self) -> bool {
        let lists =
            [self.uses.len(), self.parameters.len(), self.words.len(), self.inputs.len(), self.definitions.len()];
        let lists = lists.into_iter().chain([self.kinds.len(), self.lists.len()]);
        let judged = [self.requires.len(), self.tables.len(), self.offers.len(), self.properties.len()];
        let single = self.market.is_some() || self.score.is_some() || self.exposure.is_some() || self.ask.is_some();
        !single && lists.chain(judged).sum::<usize>() == 0
    }
}

/// Reads the file. Returns what could be read, and adds mistakes to `diagnostics`.
pub(crate) fn read_rule_file(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> RuleFile {
    let mut reader = TomlReader::new(source, text, diagnostics);
    let Some(mut root) = reader.document() else { return RuleFile { unread: true, ..RuleFile::default() } };
    let Front { header, market, unread, uses, parameters, inputs } = front::read_front_sections(&mut root, &mut reader);
    let mut file = RuleFile { header, market, unread, uses, parameters, inputs, ..RuleFile::default() };
    for (name, list) in root.entries("words", &mut reader) {
        file.words.extend(word_list(name, list, &mut reader));
    }
    for (name, entry) in root.entries("list", &mut reader) {
        file.lists.extend(read_list(name, entry, &mut reader));
    }
    for (name, entry) in root.entries("kind", &mut reader) {
        file.kinds.extend(read_kind(name, entry, &mut reader));
    }
    for section in DefinitionSection::all() {
        for (name, entry) in root.entries(section.key(), &mut reader) {
            let read = read_definition(section, name, entry, &mut reader, &mut file.inputs);
            file.definitions.extend(read);
        }
    }
    let Judgement { requires, score, tables, offers, exposure, ask } =
        judgement::read_judgement_sections(&mut root, &mut reader);
    file = RuleFile { requires, score, tables, offers, exposure, ask, ..file };
    property::read_property_sections(&mut root, &mut reader, &mut file.properties);
    let sections = ["policy", "market", "parameters", "words", "list", "kind", "request", "bureau", "own", "input"];
    let sections = sections.into_iter().chain(["score", "table"]);
    let sections = sections.chain(DefinitionSection::all().map(DefinitionSection::key));
    file.unread |= { sections }.any(|section| root.has_misspelt(section));
    root.finish(&mut reader);
    file
}

/// `salary = ["..."]`, or `salary = { add = ["..."], remove = ["..."] }` for a list of a used file.
fn word_list<'a>(name: Name, list: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<WordList> {
    if !list.is_table() {
        return Some(WordList { name, words: reader.texts_of(list), without: None });
    }
    let mut table = reader.table_of(list)?;
    let words = table.texts("add", reader);
    let without = Some(table.texts("remove", reader));
    table.finish(reader);
    Some(WordList { name, words, without })
}

/// `[list.blocked]`, with `file` and perhaps `key`, `until` and `ignore_case`.
fn read_list<'a>(name: Name, entry: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<WrittenList> {
    let mut table = reader.table_of(entry)?;
    let file = table.required_text("file", reader);
    let (key, until) = (table.text("key", reader), table.text("until", reader));
    let ignores_case = table.boolean("ignore_case", reader).unwrap_or(false);
    let doc = table.text("doc", reader);
    table.finish(reader);
    Some(WrittenList { name, file, key, until, ignores_case, doc, path: None })
}

/// `salary = { credit = ["is_income", "is_salary"] }`
fn read_kind<'a>(name: Name, entry: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<WrittenKind> {
    let mut table = reader.table_of(entry)?;
    let mut flags = |key| table.take(key).map(|flags| reader.texts_of(flags));
    let (credit, debit) = (flags("credit"), flags("debit"));
    // For people.
    table.text("doc", reader);
    table.finish(reader);
    if credit.is_none() && debit.is_none() {
        let help = "name the conditions of [transaction] that hold of it: credit = [\"is_income\"], or debit = [...]";
        reader.error("shape", name.span, format!("the kind `{}` is of neither side", name.text), help);
        return None;
    }
    Some(WrittenKind { name, credit, debit })
}

fn read_definition<'a>(
    section: DefinitionSection,
    name: Name,
    entry: TomlValue<'a>,
    reader: &mut TomlReader<'a>,
    inputs: &mut Vec<Input>,
) -> Option<Definition> {
    if !entry.is_table() {
        let expression = reader.literal_of(entry)?;
        return Some(Definition { section, name, expression, doc: None });
    }
    let mut table = reader.table_of(entry)?;
    if section == DefinitionSection::Metric {
        return read_metric(name, table, reader, inputs);
    }
    let expression = table.required("is", reader, |value, reader| reader.literal_of(value));
    let doc = table.text("doc", reader);
    table.finish(reader);
    Some(Definition { section, name, expression: expression?, doc })
}

/// A metric is an expression, or one that the lender has already: `fico = { given = "count", column = "FICO score" }`.
/// The latter is an input, and the definition that reads it.
fn read_metric<'a>(
    name: Name,
    mut table: TomlTable<'a>,
    reader: &mut TomlReader<'a>,
    inputs: &mut Vec<Input>,
) -> Option<Definition> {
    let is_given = table.has("given");
    let expression = match is_given {
        true => table.literal("is", reader),
        false => table.required("is", reader, |value, reader| reader.literal_of(value)),
    };
    let kind = table.text("given", reader);
    let column = table.text("column", reader);
    let doc = table.text("doc", reader);
    table.finish(reader);
    let wrong = match (is_given, &expression, &column) {
        (true, Some(_), _) => Some("both `is` and `given`"),
        (false, _, Some(_)) => Some("a `column`, but no `given`"),
        _ => None,
    };
    if let Some(wrong) = wrong {
        let help = "a metric has `is`, its expression, or `given`, its type, perhaps with a `column`";
        reader.error("shape", name.span, format!("the metric `{}` has {wrong}", name.text), help);
    }
    let section = DefinitionSection::Metric;
    if !is_given {
        return Some(Definition { section, name, expression: expression?, doc });
    }
    let source = InputSource::Given;
    let expression = Text::within(&format!("{}.{}", source.word(), name.text), name.span);
    let kind = InputKind::Value(kind?);
    inputs.push(Input { source, name: name.clone(), kind, required: false, doc: doc.clone(), column });
    Some(Definition { section, name, expression, doc })
}
