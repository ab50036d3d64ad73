//! A policy in canonical form, part by part, to compare two policies. Defaults are explicit, so omitting and writing
//! one gives the same parts. Does not compare them.

mod expression;
mod policy_part;

use std::collections::HashMap;
use std::path::Path;

pub(crate) use self::policy_part::{Attribute, CanonicalText, PartCell, PartLine, PolicyPart};
use crate::base::diagnostic::Sources;
use crate::rules::check::judgement::score::REASONS;
use crate::rules::corrections::{Correction, Corrections};
use crate::rules::policy::Policy;
use crate::rules::syntax::deep::with_stack;
use crate::rules::syntax::file;
use crate::rules::syntax::file::{RuleFile, WordList, WrittenList};
use crate::rules::syntax::front::InputKind;
use crate::rules::syntax::judgement::{
    Block, Condition, DecisionTable, Member, Offer, Quota, Require, Score, TableRowsSource,
};
use crate::rules::syntax::source::Text;
use crate::rules::syntax::uses;
use crate::rules::types::Type;

/// Every part of a policy, in order of execution. Names of a file that is used `as` something are qualified. The
/// challenger's file is not part of the policy.
pub(crate) fn canonical_policy_parts(policy: &Policy) -> Vec<PolicyPart> {
    with_stack(|| collect_policy_parts(policy))
}

fn collect_policy_parts(policy: &Policy) -> Vec<PolicyPart> {
    let mut parts = Vec::new();
    for file in reread_policy_files(policy) {
        of_file(policy, &file, &mut parts);
    }
    parts
        .extend(policy.program.corrections.iter().flat_map(|corrections| correction_policy_parts(policy, corrections)));
    let mut same: HashMap<(&str, String), (usize, usize)> = HashMap::new();
    for part in &parts {
        same.entry((part.section, part.key.clone())).or_default().0 += 1;
    }
    for part in &mut parts {
        if let Some((all, seen)) = same.get_mut(&(part.section, part.key.clone())).filter(|(all, _)| *all > 1) {
            *seen = (*seen + 1).min(*all);
            part.name += &format!(" ({seen})");
        }
    }
    parts
}

/// The files of a policy, read again from the compiled texts, each after those it uses.
fn reread_policy_files(policy: &Policy) -> Vec<RuleFile> {
    // `main` is the index that the compiler got when it added this source.
    let main = policy.sources.iter().nth(policy.main as usize).expect("INVARIANT: a policy keeps its own source");
    let folder = Path::new(&policy.file).parent().unwrap_or(Path::new(""));
    let path = Path::new(&main.name).strip_prefix(folder).unwrap_or(Path::new(&main.name));
    // The files compiled before, so there are no mistakes to report.
    let (mut sources, mut mistakes) = (Sources::default(), Vec::new());
    let source = sources.add(&main.name, &main.text);
    let own = file::read_rule_file(source, &main.text, &mut mistakes);
    let mut read = |used: &str| {
        let shown = folder.join(used);
        let found = policy.sources.iter().find(|source| Path::new(&source.name) == shown);
        found.map(|source| source.text.clone()).ok_or_else(|| "not read".to_owned())
    };
    uses::bring_in(own, &path.to_string_lossy(), &policy.file, &mut read, &mut sources, &mut mistakes).files
}

/// What was said of which records, with who said so.
fn correction_policy_parts(policy: &Policy, corrections: &Corrections) -> Vec<PolicyPart> {
    let part = |correction: &Correction| {
        let (key, text) = correction.target.parts();
        let customer = correction.customer.as_ref().map(|customer| format!(" of customer {customer}"));
        let name = format!("{key} `{text}`{}", customer.unwrap_or_default());
        let kind = policy.program.corrected_kind(correction);
        let said = [("kind", kind), ("counterparty", correction.counterparty.as_deref())];
        let part = PolicyPart::new("correction", &name);
        let part = said
            .iter()
            .filter_map(|(key, said)| Some((*key, (*said)?)))
            .fold(part, |part, (key, said)| part.with(key, CanonicalText::exactly(said)));
        let told = format!("{} on {}: {}", correction.by, correction.on, correction.why);
        part.with("by", CanonicalText::exactly(&told))
    };
    corrections.all().iter().map(part).collect()
}

