//! A policy as its files say it, part by part, for those who compare two of them: every default is said, so that leaving it out
//! and writing it are the same. Judges no difference.

use super::file::{self, RuleFile, Section};
use super::judgement::{Block, Condition, DecisionTable, Offer, Quota, Require, Rows, Score};
use super::policy::Policy;
use super::source::Text;

/// One thing that a policy says: a parameter, a requirement, a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    /// The section it is in.
    pub section: &'static str,
    /// Its name or id; empty where there is one alone.
    pub name: String,
    /// What it says of itself, key by key; the key is empty for what it is.
    pub facets: Vec<(String, String)>,
    /// Its rows, bins or words, if it has some.
    pub lines: Option<(&'static str, Vec<String>)>,
}

impl Part {
    fn new(section: &'static str, name: &str) -> Self {
        Self { section, name: name.to_owned(), facets: Vec::new(), lines: None }
    }

    fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.facets.push((key.to_owned(), value.into()));
        self
    }

    /// A key that may be left out.
    fn maybe(self, key: &str, value: Option<&Text>) -> Self {
        match value {
            Some(value) => self.with(key, value.value()),
            None => self,
        }
    }

    fn lines(mut self, what: &'static str, lines: Vec<String>) -> Self {
        self.lines = Some((what, lines));
        self
    }
}

fn or(text: &Option<Text>, otherwise: &str) -> String {
    text.as_ref().map_or(otherwise, Text::value).to_owned()
}

/// Cells hold commas of their own.
fn cells(texts: &[Text]) -> String {
    texts.iter().map(Text::value).collect::<Vec<_>>().join(" | ")
}

fn list(texts: &[Text]) -> String {
    texts.iter().map(Text::value).collect::<Vec<_>>().join(", ")
}

/// Every part of a policy, in the order of its files.
pub(crate) fn parts(policy: &Policy) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut sources: Vec<_> = policy.sources().iter().collect();
    // What a challenger says is not what this policy says: its files come last.
    let own = sources.first().map(|source| file::read(0, &source.text, &mut Vec::new()));
    if let Some(challenger) = own.and_then(|own| own.header).and_then(|header| header.challenger) {
        let end =
            sources.iter().skip(1).position(|source| lies(&source.name, &sources[0].name, challenger.file.value()));
        sources.truncate(end.map_or(sources.len(), |end| end + 1));
    }
    let mut told = Vec::new();
    for (index, source) in sources.iter().enumerate().filter(|(_, source)| !source.name.ends_with(".csv")) {
        let mut file = file::read(index as u32, &source.text, &mut told);
        for table in &mut file.tables {
            let Rows::File(named) = &table.rows else { continue };
            let named = named.value().to_owned();
            let rows = sources.iter().enumerate().find(|(_, other)| lies(&other.name, &source.name, &named));
            if let Some((at, rows)) = rows {
                table.rows = super::csv::rows(at as u32, &rows.text, table, &mut told);
            }
        }
        of_file(&file, &mut parts);
    }
    // Names that two files have apart from each other, and items on one expression, are told apart by their number.
    for at in 0..parts.len() {
        let same = |part: &&Part| (part.section, &part.name) == (parts[at].section, &parts[at].name);
        let before = parts[..at].iter().filter(same).count();
        if before > 0 && parts[at].section != "policy" {
            parts[at].name += &format!(" ({})", before + 1);
        }
    }
    parts
}

