//! A policy as its files say it, part by part, for those who compare two of them: every default is said, so that leaving it out
//! and writing it are the same. Judges no difference.

mod expression;
mod part;

use std::collections::HashMap;
use std::path::Path;

pub(crate) use self::part::{Cell, Facet, Line, Part, Said};
use crate::rules::check::judgement::score::REASONS;
use crate::rules::policy::Policy;
use crate::rules::syntax::file;
use crate::rules::syntax::file::{RuleFile, WordList};
use crate::rules::syntax::judgement::{Block, Condition, DecisionTable, Member, Offer, Quota, Require, Rows, Score};
use crate::rules::syntax::source::Text;
use crate::rules::syntax::uses;
use crate::rules::types::{Type, Unit};
use crate::words::diagnostic::Sources;

/// Every part of a policy, in the order in which it is carried out. Names of a file that is used `as` something are said with
/// that; what a challenger says is not what the policy says.
pub(crate) fn parts(policy: &Policy) -> Vec<Part> {
    let mut parts = Vec::new();
    for file in files(policy) {
        of_file(policy, &file, &mut parts);
    }
    let mut same: HashMap<(&str, String), (usize, usize)> = HashMap::new();
    for part in &parts {
        same.entry((part.section, part.key.clone())).or_default().0 += 1;
    }
    for part in &mut parts {
        if let Some((all, told)) = same.get_mut(&(part.section, part.key.clone())).filter(|(all, _)| *all > 1) {
            *told = (*told + 1).min(*all);
            part.name += &format!(" ({told})");
        }
    }
    parts
}

/// The files of a policy, read again from the texts that were compiled: what is used before what uses it.
fn files(policy: &Policy) -> Vec<RuleFile> {
    let Some(main) = policy.sources.iter().nth(policy.main as usize) else { return Vec::new() };
    let folder = Path::new(&policy.file).parent().unwrap_or(Path::new(""));
    let path = Path::new(&main.name).strip_prefix(folder).unwrap_or(Path::new(&main.name));
    // What was compiled has no mistakes that would have to be told.
    let (mut sources, mut told) = (Sources::default(), Vec::new());
    let source = sources.add(&main.name, &main.text);
    let own = file::read(source, &main.text, &mut told);
    let mut read = |used: &str| {
        let shown = folder.join(used);
        let found = policy.sources.iter().find(|source| Path::new(&source.name) == shown);
        found.map(|source| source.text.clone()).ok_or_else(|| "not read".to_owned())
    };
    uses::bring_in(own, &path.to_string_lossy(), &policy.file, &mut read, &mut sources, &mut told).files
}

fn exactly(text: &Text) -> Said {
    Said::exactly(text.value())
}

/// Each word once; their order means nothing.
fn words_in_order(words: &[Text]) -> Vec<Line> {
    let mut words: Vec<String> = words.iter().map(|word| word.value().to_lowercase()).collect();
    words.sort();
    words.dedup();
    words.iter().map(|word| Line::of(Said::exactly(word))).collect()
}

fn number(text: &Text) -> Said {
    Said::number(text.value())
}

fn of_file(policy: &Policy, file: &RuleFile, parts: &mut Vec<Part>) {
    front(file, parts);
    for WordList { name, words, without } in &file.words {
        let part = Part::new("words", &name.text).lines("word", words_in_order(words));
        parts.push(match without {
            None => part,
            Some(without) => part.lines("without", words_in_order(without)),
        });
    }
    for definition in &file.definitions {
        let section = definition.section.key();
        parts.push(Part::new(section, &definition.name.text).with("", Said::expression(&definition.expression)));
    }
    parts.extend(file.requires.iter().map(require));
    file.score.iter().for_each(|written| score(policy, written, parts));
    parts.extend(file.tables.iter().map(|written| table(policy, written)));
    if let Some(exposure) = &file.exposure {
        let part = Part::new("exposure", "").with("limit", Said::quantity(&exposure.limit));
        parts.push(part.or("existing", exposure.existing.as_ref().map(Said::quantity), "0"));
    }
    if let Some(ask) = &file.ask {
        let part = Part::new("ask", "").maybe("amount", ask.amount.as_ref(), Said::quantity);
        parts.push(part.maybe("tenure", ask.tenure.as_ref(), Said::quantity));
    }
    parts.extend(file.offers.iter().map(offer));
    for property in &file.properties {
        let (way, input) = match (&property.increasing, &property.decreasing) {
            (Some(input), _) => ("increasing", input),
            (None, Some(input)) => ("decreasing", input),
            (None, None) => continue,
        };
        let name = Said::all([Said::expression(input), Said::expression(&property.of)], " and ");
        let mut part = Part::new("property", &name.text).with("", Said::exactly(way));
        part.key = name.meaning().to_owned();
        parts.push(part);
    }
}

