//! Reads the front of a rule file: `[policy]`, the files it uses, `[parameters]`, and the inputs under `[request]` and
//! `[bureau]`, `[own]`.

use crate::base::diagnostic::Span;
use crate::rules::syntax::source::{Name, Text};
use crate::rules::syntax::toml_reader::{TomlReader, TomlTable, TomlValue};

/// The source of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    /// The customer's request.
    Request,
    /// The report of a credit bureau.
    Bureau,
    /// What the lender's own book says of the customer.
    Own,
    /// Metrics that the lender has already: `[metric] fico = { given = "count" }`.
    Given,
}

impl InputSource {
    /// The section or the key that declares it, and the word before the dot in rules and in names of columns.
    pub fn word(self) -> &'static str {
        match self {
            InputSource::Request => "request",
            InputSource::Bureau => "bureau",
            InputSource::Own => "own",
            InputSource::Given => "given",
        }
    }
}

/// The sources with a section of their own.
const DECLARED_SOURCES: [InputSource; 3] = [InputSource::Request, InputSource::Bureau, InputSource::Own];

/// `[policy]`
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub span: Span,
    pub name: Option<Text>,
    pub version: Option<Text>,
    pub currency: Option<Text>,
    pub statement_unit: Option<Text>,
    pub time_zone: Option<Text>,
    pub tenure_unit: Option<Text>,
    pub valid_from: Option<Text>,
    pub valid_to: Option<Text>,
    pub date_conflict: Option<Text>,
    pub record_day: Option<Text>,
    pub negative_amount: Option<Text>,
    pub empty_amount: Option<Text>,
    pub as_of: Option<Text>,
    pub fee_mode: Option<Text>,
    pub challenger: Option<Challenger>,
    /// The file of corrections.
    pub corrections: Option<Text>,
    /// The market that it is for.
    pub market: Option<Text>,
    /// Required keys that are misspelt, which is reported at their places.
    pub misspelt: Vec<&'static str>,
}

/// `[market]`: what a policy of this market has, unless it says otherwise.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    pub currency: Option<Text>,
    pub time_zone: Option<Text>,
    /// What the law calls the yearly cost of a loan.
    pub apr_name: Option<Text>,
    /// Whether that has interest on interest.
    pub apr_rate: Option<Text>,
    pub span: Span,
}

/// One entry of `use`.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub file: Text,
    /// The namespace of its names.
    pub space: Option<Text>,
    pub digest: Option<Text>,
}

/// `challenger` of `[policy]`.
#[derive(Clone, Debug)]
pub(crate) struct Challenger {
    pub file: Text,
    pub share: Text,
    pub salt: Text,
}

/// One entry of `[parameters]`.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub name: Name,
    pub value: Option<Text>,
    /// Values with the first day of each.
    pub dated: Vec<(Name, Text)>,
    pub min: Option<Text>,
    pub max: Option<Text>,
    pub unit: Option<Text>,
    /// The currency of its amounts, as an ISO 4217 numeric code.
    pub currency: Option<Text>,
    pub doc: Option<Text>,
    /// Whether it gives another value to a parameter of a used file.
    pub overrides: bool,
}

impl Parameter {
    fn new(name: Name, value: Option<Text>) -> Self {
        let dated = Vec::new();
        Self { name, value, dated, min: None, max: None, unit: None, currency: None, doc: None, overrides: false }
    }

    /// The place of the last part of its name.
    pub(crate) fn own_name_span(&self) -> Span {
        let Span { source, start, end } = self.name.span;
        let own = self.name.text.rsplit('.').next().unwrap_or_default().len() as u32;
        match self.name.text.contains('.') && (end - start) as usize == self.name.text.len() + 2 {
            true => Span { source, start: end - 1 - own, end: end - 1 },
            false => self.name.span,
        }
    }
}

/// One entry of `[request]`, `[bureau]` or `[own]`.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub source: InputSource,
    pub name: Name,
    pub kind: InputKind,
    pub required: bool,
    pub doc: Option<Text>,
    /// The column of a table that has it, if that has another name.
    pub column: Option<Text>,
}

/// What an input holds.
#[derive(Clone, Debug)]
pub(crate) enum InputKind {
    /// A value of the type with this name.
    Value(Text),
    /// A list of entries with these fields, each with its type.
    Entries(Vec<(Name, Text, Option<Text>)>),
}

/// The part of a rule file before its definitions.
#[derive(Debug, Default)]
pub(in crate::rules) struct Front {
    pub header: Option<Header>,
    pub market: Option<Market>,
    /// Whether a key that seems to be `use` could not be read.
    pub unread: bool,
    pub uses: Vec<Use>,
    pub parameters: Vec<Parameter>,
    pub inputs: Vec<Input>,
}