/// Whether the file `name` is the one that the file `from` names `path`.
fn lies(name: &str, from: &str, path: &str) -> bool {
    let mut parts: Vec<&str> = from.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
    for part in path.split('/') {
        match part {
            "." | "" => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let plain: Vec<&str> = name.split('/').filter(|part| *part != ".").collect();
    plain == parts
}

fn of_file(file: &RuleFile, parts: &mut Vec<Part>) {
    front(file, parts);
    for (name, words) in &file.words {
        let mut words: Vec<String> = words.iter().map(|word| word.value().to_lowercase()).collect();
        words.sort();
        parts.push(Part::new("words", &name.text).lines("word", words));
    }
    for definition in &file.definitions {
        let section = match definition.section {
            Section::Transaction => "transaction",
            Section::Month => "month",
            Section::Metric => "metric",
        };
        parts.push(Part::new(section, &definition.name.text).with("", definition.expression.value()));
    }
    parts.extend(file.requires.iter().map(require));
    file.score.iter().for_each(|written| score(written, parts));
    parts.extend(file.tables.iter().map(table));
    if let Some(exposure) = &file.exposure {
        let part = Part::new("exposure", "").with("limit", exposure.limit.value());
        parts.push(part.maybe("existing", exposure.existing.as_ref()));
    }
    if let Some(ask) = &file.ask {
        let part = Part::new("ask", "").maybe("amount", ask.amount.as_ref());
        parts.push(part.maybe("tenure", ask.tenure.as_ref()));
    }
    parts.extend(file.offers.iter().map(offer));
    for property in &file.properties {
        let (way, input) = match (&property.increasing, &property.decreasing) {
            (Some(input), _) => ("increasing", input.value()),
            (None, Some(input)) => ("decreasing", input.value()),
            (None, None) => continue,
        };
        parts.push(Part::new("property", &format!("{input} and {}", property.of.value())).with("", way));
    }
}

fn front(file: &RuleFile, parts: &mut Vec<Part>) {
    if let Some(header) = &file.header {
        let mut part = Part::new("policy", "")
            .maybe("name", header.name.as_ref())
            .maybe("version", header.version.as_ref())
            .maybe("currency", header.currency.as_ref())
            .maybe("time_zone", header.time_zone.as_ref())
            .with("statement_unit", or(&header.statement_unit, "major"))
            .with("tenure_unit", or(&header.tenure_unit, "days"))
            .with("date_conflict", or(&header.date_conflict, "error"))
            .with("negative_amount", or(&header.negative_amount, "error"))
            .with("empty_amount", or(&header.empty_amount, "error"))
            .with("fee_mode", or(&header.fee_mode, "added"))
            .maybe("valid_from", header.valid_from.as_ref())
            .maybe("valid_to", header.valid_to.as_ref());
        if let Some(challenger) = &header.challenger {
            part =
                part.with("challenger", challenger.file.value()).with("challenger's share", challenger.share.value());
            part = part.with("challenger's salt", challenger.salt.value());
        }
        parts.push(part);
    }
    for parameter in &file.parameters {
        let mut part = Part::new("parameters", &parameter.name.text).maybe("", parameter.value.as_ref());
        let mut dated: Vec<_> = parameter.dated.iter().collect();
        dated.sort_by(|left, right| left.0.text.cmp(&right.0.text));
        for (day, value) in dated {
            part = part.with(&format!("from {}", day.text), value.value());
        }
        let part = part.maybe("min", parameter.min.as_ref()).maybe("max", parameter.max.as_ref());
        parts.push(part.maybe("unit", parameter.unit.as_ref()));
    }
    for input in &file.inputs {
        let required = if input.required { "true" } else { "false" };
        parts.push(
            Part::new(input.source.word(), &input.name.text).with("", input.kind.value()).with("required", required),
        );
    }
}

fn require(written: &Require) -> Part {
    Part::new("require", written.id.value())
        .with("asks", condition(&written.condition))
        .with("else", or(&written.otherwise, "decline"))
        .with("unknown", or(&written.unknown, "refer"))
        .with("reason", written.reason.value())
}

fn condition(written: &Condition) -> String {
    match written {
        Condition::When(text) => text.value().to_owned(),
        Condition::Block(Block { quota, members, .. }) => {
            let quota = match quota {
                Quota::All => "all".to_owned(),
                Quota::Any => "any".to_owned(),
                Quota::AtLeast(least) => format!("at least {}", least.value()),
            };
            let member = |member: &super::judgement::Member| match &member.unknown {
                Some(unknown) => format!("{} (unknown {})", condition(&member.condition), unknown.value()),
                None => condition(&member.condition),
            };
            format!("{quota} of ({})", members.iter().map(member).collect::<Vec<_>>().join("; "))
        }
    }
}

fn score(written: &Score, parts: &mut Vec<Part>) {
    let mut part = Part::new("score", "").with("base", written.base.value()).maybe("reasons", written.reasons.as_ref());
    if let Some(scale) = &written.scale {
        for (key, text) in [("points", &scale.points), ("odds", &scale.odds), ("pdo", &scale.pdo)] {
            part = part.with(&format!("scale {key}"), text.value());
        }
    }
    parts.push(part);
    for item in &written.items {
        let bins = item.points.iter().map(|(cell, points)| format!("{} gives {}", cell.value(), points.value()));
        let part = Part::new("score", item.on.value()).with("weight", or(&item.weight, "1"));
        let part = part.maybe("code", item.code.as_ref()).maybe("reason", item.reason.as_ref());
        parts.push(part.lines("bin", bins.collect()));
    }
}

fn table(written: &DecisionTable) -> Part {
    let output = |output: &super::judgement::Output| match output.values.is_empty() {
        true => format!("{} {}", output.name.text, output.kind.value()),
        false => format!("{} {} of {}", output.name.text, output.kind.value(), list(&output.values)),
    };
    let row = |row: &[Text]| {
        let (tests, values) = row.split_at(written.inputs.len().min(row.len()));
        format!("[{}] -> {}", cells(tests), cells(values))
    };
    let rows = match &written.rows {
        Rows::Here(rows) => rows.iter().map(|(cells, _)| row(cells)).collect(),
        Rows::File(_) => Vec::new(),
    };
    let part = Part::new("table", &written.name.text)
        .maybe("hit", written.hit.as_ref())
        .with("inputs", list(&written.inputs))
        .with("outputs", written.outputs.iter().map(output).collect::<Vec<_>>().join(", "));
    let part = match &written.otherwise {
        Some((cells, _)) => part.with("otherwise", list(cells)),
        None => part,
    };
    part.lines("row", rows)
}

fn offer(written: &Offer) -> Part {
    let part = Part::new("offer", written.id.value())
        .maybe("when", written.when.as_ref())
        .with("tenure", list(&written.tenures))
        .with("instalments", or(&written.instalments, "1"))
        .with("amount", written.amount.value());
    let part = if written.caps.is_empty() { part } else { part.with("cap", list(&written.caps)) };
    part.maybe("floor", written.floor.as_ref())
        .maybe("step", written.step.as_ref())
        .with("interest", written.interest.value())
        .with("method", or(&written.method, "flat"))
        .with("fee", or(&written.fee, "0"))
        .with("valid_for_days", or(&written.valid_for_days, "7"))
        .with("part_payment", if written.part_payment == Some(true) { "true" } else { "false" })
        .maybe("terms", written.terms.as_ref())
}