fn exact_canonical_text(text: &Text) -> CanonicalText {
    CanonicalText::exactly(text.value())
}

/// The words without duplicates; their order means nothing.
fn words_in_order(words: &[Text]) -> Vec<PartLine> {
    let mut words: Vec<String> = words.iter().map(|word| word.value().to_lowercase()).collect();
    words.sort();
    words.dedup();
    words.iter().map(|word| PartLine::single(CanonicalText::exactly(word))).collect()
}

fn canonical_number_text(text: &Text) -> CanonicalText {
    CanonicalText::number(text.value())
}

fn of_file(policy: &Policy, file: &RuleFile, parts: &mut Vec<PolicyPart>) {
    front_policy_parts(file, parts);
    if let Some(market) = &file.market {
        let part = PolicyPart::new("market", "");
        let part = part.maybe("currency", market.currency.as_ref(), exact_canonical_text);
        let part = part.maybe("time_zone", market.time_zone.as_ref(), exact_canonical_text);
        let part = part.maybe("apr_name", market.apr_name.as_ref(), exact_canonical_text);
        parts.push(part.or("apr_rate", market.apr_rate.as_ref().map(exact_canonical_text), "nominal"));
    }
    for WordList { name, words, without } in &file.words {
        let part = PolicyPart::new("words", &name.text).lines("word", words_in_order(words));
        parts.push(match without {
            None => part,
            Some(without) => part.lines("without", words_in_order(without)),
        });
    }
    parts.extend(file.lists.iter().map(|list| list_policy_part(policy, list)));
    for kind in &file.kinds {
        let mut part = PolicyPart::new("kind", &kind.name.text);
        for (side, flags) in [("credit", &kind.credit), ("debit", &kind.debit)] {
            if let Some(flags) = flags {
                part = part.with(side, CanonicalText::all(flags.iter().map(exact_canonical_text), ", "));
            }
        }
        parts.push(part);
    }
    for definition in &file.definitions {
        let section = definition.section.key();
        parts.push(
            PolicyPart::new(section, &definition.name.text).with("", CanonicalText::expression(&definition.expression)),
        );
    }
    parts.extend(file.requires.iter().map(require_policy_part));
    file.score.iter().for_each(|written| score_policy_parts(policy, written, parts));
    parts.extend(file.tables.iter().map(|written| table_policy_part(policy, written)));
    if let Some(exposure) = &file.exposure {
        let part = PolicyPart::new("exposure", "").with("limit", CanonicalText::quantity(&exposure.limit));
        parts.push(part.or("existing", exposure.existing.as_ref().map(CanonicalText::quantity), "0"));
    }
    if let Some(ask) = &file.ask {
        let part = PolicyPart::new("ask", "").maybe("amount", ask.amount.as_ref(), CanonicalText::quantity);
        parts.push(part.maybe("tenure", ask.tenure.as_ref(), CanonicalText::quantity));
    }
    parts.extend(file.offers.iter().map(offer_policy_part));
    for property in &file.properties {
        let (way, input) = match (&property.increasing, &property.decreasing) {
            (Some(input), _) => ("increasing", input),
            (None, Some(input)) => ("decreasing", input),
            (None, None) => continue,
        };
        let name =
            CanonicalText::all([CanonicalText::expression(input), CanonicalText::expression(&property.of)], " and ");
        let mut part = PolicyPart::new("property", &name.text).with("", CanonicalText::exactly(way));
        part.key = name.meaning().to_owned();
        parts.push(part);
    }
}

/// A list by its file, how many keys that has, and its digest. Keys are personal.
fn list_policy_part(policy: &Policy, written: &WrittenList) -> PolicyPart {
    let ignores_case = CanonicalText::exactly(if written.ignores_case { "true" } else { "false" });
    let part = PolicyPart::new("list", &written.name.text)
        .maybe("file", written.file.as_ref(), exact_canonical_text)
        .maybe("key", written.key.as_ref(), exact_canonical_text)
        .maybe("until", written.until.as_ref(), exact_canonical_text)
        .or("ignore_case", Some(ignores_case), "false");
    let Some(list) = policy.program.lists.iter().find(|list| list.name == written.name.text) else { return part };
    part.with("keys", CanonicalText::exactly(&list.keys.count().to_string()))
        .with("digest", CanonicalText::exactly(&list.keys.digest.to_string()))
}

