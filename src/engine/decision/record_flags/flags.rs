//! The flags that are asked for, and a record's verdict by them.

use std::collections::HashMap;

use super::kinds::{self, KINDS};
use super::row::FlaggedRow;
use super::wording::{Wording, corrected_counterparty, corrected_kind};
use super::{Explains, FlagColumn, Shown, Verdict, VerdictsAsked, stream_of, why};
use crate::base::date::Day;
use crate::base::diagnostic::nearest_candidate;
use crate::engine::metrics::Reason;
use crate::rules::graph::{Grain, NodeId};
use crate::rules::program::Value;
use crate::rules::program::schedule::Schedule;
use crate::rules::{Policy, PolicySet, Type};

/// Why there are no verdicts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerdictsError {
    /// The values could not be computed.
    #[error(transparent)]
    Metrics(#[from] crate::engine::metrics::Error),
    /// The policy has no such value of records.
    #[error("the policy has no value of records `{name}`; {help}")]
    UnknownFlag {
        /// The name that was asked for.
        name: String,
        /// What to do.
        help: String,
    },
    /// A kind, or a reason, is asked of a value that is not true or false.
    #[error("`{0}` is not true or false, so it cannot say what a record is; name a condition of [transaction]")]
    NotBoolean(String),
    /// The statements cannot be decided.
    #[error(transparent)]
    Decision(#[from] crate::engine::decision::Error),
    /// Versions of the policy give one name different types, which one column cannot hold.
    #[error("versions of the policy give `{0}` different types; name a day, or one version's file")]
    Types(String),
}

/// The flags of all versions of a policy.
pub(super) struct Flags<'e> {
    /// Selects further flags to explain.
    pub explains: Explains<'e>,
    pub columns: Vec<FlagColumn>,
    /// For each version.
    pub of_versions: Vec<PolicyFlags>,
}

/// The flags of one version.
pub(super) struct PolicyFlags {
    pub schedule: Schedule,
    /// The node of each column, where the version has it.
    nodes: Vec<Option<NodeId>>,
    /// The flags that give a kind, the strongest first.
    kinds: Vec<(NodeId, String)>,
    /// The flag that `why` is about, if one was asked for.
    why: Option<Option<NodeId>>,
}

impl<'e> Flags<'e> {
    pub(super) fn new(policies: &dyn PolicySet, asked: &VerdictsAsked) -> Result<Flags<'e>, VerdictsError> {
        let versions = policies.versions();
        for name in asked.flags.iter().chain(&asked.kinds).chain(&asked.why) {
            if !versions.iter().any(|version| list_record_values(version).any(|(own, _)| own == name)) {
                return Err(unknown_flag_error(versions, name));
            }
        }
        let is_asked = |name: &str, ty: Type| match asked.flags.as_slice() {
            [] => ty == Type::BOOLEAN && last_part(name).starts_with("is_"),
            flags => flags.iter().any(|flag| flag == name),
        };
        let (mut columns, mut types) = (Vec::<FlagColumn>::new(), HashMap::new());
        for version in versions {
            for (name, node) in list_record_values(version) {
                let ty = version.type_of(node);
                if is_asked(name, ty) {
                    match types.insert(name.to_owned(), ty) {
                        None => columns.push(FlagColumn { name: name.to_owned(), ty }),
                        Some(before) if before == ty => {}
                        Some(_) => return Err(VerdictsError::Types(name.to_owned())),
                    }
                }
            }
        }
        let of_versions = versions.iter().map(|version| PolicyFlags::new(version, &columns, asked));
        Ok(Flags { explains: &|_| Vec::new(), of_versions: of_versions.collect::<Result<_, _>>()?, columns })
    }

    /// What the policy finds in one record.
    pub(super) fn verdict(&self, own: &PolicyFlags, row: &FlaggedRow, shown: &Shown, wording: &Wording) -> Verdict {
        let head = &row.slice.heads[row.statement];
        let (mut values, mut unknown) = (Vec::with_capacity(self.columns.len()), Vec::<(String, Vec<&str>)>::new());
        for (column, node) in self.columns.iter().zip(&own.nodes) {
            match own.value(row, *node, wording) {
                Ok(value) => values.push(Some(value)),
                Err(reason) => {
                    values.push(None);
                    match unknown.iter_mut().find(|(known, _)| *known == reason) {
                        Some((_, names)) => names.push(&column.name),
                        None => unknown.push((reason, vec![&column.name])),
                    }
                }
            }
        }
        let unknown: Vec<String> =
            unknown.into_iter().map(|(reason, names)| format!("{reason}: {}", names.join(" "))).collect();
        let (kind, of_kind) = own.kind(row);
        let why = match own.why {
            Some(flag) => flag.map(|node| own.sentence(row, node, wording)).unwrap_or_default(),
            None => of_kind.map(|node| own.sentence(row, node, wording)).unwrap_or_default(),
        };
        let said = [Some(why).filter(|why| !why.is_empty()), corrected_counterparty(row)];
        let why = said.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let mut verdict = Verdict {
            customer: head.customer.clone(),
            statement: head.label.clone(),
            account: head.account.clone(),
            record: row.row - row.slice.rows[row.statement].start + 1,
            id: shown.ids[row.row].clone(),
            day: row.slice.dates.get(row.row).map(|day| Day::from_days(*day)),
            credit: shown.credits[row.row],
            debit: shown.debits[row.row],
            balance: shown.balances[row.row],
            narration: shown.narrations[row.row].clone(),
            counterparty: row.evaluated.counterparty(row.row).map(str::to_owned),
            stream: stream_of(row),
            kind,
            corrected_to: corrected_kind(row).map(|(kind, _)| kind.to_owned()),
            why,
            parts: if own.why.is_some() { parts_of(row, shown) } else { String::new() },
            unknown: unknown.join("; "),
            values,
            reasons: Vec::new(),
        };
        let explained = (self.explains)(&verdict).into_iter();
        let of_column = |column: usize| Some((column, (*own.nodes.get(column)?)?));
        verdict.reasons =
            explained.filter_map(of_column).map(|(column, node)| (column, own.sentence(row, node, wording))).collect();
        verdict
    }
}