/// Reads the front of a file from the document.
pub(in crate::rules) fn read_front_sections<'a>(root: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Front {
    let mut file = Front::default();
    for entry in root.values("use", reader) {
        file.uses.extend(read_used_file(entry, reader));
    }
    if let Some(mut table) = root.table("policy", reader) {
        if let Some(misplaced) = file.uses.first() {
            let help = "put the line `use = [...]` below [policy]";
            reader.error("use", misplaced.file.span(), "`use` belongs inside [policy]", help);
        }
        for entry in table.values("use", reader) {
            file.uses.extend(read_used_file(entry, reader));
        }
        let header = read_policy_header(&mut table, reader);
        file.uses.splice(0..0, header.market.as_ref().map(market_use));
        file.header = Some(header);
        file.unread |= table.has_misspelt("use");
        table.finish(reader);
    }
    if let Some(mut table) = root.table("market", reader) {
        // For people.
        table.text("name", reader);
        file.market = Some(Market {
            currency: table.text("currency", reader),
            time_zone: table.text("time_zone", reader),
            apr_name: table.text("apr_name", reader),
            apr_rate: table.text("apr_rate", reader),
            span: table.span(),
        });
        table.finish(reader);
    }
    for (name, entry) in root.entries("parameters", reader) {
        read_parameter_entry(name, entry, reader, &mut file.parameters);
    }
    for source in DECLARED_SOURCES {
        for (name, entry) in root.entries(source.word(), reader) {
            file.inputs.extend(read_input_entry(source, name, entry, reader));
        }
    }
    if let Some(mut table) = root.table("input", reader) {
        for source in DECLARED_SOURCES {
            for (name, entry) in table.entries(source.word(), reader) {
                file.inputs.extend(list_of_entries(source, name, entry, reader));
            }
        }
        table.finish(reader);
    }
    file
}

/// `[input.bureau.loans]`: the fields of each entry of a list.
fn list_of_entries<'a>(
    source: InputSource,
    name: Name,
    entry: TomlValue<'a>,
    reader: &mut TomlReader<'a>,
) -> Option<Input> {
    let mut fields = Vec::new();
    for (field, entry) in reader.named_of(entry) {
        if !entry.is_table() {
            fields.extend(reader.text_of(entry).map(|kind| (field, kind, None)));
            continue;
        }
        let Some(mut table) = reader.table_of(entry) else { continue };
        let kind = table.required_text("type", reader);
        let doc = table.text("doc", reader);
        table.finish(reader);
        fields.extend(kind.map(|kind| (field, kind, doc)));
    }
    if fields.is_empty() {
        let message = format!("a list of entries needs fields, but `{}` has none", name.text);
        reader.error("shape", name.span, message, "such as amount = \"money\"");
        return None;
    }
    Some(Input { source, name, kind: InputKind::Entries(fields), required: false, doc: None, column: None })
}

fn read_policy_header<'a>(table: &mut TomlTable<'a>, reader: &mut TomlReader<'a>) -> Header {
    table.text("description", reader);
    // A market has a currency and a time zone, which the header may leave to it.
    let needed = ["name", "version", "currency", "time_zone"];
    let there = needed.map(|key| table.has(key));
    let mut header = Header {
        span: table.span(),
        name: table.text("name", reader),
        version: table.text("version", reader),
        currency: table.text("currency", reader),
        statement_unit: table.text("statement_unit", reader),
        time_zone: table.text("time_zone", reader),
        tenure_unit: table.text("tenure_unit", reader),
        valid_from: table.date("valid_from", reader),
        valid_to: table.date("valid_to", reader),
        date_conflict: table.text("date_conflict", reader),
        record_day: table.text("record_day", reader),
        negative_amount: table.text("negative_amount", reader),
        empty_amount: table.text("empty_amount", reader),
        as_of: table.text("as_of", reader),
        fee_mode: table.text("fee_mode", reader),
        corrections: table.text("corrections", reader),
        market: table.text("market", reader),
        challenger: table.table("challenger", reader).and_then(|table| read_challenger(table, reader)),
        misspelt: Vec::new(),
    };
    let read = [&header.name, &header.version, &header.currency, &header.time_zone];
    let unread = there.iter().zip(read).map(|(there, read)| *there && read.is_none());
    let slipped = needed.into_iter().zip(unread).filter(|(key, unread)| *unread || table.has_misspelt(key));
    header.misspelt = slipped.map(|(key, _)| key).collect();
    header
}

/// The file of a market: `kenya` is `markets/kenya.toml` in the folder of the policy, and a path is that file.
fn market_use(market: &Text) -> Use {
    let file = match market.value() {
        path if path.ends_with(".toml") => market.clone(),
        name => Text::within(&format!("markets/{name}.toml"), market.span()),
    };
    Use { file, space: None, digest: None }
}