fn front_policy_parts(file: &RuleFile, parts: &mut Vec<PolicyPart>) {
    if let Some(header) = &file.header {
        let word = |part: PolicyPart, key, text: &Option<Text>, otherwise| {
            part.or(key, text.as_ref().map(exact_canonical_text), otherwise)
        };
        let part = PolicyPart::new("policy", "")
            .maybe("name", header.name.as_ref(), exact_canonical_text)
            .maybe("version", header.version.as_ref(), exact_canonical_text)
            .maybe("currency", header.currency.as_ref(), exact_canonical_text)
            .maybe("time_zone", header.time_zone.as_ref(), exact_canonical_text);
        let part = word(part, "statement_unit", &header.statement_unit, "major");
        let part = word(part, "tenure_unit", &header.tenure_unit, "days");
        let part = word(part, "date_conflict", &header.date_conflict, "error");
        let part = word(part, "record_day", &header.record_day, "trans_date");
        let part = word(part, "negative_amount", &header.negative_amount, "error");
        let part = word(part, "empty_amount", &header.empty_amount, "error");
        let part = word(part, "as_of", &header.as_of, "optional");
        let part = word(part, "fee_mode", &header.fee_mode, "added");
        let part = part.maybe("market", header.market.as_ref(), exact_canonical_text);
        let part = part.maybe("corrections", header.corrections.as_ref(), exact_canonical_text);
        let part = part.maybe("valid_from", header.valid_from.as_ref(), exact_canonical_text);
        parts.push(part.maybe("valid_to", header.valid_to.as_ref(), exact_canonical_text));
        if let Some(challenger) = &header.challenger {
            let part = PolicyPart::new("policy", "challenger").with("file", exact_canonical_text(&challenger.file));
            parts.push(
                part.with("share", canonical_number_text(&challenger.share))
                    .with("salt", exact_canonical_text(&challenger.salt)),
            );
        }
    }
    for parameter in &file.parameters {
        // Without a unit, `3` is a whole number and `3.0` is not, which changes results.
        let value = match parameter.unit.as_ref().map(Text::value) {
            Some("text") => exact_canonical_text,
            Some(_) => canonical_number_text,
            None => |text: &Text| CanonicalText::digits(text.value()),
        };
        let bound = if parameter.unit.is_some() { value } else { canonical_number_text };
        let mut part = PolicyPart::new("parameters", &parameter.name.text).maybe("", parameter.value.as_ref(), value);
        let mut dated: Vec<_> = parameter.dated.iter().collect();
        dated.sort_by(|left, right| left.0.text.cmp(&right.0.text));
        for (day, text) in dated {
            part = part.with(&format!("from {}", day.text), value(text));
        }
        let part = part.maybe("min", parameter.min.as_ref(), bound).maybe("max", parameter.max.as_ref(), bound);
        let part = part.maybe("unit", parameter.unit.as_ref(), exact_canonical_text);
        let part = part.maybe("currency", parameter.currency.as_ref(), exact_canonical_text);
        let overrides = parameter.overrides.then(|| CanonicalText::exactly("a used file"));
        parts.push(part.or("overrides", overrides, ""));
    }
    for input in &file.inputs {
        let required = CanonicalText::exactly(if input.required { "true" } else { "false" });
        let part = match &input.kind {
            InputKind::Value(kind) => {
                let part = PolicyPart::new(input.source.word(), &input.name.text).with("", exact_canonical_text(kind));
                part.maybe("column", input.column.as_ref(), exact_canonical_text)
            }
            InputKind::Entries(fields) => {
                let name = format!("{}.{}", input.source.word(), input.name.text);
                let part = PolicyPart::new("input", &name);
                fields.iter().fold(part, |part, (name, kind, _)| part.with(&name.text, exact_canonical_text(kind)))
            }
        };
        // Several files may declare the same input if their declarations agree.
        if !parts.iter().any(|known| (known.section, &known.key) == (part.section, &part.key)) {
            parts.push(part.or("required", Some(required), "false"));
        }
    }
}