fn front(file: &RuleFile, parts: &mut Vec<Part>) {
    if let Some(header) = &file.header {
        let word =
            |part: Part, key, text: &Option<Text>, otherwise| part.or(key, text.as_ref().map(exactly), otherwise);
        let part = Part::new("policy", "")
            .maybe("name", header.name.as_ref(), exactly)
            .maybe("version", header.version.as_ref(), exactly)
            .maybe("currency", header.currency.as_ref(), exactly)
            .maybe("time_zone", header.time_zone.as_ref(), exactly);
        let part = word(part, "statement_unit", &header.statement_unit, "major");
        let part = word(part, "tenure_unit", &header.tenure_unit, "days");
        let part = word(part, "date_conflict", &header.date_conflict, "error");
        let part = word(part, "record_day", &header.record_day, "trans_date");
        let part = word(part, "negative_amount", &header.negative_amount, "error");
        let part = word(part, "empty_amount", &header.empty_amount, "error");
        let part = word(part, "as_of", &header.as_of, "optional");
        let part = word(part, "fee_mode", &header.fee_mode, "added");
        let part = part.maybe("valid_from", header.valid_from.as_ref(), exactly);
        parts.push(part.maybe("valid_to", header.valid_to.as_ref(), exactly));
        if let Some(challenger) = &header.challenger {
            let part = Part::new("policy", "challenger").with("file", exactly(&challenger.file));
            parts.push(part.with("share", number(&challenger.share)).with("salt", exactly(&challenger.salt)));
        }
    }
    for parameter in &file.parameters {
        // Without a unit `3` is a count and `3.0` is none, and what is computed with them differs.
        let value = match parameter.unit.as_ref().map(Text::value) {
            Some("text") => exactly,
            Some(_) => number,
            None => |text: &Text| Said::digits(text.value()),
        };
        let bound = if parameter.unit.is_some() { value } else { number };
        let mut part = Part::new("parameters", &parameter.name.text).maybe("", parameter.value.as_ref(), value);
        let mut dated: Vec<_> = parameter.dated.iter().collect();
        dated.sort_by(|left, right| left.0.text.cmp(&right.0.text));
        for (day, text) in dated {
            part = part.with(&format!("from {}", day.text), value(text));
        }
        let part = part.maybe("min", parameter.min.as_ref(), bound).maybe("max", parameter.max.as_ref(), bound);
        parts.push(part.maybe("unit", parameter.unit.as_ref(), exactly));
    }
    for input in &file.inputs {
        let required = Said::exactly(if input.required { "true" } else { "false" });
        let part = Part::new(input.source.word(), &input.name.text).with("", exactly(&input.kind));
        // Several files may declare one input, if they say the same of it.
        if !parts.iter().any(|known| (known.section, &known.key) == (part.section, &part.key)) {
            parts.push(part.or("required", Some(required), "false"));
        }
    }
}

fn require(written: &Require) -> Part {
    let part = Part::new("require", written.id.value());
    let part = match &written.condition {
        Condition::When(text) => part.with("when", Said::expression(text)),
        Condition::Block(block) => part
            .with("holds where", quota(&block.quota, ["all conditions hold", "any condition holds", "conditions hold"]))
            .lines("condition", block.members.iter().map(condition).collect()),
    };
    part.or("else", written.otherwise.as_ref().map(exactly), "decline")
        .or("unknown", written.unknown.as_ref().map(exactly), "refer")
        .with("reason", exactly(&written.reason))
}

/// In words for all, for any, and for so many.
fn quota(quota: &Quota, [all, any, some]: [&str; 3]) -> Said {
    match quota {
        Quota::All => Said::exactly(all),
        Quota::Any => Said::exactly(any),
        Quota::AtLeast(least) => number(least).within("at least ", &format!(" {some}")),
    }
}

/// A member of a requirement's own block.
fn condition(member: &Member) -> Line {
    let mut line = Line::of(asked(&member.condition));
    let unknown = member.unknown.as_ref().map(exactly);
    line.cells.extend(unknown.map(|said| Cell { column: Said::exactly("unknown"), said, is_test: false }));
    line
}

/// A member of a block within a block.
fn member(member: &Member) -> Said {
    let said = asked(&member.condition);
    match &member.unknown {
        Some(unknown) => said.within("", &format!(" (unknown {})", unknown.value())),
        None => said,
    }
}

fn asked(condition: &Condition) -> Said {
    match condition {
        Condition::When(text) => Said::expression(text),
        Condition::Block(Block { quota: least, members, .. }) => {
            let members = Said::all(members.iter().map(member), "; ");
            Said::all([quota(least, ["all of", "any of", "of"]), members.within("(", ")")], " ")
        }
    }
}