fn read_used_file<'a>(entry: TomlValue<'a>, reader: &mut TomlReader<'a>) -> Option<Use> {
    if !entry.is_table() {
        return Some(Use { file: reader.text_of(entry)?, space: None, digest: None });
    }
    let mut table = reader.table_of(entry)?;
    let file = table.required_text("file", reader);
    let space = table.text("as", reader);
    let digest = table.text("digest", reader);
    table.finish(reader);
    Some(Use { file: file?, space, digest })
}

fn read_challenger<'a>(mut table: TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Challenger> {
    let file = table.required_text("file", reader);
    let share = table.required("share", reader, |value, reader| reader.literal_of(value));
    let salt = table.required_text("salt", reader);
    table.finish(reader);
    Some(Challenger { file: file?, share: share?, salt: salt? })
}

/// One parameter, or those of a file that is used `as` a name: `market.floor = { override = 650 }`.
fn read_parameter_entry<'a>(
    name: Name,
    entry: TomlValue<'a>,
    reader: &mut TomlReader<'a>,
    parameters: &mut Vec<Parameter>,
) {
    if !entry.is_table() {
        let value = reader.literal_of(entry);
        parameters.extend(value.map(|value| Parameter::new(name, Some(value))));
        return;
    }
    let Some(table) = reader.table_of(entry) else { return };
    if !table.holds_only_tables_except(&["value", "values", "override"]) {
        parameters.extend(read_parameter_table(name, table, reader));
        return;
    }
    for (inner, entry) in table.into_entries() {
        let inner = Name { text: format!("{}.{}", name.text, inner.text), span: inner.span };
        read_parameter_entry(inner, entry, reader, parameters);
    }
}

/// `floor = { override = 650 }`: another value for a parameter of a used file, which keeps its unit.
fn read_override<'a>(
    name: Name,
    value: TomlValue<'a>,
    mut table: TomlTable<'a>,
    reader: &mut TomlReader<'a>,
) -> Option<Parameter> {
    let mut parameter = Parameter { overrides: true, ..Parameter::new(name, None) };
    if value.is_table() {
        for (from, value) in reader.named_of(value) {
            parameter.dated.extend(reader.literal_of(value).map(|value| (from, value)));
        }
    } else {
        parameter.value = reader.literal_of(value);
    }
    parameter.min = table.literal("min", reader);
    parameter.max = table.literal("max", reader);
    parameter.doc = table.text("doc", reader);
    table.finish(reader);
    (parameter.value.is_some() || !parameter.dated.is_empty()).then_some(parameter)
}

fn read_parameter_table<'a>(name: Name, mut table: TomlTable<'a>, reader: &mut TomlReader<'a>) -> Option<Parameter> {
    if let Some(value) = table.take("override") {
        return read_override(name, value, table, reader);
    }
    let mut dated = Vec::new();
    let by_date = table.has("values");
    for (from, value) in table.entries("values", reader) {
        dated.extend(reader.literal_of(value).map(|value| (from, value)));
    }
    let value = match by_date {
        true => table.literal("value", reader),
        false => table.required("value", reader, |value, reader| match value.is_table() {
            true => {
                let help = "put values by date under `values`: values = { 2026-01-01 = 0.35, 2026-07-01 = 0.30 }";
                reader.error("shape", reader.place(&value), "expected one value, found a table", help);
                None
            }
            false => reader.literal_of(value),
        }),
    };
    let min = table.literal("min", reader);
    let max = table.literal("max", reader);
    let unit = table.text("unit", reader);
    let currency = table.text("currency", reader);
    let doc = table.text("doc", reader);
    table.finish(reader);
    if by_date && dated.is_empty() {
        let help = "such as values = { 2026-01-01 = 0.35, 2026-07-01 = 0.30 }";
        reader.error("parameter", name.span, format!("parameter `{}` has no values", name.text), help);
    }
    Some(Parameter { dated, min, max, unit, currency, doc, ..Parameter::new(name, value) })
}

fn read_input_entry<'a>(
    source: InputSource,
    name: Name,
    entry: TomlValue<'a>,
    reader: &mut TomlReader<'a>,
) -> Option<Input> {
    if !entry.is_table() {
        let kind = reader.text_of(entry)?;
        return Some(Input { source, name, kind: InputKind::Value(kind), required: false, doc: None, column: None });
    }
    let mut table = reader.table_of(entry)?;
    let kind = table.required_text("type", reader);
    let required = table.boolean("required", reader).unwrap_or(false);
    let doc = table.text("doc", reader);
    table.finish(reader);
    Some(Input { source, name, kind: InputKind::Value(kind?), required, doc, column: None })
}