fn require_policy_part(written: &Require) -> PolicyPart {
    let part =
        PolicyPart::new("require", written.id.value()).maybe("title", written.title.as_ref(), exact_canonical_text);
    let part = match &written.condition {
        Condition::When(text) => part.with("when", CanonicalText::expression(text)),
        Condition::Block(block) => part
            .with(
                "holds where",
                describe_quota(&block.quota, ["all conditions hold", "any condition holds", "conditions hold"]),
            )
            .lines("condition", block.members.iter().map(block_member_line).collect()),
    };
    part.or("else", written.otherwise.as_ref().map(exact_canonical_text), "decline")
        .or("unknown", written.unknown.as_ref().map(exact_canonical_text), "refer")
        .with("reason", exact_canonical_text(&written.reason))
}

/// How many members must hold, in words.
fn describe_quota(quota: &Quota, [all, any, some]: [&str; 3]) -> CanonicalText {
    match quota {
        Quota::All => CanonicalText::exactly(all),
        Quota::Any => CanonicalText::exactly(any),
        Quota::AtLeast(least) => canonical_number_text(least).within("at least ", &format!(" {some}")),
    }
}

/// A member of a requirement's own block.
fn block_member_line(member: &Member) -> PartLine {
    let mut line = PartLine::single(canonical_condition(&member.condition));
    let unknown = member.unknown.as_ref().map(exact_canonical_text);
    line.cells.extend(unknown.map(|value| PartCell {
        column: CanonicalText::exactly("unknown"),
        value,
        is_test: false,
    }));
    line
}

/// A member of a block within a block.
fn nested_member_text(member: &Member) -> CanonicalText {
    let value = canonical_condition(&member.condition);
    match &member.unknown {
        Some(unknown) => value.within("", &format!(" (unknown {})", unknown.value())),
        None => value,
    }
}

fn canonical_condition(condition: &Condition) -> CanonicalText {
    match condition {
        Condition::When(text) => CanonicalText::expression(text),
        Condition::Block(Block { quota: least, members, .. }) => {
            let members = CanonicalText::all(members.iter().map(nested_member_text), "; ");
            CanonicalText::all([describe_quota(least, ["all of", "any of", "of"]), members.within("(", ")")], " ")
        }
    }
}

fn score_policy_parts(policy: &Policy, written: &Score, parts: &mut Vec<PolicyPart>) {
    let mut part = PolicyPart::new("score", "").with("base", canonical_number_text(&written.base));
    // Without codes there are no reasons to report, so the key is not allowed.
    if written.items.iter().any(|item| item.code.is_some()) {
        part = part.or("reasons", written.reasons.as_ref().map(canonical_number_text), &REASONS.to_string());
    }
    if let Some(scale) = &written.scale {
        for (key, text) in [("points", &scale.points), ("odds", &scale.odds), ("pdo", &scale.pdo)] {
            part = part.with(&format!("scale {key}"), canonical_number_text(text));
        }
    }
    parts.push(part);
    for (at, item) in written.items.iter().enumerate() {
        let compiled = policy.program.score_items.get(at);
        let ty = compiled.map_or(Type::NUMBER, |item| policy.type_of(item.on));
        let bin = |(test, points): &(Text, Text)| {
            let column = || CanonicalText::exactly("");
            let points = PartCell {
                column: CanonicalText::exactly("points"),
                value: canonical_number_text(points),
                is_test: false,
            };
            PartLine {
                cells: vec![PartCell { column: column(), value: CanonicalText::test(test, ty), is_test: true }, points],
            }
        };
        let on = CanonicalText::expression(&item.on);
        let mut part =
            PolicyPart::new("score", &on.text).or("weight", item.weight.as_ref().map(canonical_number_text), "1");
        part = part.maybe("code", item.code.as_ref(), exact_canonical_text).maybe(
            "reason",
            item.reason.as_ref(),
            exact_canonical_text,
        );
        part.key = on.meaning().to_owned();
        parts.push(part.lines("bin", item.points.iter().map(bin).collect()));
    }
}

