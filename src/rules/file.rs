//! A rule file as it was written: TOML -> sections with the place of every value. Understands no expression.
//! Reads on after a mistake, so that one look shows all of them.

use super::front;
pub(crate) use super::front::{Header, Input, Parameter, Use};
use super::judgement::{self, Ask, DecisionTable, Exposure, Offer, Require, Score};
use super::source::{Name, Text};
use super::toml_reader::{Reader, Value};
use crate::words::diagnostic::Diagnostic;

/// The grain a definition is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Transaction,
    Month,
    Metric,
}

/// One entry of `[transaction]`, `[month]` or `[metric]`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub section: Section,
    pub name: Name,
    pub expression: Text,
}

/// One rule file.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleFile {
    pub header: Option<Header>,
    /// What it says could not be made out as a whole: what seems to be missing may be there.
    pub unread: bool,
    /// What it uses, be it a policy or not.
    pub uses: Vec<Use>,
    pub parameters: Vec<Parameter>,
    pub words: Vec<(Name, Vec<Text>)>,
    pub inputs: Vec<Input>,
    pub definitions: Vec<Definition>,
    pub requires: Vec<Require>,
    pub score: Option<Score>,
    pub tables: Vec<DecisionTable>,
    pub offers: Vec<Offer>,
    pub exposure: Option<Exposure>,
    pub ask: Option<Ask>,
    pub properties: Vec<super::property::Written>,
}

impl RuleFile {
    /// Whether nothing that a policy may use is in it.
    pub fn is_empty(&self) -> bool {
        let lists =
            [self.uses.len(), self.parameters.len(), self.words.len(), self.inputs.len(), self.definitions.len()];
        let judged = [self.requires.len(), self.tables.len(), self.offers.len(), self.properties.len()];
        let single = self.score.is_some() || self.exposure.is_some() || self.ask.is_some();
        !single && lists.into_iter().chain(judged).sum::<usize>() == 0
    }
}

/// Reads the file; what is wrong goes to `diagnostics`, what could be read comes back.
pub(crate) fn read(source: u32, text: &str, diagnostics: &mut Vec<Diagnostic>) -> RuleFile {
    let mut file = RuleFile::default();
    let mut reader = Reader::new(source, text, diagnostics);
    let Some(mut root) = reader.document() else {
        file.unread = true;
        return file;
    };
    front::read(&mut root, &mut file, &mut reader);
    for (name, list) in root.entries("words", &mut reader) {
        file.words.push((name, reader.texts_of(list)));
    }
    let sections = [("transaction", Section::Transaction), ("month", Section::Month), ("metric", Section::Metric)];
    for (key, section) in sections {
        for (name, entry) in root.entries(key, &mut reader) {
            file.definitions.extend(definition(section, name, entry, &mut reader));
        }
    }
    judgement::read(&mut root, &mut reader, &mut file);
    super::property::read(&mut root, &mut reader, &mut file.properties);
    let sections =
        ["policy", "parameters", "words", "request", "bureau", "transaction", "month", "metric", "score", "table"];
    file.unread |= sections.into_iter().any(|section| root.has_misspelt(section));
    root.finish(&mut reader);
    file
}

fn definition<'a>(section: Section, name: Name, entry: Value<'a>, reader: &mut Reader<'a>) -> Option<Definition> {
    if !entry.is_table() {
        let expression = reader.literal_of(entry)?;
        return Some(Definition { section, name, expression });
    }
    let mut table = reader.table_of(entry)?;
    let expression = table.required("is", reader, |value, reader| reader.literal_of(value));
    table.text("doc", reader);
    table.finish(reader);
    Some(Definition { section, name, expression: expression? })
}