impl PolicyFlags {
    fn new(policy: &Policy, columns: &[FlagColumn], asked: &VerdictsAsked) -> Result<PolicyFlags, VerdictsError> {
        let by_name: HashMap<&str, NodeId> = list_record_values(policy).collect();
        let boolean = |name: &str| match by_name.get(name) {
            Some(node) if policy.type_of(*node) != Type::BOOLEAN => Err(VerdictsError::NotBoolean(name.to_owned())),
            node => Ok(node.copied()),
        };
        let kinds = match asked.kinds.as_slice() {
            [] => {
                let of_kind = |(name, word): &(&str, &str)| {
                    let node = by_name.get(name).copied().filter(|node| policy.type_of(*node) == Type::BOOLEAN)?;
                    Some((node, (*word).to_owned()))
                };
                KINDS.iter().filter_map(of_kind).collect()
            }
            names => {
                let mut kinds = Vec::new();
                for name in names {
                    kinds.extend(boolean(name)?.map(|node| (node, kinds::kind_word_of_flag(name))));
                }
                kinds
            }
        };
        let why = asked.why.as_deref().map(boolean).transpose()?;
        let nodes: Vec<Option<NodeId>> = columns.iter().map(|column| by_name.get(&*column.name).copied()).collect();
        let roots = nodes.iter().copied().flatten().chain(kinds.iter().map(|(node, _)| *node)).chain(why.flatten());
        let schedule = Schedule::new(&policy.program.graph, roots.collect::<Vec<_>>());
        Ok(PolicyFlags { schedule, nodes, kinds, why })
    }

    /// The value of a column, or why it is unknown.
    fn value(&self, row: &FlaggedRow, node: Option<NodeId>, wording: &Wording) -> Result<Value, String> {
        let node = node.ok_or("not in this version of the policy")?;
        match lacking(row, node).filter(|_| !row.is_of_other_side(node)) {
            Some(reason) => Err(reason.code(&row.policy.program)),
            None => match row.value(node) {
                Ok(value) => Ok(value),
                Err(_) => row.truth(node).map(Value::Boolean).ok_or_else(|| wording.unknown(row, node)),
            },
        }
    }

    /// The kind of a record, and the flag that gives it or leaves it unknown.
    fn kind(&self, row: &FlaggedRow) -> (Option<String>, Option<NodeId>) {
        for (node, word) in &self.kinds {
            // What the record's own side rules out needs no narration.
            if lacking(row, *node).is_some() && !row.is_of_other_side(*node) {
                return (None, Some(*node));
            }
            if row.truth(*node) == Some(true) {
                return (Some(word.clone()), Some(*node));
            }
        }
        (Some(kinds::OTHER.to_owned()), None)
    }

    /// Why a flag holds or does not, or why that is unknown.
    fn sentence(&self, row: &FlaggedRow, node: NodeId, wording: &Wording) -> String {
        if let Some(reason) = lacking(row, node).filter(|_| !row.is_of_other_side(node)) {
            return format!("unknown: {}", reason.code(&row.policy.program));
        }
        match row.truth(node) {
            Some(truth) => wording.sentence(row, node, truth, &why::find_deciding_clauses(row, node)),
            None => format!("unknown: {}", wording.unknown(row, node)),
        }
    }
}

/// The values of records that a policy defines, in the order of its files.
fn list_record_values(policy: &Policy) -> impl Iterator<Item = (&str, NodeId)> {
    let program = &policy.program;
    let of_records =
        program.places.finer.iter().filter(|value| program.graph.node(value.node).grain == Grain::Transaction);
    of_records.map(|value| (value.name.as_str(), value.node))
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Why a value of every record of the statement is unknown: as in aggregates over it, a narration that nobody wrote is
/// not one that says nothing.
fn lacking(row: &FlaggedRow, node: NodeId) -> Option<Reason> {
    let needs = row.policy.program.graph.node(node).needs;
    let lacks = needs.narration && !row.slice.has_narration[row.statement]
        || needs.names && !row.slice.has_names[row.statement];
    lacks.then_some(Reason::NeedsNarration)
}

fn unknown_flag_error(versions: &[Policy], name: &str) -> VerdictsError {
    let names: Vec<&str> = versions.iter().flat_map(list_record_values).map(|(name, _)| name).collect();
    let help = match nearest_candidate(name, names.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None if names.is_empty() => "it has no [transaction]; `use = [\"metrics.toml\"]` adds some".to_owned(),
        None => "`lendwright metrics --describe` lists the names".to_owned(),
    };
    VerdictsError::UnknownFlag { name: name.to_owned(), help }
}

/// Who wrote which words of a record's narration.
fn parts_of(row: &FlaggedRow, shown: &Shown) -> String {
    let Some(narration) = &shown.narrations[row.row] else { return String::new() };
    let is_credit = shown.credits[row.row].is_some_and(|credit| credit > 0);
    let parts = row.policy.program.normaliser.parts(narration, is_credit);
    let parts: Vec<String> = parts.iter().map(|part| format!("{} `{}`", part.source, part.words)).collect();
    parts.join(", ")
}