fn table_policy_part(policy: &Policy, written: &DecisionTable) -> PolicyPart {
    let compiled = policy.program.tables.iter().find(|table| table.name == written.name.text);
    let asked = |at: usize| compiled?.written_inputs().nth(at).map(|(_, node)| policy.type_of(*node));
    let given: Vec<Type> = written.outputs.iter().map(|output| declared_output_type(&output.kind)).collect();
    let outputs = written.outputs.iter().zip(&given).map(|(output, ty)| {
        let kind = exact_canonical_text(&output.kind).within(&format!("{} ", output.name.text), "");
        match output.values.is_empty() {
            true => kind,
            false => {
                let values = output.values.iter().map(|value| CanonicalText::given(value, *ty));
                CanonicalText::all([kind, CanonicalText::all(values, ", ")], " of ")
            }
        }
    });
    // Cells are identified by column names, so that a new column does not change the others.
    let mut columns: Vec<(CanonicalText, Type, bool)> = Vec::new();
    for (at, input) in written.inputs.iter().enumerate() {
        columns.push((CanonicalText::expression(input), asked(at).unwrap_or(Type::NUMBER), true));
    }
    columns.extend(
        written.outputs.iter().zip(&given).map(|(output, ty)| (CanonicalText::exactly(&output.name.text), *ty, false)),
    );
    for at in 1..columns.len() {
        let twice = columns[..at].iter().filter(|(value, ..)| value.same(&columns[at].0)).count();
        if twice > 0 {
            columns[at].0 = columns[at].0.clone().within("", &format!(" ({})", twice + 1));
        }
    }
    let row = |cells: &[Text]| {
        let cells = cells.iter().zip(&columns).map(|(text, (column, ty, is_test))| {
            let value = if *is_test { CanonicalText::test(text, *ty) } else { CanonicalText::given(text, *ty) };
            PartCell { column: column.clone(), value, is_test: *is_test }
        });
        PartLine { cells: cells.collect() }
    };
    let rows = match &written.rows {
        TableRowsSource::Here(rows) => rows.iter().map(|(cells, _)| row(cells)).collect(),
        TableRowsSource::File(_) => Vec::new(),
    };
    let mut part = PolicyPart::new("table", &written.name.text)
        .maybe("title", written.title.as_ref(), exact_canonical_text)
        .maybe("hit", written.hit.as_ref(), exact_canonical_text)
        .with("inputs", CanonicalText::all(written.inputs.iter().map(CanonicalText::expression), ", "))
        .with("outputs", CanonicalText::all(outputs, ", "));
    if let Some((cells, _)) = &written.otherwise {
        let cells = cells.iter().zip(&given).map(|(text, ty)| CanonicalText::given(text, *ty));
        part = part.with("otherwise", CanonicalText::all(cells, " | "));
    }
    part.lines("row", rows)
}

fn declared_output_type(kind: &Text) -> Type {
    crate::rules::types::type_of_unit_word(kind.value())
}

fn offer_policy_part(written: &Offer) -> PolicyPart {
    let quantities = |texts: &[Text]| CanonicalText::all(texts.iter().map(CanonicalText::quantity), ", ");
    let mut part = PolicyPart::new("offer", written.id.value())
        .maybe("when", written.when.as_ref(), CanonicalText::expression)
        .with("tenure", quantities(&written.tenures))
        .or("instalments", written.instalments.as_ref().map(CanonicalText::quantity), "1")
        .with("amount", CanonicalText::quantity(&written.amount));
    if !written.caps.is_empty() {
        part = part.with("cap", quantities(&written.caps));
    }
    part.maybe("floor", written.floor.as_ref(), CanonicalText::quantity)
        .maybe("step", written.step.as_ref(), CanonicalText::quantity)
        .with("interest", CanonicalText::quantity(&written.interest))
        .or("method", written.method.as_ref().map(exact_canonical_text), "flat")
        .or("fee", written.fee.as_ref().map(CanonicalText::quantity), "0")
        .or("valid_for_days", written.valid_for_days.as_ref().map(canonical_number_text), "7")
        .or(
            "part_payment",
            written.part_payment.map(|is| CanonicalText::exactly(if is { "true" } else { "false" })),
            "false",
        )
        .maybe("terms", written.terms.as_ref(), exact_canonical_text)
}