fn score(policy: &Policy, written: &Score, parts: &mut Vec<Part>) {
    let mut part = Part::new("score", "").with("base", number(&written.base));
    // Without codes there is nothing to tell, and the key is not to be had.
    if written.items.iter().any(|item| item.code.is_some()) {
        part = part.or("reasons", written.reasons.as_ref().map(number), &REASONS.to_string());
    }
    if let Some(scale) = &written.scale {
        for (key, text) in [("points", &scale.points), ("odds", &scale.odds), ("pdo", &scale.pdo)] {
            part = part.with(&format!("scale {key}"), number(text));
        }
    }
    parts.push(part);
    for (at, item) in written.items.iter().enumerate() {
        let compiled = policy.program.score_items.get(at);
        let ty = compiled.map_or(Type::NUMBER, |item| policy.type_of(item.on));
        let bin = |(test, points): &(Text, Text)| {
            let column = || Said::exactly("");
            let points = Cell { column: Said::exactly("points"), said: number(points), is_test: false };
            Line { cells: vec![Cell { column: column(), said: Said::test(test, ty), is_test: true }, points] }
        };
        let on = Said::expression(&item.on);
        let mut part = Part::new("score", &on.text).or("weight", item.weight.as_ref().map(number), "1");
        part = part.maybe("code", item.code.as_ref(), exactly).maybe("reason", item.reason.as_ref(), exactly);
        part.key = on.meaning().to_owned();
        parts.push(part.lines("bin", item.points.iter().map(bin).collect()));
    }
}

fn table(policy: &Policy, written: &DecisionTable) -> Part {
    let compiled = policy.program.tables.iter().find(|table| table.name == written.name.text);
    let asked = |at: usize| compiled.and_then(|table| table.inputs.get(at)).map(|(_, node)| policy.type_of(*node));
    let given: Vec<Type> = written.outputs.iter().map(|output| declared(&output.kind)).collect();
    let outputs = written.outputs.iter().zip(&given).map(|(output, ty)| {
        let kind = exactly(&output.kind).within(&format!("{} ", output.name.text), "");
        match output.values.is_empty() {
            true => kind,
            false => {
                let values = output.values.iter().map(|value| Said::given(value, *ty));
                Said::all([kind, Said::all(values, ", ")], " of ")
            }
        }
    });
    // Cells are known by the names of their columns, so that one more column changes no other.
    let mut columns: Vec<(Said, Type, bool)> = Vec::new();
    for (at, input) in written.inputs.iter().enumerate() {
        columns.push((Said::expression(input), asked(at).unwrap_or(Type::NUMBER), true));
    }
    columns
        .extend(written.outputs.iter().zip(&given).map(|(output, ty)| (Said::exactly(&output.name.text), *ty, false)));
    for at in 1..columns.len() {
        let twice = columns[..at].iter().filter(|(said, ..)| said.same(&columns[at].0)).count();
        if twice > 0 {
            columns[at].0 = columns[at].0.clone().within("", &format!(" ({})", twice + 1));
        }
    }
    let row = |cells: &[Text]| {
        let cells = cells.iter().zip(&columns).map(|(text, (column, ty, is_test))| {
            let said = if *is_test { Said::test(text, *ty) } else { Said::given(text, *ty) };
            Cell { column: column.clone(), said, is_test: *is_test }
        });
        Line { cells: cells.collect() }
    };
    let rows = match &written.rows {
        Rows::Here(rows) => rows.iter().map(|(cells, _)| row(cells)).collect(),
        Rows::File(_) => Vec::new(),
    };
    let mut part = Part::new("table", &written.name.text)
        .maybe("hit", written.hit.as_ref(), exactly)
        .with("inputs", Said::all(written.inputs.iter().map(Said::expression), ", "))
        .with("outputs", Said::all(outputs, ", "));
    if let Some((cells, _)) = &written.otherwise {
        let cells = cells.iter().zip(&given).map(|(text, ty)| Said::given(text, *ty));
        part = part.with("otherwise", Said::all(cells, " | "));
    }
    part.lines("row", rows)
}

fn declared(kind: &Text) -> Type {
    Unit::ALL.into_iter().find(|unit| unit.word() == kind.value()).map_or(Type::NUMBER, Type::declared)
}

fn offer(written: &Offer) -> Part {
    let quantities = |texts: &[Text]| Said::all(texts.iter().map(Said::quantity), ", ");
    let mut part = Part::new("offer", written.id.value())
        .maybe("when", written.when.as_ref(), Said::expression)
        .with("tenure", quantities(&written.tenures))
        .or("instalments", written.instalments.as_ref().map(Said::quantity), "1")
        .with("amount", Said::quantity(&written.amount));
    if !written.caps.is_empty() {
        part = part.with("cap", quantities(&written.caps));
    }
    part.maybe("floor", written.floor.as_ref(), Said::quantity)
        .maybe("step", written.step.as_ref(), Said::quantity)
        .with("interest", Said::quantity(&written.interest))
        .or("method", written.method.as_ref().map(exactly), "flat")
        .or("fee", written.fee.as_ref().map(Said::quantity), "0")
        .or("valid_for_days", written.valid_for_days.as_ref().map(number), "7")
        .or("part_payment", written.part_payment.map(|is| Said::exactly(if is { "true" } else { "false" })), "false")
        .maybe("terms", written.terms.as_ref(), exactly)
}
